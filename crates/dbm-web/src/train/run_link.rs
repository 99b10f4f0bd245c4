//! A run in the address: its data, its settings, and the step it trains to automatically; and the keys of a shared run, with a
//! checksum of its parameters at its last step.

use crate::settings::Draft;
use crate::ui::address::OnShow;
use crate::ui::binding::{Keys, bind};
use crate::worker::session::{DataChoice, PACES, Session, Upload};
use crate::worker::uploads::{MNIST, Uploads};
use dbm_protocol::{Command, Metrics, ModelChoice};
use leptos::prelude::*;

/// Prefix of all keys of this part.
const PREFIX: &str = "t.";

/// How far the requested run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LinkedRun {
    /// Its data are not there yet.
    Waits,
    /// It is training, or was paused on the way.
    Trains,
    /// It has reached its step, and its checksum has been compared.
    Compared,
}

/// The run that an address describes.
#[derive(Clone, Debug, PartialEq)]
struct Goal {
    /// Trained on these data,
    data: &'static str,
    /// with these settings,
    draft: Draft,
    /// for this many steps.
    step: u32,
    /// The expected checksum there, if known.
    sum: String,
    stage: LinkedRun,
}

/// The run of the address: a handle that lives as long as the page.
#[derive(Clone, Copy)]
pub struct RunLink {
    session: Session,
    uploads: Uploads,
    two_runs: RwSignal<bool>,
    /// The run that an address asked for, as long as data and settings still match.
    goal: RwSignal<Option<Goal>>,
}

impl RunLink {
    /// Reads the run of the address, now and whenever it changes, and keeps the address up to date.
    pub fn follow(session: Session) {
        let two_runs = OnShow::of_page().two_runs;
        let uploads = Uploads::of_page();
        let link = Self { session, uploads, two_runs, goal: RwSignal::default() };
        bind(PREFIX, move || Some(link.keys()), move |keys| link.read(keys));
        Effect::new(move |_| {
            session.run.runs.track();
            link.set_off();
        });
        Effect::new(move |_| {
            session.run.metrics.track();
            link.compare();
        });
    }

    fn keys(self) -> Keys {
        let mut keys = Keys::default();
        keys.put_on("two", self.two_runs.get());
        keys.put_unless("speed", &self.session.run.pace.get(), &0);
        let (goal, data) = (self.goal.get(), name_of(self.session, self.session.sets.choice.get()));
        self.session.run.draft.with(|draft| {
            let goal = goal.filter(|goal| goal.data == data && goal.draft == *draft);
            put_run(&mut keys, data, draft, goal.as_ref().map(|goal| (goal.step, &*goal.sum)));
        });
        keys
    }

    fn read(self, keys: &Keys) {
        self.two_runs.set(keys.is_on("two"));
        let pace = keys.parse("speed").filter(|pace| PACES.contains(pace)).unwrap_or(0);
        if pace != self.session.run.pace.get_untracked() {
            self.session.set_pace(pace);
        }
        self.take_up(keys);
    }

    /// Starts the run of the address.
    fn take_up(self, keys: &Keys) {
        let session = self.session;
        let present = name_of(session, session.sets.choice_in_use.get_untracked());
        let named = keys.get("data").unwrap_or("digits");
        let data = ["digits", "bars", "mnist", "own"].into_iter().find(|data| *data == named).unwrap_or_else(|| {
            let text = format!("The address names the data “{named}”; expected digits, bars, mnist or own.");
            session.notices.error(text);
            present
        });
        let draft = Draft::suiting(data).with(keys);
        let plan = draft.plan();
        let sum = keys.get("sum").unwrap_or_default().to_string();
        let asked = keys.get("step").or_else(|| keys.get("go"));
        let step = asked.and_then(|step| step.parse::<u32>().ok());
        match (asked, step) {
            (Some(_), Some(_)) if plan.is_none() => {
                session.notices.error("A setting in the address cannot be used; the form says which.");
            }
            (Some(asked), None) => {
                session.notices.error(format!("The address names step “{asked}”; expected a whole number."));
            }
            _ => {}
        }
        let step = step.filter(|_| plan.is_some() && !self.two_runs.get_untracked());
        self.goal.set(step.map(|step| Goal { data, draft: draft.clone(), step, sum, stage: LinkedRun::Waits }));
        session.run.draft.set(draft);
        if data == "own" && present != "own" {
            let text = "This link is to a run on its author’s own data: to repeat it, load them and open it again.";
            return session.notices.news(text);
        }
        let choice = DataChoice::named(data).unwrap_or_default();
        let here = session.run.plan.get_untracked();
        match here {
            // The worker has no data yet, and gets these first.
            None if present != data && data != "mnist" => {
                session.sets.choice_in_use.set(choice);
                session.sets.choice.set(choice);
            }
            _ if present != data => self.uploads.choose(choice),
            Some(here) if step.is_some() => {
                let begun = session.run.metrics.with_untracked(Metrics::begun);
                if !begun && plan.is_some_and(|plan| plan.same_run(&here)) {
                    self.set_off();
                } else {
                    session.perform(session.reset(false));
                }
            }
            _ => {}
        }
    }

