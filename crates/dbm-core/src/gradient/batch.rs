//! The input of every estimator, and its output.

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

/// Examples of one shard of a minibatch, with the addresses of their random streams.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Visible layers, `[count, n_0]`, as unit values; the values of missing units do not matter.
    pub visible: Matrix,
    /// The observed units, which the positive phase clamps: [`Clamp::Visible`] if no row has gaps.
    pub observed: Clamp,
    /// The classes of the examples, `[count, classes]`, as values of the top layer, which the positive phase clamps; `None` if the top
    /// layer is hidden.
    pub labels: Option<Matrix>,
    /// For the conditional gradient: what the negative phase keeps clamped, all of it observed. A row without a mark gets the plain
    /// gradient of its example. [`Clamp::Free`] if no row has a mark.
    pub known: Clamp,
    /// The states of this shard's persistent chains after the last step, `[count, n_l]` per layer, for the rungs that
    /// [`super::Estimator::reach`] names, one after another, the model last; `None` before the first step.
    pub persistent: Option<Vec<Matrix>>,
    /// The rungs from independent units to the model, if the estimator has a ladder; otherwise fair coins are the only one.
    pub ladder: Option<Arc<Ladder>>,
    /// The run's streams.
    pub streams: Streams,
    /// The step for which they are drawn.
    pub step: u64,
    /// The position of each example in the full minibatch, which addresses its chains' streams.
    pub chains: Vec<u64>,
}

impl Batch {
    /// Examples without gaps or masks at the first step of a run, from the start of the minibatch.
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

    /// Shards of one step joined into one batch, with the rows of each, or nothing if they are of different kinds.
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

    /// Whether all visible units of a row are observed.
    pub fn is_whole(&self, row: usize) -> bool {
        self.observed.of_rows(&[row], self.visible.columns()).holds_all()
    }

    /// The ladder, or one with fair coins only.
    pub(super) fn ladder(&self, model: &Dbm) -> Cow<'_, Ladder> {
        self.ladder.as_deref().map_or_else(|| Cow::Owned(Ladder::uniform(model)), Cow::Borrowed)
    }

    /// The stream of a row's chain, from the start.
    pub(super) fn stream(&self, phase: Phase, row: usize) -> Stream {
        self.streams.at(phase.purpose(), self.step, self.chains[row])
    }
}

/// The result of an estimator. Serialization is exact to the bit, so that replicas of a run can exchange it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The sum over the batch of the gradient, as a sum of outer products.
    pub moments: Moments,
    /// What happened during the estimation.
    pub info: Info,
    /// The new states of persistent chains; `None` for estimators that have none.
    pub persistent: Option<Vec<Matrix>>,
}

impl Estimate {
    /// Whether this can be the estimate of `chains` chains of a model.
    pub fn fits(&self, model: &Dbm, chains: usize) -> bool {
        let rows = |layers: &Vec<Matrix>| {
            let of_a_rung = |layers: &[Matrix]| layers.iter().map(Matrix::columns).eq(model.sizes().iter().copied());
            layers.chunks(model.sizes().len()).all(of_a_rung) && layers.iter().all(|layer| layer.rows() == chains)
        };
        self.moments.fits(model.sizes()) && self.persistent.as_ref().is_none_or(rows)
    }
}
