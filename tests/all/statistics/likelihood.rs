//! Likelihoods against enumeration: the mean-field bound, annealed importance sampling, and the signals shown during training.

use crate::common::{examples, log_sum, models, models_of_levels, of_both_kinds, random_model};
use dbm_core::ais::{AisEstimate, AisSettings, BaseDistribution, estimate};
use dbm_core::chains::Chains;
use dbm_core::linalg::Matrix;
use dbm_core::math::{log_sum_exp, logistic, mean_and_error};
use dbm_core::mean_field::{self, MeanField, MeanFieldSettings};
use dbm_core::rng::{Purpose, Streams};
use dbm_core::sweep::{AnnealedDraw, GibbsDraw};
use dbm_core::{
    Backend, Clamp, Dbm, DbmError, Examples, Group, OptimizerSettings, Parity, Settings, SingleThread, Trainer, Units, exact,
    signals,
};

/// One to four hidden layers, small enough to enumerate. In the last model the even layers have fewer units, in the others the odd ones.
const SIZES: [&[usize]; 5] = [&[6, 5], &[6, 5, 4], &[5, 4, 3, 3], &[4, 3, 3, 3, 2], &[4, 7, 2]];

/// All visible states of a model, as bits and as a batch of unit values.
fn all_visible(model: &Dbm) -> (Vec<Vec<bool>>, Matrix) {
    let n = model.n_visible();
    let bits: Vec<Vec<bool>> = (0..1_u32 << n).map(|code| (0..n).map(|i| code >> i & 1 == 1).collect()).collect();
    let values = bits.iter().flatten().map(|&bit| model.units().value(bit)).collect();
    (bits, Matrix::from_vec(1 << n, n, values))
}

/// Exact log of the sum of exp(-E) over the hidden units.
fn log_unnormalized(model: &Dbm, bits: &[bool]) -> f64 {
    exact::log_sum(model, &bits.iter().copied().map(Some).collect::<Vec<_>>()).unwrap()
}

/// Mean-field posteriors of visible layers without gaps.
fn posterior(model: &Dbm, visible: &Matrix, max_sweeps: u32, tolerance: f64) -> MeanField {
    mean_field::posterior(model, visible, &Clamp::Visible, MeanFieldSettings { max_sweeps, tolerance })
}

#[test]
fn the_mean_field_bound_never_falls() {
    for model in models(SIZES) {
        let visible = all_visible(&model).1;
        let mut bounds = vec![f64::NEG_INFINITY; visible.rows()];
        for sweeps in 0..12 {
            let posterior = posterior(&model, &visible, sweeps, 0.0);
            for (row, before) in bounds.iter_mut().enumerate() {
                let now = posterior.bound(&model, row);
                assert!(now >= *before - 1e-5, "{:?}, sweep {sweeps}: from {before} to {now}", model.sizes());
                *before = now;
            }
        }
    }
}

#[test]
fn the_mean_field_posterior_is_a_fixed_point_and_a_row_its_own() {
    for (units, sizes) in of_both_kinds([&[40, 30, 20], &[30, 20, 25, 10], &[12, 8, 8, 8, 8]]) {
        let model = random_model(units, sizes, 3);
        let values = (0..9 * sizes[0]).map(|i| units.value(i * i % 7 < 3)).collect();
        let visible = Matrix::from_vec(9, sizes[0], values);
        let together = posterior(&model, &visible, 5000, 1e-6);
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
            let alone = posterior(&model, &Matrix::from_vec(1, sizes[0], visible.row(row).to_vec()), 5000, 1e-6);
            for (a, b) in alone.means.iter().zip(&together.means) {
                assert!(a.row(0).iter().zip(b.row(row)).all(|(a, b)| (a - b).abs() < 1e-4), "{units:?} {sizes:?} row {row}");
            }
        }
        // Rows finish at different sweeps, and rows cut at a cap are counted.
        let distinct: std::collections::HashSet<u32> = together.sweeps.iter().copied().collect();
        assert!(distinct.len() > 1, "{:?}", together.sweeps);
        let cut = posterior(&model, &visible, 2, 1e-6);
        assert!(cut.capped > 0 && cut.sweeps.iter().all(|&sweeps| sweeps <= 2));
    }
}

/// Examples whose units are high more often towards the right.
fn sloping(width: usize) -> Examples {
    let bits: Vec<u8> = (0..40 * width).map(|i| u8::from(i * 7919 % 101 < 100 * (i % width) / width)).collect();
    Examples::from_bits(width, &bits).unwrap()
}

