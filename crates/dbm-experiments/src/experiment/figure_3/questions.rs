//! Digits with a part hidden, their answers by a model, and the scores of these.

use crate::Error;
use crate::answers::{self, Answering};
use crate::experiment::scored;
use crate::experiment::workspace::Workspace;
use crate::score::pictures;
use dbm_core::Dbm;
use dbm_core::complete::consensus;
use dbm_data::Dataset;
use dbm_score::{Classifier, Completions, PIXELS, Questions};
use serde::{Deserialize, Serialize};

/// Examples whose answers are kept together: what an interruption costs at most.
const PART: usize = 500;

/// What is hidden: as in `dbm complete --mask NAME`, and in words.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Mask {
    pub name: &'static str,
    pub words: &'static str,
}

pub const MASKS: [Mask; 5] = [
    Mask { name: "lower-half", words: "lower half" },
    Mask { name: "upper-half", words: "upper half" },
    Mask { name: "left-half", words: "left half" },
    Mask { name: "right-half", words: "right half" },
    Mask { name: "random:0.5", words: "half of the pixels" },
];

/// How the model answers.
#[derive(Clone, Copy, Debug)]
pub struct Method {
    pub name: &'static str,
    pub words: &'static str,
    /// Beside the pictures.
    pub label: &'static str,
    by: answers::Method,
    pub sweeps: u32,
}

pub const METHODS: [Method; 4] = [
    Method { name: "search", words: "search alone (the paper's way)", label: "search", by: answers::Method::Search, sweeps: 0 },
    Method {
        name: "gibbs",
        words: "100 Gibbs sweeps, then search",
        label: "sweeps, search",
        by: answers::Method::Gibbs,
        sweeps: 100,
    },
    Method {
        name: "annealed",
        words: "100 annealed Gibbs sweeps, then search",
        label: "annealed, search",
        by: answers::Method::Annealed,
        sweeps: 100,
    },
    Method {
        name: "mean-field",
        words: "mean field, 100 Gibbs sweeps, then search",
        label: "mean field, search",
        by: answers::Method::MeanField,
        sweeps: 100,
    },
];

/// The questions of all masks, and who answers them.
pub struct QuestionSet<'a> {
    pub model: &'a Dbm,
    pub classifier: &'a Classifier,
    /// Test digits, and how many of them, from the first, are asked about.
    pub data: &'a Dataset,
    pub count: usize,
    /// Answers an example.
    pub answers: usize,
    /// Which examples are pictured.
    pub pictured: &'a [usize],
}

/// The scores of a method's answers to one mask, of all examples or a part of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answered {
    /// Unknown pixels of these examples.
    pub unknown: u64,
    pub all: Completions,
    /// Of each example's consensus alone.
    pub consensus: Completions,
    /// Of each pictured example its answers, and which of them is the consensus.
    pub pictured: Vec<(usize, Vec<u8>, usize)>,
}

/// What else could be put into the hidden part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rivals {
    pub nearest: Completions,
    pub blank: Completions,
    pub truth: Completions,
    /// Of the pictured examples.
    pub pictured: Vec<(usize, Vec<u8>)>,
}

/// Everything about one mask.
#[derive(Serialize)]
pub struct Asked {
    pub mask: Mask,
    /// One a method, in the order of [`METHODS`].
    pub answered: Vec<Answered>,
    pub rivals: Rivals,
}

/// A line of the table: who answers, its scores, and the mask it belongs to.
#[derive(Serialize)]
pub struct Line<'a> {
    pub mask: Mask,
    pub name: String,
    pub words: &'static str,
    pub scores: &'a Completions,
}

