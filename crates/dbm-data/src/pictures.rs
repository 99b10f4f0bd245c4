//! Arrays with the same number of values in every example, and their conversion to bits.

use crate::dataset::square;
use crate::error::zeros;
use crate::visible::{Binarization, Encoding, PictureReading, Visible};
use crate::{DataError, Dataset, THRESHOLD};
use dbm_core::{DbmError, Examples};

/// Numbers, row by row, of `count` examples of `rows x columns`.
#[derive(Clone, Debug, PartialEq)]
pub struct Pictures {
    /// Number of examples.
    pub count: usize,
    /// Rows and columns of each; one row if it is no image.
    pub shape: (usize, usize),
    /// The values of all examples, `count * rows * columns` of them.
    pub values: Values,
    /// The class of each example, if known.
    pub labels: Option<Vec<u8>>,
}

/// The numbers themselves.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Unsigned 8-bit numbers.
    Bytes(Vec<u8>),
    /// Any other numbers; NaN if missing.
    Floats(Vec<f32>),
}

impl Values {
    /// Number of values, including missing ones.
    pub fn len(&self) -> usize {
        match self {
            Self::Bytes(values) => values.len(),
            Self::Floats(values) => values.len(),
        }
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value at this position, NaN if missing.
    ///
    /// # Panics
    /// If `at` is not below [`Values::len`].
    pub fn at(&self, at: usize) -> f64 {
        match self {
            Self::Bytes(values) => f64::from(values[at]),
            Self::Floats(values) => f64::from(values[at]),
        }
    }

    /// The lowest and the highest value; (0, 0) if all are missing.
    pub fn range(&self) -> (f64, f64) {
        match self {
            Self::Bytes(values) => {
                let (low, high) = values.iter().fold((u8::MAX, 0), |(low, high), &value| (low.min(value), high.max(value)));
                if values.is_empty() { (0.0, 0.0) } else { (f64::from(low), f64::from(high)) }
            }
            Self::Floats(values) => {
                // The minimum or maximum of a number and NaN is the number.
                let start = (f32::INFINITY, f32::NEG_INFINITY);
                let (low, high) = values.iter().fold(start, |(low, high), &value| (low.min(value), high.max(value)));
                if low > high { (0.0, 0.0) } else { (f64::from(low), f64::from(high)) }
            }
        }
    }
}

impl Pictures {
    /// Values per example.
    pub fn size(&self) -> usize {
        self.shape.0 * self.shape.1
    }

    /// One bit per value with this threshold: 0 if all values are 0 or 1, [`THRESHOLD`] for bytes that exceed it, 0.5 for numbers from 0 to
    /// 1, 0 for numbers from -1 to 1, and otherwise midway between the lowest and the highest.
    pub fn suggest(&self) -> Encoding {
        let (low, high) = self.values.range();
        let threshold = match &self.values {
            Values::Bytes(_) if high <= 1.0 => 0.0,
            Values::Bytes(_) if high > f64::from(THRESHOLD) => f64::from(THRESHOLD),
            Values::Floats(_) if low >= 0.0 && high <= 1.0 => 0.5,
            Values::Floats(_) if (-1.0..0.0).contains(&low) && high <= 1.0 => 0.0,
            _ => low + (high - low) / 2.0,
        };
        Encoding { threshold, ..Encoding::default() }
    }

    /// What the visible units stand for under an encoding. Bytes are scaled from `0..=255`, or from 0 to the highest if that is at most
    /// [`THRESHOLD`]; other numbers from the lowest to the highest.
    ///
    /// # Errors
    /// [`DataError::OutOfRange`] unless the number of bits is 1 to 8, or if the threshold is not a number.
    pub fn visible(&self, encoding: &Encoding) -> Result<Visible, DataError> {
        let (bits, coding, threshold, read) = (encoding.bits, encoding.coding, encoding.threshold, PictureReading::PLAIN);
        let visible = match (bits, &self.values) {
            (1, _) => Visible::Bits { threshold, read },
            (_, Values::Bytes(_)) => {
                let (_, high) = self.values.range();
                Visible::Planes { bits, coding, low: 0.0, high: if high > f64::from(THRESHOLD) { 255.0 } else { high }, read }
            }
            (_, Values::Floats(_)) => {
                let (low, high) = self.values.range();
                Visible::Planes { bits, coding, low, high, read }
            }
        };
        visible.check()?;
        Ok(visible)
    }