/// 20 estimates at seed 5; |error| below 4 standard errors, which about one such set in 800 would exceed (alpha = 20 * 6.3e-5).
#[test]
fn annealing_finds_the_exact_log_z() {
    let mut total = 0.0;
    for model in models(SIZES) {
        let exact = exact::log_z(&model).unwrap();
        for base in [BaseDistribution::uniform(&model), BaseDistribution::of_data(&model, &sloping(model.n_visible())).unwrap()] {
            let settings = AisSettings { chains: 100, betas: 300, seed: 5 };
            let found = estimate(&model, &base, &settings, &SingleThread).unwrap();
            let error = (found.log_z - exact) / found.standard_error;
            assert!(error.abs() < 4.0, "{:?} {:?}: {error:.2} standard errors", model.units(), model.sizes());
            // The errors are small, so the agreement is meaningful.
            assert!(found.standard_error < 0.03 && found.effective_sample_size > 90.0, "{found:?}");
            total += error;
        }
    }
    // Nor do they all lie on one side: their mean is within 4 of its own standard errors.
    assert!((total / 20.0).abs() < 4.0 / 20.0_f64.sqrt(), "mean {}", total / 20.0);
}

/// 20 estimates, seeds 0 to 19: the deviation of a deviation from 20 values is 16 %, so a factor of 2 is beyond 5 of them.
#[test]
fn the_standard_error_tells_how_much_estimates_vary() {
    let model = random_model(Units::Signs, &[6, 5, 4], 41);
    let found: Vec<AisEstimate> = (0..20)
        .map(|seed| {
            estimate(&model, &BaseDistribution::uniform(&model), &AisSettings { chains: 100, betas: 10, seed }, &SingleThread)
                .unwrap()
        })
        .collect();
    let mean = found.iter().map(|e| e.log_z).sum::<f64>() / 20.0;
    let deviation = (found.iter().map(|e| (e.log_z - mean).powi(2)).sum::<f64>() / 19.0).sqrt();
    let reported = found.iter().map(|e| e.standard_error).sum::<f64>() / 20.0;
    assert!((0.5..2.0).contains(&(deviation / reported)), "estimates vary by {deviation}, standard errors say {reported}");
}

/// A draw with annealed fields is a draw from the model with annealed parameters. At 1/2 and 1/4 the fields agree up to the last bits, so a
/// state can differ only where a uniform falls between them.
#[test]
fn annealed_draws_are_draws_from_the_annealed_model() {
    for (units, beta) in [(Units::Signs, 0.5_f32), (Units::Bits, 0.25), (Units::Signs, 0.0), (Units::Bits, 1.0)] {
        let model = random_model(units, &[40, 30, 20, 10], 3).with_backend(Backend::Plain);
        let base: Vec<Vec<f32>> = model.sizes().iter().map(|&n| (0..n).map(|i| i as f32 / n as f32 - 0.5).collect()).collect();
        let weights = model.weights().iter().map(|w| w.data().iter().map(|x| beta * x).collect()).collect();
        let mixed = |(b, a): (&Vec<f32>, &Vec<f32>)| b.iter().zip(a).map(|(b, a)| (1.0 - beta) * a + beta * b).collect();
        let biases = model.biases().iter().zip(&base).map(mixed).collect();
        let annealed = Dbm::new(units, weights, biases).unwrap().with_backend(Backend::Plain);
        let all: Vec<u32> = (0..8).collect();
        let streams = || all.iter().map(|&c| Streams::new(2).at(Purpose::Annealing, 0, c.into())).collect::<Vec<_>>();
        let (mut a, mut b) = ((Chains::free(&model, 8), streams()), (Chains::free(&annealed, 8), streams()));
        for round in 0..6 {
            let parity = Parity::first(round % 2 == 0);
            a.0.half_sweep(&model, parity, &all, &mut AnnealedDraw::new(&mut a.1, &base, beta));
            b.0.half_sweep(&annealed, parity, &all, &mut GibbsDraw::new(&mut b.1));
            for c in 0..8 {
                assert_eq!(a.0.state(c), b.0.state(c), "{units:?} beta {beta} round {round} chain {c}");
            }
        }
    }
}

