//! Samples and completions: chains from noise, with the known units clamped, searched to a mode.

mod consensus;
mod method;
mod reading;
mod schedule;
mod start;

use crate::chains::Chains;
use crate::classes::top_of_classes;
use crate::diagnostics::{ApproachState, Caps, CouplingKernel, CouplingTrace, Reached, write_down};
use crate::linalg::Matrix;
use crate::mean_field::{MeanFieldSettings, posterior_with_top};
use crate::parity::Parity;
use crate::rng::{Purpose, Stream, Streams};
use crate::sweep::{SearchInfo, gibbs, gibbs_at, search, search_observed, uniform_start};
use crate::{Clamp, Dbm};
pub use consensus::{balanced, consensus, majority};
pub use method::Method;
pub use reading::ClassReading;
pub use schedule::{MEAN_FIELD_SWEEPS, SamplingSchedule, annealing};
use serde::{Deserialize, Serialize};
pub use start::{ChainStart, unchanged_since};

/// Chains that make completions, advanced in slices. Each chain's answer depends only on the seed and its own address.
///
/// ```
/// use dbm_core::complete::Completer;
/// use dbm_core::{Units, init};
/// let model = init::orthogonal(&[6, 8], Units::Signs, 1)?;
/// let mut completer = Completer::sample(&model, 3, 7, 0);
/// let (bits, searches) = completer.finish(&model, 1000);
/// assert_eq!((bits.len(), searches.len()), (3 * 6, 3));
/// # Ok::<(), dbm_core::DbmError>(())
/// ```
pub struct Completer {
    chains: Chains,
    streams: Vec<Stream>,
    first: Vec<Parity>,
    /// What the initial search did, if the schedule has one.
    before: Vec<SearchInfo>,
}

impl Completer {
    /// Fills in the visible units that are not clamped to `visible`, `[count, n_0]`, from uniform noise; chain `c` draws from the stream of
    /// `seed` addressed `first_chain + c`.
    ///
    /// # Panics
    /// If the shapes do not fit.
    pub fn complete(model: &Dbm, visible: Matrix, clamp: Clamp, seed: u64, first_chain: u64) -> Self {
        Self::start(model, Chains::new(model, visible, clamp), seed, first_chain)
    }

    /// The same for examples of one class, for a model whose top layer has one unit per class.
    ///
    /// # Panics
    /// If the shapes do not fit, or the model does not have that many classes.
    pub fn complete_class(
        model: &Dbm,
        visible: Matrix,
        clamp: Clamp,
        classes: &[usize],
        (seed, first_chain): (u64, u64),
    ) -> Self {
        let chains = Chains::new(model, visible, clamp).with_top(top_of_classes(model, classes));
        Self::start(model, chains, seed, first_chain)
    }

    /// Samples by this schedule, from which those of one class are to be kept ([`crate::classes::read`]): all with that class clamped if
    /// the schedule draws a class first, and free otherwise.
    ///
    /// # Panics
    /// If the model has no such class.
    pub fn sample_class(
        model: &Dbm,
        (schedule, class): (SamplingSchedule, usize),
        count: usize,
        seed: u64,
        first_chain: u64,
    ) -> Self {
        let mut chains = Chains::free(model, count);
        if matches!(schedule, SamplingSchedule::ClassGibbs(_)) {
            chains.clamp_top(top_of_classes(model, &vec![class; count]));
        }
        Self::start(model, chains, seed, first_chain)
    }

    /// Samples, with nothing known.
    pub fn sample(model: &Dbm, count: usize, seed: u64, first_chain: u64) -> Self {
        Self::start(model, Chains::free(model, count), seed, first_chain)
    }

    /// Cleans pictures up: like [`Self::complete`], it searches to the modes, with at most `max_sweeps` sweeps, and then releases the
    /// clamp, so that the known units only set where the chains begin. With every unit known, the hidden layers thus come from one search
    /// given the picture. A free search from there ([`Self::finish`]) never raises the energy and ends in a mode of the whole model.
    ///
    /// # Panics
    /// If the shapes do not fit.
    pub fn clean_up(model: &Dbm, visible: Matrix, clamp: Clamp, seed: u64, first_chain: u64, max_sweeps: u32) -> Self {
        let mut drawn = Self::complete(model, visible, clamp, seed, first_chain);
        search(model, &mut drawn.chains, &drawn.first, max_sweeps);
        let mut chains = Chains::free(model, drawn.chains.count());
        chains.place_all(drawn.chains.layers());
        Self { chains, ..drawn }
    }

