//! How a model is made and trained, by `train` and on the way by `impute`.

use crate::error::CliError;
use crate::memory::Limit;
use crate::options::{BackendKind, MaskKind, OptimizerKind, UnitKind, set};
use crate::pretraining::{PretrainArgs, pretrained};
use crate::progress::steps_bar;
use crate::report::{line, message};
use crate::threads::Threads;
use clap::Args;
use dbm_core::gradient::EstimatorSettings;
use dbm_core::signals::Signals;
use dbm_core::{Dbm, Examples, Footprint, Host, Settings, StepInfo, Trainer, Units, init};

/// Steps between two looks at the signals, and how many examples each takes.
const LOOK_STEPS: u64 = 100;
const LOOK_EXAMPLES: usize = 200;

#[derive(Args)]
pub struct Learning {
    /// Sizes of the hidden layers, first to last [default: 1000,500; of impute one of 4 units for each visible one, 32 to 500]
    #[arg(long, value_delimiter = ',', value_name = "N,N")]
    pub hidden: Option<Vec<usize>>,
    /// {-1,+1} or {0,1} [default: signs]
    #[arg(long, value_enum)]
    units: Option<UnitKind>,
    /// Standard deviation of Gaussian initial weights, in place of orthogonal ones
    #[arg(long, value_name = "DEVIATION")]
    gaussian: Option<f64>,
    #[command(flatten)]
    pretraining: PretrainArgs,
    /// What estimates the gradient: ucd-lmi, ucd-mh, ucd-gibbs, lmi, cd-K, pcd-K or pcd-gibbs-K (K Gibbs sweeps), with centered- before
    /// it for the centered parametrization [default: ucd-lmi; of impute cd-5]
    #[arg(long, value_name = "[centered-]NAME[-K]")]
    estimator: Option<EstimatorSettings>,
    #[arg(long, value_enum, help = "[default: adam]")]
    optimizer: Option<OptimizerKind>,
    /// Learning rate [default: 0.001; of impute 0.002]
    #[arg(long)]
    lr: Option<f64>,
    /// The rate falls linearly to zero over this many steps [default: 0, which keeps it constant; of impute all its steps]
    #[arg(long, value_name = "STEPS")]
    lr_decay: Option<u64>,
    /// SGD's momentum [default: 0]
    #[arg(long)]
    momentum: Option<f64>,
    /// L2 penalty on the weights [default: 0]
    #[arg(long, value_name = "STRENGTH")]
    weight_decay: Option<f64>,
    /// Keep an average of the weights with this decay, and sample from it [default: none]
    #[arg(long, value_name = "DECAY")]
    average: Option<f64>,
    /// Examples a step [default: 100]
    #[arg(long)]
    batch: Option<usize>,
    /// Share of the batch that trains completion: the gradient of log p(unknown | known) for random masks [default: 0]
    #[arg(long, value_name = "SHARE")]
    conditional: Option<f64>,
    /// Which masks: half planes, boxes, single pixels, or three in five, one in five and one in five of them [default: mixed]
    #[arg(long, value_enum)]
    masks: Option<MaskKind>,
    /// Leave out the variance reduction by marginalization
    #[arg(long)]
    no_marginalize: bool,
    /// Longest local search, in sweeps [default: 1000]
    #[arg(long, value_name = "SWEEPS")]
    max_sweeps: Option<u32>,
    /// Longest coupling, in steps [default: 100000]
    #[arg(long, value_name = "STEPS")]
    max_meeting: Option<u32>,
    /// Gibbs sweeps from the mode to where the estimate begins, with ucd-lmi and lmi [default: 1, as in the paper]
    #[arg(long, value_name = "SWEEPS")]
    mode_sweeps: Option<u32>,
    /// Most tries of one draw from a residual distribution, with ucd-gibbs [default: 10000]
    #[arg(long, value_name = "TRIES")]
    max_tries: Option<u32>,
    /// Longest mean-field iteration, in sweeps, with pcd [default: 100]
    #[arg(long, value_name = "SWEEPS")]
    mean_field_sweeps: Option<u32>,
    /// Which kernels compute; `plain` gives the same bits on every machine, slowly
    #[arg(long, value_enum, default_value = "fast")]
    pub backend: BackendKind,
}

