//! What every estimator is given, and what it returns.

use super::{Info, Moments, Phase};
use crate::linalg::Matrix;
use crate::rng::{Stream, Streams};
use crate::tempering::Ladder;
use crate::{Clamp, Dbm};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

/// Examples of one shard of a minibatch, and where their random streams are.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Visible layers, `[count, n_0]`, as unit values; what a missing unit has does not matter.
    pub visible: Matrix,
    /// What the data tell, and the positive phase clamps: [`Clamp::Visible`] where no row has gaps.
    pub observed: Clamp,
    /// The classes of the examples, `[count, classes]`, as values of the top layer, which the positive phase clamps; `None` where the top layer is hidden.
    pub labels: Option<Matrix>,
    /// For the conditional gradient: what the negative phase keeps clamped, all of it observed; a row without a mark is the
    /// plain gradient of its example. [`Clamp::Free`] where no row has one.
    pub known: Clamp,
    /// Where the last step left this shard's persistent chains, `[count, n_l]` per layer, and of the rungs that [`super::Estimator::reach`] tells one after the other, the model's last;
    /// `None` before the first.
    pub persistent: Option<Vec<Matrix>>,
    /// The rungs from independent units to the model, where the estimator has such; without, fair coins are the only one.
    pub ladder: Option<Arc<Ladder>>,
    /// The run's streams.
    pub streams: Streams,
    /// The step they are drawn for.
    pub step: u64,
    /// Where each example is in the whole minibatch, which addresses its chains' streams.
    pub chains: Vec<u64>,
}

impl Batch {
    /// Examples without gaps and masks at the first step of a run, the first of its minibatch.
    pub fn new(visible: Matrix, streams: Streams) -> Self {
        Self {
            chains: (0..visible.rows() as u64).collect(),
            visible,
            observed: Clamp::Visible,
            labels: None,
            known: Clamp::Free,
            persistent: None,
            ladder: None,
            streams,
            step: 0,
        }
    }

    /// Shards of one step as one batch, with the rows of each, or nothing where they are of different kinds.
    pub(super) fn joined(batches: &[&Self]) -> Option<(Self, Vec<Range<usize>>)> {
        let (first, n) = (*batches.first()?, batches[0].visible.columns());
        let mut shards = Vec::new();
        let mut chains = Vec::new();
        for batch in batches {
            let from = chains.len();
            chains.extend_from_slice(&batch.chains);
            shards.push(from..chains.len());
        }
        let rows = |matrices: Vec<&Matrix>| {
            matrices.into_iter().cloned().reduce(|mut all, more| {
                all.push_rows(&more);
                all
            })
        };
        let clamp = |of: fn(&Self) -> &Clamp| Clamp::joined(batches.iter().map(|batch| (of(batch), batch.chains.len())), n);
        let labels: Option<Vec<&Matrix>> = batches.iter().map(|batch| batch.labels.as_ref()).collect();
        let persistent: Option<Vec<&Vec<Matrix>>> = batches.iter().map(|batch| batch.persistent.as_ref()).collect();
        let same = |has: fn(&Self) -> bool| batches.iter().all(|batch| has(batch) == has(first));
        let alike = same(|batch| batch.labels.is_some())
            && same(|batch| batch.persistent.is_some())
            && same(|batch| batch.known == Clamp::Visible)
            && first.ladder.is_none();
        alike.then(|| {
            let persistent = persistent.map(|shards| {
                let layers = 0..shards[0].len();
                layers.filter_map(|l| rows(shards.iter().map(|layers| &layers[l]).collect())).collect()
            });
            let joined = Self {
                visible: rows(batches.iter().map(|batch| &batch.visible).collect()).unwrap_or_default(),
                observed: clamp(|batch| &batch.observed),
                labels: labels.and_then(rows),
                known: clamp(|batch| &batch.known),
                persistent,
                chains,
                ..first.clone()
            };
            (joined, shards)
        })
    }

    /// Whether the data tell all visible units of a row.
    pub fn is_whole(&self, row: usize) -> bool {
        self.observed.of_rows(&[row], self.visible.columns()).holds_all()
    }

    /// The ladder, or that of fair coins alone.
    pub(super) fn ladder(&self, model: &Dbm) -> Cow<'_, Ladder> {
        self.ladder.as_deref().map_or_else(|| Cow::Owned(Ladder::uniform(model)), Cow::Borrowed)
    }

    /// The stream of a row's chain, from its beginning.
    pub(super) fn stream(&self, phase: Phase, row: usize) -> Stream {
        self.streams.at(phase.purpose(), self.step, self.chains[row])
    }
}

/// What an estimator returns. Serialized, it keeps its bits, so that replicas of a run can exchange it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The sum over the batch of the gradient, as a sum of outer products.
    pub moments: Moments,
    /// What happened on the way.
    pub info: Info,
    /// Where persistent chains are now; `None` for estimators that have none.
    pub persistent: Option<Vec<Matrix>>,
}

impl Estimate {
    /// Whether it can be one of `chains` chains of a model.
    pub fn fits(&self, model: &Dbm, chains: usize) -> bool {
        let rows = |layers: &Vec<Matrix>| {
            let of_a_rung = |layers: &[Matrix]| layers.iter().map(Matrix::columns).eq(model.sizes().iter().copied());
            layers.chunks(model.sizes().len()).all(of_a_rung) && layers.iter().all(|layer| layer.rows() == chains)
        };
        self.moments.fits(model.sizes()) && self.persistent.as_ref().is_none_or(rows)
    }
}
