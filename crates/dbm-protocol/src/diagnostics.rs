//! The messages of the diagnostics workers, which measure couplings and estimators at parameters that stand still.
//!
//! Such a worker holds nothing: every request is a job of its own that says all it needs, so jobs can be given to any of several workers, in any order, and the numbers
//! are the same. What a job draws is addressed by its seed and by the run or sample it is, never by the worker.

use crate::{Body, Request};
use dbm_core::diagnostics::{
    CorrectionProbability, CorrectionProbabilityPlan, CouplingRun, CouplingTrace, Couplings, EstimateSums, ExactGradient,
    Expectations, ReplayPlan, RunPair, RunPairs,
};
use dbm_core::{Settings, Units};
use serde::{Deserialize, Serialize};

/// A model small enough to be sent in full, or to be enumerated: the parameters of a `dbm_core::Dbm`, not checked yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SmallModel {
    /// Layer sizes, the visible one first.
    pub sizes: Vec<u32>,
    /// Kind of units.
    pub units: Units,
    /// `weights[l]: [n_l, n_{l+1}]`, row by row.
    pub weights: Vec<Vec<f32>>,
    /// Biases of each layer, `biases[l]: [n_l]`.
    pub biases: Vec<Vec<f32>>,
}

/// Where a small model comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ModelSource {
    /// The parameters themselves.
    Given(SmallModel),
    /// Random semi-orthogonal weights, biases as in the paper.
    Orthogonal {
        /// Layer sizes, the visible one first.
        sizes: Vec<u32>,
        /// Kind of units.
        units: Units,
        /// Seed of the weights.
        seed: u64,
    },
    /// Gaussian weights, biases as in the paper.
    Gaussian {
        /// Layer sizes, the visible one first.
        sizes: Vec<u32>,
        /// Kind of units.
        units: Units,
        /// Standard deviation of the weights.
        deviation: f64,
        /// Seed of the weights.
        seed: u64,
    },
    /// A checkpoint of the page's run.
    Checkpoint {
        /// A safetensors file.
        #[serde(with = "serde_bytes")]
        bytes: Vec<u8>,
    },
}

/// What can be asked of a diagnostics worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum DiagnosticsCommand {
    /// The model of a source. Answer: [`DiagnosticsEvent::Model`].
    Model(ModelSource),
    /// Couplings on one RBM of `dimension` visible and as many hidden units, all free (the paper's Figure 1): its weights are random and orthogonal, its biases zero, as
    /// `docs/method.md` measured it. Answer: [`DiagnosticsEvent::MeetingTimes`], with [`crate::Reply::Progress`] before, in runs.
    MeetingTimes(CouplingRuns),
    /// One coupling, state by state. Answer: [`DiagnosticsEvent::Replay`].
    Replay {
        /// The model, of at most 64 units in all.
        model: SmallModel,
        /// The coupling to run.
        plan: ReplayPlan,
    },
    /// What an enumeration says of a model and its data: at most 24 units in all. Answer: [`DiagnosticsEvent::Exact`].
    Exact {
        /// The model to enumerate.
        model: SmallModel,
        /// One byte a bit, 0 or 1, `examples * n_0`: the gradient is that of their mean log-likelihood.
        #[serde(with = "serde_bytes")]
        data: Vec<u8>,
    },
    /// The mean of an estimator, from the transition law of its kernels and without sampling: at most 10 units in all (a coupled one's takes seconds at 8 units and
    /// minutes at 10). Persistent chains are asked after 1000 sweeps at these parameters, when they follow the model: what is left is the bias of the
    /// positive phase. Answer: [`DiagnosticsEvent::Expectation`], with [`crate::Reply::Progress`] before, in examples.
    Expectation {
        /// The model at which the estimator is asked.
        model: SmallModel,
        /// As for [`DiagnosticsCommand::Exact`].
        #[serde(with = "serde_bytes")]
        data: Vec<u8>,
        /// The estimator, its caps, and whether it marginalizes.
        settings: Settings,
    },
    /// Samples of an estimator at parameters that stand still, at most 400 units in all. Answer: [`DiagnosticsEvent::Estimate`], with
    /// [`crate::Reply::Progress`] before, in samples.
    Estimate(EstimateJob),
    /// Pairs of coupled chains of UCD-SMC on a model of any size, run by run. Answer: [`DiagnosticsEvent::RunPairs`], with [`crate::Reply::Progress`] before, in pairs.
    RunPairs(RunPairsJob),
    /// How likely it is that a coupling of UCD-LMI on a random orthogonal model of such sizes ever does anything. Answer: [`DiagnosticsEvent::CorrectionProbability`], with
    /// [`crate::Reply::Progress`] before, in couplings.
    CorrectionProbability {
        /// The model, and the seed of the runs.
        plan: CorrectionProbabilityPlan,
        /// Couplings to run, 1 to 100 000.
        runs: u32,
    },
}

