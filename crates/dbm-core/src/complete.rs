//! Samples and completions: chains from noise, with what is known clamped, brought to a mode.

use crate::chains::Chains;
use crate::linalg::Matrix;
use crate::parity::Parity;
use crate::rng::{Purpose, Stream, Streams};
use crate::search::{SearchInfo, search};
use crate::{Dbm, gibbs};

/// Chains at work on completions, to be advanced in slices. Each chain's answer depends on the seed and its own address alone.
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
}

impl Completer {
    /// Fills in the visible units not `known`, `[count, n_0]` both, from uniform noise; chain `c` draws from the stream of
    /// `seed` addressed `first_chain + c`.
    ///
    /// # Panics
    /// If the shapes do not fit.
    pub fn complete(model: &Dbm, visible: Matrix, known: Vec<bool>, seed: u64, first_chain: u64) -> Self {
        Self::start(model, Chains::partly_known(model, visible, known), seed, first_chain)
    }

    /// Samples: nothing is known.
    pub fn sample(model: &Dbm, count: usize, seed: u64, first_chain: u64) -> Self {
        Self::start(model, Chains::free(model, count), seed, first_chain)
    }

    fn start(model: &Dbm, mut chains: Chains, seed: u64, first_chain: u64) -> Self {
        let streams = Streams::new(seed);
        let mut streams: Vec<Stream> =
            (0..chains.count() as u64).map(|c| streams.at(Purpose::Completion, 0, first_chain + c)).collect();
        let mut first = Vec::with_capacity(streams.len());
        for (c, stream) in streams.iter_mut().enumerate() {
            chains.randomize(model, c, stream);
            first.push(Parity::first(stream.coin()));
        }
        Self { chains, streams, first }
    }

    /// One Gibbs sweep of every chain.
    pub fn sweep(&mut self, model: &Dbm) {
        gibbs::sweep(model, &mut self.chains, &self.first, &mut self.streams);
    }

    /// Searches to the modes; returns the visible layers as bytes 0 and 1, `[count, n_0]`, and what each search did.
    pub fn finish(&mut self, model: &Dbm, max_sweeps: u32) -> (Vec<u8>, Vec<SearchInfo>) {
        let searches = search(model, &mut self.chains, &self.first, max_sweeps);
        (self.visible_bits(), searches)
    }

    /// The visible layers as they stand, as bytes 0 and 1.
    pub fn visible_bits(&self) -> Vec<u8> {
        self.chains.layer(0).data().iter().map(|&x| u8::from(x > 0.5)).collect()
    }

    /// The chains themselves, and which parity each updates first: for watching a search.
    pub fn into_chains(self) -> (Chains, Vec<Parity>) {
        (self.chains, self.first)
    }
}
