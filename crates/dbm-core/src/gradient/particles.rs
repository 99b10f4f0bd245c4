//! Particle runs instead of chains.

use super::Phase;
use super::phase::PhaseRun;
use crate::Clamp;
use crate::linalg::Matrix;
use crate::tempering::ParticleSet;

impl PhaseRun<'_> {
    /// Adds `times` times a run's `sum_i W^i f(x^i)`.
    pub fn push_run(&mut self, times: f64, run: &ParticleSet, clamp: &Clamp) {
        if times == 0.0 {
            return;
        }
        for (particle, w) in run.weights.iter().enumerate() {
            let of =
                |layers: &'_ [Matrix]| -> Vec<Vec<f32>> { layers.iter().map(|layer| layer.row(particle).to_vec()).collect() };
            let (state, weight) = (of(&run.states), (times * w) as f32);
            if self.marginalize {
                self.moments[0].push_marginal(self.phase, weight, &state, &of(&run.means), *clamp == Clamp::Visible);
            } else {
                self.moments[0].push(self.phase, weight, &state);
            }
        }
    }

    /// Records the run from which this many chains start and, if its particles are free, what they look like.
    pub fn note_run(&mut self, run: &ParticleSet, chains: f64, free: bool) {
        self.infos[0].energy_sum += chains * run.energy;
        self.infos[0].chains += chains as u32;
        if free && self.phase == Phase::Negative {
            let units = self.model.units();
            let middle = units.low() + 0.5 * units.gap();
            let bit = |(place, &mean): (usize, &f32)| u8::from(mean >= middle) << place;
            for row in 0..run.means[0].rows() {
                let means = run.means[0].row(row).chunks(8);
                self.infos[0].visible.extend(means.map(|means| means.iter().enumerate().map(bit).sum::<u8>()));
            }
        }
    }

    /// Records how the coupling of two chains of runs ended, and how many runs were offered and accepted.
    pub fn note_meeting(&mut self, (time, capped): (u32, bool), (offered, accepted): (u64, u64)) {
        let info = &mut self.infos[0];
        info.meeting_times.push(time);
        info.couplings_capped += u32::from(capped);
        info.proposals += offered;
        info.accepted += accepted;
    }
}
