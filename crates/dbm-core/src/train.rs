//! A run: model, optimizer, average and order of the data, stepped, paused, and put away exactly.

use crate::gradient::{Batch, Estimator, Info, Moments, UcdLmi};
use crate::host::Host;
use crate::linalg::Matrix;
use crate::mask::draw_known;
use crate::optimize::Rule;
use crate::rng::{Purpose, Streams};
use crate::{Backend, Dbm, DbmError, Examples, Parameters, Settings, Snapshot};

/// Chains a shard, at most. Shards are a fixed partition of the minibatch, so that sums over them do not depend on who computes.
const SHARD: usize = 32;

/// Rows of a weight matrix whose gradient is made and applied at a time; it is never stored whole.
const BLOCK_ROWS: usize = 64;

/// Parameters beyond this are a run that has diverged.
const LARGEST_PARAMETER: f32 = 1e6;

/// What one step did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepInfo {
    /// Steps taken, this one included.
    pub step: u64,
    /// Searches, couplings and energies.
    pub info: Info,
    /// Seconds of the update of the parameters.
    pub update_seconds: f64,
    /// Seconds of the whole step.
    pub seconds: f64,
}

/// A run in training.
///
/// ```
/// use dbm_core::{Alone, Examples, Settings, Trainer, Units, init};
/// let data = Examples::from_bits(4, &[1, 1, 0, 0, 0, 0, 1, 1])?;
/// let model = init::orthogonal(&[4, 6, 3], Units::Signs, 1)?;
/// let mut trainer = Trainer::new(model, Settings { batch: 10, ..Settings::default() })?;
/// let step = trainer.step(&data, &Alone)?;
/// assert_eq!((step.step, step.info.negative.meeting_times.len()), (1, 10));
/// # Ok::<(), dbm_core::DbmError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Trainer {
    model: Dbm,
    settings: Settings,
    estimator: UcdLmi,
    step: u64,
    moments: Vec<Tensors>,
    average: Option<Tensors>,
    order: Option<(u64, Vec<u32>)>,
}

/// One tensor of values for each of the model's.
#[derive(Clone, Debug, PartialEq)]
struct Tensors {
    weights: Vec<Matrix>,
    biases: Vec<Vec<f32>>,
}

impl Tensors {
    fn zeros(model: &Dbm) -> Self {
        Self {
            weights: model.weights().iter().map(|w| Matrix::zeros(w.rows(), w.columns())).collect(),
            biases: model.sizes().iter().map(|&n| vec![0.0; n]).collect(),
        }
    }

    fn of(model: &Dbm) -> Self {
        Self { weights: model.weights().to_vec(), biases: model.biases().to_vec() }
    }

    fn parameters(&self) -> Parameters {
        Parameters { weights: self.weights.iter().map(|w| w.data().to_vec()).collect(), biases: self.biases.clone() }
    }

    fn from_parameters(model: &Dbm, parameters: Parameters) -> Result<Self, DbmError> {
        // Going through a model checks shapes and finiteness.
        let checked = Dbm::new(model.units(), parameters.weights, parameters.biases)?;
        if checked.sizes() != model.sizes() {
            let (expected, got) = (model.n_parameters(), checked.n_parameters());
            return Err(DbmError::Shape { what: "the optimizer's state or the averaged weights".into(), expected, got });
        }
        Ok(Self::of(&checked))
    }
}

/// The shards of one step, to be estimated in any order by [`Trainer::estimate`] and given back in theirs.
#[derive(Clone, Debug)]
pub struct Shards {
    step: u64,
    batches: Vec<Batch>,
}

impl Shards {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.batches.len()
    }
}

impl Trainer {
    /// A run at step 0.
    ///
    /// # Errors
    /// Those of [`Settings::check`].
    pub fn new(model: Dbm, settings: Settings) -> Result<Self, DbmError> {
        settings.check(model.n_visible())?;
        let moments = (0..settings.optimizer.n_moments()).map(|_| Tensors::zeros(&model)).collect();
        let average = settings.average.map(|_| Tensors::of(&model));
        Ok(Self { estimator: UcdLmi::new(&settings), model, settings, step: 0, moments, average, order: None })
    }

