//! The model that the view opens with: [`dbm_protocol::proof_preset`].

use dbm_core::Units;
use dbm_protocol::{ModelSource, proof_preset};

/// Where its parameters come from.
pub fn source() -> ModelSource {
    proof_preset().source
}

/// Its layer sizes and kind of units.
pub fn shape() -> (Vec<u32>, Units) {
    match source() {
        ModelSource::Given(model) => (model.sizes, model.units),
        ModelSource::Orthogonal { sizes, units, .. } | ModelSource::Gaussian { sizes, units, .. } => (sizes, units),
        // A preset is none.
        ModelSource::Checkpoint { .. } => (vec![1, 1], Units::Signs),
    }
}

/// Its visible patterns.
pub fn patterns() -> Vec<Vec<u8>> {
    let width = shape().0[0] as usize;
    proof_preset().data.chunks(width).map(<[u8]>::to_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::super::plan::{ESTIMATORS, LEVEL, Plan, title, unbiased};
    use super::*;

    #[test]
    fn the_view_opens_with_the_proof() {
        let (plan, preset) = (Plan::default(), proof_preset());
        assert_eq!((plan.target, plan.seed, plan.question.bits()), (preset.samples, preset.seed, preset.data));
        assert_eq!((plan.question.sizes.as_slice(), LEVEL), (&[4, 3, 2][..], preset.level));
        for (at, name) in ESTIMATORS.into_iter().enumerate() {
            assert_eq!(unbiased(at), preset.unbiased.contains(&name));
            assert_eq!(plan.chosen[at], preset.unbiased.contains(&name) || preset.biased.contains(&name));
            assert_eq!(title(at).to_lowercase(), name);
            assert_eq!(plan.settings(at).estimator.to_string(), name);
        }
    }
}
