//! Filling the gaps of a table: the model in training answers, the worker for files writes the answers into the table.

use crate::worker::client::Failure;
use crate::worker::client::Work;
use crate::worker::session::{DataChoice, Session};
use dbm_protocol::{Command, DataSource, EncodedData, Evaluated, Event, FilesCommand, FilesEvent, ImputeSettings, NamedBytes};
use leptos::prelude::*;

/// As the command `dbm impute` has them, so that both give the same table.
fn settings() -> ImputeSettings {
    ImputeSettings { seed: 1, ..ImputeSettings::default() }
}

/// A table without gaps, to be exported.
#[derive(Clone, Debug, PartialEq)]
pub struct Filled {
    /// The table as CSV, with its own names, order and known cells.
    pub table: NamedBytes,
    /// One line a filled cell.
    pub probabilities: NamedBytes,
    /// How many cells were filled.
    pub cells: u32,
    /// Mean probability of what was filled in.
    pub mean_probability: f64,
}

/// The gaps of the table in use: a handle, as long-lived as the page.
#[derive(Clone, Copy)]
pub struct Gaps {
    session: Session,
    /// Filling or testing.
    pub work: Work,
    /// The table without gaps.
    pub filled: RwSignal<Option<Filled>>,
    /// How good the answers are.
    pub evaluation: RwSignal<Option<Evaluated>>,
}

impl Gaps {
    /// Nothing is filled yet; other data come with other gaps.
    pub fn new(session: Session) -> Self {
        let gaps =
            Self { session, work: Work::new(session.client), filled: RwSignal::default(), evaluation: RwSignal::default() };
        Effect::new(move |_| {
            session.data.track();
            gaps.filled.set(None);
            gaps.evaluation.set(None);
        });
        gaps
    }

    /// Whether the data in use are a table.
    pub fn is_table(self) -> bool {
        self.with_table(|_| ()).is_some()
    }

    /// Shows `look` the table in use, where it is one.
    fn with_table<T>(self, look: impl FnOnce(&EncodedData) -> T) -> Option<T> {
        let DataChoice::Upload(place) = self.session.choice_in_use.get() else { return None };
        self.session.uploads.with(|uploads| match &uploads.get(place)?.source {
            DataSource::Examples(encoded) if !encoded.table.is_empty() => Some(look(encoded)),
            _ => None,
        })
    }

    /// Has the gaps filled by the model in training.
    pub async fn fill(self) -> Result<(), Failure> {
        self.session.readiness()?;
        let Some(Event::Imputed(probabilities)) = self.work.ask(Command::Impute(settings())).await? else { return Ok(()) };
        let command = untrack(|| {
            self.with_table(|encoded| {
                let file = NamedBytes { name: encoded.name.clone(), bytes: encoded.table.clone() };
                Some(FilesCommand::Fill { file, visible: encoded.visible.clone()?, probabilities })
            })
        });
        let Some(Some(command)) = command else { return Ok(()) };
        if let FilesEvent::Filled { table, probabilities, cells, mean_probability } = self.session.reader.ask(command).await? {
            self.filled.set(Some(Filled { table, probabilities, cells, mean_probability }));
        }
        Ok(())
    }

    /// Has the answers compared with two simple guesses.
    pub async fn evaluate(self) -> Result<(), Failure> {
        self.session.readiness()?;
        if let Some(Event::Evaluated(evaluation)) = self.work.ask(Command::Evaluate(settings())).await? {
            self.evaluation.set(Some(evaluation));
        }
        Ok(())
    }
}
