//! How a model is made and trained, by `train` and on the way by `impute`.

use crate::args::{choice, set};
use crate::context::Context;
use crate::pretraining::{PretrainArgs, pretrained};
use clap::Args;
use dbm_core::gradient::{EstimatorKind, EstimatorSettings, SmcPath};
use dbm_core::mask::Masks;
use dbm_core::signals::Signals;
use dbm_core::words::{Choose, Setting};
use dbm_core::{Dbm, Examples, Footprint, Host, OptimizerMethod, Settings, StepInfo, Trainer, Units, init};
use dbm_experiments::Error;
use dbm_experiments::steps::{line, message};
use dbm_experiments::training::{RunBackend, Training};

/// Steps between two looks at the signals, and how many examples each takes.
const LOOK_STEPS: u64 = 100;
const LOOK_EXAMPLES: usize = 200;

/// How an estimator goes about an estimate, whatever its name.
#[derive(Args)]
pub struct EstimateArgs {
    #[arg(long, help = usual(Setting::MaxSweeps.words().help, "1000"), value_name = "SWEEPS")]
    max_sweeps: Option<u32>,
    #[arg(long, help = usual(Setting::MaxMeeting.words().help, "100000; of compare 1000: on a peaked model one could take for ever"), value_name = "STEPS")]
    max_meeting: Option<u32>,
    /// Most tries of one draw from a residual distribution, with ucd-gibbs [default: 10000]
    #[arg(long, value_name = "TRIES")]
    max_tries: Option<u32>,
    #[arg(long, help = usual(Setting::Particles.words().help, "100"), value_name = "N")]
    particles: Option<u32>,
    #[arg(long, help = usual(Setting::SmcSteps.words().help, "50"), value_name = "K")]
    smc_steps: Option<u32>,
    #[arg(long, help = usual(SmcPath::WORDS.help, "temperatures"), value_parser = choice::<SmcPath>())]
    path: Option<SmcPath>,
    #[arg(long, help = usual(Setting::AverageFrom.words().help, "0"), value_name = "k")]
    average_from: Option<u32>,
    #[arg(long, help = usual(Setting::AverageTo.words().help, "0"), value_name = "m")]
    average_to: Option<u32>,
    #[arg(long, help = usual(Setting::LadderEvery.words().help, "10"), value_name = "STEPS")]
    ladder_every: Option<u32>,
    /// Longest mean-field iteration, in sweeps, with pcd [default: 100]
    #[arg(long, value_name = "SWEEPS")]
    mean_field_sweeps: Option<u32>,
}

impl EstimateArgs {
    /// `base` with what the command line says.
    pub fn settings(&self, base: Settings) -> Settings {
        let mut s = base;
        set(&mut s.estimator.max_tries, self.max_tries);
        set(&mut s.estimator.particles, self.particles);
        set(&mut s.estimator.smc_steps, self.smc_steps);
        set(&mut s.estimator.path, self.path);
        set(&mut s.estimator.average_from, self.average_from);
        set(&mut s.estimator.average_to, self.average_to);
        set(&mut s.estimator.ladder_every, self.ladder_every);
        set(&mut s.estimator.mean_field_sweeps, self.mean_field_sweeps);
        set(&mut s.max_sweeps, self.max_sweeps);
        set(&mut s.max_meeting, self.max_meeting);
        s
    }
}

/// What the steps of a run go by, whatever its estimator.
#[derive(Args)]
pub struct StepArgs {
    #[arg(long, help = usual(OptimizerMethod::WORDS.help, "adam"), value_parser = choice::<OptimizerMethod>())]
    optimizer: Option<OptimizerMethod>,
    #[arg(long, help = usual(Setting::LearningRate.words().help, "0.001; of impute 0.002"))]
    lr: Option<f64>,
    #[arg(long, help = usual(Setting::RateDecay.words().help, "0, which keeps it constant; of impute all its steps"), value_name = "STEPS")]
    lr_decay: Option<u64>,
    #[arg(long, help = usual(Setting::Momentum.words().help, "0"))]
    momentum: Option<f64>,
    #[arg(long, help = usual(Setting::Batch.words().help, "100"))]
    batch: Option<usize>,
    #[command(flatten)]
    estimates: EstimateArgs,
}

impl StepArgs {
    /// `base` with what the command line says.
    pub fn settings(&self, base: Settings) -> Settings {
        let mut s = self.estimates.settings(base);
        set(&mut s.optimizer.method, self.optimizer);
        set(&mut s.optimizer.learning_rate, self.lr);
        set(&mut s.optimizer.decay_steps, self.lr_decay);
        set(&mut s.optimizer.momentum, self.momentum);
        set(&mut s.batch, self.batch);
        s
    }
}

