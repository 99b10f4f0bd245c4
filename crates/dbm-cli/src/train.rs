//! `dbm train`.

use crate::args::DataArgs;
use crate::context::Context;
use crate::learning::{Learning, OfTrain, Trained, train};
use clap::Args;
use dbm_core::{Dbm, Footprint, Host, NEW_WEIGHT_GAIN, Settings, Trainer};
use dbm_data::{Backends, Checkpoint, Dataset};
use dbm_experiments::data::Split;
use dbm_experiments::say;
use dbm_experiments::steps::{line, message};
use dbm_experiments::training::Training;
use dbm_experiments::{Error, Workbench, files};
use serde_json::json;
use std::path::{Path, PathBuf};

/// What a checkpoint records about its data.
const DATA_NOTE: &str = "data-sha256";

#[derive(Args)]
pub struct Train {
    #[command(flatten)]
    data: DataArgs,
    #[command(flatten)]
    learning: Learning<OfTrain>,
    /// Steps of the complete run, including those before `--resume`
    #[arg(long, value_name = "N")]
    steps: u64,
    /// Put a layer on top that stands for the class of each example, one unit per class, clamped in the positive phase: the model can then
    /// also read classes, and draw samples of a given class
    #[arg(long, conflicts_with = "resume")]
    labels: bool,
    /// Seed of the initial weights and of every random stream [default: 0]
    #[arg(long)]
    seed: Option<u64>,
    /// Where to write the checkpoint (.safetensors)
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Also write it at this interval, so that a run that is killed can be continued with `--resume`
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    keep_every: u64,
    /// Continue this run; other settings given must be those it began with
    #[arg(long, value_name = "FILE", conflicts_with_all = ["gaussian", "pretrain"])]
    resume: Option<PathBuf>,
    /// Begin a new run, with its own settings, at the state of this one: at its last weights, and with its ladder and chains if the
    /// estimator has any. `--hidden` may request wider layers, or additional ones on top
    #[arg(long, value_name = "FILE", conflicts_with_all = ["gaussian", "pretrain", "resume"])]
    begin_at: Option<PathBuf>,
    /// With --begin-at and a larger model in --hidden: factor on the initially orthogonal weights of its new units [default: 0.5]
    #[arg(long, requires = "begin_at")]
    gain: Option<f32>,
}

impl Train {
    pub fn run(&self, context: &Context) -> Result<(), Error> {
        let session = &context.session;
        files::check_writable(&self.out)?;
        let mut data = self.data.source()?.load(Split::Train)?;
        let fingerprint = data.sha256();
        if let Some(labels) = &data.labels {
            data.examples = data.examples.with_labels(labels.clone())?;
        }
        let mut backends = Backends::default();
        let run = if let Some(path) = &self.resume {
            let checkpoint = files::read_checkpoint(path)?;
            backends = Backends::from_notes(&path.display().to_string(), &checkpoint.notes)?;
            if let Some(settings) = &checkpoint.settings {
                let sizes: Vec<usize> = checkpoint.parameters.biases.iter().map(Vec::len).collect();
                session.memory.check(&Footprint::of_data(&sizes, settings, &data.examples, session.threads()))?;
            }
            self.resumed(checkpoint, &fingerprint)?
        } else {
            let classes = if self.labels { classes(&data)? } else { 0 };
            let base = Settings { image: data.image, seed: self.seed.unwrap_or_default(), classes, ..Settings::default() };
            match &self.begin_at {
                Some(path) => self.begun_at(path, &data, base, session)?,
                None => self.learning.begin(&data.examples, base, &[1000, 500], context)?,
            }
        };
        if run.steps() > self.steps {
            return Err(Error::Usage(format!(
                "--steps counts from the beginning of the run and should be at least its {} steps, but is {}",
                run.steps(),
                self.steps
            )));
        }
        let begun_at = run.steps();
        let mut run = Training::new(run, self.learning.backend, backends, session)?;
        let backend = run.backend();
        if let Some(before) = run.backends().last().filter(|&before| begun_at < self.steps && before != backend) {
            session.progress.say(&format!("backend {backend} continues a run that {before} computed until step {begun_at}"));
        }
        let write = |run: &mut Training| {
            let backends = run.backends().to_json();
            let run = run.kept(session)?;
            let notes = [(DATA_NOTE.to_string(), fingerprint.clone()), (Backends::NOTE.to_string(), backends)];
            files::write_run(&self.out, run, &data, notes)
        };
        let mut kept_at = session.now();
        let keep = |run: &mut Training| {
            if session.now() - kept_at >= self.keep_every as f64 {
                // A disk that is full now may have room at the end.
                if let Err(error) = write(run) {
                    session.progress.say(&format!("The run could not be saved at step {}: {error}", run.steps()));
                }
                kept_at = session.now();
            }
            Ok(())
        };
        let trained = train(&mut run, self.steps, &data.examples, context, keep)?;
        write(&mut run)?;
        let backends = run.backends().clone();
        let steps = run.steps() - begun_at;
        let Trained { seconds, latest, seen } = trained;
        let each = if steps > 0 { 1e3 * seconds / steps as f64 } else { 0.0 };
        if context.json {
            let mut last = line("done", &latest, seen.as_ref());
            last["step"] = json!(run.steps());
            last["seconds"] = json!(seconds);
            last["milliseconds_per_step"] = json!(each);
            last["threads"] = json!(session.threads());
            last["backends"] = json!(backends);
            last["out"] = json!(self.out);
            say!("{last}");
        } else {
            if steps > 0 {
                say!("{}", message(&latest, seen.as_ref()));
            }
            say!(
                "{steps} steps in {seconds:.1} s, {each:.1} ms per step on {} threads; at step {} in {}",
                session.threads(),
                run.steps(),
                self.out.display()
            );
        }
        Ok(())
    }

