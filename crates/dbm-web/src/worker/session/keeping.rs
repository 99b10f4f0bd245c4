//! Keeps the run in a separate worker so that it outlives the tab, and offers the run that an earlier visit left.
//!
//! The worker starts once the page is idle, to look for a kept run, or else with the first checkpoint. Checkpoints go to it one
//! at a time. While one is being written, only the newest waits.

use super::held::{Change, DataChoice, Kept, Session, Upload};
use crate::ui::address::{self, View};
use crate::ui::notices::{Remedy, Tone};
use crate::ui::number::listed;
use crate::worker::client::Failure;
use dbm_protocol::{Command, FilesCommand, FilesEvent, KeptRun, ModelChoice, Snapshot};
use leptos::prelude::*;
use std::time::Duration;

/// After the first data are there, the page waits this long before it looks for a kept run.
const REST: Duration = Duration::from_millis(1500);
/// After the worker failed, milliseconds before it is tried again.
const PAUSE: f64 = 60_000.0;

impl Session {
    /// Once the page has data, looks for a kept run. Does so only once.
    pub(super) fn look_for_kept_run(self) {
        if !std::mem::replace(&mut *self.run.looked.write_value(), true) {
            set_timeout(move || self.perform(self.offer(FilesCommand::Find)), REST);
        }
    }

    /// Neither looks for a kept run nor keeps this one: a view embedded in another page leaves the visitor's own run alone.
    pub fn keep_nothing(self) {
        self.run.looked.set_value(true);
        self.run.keeping.write_value().not_before = f64::INFINITY;
    }

    /// Stops taking over a kept run.
    pub(super) fn stop_taking(self) {
        self.run.keeping.write_value().taking = false;
    }

    /// Begins to keep another run, which is now on the page.
    pub(super) fn keep_anew(self) {
        self.run.keeping.update_value(|keeping| {
            keeping.run = keeping.run.wrapping_add(1);
            (keeping.begun, keeping.waiting) = (false, None);
        });
        self.run.kept.set(Kept::NotYet);
    }

    /// Keeps the latest checkpoint, which is of this step.
    pub(super) fn keep(self, step: u32) {
        let mut keeping = self.run.keeping.write_value();
        if keeping.taking || js_sys::Date::now() < keeping.not_before {
            return;
        }
        keeping.waiting = Some(step);
        if !std::mem::replace(&mut keeping.writing, true) {
            leptos::task::spawn_local(async move {
                while let Some(step) = self.next_to_write() {
                    self.write(step).await;
                }
                self.run.keeping.write_value().writing = false;
            });
        }
    }

    fn next_to_write(self) -> Option<u32> {
        self.run.keeping.write_value().waiting.take()
    }

    async fn write(self, step: u32) {
        let run = self.run.keeping.with_value(|keeping| keeping.run);
        let begun = std::mem::replace(&mut self.run.keeping.write_value().begun, true) && self.keeper.is_up();
        if !begun && let Some(begin) = self.run_to_keep() {
            // If it is refused, the checkpoint is refused too.
            drop(self.keeper.ask(begin));
        }
        let command = FilesCommand::Keep(Snapshot { step, checkpoint: Vec::new() });
        let answer = self.keeper.ask_with(command, self.run.checkpoint.get_value().as_ref(), None).await;
        let (step, trouble, lost) = match answer {
            Ok(FilesEvent::Kept { step, trouble }) => (step, trouble.unwrap_or_default(), false),
            Ok(_) => return,
            Err(failure) => (None, failure.to_string(), true),
        };
        let mut keeping = self.run.keeping.write_value();
        let (present, news) = (keeping.run == run, trouble != keeping.message && !trouble.is_empty());
        keeping.message.clone_from(&trouble);
        if lost {
            // The worker may be gone, along with everything it knew. Another one is tried at once, or later if the trouble is the
            // same.
            let again = if news && present { self.run.snapshot.get_untracked() } else { None };
            (keeping.begun, keeping.waiting) = (false, again);
            keeping.not_before = if news { 0.0 } else { js_sys::Date::now() + PAUSE };
        }
        drop(keeping);
        if present {
            match step {
                Some(step) => self.run.kept.set(Kept::At(step)),
                // What an earlier worker has stored is still there.
                None if lost && matches!(self.run.kept.get_untracked(), Kept::At(_)) => {}
                None => self.run.kept.set(Kept::Refused),
            }
        }
        if news {
            self.notices.error(trouble);
        }
    }

    /// What the worker needs to know about the present run.
    fn run_to_keep(self) -> Option<FilesCommand> {
        Some(FilesCommand::Begin {
            data: self.sets.data.with_untracked(|data| data.as_ref().map(|data| data.name.clone()))?,
            sizes: self.models.training.with_untracked(|model| model.as_ref().map(|model| model.sizes.clone()))?,
            source: self.source(self.sets.choice_in_use.get_untracked())?,
            plan: Box::new(self.run.plan.get_untracked()?),
        })
    }

