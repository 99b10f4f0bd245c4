//! Fills the gaps of a table: the model in training answers, and the worker for files writes the answers into the table. Also
//! tests how far the answers can be trusted.

use crate::ui::button::Button;
use crate::ui::download;
use crate::ui::progress::ProgressBar;
use crate::ui::table::row;
use crate::worker::client::{Failure, LongRequest};
use crate::worker::session::{DataChoice, Session};
use dbm_protocol::{
    Command, DataSource, EncodedData, Evaluated, Event, FilesCommand, FilesEvent, ImputationMethod, ImputeSettings, NamedBytes,
    Report,
};
use leptos::prelude::*;

/// The settings of the command `dbm impute`, so that both give the same table.
fn settings() -> ImputeSettings {
    ImputeSettings { seed: 1, ..ImputeSettings::default() }
}

/// A table without gaps, to be exported.
#[derive(Clone, Debug, PartialEq)]
struct Filled {
    /// The table as CSV, with its own names, order and known cells.
    table: NamedBytes,
    /// One line per filled cell.
    probabilities: NamedBytes,
    /// How many cells were filled.
    cells: u32,
    /// Mean probability of the filled values.
    mean_probability: f64,
}

/// The gaps of the table in use: a handle that lives as long as the page.
#[derive(Clone, Copy)]
struct Gaps {
    session: Session,
    /// Filling or testing.
    work: LongRequest,
    /// The table without gaps.
    filled: RwSignal<Option<Filled>>,
    /// How good the answers are.
    evaluation: RwSignal<Option<Evaluated>>,
}

impl Gaps {
    /// Nothing is filled yet; a change of data clears the results.
    fn new(session: Session) -> Self {
        let gaps = Self {
            session,
            work: LongRequest::new(session.client),
            filled: RwSignal::default(),
            evaluation: RwSignal::default(),
        };
        Effect::new(move |_| {
            session.sets.data.track();
            gaps.filled.set(None);
            gaps.evaluation.set(None);
        });
        gaps
    }

    /// Whether the data in use are a table.
    fn is_table(self) -> bool {
        self.with_table(|_| ()).is_some()
    }

    /// Applies `look` to the table in use, if there is one.
    fn with_table<T>(self, look: impl FnOnce(&EncodedData) -> T) -> Option<T> {
        let DataChoice::Upload(place) = self.session.sets.choice_in_use.get() else { return None };
        self.session.sets.uploads.with(|uploads| match &uploads.get(place)?.source {
            DataSource::Examples(encoded) if !encoded.table.is_empty() => Some(look(encoded)),
            _ => None,
        })
    }

    /// Lets the model in training fill the gaps.
    async fn fill(self) -> Result<(), Failure> {
        self.session.readiness()?;
        let Some(Event::Imputed(probabilities)) = self.work.ask(Command::Impute(settings())).await? else { return Ok(()) };
        let command = untrack(|| {
            self.with_table(|encoded| {
                let file = NamedBytes { name: encoded.name.clone(), bytes: encoded.table.clone() };
                let reading = encoded.reading.clone();
                Some(FilesCommand::Fill { file, reading, visible: encoded.visible.clone()?, probabilities })
            })
        });
        let Some(Some(command)) = command else { return Ok(()) };
        if let FilesEvent::Filled { table, probabilities, cells, mean_probability } = self.session.reader.ask(command).await? {
            self.filled.set(Some(Filled { table, probabilities, cells, mean_probability }));
        }
        Ok(())
    }

    /// Compares the answers with two simple guesses.
    async fn evaluate(self) -> Result<(), Failure> {
        self.session.readiness()?;
        if let Some(Event::Evaluated(evaluation)) = self.work.ask(Command::Evaluate(settings())).await? {
            self.evaluation.set(Some(evaluation));
        }
        Ok(())
    }
}

