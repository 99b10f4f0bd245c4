//! How a model is created and trained, by `train` and within `impute`.

use crate::args::choice;
use crate::context::Context;
use crate::given::{Given, Options};
use crate::pretraining::{PretrainArgs, pretrained};
use clap::Args;
use dbm_core::gradient::{EstimatorKind, EstimatorSettings};
use dbm_core::settings::{Initialization, RunPlan, Setting, StartKind};
use dbm_core::signals::Signals;
use dbm_core::words::Choose;
use dbm_core::{Backend, Dbm, Examples, Host, Settings, StepInfo, Trainer, Units, init};
use dbm_engine::Begun;
use dbm_experiments::Error;
use dbm_experiments::say;
use dbm_experiments::steps::{line, message};
use dbm_experiments::training::{RunBackend, Training};

/// Steps between two looks at the signals, and the number of examples in each look.
const LOOK_STEPS: u64 = 100;
const LOOK_EXAMPLES: usize = 200;

/// Settings of `train`: all of them.
#[derive(Clone)]
pub struct OfTrain;

impl Options for OfTrain {}

/// How a model is created and trained, by a command with these options.
#[derive(Args)]
pub struct Learning<O: Options = OfTrain> {
    #[arg(long, help = hidden_help::<O>(), value_delimiter = ',', value_name = "N,N")]
    pub hidden: Option<Vec<u32>>,
    /// Standard deviation of Gaussian initial weights, instead of orthogonal ones, or of the 0.001 that ptt begins with
    #[arg(long, value_name = "DEVIATION")]
    gaussian: Option<f64>,
    #[command(flatten)]
    pretraining: PretrainArgs,
    #[command(flatten)]
    given: Given<O>,
    #[arg(long, help = estimators(&O::usual()), value_name = "[centered-]NAME[-K]")]
    estimator: Option<EstimatorSettings>,
    /// Leave out the variance reduction by marginalization
    #[arg(long)]
    no_marginalize: bool,
    #[arg(long, help = RunBackend::WORDS.help, value_parser = choice::<RunBackend>(), default_value = "fast")]
    pub backend: RunBackend,
}

/// The default of `--hidden`.
fn hidden_help<O: Options>() -> String {
    let usual = Setting::Hidden.text(&O::usual()).replace(", ", ",");
    let usual = O::usual_in_words(Setting::Hidden).unwrap_or(&usual);
    format!("Sizes of the hidden layers, first to last [default: {usual}]")
}

/// The estimators by name, with what each does, for the help.
fn estimators(usual: &RunPlan) -> String {
    let each = EstimatorKind::ALL.map(|kind| {
        let sweeps = if kind.has(Setting::K) { "-K" } else { "" };
        format!("{}{sweeps}: {}", kind.name(), kind.descriptor().summary)
    });
    format!(
        "What estimates the gradient; K is a number of Gibbs sweeps, and centered- before a name asks for the centered parametrization \
         [default: {}]\n- {}",
        usual.settings.estimator,
        each.join("\n- ")
    )
}

impl<O: Options> Learning<O> {
    /// Whether the command line says anything about training.
    pub fn is_given(&self) -> bool {
        let Self { hidden, gaussian, pretraining, given, estimator, no_marginalize, backend } = self;
        let of_model = hidden.is_some() || gaussian.is_some() || pretraining.start().is_some();
        let usual = *backend == RunBackend::Processor(Backend::default());
        of_model || estimator.is_some() || *no_marginalize || !usual || !given.is_empty()
    }

    /// The kind of units, if given on the command line.
    pub fn units(&self) -> Option<Units> {
        let mut plan = RunPlan::default();
        self.given.put(&mut plan);
        Some(plan.units).filter(|_| self.given.has(Setting::Units))
    }

    /// `base` with the values of the command line.
    pub fn settings(&self, base: Settings) -> Settings {
        let mut plan = RunPlan { settings: base, ..RunPlan::default() };
        self.given.put(&mut plan);
        let mut s = plan.settings;
        if let Some(EstimatorSettings { kind, k, centering, .. }) = self.estimator {
            (s.estimator.kind, s.estimator.k, s.estimator.centering) = (kind, k, centering);
        }
        s.marginalize &= !self.no_marginalize;
        s
    }

    /// A run at its first step, or after pretraining, of a model with these hidden layers unless the command line gives others.
    pub fn begin(&self, data: &Examples, base: Settings, hidden: &[u32], context: &Context) -> Result<Trainer, Error> {
        let settings = self.settings(base);
        let hidden = self.hidden.as_deref().unwrap_or(hidden).to_vec();
        let start = self.start(settings.estimator.kind)?;
        let plan = RunPlan { hidden, units: self.units().unwrap_or_default(), start, settings };
        let session = &context.session;
        Ok(match dbm_engine::begin(&plan, data, session, |footprint| session.memory.check(footprint))? {
            // Where a ladder begins, with another deviation.
            Begun::Training(run) if plan.start == Initialization::Independent && self.gaussian.is_some() => {
                let (deviation, seed) = (self.gaussian.unwrap_or_default(), plan.settings.seed);
                Trainer::new(init::of_data(run.model().sizes(), plan.units, deviation, seed, data)?, plan.settings)?
            }
            Begun::Training(run) => *run,
            Begun::Pretraining(run) => {
                let model = pretrained(run.with_backend(self.backend.on_processor()), data, context)?;
                Trainer::new(model, plan.settings)?
            }
        })
    }

    /// The initial parameters: as requested, or as suits the estimator.
    fn start(&self, estimator: EstimatorKind) -> Result<Initialization, Error> {
        let has_ladder = estimator.descriptor().has_ladder;
        Ok(match (self.pretraining.start(), self.gaussian) {
            (Some(start), _) => start,
            (None, Some(deviation)) if !(deviation > 0.0 && deviation <= 10.0) => {
                return Err(Error::Usage(format!("--gaussian should be above 0 and at most 10, but is {deviation}")));
            }
            (None, _) if has_ladder => Initialization::of_kind(StartKind::Independent),
            (None, Some(deviation)) => Initialization::Gaussian { deviation },
            (None, None) => Initialization::Orthogonal,
        })
    }
}

/// The results of training.
pub struct Trained {
    /// Its seconds, without those of looking at the signals.
    pub seconds: f64,
    /// The last step; the default if there was none.
    pub latest: StepInfo,
    /// The last look.
    pub seen: Option<Signals>,
}

/// Continues a run up to a step, with progress reports. `keep` receives the run after each step.
///
/// # Errors
/// Those of [`Training::step`], and of `keep`.
pub fn train(
    run: &mut Training,
    steps: u64,
    data: &Examples,
    context: &Context,
    mut keep: impl FnMut(&mut Training) -> Result<(), Error>,
) -> Result<Trained, Error> {
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
            // If a GPU has just failed, this step is repeated, and looked at then.
            if run.steps() == latest.step {
                seen = Some(run.with_averaged_model(session, look)?);
            }
        }
        if latest.step.is_multiple_of(20) || latest.step == steps {
            if *json {
                say!("{}", line("step", &latest, seen.as_ref()));
            } else {
                session.progress.message(message(&latest, seen.as_ref()));
            }
        }
        keep(run)?;
    }
    session.progress.end();
    Ok(Trained { seconds, latest, seen })
}
