//! `dbm compare`: several estimators on the same model from the same start, by exact log-likelihood.

mod curve;
mod figure;
mod schedule;
mod spec;
mod table;

use crate::data::{DataArgs, Split, without_gaps};
use crate::error::CliError;
use crate::files;
use crate::memory::Limit;
use crate::options::{BackendKind, OptimizerKind, UnitKind};
use crate::plot::{MAX_CURVES, raster};
use crate::progress::steps_bar;
use crate::threads::{OneThread, Threads};
use clap::Args;
use curve::{Curve, Plan};
use dbm_core::gradient::EstimatorSettings;
use dbm_core::pretrain::PretrainSettings;
use dbm_core::{Examples, Footprint, Host, OptimizerSettings, Settings, exact};
use serde_json::json;
use spec::Spec;
use std::collections::BTreeMap;
use std::path::PathBuf;
use table::Entry;

/// What `--estimators` is by default.
const ESTIMATORS: &str =
    "ucd-lmi,ucd-mh,ucd-gibbs,lmi,cd-1,cd-10,pcd-1,pcd-gibbs-1,centered-pcd-1,centered-ucd-lmi,pretrained-pcd-1";

#[derive(Args)]
pub struct Compare {
    #[command(flatten)]
    data: DataArgs,
    /// Sizes of the hidden layers, first to last; the odd or the even layers may have at most 24 units together
    #[arg(long, value_delimiter = ',', value_name = "N,N", default_value = "12,6")]
    hidden: Vec<usize>,
    /// {-1,+1} or {0,1}
    #[arg(long, value_enum, default_value = "signs")]
    units: UnitKind,
    /// What is compared: estimators as in `dbm train`, with pretrained- before them for greedy layer-wise pretraining as a start
    #[arg(long, value_delimiter = ',', value_name = "[pretrained-][centered-]NAME[-K],…", default_value = ESTIMATORS)]
    estimators: Vec<Spec>,
    /// Runs of each
    #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: u64,
    /// The first seed; the others follow it
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Steps of each run, those of pretraining included
    #[arg(long, default_value_t = 3000, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    steps: u64,
    /// Compute the likelihood every so many steps [default: at about 40 steps, each a quarter beyond the one before]
    #[arg(long, value_name = "STEPS", value_parser = clap::value_parser!(u64).range(1..))]
    every: Option<u64>,
    /// Examples a step
    #[arg(long, default_value_t = 100)]
    batch: usize,
    #[arg(long, value_enum, default_value = "adam")]
    optimizer: OptimizerKind,
    /// Learning rate
    #[arg(long, default_value_t = 0.001)]
    lr: f64,
    /// The rate falls linearly to zero over this many steps; 0 keeps it constant
    #[arg(long, default_value_t = 0, value_name = "STEPS")]
    lr_decay: u64,
    /// SGD's momentum
    #[arg(long, default_value_t = 0.0)]
    momentum: f64,
    /// Steps of pretraining for each weight matrix [default: a twentieth of --steps]
    #[arg(long, value_name = "STEPS")]
    pretrain: Option<u64>,
    /// Learning rate of the pretraining
    #[arg(long, value_name = "RATE", default_value_t = 0.2)]
    pretrain_lr: f64,
    /// Longest local search, in sweeps
    #[arg(long, value_name = "SWEEPS", default_value_t = 1000)]
    max_sweeps: u32,
    /// Longest coupling, in steps: on a peaked model one could take for ever. What is cut is counted, and biased
    #[arg(long, value_name = "STEPS", default_value_t = 1000)]
    max_meeting: u32,
    /// Most tries of one draw from a residual distribution, with ucd-gibbs
    #[arg(long, value_name = "TRIES", default_value_t = EstimatorSettings::default().max_tries)]
    max_tries: u32,
    /// Longest mean-field iteration, in sweeps, with pcd
    #[arg(long, value_name = "SWEEPS", default_value_t = EstimatorSettings::default().mean_field_sweeps)]
    mean_field_sweeps: u32,
    /// Which kernels compute; `plain` gives the same numbers on every machine, and small models do not miss `fast`
    #[arg(long, value_enum, default_value = "plain")]
    backend: BackendKind,
    /// Where to write the curves (.csv)
    #[arg(long, value_name = "FILE.csv")]
    out: PathBuf,
    /// Where to draw them (.svg or .png)
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

impl Compare {
    pub fn run(&self, threads: &Threads, memory: &Limit, json: bool) -> Result<(), CliError> {
        files::check_writable(&self.out)?;
        self.plot.as_deref().map_or(Ok(()), files::check_writable)?;
        let data = self.data.load(Split::Train)?;
        without_gaps(
            &data,
            "the most that any model can reach, which the runs are drawn beside, is told of whole examples alone",
        )?;
        let plan = self.plan(&data.examples, data.image, memory)?;
        let attainable = -entropy(&data.examples);

        // The work of a seed is of one kind for all estimators, so that the slow ones do not all come last.
        let seeds: Vec<u64> = (0..self.seeds).map(|i| self.seed.wrapping_add(i)).collect();
        let tasks: Vec<(&Spec, u64)> =
            seeds.iter().flat_map(|&seed| self.estimators.iter().map(move |spec| (spec, seed))).collect();
        let started = threads.now();
        let bar = steps_bar(tasks.len() as u64 * self.steps, json);
        let curves = threads.map(tasks, |(spec, seed)| {
            let curve = plan.follow(spec, seed, &OneThread(threads), || bar.inc(1))?;
            // The steps that a run which has diverged will not make.
            bar.inc(self.steps - curve.diverged.unwrap_or(self.steps));
            Ok(curve)
        });
        bar.finish_and_clear();
        let seconds = threads.now() - started;
        let curves = curves.into_iter().collect::<Result<Vec<Curve>, CliError>>()?;
        let entries: Vec<Entry> = self
            .estimators
            .iter()
            .enumerate()
            .map(|(place, spec)| Entry {
                spec: spec.clone(),
                curves: curves.iter().skip(place).step_by(self.estimators.len()).cloned().collect(),
            })
            .collect();

        files::write(&self.out, table::csv(&entries).as_bytes())?;
        if let Some(path) = &self.plot {
            let picture = figure::figure(&data.name, &plan, &entries, attainable)?;
            files::write(path, &raster::by_name(path, picture)?)?;
        }
        if json {
            for Entry { spec, curves } in &entries {
                curves.iter().for_each(|curve| println!("{}", table::line(spec, curve)));
            }
            println!(
                "{}",
                json!({ "event": "done", "attainable_log_likelihood": attainable, "runs": curves.len(), "steps": self.steps,
                        "pretraining_steps": plan.pretraining.steps * self.hidden.len() as u64, "seconds": seconds,
                        "threads": threads.count(), "out": self.out, "plot": self.plot })
            );
        } else {
            print!("{}", table::words(&entries));
            println!("{attainable:.3} is the most that any model can reach: minus the entropy of the examples");
            println!("{} runs in {seconds:.1} s on {} threads: {}", curves.len(), threads.count(), self.out.display());
        }
        Ok(())
    }

