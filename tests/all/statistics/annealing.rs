//! log Z and log p(v) by reverse annealing, against enumeration.

use crate::common::{
    State, distribution, draw, examples, log_sum, models, models_of_levels, of_both_kinds, random_model, scaled,
};
use dbm_core::ais::{
    Ais, AisEstimate, AisSettings, BaseDistribution, Bracket, ReverseAis, ReverseStart, bennett, estimate, ladder, log_ratios,
    raise, reverse_estimate,
};
use dbm_core::linalg::Matrix;
use dbm_core::math::mean_and_error;
use dbm_core::rng::{Purpose, Streams};
use dbm_core::{Backend, Dbm, DbmError, Examples, SingleThread, Units, exact};

/// One to three hidden layers. In the first and the last two models the odd layers have fewer units and are held, in the others the even
/// ones.
const SIZES: [&[usize]; 5] = [&[5, 4], &[4, 6], &[4, 5, 2], &[5, 4, 3], &[4, 3, 3, 2]];

/// Exact samples of a model: draws from all its states according to their probabilities.
fn exact_samples(model: &Dbm, count: usize, seed: u64) -> Vec<Matrix> {
    let states = distribution(model, &vec![None; model.n_visible()]);
    let mut stream = Streams::new(seed).at(Purpose::Completion, 0, 0);
    let drawn: Vec<&State> = (0..count).map(|_| &states[draw(&states, stream.uniform())].0).collect();
    let layer = |l: usize, n: usize| Matrix::from_vec(count, n, drawn.iter().flat_map(|state| state[l].clone()).collect());
    model.sizes().iter().enumerate().map(|(l, &n)| layer(l, n)).collect()
}

fn start_at(states: Vec<Matrix>) -> ReverseStart {
    ReverseStart { states, examples: vec![] }
}

fn forward(model: &Dbm, base: &BaseDistribution, settings: &AisSettings) -> Vec<f64> {
    let mut ais = Ais::new(model, base, settings, 0..settings.chains);
    ais.advance(model, settings.betas);
    ais.log_weights
}

/// The log weights of reverse chains, without the last `left_out` betas.
fn reverse(model: &Dbm, base: &BaseDistribution, settings: &AisSettings, start: &ReverseStart, left_out: usize) -> Vec<f64> {
    let mut reverse = ReverseAis::new(model, base, settings, 0..settings.chains, start);
    reverse.advance(model, settings.betas - left_out);
    reverse.log_weights
}

/// For any number of betas, although the chains never reach equilibrium: the weights have mean `Z / Z_A`, reciprocals of those from exact
/// samples have mean `Z_A / Z`, and Bennett's estimate from both sides is right. 16 models, six of them over levels, 20 000 chains at seed 6, each within 4 standard
/// errors (alpha = 32 * 6.3e-5). With one weight left out, most of them are far off.
#[test]
fn annealing_from_exact_samples_is_unbiased_for_any_number_of_betas() {
    let mut caught = 0;
    for (model, betas) in models(SIZES).chain(models_of_levels(40)).zip([1, 2, 3, 4].into_iter().cycle()) {
        let settings = AisSettings { chains: 20_000, betas, seed: 6 };
        let base = BaseDistribution::uniform(&model);
        let exact = exact::log_z(&model).unwrap();
        let start = start_at(exact_samples(&model, settings.chains, 6));
        let about = format!("{:?} {:?}, {betas} betas", model.units(), model.sizes());

        let found = reverse_estimate(&model, &base, &settings, &start).unwrap();
        let error = (found.log_z - exact) / found.standard_error;
        assert!(
            error.abs() < 4.0 && found.standard_error < 0.1,
            "{about}: {error:.2} standard errors of {}",
            found.standard_error
        );

        let up = forward(&model, &base, &settings);
        let bracket = Bracket::of(base.log_z, &up, &found.log_weights).unwrap();
        assert_eq!(bracket.high, found);
        let error = (bracket.low.log_z - exact) / bracket.low.standard_error;
        assert!(error.abs() < 4.0 && bracket.low.standard_error < 0.05, "{about}: {error:.2} standard errors");
        let both = bracket.bennett;
        let error = (both.log_ratio - exact) / both.standard_error;
        assert!(error.abs() < 4.0, "{about}: {error:.2} standard errors");
        assert!(
            both.standard_error < found.standard_error.min(bracket.low.standard_error) && both.overlap > 0.1,
            "{about}: {both:?}"
        );

        // The mean logs lie on their own sides of the exact value (Jensen), by more than chance.
        let [low, high] = [mean_and_error(&up), mean_and_error(&found.log_weights)];
        let exact = exact - base.log_z;
        assert!(low.0 < exact - 4.0 * low.1 && exact + 4.0 * high.1 < high.0, "{about}: {low:?} {exact} {high:?}");

        let broken = AisEstimate::from_reverse_log_weights(0.0, &reverse(&model, &base, &settings, &start, 1));
        caught += u32::from((broken.log_z - exact).abs() > 4.0 * broken.standard_error);
        // Weights with the wrong sign do no better.
        assert!((AisEstimate::from_log_weights(0.0, &found.log_weights).log_z - exact).abs() > 4.0 * low.1, "{about}");
    }
    assert!(caught >= 14, "{caught} of 16 estimates with a weight left out were found wrong");
}

