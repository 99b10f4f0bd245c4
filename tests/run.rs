//! A run is a value: the same bits whatever the number of threads, slicing, or pauses.

mod common;

use common::random_model;
use dbm_core::{Alone, Backend, Examples, Host, Method, OptimizerSettings, Settings, Trainer, Units, exact, init};
use wasm_bindgen_test::wasm_bindgen_test;

#[cfg(target_arch = "wasm32")]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

fn data() -> Examples {
    let bits: Vec<u8> = (0..40 * 16_u32).map(|i| u8::from((i / 16 + i % 16 * 3) % 5 < 2)).collect();
    Examples::from_bits(16, &bits).unwrap()
}

fn settings(method: Method) -> Settings {
    Settings {
        optimizer: OptimizerSettings { method, momentum: 0.5, weight_decay: 1e-3, ..OptimizerSettings::default() },
        batch: 70,
        seed: 9,
        conditional: 0.4,
        image: Some((4, 4)),
        average: Some(0.9),
        ..Settings::default()
    }
}

fn trainer(method: Method) -> Trainer {
    Trainer::new(init::orthogonal(&[16, 20, 7], Units::Signs, 2).unwrap(), settings(method)).unwrap()
}

/// Computes shards last to first, as a pool of threads well might.
struct Backwards;

impl Host for Backwards {
    fn map<T: Send, R: Send>(&self, items: Vec<T>, f: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
        let mut results: Vec<R> = items.into_iter().rev().map(f).collect();
        results.reverse();
        results
    }

    fn now(&self) -> f64 {
        0.0
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn who_computes_the_shards_changes_no_bit() {
    let (mut forwards, mut backwards, mut sliced) = (trainer(Method::Adam), trainer(Method::Adam), trainer(Method::Adam));
    let data = data();
    for _ in 0..5 {
        forwards.step(&data, &Alone).unwrap();
        backwards.step(&data, &Backwards).unwrap();
        let shards = sliced.begin(&data).unwrap();
        assert!(shards.count() > 1);
        let estimates = (0..shards.count()).map(|shard| sliced.estimate(&shards, shard, &|| 0.0)).collect();
        sliced.finish(&shards, estimates, &Alone).unwrap();
    }
    assert_eq!(forwards.snapshot(), backwards.snapshot());
    assert_eq!(forwards.snapshot(), sliced.snapshot());
}

#[wasm_bindgen_test(unsupported = test)]
fn a_restored_run_goes_on_bit_for_bit() {
    let data = data();
    for method in [Method::Sgd, Method::Adam, Method::AmsGrad] {
        let mut whole = trainer(method);
        let mut half = trainer(method);
        for _ in 0..4 {
            whole.step(&data, &Alone).unwrap();
            half.step(&data, &Alone).unwrap();
        }
        let mut resumed = Trainer::restore(half.snapshot()).unwrap();
        for _ in 0..4 {
            whole.step(&data, &Alone).unwrap();
            resumed.step(&data, &Alone).unwrap();
        }
        assert_eq!(whole.snapshot(), resumed.snapshot(), "{method:?}");
        assert_eq!(whole.averaged_model(), resumed.averaged_model());
    }
}

/// Seed to bits, pinned, for the plain backend: the same natively and in every browser. A change here changes every run.
#[wasm_bindgen_test(unsupported = test)]
fn a_short_run_is_pinned() {
    let mut run = trainer(Method::Adam).with_backend(Backend::Plain);
    let data = data();
    for _ in 0..3 {
        run.step(&data, &Alone).unwrap();
    }
    let snapshot = run.snapshot();
    let values = snapshot.parameters.weights.iter().chain(&snapshot.parameters.biases).flatten();
    // FNV-1a over the bits.
    let hash = values.fold(0xcbf2_9ce4_8422_2325_u64, |hash, x| (hash ^ u64::from(x.to_bits())).wrapping_mul(0x100_0000_01b3));
    assert_eq!(format!("{hash:016x}"), "f75019b401eff7d6");
}

#[wasm_bindgen_test(unsupported = test)]
fn training_raises_the_exact_likelihood() {
    // Two patterns and their shadows, learned by a model small enough to enumerate.
    let data = Examples::from_bits(6, &[1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1]).unwrap();
    let rows: Vec<Vec<bool>> = (0..2).map(|r| data.row(r).iter().map(|&b| b == 1).collect()).collect();
    for units in [Units::Signs, Units::Bits] {
        let model = random_model(units, &[6, 4, 2], 3);
        let log_p = |run: &Trainer| -> f64 {
            rows.iter().map(|row| exact::log_probability(run.model(), row).unwrap()).sum::<f64>() / 2.0
        };
        let optimizer = OptimizerSettings { learning_rate: 0.01, ..OptimizerSettings::default() };
        let mut run = Trainer::new(model, Settings { optimizer, batch: 500, ..Settings::default() }).unwrap();
        let before = log_p(&run);
        for _ in 0..500 {
            run.step(&data, &Alone).unwrap();
        }
        // The best possible is log 1/2.
        let after = log_p(&run);
        assert!(after > -1.5 && after > before + 1.0, "{units:?}: {before:.2} to {after:.2}");
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn refuses_data_of_another_width_and_goes_on() {
    let mut run = trainer(Method::Adam);
    let wrong = Examples::from_bits(5, &[1, 0, 1, 0, 1]).unwrap();
    let error = run.step(&wrong, &Alone).unwrap_err().to_string();
    assert!(error.contains("16") && error.contains('5'), "{error}");
    assert_eq!(run.step(&data(), &Alone).unwrap().step, 1);
}
