//! Looks at how a run does on the examples: a few examples at a time, so that each look is short, and reported as means over the latest
//! look at each.

use dbm_core::signals::{Activity, Signals};
use dbm_protocol::RunSignals;
use std::collections::VecDeque;
use std::ops::Range;

/// Signals are means over this many examples; over all, if there are fewer.
pub const EXAMPLES: usize = 50;
/// Examples in the first look, before the time per example is known.
const FIRST: usize = 5;
/// Approximate length of a look: a fortieth of the time then allows more than one a second.
const SECONDS: f64 = 0.015;
/// Share of a look at all examples that the pseudo-likelihood shown needs: a single unit per example is noisy.
const SHARE: f64 = 0.2;

/// What a look at some of the examples found.
pub struct Look {
    /// Gradient steps at that time.
    pub step: u32,
    /// Positions of these examples.
    pub part: Range<usize>,
    /// `None` if nothing is known of any of them.
    pub signals: Option<Signals>,
    /// Mean free energy of as many samples of training's chains, if there are any.
    pub free_energy_of_samples: Option<f64>,
    /// Exact mean log-likelihood of all data, if the model is small enough.
    pub log_likelihood: Option<f64>,
}

/// The latest looks, which together cover all examples.
#[derive(Default)]
pub struct Looks {
    recent: VecDeque<Look>,
    /// Seconds per example.
    seconds_each: Option<f64>,
    pseudo_log_likelihood: Option<f64>,
    /// Mean free energy of samples drawn for this purpose, and their step.
    drawn: Option<(u32, f64)>,
}

impl Looks {
    /// The examples of the next look, out of `count`, which is not 0.
    pub fn next_part(&self, count: usize) -> Range<usize> {
        let size = self.seconds_each.map_or(FIRST, |each| (SECONDS / each).min(count as f64) as usize).max(1);
        let start = self.recent.back().map_or(0, |look| look.part.end % count);
        start..(start + size).min(count)
    }

    /// Takes in a look at some of `count` examples that took this long.
    pub fn take(&mut self, look: Look, count: usize, seconds: f64) {
        let places = look.part.len();
        self.seconds_each = Some((seconds / places as f64).max(f64::MIN_POSITIVE));
        if let Some(signals) = &look.signals {
            let share = 1.0 - (1.0 - SHARE).powf(places as f64 / count as f64);
            let now = signals.pseudo_log_likelihood;
            self.pseudo_log_likelihood = Some(self.pseudo_log_likelihood.map_or(now, |before| before + share * (now - before)));
        }
        self.recent.push_back(look);
        let mut covered: usize = self.recent.iter().map(|look| look.part.len()).sum();
        while let Some(oldest) = self.recent.front().filter(|oldest| covered - oldest.part.len() >= count) {
            covered -= oldest.part.len();
            self.recent.pop_front();
        }
    }

    /// Whether all of this many examples were looked at with the run at this step.
    pub fn are_whole_at(&self, step: u32, count: usize) -> bool {
        self.recent.iter().filter(|look| look.step == step).map(|look| look.part.len()).sum::<usize>() >= count
    }

    /// Takes in the mean free energy of samples drawn from the run at this step; returns whether it belongs to the last look.
    pub fn take_drawn(&mut self, step: u32, free_energy: f64) -> bool {
        self.drawn = Some((step, free_energy));
        self.recent.back().is_some_and(|look| look.step == step)
    }

    /// The looks combined; `None` before the first.
    pub fn signals(&self) -> Option<RunSignals> {
        let last = self.recent.back()?;
        let drawn = self.drawn.filter(|(step, _)| *step == last.step).map(|(_, free_energy)| free_energy);
        let samples = mean(self.recent.iter().filter_map(|look| Some((look.part.len(), look.free_energy_of_samples?))));
        Some(RunSignals {
            step: last.step,
            reconstruction_error: self.mean(|signals| signals.reconstruction_error)?,
            pseudo_log_likelihood: self.pseudo_log_likelihood?,
            free_energy: self.mean(|signals| signals.free_energy)?,
            free_energy_of_samples: drawn.or(samples),
            log_likelihood: last.log_likelihood,
        })
    }

