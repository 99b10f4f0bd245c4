//! One of the two runs: its worker, how far it is, and what was recorded on the way.

use crate::ui::history;
use crate::worker::client::{Client, Failure, Notification, WORKER_COUNT};
use dbm_core::settings::RunPlan;
use dbm_protocol::{Command, DataSource, Event, Grid, Metrics, ModelInfo, RunInfo, RunSignals};
use futures_channel::oneshot;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;

/// Most points of a curve.
const MOST_POINTS: usize = 800;

/// Whether the run exists, and whether it is training.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunState {
    /// There is no run.
    #[default]
    Absent,
    /// It is starting.
    Beginning,
    /// It is at rest and can continue.
    Resting,
    /// It is training to a step.
    Training,
}

/// A point of the curves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// The training signals at a step.
    pub signals: RunSignals,
    /// Mean energy of each phase's states, if it has chains: clamped, free.
    pub energy: [Option<f64>; 2],
}

/// A run: a handle that lives as long as the page.
#[derive(Clone, Copy)]
pub struct ComparedRun {
    client: Client<Command>,
    known: &'static RunInner,
}

impl Deref for ComparedRun {
    type Target = RunInner;

    fn deref(&self) -> &RunInner {
        self.known
    }
}

/// What is known about a run.
#[derive(Default)]
pub struct RunInner {
    /// Whether it exists, and whether it is training.
    pub state: RwSignal<RunState>,
    /// The state of its training.
    pub metrics: RwSignal<Metrics>,
    /// Its model, which stays known while another run begins on the same data.
    pub about: RwSignal<Option<ModelInfo>>,
    /// Its latest samples.
    pub samples: RwSignal<Option<Grid>>,
    /// Its curves, in order of the steps.
    pub looks: RwSignal<Vec<Look>>,
    /// How many of the samples were distinct, by step.
    pub distinct: RwSignal<Vec<(u32, u32)>>,
    /// Checksums of the parameters at the steps at which it rested.
    pub checksums: RwSignal<BTreeMap<u32, String>>,
    /// Seconds per step, as last measured by the worker.
    pub seconds: RwSignal<Option<f64>>,
    /// What went wrong, shown next to the run.
    pub trouble: RwSignal<Option<String>>,
    /// Seconds per step over its last round, including everything else that the round does.
    pub seconds_a_round: StoredValue<Option<f64>>,
    /// When it last started training, in milliseconds, and from which step.
    sent: StoredValue<(f64, u32)>,
    /// Counts runs begun and ended: answers about an earlier one are dropped.
    number: StoredValue<u32>,
    /// The step that it trains to, and the sender to notify when it rests.
    goal: StoredValue<Option<(u32, oneshot::Sender<bool>)>>,
}

impl ComparedRun {
    /// No run yet.
    pub fn new() -> Self {
        let cores = window().navigator().hardware_concurrency() as u32;
        let client = Client::new(format!("{WORKER_COUNT}{}", (cores / 2).max(1)));
        let run = Self { client, known: Box::leak(Box::default()) };
        client.listen(move |notification| match notification {
            // It concerns the run that is being replaced.
            Notification::Event(..) if run.state.get_untracked() == RunState::Beginning => {}
            Notification::Event(Event::Metrics(metrics), _) => run.take_metrics(metrics),
            Notification::Event(Event::Samples(grid), _) => run.take_samples(grid),
            Notification::Ready | Notification::Event(..) | Notification::Unreadable(_) => {}
            Notification::Failed(message) => run.fail(RunState::Resting, format!("This run cannot continue: {message}")),
            Notification::Lost(why) => run.fail(RunState::Absent, format!("The worker of this run was lost: {why}.")),
        });
        run
    }

    /// Whether there is a worker that still has the data it was given.
    pub fn has_worker(self) -> bool {
        self.client.is_up() && self.about.with_untracked(Option::is_some)
    }

    /// Gradient steps taken, as last reported.
    pub fn step(self) -> u32 {
        self.metrics.with_untracked(|metrics| metrics.step)
    }

    /// Begins a run at step 0, on `data` if these are new to its worker. Returns whether the run exists.
    pub async fn begin(self, data: Option<DataSource>, plan: RunPlan) -> bool {
        let number = self.clear();
        self.state.set(RunState::Beginning);
        let command = match data {
            Some(source) => Command::UseData { source, plan, checkpoint: Vec::new() },
            None => Command::NewRun(plan),
        };
        let answer = self.client.ask(command).await;
        if self.number.get_value() != number {
            return false;
        }
        match answer {
            Ok(Event::DataReady(_, RunInfo { model, metrics, .. }) | Event::RunReady(RunInfo { model, metrics, .. })) => {
                self.about.set(Some(model));
                self.state.set(RunState::Resting);
                self.take_metrics(metrics);
                true
            }
            Err(Failure::Refused(message)) => {
                self.fail(RunState::Absent, format!("This run could not start: {message}"));
                false
            }
            // The loss of a worker is reported separately.
            _ => false,
        }
    }

