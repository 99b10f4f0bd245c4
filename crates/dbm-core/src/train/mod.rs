//! A run: model, optimizer, average and order of the data, stepped, paused, and put away exactly.

mod replica;
mod tensors;
mod update;

pub use replica::{Exchange, Part, Updated};
pub(crate) use update::BLOCK_ROWS;

use crate::centered::Centering;
use crate::gradient::{self, Batch, Estimate, Estimator, Info};
use crate::host::{Host, SingleThread};
use crate::linalg::Matrix;
use crate::rng::{Purpose, Streams};
use crate::{Backend, Clamp, Dbm, DbmError, Examples, ParametersView, Settings, Snapshot, SnapshotView};
use std::sync::Arc;
use tensors::{Tensors, offset_layers, persistent_layers};

/// Chains a shard, at most. Shards are a fixed partition of the minibatch, so that sums over them do not depend on who computes.
pub(crate) const SHARD: usize = 32;

/// What one step did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepInfo {
    /// Steps taken, this one included.
    pub step: u64,
    /// Searches, couplings and energies.
    pub info: Info,
    /// Seconds of the update of the parameters, of which the next four are parts.
    pub update_seconds: f64,
    /// Seconds in which the blocks of the weights were updated.
    pub blocks_seconds: f64,
    /// Of these, making gradients: summed over the blocks, whichever threads they ran on.
    pub gradient_seconds: f64,
    /// Of these, the optimizer's rule, the average and the check for divergence: summed likewise.
    pub optimizer_seconds: f64,
    /// Seconds of transposing the weights.
    pub transpose_seconds: f64,
    /// Seconds of the whole step.
    pub seconds: f64,
}

/// A run in training.
///
/// ```
/// use dbm_core::{SingleThread, Examples, Settings, Trainer, Units, init};
/// let data = Examples::from_bits(4, &[1, 1, 0, 0, 0, 0, 1, 1])?;
/// let model = init::orthogonal(&[4, 6, 3], Units::Signs, 1)?;
/// let mut trainer = Trainer::new(model, Settings { batch: 10, ..Settings::default() })?;
/// let step = trainer.step(&data, &SingleThread)?;
/// assert_eq!((step.step, step.info.negative.meeting_times.len()), (1, 10));
/// # Ok::<(), dbm_core::DbmError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Trainer {
    model: Dbm,
    settings: Settings,
    estimator: Arc<dyn Estimator>,
    step: u64,
    moments: Vec<Tensors>,
    average: Option<Tensors>,
    /// Where the last step left the persistent chains, `[batch, n_l]` a layer.
    persistent: Option<Vec<Matrix>>,
    centering: Option<Centering>,
    order: Option<(u64, Vec<u32>)>,
}

/// The shards of one step, to be estimated in any order by [`Trainer::estimate`] and given back in theirs.
#[derive(Clone, Debug)]
pub struct Shards {
    step: u64,
    batches: Vec<Batch>,
}

impl Shards {
    /// How many there are of a minibatch.
    pub fn of_batch(batch: usize) -> usize {
        batch.div_ceil(SHARD)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.batches.len()
    }

    /// How many chains one of them has, if there is such a one.
    pub fn chains(&self, shard: usize) -> Option<usize> {
        self.batches.get(shard).map(|batch| batch.visible.rows())
    }
}

impl Trainer {
    /// A run at step 0.
    ///
    /// # Errors
    /// Those of [`Settings::check`].
    pub fn new(model: Dbm, settings: Settings) -> Result<Self, DbmError> {
        let mut run = Self::bare(model, settings)?;
        run.moments = (0..run.settings.optimizer.n_moments()).map(|_| Tensors::zeros(&run.model)).collect();
        run.average = run.settings.average.map(|_| Tensors::of(&run.model));
        let zeros = || run.model.sizes().iter().map(|&n| vec![0.0; n]).collect();
        run.centering = run.settings.estimator.centering.map(|rate| Centering::new(rate, zeros()));
        Ok(run)
    }

