//! Both runs: what they are begun with, and how they go in step.

use super::lane::{Change, Lane, Standing};
use super::line::Heard;
use super::pace::Pace;
use super::setup::{Setup, keys, visible};
use crate::ui::address;
use crate::worker::session::{Draft, Session, same_run};
use crate::worker::uploads;
use dbm_protocol::{DataSource, RunPlan};
use leptos::prelude::*;
use std::ops::Deref;
use std::sync::Arc;

/// The lab's generated digits.
const DIGITS: DataSource = DataSource::Digits { count: 10_000, seed: 1 };

/// What is being done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Nothing.
    #[default]
    Rest,
    /// Both go to this step, in rounds.
    Train(u32),
    /// Both come to this step, each by itself.
    Level(u32),
    /// Both are asked to pause; then, if wanted, the one behind comes to where the other is.
    Pause(bool),
}

/// The two runs: a handle, as long-lived as the page.
#[derive(Clone, Copy)]
pub struct Pair(&'static Runs);

impl Deref for Pair {
    type Target = Runs;

    fn deref(&self) -> &Runs {
        self.0
    }
}

/// What is known of both.
pub struct Runs {
    /// The lab, whose data the two runs may be on.
    lab: Session,
    /// Runs A and B.
    pub lanes: [Lane; 2],
    /// What is being done.
    pub mode: RwSignal<Mode>,
    /// What the address says.
    pub setup: RwSignal<Setup>,
    /// What was typed for the step to train to, and cannot be one.
    pub typed: RwSignal<Option<String>>,
    /// The Train form's keys in it.
    form: RwSignal<Vec<(String, String)>>,
    /// What both are trained on, once it is known.
    pub data: RwSignal<Option<Arc<DataSource>>>,
    /// The settings of run A.
    pub base: Memo<Draft>,
    /// The settings of run B.
    pub other: Memo<Draft>,
    /// What the runs that are there were begun with.
    begun: RwSignal<Option<[RunPlan; 2]>>,
    /// The data that the workers have.
    given: StoredValue<Option<Arc<DataSource>>>,
    pace: StoredValue<Pace>,
    /// Whether the two runs are on view, or were when another view was opened.
    open: StoredValue<bool>,
    /// Whether to train as soon as the data are known.
    due: StoredValue<bool>,
}

impl Pair {
    /// As the address says; nothing is begun yet.
    pub fn new() -> Self {
        let setup = RwSignal::new(Setup::now());
        let form = RwSignal::new(keys("t."));
        let data = RwSignal::new(None::<Arc<DataSource>>);
        let units = move || data.with(|data| form.with(|form| visible(data.as_deref().unwrap_or(named(word(form))))));
        let base =
            Memo::new(move |_| setup.with(|setup| form.with(|form| setup.base(Draft::suiting(word(form)), form, units()))));
        let other = Memo::new(move |_| setup.with(|setup| setup.other(&base.get(), units())));
        let pair = Self(Box::leak(Box::new(Runs {
            lab: Session::of_page(),
            lanes: [Lane::new(), Lane::new()],
            mode: RwSignal::default(),
            setup,
            typed: RwSignal::new(None),
            form,
            data,
            base,
            other,
            begun: RwSignal::new(None),
            given: StoredValue::default(),
            pace: StoredValue::default(),
            open: StoredValue::new(false),
            due: StoredValue::new(false),
        })));
        for (place, lane) in pair.lanes.into_iter().enumerate() {
            lane.line.hear(move |heard| pair.hear(place, heard));
        }
        pair
    }

    /// Visible units of the data.
    pub fn visible(self) -> u32 {
        self.data.with(|data| self.form.with(|form| visible(data.as_deref().unwrap_or(named(word(form))))))
    }

    /// What the address calls the data.
    pub fn word(self) -> String {
        self.form.with(|form| word(form).to_string())
    }

    /// Goes to other data, with the same seed and the same comparison.
    pub fn use_data(self, name: &str) {
        let seed = self.form.with_untracked(|form| form.iter().find(|(key, _)| key == "seed").cloned());
        let mut pairs: Vec<(String, String)> =
            [("view", "train"), ("t.two", "yes"), ("t.data", name)].map(|(key, value)| (key.into(), value.into())).into();
        pairs.extend(seed.map(|(_, seed)| ("t.seed".into(), seed)));
        pairs.extend(Setup { go: false, ..self.setup.get_untracked() }.pairs());
        address::replace_all(&address::fragment(&pairs));
    }

    /// Follows the address from now on, and the lab's data.
    pub fn open(self) {
        Effect::new(move |_| {
            let choice = self.lab.choice_in_use.get();
            if let Some(source) = self.lab.source(choice) {
                self.offered(source);
            }
        });
        self.follow();
        address::follow(move || self.follow());
    }

    /// The address has changed, or is seen for the first time.
    fn follow(self) {
        let open = address::get("t.two").as_deref() == Some("yes");
        let opens = open && !self.open.get_value();
        if !open {
            if self.open.get_value() {
                self.close();
            }
            return;
        }
        self.open.set_value(true);
        let (setup, form) = (Setup::now(), keys("t."));
        let moved = opens || self.form.with_untracked(|before| word(before) != word(&form));
        let changed = opens || setup != self.setup.get_untracked();
        if form != self.form.get_untracked() {
            self.form.set(form);
        }
        if changed || moved {
            // An address that says how far to go means the data that it names.
            self.due.set_value(setup.go);
        }
        if changed {
            self.setup.set(setup);
        }
        if moved {
            self.look_for_data();
        }
        self.begin_if_due();
    }

    /// Finds out what to train on: by its name in the address, or from the lab.
    fn look_for_data(self) {
        match self.form.with_untracked(|form| word(form).to_string()).as_str() {
            "digits" => self.take_data(DIGITS),
            "bars" => self.take_data(DataSource::Bars),
            _ => {
                self.data.set(None);
                self.ask_lab();
            }
        }
    }

    /// Asks the lab what it is on.
    fn ask_lab(self) {
        if let Some(source) = self.lab.source(self.lab.choice_in_use.get_untracked()) {
            self.offered(source);
        }
    }

    /// The lab says what it is on. Until it has what the address names, it is on something else.
    fn offered(self, source: DataSource) {
        let DataSource::Examples(data) = &source else { return };
        let wanted = self.form.with_untracked(|form| match word(form) {
            "digits" | "bars" => false,
            "mnist" => data.name == uploads::MNIST,
            _ => true,
        });
        if wanted && self.open.get_value() {
            self.take_data(source);
        }
    }

    fn take_data(self, source: DataSource) {
        if self.data.with_untracked(|data| data.as_deref() != Some(&source)) {
            self.data.set(Some(Arc::new(source)));
        }
        self.begin_if_due();
    }

    fn begin_if_due(self) {
        if self.due.get_value() && self.data.with_untracked(Option::is_some) {
            self.due.set_value(false);
            let target = self.setup.with_untracked(|setup| setup.target);
            if self.begin() {
                self.mode.set(Mode::Train(target));
            }
        }
    }

    /// The plans that the settings ask for; `None` while one of them makes no sense.
    pub fn plans(self) -> Option<[RunPlan; 2]> {
        Some([self.base.with(Draft::plan)?, self.other.with(Draft::plan)?])
    }

    /// Whether the runs that are there are not what the settings ask for.
    pub fn has_changed(self) -> bool {
        let plans = self.plans();
        let data = self.data.get();
        self.begun.with(|begun| match (begun, &plans) {
            (Some(begun), Some(plans)) => {
                let same = begun.iter().zip(plans).all(|(a, b)| same_run(a, b));
                !same || !self.given.with_value(|given| given.as_ref().zip(data.as_ref()).is_some_and(|(a, b)| Arc::ptr_eq(a, b)))
            }
            (begun, _) => begun.is_some(),
        })
    }

    /// Whether there are runs.
    pub fn has_begun(self) -> bool {
        self.begun.with(Option::is_some)
    }

    /// Begins both runs at step 0; whether that could be done.
    pub fn begin(self) -> bool {
        self.mode.set(Mode::Rest);
        let (Some(plans), Some(data)) = (untrack(|| self.plans()), self.data.get_untracked()) else { return false };
        let known = self.given.with_value(|given| given.as_ref().is_some_and(|given| Arc::ptr_eq(given, &data)));
        self.pace.set_value(Pace::default());
        self.begun.set(Some(plans.clone()));
        self.given.set_value(Some(data.clone()));
        for (lane, plan) in self.lanes.into_iter().zip(plans) {
            let anew = !known || lane.about.with_untracked(Option::is_none) || !lane.line.is_up();
            lane.begin(anew.then(|| (*data).clone()), plan);
        }
        true
    }

    /// Ends both workers, after a pause that they need not answer: what they hold is let go.
    fn close(self) {
        self.open.set_value(false);
        self.due.set_value(false);
        self.mode.set(Mode::Rest);
        self.begun.set(None);
        self.given.set_value(None);
        for lane in self.lanes {
            lane.end();
        }
    }

    /// Begins again with new workers, where one was lost.
    pub fn again(self) {
        let go = self.setup.with_untracked(|setup| setup.go.then_some(setup.target));
        for lane in self.lanes {
            lane.end();
        }
        if self.begin()
            && let Some(target) = go
        {
            self.mode.set(Mode::Train(target));
        }
    }

    /// Trains both to the target; begins where there are no runs, or where they have not been trained and the settings have changed.
    pub fn train(self) {
        let target = self.setup.with_untracked(|setup| setup.target);
        if self.ready() {
            // Runs that were begun with other settings are not what the address says.
            if !untrack(|| self.has_changed()) {
                self.setup.update(|setup| setup.go = true);
                self.setup.get_untracked().write();
            }
            self.mode.set(Mode::Train(target));
            self.drive();
        }
    }

    /// Both take one step, or come to the same step.
    pub fn step(self) {
        if self.ready() {
            let [a, b] = self.lanes.map(Lane::step);
            self.mode.set(Mode::Level(if a == b { a + 1 } else { a.max(b) }));
            self.drive();
        }
    }

    fn ready(self) -> bool {
        let fresh = self.lanes.iter().all(|lane| lane.step() == 0 && lane.metrics.with_untracked(|metrics| !metrics.begun()));
        let there = self.lanes.iter().all(|lane| lane.standing.get_untracked() != Standing::Absent);
        if there && !(fresh && untrack(|| self.has_changed())) { true } else { self.begin() }
    }

    /// Both pause, at the same step; asked again, wherever they are.
    pub fn pause(self) {
        let level = !matches!(self.mode.get_untracked(), Mode::Level(_) | Mode::Pause(_));
        self.mode.set(Mode::Pause(level));
        for lane in self.lanes {
            lane.pause();
        }
    }

    /// Back to step 0 of the same seed, with the settings of the form.
    pub fn rewind(self) {
        if self.data.with_untracked(|data| matches!(data.as_deref(), Some(DataSource::Examples(_)))) {
            // The visitor may have others in use by now; the answer comes at once.
            self.ask_lab();
        }
        self.setup.update(|setup| setup.go = false);
        self.setup.get_untracked().write();
        self.begin();
    }

    /// Another comparison of the list: begun, and trained.
    pub fn choose(self, setup: &Setup) {
        setup.write();
        self.due.set_value(setup.go);
        self.setup.set(setup.clone());
        self.begin_if_due();
    }

    fn hear(self, place: usize, heard: Heard) {
        let lane = self.lanes[place];
        let pausing = matches!(self.mode.get_untracked(), Mode::Pause(_));
        let was_going = lane.standing.get_untracked() == Standing::Going;
        match lane.receive(heard, pausing) {
            Change::None => {}
            Change::Rests => {
                if let Some(seconds) = lane.took().filter(|_| was_going) {
                    self.pace.update_value(|pace| pace.took(place, seconds));
                    // A round may be too short for the worker to have measured anything.
                    if lane.seconds.with_untracked(Option::is_none) {
                        lane.seconds.set(Some(seconds));
                    }
                }
                self.drive();
            }
            Change::Failed => {
                self.mode.set(Mode::Rest);
                let other = self.lanes[1 - place];
                if other.standing.get_untracked() == Standing::Going {
                    other.pause();
                }
            }
        }
    }

    /// Sends off who is to go on.
    fn drive(self) {
        let [a, b] = self.lanes;
        let both_rest = a.rests() && b.rests();
        match self.mode.get_untracked() {
            Mode::Train(target) => {
                if both_rest && a.step() >= target && b.step() >= target {
                    self.mode.set(Mode::Rest);
                    return;
                }
                // A run that is still being begun has its data to read: neither starts before both are there.
                if self.lanes.iter().any(|lane| matches!(lane.standing.get_untracked(), Standing::Beginning | Standing::Absent)) {
                    return;
                }
                for (lane, other) in [(a, b), (b, a)] {
                    let next = lane
                        .rests()
                        .then(|| self.pace.try_update_value(|pace| pace.next(lane.step(), other.step(), target)).flatten());
                    if let Some(step) = next.flatten() {
                        lane.go(step);
                    }
                }
            }
            Mode::Level(step) => {
                let behind = self.lanes.into_iter().filter(|lane| lane.step() < step);
                behind.filter(|lane| lane.rests()).for_each(|lane| lane.go(step));
                if a.rests() && b.rests() {
                    self.mode.set(Mode::Rest);
                }
            }
            Mode::Pause(level) if both_rest => {
                let (steps, step) = ([a.step(), b.step()], a.step().max(b.step()));
                self.mode.set(if level && steps[0] != steps[1] { Mode::Level(step) } else { Mode::Rest });
                self.drive();
            }
            Mode::Rest | Mode::Pause(_) => {}
        }
    }
}

/// What the form's keys call the data.
fn word(form: &[(String, String)]) -> &str {
    form.iter().find(|(key, _)| key == "data").map_or("digits", |(_, name)| name)
}

/// What is known of data of that name before they are there.
fn named(word: &str) -> &'static DataSource {
    if word == "bars" { &DataSource::Bars } else { &DIGITS }
}
