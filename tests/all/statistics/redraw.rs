//! Bits that a run draws at every visit, against the law of the grey values.

use crate::common::misfit;
use dbm_core::rng::Streams;
use dbm_core::{Examples, GreyLevels, Settings, SingleThread, Trainer, Units, Visits, init};

const LEVELS: [u8; 6] = [0, 51, 255, 102, 204, 128];

fn grey() -> Examples {
    let greys = GreyLevels::new(LEVELS.to_vec(), 255).unwrap();
    Examples::from_bits(3, &[0, 0, 1, 0, 1, 1]).unwrap().with_greys(greys).unwrap()
}

/// What a visit of each example shows, `[visit][unit]`, one visit after another.
fn seen(data: &Examples, seed: u64, run: u64, epochs: u64) -> Vec<Vec<Vec<bool>>> {
    let mut visits = Visits::new(Streams::new(seed), run);
    let mut seen = vec![Vec::new(); data.len()];
    for epoch in 0..epochs {
        for visit in visits.of(data.len(), (epoch, data.len()), 0..data.len()) {
            let mut values = vec![0.0; data.width()];
            visits.write(data, visit, Units::Signs, &mut values);
            seen[visit.example].push(values.into_iter().map(|value| value > 0.0).collect());
        }
    }
    seen
}

/// The law of a visit, and that of two visits in a row: independent of one another.
#[test]
fn visits_follow_the_law_of_the_greys() {
    const EPOCHS: u64 = 40_000;
    for (example, shown) in seen(&grey(), 5, 0, EPOCHS).into_iter().enumerate() {
        let state = |bits: &[bool]| bits.iter().fold(0, |state, &bit| 2 * state + usize::from(bit));
        let law: Vec<f64> = (0..8)
            .map(|state: usize| {
                (0..3)
                    .map(|unit| {
                        let p = f64::from(LEVELS[3 * example + unit]) / 255.0;
                        if state >> (2 - unit) & 1 == 1 { p } else { 1.0 - p }
                    })
                    .product()
            })
            .collect();
        let mut pairs = vec![0; 64];
        for two in shown.chunks_exact(2) {
            pairs[8 * state(&two[0]) + state(&two[1])] += 1;
        }
        let of_pairs: Vec<f64> = law.iter().flat_map(|first| law.iter().map(move |second| first * second)).collect();
        let odd = misfit(&pairs, &of_pairs);
        assert!(odd < 5.0, "example {example}: {odd}");
    }
}

/// A draw is addressed by seed, run, example and visit, and by nothing else.
#[test]
fn a_visit_has_its_own_bits_whatever_else_is_visited() {
    let data = grey();
    let shown = seen(&data, 5, 0, 40);
    assert_eq!(seen(&data, 5, 0, 20)[1], shown[1][..20]);
    for other in [seen(&data, 6, 0, 40), seen(&data, 5, 1, 40)] {
        assert_ne!(other, shown);
    }
    // Other greys in one unit change no other unit.
    let mut levels = LEVELS;
    levels[3] = 0;
    let darker = grey().with_greys(GreyLevels::new(levels.to_vec(), 255).unwrap()).unwrap();
    for (before, after) in shown[1].iter().zip(&seen(&darker, 5, 0, 40)[1]) {
        assert_eq!((before[1..].to_vec(), false), (after[1..].to_vec(), after[0]));
    }
    // A missing bit is low, and a batch is the same whoever computes a part of it.
    let gaps = grey().with_gaps(&[1, 1, 0, 1, 1, 1]).unwrap();
    assert!(seen(&gaps, 5, 0, 40)[0].iter().all(|bits| !bits[2]));
    let mut visits = Visits::new(Streams::new(5), 0);
    let whole = visits.of(2, (7, 6), 0..6);
    assert_eq!([visits.of(2, (7, 6), 4..6), visits.of(2, (7, 6), 0..4)].concat(), [&whole[4..], &whole[..4]].concat());
}

#[test]
fn a_run_that_draws_is_a_value_and_another_run_than_one_that_does_not() {
    let begin = || {
        let model = init::orthogonal(&[3, 4, 2], Units::Signs, 2).unwrap();
        Trainer::new(model, Settings { batch: 5, ..Settings::default() }).unwrap()
    };
    let data = grey();
    let steps =
        |run: &mut Trainer, count: usize, data: &Examples| (0..count).for_each(|_| drop(run.step(data, &SingleThread).unwrap()));
    let mut whole = begin();
    steps(&mut whole, 6, &data);
    let mut first = begin();
    steps(&mut first, 3, &data);
    let mut second = Trainer::restore(first.snapshot()).unwrap();
    steps(&mut second, 3, &data);
    assert_eq!(whole.snapshot(), second.snapshot());
    let mut fixed = begin();
    steps(&mut fixed, 6, &Examples::from_packed(3, data.packed().to_vec()).unwrap());
    assert_ne!(whole.snapshot(), fixed.snapshot());
}

#[test]
fn levels_that_make_no_sense_are_refused() {
    assert!(GreyLevels::new(vec![3, 4], 3).is_err() && GreyLevels::new(vec![0], 0).is_err());
    assert!(Examples::from_bits(3, &[0; 6]).unwrap().with_greys(GreyLevels::new(vec![1; 5], 1).unwrap()).is_err());
    assert_eq!(grey().rows(1..2).greys().unwrap().levels(), &LEVELS[3..]);
    assert_eq!(grey().select(&[1, 0]).greys().unwrap().levels(), [&LEVELS[3..], &LEVELS[..3]].concat());
}
