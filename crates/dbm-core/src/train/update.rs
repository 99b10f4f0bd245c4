//! One step's update: the gradient is computed and applied block by block, and never stored in full.
//!
//! **Replicas.** A run can have several replicas, each a [`Trainer`] with the same model, settings and data that updates a part of the
//! weights. A step is [`Trainer::begin`] on every replica; the estimate of each shard on any one of them, and all estimates sent to all;
//! [`Trainer::update_part`]; the rows of every part sent to all, by [`Trainer::write_part`] and [`Trainer::read_part`]; and
//! [`Trainer::complete`]. Blocks of weights and the order of all sums are those of a single run, so the bits are the same for any number of
//! replicas. The optimizer's state of a weight is kept where the weight is updated, and is gathered likewise for a snapshot. Everything
//! else, averaged weights included, is complete on every replica.

use super::{Shards, Trainer};
use crate::gradient::{BinaryOuterProducts, Estimate, EstimatorSettings, Info, Moments, PhaseInfo, SmcPath};
use crate::host::Host;
use crate::linalg::Matrix;
use crate::optimize::OptimizerRule;
use crate::tempering::{Change, Ladder, Overlaps};
use crate::vector::vectorized;
use crate::{Backend, DbmError, Examples};
use std::ops::Range;
use std::sync::Arc;

/// Rows of a weight matrix whose gradient is computed and applied at a time.
pub(crate) const BLOCK_ROWS: usize = 64;

/// A run with larger parameters has diverged.
const LARGEST_PARAMETER: f32 = 1e6;

/// What one step did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepInfo {
    /// Steps taken, this one included.
    pub step: u64,
    /// Searches, couplings and energies.
    pub info: Info,
    /// For a run with a ladder.
    pub climb: Option<LadderStatus>,
    /// Seconds of the parameter update; the next four are parts of it.
    pub update_seconds: f64,
    /// Seconds of updating the blocks of the weights.
    pub blocks_seconds: f64,
    /// Of these, seconds of computing gradients: summed over the blocks on all threads.
    pub gradient_seconds: f64,
    /// Of these, seconds of the optimizer's rule, the average and the check for divergence: summed likewise.
    pub optimizer_seconds: f64,
    /// Seconds of transposing the weights.
    pub transpose_seconds: f64,
    /// Seconds of the full step.
    pub seconds: f64,
}

/// The state of a run's ladder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LadderStatus {
    /// Rungs below the model, independent units included.
    pub rungs: usize,
    /// Whether this step's gradient was applied: not if the previous step went too far, so that the model is the last rung again.
    pub taken: bool,
    /// The factor of the learning rate.
    pub rate: f64,
}

/// Which blocks of the weights a replica updates: every `of`-th, beginning with number `index`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplicaPart {
    /// Number of its first block, below `of`.
    pub index: usize,
    /// Number of parts.
    pub of: usize,
}

impl ReplicaPart {
    /// All blocks, for a run without replicas.
    pub const WHOLE: Self = Self { index: 0, of: 1 };

    fn has(self, block: usize) -> bool {
        block % self.of == self.index
    }
}

/// All blocks of the weights of layers with these sizes, in order: the number of the matrix, and the range of its values.
fn blocks(sizes: &[usize]) -> impl Iterator<Item = (usize, Range<usize>)> {
    sizes.windows(2).enumerate().flat_map(|(l, pair)| {
        let (all, size) = (pair[0] * pair[1], BLOCK_ROWS * pair[1]);
        (0..all).step_by(size).map(move |start| (l, start..all.min(start + size)))
    })
}

/// A step between its two halves: this replica's part of the weights is updated; the other parts and the biases are not.
#[derive(Clone, Debug)]
pub struct Updated {
    info: StepInfo,
    bias_gradients: Vec<Vec<f32>>,
    part: ReplicaPart,
    /// Whether the gradient is applied.
    taken: bool,
    /// The largest magnitude in this part.
    largest: f32,
}