    /// Units per example, and the bytes that [`Pictures::encode`] will take: packed bits, as many marks if values are missing, and a byte a unit
    /// if its bits are drawn at every visit.
    pub fn encoded_size(&self, encoding: &Encoding) -> (usize, u64) {
        let units = self.size().saturating_mul(usize::from(encoding.bits));
        let gaps = if self.missing() > 0 { 2 } else { 1 };
        let greys = if encoding.bits == 1 && encoding.binarization == Binarization::Redraw { units as u64 } else { 0 };
        let of_example = (units.div_ceil(8) as u64).saturating_mul(gaps).saturating_add(greys);
        (units, (self.count as u64).saturating_mul(of_example))
    }

    /// Number of missing values.
    pub fn missing(&self) -> usize {
        match &self.values {
            Values::Bytes(_) => 0,
            Values::Floats(values) => values.iter().filter(|value| value.is_nan()).count(),
        }
    }

    /// Binary examples. Unit `value * bits + b` is unit b of a value in its coding; in binary the most significant bit is b = 0. Units of
    /// missing values are gaps.
    ///
    /// ```
    /// use dbm_data::pictures::{Pictures, Values};
    /// use dbm_data::raw::Encoding;
    /// let values = Values::Bytes(vec![0, 255, 160, 3]);
    /// let pictures = Pictures { count: 1, shape: (2, 2), values, labels: None };
    /// let bits = |bits| Encoding { bits, ..pictures.suggest() };
    /// assert_eq!(pictures.encode("x", &bits(1))?.examples.row(0), [0, 1, 1, 0]);
    /// assert_eq!(pictures.encode("x", &bits(2))?.examples.row(0), [0, 0, 1, 1, 1, 0, 0, 0]);
    /// # Ok::<(), dbm_data::DataError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Pictures::visible`]; if bits are drawn, [`DataError::Format`] for several bits a value and for numbers that are neither bytes nor
    /// from 0 to 1; [`DataError::Refused`] if there are no values, or a different number than announced, and
    /// [`DataError::Format`] if there are not as many labels as examples.
    pub fn encode(&self, name: &str, encoding: &Encoding) -> Result<Dataset, DataError> {
        let all: Vec<usize> = (0..self.count).collect();
        Ok(Dataset { labels: self.labels.clone(), ..self.encode_some(name, encoding, &all)? })
    }

    /// Some examples of [`Pictures::encode`], without labels.
    pub(crate) fn encode_some(&self, name: &str, encoding: &Encoding, examples: &[usize]) -> Result<Dataset, DataError> {
        let visible = self.visible(encoding)?;
        match encoding.binarization {
            Binarization::Threshold => self.encode_values(name, &visible, examples),
            _ if encoding.bits == 1 => self.draw(name, encoding, examples),
            _ => Err(DataError::format(
                name,
                "one bit a value, where bits are drawn",
                format!("{} bits a value were asked for", encoding.bits),
                "ask for one, or for a threshold",
            )),
        }
    }

    /// Binary examples for a model with these visible units: the model's threshold or range is used, whatever these values suggest.
    ///
    /// # Errors
    /// [`DataError::Format`] for a model of a table, and [`DataError::Refused`] as in [`Pictures::encode`].
    pub fn encode_as(&self, name: &str, visible: &Visible) -> Result<Dataset, DataError> {
        let all: Vec<usize> = (0..self.count).collect();
        Ok(Dataset { labels: self.labels.clone(), ..self.encode_values(name, visible, &all)? })
    }

    /// Some examples, compared with the threshold or in the code of these units, without labels.
    fn encode_values(&self, name: &str, visible: &Visible, examples: &[usize]) -> Result<Dataset, DataError> {
        let code = Code::new(visible);
        self.encode_by(name, visible.clone(), examples, |at| match &self.values {
            Values::Bytes(bytes) => code.of_byte(bytes[at]),
            Values::Floats(floats) => code.of(floats[at].into()),
        })
    }

    /// The same, with `units` giving the bits of the value at a position; it is called example by example, position by position.
    pub(crate) fn encode_by(
        &self,
        name: &str,
        visible: Visible,
        examples: &[usize],
        units: impl FnMut(usize) -> u8,
    ) -> Result<Dataset, DataError> {
        visible.check()?;
        if let Visible::Table(columns) = &visible {
            return Err(DataError::format(
                name,
                format!("a table of {} columns, as the model was trained on", columns.columns.len()),
                "these are pictures",
                "load the table, or train a model on these",
            ));
        }
        self.check(name)?;
        let depth = visible.depth();
        let packed = self.pack(name, examples, depth, units)?;
        let mut data = Examples::from_packed(self.size() * depth, packed).map_err(DataError::refused(name))?;
        let is_missing = |at: usize| matches!(&self.values, Values::Floats(floats) if floats[at].is_nan());
        let has_gap = |example: &usize| (example * self.size()..(example + 1) * self.size()).any(is_missing);
        if matches!(self.values, Values::Floats(_)) && examples.iter().any(has_gap) {
            let all = u8::MAX >> (8 - depth);
            let known = self.pack(name, examples, depth, |at| if is_missing(at) { 0 } else { all })?;
            data = data.with_packed_gaps(known).map_err(DataError::refused(name))?;
        }
        let image = self.image().map(|(rows, columns)| (rows, columns * depth));
        Ok(Dataset { name: name.into(), examples: data, image, labels: None, visible: Some(visible) })
    }