impl Asked {
    pub fn lines(&self) -> Vec<Line<'_>> {
        let line = |name: &str, words, scores| Line { mask: self.mask, name: name.into(), words, scores };
        let mut lines = Vec::new();
        for (method, answered) in METHODS.iter().zip(&self.answered) {
            lines.push(line(method.name, method.words, &answered.all));
            lines.push(line(&format!("{}-consensus", method.name), "the consensus of these", &answered.consensus));
        }
        lines.push(line("nearest", "nearest training digit, by the known pixels", &self.rivals.nearest));
        lines.push(line("blank", "nothing", &self.rivals.blank));
        lines.push(line("truth", "the truth", &self.rivals.truth));
        lines
    }
}

impl QuestionSet<'_> {
    /// `[count, 784]`, 1 where a pixel is hidden.
    pub fn unknown(&self, mask: Mask, seed: u64) -> Result<Vec<u8>, Error> {
        answers::unknown(mask.name, seed, self.count, self.data, None)
    }

    /// All answers of a method to a mask, scored; made part by part, each kept.
    ///
    /// # Errors
    /// Those of [`Workspace::cell`].
    pub fn answered(&self, workspace: &Workspace, mask: Mask, method: Method) -> Result<Answered, Error> {
        let unknown = self.unknown(mask, workspace.seed)?;
        let asked = Answering {
            answers: self.answers as u32,
            method: method.by,
            sweeps: method.sweeps,
            consensus: None,
            class_first: None,
        };
        let mut whole: Option<Answered> = None;
        for start in (0..self.count).step_by(PART) {
            let rows = start..(start + PART).min(self.count);
            let recipe =
                (mask.name, method.name, self.answers, &rows, workspace.seed, self.model.checksum(), &self.data.name, PART);
            let name = format!("{}-{}-{start:05}", mask.name.replace(':', "-"), method.name);
            let (part, _) = workspace.cell(&name, &recipe, || {
                workspace.say(&format!("{}, {}: examples {start} to {}", mask.words, method.words, rows.end));
                self.part(workspace, asked, rows.clone(), &unknown)
            })?;
            whole = Some(match whole {
                None => part,
                Some(whole) => whole.and(part),
            });
        }
        whole.ok_or_else(|| Error::Input("there are no digits to ask about; give test digits".into()))
    }

    fn part(
        &self,
        workspace: &Workspace,
        asked: Answering,
        rows: std::ops::Range<usize>,
        unknown: &[u8],
    ) -> Result<Answered, Error> {
        let each = self.answers * PIXELS;
        let mut answers = asked.draw(workspace.session, self.model, (self.data, rows.clone()), unknown, workspace.seed);
        let chosen: Vec<usize> = answers.chunks_exact(each).map(|answers| consensus(PIXELS, answers)).collect();
        answers.iter_mut().for_each(|bit| *bit *= u8::MAX);
        let picks = answers.chunks_exact(each).zip(&chosen);
        let agreed: Vec<u8> = picks.flat_map(|(answers, &at)| &answers[at * PIXELS..(at + 1) * PIXELS]).copied().collect();
        let truths = pictures(self.data, rows.clone());
        let unknown = &unknown[rows.start * PIXELS..rows.end * PIXELS];
        let questions = Questions { truths: &truths, labels: &scored::labels(self.data)?[rows.clone()], unknown };
        let score = |answers: &[u8]| Completions::of(workspace.session, self.classifier, &questions, answers);
        let pictured = self.pictured.iter().filter(|row| rows.contains(row)).map(|&row| {
            let at = row - rows.start;
            (row, answers[at * each..(at + 1) * each].to_vec(), chosen[at])
        });
        Ok(Answered {
            unknown: unknown.iter().filter(|&&unknown| unknown != 0).count() as u64,
            all: score(&answers)?,
            consensus: score(&agreed)?,
            pictured: pictured.collect(),
        })
    }

    /// The nearest training digit, nothing at all, and the truth, in the same place.
    ///
    /// # Errors
    /// Those of [`Workspace::cell`].
    pub fn rivals(&self, workspace: &Workspace, mask: Mask, training: &Dataset) -> Result<Rivals, Error> {
        let recipe =
            (mask.name, self.count, workspace.seed, &self.data.name, (&training.name, training.examples.len()), self.pictured);
        let (rivals, _) = workspace.cell(&format!("{}-rivals", mask.name.replace(':', "-")), &recipe, || {
            workspace.say(&format!("{}: the nearest of {} training digits", mask.words, training.examples.len()));
            let (truths, unknown) = (pictures(self.data, 0..self.count), self.unknown(mask, workspace.seed)?);
            let questions = Questions { truths: &truths, labels: &scored::labels(self.data)?[..self.count], unknown: &unknown };
            let score = |answers: &[u8]| Completions::of(workspace.session, self.classifier, &questions, answers);
            let nearest = questions.nearest(workspace.session, &pictures(training, 0..training.examples.len()))?;
            let blank: Vec<u8> =
                truths.iter().zip(&unknown).map(|(&level, &unknown)| if unknown == 0 { level } else { 0 }).collect();
            let pictured = self.pictured.iter().map(|&row| (row, nearest[row * PIXELS..(row + 1) * PIXELS].to_vec()));
            Ok(Rivals { nearest: score(&nearest)?, blank: score(&blank)?, truth: score(&truths)?, pictured: pictured.collect() })
        })?;
        Ok(rivals)
    }
}