/// The weight data that replicas exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exchange {
    /// The weights themselves, after every step.
    Weights,
    /// The optimizer's state, before a snapshot.
    Optimizer,
}

impl Trainer {
    /// One gradient step.
    ///
    /// # Errors
    /// Those of [`Trainer::begin`] and [`Trainer::finish`].
    pub fn step(&mut self, data: &Examples, host: &impl Host) -> Result<StepInfo, DbmError> {
        let started = host.now();
        let shards = self.begin(data)?;
        let this = &*self;
        let estimates = host.map(shards.groups(host.threads()), |group| this.estimate_together(&shards, group, &|| host.now()));
        let estimates = estimates.into_iter().flatten().collect();
        let mut info = self.finish(&shards, estimates, host)?;
        info.seconds = host.now() - started;
        Ok(info)
    }

    /// Moves the parameters by the mean of the shards' estimates, which must be in the shards' order.
    ///
    /// # Errors
    /// [`DbmError::Diverged`] if the run has diverged; if the energies had already overflowed, the parameters do not change.
    ///
    /// # Panics
    /// If the estimates are not those of the present step's shards.
    pub fn finish(&mut self, shards: &Shards, estimates: Vec<Estimate>, host: &impl Host) -> Result<StepInfo, DbmError> {
        let updated = self.update_part(shards, estimates, ReplicaPart::WHOLE, host)?;
        self.complete(updated, host)
    }

    /// Ends a step without moving a parameter or a rung: persistent chains stay where the shards' estimates left them, and the next step
    /// makes new draws. For examining an estimator at a fixed model. Returns what happened in all shards.
    pub fn stand_still(&mut self, estimates: Vec<Estimate>) -> Info {
        let mut info = Info::default();
        estimates.iter().for_each(|shard| info.append(&shard.info));
        self.keep_chains(estimates.into_iter().map(|shard| shard.persistent).reduce(append_rows).flatten());
        self.step += 1;
        info
    }

