//! Means without noise: each estimator's mean according to its kernels, against the exact gradient and against its own samples.

use crate::common::{By, Y_FOLLOWS_X, batch, models_of_levels, of_both_kinds, random_model, worst_error};
use dbm_core::coupling::{Acceptance, SharedUniform};
use dbm_core::diagnostics::{BiasTable, bias_table};
use dbm_core::gradient::{EstimatorKind, EstimatorSettings, ExpectedGradient, UcdLmi, estimator, expectation};
use dbm_core::linalg::Matrix;
use dbm_core::rng::Streams;
use dbm_core::sweep::LocalMode;
use dbm_core::tempering::Ladder;
use dbm_core::{Dbm, LadderSnapshot, Parameters, Settings, Units, exact};
use std::sync::Arc;

/// One, two and three hidden layers, small enough for the law of a pair to be computed quickly.
const SHAPES: [&[usize]; 3] = [&[3, 3], &[3, 2, 1], &[2, 1, 2, 1]];

/// The estimators that draw the units of a group together.
fn for_levels() -> impl Iterator<Item = EstimatorKind> {
    EstimatorKind::ALL.into_iter().filter(|&kind| kind != EstimatorKind::UcdGibbs)
}

/// Whether its chains can keep known units: other persistent chains cannot.
fn keeps_known(kind: EstimatorKind) -> bool {
    !kind.descriptor().persistent || kind.is_unbiased()
}

/// Settings of an estimator whose couplings are never cut.
fn uncapped(name: &str) -> Settings {
    // Few particles on a short path: more to correct, and faster.
    let estimator = EstimatorSettings { particles: 3, smc_steps: 2, ..name.parse().unwrap() };
    Settings { estimator, max_meeting: u32::MAX, ..Settings::default() }
}

/// The same with this many Gibbs sweeps from the mode.
fn with_mode_sweeps(name: &str, mode_sweeps: u32) -> Settings {
    let mut settings = uncapped(name);
    settings.estimator.mode_sweeps = mode_sweeps;
    settings
}

/// Bits of a visible layer, and marks of the known units.
fn example(width: usize) -> (Vec<Option<bool>>, Vec<bool>) {
    ((0..width).map(|i| Some(i % 3 != 1)).collect(), (0..width).map(|i| i % 2 == 1).collect())
}

/// The same bits with the last one missing.
fn with_gap(mut visible: Vec<Option<bool>>) -> Vec<Option<bool>> {
    if let Some(last) = visible.last_mut() {
        *last = None;
    }
    visible
}

fn largest_bias(estimator: &dyn ExpectedGradient, model: &Dbm, visible: &[Option<bool>], known: &[bool]) -> f64 {
    let mean = estimator.expected(model, visible, known, 0).unwrap();
    assert!(mean.unmet < 1e-12);
    let exact = exact::gradient_with_gaps(model, visible, known).unwrap();
    mean.values.iter().zip(&exact).map(|(mean, exact)| (mean - exact).abs()).fold(0.0, f64::max)
}

/// Missing visible units are latent: the mean of a coupled estimator is the exact gradient of log p(v_observed), and of log p(observed, not
/// known | known).
#[test]
fn the_coupled_estimators_are_unbiased_to_rounding_and_the_others_are_not() {
    for (i, (units, sizes)) in of_both_kinds(SHAPES).enumerate() {
        let model = random_model(units, sizes, 60 + i as u64);
        let (visible, some) = example(sizes[0]);
        let none = vec![false; sizes[0]];
        for (visible, kind) in [visible.clone(), with_gap(visible)].iter().flat_map(|v| EstimatorKind::ALL.map(|kind| (v, kind)))
        {
            for (marginalize, known) in [(true, &none), (false, &none), (true, &some), (false, &some)] {
                if !keeps_known(kind) && known.contains(&true) {
                    continue;
                }
                let settings = Settings { marginalize, ..uncapped(kind.name()) };
                let bias = largest_bias(&*expectation(&settings), &model, visible, known);
                let right = if kind.is_unbiased() { bias < 1e-9 } else { bias > 1e-4 };
                let what = format!("{units:?} {sizes:?} {} of {visible:?}", kind.name());
                assert!(right, "{what} marginalized {marginalize} known {known:?}: {bias:e}");
            }
        }
    }
}