    fn start(model: &Dbm, mut chains: Chains, seed: u64, first_chain: u64) -> Self {
        let addresses = first_chain..first_chain + chains.count() as u64;
        let mut streams = Streams::new(seed).of_chains(Purpose::Completion, 0, addresses);
        let first = uniform_start(model, &mut chains, &mut streams);
        Self { chains, streams, first, before: Vec::new() }
    }

    /// One Gibbs sweep of every chain.
    pub fn sweep(&mut self, model: &Dbm) {
        gibbs(model, &mut self.chains, &self.first, &mut self.streams);
    }

    /// Makes the next Gibbs sweep of this schedule, `done` of which are already made; false if there are none left and [`Self::finish`] is
    /// next.
    pub fn advance(&mut self, model: &Dbm, schedule: SamplingSchedule, done: u32, max_sweeps: u32) -> bool {
        match schedule {
            SamplingSchedule::ModeGibbs(_) if done == 0 => {
                self.before = search(model, &mut self.chains, &self.first, max_sweeps);
            }
            SamplingSchedule::MeanField(_) if done == 0 => self.draw_from_mean_field(model),
            SamplingSchedule::ClassGibbs(_) if done == 0 && !self.chains.top_is_clamped() => {
                let classes = model.sizes()[model.depth()] as u64;
                let drawn: Vec<usize> = self.streams.iter_mut().map(|stream| stream.below(classes) as usize).collect();
                self.chains.clamp_top(top_of_classes(model, &drawn));
            }
            _ => {}
        }
        if done >= schedule.sweeps() {
            return false;
        }
        match schedule {
            SamplingSchedule::Annealed(sweeps) => {
                gibbs_at(model, &mut self.chains, &self.first, &mut self.streams, annealing(done, sweeps));
            }
            _ => self.sweep(model),
        }
        true
    }

    /// Puts each chain at a state drawn unit by unit from the mean field given what is clamped.
    fn draw_from_mean_field(&mut self, model: &Dbm) {
        let (chains, units) = (&self.chains, model.units());
        let top = chains.top_is_clamped().then(|| chains.layer(model.depth()));
        let settings = MeanFieldSettings { max_sweeps: MEAN_FIELD_SWEEPS, tolerance: 0.0 };
        let mut layers = posterior_with_top(model, chains.layer(0), chains.clamp(), top, settings).means;
        let mut uniforms = Vec::new();
        for layer in &mut layers {
            uniforms.resize(layer.columns(), 0.0);
            for (chain, stream) in self.streams.iter_mut().enumerate() {
                stream.fill_uniform(&mut uniforms);
                let drawn = layer.row_mut(chain).iter_mut().zip(&uniforms);
                drawn.for_each(|(value, u)| *value = units.value(*value > units.low() + units.gap() * u));
            }
        }
        self.chains.place_all(&layers);
    }

    /// Runs this schedule from noise; returns what [`Self::finish`] does.
    pub fn run(&mut self, model: &Dbm, schedule: SamplingSchedule, max_sweeps: u32) -> (Vec<u8>, Vec<SearchInfo>) {
        let mut done = 0;
        while self.advance(model, schedule, done, max_sweeps) {
            done += 1;
        }
        self.finish(model, max_sweeps)
    }

    /// Searches to the modes; returns the visible layers as bytes 0 and 1, `[count, n_0]`, and what the searches of each chain did: their
    /// sweeps in all, and whether any of them stopped at `max_sweeps`.
    pub fn finish(&mut self, model: &Dbm, max_sweeps: u32) -> (Vec<u8>, Vec<SearchInfo>) {
        let mut searches = search(model, &mut self.chains, &self.first, max_sweeps);
        for (search, before) in searches.iter_mut().zip(self.before.drain(..)) {
            search.sweeps += before.sweeps;
            search.capped |= before.capped;
        }
        (self.visible_bits(), searches)
    }

