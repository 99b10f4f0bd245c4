//! Answers to questions: examples with something hidden, which a model fills in.

use crate::samples::CHAINS;
use crate::{Error, Workbench, files};
use dbm_core::complete::Method;
use dbm_core::linalg::Matrix;
use dbm_core::rng::{Purpose, Streams};
use dbm_core::{Clamp, Dbm};
use dbm_data::raw::Visible;
use dbm_data::{Dataset, npy};
use dbm_engine::{Answers, ClassReading, Classes, Consensus, Job, Questions, VOTERS};
use std::ops::Range;
use std::path::Path;

/// How answers are drawn and combined.
#[derive(Clone, Copy, Debug)]
pub struct AnswerOptions {
    /// Answers per question.
    pub answers: u32,
    /// The method for each.
    pub method: Method,
    /// Gibbs sweeps, for methods that have any.
    pub sweeps: u32,
    /// How several answers become one.
    pub consensus: Option<Consensus>,
    /// Before anything is filled in, the class of the example is read this way and then clamped, for models whose top layer stands for
    /// classes. Several answers share the classes in proportion to their probabilities; if they are combined into one, all have the
    /// likeliest class.
    pub class_first: Option<ClassReading>,
}

/// Checks that the data have the model's shape, and that there are as many examples as requested.
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

impl AnswerOptions {
    /// Answers kept per example.
    pub fn kept(&self) -> usize {
        if self.consensus.is_some() { 1 } else { self.answers as usize }
    }

    /// The same in the engine's types.
    fn of_engine(&self) -> dbm_engine::AnswerSettings {
        let classes = match (self.class_first, self.consensus) {
            (None, _) => Classes::Free,
            (Some(reading), None) => Classes::Read(reading),
            (Some(reading), Some(_)) => Classes::Likeliest(reading),
        };
        dbm_engine::AnswerSettings { classes, ..dbm_engine::AnswerSettings::by(self.method, self.sweeps, self.answers) }
    }

    /// Answers to these examples, `[rows, kept, visible]`, where `unknown` (one row of `visible` per example, from the first on) is nonzero
    /// or the data lack a bit. Each depends only on the model, the example, the seed and its number.
    ///
    /// # Errors
    /// Those of the engine.
    pub fn draw(
        &self,
        session: &Workbench,
        model: &Dbm,
        (data, rows): (&Dataset, Range<usize>),
        unknown: &[u8],
        seed: u64,
    ) -> Result<Vec<u8>, Error> {
        let (n, answering) = (model.n_visible(), self.of_engine());
        // The chains of all answers to an example advance together.
        let reading = matches!(self.class_first, Some(ClassReading::Chains));
        let each = (CHAINS / self.answers.max(if reading { VOTERS as u32 } else { 1 }) as usize).max(1);
        let parts = session.in_parts("examples", rows, each, |rows| {
            let answered = Answers::new(model, questions(model, data, rows, unknown), answering, seed).finish()?;
            Ok(match self.consensus {
                Some(consensus) => consensus.of(n, self.answers as usize, &answered.bits),
                None => answered.bits,
            })
        });
        parts.into_iter().collect::<Result<Vec<_>, Error>>().map(|parts| parts.concat())
    }
}

/// These examples, with the hidden units marked.
fn questions(model: &Dbm, data: &Dataset, rows: Range<usize>, unknown: &[u8]) -> Questions {
    let n = model.n_visible();
    let mut visible = Matrix::zeros(rows.len(), n);
    let mut known = Vec::with_capacity(visible.data().len());
    for (row, example) in rows.clone().enumerate() {
        data.examples.write_row(example, model.units(), visible.row_mut(row));
        let asked = unknown[example * n..(example + 1) * n].iter();
        known.extend(asked.zip(data.examples.known_row(example)).map(|(&unknown, known)| unknown == 0 && known));
    }
    Questions { visible, known: Clamp::Known(known), first: rows.start }
}

/// What a mask with this name hides in the first `count` examples, `[count, visible]`: 1 where unknown. A random mask hides complete
/// values, which may be several units each. `image` is the rows and columns if the data have none.
///
/// # Errors
/// [`Error::Usage`] for a mask that does not fit the data, and those of a file.
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
            Some(_) => Err(Error::Usage(format!("--mask random:SHARE takes a share from 0 to 1, but got {other}"))),
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