#[test]
fn the_coupled_estimators_are_unbiased_over_levels() {
    for model in models_of_levels(160) {
        let (visible, some) = example(model.n_visible());
        let none = vec![false; visible.len()];
        for (visible, kind) in [visible.clone(), with_gap(visible)].iter().flat_map(|v| for_levels().map(move |kind| (v, kind))) {
            for known in [&none, &some] {
                if !keeps_known(kind) && known.contains(&true) {
                    continue;
                }
                let bias = largest_bias(&*expectation(&uncapped(kind.name())), &model, visible, known);
                let right = if kind.is_unbiased() { bias < 1e-9 } else { bias > 1e-4 };
                assert!(right, "{:?} {} of {visible:?} known {known:?}: {bias:e}", model.groups(), kind.name());
            }
        }
    }
}

/// Largest |mean - expectation| in standard errors, from 1200 batches of chains that take these visible layers in turn, each after this
/// many steps.
fn error_of(model: &Dbm, settings: &Settings, examples: &[Vec<Option<bool>>], known: &[bool], steps: u64) -> f64 {
    const BATCH: usize = 8;
    let mean_of = |visible: &Vec<_>| expectation(settings).expected(model, visible, known, steps as u32 - 1).unwrap().values;
    let expectations: Vec<Vec<f64>> = examples.iter().map(mean_of).collect();
    let expected: Vec<f64> = (0..expectations[0].len())
        .map(|place| expectations.iter().map(|values| values[place]).sum::<f64>() / examples.len() as f64)
        .collect();
    assert_eq!(BATCH % examples.len(), 0);
    let estimator = estimator(settings);
    let estimates = (0..1200).map(|replicate| {
        let mut batch = batch(model, examples, known, BATCH, Streams::new(replicate));
        let mut estimate = estimator.estimate(model, &batch, &|| 0.0);
        while batch.step + 1 < steps {
            batch.step += 1;
            batch.persistent = estimate.persistent;
            estimate = estimator.estimate(model, &batch, &|| 0.0);
        }
        estimate.moments.gradient(model.backend(), 1.0 / BATCH as f32).flat()
    });
    worst_error(estimates, &expected)
}

/// Standard errors that no parameter may exceed. Seeds are fixed; with other seeds, about one in 150 000 parameters would exceed it (alpha
/// = 6.8e-6). There are some 3000 parameters in this file.
const LIMIT: f64 = 4.5;

/// Every estimator on six models, on examples without gaps; and marginalized or not, masked or not, and with caps that take effect, on
/// batches in which every other example has gaps.
#[test]
fn samples_of_every_estimator_agree_with_its_expectation() {
    for (i, (units, sizes)) in of_both_kinds(SHAPES).enumerate() {
        let (visible, some) = example(sizes[0]);
        let none = vec![false; sizes[0]];
        for (seed, examples) in [(70, &[visible.clone()][..]), (90, &[visible.clone(), with_gap(visible.clone())])] {
            let model = random_model(units, sizes, seed + i as u64);
            let check = |settings: &Settings, known: &[bool], steps: u64| {
                let error = error_of(&model, settings, examples, known, steps);
                let what = format!("{units:?} {sizes:?} {} of {} known {known:?}", settings.estimator, examples.len());
                assert!(error < LIMIT, "{what}: {error:.2} standard errors");
            };
            for kind in EstimatorKind::ALL {
                let name =
                    if kind.has(dbm_core::settings::Setting::K) { format!("{}-2", kind.name()) } else { kind.name().into() };
                check(&uncapped(&name), &none, 1);
                if examples.len() == 1 {
                    continue;
                }
                check(&Settings { marginalize: false, ..uncapped(&name) }, &none, 1);
                if kind.descriptor().persistent {
                    check(&uncapped(&name), &none, 3);
                }
                if keeps_known(kind) {
                    check(&uncapped(&name), &some, 1);
                }
                // The effect of a cap on coupled runs and ladders is not a sum over states.
                if kind.is_unbiased() && !kind.descriptor().has_ladder {
                    check(&Settings { max_meeting: 2, ..uncapped(&name) }, &none, 1);
                }
            }
            check(&Settings { max_sweeps: 1, ..uncapped("lmi") }, &none, 1);
            ["lmi", "ucd-lmi"].iter().for_each(|name| check(&with_mode_sweeps(name, 3), &some, 1));
        }
    }
}

/// The same over levels, with every other example with a gap.
#[test]
fn samples_over_levels_agree_with_their_expectation() {
    for model in models_of_levels(170) {
        let (visible, some) = example(model.n_visible());
        let none = vec![false; visible.len()];
        let examples = [visible.clone(), with_gap(visible)];
        for kind in for_levels() {
            let mut checks = vec![(true, &none, 1), (false, &none, 1)];
            checks.extend(kind.descriptor().persistent.then_some((true, &none, 3)));
            checks.extend(keeps_known(kind).then_some((true, &some, 1)));
            for (marginalize, known, steps) in checks {
                let settings = Settings { marginalize, ..uncapped(kind.name()) };
                let error = error_of(&model, &settings, &examples, known, steps);
                assert!(error < LIMIT, "{:?} {} known {known:?}: {error:.2} standard errors", model.groups(), kind.name());
            }
        }
    }
}