/// With many betas both ends and the estimate between them agree, from exact samples and from the ends of other runs.
#[test]
fn the_bracket_closes() {
    for model in models(SIZES).chain(models_of_levels(40)) {
        let settings = AisSettings { chains: 200, betas: 300, seed: 5 };
        let base = BaseDistribution::uniform(&model);
        let exact = exact::log_z(&model).unwrap();
        let up = forward(&model, &base, &settings);
        let ends = ReverseStart::of_samples(&model, &base, &settings, 0..200);
        let swept = ends.clone().sweep_on(&model, &base, (&settings, 0..200), 3);
        assert_ne!(ends, swept);
        for start in [start_at(exact_samples(&model, 200, 5)), ends, swept] {
            let bracket = Bracket::of(base.log_z, &up, &reverse(&model, &base, &settings, &start, 0)).unwrap();
            assert!(!bracket.is_open() && bracket.width().abs() < 0.1, "{:?}: {}", model.sizes(), bracket.width());
            assert!((bracket.bennett.log_ratio - exact).abs() < 4.0 * bracket.bennett.standard_error.max(1e-3));
        }
    }
}

/// All visible states of a model, with gaps at the missing units: those that are a row with its groups at levels, or a part of one.
fn all_examples(model: &Dbm, missing: &[usize]) -> Vec<Vec<Option<bool>>> {
    let n = model.n_visible();
    let known: Vec<usize> = (0..n).filter(|i| !missing.contains(i)).collect();
    let bit = |code: u32, i: usize| known.iter().position(|&k| k == i).map(|place| code >> place & 1 == 1);
    let rows = (0..1_u32 << known.len()).map(|code| (0..n).map(|i| bit(code, i)).collect());
    rows.filter(|row: &Vec<_>| log_sum(model, row).is_finite()).collect()
}

/// RAISE with this many chains from each visible state: the exact log p of those states, and the estimates for each.
fn raised(model: &Dbm, missing: &[usize], each: usize, betas: usize) -> (Vec<f64>, Vec<Vec<f64>>) {
    let rows = all_examples(model, missing);
    let settings = AisSettings { chains: each * rows.len(), betas, seed: 9 };
    let data = examples(&rows);
    let base = BaseDistribution::uniform(model);
    let start = ReverseStart::of_data(model, (&data, rows.len()), &settings, 0..settings.chains).unwrap();
    let found = raise(base.log_z, &start, &reverse(model, &base, &settings, &start, 0));
    let mut of_rows = vec![vec![]; rows.len()];
    start.examples.iter().zip(found).for_each(|(&(row, _), found)| of_rows[row].push(found));
    assert!(of_rows.iter().all(|found| found.len() == each));
    let log_z = exact::log_z(model).unwrap();
    (rows.iter().map(|row| log_sum(model, row) - log_z).collect(), of_rows)
}

/// The exponentials of the estimates have the means of a distribution: over all visible states they sum to 1, within 4 standard errors of
/// 1000 chains per state, for any number of betas, with gaps and without.
#[test]
fn raise_estimates_the_probabilities_of_a_distribution() {
    for (model, betas) in models(SIZES).chain(models_of_levels(40)).zip([1, 2, 3, 5].into_iter().cycle()) {
        for missing in [&[][..], &[1]] {
            let (_, found) = raised(&model, missing, 1000, betas);
            let each = found.iter().map(|found| mean_and_error(&found.iter().map(|log_p| log_p.exp()).collect::<Vec<f64>>()));
            let (sum, variance) = each.fold((0.0, 0.0), |(sum, variance), (mean, error)| (sum + mean, variance + error * error));
            let error = variance.sqrt();
            assert!(
                (sum - 1.0).abs() < 4.0 * error + 1e-12 && error < 0.1,
                "{:?} {:?}: {sum} +- {error}",
                model.units(),
                model.sizes()
            );
        }
    }
}

/// Weighted by the model's own probabilities, mean estimates are below the exact mean of log p: far below with one or two betas; with many
/// they are close to it, except for the mean-field gap of two or more hidden layers.
#[test]
fn raise_is_below_the_exact_likelihood_and_nears_it() {
    for model in models(SIZES) {
        let short_of = |betas: usize| {
            let (exact, found) = raised(&model, &[], 50, betas);
            let parts = exact.iter().zip(&found).map(|(exact, found)| {
                let (mean, error) = mean_and_error(found);
                (exact.exp() * (exact - mean), exact.exp() * error)
            });
            let (gap, variance) = parts.fold((0.0, 0.0), |(gap, variance), part| (gap + part.0, variance + part.1 * part.1));
            (gap, variance.sqrt())
        };
        let [(few, few_error), (many, many_error)] = [2, 400].map(short_of);
        let about = format!("{:?} {:?}: {few} +- {few_error}, {many} +- {many_error}", model.units(), model.sizes());
        assert!(few > 4.0 * few_error && few > many, "{about}");
        assert!(many > -4.0 * many_error && many < if model.depth() == 1 { 0.02 } else { 0.5 }, "{about}");
    }
}