    /// Without what it keeps beside the model.
    fn bare(model: Dbm, settings: Settings) -> Result<Self, DbmError> {
        settings.check(model.n_visible())?;
        let estimator = gradient::estimator(&settings);
        let (moments, average, persistent, centering, order) = (vec![], None, None, None, None);
        Ok(Self { estimator, model, settings, step: 0, moments, average, persistent, centering, order })
    }

    /// A run as a snapshot left it; further steps have the bits they would have had. The snapshot's values become the run's: nothing
    /// is copied but what the run holds transposed.
    ///
    /// # Errors
    /// Those of [`Dbm::new`] and [`Settings::check`], for the parameters, the optimizer's state and the average alike.
    pub fn restore(snapshot: Snapshot) -> Result<Self, DbmError> {
        let model = Dbm::new(snapshot.units, snapshot.parameters.weights, snapshot.parameters.biases)?;
        let mut run = Self::bare(model, snapshot.settings)?;
        run.step = snapshot.step;
        let (expected, got) = (run.settings.optimizer.n_moments(), snapshot.moments.len());
        if got != expected {
            return Err(DbmError::Shape { what: "the list of the optimizer's moments".into(), expected, got });
        }
        run.moments = snapshot.moments.into_iter().map(|p| Tensors::from_parameters(&run.model, p)).collect::<Result<_, _>>()?;
        run.persistent = match snapshot.persistent {
            Some(layers) if run.settings.estimator.kind.is_persistent() => Some(persistent_layers(&run, layers)?),
            Some(layers) => {
                return Err(DbmError::Shape { what: "the list of persistent chains".into(), expected: 0, got: layers.len() });
            }
            None => None,
        };
        run.centering = match (run.settings.estimator.centering, snapshot.offsets) {
            (Some(rate), Some(offsets)) => Some(Centering::new(rate, offset_layers(&run.model, offsets)?)),
            (None, None) => None,
            (expected, got) => {
                let (expected, got) = (usize::from(expected.is_some()), usize::from(got.is_some()));
                return Err(DbmError::Shape { what: "the list of centering offsets".into(), expected, got });
            }
        };
        run.average = match (run.settings.average, snapshot.average) {
            (Some(_), Some(average)) => Some(Tensors::from_parameters(&run.model, average)?),
            (None, None) => None,
            (expected, got) => {
                let (expected, got) = (usize::from(expected.is_some()), usize::from(got.is_some()));
                return Err(DbmError::Shape { what: "the list of averaged weights".into(), expected, got });
            }
        };
        Ok(run)
    }

    /// All this run needs to go on exactly, copied.
    pub fn snapshot(&self) -> Snapshot {
        self.view().to_owned()
    }