    /// The present states of a layer, `[count, n_l]` unit values.
    pub fn layer(&self, layer: usize) -> &Matrix {
        self.chains.layer(layer)
    }

    /// The present visible layers, as bytes 0 and 1.
    pub fn visible_bits(&self) -> Vec<u8> {
        bits(&self.chains)
    }

    /// Energies of the full states, hidden layers included.
    pub fn energies(&mut self, model: &Dbm) -> Vec<f64> {
        self.chains.refresh(model, Parity::Odd, &self.chains.all());
        (0..self.chains.count()).map(|chain| self.chains.energy(model, chain)).collect()
    }

    /// Couples a pair on the free units of the first chain and records it. From the state of that chain, one Gibbs sweep in the order of a
    /// fresh coin leads to `x_0 = y_0` (the paper's section 3.3), where the trace begins.
    ///
    /// # Panics
    /// If there is no chain.
    pub fn couple(mut self, model: &Dbm, kernel: CouplingKernel, caps: Caps) -> CouplingTrace {
        self.first[0] = Parity::first(self.streams[0].coin());
        self.sweep(model);
        let approach = vec![ApproachState::new(model, &self.chains.state(0), Reached::Gibbs)];
        CouplingTrace { approach, ..write_down(model, &self.chains, 0, &mut self.streams[0], (kernel, caps)) }
    }

    /// Draws an answer with the only chain, recording state by state: the sweeps of the schedule, and the final search if there is one. The
    /// chain ends where [`Self::run`] would end.
    ///
    /// # Panics
    /// If there is not one chain.
    pub fn watch(mut self, model: &Dbm, (schedule, searches): (SamplingSchedule, bool), max_sweeps: u32) -> AnswerTrace {
        let frame = |chains: &Chains, sweep, half_sweep| AnswerFrame {
            sweep,
            half_sweep,
            energy: model.energy(&chains.state(0)),
            visible: model.units().bytes(chains.layer(0).row(0)),
        };
        assert_eq!(self.chains.count(), 1);
        let mut frames = vec![frame(&self.chains, 0, 0)];
        let (sweeps, mut done) = (schedule.sweeps(), 0);
        while self.advance(model, schedule, done, max_sweeps) {
            done += 1;
            if done.is_multiple_of(sweeps.div_ceil(MOST_WATCHED).max(1)) || done == sweeps {
                frames.push(frame(&self.chains, done, 0));
            }
        }
        let mut info = SearchInfo::default();
        if searches {
            let mut half_sweep = 0;
            let infos = search_observed(model, &mut self.chains, &self.first, max_sweeps, |chains| {
                half_sweep += 1;
                frames.push(frame(chains, done, half_sweep));
            });
            info = infos[0];
        }
        AnswerTrace { frames, sweeps, search: info }
    }
}

fn bits(chains: &Chains) -> Vec<u8> {
    chains.layer(0).data().iter().map(|&value| u8::from(value > 0.5)).collect()
}

/// The largest number of Gibbs sweeps of a watched answer that is recorded; of a longer schedule, evenly spaced ones are.
const MOST_WATCHED: u32 = 100;

/// One chain from noise to an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnswerTrace {
    /// The first state, then one after each Gibbs sweep and after each half-sweep of the search.
    pub frames: Vec<AnswerFrame>,
    /// Gibbs sweeps before the search.
    pub sweeps: u32,
    /// What the search did; no sweeps if there was none.
    pub search: SearchInfo,
}

