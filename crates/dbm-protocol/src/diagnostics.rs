//! The messages of the diagnostics workers, which measure couplings and estimators at fixed parameters.
//!
//! Such a worker keeps no state: every request is a separate job that says all it needs, so jobs can be given to any of several workers, in
//! any order, with the same results. A job's random numbers are addressed by its seed and by the number of its run or sample, never by the
//! worker.

use crate::{Body, Request};
use dbm_core::diagnostics::{
    CorrectionProbability, CorrectionProbabilityPlan, CouplingRun, CouplingTrace, Couplings, EstimateSums, ExactGradient,
    Expectations, ReplayPlan, RunPair, RunPairs,
};
use dbm_core::{Settings, Units};
use serde::{Deserialize, Serialize};

/// A model small enough to be sent in full, or to be enumerated: the parameters of a `dbm_core::Dbm`, unchecked.
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

/// Source of a small model.
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

/// Requests to a diagnostics worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum DiagnosticsCommand {
    /// The model of a source. Answer: [`DiagnosticsEvent::Model`].
    Model(ModelSource),
    /// Couplings on one RBM with `dimension` visible and as many hidden units, all free (the paper's Figure 1): its weights are random and
    /// orthogonal, its biases zero. [`crate::Reply::Progress`] comes first, in runs. Answer:
    /// [`DiagnosticsEvent::MeetingTimes`].
    MeetingTimes(CouplingRuns),
    /// One coupling, state by state. Answer: [`DiagnosticsEvent::Replay`].
    Replay {
        /// The model, with at most 64 units in all.
        model: SmallModel,
        /// The coupling to run.
        plan: ReplayPlan,
    },
    /// Exact quantities of a model and its data by enumeration: at most 24 units in all. Answer: [`DiagnosticsEvent::Exact`].
    Exact {
        /// The model to enumerate.
        model: SmallModel,
        /// One byte per bit, 0 or 1, `examples * n_0`: the gradient is that of their mean log-likelihood.
        #[serde(with = "serde_bytes")]
        data: Vec<u8>,
    },
    /// The mean of an estimator, from the transition law of its kernels and without sampling: at most 10 units in all (a coupled one takes
    /// seconds at 8 units and minutes at 10). Persistent chains are evaluated after 1000 sweeps at these parameters, when they follow the
    /// model: what remains is the bias of the positive phase. [`crate::Reply::Progress`] comes first, in examples. Answer:
    /// [`DiagnosticsEvent::Expectation`].
    Expectation {
        /// The model at which the estimator is evaluated.
        model: SmallModel,
        /// As for [`DiagnosticsCommand::Exact`].
        #[serde(with = "serde_bytes")]
        data: Vec<u8>,
        /// The estimator, its caps, and whether it marginalizes.
        settings: Settings,
    },
    /// Samples of an estimator at fixed parameters, at most 400 units in all. [`crate::Reply::Progress`] comes first, in samples. Answer:
    /// [`DiagnosticsEvent::Estimate`].
    Estimate(EstimateJob),
    /// Pairs of coupled chains of UCD-SMC on a model of any size, run by run. [`crate::Reply::Progress`] comes first, in pairs. Answer:
    /// [`DiagnosticsEvent::RunPairs`].
    RunPairs(RunPairsJob),
    /// The probability that a coupling of UCD-LMI on a random orthogonal model of these sizes ever corrects anything.
    /// [`crate::Reply::Progress`] comes first, in couplings. Answer: [`DiagnosticsEvent::CorrectionProbability`].
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
    /// The first run of this job.
    pub first_run: u32,
    /// Number of runs.
    pub runs: u32,
}

/// Some of the pairs of chains of UCD-SMC on a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunPairsJob {
    /// The model; from a checkpoint, the average if there is one, with the ladder of its run's past if it has one.
    pub model: ModelSource,
    /// The runs, the cap and the seed.
    pub pairs: RunPairs,
    /// The first pair of this job.
    pub first_pair: u32,
    /// Number of pairs.
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
    /// The first sample of this job.
    pub first_sample: u32,
    /// Number of samples. Samples are drawn in groups of successive ones: the job draws every group whose first sample is in its range, as
    /// a whole, and reports how many samples that were. So adjacent ranges may be cut anywhere, and the sums of their jobs add up to those
    /// of one job.
    pub samples: u32,
    /// States of persistent chains, as returned by the previous job, whose range must end where this one begins; empty for their first job,
    /// at sample 0, and for all other estimators.
    #[serde(with = "serde_bytes")]
    pub chains: Vec<u8>,
}

/// Answers of a diagnostics worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum DiagnosticsEvent {
    /// A small model.
    Model(SmallModel),
    /// What each run of a coupling took, in order.
    MeetingTimes(Vec<CouplingRun>),
    /// A coupling, state by state.
    Replay(CouplingTrace),
    /// The result of an enumeration.
    Exact(ExactGradient),
    /// The exact expectation of an estimator.
    Expectation(Expectations),
    /// Samples were drawn.
    Estimate {
        /// Sums over the samples, which add up over jobs.
        sums: EstimateSums,
        /// States of persistent chains after the last sample, for the next job; empty otherwise.
        #[serde(with = "serde_bytes")]
        chains: Vec<u8>,
    },
    /// Pairs of chains, in order.
    RunPairs(Vec<RunPair>),
    /// The probability that a coupling corrects anything.
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
