//! Data to bytes and back, and through the full path: generate, train, checkpoint, restore, complete. Natively and in the browser.

use dbm_core::complete::Completer;
use dbm_core::linalg::Matrix;
use dbm_core::{Clamp, Settings, SingleThread, Trainer, Units, init};
use dbm_data::{Checkpoint, Precision, THRESHOLD, bars, digits, load};
use std::collections::BTreeMap;
use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test(unsupported = test)]
fn a_run_restored_from_a_checkpoint_goes_on_bit_for_bit() {
    let data = bars::dataset(4).unwrap();
    let model = init::orthogonal(&[16, 20, 8], Units::Signs, 1).unwrap();
    let settings = Settings { batch: 40, average: Some(0.9), conditional: 0.5, image: data.image, ..Settings::default() };
    let mut whole = Trainer::new(model, settings).unwrap();
    for _ in 0..3 {
        whole.step(&data.examples, &SingleThread).unwrap();
    }
    let bytes = Checkpoint::from_snapshot(whole.snapshot(), data.image, BTreeMap::new()).to_bytes(Precision::Full).unwrap();
    let mut resumed = Trainer::restore(Checkpoint::read("run", &bytes).unwrap().into_snapshot().unwrap()).unwrap();
    for _ in 0..3 {
        whole.step(&data.examples, &SingleThread).unwrap();
        resumed.step(&data.examples, &SingleThread).unwrap();
    }
    assert_eq!(whole.snapshot(), resumed.snapshot());
}

#[wasm_bindgen_test(unsupported = test)]
fn bars_and_stripes_are_learned_and_completed() {
    let data = bars::dataset(4).unwrap();
    let mut settings = Settings { batch: 60, conditional: 0.5, image: data.image, ..Settings::default() };
    settings.optimizer.learning_rate = 5e-3;
    let mut run = Trainer::new(init::orthogonal(&[16, 32], Units::Signs, 1).unwrap(), settings).unwrap();
    for _ in 0..400 {
        run.step(&data.examples, &SingleThread).unwrap();
    }
    // The first two rows of a pattern with two full columns determine the other two.
    let (high, low) = (1.0, -1.0);
    let visible = [high, low, low, high].repeat(4);
    let known: Vec<bool> = (0..16).map(|i| i < 8).collect();
    let answers = 20;
    let questions = Matrix::from_vec(answers, 16, visible.repeat(answers));
    let mut completer = Completer::complete(run.model(), questions, Clamp::Known(known.repeat(answers)), 5, 0);
    for _ in 0..50 {
        completer.sweep(run.model());
    }
    let (bits, _) = completer.finish(run.model(), 1000);
    let right = bits.chunks(16).filter(|answer| *answer == [1, 0, 0, 1].repeat(4)).count();
    assert!(right >= answers * 3 / 4, "{right} of {answers}");
}

#[wasm_bindgen_test(unsupported = test)]
fn half_precision_moves_weights_by_little_and_cannot_resume() {
    let model = init::orthogonal(&[16, 20], Units::Signs, 1).unwrap();
    let run = Trainer::new(model, Settings::default()).unwrap();
    let whole = Checkpoint::from_snapshot(run.snapshot(), None, BTreeMap::new());
    let half = Checkpoint::read("half", &whole.to_bytes(Precision::Half).unwrap()).unwrap();
    let (a, b) = (&whole.parameters.weights[0], &half.parameters.weights[0]);
    assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() <= a.abs() / 1024.0 + 1e-7));
    assert!(half.into_snapshot().unwrap_err().to_string().contains("resume"));
}

#[wasm_bindgen_test(unsupported = test)]
fn files_are_known_by_their_content() {
    let made = digits::dataset(20, 1).unwrap();
    let bits: Vec<u8> = (0..20).flat_map(|row| made.examples.row(row)).collect();
    let levels: Vec<u8> = bits.iter().map(|bit| bit * 255).collect();
    let idx = [&b"\0\0\x08\x03\0\0\0\x14\0\0\0\x1c\0\0\0\x1c"[..], &levels].concat();
    let csv: String = bits
        .chunks(784)
        .map(|row| row.iter().map(|bit| if *bit == 1 { "1" } else { "0" }).collect::<Vec<_>>().join(",") + "\n")
        .collect();
    for bytes in [idx, csv.into_bytes()] {
        let read = load("anything", &bytes, THRESHOLD).unwrap();
        assert_eq!((read.examples, read.image), (made.examples.clone(), Some((28, 28))));
    }
}
