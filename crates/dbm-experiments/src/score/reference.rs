//! The real digits for comparison, and the scores as plain functions: what `dbm score` prints and experiments tabulate.

use crate::Error;
use crate::data::{DataOptions, DataSource, Split, without_gaps};
use dbm_core::Host;
use dbm_data::Dataset;
use dbm_data::coding::Coding;
use dbm_data::raw::{PictureReading, Visible};
use dbm_score::{Classifier, Completions, PIXELS, Quality, Questions, SIDE, Scores};
use std::ops::Range;

/// This many of the first training digits form the floor.
const FLOOR: usize = 10_000;

/// Grey pictures with all their bits.
pub const GREY: Visible = Visible::Planes { bits: 8, coding: Coding::Binary, low: 0.0, high: 255.0, read: PictureReading::PLAIN };

/// Real digits, test and training, as a model sees them and as the classifier does: black and white for one unit per pixel, and in all
/// their greys for more, however few greys the model's units can distinguish.
pub struct Reference {
    /// As the model sees them.
    pub test: Dataset,
    /// The training digits, likewise.
    pub train: Dataset,
    /// Grey levels of the test digits, with which everything is compared.
    truths: Vec<u8>,
    /// Grey levels of the training digits: the first of them are the floor, and each is a possible nearest neighbour.
    others: Vec<u8>,
    /// Scores grey levels `[N, 784]`.
    pub scorer: dbm_score::Reference,
}

impl Reference {
    /// Reads the digits as requested, or else with the encoding of a model's `visible` units, or else as the data suggest. All test digits
    /// are the reference.
    ///
    /// # Errors
    /// Data that cannot be read, or are not digits of 28 x 28 pixels.
    pub fn load(threads: &impl Host, data: &DataSource, visible: Option<&Visible>) -> Result<Self, Error> {
        let (test, train) = (data.load_as(visible, Split::Test)?, data.load_as(visible, Split::Train)?);
        for half in [&test, &train] {
            without_gaps(half, "scores are of whole pictures")?;
        }
        if test.examples == train.examples {
            return Err(Error::Input(format!(
                "--data {}: scores need training and test digits, and here they are the same; give the folder with MNIST's four files, or `digits`",
                data.name
            )));
        }
        let as_the_classifier = |half: &Dataset, split| match half.visible {
            Some(Visible::Planes { .. }) => {
                let options = DataOptions { bits_per_value: Some(8), coding: Coding::Binary, ..data.options.clone() };
                digits(&DataSource { options, ..data.clone() }.load(split)?)
            }
            _ => digits(half),
        };
        let (truths, others) = (as_the_classifier(&test, Split::Test)?, as_the_classifier(&train, Split::Train)?);
        let scorer = dbm_score::Reference::new(threads, Classifier::shipped()?, &truths)?;
        Ok(Self { test, train, truths, others, scorer })
    }

    /// Visible units per example.
    pub fn width(&self) -> usize {
        self.test.examples.width()
    }

    /// Grey levels of all test digits, `[N, 784]`, as the classifier sees them.
    pub fn test_levels(&self) -> &[u8] {
        &self.truths
    }

    /// Grey levels `[N, 784]` from bits `[N, visible]`.
    pub fn levels(&self, bits: &[u8]) -> Vec<u8> {
        levels(self.test.visible.as_ref(), bits)
    }

    /// Scores of the first 10 000 training digits: no model needs better ones.
    ///
    /// # Errors
    /// [`Error::Input`] for training data that are not digits, [`Error::Score`] for fewer than six.
    pub fn floor(&self, threads: &impl Host) -> Result<Scores, Error> {
        let count = FLOOR.min(self.train.examples.len());
        Ok(self.scorer.scores(threads, &self.others[..count * PIXELS])?)
    }

