//! One of the two runs: its worker, where it stands, and what was seen of it on the way.

use super::line::{Heard, Line};
use dbm_protocol::{Command, DataSource, Event, Grid, Metrics, ModelInfo, Reply, RunPlan};
use leptos::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;

/// Rows of a curve: beyond, every other one is let go.
const ROWS: usize = 800;

/// Whether the run is there, and goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Standing {
    /// There is no run yet.
    #[default]
    Absent,
    /// It is being begun.
    Beginning,
    /// It rests.
    Resting,
    /// It was sent to a step.
    Going,
}

/// What the curves are drawn from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Gradient steps taken.
    pub step: u32,
    /// Mean squared error of a reconstructed bit.
    pub reconstruction_error: f64,
    /// Nats an example.
    pub pseudo_log_likelihood: f64,
    /// Mean energy of each phase's states, where it has chains: clamped, free.
    pub energy: [Option<f64>; 2],
    /// Mean free energy of some examples, and of the samples.
    pub free_energy: [Option<f64>; 2],
    /// Exact mean log-likelihood of the data, nats an example, where the model is small enough.
    pub log_likelihood: Option<f64>,
}

/// A run: a handle, as long-lived as the page.
#[derive(Clone, Copy)]
pub struct Lane(&'static Run);

impl Deref for Lane {
    type Target = Run;

    fn deref(&self) -> &Run {
        self.0
    }
}

/// What is known of a run.
pub struct Run {
    /// Its worker.
    pub line: Line,
    /// Whether it is there, and goes.
    pub standing: RwSignal<Standing>,
    /// Where it stands.
    pub metrics: RwSignal<Metrics>,
    /// Its model.
    pub about: RwSignal<Option<ModelInfo>>,
    /// Its latest samples.
    pub samples: RwSignal<Option<Grid>>,
    /// Its curves.
    pub rows: RwSignal<Vec<Row>>,
    /// How many of the samples were distinct, by step.
    pub distinct: RwSignal<Vec<(u32, u32)>>,
    /// Checksums of the parameters at the steps where it rested.
    pub checks: RwSignal<BTreeMap<u32, String>>,
    /// Seconds a step, as last measured by the worker.
    pub seconds: RwSignal<Option<f64>>,
    /// What went wrong, to be shown beside it.
    pub trouble: RwSignal<Option<String>>,
    /// The pause that was asked for.
    pausing: StoredValue<Option<u32>>,
    /// When it was sent off, in milliseconds, from which step, and to which.
    sent: StoredValue<(f64, u32, u32)>,
}

/// What has become of a run by a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Nothing that matters to the other.
    None,
    /// It rests now.
    Rests,
    /// It cannot go on.
    Failed,
}

impl Lane {
    /// No run yet.
    pub fn new() -> Self {
        Self(Box::leak(Box::new(Run {
            line: Line::new(),
            standing: RwSignal::default(),
            metrics: RwSignal::default(),
            about: RwSignal::default(),
            samples: RwSignal::default(),
            rows: RwSignal::default(),
            distinct: RwSignal::default(),
            checks: RwSignal::default(),
            seconds: RwSignal::default(),
            trouble: RwSignal::default(),
            pausing: StoredValue::default(),
            sent: StoredValue::default(),
        })))
    }

    /// Gradient steps taken, as last told.
    pub fn step(self) -> u32 {
        self.metrics.with_untracked(|metrics| metrics.step)
    }

    /// Whether it rests.
    pub fn rests(self) -> bool {
        self.standing.get_untracked() == Standing::Resting
    }

    fn clear(self) {
        self.metrics.set(Metrics::default());
        self.samples.set(None);
        self.rows.update(Vec::clear);
        self.distinct.update(Vec::clear);
        self.checks.update(BTreeMap::clear);
        self.seconds.set(None);
        self.trouble.set(None);
        self.pausing.set_value(None);
    }

