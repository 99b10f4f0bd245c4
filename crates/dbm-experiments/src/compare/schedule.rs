//! After which steps the likelihood is computed.

/// 0, every `every`-th step and the last; without `every`, steps of which each is about a quarter beyond the one before, 35 up
/// to step 3000 and 5 more for each factor of 3.
pub fn points(steps: u64, every: Option<u64>) -> Vec<u64> {
    let next = |&step: &u64| every.map_or_else(|| (step + 1).max(step + step / 4), |every| step.saturating_add(every));
    let mut points: Vec<u64> = std::iter::successors(Some(0), |step| Some(next(step))).take_while(|&step| step < steps).collect();
    points.push(steps);
    points
}

#[cfg(test)]
mod tests {
    use super::points;

    #[test]
    fn from_0_to_the_last_step_without_repeats() {
        assert_eq!(points(10, Some(4)), [0, 4, 8, 10]);
        assert_eq!(points(8, Some(4)), [0, 4, 8]);
        assert_eq!(points(12, None), [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12]);
        assert_eq!(points(1, Some(u64::MAX)), [0, 1]);
        for steps in 1..200 {
            assert!(points(steps, None).windows(2).all(|pair| pair[0] < pair[1]), "{steps}");
        }
        assert!((30..45).contains(&points(3000, None).len()));
    }
}