    /// Starts training if the run on the page is the one that the address asked for.
    fn set_off(self) {
        let session = self.session;
        let Some(goal) = self.goal.get_untracked().filter(|goal| goal.stage == LinkedRun::Waits) else { return };
        let stands = session.run.metrics.with_untracked(|metrics| metrics.step);
        let plan = goal.draft.plan();
        let same = session
            .run
            .plan
            .with_untracked(|here| here.as_ref().zip(plan.as_ref()).is_some_and(|(here, plan)| here.same_run(plan)));
        if !same || goal.data != name_of(session, session.sets.choice_in_use.get_untracked()) {
            return;
        }
        let step = goal.step;
        self.goal.set(Some(Goal { stage: LinkedRun::Trains, ..goal }));
        if step > stands {
            session.models.model.set(ModelChoice::Training);
            session.perform(session.go(Command::TrainUntil(step)));
        } else {
            self.compare();
        }
    }

    /// Once a linked run has reached its end, says whether it came out the same.
    fn compare(self) {
        let Some(goal) = self.goal.get_untracked().filter(|goal| goal.stage == LinkedRun::Trains && !goal.sum.is_empty()) else {
            return;
        };
        let at_goal = |metrics: &Metrics| (metrics.step == goal.step).then(|| metrics.checksum.clone());
        let Some(sum) = self.session.run.metrics.with_untracked(at_goal).filter(|sum| !sum.is_empty()) else { return };
        let (notices, step) = (self.session.notices, goal.step);
        if sum == goal.sum {
            notices.news(format!("The same run, bit for bit: checksum {sum} at step {step}."));
        } else {
            notices.error(format!("Not the same run: checksum {sum} at step {step}, expected {}.", goal.sum));
        }
        self.goal.set(Some(Goal { stage: LinkedRun::Compared, ..goal }));
    }
}

/// The address's name for a data set.
fn name_of(session: Session, choice: DataChoice) -> &'static str {
    let DataChoice::Upload(place) = choice else { return choice.name() };
    let is_mnist = |uploads: &Vec<Upload>| uploads.get(place).is_some_and(|upload| upload.name == MNIST);
    if session.sets.uploads.with_untracked(is_mnist) { DataChoice::Mnist.name() } else { choice.name() }
}

/// How to repeat the paused run elsewhere: its keys, and what the visitor should know about them. `None` if it is running or has
/// not begun.
pub fn shared(session: Session) -> Option<(Vec<(String, String)>, String)> {
    let plan = session.run.plan.get_untracked()?;
    let data = name_of(session, session.sets.choice_in_use.get_untracked());
    let (step, sum, on_gpu) =
        session.run.metrics.with_untracked(|metrics| (metrics.step, metrics.checksum.clone(), !metrics.computed_by.is_empty()));
    if step == 0 || sum.is_empty() {
        return None;
    }
    let mut keys = Keys::default();
    // No other machine reproduces what a GPU draws.
    let sum = if on_gpu { String::new() } else { sum };
    put_run(&mut keys, data, &Draft::of(&plan), Some((step, &sum)));
    let own = if data == "own" { " Your data are not in it: whoever opens it loads them first." } else { "" };
    let compares = if on_gpu {
        ", on the processor: part of this run is from the GPU, whose bits are its own"
    } else {
        " and compares the checksum"
    };
    Some((keys.prefixed(PREFIX), format!("it trains to step {step}{compares}.{own}")))
}

/// Writes the keys of a run and of the step it trains to.
fn put_run(keys: &mut Keys, data: &str, draft: &Draft, goal: Option<(u32, &str)>) {
    keys.put_unless("data", &data, &"digits");
    draft.write(keys, &Draft::suiting(data));
    if let Some((step, sum)) = goal {
        keys.put(if sum.is_empty() { "go" } else { "step" }, step);
        keys.put_unless("sum", &sum, &"");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbm_core::settings::Setting;

    #[test]
    fn a_run_has_the_keys_that_bring_it_back() {
        let keys = |data: &str, draft: &Draft, goal| {
            let mut keys = Keys::default();
            put_run(&mut keys, data, draft, goal);
            keys.prefixed(PREFIX).into_iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>()
        };
        let mut draft = Draft::bars();
        draft.set(Setting::Marginalized, "no".into());
        assert_eq!(keys("bars", &draft, Some((70, "00ff"))), ["t.data=bars", "t.marginalized=no", "t.step=70", "t.sum=00ff"]);
        assert!(keys("digits", &Draft::digits(), None).is_empty());
        assert_eq!(keys("own", &Draft::digits(), Some((5, "")))[1], "t.go=5");
    }
}