    /// Begins a run at step 0: on `data`, where those are new to its worker.
    pub fn begin(self, data: Option<DataSource>, plan: RunPlan) {
        self.clear();
        self.standing.set(Standing::Beginning);
        let id = match data {
            Some(source) => self.line.ask(Command::UseData { source, plan }),
            None => self.line.ask(Command::NewRun { plan }),
        };
        if id > 0 {
            self.line.expect(true);
        }
    }

    /// Sends it to a step that is still to come.
    pub fn go(self, step: u32) {
        self.standing.set(Standing::Going);
        self.sent.set_value((js_sys::Date::now(), self.step(), step));
        self.line.expect(true);
        self.line.ask(Command::TrainUntil { step });
    }

    /// Has it pause, wherever it is.
    pub fn pause(self) {
        self.pausing.set_value(Some(self.line.ask(Command::Pause)));
    }

    /// Lets the worker go, and with it the run.
    pub fn end(self) {
        self.line.end();
        self.clear();
        self.about.set(None);
        self.standing.set(Standing::Absent);
    }

    /// Seconds a step since it was sent off, all that a round has besides included.
    pub fn took(self) -> Option<f64> {
        let (since, from, _) = self.sent.get_value();
        let steps = self.step().checked_sub(from).filter(|steps| *steps > 0)?;
        Some((js_sys::Date::now() - since) / 1000.0 / f64::from(steps))
    }

    /// Takes a message in. While both pause, a run rests only once its pause is answered.
    pub fn receive(self, heard: Heard, pausing: bool) -> Change {
        match heard {
            Err(why) => {
                self.standing.set(Standing::Absent);
                self.trouble.set(Some(format!("The worker of this run was lost: {why}.")));
                Change::Failed
            }
            Ok((_, Reply::Failed { message })) => {
                let begun = self.standing.get_untracked() != Standing::Beginning;
                self.standing.set(if begun { Standing::Resting } else { Standing::Absent });
                self.line.expect(false);
                let what = if begun { "This run cannot go on" } else { "This run could not begin" };
                self.trouble.set(Some(format!("{what}: {message}")));
                Change::Failed
            }
            Ok((_, Reply::Answer(Event::DataReady { model, metrics, .. } | Event::RunReady { model, metrics, .. }))) => {
                self.about.set(Some(model));
                self.rest(metrics)
            }
            // What is still on its way of a run that is being replaced.
            Ok((_, Reply::Answer(Event::Metrics(_) | Event::Samples(_))))
                if self.standing.get_untracked() == Standing::Beginning =>
            {
                Change::None
            }
            // What a worker that rested says of its samples may come when it has been sent off again.
            Ok((_, Reply::Answer(Event::Metrics(metrics)))) if !metrics.running && !pausing && self.is_there(metrics.step) => {
                self.rest(metrics)
            }
            Ok((_, Reply::Answer(Event::Metrics(metrics)))) => {
                self.take(metrics);
                Change::None
            }
            Ok((Some(id), Reply::Answer(Event::Done))) if self.pausing.get_value() == Some(id) => {
                self.pausing.set_value(None);
                if self.standing.get_untracked() == Standing::Going {
                    self.standing.set(Standing::Resting);
                }
                self.line.expect(false);
                Change::Rests
            }
            Ok((_, Reply::Answer(Event::Samples(grid)))) => {
                let point = (grid.step, distinct(&grid));
                self.distinct.update(|all| {
                    all.retain(|(step, _)| *step != point.0);
                    thin(all);
                    all.push(point);
                });
                self.samples.set(Some(grid));
                Change::None
            }
            Ok(_) => Change::None,
        }
    }

    /// Whether it is at the step that it was sent to.
    fn is_there(self, step: u32) -> bool {
        self.standing.get_untracked() == Standing::Going && step >= self.sent.get_value().2
    }

    fn rest(self, metrics: Metrics) -> Change {
        self.take(metrics);
        self.standing.set(Standing::Resting);
        self.line.expect(false);
        Change::Rests
    }

