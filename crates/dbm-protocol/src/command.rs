//! What the page asks of the computing worker.

use crate::{Body, EncodedData};
use dbm_core::diagnostics::CouplingKernel;
use dbm_core::impute::ImputeSettings;
use dbm_core::{Settings, Units};
use serde::{Deserialize, Serialize};

/// What can be asked of the computing worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Command {
    /// Reads a checkpoint into [`ModelChoice::Pretrained`]. Answer: [`crate::Event::ModelOpened`].
    OpenModel {
        /// Shown in errors.
        name: String,
        /// A safetensors file.
        #[serde(with = "serde_bytes")]
        bytes: Vec<u8>,
    },
    /// Makes or parses a data set and, where that works, takes it into use: what was there, run included, is kept for
    /// [`Command::Undo`], and a new run of `plan` stands at step 0. Answer: [`crate::Event::DataReady`].
    UseData {
        /// Where it comes from.
        source: DataSource,
        /// The run to begin on it.
        plan: RunPlan,
    },
    /// Begins a new run at step 0 on the present data; the old one is kept for [`Command::Undo`].
    /// Also what Reset means. Answer: [`crate::Event::RunReady`].
    NewRun {
        /// Its model and settings.
        plan: RunPlan,
    },
    /// Pretrains, where the run begins so and has not done it, and trains until [`Command::Pause`]. Answer:
    /// [`crate::Event::Done`] at once; metrics follow.
    Train,
    /// The same, until the run has taken so many gradient steps in all; it then pauses by itself. Answer: [`crate::Event::Done`] at once, as for
    /// [`Command::Train`].
    TrainUntil {
        /// Gradient steps from the run's beginning.
        step: u32,
    },
    /// Stops training between two slices. Answer: [`crate::Event::Done`], after the last metrics.
    Pause,
    /// One gradient step, or one minibatch of pretraining. Answer: [`crate::Event::Done`], after its metrics.
    Step,
    /// Puts back the run and data that the last [`Command::NewRun`] or [`Command::UseData`] replaced (and keeps the present one
    /// in its place, so that Undo undoes itself). Answer: [`crate::Event::DataReady`].
    Undo,
    /// Uses the data and goes on with the run of a snapshot: how a new worker takes the place of one that died.
    /// Answer: [`crate::Event::DataReady`].
    Restore {
        /// The data the run was on.
        source: DataSource,
        /// What the run was begun with.
        plan: RunPlan,
        /// [`crate::Event::Snapshot`]'s bytes; empty to begin the run anew, pretraining included.
        #[serde(with = "serde_bytes")]
        checkpoint: Vec<u8>,
    },
    /// The run as it stands, as a file. Answer: [`crate::Event::Snapshot`].
    Save,
    /// Fills the gaps of the data in use by the model in training, which it must fit. Answer: [`crate::Event::Imputed`], with
    /// [`crate::Reply::Progress`] before.
    Impute(ImputeSettings),
    /// Hides some known cells of the data from the model in training and compares what it says of them with two simple guesses.
    /// Answer: [`crate::Event::Evaluated`], with [`crate::Reply::Progress`] before.
    Evaluate(ImputeSettings),
    /// How fast [`Command::Train`] and [`Command::TrainUntil`] go from now on, in any run. Answer: [`crate::Event::Done`].
    Pace {
        /// Steps a second at most, 1 to 1000; 0 for as many as can be.
        steps_a_second: u32,
    },
    /// What hidden units respond to. Answer: [`crate::Event::Filters`].
    Filters {
        /// The model whose units they are.
        model: ModelChoice,
        /// The hidden layer, the lowest being 1.
        layer: u32,
        /// Units, from the layer's first on, 1 to 400.
        count: u32,
    },
    /// Samples by local search from noise. Answer: [`crate::Event::Samples`].
    Samples {
        /// The model to sample from.
        model: ModelChoice,
        /// How many, 1 to 400.
        count: u32,
        /// Seed of the samples.
        seed: u32,
    },
    /// One picture to complete. Answer: [`crate::Event::Picture`].
    Picture {
        /// A sample, a generated digit or an example.
        source: PictureSource,
        /// The model whose visible layer it must fit.
        model: ModelChoice,
        /// Seed of the choice among these.
        seed: u32,
    },
    /// Completions of the unknown units. Answer: [`crate::Event::Completions`], with [`crate::Reply::Progress`] before.
    Complete(CompletionRequest),
    /// The first of these completions by local search, state by state. Answer: [`crate::Event::Search`].
    Watch(CompletionRequest),
    /// A coupled pair, step by step: the search that [`Command::Watch`] shows leads to a mode, and one Gibbs sweep from there to
    /// `x_0 = y_0`. Answer: [`crate::Event::Pair`].
    WatchPair {
        /// The completion whose search leads to the mode.
        request: CompletionRequest,
        /// How the pair moves.
        kernel: CouplingKernel,
        /// Steps after which it is cut, 1 to 1000.
        steps: u32,
    },
    /// Times training: begins a run of its own, beside the one that may be there, takes some steps to warm up and then the same number
    /// of steps again and again. Answer: [`crate::Event::Bench`], with [`crate::Reply::Progress`] before, in steps. One at a time;
    /// training waits meanwhile.
    Bench {
        /// The data to train on.
        source: DataSource,
        /// The run to time, which must not begin with pretraining.
        plan: RunPlan,
        /// How many steps are timed how often.
        protocol: BenchProtocol,
        /// On how many workers, one row for each; none for 1, 2, 4 and so on up to all there can be.
        workers: Vec<u32>,
    },
    /// Stops a request that is still at work; it then ends with [`crate::Event::Cancelled`].
    Cancel {
        /// The id of the request to stop.
        request: u32,
    },
}