    /// The same without a copy of its tensors.
    pub fn view(&self) -> SnapshotView<'_> {
        Snapshot {
            units: self.model.units(),
            settings: self.settings.clone(),
            step: self.step,
            parameters: ParametersView::of(self.model.weights(), self.model.biases()),
            moments: self.moments.iter().map(Tensors::view).collect(),
            average: self.average.as_ref().map(Tensors::view),
            persistent: self.persistent.as_ref().map(|layers| layers.iter().map(Matrix::data).collect()),
            offsets: self.centering.as_ref().map(|centering| centering.offsets().iter().map(Vec::as_slice).collect()),
        }
    }

    /// The same run, computing with other kernels.
    #[must_use]
    pub fn with_backend(mut self, backend: Backend) -> Self {
        self.model = self.model.with_backend(backend);
        self
    }

    /// The model as the last step left it.
    pub fn model(&self) -> &Dbm {
        &self.model
    }

    /// A copy of the model to sample from: with the averaged weights, where the run keeps them.
    pub fn averaged_model(&self) -> Dbm {
        let mut model = self.model.clone();
        if let Some(average) = &self.average {
            let (weights, biases) = model.parameters_mut();
            weights.clone_from_slice(&average.weights);
            biases.clone_from_slice(&average.biases);
            model.transpose(&SingleThread);
        }
        model
    }

    /// Shows `look` the model to sample from, without a copy: the averaged weights change places with the last step's meanwhile.
    pub fn with_averaged_model<R>(&mut self, host: &impl Host, look: impl FnOnce(&Dbm) -> R) -> R {
        self.exchange_average(host);
        let seen = look(&self.model);
        self.exchange_average(host);
        seen
    }

    fn exchange_average(&mut self, host: &impl Host) {
        if let Some(average) = &mut self.average {
            let (weights, biases) = self.model.parameters_mut();
            weights.swap_with_slice(&mut average.weights);
            biases.swap_with_slice(&mut average.biases);
            self.model.transpose(host);
        }
    }

    /// What the run was begun with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Gradient steps taken.
    pub fn steps(&self) -> u64 {
        self.step
    }

    /// One gradient step.
    ///
    /// # Errors
    /// Those of [`Trainer::begin`] and [`Trainer::finish`].
    pub fn step(&mut self, data: &Examples, host: &impl Host) -> Result<StepInfo, DbmError> {
        let started = host.now();
        let shards = self.begin(data)?;
        let this = &*self;
        let estimates = host.map((0..shards.count()).collect(), |shard| this.estimate(&shards, shard, &|| host.now()));
        let mut info = self.finish(&shards, estimates, host)?;
        info.seconds = host.now() - started;
        Ok(info)
    }

    /// Draws the next minibatch, in shards. Examples come epoch by epoch, each epoch in a random order of its own.
    ///
    /// # Errors
    /// [`DbmError::Shape`] where the data are not as wide as the visible layer.
    pub fn begin(&mut self, data: &Examples) -> Result<Shards, DbmError> {
        let n = self.model.n_visible();
        if data.width() != n {
            return Err(DbmError::Shape { what: "a row of the data set".into(), expected: n, got: data.width() });
        }
        let streams = Streams::new(self.settings.seed);
        let batch = self.settings.batch;
        let mut batches = Vec::new();
        let mut next = 0;
        let n_shards = Shards::of_batch(batch);
        for shard in 0..n_shards {
            let end = batch * (shard + 1) / n_shards;
            let examples: Vec<usize> = (next..end).map(|chain| self.example(streams, data, chain)).collect();
            let mut visible = Matrix::zeros(end - next, n);
            let observed = data.clamp(&examples);
            let mut known = Vec::new();
            for (row, (chain, &example)) in (next..end).zip(&examples).enumerate() {
                data.write_row(example, self.model.units(), visible.row_mut(row));
                // Spreads the masked share evenly over the batch, and so over the shards.
                let share = self.settings.conditional;
                if ((chain + 1) as f64 * share).floor() > (chain as f64 * share).floor() {
                    let mut stream = streams.at(Purpose::Mask, self.step, chain as u64);
                    known.resize(row * n, false);
                    known.extend(self.settings.masks.draw_known(n, self.settings.image, &mut stream));
                    // What is missing can be clamped to nothing: it is unknown, whatever the mask says.
                    (row * n..known.len()).for_each(|place| known[place] &= observed.holds(place));
                }
            }
            let known = if known.is_empty() {
                Clamp::Free
            } else {
                known.resize((end - next) * n, false);
                Clamp::Known(known)
            };
            let persistent = self.persistent.as_ref().map(|layers| layers.iter().map(|l| l.rows_of(next..end)).collect());
            let (step, first_chain) = (self.step, next as u64);
            batches.push(Batch { visible, observed, known, persistent, streams, step, first_chain });
            next = end;
        }
        Ok(Shards { step: self.step, batches })
    }

    /// Which example is the `chain`-th of this step.
    fn example(&mut self, streams: Streams, data: &Examples, chain: usize) -> usize {
        let place = u128::from(self.step) * self.settings.batch as u128 + chain as u128;
        let (epoch, place) = ((place / data.len() as u128) as u64, (place % data.len() as u128) as usize);
        let known = self.order.as_ref().is_some_and(|(e, order)| *e == epoch && order.len() == data.len());
        if !known {
            self.order = Some((epoch, streams.at(Purpose::Order, epoch, 0).permutation(data.len())));
        }
        self.order.as_ref().map_or(0, |(_, order)| order[place] as usize)
    }

    /// Estimates the gradient of one shard. `clock` gives seconds and touches no result.
    ///
    /// # Panics
    /// If there is no such shard.
    pub fn estimate(&self, shards: &Shards, shard: usize, clock: &dyn Fn() -> f64) -> Estimate {
        self.estimator.estimate(&self.model, &shards.batches[shard], clock)
    }

    /// Moves the parameters by the mean of the shards' estimates, which must be in the shards' order.
    ///
    /// # Errors
    /// [`DbmError::Diverged`] where the run has diverged: the parameters stay as they are if their energies already overflowed.
    ///
    /// # Panics
    /// If the estimates are not those of the present step's shards.
    pub fn finish(&mut self, shards: &Shards, estimates: Vec<Estimate>, host: &impl Host) -> Result<StepInfo, DbmError> {
        let updated = self.update_part(shards, estimates, Part::WHOLE, host)?;
        self.complete(updated, host)
    }
}

