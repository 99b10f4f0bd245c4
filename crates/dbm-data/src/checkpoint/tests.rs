//! Checkpoints come back as they went, and nothing else is taken for one.

use super::*;
use crate::test_support::refusal;
use dbm_core::OptimizerSettings;
use proptest::prelude::*;
use safetensors::tensor::{Dtype, TensorView};
use std::collections::HashMap;

fn parameters(sizes: &[usize], salt: u32) -> Parameters {
    let mut state = salt;
    let mut values = |count: usize| -> Vec<f32> {
        (0..count)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 8) as f32 / 8_388_608.0 - 1.0
            })
            .collect()
    };
    let weights = sizes.windows(2).map(|pair| values(pair[0] * pair[1])).collect();
    Parameters { weights, biases: sizes.iter().map(|&size| values(size)).collect() }
}

fn snapshot(sizes: &[usize], moments: usize, average: bool) -> Snapshot {
    let optimizer = OptimizerSettings { learning_rate: 0.1 + 0.2, epsilon: 1e-8, ..OptimizerSettings::default() };
    Snapshot {
        units: Units::Bits,
        settings: Settings { optimizer, seed: u64::MAX, average: average.then_some(0.995), ..Settings::default() },
        step: 12_345_678_901,
        parameters: parameters(sizes, 1),
        moments: (0..moments).map(|k| parameters(sizes, 2 + k as u32)).collect(),
        average: average.then(|| parameters(sizes, 99)),
        persistent: None,
        offsets: None,
    }
}

/// A run with all that a run can have.
fn persistent_and_centered() -> Checkpoint {
    let mut snapshot = snapshot(&[6, 3, 2], 2, true);
    snapshot.settings.batch = 5;
    snapshot.settings.estimator = "centered-pcd-2".parse().unwrap();
    snapshot.persistent = Some([6, 3, 2].map(|n| (0..5 * n).map(|i| (i % 3 % 2) as f32).collect()).to_vec());
    snapshot.offsets = Some(parameters(&[6, 3, 2], 5).biases);
    Checkpoint::from_snapshot(snapshot, None, BTreeMap::new())
}

#[test]
fn persistent_chains_and_offsets_come_back_and_must_fit() {
    let checkpoint = persistent_and_centered();
    let bytes = checkpoint.to_bytes(Precision::Full).unwrap();
    assert_eq!(read(&bytes).unwrap(), checkpoint);
    let shipped = read(&checkpoint.to_bytes(Precision::Half).unwrap()).unwrap();
    assert!(shipped.persistent.is_none() && shipped.offsets.is_none());

    let mut broken = checkpoint.clone();
    broken.persistent.as_mut().unwrap()[1].pop();
    let said = refusal(broken.to_bytes(Precision::Full));
    assert!(said.contains("persistent.1") && said.contains("15 values"), "{said}");
    let mut broken = checkpoint.clone();
    broken.offsets.as_mut().unwrap()[2][0] = f32::NAN;
    assert!(refusal(broken.to_bytes(Precision::Full)).contains("offset.2"));
    let mut other_batch = checkpoint;
    other_batch.settings.as_mut().unwrap().batch = 4;
    assert!(refusal(other_batch.to_bytes(Precision::Full)).contains("persistent.0"));
}

fn full() -> Checkpoint {
    let notes = [("command", "dbm train --steps 3"), ("data-sha256", "ab\"c\u{e9}")].map(|(k, v)| (k.into(), v.into()));
    Checkpoint::from_snapshot(snapshot(&[6, 3, 2], 2, true), Some((2, 3)), notes.into())
}

/// A file as another program writes it: every tensor F32 unless said otherwise, values 0.25.
fn foreign(tensors: &[(&str, &[usize])], metadata: &[(&str, &str)]) -> Vec<u8> {
    foreign_of(tensors, metadata, Dtype::F32, &0.25_f32.to_le_bytes())
}

fn foreign_of(tensors: &[(&str, &[usize])], metadata: &[(&str, &str)], dtype: Dtype, value: &[u8]) -> Vec<u8> {
    let data: Vec<(&str, &[usize], Vec<u8>)> =
        tensors.iter().map(|&(name, shape)| (name, shape, value.repeat(shape.iter().product()))).collect();
    let views = data.iter().map(|(name, shape, data)| (*name, TensorView::new(dtype, shape.to_vec(), data).unwrap()));
    let metadata: HashMap<String, String> = metadata.iter().map(|&(k, v)| (k.into(), v.into())).collect();
    safetensors::serialize(views, (!metadata.is_empty()).then_some(metadata)).unwrap()
}

const TENSORS: [(&str, &[usize]); 3] = [("weight.0", &[4, 2]), ("bias.0", &[4]), ("bias.1", &[2])];