    /// Offers the run found by looking for it or by recalling it.
    async fn offer(self, find: FilesCommand) -> Result<(), Failure> {
        let FilesEvent::Found { run, note } = self.keeper.ask(find).await? else { return Ok(()) };
        if let Some(note) = note {
            self.notices.news(note);
        }
        let Some(run) = run else { return Ok(()) };
        let about = describe(&run);
        if run.elsewhere {
            self.notices.news(format!("Another tab has a run open: {about}. Each tab keeps its own."));
            return Ok(());
        }
        let ago = ago((js_sys::Date::now() - run.written) / 1000.0);
        self.run.keeping.write_value().name = run.data;
        let remedies = vec![
            Remedy { label: "Resume", run: Callback::new(move |()| self.perform(self.go_on())) },
            Remedy { label: "Discard", run: Callback::new(move |()| self.perform(self.discard())) },
        ];
        self.notices.offer(format!("Your last run was saved {ago}: {about}."), remedies, None);
        Ok(())
    }

    /// Resumes the kept run instead of the present one, which Undo restores.
    async fn go_on(self) -> Result<(), Failure> {
        self.run.keeping.update_value(|keeping| (keeping.taking, keeping.waiting) = (true, None));
        self.sets.loading.set(true);
        self.notices.withdraw(Tone::Offer);
        address::go(View::Train);
        let (source, plan, step, bytes) = match self.keeper.ask(FilesCommand::Take).with_bulk().await {
            Ok((FilesEvent::Taken { source, plan, snapshot }, bytes)) => (source, plan, snapshot.step, bytes),
            other => {
                self.stop_taking();
                self.sets.loading.set(false);
                return other.map(|_| ());
            }
        };
        // From here on, checkpoints go to that run's place: if the present run stays, it must be begun again.
        self.run.keeping.write_value().begun = false;
        let known =
            [DataChoice::Digits, DataChoice::Bars].into_iter().find(|choice| self.source(*choice).as_ref() == Some(&source));
        let name = self.run.keeping.with_value(|keeping| keeping.name.clone());
        let upload = known.is_none().then(|| Upload { name, source: source.clone() });
        let command = Command::UseData { source, plan: *plan, checkpoint: Vec::new() };
        let answer = self.ask_with(command, bytes.as_ref()).await;
        if answer.is_ok() && bytes.is_some() {
            self.run.checkpoint.set_value(bytes);
        }
        let change = Change::KeptRun { choice: known.unwrap_or_default(), upload, step };
        self.take_data(answer, change).map_err(|failure| match failure {
            Failure::Refused(why) => Failure::Refused(format!("The saved run can’t be resumed: {why}. It is still saved.")),
            other => other,
        })
    }

    /// Records that the kept run is on the page, at this step, and tells the visitor.
    pub(super) fn went_on(self, step: u32, undoable: bool) {
        self.run.keeping.write_value().begun = true;
        self.run.snapshot.set(Some(step));
        self.run.kept.set(Kept::At(step));
        self.models.model.set(ModelChoice::Training);
        let text = format!("The run is back at step {step}; press Train to continue.");
        if undoable { self.say_undoable(text) } else { self.notices.news(text) }
    }

    /// Discards the kept run; it can be recalled until the notice is closed.
    async fn discard(self) -> Result<(), Failure> {
        let answer = self.keeper.ask(FilesCommand::Forget { for_good: false }).await;
        self.notices.withdraw(Tone::Offer);
        answer?;
        let recall = move |()| {
            self.notices.withdraw(Tone::Offer);
            self.perform(self.offer(FilesCommand::Recall));
        };
        let delete = move || async move { self.keeper.ask(FilesCommand::Forget { for_good: true }).await.map(|_| ()) };
        let undo = vec![Remedy { label: "Undo", run: Callback::new(recall) }];
        let close = Callback::new(move |()| self.perform(delete()));
        self.notices.offer("The saved run was discarded; it is deleted when you close this.", undo, Some(close));
        Ok(())
    }
}

fn describe(run: &KeptRun) -> String {
    format!("{} on {}, step {}", listed(&run.sizes, "–"), run.data, run.step)
}

/// How long ago, in the largest unit that is not too coarse.
fn ago(seconds: f64) -> String {
    let units = [(86_400.0, "day"), (3600.0, "hour"), (60.0, "minute")];
    let fits = units.into_iter().find_map(|(length, unit)| {
        let count = (seconds / length).floor();
        (count >= 1.0).then(|| format!("{count} {unit}{} ago", if count > 1.0 { "s" } else { "" }))
    });
    fits.unwrap_or_else(|| "a moment ago".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_run_is_told_in_words() {
        let words = [-5.0, 59.0, 60.0, 179.0, 7200.0, 86_399.0, 86_400.0, 1e7].map(ago);
        assert_eq!(
            words,
            [
                "a moment ago",
                "a moment ago",
                "1 minute ago",
                "2 minutes ago",
                "2 hours ago",
                "23 hours ago",
                "1 day ago",
                "115 days ago"
            ]
        );
        let run = KeptRun { data: "<b>".into(), sizes: vec![784, 800, 200], step: 1234, written: 0.0, elsewhere: false };
        assert_eq!(describe(&run), "784–800–200 on <b>, step 1234");
    }
}