/// Coupled ladders of several rungs have the exact mean whatever states they begin at, and over whatever times they average; without their
/// corrections they have not.
#[test]
fn coupled_ladders_are_unbiased_from_any_start() {
    for (units, sizes) in of_both_kinds([&[3, 3][..], &[3, 2, 1]]) {
        let model = random_model(units, sizes, 65);
        let (visible, _) = example(3);
        let rung = |share: f32| Parameters {
            weights: model.weights().iter().map(|w| w.data().iter().map(|x| share * x).collect()).collect(),
            biases: model.biases().iter().map(|b| b.iter().map(|x| share * x).collect()).collect(),
        };
        let rungs = [0.0, 0.4, 0.7].map(rung).to_vec();
        let kept = LadderSnapshot { accepted: vec![0.3; rungs.len()], rungs, rate: 1.0, temperatures: None };
        let ladder = Arc::new(Ladder::restore(&model, kept).unwrap());
        // Every unit of every rung is low.
        let low = |&n: &usize| Matrix::from_vec(8, n, vec![units.low(); 8 * n]);
        let start: Vec<Matrix> = (0..4).flat_map(|_| sizes.iter().map(low)).collect();
        let error = |from: u32, to: u32, max_meeting: u32| {
            let mut settings = Settings { max_meeting, ..uncapped("ucd-ptt-1") };
            (settings.estimator.average_from, settings.estimator.average_to) = (from, to);
            let expected = expectation(&settings).expected(&model, &visible, &[false; 3], 0).unwrap().values;
            let estimator = estimator(&settings);
            let estimates = (0..1200).map(|replicate| {
                let mut batch = batch(&model, std::slice::from_ref(&visible), &[false; 3], 8, Streams::new(replicate));
                (batch.ladder, batch.persistent) = (Some(ladder.clone()), Some(start.clone()));
                let estimate = estimator.estimate(&model, &batch, &|| 0.0);
                assert_eq!(estimate.info.negative.meeting_times.len(), 8);
                estimate.moments.gradient(model.backend(), 1.0 / 8.0).flat()
            });
            worst_error(estimates, &expected)
        };
        for (from, to) in [(0, 0), (1, 1), (1, 4), (3, 4)] {
            let error = error(from, to, u32::MAX);
            assert!(error < LIMIT, "{units:?} {sizes:?} averaged from {from} to {to}: {error:.2} standard errors");
        }
        let uncorrected = error(1, 1, 1);
        assert!(uncorrected > 10.0, "{units:?} {sizes:?} cut at once: {uncorrected:.2} standard errors");
    }
}

/// More Gibbs sweeps from the mode leave the coupled estimate unbiased, and bring the estimate without coupling closer to the gradient.
#[test]
fn more_sweeps_from_the_mode_bring_lmi_nearer_and_leave_ucd_lmi_unbiased() {
    for (i, (units, sizes)) in of_both_kinds(SHAPES).enumerate() {
        let model = random_model(units, sizes, 60 + i as u64);
        let (visible, some) = example(sizes[0]);
        for known in [vec![false; sizes[0]], some] {
            let bias =
                |name: &str, sweeps| largest_bias(&*expectation(&with_mode_sweeps(name, sweeps)), &model, &visible, &known);
            assert!(bias("ucd-lmi", 4) < 1e-9);
            let (one, many) = (bias("lmi", 1), bias("lmi", 30));
            assert!(many < 0.5 * one, "{units:?} {sizes:?} {known:?}: {one:e} after one sweep, {many:e} after 30");
        }
    }
}

/// A cap has the effect that its documentation says: a coupling cut at once leaves f(x_0), which is the estimate of LMI.
#[test]
fn a_coupling_cut_at_once_is_no_coupling() {
    let model = random_model(Units::Signs, &[3, 2, 1], 80);
    let (visible, _) = example(3);
    let mean = |settings: &Settings| expectation(settings).expected(&model, &visible, &[false; 3], 0).unwrap();
    let cut = mean(&Settings { max_meeting: 1, ..uncapped("ucd-lmi") });
    let lmi = mean(&uncapped("lmi"));
    assert!(cut.unmet > 0.01 && cut.values.iter().zip(&lmi.values).all(|(a, b)| (a - b).abs() < 1e-14));
    // Every further step leaves less uncorrected.
    let unmet = |max_meeting| mean(&Settings { max_meeting, ..uncapped("ucd-lmi") }).unmet;
    assert!(unmet(2) < cut.unmet && unmet(20) < unmet(5));
}