fn read(bytes: &[u8]) -> Result<Checkpoint, DataError> {
    Checkpoint::read("m.safetensors", bytes)
}

#[test]
fn a_run_resumes_to_the_bit() {
    for (moments, average) in [(0, false), (1, false), (2, true), (3, true)] {
        let before = snapshot(&[5, 4, 3, 2], moments, average);
        let file = Checkpoint::from_snapshot(before.clone(), None, BTreeMap::new());
        let bytes = file.to_bytes(Precision::Full).unwrap();
        let after = read(&bytes).unwrap();
        assert_eq!(after, file);
        let after = after.snapshot().unwrap();
        assert_eq!(after, before);
        let bits = |snapshot: &Snapshot| -> Vec<u32> {
            let sets = [&snapshot.parameters].into_iter().chain(&snapshot.moments).chain(&snapshot.average);
            sets.flat_map(|set| set.weights.iter().chain(&set.biases)).flatten().map(|value| value.to_bits()).collect()
        };
        assert_eq!(bits(&after), bits(&before));
    }
}

#[test]
fn the_same_checkpoint_is_the_same_bytes() {
    let bytes = full().to_bytes(Precision::Full).unwrap();
    for _ in 0..5 {
        assert_eq!(full().to_bytes(Precision::Full).unwrap(), bytes);
        assert_eq!(read(&bytes).unwrap().to_bytes(Precision::Full).unwrap(), bytes);
    }
    safetensors::SafeTensors::deserialize(&bytes).unwrap();
}

#[test]
fn half_precision_ships_weights_alone() {
    let file = full();
    let whole = file.to_bytes(Precision::Full).unwrap().len();
    let bytes = file.to_bytes(Precision::Half).unwrap();
    assert!(bytes.len() < whole);
    let half = read(&bytes).unwrap();
    assert_eq!((half.moments.as_ref(), &half.notes, half.image), (None, &file.notes, file.image));
    for (rounded, value) in half.parameters.weights[0].iter().zip(&file.parameters.weights[0]) {
        assert!((rounded - value).abs() <= value.abs() / 2048.0 + 1e-7);
    }
    assert!(refusal(half.snapshot()).contains("holds weights only, cannot resume: its optimizer state"));
    assert_eq!(half.to_bytes(Precision::Half).unwrap(), bytes);
    let mut large = file;
    large.parameters.weights[1][0] = 1e6;
    assert!(refusal(large.to_bytes(Precision::Half)).contains("weight.1: expected values of at most 65504"));
}

#[test]
fn the_average_is_the_model_where_there_is_one() {
    let file = full();
    let average = file.average.clone().unwrap();
    assert_eq!(file.model().unwrap().biases(), average.biases);
    assert_eq!(file.last_model().unwrap().biases(), file.parameters.biases);
    let shipped = file.weights_only(true);
    assert_eq!((&shipped.parameters, &shipped.average, &shipped.moments), (&average, &None, &None));
    assert_eq!(shipped.model(), shipped.last_model());
    assert_eq!(file.weights_only(false).parameters, file.parameters);
    assert_eq!(read(&shipped.to_bytes(Precision::Full).unwrap()).unwrap(), shipped);
}

#[test]
fn another_programs_file_needs_only_its_units() {
    let model = read(&foreign(&TENSORS, &[("units", "bits"), ("author", "me")])).unwrap();
    assert_eq!(model.model().unwrap().sizes(), [4, 2]);
    assert_eq!((model.units, model.notes["author"].as_str(), model.step), (Units::Bits, "me", 0));
    assert!(refusal(model.snapshot()).contains("its settings is not in it"));
    let message = refusal(read(&foreign(&TENSORS, &[])));
    assert!(message.contains("`units`") && message.contains("it is missing; add it: in Python"), "{message}");
}

#[test]
fn wrong_metadata_is_named() {
    for (key, value, words) in [
        ("units", "spins", "it is \"spins\""),
        ("format", "gpt", "expected `dbm-lab`, but it is \"gpt\""),
        ("version", "2", "newer program"),
        ("step", "-1", "`step`: expected a whole number"),
        ("image", "28", "as in `28,28`"),
        ("image", "2,3", "2 x 3 for 4 visible units"),
        ("settings", "{}", "a run's settings in JSON"),
        ("moments", "2", "optimizer.1.bias.0"),
        ("moments", "99999999999999999999", "`moments`: expected a whole number"),
        ("moments", "18446744073709551615", "it is missing"),
    ] {
        let mut metadata = vec![(key, value)];
        if key != "units" {
            metadata.push(("units", "signs"));
        }
        let message = refusal(read(&foreign(&TENSORS, &metadata)));
        assert!(message.starts_with("m.safetensors: ") && message.contains(words), "{message}");
    }
    let mut file = full();
    file.notes.insert("step".into(), "9".into());
    assert!(refusal(file.to_bytes(Precision::Full)).contains("rename the note"));
    let mut file = full();
    file.settings.as_mut().unwrap().batch = 0;
    assert!(refusal(file.to_bytes(Precision::Full)).contains("1 to 100000"));
}

