//! Pairs of coupled chains of UCD-SMC at fixed parameters, run by run, each next to a coupling of UCD-LMI: which meets at which model size,
//! and what the correction changes.

use super::couple::{Caps, CouplingKernel, couple};
use super::samples::ProgressFn;
use super::starts::{CouplingStart, begin_runs};
use crate::chains::FieldCost;
use crate::coupling::Meeting;
use crate::error::within;
use crate::linalg::Matrix;
use crate::math::mean_and_error;
use crate::rng::{Purpose, Stream, Streams};
use crate::settings::Setting;
use crate::settings::estimator::SmcPath;
use crate::tempering::{Base, Ladder, Pair, ParticleSet, Path, RunCoupling, Spread, runs};
use crate::{Clamp, Dbm, DbmError};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::Range;

/// The most steps of a coupling: each is a run, whose picture is kept.
const MAX_STEPS: u32 = 1000;
/// The most units of all particles of a run together.
const MAX_PARTICLE_UNITS: usize = 4_000_000;

/// Numbered pairs of chains of UCD-SMC with nothing clamped.
///
/// The average is over time 0 alone: `H = f(X_0) + sum_{t=1}^tau (f(X_t) - f(Y_{t-1}))`, with every `f` averaged over whether the offered
/// run was accepted (see [`RunCoupling`]). So `f(X_0)` is the estimate of a single run, and the sum is the correction. Pair `p` draws what
/// the negative phase of `ucd-smc` draws for chain `p` in the first step of a run with this seed; the coupling of UCD-LMI next to it draws
/// what that of `ucd-lmi` draws.
///
/// ```
/// use dbm_core::diagnostics::RunPairs;
/// use dbm_core::gradient::SmcPath;
/// use dbm_core::{Units, init};
/// let model = init::gaussian(&[6, 4], Units::Bits, 1.0, 1)?;
/// let pairs = RunPairs { particles: 4, steps: 5, path: SmcPath::Temperatures, cap: 100, seed: 1 };
/// let some = pairs.run(&model, None, 0..10, &mut |_, _| ())?;
/// assert!(some.iter().all(|pair| pair.runs.len() == pair.steps.len() + 1));
/// # Ok::<(), dbm_core::DbmError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunPairs {
    /// N: particles per run.
    pub particles: u32,
    /// K: temperatures of the path, if it is one of temperatures.
    pub steps: u32,
    /// The path of the particles.
    pub path: SmcPath,
    /// Steps after which a coupling is cut; also applies to UCD-LMI.
    pub cap: u32,
    /// Seed of all pairs.
    pub seed: u64,
}

/// A pair of chains, from its start until it met or was cut.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunPair {
    /// tau, and whether it was cut at the cap.
    pub meeting: Meeting,
    /// The start, and the run offered at each step.
    pub runs: Vec<OfferedRun>,
    /// The outcome of each step's offer.
    pub steps: Vec<RunStep>,
    /// How a coupling of UCD-LMI (uniform proposals, from a local mode) ended on the same model.
    pub uniform: Meeting,
}

/// One run of a pair.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OfferedRun {
    /// The log of its estimate of Z.
    pub log_z: f64,
    /// How often it counts in the pair's estimate; over all runs of the pair these sum to 1.
    pub times: f64,
    /// The probability that each visible unit is high: the weighted mean over the particles of its probability given the layer above.
    pub picture: Vec<f32>,
}

/// A step of a pair: from `(X_{t-1}, Y_{t-2})` to `(X_t, Y_{t-1})`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunStep {
    /// The uniform number that both compare.
    pub u: f64,
    /// The log of the ratio of the offered run's estimate of Z to that of X's run: X accepts if `u` is below its exponential.
    pub log_accept_x: f64,
    /// The same for Y; at `t = 1` nothing is offered to Y.
    pub log_accept_y: Option<f64>,
    /// The step whose offer is now X's run; 0 for the start.
    pub x: u32,
    /// The same for Y.
    pub y: u32,
}

impl RunStep {
    /// Whether X and Y accepted this step's offer; `t` is the number of this step.
    pub fn accepted(&self, t: u32) -> [bool; 2] {
        [self.x == t, self.y == t]
    }
}

