//! The proof shown on the page, as its worker computes it: after 10^5 samples each, the exact gradient lies within the intervals of the
//! coupled estimators and outside those of contrastive divergence.

use dbm_core::Settings;
use dbm_core::diagnostics::{EstimateSums, ExactGradient, simultaneous};
use dbm_protocol::{DiagnosticsCommand, DiagnosticsEvent, EstimateJob, ProofPreset, SmallModel, proof_preset};
use std::fmt::Write;

/// Jobs into which the samples of one estimator are divided.
const JOBS: u32 = 4;

/// The fewest parameters outside the intervals of a biased estimator. On this model there are at least 18 with every seed that was tried.
const SEVERAL: usize = 10;

fn ask(command: DiagnosticsCommand) -> DiagnosticsEvent {
    dbm_diagnostics::answer(command, &mut |_, _| ()).expect("a job that can be done")
}

/// Names of the parameters, in the order of a gradient.
fn names(model: &SmallModel) -> Vec<String> {
    let pairs = model.sizes.windows(2).enumerate();
    let weights = pairs.flat_map(|(l, pair)| {
        let (rows, columns) = (pair[0], pair[1]);
        (0..rows).flat_map(move |i| (0..columns).map(move |j| format!("W{l}[{i},{j}]")))
    });
    let layers = model.sizes.iter().enumerate();
    weights.chain(layers.flat_map(|(l, &n)| (0..n).map(move |i| format!("b{l}[{i}]")))).collect()
}

/// Mean and standard error of every parameter.
fn estimates(preset: &ProofPreset, model: &SmallModel, estimator: &str) -> Vec<(f64, f64)> {
    let settings = Settings { estimator: estimator.parse().unwrap(), seed: preset.seed, ..Settings::default() };
    let (mut all, mut chains) = (EstimateSums::default(), vec![]);
    let samples = preset.samples / JOBS;
    for job in 0..JOBS {
        let (model, data, settings) = (model.clone(), preset.data.clone(), settings.clone());
        let job = EstimateJob { model, data, settings, first_sample: job * samples, samples, chains };
        let DiagnosticsEvent::Estimate { sums, chains: left } = ask(DiagnosticsCommand::Estimate(job)) else {
            panic!("another answer")
        };
        all.add(&sums);
        chains = left;
    }
    assert_eq!((all.samples, all.capped, all.tries_capped), (preset.samples, 0, 0));
    all.mean_and_error()
}

/// For each estimator, the parameters whose interval does not contain the exact value, and a table of all of them for diagnosing a failure.
fn outside(preset: &ProofPreset, exact: &ExactGradient, model: &SmallModel, estimator: &str) -> (usize, String) {
    let factor = simultaneous(preset.level, exact.gradient.len());
    let (mut count, mut table) = (0, format!("{estimator}: exact, mean, half width of the interval\n"));
    for ((name, exact), (mean, error)) in names(model).iter().zip(&exact.gradient).zip(estimates(preset, model, estimator)) {
        // An estimate that never varies must be right up to f32 rounding.
        let width = factor * error + 1e-5;
        let out = (mean - exact).abs() > width;
        count += usize::from(out);
        let _ = writeln!(table, "{name:8} {exact:9.5} {mean:9.5} {width:9.5}{}", if out { "  outside" } else { "" });
    }
    (count, table)
}

/// Seed 1, alpha 0.01 for each of the three coupled estimators, over all 27 parameters at once.
#[test]
fn after_100_000_samples_the_exact_gradient_is_in_the_intervals_of_the_coupled_estimators_alone() {
    let preset = proof_preset();
    let DiagnosticsEvent::Model(model) = ask(DiagnosticsCommand::Model(preset.source.clone())) else { panic!("another answer") };
    let asked = DiagnosticsCommand::Exact { model: model.clone(), data: preset.data.clone() };
    let DiagnosticsEvent::Exact(exact) = ask(asked) else { panic!("another answer") };
    assert_eq!(names(&model).len(), exact.gradient.len());
    for estimator in preset.unbiased {
        let (outside, table) = outside(&preset, &exact, &model, estimator);
        assert_eq!(outside, 0, "{table}");
    }
    for estimator in preset.biased {
        let (outside, table) = outside(&preset, &exact, &model, estimator);
        assert!(outside >= SEVERAL, "{outside} outside\n{table}");
    }
}
