//! Answers and reports of the computing worker.

use crate::{Body, Command, Grid, ModelChoice, PictureSource, Request, Snapshot};
use dbm_core::complete::AnswerTrace;
use dbm_core::diagnostics::CouplingTrace;
use dbm_core::impute::Report;
use dbm_core::settings::RunPlan;
use dbm_core::signals::Activity;
use dbm_core::{Settings, Units};
use dbm_data::coding::Greys;
use dbm_data::raw::Visible;
use serde::{Deserialize, Serialize};

/// What the computing worker sends, as an answer or unrequested.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// The request has been carried out and has no other answer.
    Done,
    /// The request was stopped: by [`Command::Cancel`] or, for a single step, by Pause or by another run.
    Cancelled,
    /// Something that the visitor should know and that has already been handled.
    Notice(String),
    /// A checkpoint was read.
    ModelOpened(ModelInfo),
    /// A data set is in use, with a run on it.
    DataReady(DataInfo, RunInfo),
    /// A run is at step 0.
    RunReady(RunInfo),
    /// Training has advanced; at most 10 a second.
    Metrics(Metrics),
    /// The run in its present state, every few seconds of training but not of pretraining; [`Command::UseData`] can resume from it.
    Snapshot(Snapshot),
    /// Samples, requested or from training.
    Samples(Grid),
    /// Chains after this many sweeps.
    Swept(Swept),
    /// What hidden units respond to.
    Filters(Filters),
    /// A picture to complete.
    Picture(PictureToComplete),
    /// Answers to one completion.
    Completions(Completions),
    /// The first answer, state by state.
    Watched(AnswerTrace),
    /// A coupled pair, step by step.
    Pair(CouplingTrace),
    /// How long the run's steps take on the processor and on the GPU.
    GpuTried(GpuTrial),
    /// The gaps of the data, filled.
    GapsFilled(Box<GapsFilled>),
    /// How the best recipe does so far, while they are compared to fill gaps.
    Looked(FitLook),
}

impl Body for Event {
    fn bulk(&mut self) -> Option<&mut Vec<u8>> {
        if let Self::Snapshot(snapshot) = self { Some(&mut snapshot.checkpoint) } else { None }
    }
}

impl Request for Command {
    type Answer = Event;
}

/// A run on the data in use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunInfo {
    /// The description of its model.
    pub model: ModelInfo,
    /// The plan with which it began.
    pub plan: RunPlan,
    /// Its progress.
    pub metrics: Metrics,
    /// Whether [`Command::Undo`] has something to restore.
    pub can_undo: bool,
}

/// A description of a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelInfo {
    /// Layer sizes, the visible one first.
    pub sizes: Vec<u32>,
    /// Kind of units.
    pub units: Units,
    /// Rows and columns of the visible layer, if it is an image.
    pub image: Option<(u32, u32)>,
    /// Gradient steps it was trained for.
    pub steps: u32,
    /// Units per value of an image: `image` has this many times as many columns as there are values in a row.
    pub greys: Greys,
    /// Settings of its run, if known.
    pub settings: Option<Settings>,
    /// Number of classes that its top layer stands for, one unit each; 0 if the top layer is an ordinary hidden layer.
    pub classes: u32,
    /// Whether the file has everything that its run needs to resume here, where data have no classes.
    pub resumable: bool,
    /// What the visible units stand for, if known.
    pub visible: Option<Visible>,
}

/// A description of a data set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DataInfo {
    /// Its name, to show as text.
    pub name: String,
    /// Number of examples.
    pub count: u32,
    /// Bits per example.
    pub width: u32,
    /// Rows and columns, if an example is an image.
    pub image: Option<(u32, u32)>,
    /// Share of high bits among the known ones.
    pub share_of_ones: f64,
    /// Number of missing bits, not counting held-back ones.
    pub missing: u64,
    /// Whether a run draws their bits from grey values at every visit.
    pub redrawn: bool,
    /// Some examples, for a preview.
    pub preview: Grid,
    /// About how many seconds it takes to fill the gaps, if there are any.
    pub fill_seconds: Option<f64>,
}

/// How often each value occurred: pairs of value and count, values rising.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Histogram {
    /// `(value, count)`, values rising.
    pub counts: Vec<(u32, u32)>,
    /// How many of them were cut off at the cap.
    pub capped: u32,
    /// The cap on a value.
    pub cap: u32,
}

