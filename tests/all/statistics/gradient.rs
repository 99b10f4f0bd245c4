//! The claim at the heart of this product: the mean of the gradient estimates is the exact gradient.

use crate::common::{By, SHAPES, Y_FOLLOWS_X, batch, close, of_both_kinds, random_model, worst_error};
use dbm_core::coupling::{Acceptance, SharedUniform};
use dbm_core::gradient::{Batch, Estimate, Estimator, UcdLmi, estimator};
use dbm_core::linalg::Matrix;
use dbm_core::rng::Streams;
use dbm_core::sweep::LocalMode;
use dbm_core::{Backend, Clamp, Dbm, Settings, Units, exact};

const WHOLE: [Option<bool>; 4] = [Some(true), Some(false), Some(true), Some(true)];

/// The same with gaps: the gradient is then that of log p(observed), and with a mask that of log p(observed, not known | known).
const GAPS: [Option<bool>; 4] = [Some(true), None, Some(true), Some(false)];

const SOME: &[bool] = &[false, true, true, false];

/// Batches of chains with one visible layer, a part of which may be masked.
#[derive(Clone, Copy, Debug)]
struct Case {
    visible: [Option<bool>; 4],
    known: &'static [bool],
    batch: usize,
    replicates: u64,
}

const CASE: Case = Case { visible: WHOLE, known: &[false; 4], batch: 12, replicates: 3000 };

/// Largest |mean - exact| in standard errors.
fn error_of<A: Acceptance>(model: &Dbm, estimator: &UcdLmi<A>, case: Case) -> f64 {
    let exact = exact::gradient_with_gaps(model, &case.visible, case.known).unwrap();
    let batch = batch(model, &[case.visible.to_vec()], case.known, case.batch, Streams::new(11));
    let estimates = (0..case.replicates).map(|step| {
        let Estimate { moments, info, .. } = estimator.estimate(model, &Batch { step, ..batch.clone() }, &|| 0.0);
        assert_eq!(info.positive.couplings_capped + info.negative.couplings_capped, 0);
        moments.gradient(model.backend(), 1.0 / case.batch as f32).flat()
    });
    worst_error(estimates, &exact)
}

fn ucd_lmi<A>(marginalize: bool, acceptance: A) -> UcdLmi<A> {
    let Settings { max_sweeps, max_meeting, .. } = Settings::default();
    UcdLmi { marginalize, start: Some(LocalMode { max_sweeps, gibbs_sweeps: 1 }), max_meeting, acceptance }
}

/// Four standard errors for 17 to 26 parameters at a time, with fixed seeds. With other seeds, about one such comparison in 700 would
/// exceed it (Bonferroni: alpha = 26 * 6.3e-5).
const LIMIT: f64 = 4.0;

/// Every shape and both kinds of units, masked or not, with gaps or without, marginalized or not; a batch of one, which draws its own
/// proposals; and searches that are cut at once, since any start is valid.
#[test]
fn the_mean_of_estimates_is_the_exact_gradient() {
    let usual = ucd_lmi(true, SharedUniform);
    let cut = UcdLmi { start: Some(LocalMode { max_sweeps: 1, gibbs_sweeps: 1 }), ..usual.clone() };
    let gaps = Case { visible: GAPS, replicates: 2000, ..CASE };
    let cases = [
        (&usual, CASE),
        (&usual, Case { known: SOME, ..CASE }),
        (&ucd_lmi(false, SharedUniform), CASE),
        (&ucd_lmi(false, SharedUniform), Case { known: SOME, ..CASE }),
        (&usual, gaps),
        (&usual, Case { known: &[false, false, true, false], ..gaps }),
        (&usual, Case { batch: 1, replicates: 10_000, ..CASE }),
        (&cut, CASE),
    ];
    for (i, (units, sizes)) in of_both_kinds(SHAPES).enumerate() {
        let model = random_model(units, sizes, 20 + i as u64);
        for (number, (estimator, case)) in cases.into_iter().enumerate() {
            let error = error_of(&model, estimator, case);
            assert!(error < LIMIT, "{sizes:?} {units:?} case {number} {case:?}: {error:.2} standard errors");
        }
    }
}

/// No correction at all: every estimate stops at f(x_0).
const NEVER_ACCEPTS: By = By(|_, _, _, _| (false, false));

#[test]
fn broken_couplings_fail_the_same_test() {
    for (units, sizes) in of_both_kinds(SHAPES) {
        let model = random_model(units, sizes, 21);
        let right = error_of(&model, &ucd_lmi(true, SharedUniform), CASE);
        let follows = error_of(&model, &ucd_lmi(true, Y_FOLLOWS_X), CASE);
        let never = error_of(&model, &ucd_lmi(true, NEVER_ACCEPTS), CASE);
        assert!(
            right < LIMIT && follows > 1.5 * LIMIT && never > 1.5 * LIMIT,
            "{units:?} {sizes:?}: right {right:.1}, y follows x {follows:.1}, never accepts {never:.1} standard errors"
        );
    }
}

/// With persistent chains, a masked example contributes its mean-field prediction, the other examples contribute their positive phase, and
/// the free chains count for as many as these.
#[test]
fn masked_examples_among_persistent_chains_are_predicted() {
    let model = random_model(Units::Signs, &[5, 4], 400).with_backend(Backend::Plain);
    let rows: Vec<Vec<bool>> = (0..4).map(|row| (0..5).map(|unit| (row + unit) % 3 == 0).collect()).collect();
    let values = |of: &[usize]| {
        let bits = of.iter().flat_map(|&row| &rows[row]).map(|&bit| model.units().value(bit)).collect();
        Matrix::from_vec(of.len(), 5, bits)
    };
    let known =
        |rows: &[usize]| Clamp::Known(rows.iter().flat_map(|row| [row % 2 == 1, false, row % 2 == 1, false, false]).collect());
    let gradient = |name: &str, batch: &Batch| {
        let settings = Settings { estimator: name.parse().unwrap(), ..Settings::default() };
        estimator(&settings).estimate(&model, batch, &|| 0.0).moments.gradient(model.backend(), 1.0).flat()
    };
    let of = |rows: &[usize], known: Clamp| Batch { known, ..Batch::new(values(rows), Streams::new(3)) };
    let positive = |row: usize| {
        let visible: Vec<Option<bool>> = rows[row].iter().copied().map(Some).collect();
        exact::expectation(&model, &visible).unwrap().flat()
    };
    let predicted = gradient("mp-5", &of(&[1, 3], known(&[1, 3])));
    for name in ["pcd-2", "pcd-gibbs-2", "ptt-2"] {
        let (all, masked) =
            (gradient(name, &of(&[0, 1, 2, 3], Clamp::Free)), gradient(name, &of(&[0, 1, 2, 3], known(&[0, 1, 2, 3]))));
        let expected: Vec<f64> = (0..all.len())
            .map(|place| {
                let positives: Vec<f64> = (0..4).map(|row| positive(row)[place]).collect();
                let negative = positives.iter().sum::<f64>() - all[place];
                positives[0] + positives[2] + predicted[place] - 0.5 * negative
            })
            .collect();
        close(&masked, &expected, 1e-4);
    }
}
