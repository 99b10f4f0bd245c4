//! Enumeration of the smaller parity against enumeration of everything.

use crate::common::{SHAPES, check_exact, close, log_sum, models_of_levels, random_model, scaled};
use dbm_core::{Dbm, DbmError, Examples, Units, exact};
use wasm_bindgen_test::wasm_bindgen_test;

/// One to four hidden layers; some with fewer even units, some with fewer odd ones, some with layers much smaller than their parity.
const MORE_SHAPES: [&[usize]; 9] =
    [&[2, 5], &[5, 2], &[1, 1], &[2, 1, 3], &[3, 4, 1], &[3, 1, 2, 1], &[2, 3, 2, 3], &[3, 2, 2, 2, 1], &[1, 3, 1, 3, 2]];

/// Every shape with both kinds of units and three seeds, and models over levels, with the seed.
fn models() -> impl Iterator<Item = (Dbm, u64)> {
    let shapes = SHAPES.into_iter().chain(MORE_SHAPES);
    let kinds = shapes.flat_map(|sizes| [Units::Signs, Units::Bits].map(|units| (units, sizes)));
    let of_bits = kinds.flat_map(|(units, sizes)| (50..53).map(move |seed| (random_model(units, sizes, seed), seed)));
    of_bits.chain((50..53).flat_map(|seed| models_of_levels(seed).map(move |model| (model, seed))))
}

/// The bits of a visible layer, different for each seed.
fn bits(n: usize, seed: u64) -> Vec<bool> {
    (0..n).map(|i| (seed as usize + i * i).is_multiple_of(3)).collect()
}

/// Nothing clamped, some units, one unit, all units.
fn clamps(n: usize, seed: u64) -> [Vec<Option<bool>>; 4] {
    let clamp =
        |known: fn(usize) -> bool| bits(n, seed).into_iter().enumerate().map(|(i, bit)| known(i).then_some(bit)).collect();
    [clamp(|_| false), clamp(|i| i % 2 == 0), clamp(|i| i == 1), clamp(|_| true)]
}

