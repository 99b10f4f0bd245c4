//! One answer out of several: the one that agrees most with the others, or one put together from them unit by unit.

/// Which of several answers to one question, `[answers, n]` as bytes 0 and 1, has the smallest sum of Hamming distances to the others
/// (their medoid); the first one in case of a tie.
///
/// An answer drawn at random from p(unknown | known) has a pixel right with probability p^2 + (1 - p)^2; the likelier value is right with
/// probability max(p, 1 - p). The pixel-wise majority of several answers comes closest to that, but may be a picture that the model would
/// never draw; the medoid is one that it did draw.
///
/// ```
/// use dbm_core::complete::consensus;
/// assert_eq!(consensus(3, &[1, 1, 1, /**/ 0, 1, 0, /**/ 1, 1, 0]), 2);
/// ```
///
/// # Panics
/// If there is no answer, or the answers are not of `n` units each.
pub fn consensus(n: usize, answers: &[u8]) -> usize {
    let highs = highs(n, answers);
    let count = answers.len() / n;
    // Where an answer is high, the answers that are low there differ from it, and the other way round.
    let distance = |answer: &[u8]| -> usize {
        answer.iter().zip(&highs).map(|(&bit, &highs)| if bit != 0 { count - highs } else { highs }).sum()
    };
    answers.chunks_exact(n).enumerate().min_by_key(|(_, answer)| distance(answer)).map_or(0, |(place, _)| place)
}

/// What most of several answers to one question say, unit by unit; low in case of a tie. `answers` is `[answers, n]`, bytes 0 and 1.
///
/// For answers drawn from p(unknown | known) it estimates the maximizer of the posterior marginals, which has the fewest wrong units in
/// expectation. It may be a state that the model would never draw.
///
/// ```
/// use dbm_core::complete::majority;
/// assert_eq!(majority(3, &[1, 1, 1, /**/ 0, 1, 0, /**/ 1, 1, 0]), [1, 1, 0]);
/// ```
///
/// # Panics
/// If there is no answer, or the answers are not of `n` units each.
pub fn majority(n: usize, answers: &[u8]) -> Vec<u8> {
    let highs = highs(n, answers);
    let count = answers.len() / n;
    highs.into_iter().map(|highs| u8::from(2 * highs > count)).collect()
}

/// As many high units as several answers to one question have on average, rounded: the units that are high most often, and the first of
/// them in case of a tie. `answers` is `[answers, n]`, bytes 0 and 1.
///
/// Of all states with that many high units it differs least from all answers together. Where the answers disagree, the majority is low as
/// soon as low is likelier, so a picture with few white pixels loses white: of a stroke that is in one place or another, nothing is left.
/// Here it is kept, at the cost of some wrong units.
///
/// ```
/// use dbm_core::complete::{balanced, majority};
/// let answers = [1, 1, 0, 0, /**/ 1, 0, 0, 1, /**/ 0, 1, 1, 0, /**/ 0, 1, 0, 1];
/// assert_eq!(majority(4, &answers), [0, 1, 0, 0]);
/// assert_eq!(balanced(4, &answers), [1, 1, 0, 0]);
/// ```
///
/// # Panics
/// If there is no answer, or the answers are not of `n` units each.
pub fn balanced(n: usize, answers: &[u8]) -> Vec<u8> {
    let highs = highs(n, answers);
    let count = answers.len() / n;
    let weight = (2 * highs.iter().sum::<usize>() + count) / (2 * count);
    let mut often: Vec<usize> = (0..n).collect();
    often.sort_by_key(|&i| std::cmp::Reverse(highs[i]));
    let mut state = vec![0; n];
    often[..weight].iter().for_each(|&i| state[i] = 1);
    state
}

/// For each unit, the number of answers in which it is high.
fn highs(n: usize, answers: &[u8]) -> Vec<usize> {
    assert!(n > 0 && !answers.is_empty() && answers.len().is_multiple_of(n), "{} bytes are no answers of {n}", answers.len());
    let mut highs = vec![0; n];
    for answer in answers.chunks_exact(n) {
        highs.iter_mut().zip(answer).for_each(|(sum, &bit)| *sum += usize::from(bit != 0));
    }
    highs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Streams};

    /// The least sum of Hamming distances to all answers that a state with this property can have.
    fn least(n: usize, answers: &[u8], property: impl Fn(&[u8]) -> bool) -> usize {
        let states = (0..1 << n).map(|code| (0..n).map(|i| code >> i & 1).collect::<Vec<u8>>());
        states.filter(|state| property(state)).map(|state| sum(&state, answers)).min().unwrap()
    }

    fn sum(row: &[u8], answers: &[u8]) -> usize {
        answers.chunks(row.len()).map(|other| other.iter().zip(row).filter(|(a, b)| a != b).count()).sum()
    }

    #[test]
    fn the_majority_differs_least_from_all_answers_together() {
        let mut stream = Streams::new(4).at(Purpose::Completion, 0, 0);
        let n = 6;
        for count in [1, 2, 5, 8] {
            let answers: Vec<u8> = (0..count * n).map(|_| u8::from(stream.coin())).collect();
            assert_eq!(sum(&majority(n, &answers), &answers), least(n, &answers, |_| true), "{count} answers");
        }
    }

    #[test]
    fn the_balanced_one_differs_least_among_those_as_high_as_an_answer() {
        let mut stream = Streams::new(5).at(Purpose::Completion, 0, 0);
        let n = 7;
        let high = |state: &[u8]| state.iter().map(|&bit| usize::from(bit)).sum::<usize>();
        for count in [1, 2, 3, 4, 8] {
            let mut answers: Vec<u8> = (0..count * n).map(|_| u8::from(stream.coin())).collect();
            // Known units are the same in all answers, and stay so.
            answers.chunks_mut(n).for_each(|answer| answer[..2].copy_from_slice(&[1, 0]));
            let state = balanced(n, &answers);
            let mean = high(&answers) as f64 / count as f64;
            assert!((high(&state) as f64 - mean).abs() <= 0.5, "{count} answers");
            assert_eq!(sum(&state, &answers), least(n, &answers, |other| high(other) == high(&state)), "{count} answers");
            assert_eq!(state[..2], [1, 0]);
            assert!(count > 1 || state == answers);
        }
        assert_eq!(balanced(2, &[0, 0, 0, 0]), [0, 0]);
        assert_eq!(balanced(2, &[1, 1, 1, 1]), [1, 1]);
    }

    #[test]
    fn it_is_the_medoid_by_its_definition() {
        let mut stream = Streams::new(3).at(Purpose::Completion, 0, 0);
        for count in 1..9 {
            for n in [1, 5, 40] {
                let answers: Vec<u8> = (0..count * n).map(|_| u8::from(stream.coin())).collect();
                let rows: Vec<&[u8]> = answers.chunks(n).collect();
                let sum = |row: &[u8]| -> usize {
                    rows.iter().map(|other| other.iter().zip(row).filter(|(a, b)| a != b).count()).sum()
                };
                let least = rows.iter().map(|row| sum(row)).min().unwrap();
                let first = rows.iter().position(|row| sum(row) == least).unwrap();
                assert_eq!(consensus(n, &answers), first, "{count} answers of {n}");
            }
        }
    }
}
