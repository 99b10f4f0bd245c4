//! A run: model, optimizer, average and order of the data, stepped, paused, and put away exactly.

use crate::centered::Centering;
use crate::gradient::{self, Batch, Estimate, Estimator, Info, Moments};
use crate::host::Host;
use crate::linalg::Matrix;
use crate::mask::draw_known;
use crate::optimize::Rule;
use crate::rng::{Purpose, Streams};
use crate::vector::vectorized;
use crate::{Backend, Dbm, DbmError, Examples, Parameters, Settings, Snapshot};
use std::sync::Arc;

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
    estimator: Arc<dyn Estimator>,
    step: u64,
    moments: Vec<Tensors>,
    average: Option<Tensors>,
    /// Where the last step left the persistent chains, `[batch, n_l]` a layer.
    persistent: Option<Vec<Matrix>>,
    centering: Option<Centering>,
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
        let zeros = || model.sizes().iter().map(|&n| vec![0.0; n]).collect();
        let centering = settings.estimator.centering.map(|rate| Centering::new(rate, zeros()));
        let estimator = gradient::estimator(&settings);
        Ok(Self { estimator, model, settings, step: 0, moments, average, persistent: None, centering, order: None })
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
            persistent: self.persistent.as_ref().map(|layers| layers.iter().map(|layer| layer.data().to_vec()).collect()),
            offsets: self.centering.as_ref().map(|centering| centering.offsets().to_vec()),
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
            let persistent = self.persistent.as_ref().map(|layers| layers.iter().map(|l| l.rows_of(next..end)).collect());
            batches.push(Batch { visible, known, persistent, streams, step: self.step, first_chain: next as u64 });
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
        assert_eq!((shards.step, shards.count()), (self.step, estimates.len()), "estimates of the present step");
        let started = host.now();
        let mut info = Info::default();
        estimates.iter().for_each(|shard| info.append(&shard.info));
        let diverged = DbmError::Diverged { step: self.step };
        if !info.negative.energy_sum.is_finite() || !info.positive.energy_sum.is_finite() {
            return Err(diverged);
        }
        let (moments, persistent): (Vec<Moments>, Vec<_>) =
            estimates.into_iter().map(|shard| (shard.moments, shard.persistent)).unzip();
        self.persistent = persistent.into_iter().reduce(append_rows).flatten();
        let mut step = StepInfo { info, ..StepInfo::default() };
        let largest = self.update(&moments, host, &mut step);
        if largest.is_nan() || largest > LARGEST_PARAMETER {
            return Err(diverged);
        }
        self.step += 1;
        let seconds = host.now() - started;
        Ok(StepInfo { step: self.step, update_seconds: seconds, seconds, ..step })
    }

    /// Applies the mean gradient, weights block by block; returns the largest parameter's magnitude, and notes the time it took.
    fn update(&mut self, shards: &[Moments], host: &impl Host, info: &mut StepInfo) -> f32 {
        let alpha = 1.0 / self.settings.batch as f32;
        let sum = |add: fn(&Moments, usize, f32, &mut [f32])| -> Vec<Vec<f32>> {
            let mut sums: Vec<Vec<f32>> = self.model.sizes().iter().map(|&n| vec![0.0; n]).collect();
            for (l, sum) in sums.iter_mut().enumerate() {
                shards.iter().for_each(|shard| add(shard, l, alpha, sum));
            }
            sums
        };
        let mut bias_gradients = sum(Moments::add_bias);
        let centering = self.centering.as_mut().map(|centering| {
            centering.follow(&sum(Moments::add_positive), self.step);
            &*centering
        });
        // The average forgets its start quickly at first: a fixed decay would carry the random initial weights for long.
        let t = self.step as f64;
        let step = Step {
            shards,
            rule: self.settings.optimizer.at(self.step),
            alpha,
            backend: self.model.backend(),
            decay: self.settings.average.map_or(0.0, |decay| decay.min((1.0 + t) / (10.0 + t))) as f32,
            centering,
            bias_gradients: bias_gradients.clone(),
        };
        let mut transposing_from = 0.0;
        let (moments, average) = (&mut self.moments, &mut self.average);
        let largest = self.model.update(|weights, biases| {
            if let Some(centering) = centering {
                centering.shift(1.0, weights, biases);
            }
            let mut blocks = Vec::new();
            // Values, moments and average walk in step, tensor by tensor.
            let mut tensors = vec![weights.iter_mut()];
            tensors.extend(moments.iter_mut().chain(average.as_mut()).map(|tensors| tensors.weights.iter_mut()));
            for l in 0..shards[0].depth() {
                let columns = shards[0].columns(l);
                let tensors = tensors.iter_mut().filter_map(Iterator::next).map(Matrix::data_mut).collect();
                split(tensors, BLOCK_ROWS * columns, |start, tensors| blocks.push(Block { l, from: start / columns, tensors }));
            }
            let started = host.now();
            let applied = host.map(blocks, |block| step.apply(block, &|| host.now()));
            info.blocks_seconds = host.now() - started;
            info.gradient_seconds = applied.iter().map(|block| block.gradient_seconds).sum();
            info.optimizer_seconds = applied.iter().map(|block| block.optimizer_seconds).sum();
            for (l, gradient) in bias_gradients.iter_mut().enumerate() {
                let mut moments: Vec<&mut [f32]> = moments.iter_mut().map(|tensors| &mut tensors.biases[l][..]).collect();
                step.rule.apply(&mut biases[l], gradient, &mut moments, false);
            }
            if let Some(centering) = centering {
                centering.shift(-1.0, weights, biases);
            }
            if let Some(average) = average {
                average.biases.iter_mut().zip(&*biases).for_each(|(average, values)| step.average(average, values));
            }
            transposing_from = host.now();
            let largest = applied.iter().map(|block| block.largest);
            largest.chain(biases.iter().map(|bias| magnitude(bias))).fold(0.0, larger)
        });
        info.transpose_seconds = host.now() - transposing_from;
        largest
    }
}