impl RunPair {
    /// The first run's probability for each visible unit, and what the pair's correction adds to it.
    pub fn first_and_correction(&self) -> (&[f32], Vec<f64>) {
        let first: &[f32] = self.runs.first().map_or(&[], |run| &run.picture);
        let mut correction = vec![0.0; first.len()];
        for (place, run) in self.runs.iter().enumerate() {
            let times = run.times - f64::from(u8::from(place == 0));
            correction.iter_mut().zip(&run.picture).for_each(|(sum, &high)| *sum += times * f64::from(high));
        }
        (first, correction)
    }
}

/// The mean effect of the correction over several pairs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeanCorrection {
    /// The first runs' mean probability for each visible unit.
    pub first: Vec<f64>,
    /// The mean that the corrections add.
    pub correction: Vec<f64>,
    /// The size of the correction: the root mean square over the units.
    pub size: f64,
    /// The size expected from chance alone, given how the pairs differ; infinite for fewer than two.
    pub chance: f64,
}

impl MeanCorrection {
    /// The mean over these pairs, in order.
    pub fn of<'a>(pairs: impl IntoIterator<Item = &'a RunPair>) -> Self {
        let (mut count, mut sums, mut squares) = (0_u32, Self::default(), Vec::new());
        for pair in pairs {
            let (first, correction) = pair.first_and_correction();
            if count == 0 {
                (sums.first, sums.correction, squares) = (vec![0.0; first.len()], vec![0.0; first.len()], vec![0.0; first.len()]);
            }
            count += 1;
            sums.first.iter_mut().zip(first).for_each(|(sum, &high)| *sum += f64::from(high));
            for ((sum, square), more) in sums.correction.iter_mut().zip(&mut squares).zip(correction) {
                *sum += more;
                *square += more * more;
            }
        }
        let n = f64::from(count.max(1));
        [&mut sums.first, &mut sums.correction].into_iter().flatten().for_each(|sum| *sum /= n);
        let units = sums.correction.len().max(1) as f64;
        let mean_square: f64 = sums.correction.iter().map(|mean| mean * mean).sum::<f64>() / units;
        let spread = squares.iter().sum::<f64>() / n / units - mean_square;
        sums.size = mean_square.sqrt();
        sums.chance = if count < 2 { f64::INFINITY } else { (spread.max(0.0) / (n - 1.0)).sqrt() };
        sums
    }
}

/// Mean and deviation of log Z over all runs of some pairs: how far apart the estimates are that are compared for acceptance.
pub fn spread_of_log_z<'a>(pairs: impl IntoIterator<Item = &'a RunPair>) -> (f64, f64) {
    let all: Vec<f64> = pairs.into_iter().flat_map(|pair| pair.runs.iter().map(|run| run.log_z)).collect();
    let (mean, error) = mean_and_error(&all);
    (mean, error * (all.len() as f64).sqrt())
}

impl RunPairs {
    /// Accepts settings that make sense.
    ///
    /// # Errors
    /// [`DbmError::Setting`], naming the first setting out of range.
    pub fn check(&self, model: &Dbm) -> Result<(), DbmError> {
        Setting::Particles.check(f64::from(self.particles))?;
        Setting::SmcSteps.check(f64::from(self.steps))?;
        within("max meeting time", "1 to 1000", f64::from(self.cap), (1..=MAX_STEPS).contains(&self.cap))?;
        let units = model.sizes().iter().sum::<usize>().saturating_mul(self.particles as usize);
        within("particles times the model's units", "at most 4000000", units as f64, units <= MAX_PARTICLE_UNITS)
    }

    /// These pairs, in order. The path begins at the lowest rung of the ladder, or at fair coins if there is no ladder.
    ///
    /// # Errors
    /// Those of [`RunPairs::check`]; [`DbmError::Setting`] for a path along a model's past if it has no ladder.
    pub fn run(
        &self,
        model: &Dbm,
        ladder: Option<&Ladder>,
        pairs: Range<u32>,
        progress: &mut ProgressFn,
    ) -> Result<Vec<RunPair>, DbmError> {
        self.check(model)?;
        if self.path == SmcPath::Past && ladder.is_none() {
            let expected = "temperatures for a model that has no ladder of its run's past";
            return Err(DbmError::Setting { name: "path", expected, got: "past".into() });
        }
        let ladder = ladder.map_or_else(|| Cow::Owned(Ladder::uniform(model)), Cow::Borrowed);
        let path = match self.path {
            SmcPath::Temperatures => Path::of_temperatures(Base::of(&ladder.rungs()[0]), model, &ladder.temperatures(self.steps)),
            SmcPath::Past => Path::of_ladder(&ladder, model),
        };
        let streams = Streams::new(self.seed);
        let mut done = Vec::with_capacity(pairs.len());
        for pair in pairs.clone() {
            let stream = streams.at(Purpose::Negative, 0, u64::from(pair));
            let so_far = done.len() as u32;
            done.push(self.pair(&path, model, stream, &mut |work| progress(so_far, work)));
        }
        let how = (CouplingKernel::Metropolis, Caps { meeting: self.cap, tries: 1 });
        let mut places = done.iter_mut();
        begin_runs(model, CouplingStart::LocalMode, (streams, 0), pairs, |chains, streams, _| {
            for ((c, stream), pair) in streams.iter_mut().enumerate().zip(&mut places) {
                pair.uniform = couple(model, chains, c, stream, how, &mut |_| ()).0;
            }
        });
        Ok(done)
    }

