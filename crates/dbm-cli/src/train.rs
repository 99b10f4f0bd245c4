//! `dbm train`.

use crate::data::{DataArgs, Split, fingerprint};
use crate::error::CliError;
use crate::files;
use crate::threads::Threads;
use clap::{Args, ValueEnum};
use dbm_core::{Backend, Host, Method, Settings, StepInfo, Trainer, Units, init};
use dbm_data::{Checkpoint, Precision};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What a checkpoint notes of its data.
const DATA_NOTE: &str = "data-sha256";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum UnitKind {
    Signs,
    Bits,
}

impl From<UnitKind> for Units {
    fn from(kind: UnitKind) -> Self {
        match kind {
            UnitKind::Signs => Self::Signs,
            UnitKind::Bits => Self::Bits,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OptimizerKind {
    Sgd,
    Adam,
    Amsgrad,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum BackendKind {
    Fast,
    Plain,
}

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
    pub fn run(&self, threads: &Threads, json: bool) -> Result<(), CliError> {
        files::check_writable(&self.out)?;
        let data = self.data.load(Split::Train)?;
        let fingerprint = fingerprint(&data);
        let backend = match self.backend {
            BackendKind::Fast => Backend::Fast,
            BackendKind::Plain => Backend::Plain,
        };
        let mut run = match &self.resume {
            Some(path) => self.resumed(&files::read_checkpoint(path)?, &fingerprint)?,
            None => self.begun(data.examples.width(), data.image)?,
        }
        .with_backend(backend);
        if run.steps() > self.steps {
            return Err(CliError::Usage(format!(
                "--steps counts from the beginning of the run and should be at least its {} steps, but is {}",
                run.steps(),
                self.steps
            )));
        }
        let begun_at = run.steps();
        let bar = if json { ProgressBar::hidden() } else { ProgressBar::new(self.steps) };
        let style = ProgressStyle::with_template("{pos:>6}/{len} steps {wide_bar} {per_sec:>12}, {eta} left  {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.reset_eta();
        let started = threads.now();
        let mut latest = StepInfo::default();
        while run.steps() < self.steps {
            latest = run.step(&data.examples, threads)?;
            bar.set_position(latest.step);
            if latest.step.is_multiple_of(20) || latest.step == self.steps {
                if json {
                    println!("{}", line("step", &latest));
                } else {
                    bar.set_message(message(&latest));
                }
            }
        }
        bar.finish_and_clear();
        let seconds = threads.now() - started;

        let notes = BTreeMap::from([(DATA_NOTE.to_string(), fingerprint)]);
        let checkpoint = Checkpoint::from_snapshot(run.snapshot(), data.image, notes);
        files::write(&self.out, &checkpoint.to_bytes(Precision::Full)?)?;
        let steps = run.steps() - begun_at;
        let each = if steps > 0 { 1e3 * seconds / steps as f64 } else { 0.0 };
        if json {
            let mut last = line("done", &latest);
            last["step"] = json!(run.steps());
            last["seconds"] = json!(seconds);
            last["milliseconds_per_step"] = json!(each);
            last["threads"] = json!(threads.count());
            last["out"] = json!(self.out);
            println!("{last}");
        } else {
            println!("{}", message(&latest));
            println!(
                "{steps} steps in {seconds:.1} s, {each:.1} ms a step on {} threads; at step {} in {}",
                threads.count(),
                run.steps(),
                self.out.display()
            );
        }
        Ok(())
    }

    fn begun(&self, visible: usize, image: Option<(usize, usize)>) -> Result<Trainer, CliError> {
        let settings = self.settings(Settings { image, ..Settings::default() });
        let units = self.units().unwrap_or_default();
        let hidden = self.hidden.clone().unwrap_or_else(|| vec![1000, 500]);
        let sizes: Vec<usize> = std::iter::once(visible).chain(hidden).collect();
        settings.check(visible)?;
        let model = match self.gaussian {
            None => init::orthogonal(&sizes, units, settings.seed)?,
            Some(deviation) if deviation > 0.0 && deviation <= 10.0 => init::gaussian(&sizes, units, deviation, settings.seed)?,
            Some(other) => return Err(CliError::Usage(format!("--gaussian should be above 0 and at most 10, but is {other}"))),
        };
        Ok(Trainer::new(model, settings)?)
    }

    /// A run is a value: what it was begun with cannot be changed on the way.
    fn resumed(&self, checkpoint: &Checkpoint, fingerprint: &str) -> Result<Trainer, CliError> {
        let run = Trainer::restore(checkpoint.snapshot()?)?;
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
        match checkpoint.notes.get(DATA_NOTE) {
            Some(its) if its != fingerprint => other("data of SHA-256", its.clone(), fingerprint.to_string()),
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
        if let Some(kind) = self.optimizer {
            o.method = match kind {
                OptimizerKind::Sgd => Method::Sgd,
                OptimizerKind::Adam => Method::Adam,
                OptimizerKind::Amsgrad => Method::AmsGrad,
            };
        }
        set(&mut o.learning_rate, self.lr);
        set(&mut o.decay_steps, self.lr_decay);
        set(&mut o.momentum, self.momentum);
        set(&mut o.weight_decay, self.weight_decay);
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

fn set<T: Copy>(into: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *into = given;
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

fn mean(values: &[u32]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().map(|&x| f64::from(x)).sum::<f64>() / values.len() as f64)
}

fn line(event: &str, step: &StepInfo) -> serde_json::Value {
    let phase = |p: &dbm_core::gradient::PhaseInfo| {
        json!({
            "mean_sweeps": mean(&p.sweeps),
            "searches_capped": p.searches_capped,
            "mean_meeting_time": mean(&p.meeting_times),
            "max_meeting_time": p.meeting_times.iter().max(),
            "couplings_capped": p.couplings_capped,
            "acceptance": p.acceptance(),
            "mean_energy": if p.chains > 0 { Some(p.mean_energy()) } else { None },
            "search_seconds": p.search_seconds,
            "coupling_seconds": p.coupling_seconds,
        })
    };
    json!({
        "event": event,
        "step": step.step,
        "step_seconds": step.seconds,
        "update_seconds": step.update_seconds,
        "positive": phase(&step.info.positive),
        "negative": phase(&step.info.negative),
    })
}

fn message(step: &StepInfo) -> String {
    let show = |values: &[u32]| mean(values).map_or("-".to_string(), |mean| format!("{mean:.1}"));
    let (p, n) = (&step.info.positive, &step.info.negative);
    let capped = p.couplings_capped + n.couplings_capped;
    let note = if capped > 0 { format!("  {capped} couplings cut at the cap") } else { String::new() };
    format!("T {} / {}  tau {} / {}{note}", show(&p.sweeps), show(&n.sweeps), show(&p.meeting_times), show(&n.meeting_times))
}
