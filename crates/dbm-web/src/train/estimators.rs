//! What the page says of each estimator: its name, what it does, and why a plot has nothing of it.

use dbm_core::gradient::EstimatorKind;

/// Its name in the form.
pub const fn name(kind: EstimatorKind) -> &'static str {
    match kind {
        EstimatorKind::UcdLmi => "UCD-LMI",
        EstimatorKind::UcdMh => "UCD-MH, no search",
        EstimatorKind::UcdGibbs => "UCD-Gibbs, Gibbs coupling",
        EstimatorKind::Lmi => "LMI, no coupling",
        EstimatorKind::Cd => "CD-k",
        EstimatorKind::Pcd => "PCD-k, mean field",
        EstimatorKind::PcdGibbs => "PCD-k, Gibbs",
    }
}

/// What it does, and whether its mean is the exact gradient, in a line or two.
pub fn summary(kind: EstimatorKind) -> &'static str {
    match kind {
        EstimatorKind::UcdLmi => "Unbiased: starts in a local mode, and two coupled chains correct what that gets wrong.",
        EstimatorKind::UcdMh => "Unbiased, but very noisy: coupled chains from random states, without the search.",
        EstimatorKind::UcdGibbs => {
            "Unbiased unless cut: coupled Gibbs chains from random states, which hardly meet on wide models."
        }
        EstimatorKind::Lmi => "Biased: UCD-LMI without its correction. On wide models the two give the same numbers.",
        EstimatorKind::Cd => "Biased: a few Gibbs sweeps away from the data, as RBMs are usually trained.",
        EstimatorKind::Pcd => {
            "Biased: how DBMs were trained before. Mean field for the data; free chains live on from step to step."
        }
        EstimatorKind::PcdGibbs => "Biased: free chains live on from step to step; Gibbs sweeps for the data as well.",
    }
}

/// What the run's plot of meeting times shows, or why it shows nothing.
pub fn about_meeting(kind: EstimatorKind, small: bool) -> &'static str {
    match (kind, small) {
        (EstimatorKind::UcdLmi, true) => {
            "A model this small shows what unbiased means: some proposals are accepted, the two chains part, and what they see until they \
             meet, τ > 1, corrects the estimate so that its mean is exact."
        }
        (EstimatorKind::UcdLmi, false) => {
            "On a model of this size every run one will ever watch meets at once, τ = 1: the estimate is unbiased, but its corrections lie \
             in events too rare to be seen. They show on small models: try Bars and stripes with few hidden units."
        }
        (EstimatorKind::UcdMh, _) => {
            "The chains begin in random states, which say nothing of the model: all rests on the corrections until both accept one \
             proposal together. A few take very long. One that reaches the cap is cut, which biases its estimate."
        }
        (EstimatorKind::UcdGibbs, true) => {
            "Two Gibbs chains share their random numbers until they agree. On a model this small they soon do. One that reaches the \
             cap is cut, which biases its estimate."
        }
        (EstimatorKind::UcdGibbs, false) => {
            "Two Gibbs chains share their random numbers until they agree. The wider the model, the longer that takes, soon longer than \
             anyone waits. One that reaches the cap is cut, which biases its estimate."
        }
        (EstimatorKind::Lmi, _) => {
            "LMI stops where UCD-LMI begins to couple, so no two chains have to meet. What a coupling would correct is left out: that is \
             its bias."
        }
        (EstimatorKind::Cd, _) => {
            "CD takes its chains as they are after k sweeps, so no two chains have to meet. How far they are from the model then is its bias."
        }
        (EstimatorKind::Pcd | EstimatorKind::PcdGibbs, _) => {
            "PCD keeps one chain for each example of a batch and couples none. Its free chains lag behind a model that changes at every \
             step, and that is one part of its bias."
        }
    }
}

/// What the run's plot of search lengths shows, or why it shows nothing.
pub fn about_search(kind: EstimatorKind) -> &'static str {
    match kind {
        EstimatorKind::UcdLmi | EstimatorKind::Lmi => {
            "Each chain begins in a local mode: from noise, half of the layers at a time go where their energy is least, until a whole \
             sweep changes nothing. The energy never rises on the way."
        }
        EstimatorKind::UcdMh | EstimatorKind::UcdGibbs => {
            "Without a search each chain begins where the noise put it. The energy is that of these random states: compare it with what \
             UCD-LMI reaches."
        }
        EstimatorKind::Cd => {
            "CD makes k Gibbs sweeps with the data clamped and k more without, and never searches. The energy is that of the last states."
        }
        EstimatorKind::Pcd => {
            "For the data, the probabilities of the hidden units are computed from one another, sweep by sweep, until none moves. Taking \
             the units for independent is the other part of PCD’s bias. The free chains make k Gibbs sweeps."
        }
        EstimatorKind::PcdGibbs => {
            "For the data, k Gibbs sweeps from noise, too few for the posterior: the other part of PCD’s bias. The free chains make k \
             sweeps as well. The energy is that of the last states."
        }
    }
}

/// Why a phase has no meeting times.
pub fn no_meeting(kind: EstimatorKind) -> Option<&'static str> {
    match kind {
        EstimatorKind::UcdLmi | EstimatorKind::UcdMh | EstimatorKind::UcdGibbs => None,
        EstimatorKind::Lmi => Some("LMI has no coupling."),
        EstimatorKind::Cd => Some("CD has no coupling."),
        EstimatorKind::Pcd | EstimatorKind::PcdGibbs => Some("PCD has no coupling."),
    }
}

/// Why a phase has no search lengths, where it has none: the positive phase, with the data clamped, or the negative one.
pub fn no_search(kind: EstimatorKind, positive: bool) -> Option<&'static str> {
    match (kind, positive) {
        (EstimatorKind::UcdLmi | EstimatorKind::Lmi, _) | (EstimatorKind::Pcd, true) => None,
        (EstimatorKind::UcdMh, _) => Some("UCD-MH has no search."),
        (EstimatorKind::UcdGibbs, _) => Some("UCD-Gibbs has no search."),
        (EstimatorKind::Cd, _) => Some("CD has no search."),
        (EstimatorKind::Pcd, false) => Some("The free chains of PCD have no search."),
        (EstimatorKind::PcdGibbs, _) => Some("PCD has no search."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_is_named_and_called_biased_or_not_as_it_is() {
        let names: BTreeSet<_> = EstimatorKind::ALL.into_iter().map(name).collect();
        assert_eq!(names.len(), EstimatorKind::ALL.len());
        for kind in EstimatorKind::ALL {
            assert_eq!(summary(kind).starts_with("Unbiased"), kind.is_unbiased(), "{kind:?}");
            assert_eq!(summary(kind).starts_with("Biased"), !kind.is_unbiased(), "{kind:?}");
            assert_eq!(no_meeting(kind).is_none(), kind.is_unbiased(), "{kind:?}");
        }
    }

    #[test]
    fn that_a_cut_coupling_biases_is_said_where_couplings_are_cut() {
        for kind in [EstimatorKind::UcdMh, EstimatorKind::UcdGibbs] {
            assert!([false, true].into_iter().all(|small| about_meeting(kind, small).contains("cut, which biases")));
        }
    }
}
