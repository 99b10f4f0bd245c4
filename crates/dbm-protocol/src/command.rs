//! Requests of the page to the computing worker.

use crate::{Body, DataSource, ModelChoice, NamedBytes};
use dbm_core::complete::Method;
use dbm_core::diagnostics::CouplingKernel;
use dbm_core::impute::ImputeSettings;
use dbm_core::settings::RunPlan;
use dbm_core::words::{choices, words};
use serde::{Deserialize, Serialize};

/// Requests to the computing worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(clippy::large_enum_variant, reason = "a message is made once, and moved")]
pub enum Command {
    /// Reads a checkpoint into [`ModelChoice::Pretrained`]. Answer: [`crate::Event::ModelOpened`].
    OpenModel(NamedBytes),
    /// Makes or parses a data set and, if that succeeds, takes it into use with a run on it. The previous data and run are kept for
    /// [`Command::Undo`]. Answer: [`crate::Event::DataReady`].
    UseData {
        /// Source of the data.
        source: DataSource,
        /// The run to begin on it, or the plan with which the checkpoint's run began.
        plan: RunPlan,
        /// The [`Snapshot::checkpoint`](crate::Snapshot::checkpoint) to resume from, used by a new worker that replaces one that died;
        /// empty to begin the run, pretraining included.
        #[serde(with = "serde_bytes")]
        checkpoint: Vec<u8>,
    },
    /// Begins a new run at step 0 on the present data; the old one is kept for [`Command::Undo`]. Reset uses this too. Answer:
    /// [`crate::Event::RunReady`].
    NewRun(RunPlan),
    /// Pretrains, if the run begins with that and has not done it, and trains until [`Command::Pause`]. Answer: [`crate::Event::Done`] at
    /// once; metrics follow.
    Train,
    /// The same, until the run has taken this many gradient steps in all; it then pauses. Answer: [`crate::Event::Done`] at once, as for
    /// [`Command::Train`].
    TrainUntil(u32),
    /// Stops training between two slices. Answer: [`crate::Event::Done`], after the last metrics.
    Pause,
    /// One gradient step, or one minibatch of pretraining. Answer: [`crate::Event::Done`], after its metrics.
    Step,
    /// Puts back the run and data that the last [`Command::NewRun`] or [`Command::UseData`] replaced, and keeps the present ones in their
    /// place, so that a second Undo reverts the first. Answer: [`crate::Event::DataReady`].
    Undo,
    /// The run in its present state, as a file. Answer: [`crate::Event::Snapshot`].
    Save,
    /// Fills the gaps of the data in use, after a check on known cells. [`crate::Reply::Progress`] comes first and, unrequested,
    /// [`crate::Event::Looked`] while recipes are compared. Answer: [`crate::Event::GapsFilled`].
    FillGaps {
        /// What fills them.
        by: GapModel,
        /// How a row is filled; the seed of everything random.
        settings: ImputeSettings,
        /// Completions of each row to send, at most as many as there are chains.
        imputations: u32,
    },
    /// Speed of [`Command::Train`] and [`Command::TrainUntil`] from now on, in any run: maximum steps per second, 1 to 1000; 0 for no
    /// limit. Answer: [`crate::Event::Done`].
    Pace(u32),
    /// What hidden units respond to. Answer: [`crate::Event::Filters`].
    Filters {
        /// The model that the units belong to.
        model: ModelChoice,
        /// The hidden layer, 1 being the lowest.
        layer: u32,
        /// Number of units, from the layer's first on, 1 to 400.
        count: u32,
    },
    /// Samples, drawn as in the model's training. Answer: [`crate::Event::Samples`].
    Samples {
        /// The model to sample from.
        model: ModelChoice,
        /// 0 for the samples themselves; for a hidden layer, 1 being the lowest, what its state alone says about the visible layer, as
        /// 8-bit greys: `dbm_core::decode`.
        layer: u32,
        /// Number of samples, 1 to 400.
        count: u32,
        /// Seed of the samples.
        seed: u32,
    },
    /// Chains from noise after a number of Gibbs sweeps; chains with more sweeps are the same chains further on. [`crate::Reply::Progress`]
    /// comes first. Answer: [`crate::Event::Swept`].
    Sweeps {
        /// The model to sample from.
        model: ModelChoice,
        /// Number of chains, 1 to 64.
        count: u32,
        /// Sweeps of each chain, 1 to 100 000.
        sweeps: u32,
        /// Seed of the chains.
        seed: u32,
    },
    /// One picture to complete. Answer: [`crate::Event::Picture`].
    Picture {
        /// A sample, a generated digit or an example.
        source: PictureSource,
        /// The model, whose visible layer the picture must fit.
        model: ModelChoice,
        /// Seed for the choice among these.
        seed: u32,
    },
    /// Completions of the unknown units. [`crate::Reply::Progress`] comes first. Answer: [`crate::Event::Completions`].
    Complete(CompletionRequest),
    /// The first of these completions, state by state. Answer: [`crate::Event::Watched`].
    Watch(CompletionRequest),
    /// A coupled pair, step by step: a local search from noise leads to a mode, and one Gibbs sweep from there to
    /// `x_0 = y_0`. Answer: [`crate::Event::Pair`].
    WatchPair {
        /// The completion whose search leads to the mode.
        request: CompletionRequest,
        /// How the pair moves.
        kernel: CouplingKernel,
        /// Steps after which it is cut off, 1 to 1000.
        steps: u32,
    },
    /// Times ten steps of the run on the processor, on as many workers as would share it, and ten on the GPU; the run itself does not
    /// advance. [`crate::Reply::Progress`] comes first, in steps. Only one trial runs at a time, and training waits meanwhile. Answer:
    /// [`crate::Event::GpuTried`].
    TryGpu,
    /// Whether the GPU is to take the steps of this worker's runs from now on. If the GPU cannot train a run or fails, the run continues on
    /// the processor, and [`crate::Event::Notice`] says so. Answer: [`crate::Event::Done`].
    UseGpu(bool),
    /// Stops the request with this id, if it is still pending; it then ends with [`crate::Event::Cancelled`].
    Cancel(u32),
}

