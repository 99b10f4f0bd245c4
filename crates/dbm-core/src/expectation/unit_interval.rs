//! What a decision does over all values of the uniform number it is given.

/// Calls `each(length, u)` for every piece of `[0, 1)` between the given thresholds, with `u` in the piece's middle: where a decision depends on u only
/// through those thresholds, the lengths are the exact probabilities of what it decides.
pub fn pieces<const N: usize>(thresholds: [f64; N], mut each: impl FnMut(f64, f64)) {
    let mut ends = thresholds.map(|x| x.clamp(0.0, 1.0));
    ends.sort_by(f64::total_cmp);
    let mut start = 0.0;
    for end in ends.into_iter().chain([1.0]) {
        if end > start {
            each(end - start, 0.5 * (start + end));
            start = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_the_interval_once() {
        for thresholds in [[0.25, 0.75], [0.75, 0.25], [-1.0, 2.0], [0.5, 0.5], [0.0, 1.0]] {
            let (mut covered, mut below) = (0.0, 0.0);
            pieces(thresholds, |length, u| {
                covered += length;
                below += if u < thresholds[0] { length } else { 0.0 };
            });
            assert_eq!((covered, below), (1.0, thresholds[0].clamp(0.0, 1.0)));
        }
    }
}