    /// Rows of bits, `depth` per value, which `units` returns for each position.
    fn pack(
        &self,
        name: &str,
        examples: &[usize],
        depth: usize,
        mut units: impl FnMut(usize) -> u8,
    ) -> Result<Vec<u8>, DataError> {
        let stride = (self.size() * depth).div_ceil(8);
        let mut packed = zeros(name, examples.len().saturating_mul(stride))?;
        for (row, &example) in packed.chunks_exact_mut(stride).zip(examples) {
            for at in 0..self.size() {
                put(row, at * depth, units(example * self.size() + at));
            }
        }
        Ok(packed)
    }

    /// Rows and columns, if an example is an image: if it has several rows, or a square number of values, 4 or more, which is taken for a
    /// square.
    pub fn image(&self) -> Option<(usize, usize)> {
        if self.shape.0 > 1 { Some(self.shape) } else { square(self.size()) }
    }

    fn check(&self, name: &str) -> Result<(), DataError> {
        let refuse = |source| Err(DataError::Refused { name: name.into(), source });
        let expected = self.count.saturating_mul(self.size());
        if self.size() == 0 {
            return refuse(DbmError::EmptyLayer { layer: 0 });
        }
        if expected != self.values.len() {
            return refuse(DbmError::Shape { what: "the values".into(), expected, got: self.values.len() });
        }
        if let Some(labels) = &self.labels
            && labels.len() != self.count
        {
            return Err(DataError::label_count(name, self.count, labels.len()));
        }
        Ok(())
    }
}

/// Writes units from a position in a row on, the first in the lowest bit.
fn put(row: &mut [u8], unit: usize, units: u8) {
    let wide = u16::from(units) << (unit % 8);
    row[unit / 8] |= wide as u8;
    if wide > 0xff {
        row[unit / 8 + 1] |= (wide >> 8) as u8;
    }
}

/// A value's units, the first in the lowest bit.
struct Code<'a> {
    visible: &'a Visible,
    /// For each byte, computed once.
    bytes: [u8; 256],
}

impl<'a> Code<'a> {
    fn new(visible: &'a Visible) -> Self {
        let mut code = Self { visible, bytes: [0; 256] };
        code.bytes = std::array::from_fn(|byte| code.of(byte as f64));
        code
    }

    fn of_byte(&self, value: u8) -> u8 {
        self.bytes[usize::from(value)]
    }

    fn of(&self, value: f64) -> u8 {
        let depth = self.visible.depth() as u32;
        self.number(value).reverse_bits() >> (8 - depth.clamp(1, 8))
    }

