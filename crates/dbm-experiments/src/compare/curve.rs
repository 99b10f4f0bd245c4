//! One run of one estimator, and its exact log-likelihood over time.

use super::spec::Spec;
use crate::Error;
use dbm_core::gradient::{EstimatorSettings, PhaseInfo};
use dbm_core::pretrain::{PretrainSettings, Pretrainer};
use dbm_core::{Backend, Dbm, DbmError, Examples, Host, Settings, StepInfo, Trainer, Units, exact, init};

/// What all runs have in common.
pub struct Plan<'a> {
    /// The training data of all runs.
    pub data: &'a Examples,
    /// Sizes of all layers, the visible one first.
    pub sizes: Vec<usize>,
    /// Units of the model.
    pub units: Units,
    /// Kernels of the model.
    pub backend: Backend,
    /// Settings except the seed and the estimator, which differ between runs and use the caps given here.
    pub settings: Settings,
    /// The start, except its seed.
    pub pretraining: PretrainSettings,
    /// Steps after which the likelihood is computed: increasing, from 0 to the last. Steps of pretraining count.
    pub points: Vec<u64>,
}

/// The couplings of a run so far, of both phases.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Couplings {
    pub count: u64,
    pub capped: u64,
    pub time: u64,
}

impl Couplings {
    /// Share of couplings cut off at the cap; `None` if there were no couplings.
    pub fn capped_share(&self) -> Option<f64> {
        (self.count > 0).then(|| self.capped as f64 / self.count as f64)
    }

    /// Mean of tau, where a coupling cut off at the cap counts with the cap; `None` if there were no couplings.
    pub fn mean_time(&self) -> Option<f64> {
        (self.count > 0).then(|| self.time as f64 / self.count as f64)
    }
}

/// A run at one of the plan's points.
#[derive(Clone, Debug, PartialEq)]
pub struct CurvePoint {
    pub step: u64,
    /// Exact mean of log p(v) over the examples, in nats.
    pub log_likelihood: f64,
    /// Seconds of training alone, without the likelihood.
    pub seconds: f64,
    pub couplings: Couplings,
}

/// How often each cap, except that of couplings, was reached in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Caps {
    pub searches: u64,
    pub tries: u64,
    pub mean_field: u64,
}

/// One run of one estimator.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Seed of the run.
    pub seed: u64,
    /// At least one.
    pub points: Vec<CurvePoint>,
    /// How often caps were reached.
    pub caps: Caps,
    /// The step at which the run diverged, which ended it.
    pub diverged: Option<u64>,
}

impl Curve {
    /// The last point of the curve.
    ///
    /// # Panics
    /// If the curve has no points; every trained curve has its start.
    pub fn end(&self) -> &CurvePoint {
        self.points.last().expect("a curve has its start at least")
    }

    fn note(&mut self, couplings: &mut Couplings, info: &StepInfo) {
        for PhaseInfo { meeting_times, couplings_capped, searches_capped, tries_capped, mean_field_capped, .. } in
            [&info.info.positive, &info.info.negative]
        {
            couplings.count += meeting_times.len() as u64;
            couplings.capped += u64::from(*couplings_capped);
            couplings.time += meeting_times.iter().map(|&time| u64::from(time)).sum::<u64>();
            self.caps.searches += u64::from(*searches_capped);
            self.caps.tries += u64::from(*tries_capped);
            self.caps.mean_field += u64::from(*mean_field_capped);
        }
    }
}

/// The progress of a run.
enum CurveStage {
    Pretraining(Box<Pretrainer>),
    Training(Box<Trainer>),
}

impl CurveStage {
    fn model(&self) -> Dbm {
        match self {
            Self::Pretraining(run) => run.model(),
            Self::Training(run) => run.model().clone(),
        }
    }
}