    fn take(self, metrics: Metrics) {
        if !metrics.checksum.is_empty() {
            self.checks.update(|checks| {
                checks.insert(metrics.step, metrics.checksum.clone());
            });
        }
        if metrics.running && metrics.steps_per_second > 0.0 {
            self.seconds.set(Some(1.0 / metrics.steps_per_second));
        }
        if let Some(signals) = metrics.signals
            && self.metrics.with_untracked(|before| before.signals != Some(signals))
        {
            let row = Row {
                step: signals.step,
                reconstruction_error: signals.reconstruction_error,
                pseudo_log_likelihood: signals.pseudo_log_likelihood,
                energy: [metrics.positive.energy, metrics.negative.energy],
                free_energy: [Some(signals.free_energy), signals.free_energy_of_samples],
                log_likelihood: signals.log_likelihood,
            };
            self.rows.update(|rows| {
                rows.retain(|before| before.step != row.step);
                thin(rows);
                rows.push(row);
            });
        }
        self.metrics.set(metrics);
    }
}

/// Lets every other row go where there are too many; the first stays.
fn thin<T>(rows: &mut Vec<T>) {
    if rows.len() >= ROWS {
        let mut place = 0;
        rows.retain(|_| {
            place += 1;
            place % 2 == 1
        });
    }
}

/// How many of the pictures are distinct.
fn distinct(grid: &Grid) -> u32 {
    let units = (grid.image.0 * grid.image.1) as usize;
    grid.bits.chunks_exact(units.max(1)).collect::<BTreeSet<_>>().len() as u32
}

/// What the checksums of two runs say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The last step at which both rested with the same parameters, and their checksum.
    pub same: Option<(u32, String)>,
    /// The first after that at which they had not.
    pub apart: Option<u32>,
}

impl Verdict {
    /// Of the checksums by step.
    pub fn of(a: &BTreeMap<u32, String>, b: &BTreeMap<u32, String>) -> Self {
        let mut verdict = Self::default();
        for (&step, of_a) in a {
            match b.get(&step) {
                Some(of_b) if of_a == of_b => verdict = Self { same: Some((step, of_a.clone())), apart: None },
                Some(_) if verdict.apart.is_none() => verdict.apart = Some(step),
                _ => {}
            }
        }
        verdict
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_that_are_the_same_count_once() {
        let grid = |bits: &[u8]| Grid {
            model: dbm_protocol::ModelChoice::Training,
            step: 0,
            count: bits.len() as u32 / 2,
            image: (1, 2),
            depth: 1,
            bits: bits.to_vec(),
        };
        assert_eq!(distinct(&grid(&[0, 1, 0, 1, 1, 1])), 2);
        assert_eq!(distinct(&grid(&[])), 0);
    }

    #[test]
    fn checksums_tell_until_when_two_runs_are_the_same() {
        let checks =
            |all: &[(u32, &str)]| all.iter().map(|&(step, sum)| (step, sum.to_string())).collect::<BTreeMap<u32, String>>();
        let a = checks(&[(0, "a"), (5, "b"), (10, "c"), (20, "d")]);
        assert_eq!(Verdict::of(&a, &checks(&[])), Verdict::default());
        let part = Verdict::of(&a, &checks(&[(0, "a"), (5, "b"), (10, "x"), (15, "y")]));
        assert_eq!(part, Verdict { same: Some((5, "b".into())), apart: Some(10) });
        assert_eq!(Verdict::of(&a, &a), Verdict { same: Some((20, "d".into())), apart: None });
        assert_eq!(Verdict::of(&a, &checks(&[(0, "z")])), Verdict { same: None, apart: Some(0) });
    }

    #[test]
    fn long_curves_are_thinned_and_keep_their_beginning() {
        let mut rows: Vec<usize> = (0..ROWS).collect();
        thin(&mut rows);
        assert_eq!((rows.len(), rows[0], rows[1]), (ROWS / 2, 0, 2));
    }
}
