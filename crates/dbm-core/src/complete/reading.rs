//! Classes read by chains on their way from noise, one sweep at a time.

use super::{Completer, SamplingSchedule};
use crate::Dbm;
use crate::classes::given_layer_below;
use crate::parity::Parity;
use crate::sweep::search;

/// The sums of [`Completer::read_classes`] so far, for callers that work in slices.
#[derive(Default)]
pub struct ClassReading {
    /// Sweeps done.
    done: u32,
    /// For each chain, the probability of each class, summed over the sweeps that count.
    sums: Vec<Vec<f64>>,
}

impl ClassReading {
    /// Makes the next Gibbs sweep of this schedule; false if the last one is done and [`Self::probabilities`] is next. The chains and the
    /// schedule must be the same in each call.
    pub fn advance(&mut self, chains: &mut Completer, model: &Dbm, schedule: SamplingSchedule, max_sweeps: u32) -> bool {
        let sweeps = schedule.sweeps();
        if chains.advance(model, schedule, self.done, max_sweeps) {
            self.done += 1;
            if 4 * u64::from(self.done) > 3 * u64::from(sweeps) {
                self.look(chains, model);
            }
            return true;
        }
        if sweeps == 0 {
            search(model, &mut chains.chains, &chains.first, max_sweeps);
            self.look(chains, model);
        }
        false
    }

    fn look(&mut self, Completer { chains, .. }: &mut Completer, model: &Dbm) {
        chains.refresh(model, Parity::of_layer(model.depth()), &chains.all());
        self.sums.resize(chains.count(), vec![0.0; model.sizes()[model.depth()]]);
        for (chain, sums) in self.sums.iter_mut().enumerate() {
            sums.iter_mut().zip(given_layer_below(model, chains, chain)).for_each(|(sum, p)| *sum += p);
        }
    }

    /// The probability of each class for each chain, `[count, classes]`: the mean over the sweeps that count.
    pub fn probabilities(self) -> Vec<Vec<f64>> {
        let normalized = |sums: Vec<f64>| sums.iter().map(|sum| sum / sums.iter().sum::<f64>()).collect();
        self.sums.into_iter().map(normalized).collect()
    }
}

impl Completer {
    /// Runs this schedule from noise and returns the probability of each class for each chain, `[count, classes]`: the mean of
    /// `p(y | the layer below)` over the last quarter of the sweeps.
    pub fn read_classes(&mut self, model: &Dbm, schedule: SamplingSchedule, max_sweeps: u32) -> Vec<Vec<f64>> {
        let mut reading = ClassReading::default();
        while reading.advance(self, model, schedule, max_sweeps) {}
        reading.probabilities()
    }
}
