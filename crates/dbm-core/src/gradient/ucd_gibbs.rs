//! UCD-Gibbs: coupled Gibbs chains from a uniform start (Qiu, Zhang and Wang 2020).

use super::descriptor::{About, EstimatorDescriptor, IfSmall};
use super::phase::{PhaseRun, SamePhases};
use crate::Settings;
use crate::expectation::{Expected, GibbsPair, StateSpace};
use crate::words::Setting;

/// What the program says of it and asks for it.
pub(super) static DESCRIPTOR: EstimatorDescriptor = EstimatorDescriptor {
    name: "ucd-gibbs",
    label: "UCD-Gibbs, Gibbs coupling",
    title: "UCD-Gibbs",
    summary: "Unbiased unless cut: coupled Gibbs chains from random states, which hardly meet on wide models.",
    unbiased: true,
    persistent: false,
    settings: &[Setting::MaxMeeting, Setting::MaxTries],
    bias_rows: &["ucd-gibbs"],
    // In a wide model the chains hardly ever meet, and each of their steps takes time in proportion to the parameters: the cap keeps a
    // shard of a gradient step, which a worker makes in one piece, to a few seconds.
    suggested_max_meeting: |weights| match weights {
        ..=10_000 => 1000,
        10_001..=100_000 => 100,
        _ => 10,
    },
    about: About {
        meeting: IfSmall {
            small: "Two Gibbs chains share their random numbers until they agree. On a model this small they soon do. One that reaches the \
                    cap is cut, which biases its estimate.",
            wide: "Two Gibbs chains share their random numbers until they agree. The wider the model, the longer that takes, soon longer \
                   than anyone waits. One that reaches the cap is cut, which biases its estimate.",
        },
        search: "Without a search each chain begins where the noise put it. The energy is that of these random states: compare it with what \
                 UCD-LMI reaches.",
        no_meeting: None,
        no_search: [Some("UCD-Gibbs has no search."); 2],
    },
};

/// Unbiased contrastive divergence by coupled Gibbs chains.
///
/// x_0 = y_0 is uniform, x_1 one Gibbs sweep on (even block, then odd), and from then on both chains move together by
/// [`crate::coupling::GibbsCoupling`]. Unbiased as long as neither cap is reached: a coupling cut at `max_meeting` is kept with the corrections it has, a
/// rejection cut at `max_tries` with its last try; both bias, and both are counted.
#[derive(Clone, Debug)]
pub struct UcdGibbs {
    /// Replace half of each state by its conditional means.
    pub marginalize: bool,
    /// Cap of a coupling, in steps.
    pub max_meeting: u32,
    /// Cap of a rejection, in tries. The expectation knows no such cap.
    pub max_tries: u32,
}

impl UcdGibbs {
    /// As a run's settings say.
    pub fn new(settings: &Settings) -> Self {
        Self { marginalize: settings.marginalize, max_meeting: settings.max_meeting, max_tries: settings.estimator.max_tries }
    }
}

impl SamePhases for UcdGibbs {
    fn marginalizes(&self) -> bool {
        self.marginalize
    }

    fn phase(&self, run: &mut PhaseRun) {
        run.start_uniform();
        run.couple_by_gibbs(self.max_tries, self.max_meeting);
    }

    fn expected_phase(&self, space: &StateSpace) -> Expected {
        let start = space.uniform();
        let occupation = GibbsPair::new(space).occupation(&start, self.max_meeting);
        space.expected_coupled(&start, occupation, self.marginalize)
    }
}
