//! The recipes that a fit tries: a table.

use dbm_core::settings::{Initialization, RunPlan};
use dbm_core::{Examples, OptimizerMethod, OptimizerSettings, Settings, Units};

/// How many hidden units a recipe has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Width {
    /// This many.
    Units(u32),
    /// This many for each visible unit, within limits that keep a step short.
    EachVisible(f64),
}

/// The fewest and most hidden units of a width relative to the visible layer.
const LIMITS: (u32, u32) = (8, 300);

/// How a model is trained, apart from its data. All have one hidden layer, whose gaps are filled exactly where few cells are missing, and
/// average their weights, which suits a run that may stop at any step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recipe {
    /// Hidden units.
    pub hidden: Width,
    /// The estimator, as in `--estimator`.
    pub estimator: &'static str,
    /// Adam's learning rate.
    pub rate: f64,
    /// Weight decay.
    pub decay: f64,
    /// Share of the batch that learns to fill in what is hidden from it, which holds back best where rows are few.
    pub conditional: f64,
}

use Width::{EachVisible, Units as Of};

const fn recipe(hidden: Width, estimator: &'static str, rate: f64, decay: f64) -> Recipe {
    Recipe { hidden, estimator, rate, decay, conditional: 0.0 }
}

/// The pseudo-likelihood asks for each cell given the others, which is what a filled gap is, and is chosen for most tables, with few units or
/// many. Then contrastive divergence and persistent chains: from wide machines, which learn a short table in a hundred steps and are stopped
/// before they memorize it, to narrow ones and those whose chains mix well, for long tables.
pub const RECIPES: [Recipe; 12] = [
    recipe(Of(300), "pl", 0.005, 0.03),
    recipe(Of(100), "pl", 0.005, 0.03),
    recipe(Of(100), "pl", 0.005, 0.3),
    recipe(Of(32), "pl", 0.01, 0.03),
    recipe(Of(32), "pl", 0.02, 0.03),
    Recipe { conditional: 1.0, ..recipe(Of(300), "cd-1", 0.0015, 0.03) },
    recipe(Of(300), "cd-1", 0.008, 0.03),
    recipe(EachVisible(1.0), "cd-5", 0.01, 0.01),
    recipe(EachVisible(2.0), "cd-10", 0.02, 0.003),
    recipe(EachVisible(1.0), "pcd-gibbs-5", 0.005, 0.001),
    recipe(EachVisible(1.0), "ptt-1", 0.005, 0.003),
    recipe(EachVisible(1.0), "ucd-lmi", 0.01, 0.003),
];

/// Examples in a minibatch, if there are as many.
pub(super) const BATCH: usize = 100;
/// Decay of the averaged weights.
const AVERAGE: f64 = 0.98;

impl Recipe {
    /// The plan of a run on these data.
    ///
    /// # Panics
    /// If the estimator's name is none: a test covers the table.
    pub fn plan(&self, data: &Examples, seed: u64) -> RunPlan {
        let hidden = match self.hidden {
            Of(units) => units,
            EachVisible(times) => ((times * data.width() as f64) as u32).clamp(LIMITS.0, LIMITS.1),
        };
        let estimator = self.estimator.parse().expect("the table names estimators");
        let (learning_rate, weight_decay) = (self.rate, self.decay);
        let optimizer =
            OptimizerSettings { method: OptimizerMethod::Adam, learning_rate, weight_decay, ..OptimizerSettings::default() };
        let batch = data.len().min(BATCH);
        let settings = Settings {
            optimizer,
            batch,
            seed,
            estimator,
            average: Some(AVERAGE),
            conditional: self.conditional,
            ..Settings::default()
        };
        RunPlan { hidden: vec![hidden], units: Units::Signs, start: Initialization::Independent, settings }
    }

    /// As options of `dbm train`.
    pub fn options(&self, plan: &RunPlan) -> String {
        let hidden: Vec<String> = plan.hidden.iter().map(u32::to_string).collect();
        let conditional = if self.conditional > 0.0 { format!(" --conditional {}", self.conditional) } else { String::new() };
        let Self { estimator, rate, decay, .. } = self;
        format!("--hidden {} --estimator {estimator} --lr {rate} --weight-decay {decay}{conditional}", hidden.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbm_core::SingleThread;

    #[test]
    fn every_recipe_trains() {
        let narrow = Examples::from_bits(3, &[1, 0, 1, 0, 1, 1]).unwrap();
        let wide = Examples::from_bits(700, &[1, 0].repeat(700)).unwrap();
        for (place, recipe) in RECIPES.iter().enumerate() {
            assert!(!RECIPES[..place].contains(recipe), "twice: {recipe:?}");
            let hidden = recipe.plan(&wide, 1).hidden[0];
            assert!(recipe.plan(&wide, 1).settings.check(700).is_ok() && (8..=300).contains(&hidden), "{recipe:?}");
            let plan = recipe.plan(&narrow, 1);
            let begun = crate::begin(&plan, &narrow, &SingleThread, |_| Ok::<(), dbm_core::DbmError>(())).unwrap();
            let crate::Begun::Training(mut run) = begun else { panic!("{recipe:?} pretrains") };
            run.step(&narrow, &SingleThread).unwrap();
        }
        for kind in ["pl", "cd-1", "cd-5", "cd-10", "pcd-gibbs-5", "ptt-1", "ucd-lmi"] {
            assert!(RECIPES.iter().any(|recipe| recipe.estimator == kind), "{kind}");
        }
    }
}