impl Answered {
    /// Two parts as one.
    fn and(mut self, other: Self) -> Self {
        let weights = (self.unknown, other.unknown);
        self.all = both((self.all, other.all), weights);
        self.consensus = both((self.consensus, other.consensus), weights);
        self.unknown += other.unknown;
        self.pictured.extend(other.pictured);
        self
    }
}

/// Means over the examples of two parts: by example, or by unknown pixel where a mean is over these.
fn both((a, b): (Completions, Completions), (pixels_a, pixels_b): (u64, u64)) -> Completions {
    let mean =
        |a: f64, b: f64, (of_a, of_b): (f64, f64)| if of_a + of_b > 0.0 { (a * of_a + b * of_b) / (of_a + of_b) } else { a };
    let (pixels, examples) = ((pixels_a as f64, pixels_b as f64), (a.count as f64, b.count as f64));
    Completions {
        count: a.count + b.count,
        answers: a.answers,
        agreement: mean(a.agreement, b.agreement, pixels),
        read_right: mean(a.read_right, b.read_right, examples),
        read_right_once: mean(a.read_right_once, b.read_right_once, examples),
        distinct: mean(a.distinct, b.distinct, examples),
        diversity: a.diversity.zip(b.diversity).map(|(a, b)| mean(a, b, pixels)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbm_data::digits;

    #[test]
    fn masks_hide_half_and_no_two_are_alike() {
        let data = digits::dataset(20, 1).unwrap();
        let hidden = |name: &str| answers::unknown(name, 3, 20, &data, None).unwrap();
        for Mask { name, .. } in MASKS {
            let share = hidden(name).iter().map(|&unknown| f64::from(unknown)).sum::<f64>() / (20.0 * PIXELS as f64);
            assert!((share - 0.5).abs() < 0.02, "{name}: {share}");
        }
        let random = hidden("random:0.5");
        assert_ne!(random[..PIXELS], random[PIXELS..2 * PIXELS]);
        let (lower, upper) = (hidden("lower-half"), hidden("upper-half"));
        assert!(lower.iter().zip(&upper).all(|(lower, upper)| lower + upper == 1));
        assert_eq!((lower[0], lower[PIXELS - 1]), (0, 1));
    }

    #[test]
    fn parts_make_the_whole() {
        let of = |count: usize, value: f64| Completions {
            count,
            answers: 4,
            agreement: value,
            read_right: value,
            read_right_once: value,
            distinct: value,
            diversity: Some(value),
        };
        let whole = both((of(30, 1.0), of(10, 0.0)), (100, 300));
        assert_eq!((whole.count, whole.agreement, whole.diversity), (40, 0.25, Some(0.25)));
        assert_eq!((whole.read_right, whole.read_right_once, whole.distinct), (0.75, 0.75, 0.75));
    }
}