    /// A run as a snapshot left it; further steps have the bits they would have had.
    ///
    /// # Errors
    /// Those of [`Dbm::new`] and [`Settings::check`], for the parameters, the optimizer's state and the average alike.
    pub fn restore(snapshot: Snapshot) -> Result<Self, DbmError> {
        let model = Dbm::new(snapshot.units, snapshot.parameters.weights, snapshot.parameters.biases)?;
        let mut run = Self::new(model, snapshot.settings)?;
        run.step = snapshot.step;
        if snapshot.moments.len() != run.moments.len() {
            let (expected, got) = (run.moments.len(), snapshot.moments.len());
            return Err(DbmError::Shape { what: "the list of the optimizer's moments".into(), expected, got });
        }
        run.moments = snapshot.moments.into_iter().map(|p| Tensors::from_parameters(&run.model, p)).collect::<Result<_, _>>()?;
        run.average = match (run.average, snapshot.average) {
            (Some(_), Some(average)) => Some(Tensors::from_parameters(&run.model, average)?),
            (None, None) => None,
            (expected, got) => {
                let (expected, got) = (usize::from(expected.is_some()), usize::from(got.is_some()));
                return Err(DbmError::Shape { what: "the list of averaged weights".into(), expected, got });
            }
        };
        Ok(run)
    }

    /// All this run needs to go on exactly.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            units: self.model.units(),
            settings: self.settings.clone(),
            step: self.step,
            parameters: Tensors::of(&self.model).parameters(),
            moments: self.moments.iter().map(Tensors::parameters).collect(),
            average: self.average.as_ref().map(Tensors::parameters),
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

