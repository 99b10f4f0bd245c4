//! How two runs go in step: in rounds that end at the same steps for both, neither more than a round ahead.

/// A round takes the slower run about so many seconds. At its end a worker looks at the model, draws samples and writes a checkpoint, which is to be a small part.
const ROUND_SECONDS: f64 = 2.5;
/// The first round: how long steps take is not known yet.
const FIRST: u32 = 5;
/// The longest, so that runs of the smallest models can be compared somewhere on their way.
const LONGEST: u32 = 500;

/// The steps at which both runs rest, and how fast they are.
#[derive(Clone, Debug, Default)]
pub struct Pace {
    /// Ends of rounds, rising; all beyond the beginning.
    marks: Vec<u32>,
    /// Seconds a step of each run, over its last round.
    seconds: [Option<f64>; 2],
}

impl Pace {
    /// A run has taken so long for a step.
    pub fn took(&mut self, lane: usize, seconds: f64) {
        self.seconds[lane] = Some(seconds);
    }

    /// What a run that rests at `step` is to reach next on the way to `target`, the other one having taken `other` steps; `None` while it waits, and at
    /// the end.
    pub fn next(&mut self, step: u32, other: u32, target: u32) -> Option<u32> {
        if step >= target {
            return None;
        }
        let place = self.marks.partition_point(|&mark| mark <= step);
        let before = place.checked_sub(2).map_or(0, |place| self.marks[place]);
        if other < before {
            return None;
        }
        if place == self.marks.len() {
            self.marks.push(step.saturating_add(self.round()));
        }
        Some(self.marks[place].min(target))
    }

    /// Steps of the next round.
    fn round(&self) -> u32 {
        let [Some(a), Some(b)] = self.seconds else { return FIRST };
        round((ROUND_SECONDS / a.max(b).max(f64::MIN_POSITIVE)).clamp(1.0, f64::from(LONGEST)) as u32)
    }
}

/// The largest of 1, 2 and 5 times a power of ten that is at most `steps`.
fn round(steps: u32) -> u32 {
    let power = 10_u32.pow(steps.max(1).ilog10());
    [5, 2, 1].into_iter().map(|digit| digit * power).find(|&round| round <= steps).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_round() {
        assert_eq!([0, 1, 2, 4, 7, 19, 20, 99, 500].map(round), [1, 1, 2, 2, 5, 10, 20, 50, 500]);
    }

    #[test]
    fn the_faster_run_waits_and_both_rest_at_the_same_steps() {
        let mut pace = Pace::default();
        // Run 0 takes 0.1 s a step, run 1 a second: both go to 40.
        let (mut at, mut rests) = ([0_u32; 2], [vec![], vec![]]);
        let (mut free, mut clock) = ([0.0; 2], 0.0);
        let mut goal = [None; 2];
        let mut apart = 0;
        while at != [40, 40] {
            for lane in [0, 1] {
                if let Some(step) = goal[lane].filter(|_| clock >= free[lane]) {
                    at[lane] = step;
                    goal[lane] = None;
                    rests[lane].push(step);
                    pace.took(lane, [0.1, 1.0][lane]);
                }
            }
            for lane in [0, 1] {
                if goal[lane].is_none() {
                    goal[lane] = pace.next(at[lane], at[1 - lane], 40);
                    if let Some(step) = goal[lane] {
                        free[lane] = clock + f64::from(step - at[lane]) * [0.1, 1.0][lane];
                    }
                }
            }
            apart = apart.max(at[0].abs_diff(at[1]));
            clock += 0.1;
            assert!(clock < 100.0, "they wait for each other: {at:?}");
        }
        assert_eq!(rests[0], rests[1]);
        assert!(apart <= 2 * FIRST, "{apart} steps apart");
        assert_eq!(pace.next(40, 40, 40), None);
        // Going on, from where both rest.
        assert!(pace.next(40, 40, 50).is_some_and(|step| step > 40));
    }

    #[test]
    fn a_step_taken_alone_ends_no_round() {
        let mut pace = Pace::default();
        assert_eq!(pace.next(0, 0, 100), Some(5));
        // Paused at 3, both: the round still ends at 5.
        assert_eq!((pace.next(3, 3, 100), pace.next(3, 3, 4)), (Some(5), Some(4)));
    }
}
