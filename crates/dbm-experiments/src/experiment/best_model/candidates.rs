//! What the search for the best model tries: one thing changed at a time, and of that what promises most for longer.

use crate::experiment::recipe::Recipe;
use dbm_core::gradient::{CENTERING_RATE, EstimatorKind, EstimatorSettings};
use dbm_core::mask::Masks;
use dbm_core::{OptimizerSettings, Settings, Units};

/// Something to try.
pub struct Candidate {
    pub name: &'static str,
    pub words: &'static str,
    pub change: fn(&mut Recipe),
}

/// Steps of a candidate: enough to tell them apart, few enough to try many.
pub const STEPS: u64 = 1500;

/// Steps of a candidate that is trained for longer.
pub const LONGER_STEPS: u64 = 5000;

pub const ALL: [Candidate; 20] = [
    Candidate { name: "middle", words: "as the command above", change: |_| () },
    Candidate { name: "not-centered", words: "not centered", change: |recipe| recipe.settings.estimator.centering = None },
    Candidate {
        name: "sweeps-1",
        words: "1 Gibbs sweep from the mode, as in the paper",
        change: |recipe| recipe.settings.estimator.mode_sweeps = 1,
    },
    Candidate {
        name: "sweeps-10",
        words: "10 Gibbs sweeps from the mode",
        change: |recipe| recipe.settings.estimator.mode_sweeps = 10,
    },
    Candidate {
        name: "sweeps-150",
        words: "150 Gibbs sweeps from the mode",
        change: |recipe| recipe.settings.estimator.mode_sweeps = 150,
    },
    Candidate {
        name: "cd-5",
        words: "CD-5, whose chains begin at the data",
        change: |recipe| recipe.settings.estimator = EstimatorSettings { k: 5, ..centered(EstimatorKind::Cd) },
    },
    Candidate {
        name: "pcd-gibbs-5",
        words: "PCD-5, whose chains are free: no conditional share",
        change: |recipe| {
            recipe.settings.estimator = EstimatorSettings { k: 5, ..centered(EstimatorKind::PcdGibbs) };
            recipe.settings.conditional = 0.0;
        },
    },
    Candidate { name: "share-0", words: "conditional share 0", change: |recipe| recipe.settings.conditional = 0.0 },
    Candidate { name: "share-90", words: "conditional share 0.9", change: |recipe| recipe.settings.conditional = 0.9 },
    Candidate { name: "halves", words: "masks: half planes alone", change: |recipe| recipe.settings.masks = Masks::Halves },
    Candidate { name: "rate-0.001", words: "rate 0.001", change: |recipe| recipe.settings.optimizer.learning_rate = 1e-3 },
    Candidate { name: "rate-0.01", words: "rate 0.01", change: |recipe| recipe.settings.optimizer.learning_rate = 1e-2 },
    Candidate { name: "constant-rate", words: "a rate that stays", change: |recipe| recipe.settings.optimizer.decay_steps = 0 },
    Candidate { name: "no-average", words: "no average of the weights", change: |recipe| recipe.settings.average = None },
    Candidate {
        name: "batch-50",
        words: "batch 50, twice the steps",
        change: |recipe| {
            recipe.settings.batch /= 2;
            recipe.steps *= 2;
            recipe.settings.optimizer.decay_steps *= 2;
        },
    },
    Candidate { name: "narrow", words: "784-250", change: |recipe| recipe.hidden[0] /= 2 },
    Candidate { name: "wide", words: "784-1000", change: |recipe| recipe.hidden[0] *= 2 },
    Candidate {
        name: "deep",
        words: "two hidden layers, 784-500-500",
        change: |recipe| recipe.hidden.extend(recipe.hidden.last().copied()),
    },
    Candidate {
        name: "gaussian",
        words: "Gaussian initial weights of deviation 0.01, in place of orthogonal ones",
        change: |recipe| recipe.gaussian = Some(0.01),
    },
    Candidate { name: "bits", words: "bits in place of signs", change: |recipe| recipe.units = Units::Bits },
];

/// What shows only after more steps: how long a model goes on to be better at all that is asked of it.
pub const LONGER: [Candidate; 6] = [
    Candidate { name: "longer", words: "as the command above", change: |_| () },
    Candidate {
        name: "longer-sweeps-150",
        words: "150 Gibbs sweeps from the mode",
        change: |recipe| recipe.settings.estimator.mode_sweeps = 150,
    },
    Candidate { name: "longer-rate-0.01", words: "rate 0.01", change: |recipe| recipe.settings.optimizer.learning_rate = 1e-2 },
    Candidate { name: "longer-wide", words: "784-1000", change: |recipe| recipe.hidden[0] *= 2 },
    Candidate {
        name: "longer-halves",
        words: "conditional share 0.9, masks: half planes alone",
        change: |recipe| (recipe.settings.conditional, recipe.settings.masks) = (0.9, Masks::Halves),
    },
    Candidate {
        name: "longer-wide-halves",
        words: "784-1000, conditional share 0.9, masks: half planes alone",
        change: |recipe| {
            recipe.hidden[0] *= 2;
            (recipe.settings.conditional, recipe.settings.masks) = (0.9, Masks::Halves);
        },
    },
];

fn centered(kind: EstimatorKind) -> EstimatorSettings {
    EstimatorSettings { centering: Some(CENTERING_RATE), ..EstimatorSettings::new(kind) }
}

/// What is changed: the recipe in the middle of the search.
pub fn middle(seed: u64, steps: u64) -> Recipe {
    let estimator = EstimatorSettings { mode_sweeps: 50, ..centered(EstimatorKind::UcdLmi) };
    let optimizer = OptimizerSettings { learning_rate: 3e-3, decay_steps: steps, ..OptimizerSettings::default() };
    let settings = Settings { optimizer, estimator, conditional: 0.5, average: Some(0.995), seed, ..Settings::default() };
    Recipe { hidden: vec![500], units: Units::Signs, gaussian: None, settings, steps }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_candidate_but_the_first_is_another_recipe() {
        let mut recipes: Vec<(&str, Recipe)> = Vec::new();
        for (candidates, steps) in [(&ALL[..], STEPS), (&LONGER[..], LONGER_STEPS)] {
            for candidate in candidates {
                let mut recipe = middle(1, steps);
                (candidate.change)(&mut recipe);
                assert!(recipes.iter().all(|(name, other)| *name != candidate.name && *other != recipe), "{}", candidate.name);
                recipes.push((candidate.name, recipe));
            }
        }
        assert_eq!(recipes[0].1, middle(1, STEPS));
    }
}
