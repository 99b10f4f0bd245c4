//! Likelihoods against enumeration: the mean-field bound, annealed importance sampling, and the signals watched in training.

mod common;

use common::random_model;
use dbm_core::linalg::Matrix;
use dbm_core::{Dbm, Units, exact, mean_field};
use wasm_bindgen_test::wasm_bindgen_test;

#[cfg(target_arch = "wasm32")]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

/// One, two, three and four hidden layers, small enough to enumerate.
const SIZES: [&[usize]; 4] = [&[6, 5], &[6, 5, 4], &[5, 4, 3, 3], &[4, 3, 3, 3, 2]];

fn models() -> impl Iterator<Item = Dbm> {
    [Units::Signs, Units::Bits]
        .into_iter()
        .flat_map(|units| SIZES.into_iter().enumerate().map(move |(i, sizes)| random_model(units, sizes, 40 + i as u64)))
}

/// All visible states of a model, as bits and as a batch of unit values.
fn all_visible(model: &Dbm) -> (Vec<Vec<bool>>, Matrix) {
    let n = model.n_visible();
    let bits: Vec<Vec<bool>> = (0..1_u32 << n).map(|code| (0..n).map(|i| code >> i & 1 == 1).collect()).collect();
    let values = bits.iter().flatten().map(|&bit| model.units().value(bit)).collect();
    (bits, Matrix::from_vec(1 << n, n, values))
}

/// Exact log of the sum of exp(-E) over the hidden units.
fn log_unnormalized(model: &Dbm, bits: &[bool]) -> f64 {
    let clamped: Vec<Option<bool>> = bits.iter().copied().map(Some).collect();
    exact::expectation(model, &clamped).unwrap().log_sum
}

#[wasm_bindgen_test(unsupported = test)]
fn the_mean_field_bound_is_below_the_exact_value_and_equals_it_for_one_hidden_layer() {
    for model in models() {
        let (bits, visible) = all_visible(&model);
        let posterior = mean_field::posterior(&model, &visible, 1000, 1e-5);
        assert_eq!(posterior.capped, 0);
        let mut gap = 0.0_f64;
        for (row, bits) in bits.iter().enumerate() {
            let (bound, exact) = (posterior.bound(&model, row), log_unnormalized(&model, bits));
            assert!(bound <= exact + 1e-5, "{:?}: bound {bound}, exact {exact}", model.sizes());
            gap = gap.max(exact - bound);
            if model.depth() == 1 {
                assert!((bound - exact).abs() <= 1e-4 * exact.abs().max(1.0), "bound {bound}, exact {exact}");
                assert_eq!(posterior.sweeps[row], 1);
            }
        }
        // A bound that is never tight, or always, would be another function.
        assert!(model.depth() == 1 || (1e-3..3.0).contains(&gap), "{:?}: largest gap {gap}", model.sizes());
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn the_mean_field_bound_never_falls() {
    for model in models() {
        let visible = all_visible(&model).1;
        let mut bounds = vec![f64::NEG_INFINITY; visible.rows()];
        for sweeps in 0..12 {
            let posterior = mean_field::posterior(&model, &visible, sweeps, 0.0);
            for (row, before) in bounds.iter_mut().enumerate() {
                let now = posterior.bound(&model, row);
                assert!(now >= *before - 1e-5, "{:?}, sweep {sweeps}: from {before} to {now}", model.sizes());
                *before = now;
            }
        }
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn the_mean_field_posterior_is_a_fixed_point_and_a_row_its_own() {
    for units in [Units::Signs, Units::Bits] {
        for sizes in [&[40, 30, 20][..], &[30, 20, 25, 10], &[12, 8, 8, 8, 8]] {
            let model = random_model(units, sizes, 3);
            let values = (0..9 * sizes[0]).map(|i| units.value(i * i % 7 < 3)).collect();
            let visible = Matrix::from_vec(9, sizes[0], values);
            let together = mean_field::posterior(&model, &visible, 5000, 1e-6);
            assert_eq!(together.capped, 0);
            for row in 0..9 {
                let state: Vec<&[f32]> = together.means.iter().map(|layer| layer.row(row)).collect();
                assert_eq!(state[0], visible.row(row));
                for l in 1..sizes.len() {
                    for (mean, a) in state[l].iter().zip(model.field(l, &state)) {
                        let gap = f64::from(units.gap());
                        let expected = f64::from(units.low()) + gap / (1.0 + (-gap * f64::from(a)).exp());
                        assert!((f64::from(*mean) - expected).abs() < 1e-4, "{units:?} {sizes:?} layer {l}");
                    }
                }
                let alone = mean_field::posterior(&model, &Matrix::from_vec(1, sizes[0], visible.row(row).to_vec()), 5000, 1e-6);
                for (a, b) in alone.means.iter().zip(&together.means) {
                    assert!(a.row(0).iter().zip(b.row(row)).all(|(a, b)| (a - b).abs() < 1e-4), "{units:?} {sizes:?} row {row}");
                }
            }
            // Rows leave at different sweeps, and a cap on the way is counted.
            let distinct: std::collections::HashSet<u32> = together.sweeps.iter().copied().collect();
            assert!(distinct.len() > 1, "{:?}", together.sweeps);
            let cut = mean_field::posterior(&model, &visible, 2, 1e-6);
            assert!(cut.capped > 0 && cut.sweeps.iter().all(|&sweeps| sweeps <= 2));
        }
    }
}