/// One phase of the recent gradient steps. Whatever the run's estimator does not do is empty; the positive phase of a model with one hidden
/// layer is exact and does none of this.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PhaseMetrics {
    /// Meeting times tau of the recent steps' couplings.
    pub meeting_time: Histogram,
    /// Sweeps T of the recent steps' local searches.
    pub sweeps: Histogram,
    /// Sweeps of the recent steps' mean-field iterations.
    pub mean_field: Histogram,
    /// Share of recent Metropolis proposals that were accepted; `None` if there were none.
    pub acceptance: Option<f64>,
    /// Recent steps whose Gibbs couplings had draws cut off at the cap on tries, which introduces bias.
    pub tries_capped: u32,
    /// Mean energy at the latest step: of the states that the couplings start from, or of the chains' last states if nothing is coupled;
    /// `None` if the phase has no chains.
    pub energy: Option<f64>,
}

/// The state of training.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// Whether training is running.
    pub running: bool,
    /// Gradient steps taken.
    pub step: u32,
    /// Pretraining, if the run begins with it: under way or done.
    pub pretraining: Option<Pretraining>,
    /// Parts done of the gradient step under way, and the total; `None` between two steps.
    pub parts: Option<(u32, u32)>,
    /// Workers that share the run.
    pub workers: u32,
    /// Whether the GPU is chosen to take the steps.
    pub gpu: bool,
    /// What computed the steps so far, in words, if the GPU has taken some; empty otherwise.
    pub computed_by: String,
    /// Steps per second, of training or pretraining, over the last second or two; 0 if not running.
    pub steps_per_second: f64,
    /// `Dbm::checksum` of the parameters, in hexadecimal, which shows whether two runs agree to the bit; empty while the run trains or
    /// pretrains, and while its model is only on the GPU.
    pub checksum: String,
    /// How the model does on the data, as last looked at; `None` before the first look.
    pub signals: Option<RunSignals>,
    /// How active each hidden layer is on the data, lowest first, as last looked at; empty before the first look.
    pub activities: Vec<Activity>,
    /// Number of steps that the histograms cover.
    pub recent_steps: u32,
    /// The positive phase, data clamped.
    pub positive: PhaseMetrics,
    /// The negative phase, with all units free or the known ones clamped.
    pub negative: PhaseMetrics,
    /// The ladder of the run's past models, if it climbs one.
    pub ladder: Option<LadderMetrics>,
}

/// A ladder of the run's past models.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LadderMetrics {
    /// Long-run share of exchanges that each rung accepts with the one above it, or with the model; independent units first.
    pub accepted: Vec<f64>,
    /// The factor on the learning rate: halved whenever a step went too far and was undone.
    pub rate: f64,
}

impl Metrics {
    /// Whether the run has done anything that starting over would lose.
    pub fn begun(&self) -> bool {
        self.step > 0 || self.parts.is_some() || self.pretraining.is_some_and(|pretraining| pretraining.begun())
    }
}

/// A look at how a model does on some of its data: its [`dbm_core::signals::Signals`] and other values, if known.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSignals {
    /// Gradient steps taken at the time.
    pub step: u32,
    /// Mean squared error of a bit reconstructed through the first hidden layer, 0 to 1.
    pub reconstruction_error: f64,
    /// Pseudo-log-likelihood, nats per example, smoothed over the last looks.
    pub pseudo_log_likelihood: f64,
    /// Mean free energy of some examples, nats: exact with one hidden layer, an upper bound with more (`dbm_core::signals::free_energies`).
    pub free_energy: f64,
    /// The same for the samples that training shows, once there are any.
    pub free_energy_of_samples: Option<f64>,
    /// Exact mean log-likelihood of the data, nats per example, if the model is small enough.
    pub log_likelihood: Option<f64>,
}

/// What hidden units respond to: `dbm_core::filters`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Filters {
    /// The model that the units belong to.
    pub model: ModelChoice,
    /// Gradient steps at that time.
    pub step: u32,
    /// The hidden layer, 1 being the lowest.
    pub layer: u32,
    /// Number of units.
    pub count: u32,
    /// Rows and columns of each; a visible layer that is no image has one row.
    pub image: (u32, u32),
    /// The largest absolute value over all units.
    pub scale: f32,
    /// One byte per visible unit, `count * rows * columns`: 128 for zero, 1 for `-scale`, 255 for `scale`.
    #[serde(with = "serde_bytes")]
    pub levels: Vec<u8>,
}

