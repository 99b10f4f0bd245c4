//! `dbm compare`.

use crate::args::{DataArgs, choice};
use crate::context::Context;
use crate::given::{Given, Options};
use crate::output::Files;
use clap::Args;
use dbm_core::pretrain::PretrainSettings;
use dbm_core::settings::{Group, RunPlan, Setting};
use dbm_core::words::Choose;
use dbm_core::{Backend, Examples, Host, Settings, Units};
use dbm_experiments::compare::{Comparison, Plan, Spec, points};
use dbm_experiments::data::{Split, without_gaps};
use dbm_experiments::say;
use dbm_experiments::{Error, Report};
use serde_json::json;
use std::path::PathBuf;

/// The default of `--estimators`.
const ESTIMATORS: &str =
    "ucd-lmi,ucd-mh,ucd-gibbs,lmi,cd-1,cd-10,pcd-1,pcd-gibbs-1,centered-pcd-1,centered-ucd-lmi,pretrained-pcd-1";

/// On a peaked model a coupling could take for ever: it is cut off after this many steps. Couplings that are cut off are counted, and
/// biased.
const MAX_MEETING: u32 = 1000;

/// Settings of the estimators and of the steps, shared by all runs.
#[derive(Clone)]
pub struct OfCompare;

impl Options for OfCompare {
    fn has(setting: Setting) -> bool {
        let of_steps = [Setting::Optimizer, Setting::LearningRate, Setting::RateDecay, Setting::Momentum, Setting::Batch];
        [Group::Estimator, Group::Limits].contains(&setting.group()) || of_steps.contains(&setting)
    }

    fn usual() -> RunPlan {
        let settings = Settings { max_meeting: MAX_MEETING, ..Settings::default() };
        RunPlan { settings, ..RunPlan::default() }
    }
}

#[derive(Args)]
pub struct Compare {
    #[command(flatten)]
    data: DataArgs,
    /// Sizes of the hidden layers, first to last; the odd or the even layers may have at most 24 units together
    #[arg(long, value_delimiter = ',', value_name = "N,N", default_value = "12,6")]
    hidden: Vec<usize>,
    #[arg(long, help = Units::WORDS.help, value_parser = choice::<Units>(), default_value = "signs")]
    units: Units,
    /// What to compare: estimators as in `dbm train`, with the prefix pretrained- for a start by greedy layer-wise pretraining
    #[arg(long, value_delimiter = ',', value_name = "[pretrained-][centered-]NAME[-K],…", default_value = ESTIMATORS)]
    estimators: Vec<Spec>,
    /// Runs of each
    #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: u64,
    /// The first seed; the others follow it
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Steps of each run, including pretraining
    #[arg(long, default_value_t = 3000, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    steps: u64,
    /// Compute the likelihood at this interval of steps [default: at about 40 steps, each a quarter beyond the one before]
    #[arg(long, value_name = "STEPS", value_parser = clap::value_parser!(u64).range(1..))]
    every: Option<u64>,
    #[command(flatten)]
    given: Given<OfCompare>,
    /// Steps of pretraining for each weight matrix [default: a twentieth of --steps]
    #[arg(long, value_name = "STEPS")]
    pretrain: Option<u64>,
    /// Learning rate of the pretraining
    #[arg(long, value_name = "RATE", default_value_t = 0.2)]
    pretrain_lr: f64,
    /// Which kernels compute; `plain` gives the same numbers on every machine, and small models gain little from `fast`
    #[arg(long, value_parser = choice::<Backend>(), default_value = "plain")]
    backend: Backend,
    /// Where to write the curves (.csv)
    #[arg(long, value_name = "FILE.csv")]
    out: PathBuf,
    /// Where to draw them (.svg or .png)
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

impl Compare {
    pub fn run(&self, context: &Context) -> Result<(), Error> {
        let session = &context.session;
        let files = Files::new(Some(&self.out), self.plot.as_deref())?;
        let data = self.data.source()?.load(Split::Train)?;
        without_gaps(&data, "the most that any model can reach, which is drawn with the runs, is known only for whole examples")?;
        let plan = self.plan(&data.examples, data.image);
        let comparison = Comparison { plan, specs: self.estimators.clone(), seeds: (self.seed, self.seeds) };
        comparison.check(self.plot.is_some(), session)?;
        let started = session.now();
        let compared = comparison.run(&data.name, session)?;
        let seconds = session.now() - started;
        files.write(&compared)?;
        let lines = compared.json();
        let (attainable, runs) = (compared.attainable, lines.as_array().map_or(0, Vec::len));
        if context.json {
            lines.as_array().into_iter().flatten().for_each(|line| say!("{line}"));
        }
        let fields = json!({
            "attainable_log_likelihood": attainable, "runs": runs, "steps": self.steps,
            "pretraining_steps": comparison.plan.pretraining.steps * self.hidden.len() as u64, "seconds": seconds,
            "threads": session.threads(), "out": self.out, "plot": self.plot,
        });
        context.done(fields, || {
            format!(
                "{}{attainable:.3} is the most that any model can reach: minus the entropy of the examples\n\
                 {runs} runs in {seconds:.1} s on {} threads: {}",
                compared.text(),
                session.threads(),
                self.out.display()
            )
        });
        Ok(())
    }

    /// What all runs have in common.
    fn plan<'a>(&self, data: &'a Examples, image: Option<(usize, usize)>) -> Plan<'a> {
        let mut run = OfCompare::usual();
        self.given.put(&mut run);
        let settings = Settings { image, ..run.settings };
        let pretraining = PretrainSettings {
            steps: self.pretrain.unwrap_or((self.steps / 20).max(1)),
            learning_rate: self.pretrain_lr,
            batch: settings.batch,
            ..PretrainSettings::default()
        };
        let sizes: Vec<usize> = std::iter::once(data.width()).chain(self.hidden.iter().copied()).collect();
        Plan {
            data,
            sizes,
            units: self.units,
            backend: self.backend,
            settings,
            pretraining,
            points: points(self.steps, self.every),
        }
    }
}
