//! Has the run kept by a worker of its own, so that it outlives the tab, and offers the one that an earlier visit left.
//!
//! The worker is started when the page has come to rest, to look for a kept run, and otherwise with the first checkpoint. Checkpoints go to it one at
//! a time; while one is being written, only the newest waits.

use crate::actions;
use crate::inbox::Purpose;
use crate::state::{DataChoice, State, Tone, Upload};
use crate::ui::address::{self, View};
use crate::ui::notices::{self, Remedy};
use crate::worker::checkpoint;
use crate::worker::files::FilesLine;
use crate::worker::link;
use dbm_protocol::{Command, FilesCommand, FilesEvent, KeptRun, ModelChoice, Reply};
use leptos::prelude::*;
use std::cell::{Cell, RefCell};
use std::time::Duration;

/// After the first data are there, the page is left alone for so long before a kept run is looked for.
const REST: Duration = Duration::from_millis(1500);
/// After the worker failed, it is tried again no sooner, in milliseconds.
const PAUSE: f64 = 60_000.0;

thread_local! {
    static LINE: FilesLine = FilesLine::new("dbm-keeper");
    static KEEPING: RefCell<Keeping> = RefCell::default();
    static LOOKED: Cell<bool> = const { Cell::new(false) };
}

#[derive(Default)]
struct Keeping {
    /// Which run of this visit is the present one.
    run: u32,
    /// Whether the worker knows it.
    begun: bool,
    /// Whether a checkpoint is being written,
    writing: bool,
    /// and the step of the newest one since.
    waiting: Option<u32>,
    /// Whether a kept run is being taken over: checkpoints of the present one are none of its.
    taking: bool,
    not_before: f64,
    /// The trouble that was told last: each is told once.
    told: String,
    /// Name of the data of the run that was found.
    name: String,
}

/// The page has data: looks for a kept run, once.
pub fn look(state: State) {
    if !LOOKED.replace(true) {
        set_timeout(move || ask(FilesCommand::Find, move |answer| show(state, answer)), REST);
    }
}

/// Another run is on the page.
pub fn anew(state: State) {
    KEEPING.with_borrow_mut(|keeping| {
        keeping.run = keeping.run.wrapping_add(1);
        (keeping.begun, keeping.waiting) = (false, None);
    });
    state.kept.set(None);
}

/// Has the checkpoint just put away kept.
pub fn keep(state: State, step: u32) {
    let now = js_sys::Date::now();
    let run = KEEPING.with_borrow_mut(|keeping| {
        if keeping.taking || now < keeping.not_before {
            return None;
        }
        if keeping.writing {
            keeping.waiting = Some(step);
            return None;
        }
        keeping.writing = true;
        let begun = keeping.begun && LINE.with(FilesLine::is_up);
        keeping.begun = true;
        Some((keeping.run, begun))
    });
    let Some((run, begun)) = run else { return };
    if !begun && let Some(begin) = begin(state) {
        // Its refusal is that of the checkpoint, too.
        ask(begin, |_| ());
    }
    let command = FilesCommand::Keep { step, checkpoint: Vec::new() };
    LINE.with(|line| line.ask(command, checkpoint::latest().as_ref(), move |answer, _| kept(state, run, answer)));
}

/// What the worker needs to know of the present run.
fn begin(state: State) -> Option<FilesCommand> {
    Some(FilesCommand::Begin {
        data: state.data.with_untracked(|data| data.as_ref().map(|data| data.name.clone()))?,
        sizes: state.training.with_untracked(|model| model.as_ref().map(|model| model.sizes.clone()))?,
        source: actions::source(state, state.choice_in_use.get_untracked())?,
        plan: Box::new(state.plan.get_untracked()?),
    })
}

fn kept(state: State, run: u32, answer: Result<Reply<FilesEvent>, String>) {
    let (step, trouble, lost) = match answer {
        Ok(Reply::Answer(FilesEvent::Kept { step, trouble })) => (step, trouble, false),
        Ok(_) => return,
        Err(message) => (None, Some(message), true),
    };
    let (present, next, news) = KEEPING.with_borrow_mut(|keeping| {
        keeping.writing = false;
        let trouble = trouble.unwrap_or_default();
        let news = trouble != keeping.told && !trouble.is_empty();
        keeping.told.clone_from(&trouble);
        if lost {
            // Whatever the worker knew may be gone with it. Another one is tried at once, and after the same trouble later.
            let again = if news && keeping.run == run { state.snapshot.get_untracked() } else { None };
            (keeping.begun, keeping.waiting) = (false, again);
            keeping.not_before = if news { 0.0 } else { js_sys::Date::now() + PAUSE };
        }
        (keeping.run == run, keeping.waiting.take(), news.then_some(trouble))
    });
    if present && !lost {
        state.kept.set(step);
    }
    if let Some(trouble) = news {
        state.say(Tone::Error, trouble);
    }
    if let Some(step) = next {
        keep(state, step);
    }
}

