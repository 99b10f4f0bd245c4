//! Chains that run on from a start for many sweeps and are looked at on the way: whether they settle, and whether every start leads to the
//! same values.

use super::Completer;
use crate::chains::Chains;
use crate::linalg::Matrix;
use crate::math::mean_and_error;
use crate::sweep::{SearchInfo, search};
use crate::words::{choices, words};
use crate::{Clamp, Dbm};
use serde::Serialize;

choices! {
    /// Where chains on their way to equilibrium begin. If they ran long enough, it would make no difference.
    #[derive(Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum ChainStart = words("from", "From", "Where the chains of a long run begin");
    Noise = "noise", "noise", "Uniform states; looks at their modes are samples by gibbs:K";
    Mode = "mode", "modes", "Modes of local searches from noise; looks at their modes are samples by mode+gibbs:K";
    Data = "data", "data", "Training examples, each with the hidden layers of a local search given it";
}

impl Completer {
    /// Chains at this start, one per row of `examples`, `[count, n_0]`. Only the start at data uses the values; the others use only the
    /// number of rows. Nothing is clamped. From noise and from modes, [`Completer::sweep`] and [`Completer::look`] draw what
    /// [`Completer::run`] does by [`super::SamplingSchedule::Gibbs`] and [`super::SamplingSchedule::ModeGibbs`].
    ///
    /// # Panics
    /// If the examples are not as wide as the visible layer.
    pub fn begin(model: &Dbm, start: ChainStart, examples: Matrix, (seed, first_chain): (u64, u64), max_sweeps: u32) -> Self {
        match start {
            ChainStart::Noise => Self::sample(model, examples.rows(), seed, first_chain),
            ChainStart::Mode => {
                let mut chains = Self::sample(model, examples.rows(), seed, first_chain);
                search(model, &mut chains.chains, &chains.first, max_sweeps);
                chains
            }
            ChainStart::Data => Self::clean_up(model, examples, Clamp::Visible, seed, first_chain, max_sweeps),
        }
    }

    /// What [`Completer::finish`] would return, by a search on a copy: the chains themselves do not move and can continue.
    pub fn look(&self, model: &Dbm, max_sweeps: u32) -> (Vec<u8>, Vec<SearchInfo>) {
        let mut copy = Chains::free(model, self.chains.count());
        copy.place_all(self.chains.layers());
        let searches = search(model, &mut copy, &self.first, max_sweeps);
        (super::bits(&copy), searches)
    }
}

/// A difference of this many standard errors counts as a change.
const ERRORS: f64 = 2.0;

/// When a quantity of the chains settled, if it has: the first look such that from it up to the second-last, its mean differs from that at
/// the last look by at most two standard errors. `looks[k][c]` is its value in chain `c` at look `k`.
///
/// The chains are the same at all looks, so the error is that of the mean of the differences, chain by chain: `sd(x_kc - x_Kc) / sqrt(C)`.
/// No change seen does not mean that none will come: chains that are all in one of two parts of the space look settled as well.
///
/// ```
/// use dbm_core::complete::unchanged_since;
/// let falling = [vec![9.0, 9.1, 9.2], vec![3.0, 3.2, 3.1], vec![3.1, 3.1, 3.0], vec![3.2, 3.0, 3.1]];
/// assert_eq!(unchanged_since(&falling), Some(1));
/// assert_eq!(unchanged_since(&falling[..2]), None);
/// ```
pub fn unchanged_since(looks: &[Vec<f64>]) -> Option<usize> {
    let (last, before) = looks.split_last()?;
    let same = |look: &Vec<f64>| {
        let differences: Vec<f64> = look.iter().zip(last).map(|(then, now)| then - now).collect();
        let (mean, error) = mean_and_error(&differences);
        mean.abs() <= ERRORS * error
    };
    let still = before.iter().rev().take_while(|look| same(look)).count();
    (still > 0).then(|| before.len() - still)
}

#[cfg(test)]
mod tests {
    use super::super::SamplingSchedule;
    use super::*;
    use crate::words::Choose;
    use crate::{Units, exact, init};

    const MAX: u32 = 1000;

    fn examples(n: usize, count: usize) -> Matrix {
        Matrix::from_vec(count, n, (0..n * count).map(|i| if i % 3 == 0 { 1.0 } else { -1.0 }).collect())
    }

    fn begun(model: &Dbm, start: ChainStart, count: usize) -> Completer {
        Completer::begin(model, start, examples(model.n_visible(), count), (7, 20), MAX)
    }

    #[test]
    fn looks_on_the_way_change_nothing() {
        let model = init::orthogonal(&[40, 30, 20], Units::Signs, 5).unwrap();
        for start in ChainStart::CHOICES.iter().map(|choice| choice.value) {
            let (mut stopping, mut straight) = (begun(&model, start, 12), begun(&model, start, 12));
            let mut seen = Vec::new();
            for sweep in 1..=10 {
                stopping.sweep(&model);
                if [1, 4].contains(&sweep) {
                    seen.push(stopping.look(&model, MAX));
                }
            }
            (0..10).for_each(|_| straight.sweep(&model));
            assert_eq!(stopping.visible_bits(), straight.visible_bits(), "{start:?}");
            assert_eq!(stopping.look(&model, MAX), straight.look(&model, MAX));
            assert!(seen[0].0 != seen[1].0, "chains move");
            // The bits that the samplers draw.
            let schedule = match start {
                ChainStart::Noise => SamplingSchedule::Gibbs(10),
                ChainStart::Mode => SamplingSchedule::ModeGibbs(10),
                ChainStart::Data => continue,
            };
            assert_eq!(straight.look(&model, MAX).0, Completer::sample(&model, 12, 7, 20).run(&model, schedule, MAX).0);
        }
    }

    #[test]
    fn chains_at_data_begin_at_them() {
        let model = init::orthogonal(&[40, 30, 20], Units::Signs, 5).unwrap();
        let bits = begun(&model, ChainStart::Data, 5).visible_bits();
        assert!(bits.iter().enumerate().all(|(i, &bit)| (bit == 1) == (i % 3 == 0)));
    }

    /// From every start, the distribution of the visible states after 60 sweeps is the exact one: each of the 16 probabilities is within 4
    /// standard errors of its share among 4000 chains, seed 7 (alpha about 0.003 for all 48).
    #[test]
    fn from_every_start_the_exact_distribution_is_reached() {
        let model = init::gaussian(&[4, 3, 2], Units::Signs, 0.7, 3).unwrap();
        let count = 4000;
        for start in ChainStart::CHOICES.iter().map(|choice| choice.value) {
            let mut chains = begun(&model, start, count);
            let far = deviation(&model, &chains);
            (0..60).for_each(|_| chains.sweep(&model));
            let near = deviation(&model, &chains);
            assert!(far > 8.0 && near < 4.0, "{start:?}: {far} standard errors, then {near}");
        }
    }

    /// The largest deviation of a visible state's share from its probability, in standard errors.
    fn deviation(model: &Dbm, chains: &Completer) -> f64 {
        let bits = chains.visible_bits();
        let count = chains.chains.count() as f64;
        let states = (0..16).map(|code| {
            let state: Vec<bool> = (0..4).map(|unit| code >> unit & 1 == 1).collect();
            let share = bits.chunks(4).filter(|bits| bits.iter().zip(&state).all(|(&bit, &high)| (bit == 1) == high)).count()
                as f64
                / count;
            let p = exact::log_probability(model, &state).unwrap().exp();
            (share - p).abs() / (p * (1.0 - p) / count).sqrt()
        });
        states.fold(0.0, f64::max)
    }
}
