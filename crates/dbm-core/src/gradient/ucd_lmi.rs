//! UCD-LMI: search to a mode, one Gibbs sweep, then a coupled pair of Metropolis chains (Taniguchi et al. 2023, Algorithm 2).

use super::descriptor::{About, EstimatorDescriptor, IfSmall, NO_COUPLING_CAP};
use super::phase::{PhaseRun, Proposals, SamePhases};
use crate::Settings;
use crate::coupling::{Acceptance, SharedUniform};
use crate::expectation::{Expected, MetropolisPair, StateSpace};
use crate::sweep::LocalMode;
use crate::words::Setting;

/// What the program says of it and asks for it.
pub(super) static DESCRIPTOR: EstimatorDescriptor = EstimatorDescriptor {
    name: "ucd-lmi",
    label: "UCD-LMI",
    title: "UCD-LMI",
    summary: "Unbiased: starts in a local mode, and two coupled chains correct what that gets wrong.",
    unbiased: true,
    persistent: false,
    settings: &[Setting::MaxSweeps, Setting::ModeSweeps, Setting::MaxMeeting],
    bias_rows: &["ucd-lmi"],
    suggested_max_meeting: |_| NO_COUPLING_CAP,
    about: About {
        meeting: IfSmall {
            small: "A model this small shows what unbiased means: some proposals are accepted, the two chains part, and what they see until \
                    they meet, τ > 1, corrects the estimate so that its mean is exact.",
            wide: "On a model of this size every run one will ever watch meets at once, τ = 1: the estimate is unbiased, but its \
                   corrections lie in events too rare to be seen. They show on small models: try Bars and stripes with few hidden units.",
        },
        search: "Each chain begins in a local mode: from noise, half of the layers at a time go where their energy is least, until a \
                 whole sweep changes nothing. The energy never rises on the way.",
        no_meeting: None,
        no_search: [None, None],
    },
};

/// Unbiased contrastive divergence with local mode initialization.
///
/// For one example, `gradient = positive - negative`, each `f(x_0) + sum_{t=1}^{tau-1} f(x_t) - f(y_{t-1})` with
/// `f = -dE/dtheta`: visible layer clamped in the positive phase; free, or with the known units clamped, in the negative one.
/// Its mean is the exact gradient, for any `max_sweeps`, as long as no coupling is cut at `max_meeting`; one that is cut is kept with
/// the corrections it has, and counted.
#[derive(Clone, Debug)]
pub struct UcdLmi<A = SharedUniform> {
    /// Replace half of each state by its conditional means.
    pub marginalize: bool,
    /// How the chains come to x_0.
    pub start: LocalMode,
    /// Cap of a coupling, in steps.
    pub max_meeting: u32,
    /// The coupling's acceptance.
    pub acceptance: A,
}

impl UcdLmi {
    /// As a run's settings say.
    pub fn new(settings: &Settings) -> Self {
        let Settings { marginalize, max_meeting, .. } = *settings;
        Self { marginalize, start: settings.local_mode(), max_meeting, acceptance: SharedUniform }
    }
}

impl<A: Acceptance> SamePhases for UcdLmi<A> {
    fn marginalizes(&self) -> bool {
        self.marginalize
    }

    fn phase(&self, run: &mut PhaseRun) {
        let first = run.start_uniform();
        let proposals = Proposals::recycled(run);
        run.find_local_mode(self.start, &first);
        run.couple_by_metropolis(proposals, &self.acceptance, self.max_meeting);
    }

    fn expected_phase(&self, space: &StateSpace) -> Expected {
        let start = space.local_mode(self.start);
        let occupation = MetropolisPair::new(space, &self.acceptance).occupation(&start, self.max_meeting);
        space.expected_coupled(&start, occupation, self.marginalize)
    }
}
