//! One run on several replicas: each updates its own part of the weights, and takes the rest from the others.
//!
//! A replica is a [`Trainer`] with the same model, settings and data. A step is [`Trainer::begin`] on every replica; each shard's estimate on any one of them, all estimates to
//! all; [`Trainer::update_part`]; the rows of every part to all, by [`Trainer::write_part`] and [`Trainer::read_part`]; [`Trainer::complete`]. Blocks of weights and the order of all sums
//! are those of a run alone, so the bits are too, whatever the number of replicas. The optimizer's state of a weight lives where the weight is updated: for a snapshot it is gathered likewise.
//! All else, averaged weights included, every replica has whole.

use super::update::{BLOCK_ROWS, Block, Source, Step, larger, magnitude, split};
use super::{Estimate, Info, Shards, StepInfo, Trainer, append_rows};
use crate::DbmError;
use crate::gradient::Moments;
use crate::host::Host;
use crate::linalg::Matrix;

/// Parameters beyond this are a run that has diverged.
const LARGEST_PARAMETER: f32 = 1e6;

/// Which blocks of the weights a replica updates: every `of`-th, beginning with number `index`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Below `of`.
    pub index: usize,
    /// How many parts there are.
    pub of: usize,
}

impl Part {
    /// All blocks: a run alone.
    pub const WHOLE: Self = Self { index: 0, of: 1 };

    fn has(self, block: usize) -> bool {
        block % self.of == self.index
    }
}

/// A step between its two halves: this replica's part of the weights is updated; the rest, and the biases, are not.
#[derive(Clone, Debug)]
pub struct Updated {
    info: StepInfo,
    bias_gradients: Vec<Vec<f32>>,
    part: Part,
    /// The largest magnitude in this part.
    largest: f32,
    seconds: f64,
}

/// What is exchanged of a run's weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exchange {
    /// The weights themselves, after every step.
    Weights,
    /// The optimizer's state, before a snapshot.
    Optimizer,
}

impl Trainer {
    /// Updates one part of the weights by the mean of the shards' estimates, which must be all the shards' in their order.
    ///
    /// # Errors
    /// [`DbmError::Diverged`] where energies are no longer finite; nothing has changed then.
    ///
    /// # Panics
    /// If the estimates are not those of the present step's shards.
    pub fn update_part(
        &mut self,
        shards: &Shards,
        estimates: Vec<Estimate>,
        part: Part,
        host: &impl Host,
    ) -> Result<Updated, DbmError> {
        assert_eq!((shards.step, shards.count()), (self.step, estimates.len()), "estimates of the present step");
        let started = host.now();
        let mut info = Info::default();
        estimates.iter().for_each(|shard| info.append(&shard.info));
        if !info.negative.energy_sum.is_finite() || !info.positive.energy_sum.is_finite() {
            return Err(DbmError::Diverged { step: self.step });
        }
        let (moments, persistent): (Vec<Moments>, Vec<_>) =
            estimates.into_iter().map(|shard| (shard.moments, shard.persistent)).unzip();
        self.persistent = persistent.into_iter().reduce(append_rows).flatten();
        let info = StepInfo { info, ..StepInfo::default() };
        let mut updated = Updated { info, bias_gradients: vec![], part, largest: 0.0, seconds: 0.0 };
        self.update_weights(&moments, part, host, &mut updated);
        updated.seconds = host.now() - started;
        Ok(updated)
    }

    fn update_weights(&mut self, shards: &[Moments], part: Part, host: &impl Host, updated: &mut Updated) {
        let alpha = 1.0 / self.settings.batch as f32;
        let sum = |add: fn(&Moments, usize, f32, &mut [f32])| -> Vec<Vec<f32>> {
            let mut sums: Vec<Vec<f32>> = self.model.sizes().iter().map(|&n| vec![0.0; n]).collect();
            for (l, sum) in sums.iter_mut().enumerate() {
                shards.iter().for_each(|shard| add(shard, l, alpha, sum));
            }
            sums
        };
        updated.bias_gradients = sum(Moments::add_bias);
        let centering = self.centering.as_mut().map(|centering| {
            centering.follow(&sum(Moments::add_positive), self.step);
            &*centering
        });
        let gathering = host.now();
        let gradient = Source::new(shards, &self.model, alpha, host);
        let gathering = host.now() - gathering;
        let step = Step {
            gradient,
            rule: self.settings.optimizer.at(self.step),
            decay: average_decay(self.settings.average, self.step),
            centering,
            bias_gradients: updated.bias_gradients.clone(),
        };
        let (weights, biases) = self.model.parameters_mut();
        if let Some(centering) = centering {
            // The centered biases belong to the weights before they move.
            centering.shift(1.0, weights, biases);
        }
        let mut blocks = Vec::new();
        // Values, moments and average walk in step, tensor by tensor.
        let mut tensors = vec![weights.iter_mut()];
        tensors.extend(self.moments.iter_mut().chain(self.average.as_mut()).map(|tensors| tensors.weights.iter_mut()));
        for l in 0..shards[0].depth() {
            let columns = shards[0].columns(l);
            let tensors = tensors.iter_mut().filter_map(Iterator::next).map(Matrix::data_mut).collect();
            split(tensors, BLOCK_ROWS * columns, |start, tensors| blocks.push(Block { l, from: start / columns, tensors }));
        }
        let blocks = blocks.into_iter().enumerate().filter(|(number, _)| part.has(*number)).map(|(_, block)| block).collect();
        let started = host.now();
        let applied = host.map(blocks, |block| step.apply(block, &|| host.now()));
        updated.info.blocks_seconds = gathering + host.now() - started;
        updated.info.gradient_seconds = gathering + applied.iter().map(|block| block.gradient_seconds).sum::<f64>();
        updated.info.optimizer_seconds = applied.iter().map(|block| block.optimizer_seconds).sum();
        updated.largest = applied.iter().map(|block| block.largest).fold(0.0, larger);
    }