#[test]
fn estimates_refuse_what_makes_no_sense() {
    let model = random_model(Units::Signs, &[4, 3], 1);
    let base = BaseDistribution::uniform(&model);
    for (chains, betas, named) in [(1, 10, "number of AIS chains"), (10, 0, "number of AIS betas")] {
        let refused = estimate(&model, &base, &AisSettings { chains, betas, seed: 0 }, &SingleThread);
        assert!(matches!(refused, Err(DbmError::Setting { name, .. }) if name == named), "{refused:?}");
    }
    assert!(matches!(BaseDistribution::of_data(&model, &sloping(5)), Err(DbmError::Shape { expected: 4, got: 5, .. })));
    let huge = Dbm::new(Units::Signs, vec![vec![3e38; 12]], vec![vec![0.0; 4], vec![0.0; 3]]).unwrap();
    let refused = estimate(&huge, &base, &AisSettings { chains: 2, betas: 2, seed: 0 }, &SingleThread);
    assert!(matches!(refused, Err(DbmError::NotFinite { .. })), "{refused:?}");
}

/// `log sum over h_1 of exp(-E)` for the given visible values and the means of the higher layers, state by state.
fn log_sum_over_first_hidden(model: &Dbm, mut state: Vec<Vec<f32>>) -> f64 {
    let n = model.sizes()[1];
    let terms: Vec<f64> = (0..1_u32 << n)
        .map(|code| {
            state[1] = (0..n).map(|j| model.units().value(code >> j & 1 == 1)).collect();
            -model.energy(&state)
        })
        .collect();
    log_sum_exp(&terms)
}

#[test]
fn conditionals_of_visible_units_are_exact_given_the_layers_above() {
    for model in models(SIZES) {
        let (bits, visible) = all_visible(&model);
        let posterior = posterior(&model, &visible, 1000, 1e-5);
        for unit in 0..model.n_visible() {
            let found = signals::log_conditionals(&model, &posterior, &vec![Group::thermometer(unit..unit + 1); bits.len()]);
            for (row, (bits, found)) in bits.iter().zip(found).enumerate() {
                let state: Vec<Vec<f32>> = posterior.means.iter().map(|layer| layer.row(row).to_vec()).collect();
                let mut flipped = state.clone();
                flipped[0][unit] = model.units().value(!bits[unit]);
                let [here, there] = [state, flipped].map(|state| log_sum_over_first_hidden(&model, state));
                let expected = here - log_sum_exp(&[here, there]);
                assert!((found - expected).abs() < 1e-5, "{:?} {:?}: {found}, {expected}", model.units(), model.sizes());
                if model.depth() == 1 {
                    let mut other = bits.clone();
                    other[unit] = !other[unit];
                    let [here, there] = [bits, &other].map(|bits| log_unnormalized(&model, bits));
                    let exact = here - log_sum_exp(&[here, there]);
                    assert!((found - exact).abs() < 1e-5, "{:?}: {found}, exactly {exact}", model.units());
                }
            }
        }
    }
}

/// Of categories and scales: the probabilities of all levels given the rest of a row sum to one.
#[test]
fn conditionals_of_groups_are_those_of_their_levels() {
    for model in models_of_levels(46).filter(|model| model.depth() == 1) {
        let (bits, visible) = all_visible(&model);
        let posterior = posterior(&model, &visible, 10, 1e-5);
        for group in model.groups().iter() {
            let found = signals::log_conditionals(&model, &posterior, &vec![group.clone(); bits.len()]);
            let is_row = |bits: &[bool]| model.groups().iter().all(|group| group.level(|unit| bits[unit]).is_some());
            for (bits, found) in bits.iter().zip(found).filter(|(bits, _)| is_row(bits)) {
                let at = |level: usize| {
                    let mut other = bits.clone();
                    group.units.clone().for_each(|unit| other[unit] = group.is_high(level, unit));
                    log_unnormalized(&model, &other)
                };
                let all: Vec<f64> = (0..group.levels()).map(at).collect();
                let exact = log_unnormalized(&model, bits) - log_sum_exp(&all);
                assert!((found - exact).abs() < 1e-5, "{group:?} {bits:?}: {found}, exactly {exact}");
            }
        }
    }
}

