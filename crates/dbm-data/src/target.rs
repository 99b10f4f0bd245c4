//! A random distribution over 12 bits whose probabilities are all known, for comparing small models.

use crate::{DataError, Dataset};
use dbm_core::Examples;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rand_xoshiro::{SplitMix64, Xoshiro256PlusPlus};

/// Bits in a state.
pub const BITS: usize = 12;
/// Examples in a data set.
pub const COUNT: usize = 1000;

/// Number of prototypes in the mixture.
const PROTOTYPES: usize = 8;
/// Probability that a bit differs from its prototype's.
const FLIP: f64 = 0.05;

/// [`COUNT`] independent draws from the target of this seed, labelled with the prototype that each came from. Such a row is not an image.
///
/// The target is a mixture of 8 prototypes `m_k`, drawn uniformly from all states of 12 bits, with weights `w` drawn from the
/// uniform distribution on the simplex, Dirichlet(1, ..., 1), and each bit flipped with probability 0.05:
///
/// `p(x) = sum_k w_k 0.05^d(x, m_k) 0.95^(12 - d(x, m_k))`, where `d` counts the bits that differ.
///
/// ```
/// let data = dbm_data::target::dataset(1)?;
/// assert_eq!((data.examples.len(), data.examples.width()), (1000, 12));
/// # Ok::<(), dbm_data::DataError>(())
/// ```
///
/// # Errors
/// None in practice: those of [`Examples::from_bits`].
pub fn dataset(seed: u64) -> Result<Dataset, DataError> {
    draws(seed, 1, format!("random target over {BITS} bits, seed {seed}"))
}

/// [`COUNT`] draws from the same target as [`dataset`], independent of its draws, for testing.
///
/// # Errors
/// Those of [`dataset`].
pub fn held_out(seed: u64) -> Result<Dataset, DataError> {
    draws(seed, 2, format!("random target over {BITS} bits, seed {seed}, held out"))
}

/// `p(x)` of all 4096 states of the target of this seed, as [`dataset`] defines it; state `x` has bit `i` high if `index >> i & 1` is 1. No
/// model has a larger mean log-likelihood under the target than minus its entropy:
///
/// ```
/// let entropy: f64 = -dbm_data::target::probabilities(1).iter().map(|p| p * p.ln()).sum::<f64>();
/// assert!(entropy > 2.0 && entropy < 12.0 * std::f64::consts::LN_2);
/// ```
pub fn probabilities(seed: u64) -> Vec<f64> {
    let target = Target::new(seed);
    (0..1_u16 << BITS)
        .map(|state| {
            let near = |&(weight, prototype): &(f64, u16)| {
                let flipped = (state ^ prototype).count_ones();
                let factors = (0..BITS as u32).map(|place| if place < flipped { FLIP } else { 1.0 - FLIP });
                weight * factors.product::<f64>()
            };
            target.components.iter().map(near).sum()
        })
        .collect()
}

fn draws(seed: u64, series: u64, name: String) -> Result<Dataset, DataError> {
    let target = Target::new(seed);
    let mut random = TargetRandom::new(seed, series);
    let (mut bits, mut labels) = (Vec::with_capacity(COUNT * BITS), Vec::with_capacity(COUNT));
    for _ in 0..COUNT {
        let (state, label) = target.draw(&mut random);
        bits.extend((0..BITS).map(|i| (state >> i & 1) as u8));
        labels.push(label);
    }
    let examples = Examples::from_bits(BITS, &bits).map_err(DataError::refused(&name))?;
    Ok(Dataset { name, examples, image: None, labels: Some(labels), visible: None })
}

/// Weights and prototypes.
struct Target {
    components: Vec<(f64, u16)>,
}

impl Target {
    fn new(seed: u64) -> Self {
        let mut random = TargetRandom::new(seed, 0);
        // Independent exponentials over their sum are uniform on the simplex.
        let mut components: Vec<(f64, u16)> = (0..PROTOTYPES)
            .map(|_| {
                let weight = -libm::log(1.0 - random.unit());
                (weight, (random.0.next_u64() >> (64 - BITS)) as u16)
            })
            .collect();
        let total: f64 = components.iter().map(|(weight, _)| weight).sum();
        components.iter_mut().for_each(|(weight, _)| *weight /= total);
        Self { components }
    }

