//! `dbm train`.

use crate::data::{DataArgs, Split, fingerprint};
use crate::error::CliError;
use crate::files;
use crate::memory::Limit;
use crate::options::{BackendKind, OptimizerKind, UnitKind, set};
use crate::pretraining::{PretrainArgs, pretrained};
use crate::progress::steps_bar;
use crate::report::{line, message};
use crate::threads::Threads;
use clap::Args;
use dbm_core::gradient::EstimatorSettings;
use dbm_core::signals::Signals;
use dbm_core::{Dbm, Footprint, Host, Settings, StepInfo, Trainer, Units, init};
use dbm_data::checkpoint::Contents;
use dbm_data::{Checkpoint, Dataset, Precision};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What a checkpoint notes of its data.
const DATA_NOTE: &str = "data-sha256";

/// Steps between two looks at the signals, and how many examples each takes.
const LOOK_STEPS: u64 = 100;
const LOOK_EXAMPLES: usize = 200;

#[derive(Args)]
pub struct Train {
    #[command(flatten)]
    data: DataArgs,
    /// Sizes of the hidden layers, first to last [default: 1000,500]
    #[arg(long, value_delimiter = ',', value_name = "N,N")]
    hidden: Option<Vec<usize>>,
    /// {-1,+1} or {0,1} [default: signs]
    #[arg(long, value_enum)]
    units: Option<UnitKind>,
    /// Standard deviation of Gaussian initial weights, in place of orthogonal ones
    #[arg(long, value_name = "DEVIATION", conflicts_with = "resume")]
    gaussian: Option<f64>,
    #[command(flatten)]
    pretraining: PretrainArgs,
    /// What estimates the gradient: ucd-lmi, ucd-mh, ucd-gibbs, lmi, cd-K, pcd-K or pcd-gibbs-K (K Gibbs sweeps), with centered- before
    /// it for the centered parametrization [default: ucd-lmi]
    #[arg(long, value_name = "[centered-]NAME[-K]")]
    estimator: Option<EstimatorSettings>,
    #[arg(long, value_enum, help = "[default: adam]")]
    optimizer: Option<OptimizerKind>,
    /// Learning rate [default: 0.001]
    #[arg(long)]
    lr: Option<f64>,
    /// The rate falls linearly to zero over this many steps [default: 0, which keeps it constant]
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
    /// Leave out the variance reduction by marginalization
    #[arg(long)]
    no_marginalize: bool,
    /// Longest local search, in sweeps [default: 1000]
    #[arg(long, value_name = "SWEEPS")]
    max_sweeps: Option<u32>,
    /// Longest coupling, in steps [default: 100000]
    #[arg(long, value_name = "STEPS")]
    max_meeting: Option<u32>,
    /// Most tries of one draw from a residual distribution, with ucd-gibbs [default: 10000]
    #[arg(long, value_name = "TRIES")]
    max_tries: Option<u32>,
    /// Longest mean-field iteration, in sweeps, with pcd [default: 100]
    #[arg(long, value_name = "SWEEPS")]
    mean_field_sweeps: Option<u32>,
    /// Steps of the whole run, those before `--resume` included
    #[arg(long, value_name = "N")]
    steps: u64,
    /// Seed of the initial weights and of every random stream [default: 0]
    #[arg(long)]
    seed: Option<u64>,
    /// Which kernels compute; `plain` gives the same bits on every machine, slowly
    #[arg(long, value_enum, default_value = "fast")]
    backend: BackendKind,
    /// Where to write the checkpoint (.safetensors)
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Go on with this run; settings given besides must be those it was begun with
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
}

impl Train {
    pub fn run(&self, threads: &Threads, memory: &Limit, json: bool) -> Result<(), CliError> {
        files::check_writable(&self.out)?;
        let data = self.data.load(Split::Train)?;
        let fingerprint = fingerprint(&data);
        let mut run = match &self.resume {
            Some(path) => {
                let checkpoint = files::read_checkpoint(path)?;
                if let Some(settings) = &checkpoint.settings {
                    let sizes: Vec<usize> = checkpoint.parameters.biases.iter().map(Vec::len).collect();
                    memory.check(&Footprint::of_data(&sizes, settings, &data.examples, threads.count()))?;
                }
                self.resumed(checkpoint, &fingerprint)?
            }
            None => self.begun(&data, threads, memory, json)?,
        }
        .with_backend(self.backend.into());
        if run.steps() > self.steps {
            return Err(CliError::Usage(format!(
                "--steps counts from the beginning of the run and should be at least its {} steps, but is {}",
                run.steps(),
                self.steps
            )));
        }
        let begun_at = run.steps();
        let bar = steps_bar(self.steps, json);
        bar.set_position(begun_at);
        bar.reset_eta();
        let (mut seconds, mut latest, mut seen) = (0.0, StepInfo::default(), None);
        while run.steps() < self.steps {
            let started = threads.now();
            latest = run.step(&data.examples, threads)?;
            seconds += threads.now() - started;
            bar.set_position(latest.step);
            if latest.step.is_multiple_of(LOOK_STEPS) || latest.step == self.steps {
                let seed = run.settings().seed;
                let look = |model: &Dbm| Signals::of(model, &data.examples, LOOK_EXAMPLES, seed, latest.step);
                seen = Some(run.with_averaged_model(threads, look)?);
            }
            if latest.step.is_multiple_of(20) || latest.step == self.steps {
                if json {
                    println!("{}", line("step", &latest, seen.as_ref()));
                } else {
                    bar.set_message(message(&latest, seen.as_ref()));
                }
            }
        }
        bar.finish_and_clear();

        let notes = BTreeMap::from([(DATA_NOTE.to_string(), fingerprint)]);
        let file = Contents::of_run(run.view(), data.image, &notes).lay_out(Precision::Full)?;
        files::write_with(&self.out, |out| file.write_to(out))?;
        let steps = run.steps() - begun_at;
        let each = if steps > 0 { 1e3 * seconds / steps as f64 } else { 0.0 };
        if json {
            let mut last = line("done", &latest, seen.as_ref());
            last["step"] = json!(run.steps());
            last["seconds"] = json!(seconds);
            last["milliseconds_per_step"] = json!(each);
            last["threads"] = json!(threads.count());
            last["out"] = json!(self.out);
            println!("{last}");
        } else {
            if steps > 0 {
                println!("{}", message(&latest, seen.as_ref()));
            }
            println!(
                "{steps} steps in {seconds:.1} s, {each:.1} ms a step on {} threads; at step {} in {}",
                threads.count(),
                run.steps(),
                self.out.display()
            );
        }
        Ok(())
    }