/// 4000 draws per example, 8 examples, seed 4, 4 standard errors (alpha = 8 * 6.3e-5).
#[test]
fn the_pseudo_likelihood_averages_to_the_sum_over_all_units() {
    let model = random_model(Units::Bits, &[6, 5], 40);
    let visible = all_visible(&model).1;
    for row in 0..8 {
        let repeated = Matrix::from_vec(4000, 6, visible.row(row * 8).repeat(4000));
        let posterior = posterior(&model, &repeated, 100, 1e-5);
        let all: f64 = (0..6)
            .map(|unit| signals::log_conditionals(&model, &posterior, &vec![Group::thermometer(unit..unit + 1); 4000])[0])
            .sum();
        let drawn = signals::pseudo_log_likelihoods(&model, &posterior, Streams::new(4), 2, row as u64 * 4000);
        let (mean, error) = mean_and_error(&drawn);
        assert!(error > 0.0 && (mean - all).abs() < 4.0 * error, "row {row}: {mean} and {all}, standard error {error}");
    }
}

/// All combinations of low, high and missing visible units.
fn all_gappy(model: &Dbm) -> Vec<Vec<Option<bool>>> {
    let n = model.n_visible() as u32;
    let unit = |code: u32, i: u32| [Some(false), Some(true), None][(code / 3_u32.pow(i) % 3) as usize];
    (0..3_u32.pow(n)).map(|code| (0..n).map(|i| unit(code, i)).collect()).collect()
}

/// Mean-field posteriors of all these rows.
fn posterior_of(model: &Dbm, data: &Examples, max_sweeps: u32, tolerance: f64) -> MeanField {
    let rows: Vec<usize> = (0..data.len()).collect();
    mean_field::posterior_of(model, data, &rows, MeanFieldSettings { max_sweeps, tolerance })
}

#[test]
fn with_gaps_likelihoods_and_their_bounds_are_those_of_what_is_known() {
    for model in models(SIZES) {
        let rows = all_gappy(&model);
        let data = examples(&rows);
        let posterior = posterior_of(&model, &data, 1000, 1e-5);
        assert_eq!(posterior.capped, 0);
        let (log_z, mut total, mut largest) = (log_sum(&model, &vec![None; model.n_visible()]), 0.0, 0.0_f64);
        for (row, visible) in rows.iter().enumerate() {
            let exact = log_sum(&model, visible);
            total += exact - log_z;
            let bound = posterior.bound(&model, row);
            assert!(bound <= exact + 1e-5, "{:?} {visible:?}: bound {bound}, exact {exact}", model.sizes());
            largest = largest.max(exact - bound);
            let values = posterior.means[0].row(row).iter().zip(visible);
            assert!(values.clone().all(|(&mean, bit)| bit.is_none_or(|bit| mean == model.units().value(bit))));
            // Where hardly anything is known, few means are near the ends.
            assert!(values.filter(|(_, bit)| bit.is_none()).all(|(&mean, _)| mean > model.units().low() && mean < 1.0));
        }
        assert!((1e-3..3.0).contains(&largest), "{:?}: largest gap {largest}", model.sizes());
        let mean = exact::log_likelihood(&model, &data).unwrap();
        assert!((mean - total / rows.len() as f64).abs() < 1e-9);
    }
}

/// 4000 draws, seed 6, 4 standard errors (alpha = 6.3e-5).
#[test]
fn with_gaps_the_signals_look_at_known_units_alone() {
    let model = random_model(Units::Signs, &[6, 5, 4], 41);
    let row = vec![Some(true), None, Some(false), None, None, Some(true)];
    let data = examples(&vec![row.clone(); 4000]);
    let posterior = posterior_of(&model, &data, 100, 1e-5);
    let all: f64 = [0, 2, 5]
        .iter()
        .map(|&unit| signals::log_conditionals(&model, &posterior, &vec![Group::thermometer(unit..unit + 1); 4000])[0])
        .sum();
    let drawn = signals::pseudo_log_likelihoods(&model, &posterior, Streams::new(6), 0, 0);
    let (mean, error) = mean_and_error(&drawn);
    assert!(error > 0.0 && (mean - all).abs() < 4.0 * error, "{mean} and {all}, standard error {error}");

    let state: Vec<&[f32]> = posterior.means.iter().map(|layer| layer.row(0)).collect();
    let high: Vec<f64> = model.field(0, &state).into_iter().map(|a| logistic(2.0 * f64::from(a))).collect();
    let expected = ((1.0 - high[0]).powi(2) + high[2].powi(2) + (1.0 - high[5]).powi(2)) / 3.0;
    assert!((signals::reconstruction_errors(&model, &posterior)[0] - expected).abs() < 1e-6);

    // Examples with no known units take no part; nothing else can be said about them.
    let seen = signals::Signals::of(&model, &data, 100, 1, 0).unwrap();
    assert!((seen.reconstruction_error - expected).abs() < 1e-2);
    let nothing = vec![None; 6];
    let mixed = examples(&[row, nothing.clone()]);
    let seen = signals::Signals::of(&model, &mixed, 2, 1, 0).unwrap();
    assert!((seen.reconstruction_error - expected).abs() < 1e-2);
    assert_eq!(signals::Signals::of(&model, &examples(&[nothing]), 2, 1, 0), Err(DbmError::NoExamples));
    // Annealing begins at the shares among known bits: unit 1 is never known, and so equally likely high or low.
    let base = BaseDistribution::of_data(&model, &mixed).unwrap();
    let share = |ones: f64, zeros: f64| 0.5 * ((ones + 1.0) / (zeros + 1.0)).ln();
    let field = |a: f64| (2.0 * a.cosh()).ln();
    let biases = [share(1.0, 0.0), 0.0, share(0.0, 1.0), 0.0, 0.0, share(1.0, 0.0)];
    let log_z: f64 = biases.into_iter().map(field).sum::<f64>() + 9.0 * field(0.0);
    assert!((base.log_z - log_z).abs() < 1e-6);
}

