//! Both runs: what they begin with, and how they train in lockstep.

use super::run::{ComparedRun, RunState};
use super::setup::{Setup, for_data};
use crate::settings::{Draft, ForData};
use crate::ui::address;
use crate::ui::binding::{self, Keys};
use crate::worker::session::{DataChoice, Session};
use crate::worker::uploads::MNIST;
use dbm_core::settings::RunPlan;
use dbm_protocol::DataSource;
use futures_util::future::join;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::ops::Deref;
use std::sync::Arc;

/// A round takes the slower run about this many seconds. At its end a worker evaluates the model, draws samples and writes a
/// checkpoint; this should take only a small part of the time.
const ROUND_SECONDS: f64 = 2.5;
/// Steps of the first round, when the duration of a step is still unknown.
const FIRST: u32 = 5;
/// Steps of the longest round, so that runs of the smallest models can still be compared on the way.
const LONGEST: u32 = 500;

/// What both runs are doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Goal {
    /// Both are at rest.
    #[default]
    Rest,
    /// Both train to this step, in rounds.
    Train(u32),
    /// Both go to this step, each at its own speed.
    Level(u32),
    /// Both have been asked to pause; then, if wanted, the one behind catches up with the other.
    Pause(bool),
}

/// The two runs: a handle that lives as long as the page.
#[derive(Clone, Copy)]
pub struct Pair(&'static PairInner);

impl Deref for Pair {
    type Target = PairInner;

    fn deref(&self) -> &PairInner {
        self.0
    }
}

/// What is known about both runs.
pub struct PairInner {
    /// What the page's own computing worker holds: the two runs may use its data as well.
    session: Session,
    /// Runs A and B.
    pub runs: [ComparedRun; 2],
    /// What both are doing.
    pub goal: RwSignal<Goal>,
    /// The comparison, as the address describes it.
    pub setup: RwSignal<Setup>,
    /// An invalid text typed as the step to train to.
    pub typed: RwSignal<Option<String>>,
    /// The keys of Train's form in the address.
    form: RwSignal<Keys>,
    /// The data of both runs, once known.
    pub data: RwSignal<Option<Arc<DataSource>>>,
    /// What is known about the data, or is likely before they are there.
    pub for_data: Memo<ForData>,
    /// The settings of run A.
    pub base: Memo<Draft>,
    /// The settings of run B.
    pub other: Memo<Draft>,
    /// The plans that the present runs began with.
    begun: RwSignal<Option<[RunPlan; 2]>>,
    /// The data that the workers have.
    given: StoredValue<Option<Arc<DataSource>>>,
    /// Whether the two runs are on view, or were when another view was opened.
    open: StoredValue<bool>,
    /// Whether to train as soon as the data are known.
    due: StoredValue<bool>,
    /// Counts how often both runs were begun or ended: results that an earlier task awaited are dropped.
    number: StoredValue<u32>,
    /// Whether a task is working towards the goal.
    working: StoredValue<bool>,
}

impl Pair {
    /// The comparison that the address describes; no run has begun yet.
    pub fn new() -> Self {
        let setup = RwSignal::new(Setup::read(&Keys::now("x.")));
        let form = RwSignal::new(Keys::now("t."));
        let data = RwSignal::new(None::<Arc<DataSource>>);
        let likely =
            move || form.with(|form| ForData { visible: if named(form) == "bars" { 16 } else { 784 }, is_picture: true });
        let for_data = Memo::new(move |_| data.with(|data| data.as_deref().map_or_else(likely, for_data)));
        let base = Memo::new(move |_| {
            setup.with(|setup| form.with(|form| setup.base(Draft::suiting(named(form)), form, for_data.get())))
        });
        let other = Memo::new(move |_| setup.with(|setup| setup.other(&base.get(), for_data.get())));
        Self(Box::leak(Box::new(PairInner {
            session: Session::of_page(),
            runs: [ComparedRun::new(), ComparedRun::new()],
            goal: RwSignal::default(),
            setup,
            typed: RwSignal::new(None),
            form,
            data,
            for_data,
            base,
            other,
            begun: RwSignal::new(None),
            given: StoredValue::default(),
            open: StoredValue::new(false),
            due: StoredValue::new(false),
            number: StoredValue::default(),
            working: StoredValue::default(),
        })))
    }

    /// The address's name for the data.
    pub fn data_name(self) -> String {
        self.form.with(|form| named(form).to_string())
    }

    /// Changes to other data, with the same seed and the same comparison.
    pub fn use_data(self, name: &str) {
        let train = [("two", "yes"), ("data", name)].map(|(key, value)| (key.to_string(), value.to_string()));
        let seed = self.form.with_untracked(|form| form.get("seed").map(|seed| ("seed".to_string(), seed.to_string())));
        let mut pairs = vec![("view".into(), "train".into())];
        pairs.extend(train.into_iter().chain(seed).collect::<Keys>().prefixed("t."));
        pairs.extend(Setup { go: false, ..self.setup.get_untracked() }.keys().prefixed("x."));
        address::replace_all(&address::fragment(&pairs));
    }

    /// Follows the address and the data in use from now on.
    pub fn follow(self) {
        binding::bind(
            "x.",
            move || Some(self.setup.with(Setup::keys)),
            move |keys| {
                let setup = Setup::read(keys);
                self.due.set_value(setup.go);
                self.setup.set(setup);
                self.begin_if_due();
            },
        );
        Effect::new(move |_| {
            let _ = (self.session.sets.choice_in_use.get(), self.session.sets.uploads.track());
            untrack(|| self.look_for_data());
        });
        self.take_form();
        address::follow(move || self.take_form());
    }

    /// Reads the address's part for Train: whether two runs are on view, their data, and the form.
    fn take_form(self) {
        let form = Keys::now("t.");
        if !form.is_on("two") {
            if self.open.get_value() {
                self.close();
            }
            return;
        }
        let opens = !self.open.get_value();
        self.open.set_value(true);
        let moved = opens || self.form.with_untracked(|before| named(before) != named(&form));
        if self.form.with_untracked(|before| *before != form) {
            self.form.set(form);
        }
        if moved {
            // If an address gives a step to train to, it means on the data that it names.
            self.due.set_value(self.setup.with_untracked(|setup| setup.go));
            self.data.set(None);
            self.look_for_data();
        }
        self.begin_if_due();
    }

    /// Finds the training data: by their name in the address, or the data in use, once these are what the address names.
    fn look_for_data(self) {
        let session = self.session;
        let in_use = session.source(session.sets.choice_in_use.get_untracked());
        let found = self.form.with_untracked(|form| {
            let name = named(form);
            let fits =
                |source: &DataSource| matches!(source, DataSource::Examples(data) if name != "mnist" || data.name == MNIST);
            DataChoice::named(name).and_then(|choice| session.source(choice)).or(in_use.filter(fits))
        });
        if let Some(source) = found.filter(|_| self.open.get_value()) {
            if self.data.with_untracked(|data| data.as_deref() != Some(&source)) {
                self.data.set(Some(Arc::new(source)));
            }
            self.begin_if_due();
        }
    }

    fn begin_if_due(self) {
        if self.due.get_value() && self.open.get_value() && self.data.with_untracked(Option::is_some) {
            self.due.set_value(false);
            let target = self.setup.with_untracked(|setup| setup.target);
            self.begin(Goal::Train(target));
        }
    }

    /// The plans that the settings describe; `None` while one of them makes no sense.
    pub fn plans(self) -> Option<[RunPlan; 2]> {
        Some([self.base.with(Draft::plan)?, self.other.with(Draft::plan)?])
    }

    /// Whether the present runs differ from what the settings describe.
    pub fn has_changed(self) -> bool {
        let (plans, data) = (self.plans(), self.data.get());
        self.begun.with(|begun| match (begun, &plans) {
            (Some(begun), Some(plans)) => {
                let same = begun.iter().zip(plans).all(|(a, b)| a.same_run(b));
                !same || !self.has_been_given(data.as_ref())
            }
            (begun, _) => begun.is_some(),
        })
    }

    fn has_been_given(self, data: Option<&Arc<DataSource>>) -> bool {
        self.given.with_value(|given| given.as_ref().zip(data).is_some_and(|(given, data)| Arc::ptr_eq(given, data)))
    }

    /// Whether the runs have begun.
    pub fn has_begun(self) -> bool {
        self.begun.with(Option::is_some)
    }

    /// Begins both runs at step 0, and then works towards a goal. Does nothing while data or settings are missing.
    fn begin(self, goal: Goal) {
        self.goal.set(Goal::Rest);
        let (Some(plans), Some(data)) = (untrack(|| self.plans()), self.data.get_untracked()) else { return };
        let known = self.has_been_given(Some(&data));
        self.begun.set(Some(plans.clone()));
        self.given.set_value(Some(data.clone()));
        self.goal.set(goal);
        let number = self.next_number();
        self.working.set_value(true);
        let begin = |place: usize| {
            let (run, plan) = (self.runs[place], plans[place].clone());
            let source = (!known || !run.has_worker()).then(|| (*data).clone());
            async move {
                if !run.begin(source, plan).await && self.number.get_value() == number {
                    self.goal.set(Goal::Rest);
                }
            }
        };
        let both = join(begin(0), begin(1));
        spawn_local(async move {
            both.await;
            if self.number.get_value() == number {
                self.reach(number).await;
            }
        });
    }

    fn next_number(self) -> u32 {
        self.number.update_value(|number| *number = number.wrapping_add(1));
        self.number.get_value()
    }

    /// Ends both workers.
    fn end(self) {
        self.next_number();
        self.working.set_value(false);
        self.goal.set(Goal::Rest);
        for run in self.runs {
            run.end();
        }
    }

    /// Ends the workers of the two runs, which are no longer on view.
    fn close(self) {
        self.open.set_value(false);
        self.due.set_value(false);
        self.begun.set(None);
        self.given.set_value(None);
        self.end();
    }

    /// Begins again with new workers after one was lost.
    pub fn begin_again(self) {
        let setup = self.setup.get_untracked();
        self.end();
        self.begin(if setup.go { Goal::Train(setup.target) } else { Goal::Rest });
    }

    /// Trains both to the target.
    pub fn train(self) {
        // Runs that began with other settings are not what the address describes.
        if self.is_ready() && !untrack(|| self.has_changed()) {
            self.setup.update(|setup| setup.go = true);
        }
        self.go_for(Goal::Train(self.setup.with_untracked(|setup| setup.target)));
    }

    /// Both take one step, or the one behind catches up.
    pub fn step(self) {
        let [a, b] = if self.is_ready() { self.runs.map(ComparedRun::step) } else { [0, 0] };
        self.go_for(Goal::Level(if a == b { a + 1 } else { a.max(b) }));
    }

    /// Whether both runs exist and either match the settings or have been trained.
    fn is_ready(self) -> bool {
        let untrained = |run: &ComparedRun| run.step() == 0 && run.metrics.with_untracked(|metrics| !metrics.begun());
        let there = self.runs.iter().all(|run| run.state.get_untracked() != RunState::Absent);
        there && !(self.runs.iter().all(untrained) && untrack(|| self.has_changed()))
    }

    fn go_for(self, goal: Goal) {
        if !self.is_ready() {
            return self.begin(goal);
        }
        self.goal.set(goal);
        if !self.working.get_value() {
            self.working.set_value(true);
            let number = self.number.get_value();
            spawn_local(self.reach(number));
        }
    }

    /// Takes both runs to the goal, which may change meanwhile. Ends when they rest, or when another task has taken over.
    async fn reach(self, number: u32) {
        while let Some(step) = self.next_step() {
            let train = |place: usize| async move {
                if !self.runs[place].train_to(step).await && self.number.get_value() == number {
                    self.goal.set(Goal::Rest);
                    self.runs[1 - place].pause();
                }
            };
            join(train(0), train(1)).await;
            if self.number.get_value() != number {
                return;
            }
        }
        self.goal.set(Goal::Rest);
        self.working.set_value(false);
    }

    /// The next step at which both rest; `None` if they have reached the goal.
    fn next_step(self) -> Option<u32> {
        let [a, b] = self.runs.map(ComparedRun::step);
        let farther = a.max(b);
        match self.goal.get_untracked() {
            Goal::Train(target) if a.min(b) < target => Some(if a == b {
                let steps = round_steps(self.runs.map(|run| run.seconds_a_round.get_value()));
                a.saturating_add(steps).min(target)
            } else {
                farther
            }),
            Goal::Level(step) if a.min(b) < step => Some(step),
            Goal::Pause(true) if a != b => {
                self.goal.set(Goal::Level(farther));
                Some(farther)
            }
            _ => None,
        }
    }

    /// Pauses both at the same step; on a second call, wherever they are.
    pub fn pause(self) {
        let level = !matches!(self.goal.get_untracked(), Goal::Level(_) | Goal::Pause(_));
        self.goal.set(Goal::Pause(level));
        for run in self.runs {
            run.pause();
        }
    }

    /// Returns to step 0 of the same seed, with the settings of the form.
    pub fn rewind(self) {
        // The visitor may have other data in use by now.
        self.look_for_data();
        self.setup.update(|setup| setup.go = false);
        self.begin(Goal::Rest);
    }

    /// Begins and trains another comparison of the list.
    pub fn choose(self, setup: Setup) {
        self.due.set_value(setup.go);
        self.setup.set(setup);
        self.begin_if_due();
    }
}

/// The form's name for the data.
fn named(form: &Keys) -> &str {
    form.get("data").unwrap_or("digits")
}

/// Steps of the next round, from each run's seconds per step, if known.
fn round_steps(seconds: [Option<f64>; 2]) -> u32 {
    let [Some(a), Some(b)] = seconds else { return FIRST };
    round_number((ROUND_SECONDS / a.max(b).max(f64::MIN_POSITIVE)).clamp(1.0, f64::from(LONGEST)) as u32)
}

/// The largest of 1, 2 and 5 times a power of ten that is at most `steps`.
fn round_number(steps: u32) -> u32 {
    let power = 10_u32.pow(steps.max(1).ilog10());
    [5, 2, 1].into_iter().map(|digit| digit * power).find(|&round| round <= steps).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_round() {
        assert_eq!([0, 1, 2, 4, 7, 19, 20, 99, 500].map(round_number), [1, 1, 2, 2, 5, 10, 20, 50, 500]);
    }

    #[test]
    fn the_slower_run_says_how_long_a_round_is() {
        assert_eq!(round_steps([None, Some(1.0)]), FIRST);
        assert_eq!(round_steps([Some(0.01), Some(0.1)]), 20);
        assert_eq!(round_steps([Some(100.0), Some(0.1)]), 1);
        assert_eq!(round_steps([Some(0.0), Some(1e-9)]), LONGEST);
    }
}