/// The rows that a snapshot holds of persistent chains, checked.
fn persistent_layers(run: &Trainer, layers: Vec<Vec<f32>>) -> Result<Vec<Matrix>, DbmError> {
    let (sizes, batch, units) = (run.model.sizes(), run.settings.batch, run.model.units());
    let what = || "the states of the persistent chains".to_string();
    if layers.len() != sizes.len() {
        return Err(DbmError::Shape { what: what(), expected: sizes.len(), got: layers.len() });
    }
    let checked = layers.into_iter().zip(sizes).map(|(values, &size)| {
        if values.len() != batch * size {
            return Err(DbmError::Shape { what: what(), expected: batch * size, got: values.len() });
        }
        match values.iter().find(|&&x| x != units.low() && x != units.high()) {
            Some(other) => Err(DbmError::Setting {
                name: "a unit of a persistent chain",
                expected: "one of the two values of the model's units",
                got: other.to_string(),
            }),
            None => Ok(Matrix::from_vec(batch, size, values)),
        }
    });
    checked.collect()
}

/// Offsets of a snapshot, checked.
fn offset_layers(model: &Dbm, offsets: Vec<Vec<f32>>) -> Result<Vec<Vec<f32>>, DbmError> {
    let what = || "the centering offsets".to_string();
    if offsets.len() != model.sizes().len() {
        return Err(DbmError::Shape { what: what(), expected: model.sizes().len(), got: offsets.len() });
    }
    for (values, &expected) in offsets.iter().zip(model.sizes()) {
        if values.len() != expected {
            return Err(DbmError::Shape { what: what(), expected, got: values.len() });
        }
        if values.iter().any(|x| !x.is_finite()) {
            return Err(DbmError::NotFinite { what: what() });
        }
    }
    Ok(offsets)
}

/// The rows of two shards' chains, one after the other.
fn append_rows(before: Option<Vec<Matrix>>, after: Option<Vec<Matrix>>) -> Option<Vec<Matrix>> {
    let (mut layers, after) = (before?, after?);
    for (layer, rows) in layers.iter_mut().zip(&after) {
        (0..rows.rows()).for_each(|row| layer.push_row(rows.row(row)));
    }
    Some(layers)
}

/// The largest magnitude, or NaN where there is one.
fn magnitude(values: &[f32]) -> f32 {
    // In lanes, so that one comparison need not wait for the one before.
    const LANES: usize = 16;
    let lanes = vectorized(
        #[inline(always)]
        || {
            let mut lanes = [0.0; LANES];
            let (blocks, rest) = values.as_chunks::<LANES>();
            rest.iter().zip(&mut lanes).for_each(|(x, lane)| *lane = larger(*lane, x.abs()));
            for block in blocks {
                for i in 0..LANES {
                    lanes[i] = larger(lanes[i], block[i].abs());
                }
            }
            lanes
        },
    );
    lanes.into_iter().fold(0.0, larger)
}

/// As `f32::max`, which would drop a NaN.
#[inline(always)]
#[allow(clippy::inline_always)] // for the vector unit: see `vectorized`
fn larger(a: f32, b: f32) -> f32 {
    if b.is_nan() || b > a { b } else { a }
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

/// Rows `from..` of one weight matrix, of its moments, and last, where it is kept, of its average.
struct Block<'a> {
    l: usize,
    from: usize,
    tensors: Vec<&'a mut [f32]>,
}

/// What one step does to every block.
struct Step<'a> {
    shards: &'a [Moments],
    rule: Rule,
    alpha: f32,
    backend: Backend,
    decay: f32,
    centering: Option<&'a Centering>,
    bias_gradients: Vec<Vec<f32>>,
}

/// What became of a block.
struct Applied {
    /// The largest magnitude of its parameters.
    largest: f32,
    gradient_seconds: f64,
    optimizer_seconds: f64,
}

impl Step<'_> {
    /// Makes a block's gradient and applies it.
    fn apply(&self, mut block: Block, clock: &dyn Fn() -> f64) -> Applied {
        let started = clock();
        let (values, rest) = block.tensors.split_first_mut().expect("the parameters come first");
        let mut gradient = vec![0.0; values.len()];
        for shard in self.shards {
            shard.add_weight_rows(self.backend, block.l, block.from, self.alpha, &mut gradient);
        }
        if let Some(centering) = self.centering {
            centering.correct(block.l, block.from, &self.bias_gradients, &mut gradient);
        }
        let made = clock();
        let (moments, average) = rest.split_at_mut(self.rule.n_moments());
        self.rule.apply(values, &mut gradient, moments, true);
        if let [average] = average {
            self.average(average, values);
        }
        let largest = magnitude(values);
        Applied { largest, gradient_seconds: made - started, optimizer_seconds: clock() - made }
    }

    fn average(&self, average: &mut [f32], values: &[f32]) {
        average.iter_mut().zip(values).for_each(|(a, &x)| *a += (1.0 - self.decay) * (x - *a));
    }
}
