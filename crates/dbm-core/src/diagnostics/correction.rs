//! How likely a coupling of UCD-LMI is to make any correction, as the model grows.

use super::couple::{Caps, CouplingKernel, couple};
use super::samples::ProgressFn;
use super::starts::{CouplingStart, begin_runs};
use crate::ais::{Ais, AisEstimate, AisSettings, BaseDistribution};
use crate::error::within;
use crate::math::{exp_below_zero, log_sum_exp};
use crate::rng::Streams;
use crate::{Backend, Dbm, DbmError, Parity, Units, exact, init};
use serde::{Deserialize, Serialize};

/// Up to this many units in total, every proposal is summed over.
pub const ENUMERATED_UNITS: usize = 24;

/// Up to this many units in the smaller parity, log Z in the upper bound is exact.
const EXACT_LOG_Z: usize = 16;

/// Chains and betas of the estimate of log Z in the upper bound where it is not exact. Coarse, but the units of random orthogonal models
/// are nearly independent.
const AIS: (usize, usize) = (10, 100);

/// Models with more parameters take too long.
const MAX_PARAMETERS: usize = 4_000_000;

/// The most couplings in one run.
const MAX_RUNS: u32 = 100_000;

/// Couplings of UCD-LMI on [`init::orthogonal`] models of these sizes, with all units free.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CorrectionProbabilityPlan {
    /// Layer sizes, the visible one first.
    pub sizes: Vec<usize>,
    /// Kind of units.
    pub units: Units,
    /// Seed of the model and of every run.
    pub seed: u64,
}

/// How rarely the couplings make a correction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CorrectionProbability {
    /// Couplings that were run.
    pub runs: u32,
    /// Couplings with tau > 1.
    pub moved: u32,
    /// log10 of P(tau > 1), averaged over the x_0 of the runs; minus infinity for 0.
    pub log10_probability: f64,
    /// Whether it is exact given the x_0; otherwise it is an upper bound, for which log Z may be an estimate.
    pub exact: bool,
}

impl CorrectionProbabilityPlan {
    /// Runs this many couplings until it is known whether tau > 1, and computes the probability of tau > 1 from their starts.
    ///
    /// tau > 1 if x accepts its first proposal and that proposal differs from x_0. With `N` units and a uniform proposal x', given x_0,
    ///
    /// `P(tau > 1) = 2^-N sum_{x' != x_0} min(1, exp(E(x_0) - E(x')))`,
    ///
    /// summed over all states up to [`ENUMERATED_UNITS`] units. Above that, `min(1, a) <= a` bounds it by `min(1, 2^-N exp(E(x_0)) Z)`,
    /// where log Z is exact if one parity has at most 16 units, and otherwise an estimate by annealed importance sampling (10 chains, 100
    /// steps).
    ///
    /// # Errors
    /// Those of [`crate::check_sizes`]; [`DbmError::Setting`] for no runs or too many; [`DbmError::TooLarge`] above 4 million parameters.
    pub fn run(&self, runs: u32, progress: &mut ProgressFn) -> Result<CorrectionProbability, DbmError> {
        let needed = crate::check_sizes(&self.sizes)?;
        if needed > MAX_PARAMETERS {
            let (needed, limit) = (needed as u128, MAX_PARAMETERS as u128);
            return Err(DbmError::TooLarge { sizes: self.sizes.clone(), needed, limit });
        }
        within("the number of couplings", "1 to 100000", f64::from(runs), (1..=MAX_RUNS).contains(&runs))?;
        let model = init::orthogonal(&self.sizes, self.units, self.seed)?.with_backend(Backend::Plain);
        let (energies, moved) = self.watch(&model, runs, progress);
        let exact = self.sizes.iter().sum::<usize>() <= ENUMERATED_UNITS;
        let log_probability = if exact {
            accepted_elsewhere(&model, &energies, &mut |work| progress(runs, work))
        } else {
            let log_z = log_z(&model, self.seed, &mut |work| progress(runs, work))?;
            let log_states = self.sizes.iter().sum::<usize>() as f64 * std::f64::consts::LN_2;
            let bounds: Vec<f64> = energies.iter().map(|energy| (energy + log_z - log_states).min(0.0)).collect();
            log_sum_exp(&bounds) - libm::log(f64::from(runs))
        };
        Ok(CorrectionProbability { runs, moved, log10_probability: log_probability / std::f64::consts::LN_10, exact })
    }

    /// The energies of x_0, and how many couplings had tau > 1.
    fn watch(&self, model: &Dbm, runs: u32, progress: &mut ProgressFn) -> (Vec<f64>, u32) {
        let (mut energies, mut moved) = (Vec::with_capacity(runs as usize), 0);
        // One step is enough to know whether tau is 1.
        let how = (CouplingKernel::Metropolis, Caps { meeting: 1, tries: 1 });
        begin_runs(model, CouplingStart::LocalMode, (Streams::new(self.seed), 0), 0..runs, |chains, streams, _| {
            let first = energies.len() as u32;
            for (c, stream) in streams.iter_mut().enumerate() {
                energies.push(model.energy(&chains.state(c)));
                moved += u32::from(couple(model, chains, c, stream, how, &mut |_| ()).0.capped);
            }
            let coupled = (2 * streams.len() * model.n_parameters()) as u64;
            progress(first, chains.work().products + chains.work().carried + coupled);
        });
        (energies, moved)
    }
}