    /// Ends a step, once the weights of all parts are here: biases, averages, transposed copies.
    ///
    /// # Errors
    /// [`DbmError::Diverged`] where a parameter is no longer finite, or beyond all bounds: on all replicas alike.
    pub fn complete(&mut self, updated: Updated, host: &impl Host) -> Result<StepInfo, DbmError> {
        let started = host.now();
        let Updated { mut info, mut bias_gradients, part, largest, seconds } = updated;
        let rule = self.settings.optimizer.at(self.step);
        let decay = average_decay(self.settings.average, self.step);
        let (weights, biases) = self.model.parameters_mut();
        for (l, gradient) in bias_gradients.iter_mut().enumerate() {
            let mut moments: Vec<&mut [f32]> = self.moments.iter_mut().map(|tensors| &mut tensors.biases[l][..]).collect();
            rule.apply(&mut biases[l], gradient, &mut moments, false);
        }
        if let Some(centering) = &self.centering {
            centering.shift(-1.0, weights, biases);
        }
        if let Some(average) = &mut self.average {
            let mut block = 0;
            for (average, weight) in average.weights.iter_mut().zip(&*weights) {
                let size = BLOCK_ROWS * weight.columns();
                for (average, values) in average.data_mut().chunks_mut(size).zip(weight.data().chunks(size)) {
                    if !part.has(block) {
                        super::update::average(average, values, decay);
                    }
                    block += 1;
                }
            }
            average.biases.iter_mut().zip(&*biases).for_each(|(average, values)| super::update::average(average, values, decay));
        }
        let mut largest = biases.iter().map(|bias| magnitude(bias)).fold(largest, larger);
        if part != Part::WHOLE {
            // What the others updated has only now come into sight.
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
        info.update_seconds = seconds + host.now() - started;
        info.seconds = info.update_seconds;
        Ok(info)
    }

    /// Appends the rows of one part, block after block.
    pub fn write_part(&self, what: Exchange, part: Part, into: &mut Vec<f32>) {
        for tensors in self.exchanged(what) {
            let mut block = 0;
            for weight in tensors {
                for rows in weight.data().chunks(BLOCK_ROWS * weight.columns()) {
                    if part.has(block) {
                        into.extend_from_slice(rows);
                    }
                    block += 1;
                }
            }
        }
    }

    /// Takes the rows of one part, as its replica's [`Trainer::write_part`] gave them.
    ///
    /// # Errors
    /// [`DbmError::Shape`] where they are not as many as the part has; nothing has changed then.
    pub fn read_part(&mut self, what: Exchange, part: Part, from: &[f32]) -> Result<(), DbmError> {
        let mut expected = 0;
        self.each_block(what, part, |rows| expected += rows.len());
        if expected != from.len() {
            return Err(DbmError::Shape { what: "a part of the weights".into(), expected, got: from.len() });
        }
        let mut rest = from;
        self.each_block(what, part, |rows| {
            let (here, after) = rest.split_at(rows.len());
            rows.copy_from_slice(here);
            rest = after;
        });
        Ok(())
    }

    fn exchanged(&self, what: Exchange) -> Vec<&[Matrix]> {
        match what {
            Exchange::Weights => vec![self.model.weights()],
            Exchange::Optimizer => self.moments.iter().map(|tensors| &tensors.weights[..]).collect(),
        }
    }

    fn each_block(&mut self, what: Exchange, part: Part, mut each: impl FnMut(&mut [f32])) {
        let mut walk = |weights: &mut [Matrix]| {
            let mut block = 0;
            for weight in weights {
                let size = BLOCK_ROWS * weight.columns();
                for rows in weight.data_mut().chunks_mut(size) {
                    if part.has(block) {
                        each(rows);
                    }
                    block += 1;
                }
            }
        };
        match what {
            Exchange::Weights => walk(self.model.parameters_mut().0),
            Exchange::Optimizer => self.moments.iter_mut().for_each(|tensors| walk(&mut tensors.weights)),
        }
    }
}

/// Of the averaged weights at a step. The average forgets its start quickly at first: a fixed decay would carry the random initial weights for long.
fn average_decay(decay: Option<f64>, steps_before: u64) -> f32 {
    let t = steps_before as f64;
    decay.map_or(0.0, |decay| decay.min((1.0 + t) / (10.0 + t))) as f32
}
