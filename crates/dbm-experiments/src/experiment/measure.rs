//! Measurements of a model: its samples, its completions, and the likelihood of digits.

use super::workspace::Workspace;
use crate::answers::{self, AnswerOptions};
use crate::coupling::Row;
use crate::likelihood::Likelihood;
use crate::log_z::{LogZ, ReverseFrom};
use crate::score::Reference;
use crate::{Error, samples};
use dbm_core::ais::AisSettings;
use dbm_core::complete::Method;
use dbm_core::words::Choose;
use dbm_core::{Dbm, Settings};
use dbm_data::Checkpoint;
use dbm_engine::{ClassReading, Consensus};
use dbm_score::PIXELS;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Number of stored pictures of samples, and of stored answers to each pictured completion.
const SHOWN: usize = 100;
const SHOWN_ANSWERS: usize = 2;
/// Reverse annealing starts from its samples after this many sweeps.
const REVERSE_SWEEPS: u32 = 300;

/// A measure of a model.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Measure {
    /// Scores of this many samples, drawn by a schedule such as `gibbs:300`, or as in training.
    Samples { count: usize, schedule: Option<String> },
    /// Scores of answers to the first test digits with a part hidden.
    Completions(Completing),
    /// log p(v) of the first test digits from both sides of log Z, and the share whose class is misread.
    Likelihood {
        digits: usize,
        /// Number of annealing temperatures.
        betas: usize,
        /// Number of particles for each posterior.
        particles: usize,
    },
}

/// Questions, and how they are answered.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Completing {
    /// What is hidden, as in `dbm complete --mask`.
    mask: String,
    /// Number of test digits to complete.
    count: usize,
    /// Number of answers to each of them.
    answers: u32,
    by: Method,
    #[serde(default)]
    sweeps: u32,
    class_first: Option<ClassReading>,
    /// Ways to combine several answers; if a class is read first, only the first way is used.
    #[serde(default)]
    consensus: Vec<Consensus>,
}

/// The result of a measure.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Measured {
    /// Numbers by name.
    pub scores: Value,
    /// Pictures, grey levels `[count, 784]`.
    pub shown: Vec<u8>,
    /// Number of pictures per row.
    pub columns: usize,
    /// Meeting times, if these were measured.
    #[serde(skip)]
    pub meeting_times: Vec<Row>,
}

/// A model, and the digits to compare it with.
pub struct Subject<'a> {
    /// Name of its cells.
    pub name: String,
    pub checkpoint: &'a Checkpoint,
    pub model: &'a Dbm,
    pub reference: &'a Reference,
}

impl Measure {
    /// Measures a model, or loads an earlier measurement.
    ///
    /// # Errors
    /// Those of the measurement and of the cell.
    pub fn of(&self, name: &str, subject: &Subject, workspace: &Workspace) -> Result<Measured, Error> {
        let reference = subject.reference;
        let digits = [&reference.train, &reference.test].map(|half| (&half.name, half.examples.len()));
        let key = (subject.model.checksum(), self, workspace.seed, digits);
        let name = format!("{}-{name}", subject.name);
        workspace.cell(&name, &key, || {
            workspace.say(&name);
            match self {
                Self::Samples { count, schedule } => of_samples(subject, workspace, (schedule.as_deref(), *count)),
                Self::Completions(completing) => completing.of(subject, workspace),
                Self::Likelihood { digits, betas, particles } => likelihood(subject, workspace, (*digits, *betas, *particles)),
            }
        })
    }
}

fn of_samples(
    Subject { checkpoint, model, reference, .. }: &Subject,
    workspace: &Workspace,
    (schedule, count): (Option<&str>, usize),
) -> Result<Measured, Error> {
    let schedule = schedule.map(str::parse).transpose()?.unwrap_or_else(|| samples::of_training(checkpoint));
    // Grey levels are stored: bits with several units per pixel would take as many times the bytes.
    let levels = |bits: Vec<u8>| reference.levels(&bits);
    let drawn = samples::draw_as(workspace.session, model, schedule, (count, workspace.seed), levels)?;
    let mut scores = json_of("samples", &reference.scorer.scores(workspace.session, &drawn.bits)?)?;
    scores["schedule"] = schedule.to_string().into();
    scores["search_sweeps"] = drawn.mean_sweeps().into();
    scores["searches_capped"] = drawn.capped().into();
    let shown = drawn.bits[..SHOWN.min(count) * PIXELS].to_vec();
    Ok(Measured { scores, shown, columns: 10, ..Measured::default() })
}