    /// Updates one part of the weights by the mean of the shards' estimates, which must be those of all shards in order.
    ///
    /// # Errors
    /// [`DbmError::Diverged`] if energies are no longer finite; nothing has changed then.
    ///
    /// # Panics
    /// If the estimates are not those of the present step's shards.
    pub fn update_part(
        &mut self,
        shards: &Shards,
        estimates: Vec<Estimate>,
        part: ReplicaPart,
        host: &impl Host,
    ) -> Result<Updated, DbmError> {
        assert_eq!((shards.step, shards.count()), (self.step, estimates.len()), "estimates of the present step");
        let started = host.now();
        let mut info = Info::default();
        estimates.iter().for_each(|shard| info.append(&shard.info));
        if !info.negative.energy_sum.is_finite() || !info.positive.energy_sum.is_finite() {
            return Err(DbmError::Diverged { step: self.step });
        }
        let (shards, persistent): (Vec<Moments>, Vec<_>) =
            estimates.into_iter().map(|shard| (shard.moments, shard.persistent)).unzip();
        self.keep_chains(persistent.into_iter().reduce(append_rows).flatten());
        let taken = self.climb(&info.negative)?;
        let (alpha, sizes) = (1.0 / self.settings.batch as f32, self.model.sizes().to_vec());
        let sum = |add: fn(&Moments, usize, f32, &mut [f32])| -> Vec<Vec<f32>> {
            let mut sums: Vec<Vec<f32>> = sizes.iter().map(|&n| vec![0.0; n]).collect();
            for (l, sum) in sums.iter_mut().enumerate() {
                shards.iter().for_each(|shard| add(shard, l, alpha, sum));
            }
            sums
        };
        let bias_gradients = sum(Moments::add_bias);
        let (rule, decay, n_moments) = (self.rule(taken), self.average_decay(), self.moments.len());
        let centering = self.centering.as_mut().map(|centering| {
            centering.follow(&sum(Moments::add_positive), self.step);
            &*centering
        });

        let gathering = host.now();
        let (backend, units) = (self.model.backend(), self.model.units());
        // The rows of all shards together, for each weight matrix, by tables; otherwise shard by shard, in the order of the formula.
        let gathered = (backend == Backend::Fast)
            .then(|| host.map((0..self.model.depth()).collect(), |l| BinaryOuterProducts::new(&shards, l, units, alpha)));
        let gathering = host.now() - gathering;
        let local = self.local.as_ref();
        let needed = |l: usize, from: usize, rows: usize| match local.filter(|_| l == 0) {
            Some(local) => local.seeing_any(from..from + rows),
            None => 0..sizes[l + 1],
        };
        let add_weight_rows = |l: usize, from: usize, out: &mut [f32]| match &gathered {
            Some(gathered) => gathered[l].add_weight_rows(from, out, needed(l, from, out.len() / sizes[l + 1])),
            None => shards.iter().for_each(|shard| shard.add_weight_rows(backend, l, from, alpha, out)),
        };
        let (weights, biases) = self.model.parameters_mut();
        if let Some(centering) = centering {
            // The centered biases are computed with the weights before the update.
            centering.shift(1.0, weights, biases);
        }
        // Values, moments and average are divided alike, tensor by tensor and block by block.
        let mut blocks = Vec::new();
        let mut tensors: Vec<Vec<&mut [f32]>> = weights.iter_mut().map(|weight| vec![weight.data_mut()]).collect();
        for kept in self.moments.iter_mut().chain(self.average.as_mut()) {
            tensors.iter_mut().zip(&mut kept.weights).for_each(|(tensors, kept)| tensors.push(kept));
        }
        for ((l, tensors), pair) in tensors.into_iter().enumerate().zip(sizes.windows(2)) {
            let mut pieces: Vec<_> = tensors.into_iter().map(|tensor| tensor.chunks_mut(BLOCK_ROWS * pair[1])).collect();
            for from in (0..pair[0]).step_by(BLOCK_ROWS) {
                blocks.push((l, from, pieces.iter_mut().filter_map(Iterator::next).collect::<Vec<_>>()));
            }
        }
        let mut number = 0..;
        blocks.retain(|_| number.next().is_some_and(|number| part.has(number)));
        let updating = host.now();
        let applied = host.map(blocks, |(l, from, mut tensors)| {
            let started = host.now();
            let (values, kept) = tensors.split_first_mut().expect("the parameters come first");
            let mut gradient = vec![0.0; values.len()];
            add_weight_rows(l, from, &mut gradient);
            if let Some(centering) = centering {
                centering.correct(l, from, &bias_gradients, &mut gradient);
            }
            if let Some(local) = local.filter(|_| l == 0) {
                local.clear_outside(from, &mut gradient);
            }
            let made = host.now();
            let (moments, kept) = kept.split_at_mut(n_moments);
            rule.apply(values, &mut gradient, moments, true);
            if let [kept] = kept {
                average(kept, values, decay);
            }
            (magnitude(values), made - started, host.now() - made)
        });
        let rung = |ladder: &Arc<Ladder>| LadderStatus { rungs: ladder.rungs().len(), taken, rate: ladder.rate };
        let info = StepInfo {
            info,
            climb: self.ladder.as_ref().map(rung),
            update_seconds: host.now() - started,
            blocks_seconds: gathering + host.now() - updating,
            gradient_seconds: gathering + applied.iter().map(|block| block.1).sum::<f64>(),
            optimizer_seconds: applied.iter().map(|block| block.2).sum(),
            ..StepInfo::default()
        };
        let largest = applied.iter().map(|block| block.0).fold(0.0, larger);
        Ok(Updated { info, bias_gradients, part, taken, largest })
    }

