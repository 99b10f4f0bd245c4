//! The data in use: chosen, uploaded, undone, or given to a new worker again.

use super::held::{Change, DataChoice, Session, Upload};
use crate::settings::Draft;
use crate::ui::address::{self, View};
use crate::ui::notices::Tone;
use crate::worker::client::Failure;
use dbm_protocol::{Command, DataSource, Event, Metrics};
use leptos::prelude::*;

/// Generated digits to train on.
const DIGITS: DataSource = DataSource::Digits { count: 10_000, seed: 1 };

impl Session {
    /// The data of a choice, if they are at hand.
    pub fn source(self, choice: DataChoice) -> Option<DataSource> {
        match choice {
            DataChoice::Digits => Some(DIGITS),
            DataChoice::Bars => Some(DataSource::Bars),
            DataChoice::Mnist | DataChoice::Survey => None,
            DataChoice::Upload(place) => {
                self.sets.uploads.with_untracked(|uploads| uploads.get(place).map(|upload| upload.source.clone()))
            }
        }
    }

    /// Puts one of the data sets at hand into use, with settings that suit it unless the visitor has changed them.
    ///
    /// # Errors
    /// As [`Session::ask`]; the data in use stay.
    pub async fn use_data(self, choice: DataChoice) -> Result<(), Failure> {
        let Some(source) = self.source(choice) else { return Ok(()) };
        self.sets.choice.set(choice);
        self.send_data(source, Change::Chosen(choice)).await
    }

    /// Puts the visitor's data into use.
    ///
    /// # Errors
    /// As [`Session::ask`]; the data in use stay.
    pub async fn use_upload(self, upload: Upload) -> Result<(), Failure> {
        address::go(View::Train);
        let name = upload.name.clone();
        self.send_data(upload.source.clone(), Change::Uploaded(upload)).await.map_err(|failure| match failure {
            Failure::Refused(why) if !why.contains(&name) => Failure::Refused(format!("“{name}”: {why}")),
            other => other,
        })
    }

    async fn send_data(self, source: DataSource, change: Change) -> Result<(), Failure> {
        let suited = match &source {
            DataSource::Bars => Draft::bars(),
            DataSource::Examples(data) if data.image.is_none() => Draft::table(data.width),
            _ => Draft::digits(),
        };
        let draft = self.run.draft.get_untracked();
        let width = self.sets.data.with_untracked(|data| data.as_ref().map_or(0, |data| data.width));
        let untouched = [Draft::digits(), Draft::bars(), Draft::table(width)].contains(&draft);
        let draft = if untouched { suited } else { draft };
        let Some(plan) = draft.plan().or_else(|| self.run.plan.get_untracked()).or_else(|| Draft::default().plan()) else {
            return Ok(());
        };
        self.sets.loading.set(true);
        self.sets.fed.set(true);
        let answer = self.ask(Command::UseData { source, plan, checkpoint: Vec::new() }).await;
        self.take_data(answer, change)
    }

    /// Restores what a reset or a change of data replaced.
    ///
    /// # Errors
    /// As [`Session::ask`].
    pub async fn undo(self) -> Result<(), Failure> {
        self.notices.withdraw(Tone::Undoable);
        let answer = self.ask(Command::Undo).await;
        self.take_data(answer, Change::Undone)
    }

    /// Says that something happened, with a button that undoes it.
    pub(super) fn say_undoable(self, text: impl Into<String>) {
        self.notices.undoable(text, Callback::new(move |()| self.perform(self.undo())));
    }

    /// Gives the worker the chosen data, and the run that an earlier worker had begun, unless it has data already.
    pub(super) async fn use_present_data(self) -> Result<(), Failure> {
        if !self.client.is_ready() || self.sets.fed.get_untracked() {
            return Ok(());
        }
        let choice = self.sets.choice_in_use.get_untracked();
        if let (Some(source), Some(plan)) = (self.source(choice), self.run.plan.get_untracked()) {
            self.sets.loading.set(true);
            self.sets.fed.set(true);
            let latest = if self.run.snapshot.with_untracked(Option::is_some) { self.run.checkpoint.get_value() } else { None };
            let restore = Command::UseData { source, plan, checkpoint: Vec::new() };
            let answer = self.ask_with(restore, latest.as_ref()).await;
            match self.take_data(answer, Change::Restored) {
                Err(Failure::Refused(why)) => self.notices.error(why),
                done => return done,
            }
            // Once more without the run: the data and its settings stay.
            self.run.snapshot.set(None);
            self.run.plan.set(None);
        }
        self.use_data(choice).await
    }

    /// Takes in a run on new data, or on data that have been restored.
    pub(super) fn take_data(self, answer: Result<Event, Failure>, change: Change) -> Result<(), Failure> {
        self.stop_taking();
        let Ok(Event::DataReady(data, run)) = answer else {
            self.sets.choice.set(self.sets.choice_in_use.get_untracked());
            // Until the next worker has the run of a lost one, the page waits for it.
            if !matches!(answer, Err(Failure::Lost(_))) {
                self.sets.loading.set(false);
            }
            return answer.map(|_| ());
        };
        self.sets.data.set(Some(data));
        self.sets.loading.set(false);
        let before = self.run.snapshot.get_untracked();
        let replaces = self.run.metrics.with_untracked(Metrics::begun);
        let (restored, resumed) = (matches!(change, Change::Restored), matches!(change, Change::Resumed));
        let step = if let Change::KeptRun { step, .. } = change { Some(step) } else { None };
        if resumed {
            self.say_undoable(format!("Press Train to continue the opened model’s run from step {}.", run.metrics.step));
        }
        let choice = self.choice_after(change);
        if !(restored || resumed) {
            self.sets.choice_before.set(self.sets.choice_in_use.get_untracked());
        }
        self.sets.choice_in_use.set(choice);
        self.sets.choice.set(choice);
        self.take_run(run);
        match step {
            Some(step) => self.went_on(step, replaces),
            None if restored && before.is_some() => self.run.snapshot.set(before),
            None => self.keep_anew(),
        }
        self.look_for_kept_run();
        Ok(())
    }

    /// What the data select shows after a change; also tells the visitor what was changed.
    fn choice_after(self, change: Change) -> DataChoice {
        match change {
            Change::Uploaded(upload) => {
                let gaps = self.sets.data.with_untracked(|data| data.as_ref().is_some_and(|data| data.missing > 0));
                let next = if gaps && upload.is_table() { "Fill its gaps, or train" } else { "Press Train" };
                self.say_undoable(format!("“{}” is loaded. {next}.", upload.name));
                self.add_upload(upload)
            }
            Change::Chosen(choice) => {
                if self.run.plan.with_untracked(Option::is_some) && choice != self.sets.choice_in_use.get_untracked() {
                    self.say_undoable("The data set has changed. Back to step 0.");
                }
                choice
            }
            Change::KeptRun { upload: Some(upload), .. } => self.add_upload(upload),
            Change::KeptRun { choice, .. } => choice,
            Change::Undone => self.sets.choice_before.get_untracked(),
            Change::Restored | Change::Resumed => self.sets.choice_in_use.get_untracked(),
        }
    }

    /// Adds an upload, replacing any of the same name.
    fn add_upload(self, upload: Upload) -> DataChoice {
        let place = self.sets.uploads.try_update(|uploads| {
            let place = uploads.iter().position(|known| known.name == upload.name).unwrap_or(uploads.len());
            if place == uploads.len() {
                uploads.push(upload);
            } else {
                uploads[place] = upload;
            }
            place
        });
        DataChoice::Upload(place.unwrap_or_default())
    }
}
