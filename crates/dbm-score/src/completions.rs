//! Quality of completions: agreement with the truth, whether they are read as the true digit, and diversity; and the baseline of the
//! nearest training digit.
//!
//! For bits, which are levels 0 and 255, the mean absolute difference of two pictures is the share of pixels in which they differ
//! (Hamming); for grey levels it is the mean difference as a share of the range.

use crate::ScoreError;
use crate::classes::distinct;
use crate::classifier::{Classifier, PIXELS};
use crate::error::whole_rows;
use dbm_core::Host;
use serde::{Deserialize, Serialize};

/// Examples per task.
const TASK: usize = 20;

/// Pictures with a part to be filled in.
#[derive(Clone, Copy, Debug)]
pub struct Questions<'a> {
    /// `[N, 784]`, grey levels.
    pub truths: &'a [u8],
    /// The digit of each truth, 0 to 9.
    pub labels: &'a [u8],
    /// `[N, 784]`, nonzero where unknown.
    pub unknown: &'a [u8],
}

/// Scores of completions, as means over all answers to all questions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Completions {
    /// Number of questions.
    pub count: usize,
    /// Number of answers to each question.
    pub answers: usize,
    /// Share of the unknown pixels that equal the truth; for grey levels, 1 less the mean difference. 1 if nothing is unknown.
    pub agreement: f64,
    /// Share of answers that the classifier reads as the true digit.
    pub read_right: f64,
    /// Share of questions with at least one such answer.
    pub read_right_once: f64,
    /// Number of distinct answers to a question.
    pub distinct: f64,
    /// Share of the unknown pixels in which two answers to the same question differ; for grey levels, their mean difference. `None` with
    /// one answer.
    pub diversity: Option<f64>,
}

impl Completions {
    /// Scores answers `[N, K, 784]`, grey levels, to N questions; complete pictures, including the known pixels.
    ///
    /// # Errors
    /// [`ScoreError::TooFew`] for no question or no answer, [`ScoreError::Shape`] if the shapes do not fit.
    pub fn of(host: &impl Host, classifier: &Classifier, questions: &Questions, answers: &[u8]) -> Result<Self, ScoreError> {
        questions.check()?;
        let count = questions.labels.len();
        let each = whole_rows(("answers", answers.len()), count * PIXELS, ("answers to a question", 1))?;
        let read = classifier.read(host, answers)?.digits;
        let right = |at: usize| {
            read[at * each..(at + 1) * each].iter().map(|&digit| u64::from(digit == questions.labels[at])).sum::<u64>()
        };
        let tasks: Vec<usize> = (0..count).step_by(TASK).collect();
        let parts = host.map(tasks, |start| {
            let mut sums = Sums::default();
            for at in start..(start + TASK).min(count) {
                let answers = &answers[at * each * PIXELS..(at + 1) * each * PIXELS];
                sums.add(&questions.truths[at * PIXELS..][..PIXELS], &questions.unknown[at * PIXELS..][..PIXELS], answers);
            }
            sums
        });
        let total = |of: fn(&Sums) -> u64| parts.iter().map(of).sum::<u64>() as f64;
        let unknown = total(|sums| sums.unknown);
        let share = |differences: f64, times: usize| {
            if unknown == 0.0 { 0.0 } else { differences / (255.0 * unknown * times as f64) }
        };
        let pairs = each * (each - 1) / 2;
        Ok(Self {
            count,
            answers: each,
            agreement: 1.0 - share(total(|sums| sums.from_truth), each),
            read_right: (0..count).map(right).sum::<u64>() as f64 / (count * each) as f64,
            read_right_once: (0..count).filter(|&at| right(at) > 0).count() as f64 / count as f64,
            distinct: total(|sums| sums.distinct) / count as f64,
            diversity: (pairs > 0).then(|| share(total(|sums| sums.apart), pairs)),
        })
    }
}

/// Integers, so that the order of addition does not matter.
#[derive(Default)]
struct Sums {
    /// Number of unknown pixels.
    unknown: u64,
    /// Differences of answers from the truth at these pixels, in grey levels.
    from_truth: u64,
    /// Differences of answers from each other at these pixels, over all pairs.
    apart: u64,
    distinct: u64,
}

