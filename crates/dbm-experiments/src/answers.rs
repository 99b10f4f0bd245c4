//! Answers to questions: examples with something hidden, and what a model fills in.

use crate::samples::{CHAINS, MAX_SWEEPS};
use crate::{Error, Session, files};
use dbm_core::classes::{likeliest, predictions, shared};
use dbm_core::complete::{Completer, Method, SamplingSchedule, balanced, consensus, majority};
use dbm_core::linalg::Matrix;
use dbm_core::rng::{Purpose, Streams};
use dbm_core::words::{Choice, Choose, Words, choice, words};
use dbm_core::{Clamp, Dbm};
use dbm_data::raw::Visible;
use dbm_data::{Dataset, npy};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::Path;

/// How answers are drawn.
#[derive(Clone, Copy, Debug)]
pub struct Answering {
    /// Answers to each question.
    pub answers: u32,
    /// How each is drawn.
    pub method: Method,
    /// Gibbs sweeps of the methods that have some.
    pub sweeps: u32,
    /// Makes one answer of all.
    pub consensus: Option<Consensus>,
    /// Before anything is filled in the class of the example is read in this way and then clamped: of models whose top layer stands for classes. Several answers share the classes as they are
    /// probable; where one answer is made of them, all are of the likeliest.
    pub class_first: Option<ClassReading>,
}

/// How the class of an example is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClassReading {
    /// By [`VOTERS`] chains together.
    Chains,
    /// By what mean field predicts.
    MeanField,
}

impl Choose for ClassReading {
    const WORDS: Words = words(
        "class-first",
        "Class first",
        "Of a model with labels: read first what class the example is of, and draw the answers with classes clamped, in proportion to how probable each is; with --consensus all with the likeliest",
    );
    const CHOICES: &'static [Choice<Self>] = &[
        choice(Self::Chains, "chains", "chains", "As 32 chains say together"),
        choice(Self::MeanField, "mean-field", "mean field", "As mean field predicts it, for models that were trained to"),
    ];
}

/// One answer of many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Consensus {
    /// The answer that the others agree with most.
    Medoid,
    /// What most answers say, unit by unit.
    Majority,
    /// The units that are high in most answers, as many as are high in an answer.
    Balanced,
}

impl Choose for Consensus {
    const WORDS: Words = words(
        "consensus",
        "Consensus",
        "Make one answer of these: the one that the others agree with most, or what most of them say, unit by unit",
    );
    const CHOICES: &'static [Choice<Self>] = &[
        choice(Self::Medoid, "medoid", "medoid", "The answer that the others agree with most"),
        choice(Self::Majority, "majority", "majority", "What most answers say, unit by unit"),
        choice(
            Self::Balanced,
            "balanced",
            "balanced majority",
            "The units that are high in most answers, as many as are high in an answer",
        ),
    ];
}

impl Consensus {
    /// Of `answers` answers to each question, `[count, answers, n]`, the one that is made of them, `[count, n]`.
    pub fn of(self, n: usize, answers: usize, bits: &[u8]) -> Vec<u8> {
        let of_one = |bits: &[u8]| match self {
            Self::Medoid => bits.chunks(n).nth(consensus(n, bits)).unwrap_or_default().to_vec(),
            Self::Majority => majority(n, bits),
            Self::Balanced => balanced(n, bits),
        };
        bits.chunks(n * answers).flat_map(of_one).collect()
    }
}

/// That the data are of the model's shape, and that there are as many examples as asked for.
///
/// # Errors
/// [`Error::Input`] and [`Error::Usage`].
pub fn check_fit(model: &Dbm, data: &Dataset, count: usize) -> Result<(), Error> {
    let (n, width, there) = (model.n_visible(), data.examples.width(), data.examples.len());
    if width != n {
        return Err(Error::Input(format!(
            "the model has {n} visible units, but the examples of {} have {width} bits; give data of the model's shape",
            data.name
        )));
    }
    if count > there {
        return Err(Error::Usage(format!("--count should be at most the {there} examples there are, but is {count}")));
    }
    Ok(())
}

impl Answering {
    /// Answers an example that are kept.
    pub fn kept(&self) -> usize {
        if self.consensus.is_some() { 1 } else { self.answers as usize }
    }

    /// How a chain goes from noise to an answer.
    pub fn schedule(&self) -> SamplingSchedule {
        self.method.schedule(self.sweeps)
    }

    /// Answers to these examples, `[rows, kept, visible]`, where `unknown` (a row of `visible` for each example, from the first on) is not 0 or the data
    /// lack a bit. Each depends on the model, the example, the seed and its number alone.
    pub fn draw(
        &self,
        session: &Session,
        model: &Dbm,
        (data, rows): (&Dataset, Range<usize>),
        unknown: &[u8],
        seed: u64,
    ) -> Vec<u8> {
        // The chains of all answers to an example go together.
        let each = (CHAINS
            / self.answers.max(if self.class_first == Some(ClassReading::Chains) { VOTERS as u32 } else { 1 }) as usize)
            .max(1);
        session.in_parts("examples", rows, each, |rows| self.answer(model, data, rows, unknown, seed)).concat()
    }