    /// A state, and the prototype it came from.
    fn draw(&self, random: &mut TargetRandom) -> (u16, u8) {
        let mut left = random.unit();
        // Rounding may leave a little more than the last one's share.
        let last = self.components.len() - 1;
        let chosen = self.components[..last].iter().position(|(weight, _)| {
            left -= weight;
            left < 0.0
        });
        let chosen = chosen.unwrap_or(last);
        let flips = (0..BITS).map(|i| u16::from(random.unit() < FLIP) << i).sum::<u16>();
        (self.components[chosen].1 ^ flips, chosen as u8)
    }
}

/// The random numbers for one purpose: the target itself, or one series of draws.
struct TargetRandom(Xoshiro256PlusPlus);

impl TargetRandom {
    fn new(seed: u64, series: u64) -> Self {
        let mixed = SplitMix64::seed_from_u64(seed).next_u64();
        Self(Xoshiro256PlusPlus::seed_from_u64(mixed ^ series))
    }

    /// Uniform in `0.0..1.0`, on a grid of 2^-53.
    fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (-53_f64).exp2()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_a_distribution_around_the_prototypes() {
        for seed in 0..20 {
            let p = probabilities(seed);
            assert_eq!(p.len(), 4096);
            assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            let components = Target::new(seed).components;
            assert!((components.iter().map(|(weight, _)| weight).sum::<f64>() - 1.0).abs() < 1e-12);
            // Each single bit is high with a probability that needs no sum over states.
            for i in 0..BITS {
                let high: f64 = (0..4096).filter(|x| x >> i & 1 == 1).map(|x| p[x]).sum();
                let expected: f64 = components.iter().map(|(w, m)| w * if m >> i & 1 == 1 { 1.0 - FLIP } else { FLIP }).sum();
                assert!((high - expected).abs() < 1e-12, "bit {i}: {high} and {expected}");
            }
        }
        assert_ne!(probabilities(1), probabilities(2));
    }

    /// Pearson's statistic in standard deviations from its mean; states expected fewer than five times are pooled.
    fn misfit(counts: &[u32], probabilities: &[f64]) -> f64 {
        let n: f64 = counts.iter().map(|&count| f64::from(count)).sum();
        let (mut statistic, mut cells, mut rare) = (0.0, 0.0, (0.0, 0.0));
        for (&count, &p) in counts.iter().zip(probabilities) {
            let (observed, expected) = (f64::from(count), n * p);
            if expected >= 5.0 {
                statistic += (observed - expected).powi(2) / expected;
                cells += 1.0;
            } else {
                rare = (rare.0 + observed, rare.1 + expected);
            }
        }
        statistic += (rare.0 - rare.1).powi(2) / rare.1;
        (statistic - cells) / (2.0_f64 * cells).sqrt()
    }

    #[test]
    fn draws_fit_the_probabilities() {
        // Five standard deviations, seeds 1 to 4: alpha about 1e-5 each.
        for seed in 1..=4 {
            let (p, target, mut random) = (probabilities(seed), Target::new(seed), TargetRandom::new(seed, 9));
            let mut counts = vec![0; 4096];
            (0..300_000).for_each(|_| counts[usize::from(target.draw(&mut random).0)] += 1);
            let distance = misfit(&counts, &p);
            assert!(distance < 5.0, "seed {seed}: {distance:.1}");
            // Draws from another target do not fit.
            assert!(misfit(&counts, &probabilities(seed + 1)) > 50.0);
            for data in [dataset(seed).unwrap(), held_out(seed).unwrap()] {
                let mut counts = vec![0; 4096];
                for row in 0..COUNT {
                    counts[(0..BITS).map(|i| usize::from(data.examples.bit(row, i)) << i).sum::<usize>()] += 1;
                }
                let distance = misfit(&counts, &p);
                assert!(distance < 5.0, "{}: {distance:.1}", data.name);
            }
        }
    }

    #[test]
    fn labels_say_which_prototype() {
        let (data, components) = (dataset(3).unwrap(), Target::new(3).components);
        let labels = data.labels.unwrap();
        let differing: usize = labels
            .iter()
            .enumerate()
            .map(|(row, &label)| {
                let prototype = components[usize::from(label)].1;
                (0..BITS).filter(|&i| data.examples.bit(row, i) != (prototype >> i & 1 == 1)).count()
            })
            .sum();
        // 12 000 bits at 0.05: 600, with a deviation of 24; alpha about 1e-5 for seed 3.
        assert!(differing.abs_diff(600) < 108, "{differing}");
        assert_ne!(dataset(3).unwrap().examples, held_out(3).unwrap().examples);
        assert_ne!(dataset(3).unwrap().examples, dataset(4).unwrap().examples);
    }
}