    /// Ends a step once the weights of all parts have arrived: biases, averages, transposed copies.
    ///
    /// # Errors
    /// [`DbmError::Diverged`] if a parameter is no longer finite, or too large: on all replicas alike.
    pub fn complete(&mut self, updated: Updated, host: &impl Host) -> Result<StepInfo, DbmError> {
        let started = host.now();
        let Updated { mut info, mut bias_gradients, part, taken, largest } = updated;
        let (rule, decay) = (self.rule(taken), self.average_decay());
        let sizes = self.model.sizes().to_vec();
        let (weights, biases) = self.model.parameters_mut();
        for (l, gradient) in bias_gradients.iter_mut().enumerate() {
            let mut moments: Vec<&mut [f32]> = self.moments.iter_mut().map(|tensors| &mut tensors.biases[l][..]).collect();
            rule.apply(&mut biases[l], gradient, &mut moments, false);
        }
        if let Some(centering) = &self.centering {
            centering.shift(-1.0, weights, biases);
        }
        if let Some(kept) = &mut self.average {
            for (_, (l, rows)) in blocks(&sizes).enumerate().filter(|(number, _)| !part.has(*number)) {
                average(&mut kept.weights[l][rows.clone()], &weights[l].data()[rows], decay);
            }
            kept.biases.iter_mut().zip(&*biases).for_each(|(kept, values)| average(kept, values, decay));
        }
        let mut largest = biases.iter().map(|bias| magnitude(bias)).fold(largest, larger);
        if part != ReplicaPart::WHOLE {
            // The parts updated by the other replicas are seen here for the first time.
            largest = weights.iter().map(|weight| magnitude(weight.data())).fold(largest, larger);
        }
        let transposing = host.now();
        self.model.transpose(host);
        info.transpose_seconds = host.now() - transposing;
        if largest.is_nan() || largest > LARGEST_PARAMETER {
            return Err(DbmError::Diverged { step: self.step });
        }
        self.step += 1;
        info.step = self.step;
        info.update_seconds += host.now() - started;
        info.seconds = info.update_seconds;
        Ok(info)
    }

    /// Appends the rows of one part, block after block.
    pub fn write_part(&self, what: Exchange, part: ReplicaPart, into: &mut Vec<f32>) {
        let exchanged: Vec<Vec<&[f32]>> = match what {
            Exchange::Weights => vec![self.model.weights().iter().map(Matrix::data).collect()],
            Exchange::Optimizer => self.moments.iter().map(|tensors| tensors.view().weights).collect(),
        };
        for tensors in exchanged {
            let own = blocks(self.model.sizes()).enumerate().filter(|(number, _)| part.has(*number));
            own.for_each(|(_, (l, rows))| into.extend_from_slice(&tensors[l][rows]));
        }
    }

    /// Reads the rows of one part, as written by its replica's [`Trainer::write_part`].
    ///
    /// # Errors
    /// [`DbmError::Shape`] if their number is not that of the part; nothing has changed then.
    pub fn read_part(&mut self, what: Exchange, part: ReplicaPart, mut from: &[f32]) -> Result<(), DbmError> {
        let own = blocks(self.model.sizes()).enumerate().filter(|(number, _)| part.has(*number));
        let own: Vec<(usize, Range<usize>)> = own.map(|(_, block)| block).collect();
        let mut exchanged: Vec<Vec<&mut [f32]>> = match what {
            Exchange::Weights => vec![self.model.parameters_mut().0.iter_mut().map(Matrix::data_mut).collect()],
            Exchange::Optimizer => {
                self.moments.iter_mut().map(|t| t.weights.iter_mut().map(Vec::as_mut_slice).collect()).collect()
            }
        };
        let expected = exchanged.len() * own.iter().map(|(_, rows)| rows.len()).sum::<usize>();
        DbmError::check_shape("a part of the weights", expected, from.len())?;
        for tensors in &mut exchanged {
            for (l, rows) in &own {
                let (here, after) = from.split_at(rows.len());
                tensors[*l][rows.clone()].copy_from_slice(here);
                from = after;
            }
        }
        Ok(())
    }

