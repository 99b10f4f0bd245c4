//! The shipped classifier on real digits, and scores of pictures with known answers.

use dbm_core::{Host, SingleThread};
use dbm_data::{digits, npy};
use dbm_score::{CLASSES, Classifier, Completions, FEATURES, PIXELS, Questions, Reference, Scores};

/// Four of each class, in order, from MNIST's test digits.
fn forty() -> Vec<u8> {
    npy::read_u8("forty-digits.npy", include_bytes!("fixtures/forty-digits.npy")).unwrap().1
}

fn binarized(levels: &[u8]) -> Vec<u8> {
    levels.iter().map(|&level| u8::from(level > dbm_score::BINARIZED_ABOVE) * u8::MAX).collect()
}

fn drawn(seed: u64, count: u64) -> Vec<u8> {
    (0..count).flat_map(|index| digits::image(seed, index).0).collect()
}

/// With several threads, in another order.
struct Backwards;

impl Host for Backwards {
    fn map<T: Send, R: Send>(&self, items: Vec<T>, f: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
        let mut results: Vec<R> = std::thread::scope(|scope| {
            let running: Vec<_> = items.into_iter().rev().map(|item| scope.spawn(|| f(item))).collect();
            running.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        results.reverse();
        results
    }

    fn now(&self) -> f64 {
        0.0
    }
}

#[test]
fn the_shipped_classifier_reads_real_digits() {
    let classifier = Classifier::shipped().unwrap();
    for pictures in [forty(), binarized(&forty())] {
        let reading = classifier.read(&SingleThread, &pictures).unwrap();
        let truth: Vec<u8> = (0..40).map(|at| at / 4).collect();
        assert_eq!(reading.digits, truth);
        assert!(reading.confidence.iter().sum::<f32>() / 40.0 > 0.95, "{:?}", reading.confidence);
        assert_eq!(reading.features.len(), 40 * FEATURES);
        assert!(reading.features.iter().all(|&feature| feature >= 0.0));
    }
}

/// The bits of all features, pinned: a change here changes every score.
#[test]
fn features_are_the_same_on_every_machine() {
    let classifier = Classifier::shipped().unwrap();
    let reading = classifier.read(&SingleThread, &forty()).unwrap();
    let hash = reading
        .features
        .iter()
        .fold(0_u64, |hash, x| hash.rotate_left(5).wrapping_mul(0x0100_0000_01b3) ^ u64::from(x.to_bits()));
    assert_eq!(hash, PINNED);
    assert_eq!(reading, classifier.read(&Backwards, &forty()).unwrap());
}
const PINNED: u64 = 11_088_334_132_837_905_480;

#[test]
fn a_file_is_read_as_it_was_written_and_damage_is_named() {
    let classifier = Classifier::shipped().unwrap();
    let bytes = classifier.to_bytes();
    assert!(bytes.len() < 500_000);
    assert_eq!(Classifier::from_bytes("x", &bytes).unwrap(), classifier);
    let said = |bytes: &[u8]| Classifier::from_bytes("x.safetensors", bytes).map_err(|error| error.to_string()).unwrap_err();
    for damaged in [&bytes[..bytes.len() - 1], &bytes[1..], b"no weights", b""] {
        assert!(said(damaged).contains("x.safetensors is no classifier of this program"), "{}", said(damaged));
    }
    let renamed: Vec<u8> = String::from_utf8_lossy(&bytes[..600]).replace("conv2.bias", "conv2.bass").into_bytes();
    assert!(said(&[&renamed, &bytes[600..]].concat()).contains("conv2.bias"));
    let mut infinite = bytes.clone();
    let end = infinite.len();
    infinite[end - 2..].copy_from_slice(&[0x00, 0x7c]);
    assert!(said(&infinite).contains("not finite"), "{}", said(&infinite));
}

#[test]
fn scores_rank_copies_kin_and_strangers() {
    let reference = Reference::new(&SingleThread, Classifier::shipped().unwrap(), &drawn(1, 150)).unwrap();
    let of = |pictures: &[u8]| reference.scores(&SingleThread, pictures).unwrap();
    let (same, kin, stranger) = (of(&drawn(1, 150)), of(&drawn(2, 150)), of(&drawn(2, 1).repeat(150)));
    assert!(same.quality.digit_frechet_distance.abs() < 1e-6 * kin.quality.digit_frechet_distance, "{same:?}");
    assert!(kin.quality.digit_frechet_distance < stranger.quality.digit_frechet_distance);
    assert_eq!((same.overlap.precision, same.overlap.recall, same.overlap.coverage), (1.0, 1.0, 1.0));
    assert!(kin.overlap.coverage > 0.5 && kin.overlap.recall > 0.5, "{kin:?}");
    assert!(stranger.overlap.recall < 0.1 && stranger.overlap.coverage < 0.1, "{stranger:?}");
    assert_eq!((stranger.quality.distinct, stranger.quality.classes.entropy), (1.0 / 150.0, 0.0));
    assert!(kin.quality.classes.entropy > 1.5 && kin.quality.classes.shares.iter().sum::<f64>() > 0.999);
    assert_eq!((same.count, same.neighbours, reference.count(), same.quality.classes.shares.len()), (150, 5, 150, CLASSES));
    assert_eq!(kin, reference.scores(&Backwards, &drawn(2, 150)).unwrap());
    assert_eq!(reference, Reference::new(&Backwards, Classifier::shipped().unwrap(), &drawn(1, 150)).unwrap());
}

#[test]
fn scores_survive_json() {
    let reference = Reference::new(&SingleThread, Classifier::shipped().unwrap(), &drawn(1, 20)).unwrap();
    let scores = reference.scores(&SingleThread, &drawn(2, 20)).unwrap();
    let json = serde_json::to_value(scores).unwrap();
    for name in
        ["digit_frechet_distance", "precision", "recall", "density", "coverage", "distinct", "entropy", "shares", "confidence"]
    {
        assert!(json.get(name).is_some_and(|value| value.is_number() || value.is_array()), "{name}: {json}");
    }
    assert_eq!(serde_json::from_value::<Scores>(json).unwrap(), scores);
    assert!(reference.scores(&SingleThread, &drawn(2, 5)).is_err(), "five pictures have no five neighbours each");
    assert!(reference.scores(&SingleThread, &[0; 7]).is_err());
}

#[test]
fn a_training_digit_completes_its_own_copy() {
    let (truths, labels) = (binarized(&forty()), (0..40).map(|at| at / 4).collect::<Vec<u8>>());
    let unknown: Vec<u8> = (0..PIXELS).map(|at| u8::from(at >= PIXELS / 2)).collect::<Vec<u8>>().repeat(40);
    let questions = Questions { truths: &truths, labels: &labels, unknown: &unknown };
    let answers = questions.nearest(&Backwards, &[drawn(1, 30), truths.clone()].concat()).unwrap();
    let found = Completions::of(&Backwards, &Classifier::shipped().unwrap(), &questions, &answers).unwrap();
    assert_eq!((found.agreement, found.read_right, found.distinct, found.diversity), (1.0, 1.0, 1.0, None));
    // Even without the digit itself, the others agree in most pixels.
    let others = questions.nearest(&SingleThread, &drawn(1, 300)).unwrap();
    let found = Completions::of(&SingleThread, &Classifier::shipped().unwrap(), &questions, &others).unwrap();
    assert!(found.agreement > 0.6 && found.agreement < 1.0, "{found:?}");
}