    /// The model to sample from: with the averaged weights, where the run keeps them.
    pub fn averaged_model(&self) -> Dbm {
        let mut model = self.model.clone();
        if let Some(average) = &self.average {
            model.update(|weights, biases| {
                weights.clone_from_slice(&average.weights);
                biases.clone_from_slice(&average.biases);
            });
        }
        model
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
        let n_shards = batch.div_ceil(SHARD);
        for shard in 0..n_shards {
            let end = batch * (shard + 1) / n_shards;
            let mut visible = Matrix::zeros(end - next, n);
            let mut known = Vec::new();
            let mut any_masked = false;
            for (row, chain) in (next..end).enumerate() {
                let example = self.example(streams, data, chain);
                data.write_row(example, self.model.units(), visible.row_mut(row));
                // Spreads the masked share evenly over the batch, and so over the shards.
                let share = self.settings.conditional;
                let masked = ((chain + 1) as f64 * share).floor() > (chain as f64 * share).floor();
                any_masked |= masked;
                if masked {
                    let mut stream = streams.at(Purpose::Mask, self.step, chain as u64);
                    known.extend(draw_known(n, self.settings.image, &mut stream));
                } else {
                    known.resize(known.len() + n, false);
                }
            }
            let known = any_masked.then_some(known);
            batches.push(Batch { visible, known, streams, step: self.step, first_chain: next as u64 });
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
    pub fn estimate(&self, shards: &Shards, shard: usize, clock: &dyn Fn() -> f64) -> (Moments, Info) {
        self.estimator.estimate(&self.model, &shards.batches[shard], clock)
    }

    /// Moves the parameters by the mean of the shards' estimates, which must be in the shards' order.
    ///
    /// # Errors
    /// [`DbmError::Diverged`] where the run has diverged: the parameters stay as they are if their energies already overflowed.
    ///
    /// # Panics
    /// If the estimates are not those of the present step's shards.
    pub fn finish(&mut self, shards: &Shards, estimates: Vec<(Moments, Info)>, host: &impl Host) -> Result<StepInfo, DbmError> {
        assert_eq!((shards.step, shards.count()), (self.step, estimates.len()), "estimates of the present step");
        let started = host.now();
        let mut info = Info::default();
        estimates.iter().for_each(|(_, shard)| info.append(shard));
        let diverged = DbmError::Diverged { step: self.step };
        if !info.negative.energy_sum.is_finite() || !info.positive.energy_sum.is_finite() {
            return Err(diverged);
        }
        let moments: Vec<Moments> = estimates.into_iter().map(|(moments, _)| moments).collect();
        let largest = self.update(&moments, host);
        if largest.is_nan() || largest > LARGEST_PARAMETER {
            return Err(diverged);
        }
        self.step += 1;
        Ok(StepInfo { step: self.step, info, update_seconds: host.now() - started, seconds: host.now() - started })
    }

    /// Applies the mean gradient block by block; returns the largest parameter's magnitude.
    fn update(&mut self, shards: &[Moments], host: &impl Host) -> f32 {
        let rule = self.settings.optimizer.at(self.step);
        let alpha = 1.0 / self.settings.batch as f32;
        let backend = self.model.backend();
        // The average forgets its start quickly at first: a fixed decay would carry the random initial weights for long.
        let t = self.step as f64;
        let decay = self.settings.average.map_or(0.0, |decay| decay.min((1.0 + t) / (10.0 + t))) as f32;
        let (moments, average) = (&mut self.moments, &mut self.average);
        self.model.update(|weights, biases| {
            let mut blocks = Vec::new();
            // Values, moments and average walk in step, tensor by tensor.
            let (mut weights, mut biases) = (vec![weights.iter_mut()], vec![biases.iter_mut()]);
            for tensors in moments.iter_mut().chain(average) {
                weights.push(tensors.weights.iter_mut());
                biases.push(tensors.biases.iter_mut());
            }
            for l in 0..shards[0].depth() {
                let tensors = weights.iter_mut().filter_map(Iterator::next).map(Matrix::data_mut).collect();
                let columns = shards[0].columns(l);
                split(tensors, BLOCK_ROWS * columns, |start, tensors| {
                    blocks.push(Block { source: Source::Weight { l, from: start / columns }, tensors });
                });
            }
            for l in 0..=shards[0].depth() {
                let tensors = biases.iter_mut().filter_map(Iterator::next).map(Vec::as_mut_slice).collect();
                blocks.push(Block { source: Source::Bias { l }, tensors });
            }
            let largest = host.map(blocks, |block| block.apply(shards, &rule, alpha, backend, decay));
            // f32::max would drop a NaN
            largest.into_iter().fold(0.0, |a: f32, b| if b.is_nan() || b > a { b } else { a })
        })
    }
}

/// Cuts tensors of one length into parallel pieces of at most `size`.
fn split<'a>(mut tensors: Vec<&'a mut [f32]>, size: usize, mut each: impl FnMut(usize, Vec<&'a mut [f32]>)) {
    let mut start = 0;
    while !tensors[0].is_empty() {
        let here = size.min(tensors[0].len());
        let (pieces, rest) = tensors.into_iter().map(|tensor| tensor.split_at_mut(here)).unzip();
        each(start, pieces);
        tensors = rest;
        start += here;
    }
}

enum Source {
    Weight { l: usize, from: usize },
    Bias { l: usize },
}

/// A piece of one tensor of the parameters, its moments, and last, where it is kept, its average.
struct Block<'a> {
    source: Source,
    tensors: Vec<&'a mut [f32]>,
}

impl Block<'_> {
    fn apply(mut self, shards: &[Moments], rule: &Rule, alpha: f32, backend: Backend, decay: f32) -> f32 {
        let (values, rest) = self.tensors.split_first_mut().expect("the parameters come first");
        let mut gradient = vec![0.0; values.len()];
        for shard in shards {
            match self.source {
                Source::Weight { l, from } => shard.add_weight_rows(backend, l, from, alpha, &mut gradient),
                Source::Bias { l } => shard.add_bias(l, alpha, &mut gradient),
            }
        }
        let (moments, average) = rest.split_at_mut(rule.n_moments());
        rule.apply(values, &mut gradient, moments, matches!(self.source, Source::Weight { .. }));
        if let [average] = average {
            average.iter_mut().zip(&**values).for_each(|(a, &x)| *a += (1.0 - decay) * (x - *a));
        }
        values.iter().fold(0.0, |largest: f32, x| if x.is_nan() || x.abs() > largest { x.abs() } else { largest })
    }
}
