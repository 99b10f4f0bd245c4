//! What the page asks of the computing worker.

use crate::{Body, DataSource, ModelChoice, NamedBytes};
use dbm_core::complete::Method;
use dbm_core::diagnostics::CouplingKernel;
use dbm_core::impute::ImputeSettings;
use dbm_core::settings::RunPlan;
use serde::{Deserialize, Serialize};

/// What can be asked of the computing worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Command {
    /// Reads a checkpoint into [`ModelChoice::Pretrained`]. Answer: [`crate::Event::ModelOpened`].
    OpenModel(NamedBytes),
    /// Makes or parses a data set and, where that works, takes it into use: what was there, run included, is kept for
    /// [`Command::Undo`], and a run stands on it. Answer: [`crate::Event::DataReady`].
    UseData {
        /// Where it comes from.
        source: DataSource,
        /// The run to begin on it, or what the run of the checkpoint was begun with.
        plan: RunPlan,
        /// [`Snapshot::checkpoint`](crate::Snapshot::checkpoint) to go on from, as a new worker does in place of one that died; empty to begin the run, pretraining included.
        #[serde(with = "serde_bytes")]
        checkpoint: Vec<u8>,
    },
    /// Begins a new run at step 0 on the present data; the old one is kept for [`Command::Undo`].
    /// Also what Reset means. Answer: [`crate::Event::RunReady`].
    NewRun(RunPlan),
    /// Pretrains, where the run begins so and has not done it, and trains until [`Command::Pause`]. Answer:
    /// [`crate::Event::Done`] at once; metrics follow.
    Train,
    /// The same, until the run has taken so many gradient steps in all; it then pauses by itself. Answer: [`crate::Event::Done`] at once, as for
    /// [`Command::Train`].
    TrainUntil(u32),
    /// Stops training between two slices. Answer: [`crate::Event::Done`], after the last metrics.
    Pause,
    /// One gradient step, or one minibatch of pretraining. Answer: [`crate::Event::Done`], after its metrics.
    Step,
    /// Puts back the run and data that the last [`Command::NewRun`] or [`Command::UseData`] replaced (and keeps the present one
    /// in its place, so that Undo undoes itself). Answer: [`crate::Event::DataReady`].
    Undo,
    /// The run as it stands, as a file. Answer: [`crate::Event::Snapshot`].
    Save,
    /// Fills the gaps of the data in use by the model in training, which it must fit. Answer: [`crate::Event::Imputed`], with
    /// [`crate::Reply::Progress`] before.
    Impute(ImputeSettings),
    /// Hides some known cells of the data from the model in training and compares what it says of them with two simple guesses.
    /// Answer: [`crate::Event::Evaluated`], with [`crate::Reply::Progress`] before.
    Evaluate(ImputeSettings),
    /// How fast [`Command::Train`] and [`Command::TrainUntil`] go from now on, in any run: steps a second at most, 1 to 1000; 0 for as many as
    /// can be. Answer: [`crate::Event::Done`].
    Pace(u32),
    /// What hidden units respond to. Answer: [`crate::Event::Filters`].
    Filters {
        /// The model whose units they are.
        model: ModelChoice,
        /// The hidden layer, the lowest being 1.
        layer: u32,
        /// Units, from the layer's first on, 1 to 400.
        count: u32,
    },
    /// Samples, drawn as the model's training went. Answer: [`crate::Event::Samples`].
    Samples {
        /// The model to sample from.
        model: ModelChoice,
        /// 0 for the samples themselves; a hidden layer, the lowest being 1, for what its state in each says alone of the visible one, as greys of eight bits: `dbm_core::decode`.
        layer: u32,
        /// How many, 1 to 400.
        count: u32,
        /// Seed of the samples.
        seed: u32,
    },
    /// Chains from noise after a number of Gibbs sweeps; those of more sweeps are the same chains further on. Answer: [`crate::Event::Swept`], with
    /// [`crate::Reply::Progress`] before.
    Sweeps {
        /// The model whose chains they are.
        model: ModelChoice,
        /// How many, 1 to 64.
        count: u32,
        /// Sweeps that each makes, 1 to 100 000.
        sweeps: u32,
        /// Seed of the chains.
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
    /// The first of these completions, state by state. Answer: [`crate::Event::Watched`].
    Watch(CompletionRequest),
    /// A coupled pair, step by step: a local search from noise leads to a mode, and one Gibbs sweep from there to
    /// `x_0 = y_0`. Answer: [`crate::Event::Pair`].
    WatchPair {
        /// The completion whose search leads to the mode.
        request: CompletionRequest,
        /// How the pair moves.
        kernel: CouplingKernel,
        /// Steps after which it is cut, 1 to 1000.
        steps: u32,
    },
    /// Times ten steps of the run by the processor, on as many workers as would share it, and ten by the GPU; the run stays
    /// where it is. Answer: [`crate::Event::GpuTried`], with [`crate::Reply::Progress`] before, in steps. One at a time; training
    /// waits meanwhile.
    TryGpu,
    /// Whether the GPU is to take the steps of the runs here from now on. A run that it cannot train, or that it lets down, goes on by the processor, and [`crate::Event::Notice`] says so.
    /// Answer: [`crate::Event::Done`].
    UseGpu(bool),
    /// Stops the request of this id, where it is still at work; it then ends with [`crate::Event::Cancelled`].
    Cancel(u32),
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

/// The seed of the picture that a visitor sees first: a generated digit whose lower half, once hidden, the model that opens completes to two different digits.
pub const FIRST_PICTURE: u32 = 129;
/// The seed of its first answers.
pub const FIRST_ANSWERS: u32 = 1;

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
    /// How each answer is made; where nothing is known, what suits the model is how its samples are drawn.
    pub method: Method,
    /// Gibbs sweeps of each, where the method has any.
    pub sweeps: u32,
    /// Whether the picture is to be cleaned up: what is known is then only where the chains begin, and nothing is clamped.
    pub clean_up: bool,
    /// The class of all answers, counted from 0, of a model with classes. Without one the class is read from what is known, and the answers are of the likeliest; where nothing is known,
    /// of whichever they come to. What is cleaned up, and a watched pair, keep to no class; what is cleaned up is read all the same.
    pub class: Option<u8>,
    /// Seed of the answers.
    pub seed: u32,
}

impl CompletionRequest {
    /// What the answers fill in: one byte a unit, 1 where they do.
    pub fn filled(&self) -> Vec<u8> {
        if self.clean_up { vec![1; self.values.len()] } else { self.unknown.clone() }
    }
}
