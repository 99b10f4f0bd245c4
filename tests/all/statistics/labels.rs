//! Labels: a top layer that represents the class of each example and is clamped in the positive phase only.

use crate::common::{State, batch, close, distribution, moments, of_both_kinds, random_model, worst_error};
use dbm_core::complete::{Completer, SamplingSchedule};
use dbm_core::gradient::{Batch, estimator};
use dbm_core::linalg::Matrix;
use dbm_core::rng::Streams;
use dbm_core::{Backend, Clamp, Dbm, Examples, Settings, SingleThread, Trainer, Units, classes, exact, init};

const SHAPES: [&[usize]; 3] = [&[3, 4, 2], &[3, 2, 3, 2], &[2, 3, 2, 2, 3]];

/// Visible bits and the class number of an example.
fn example(model: &Dbm) -> (Vec<bool>, usize) {
    ((0..model.n_visible()).map(|unit| unit % 2 == 0).collect(), 1)
}

/// `E[f | v, y]`, by a sum over all states.
fn expected(model: &Dbm, visible: &[bool], class: usize) -> Vec<f64> {
    let clamped: Vec<Option<bool>> = visible.iter().copied().map(Some).collect();
    let top = classes::top_of_classes(model, &[class]);
    let of_class = |(state, _): &(State, f64)| state.last().is_some_and(|labels| labels == top.row(0));
    let states: Vec<(State, f64)> = distribution(model, &clamped).into_iter().filter(of_class).collect();
    let total: f64 = states.iter().map(|(_, p)| p).sum();
    moments(model, &states).iter().map(|sum| sum / total).collect()
}

fn labelled(model: &Dbm, visible: &[bool], class: usize, seed: u64) -> Batch {
    const COUNT: usize = 8;
    let rows = [visible.iter().copied().map(Some).collect()];
    Batch {
        labels: Some(classes::top_of_classes(model, &[class; COUNT])),
        ..batch(model, &rows, &[false], COUNT, Streams::new(seed))
    }
}

fn estimate(model: &Dbm, settings: &Settings, batch: &Batch) -> Vec<f64> {
    let rows = batch.visible.rows() as f32;
    estimator(settings).estimate(model, batch, &|| 0.0).moments.gradient(model.backend(), 1.0 / rows).flat()
}

/// The unbiased estimators estimate the gradient of `log p(v, y)`, whatever the depth.
#[test]
fn coupled_estimates_with_labels_have_the_exact_mean() {
    for (i, (units, sizes)) in of_both_kinds(SHAPES).enumerate() {
        let model = random_model(units, sizes, 300 + i as u64);
        let (visible, class) = example(&model);
        let free = exact::expectation(&model, &vec![None; model.n_visible()]).unwrap().flat();
        let exact: Vec<f64> = expected(&model, &visible, class).iter().zip(&free).map(|(p, n)| p - n).collect();
        for (name, marginalize) in [("ucd-lmi", true), ("ucd-lmi", false), ("ucd-mh", true)] {
            let settings = Settings { estimator: name.parse().unwrap(), marginalize, ..Settings::default() };
            let estimates = (0..1200).map(|seed| estimate(&model, &settings, &labelled(&model, &visible, class, seed)));
            let error = worst_error(estimates, &exact);
            assert!(error < 4.5, "{units:?} {sizes:?} {name} {marginalize}: {error:.2} standard errors");
        }
    }
}

/// Below labels, a single hidden layer is independent and its posterior exact: another label changes only the positive phase.
#[test]
fn one_hidden_layer_between_pixels_and_labels_needs_no_chain() {
    for units in [Units::Signs, Units::Bits] {
        let model = random_model(units, SHAPES[0], 310).with_backend(Backend::Plain);
        let (visible, _) = example(&model);
        let exact: Vec<f64> =
            expected(&model, &visible, 1).iter().zip(expected(&model, &visible, 0)).map(|(one, zero)| one - zero).collect();
        for name in ["lmi", "pcd-1", "pcd-gibbs-1", "ptt-1"] {
            let settings = Settings { estimator: name.parse().unwrap(), ..Settings::default() };
            let of = |class: usize| estimate(&model, &settings, &labelled(&model, &visible, class, 5));
            let difference: Vec<f64> = of(1).iter().zip(of(0)).map(|(one, zero)| one - zero).collect();
            close(&difference, &exact, 1e-4);
        }
    }
}

/// With one hidden layer the class probabilities are exact; with two the bound comes close.
#[test]
fn classes_are_read_as_the_model_has_them() {
    for (i, (units, sizes)) in of_both_kinds(SHAPES).enumerate() {
        let model = random_model(units, sizes, 320 + i as u64);
        let (visible, _) = example(&model);
        let clamped: Vec<Option<bool>> = visible.iter().copied().map(Some).collect();
        let n = sizes[sizes.len() - 1];
        let mut sums = vec![0.0; n];
        for (state, p) in distribution(&model, &clamped) {
            let class = (0..n).find(|&class| classes::top_of_classes(&model, &[class]).row(0) == &state[sizes.len() - 1][..]);
            class.into_iter().for_each(|class| sums[class] += p);
        }
        let total: f64 = sums.iter().sum();
        let values = visible.iter().map(|&bit| units.value(bit)).collect();
        let read = &classes::probabilities(&model, &Matrix::from_vec(1, visible.len(), values))[0];
        let bound = if sizes.len() == 3 { 1e-5 } else { 0.15 };
        close(read, &sums.iter().map(|sum| sum / total).collect::<Vec<_>>(), bound);
    }
}