    fn number(&self, value: f64) -> u8 {
        match *self.visible {
            Visible::Bits { threshold, .. } => u8::from(value > threshold),
            Visible::Planes { bits, coding, low, high, .. } if high > low => {
                // NaN becomes 0.
                let grey = ((value - low) / (high - low) * 255.0 + 0.5) as u8;
                coding.number(grey, bits)
            }
            Visible::Planes { .. } | Visible::Table(_) => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::refusal;
    use proptest::prelude::*;

    fn of(shape: (usize, usize), values: Values) -> Pictures {
        Pictures { count: values.len() / (shape.0 * shape.1), shape, values, labels: None }
    }

    #[test]
    fn a_threshold_is_suggested() {
        let bytes = |values: &[u8]| of((1, values.len()), Values::Bytes(values.to_vec())).suggest().threshold;
        assert_eq!(
            [bytes(&[0, 1]), bytes(&[0, 200]), bytes(&[1, 200]), bytes(&[0, 16]), bytes(&[4, 8])],
            [0.0, 127.0, 127.0, 8.0, 6.0]
        );
        let floats = |values: &[f32]| of((1, values.len()), Values::Floats(values.to_vec())).suggest().threshold;
        assert_eq!(
            [floats(&[0.25, 1.0]), floats(&[-1.0, 0.5, f32::NAN]), floats(&[-3.0, 5.0]), floats(&[f32::NAN])],
            [0.5, 0.0, 1.0, 0.5]
        );
    }

    #[test]
    fn missing_values_are_gaps() {
        let pictures = of((1, 2), Values::Floats(vec![0.25, f32::NAN, 1.0, 0.75]));
        let one = pictures.encode("x", &pictures.suggest()).unwrap();
        assert_eq!((one.examples.row(0), one.examples.known_row(0)), (vec![0, 0], vec![true, false]));
        assert_eq!((one.examples.row(1), one.image), (vec![1, 1], None));
        let three = pictures.encode("x", &Encoding { bits: 3, ..pictures.suggest() }).unwrap();
        assert_eq!(three.examples.known_row(0), [true, true, true, false, false, false]);
        assert_eq!((three.examples.row(0), three.examples.row(1)), (vec![0; 6], vec![1, 1, 1, 1, 0, 1]));
        assert_eq!(pictures.encoded_size(&Encoding { bits: 3, ..pictures.suggest() }), (6, 4));
        let all = of((1, 2), Values::Floats(vec![f32::NAN; 2]));
        assert_eq!(all.encode("x", &Encoding { bits: 8, ..all.suggest() }).unwrap().examples.missing(), 16);
    }

    #[test]
    fn images_keep_their_shape() {
        let image = |shape: (usize, usize), bits| {
            let pictures = of(shape, Values::Bytes(vec![9; shape.0 * shape.1]));
            pictures.encode("x", &Encoding { bits, ..pictures.suggest() }).unwrap().image
        };
        assert_eq!(
            [image((2, 3), 1), image((2, 3), 4), image((1, 9), 2), image((1, 6), 1)],
            [Some((2, 3)), Some((2, 12)), Some((3, 6)), None]
        );
    }

    #[test]
    fn what_cannot_be_encoded_is_refused() {
        let pictures = of((1, 2), Values::Bytes(vec![1, 2]));
        let short = Pictures { count: 2, ..pictures.clone() };
        assert!(matches!(short.encode("x", &short.suggest()), Err(DataError::Refused { .. })));
        let labelled = Pictures { labels: Some(vec![1, 2]), ..pictures };
        assert!(refusal(labelled.encode("x", &labelled.suggest())).contains("one label for each of 1 examples, but got 2"));
        let empty = Pictures { count: 0, shape: (1, 0), values: Values::Bytes(vec![]), labels: None };
        assert!(matches!(empty.encode("x", &empty.suggest()), Err(DataError::Refused { .. })));
    }

    proptest! {
        #[test]
        fn eight_bits_lose_nothing(values in prop_oneof![prop::collection::vec(any::<u8>(), 1..40), prop::collection::vec(0..30_u8, 1..40)]) {
            let pictures = of((1, values.len()), Values::Bytes(values.clone()));
            let data = pictures.encode("x", &Encoding { bits: 8, ..pictures.suggest() }).unwrap();
            let visible = data.visible.unwrap();
            let grey = visible.grey(&data.examples.row(0));
            let Visible::Planes { low, high, .. } = visible else { panic!("more than one bit") };
            let back: Vec<u8> = grey.iter().map(|&grey| (low + f64::from(grey) / 255.0 * (high - low)).round() as u8).collect();
            prop_assert_eq!(&back, &values);
            if high == 255.0 {
                prop_assert_eq!(grey, values);
            }
        }

        #[test]
        fn fewer_bits_lose_little(values in prop::collection::vec(any::<u8>(), 1..40), bits in 2..=8_u8) {
            let mut values = values;
            values.push(255);
            let pictures = of((1, values.len()), Values::Bytes(values.clone()));
            let data = pictures.encode("x", &Encoding { bits, ..pictures.suggest() }).unwrap();
            let grey = data.visible.unwrap().grey(&data.examples.row(0));
            let step = 256_u32 >> bits;
            prop_assert!(grey.iter().zip(&values).all(|(a, b)| u32::from(a.abs_diff(*b)) < step.max(1) + u32::from(bits < 8)));
        }

        #[test]
        fn bits_are_those_above_the_threshold(values in prop::collection::vec(-5.0_f32..5.0, 1..40), threshold in -6.0..6.0) {
            let pictures = of((1, values.len()), Values::Floats(values.clone()));
            let data = pictures.encode("x", &Encoding { threshold, ..pictures.suggest() }).unwrap();
            let expected: Vec<u8> = values.iter().map(|&value| u8::from(f64::from(value) > threshold)).collect();
            prop_assert_eq!(data.examples.row(0), expected);
        }
    }
}