#[test]
fn reconstruction_errors_are_those_of_their_definition() {
    for model in models(SIZES) {
        let (bits, visible) = all_visible(&model);
        let posterior = posterior(&model, &visible, 1000, 1e-5);
        for (row, found) in signals::reconstruction_errors(&model, &posterior).into_iter().enumerate() {
            let state: Vec<&[f32]> = posterior.means.iter().map(|layer| layer.row(row)).collect();
            let gap = f64::from(model.units().gap());
            let high = model.field(0, &state).into_iter().map(|a| 1.0 / (1.0 + (-gap * f64::from(a)).exp()));
            let squares = bits[row].iter().zip(high).map(|(&bit, high)| (f64::from(u8::from(bit)) - high).powi(2));
            let expected = squares.sum::<f64>() / model.n_visible() as f64;
            assert!((found - expected).abs() < 1e-6, "{:?} {:?}", model.units(), model.sizes());
        }
    }
}

/// The free energy is exact with one hidden layer and an upper bound with more, and in either case at least as good as mean field's, whose
/// bound is exact after a sweep with one hidden layer, and lower with more.
#[test]
fn free_energies_and_mean_field_are_exact_for_one_hidden_layer_and_bounds_for_more() {
    for model in models(SIZES) {
        let (bits, visible) = all_visible(&model);
        let posterior = posterior(&model, &visible, 1000, 1e-6);
        let found = signals::free_energies(&model, &posterior);
        assert_eq!(posterior.capped, 0);
        let (mut largest, mut gap) = (0.0_f64, 0.0_f64);
        for (row, &found) in found.iter().enumerate() {
            let (exact, bound) = (-log_unnormalized(&model, &bits[row]), posterior.bound(&model, row));
            let slack = 1e-5 * (1.0 + exact.abs());
            assert!(found >= exact - slack && found <= slack - bound, "{:?}: {found}, {exact}, {bound}", model.sizes());
            largest = largest.max(found - exact);
            gap = gap.max(-exact - bound);
            assert!(
                model.depth() > 1 || -exact - bound <= 1e-4 * exact.abs().max(1.0) && posterior.sweeps[row] == 1,
                "{exact}, {bound}"
            );
        }
        // A bound that is never tight, or always tight, would be another function.
        assert!(model.depth() == 1 || (1e-3..3.0).contains(&gap), "{:?}: largest gap {gap}", model.sizes());
        assert_eq!(largest < 1e-4, model.depth() == 1, "{:?}: largest gap {largest}", model.sizes());
        let bytes: Vec<u8> = bits.iter().flatten().map(|&bit| u8::from(bit)).collect();
        let mean = found.iter().sum::<f64>() / found.len() as f64;
        assert!((signals::mean_free_energy(&model, &bytes) - mean).abs() < 1e-2);
        assert_eq!(signals::mean_free_energy(&model, &[]), 0.0);
    }
    // Missing units are summed out like hidden ones: exact if the even layers have one unit each.
    let model = random_model(Units::Signs, &[3, 4], 3);
    let row = vec![Some(true), None, Some(false)];
    let posterior = posterior_of(&model, &examples(std::slice::from_ref(&row)), 1000, 1e-6);
    let (found, exact) = (signals::free_energies(&model, &posterior)[0], -log_sum(&model, &row));
    assert!(found >= exact - 1e-5 && found <= -posterior.bound(&model, 0) + 1e-5, "{found}, {exact}");
}