fn log_z(model: &Dbm, seed: u64, progress: &mut dyn FnMut(u64)) -> Result<f64, DbmError> {
    let units = |parity: Parity| parity.layers(model.depth()).map(|l| model.sizes()[l]).sum::<usize>();
    if units(Parity::Even).min(units(Parity::Odd)) <= EXACT_LOG_Z {
        return exact::log_z(model);
    }
    let settings = AisSettings { chains: AIS.0, betas: AIS.1, seed };
    let base = BaseDistribution::uniform(model);
    let mut ais = Ais::new(model, &base, &settings, 0..settings.chains);
    while ais.done < ais.betas {
        ais.advance(model, 1);
        progress((2 * settings.chains * model.n_parameters()) as u64);
    }
    Ok(AisEstimate::from_log_weights(base.log_z, &ais.log_weights).finite()?.log_z)
}

/// The log of the mean over states of these energies of `2^-N sum_{x' != x_0} min(1, exp(E(x_0) - E(x')))`.
///
/// All states are visited once. Each is counted between the two starts that enclose its energy, with `exp(-E)` for the starts below it.
fn accepted_elsewhere(model: &Dbm, energies: &[f64], progress: &mut dyn FnMut(u64)) -> f64 {
    let mut starts = energies.to_vec();
    starts.sort_by(f64::total_cmp);
    let (lowest, highest) = (starts[0], starts[starts.len() - 1]);
    // For each place: the states below the start at that place and not below those before it.
    let mut counts = vec![0_u32; starts.len() + 1];
    let mut weights = vec![0.0; starts.len() + 1];
    for_each_energy(model, progress, |energy| {
        let place = if energy > highest { starts.len() } else { starts.partition_point(|&start| start < energy) };
        counts[place] += 1;
        if place > 0 {
            weights[place] += exp_below_zero(lowest - energy);
        }
    });
    let units = model.sizes().iter().sum::<usize>() as i32;
    // Summed from the far end, where the weights are small.
    for place in (1..starts.len()).rev() {
        weights[place] += weights[place + 1];
    }
    let (mut below, mut sum) = (0.0, 0.0);
    for (place, &start) in starts.iter().enumerate() {
        below += f64::from(counts[place]);
        // One of these states is x_0 itself.
        sum += below - 1.0 + weights[place + 1] * libm::exp(start - lowest);
    }
    libm::log((sum / starts.len() as f64).max(0.0)) - f64::from(units) * std::f64::consts::LN_2
}

/// Energies of all states: the states of the larger parity one by one, and those of the smaller parity, whose units are then independent,
/// by doubling.
fn for_each_energy(model: &Dbm, progress: &mut dyn FnMut(u64), mut each: impl FnMut(f64)) {
    let (low, gap) = (f64::from(model.units().low()), f64::from(model.units().gap()));
    let units = |parity: Parity| -> Vec<(usize, usize)> {
        parity.layers(model.depth()).flat_map(|l| (0..model.sizes()[l]).map(move |i| (l, i))).collect()
    };
    let (even, odd) = (units(Parity::Even), units(Parity::Odd));
    let (outer, inner) = if even.len() >= odd.len() { (even, odd) } else { (odd, even) };
    let weight = |(l, i): (usize, usize), (m, j): (usize, usize)| {
        let weight = match () {
            () if m == l + 1 => model.weights()[l].row(i)[j],
            () if l == m + 1 => model.weights()[m].row(j)[i],
            () => 0.0,
        };
        f64::from(weight)
    };
    let pairs: Vec<Vec<f64>> = outer.iter().map(|&a| inner.iter().map(|&b| weight(a, b)).collect()).collect();
    let bias = |(l, i): (usize, usize)| f64::from(model.biases()[l][i]);
    let mut sums = vec![0.0; 1 << inner.len()];
    for code in 0..1_u32 << outer.len() {
        let mut fields: Vec<f64> = inner.iter().map(|&unit| bias(unit)).collect();
        let mut energy = 0.0;
        for (place, &unit) in outer.iter().enumerate() {
            let value = low + gap * f64::from(code >> place & 1);
            energy -= bias(unit) * value;
            fields.iter_mut().zip(&pairs[place]).for_each(|(field, weight)| *field += weight * value);
        }
        sums[0] = energy - low * fields.iter().sum::<f64>();
        for (place, field) in fields.iter().enumerate() {
            let (from, to) = sums[..2 << place].split_at_mut(1 << place);
            from.iter().zip(to).for_each(|(from, to)| *to = from - gap * field);
        }
        sums.iter().for_each(|&energy| each(energy));
        progress(4 * sums.len() as u64 + (outer.len() * inner.len()) as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expectation::StateSpace;

    #[test]
    fn every_energy_comes_once_and_the_sum_over_proposals_is_what_it_says() {
        for (units, sizes) in [(Units::Signs, vec![3, 2]), (Units::Bits, vec![2, 4, 3]), (Units::Signs, vec![2, 1, 3, 2])] {
            let model = init::gaussian(&sizes, units, 0.8, 3).unwrap();
            let mut direct = StateSpace::new(&model, &vec![None; sizes[0]]).unwrap().energies().to_vec();
            let mut walked = Vec::new();
            for_each_energy(&model, &mut |_| (), |energy| walked.push(energy));
            let starts: Vec<f64> = direct.iter().copied().step_by(5).collect();
            let found = accepted_elsewhere(&model, &starts, &mut |_| ());
            let one = |start: f64| direct.iter().map(|energy| libm::exp(start - energy).min(1.0)).sum::<f64>() - 1.0;
            let expected = starts.iter().map(|&start| one(start)).sum::<f64>() / (starts.len() * direct.len()) as f64;
            assert!((libm::exp(found) - expected).abs() < 1e-9 * expected, "{found} and {expected}");
            direct.sort_by(f64::total_cmp);
            walked.sort_by(f64::total_cmp);
            assert!(direct.len() == walked.len() && direct.iter().zip(&walked).all(|(a, b)| (a - b).abs() < 1e-9));
        }
    }
}
