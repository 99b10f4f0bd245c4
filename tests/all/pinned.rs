//! Bits pinned by seed: the same natively and in every browser. Because of them, what `statistics` shows natively holds in browsers too.

use crate::common::{hash, random_model};
use crate::run::{Backwards, NAMES, along_temperatures, climber, climber_by, data, estimator, settings, trainer};
use dbm_core::gradient::EstimatorKind;
use dbm_core::pretrain::{PretrainSettings, Pretrainer};
use dbm_core::{Backend, Examples, OptimizerMethod, Settings, SingleThread, Trainer, Units, exact, init};
use dbm_data::{bars, target};
use wasm_bindgen_test::wasm_bindgen_test;

/// A short run of greedy pretraining.
pub fn short(units: Units, batch: usize) -> Pretrainer {
    let settings = PretrainSettings { steps: 3, learning_rate: 0.5, batch, k: 2, deviation: 0.1, seed: 9 };
    Pretrainer::new(&[16, 10, 7, 4], units, settings).unwrap().with_backend(Backend::Plain)
}

/// Bits pinned by seed, for the plain backend, estimator by estimator: the same natively and in every browser. A change here changes every
/// run.
#[wasm_bindgen_test(unsupported = test)]
fn short_runs_are_pinned() {
    let data = data();
    let others = [trainer(OptimizerMethod::Adam), climber(0.1), along_temperatures(), climber_by("ucd-ptt-2", 0.1)];
    let runs: Vec<Trainer> = NAMES.iter().map(|name| estimator(name)).chain(others).collect();
    let missing = EstimatorKind::ALL.iter().find(|kind| runs.iter().all(|run| run.settings().estimator.kind != **kind));
    assert_eq!(missing, None, "an estimator without a pin");
    let checksums = runs.into_iter().map(|run| {
        let mut run = run.with_backend(Backend::Plain);
        for _ in 0..3 {
            run.step(&data, &SingleThread).unwrap();
        }
        format!("{:016x}", run.model().checksum())
    });
    assert_eq!(checksums.collect::<Vec<_>>(), PINNED);
}

const PINNED: [&str; 15] = [
    "88f460a4efab00de",
    "2b198f42d7373ed9",
    "e45a1c14956259e3",
    "0c5e30bf109c900d",
    "fbfefcd329d64f98",
    "e3a474265822af88",
    "7ec46f280211f404",
    "4d06f50a2a3ee9b2",
    "590c3e8bd097e783",
    "c716e55a00dfa8ca",
    "58953f7d79acb3fb",
    "f75019b401eff7d6",
    "6bfc4c4849d4ef81",
    "d7dae611c01b0b0d",
    "b634309a7b4aa934",
];

/// Where one side of every product is binary, the fast kernels also have the same bits on every machine, with any vector unit.
#[wasm_bindgen_test(unsupported = test)]
fn fast_runs_of_states_alone_are_pinned() {
    let bits: Vec<u8> = (0..70 * 101_u32).map(|i| u8::from(i * i % 7 < 3)).collect();
    let data = Examples::from_bits(101, &bits).unwrap();
    let deep = &[101, 83, 37][..];
    let all = [("ucd-lmi", deep), ("cd-2", deep), ("centered-pcd-gibbs-3", deep), ("pl", &deep[..2])];
    let checksums = all.map(|(name, sizes)| {
        let settings = Settings { estimator: name.parse().unwrap(), batch: 70, ..settings(OptimizerMethod::Adam) };
        let conditional = if settings.estimator.kind.descriptor().persistent { 0.0 } else { 0.4 };
        let settings = Settings { conditional, image: None, ..settings };
        let mut run = Trainer::new(init::orthogonal(sizes, Units::Signs, 2).unwrap(), settings).unwrap();
        for _ in 0..3 {
            run.step(&data, &Backwards).unwrap();
        }
        format!("{:016x}", run.model().checksum())
    });
    assert_eq!(checksums, ["aa9d66ea04351575", "18157e3bcd9d3e99", "6365b67202cf66df", "5d079edd6486592b"]);
}

/// Bits pinned by seed, for the plain backend: the same natively and in every browser. A change here changes every run.
#[wasm_bindgen_test(unsupported = test)]
fn a_short_run_is_pinned() {
    let data = bars::dataset(4).unwrap().examples;
    let hashes = [Units::Signs, Units::Bits].map(|units| {
        let mut run = short(units, 70);
        while !run.is_done() {
            run.step(&data).unwrap();
        }
        format!("{:016x}", run.model().checksum())
    });
    assert_eq!(hashes, ["fa81a62335873d71", "8b2d71f43cfb8d6d"]);
}

/// Bits pinned by seed: the same natively and in every browser.
#[wasm_bindgen_test(unsupported = test)]
fn the_random_target_is_pinned() {
    let data = target::dataset(1).unwrap();
    let bits = (0..data.examples.len()).flat_map(|row| data.examples.row(row)).map(u64::from);
    let probabilities = target::probabilities(1).into_iter().map(f64::to_bits);
    // The examples, and the bits of the probabilities.
    assert_eq!(hash(bits.chain(probabilities)), "7cb2aae3bc963f9b");
}

/// Bits pinned by seed: the same natively, with any vector unit, and in every browser.
#[wasm_bindgen_test(unsupported = test)]
fn the_bits_are_the_same_everywhere() {
    let model = random_model(Units::Signs, &[9, 11, 7], 71);
    let visible = [None, None, Some(true), None, None, None, None, Some(false), None];
    let expectation = exact::expectation(&model, &visible).unwrap();
    let log_sum = expectation.log_sum;
    assert_eq!(hash(expectation.flat().into_iter().chain([log_sum]).map(f64::to_bits)), "7e59d1422690bb3e");
}