#[derive(Args)]
pub struct Learning {
    /// Sizes of the hidden layers, first to last [default: 1000,500; of impute one of 4 units for each visible one, 32 to 500]
    #[arg(long, value_delimiter = ',', value_name = "N,N")]
    pub hidden: Option<Vec<usize>>,
    #[arg(long, help = usual(Units::WORDS.help, "signs"), value_parser = choice::<Units>())]
    pub units: Option<Units>,
    /// Standard deviation of Gaussian initial weights, in place of orthogonal ones, or of the 0.001 that ptt begins with
    #[arg(long, value_name = "DEVIATION")]
    gaussian: Option<f64>,
    #[command(flatten)]
    pretraining: PretrainArgs,
    #[command(flatten)]
    steps: StepArgs,
    #[arg(long, help = estimators(), value_name = "[centered-]NAME[-K]")]
    estimator: Option<EstimatorSettings>,
    #[arg(long, help = usual(Setting::WeightDecay.words().help, "0"), value_name = "STRENGTH")]
    weight_decay: Option<f64>,
    /// Keep an average of the weights with this decay, and sample from it [default: none]
    #[arg(long, value_name = "DECAY")]
    average: Option<f64>,
    /// Share of the batch that trains completion: the gradient of log p(unknown | known) for random masks [default: 0]
    #[arg(long, value_name = "SHARE")]
    conditional: Option<f64>,
    #[arg(long, help = usual(Masks::WORDS.help, "mixed"), value_parser = choice::<Masks>())]
    masks: Option<Masks>,
    /// Leave out the variance reduction by marginalization
    #[arg(long)]
    no_marginalize: bool,
    /// Gibbs sweeps from the mode to where the estimate begins, with ucd-lmi and lmi [default: 1, as in the paper]
    #[arg(long, value_name = "SWEEPS")]
    mode_sweeps: Option<u32>,
    #[arg(long, help = RunBackend::WORDS.help, value_parser = choice::<RunBackend>(), default_value = "fast")]
    pub backend: RunBackend,
}

/// The estimators by their names and what each does, for help.
fn estimators() -> String {
    let each = EstimatorKind::ALL.map(|kind| {
        let sweeps = if kind.has(Setting::K) { "-K" } else { "" };
        format!("{}{sweeps}: {}", kind.name(), kind.descriptor().summary)
    });
    format!(
        "What estimates the gradient; K is a number of Gibbs sweeps, and centered- before a name asks for the centered parametrization \
         [default: ucd-lmi; of impute cd-5]\n- {}",
        each.join("\n- ")
    )
}

/// Help from the table of settings, with what is usual.
fn usual(help: &str, default: &str) -> String {
    format!("{} [default: {default}]", help.trim_end_matches('.'))
}

impl Learning {
    /// `base` with what the command line says.
    pub fn settings(&self, base: Settings) -> Settings {
        let mut s = self.steps.settings(base);
        set(&mut s.optimizer.weight_decay, self.weight_decay);
        if let Some(EstimatorSettings { kind, k, centering, .. }) = self.estimator {
            (s.estimator.kind, s.estimator.k, s.estimator.centering) = (kind, k, centering);
        }
        set(&mut s.estimator.mode_sweeps, self.mode_sweeps);
        set(&mut s.conditional, self.conditional);
        set(&mut s.masks, self.masks);
        if self.average.is_some() {
            s.average = self.average;
        }
        s.marginalize &= !self.no_marginalize;
        s
    }

    /// A run at its first step, or after pretraining, of a model with these hidden layers where the command line names no others.
    pub fn begin(&self, data: &Examples, base: Settings, hidden: &[usize], context: &Context) -> Result<Trainer, Error> {
        let settings = self.settings(base);
        let units = self.units.unwrap_or_default();
        let hidden = self.hidden.as_deref().unwrap_or(hidden);
        let classes = Some(settings.classes).filter(|&classes| classes > 0);
        let sizes: Vec<usize> = std::iter::once(data.width()).chain(hidden.iter().copied()).chain(classes).collect();
        settings.check(data.width())?;
        let pretraining = self.pretraining.settings(&settings);
        let footprint = Footprint::of_data(&sizes, &settings, data, context.session.threads());
        context.session.memory.check(&match &pretraining {
            Some(pretraining) => footprint.max(Footprint::of_pretraining(&sizes, pretraining, data)),
            None => footprint,
        })?;
        let model = match (self.gaussian, pretraining) {
            (_, Some(pretraining)) => pretrained(&sizes, units, pretraining, self.backend.on_processor(), data, context)?,
            (deviation, None) if settings.estimator.kind.descriptor().has_ladder => {
                init::of_data(&sizes, units, checked(deviation.unwrap_or(init::NEARLY_INDEPENDENT))?, settings.seed, data)?
            }
            (None, None) => init::orthogonal_on(&context.session, &sizes, units, settings.seed)?,
            (Some(deviation), None) => init::gaussian(&sizes, units, checked(deviation)?, settings.seed)?,
        };
        Ok(Trainer::new(model, settings)?)
    }
}

/// A deviation of initial weights.
fn checked(deviation: f64) -> Result<f64, Error> {
    if deviation > 0.0 && deviation <= 10.0 {
        Ok(deviation)
    } else {
        Err(Error::Usage(format!("--gaussian should be above 0 and at most 10, but is {deviation}")))
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
pub fn train(run: &mut Training, steps: u64, data: &Examples, context: &Context) -> Result<Trained, Error> {
    let Context { session, json } = context;
    session.progress.begin("steps", steps);
    session.progress.resume(run.steps());
    let (mut seconds, mut latest, mut seen) = (0.0, StepInfo::default(), None);
    while run.steps() < steps {
        let started = session.now();
        latest = run.step(data, session)?;
        seconds += session.now() - started;
        session.progress.advance(1);
        if latest.step.is_multiple_of(LOOK_STEPS) || latest.step == steps {
            let run = run.kept(session)?;
            let seed = run.settings().seed;
            let look = |model: &Dbm| Signals::of(model, data, LOOK_EXAMPLES, seed, latest.step);
            // Where a GPU has failed just now, this step is made again, and looked at then.
            if run.steps() == latest.step {
                seen = Some(run.with_averaged_model(session, look)?);
            }
        }
        if latest.step.is_multiple_of(20) || latest.step == steps {
            if *json {
                println!("{}", line("step", &latest, seen.as_ref()));
            } else {
                session.progress.message(message(&latest, seen.as_ref()));
            }
        }
    }
    session.progress.end();
    Ok(Trained { seconds, latest, seen })
}
