//! What the computing worker answers and reports.

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

/// What the computing worker answers, and says unasked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// The request has been carried out and has no other answer.
    Done,
    /// The request was stopped: by [`Command::Cancel`], or, a single step, by Pause or by another run.
    Cancelled,
    /// Something that the visitor should know, and that has been dealt with.
    Notice(String),
    /// A checkpoint was read.
    ModelOpened(ModelInfo),
    /// A data set is in use, and a run stands on it.
    DataReady(DataInfo, RunInfo),
    /// A run stands at step 0.
    RunReady(RunInfo),
    /// Training went on; at most 10 a second.
    Metrics(Metrics),
    /// The run as it stands, every few seconds of training, but not of pretraining: what [`Command::UseData`] goes on from.
    Snapshot(Snapshot),
    /// Samples, asked for or from training.
    Samples(Grid),
    /// Chains after so many sweeps.
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
    /// How fast the processor and the GPU take the run's steps.
    GpuTried(GpuTrial),
    /// The gaps of the data, filled: `[rows, units]`, the probability that a unit is high; 0 or 1 where it is known.
    Imputed(Vec<f32>),
    /// How good the answers are, on cells that were held back.
    Evaluated(Evaluated),
}

impl Body for Event {
    fn bulk(&mut self) -> Option<&mut Vec<u8>> {
        if let Self::Snapshot(snapshot) = self { Some(&mut snapshot.checkpoint) } else { None }
    }
}

impl Request for Command {
    type Answer = Event;
}

/// A run that stands on the data in use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunInfo {
    /// Its model, described.
    pub model: ModelInfo,
    /// What it was begun with.
    pub plan: RunPlan,
    /// Where it stands.
    pub metrics: Metrics,
    /// Whether [`Command::Undo`] has something to put back.
    pub can_undo: bool,
}

/// A model, described.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelInfo {
    /// Layer sizes, the visible one first.
    pub sizes: Vec<u32>,
    /// Kind of units.
    pub units: Units,
    /// Rows and columns of the visible layer, where it is an image.
    pub image: Option<(u32, u32)>,
    /// Gradient steps it was trained for.
    pub steps: u32,
    /// The units of a value of an image: `image`'s columns are as many times its values in a row.
    pub greys: Greys,
    /// Settings of its run, where known.
    pub settings: Option<Settings>,
    /// Classes that its top layer stands for, one unit each; 0 where the top layer is hidden as the others are.
    pub classes: u32,
    /// Whether the file has all that its run needs to go on here, where data come without classes.
    pub resumable: bool,
    /// What the visible units stand for, where that is known.
    pub visible: Option<Visible>,
}

/// A data set, described.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DataInfo {
    /// Its name, to show as text.
    pub name: String,
    /// How many examples.
    pub count: u32,
    /// Bits an example.
    pub width: u32,
    /// Rows and columns, where an example is an image.
    pub image: Option<(u32, u32)>,
    /// Share of high bits among the known.
    pub share_of_ones: f64,
    /// Bits that are missing, those held back not counted.
    pub missing: u64,
    /// Some examples, for a preview.
    pub preview: Grid,
}

/// How often each value came: pairs of value and count, values rising.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Histogram {
    /// `(value, count)`, values rising.
    pub counts: Vec<(u32, u32)>,
    /// How many of them were cut at the cap.
    pub capped: u32,
    /// The cap on a value.
    pub cap: u32,
}

/// One phase of the recent gradient steps. What the run's estimator does not do is empty; the positive phase of a model with one
/// hidden layer is exact and does nothing of all this.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PhaseMetrics {
    /// Meeting times tau of the recent steps' couplings.
    pub meeting_time: Histogram,
    /// Sweeps T of the recent steps' local searches.
    pub sweeps: Histogram,
    /// Sweeps of the recent steps' mean-field iterations.
    pub mean_field: Histogram,
    /// Share of Metropolis proposals accepted among the recent ones; `None` where there were none.
    pub acceptance: Option<f64>,
    /// Recent steps of Gibbs couplings whose draws were cut at the cap on tries, which biases.
    pub tries_capped: u32,
    /// Mean energy of the states that the couplings start from, or of the chains' last states where nothing is coupled, latest step;
    /// `None` where the phase has no chains.
    pub energy: Option<f64>,
}

/// Where training stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// Whether training runs.
    pub running: bool,
    /// Gradient steps taken.
    pub step: u32,
    /// Pretraining, in a run that begins with it: under way, or done.
    pub pretraining: Option<Pretraining>,
    /// Parts done of the gradient step under way, and of how many; `None` between two steps.
    pub parts: Option<(u32, u32)>,
    /// Workers that share the run.
    pub workers: u32,
    /// Whether the GPU is chosen to take the steps.
    pub gpu: bool,
    /// By whom the steps so far were computed, in words, where the GPU has taken some; empty otherwise.
    pub computed_by: String,
    /// Steps a second, of training or pretraining, over the last second or two; 0 where not running.
    pub steps_per_second: f64,
    /// `Dbm::checksum` of the parameters, in hexadecimal, which tells whether two runs are the same to the bit; empty while the run trains or pretrains, and while its model is on the GPU alone.
    pub checksum: String,
    /// How the model does on the data, as last looked at; `None` before the first look.
    pub signals: Option<RunSignals>,
    /// How active each hidden layer is on the data, the lowest first, as last looked at; empty before the first look.
    pub activities: Vec<Activity>,
    /// Steps that the histograms cover.
    pub recent_steps: u32,
    /// The positive phase, data clamped.
    pub positive: PhaseMetrics,
    /// The negative phase, all free or known units clamped.
    pub negative: PhaseMetrics,
    /// The ladder of the run's own past, where it climbs one.
    pub ladder: Option<LadderMetrics>,
}