#[test]
fn wrong_tensors_are_named() {
    let units = [("units", "signs")];
    for (tensors, words) in [
        (&[("bias.0", &[4][..]), ("bias.1", &[2])][..], "tensor weight.0: expected it in the file"),
        (&[("weight.0", &[4, 2]), ("bias.0", &[4])], "tensor bias.1: expected it in the file"),
        (&[("weight.0", &[2, 4]), ("bias.0", &[4]), ("bias.1", &[2])], "weight.0: expected shape [4, 2], but it is [2, 4]"),
        (&[("weight.0", &[4, 2]), ("bias.0", &[4, 1]), ("bias.1", &[2])], "bias.0: expected shape [n], but it is [4, 1]"),
        (&[("weight.0", &[4, 2]), ("bias.0", &[4]), ("bias.1", &[2]), ("extra", &[1])], "tensor extra: expected no tensor"),
        (&[("weight.0", &[0, 2]), ("bias.0", &[0]), ("bias.1", &[2])], "layer 0 has size 0"),
        (
            &[("weight.0", &[4, 2]), ("bias.0", &[4]), ("bias.1", &[2]), ("average.bias.0", &[4])],
            "tensor average.bias.1: expected it in the file",
        ),
    ] {
        let message = refusal(read(&foreign(tensors, &units)));
        assert!(message.starts_with("m.safetensors: ") && message.contains(words), "{message}");
    }
    let message = refusal(read(&foreign_of(&TENSORS, &units, Dtype::F64, &[0; 8])));
    assert!(message.contains("expected type F32 or F16, but it is F64"), "{message}");
    let message = refusal(read(&foreign_of(&TENSORS, &units, Dtype::F32, &f32::NAN.to_le_bytes())));
    assert!(message.contains("weight.0: expected finite values, but value 0 is NaN"), "{message}");
    let mut file = full();
    file.moments.as_mut().unwrap()[1].biases[2][1] = f32::INFINITY;
    assert!(refusal(file.to_bytes(Precision::Full)).contains("optimizer.1.bias.2: expected finite values, but value 1 is inf"));
    let mut file = full();
    file.average.as_mut().unwrap().weights.pop();
    assert!(refusal(file.to_bytes(Precision::Full)).contains("average.weight: expected 2 of them, but 1 came"));
}

#[test]
fn a_cut_or_padded_file_is_refused() {
    let bytes = full().to_bytes(Precision::Full).unwrap();
    for keep in 0..bytes.len() {
        let message = refusal(read(&bytes[..keep]));
        assert!(message.contains("cut short"), "{message}");
    }
    let padded = [&bytes[..], &[0]].concat();
    assert!(refusal(read(&padded)).contains("but more follow"));
    assert!(refusal(read(b"\x89PNG\r\n\x1a\n12345678")).contains("no JSON header"));
    assert!(refusal(read(b"\x02\0\0\0\0\0\0\0{]")).contains("header does not parse"));
}

#[test]
fn sizes_that_overflow_are_refused() {
    let tensor = |name: &str, start: u64, size: u64| {
        format!("\"{name}\":{{\"dtype\":\"U8\",\"shape\":[{size}],\"data_offsets\":[{start},{}]}}", start + size)
    };
    let size = (1 << 61) - 1;
    let tensors: Vec<String> = (0..8).map(|k| tensor(&k.to_string(), k * size, size)).collect();
    let text = format!("{{{}}}", tensors.join(","));
    let bytes = [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat();
    assert!(read(&bytes).is_err());
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes: Vec<u8>, text in "\\{\"[a-z_]{0,12}\":.{0,40}\\}") {
        let _ = read(&bytes);
        let framed = [&(text.len() as u64).to_le_bytes()[..], text.as_bytes(), &bytes].concat();
        let _ = read(&framed);
    }

    #[test]
    fn no_damage_panics(at: prop::sample::Index, flip in 1..=255_u8) {
        let mut bytes = full().to_bytes(Precision::Full).unwrap();
        let at = at.index(bytes.len());
        bytes[at] ^= flip;
        if let Ok(file) = read(&bytes) {
            prop_assert!(file.model().is_ok() && file.to_bytes(Precision::Full).is_ok());
        }
    }
}