/// Progress of layer-wise pretraining.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pretraining {
    /// The hidden layer being trained, 1 being the lowest; the topmost once all are done.
    pub layer: u32,
    /// How many hidden layers there are.
    pub layers: u32,
    /// Minibatches done in that layer.
    pub step: u32,
    /// Minibatches for each layer.
    pub steps: u32,
}

impl Pretraining {
    /// Whether it has taken a step.
    pub fn begun(&self) -> bool {
        self.layer > 1 || self.step > 0
    }

    /// Whether every layer has had its minibatches.
    pub fn is_done(&self) -> bool {
        self.layer == self.layers && self.step >= self.steps
    }
}

/// A picture to complete.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PictureToComplete {
    /// Its source.
    pub source: PictureSource,
    /// Rows and columns.
    pub image: (u32, u32),
    /// One byte per unit, 0 or 1.
    #[serde(with = "serde_bytes")]
    pub bits: Vec<u8>,
    /// One byte per unit, 1 at the gaps of an example, whose bits have no meaning; empty if there are none.
    #[serde(with = "serde_bytes")]
    pub missing: Vec<u8>,
}

/// Answers to one completion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Completions {
    /// Number of answers.
    pub answers: u32,
    /// Rows and columns.
    pub image: (u32, u32),
    /// One byte per unit, `answers * rows * columns`; known units are unchanged.
    #[serde(with = "serde_bytes")]
    pub bits: Vec<u8>,
    /// How many of the answers are distinct.
    pub distinct: u32,
    /// Sweeps T of each answer's final search; 0 if there was none.
    pub sweeps: Vec<u32>,
    /// Energy of the complete state of each answer, hidden layers included.
    pub energies: Vec<f64>,
    /// How probable each class is given the known units; empty if none was read.
    pub classes: Vec<f64>,
    /// Seconds of computation in the worker.
    pub seconds: f64,
}

/// Chains from noise after this many Gibbs sweeps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Swept {
    /// Number of sweeps.
    pub sweeps: u32,
    /// The modes of local searches from the chains' states.
    pub samples: Grid,
    /// Energy of each chain's state, in nats.
    pub energies: Vec<f64>,
    /// Number of high visible units in each chain's state.
    pub high: Vec<f64>,
}

/// The best recipe so far.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FitLook {
    /// Gradient steps that all recipes have taken.
    pub steps: u32,
    /// Mean of `- log P(truth)`, in nats per held-back cell.
    pub log_loss: f64,
    /// Share of these cells whose most likely value is the truth.
    pub accuracy: f64,
}

/// A filled table, as bits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GapsFilled {
    /// How the model was found, if it was chosen.
    pub chosen: Option<ChosenModel>,
    /// How good its answers are; `None` if too few cells are known to hide some.
    pub checked: Option<GapCheck>,
    /// `[rows, units]`: the probability that a unit is high; 0 or 1 if it is known.
    pub highs: Vec<f32>,
    /// `[rows, imputations, units]`, packed as in `dbm_core::Examples`: draws of all units of a row.
    #[serde(with = "serde_bytes")]
    pub draws: Vec<u8>,
}

/// The best of several recipes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChosenModel {
    /// How many were compared.
    pub recipes: u32,
    /// How many of the best are averaged.
    pub averaged: u32,
    /// The best one.
    pub plan: RunPlan,
    /// Its best number of steps.
    pub steps: u32,
    /// Cells held back to compare them.
    pub cells: u32,
}

/// A check of a model on cells that were hidden from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GapCheck {
    /// Whether the model had not seen them.
    pub unseen: bool,
    /// The scores of the model and of two simple guesses.
    pub report: Report,
    /// What they mean, in a sentence.
    pub verdict: String,
    /// Guesses of about the same probability: their mean probability, the share that is right, their number; probabilities rising.
    pub calibration: Vec<(f64, f64, u32)>,
    /// How far the probabilities are from the shares, in a sentence.
    pub calibrated: String,
}

/// Ten steps of a run, on the processor and on the GPU.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GpuTrial {
    /// Workers that shared the processor's steps.
    pub workers: u32,
    /// Seconds that the processor's steps took.
    pub processor_seconds: f64,
    /// Name of the GPU.
    pub gpu: String,
    /// Seconds that the GPU's steps took.
    pub gpu_seconds: f64,
}