#[wasm_bindgen_test(unsupported = test)]
fn everything_agrees_with_brute_force() {
    for (model, seed) in models() {
        // Of a table, some of these are no part of a row.
        let clamps = clamps(model.n_visible(), seed).into_iter();
        for visible in clamps.filter(|visible| log_sum(&model, visible).is_finite()) {
            check_exact(&model, &visible, 1e-12, 1e-12);
            assert_eq!(exact::log_sum(&model, &visible).unwrap(), exact::expectation(&model, &visible).unwrap().log_sum);
        }
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn likelihoods_agree_with_brute_force() {
    for (model, seed) in models() {
        let n = model.n_visible();
        let nothing = vec![None; n];
        close(&[exact::log_z(&model).unwrap()], &[log_sum(&model, &nothing)], 1e-12);
        let log_p = |bits: &[bool]| {
            let all: Vec<Option<bool>> = bits.iter().copied().map(Some).collect();
            log_sum(&model, &all) - log_sum(&model, &nothing)
        };
        let rows = [bits(n, seed), bits(n, seed + 1), bits(n, seed), vec![true; n], bits(n, seed)];
        // Of a table, some of these are no row.
        let (rows, others): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| log_p(row).is_finite());
        assert!(others.iter().all(|row| exact::log_probability(&model, row) == Ok(f64::NEG_INFINITY)));
        if rows.is_empty() {
            continue;
        }
        let expected: Vec<f64> = rows.iter().map(|row| log_p(row)).collect();
        let got: Vec<f64> = rows.iter().map(|row| exact::log_probability(&model, row).unwrap()).collect();
        close(&got, &expected, 1e-12);
        let bytes: Vec<u8> = rows.concat().into_iter().map(u8::from).collect();
        let mean = exact::log_likelihood(&model, &Examples::from_bits(n, &bytes).unwrap()).unwrap();
        close(&[mean], &[expected.iter().sum::<f64>() / expected.len() as f64], 1e-12);
    }
}

/// The gradient of log p(unknown | known), by differences of brute force: the slope over 2h is the gradient up to h^2 and up to rounding
/// over h.
#[wasm_bindgen_test(unsupported = test)]
fn the_gradient_is_the_slope_of_the_log_likelihood() {
    const H: f32 = 1.0 / 1024.0;
    for (units, sizes) in [(Units::Signs, [3, 2, 2]), (Units::Bits, [3, 2, 2]), (Units::Signs, [2, 4, 1])] {
        let model = random_model(units, &sizes, 60);
        let n = sizes[0];
        let visible = bits(n, 1);
        for known in [vec![false; n], (0..n).map(|i| i == 1).collect()] {
            let all: Vec<Option<bool>> = visible.iter().copied().map(Some).collect();
            let some: Vec<Option<bool>> = visible.iter().zip(&known).map(|(&bit, &known)| known.then_some(bit)).collect();
            let weights: Vec<Vec<f32>> = model.weights().iter().map(|w| w.data().to_vec()).collect();
            let tensors = [weights, model.biases().to_vec()].concat();
            let mut slopes = Vec::new();
            for (t, tensor) in tensors.iter().enumerate() {
                for i in 0..tensor.len() {
                    let [(above, right), (below, left)] = [H, -H].map(|h| {
                        let mut moved = tensors.clone();
                        moved[t][i] += h;
                        let at = f64::from(moved[t][i]);
                        let biases = moved.split_off(sizes.len() - 1);
                        let model = Dbm::new(units, moved, biases).unwrap();
                        (log_sum(&model, &all) - log_sum(&model, &some), at)
                    });
                    slopes.push((above - below) / (right - left));
                }
            }
            close(&exact::gradient(&model, &visible, &known).unwrap(), &slopes, 1e-5);
        }
    }
}

/// The largest |energy|, and the state with the lowest energy.
fn extremes(model: &Dbm) -> (f64, crate::common::State) {
    let (mut largest, mut lowest, mut mode) = (0.0_f64, f64::INFINITY, Vec::new());
    crate::common::for_each_state(model, &vec![None; model.n_visible()], |state, energy| {
        largest = largest.max(energy.abs());
        if energy < lowest {
            (lowest, mode) = (energy, state.clone());
        }
    });
    (largest, mode)
}

#[wasm_bindgen_test(unsupported = test)]
fn energies_of_thousands_stay_right() {
    for (model, seed) in models() {
        let model = scaled(&model, 2000.0 / extremes(&model).0);
        assert!((extremes(&model).0 - 2000.0).abs() < 0.1);
        // Of a table, some of these are no part of a row.
        let clamps = clamps(model.n_visible(), seed).into_iter();
        for visible in clamps.filter(|visible| log_sum(&model, visible).is_finite()) {
            check_exact(&model, &visible, 1e-10, 1e-11);
        }
    }
}

/// Where the log of a sum has no digits left for a factor of two, probabilities still add to one, on the state with the lowest energy.
#[wasm_bindgen_test(unsupported = test)]
fn energies_beyond_all_bounds_stay_finite() {
    for (model, _) in models() {
        let model = scaled(&model, 1e36);
        let (largest, mode) = extremes(&model);
        let free = vec![None; model.n_visible()];
        let expectation = exact::expectation(&model, &free).unwrap();
        assert!(expectation.log_sum.is_finite() && expectation.log_sum <= largest * 1.000_001);
        for (layer, values) in mode.iter().enumerate() {
            let values: Vec<f64> = values.iter().map(|&value| f64::from(value)).collect();
            close(&expectation.biases[layer], &values, 1e-12);
        }
    }
}

/// Too large for brute force: against what is known about independent units.
#[wasm_bindgen_test(unsupported = test)]
fn the_larger_parity_may_be_of_any_size() {
    // Without weights, and with so many units that the product of their sums exceeds the range of f64.
    let biases: Vec<Vec<f32>> = vec![(0..2000).map(|i| (i as f32 * 0.37).sin()).collect(), vec![0.25, -0.5]];
    for units in [Units::Signs, Units::Bits] {
        let model = Dbm::new(units, vec![vec![0.0; 4000]], biases.clone()).unwrap();
        let values = [units.low(), units.high()].map(f64::from);
        let sum_of_one = |&b: &f32| values.iter().map(|s| (s * f64::from(b)).exp()).sum::<f64>();
        let expected: f64 = biases.concat().iter().map(|b| sum_of_one(b).ln()).sum();
        close(&[exact::log_z(&model).unwrap()], &[expected], 1e-10);
        let high = |b: &f32| f64::from(*b).exp() / sum_of_one(b);
        let marginals = exact::marginals(&model, &[None; 2000]).unwrap();
        close(&marginals.concat(), &biases.concat().iter().map(high).collect::<Vec<f64>>(), 1e-12);
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn what_is_too_large_is_refused() {
    let model = random_model(Units::Signs, &[25, 26], 80);
    let free = vec![None; 25];
    let refusal = DbmError::TooManyUnits { units: 25, limit: exact::MAX_UNITS };
    assert_eq!(exact::log_sum(&model, &free).unwrap_err(), refusal);
    assert_eq!(exact::log_z(&model).unwrap_err(), refusal);
    assert_eq!(exact::log_probability(&model, &[true; 25]).unwrap_err(), refusal);
    assert_eq!(exact::log_likelihood(&model, &Examples::from_bits(25, &[0; 25]).unwrap()).unwrap_err(), refusal);
    assert_eq!(exact::expectation(&model, &free).unwrap_err(), refusal);
    assert_eq!(exact::gradient(&model, &[true; 25], &[false; 25]).unwrap_err(), refusal);
    assert_eq!(exact::marginals(&model, &free).unwrap_err(), refusal);
    // Clamped units cost nothing.
    assert!(exact::log_sum(&model, &[Some(true); 25]).is_ok());
}

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, DbmError>, got: usize) {
    let error = result.unwrap_err();
    assert!(matches!(error, DbmError::Shape { expected: 4, got: came, .. } if came == got), "{error}");
}

#[wasm_bindgen_test(unsupported = test)]
fn wrong_lengths_are_refused() {
    let model = random_model(Units::Signs, &[4, 3, 2], 82);
    for n in [0, 3, 5, 40] {
        let (clamp, bits) = (vec![Some(true); n], vec![true; n]);
        refused(exact::log_sum(&model, &clamp), n);
        refused(exact::expectation(&model, &clamp), n);
        refused(exact::marginals(&model, &clamp), n);
        refused(exact::log_probability(&model, &bits), n);
        refused(exact::gradient(&model, &bits, &[true; 4]), n);
        refused(exact::gradient(&model, &[true; 4], &bits), n);
    }
    refused(exact::log_likelihood(&model, &Examples::from_bits(3, &[1, 0, 1]).unwrap()), 3);
}
