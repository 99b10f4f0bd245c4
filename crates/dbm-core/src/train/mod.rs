//! A run: model, optimizer, average and order of the data. It can be stepped, paused and saved exactly.

mod grow;
mod restore;
mod update;

pub use grow::NEW_WEIGHT_GAIN;
pub(crate) use update::BLOCK_ROWS;
pub use update::{Exchange, LadderStatus, ReplicaPart, StepInfo, Updated};

use crate::centered::Centering;
use crate::classes::top_of_classes;
use crate::gradient::{self, Batch, Estimate, Estimator, EstimatorKind};
use crate::host::{Host, SingleThread, even_pieces};
use crate::linalg::Matrix;
use crate::local::LocalFields;
use crate::rng::{Purpose, Streams};
use crate::tempering::Ladder;
use crate::{Backend, Clamp, Dbm, DbmError, Examples, Parameters, ParametersView, Settings, Snapshot, SnapshotView, Visits};
use std::ops::Range;
use std::sync::Arc;

/// The most chains per shard. Shards are a fixed partition of the minibatch, so sums over them do not depend on who computes.
pub(crate) const SHARD: usize = 32;

/// With more, four shards together take a browser a quarter of a second or longer.
const MOST_WEIGHTS_TOGETHER: usize = 4_000_000;

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
    /// Outside of these, weights stay 0.
    local: Option<Arc<LocalFields>>,
    settings: Settings,
    estimator: Arc<dyn Estimator>,
    step: u64,
    moments: Vec<Parameters>,
    average: Option<Parameters>,
    /// The states of the persistent chains after the last step, `[batch, n_l]` per layer.
    /// With a ladder, the states of every rung's chains, one after another.
    persistent: Option<Vec<Matrix>>,
    /// From the first step on, if the run's estimator has a ladder.
    ladder: Option<Arc<Ladder>>,
    centering: Option<Centering>,
    visits: Visits,
}

/// The shards of one step, estimated in any order by [`Trainer::estimate`] and returned in theirs.
#[derive(Clone, Debug)]
pub struct Shards {
    step: u64,
    batches: Vec<Batch>,
}

impl Shards {
    /// The number of shards of a minibatch.
    pub fn of_batch(batch: usize) -> usize {
        batch.div_ceil(SHARD)
    }

    /// The number of shards of this minibatch.
    pub fn count(&self) -> usize {
        self.batches.len()
    }

    /// All shards, in order, in as many groups as there are threads, or one each.
    pub fn groups(&self, threads: usize) -> Vec<Range<usize>> {
        let (count, of) = (self.count(), threads.clamp(1, self.count().max(1)));
        (0..of).map(|group| count * group / of..count * (group + 1) / of).collect()
    }

    /// The visible layers of a shard, if it exists: `[count, n_0]`, as unit values.
    pub fn visible(&self, shard: usize) -> Option<&Matrix> {
        self.batches.get(shard).map(|batch| &batch.visible)
    }

