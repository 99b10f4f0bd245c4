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
    use super::super::estimator_table::ESTIMATORS;
    use super::super::settings::{LEVEL, ProofSettings};
    use super::*;

    #[test]
    fn the_view_opens_with_the_proof() {
        let (settings, preset) = (ProofSettings::default(), proof_preset());
        assert_eq!((settings.target, settings.seed, settings.model.bits()), (preset.samples, preset.seed, preset.data));
        assert_eq!((settings.model.sizes.as_slice(), LEVEL), (&[4, 3, 2][..], preset.level));
        for (at, row) in ESTIMATORS.iter().enumerate() {
            assert_eq!(row.is_unbiased, preset.unbiased.contains(&row.name));
            assert_eq!(row.is_usual, preset.unbiased.contains(&row.name) || preset.biased.contains(&row.name));
            assert_eq!(row.title.to_lowercase(), row.name);
            assert_eq!(settings.of_estimator(at).estimator.to_string(), row.name);
        }
    }
}
