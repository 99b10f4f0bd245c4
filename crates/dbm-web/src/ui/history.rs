//! What was seen at the steps of a run, thinned as it grows.

/// Adds what was seen at a step, replacing what was seen earlier at the same step. Beyond `most` entries every other one is
/// dropped; `most` is even, so the first and the last stay.
pub fn add<T>(history: &mut Vec<T>, seen: T, most: usize, step: impl Fn(&T) -> u32) {
    history.retain(|before| step(before) != step(&seen));
    history.push(seen);
    if history.len() > most {
        let mut keep = false;
        history.retain(|_| {
            keep = !keep;
            keep
        });
    }
}

#[cfg(test)]
mod tests {
    use super::add;

    #[test]
    fn a_history_stays_bounded_and_keeps_its_ends() {
        const MOST: usize = 400;
        let mut history = Vec::new();
        for step in 1..=3000 {
            add(&mut history, step, MOST, |step| *step);
            assert!(history.len() <= MOST && history[0] == 1 && history.last() == Some(&step));
            assert!(history.is_sorted());
        }
        assert!(history.len() > MOST / 3);
    }

    #[test]
    fn what_is_seen_again_takes_its_place() {
        let mut history = vec![(4, 'a'), (5, 'b')];
        add(&mut history, (5, 'c'), 400, |seen| seen.0);
        assert_eq!(history, [(4, 'a'), (5, 'c')]);
    }
}