    /// A new run at another's weights; a model with labels continues to learn them.
    fn begun_at(&self, path: &Path, data: &Dataset, mut base: Settings, session: &Workbench) -> Result<Trainer, Error> {
        let (checkpoint, examples) = (files::read_checkpoint(path)?, &data.examples);
        if self.learning.hidden.is_none() && checkpoint.settings.as_ref().is_some_and(|settings| settings.classes > 0) {
            base.classes = classes(data)?;
        }
        let settings = self.learning.settings(base);
        settings.check(examples.width())?;
        let mut sizes: Vec<usize> = checkpoint.parameters.biases.iter().map(Vec::len).collect();
        if let Some(hidden) = &self.learning.hidden {
            sizes.truncate(1);
            sizes.extend(hidden.iter().map(|&size| size as usize));
            sizes.extend(Some(settings.classes).filter(|&classes| classes > 0));
        }
        session.memory.check(&Footprint::of_data(&sizes, &settings, examples, session.threads()))?;
        let seed = settings.seed;
        let run =
            Trainer::begin_at(checkpoint.into_start(settings).grown(&sizes, self.gain.unwrap_or(NEW_WEIGHT_GAIN), seed)?)?;
        self.check_model(run.model(), run.settings().classes)?;
        Ok(run)
    }

    /// Whether the model to continue is the requested one.
    fn check_model(&self, model: &Dbm, classes: usize) -> Result<(), Error> {
        let hidden = &model.sizes()[1..model.sizes().len() - usize::from(classes > 0)];
        if let Some(asked) = self.learning.hidden.as_deref()
            && !asked.iter().map(|&size| size as usize).eq(hidden.iter().copied())
        {
            return other("hidden layers", &format!("{hidden:?}"), &format!("{asked:?}"));
        }
        if let Some(asked) = self.learning.units()
            && asked != model.units()
        {
            return other("units", &format!("{:?}", model.units()), &format!("{asked:?}"));
        }
        Ok(())
    }

    /// A run is determined by its initial settings: they cannot be changed later.
    fn resumed(&self, mut checkpoint: Checkpoint, fingerprint: &str) -> Result<Trainer, Error> {
        let its_data = checkpoint.notes.remove(DATA_NOTE);
        let run = Trainer::restore(checkpoint.into_snapshot()?)?;
        self.check_model(run.model(), run.settings().classes)?;
        let mut wanted = self.learning.settings(run.settings().clone());
        wanted.seed = self.seed.unwrap_or(wanted.seed);
        if wanted != *run.settings() {
            let (its, asked) = (json!(run.settings()), json!(wanted));
            let differing = |settings: &serde_json::Value, other: &serde_json::Value| differences(settings, other).join(", ");
            return other("the settings", &differing(&its, &asked), &differing(&asked, &its));
        }
        match its_data {
            Some(its) if its != fingerprint => other("data of SHA-256", &its, fingerprint),
            _ => Ok(run),
        }
    }
}

/// The number of classes in the labels of the data.
fn classes(data: &Dataset) -> Result<usize, Error> {
    let largest = data.labels.iter().flatten().max();
    largest.map(|&largest| usize::from(largest) + 1).ok_or_else(|| {
        Error::Usage(format!(
            "a model with labels needs data with a class for each example, but {} has none; leave --labels out, or give such data",
            data.name
        ))
    })
}

/// Refuses settings that differ from those the run began with.
fn other<T>(what: &str, its: &str, asked: &str) -> Result<T, Error> {
    Err(Error::Usage(format!(
        "the run to continue was begun with {what} {its}, but {asked} was given; leave that out, or begin a new run"
    )))
}

/// `name value` for each difference from `other`, by JSON path.
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