    /// What all runs have in common, once every refusal that can be made before the work has been.
    fn plan<'a>(&self, data: &'a Examples, image: Option<(usize, usize)>, memory: &Limit) -> Result<Plan<'a>, CliError> {
        let optimizer = OptimizerSettings {
            method: self.optimizer.into(),
            learning_rate: self.lr,
            momentum: self.momentum,
            decay_steps: self.lr_decay,
            ..OptimizerSettings::default()
        };
        let settings = Settings {
            optimizer,
            batch: self.batch,
            max_sweeps: self.max_sweeps,
            max_meeting: self.max_meeting,
            image,
            ..Settings::default()
        };
        let pretraining = PretrainSettings {
            steps: self.pretrain.unwrap_or((self.steps / 20).max(1)),
            learning_rate: self.pretrain_lr,
            batch: self.batch,
            ..PretrainSettings::default()
        };
        let sizes: Vec<usize> = std::iter::once(data.width()).chain(self.hidden.iter().copied()).collect();
        let plan = Plan {
            data,
            sizes,
            units: self.units.into(),
            backend: self.backend.into(),
            settings,
            pretraining,
            max_tries: self.max_tries,
            mean_field_sweeps: self.mean_field_sweeps,
            points: schedule::points(self.steps, self.every),
        };
        if self.seed.checked_add(self.seeds).is_none() {
            return Err(CliError::Usage(format!(
                "there are no {} seeds from {} on; give a smaller --seed",
                self.seeds, self.seed
            )));
        }
        if self.plot.is_some() && self.estimators.len() > MAX_CURVES {
            let count = self.estimators.len();
            return Err(CliError::Usage(format!("--plot shows at most {MAX_CURVES} --estimators, but {count} came; name fewer")));
        }
        for (place, spec) in self.estimators.iter().enumerate() {
            if self.estimators[..place].contains(spec) {
                return Err(CliError::Usage(format!("--estimators names {spec} twice; name each once")));
            }
            let settings = plan.settings(spec, self.seed);
            settings.check(data.width())?;
            memory.check(&Footprint::of_data(&plan.sizes, &settings, data, 1))?;
        }
        if self.estimators.iter().any(|spec| spec.pretrained) {
            plan.pretraining.check()?;
            let steps = plan.pretraining.steps.saturating_mul(self.hidden.len() as u64);
            if steps >= self.steps {
                return Err(CliError::Usage(format!(
                    "--pretrain {} for each of {} weight matrices leaves no step of --steps {} to the estimator; give fewer, or more --steps",
                    plan.pretraining.steps,
                    self.hidden.len(),
                    self.steps
                )));
            }
        }
        exact::log_likelihood(&plan.start(self.seed)?, data)?;
        Ok(plan)
    }
}

/// Of the distribution that gives each example the same probability, in nats.
fn entropy(data: &Examples) -> f64 {
    let mut counts: BTreeMap<Vec<u8>, u32> = BTreeMap::new();
    (0..data.len()).for_each(|row| *counts.entry(data.row(row)).or_default() += 1);
    let share = |count: &u32| f64::from(*count) / data.len() as f64;
    counts.values().map(|count| -share(count) * libm::log(share(count))).sum()
}
