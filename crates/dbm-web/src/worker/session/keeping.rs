//! Has the run kept by a worker of its own, so that it outlives the tab, and offers the one that an earlier visit left.
//!
//! The worker is started when the page has come to rest, to look for a kept run, and otherwise with the first checkpoint. Checkpoints go to it one at
//! a time; while one is being written, only the newest waits.

use super::change::Change;
use super::checkpoint;
use super::held::{DataChoice, Session, Upload};
use crate::ui::address::{self, View};
use crate::ui::notices::{Remedy, Tone};
use crate::worker::client::{Client, Failure};
use crate::worker::files;
use dbm_protocol::{Command, Files, FilesCommand, FilesEvent, KeptRun, ModelChoice};
use leptos::prelude::*;
use std::cell::{Cell, RefCell};
use std::time::Duration;

/// After the first data are there, the page is left alone for so long before a kept run is looked for.
const REST: Duration = Duration::from_millis(1500);
/// After the worker failed, it is tried again no sooner, in milliseconds.
const PAUSE: f64 = 60_000.0;

thread_local! {
    static KEEPER: Client<Files> = Client::new("dbm-keeper");
    static KEEPING: RefCell<Keeping> = RefCell::default();
    static LOOKED: Cell<bool> = const { Cell::new(false) };
}

#[derive(Default)]
struct Keeping {
    /// Which run of this visit is the present one.
    run: u32,
    /// Whether the worker knows it.
    begun: bool,
    /// Whether checkpoints are being written,
    writing: bool,
    /// and the step of the newest one that is to be.
    waiting: Option<u32>,
    /// Whether a kept run is being taken over: checkpoints of the present one are none of its.
    taking: bool,
    not_before: f64,
    /// The trouble that was told last: each is told once.
    told: String,
    /// Name of the data of the run that was found.
    name: String,
}

/// No kept run is being taken over any more.
pub(super) fn stop_taking() {
    KEEPING.with_borrow_mut(|keeping| keeping.taking = false);
}

fn keeper() -> Client<Files> {
    KEEPER.with(|keeper| *keeper)
}

impl Session {
    /// The page has data: looks for a kept run, once.
    pub(super) fn look_for_kept_run(self) {
        if !LOOKED.replace(true) {
            set_timeout(
                move || leptos::task::spawn_local(async move { self.offer(keeper().ask(FilesCommand::Find).await) }),
                REST,
            );
        }
    }

    /// Another run is on the page.
    pub(super) fn keep_anew(self) {
        KEEPING.with_borrow_mut(|keeping| {
            keeping.run = keeping.run.wrapping_add(1);
            (keeping.begun, keeping.waiting) = (false, None);
        });
        self.kept.set(None);
    }

    /// Has the latest checkpoint kept, which is of this step.
    pub(super) fn keep(self, step: u32) {
        let begins = KEEPING.with_borrow_mut(|keeping| {
            if keeping.taking || js_sys::Date::now() < keeping.not_before {
                return false;
            }
            keeping.waiting = Some(step);
            !std::mem::replace(&mut keeping.writing, true)
        });
        if begins {
            leptos::task::spawn_local(async move {
                while let Some(step) = KEEPING.with_borrow_mut(|keeping| keeping.waiting.take()) {
                    self.write(step).await;
                }
                KEEPING.with_borrow_mut(|keeping| keeping.writing = false);
            });
        }
    }

    async fn write(self, step: u32) {
        let (run, begun) = KEEPING.with_borrow_mut(|keeping| {
            let begun = keeping.begun && keeper().is_up();
            keeping.begun = true;
            (keeping.run, begun)
        });
        if !begun && let Some(begin) = self.run_to_keep() {
            // Its refusal is that of the checkpoint, too.
            drop(keeper().ask(begin));
        }
        let command = FilesCommand::Keep { step, checkpoint: Vec::new() };
        let answer = keeper().ask_with(command, checkpoint::latest().as_ref(), None).await;
        let (step, trouble, lost) = match answer {
            Ok(FilesEvent::Kept { step, trouble }) => (step, trouble.unwrap_or_default(), false),
            Ok(_) => return,
            Err(failure) => (None, files::words(&failure).unwrap_or_default(), true),
        };
        let (present, news) = KEEPING.with_borrow_mut(|keeping| {
            let news = trouble != keeping.told && !trouble.is_empty();
            keeping.told.clone_from(&trouble);
            if lost {
                // Whatever the worker knew may be gone with it. Another one is tried at once, and after the same trouble later.
                let again = if news && keeping.run == run { self.snapshot.get_untracked() } else { None };
                (keeping.begun, keeping.waiting) = (false, again);
                keeping.not_before = if news { 0.0 } else { js_sys::Date::now() + PAUSE };
            }
            (keeping.run == run, news)
        });
        if present && !lost {
            self.kept.set(step);
        }
        if news {
            self.notices.error(trouble);
        }
    }

