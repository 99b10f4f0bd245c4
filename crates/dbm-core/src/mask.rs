//! Masks of the conditional gradient: which pixels of an example the negative phase has to fill in.

use crate::rng::Stream;

/// Draws what is known of `n` visible units: with an image shape 60 % half planes (cut anywhere between 8/28 and 20/28 of
/// its rows or columns), 20 % boxes and 20 % single pixels; without one single units always.
pub fn draw_known(n: usize, image: Option<(usize, usize)>, stream: &mut Stream) -> Vec<bool> {
    match (image, stream.below(5)) {
        (Some((rows, columns)), 0..=2) => {
            let (vertical, low_side) = (stream.coin(), stream.coin());
            let size = if vertical { columns } else { rows };
            let cut = (size as u64 * (8 + stream.below(13)) + 14) / 28;
            let place = |i: usize| (if vertical { i % columns } else { i / columns }) as u64;
            (0..n).map(|i| (place(i) < cut) == low_side).collect()
        }
        (Some((rows, columns)), 3) => {
            let span = |size: usize, stream: &mut Stream| {
                let length = ((size as u64 * (8 + stream.below(13)) + 14) / 28).clamp(1, size as u64);
                let start = stream.below(size as u64 - length + 1);
                start..start + length
            };
            let (vertical, horizontal) = (span(rows, stream), span(columns, stream));
            let unknown = |i: usize| vertical.contains(&((i / columns) as u64)) && horizontal.contains(&((i % columns) as u64));
            (0..n).map(|i| !unknown(i)).collect()
        }
        _ => {
            let share = 0.2 + 0.6 * stream.uniform();
            (0..n).map(|_| stream.uniform() < share).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Streams};

    #[test]
    fn masks_leave_something_known_and_something_to_fill_in() {
        for chain in 0..500 {
            let mut stream = Streams::new(1).at(Purpose::Mask, 0, chain);
            let known = draw_known(784, Some((28, 28)), &mut stream).iter().filter(|&&k| k).count();
            assert!((28 * 8..=784 - 8 * 8).contains(&known) || (100..700).contains(&known), "{known}");
            let table = draw_known(30, None, &mut stream);
            assert_eq!(table.len(), 30);
        }
    }
}