impl Sums {
    fn add(&mut self, truth: &[u8], unknown: &[u8], answers: &[u8]) {
        let mask: Vec<u8> = unknown.iter().map(|&unknown| if unknown == 0 { 0 } else { u8::MAX }).collect();
        let parts: Vec<Vec<u8>> = answers.chunks_exact(PIXELS).map(|answer| masked(answer, &mask)).collect();
        let truth = masked(truth, &mask);
        self.unknown += mask.iter().map(|&mask| u64::from(mask != 0)).sum::<u64>();
        self.distinct += distinct(answers) as u64;
        for (at, part) in parts.iter().enumerate() {
            self.from_truth += u64::from(difference(part, &truth));
            self.apart += parts[..at].iter().map(|other| u64::from(difference(part, other))).sum::<u64>();
        }
    }
}

impl Questions<'_> {
    fn check(&self) -> Result<(), ScoreError> {
        let count = self.labels.len();
        if count == 0 {
            return Err(ScoreError::TooFew { what: "questions", least: 1, got: 0 });
        }
        for (what, values) in [("the truths of these questions", self.truths), ("their masks", self.unknown)] {
            if values.len() != count * PIXELS {
                return Err(ScoreError::Shape { what, expected: count * PIXELS, got: values.len() });
            }
        }
        Ok(())
    }

    /// The baseline: each question's unknown pixels are taken from the training digit that differs least on the known ones, the first of
    /// equal ones. `training` is `[M, 784]`; returns `[N, 784]`.
    ///
    /// # Errors
    /// [`ScoreError::TooFew`] for no question or no training digit, [`ScoreError::Shape`] if the shapes do not fit.
    pub fn nearest(&self, host: &impl Host, training: &[u8]) -> Result<Vec<u8>, ScoreError> {
        self.check()?;
        whole_rows(("training digits", training.len()), PIXELS, ("training digits", 1))?;
        let count = self.labels.len();
        let tasks: Vec<usize> = (0..count).step_by(TASK).collect();
        Ok(host.map(tasks, |start| self.nearest_of(start..(start + TASK).min(count), training)).concat())
    }

    fn nearest_of(&self, rows: std::ops::Range<usize>, training: &[u8]) -> Vec<u8> {
        let known = |at: usize| -> Vec<u8> {
            let unknown = &self.unknown[at * PIXELS..(at + 1) * PIXELS];
            unknown.iter().map(|&unknown| if unknown == 0 { u8::MAX } else { 0 }).collect()
        };
        let truth = |at: usize| &self.truths[at * PIXELS..(at + 1) * PIXELS];
        let masks: Vec<Vec<u8>> = rows.clone().map(known).collect();
        let asked: Vec<Vec<u8>> = rows.clone().zip(&masks).map(|(at, mask)| masked(truth(at), mask)).collect();
        let mut best = vec![(u32::MAX, 0); rows.len()];
        for (number, digit) in training.chunks_exact(PIXELS).enumerate() {
            for ((best, mask), asked) in best.iter_mut().zip(&masks).zip(&asked) {
                let apart = masked_difference(digit, mask, asked);
                if apart < best.0 {
                    *best = (apart, number);
                }
            }
        }
        let answer = |((at, mask), (_, number)): ((usize, &Vec<u8>), (u32, usize))| {
            let digit = &training[number * PIXELS..(number + 1) * PIXELS];
            truth(at)
                .iter()
                .zip(mask)
                .zip(digit)
                .map(|((&truth, &known), &other)| if known == 0 { other } else { truth })
                .collect::<Vec<u8>>()
        };
        rows.zip(&masks).zip(best).flat_map(answer).collect()
    }
}

fn masked(picture: &[u8], mask: &[u8]) -> Vec<u8> {
    picture.iter().zip(mask).map(|(&level, &mask)| level & mask).collect()
}

fn difference(a: &[u8], b: &[u8]) -> u32 {
    a.iter().zip(b).map(|(&a, &b)| u32::from(a.abs_diff(b))).sum()
}