impl Body for Command {
    fn bulk(&mut self) -> Option<&mut Vec<u8>> {
        match self {
            Self::OpenModel { bytes, .. } => Some(bytes),
            Self::Restore { checkpoint, .. } => Some(checkpoint),
            _ => None,
        }
    }
}

/// How a run is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BenchProtocol {
    /// Steps before the first measurement, 0 to 1000.
    pub warm_up: u32,
    /// Steps of one measurement, 1 to 1000.
    pub steps: u32,
    /// Measurements, 1 to 100.
    pub runs: u32,
}

/// Which of the two models the worker holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ModelChoice {
    /// The one read from a file.
    #[default]
    Pretrained,
    /// The one being trained.
    Training,
}

/// Where a data set comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum DataSource {
    /// Generated digits, 28 x 28.
    Digits {
        /// How many digits.
        count: u32,
        /// Seed of the generator.
        seed: u32,
    },
    /// Every bars-and-stripes pattern of 4 x 4.
    Bars,
    /// Examples of the visitor's, read and made binary by a files worker.
    Examples(EncodedData),
}

/// Where the picture to complete comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PictureSource {
    /// A sample of the model itself.
    Sample,
    /// A generated digit; only for 28 x 28.
    Generated,
    /// An example of the loaded data.
    Data,
}

/// A picture to complete, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompletionRequest {
    /// The model that completes it.
    pub model: ModelChoice,
    /// The picture, one byte a visible unit, 0 or 1; ignored where unknown.
    #[serde(with = "serde_bytes")]
    pub values: Vec<u8>,
    /// One byte a visible unit, 1 where it is unknown.
    #[serde(with = "serde_bytes")]
    pub unknown: Vec<u8>,
    /// How many answers, 1 to 64.
    pub answers: u32,
    /// How each answer is made.
    pub method: CompletionMethod,
    /// Whether the picture is to be cleaned up: what is known is then only where the chains begin, and nothing is clamped.
    pub clean_up: bool,
    /// Seed of the answers.
    pub seed: u32,
}

impl CompletionRequest {
    /// What the answers fill in: one byte a unit, 1 where they do.
    pub fn filled(&self) -> Vec<u8> {
        if self.clean_up { vec![1; self.values.len()] } else { self.unknown.clone() }
    }
}

/// How unknown units are filled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CompletionMethod {
    /// Clamped local search from a random start (the paper's way).
    Search,
    /// This many clamped Gibbs sweeps, then the search.
    Gibbs {
        /// Sweeps before the search.
        sweeps: u32,
    },
    /// This many clamped Gibbs sweeps, each a little colder than the one before, then the search.
    Annealed {
        /// Sweeps before the search.
        sweeps: u32,
    },
    /// This many clamped Gibbs sweeps from a random start, and no search: a draw from the model, as far as the sweeps have come.
    Sample {
        /// Sweeps that each answer takes.
        sweeps: u32,
    },
}

/// A run to begin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunPlan {
    /// Sizes of the hidden layers.
    pub hidden: Vec<u32>,
    /// Kind of units.
    pub units: Units,
    /// How the parameters begin.
    #[serde(default)]
    pub start: Initialization,
    /// Everything else; its `image` is set by the worker from the data's shape.
    pub settings: Settings,
}

/// How a run's parameters begin, drawn with the seed of its settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Initialization {
    /// Random semi-orthogonal weights.
    #[default]
    Orthogonal,
    /// Independent Gaussian weights of mean 0.
    Gaussian {
        /// Their standard deviation, above 0 and at most 1.
        deviation: f64,
    },
    /// Greedy layer-wise pretraining, which the worker does first, in slices like training; the run's step 0 comes after it.
    Pretrained {
        /// Minibatches for each layer.
        steps: u32,
        /// Their step size, above 0 and at most 10.
        learning_rate: f64,
    },
}
