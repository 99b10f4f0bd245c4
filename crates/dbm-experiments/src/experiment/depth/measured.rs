//! What is measured of a model with labels: how likely digits are, what class it reads in them, how its samples stand against sweeps, and how it completes lower halves.

use crate::Error;
use crate::answers::{self, Answering, ClassReading, Consensus, Method};
use crate::equilibrium::{Plan, Seen, Subject};
use crate::experiment::workspace::Workspace;
use crate::likelihood::Likelihood;
use crate::log_z::{LogZ, ReverseFrom};
use crate::samples;
use crate::score::Reference;
use dbm_core::Dbm;
use dbm_core::ais::AisSettings;
use dbm_core::complete::{ChainStart, SamplingSchedule};
use dbm_score::Completions;
use serde::{Deserialize, Serialize};

/// Gibbs sweeps from noise after which samples are looked at.
pub const DISTANCES: [u32; 3] = [50, 300, 2000];

/// Gibbs sweeps from noise of samples of a class.
const CLASS_SWEEPS: u32 = 300;

/// Answers to a question that a consensus is made of.
pub const TOGETHER: u32 = 32;
/// Gibbs sweeps of an answer.
const SWEEPS: u32 = 100;

/// Annealing in reverse starts so many sweeps from its samples.
const REVERSE_SWEEPS: u32 = 300;

/// What is asked of each model.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Asked {
    /// Digits whose likelihood and classes are measured.
    pub likelihood: usize,
    /// Betas of annealing.
    pub betas: usize,
    /// Particles that are taken to each posterior.
    pub particles: usize,
    /// Chains that samples are drawn from.
    pub samples: usize,
    /// Lower halves that one answer is given to, and that many together.
    pub one: usize,
    pub together: usize,
    /// Answers whose consensus it is.
    pub answers: u32,
}

/// A model, measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measured {
    /// Mean log p(v), by the low and the high side of log Z.
    pub log_p: [f64; 2],
    /// Share of digits whose class is read wrong, by the bound on p(v, y) and by the prediction of mean field.
    pub wrong: [f64; 2],
    /// Digit Frechet distance after each of [`DISTANCES`].
    pub distances: Vec<f64>,
    /// The same of samples whose class is drawn first, and clamped for [`CLASS_SWEEPS`] sweeps.
    pub of_classes: f64,
    /// One answer to each lower half, drawn of the class that mean field predicts.
    pub one: Completions,
    /// The balanced majority of more.
    pub together: Completions,
    /// Seconds of training.
    #[serde(default)]
    pub seconds: f64,
}

impl Asked {
    /// Measures a model on the test digits of `reference`.
    ///
    /// # Errors
    /// Those of log Z and of the scores.
    pub fn of(&self, workspace: &Workspace, model: &Dbm, reference: &Reference) -> Result<Measured, Error> {
        let (session, seed, classes) = (workspace.session, workspace.seed, model.sizes()[model.depth()]);
        let digits = (&reference.test, self.likelihood);
        let ais = AisSettings { betas: self.betas, seed, ..AisSettings::default() };
        let log_z = LogZ::of(model, Some(digits), &ais, (ReverseFrom::Samples, REVERSE_SWEEPS), session)?;
        let likelihood = Likelihood::of(model, digits, &log_z, (self.particles, classes, seed), session)?;
        let missing = || Error::Input("a model with labels has two layers above the pixels".into());
        let log_p = [likelihood.log_p_particles, likelihood.log_p_particles_reverse].map(|log_p| log_p.ok_or_else(missing));
        let wrong = [likelihood.classification_error, likelihood.prediction_error].map(|wrong| wrong.ok_or_else(missing));
        let [low, high] = log_p;
        let [by_bound, predicted] = wrong;
        Ok(Measured {
            log_p: [low?, high?],
            wrong: [by_bound?, predicted?],
            distances: self.distances(workspace, model, reference)?,
            of_classes: self.distance_of_classes(workspace, model, reference)?,
            one: answered(workspace, model, reference, (self.one, 1))?,
            together: answered(workspace, model, reference, (self.together, self.answers))?,
            seconds: 0.0,
        })
    }

    fn distance_of_classes(&self, workspace: &Workspace, model: &Dbm, reference: &Reference) -> Result<f64, Error> {
        let schedule = SamplingSchedule::ClassGibbs(workspace.pick(CLASS_SWEEPS, 2));
        let bits = samples::draw(workspace.session, model, schedule, self.samples, workspace.seed).bits;
        Ok(reference.quality(workspace.session, &bits)?.0.digit_frechet_distance)
    }

    fn distances(&self, workspace: &Workspace, model: &Dbm, reference: &Reference) -> Result<Vec<f64>, Error> {
        let (starts, sweeps) = (vec![ChainStart::Noise], workspace.pick(DISTANCES.to_vec(), vec![1, 2, 3]));
        let plan = Plan { starts, sweeps, chains: self.samples, seed: workspace.seed, seen: Seen::Mode };
        let (name, examples) = (String::new(), &reference.train.examples);
        let seen = plan.measure(&Subject { model, name, examples, reference: Some(reference) }, workspace.session)?;
        let looks = seen.starts.into_iter().flat_map(|start| start.looks);
        Ok(looks.filter_map(|look| Some(look.digits?.quality.digit_frechet_distance)).collect())
    }
}

/// Answers to the lower halves of the first test digits, from the mean field of what is known and of the class that mean field reads; several to a question become one.
fn answered(
    workspace: &Workspace,
    model: &Dbm,
    reference: &Reference,
    (count, answers): (usize, u32),
) -> Result<Completions, Error> {
    let consensus = (answers > 1).then_some(Consensus::Balanced);
    let (method, class_first) = (Method::MeanField, Some(ClassReading::MeanField));
    let answering = Answering { answers, method, sweeps: workspace.pick(SWEEPS, 2), consensus, class_first };
    let unknown = lower_halves(workspace, reference, count)?;
    let bits = answering.draw(workspace.session, model, (&reference.test, 0..count), &unknown, workspace.seed);
    reference.completions(workspace.session, &unknown, count, &bits)
}

/// What is unknown of the first test digits.
///
/// # Errors
/// Digits that are no pictures.
pub fn lower_halves(workspace: &Workspace, reference: &Reference, count: usize) -> Result<Vec<u8>, Error> {
    answers::unknown("lower-half", workspace.seed, count, &reference.test, reference.test.image)
}
