//! The messages of the diagnostics workers, which measure couplings and estimators at parameters that stand still.
//!
//! Such a worker holds nothing: every request is a job of its own that says all it needs, so jobs can be given to any of several workers, in any order, and the numbers
//! are the same. What a job draws is addressed by its seed and by the run or sample it is, never by the worker.

use crate::Body;
use dbm_core::{Settings, Units};
use serde::{Deserialize, Serialize};

/// How a pair of chains moves, and where it begins.
pub use dbm_core::diagnostics::{CouplingKernel, CouplingStart};

/// A model small enough to be told in full, or to be enumerated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SmallModel {
    /// Layer sizes, the visible one first.
    pub sizes: Vec<u32>,
    /// Kind of units.
    pub units: Units,
    /// `weights[l]: [n_l, n_{l+1}]`, row by row.
    pub weights: Vec<Vec<f32>>,
    /// `biases[l]: [n_l]`.
    pub biases: Vec<Vec<f32>>,
}

/// Where a small model comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ModelSource {
    /// From here.
    Given(SmallModel),
    /// Random semi-orthogonal weights, biases as in the paper.
    Orthogonal {
        /// Layer sizes, the visible one first.
        sizes: Vec<u32>,
        /// Kind of units.
        units: Units,
        /// Which.
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
        /// Which.
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
    Model {
        /// Which.
        source: ModelSource,
    },
    /// Couplings on one RBM of `dimension` visible and as many hidden units, all free (the paper's Figure 1): its weights are random and orthogonal, its biases zero, as
    /// `docs/method.md` measured it. Answer: [`DiagnosticsEvent::MeetingTimes`], with [`crate::Reply::Progress`] before, in runs.
    MeetingTimes(CouplingRuns),
    /// One coupling, state by state. Answer: [`DiagnosticsEvent::Replay`].
    Replay(ReplayOf),
    /// What an enumeration says of a model and its data: at most 24 units in all. Answer: [`DiagnosticsEvent::Exact`].
    Exact {
        /// The model.
        model: SmallModel,
        /// One byte a bit, 0 or 1, `examples * n_0`: the gradient is that of their mean log-likelihood.
        #[serde(with = "serde_bytes")]
        data: Vec<u8>,
    },
    /// The mean of an estimator, from the transition law of its kernels and without sampling: at most 10 units in all (a coupled one's takes seconds at 8 units and
    /// minutes at 10). Persistent chains are asked after 1000 sweeps at these parameters, when they follow the model: what is left is the bias of the
    /// positive phase. Answer: [`DiagnosticsEvent::Law`], with [`crate::Reply::Progress`] before, in examples.
    Law {
        /// The model.
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
    /// How likely it is that a coupling of UCD-LMI on a random orthogonal model of such sizes ever does anything. Answer: [`DiagnosticsEvent::CorrectionProbability`], with
    /// [`crate::Reply::Progress`] before, in couplings.
    CorrectionProbability {
        /// Layer sizes, the visible one first.
        sizes: Vec<u32>,
        /// Kind of units.
        units: Units,
        /// Which model, and which runs.
        seed: u64,
        /// Couplings to watch, 1 to 100 000.
        runs: u32,
    },
}

/// Couplings to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CouplingRuns {
    /// Visible units, and hidden ones; 1 to 400.
    pub dimension: u32,
    /// Kind of units.
    pub units: Units,
    /// How the chains move.
    pub kernel: CouplingKernel,
    /// Where they begin.
    pub start: CouplingStart,
    /// The first run of this job,
    pub first_run: u32,
    /// and how many.
    pub runs: u32,
    /// A coupling that has not met by then is cut and counted.
    pub max_meeting: u32,
    /// Gibbs: tries of one draw, after which the last try is taken and counted.
    pub max_tries: u32,
    /// Of the model and of every run.
    pub seed: u64,
}

/// A coupling to replay.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReplayOf {
    /// At most 64 units in all.
    pub model: SmallModel,
    /// One byte a visible unit where the visible layer is clamped to it (the positive phase); empty where all is free.
    #[serde(with = "serde_bytes")]
    pub clamped: Vec<u8>,
    /// How the chains move.
    pub kernel: CouplingKernel,
    /// Where they begin.
    pub start: CouplingStart,
    /// Steps after which the coupling is cut; at most 20 000.
    pub max_meeting: u32,
    /// As for [`CouplingRuns`].
    pub max_tries: u32,
    /// Of the run.
    pub seed: u64,
    /// Which.
    pub run: u32,
}

/// Samples to draw.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EstimateJob {
    /// The model.
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
    /// Couplings were run.
    MeetingTimes(MeetingTimes),
    /// A coupling, state by state.
    Replay(Replay),
    /// An enumeration's answer.
    Exact(Exact),
    /// An estimator's mean, parameter by parameter in the order of [`Exact::gradient`].
    Law {
        /// The mean of the estimate.
        mean: Vec<f64>,
        /// Its positive phase alone.
        positive: Vec<f64>,
        /// Its negative phase alone.
        negative: Vec<f64>,
        /// Largest probability that a coupling had not met at its cap; 0 where nothing is coupled.
        unmet: f64,
    },
    /// Samples were drawn.
    Estimate(EstimateSums),
    /// How seldom couplings do anything.
    CorrectionProbability(CorrectionProbability),
}

impl Body for DiagnosticsCommand {}
impl Body for DiagnosticsEvent {}