impl Learning {
    pub fn units(&self) -> Option<Units> {
        self.units.map(Units::from)
    }

    /// `base` with what the command line says.
    pub fn settings(&self, base: Settings) -> Settings {
        let mut s = base;
        let o = &mut s.optimizer;
        set(&mut o.method, self.optimizer.map(Into::into));
        set(&mut o.learning_rate, self.lr);
        set(&mut o.decay_steps, self.lr_decay);
        set(&mut o.momentum, self.momentum);
        set(&mut o.weight_decay, self.weight_decay);
        let e = &mut s.estimator;
        if let Some(EstimatorSettings { kind, k, centering, .. }) = self.estimator {
            (e.kind, e.k, e.centering) = (kind, k, centering);
        }
        set(&mut e.mode_sweeps, self.mode_sweeps);
        set(&mut e.max_tries, self.max_tries);
        set(&mut e.mean_field_sweeps, self.mean_field_sweeps);
        set(&mut s.batch, self.batch);
        set(&mut s.conditional, self.conditional);
        set(&mut s.masks, self.masks.map(Into::into));
        set(&mut s.max_sweeps, self.max_sweeps);
        set(&mut s.max_meeting, self.max_meeting);
        if self.average.is_some() {
            s.average = self.average;
        }
        s.marginalize &= !self.no_marginalize;
        s
    }

    /// A run at its first step, or after pretraining, of a model with these hidden layers where the command line names no others.
    pub fn begin(
        &self,
        data: &Examples,
        base: Settings,
        hidden: &[usize],
        threads: &Threads,
        memory: &Limit,
        json: bool,
    ) -> Result<Trainer, CliError> {
        let settings = self.settings(base);
        let units = self.units().unwrap_or_default();
        let hidden = self.hidden.as_deref().unwrap_or(hidden);
        let sizes: Vec<usize> = std::iter::once(data.width()).chain(hidden.iter().copied()).collect();
        settings.check(data.width())?;
        let pretraining = self.pretraining.settings(&settings);
        let footprint = Footprint::of_data(&sizes, &settings, data, threads.count());
        memory.check(&match &pretraining {
            Some(pretraining) => footprint.max(Footprint::of_pretraining(&sizes, pretraining, data)),
            None => footprint,
        })?;
        let model = match (self.gaussian, pretraining) {
            (_, Some(pretraining)) => pretrained(&sizes, units, pretraining, self.backend.into(), data, threads, json)?,
            (None, None) => init::orthogonal_on(threads, &sizes, units, settings.seed)?,
            (Some(deviation), None) if deviation > 0.0 && deviation <= 10.0 => {
                init::gaussian(&sizes, units, deviation, settings.seed)?
            }
            (Some(other), None) => {
                return Err(CliError::Usage(format!("--gaussian should be above 0 and at most 10, but is {other}")));
            }
        };
        Ok(Trainer::new(model, settings)?)
    }
}

/// What training did.
pub struct Trained {
    /// Its seconds, without those of looking at the signals.
    pub seconds: f64,
    /// The last step; the default where there was none.
    pub latest: StepInfo,
    /// The last look.
    pub seen: Option<Signals>,
}

/// Goes on with a run up to a step, its progress shown.
pub fn train(run: &mut Trainer, steps: u64, data: &Examples, threads: &Threads, json: bool) -> Result<Trained, CliError> {
    let bar = steps_bar(steps, json);
    bar.set_position(run.steps());
    bar.reset_eta();
    let (mut seconds, mut latest, mut seen) = (0.0, StepInfo::default(), None);
    while run.steps() < steps {
        let started = threads.now();
        latest = run.step(data, threads)?;
        seconds += threads.now() - started;
        bar.set_position(latest.step);
        if latest.step.is_multiple_of(LOOK_STEPS) || latest.step == steps {
            let seed = run.settings().seed;
            let look = |model: &Dbm| Signals::of(model, data, LOOK_EXAMPLES, seed, latest.step);
            seen = Some(run.with_averaged_model(threads, look)?);
        }
        if latest.step.is_multiple_of(20) || latest.step == steps {
            if json {
                println!("{}", line("step", &latest, seen.as_ref()));
            } else {
                bar.set_message(message(&latest, seen.as_ref()));
            }
        }
    }
    bar.finish_and_clear();
    Ok(Trained { seconds, latest, seen })
}
