//! Bits drawn from grey values: the grey is the probability of a high bit.

use crate::pictures::{Pictures, Values};
use crate::visible::{Binarization, Encoding, PictureReading, Visible};
use crate::{DataError, Dataset, THRESHOLD};
use dbm_core::GreyLevels;
use dbm_core::rng::{Purpose, Stream, Streams};

impl Pictures {
    /// Some examples in binary, one unit per value, high with probability `value / 255` for bytes, and with the value itself for numbers
    /// from 0 to 1 (Salakhutdinov and Murray 2008 binarize MNIST this way). If no byte exceeds [`THRESHOLD`], the scale ends at the
    /// highest, as in [`Pictures::visible`]; so values of only 0 and 1 stay unchanged. The same draw of the same values gives the same
    /// bits, and those of an example depend only on its number and its values. For [`Binarization::Redraw`], the grey levels come along.
    ///
    /// # Errors
    /// [`DataError::Format`] for numbers that are neither bytes nor from 0 to 1, and otherwise those of [`Pictures::encode`].
    pub(crate) fn draw(&self, name: &str, encoding: &Encoding, examples: &[usize]) -> Result<Dataset, DataError> {
        let (low, high) = self.values.range();
        let (scale, threshold) = match &self.values {
            Values::Bytes(_) if high > f64::from(THRESHOLD) => (255.0, f64::from(THRESHOLD)),
            Values::Bytes(_) => (high.max(1.0), self.suggest().threshold),
            Values::Floats(_) if low >= 0.0 && high <= 1.0 => (1.0, 0.5),
            Values::Floats(_) => {
                return Err(DataError::format(
                    name,
                    "grey values to draw bits from, bytes or numbers from 0 to 1",
                    format!("these go from {low} to {high}"),
                    "scale them, or binarize them by a threshold",
                ));
            }
        };
        let streams = Streams::new(encoding.draw.seed);
        let stream_of = |example: usize| streams.at(Purpose::Binarization, encoding.draw.series, example as u64);
        let mut stream: Option<(usize, Stream)> = None;
        let units = |at: usize| {
            let example = at / self.size();
            let (_, stream) = match &mut stream {
                Some(stream) if stream.0 == example => stream,
                other => other.insert((example, stream_of(example))),
            };
            // A missing value uses up its random number as well.
            u8::from(stream.uniform() * scale < self.values.at(at))
        };
        let data = self.encode_by(name, Visible::Bits { threshold, read: PictureReading::PLAIN }, examples, units)?;
        if encoding.binarization != Binarization::Redraw {
            return Ok(data);
        }
        // Bytes as they are; numbers from 0 to 1 to the nearest of 255 steps, missing ones 0, as the cast makes of NaN.
        let level = |at: usize| match &self.values {
            Values::Bytes(bytes) => bytes[at],
            Values::Floats(values) => (255.0 * values[at]).round() as u8,
        };
        let levels = examples.iter().flat_map(|example| example * self.size()..(example + 1) * self.size()).map(level).collect();
        let top = if matches!(self.values, Values::Bytes(_)) { scale as u8 } else { u8::MAX };
        let greys = GreyLevels::new(levels, top).map_err(DataError::refused(name))?;
        let examples = data.examples.with_greys(greys).map_err(DataError::refused(name))?;
        Ok(Dataset { examples, ..data })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::refusal;
    use crate::visible::Draw;
    use dbm_core::Examples;

    fn of(values: Values, width: usize) -> Pictures {
        Pictures { count: values.len() / width, shape: (1, width), values, labels: None }
    }

    const FIRST: Draw = Draw { seed: 3, series: 0 };

    fn drawn(pictures: &Pictures, draw: Draw) -> Result<Dataset, DataError> {
        pictures.encode("x", &Encoding { binarization: Binarization::Stochastic, draw, ..pictures.suggest() })
    }

    fn redrawn(pictures: &Pictures) -> Examples {
        let encoding = Encoding { binarization: Binarization::Redraw, draw: FIRST, ..pictures.suggest() };
        pictures.encode("x", &encoding).unwrap().examples
    }

    /// 40 000 draws of each of 256 greys, seed 3: each share within 5 standard deviations (alpha = 256 * 6e-7).
    #[test]
    fn shares_of_ones_follow_the_greys() {
        let n = 40_000;
        let bytes: Vec<u8> = (0..=255).collect::<Vec<u8>>().repeat(n);
        let made = drawn(&of(Values::Bytes(bytes.clone()), 256), FIRST).unwrap();
        for grey in 0..256 {
            let ones = (0..n).filter(|&row| made.examples.bit(row, grey)).count() as f64;
            let p = grey as f64 / 255.0;
            let deviation = (n as f64 * p * (1.0 - p)).sqrt();
            assert!((ones - n as f64 * p).abs() <= 5.0 * deviation, "grey {grey}: {ones}");
        }
        // The same greys as numbers from 0 to 1 differ only by rounding, and rarely.
        let floats = bytes.iter().map(|&byte| f32::from(byte) / 255.0).collect();
        let same = drawn(&of(Values::Floats(floats), 256), FIRST).unwrap();
        let differing: usize =
            (0..n).map(|row| (0..256).filter(|&i| made.examples.bit(row, i) != same.examples.bit(row, i)).count()).sum();
        assert!(differing < 10, "{differing}");
    }

    #[test]
    fn a_draw_is_a_value_and_an_example_its_own() {
        let greys: Vec<u8> = (0..50 * 40).map(|i| (i * 37 % 256) as u8).collect();
        let pictures = of(Values::Bytes(greys.clone()), 40);
        let bits = |draw| drawn(&pictures, draw).unwrap().examples;
        assert_eq!(bits(FIRST), bits(FIRST));
        assert!(bits(FIRST) != bits(Draw { seed: 4, ..FIRST }) && bits(FIRST) != bits(Draw { series: 1, ..FIRST }));
        let fewer = drawn(&of(Values::Bytes(greys[..7 * 40].to_vec()), 40), FIRST).unwrap();
        (0..7).for_each(|row| assert_eq!(fewer.examples.row(row), bits(FIRST).row(row)));
        // Equal greys in two examples, or in two positions, are drawn independently.
        let flat = drawn(&of(Values::Bytes(vec![128; 400]), 200), FIRST).unwrap();
        assert_ne!(flat.examples.row(0), flat.examples.row(1));
        assert!((60..140).contains(&flat.examples.row(0).iter().map(|&bit| usize::from(bit)).sum::<usize>()));
    }

    #[test]
    fn levels_for_the_visits_of_a_run_are_the_greys() {
        let bytes = of(Values::Bytes(vec![0, 100, 255, 40]), 2);
        let made = redrawn(&bytes);
        let greys = made.greys().unwrap();
        assert_eq!((greys.levels(), greys.top()), (&[0, 100, 255, 40][..], 255));
        assert_eq!(made.packed(), drawn(&bytes, FIRST).unwrap().examples.packed());
        let floats = redrawn(&of(Values::Floats(vec![0.0, 0.2, 1.0, f32::NAN]), 2));
        assert_eq!(floats.greys().unwrap().levels(), [0, 51, 255, 0]);
        // Dark pictures are drawn on their own scale.
        let dark = redrawn(&of(Values::Bytes(vec![0, 5, 10, 10]), 2));
        assert_eq!(dark.greys().unwrap().top(), 10);
    }

    #[test]
    fn bits_stay_and_gaps_stay_and_what_is_not_grey_is_refused() {
        let bits: Vec<u8> = (0..60).map(|i| u8::from(i % 3 == 0)).collect();
        let pictures = of(Values::Bytes(bits.clone()), 20);
        assert_eq!(drawn(&pictures, FIRST).unwrap(), pictures.encode("x", &pictures.suggest()).unwrap());
        let blank = of(Values::Bytes(vec![0; 20]), 20);
        assert_eq!(drawn(&blank, FIRST).unwrap().examples.share_of_ones(), 0.0);
        let gaps = drawn(&of(Values::Floats(vec![1.0, f32::NAN, 0.0]), 3), FIRST).unwrap();
        assert_eq!((gaps.examples.row(0), gaps.examples.known_row(0)), (vec![1, 0, 0], vec![true, false, true]));
        for values in [vec![-1.0, 1.0], vec![0.0, 255.0]] {
            let said = refusal(drawn(&of(Values::Floats(values), 2), FIRST));
            assert!(said.contains("bytes or numbers from 0 to 1") && said.contains("these go from"), "{said}");
        }
    }
}
