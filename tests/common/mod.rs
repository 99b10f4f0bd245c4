//! Models small enough to enumerate, and the statistics the tests share.
#![allow(dead_code)] // each test file uses its own part

use dbm_core::rng::{Purpose, Streams};
use dbm_core::{Dbm, Units, exact};

/// Shapes with one, two and three hidden layers.
pub const SHAPES: [&[usize]; 3] = [&[4, 3], &[4, 3, 2], &[4, 2, 2, 2]];

/// A model with Gaussian weights and biases: strong enough that every shortcut shows, weak enough that couplings meet.
pub fn random_model(units: Units, sizes: &[usize], seed: u64) -> Dbm {
    let mut stream = Streams::new(seed).at(Purpose::Initialization, 7, 7);
    let mut draw = |n: usize, scale: f64| (0..n).map(|_| (scale * stream.gaussian()) as f32).collect::<Vec<f32>>();
    // A bit's field moves half as far as a sign's for the same weight.
    let scale = if units == Units::Signs { 0.4 } else { 1.0 };
    let weights = sizes.windows(2).map(|pair| draw(pair[0] * pair[1], scale)).collect();
    let biases = sizes.iter().map(|&n| draw(n, 0.3)).collect();
    Dbm::new(units, weights, biases).expect("a model of sound shape")
}

/// All states given the clamped visible units, with their exact probabilities.
pub fn distribution(model: &Dbm, visible: &[Option<bool>]) -> Vec<(Vec<Vec<f32>>, f64)> {
    let log_sum = exact::expectation(model, visible).expect("small enough").log_sum;
    let mut states = Vec::new();
    exact::for_each_state(model, visible, |state, energy| states.push((state.to_vec(), (-energy - log_sum).exp())))
        .expect("small enough");
    states
}

/// Whether counts fit probabilities: Pearson's statistic below its mean plus five standard deviations, alpha about 1e-5.
/// Returns the statistic's distance from its mean in standard deviations.
pub fn misfit(counts: &[u32], probabilities: &[f64]) -> f64 {
    let n: f64 = counts.iter().map(|&c| f64::from(c)).sum();
    // States too rare for the approximation are pooled.
    let (mut statistic, mut cells, mut pool) = (0.0, 0.0, (0.0, 0.0));
    let mut add = |observed: f64, expected: f64| {
        statistic += (observed - expected).powi(2) / expected;
        cells += 1.0;
    };
    for (&count, &p) in counts.iter().zip(probabilities) {
        if n * p >= 5.0 {
            add(f64::from(count), n * p);
        } else {
            pool = (pool.0 + f64::from(count), pool.1 + n * p);
        }
    }
    if pool.1 > 0.5 {
        add(pool.0, pool.1);
    } else {
        assert!(pool.0 < 10.0, "states that should hardly ever come came {} times", pool.0);
    }
    (statistic - (cells - 1.0)) / (2.0 * (cells - 1.0)).sqrt()
}

/// Draws a place from a distribution.
pub fn draw(states: &[(Vec<Vec<f32>>, f64)], mut u: f64) -> usize {
    for (place, (_, p)) in states.iter().enumerate() {
        u -= p;
        if u < 0.0 {
            return place;
        }
    }
    states.len() - 1
}
