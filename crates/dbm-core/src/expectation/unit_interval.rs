//! The outcome of a decision over all values of its uniform number.

/// Calls `each(length, u)` for every piece of `[0, 1)` between the given thresholds, with `u` in the middle of the piece. If a decision
/// depends on u only through those thresholds, the lengths are the exact probabilities of its outcomes.
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
