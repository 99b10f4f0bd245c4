//! One answer of several: the one that the others agree with most.

/// Which of several answers to one question, `[answers, n]` as bytes 0 and 1, has the smallest sum of Hamming distances to the others (their medoid); the
/// first of those where several have.
///
/// An answer drawn at random from p(unknown | known) is right in a pixel with probability p^2 + (1 - p)^2, the one of the larger
/// probability with max(p, 1 - p). The majority of several answers, pixel by pixel, comes nearest to that and may be a picture that the model would
/// never draw; the medoid is one it did draw.
///
/// ```
/// use dbm_core::complete::consensus;
/// assert_eq!(consensus(3, &[1, 1, 1, /**/ 0, 1, 0, /**/ 1, 1, 0]), 2);
/// ```
///
/// # Panics
/// If there is no answer, or the answers are not of `n` units each.
pub fn consensus(n: usize, answers: &[u8]) -> usize {
    assert!(n > 0 && !answers.is_empty() && answers.len().is_multiple_of(n), "{} bytes are no answers of {n}", answers.len());
    let count = answers.len() / n;
    let mut highs = vec![0; n];
    for answer in answers.chunks_exact(n) {
        highs.iter_mut().zip(answer).for_each(|(sum, &bit)| *sum += usize::from(bit != 0));
    }
    // Where an answer is high, those that are low differ from it, and the other way round.
    let distance = |answer: &[u8]| -> usize {
        answer.iter().zip(&highs).map(|(&bit, &highs)| if bit != 0 { count - highs } else { highs }).sum()
    };
    answers.chunks_exact(n).enumerate().min_by_key(|(_, answer)| distance(answer)).map_or(0, |(place, _)| place)
}

/// What most of several answers to one question say, unit by unit; low where they are even. `answers` is `[answers, n]`, bytes 0 and 1.
///
/// Of answers drawn from p(unknown | known) it estimates the maximizer of the posterior marginals, which is wrong in the fewest units that can be expected.
/// It may be a state that the model would never draw.
///
/// ```
/// use dbm_core::complete::majority;
/// assert_eq!(majority(3, &[1, 1, 1, /**/ 0, 1, 0, /**/ 1, 1, 0]), [1, 1, 0]);
/// ```
///
/// # Panics
/// If there is no answer, or the answers are not of `n` units each.
pub fn majority(n: usize, answers: &[u8]) -> Vec<u8> {
    assert!(n > 0 && !answers.is_empty() && answers.len().is_multiple_of(n), "{} bytes are no answers of {n}", answers.len());
    let count = answers.len() / n;
    (0..n).map(|i| u8::from(2 * answers.iter().skip(i).step_by(n).filter(|&&bit| bit != 0).count() > count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Streams};

    #[test]
    fn the_majority_differs_least_from_all_answers_together() {
        let mut stream = Streams::new(4).at(Purpose::Completion, 0, 0);
        let n = 6;
        for count in [1, 2, 5, 8] {
            let answers: Vec<u8> = (0..count * n).map(|_| u8::from(stream.coin())).collect();
            let sum = |row: &[u8]| -> usize {
                answers.chunks(n).map(|other| other.iter().zip(row).filter(|(a, b)| a != b).count()).sum()
            };
            let least = (0..1 << n).map(|code| sum(&(0..n).map(|i| code >> i & 1).collect::<Vec<u8>>())).min().unwrap();
            assert_eq!(sum(&majority(n, &answers)), least, "{count} answers");
        }
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
