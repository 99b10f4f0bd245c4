//! Where reverse annealing starts: at the model's end of the path, from data or from samples of the model.

use super::path::{AnnealedChains, held_parity};
use super::{Ais, AisSettings, BaseDistribution};
use crate::chains::Chains;
use crate::error::within;
use crate::groups::level_at;
use crate::linalg::Matrix;
use crate::marginal::log_marginal;
use crate::mean_field::{MeanField, MeanFieldSettings, posterior_of};
use crate::rng::{Purpose, Stream, Streams};
use crate::{Clamp, Dbm, DbmError, Examples, Parity};
use std::ops::Range;

/// Settings of the mean-field posteriors from which hidden layers are drawn.
const MEAN_FIELD: MeanFieldSettings = MeanFieldSettings { max_sweeps: 1000, tolerance: 1e-5 };

/// Step numbers in stream addresses, one for each kind of draw.
const OF_HIDDEN: u64 = 0;
const OF_SAMPLES: u64 = 1;
const OF_SWEEPS: u64 = 2;

/// The states that chains of [`ReverseAis`](super::ReverseAis) start from.
#[derive(Clone, Debug, PartialEq)]
pub struct ReverseStart {
    /// States, `[chains, n_l]` per layer.
    pub states: Vec<Matrix>,
    /// For each chain, the example it started from and `log p*(v, s_p) - log q(s_p | v)`, where p is the parity the chains hold and the
    /// state was drawn from q: the input of [`raise`](super::raise). With one hidden layer it is `log p*(v)`. Empty for other states.
    pub examples: Vec<(usize, f64)>,
}

impl ReverseStart {
    /// From the first `N` examples: chain `c` of `R` starts from example `c N / R`, or `c mod N` if there are fewer examples than chains.
    ///
    /// Hidden units and missing visible ones are drawn from the mean-field posterior, which is exact if there is one hidden layer and
    /// nothing is missing. `p*(v, s_p)`, with the other parity summed out, needs no estimate.
    ///
    /// # Errors
    /// [`DbmError::Shape`] if the data are not as wide as the visible layer, [`DbmError::Setting`] if there are too few examples.
    pub fn of_data(
        model: &Dbm,
        (data, n): (&Examples, usize),
        settings: &AisSettings,
        chains: Range<usize>,
    ) -> Result<Self, DbmError> {
        data.check_width(model.n_visible())?;
        within("number of examples to start from", "1 to that of the data", n as f64, (1..=data.len()).contains(&n))?;
        let spread = |c: usize| if n < settings.chains { c % n } else { c * n / settings.chains };
        let rows: Vec<usize> = chains.clone().map(spread).collect();
        let posterior = posterior_of(model, data, &rows, MEAN_FIELD);
        let mut streams = streams(settings, chains, OF_HIDDEN);
        let (low, gap) = (model.units().low(), model.units().gap());
        let mut states = posterior.means.clone();
        let mut log_q = vec![0.0; rows.len()];
        for l in held_parity(model).layers(model.depth()) {
            for (c, stream) in streams.iter_mut().enumerate() {
                for unit in states[l].row_mut(c) {
                    let high = f64::from((*unit - low) / gap);
                    // The mean of a known visible unit is its value, so the draw keeps it.
                    let drawn = stream.uniform() < high;
                    log_q[c] += libm::log(if drawn { high } else { 1.0 - high });
                    *unit = model.units().value(drawn);
                }
            }
        }
        if held_parity(model) == Parity::Even {
            for (c, stream) in streams.iter_mut().enumerate() {
                draw_groups(model, posterior.means[0].row(c), stream, states[0].row_mut(c), &mut log_q[c]);
            }
        }
        // The summed-out layers are drawn at the first transition; until then they hold their means.
        for l in held_parity(model).other().layers(model.depth()) {
            states[l].data_mut().iter_mut().for_each(|unit| *unit = model.units().value(*unit > 0.5));
        }
        let examples = log_joints(model, &states, &posterior).into_iter().zip(log_q).map(|(joint, log_q)| joint - log_q);
        Ok(Self { examples: rows.into_iter().zip(examples).collect(), states })
    }

    /// From the ends of forward annealing runs with separate streams and the same number of betas: close to samples of the model, provided
    /// such runs find nearly all of its mass.
    ///
    /// # Panics
    /// If the base has the shape of another model.
    pub fn of_samples(model: &Dbm, base: &BaseDistribution, settings: &AisSettings, chains: Range<usize>) -> Self {
        let ais = Ais::with_streams(model, base, settings.betas, streams(settings, chains, OF_SAMPLES));
        Self { states: ais.into_states(model), examples: vec![] }
    }

    /// Makes this many more Gibbs sweeps of the model, which bring the states closer to samples of it. The record of their examples is
    /// dropped.
    ///
    /// # Panics
    /// If the states are not those of the chains with these numbers, or the base has the shape of another model.
    #[must_use]
    pub fn sweep_on(
        self,
        model: &Dbm,
        base: &BaseDistribution,
        (settings, chains): (&AisSettings, Range<usize>),
        sweeps: u32,
    ) -> Self {
        if sweeps == 0 {
            return self;
        }
        let mut annealed = AnnealedChains::new(model, base, streams(settings, chains, OF_SWEEPS));
        annealed.place(&self.states);
        annealed.sweep_on(model, sweeps);
        Self { states: annealed.states().to_vec(), examples: vec![] }
    }
}

/// Draws the units of each group again, together, by their means. The log probability of the level replaces those of the single units.
fn draw_groups(model: &Dbm, means: &[f32], stream: &mut Stream, state: &mut [f32], log_q: &mut f64) {
    let (low, gap) = (model.units().low(), model.units().gap());
    for group in model.groups().iter() {
        let highs: Vec<f64> = means[group.units.clone()].iter().map(|&mean| f64::from((mean - low) / gap)).collect();
        let drawn = state[group.units.clone()].iter().zip(&highs);
        *log_q -= drawn.map(|(&unit, &high)| libm::log(if unit > 0.5 { high } else { 1.0 - high })).sum::<f64>();
        let levels = group.probabilities(&highs);
        if let Some(level) = level_at(stream.uniform(), &levels) {
            *log_q += libm::log(levels[level]);
            group.units.clone().for_each(|unit| state[unit] = model.units().value(group.is_high(level, unit)));
        }
    }
}

fn streams(settings: &AisSettings, chains: Range<usize>, step: u64) -> Vec<Stream> {
    Streams::new(settings.seed).of_chains(Purpose::ReverseStart, step, chains.start as u64..chains.end as u64)
}

/// `log p*(v, s_p)` of each row.
fn log_joints(model: &Dbm, states: &[Matrix], posterior: &MeanField) -> Vec<f64> {
    let held = held_parity(model);
    // Marked one by one: a visible layer that is clamped as a whole has no fields.
    let known = (0..states[0].data().len()).map(|place| posterior.clamp.holds(place)).collect();
    let mut chains = Chains::new(model, states[0].clone(), Clamp::Known(known));
    chains.place_all(states);
    chains.refresh(model, held.other(), &chains.all());
    (0..posterior.count()).map(|c| log_marginal(model, &chains, c, held)).collect()
}