fn stripes() -> Examples {
    let row = |class: usize| (0..16).map(move |pixel| u8::from(if class == 0 { pixel / 4 } else { pixel % 4 } < 2));
    let bits: Vec<u8> = (0..40).flat_map(|example| row(example % 2)).collect();
    Examples::from_bits(16, &bits).unwrap().with_labels((0..40).map(|example| example % 2).collect()).unwrap()
}

#[test]
fn a_run_with_labels_learns_to_read_them() {
    let settings =
        |classes: usize, name: &str| Settings { classes, batch: 20, estimator: name.parse().unwrap(), ..Settings::default() };
    let model = || init::gaussian(&[16, 8, 6, 2], Units::Signs, 0.3, 1).unwrap();
    for (name, rate) in [("ucd-lmi", 0.03), ("centered-pcd-2", 0.005), ("ptt-1", 0.01)] {
        let mut settings = settings(2, name);
        settings.optimizer.learning_rate = rate;
        let mut run = Trainer::new(model(), settings).unwrap();
        (0..400).for_each(|_| drop(run.step(&stripes(), &SingleThread).unwrap()));
        let mut visible = Matrix::zeros(2, 16);
        (0..2).for_each(|row| stripes().write_row(row, Units::Signs, visible.row_mut(row)));
        let read = classes::probabilities(run.model(), &visible);
        assert!(read[0][0] > 0.8 && read[1][1] > 0.8, "{name}: {read:?}");
    }
    // What does not fit is refused, with a reason.
    let message =
        |settings: Settings, data: Examples| match Trainer::new(model(), settings).map(|mut run| run.begin(&data).map(drop)) {
            Err(error) | Ok(Err(error)) => error.to_string(),
            Ok(Ok(())) => panic!("accepted"),
        };
    let without = Examples::from_bits(16, &[1; 16]).unwrap();
    assert!(message(settings(3, "ucd-lmi"), stripes()).contains("[16, 8, 6, 2]"));
    assert!(message(settings(2, "ucd-smc"), stripes()).contains("clamp no labels"));
    assert!(message(settings(2, "ucd-lmi"), without.clone()).contains("no class"));
    assert!(message(settings(2, "ucd-lmi"), without.with_labels(vec![2]).unwrap()).contains("2 of 2"));
}

/// With a class clamped, chains draw `p(v | y)`; free ones read classes as often as the model has them. Each share is within 4.5 standard
/// errors, 4000 chains, seed 7.
#[test]
fn chains_draw_what_class_is_asked_for_and_read_what_they_see() {
    const COUNT: usize = 4000;
    for units in [Units::Signs, Units::Bits] {
        let model = random_model(units, &[3, 4, 3, 2], 330);
        let (low, n) = (Matrix::from_vec(COUNT, 3, vec![units.low(); COUNT * 3]), 3);
        let states = distribution(&model, &[None; 3]);
        let mut chains = Completer::complete_class(&model, low.clone(), Clamp::Free, &vec![1; COUNT], (7, 0));
        (0..40).for_each(|_| chains.sweep(&model));
        let of_class: Vec<&(Vec<Vec<f32>>, f64)> =
            states.iter().filter(|(state, _)| state[3] == classes::top_of_classes(&model, &[1]).row(0)).collect();
        let total: f64 = of_class.iter().map(|(_, p)| p).sum();
        let bits = chains.visible_bits();
        for code in 0..8_usize {
            let is = |unit: usize| code >> unit & 1 == 1;
            let p = of_class.iter().filter(|(state, _)| (0..n).all(|unit| (state[0][unit] > 0.5) == is(unit))).map(|(_, p)| p);
            let p = p.sum::<f64>() / total;
            let share =
                bits.chunks(n).filter(|bits| (0..n).all(|unit| (bits[unit] == 1) == is(unit))).count() as f64 / COUNT as f64;
            let error = (share - p).abs() / (p * (1.0 - p) / COUNT as f64).sqrt();
            assert!(error < 4.5, "{units:?} {code}: {share}, but {p}");
        }
        // Two pixels are known: the mean over the chains of p(y | the layer below).
        let known = [true, true, false].repeat(COUNT);
        let high = Matrix::from_vec(COUNT, 3, vec![units.high(); COUNT * 3]);
        let mut readers = Completer::complete(&model, high, Clamp::Known(known), 7, 0);
        let read = readers.read_classes(&model, SamplingSchedule::Gibbs(40), 1000);
        let mean = read.iter().map(|read| read[1]).sum::<f64>() / COUNT as f64;
        let given = |state: &[Vec<f32>]| {
            let fields = model.field(3, state);
            1.0 / (1.0 + f64::from(units.gap() * (fields[0] - fields[1])).exp())
        };
        let expected: f64 = distribution(&model, &[Some(true), Some(true), None]).iter().map(|(state, p)| p * given(state)).sum();
        let deviation = (read.iter().map(|read| (read[1] - mean).powi(2)).sum::<f64>() / COUNT as f64).sqrt();
        assert!((mean - expected).abs() < 4.5 * deviation / (COUNT as f64).sqrt(), "{units:?}: {mean}, but {expected}");
    }
}