#[test]
fn activities_are_the_mean_posteriors_counted() {
    for units in [Units::Signs, Units::Bits] {
        // Units that are always low, always high, and high for one of two examples.
        let biases = vec![vec![0.0], vec![-9.0, 9.0, 0.0]];
        let model = Dbm::new(units, vec![vec![0.0, 0.0, 50.0]], biases).unwrap();
        let visible = Matrix::from_vec(2, 1, vec![units.value(false), units.value(true)]);
        let posterior = posterior(&model, &visible, 10, 1e-6);
        let [means] = &signals::activities(&model, &posterior)[..] else { panic!("one hidden layer") };
        let activity = signals::Activity::of(means);
        let middle = if units == Units::Signs { 0.5 } else { 0.75 }; // a bit that is 0 has no effect
        let at = |mean: f64| (mean * signals::ACTIVITY_BINS as f64 - 1e-6) as usize;
        assert_eq!((activity.low, activity.high, activity.bins.iter().sum::<u32>()), (1, 1, 3), "{activity:?}");
        let place = activity.bins.iter().enumerate().position(|(place, &count)| count > 0 && place > 0).unwrap();
        assert!(place == at(middle) || place == at(middle) + 1, "{activity:?}");
        assert_eq!((activity.bins[0], activity.bins[signals::ACTIVITY_BINS - 1]), (1, 1));
    }
}

#[test]
fn filters_are_products_of_weights_down_to_the_visible_layer() {
    let model = random_model(Units::Signs, &[5, 4, 3, 2], 8);
    let entry = |i: usize, unit: usize| -> f64 {
        let w = model.weights();
        let at = |l: usize, a: usize, b: usize| f64::from(w[l].row(a)[b]);
        (0..4).flat_map(|j| (0..3).map(move |k| (j, k))).map(|(j, k)| at(0, i, j) * at(1, j, k) * at(2, k, unit)).sum()
    };
    let found = dbm_core::filters(&model, 3, 64).unwrap();
    assert_eq!((found.rows(), found.columns()), (2, 5));
    for unit in 0..2 {
        for i in 0..5 {
            assert!((f64::from(found.row(unit)[i]) - entry(i, unit)).abs() < 1e-5);
        }
    }
    assert_eq!(dbm_core::filters(&model, 1, 3).unwrap().row(2), model.transposed()[0].row(2));
    for layer in [0, 4] {
        assert!(matches!(dbm_core::filters(&model, layer, 1), Err(DbmError::Setting { .. })));
    }
}

/// Two patterns, complete or with two thirds of each known in three ways, learned by models small enough to enumerate.
#[test]
fn training_raises_the_exact_likelihood() {
    let rows: Vec<u8> = [[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1]].into_iter().cycle().take(6).flatten().collect();
    let whole = Examples::from_bits(6, &rows[..12]).unwrap();
    let gaps = Examples::from_bits(6, &rows)
        .unwrap()
        .with_gaps(&(0..36).map(|i| u8::from(i / 12 != i % 3)).collect::<Vec<u8>>())
        .unwrap();
    let best = -std::f64::consts::LN_2;
    for (units, sizes, data, least) in [
        (Units::Signs, &[6, 4, 2][..], &whole, -1.5),
        (Units::Bits, &[6, 4, 2], &whole, -1.5),
        (Units::Signs, &[6, 4], &gaps, -0.9),
        (Units::Signs, &[6, 4, 2], &gaps, -0.9),
    ] {
        let optimizer = OptimizerSettings { learning_rate: 0.01, ..OptimizerSettings::default() };
        let settings = Settings { optimizer, batch: 500, ..Settings::default() };
        let mut run = Trainer::new(random_model(units, sizes, 3), settings).unwrap();
        let log_p = |run: &Trainer, data| exact::log_likelihood(run.model(), data).unwrap();
        let before = log_p(&run, &whole);
        for _ in 0..500 {
            run.step(data, &SingleThread).unwrap();
        }
        // The patterns themselves, too, which no row with gaps shows completely.
        let (of_data, of_whole) = (log_p(&run, data), log_p(&run, &whole));
        let case = format!("{units:?} {sizes:?}: {before:.2} to {of_whole:.2}, of what is known {of_data:.2}");
        assert!(of_data > least && of_data < best + 1e-6 && of_whole > before + 1.0, "{case}");
        assert!(!data.has_gaps() || of_whole > -1.2, "{case}");
    }
}
