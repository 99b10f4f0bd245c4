//! Masks of the conditional gradient: which pixels of an example the negative phase has to fill in.

use crate::rng::Stream;
use crate::words::{Choose, choices, words};
use serde::{Deserialize, Serialize};

choices! {
    /// The kind of masks to draw. The gradient is that of log p(unknown | known), averaged over the masks: what they hide most often is
    /// learned best.
    #[derive(Default, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Masks = words(
        "masks",
        "Masks",
        "Which parts of an example the conditional share of a batch hides, and learns to fill in.",
    );
    /// 60 % half planes, 20 % boxes and 20 % single pixels; without an image shape single units always.
    #[default]
    Mixed = "mixed", "mixed", "Three in five half planes, one in five boxes, one in five single pixels";
    /// One side of a cut anywhere between 8/28 and 20/28 of the rows or columns is known.
    Halves = "halves", "half planes", "One side of a cut anywhere in the middle of the picture";
    /// All but a box whose sides are 8/28 to 20/28 of the picture's is known.
    Boxes = "boxes", "boxes", "A box of a third to two thirds of each side";
    /// Each unit is known with a probability that is drawn between 0.2 and 0.8.
    Pixels = "pixels", "single pixels", "Each pixel on its own";
}

impl Masks {
    /// The name, as it is parsed and written.
    pub fn name(self) -> &'static str {
        self.choice().name
    }

    /// Whether they need the rows and columns in which the units lie.
    pub fn need_image(self) -> bool {
        matches!(self, Self::Halves | Self::Boxes)
    }

    /// Draws the known units among `n` visible ones, which lie in rows and columns as given by `image`.
    ///
    /// ```
    /// use dbm_core::mask::Masks;
    /// use dbm_core::rng::{Purpose, Streams};
    /// let mut stream = Streams::new(1).at(Purpose::Mask, 0, 0);
    /// let known = Masks::Halves.draw_known(4, Some((2, 2)), &mut stream);
    /// assert_eq!(known.iter().filter(|&&known| known).count(), 2);
    /// ```
    pub fn draw_known(self, n: usize, image: Option<(usize, usize)>, stream: &mut Stream) -> Vec<bool> {
        let kind = match self {
            Self::Mixed => match stream.below(5) {
                0..=2 => Self::Halves,
                3 => Self::Boxes,
                _ => Self::Pixels,
            },
            one => one,
        };
        match (image, kind) {
            (Some(image), Self::Halves) => half(n, image, stream),
            (Some(image), Self::Boxes) => all_but_a_box(n, image, stream),
            _ => {
                let share = 0.2 + 0.6 * stream.uniform();
                (0..n).map(|_| stream.uniform() < share).collect()
            }
        }
    }
}

/// 8/28 to 20/28 of `size`.
fn length(size: usize, stream: &mut Stream) -> u64 {
    (size as u64 * (8 + stream.below(13)) + 14) / 28
}

fn half(n: usize, (rows, columns): (usize, usize), stream: &mut Stream) -> Vec<bool> {
    let (vertical, low_side) = (stream.coin(), stream.coin());
    let cut = length(if vertical { columns } else { rows }, stream);
    let place = |i: usize| (if vertical { i % columns } else { i / columns }) as u64;
    (0..n).map(|i| (place(i) < cut) == low_side).collect()
}

fn all_but_a_box(n: usize, (rows, columns): (usize, usize), stream: &mut Stream) -> Vec<bool> {
    let span = |size: usize, stream: &mut Stream| {
        let length = length(size, stream).clamp(1, size as u64);
        let start = stream.below(size as u64 - length + 1);
        start..start + length
    };
    let (vertical, horizontal) = (span(rows, stream), span(columns, stream));
    let unknown = |i: usize| vertical.contains(&((i / columns) as u64)) && horizontal.contains(&((i % columns) as u64));
    (0..n).map(|i| !unknown(i)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Streams};

    fn known(masks: Masks, n: usize, image: Option<(usize, usize)>, chain: u64) -> Vec<bool> {
        masks.draw_known(n, image, &mut Streams::new(1).at(Purpose::Mask, 0, chain))
    }

    #[test]
    fn masks_leave_something_known_and_something_to_fill_in() {
        for chain in 0..500 {
            let count = known(Masks::Mixed, 784, Some((28, 28)), chain).iter().filter(|&&k| k).count();
            assert!((28 * 8..=784 - 8 * 8).contains(&count) || (100..700).contains(&count), "{count}");
            assert_eq!(known(Masks::Mixed, 30, None, chain).len(), 30);
        }
    }

    #[test]
    fn each_kind_has_its_shape() {
        let image = Some((28, 28));
        for chain in 0..200 {
            let half = known(Masks::Halves, 784, image, chain);
            let (row, column) = (&half[..28], half.iter().step_by(28).collect::<Vec<_>>());
            // Known and unknown units meet once, along one of the two sides.
            let turns = |line: &[bool]| line.windows(2).filter(|pair| pair[0] != pair[1]).count();
            assert_eq!(turns(row) + turns(&column.into_iter().copied().collect::<Vec<_>>()), 1);

            let unknown: Vec<usize> = (0..784).filter(|&i| !known(Masks::Boxes, 784, image, chain)[i]).collect();
            let span = |place: fn(usize) -> usize| {
                let places = || unknown.iter().map(|&i| place(i));
                places().max().unwrap() - places().min().unwrap() + 1
            };
            let (height, width) = (span(|i| i / 28), span(|i| i % 28));
            assert_eq!(unknown.len(), height * width);
            assert!((8..=20).contains(&height) && (8..=20).contains(&width));

            let pixels = known(Masks::Pixels, 784, image, chain).iter().filter(|&&k| k).count();
            assert!((100..700).contains(&pixels));
        }
        // Without rows and columns, masks are of single units.
        assert_eq!(known(Masks::Pixels, 30, None, 7), known(Masks::Pixels, 30, Some((5, 6)), 7));
    }

    #[test]
    fn mixed_masks_are_of_all_three_kinds() {
        let mut stream = Streams::new(1).at(Purpose::Mask, 0, 3);
        let drawn = stream.below(5);
        let kind = [Masks::Halves, Masks::Halves, Masks::Halves, Masks::Boxes, Masks::Pixels][drawn as usize];
        assert_eq!(known(Masks::Mixed, 784, Some((28, 28)), 3), kind.draw_known(784, Some((28, 28)), &mut stream));
    }
}