/// The rows of two shards' chains, one after the other.
fn append_rows(before: Option<Vec<Matrix>>, after: Option<Vec<Matrix>>) -> Option<Vec<Matrix>> {
    let (mut layers, after) = (before?, after?);
    for (layer, rows) in layers.iter_mut().zip(&after) {
        (0..rows.rows()).for_each(|row| layer.push_row(rows.row(row)));
    }
    Some(layers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Units, init};

    #[test]
    fn a_missing_bit_is_clamped_in_neither_phase_and_shards_without_gaps_have_no_marks() {
        let bits: Vec<u8> = (0..64 * 9_u32).map(|i| u8::from(i % 4 > 1)).collect();
        let whole = Examples::from_bits(9, &bits).unwrap();
        // Of one example alone two bits are missing.
        let known: Vec<u8> = (0..64 * 9).map(|i| u8::from(i != 40 * 9 + 2 && i != 40 * 9 + 7)).collect();
        let data = whole.clone().with_gaps(&known).unwrap();
        let settings = Settings { batch: 64, conditional: 1.0, ..Settings::default() };
        let mut run = Trainer::new(init::orthogonal(&[9, 4], Units::Signs, 1).unwrap(), settings).unwrap();
        let mut gappy = 0;
        for _ in 0..50 {
            // An epoch is one step here: the example is in one of the two shards.
            let shards = run.begin(&data).unwrap();
            let marked: Vec<&Batch> = shards.batches.iter().filter(|batch| batch.observed != Clamp::Visible).collect();
            assert_eq!((shards.count(), marked.len()), (2, 1));
            let Batch { visible, observed, known, .. } = marked[0];
            let missing: Vec<usize> = (0..visible.data().len()).filter(|&place| !observed.holds(place)).collect();
            assert_eq!((missing.len(), missing[0] % 9, missing[1] - missing[0]), (2, 2, 5));
            assert!(missing.iter().all(|&place| !known.holds(place)));
            // The masks are those of data without gaps, elsewhere.
            let without = run.begin(&whole).unwrap();
            let masks = |shards: &Shards| -> Vec<bool> {
                shards.batches.iter().flat_map(|b| (0..b.visible.data().len()).map(|place| b.known.holds(place))).collect()
            };
            gappy += masks(&without).iter().zip(masks(&shards)).filter(|(without, with)| **without && !with).count();
            run.step += 1;
        }
        assert!((20..80).contains(&gappy), "{gappy} of 100 missing bits were known to masks");
    }
}