    /// One pair; `worked` receives the multiply-adds since its last call.
    fn pair(&self, path: &Path, model: &Dbm, mut stream: Stream, worked: &mut dyn FnMut(u64)) -> RunPair {
        let n = model.n_visible();
        let mut draw = |streams: &mut [Stream]| {
            let (rows, mut work) = (streams.len(), FieldCost::default());
            let visible = Matrix::from_vec(rows, n, vec![model.units().low(); rows * n]);
            let all = (&mut Spread::default(), &mut work);
            let drawn = runs(path, &visible, &Clamp::Free, self.particles as usize, streams, all);
            worked(work.products + work.carried);
            drawn.into_iter()
        };
        let mut record = RunPair::default();
        let offered = |run: &ParticleSet| OfferedRun { log_z: run.log_z, times: 0.0, picture: picture(model, run) };
        // As in the estimator: the start and the first offer are drawn together.
        let mut first = draw(&mut [stream.fork(), stream.fork()]);
        let (Some(start), mut next) = (first.next(), first.next()) else { return record };
        record.runs.push(offered(&start));
        let coupling = RunCoupling { first: 0, last: 0, cap: self.cap };
        let mut pair = Pair::new(&coupling, start);
        let mut times: Vec<(u32, f64)> = vec![];
        while let Some(run) = next {
            let u = stream.uniform();
            record.runs.push(offered(&run));
            let log_z = |place: u32| record.runs[place as usize].log_z;
            let logs = pair.at().map(|place| run.log_z - log_z(place));
            let t = record.steps.len() as u32 + 1;
            pair.step(run, u, &mut |count, place, _| times.push((place, count)));
            let [x, y] = pair.at();
            record.steps.push(RunStep { u, log_accept_x: logs[0], log_accept_y: (t > 1).then_some(logs[1]), x, y });
            next = if pair.is_done() { None } else { draw(&mut [stream.fork()]).next() };
        }
        let (time, capped) = pair.meeting();
        record.meeting = Meeting { time, capped };
        pair.finish(&mut |count, place, _| times.push((place, count)));
        times.into_iter().for_each(|(place, count)| record.runs[place as usize].times += count);
        record
    }
}