fn show(state: State, answer: Result<Reply<FilesEvent>, String>) {
    match answer {
        Ok(Reply::Answer(FilesEvent::Found { run, note })) => {
            if let Some(note) = note {
                state.say(Tone::News, note);
            }
            if let Some(run) = run {
                let about = named(&run);
                if run.elsewhere {
                    state.say(Tone::News, format!("Another tab has a run open: {about}. Each tab keeps its own."));
                } else {
                    let ago = ago((js_sys::Date::now() - run.written) / 1000.0);
                    let remedies = vec![
                        Remedy { label: "Go on", run: Callback::new(move |()| go_on(state)) },
                        Remedy { label: "Discard", run: Callback::new(move |()| discard(state)) },
                    ];
                    state.notices.offer(format!("A run of {ago} is kept: {about}."), remedies, None);
                    KEEPING.with_borrow_mut(|keeping| keeping.name = run.data);
                }
            }
        }
        Ok(_) => {}
        Err(message) => state.say(Tone::Error, message),
    }
}

/// Goes on with the kept run in place of the present one, which Undo brings back.
pub fn go_on(state: State) {
    KEEPING.with_borrow_mut(|keeping| (keeping.taking, keeping.waiting) = (true, None));
    state.loading.set(true);
    no_offer(state);
    address::go(View::Train);
    let take = move |answer, checkpoint| match answer {
        Ok(Reply::Answer(FilesEvent::Taken { source, plan, step, .. })) => {
            checkpoint::hold_taken(checkpoint);
            // From here on checkpoints go to that run's place: the present one must be begun again if it stays.
            KEEPING.with_borrow_mut(|keeping| keeping.begun = false);
            let known = [DataChoice::Digits, DataChoice::Bars];
            let known = known.into_iter().find(|choice| actions::source(state, *choice).as_ref() == Some(&source));
            let upload = known
                .is_none()
                .then(|| Upload { name: KEEPING.with_borrow(|keeping| keeping.name.clone()), source: source.clone() });
            let command = Command::Restore { source, plan: *plan, checkpoint: Vec::new() };
            link::ask(state, command, Purpose::GoOn { choice: known.unwrap_or_default(), upload, step });
        }
        other => {
            stayed(state);
            state.say(Tone::Error, other.err().unwrap_or_default());
        }
    };
    LINE.with(|line| line.ask(FilesCommand::Take, None, take));
}

/// The kept run is on the page, at this step.
pub fn went_on(state: State, step: u32, undoable: bool) {
    checkpoint::adopt_taken();
    KEEPING.with_borrow_mut(|keeping| (keeping.begun, keeping.taking) = (true, false));
    state.snapshot.set(Some(step));
    state.kept.set(Some(step));
    actions::view_model(state, ModelChoice::Training);
    let tone = if undoable { Tone::Undoable } else { Tone::News };
    state.say(tone, format!("The run stands at step {step} again; press Train to go on."));
}

/// It is not: what was there before still is.
pub fn stayed(state: State) {
    KEEPING.with_borrow_mut(|keeping| keeping.taking = false);
    state.loading.set(false);
}

/// Lets the kept run go; it can be recalled until the notice is closed.
pub fn discard(state: State) {
    ask(FilesCommand::Forget { for_good: false }, move |answer| {
        no_offer(state);
        match answer {
            Ok(_) => {
                let undo = vec![Remedy { label: "Undo", run: Callback::new(move |()| recall(state)) }];
                let close = Callback::new(move |()| close(state));
                state.notices.offer("The kept run was discarded; it is deleted when you close this.", undo, Some(close));
            }
            Err(message) => state.say(Tone::Error, message),
        }
    });
}

/// Takes that back.
pub fn recall(state: State) {
    no_offer(state);
    ask(FilesCommand::Recall, move |answer| show(state, answer));
}

/// The notice about a discarded run is closed: the run is deleted now.
fn close(state: State) {
    ask(FilesCommand::Forget { for_good: true }, move |answer| {
        if let Err(message) = answer {
            state.say(Tone::Error, message);
        }
    });
}

fn no_offer(state: State) {
    state.notices.withdraw(notices::Tone::Offer);
}

fn ask(command: FilesCommand, mut then: impl FnMut(Result<Reply<FilesEvent>, String>) + 'static) {
    LINE.with(|line| line.ask(command, None, move |answer, _| then(answer)));
}

fn named(run: &KeptRun) -> String {
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
        let told = [-5.0, 59.0, 60.0, 179.0, 7200.0, 86_399.0, 86_400.0, 1e7].map(ago);
        assert_eq!(
            told,
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
        assert_eq!(named(&run), "784–800–200 on <b>, step 1234");
    }
}
