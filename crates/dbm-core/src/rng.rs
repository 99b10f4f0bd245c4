//! Random streams with addresses: a chain's draws depend on the seed and its address, never on who runs it.
//!
//! Coins, f64 and bounded integers are drawn by `rand`, with the same bits as in the published results. Gaussians, shuffles and f32 have
//! their own code, since `rand` would draw other bits.

use crate::vector::vectorized;
use bytemuck::cast_slice;
use rand::distr::{Distribution, Uniform};
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::ops::Range;

/// What a stream is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// Initial weights and biases.
    Initialization = 1,
    /// The order in which a run visits its data.
    Order = 2,
    /// Masks of the conditional gradient.
    Mask = 3,
    /// A chain of the positive phase.
    Positive = 4,
    /// A chain of the negative phase.
    Negative = 5,
    /// A sample or a completion.
    Completion = 6,
    /// A chain of greedy pretraining.
    Pretraining = 7,
    /// A chain of annealed importance sampling.
    Annealing = 8,
    /// Which unit of an example is used for its pseudo-likelihood.
    PseudoLikelihood = 9,
    /// A chain that fills the gaps of an example.
    Imputation = 10,
    /// Which known cells an evaluation hides.
    Hiding = 11,
    /// A state from which reverse annealing starts.
    ReverseStart = 12,
    /// A chain of reverse annealing.
    ReverseAnnealing = 13,
    /// The bits of an example whose pixels are drawn according to their grey values.
    Binarization = 14,
    /// A chain of parallel tempering used for sampling.
    Tempering = 15,
    /// The bits that one visit of a run draws from the grey values of an example.
    Redraw = 16,
}

/// All streams of one seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Streams {
    seed: u64,
}

impl Streams {
    /// The streams of this seed.
    pub fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// The stream at an address: its purpose, the step (or epoch, or layer), and the chain.
    pub fn at(self, purpose: Purpose, step: u64, chain: u64) -> Stream {
        // Each word passes through SplitMix64's finalizer before the next is added, so that neighbouring addresses differ in about half of
        // their bits.
        let mixed = [purpose as u64, step, chain].iter().fold(mix(self.seed), |hash, &word| mix(hash ^ mix(word)));
        Stream(Xoshiro256PlusPlus::seed_from_u64(mixed))
    }

    /// The streams of these chains at one step.
    pub fn of_chains(self, purpose: Purpose, step: u64, chains: Range<u64>) -> Vec<Stream> {
        chains.map(|chain| self.at(purpose, step, chain)).collect()
    }
}

/// In `(0, 1]` on a grid of 2^-24, from the highest of these bits: as a signed integer, which a machine converts directly.
#[inline(always)]
pub(crate) fn uniform(bits: u32) -> f32 {
    const GRID: f32 = 1.0 / (1 << 24) as f32;
    ((bits >> 8) as i32 + 1) as f32 * GRID
}

fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// One stream: xoshiro256++.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream(Xoshiro256PlusPlus);

