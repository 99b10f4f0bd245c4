//! What there is to learn in each of the 8 bit planes of grey digits.

use serde::{Deserialize, Serialize};

/// Bits of a grey.
const BITS: usize = 8;
/// Levels from here on are the inside of a stroke, and 0 is paper: between them are its edges.
const STROKE: u8 = 251;

/// One plane.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plane {
    /// What its bits stand for, 128 to 1.
    pub value: u32,
    /// Entropy of its bits, each pixel on its own, in nats a picture.
    pub alone: f64,
    /// The same given the more significant bits of the same pixel.
    pub given_higher: f64,
    /// The same again given also whether each of the eight pixels around it is at least half bright.
    pub given_neighbours: f64,
    /// The last, of the pixels at the edges of strokes alone, in bits a bit: 1 is a fair coin.
    pub at_edges: f64,
}

/// Of grey pictures `[N, side * side]`, counted: each entropy is that of the shares of high bits in every context, `- sum n_c log p_c`, in the data themselves. Contexts are
/// few beside the pixels, so that counting them flatters little.
pub fn planes(pictures: &[u8], side: usize) -> Vec<Plane> {
    let count = (pictures.len() / (side * side)).max(1) as f64;
    let around: Vec<u8> = pictures.chunks_exact(side * side).flat_map(|picture| bright_around(picture, side)).collect();
    let of = |place: usize| {
        let higher = |grey: u8| usize::from(grey) >> (BITS - place);
        let bit = |grey: u8| grey >> (BITS - 1 - place) & 1 == 1;
        let entropy = |contexts: usize, context: &dyn Fn(usize, u8) -> Option<usize>| {
            let mut counts = vec![[0_u32; 2]; contexts];
            let mut seen = 0.0;
            for (at, &grey) in pictures.iter().enumerate() {
                if let Some(context) = context(at, grey) {
                    counts[context][usize::from(bit(grey))] += 1;
                    seen += 1.0;
                }
            }
            (counts.iter().map(|[low, high]| nats(*low, *high)).sum::<f64>(), seen)
        };
        let with_neighbours = |at: usize, grey: u8| 256 * higher(grey) + usize::from(around[at]);
        let all = 256 << place;
        let at_edge = |at: usize, grey: u8| (1..STROKE).contains(&grey).then(|| with_neighbours(at, grey));
        let (edges, pixels): (f64, f64) = entropy(all, &at_edge);
        Plane {
            value: 1 << (BITS - 1 - place),
            alone: entropy(1, &|_, _| Some(0)).0 / count,
            given_higher: entropy(1 << place, &|_, grey| Some(higher(grey))).0 / count,
            given_neighbours: entropy(all, &|at, grey| Some(with_neighbours(at, grey))).0 / count,
            at_edges: edges / pixels.max(1.0) / std::f64::consts::LN_2,
        }
    };
    (0..BITS).map(of).collect()
}

/// Entropy of so many low and high bits together.
fn nats(low: u32, high: u32) -> f64 {
    let (low, high) = (f64::from(low), f64::from(high));
    let part = |n: f64| if n > 0.0 { -n * (n / (low + high)).ln() } else { 0.0 };
    part(low) + part(high)
}

/// Of each pixel, which of the eight around it are at least half bright; beyond the picture is paper.
fn bright_around(picture: &[u8], side: usize) -> Vec<u8> {
    let bright = |row: usize, column: usize| {
        // Counted from 1, so that 0 is beyond the edge.
        let inside = (1..=side).contains(&row) && (1..=side).contains(&column);
        u8::from(inside && picture[(row - 1) * side + column - 1] > 127)
    };
    let places = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1), (2, 2)];
    let around = |at: usize| places.iter().fold(0, |sum, (down, right)| 2 * sum + bright(at / side + down, at % side + right));
    (0..side * side).map(around).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropies_are_those_of_counted_contexts() {
        // Four pictures of 2 x 2: paper, stroke, and an edge whose lowest bit is a coin and whose highest is not.
        let pictures = [[0, 255, 64, 64], [0, 255, 64, 65], [0, 255, 65, 64], [0, 255, 65, 65]].concat();
        let planes = planes(&pictures, 2);
        let ln_2 = std::f64::consts::LN_2;
        assert_eq!(planes.iter().map(|plane| plane.value).collect::<Vec<_>>(), [128, 64, 32, 16, 8, 4, 2, 1]);
        let of_quarter = -(4.0 * 0.25_f64.ln() + 12.0 * 0.75_f64.ln()) / 4.0;
        assert!((planes[0].alone - of_quarter).abs() < 1e-12, "{planes:?}");
        // The second bit is high but on paper.
        assert!((planes[1].given_higher + (4.0 * (1.0_f64 / 3.0).ln() + 8.0 * (2.0_f64 / 3.0).ln()) / 4.0).abs() < 1e-12);
        assert!(planes[1].given_neighbours < 1e-12);
        // The lowest: two coins a picture, whatever is known.
        assert!((planes[7].given_neighbours - 2.0 * ln_2).abs() < 1e-12 && (planes[7].at_edges - 1.0).abs() < 1e-12);
        assert_eq!(planes[2].at_edges, 0.0);
    }
}