/// The difference inside the mask between a picture and one that is already masked.
fn masked_difference(picture: &[u8], mask: &[u8], other: &[u8]) -> u32 {
    picture.iter().zip(mask).zip(other).map(|((&a, &mask), &b)| u32::from((a & mask).abs_diff(b))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbm_core::SingleThread;

    /// A picture with these pixels white.
    fn picture(white: &[usize]) -> Vec<u8> {
        let mut levels = vec![0; PIXELS];
        white.iter().for_each(|&at| levels[at] = 255);
        levels
    }

    /// Unknown: pixels 0 to 3.
    fn mask() -> Vec<u8> {
        (0..PIXELS).map(|at| u8::from(at < 4)).collect()
    }

    #[test]
    fn agreement_and_diversity_are_counted_over_unknown_pixels() {
        let classifier = Classifier::shipped().unwrap();
        let truths = [picture(&[0, 1, 100]), picture(&[100])].concat();
        let unknown = mask().repeat(2);
        let questions = Questions { truths: &truths, labels: &[1, 1], unknown: &unknown };
        // First question: one of 4 wrong, all right, two wrong. Second: none wrong, three times. Known pixels do not count.
        let answers =
            [picture(&[0, 100]), picture(&[0, 1, 100]), picture(&[2, 0, 300]), picture(&[100]), picture(&[100]), picture(&[100])]
                .concat();
        let found = Completions::of(&SingleThread, &classifier, &questions, &answers).unwrap();
        assert_eq!((found.count, found.answers, found.distinct), (2, 3, 2.0));
        assert!((found.agreement - 21.0 / 24.0).abs() < 1e-12, "{found:?}");
        // Pairs of the first: 1 + 1 + 2 pixels of 4; the second: none. Three pairs each.
        assert!(found.diversity.is_some_and(|diversity| (diversity - 4.0 / 24.0).abs() < 1e-12), "{found:?}");
        let one = Completions::of(&SingleThread, &classifier, &questions, &truths).unwrap();
        assert_eq!((one.agreement, one.diversity, one.distinct), (1.0, None, 1.0));
        // Half a range off in one of four pixels.
        let mut grey = truths.clone();
        grey[3] = 51;
        let found = Completions::of(&SingleThread, &classifier, &questions, &grey).unwrap();
        assert!((found.agreement - (1.0 - 0.2 / 8.0)).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn answers_read_right_are_counted_each_and_once_a_question() {
        let classifier = Classifier::shipped().unwrap();
        let truths = [picture(&[0]), picture(&[1])].concat();
        let read = classifier.read(&SingleThread, &truths).unwrap().digits;
        let unknown = mask().repeat(2);
        let answers = [&truths[..PIXELS], &truths[..PIXELS], &truths[PIXELS..], &truths[PIXELS..]].concat();
        for (labels, right, once) in [([read[0], read[1]], 1.0, 1.0), ([read[0], (read[1] + 1) % 10], 0.5, 0.5)] {
            let questions = Questions { truths: &truths, labels: &labels, unknown: &unknown };
            let found = Completions::of(&SingleThread, &classifier, &questions, &answers).unwrap();
            assert_eq!((found.read_right, found.read_right_once), (right, once));
        }
    }

    #[test]
    fn the_nearest_is_by_known_pixels_and_the_first_of_equals() {
        let truths = picture(&[0, 1, 2, 100, 101]);
        let unknown = mask();
        let questions = Questions { truths: &truths, labels: &[5], unknown: &unknown };
        // Over all pixels the first would be nearest; over the known ones the second and third are.
        let training = [picture(&[0, 1, 2, 100]), picture(&[3, 100, 101]), picture(&[1, 100, 101])];
        let answer = questions.nearest(&SingleThread, &training.concat()).unwrap();
        assert_eq!(answer, picture(&[3, 100, 101]));
        // Known pixels stay those of the question.
        let answer = questions.nearest(&SingleThread, &picture(&[3, 500])).unwrap();
        assert_eq!(answer, picture(&[3, 100, 101]));
    }

    #[test]
    fn shapes_that_do_not_fit_are_refused() {
        let classifier = Classifier::shipped().unwrap();
        let (truths, unknown) = (picture(&[1]), mask());
        let questions = Questions { truths: &truths, labels: &[5], unknown: &unknown };
        for (questions, answers) in [
            (Questions { labels: &[], ..questions }, &truths[..]),
            (Questions { labels: &[1, 2], ..questions }, &truths),
            (Questions { unknown: &unknown[1..], ..questions }, &truths),
            (questions, &truths[1..]),
        ] {
            assert!(Completions::of(&SingleThread, &classifier, &questions, answers).is_err());
        }
        let long = [truths.clone(), vec![0]].concat();
        assert!(Completions::of(&SingleThread, &classifier, &questions, &long).is_err());
        assert!(questions.nearest(&SingleThread, &[]).is_err() && questions.nearest(&SingleThread, &long).is_err());
    }
}