    /// What the worker needs to know of the present run.
    fn run_to_keep(self) -> Option<FilesCommand> {
        Some(FilesCommand::Begin {
            data: self.data.with_untracked(|data| data.as_ref().map(|data| data.name.clone()))?,
            sizes: self.training.with_untracked(|model| model.as_ref().map(|model| model.sizes.clone()))?,
            source: self.source(self.choice_in_use.get_untracked())?,
            plan: Box::new(self.plan.get_untracked()?),
        })
    }

    /// Offers the run that was found.
    fn offer(self, found: Result<FilesEvent, Failure>) {
        let (run, note) = match found {
            Ok(FilesEvent::Found { run, note }) => (run, note),
            Ok(_) => return,
            Err(failure) => return files::tell(self.notices, &failure),
        };
        if let Some(note) = note {
            self.notices.news(note);
        }
        let Some(run) = run else { return };
        let about = describe(&run);
        if run.elsewhere {
            return self.notices.news(format!("Another tab has a run open: {about}. Each tab keeps its own."));
        }
        let ago = ago((js_sys::Date::now() - run.written) / 1000.0);
        KEEPING.with_borrow_mut(|keeping| keeping.name = run.data);
        let remedies = vec![
            Remedy { label: "Go on", run: Callback::new(move |()| self.perform(self.go_on())) },
            Remedy { label: "Discard", run: Callback::new(move |()| leptos::task::spawn_local(self.discard())) },
        ];
        self.notices.offer(format!("A run of {ago} is kept: {about}."), remedies, None);
    }

    /// Goes on with the kept run in place of the present one, which Undo brings back.
    async fn go_on(self) -> Result<(), Failure> {
        KEEPING.with_borrow_mut(|keeping| (keeping.taking, keeping.waiting) = (true, None));
        self.loading.set(true);
        self.notices.withdraw(Tone::Offer);
        address::go(View::Train);
        let (source, plan, step, bytes) = match keeper().ask(FilesCommand::Take).with_bulk().await {
            Ok((FilesEvent::Taken { source, plan, step, .. }, bytes)) => (source, plan, step, bytes),
            other => {
                stop_taking();
                self.loading.set(false);
                if let Err(failure) = other {
                    files::tell(self.notices, &failure);
                }
                return Ok(());
            }
        };
        // From here on checkpoints go to that run's place: the present one must be begun again if it stays.
        KEEPING.with_borrow_mut(|keeping| keeping.begun = false);
        let known =
            [DataChoice::Digits, DataChoice::Bars].into_iter().find(|choice| self.source(*choice).as_ref() == Some(&source));
        let name = KEEPING.with_borrow(|keeping| keeping.name.clone());
        let upload = known.is_none().then(|| Upload { name, source: source.clone() });
        let command = Command::Restore { source, plan: *plan, checkpoint: Vec::new() };
        let answer = self.ask_with(command, bytes.as_ref()).await;
        if let (Ok(_), Some(bytes)) = (&answer, bytes) {
            checkpoint::keep(bytes);
        }
        let change = Change::KeptRun { choice: known.unwrap_or_default(), upload, step };
        self.take_data(answer, change).map_err(|failure| match failure {
            Failure::Refused(why) => Failure::Refused(format!("The kept run cannot be gone on with: {why}. It stays kept.")),
            other => other,
        })
    }

    /// The kept run is on the page, at this step.
    pub(super) fn went_on(self, step: u32, undoable: bool) {
        KEEPING.with_borrow_mut(|keeping| keeping.begun = true);
        self.snapshot.set(Some(step));
        self.kept.set(Some(step));
        self.model.set(ModelChoice::Training);
        let text = format!("The run stands at step {step} again; press Train to go on.");
        if undoable { self.say_undoable(text) } else { self.notices.news(text) }
    }

    /// Lets the kept run go; it can be recalled until the notice is closed.
    async fn discard(self) {
        let answer = keeper().ask(FilesCommand::Forget { for_good: false }).await;
        self.notices.withdraw(Tone::Offer);
        if let Err(failure) = answer {
            return files::tell(self.notices, &failure);
        }
        let undo = vec![Remedy { label: "Undo", run: Callback::new(move |()| leptos::task::spawn_local(self.recall())) }];
        let close = Callback::new(move |()| leptos::task::spawn_local(self.delete()));
        self.notices.offer("The kept run was discarded; it is deleted when you close this.", undo, Some(close));
    }

    /// Takes that back.
    async fn recall(self) {
        self.notices.withdraw(Tone::Offer);
        self.offer(keeper().ask(FilesCommand::Recall).await);
    }

    /// Deletes the discarded run.
    async fn delete(self) {
        if let Err(failure) = keeper().ask(FilesCommand::Forget { for_good: true }).await {
            files::tell(self.notices, &failure);
        }
    }
}

fn describe(run: &KeptRun) -> String {
    let sizes: Vec<String> = run.sizes.iter().map(ToString::to_string).collect();
    format!("{} on {}, step {}", sizes.join("–"), run.data, run.step)
}

/// How long ago, by the largest unit that is not too coarse.
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