/// One state of a watched answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnswerFrame {
    /// Gibbs sweeps so far.
    pub sweep: u32,
    /// Half-sweeps of the search so far; 0 before it.
    pub half_sweep: u32,
    /// Energy of the whole state, in nats; never rises along the search.
    pub energy: f64,
    /// The visible layer, one byte per unit, 0 or 1.
    pub visible: Vec<u8>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Units, init};

    fn question(n: usize, count: usize) -> Matrix {
        let row: Vec<f32> = (0..n).map(|i| if i % 3 == 0 { 1.0 } else { -1.0 }).collect();
        Matrix::from_vec(count, n, row.repeat(count))
    }

    #[test]
    fn a_picture_is_cleaned_up_downhill_to_a_mode() {
        let model = init::orthogonal(&[40, 30, 20], Units::Signs, 5).unwrap();
        let (count, n) = (12, 40);
        let mut clamped = Completer::complete(&model, question(n, count), Clamp::Visible, 9, 0);
        let kept = clamped.finish(&model, 1000).0;
        let before = clamped.energies(&model);
        assert!(kept.chunks(n).all(|bits| bits.iter().enumerate().all(|(i, &bit)| (bit == 1) == (i % 3 == 0))));

        let mut cleaned = Completer::clean_up(&model, question(n, count), Clamp::Visible, 9, 0, 1000);
        assert_eq!(cleaned.visible_bits(), kept, "so far it is the picture");
        let (bits, searches) = cleaned.finish(&model, 1000);
        assert!(searches.iter().all(|search| !search.capped));
        let after = cleaned.energies(&model);
        for (before, after) in before.iter().zip(&after) {
            assert!(after <= &(before + 1e-4), "{after} above {before}");
        }
        assert!(
            bits != kept && after.iter().sum::<f64>() < before.iter().sum::<f64>() - 1.0,
            "random weights know no such picture"
        );
        // A mode: no search leaves it, whichever parity is first, and the energies match the definition.
        for first in [Parity::Even, Parity::Odd] {
            let again = search(&model, &mut cleaned.chains, &vec![first; count], 10);
            assert!(again.iter().all(|search| search.sweeps == 1));
        }
        assert_eq!(cleaned.visible_bits(), bits);
        for (chain, energy) in after.iter().enumerate() {
            assert!((model.energy(&cleaned.chains.state(chain)) - energy).abs() < 1e-3);
        }
    }

    #[test]
    fn chains_begin_where_units_drawn_from_mean_field_are() {
        let model = init::orthogonal(&[6, 5, 3], Units::Bits, 4).unwrap();
        let (count, known) = (20_000, [true, false, false, true, false, false]);
        for top in [None, Some(2)] {
            let (question, clamp) = (question(6, count), Clamp::of_units(&known, count));
            let mut drawn = match top {
                None => Completer::complete(&model, question, clamp, 3, 0),
                Some(class) => Completer::complete_class(&model, question, clamp, &vec![class; count], (3, 0)),
            };
            let chains = &drawn.chains;
            let clamped = top.map(|_| chains.layer(2));
            let settings = MeanFieldSettings { max_sweeps: 1000, tolerance: 1e-6 };
            let means = posterior_with_top(&model, chains.layer(0), chains.clamp(), clamped, settings).means;
            drawn.draw_from_mean_field(&model);
            for (layer, means) in means.iter().enumerate() {
                for (unit, &mean) in means.row(0).iter().enumerate() {
                    let seen = (0..count).map(|chain| drawn.layer(layer).row(chain)[unit]).sum::<f32>() / count as f32;
                    let certain = layer == 0 && known[unit] || layer == 2 && top.is_some();
                    assert!(
                        (seen - mean).abs() < if certain { 1e-6 } else { 0.015 },
                        "layer {layer}, unit {unit}: {seen}, {mean}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_pair_moves_only_what_is_free_and_stays_together_once_it_has_met() {
        let model = init::orthogonal(&[4, 3], Units::Signs, 2).unwrap();
        let mut times = Vec::new();
        for kernel in [CouplingKernel::Metropolis, CouplingKernel::Gibbs] {
            for seed in 0..20 {
                let known = vec![true, false, false, true];
                let mut pair = Completer::complete(&model, question(4, 1), Clamp::Known(known), seed, 0);
                pair.finish(&model, 100);
                let CouplingTrace { approach, steps, meeting } = pair.couple(&model, kernel, Caps { meeting: 200, tries: 100 });
                assert_eq!((steps.len(), meeting.capped), (meeting.time as usize, false));
                assert_eq!(steps[0].y, approach[0].state, "y begins where x began");
                assert!(steps.iter().flat_map(|step| [&step.x, &step.y]).all(|state| (state[0], state[3]) == (1, 1)));
                let met = steps.iter().position(|step| step.x == step.y);
                assert_eq!(met, Some(steps.len() - 1));
                times.push(meeting.time);
            }
        }
        assert!(times.contains(&1) && times.iter().any(|&time| time > 1), "{times:?}");
    }
}