fn likelihood(
    Subject { checkpoint, model, reference, .. }: &Subject,
    workspace: &Workspace,
    (digits, betas, particles): (usize, usize, usize),
) -> Result<Measured, Error> {
    let (session, seed, digits) = (workspace.session, workspace.seed, (&reference.test, digits));
    let ais = AisSettings { betas, seed, ..AisSettings::default() };
    let log_z = LogZ::of(model, Some(digits), &ais, (ReverseFrom::Samples, REVERSE_SWEEPS), session)?;
    let found = Likelihood::of(model, digits, &log_z, (particles, samples::classes(checkpoint), seed), session)?;
    Ok(Measured { scores: json_of("likelihood", &found)?, ..Measured::default() })
}

impl Completing {
    fn of(&self, subject: &Subject, workspace: &Workspace) -> Result<Measured, Error> {
        let Subject { checkpoint, model, reference, .. } = subject;
        let predicts = checkpoint.settings.as_ref().is_some_and(Settings::trains_predictions);
        let (answers, n) = (self.answers as usize, model.n_visible());
        let count = self.count.min(reference.test.examples.len());
        // If a class is read first, the consensus is of answers of one class, which are drawn for it.
        let of_class = self.class_first.and_then(|_| self.consensus.first().copied());
        let answering = AnswerOptions {
            answers: self.answers,
            method: self.by.of_model(predicts),
            sweeps: self.sweeps,
            consensus: of_class,
            class_first: self.class_first,
        };
        let unknown = answers::unknown(&self.mask, workspace.seed, count, &reference.test, reference.test.image)?;
        let bits = answering.draw(workspace.session, model, (&reference.test, 0..count), &unknown, workspace.seed)?;
        let mut all = vec![(of_class.map_or("one", |consensus| consensus.choice().name), bits)];
        if of_class.is_none() {
            let made = self.consensus.iter().map(|made| (made.choice().name, made.of(n, answers, &all[0].1)));
            all.extend(made.collect::<Vec<_>>());
        }
        let schedule = answering.method.schedule(answering.sweeps).to_string();
        let mut scores = Map::from_iter([("schedule".to_string(), schedule.into()), ("answers".to_string(), answers.into())]);
        for (name, bits) in &all {
            let completions = reference.completions(workspace.session, &unknown, count, bits)?;
            scores.insert((*name).into(), json_of(name, &completions)?);
        }

        let pictured = one_a_class(reference, count);
        let truths = pictured.iter().flat_map(|&row| reference.test_levels()[row * PIXELS..(row + 1) * PIXELS].to_vec());
        let hidden = |units: &[u8]| if units.iter().any(|&unit| unit != 0) { u8::MAX } else { 0 };
        let masks = pictured.iter().flat_map(|&row| unknown[row * n..(row + 1) * n].chunks(n / PIXELS).map(hidden));
        let mut shown: Vec<u8> = truths.chain(masks).collect();
        for (_, bits) in &all {
            let each = bits.len() / (n * count);
            for answer in 0..each.min(SHOWN_ANSWERS) {
                let of = |row: usize| &bits[(row * each + answer) * n..(row * each + answer + 1) * n];
                shown.extend(pictured.iter().flat_map(|&row| reference.levels(of(row))));
            }
        }
        Ok(Measured { scores: scores.into(), shown, columns: pictured.len(), ..Measured::default() })
    }
}

/// The first digit of each class among this many test digits.
fn one_a_class(reference: &Reference, count: usize) -> Vec<usize> {
    let labels = reference.test.labels.as_deref().unwrap_or_default();
    (0..10).filter_map(|class| labels.iter().take(count).position(|&label| label == class)).collect()
}

/// Scores as JSON.
///
/// # Errors
/// [`Error::Serialize`].
pub fn json_of(what: &str, scores: &impl Serialize) -> Result<Value, Error> {
    serde_json::to_value(scores).map_err(|source| Error::Serialize { what: what.into(), source })
}