/// A ladder of models that the run has been.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LadderMetrics {
    /// Share of exchanges that each rung accepts with the one above it, or with the model, in the long run; independent units first.
    pub accepted: Vec<f64>,
    /// What the learning rate is multiplied by: halved whenever a step went too far and was undone.
    pub rate: f64,
}

impl Metrics {
    /// Whether the run has done anything that beginning anew would lose.
    pub fn begun(&self) -> bool {
        self.step > 0 || self.parts.is_some() || self.pretraining.is_some_and(|pretraining| pretraining.begun())
    }
}

/// A look at how a model does on some of its data: its [`dbm_core::signals::Signals`], and what is known besides.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSignals {
    /// Gradient steps taken when it was looked at.
    pub step: u32,
    /// Mean squared error of a bit reconstructed through the first hidden layer, 0 to 1.
    pub reconstruction_error: f64,
    /// Pseudo-log-likelihood, nats an example, smoothed over the last looks.
    pub pseudo_log_likelihood: f64,
    /// Mean free energy of some examples, nats: exact with one hidden layer, an upper bound with more (`dbm_core::signals::free_energies`).
    pub free_energy: f64,
    /// The same of the samples that training shows, once they are there.
    pub free_energy_of_samples: Option<f64>,
    /// Exact mean log-likelihood of the data, nats an example, where the model is small enough.
    pub log_likelihood: Option<f64>,
}

/// What hidden units respond to: `dbm_core::filters`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Filters {
    /// The model whose units these are.
    pub model: ModelChoice,
    /// Gradient steps at that time.
    pub step: u32,
    /// The hidden layer, the lowest being 1.
    pub layer: u32,
    /// How many units.
    pub count: u32,
    /// Rows and columns of each; a visible layer that is no image has one row.
    pub image: (u32, u32),
    /// The largest absolute value of all.
    pub scale: f32,
    /// One byte a visible unit, `count * rows * columns`: 128 for zero, 1 for `-scale`, 255 for `scale`.
    #[serde(with = "serde_bytes")]
    pub levels: Vec<u8>,
}

/// How far layer-wise pretraining has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pretraining {
    /// The hidden layer it is at, 1 being the lowest; the topmost once all are done.
    pub layer: u32,
    /// How many hidden layers there are.
    pub layers: u32,
    /// Minibatches that layer has had,
    pub step: u32,
    /// of this many for each.
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
    /// Where it came from.
    pub source: PictureSource,
    /// Rows and columns.
    pub image: (u32, u32),
    /// One byte a unit, 0 or 1.
    #[serde(with = "serde_bytes")]
    pub bits: Vec<u8>,
    /// One byte a unit, 1 where an example has a gap and its bit says nothing; empty where there is none.
    #[serde(with = "serde_bytes")]
    pub missing: Vec<u8>,
}

/// Answers to one completion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Completions {
    /// How many answers there are.
    pub answers: u32,
    /// Rows and columns.
    pub image: (u32, u32),
    /// One byte a unit, `answers * rows * columns`; known units are as they were given.
    #[serde(with = "serde_bytes")]
    pub bits: Vec<u8>,
    /// How many of the answers are distinct.
    pub distinct: u32,
    /// Sweeps T that each answer's final search took; 0 where there was none.
    pub sweeps: Vec<u32>,
    /// Energy of the whole state, hidden layers included, that each answer is the visible layer of.
    pub energies: Vec<f64>,
    /// How probable each class is, as it was read from what is known; empty where none was read.
    pub classes: Vec<f64>,
    /// Seconds the worker computed.
    pub seconds: f64,
}

/// Chains from noise after so many Gibbs sweeps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Swept {
    /// Sweeps that they have made.
    pub sweeps: u32,
    /// The modes that local searches from where they stand end in.
    pub samples: Grid,
    /// Energy of each chain where it stands, in nats.
    pub energies: Vec<f64>,
    /// High visible units of each chain where it stands.
    pub high: Vec<f64>,
}

/// Answers compared on the same hidden cells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evaluated {
    /// Whether the model was trained without these cells.
    pub held_back: bool,
    /// The scores of the model and of two simple guesses.
    pub report: Report,
}

/// Ten steps of a run, by the processor and by the GPU.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GpuTrial {
    /// Workers that shared the processor's steps.
    pub workers: u32,
    /// Seconds that its steps took.
    pub processor_seconds: f64,
    /// What the GPU calls itself.
    pub gpu: String,
    /// Seconds that its steps took.
    pub gpu_seconds: f64,
}
