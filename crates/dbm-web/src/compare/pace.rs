//! How long the rounds are in which two runs go: both rest at the end of each, the faster one waiting for the other.

/// A round takes the slower run about so many seconds. At its end a worker looks at the model, draws samples and writes a checkpoint, which is to be a small part.
const ROUND_SECONDS: f64 = 2.5;
/// Steps of the first round: how long steps take is not known yet.
const FIRST: u32 = 5;
/// Steps of the longest round, so that runs of the smallest models can be compared somewhere on their way.
const LONGEST: u32 = 500;

/// Steps of the next round, by the seconds that a step takes each run, where that is known.
pub fn round_steps(seconds: [Option<f64>; 2]) -> u32 {
    let [Some(a), Some(b)] = seconds else { return FIRST };
    round_number((ROUND_SECONDS / a.max(b).max(f64::MIN_POSITIVE)).clamp(1.0, f64::from(LONGEST)) as u32)
}

/// The largest of 1, 2 and 5 times a power of ten that is at most `steps`.
fn round_number(steps: u32) -> u32 {
    let power = 10_u32.pow(steps.max(1).ilog10());
    [5, 2, 1].into_iter().map(|digit| digit * power).find(|&round| round <= steps).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_round() {
        assert_eq!([0, 1, 2, 4, 7, 19, 20, 99, 500].map(round_number), [1, 1, 2, 2, 5, 10, 20, 50, 500]);
    }

    #[test]
    fn the_slower_run_says_how_long_a_round_is() {
        assert_eq!(round_steps([None, Some(1.0)]), FIRST);
        assert_eq!(round_steps([Some(0.01), Some(0.1)]), 20);
        assert_eq!(round_steps([Some(100.0), Some(0.1)]), 1);
        assert_eq!(round_steps([Some(0.0), Some(1e-9)]), LONGEST);
    }
}