    /// Trains to a step. Returns `true` if it got there or was paused on the way, `false` if it cannot continue.
    pub async fn train_to(self, step: u32) -> bool {
        if self.step() >= step {
            return true;
        }
        let (sender, resting) = oneshot::channel();
        self.state.set(RunState::Training);
        self.goal.set_value(Some((step, sender)));
        self.sent.set_value((js_sys::Date::now(), self.step()));
        self.client.expect(true);
        let number = self.number.get_value();
        if let Err(Failure::Refused(message)) = self.client.ask(Command::TrainUntil(step)).await
            && self.number.get_value() == number
        {
            self.fail(RunState::Resting, format!("This run cannot continue: {message}"));
        }
        resting.await.unwrap_or(false)
    }

    /// Stops training, wherever it is.
    pub fn pause(self) {
        let number = self.number.get_value();
        spawn_local(async move {
            if self.client.ask(Command::Pause).await.is_ok() && self.number.get_value() == number {
                self.rest(true);
            }
        });
    }

    /// Ends the worker, and with it the run.
    pub fn end(self) {
        self.clear();
        self.client.end();
        self.about.set(None);
        self.state.set(RunState::Absent);
    }

    fn clear(self) -> u32 {
        self.metrics.set(Metrics::default());
        self.samples.set(None);
        self.looks.set(Vec::new());
        self.distinct.set(Vec::new());
        self.checksums.set(BTreeMap::new());
        self.seconds.set(None);
        self.seconds_a_round.set_value(None);
        self.trouble.set(None);
        self.goal.set_value(None);
        self.number.update_value(|number| *number = number.wrapping_add(1));
        self.number.get_value()
    }

    /// Marks the run as resting, and tells whoever is waiting whether it can continue.
    fn rest(self, can_go_on: bool) {
        if self.state.get_untracked() == RunState::Training {
            self.state.set(RunState::Resting);
        }
        self.client.expect(false);
        if let Some((_, waiting)) = self.goal.try_update_value(Option::take).flatten() {
            let (since, from) = self.sent.get_value();
            if let Some(steps) = self.step().checked_sub(from).filter(|steps| *steps > 0) {
                let seconds = (js_sys::Date::now() - since) / 1000.0 / f64::from(steps);
                self.seconds_a_round.set_value(Some(seconds));
                // A round may be too short for the worker to measure anything.
                self.seconds.update(|measured| *measured = measured.or(Some(seconds)));
            }
            // Whoever was waiting may be gone.
            let _ = waiting.send(can_go_on);
        }
    }

    fn fail(self, state: RunState, trouble: String) {
        self.state.set(state);
        self.trouble.set(Some(trouble));
        self.rest(false);
    }

    fn take_samples(self, grid: Grid) {
        let point = (grid.step, count_distinct(&grid));
        self.distinct.update(|all| history::add(all, point, MOST_POINTS, |(step, _)| *step));
        self.samples.set(Some(grid));
    }

    fn take_metrics(self, metrics: Metrics) {
        if !metrics.checksum.is_empty() {
            self.checksums.update(|checksums| {
                checksums.insert(metrics.step, metrics.checksum.clone());
            });
        }
        if metrics.running && metrics.steps_per_second > 0.0 {
            self.seconds.set(Some(1.0 / metrics.steps_per_second));
        }
        if let Some(signals) = metrics.signals
            && self.metrics.with_untracked(|before| before.signals != Some(signals))
        {
            let look = Look { signals, energy: [metrics.positive.energy, metrics.negative.energy] };
            self.looks.update(|looks| history::add(looks, look, MOST_POINTS, |look| look.signals.step));
        }
        let at_goal = self.goal.with_value(|goal| goal.as_ref().is_some_and(|(goal, _)| metrics.step >= *goal));
        let rests = !metrics.running && at_goal;
        self.metrics.set(metrics);
        if rests {
            self.rest(true);
        }
    }
}

/// How many of the pictures are distinct.
fn count_distinct(grid: &Grid) -> u32 {
    let units = (grid.image.0 * grid.image.1) as usize;
    grid.bits.chunks_exact(units.max(1)).collect::<BTreeSet<_>>().len() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbm_protocol::Greys;

    #[test]
    fn pictures_that_are_the_same_count_once() {
        let grid = |bits: &[u8]| Grid {
            model: dbm_protocol::ModelChoice::Training,
            step: 0,
            count: bits.len() as u32 / 2,
            image: (1, 2),
            greys: Greys::default(),
            bits: bits.to_vec(),
        };
        assert_eq!(count_distinct(&grid(&[0, 1, 0, 1, 1, 1])), 2);
        assert_eq!(count_distinct(&grid(&[])), 0);
    }
}