/// Some of the runs of couplings on a random model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CouplingRuns {
    /// The model, the kernel, the start and the caps.
    pub couplings: Couplings,
    /// The first run of this job,
    pub first_run: u32,
    /// and how many.
    pub runs: u32,
}

/// Some of the pairs of chains of UCD-SMC on a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunPairsJob {
    /// The model; of a checkpoint the average where there is one, with the ladder of its run's past where it has that.
    pub model: ModelSource,
    /// The runs, the cap and the seed.
    pub pairs: RunPairs,
    /// The first pair of this job,
    pub first_pair: u32,
    /// and how many.
    pub count: u32,
}

/// Samples to draw.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EstimateJob {
    /// The model at which samples are drawn.
    pub model: SmallModel,
    /// As for [`DiagnosticsCommand::Exact`]; sample `s` is of example `s mod examples`.
    #[serde(with = "serde_bytes")]
    pub data: Vec<u8>,
    /// The estimator, its caps, whether it marginalizes, and the seed.
    pub settings: Settings,
    /// The first sample of this job,
    pub first_sample: u32,
    /// and how many. Samples are drawn in groups of successive ones: the job draws, whole, the groups whose first sample is in its range, and says how many
    /// samples that were. So jobs whose ranges meet may be cut anywhere, and their sums add up to those of one job.
    pub samples: u32,
    /// States of persistent chains, as the job before gave them back, whose range must end where this one begins; empty for their first job, at sample 0, and for
    /// all other estimators.
    #[serde(with = "serde_bytes")]
    pub chains: Vec<u8>,
}

/// What a diagnostics worker answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum DiagnosticsEvent {
    /// A small model.
    Model(SmallModel),
    /// What each run of a coupling took, in order.
    MeetingTimes(Vec<CouplingRun>),
    /// A coupling, state by state.
    Replay(CouplingTrace),
    /// What an enumeration says.
    Exact(ExactGradient),
    /// The exact expectation of an estimator.
    Expectation(Expectations),
    /// Samples were drawn.
    Estimate {
        /// Sums over them, which add up over jobs.
        sums: EstimateSums,
        /// States of persistent chains after the last sample, for the next job; empty otherwise.
        #[serde(with = "serde_bytes")]
        chains: Vec<u8>,
    },
    /// Pairs of chains, in order.
    RunPairs(Vec<RunPair>),
    /// How likely it is that a coupling corrects anything.
    CorrectionProbability(CorrectionProbability),
}

impl Body for DiagnosticsCommand {
    fn bulk(&mut self) -> Option<&mut Vec<u8>> {
        match self {
            Self::Model(ModelSource::Checkpoint { bytes })
            | Self::RunPairs(RunPairsJob { model: ModelSource::Checkpoint { bytes }, .. }) => Some(bytes),
            _ => None,
        }
    }
}
impl Body for DiagnosticsEvent {}

impl Request for DiagnosticsCommand {
    type Answer = DiagnosticsEvent;
}
