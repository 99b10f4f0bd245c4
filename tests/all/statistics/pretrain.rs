//! Greedy pretraining: each RBM against the doubled model it represents, the composed model against its RBMs, and the benefit for training.

use crate::common::{distribution, misfit};
use crate::pinned::short;
use dbm_core::linalg::Matrix;
use dbm_core::pretrain::{PretrainSettings, Pretrainer, Rbm};
use dbm_core::rng::{Purpose, Streams};
use dbm_core::{Backend, Dbm, DbmError, Examples, Units, exact};
use dbm_data::bars;

const KINDS: [Units; 2] = [Units::Signs, Units::Bits];

/// Trained long enough, and at such a rate, that all parameters are far from zero.
fn trained(sizes: &[usize], units: Units) -> Pretrainer {
    let data = Examples::from_bits(4, &[1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 1, 1]).unwrap();
    let settings = PretrainSettings { steps: 150, learning_rate: 0.3, batch: 20, k: 2, deviation: 0.3, seed: 5 };
    let mut run = Pretrainer::new(sizes, units, settings).unwrap();
    while !run.is_done() {
        run.step(&data).unwrap();
    }
    run
}

/// Copies of the (lower, upper) layer in the doubled model of RBM `layer` of `depth`: one for each side from which the other layer receives
/// input in the deep model.
fn copies(layer: usize, depth: usize) -> (usize, usize) {
    (1 + usize::from(layer + 1 < depth), 1 + usize::from(layer > 0))
}

/// The doubled model itself: copies of both layers, all joined by the same weights, with the same biases. `upside_down` makes the upper
/// layer the visible one.
fn doubled(units: Units, rbm: &Rbm, (lower, upper): (usize, usize), upside_down: bool) -> Dbm {
    let weight = rbm.weight;
    let (rows, columns) = (weight.rows() * lower, weight.columns() * upper);
    let tiled = (0..rows * columns).map(|place| {
        let (i, j) = (place / columns, place % columns);
        weight.row(i % weight.rows())[j % weight.columns()]
    });
    let tiled = Matrix::from_vec(rows, columns, tiled.collect());
    let (b, c) = (rbm.lower_bias.repeat(lower), rbm.upper_bias.repeat(upper));
    let (weight, biases) = if upside_down { (tiled.transposed(), vec![c, b]) } else { (tiled, vec![b, c]) };
    Dbm::new(units, vec![weight.data().to_vec()], biases).unwrap()
}

/// The distribution of the first copy of the hidden layer given copies of `state` in the visible one, by enumeration: the probability of
/// each of its states in binary counting order.
fn law(model: &Dbm, state: &[f32], hidden: usize) -> Vec<f64> {
    let high = model.units().high();
    let clamped: Vec<Option<bool>> = state.iter().cycle().take(model.n_visible()).map(|&x| Some(x == high)).collect();
    let mut law = vec![0.0; 1 << hidden];
    for (states, p) in distribution(model, &clamped) {
        law[code(&states[1][..hidden], high)] += p;
    }
    law
}

fn code(state: &[f32], high: f32) -> usize {
    state.iter().enumerate().map(|(place, &x)| usize::from(x == high) << place).sum()
}

/// How often each state was drawn.
fn counts(drawn: &Matrix, high: f32) -> Vec<u32> {
    let mut counts = vec![0; 1 << drawn.columns()];
    (0..drawn.rows()).for_each(|row| counts[code(drawn.row(row), high)] += 1);
    counts
}