/// The chains compare u with each other's thresholds.
const CROSSED: By = By(|u, proposal, x, y| {
    let (x_accepts, y_accepts) = SharedUniform.decide(u, proposal, x, y);
    (y_accepts, x_accepts)
});

#[test]
fn the_law_of_the_pair_tells_a_broken_coupling() {
    let right = By(|u, proposal, x, y| SharedUniform.decide(u, proposal, x, y));
    for units in [Units::Signs, Units::Bits] {
        let model = random_model(units, &[3, 2], 81);
        let bias =
            |estimator: &dyn ExpectedGradient| largest_bias(estimator, &model, &[true, false, true].map(Some), &[false; 3]);
        for (what, acceptance, unbiased) in
            [("right", right, true), ("y follows x", Y_FOLLOWS_X, false), ("crossed", CROSSED, false)]
        {
            let starts = [Some(LocalMode { max_sweeps: 1000, gibbs_sweeps: 1 }), None];
            let biases = starts.map(|start| bias(&UcdLmi { marginalize: true, start, max_meeting: u32::MAX, acceptance }));
            let message = |bias: &f64| if unbiased { *bias < 1e-9 } else { *bias > 1e-3 };
            assert!(biases.iter().all(message), "{units:?} {what}: {biases:?}");
        }
    }
}

/// The table of `dbm bias --units signs --sizes 3,2,2 --seeds 5`, as printed by a native run: bias, and that of each phase.
const TABLE: &[(&str, f64, f64, f64)] = &[
    ("ucd-lmi", 0.0, 0.0, 0.0),
    ("ucd-lmi, not marginalized", 0.0, 0.0, 0.0),
    ("ucd-lmi, conditional", 0.0, 0.0, 0.0),
    ("ucd-mh", 0.0, 0.0, 0.0),
    ("ucd-mh, not marginalized", 0.0, 0.0, 0.0),
    ("ucd-mh, conditional", 0.0, 0.0, 0.0),
    ("ucd-gibbs", 0.0, 0.0, 0.0),
    ("ucd-gibbs, not marginalized", 0.0, 0.0, 0.0),
    ("ucd-gibbs, conditional", 0.0, 0.0, 0.0),
    ("lmi", 0.522_186_233, 0.340_941_417, 0.276_475_240),
    ("cd-1", 0.919_502_654, 0.412_712_698, 0.919_230_830),
    ("cd-10", 0.136_580_705, 0.001_668_904, 0.136_580_705),
    ("pcd-1", 0.879_602_134, 0.499_760_365, 0.389_642_971),
    ("pcd-gibbs-1", 0.720_223_907, 0.412_712_698, 0.389_642_971),
    ("pcd-1, after 100 steps at rest", 0.499_760_365, 0.499_760_365, 0.0),
    ("pcd-gibbs-1, after 100 steps at rest", 0.412_712_698, 0.412_712_698, 0.0),
];

#[test]
fn the_table_of_biases_is_the_same_natively_and_in_the_browser() {
    let rows = bias_table(&BiasTable::new(Units::Signs, &[3, 2, 2], 5), |_| ()).unwrap();
    for pinned in TABLE {
        let row = rows.iter().find(|row| row.name == pinned.0).expect(pinned.0);
        let apart = [row.max() - pinned.1, row.positive - pinned.2, row.negative - pinned.3].map(f64::abs);
        assert!(apart.iter().all(|apart| *apart < 1e-6), "{row:?} here, {pinned:?} natively");
    }
    for row in &rows {
        let kind = row.name.split([',', ' ']).next().unwrap().parse::<EstimatorSettings>().unwrap().kind;
        assert!(if kind.is_unbiased() { row.max() < 1e-9 } else { row.max() > 0.05 }, "{row:?}");
    }
}

#[test]
fn refuses_what_it_cannot_enumerate() {
    let error = bias_table(&BiasTable::new(Units::Signs, &[6, 5], 1), |_| ()).unwrap_err().to_string();
    assert!(error.contains("11") && error.contains("10"), "{error}");
    let model = random_model(Units::Bits, &[6, 3, 2], 1);
    for kind in EstimatorKind::ALL {
        let estimator = expectation(&uncapped(kind.name()));
        assert!(
            estimator.expected_negative(&model, &[Some(true); 6], &[false; 6], 0).is_err()
                && estimator.expected_positive(&model, &[Some(true); 5]).is_err()
        );
    }
}