impl Plan<'_> {
    /// Steps of a run.
    pub fn steps(&self) -> u64 {
        self.points.last().copied().unwrap_or_default()
    }

    /// The orthogonal start of this seed, shared by all estimators that are not pretrained.
    ///
    /// # Errors
    /// Sizes that make no model.
    pub fn start(&self, seed: u64) -> Result<Dbm, DbmError> {
        Ok(init::orthogonal(&self.sizes, self.units, seed)?.with_backend(self.backend))
    }

    /// Creates the trainer of `spec` with this seed.
    pub fn settings(&self, spec: &Spec, seed: u64) -> Settings {
        let EstimatorSettings { max_tries, mean_field_sweeps, .. } = self.settings.estimator;
        let estimator = EstimatorSettings { max_tries, mean_field_sweeps, ..spec.estimator.clone() };
        Settings { seed, estimator, ..self.settings.clone() }
    }

    /// Trains `spec` with this seed, and calls `tick` for each step. Which host runs it only affects the seconds.
    ///
    /// # Errors
    /// Those of the core for settings and sizes; a run that diverges is not an error.
    pub fn follow(&self, spec: &Spec, seed: u64, host: &impl Host, tick: impl Fn()) -> Result<Curve, Error> {
        let settings = self.settings(spec, seed);
        let mut stage = if spec.pretrained {
            let pretraining = PretrainSettings { seed, ..self.pretraining.clone() };
            let run = Pretrainer::new(&self.sizes, self.units, pretraining)?.with_backend(self.backend);
            CurveStage::Pretraining(Box::new(run))
        } else {
            CurveStage::Training(Box::new(Trainer::new(self.start(seed)?, settings.clone())?))
        };
        let mut curve = Curve { seed, points: vec![], caps: Caps::default(), diverged: None };
        let (mut step, mut seconds, mut couplings) = (0, 0.0, Couplings::default());
        for &point in &self.points {
            while step < point {
                let started = host.now();
                let done = match &mut stage {
                    CurveStage::Pretraining(run) => run.step(self.data).map(|()| StepInfo::default()),
                    CurveStage::Training(run) => run.step(self.data, host),
                };
                seconds += host.now() - started;
                match done {
                    Ok(info) => curve.note(&mut couplings, &info),
                    Err(DbmError::Diverged { .. }) => {
                        curve.diverged = Some(step);
                        return Ok(curve);
                    }
                    Err(other) => return Err(other.into()),
                }
                step += 1;
                tick();
                if let CurveStage::Pretraining(run) = &stage
                    && run.is_done()
                {
                    stage = CurveStage::Training(Box::new(Trainer::new(run.model(), settings.clone())?));
                }
            }
            let log_likelihood = exact::log_likelihood(&stage.model(), self.data)?;
            curve.points.push(CurvePoint { step, log_likelihood, seconds, couplings });
        }
        Ok(curve)
    }
}

/// Steps after which the likelihood is computed: 0, every `every`-th step and the last; without `every`, steps that grow by about a quarter
/// each, 35 up to step 3000 and 5 more for each factor of 3.
pub fn points(steps: u64, every: Option<u64>) -> Vec<u64> {
    let next = |&step: &u64| every.map_or_else(|| (step + 1).max(step + step / 4), |every| step.saturating_add(every));
    let mut points: Vec<u64> = std::iter::successors(Some(0), |step| Some(next(step))).take_while(|&step| step < steps).collect();
    points.push(steps);
    points
}

#[cfg(test)]
mod tests {
    use super::points;

    #[test]
    fn from_0_to_the_last_step_without_repeats() {
        assert_eq!(points(10, Some(4)), [0, 4, 8, 10]);
        assert_eq!(points(8, Some(4)), [0, 4, 8]);
        assert_eq!(points(12, None), [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12]);
        assert_eq!(points(1, Some(u64::MAX)), [0, 1]);
        for steps in 1..200 {
            assert!(points(steps, None).windows(2).all(|pair| pair[0] < pair[1]), "{steps}");
        }
        assert!((30..45).contains(&points(3000, None).len()));
    }
}