/// Shown while a table with gaps is in use.
#[component]
pub fn GapsPanel() -> impl IntoView {
    let session = Session::of_page();
    let gaps = Gaps::new(session);
    let missing = Memo::new(move |_| session.sets.data.with(|data| data.as_ref().map_or(0, |data| data.missing)));
    let shown = Memo::new(move |_| gaps.is_table() && missing.get() > 0);
    let untrained = move || session.run.metrics.with(|metrics| metrics.step) == 0;
    let busy = move || gaps.work.now().is_some();
    let parts = Signal::derive(move || gaps.work.parts());
    let save = move |file: fn(&Filled) -> &NamedBytes| {
        if let Some(filled) = gaps.filled.get_untracked() {
            download::file(session.notices, file(&filled));
        }
    };
    view! {
        <Show when=move || shown.get()>
            <section class="figure gaps" aria-labelledby="gaps-title">
                <div class="figure-head">
                    <h3 id="gaps-title">"Gaps"</h3>
                </div>
                <div class="buttons">
                    <Button
                        label="Fill the gaps"
                        class="primary accent"
                        disabled=move || busy() || untrained()
                        on_press=move |()| session.perform(gaps.fill())
                    />
                    <Button label="Test the answers" disabled=move || busy() || untrained() on_press=move |()| session.perform(gaps.evaluate()) />
                    <ProgressBar label="Rows answered" parts busy=Signal::derive(busy) on_cancel=move |()| gaps.work.cancel() />
                </div>
                <p class="figures-text" role="status">
                    {move || match gaps.filled.get() {
                        None if untrained() => "Train first: a few hundred steps are enough for a small table; far more make it memorize the table.".to_string(),
                        None => "Each gap gets its likeliest value, with a probability from 32 completions of its row.".to_string(),
                        Some(filled) => {
                            format!("{} cells filled; their values have a probability of {:.2} on average.", filled.cells, filled.mean_probability)
                        }
                    }}
                </p>
                <Show when=move || gaps.filled.with(Option::is_some)>
                    <div class="buttons">
                        <Button label="Save the table" on_press=move |()| save(|filled| &filled.table) />
                        <Button label="Save the probabilities" on_press=move |()| save(|filled| &filled.probabilities) />
                    </div>
                </Show>
                {move || gaps.evaluation.with(|evaluation| evaluation.as_ref().map(trust_table))}
            </section>
        </Show>
    }
}

/// The answers next to two simple guesses.
fn trust_table(evaluation: &Evaluated) -> impl IntoView + use<> {
    let report = &evaluation.report;
    let line = |method: ImputationMethod| {
        let score = report.of(method);
        let name = if method == ImputationMethod::Model { "the model" } else { method.name() };
        row(name, [format!("{:.1} %", 100.0 * score.accuracy), format!("{:.3}", score.log_loss)])
    };
    let seen = if evaluation.held_back {
        "which training never saw"
    } else {
        "which the model was trained with, so expect worse on real gaps"
    };
    let words = format!(
        "On {} known cells, {seen}: share answered correctly, and log-loss in nats per cell (less is better).",
        report.cells
    );
    view! {
        <table class="numbers">
            <thead>
                <tr>
                    <th scope="col"><span class="unseen">"By"</span></th>
                    <th scope="col">"right"</th>
                    <th scope="col">"log-loss"</th>
                </tr>
            </thead>
            <tbody>
                {ImputationMethod::ALL.map(line).collect_view()}
            </tbody>
        </table>
        <p class="help">{words} " " {verdict(report)}</p>
    }
}

fn verdict(report: &Report) -> &'static str {
    let loss = |method| report.of(method).log_loss;
    if loss(ImputationMethod::Model) < loss(ImputationMethod::ColumnMode).min(loss(ImputationMethod::Neighbours)) {
        "The model's answers are the best of the three."
    } else {
        "A simple guess does as well or better: do not trust these answers. More rows, or more or fewer steps, may change that."
    }
}
