//! The signals of the run so far, thinned where they become many: what the curves show.

use dbm_protocol::RunSignals;

/// Most points of a curve.
pub const MOST: usize = 400;

/// Adds what was seen, in place of what was seen at the same step; a run that stands before the last point begins a history. Whether anything changed.
pub fn add(history: &mut Vec<RunSignals>, seen: Option<RunSignals>, step: u32) -> bool {
    if history.last().is_some_and(|last| step < last.step) {
        history.clear();
    }
    let Some(seen) = seen.filter(|seen| history.last() != Some(seen)) else { return history.is_empty() };
    if history.last().is_some_and(|last| last.step == seen.step) {
        history.pop();
    }
    history.push(seen);
    if history.len() > MOST {
        // Every other one goes; of an odd number the first and the last stay.
        let mut keep = false;
        history.retain(|_| {
            keep = !keep;
            keep
        });
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(step: u32) -> RunSignals {
        RunSignals {
            step,
            reconstruction_error: 0.1,
            pseudo_log_likelihood: -1.0,
            free_energy: -2.0,
            free_energy_of_samples: None,
            log_likelihood: None,
        }
    }

    #[test]
    fn a_history_stays_bounded_and_keeps_its_last_point() {
        let mut history = Vec::new();
        for step in 1..=3000 {
            assert!(add(&mut history, Some(seen(step)), step));
            assert!(history.len() <= MOST && history.last().unwrap().step == step);
            assert!(history.is_sorted_by(|a, b| a.step < b.step));
        }
        assert!(history.len() > MOST / 3 && history[0].step < 20, "{}", history[0].step);
    }

    #[test]
    fn a_point_is_completed_in_its_place_and_a_new_run_begins_anew() {
        let mut history = Vec::new();
        add(&mut history, Some(seen(5)), 5);
        let complete = RunSignals { free_energy_of_samples: Some(-3.0), ..seen(5) };
        assert!(add(&mut history, Some(complete), 7) && history == [complete]);
        assert!(!add(&mut history, Some(complete), 7));
        assert!(add(&mut history, None, 0) && history.is_empty());
    }
}