    /// The scores that need no neighbours, for the first training digits, this many or all: as many samples need not have a smaller
    /// distance.
    ///
    /// # Errors
    /// [`Error::Score`] for fewer than two.
    pub fn quality_of_train(&self, threads: &impl Host, count: usize) -> Result<Quality, Error> {
        let count = count.min(self.train.examples.len());
        Ok(self.scorer.quality(threads, &self.others[..count * PIXELS])?.0)
    }

    /// Scores of answers `[count, K, visible]` to the first `count` test digits, of which `unknown` (`[count, visible]`) is nonzero where
    /// hidden.
    ///
    /// # Errors
    /// [`Error::Input`] without labels, [`Error::Score`] if the answers' shape does not fit.
    pub fn completions(&self, threads: &impl Host, unknown: &[u8], count: usize, answers: &[u8]) -> Result<Completions, Error> {
        self.asked(unknown, count, |questions| {
            Ok(Completions::of(threads, self.scorer.classifier(), questions, &self.levels(answers))?)
        })
    }

    /// The same for the nearest training digits' answers, one each.
    ///
    /// # Errors
    /// Those of [`Self::completions`].
    pub fn nearest(&self, threads: &impl Host, unknown: &[u8], count: usize) -> Result<Completions, Error> {
        self.asked(unknown, count, |questions| {
            let answers = questions.nearest(threads, &self.others)?;
            Ok(Completions::of(threads, self.scorer.classifier(), questions, &answers)?)
        })
    }

    fn asked<T>(&self, unknown: &[u8], count: usize, of: impl FnOnce(&Questions) -> Result<T, Error>) -> Result<T, Error> {
        // A pixel is unknown if any of its units is.
        let pixels = unknown.chunks(self.width() / PIXELS).map(|units| u8::from(units.iter().any(|&unknown| unknown != 0)));
        let (truths, unknown) = (&self.truths[..count * PIXELS], pixels.collect::<Vec<u8>>());
        of(&Questions { truths, labels: self.labels(count)?, unknown: &unknown })
    }

    fn labels(&self, count: usize) -> Result<&[u8], Error> {
        let labels = self.test.labels.as_ref().and_then(|labels| labels.get(..count));
        labels.ok_or_else(|| {
            Error::Input(format!(
                "{}: scores of {count} completions need as many test digits with their labels; give the folder with MNIST's four files, or \
                 `digits`",
                self.test.name
            ))
        })
    }
}

/// Grey levels of all examples, which are pictures of 28 x 28.
///
/// # Errors
/// [`Error::Input`] if their size differs.
pub fn digits(data: &Dataset) -> Result<Vec<u8>, Error> {
    check_shape(data)?;
    Ok(pictures(data, 0..data.examples.len()))
}

/// Whether the classifier can read them.
pub fn are_digits(data: &Dataset) -> bool {
    check_shape(data).is_ok()
}

/// Checks that they are pictures of 28 x 28, with any number of bits per pixel.
///
/// # Errors
/// [`Error::Input`] if they are not.
fn check_shape(data: &Dataset) -> Result<(), Error> {
    let depth = data.visible.as_ref().map_or(1, Visible::depth);
    match data.image {
        Some((SIDE, columns)) if columns == SIDE * depth => Ok(()),
        image => {
            let got = image.map_or("rows".into(), |(rows, columns)| format!("pictures of {rows} x {}", columns / depth));
            Err(Error::Input(format!(
                "the classifier reads pictures of 28 x 28, but {} holds {got} of {} bits; give digits of MNIST's shape",
                data.name,
                data.examples.width()
            )))
        }
    }
}

/// Grey levels of some examples.
fn pictures(data: &Dataset, rows: Range<usize>) -> Vec<u8> {
    rows.flat_map(|row| levels(data.visible.as_ref(), &data.examples.row(row))).collect()
}

/// Grey levels from units: bits are black and white.
pub fn levels(visible: Option<&Visible>, bits: &[u8]) -> Vec<u8> {
    match visible {
        Some(planes @ Visible::Planes { .. }) => planes.grey(bits),
        _ => bits.iter().map(|&bit| if bit == 0 { 0 } else { u8::MAX }).collect(),
    }
}
