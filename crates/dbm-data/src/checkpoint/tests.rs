//! Checkpoints are read back as written, and nothing else is accepted as one.

use super::*;
use crate::test_support::refusal;
use dbm_core::{LadderSnapshot, OptimizerSettings};

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
        optimizer_state: (0..moments).map(|k| parameters(sizes, 2 + k as u32)).collect(),
        average: average.then(|| parameters(sizes, 99)),
        persistent: None,
        ladder: None,
        offsets: None,
    }
}

/// A run with everything that a run can have.
fn persistent_and_centered() -> Checkpoint {
    let mut snapshot = snapshot(&[6, 3, 2], 2, true);
    snapshot.settings.batch = 5;
    snapshot.settings.estimator = "centered-pcd-2".parse().unwrap();
    snapshot.persistent = Some([6, 3, 2].map(|n| (0..5 * n).map(|i| (i % 3 % 2) as f32).collect()).to_vec());
    snapshot.offsets = Some(parameters(&[6, 3, 2], 5).biases);
    Checkpoint::from_snapshot(snapshot, None, BTreeMap::new())
}

#[test]
fn a_ladder_comes_back_with_the_chains_of_its_rungs_and_in_half_precision_alone() {
    let mut snapshot = snapshot(&[6, 3, 2], 0, false);
    snapshot.settings.batch = 5;
    snapshot.settings.estimator = "ptt-2".parse().unwrap();
    let rungs = vec![parameters(&[6, 3, 2], 7), parameters(&[6, 3, 2], 8)];
    snapshot.ladder =
        Some(LadderSnapshot { rungs, rate: 0.5, accepted: vec![0.25, 0.75], temperatures: Some(vec![0.1, 0.7 / 3.0, 1.0]) });
    let chains = |rung: usize| [6, 3, 2].map(|n| (0..5 * n).map(|i| ((i + rung) % 3 % 2) as f32).collect());
    snapshot.persistent = Some((0..3).flat_map(chains).collect());
    let checkpoint = Checkpoint::from_snapshot(snapshot, None, BTreeMap::new());
    assert_eq!(read(&checkpoint.to_bytes(Precision::Full).unwrap()).unwrap(), checkpoint);
    let shipped = read(&checkpoint.to_bytes(Precision::Half).unwrap()).unwrap();
    let rungs = |file: &Checkpoint| file.ladder.as_ref().map_or(0, |ladder| ladder.rungs.len());
    assert!(rungs(&shipped) == 2 && shipped.persistent.is_none());
    let mut fewer = checkpoint;
    fewer.persistent.as_mut().unwrap().truncate(6);
    assert!(refusal(fewer.to_bytes(Precision::Full)).contains("persistent: expected 9 of them, but got 6"));
}

#[test]
fn persistent_chains_and_offsets_come_back() {
    let checkpoint = persistent_and_centered();
    let bytes = checkpoint.to_bytes(Precision::Full).unwrap();
    assert_eq!(read(&bytes).unwrap(), checkpoint);
    let shipped = read(&checkpoint.to_bytes(Precision::Half).unwrap()).unwrap();
    assert!(shipped.persistent.is_none() && shipped.offsets.is_none());
}

fn full() -> Checkpoint {
    let notes = [("command", "dbm train --steps 3"), ("data-sha256", "ab\"c\u{e9}")].map(|(k, v)| (k.into(), v.into()));
    Checkpoint::from_snapshot(snapshot(&[6, 3, 2], 2, true), Some((2, 3)), notes.into())
}

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
        let after = after.into_snapshot().unwrap();
        assert_eq!(after, before);
        let bits = |snapshot: &Snapshot| -> Vec<u32> {
            let sets = [&snapshot.parameters].into_iter().chain(&snapshot.optimizer_state).chain(&snapshot.average);
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
    assert_eq!((half.optimizer_state.as_ref(), &half.notes, half.image), (None, &file.notes, file.image));
    for (rounded, value) in half.parameters.weights[0].iter().zip(&file.parameters.weights[0]) {
        assert!((rounded - value).abs() <= value.abs() / 2048.0 + 1e-7);
    }
    assert!(
        refusal(half.clone().into_snapshot())
            .contains("holds weights only: its run cannot be resumed without its optimizer state")
    );
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
    assert_eq!((&shipped.parameters, &shipped.average, &shipped.optimizer_state), (&average, &None, &None));
    assert_eq!(shipped.model(), shipped.last_model());
    assert_eq!(file.weights_only(false).parameters, file.parameters);
    assert_eq!(read(&shipped.to_bytes(Precision::Full).unwrap()).unwrap(), shipped);
}

#[test]
fn another_programs_file_needs_only_its_units() {
    let tensor = |name: &str, shape: &str, from: usize, to: usize| {
        format!(r#""{name}":{{"dtype":"F32","shape":{shape},"data_offsets":[{from},{to}]}}"#)
    };
    let tensors = [tensor("bias.0", "[4]", 0, 16), tensor("bias.1", "[2]", 16, 24), tensor("weight.0", "[4,2]", 24, 56)];
    let header = format!(r#"{{"__metadata__":{{"units":"bits","author":"me"}},{}}}"#, tensors.join(","));
    let model = read(&[&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &[0; 56]].concat()).unwrap();
    assert_eq!(model.model().unwrap().sizes(), [4, 2]);
    assert_eq!((model.units, model.notes["author"].as_str(), model.step), (Units::Bits, "me", 0));
    assert!(refusal(model.into_snapshot()).contains("without its settings"));
}

/// What is not written: each would be refused on reading, or could not be resumed.
#[test]
fn what_does_not_fit_together_is_not_written() {
    fn persistent(file: &mut Checkpoint) -> &mut Vec<Vec<f32>> {
        file.persistent.as_mut().unwrap()
    }
    type Spoil = fn(&mut Checkpoint);
    let cases: [(&str, Spoil); 8] = [
        ("persistent.1: expected 15 values", |file| persistent(file)[1].truncate(14)),
        ("persistent.0: expected 24 values", |file| file.settings.as_mut().unwrap().batch = 4),
        ("offset.2: expected finite", |file| file.offsets.as_mut().unwrap()[2][0] = f32::NAN),
        ("optimizer.1.bias.2: expected finite values, but value 1 is inf", |file| {
            file.optimizer_state.as_mut().unwrap()[1].biases[2][1] = f32::INFINITY;
        }),
        ("average.weight: expected 2 of them, but got 1", |file| {
            file.average.as_mut().unwrap().weights.pop();
        }),
        ("rename the note", |file| drop(file.notes.insert("step".into(), "9".into()))),
        ("rows times columns", |file| file.image = Some((2, 2))),
        ("a number from 0 to below 1", |file| file.settings.as_mut().unwrap().average = Some(995.0)),
    ];
    for (words, spoil) in cases {
        let mut file = persistent_and_centered();
        spoil(&mut file);
        let message = refusal(file.to_bytes(Precision::Full));
        assert!(message.contains(words), "{message}");
    }
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    let bytes = full().to_bytes(Precision::Full).unwrap();
    for keep in 0..bytes.len() {
        let message = refusal(read(&bytes[..keep]));
        assert!(message.contains("cut short"), "{message}");
    }
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