    /// The number of chains of a shard, if it exists.
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
        let zeros = |sizes: Vec<usize>| -> Vec<Vec<f32>> { sizes.into_iter().map(|n| vec![0.0; n]).collect() };
        let weights = || run.model.weights().iter().map(|w| w.data().len()).collect();
        let biases = || zeros(run.model.sizes().to_vec());
        let moments = 0..run.settings.optimizer.n_moments();
        run.moments = moments.map(|_| Parameters { weights: zeros(weights()), biases: biases() }).collect();
        run.average = run.settings.average.map(|_| ParametersView::of(run.model.weights(), run.model.biases()).to_owned());
        run.centering = run.settings.estimator.centering.map(|rate| Centering { rate, offsets: biases() });
        Ok(run)
    }

    /// A run without the state kept in addition to the model.
    fn bare(model: Dbm, settings: Settings) -> Result<Self, DbmError> {
        settings.check(model.n_visible())?;
        let (top, depth) = (model.sizes()[model.depth()], model.depth());
        if settings.classes > 0 && (settings.classes != top || depth < 2) {
            let expected = "as many as the top layer has units, above at least one hidden layer";
            return Err(DbmError::Setting {
                name: "classes",
                expected,
                got: format!("{} for layers of {:?}", settings.classes, model.sizes()),
            });
        }
        let picture = settings.picture(model.n_visible());
        let local = settings.local.map(|share| Arc::new(LocalFields::new(picture, model.sizes()[1], share)));
        let model = local.iter().fold(model, |model, local| model.within(local));
        let estimator = gradient::estimator(&settings);
        let visits = Visits::new(Streams::new(settings.seed), 0);
        let (moments, average, persistent, ladder, centering) = (vec![], None, None, None, None);
        Ok(Self { estimator, model, local, settings, step: 0, moments, average, persistent, ladder, centering, visits })
    }

    /// A copy of everything needed to continue this run exactly.
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
            optimizer_state: self.moments.iter().map(Parameters::view).collect(),
            average: self.average.as_ref().map(Parameters::view),
            persistent: self.persistent.as_ref().map(|layers| layers.iter().map(Matrix::data).collect()),
            ladder: self.ladder.as_ref().map(|ladder| ladder.view()),
            offsets: self.centering.as_ref().map(|centering| centering.offsets.iter().map(Vec::as_slice).collect()),
        }
    }

    /// The same run with other kernels.
    #[must_use]
    pub fn with_backend(mut self, backend: Backend) -> Self {
        self.model = self.model.with_backend(backend);
        self.ladder = self.ladder.map(|ladder| Arc::new(Arc::unwrap_or_clone(ladder).with_backend(backend)));
        self
    }

    /// The model after the last step.
    pub fn model(&self) -> &Dbm {
        &self.model
    }

    /// A copy of the model to sample from: with the averaged weights, if the run keeps them.
    pub fn averaged_model(&self) -> Dbm {
        let mut model = self.model.clone();
        if let Some(average) = &self.average {
            let (weights, biases) = model.parameters_mut();
            weights.iter_mut().zip(&average.weights).for_each(|(to, from)| to.data_mut().copy_from_slice(from));
            biases.clone_from_slice(&average.biases);
            model.transpose(&SingleThread);
        }
        model
    }

    /// Gives `look` the model to sample from, without a copy: meanwhile the averaged weights and the last step's are swapped.
    pub fn with_averaged_model<R>(&mut self, host: &impl Host, look: impl FnOnce(&Dbm) -> R) -> R {
        self.exchange_average(host);
        let seen = look(&self.model);
        self.exchange_average(host);
        seen
    }

    fn exchange_average(&mut self, host: &impl Host) {
        if let Some(average) = &mut self.average {
            let (weights, biases) = self.model.parameters_mut();
            weights.iter_mut().zip(&mut average.weights).for_each(|(a, b)| a.data_mut().swap_with_slice(b));
            biases.swap_with_slice(&mut average.biases);
            self.model.transpose(host);
        }
    }

    /// The ladder that the run climbs, from its first step on.
    pub fn ladder(&self) -> Option<&Ladder> {
        self.ladder.as_deref()
    }

    /// The settings of the run.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Gradient steps taken.
    pub fn steps(&self) -> u64 {
        self.step
    }

    /// Draws the next minibatch, in shards. Examples come epoch by epoch, each in a new random order. The model's states are from then on
    /// those in which the data's groups are at levels.
    ///
    /// # Errors
    /// [`DbmError::Shape`] if the data are not as wide as the visible layer; [`DbmError::Setting`] if the estimator cannot take them.
    pub fn begin(&mut self, data: &Examples) -> Result<Shards, DbmError> {
        let n = self.model.n_visible();
        data.check_width(n)?;
        if self.settings.estimator.kind == EstimatorKind::UcdGibbs && !data.groups().is_empty() {
            let expected = "any but ucd-gibbs, which draws the units of a category or scale one by one";
            return Err(DbmError::Setting { name: "estimator", expected, got: self.settings.estimator.kind.name().into() });
        }
        if self.model.groups() != data.groups() {
            self.model = self.model.clone().with_checked_groups(data.groups());
            self.ladder = self.ladder.take().map(|ladder| Arc::new(Arc::unwrap_or_clone(ladder).with_groups(data.groups())));
        }
        if self.settings.estimator.kind.descriptor().has_ladder && self.ladder.is_none() {
            self.ladder = Some(Arc::new(Ladder::of_data(&self.model, data)?));
        }
        let streams = Streams::new(self.settings.seed);
        let (batch, step) = (self.settings.batch, self.step);
        // A ladder's chains that this step does not move stay here.
        let rungs = self.ladder.as_ref().map_or(1, |ladder| ladder.rungs().len());
        let unmoved = self.estimator.reach(step).lowest(rungs) * self.model.sizes().len();
        let mut batches = Vec::new();
        let classes = self.classes(data)?.map(<[u8]>::to_vec);
        for chains in even_pieces(batch, SHARD) {
            let visits = self.visits.of(data.len(), (step, batch), chains.clone());
            let examples: Vec<usize> = visits.iter().map(|visit| visit.example).collect();
            let mut visible = Matrix::zeros(chains.len(), n);
            let mut observed = data.clamp(&examples);
            let labels = classes.as_ref().map(|classes| {
                top_of_classes(&self.model, &examples.iter().map(|&example| usize::from(classes[example])).collect::<Vec<_>>())
            });
            let (mut known, mut only_labels) = (Vec::new(), Vec::new());
            for (row, (chain, &visit)) in chains.clone().zip(&visits).enumerate() {
                self.visits.write(data, visit, self.model.units(), visible.row_mut(row));
                // Spreads the masked share evenly over the batch, and so over the shards.
                let share = self.settings.masked_share();
                if ((chain + 1) as f64 * share).floor() > (chain as f64 * share).floor() {
                    let mut stream = streams.at(Purpose::Mask, step, chain as u64);
                    known.resize(row * n, false);
                    let quarter = classes.as_ref().map(|_| stream.below(4));
                    if quarter == Some(0) {
                        known.resize((row + 1) * n, true);
                    } else {
                        if quarter == Some(1) {
                            only_labels.push(row);
                        }
                        known.extend(self.settings.masks.draw_known(n, self.settings.image, &mut stream));
                    }
                    // A missing unit has no value to clamp: it is unknown, whatever the mask says.
                    (row * n..known.len()).for_each(|place| known[place] &= observed.holds(place));
                }
            }
            // A question about the label alone must not depend on other units being observed.
            if !only_labels.is_empty() {
                let mut seen: Vec<bool> = (0..chains.len() * n).map(|place| observed.holds(place)).collect();
                only_labels.iter().flat_map(|row| row * n..(row + 1) * n).for_each(|place| seen[place] &= known[place]);
                observed = Clamp::Known(seen);
            }
            let known = if known.is_empty() {
                Clamp::Free
            } else {
                known.resize(chains.len() * n, false);
                Clamp::Known(known)
            };
            let own = |layers: &Vec<Matrix>| layers[unmoved..].iter().map(|l| l.rows_of(chains.clone())).collect();
            let (persistent, chains) = (self.persistent.as_ref().map(own), chains.map(|chain| chain as u64).collect());
            let ladder = self.ladder.clone();
            batches.push(Batch { visible, observed, labels, known, persistent, ladder, streams, step, chains });
        }
        Ok(Shards { step, batches })
    }

    /// The classes of the examples, if the top layer represents them.
    fn classes<'a>(&self, data: &'a Examples) -> Result<Option<&'a [u8]>, DbmError> {
        let classes = self.settings.classes;
        if classes == 0 {
            return Ok(None);
        }
        let refused = |got: String| DbmError::Setting {
            name: "class of an example",
            expected: "one of the classes that the run was begun with",
            got,
        };
        let labels = data.labels().ok_or_else(|| refused("no class".into()))?;
        match labels.iter().find(|&&label| usize::from(label) >= classes) {
            Some(label) => Err(refused(format!("{label} of {classes}, counted from 0"))),
            None => Ok(Some(labels)),
        }
    }

    /// Estimates the gradient of one shard. `clock` gives seconds and does not affect the result.
    ///
    /// # Panics
    /// If there is no such shard.
    pub fn estimate(&self, shards: &Shards, shard: usize, clock: &dyn Fn() -> f64) -> Estimate {
        self.estimator.estimate(&self.model, &shards.batches[shard], clock)
    }

    /// Whether shards of one step should be estimated together if nothing else can run until they are done: this saves time, and does not
    /// take long.
    pub fn goes_together(&self) -> bool {
        let weights: usize = self.model.weights().iter().map(|weight| weight.data().len()).sum();
        weights <= MOST_WEIGHTS_TOGETHER && self.estimator.prefers_batching()
    }

    /// The same for several shards, in the order given: each is identical, bit for bit, to that of the shard alone. Together they take less
    /// time than one after another.
    ///
    /// # Panics
    /// If there is no such shard.
    pub fn estimate_together(
        &self,
        shards: &Shards,
        which: impl IntoIterator<Item = usize>,
        clock: &dyn Fn() -> f64,
    ) -> Vec<Estimate> {
        let batches: Vec<&Batch> = which.into_iter().map(|shard| &shards.batches[shard]).collect();
        self.estimator.estimate_together(&self.model, &batches, clock)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Units, init};

    #[test]
    fn a_missing_bit_is_clamped_in_neither_phase_and_shards_without_gaps_have_no_marks() {
        let bits: Vec<u8> = (0..64 * 9_u32).map(|i| u8::from(i % 4 > 1)).collect();
        let whole = Examples::from_bits(9, &bits).unwrap();
        // Only one example has missing bits: two of them.
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
            // Elsewhere the masks are those of data without gaps.
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