#[test]
fn a_chain_does_not_depend_on_its_shard_or_slices() {
    let model = random_model(Units::Bits, &[30, 20, 25], 3).with_backend(Backend::Plain);
    let bits: Vec<u8> = (0..7 * 30).map(|i| u8::from(i * 7919 % 101 < 40)).collect();
    let data = Examples::from_bits(30, &bits).unwrap();
    let base = BaseDistribution::of_data(&model, &data).unwrap();
    let settings = AisSettings { chains: 45, betas: 40, seed: 8 };
    let starts = |chains: std::ops::Range<usize>| {
        let of_data = ReverseStart::of_data(&model, (&data, 7), &settings, chains.clone()).unwrap();
        let swept = of_data.clone().sweep_on(&model, &base, (&settings, chains.clone()), 2);
        [of_data, swept, ReverseStart::of_samples(&model, &base, &settings, chains)]
    };
    assert_eq!(settings.shards(), [0..22, 22..45]);
    let (mut forward, mut parts) = (vec![], [vec![], vec![], vec![]]);
    for (chains, slice) in [(0..1, 1), (1..20, 7), (20..45, 1000)] {
        let mut ais = Ais::new(&model, &base, &settings, chains.clone());
        while ais.done < ais.betas {
            ais.advance(&model, slice);
        }
        forward.extend_from_slice(&ais.log_weights);
        for (part, start) in parts.iter_mut().zip(starts(chains.clone())) {
            let mut ais = ReverseAis::new(&model, &base, &settings, chains.clone(), &start);
            while ais.done < ais.betas {
                ais.advance(&model, slice);
            }
            part.extend_from_slice(&ais.log_weights);
        }
    }
    let whole = estimate(&model, &base, &settings, &SingleThread).unwrap();
    assert_eq!((AisEstimate::from_log_weights(base.log_z, &forward), forward), (whole.clone(), whole.log_weights));
    for (parts, start) in parts.iter().zip(starts(0..45)) {
        assert_eq!(parts, &reverse_estimate(&model, &base, &settings, &start).unwrap().log_weights);
    }
    // Seven examples, each used by six or seven chains; of 45 and more, evenly spaced ones.
    let rows = |data: &Examples| {
        let start = ReverseStart::of_data(&model, (data, data.len()), &settings, 0..45).unwrap();
        start.examples.iter().map(|&(row, _)| row).collect::<Vec<usize>>()
    };
    assert_eq!(rows(&data), (0..45).map(|c| c % 7).collect::<Vec<usize>>());
    let many = Examples::from_bits(30, &bits.repeat(13)).unwrap();
    assert_eq!(rows(&many), (0..45).map(|c| c * 91 / 45).collect::<Vec<usize>>());
    for count in [0, 8] {
        let refused = ReverseStart::of_data(&model, (&data, count), &settings, 0..45);
        assert!(matches!(refused, Err(DbmError::Setting { .. })), "{refused:?}");
    }
}

/// Differences of log Z between neighbours from exact samples, within 4 standard errors, seed 3; and input that does not fit is refused.
#[test]
fn a_ladder_of_models_has_exact_rungs() {
    for (units, sizes) in of_both_kinds(SIZES) {
        let full = random_model(units, sizes, 3);
        let models = [0.5, 0.8, 1.0].map(|share| scaled(&full, share));
        let samples: Vec<Vec<Matrix>> = models.iter().zip(0..).map(|(model, seed)| exact_samples(model, 4000, seed)).collect();
        let rungs = ladder(&models, &samples).unwrap();
        for (pair, found) in models.windows(2).zip(&rungs) {
            let exact = exact::log_z(&pair[1]).unwrap() - exact::log_z(&pair[0]).unwrap();
            assert!((found.log_ratio - exact).abs() < 4.0 * found.standard_error, "{sizes:?}: {found:?}, exact {exact}");
            assert!(found.overlap > 0.5 && found.standard_error < 0.05, "{sizes:?}: {found:?}");
        }
        // The same from the ratios themselves; reversing the sign of one side is detected.
        let [up, down] = [0, 1].map(|k| log_ratios(&models[0], &models[1], &samples[k]).unwrap());
        assert_eq!(bennett(&up, &down).unwrap(), rungs[0]);
        let turned: Vec<f64> = down.iter().map(|u| -u).collect();
        assert!((bennett(&up, &turned).unwrap().log_ratio - rungs[0].log_ratio).abs() > 10.0 * rungs[0].standard_error);
        assert!(matches!(ladder(&models, &samples[..2]), Err(DbmError::Shape { .. })));
        let other = random_model(units, &[3, 3], 1);
        assert!(matches!(log_ratios(&models[0], &other, &samples[0]), Err(DbmError::Shape { .. })));
        assert!(matches!(log_ratios(&other, &models[0], &samples[0]), Err(DbmError::Shape { .. })));
    }
}