    fn begun(&self, data: &Dataset, threads: &Threads, memory: &Limit, json: bool) -> Result<Trainer, CliError> {
        let (visible, image) = (data.examples.width(), data.image);
        let settings = self.settings(Settings { image, ..Settings::default() });
        let units = self.units().unwrap_or_default();
        let hidden = self.hidden.clone().unwrap_or_else(|| vec![1000, 500]);
        let sizes: Vec<usize> = std::iter::once(visible).chain(hidden).collect();
        settings.check(visible)?;
        let pretraining = self.pretraining.settings(&settings);
        let footprint = Footprint::of_data(&sizes, &settings, &data.examples, threads.count());
        memory.check(&match &pretraining {
            Some(pretraining) => footprint.max(Footprint::of_pretraining(&sizes, pretraining, &data.examples)),
            None => footprint,
        })?;
        let model = match (self.gaussian, pretraining) {
            (_, Some(pretraining)) => pretrained(&sizes, units, pretraining, self.backend.into(), &data.examples, threads, json)?,
            (None, None) => init::orthogonal(&sizes, units, settings.seed)?,
            (Some(deviation), None) if deviation > 0.0 && deviation <= 10.0 => {
                init::gaussian(&sizes, units, deviation, settings.seed)?
            }
            (Some(other), None) => {
                return Err(CliError::Usage(format!("--gaussian should be above 0 and at most 10, but is {other}")));
            }
        };
        Ok(Trainer::new(model, settings)?)
    }

    /// A run is a value: what it was begun with cannot be changed on the way.
    fn resumed(&self, mut checkpoint: Checkpoint, fingerprint: &str) -> Result<Trainer, CliError> {
        let its_data = checkpoint.notes.remove(DATA_NOTE);
        let run = Trainer::restore(checkpoint.into_snapshot()?)?;
        let other = |what: &str, its: String, asked: String| {
            Err(CliError::Usage(format!(
                "the run to resume was begun with {what} {its}, but {asked} was given; leave that away, or begin a new run"
            )))
        };
        let hidden = &run.model().sizes()[1..];
        if let Some(asked) = self.hidden.as_deref()
            && asked != hidden
        {
            return other("hidden layers", format!("{hidden:?}"), format!("{asked:?}"));
        }
        if let Some(asked) = self.units()
            && asked != run.model().units()
        {
            return other("units", format!("{:?}", run.model().units()), format!("{asked:?}"));
        }
        let wanted = self.settings(run.settings().clone());
        if wanted != *run.settings() {
            let (its, asked) = (json!(run.settings()), json!(wanted));
            let differing = |settings: &serde_json::Value, other: &serde_json::Value| differences(settings, other).join(", ");
            return other("the settings", differing(&its, &asked), differing(&asked, &its));
        }
        match its_data {
            Some(its) if its != fingerprint => other("data of SHA-256", its, fingerprint.to_string()),
            _ => Ok(run),
        }
    }

    fn units(&self) -> Option<Units> {
        self.units.map(Units::from)
    }

    /// `base` with what the command line says.
    fn settings(&self, base: Settings) -> Settings {
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
        set(&mut e.max_tries, self.max_tries);
        set(&mut e.mean_field_sweeps, self.mean_field_sweeps);
        set(&mut s.batch, self.batch);
        set(&mut s.conditional, self.conditional);
        set(&mut s.max_sweeps, self.max_sweeps);
        set(&mut s.max_meeting, self.max_meeting);
        set(&mut s.seed, self.seed);
        if self.average.is_some() {
            s.average = self.average;
        }
        s.marginalize &= !self.no_marginalize;
        s
    }
}

/// `name value` of whatever differs from `other`, by JSON path.
fn differences(value: &serde_json::Value, other: &serde_json::Value) -> Vec<String> {
    match (value, other) {
        (serde_json::Value::Object(these), serde_json::Value::Object(those)) => these
            .iter()
            .flat_map(|(name, value)| {
                let inner = differences(value, &those[name]);
                inner.into_iter().map(move |text| if value.is_object() { text } else { format!("{name} {text}") })
            })
            .collect(),
        _ if value == other => vec![],
        _ => vec![value.to_string()],
    }
}