/// What runs of a coupling took.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MeetingTimes {
    /// Meeting time tau of each run, in order; the cap where it was cut.
    pub meeting_times: Vec<u32>,
    /// Sweeps T of each run's local search; 0 where it began at a uniform state.
    pub sweeps: Vec<u32>,
    /// One byte a run: 1 where it was cut at the cap.
    #[serde(with = "serde_bytes")]
    pub capped: Vec<u8>,
    /// Draws that were cut at the cap on tries, in all runs.
    pub tries_capped: u32,
}

/// One coupling.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replay {
    /// The uniform state; where it is searched, the state after each of `2 T` half-sweeps, of which the last change nothing, and after both halves of the Gibbs sweep.
    /// The last one is x_0.
    pub approach: Vec<Moment>,
    /// The steps of the pair, `t = 1, 2, ...`; the last is the meeting, or the cut.
    pub steps: Vec<PairStep>,
    /// tau; the cap where it was cut.
    pub meeting_time: u32,
    /// Whether it was cut.
    pub capped: bool,
}

/// A state on the way to x_0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moment {
    /// All layers, one byte a unit, the visible one first.
    #[serde(with = "serde_bytes")]
    pub state: Vec<u8>,
    /// Its energy.
    pub energy: f64,
    /// What led here: `"uniform"`, `"search"`, `"gibbs"`.
    pub by: String,
}

/// Step `t` of a pair: x goes from `x_{t-1}` to `x_t`, and from `t = 2` on y goes from `y_{t-2}` to `y_{t-1}` with the same draws.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairStep {
    /// `t`.
    pub step: u32,
    /// `x_t`, all layers, one byte a unit.
    #[serde(with = "serde_bytes")]
    pub x: Vec<u8>,
    /// `y_{t-1}`.
    #[serde(with = "serde_bytes")]
    pub y: Vec<u8>,
    /// Energy of `x_t`,
    pub energy_x: f64,
    /// and of `y_{t-1}`.
    pub energy_y: f64,
    /// How they moved.
    pub moved: Moved,
}

/// How a pair moved in one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Moved {
    /// One proposal and one uniform number for both chains.
    Metropolis {
        /// The proposal `x'`, all layers.
        #[serde(with = "serde_bytes")]
        proposal: Vec<u8>,
        /// Its energy.
        energy: f64,
        /// `u`, the same for both.
        u: f64,
        /// `min(1, exp(E(x_{t-1}) - E(x')))`: x accepts where `u` is below it.
        accept_x: f64,
        /// The same of y; `None` at `t = 1`, when y has not begun.
        accept_y: Option<f64>,
    },
    /// Two blocks: the even layers by a maximal coupling, the odd ones with common uniform numbers.
    Gibbs {
        /// Overlap of the two laws of the even block, `sum min(p, q)`, the probability of a shared draw, where the block has at most 12 free units. `None` at
        /// `t = 1`, when x moves alone and nothing is shared.
        overlap: Option<f64>,
        /// Whether the draw of the even block was shared.
        shared: bool,
        /// Tries of the draws from the residual laws; 0 where the draw was shared.
        tries: u32,
        /// Whether they were cut at the cap.
        tries_capped: bool,
    },
}

/// What an enumeration says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exact {
    /// The exact gradient of the mean log-likelihood of the data: the weights of each pair of layers row by row, lowest pair first, then the biases of each layer.
    pub gradient: Vec<f64>,
    /// The part of the positive phase,
    pub positive: Vec<f64>,
    /// and of the negative one; `gradient = positive - negative`.
    pub negative: Vec<f64>,
    /// Mean log p(v), nats an example.
    pub log_likelihood: f64,
    /// log Z.
    pub log_z: f64,
    /// Probability that each unit is high, all layers, with nothing clamped.
    pub unit_probabilities: Vec<f64>,
}

/// Sums over samples of an estimator, which add up over jobs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EstimateSums {
    /// Samples drawn: a whole number of groups, from 0 on.
    pub samples: u32,
    /// Sum of the estimates, parameter by parameter in the order of [`Exact::gradient`].
    pub sums: Vec<f64>,
    /// Sum of the squares of the means of the groups. Samples depend on one another: chains that live on remember, and those of a batch lend each other proposals. So
    /// their error is told by the means of groups: with `G` of them and the mean `m = sums / samples`, the variance of `m` is about
    /// `(group_squares / G - m^2) / (G - 1)`. A group has every example equally often: with `n` examples, it is 100 samples or the next multiple of `n`, and for
    /// persistent chains 100 steps of 5 chains, or of the next multiple of `n`.
    pub group_squares: Vec<f64>,
    /// Groups in this job.
    pub groups: u32,
    /// How often each meeting time came in the negative phase: value and count, rising; empty where nothing is coupled.
    pub meeting_times: Vec<(u32, u32)>,
    /// The same of the positive phase.
    pub meeting_times_positive: Vec<(u32, u32)>,
    /// Couplings cut at the cap.
    pub capped: u32,
    /// Draws of Gibbs couplings cut at the cap on tries.
    pub tries_capped: u32,
    /// States of persistent chains after the last sample, for the next job; empty otherwise.
    #[serde(with = "serde_bytes")]
    pub chains: Vec<u8>,
}

/// How seldom the couplings of UCD-LMI do anything on a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CorrectionProbability {
    /// Couplings that were run,
    pub runs: u32,
    /// of these with tau > 1.
    pub moved: u32,
    /// log10 of the probability that tau > 1, averaged over the starts of the runs: exact by enumeration where the model has at most 24 units, otherwise an upper bound,
    /// in which log Z is an estimate where both parities have more than 16 units.
    pub log10_probability: f64,
    /// Whether that is exact.
    pub exact: bool,
}