    /// `answers` completions of each of these examples, one after another.
    fn answer(&self, model: &Dbm, data: &Dataset, rows: Range<usize>, unknown: &[u8], seed: u64) -> Vec<u8> {
        let (n, answers) = (model.n_visible(), self.answers as usize);
        let mut visible = Matrix::zeros(rows.len() * answers, n);
        let mut known = Vec::with_capacity(visible.data().len());
        for chain in 0..visible.rows() {
            let example = rows.start + chain / answers;
            data.examples.write_row(example, model.units(), visible.row_mut(chain));
            let asked = unknown[example * n..(example + 1) * n].iter();
            known.extend(asked.zip(data.examples.known_row(example)).map(|(&u, known)| u == 0 && known));
        }
        let first = (rows.start * answers) as u64;
        let mut completer = if let Some(reading) = self.class_first {
            let questions: Vec<usize> = (0..rows.len()).map(|row| row * answers).collect();
            let asked = (visible.select(&questions), Clamp::Known(known.clone()).of_rows(&questions, n));
            let read = match reading {
                ClassReading::Chains => self.classes(model, asked, rows.start, seed),
                ClassReading::MeanField => predictions(model, &asked.0, &asked.1),
            };
            let of = |p: &Vec<f64>| if self.consensus.is_some() { vec![likeliest(p); answers] } else { shared(p, answers) };
            let classes: Vec<usize> = read.iter().flat_map(of).collect();
            Completer::complete_class(model, visible, Clamp::Known(known), &classes, (seed, first))
        } else {
            Completer::complete(model, visible, Clamp::Known(known), seed, first)
        };
        let bits = if self.method.is_searched() {
            completer.run(model, self.schedule(), MAX_SWEEPS).0
        } else {
            let mut done = 0;
            while completer.advance(model, self.schedule(), done, MAX_SWEEPS) {
                done += 1;
            }
            completer.visible_bits()
        };
        match self.consensus {
            Some(consensus) => consensus.of(n, answers, &bits),
            None => bits,
        }
    }
}

/// Chains that say together what class an example is of.
pub const VOTERS: usize = 32;

impl Answering {
    /// How probable each class of each question is, by chains of their own.
    fn classes(&self, model: &Dbm, (visible, clamp): (Matrix, Clamp), first_row: usize, seed: u64) -> Vec<Vec<f64>> {
        let rows: Vec<usize> = (0..visible.rows()).flat_map(|row| [row; VOTERS]).collect();
        let clamp = clamp.of_rows(&rows, visible.columns());
        // Chains of the answers draw from the streams from 0 on.
        let first = (1 << 40) + (first_row * VOTERS) as u64;
        let mut voters = Completer::complete(model, visible.select(&rows), clamp, seed, first);
        let votes = voters.read_classes(model, self.schedule(), MAX_SWEEPS);
        let together = |votes: &[Vec<f64>]| -> Vec<f64> {
            (0..votes[0].len()).map(|class| votes.iter().map(|vote| vote[class]).sum::<f64>() / VOTERS as f64).collect()
        };
        votes.chunks(VOTERS).map(together).collect()
    }
}

/// What a mask of this name hides of the first `count` examples, `[count, visible]`: 1 where unknown. A random mask hides whole values, which may
/// be several units each. `image` is the rows and columns where the data have none.
///
/// # Errors
/// [`Error::Usage`] for a mask that does not suit the data, and those of a file.
pub fn unknown(mask: &str, seed: u64, count: usize, data: &Dataset, image: Option<(usize, usize)>) -> Result<Vec<u8>, Error> {
    let n = data.examples.width();
    let planar = |unknown: &dyn Fn(usize, usize, usize, usize) -> bool| match data.image.or(image) {
        Some((rows, columns)) => {
            Ok((0..n).map(|i| u8::from(unknown(i / columns, i % columns, rows, columns))).collect::<Vec<u8>>().repeat(count))
        }
        None => Err(Error::Usage(format!(
            "--mask {mask} needs images, but these are rows of {n} bits; use random:SHARE or an .npy file"
        ))),
    };
    match mask {
        "lower-half" => planar(&|row, _, rows, _| 2 * row >= rows),
        "upper-half" => planar(&|row, _, rows, _| 2 * row < rows),
        "left-half" => planar(&|_, column, _, columns| 2 * column < columns),
        "right-half" => planar(&|_, column, _, columns| 2 * column >= columns),
        "box" => planar(&|row, column, rows, columns| {
            (rows / 4..rows - rows / 4).contains(&row) && (columns / 4..columns - columns / 4).contains(&column)
        }),
        other => match other.strip_prefix("random:").map(str::parse::<f64>) {
            Some(Ok(share)) if (0.0..=1.0).contains(&share) => {
                let depth = data.visible.as_ref().map_or(1, Visible::depth);
                let streams = Streams::new(seed);
                let draw = |example| {
                    let mut stream = streams.at(Purpose::Mask, 0, example);
                    (0..n / depth)
                        .flat_map(move |_| std::iter::repeat_n(u8::from(stream.uniform() < share), depth))
                        .collect::<Vec<u8>>()
                };
                Ok((0..count as u64).flat_map(draw).collect())
            }
            Some(_) => Err(Error::Usage(format!("--mask random:SHARE takes a share from 0 to 1, but {other} came"))),
            None if Path::new(other).extension().is_some_and(|ending| ending == "npy") => mask_file(Path::new(other), count, n),
            None => Err(Error::Usage(format!(
                "--mask should be lower-half, upper-half, left-half, right-half, box, random:SHARE or an .npy file, but is {other}"
            ))),
        },
    }
}

fn mask_file(path: &Path, count: usize, n: usize) -> Result<Vec<u8>, Error> {
    let (shape, values) = npy::read_u8(&path.display().to_string(), &files::read(path)?)?;
    if values.len() == n {
        Ok(values.repeat(count))
    } else if shape.first().is_some_and(|&rows| rows >= count) && values.len() == shape[0] * n {
        Ok(values[..count * n].to_vec())
    } else {
        Err(Error::Input(format!(
            "{}: a mask of shape [{n}] or [{count}, {n}] was expected, but it has shape {shape:?}",
            path.display()
        )))
    }
}
