//! What the search for the best model tries: one thing changed at a time, and of that what promises most for longer.

use crate::Error;
use crate::experiment::recipe::{Recipe, Variant};
use dbm_core::gradient::{CENTERING_RATE, EstimatorKind, EstimatorSettings};
use dbm_core::{OptimizerSettings, Settings};

/// Steps of a candidate: enough to tell them apart, few enough to try many.
pub const STEPS: u64 = 1500;

/// Steps of a candidate that is trained for longer.
pub const LONGER_STEPS: u64 = 5000;

/// The candidates, and those that show only after more steps how long a model goes on to be better at all that is asked of it; with the steps of each.
///
/// # Errors
/// Those of [`Variant::list`].
pub fn all() -> Result<[(Vec<Variant>, u64); 2], Error> {
    let lists = [include_str!("candidates.json"), include_str!("longer.json")];
    let [short, longer] = lists.map(Variant::list);
    Ok([(short?, STEPS), (longer?, LONGER_STEPS)])
}

/// What is changed: the recipe in the middle of the search.
pub fn middle(seed: u64, steps: u64) -> Recipe {
    let estimator =
        EstimatorSettings { mode_sweeps: 50, centering: Some(CENTERING_RATE), ..EstimatorSettings::new(EstimatorKind::UcdLmi) };
    let optimizer = OptimizerSettings { learning_rate: 3e-3, decay_steps: steps, ..OptimizerSettings::default() };
    let settings = Settings { optimizer, estimator, conditional: 0.5, average: Some(0.995), seed, ..Settings::default() };
    Recipe::new(vec![500], settings, steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_candidate_but_the_first_is_another_recipe() {
        let mut recipes: Vec<(&str, Recipe)> = Vec::new();
        let lists = all().unwrap();
        for (candidates, steps) in &lists {
            for candidate in candidates {
                let recipe = candidate.of(&middle(1, *steps)).unwrap();
                assert!(recipes.iter().all(|(name, other)| *name != candidate.name && *other != recipe), "{}", candidate.name);
                recipes.push((&candidate.name, recipe));
            }
        }
        assert_eq!(recipes[0].1, middle(1, STEPS));
    }
}
