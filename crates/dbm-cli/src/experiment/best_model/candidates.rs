//! What the search for the best model tries: one thing changed at a time.

use crate::experiment::recipe::Recipe;
use dbm_core::gradient::{EstimatorKind, EstimatorSettings};
use dbm_core::{OptimizerSettings, Settings, Units};

/// Something to try.
pub struct Candidate {
    pub name: &'static str,
    pub words: &'static str,
    pub change: fn(&mut Recipe),
}

/// Steps of a candidate: enough to tell them apart, few enough to try many.
pub const STEPS: u64 = 4000;

pub const ALL: [Candidate; 18] = [
    Candidate { name: "middle", words: "784-1500-500, as the table says above", change: |_| () },
    Candidate { name: "share-30", words: "conditional share 0.3", change: |recipe| recipe.settings.conditional = 0.3 },
    Candidate { name: "share-90", words: "conditional share 0.9", change: |recipe| recipe.settings.conditional = 0.9 },
    Candidate {
        name: "sweeps-1",
        words: "1 Gibbs sweep from the mode, as in the paper",
        change: |recipe| recipe.settings.estimator.mode_sweeps = 1,
    },
    Candidate {
        name: "sweeps-3",
        words: "3 Gibbs sweeps from the mode",
        change: |recipe| recipe.settings.estimator.mode_sweeps = 3,
    },
    Candidate {
        name: "sweeps-30",
        words: "30 Gibbs sweeps from the mode",
        change: |recipe| recipe.settings.estimator.mode_sweeps = 30,
    },
    Candidate { name: "rate-0.00025", words: "rate 0.00025", change: |recipe| recipe.settings.optimizer.learning_rate = 2.5e-4 },
    Candidate { name: "rate-0.001", words: "rate 0.001", change: |recipe| recipe.settings.optimizer.learning_rate = 1e-3 },
    Candidate { name: "constant-rate", words: "a rate that stays", change: |recipe| recipe.settings.optimizer.decay_steps = 0 },
    Candidate { name: "no-average", words: "no average of the weights", change: |recipe| recipe.settings.average = None },
    Candidate {
        name: "weight-decay-0.0001",
        words: "weight decay 0.0001",
        change: |recipe| recipe.settings.optimizer.weight_decay = 1e-4,
    },
    Candidate {
        name: "weight-decay-0.001",
        words: "weight decay 0.001",
        change: |recipe| recipe.settings.optimizer.weight_decay = 1e-3,
    },
    Candidate {
        name: "cd-10",
        words: "CD-10, whose chains begin at the data",
        change: |recipe| {
            recipe.settings.estimator = EstimatorSettings { k: 10, ..EstimatorSettings::new(EstimatorKind::Cd) };
        },
    },
    Candidate {
        name: "batch-200",
        words: "batch 200, half the steps",
        change: |recipe| {
            recipe.settings.batch *= 2;
            recipe.steps /= 2;
            recipe.settings.optimizer.decay_steps /= 2;
        },
    },
    Candidate { name: "narrow", words: "784-1000-500", change: |recipe| recipe.hidden[0] = recipe.hidden[0] * 2 / 3 },
    Candidate { name: "wide", words: "784-2500-500", change: |recipe| recipe.hidden[0] = recipe.hidden[0] * 5 / 3 },
    Candidate { name: "shallow", words: "one hidden layer of 1500 (an RBM)", change: |recipe| recipe.hidden.truncate(1) },
    Candidate {
        name: "deep",
        words: "three hidden layers, 1500-500-500",
        change: |recipe| recipe.hidden.extend(recipe.hidden.last().copied()),
    },
];

/// What is changed: the recipe in the middle of the search.
pub fn middle(seed: u64, steps: u64) -> Recipe {
    let mut settings = Settings {
        optimizer: OptimizerSettings {
            learning_rate: 5e-4,
            weight_decay: 3e-4,
            decay_steps: steps,
            ..OptimizerSettings::default()
        },
        conditional: 0.7,
        average: Some(0.995),
        seed,
        ..Settings::default()
    };
    settings.estimator.mode_sweeps = 10;
    Recipe { hidden: vec![1500, 500], units: Units::Signs, gaussian: None, settings, steps }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_candidate_but_the_first_is_another_recipe() {
        let mut recipes: Vec<Recipe> = Vec::new();
        for candidate in &ALL {
            let mut recipe = middle(1, STEPS);
            (candidate.change)(&mut recipe);
            assert!(!recipes.contains(&recipe), "{}", candidate.name);
            recipes.push(recipe);
        }
        assert_eq!(recipes[0], middle(1, STEPS));
    }
}