/// A run's probability that each visible unit is high.
fn picture(model: &Dbm, run: &ParticleSet) -> Vec<f32> {
    let (low, gap) = (f64::from(model.units().low()), f64::from(model.units().gap()));
    let mut high = vec![0.0; model.n_visible()];
    for (particle, weight) in run.weights.iter().enumerate() {
        high.iter_mut().zip(run.means[0].row(particle)).for_each(|(sum, &mean)| *sum += weight * (f64::from(mean) - low) / gap);
    }
    high.into_iter().map(|share| share as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gradient::{self, Batch};
    use crate::gradient::{EstimatorKind, EstimatorSettings};
    use crate::{Settings, Units, exact, init};

    fn pairs() -> RunPairs {
        RunPairs { particles: 2, steps: 2, path: SmcPath::Temperatures, cap: 1000, seed: 5 }
    }

    fn model(units: Units) -> Dbm {
        init::gaussian(&[4, 3, 2], units, 0.8, 3).unwrap().with_backend(crate::Backend::Plain)
    }

    #[test]
    fn pairs_are_the_same_in_any_partition() {
        for units in [Units::Signs, Units::Bits] {
            let model = model(units);
            let some = |range| pairs().run(&model, None, range, &mut |_, _| ()).unwrap();
            let whole = some(0..130);
            assert_eq!(whole, [0..1, 1..60, 60..61, 61..130].map(some).concat());
            assert!(whole.iter().any(|pair| pair.meeting.time > 2) && whole.iter().any(|pair| pair.uniform.time > 1));
            for pair in &whole {
                let (tau, sum) = (pair.meeting.time as usize, pair.runs.iter().map(|run| run.times).sum::<f64>());
                assert!(pair.steps.len() == tau && pair.runs.len() == tau + 1 && (sum - 1.0).abs() < 1e-9, "{pair:?}");
                let met = pair.steps.iter().position(|step| step.x == step.y).map(|place| place + 1);
                assert_eq!(met, Some(tau));
                for (step, t) in pair.steps.iter().zip(1..) {
                    let [x, y] = step.accepted(t);
                    let accepts = |log: f64| step.u < libm::exp(log.min(0.0));
                    assert!(x == accepts(step.log_accept_x) && y == step.log_accept_y.is_some_and(accepts));
                }
            }
        }
    }

    /// The meeting times of `ucd-smc` and `ucd-lmi` in training equal those of the pairs here.
    #[test]
    fn they_are_those_of_the_estimators() {
        let model = model(Units::Signs);
        let some = pairs().run(&model, None, 0..40, &mut |_, _| ()).unwrap();
        let of = |kind| {
            let estimator = EstimatorSettings { particles: 2, smc_steps: 2, ..EstimatorSettings::new(kind) };
            let settings = Settings { estimator, max_meeting: 1000, seed: 5, ..Settings::default() };
            let estimator = gradient::estimator(&settings);
            let model = &model;
            (0..40).map(move |first_chain| {
                let visible = Matrix::from_vec(1, 4, vec![1.0; 4]);
                let batch = Batch { chains: vec![first_chain], ..Batch::new(visible, Streams::new(5)) };
                estimator.estimate(model, &batch, &|| 0.0).info.negative
            })
        };
        for (pair, info) in some.iter().zip(of(EstimatorKind::UcdSmc)) {
            assert_eq!((vec![pair.meeting.time], pair.steps.len() as u64), (info.meeting_times, info.proposals));
            let accepted = pair.steps.iter().zip(1..).filter(|(step, t)| step.accepted(*t)[0]).count();
            assert_eq!(accepted as u64, info.accepted);
        }
        for (pair, info) in some.iter().zip(of(EstimatorKind::UcdLmi)) {
            assert_eq!(vec![pair.uniform.time], info.meeting_times);
        }
    }

    /// The first runs alone are not right on average.
    #[test]
    fn the_corrected_picture_is_right_on_average() {
        let model = init::gaussian(&[4, 3, 2], Units::Bits, 2.5, 3).unwrap().with_backend(crate::Backend::Plain);
        let all = RunPairs { steps: 1, ..pairs() }.run(&model, None, 0..20_000, &mut |_, _| ()).unwrap();
        let exact = exact::marginals(&model, &[None; 4]).unwrap().swap_remove(0);
        let MeanCorrection { first, correction, size, chance } = MeanCorrection::of(&all);
        let far = |means: &mut dyn Iterator<Item = f64>| {
            (means.zip(&exact).map(|(mean, exact)| (mean - exact).powi(2)).sum::<f64>() / exact.len() as f64).sqrt()
        };
        let (alone, corrected) =
            (far(&mut first.iter().copied()), far(&mut first.iter().zip(&correction).map(|(first, more)| first + more)));
        assert!(corrected < 3.0 * chance && size > 5.0 * chance && alone > 5.0 * chance, "{alone} {corrected} {size} {chance}");
    }

    #[test]
    fn a_cap_is_told_and_nonsense_refused() {
        let model = model(Units::Signs);
        let cut = RunPairs { cap: 1, ..pairs() }.run(&model, None, 0..60, &mut |_, _| ()).unwrap();
        assert!(cut.iter().any(|pair| pair.meeting == Meeting { time: 1, capped: true }));
        let refused = |change: fn(&mut RunPairs)| {
            let mut pairs = pairs();
            change(&mut pairs);
            pairs.run(&model, None, 0..1, &mut |_, _| ()).unwrap_err().to_string()
        };
        assert!(refused(|pairs| pairs.particles = 1).contains("particles"));
        assert!(refused(|pairs| pairs.steps = 0).contains("steps"));
        assert!(refused(|pairs| pairs.cap = 1001).contains("1 to 1000"));
        assert!(refused(|pairs| pairs.path = SmcPath::Past).contains("ladder"));
    }
}