#[test]
fn draws_follow_the_law_of_the_doubled_model() {
    // 20 000 draws in each direction for each of 12 RBMs, seed 3; alpha about 1e-5 for each of the 24 comparisons.
    let n = 20_000;
    let mut streams = Streams::new(3).of_chains(Purpose::Pretraining, 0, 0..n);
    for units in KINDS {
        for sizes in [&[4, 3][..], &[4, 3, 2], &[4, 3, 2, 3]] {
            let run = trained(sizes, units);
            for layer in 0..sizes.len() - 1 {
                let rbm = run.rbm(layer).unwrap();
                let copies = copies(layer, sizes.len() - 1);
                for upside_down in [false, true] {
                    let (given, drawn) = if upside_down { (layer + 1, layer) } else { (layer, layer + 1) };
                    let state: Vec<f32> = (0..sizes[given]).map(|i| units.value(i % 3 != 1)).collect();
                    let batch = Matrix::from_vec(n as usize, state.len(), state.repeat(n as usize));
                    let fields = if upside_down { rbm.lower_fields(&batch) } else { rbm.upper_fields(&batch) }.unwrap();
                    let law = law(&doubled(units, &rbm, copies, upside_down), &state, sizes[drawn]);
                    let draws = rbm.draw(&fields, &mut streams).unwrap();
                    let misfit = misfit(&counts(&draws, units.high()), &law);
                    assert!(misfit < 5.0, "{units:?} {sizes:?}, RBM {layer}, upside down {upside_down}: {misfit:.1}");
                    // Their means are those of the distribution, exactly.
                    for (i, &mean) in rbm.means(&fields).row(0).iter().enumerate() {
                        let high: f64 = law.iter().enumerate().filter(|(code, _)| code >> i & 1 == 1).map(|(_, p)| p).sum();
                        let expected = f64::from(units.low()) + f64::from(units.gap()) * high;
                        assert!(
                            (f64::from(mean) - expected).abs() < 1e-5,
                            "{units:?} {sizes:?}, RBM {layer}: {mean}, {expected}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn fields_of_the_composed_model_are_the_means_of_those_its_rbms_gave() {
    for units in KINDS {
        for sizes in [&[4, 3][..], &[4, 3, 2], &[4, 3, 5, 2]] {
            let run = trained(sizes, units);
            let model = run.model();
            let state: Vec<Vec<f32>> =
                sizes.iter().enumerate().map(|(l, &n)| (0..n).map(|i| units.value((i + l) % 3 != 1)).collect()).collect();
            let batch = |l: usize| Matrix::from_vec(1, sizes[l], state[l].clone());
            for l in 0..sizes.len() {
                let from_below = l.checked_sub(1).and_then(|l| run.rbm(l)).map(|rbm| rbm.upper_fields(&batch(l - 1)).unwrap());
                let from_above = run.rbm(l).map(|rbm| rbm.lower_fields(&batch(l + 1)).unwrap());
                let given: Vec<Matrix> = from_below.into_iter().chain(from_above).collect();
                assert_eq!(given.len(), if l == 0 || l + 1 == sizes.len() { 1 } else { 2 });
                for (i, field) in model.field(l, &state).into_iter().enumerate() {
                    let mean = given.iter().map(|fields| fields.row(0)[i]).sum::<f32>() / given.len() as f32;
                    assert!((field - mean).abs() < 1e-5, "{units:?} {sizes:?}, layer {l}: {field} and {mean}");
                }
            }
        }
    }
}

/// On all bits, and on data with an eighth hidden at random, seed 8: what is learned from the rest holds for all.
#[test]
fn pretraining_raises_the_exact_likelihood_far_above_that_of_the_gaussian_start() {
    let whole = bars::dataset(4).unwrap().examples;
    let mut stream = Streams::new(8).at(Purpose::Mask, 0, 0);
    let known: Vec<u8> = (0..whole.len() * 16).map(|_| u8::from(stream.below(8) > 0)).collect();
    let gaps = whole.clone().with_gaps(&known).unwrap();
    assert!(gaps.missing() > 40);
    // The best possible is log 1/30 = -3.4; independent units, each high as often as in the data, reach 16 log 1/2 = -11.1.
    let best = -(whole.len() as f64).ln();
    for (units, (data, least)) in KINDS.into_iter().flat_map(|units| [(&whole, 3.0), (&gaps, 2.0)].map(|data| (units, data))) {
        let settings = PretrainSettings { steps: 600, learning_rate: 0.2, seed: 1, ..PretrainSettings::default() };
        let mut run = Pretrainer::new(&[16, 12, 6], units, settings).unwrap();
        let before = exact::log_likelihood(&run.model(), &whole).unwrap();
        while !run.is_done() {
            run.step(data).unwrap();
        }
        let after = exact::log_likelihood(&run.model(), &whole).unwrap();
        assert!(after > before + least && after < best, "{units:?}: {before:.2} to {after:.2}, best {best:.2}");
        assert!(data.has_gaps() || after > -8.0, "{units:?}: {after:.2}");
        assert!((0.0..0.25).contains(&run.reconstruction_error().unwrap()));
    }
}

#[test]
fn rbms_are_trained_one_after_another() {
    let data = bars::dataset(4).unwrap().examples;
    let mut run = short(Units::Signs, 20);
    assert_eq!((run.steps_done(), run.steps_total(), run.layer(), run.reconstruction_error()), (0, 9, 0, None));
    assert_eq!(
        run.model(),
        dbm_core::init::gaussian(&[16, 10, 7, 4], Units::Signs, 0.1, 9).unwrap().with_backend(Backend::Plain)
    );
    for step in 0..9 {
        let (before, layer) = (run.model(), step / 3);
        assert_eq!((run.layer(), run.is_done()), (layer, false));
        run.step(&data).unwrap();
        let after = run.model();
        for l in 0..3 {
            assert_eq!(before.weights()[l] != after.weights()[l], l == layer, "step {step}, weights {l}");
        }
        for l in 0..4 {
            assert_eq!(before.biases()[l] != after.biases()[l], l == layer || l == layer + 1, "step {step}, biases {l}");
        }
        assert!((0.0..=1.0).contains(&run.reconstruction_error().unwrap()));
    }
    // All RBMs are done: a further step changes nothing.
    let model = run.model();
    run.step(&data).unwrap();
    assert_eq!((run.steps_done(), run.layer(), run.is_done(), run.model()), (9, 2, true, model));
    assert!(run.rbm(2).is_some() && run.rbm(3).is_none());
}

#[test]
fn nonsense_is_refused_and_changes_nothing() {
    let refused = |change: fn(&mut PretrainSettings)| {
        let mut settings = PretrainSettings::default();
        change(&mut settings);
        match Pretrainer::new(&[4, 2], Units::Bits, settings).map(|run| run.steps_total()) {
            Err(DbmError::Setting { name, .. }) => name,
            other => panic!("accepted or misnamed: {other:?}"),
        }
    };
    assert_eq!(refused(|s| s.steps = 0), "pretraining steps");
    assert_eq!(refused(|s| s.steps = u64::MAX), "pretraining steps");
    assert_eq!(refused(|s| s.learning_rate = f64::NAN), "pretraining rate");
    assert_eq!(refused(|s| s.learning_rate = 0.0), "pretraining rate");
    assert_eq!(refused(|s| s.batch = 0), "batch");
    assert_eq!(refused(|s| s.k = 0), "pretraining k");
    assert_eq!(refused(|s| s.deviation = f64::INFINITY), "pretraining deviation");
    let too_few = Pretrainer::new(&[4], Units::Bits, PretrainSettings::default()).map(|run| run.steps_total());
    assert_eq!(too_few, Err(DbmError::TooFewLayers(1)));

    let mut run = short(Units::Bits, 5);
    let model = run.model();
    let narrow = Examples::from_bits(5, &[1, 0, 1, 0, 1]).unwrap();
    assert!(matches!(run.step(&narrow), Err(DbmError::Shape { expected: 16, got: 5, .. })));
    assert_eq!((run.model(), run.steps_done()), (model, 0));
    let rbm = run.rbm(0).unwrap();
    assert!(matches!(rbm.upper_fields(&Matrix::zeros(1, 3)), Err(DbmError::Shape { expected: 16, got: 3, .. })));
    assert!(matches!(rbm.lower_fields(&Matrix::zeros(1, 3)), Err(DbmError::Shape { expected: 10, got: 3, .. })));
    assert!(matches!(rbm.draw(&Matrix::zeros(2, 3), &mut []), Err(DbmError::Shape { expected: 2, got: 0, .. })));
}