impl Stream {
    /// A separate stream, seeded by this one's next draw.
    pub fn fork(&mut self) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(self.0.next_u64()))
    }

    /// A fair coin.
    pub fn coin(&mut self) -> bool {
        self.0.random()
    }

    /// Uniform in `[0, 1)`, on a grid of 2^-53.
    pub fn uniform(&mut self) -> f64 {
        self.0.random()
    }

    /// Uniform below `bound`, without bias (Lemire 2019). Returns 0 for a bound of 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        // Constructed explicitly, since `random_range` rejects by another rule.
        Uniform::new(0, bound).map_or(0, |below| below.sample(&mut self.0))
    }

    /// A standard Gaussian (Box and Muller 1958, one of the pair).
    pub fn gaussian(&mut self) -> f64 {
        let radius = (-2.0 * libm::log(1.0 - self.uniform())).sqrt();
        radius * libm::cos(std::f64::consts::TAU * self.uniform())
    }

    /// Logistic(0, scale), by its quantile function.
    pub fn logistic(&mut self, scale: f64) -> f64 {
        let u = self.uniform().max(1e-300);
        scale * (libm::log(u) - libm::log1p(-u))
    }

    /// Fills with uniforms in `(0, 1]` on a grid of 2^-24, two per draw.
    pub fn fill_uniform(&mut self, into: &mut [f32]) {
        const DRAWS: usize = 128;
        // Draws wait for each other; what is computed from them does not, and is vector code.
        let mut draws = [0; DRAWS];
        for block in into.chunks_mut(2 * DRAWS) {
            let draws = &mut draws[..block.len().div_ceil(2)];
            self.fill_draws(draws);
            let bits = cast_slice(draws);
            vectorized(
                #[inline(always)]
                || block.iter_mut().zip(bits).for_each(|(u, &bits)| *u = uniform(bits)),
            );
        }
    }

    /// Fills with draws whose halves, in memory order, are the input of [`uniform`] for the numbers of [`Stream::fill_uniform`].
    #[inline(always)]
    pub(crate) fn fill_draws(&mut self, draws: &mut [u64]) {
        const { assert!(cfg!(target_endian = "little"), "a draw's lower half lies before its higher one") }
        draws.iter_mut().for_each(|draw| *draw = self.0.next_u64().rotate_left(32));
    }

    /// Fills with one of two values each, fair and independent, 64 per draw.
    pub fn fill_coins(&mut self, low: f32, high: f32, into: &mut [f32]) {
        for chunk in into.chunks_mut(64) {
            let bits = self.0.next_u64();
            for (place, value) in chunk.iter_mut().enumerate() {
                *value = if bits >> place & 1 == 1 { high } else { low };
            }
        }
    }

    /// A uniformly random order of `0..n` (Fisher and Yates 1938).
    pub fn permutation(&mut self, n: usize) -> Vec<u32> {
        let mut order: Vec<u32> = (0..n as u32).collect();
        for i in (1..n).rev() {
            order.swap(i, self.below(i as u64 + 1) as usize);
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_depends_on_every_part_of_its_address() {
        let first = |seed, purpose, step, chain| Streams::new(seed).at(purpose, step, chain).uniform();
        let base = first(1, Purpose::Positive, 2, 3);
        assert_eq!(base, first(1, Purpose::Positive, 2, 3));
        for other in [
            first(2, Purpose::Positive, 2, 3),
            first(1, Purpose::Negative, 2, 3),
            first(1, Purpose::Positive, 3, 3),
            first(1, Purpose::Positive, 2, 4),
            first(1, Purpose::Positive, 3, 2),
        ] {
            assert_ne!(base, other);
        }
    }

    /// Values pinned by seed: a change here changes every run.
    #[test]
    fn values_are_stable() {
        let mut stream = Streams::new(1).at(Purpose::Negative, 0, 0);
        let mut coins = [0.0; 3];
        stream.fill_coins(0.0, 1.0, &mut coins);
        let drawn = (stream.below(1000), stream.uniform(), stream.gaussian(), stream.logistic(0.5));
        assert_eq!(format!("{coins:?} {drawn:?}"), PINNED);
    }
    const PINNED: &str = "[0.0, 1.0, 1.0] (930, 0.635837264916851, -0.5147549162211085, -0.2696933261030816)";

    /// The draws by `rand` have the same bits as our earlier code: the high bit, 53 bits, and Lemire's integers, many of which are rejected
    /// for bounds above 2^63.
    #[test]
    fn draws_by_rand_are_those_of_published_results() {
        for chain in 0..200 {
            let mut stream = Streams::new(5).at(Purpose::Order, 0, chain);
            let mut plain = stream.clone();
            for bound in [1, 2, 3, 5, 784, 60_000, 1 << 40, (1 << 63) + 1, u64::MAX / 3 * 2, u64::MAX] {
                assert_eq!(stream.coin(), plain.0.next_u64() >> 63 == 1);
                assert_eq!(stream.uniform(), (plain.0.next_u64() >> 11) as f64 * (-53_f64).exp2());
                let below = std::iter::repeat_with(|| u128::from(plain.0.next_u64()) * u128::from(bound));
                let below = below
                    .filter(|&product| product as u64 >= bound.wrapping_neg() % bound)
                    .take(1)
                    .map(|product| (product >> 64) as u64);
                assert_eq!(Some(stream.below(bound)), below.last());
            }
            assert_eq!((stream.below(0), &stream), (0, &plain));
        }
    }

    #[test]
    fn moments_are_right() {
        // 200 000 draws, seed 7; each mean within 4.5 standard errors (alpha about 1e-5).
        let mut stream = Streams::new(7).at(Purpose::Initialization, 0, 0);
        let n = 200_000;
        let mut check = |draw: &mut dyn FnMut(&mut Stream) -> f64, mean: f64, deviation: f64| {
            let sum: f64 = (0..n).map(|_| draw(&mut stream)).sum();
            assert!((sum / n as f64 - mean).abs() < 4.5 * deviation / (n as f64).sqrt());
        };
        check(&mut |s| s.uniform(), 0.5, 0.289);
        check(&mut Stream::gaussian, 0.0, 1.0);
        check(&mut |s| s.gaussian().powi(2), 1.0, 1.415);
        check(&mut |s| s.logistic(0.5), 0.0, 0.907);
        check(&mut |s| s.logistic(0.5).powi(2), 0.8225, 1.48);
        check(&mut |s| f64::from(u8::from(s.coin())), 0.5, 0.5);
        check(&mut |s| s.below(5) as f64, 2.0, 1.415);
    }

    #[test]
    fn a_permutation_holds_everything_once() {
        let mut order = Streams::new(3).at(Purpose::Order, 0, 0).permutation(100);
        assert_ne!(order, (0..100).collect::<Vec<u32>>());
        order.sort_unstable();
        assert_eq!(order, (0..100).collect::<Vec<u32>>());
    }
}