choices! {
    /// The model that fills the gaps of a table.
    #[derive(Default, Serialize, Deserialize)]
    pub enum GapModel = words("gap-model", "Using", "The model that fills the gaps");
    /// The best of several recipes.
    #[default]
    Chosen = "chosen", "a model chosen for this table", "Recipes are compared on held-back cells; the best one is trained for as long as it gets better";
    /// The run as it is.
    Training = "training", "the model in training", "Its layers, estimator and steps are up to you";
}

impl Body for Command {
    fn bulk(&mut self) -> Option<&mut Vec<u8>> {
        match self {
            Self::OpenModel(file) => Some(&mut file.bytes),
            Self::UseData { checkpoint, .. } => Some(checkpoint),
            _ => None,
        }
    }
}

/// The seed of the picture that a visitor sees first: a generated digit that the opening model, once its lower half is hidden, completes to
/// two different digits.
pub const FIRST_PICTURE: u32 = 129;
/// The seed of its first answers.
pub const FIRST_ANSWERS: u32 = 1;

/// Source of the picture to complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PictureSource {
    /// A sample of the model itself.
    Sample,
    /// A generated digit; only for 28 x 28.
    Generated,
    /// An example of the loaded data.
    Data,
}

/// A picture to complete, and how to complete it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompletionRequest {
    /// The model that completes it.
    pub model: ModelChoice,
    /// The picture, one byte per visible unit, 0 or 1; ignored where unknown.
    #[serde(with = "serde_bytes")]
    pub values: Vec<u8>,
    /// One byte per visible unit, 1 where it is unknown.
    #[serde(with = "serde_bytes")]
    pub unknown: Vec<u8>,
    /// Number of answers, 1 to 64.
    pub answers: u32,
    /// How each answer is made. If nothing is known, the method that suits the model is the one that draws its samples.
    pub method: Method,
    /// Gibbs sweeps per answer, if the method has any.
    pub sweeps: u32,
    /// Whether the picture is to be cleaned up: the known units are then only the start of the chains, and nothing is clamped.
    pub clean_up: bool,
    /// The class of all answers, counted from 0, for a model with classes. Without one the class is read from the known units, and the
    /// answers are of the likeliest class; if nothing is known, they have whatever class they reach. Cleaned-up answers and watched pairs
    /// do not keep to a class, although the class of a picture to clean up is still read.
    pub class: Option<u8>,
    /// Seed of the answers.
    pub seed: u32,
}

impl CompletionRequest {
    /// The units that the answers fill in: one byte per unit, 1 where they do.
    pub fn filled(&self) -> Vec<u8> {
        if self.clean_up { vec![1; self.values.len()] } else { self.unknown.clone() }
    }
}