    /// How active each hidden layer is, lowest first.
    pub fn activities(&self) -> Vec<Activity> {
        let layers = self.seen().next().map_or(0, |signals| signals.activities.len());
        let units = |layer: usize| self.seen().next().map_or(0, |signals| signals.activities[layer].len());
        let layer = |layer: usize| {
            let means = (0..units(layer)).filter_map(|unit| self.mean(|signals| signals.activities[layer][unit]));
            Activity::of(&means.collect::<Vec<_>>())
        };
        (0..layers).map(layer).collect()
    }

    fn seen(&self) -> impl Iterator<Item = &Signals> {
        self.recent.iter().filter_map(|look| look.signals.as_ref())
    }

    /// The mean of the looks over all examples.
    fn mean(&self, of: impl Fn(&Signals) -> f64) -> Option<f64> {
        mean(self.seen().map(|signals| (signals.examples, of(signals))))
    }
}

/// The mean of values with these weights; `None` for no values.
fn mean(values: impl Iterator<Item = (usize, f64)>) -> Option<f64> {
    let (weight, sum) = values.fold((0, 0.0), |(weights, sum), (weight, value)| (weights + weight, sum + weight as f64 * value));
    (weight > 0).then(|| sum / weight as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbm_core::{Examples, Units, init};

    /// Looks at the examples part by part, each taking this long, until all were looked at at this step.
    fn look_around(looks: &mut Looks, data: &Examples, step: u32, seconds: f64) -> usize {
        let model = init::gaussian(&[9, 6, 4], Units::Signs, 0.3, u64::from(step)).unwrap();
        let mut parts = 0;
        while !looks.are_whole_at(step, data.len()) {
            let part = looks.next_part(data.len());
            let signals = Signals::of_part(&model, data, data.len(), part.clone(), 7, u64::from(step)).ok();
            let seconds = seconds * part.len() as f64;
            looks.take(Look { step, part, signals, free_energy_of_samples: None, log_likelihood: None }, data.len(), seconds);
            parts += 1;
        }
        parts
    }

    #[test]
    fn parts_together_say_what_one_look_at_all_examples_says() {
        let bits: Vec<u8> = (0..40 * 9_u32).map(|i| u8::from(i * i % 7 > 2)).collect();
        // Nothing is known of the tenth example.
        let known: Vec<u8> = (0..40 * 9).map(|i| u8::from(i / 9 != 9)).collect();
        for data in [Examples::from_bits(9, &bits).unwrap(), Examples::from_bits(9, &bits).unwrap().with_gaps(&known).unwrap()] {
            let mut looks = Looks::default();
            assert_eq!(looks.signals(), None);
            // First five of them; then, at 5 ms each, three at a time.
            assert_eq!(look_around(&mut looks, &data, 1, 0.005), 1 + 12);
            for step in [1, 2] {
                look_around(&mut looks, &data, step, 0.005);
                let model = init::gaussian(&[9, 6, 4], Units::Signs, 0.3, u64::from(step)).unwrap();
                let whole = Signals::of(&model, &data, 40, 7, u64::from(step)).unwrap();
                let seen = looks.signals().unwrap();
                let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-6 * (1.0 + b.abs()), "{a} for {b}");
                near(seen.reconstruction_error, whole.reconstruction_error);
                near(seen.free_energy, whole.free_energy);
                let layers: Vec<Activity> = whole.activities.iter().map(|units| Activity::of(units)).collect();
                assert_eq!((seen.step, looks.activities()), (step, layers));
            }
        }
    }

    #[test]
    fn a_look_is_as_large_as_its_time_allows_and_the_samples_of_another_step_are_not_its_own() {
        let data = Examples::from_bits(9, &[1; 360]).unwrap();
        let mut looks = Looks::default();
        look_around(&mut looks, &data, 1, 1e-6);
        assert_eq!(looks.next_part(40).len(), 40);
        look_around(&mut looks, &data, 2, 1.0);
        assert_eq!(looks.next_part(40).len(), 1);
        assert!(!looks.take_drawn(1, -5.0) && looks.signals().unwrap().free_energy_of_samples.is_none());
        assert!(looks.take_drawn(2, -6.0) && looks.signals().unwrap().free_energy_of_samples == Some(-6.0));
    }
}