    /// Keeps the states of the persistent chains; with a ladder, chains that the step did not move stay as they were.
    fn keep_chains(&mut self, moved: Option<Vec<Matrix>>) {
        match (&mut self.persistent, moved) {
            (Some(chains), Some(moved)) if chains.len() >= moved.len() => {
                let unmoved = chains.len() - moved.len();
                chains.truncate(unmoved);
                chains.extend(moved);
            }
            (chains, moved) => *chains = moved,
        }
    }

    /// The rule by which this step moves the parameters.
    fn rule(&self, taken: bool) -> OptimizerRule {
        let rate = self.ladder.as_ref().map_or(1.0, |ladder| ladder.rate);
        self.settings.optimizer.at(self.step, if taken { rate } else { 0.0 })
    }

    /// If the run has a ladder, updates it by the outcome of this step's exchanges or particles, together with chains and model, and
    /// returns whether this step's gradient is to be applied.
    fn climb(&mut self, negative: &PhaseInfo) -> Result<bool, DbmError> {
        let EstimatorSettings { path, smc_steps, .. } = self.settings.estimator;
        let Some(ladder) = self.ladder.as_mut().map(Arc::make_mut) else { return Ok(true) };
        let overlaps = match negative {
            PhaseInfo { exchanges, .. } if exchanges.tried > 0 => Overlaps::of_exchanges(exchanges),
            PhaseInfo { spread, .. } if spread.runs > 0 && path == SmcPath::Past => {
                Overlaps::of_particles(spread, self.step as usize)
            }
            PhaseInfo { spread, .. } if spread.runs > 0 => {
                ladder.follow_temperatures(smc_steps, spread);
                return Ok(true);
            }
            _ => return Ok(true),
        };
        let changes = ladder.follow(&overlaps, &self.model)?;
        let layers = self.model.sizes().len();
        if let Some(chains) = &mut self.persistent {
            let copy = |chains: &mut Vec<Matrix>, from: usize, to: usize| {
                let copied = chains[from * layers..(from + 1) * layers].to_vec();
                drop(chains.splice(to * layers..to * layers, copied));
            };
            for change in &changes {
                let top = chains.len() / layers - 1;
                match *change {
                    // A new rung's chains start as copies of those of the rung above, an undone model's as those of the last rung.
                    Change::Grown => copy(chains, top, top),
                    Change::Inserted(rung) => copy(chains, rung, rung),
                    Change::Removed(rung) => drop(chains.drain(rung * layers..(rung + 1) * layers)),
                    Change::Undone => {
                        chains.truncate(top * layers);
                        copy(chains, top - 1, top);
                    }
                }
            }
        }
        let undone = changes.contains(&Change::Undone);
        if undone {
            self.model = ladder.last().clone();
        }
        Ok(!undone)
    }

    /// The decay of the averaged weights at this step. It forgets the start quickly at first: a fixed decay would keep the random initial
    /// weights for long.
    fn average_decay(&self) -> f32 {
        let t = self.step as f64;
        self.settings.average.map_or(0.0, |decay| decay.min((1.0 + t) / (10.0 + t))) as f32
    }
}

/// The rows of two shards' chains, one after the other.
fn append_rows(before: Option<Vec<Matrix>>, after: Option<Vec<Matrix>>) -> Option<Vec<Matrix>> {
    let (mut layers, after) = (before?, after?);
    layers.iter_mut().zip(&after).for_each(|(layer, rows)| layer.push_rows(rows));
    Some(layers)
}

/// Moves an average towards the values.
fn average(average: &mut [f32], values: &[f32], decay: f32) {
    average.iter_mut().zip(values).for_each(|(a, &x)| *a += (1.0 - decay) * (x - *a));
}

/// The largest magnitude, or NaN if there is one.
fn magnitude(values: &[f32]) -> f32 {
    // In lanes, so that no comparison waits for the previous one.
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

/// Like `f32::max`, which would drop a NaN.
#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if b.is_nan() || b > a { b } else { a }
}
