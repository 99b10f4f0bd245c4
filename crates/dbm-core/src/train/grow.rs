//! A run with more hidden units than the one it continues: wider layers, or additional ones on top.

use crate::rng::{Purpose, Streams};
use crate::{DbmError, LadderSnapshot, Parameters, SingleThread, Snapshot, Units, init};

/// The default factor of the weights of new units.
pub const NEW_WEIGHT_GAIN: f32 = 0.5;

impl Snapshot {
    /// This snapshot with hidden layers of these sizes, `[n_0, n_1, ...]`, none narrower than before. Weights between old units stay. In
    /// each weight matrix that gains units, the new weights are those of a random semi-orthogonal matrix ([`init::orthogonal`]) times
    /// `gain`; in the lowest rung they are 0, like all of its weights. Biases and offsets of new units are 0, and their persistent chains
    /// begin as fair coins.
    ///
    /// So a new top layer is active from the first step, and yet hardly changes the model's distribution. With signs and `n_l <= n_{l+1}`,
    /// summing the new layer out adds `sum_j log 2 cosh(gain q_j . s_l)` to `log p*(s_l)`, whose first term `gain^2 |s_l|^2 / 2` is the
    /// same for every state. But the first term of its weights' gradient is `(E_data[s_l s_l^T] - E[s_l s_l^T]) W`, in proportion to the
    /// weights themselves: from small weights, training would take for ever if the layers below already fit the data.
    ///
    /// # Errors
    /// [`DbmError::Setting`] if a layer would be narrower or missing, or if the visible layer would change; those of [`init::orthogonal`].
    pub fn grown(mut self, sizes: &[usize], gain: f32, seed: u64) -> Result<Self, DbmError> {
        let old: Vec<usize> = self.parameters.biases.iter().map(Vec::len).collect();
        if sizes.len() < old.len() || sizes.first() != old.first() || old.iter().zip(sizes).any(|(old, new)| new < old) {
            let expected = "those of the run it begins at, or wider ones, or further ones on top";
            return Err(DbmError::Setting { name: "hidden layers", expected, got: format!("{sizes:?} where it has {old:?}") });
        }
        if old == sizes {
            return Ok(self);
        }
        if self.settings.local.is_some() && old[1] != sizes[1] {
            let expected = "as many units in the first layer as before, since their number decides where local fields are";
            return Err(DbmError::Setting { name: "hidden layers", expected, got: format!("{sizes:?} where it has {old:?}") });
        }
        let fresh = init::orthogonal_on(&SingleThread, sizes, Units::Bits, seed)?;
        let grow = |parameters: Parameters, gain: f32| {
            let mut weights: Vec<Vec<f32>> =
                fresh.weights().iter().map(|w| w.data().iter().map(|x| gain * x).collect()).collect();
            let mut biases: Vec<Vec<f32>> = sizes.iter().map(|&n| vec![0.0; n]).collect();
            for (l, kept) in parameters.weights.iter().enumerate() {
                for (row, kept) in kept.chunks_exact(old[l + 1]).enumerate() {
                    weights[l][row * sizes[l + 1]..][..kept.len()].copy_from_slice(kept);
                }
            }
            biases.iter_mut().zip(&parameters.biases).for_each(|(bias, kept)| bias[..kept.len()].copy_from_slice(kept));
            Parameters { weights, biases }
        };
        self.parameters = grow(self.parameters, gain);
        self.ladder = self.ladder.map(|kept| LadderSnapshot {
            rungs: kept.rungs.into_iter().enumerate().map(|(rung, p)| grow(p, if rung == 0 { 0.0 } else { gain })).collect(),
            ..kept
        });
        (self.optimizer_state, self.average) = (vec![], None);
        if let Some(offsets) = &mut self.offsets {
            offsets.resize(sizes.len(), vec![]);
            offsets.iter_mut().zip(sizes).for_each(|(offset, &n)| offset.resize(n, 0.0));
        }
        self.persistent = self.persistent.map(|chains| grown_chains(&chains, (&old, sizes), self.units, seed));
        Ok(self)
    }
}

/// Chains grown from the old sizes to the new, `[batch, n_l]` for each layer of each rung.
fn grown_chains(chains: &[Vec<f32>], (old, new): (&[usize], &[usize]), units: Units, seed: u64) -> Vec<Vec<f32>> {
    let Some(batch) = chains.first().map(|visible| visible.len() / old[0]) else { return vec![] };
    let mut grown = Vec::new();
    for (rung, kept) in chains.chunks(old.len()).enumerate() {
        for (l, &n) in new.iter().enumerate() {
            let mut states = vec![0.0; batch * n];
            Streams::new(seed).at(Purpose::Initialization, rung as u64, 2 + l as u64).fill_coins(
                units.low(),
                units.high(),
                &mut states,
            );
            if let Some(kept) = kept.get(l) {
                let rows = states.chunks_exact_mut(n).zip(kept.chunks_exact(old[l]));
                rows.for_each(|(row, kept)| row[..kept.len()].copy_from_slice(kept));
            }
            grown.push(states);
        }
    }
    grown
}
