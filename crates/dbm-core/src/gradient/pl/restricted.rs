//! The pseudo-likelihood with one hidden layer: its gradient, and draws of missing cells, hidden units summed out.

use crate::Dbm;
use crate::gradient::{Batch, Moments, Phase};
use crate::groups::{Group, cells};
use crate::linalg::{Matrix, add_scaled};
use crate::math::{means_and_log_sum, normalized};
use crate::rng::Stream;

/// A batch for a machine with one hidden layer: the fields of an alternative differ from those of the example by the rows of the units that
/// change, and so do the outer products.
pub(super) struct Restricted<'a> {
    model: &'a Dbm,
    /// `b_1 + W^T v`, `[rows, n_1]`.
    fields: Matrix,
    /// Of the example, and of its alternatives.
    means: Vec<f32>,
    other_fields: Vec<f32>,
    other_means: Vec<Vec<f32>>,
}

impl<'a> Restricted<'a> {
    /// Of a batch, whose missing cells it draws.
    pub fn completing(model: &'a Dbm, batch: &Batch, visible: &mut Matrix) -> Self {
        let hidden = model.sizes()[1];
        let (low, high) = (model.units().low(), model.units().high());
        let gaps: Vec<usize> = (0..visible.rows()).filter(|&row| !batch.is_whole(row)).collect();
        let mut streams: Vec<Stream> = gaps.iter().map(|&row| batch.stream(Phase::Positive, row)).collect();
        let missing: Vec<Vec<(Group, Vec<usize>)>> =
            gaps.iter().map(|&row| missing(model, batch, row, visible.row(row))).collect();
        for ((&row, cells), stream) in gaps.iter().zip(&missing).zip(&mut streams) {
            for (cell, levels) in cells {
                let level = levels[stream.below(levels.len() as u64) as usize];
                for unit in cell.units.clone() {
                    visible.row_mut(row)[unit] = if cell.is_high(level, unit) { high } else { low };
                }
            }
        }
        let mut fields = Matrix::from_vec(visible.rows(), hidden, model.biases()[1].repeat(visible.rows()));
        model.backend().add_binary_product(fields.data_mut(), visible.data(), model.units().values(), &model.weights()[0]);
        let mut all = Self { model, fields, means: vec![0.0; hidden], other_fields: vec![0.0; hidden], other_means: Vec::new() };
        for ((&row, cells), stream) in gaps.iter().zip(&missing).zip(&mut streams) {
            all.complete(row, visible.row_mut(row), cells, stream);
        }
        all
    }

    /// Draws each of these cells given all others, one after another.
    fn complete(&mut self, row: usize, values: &mut [f32], cells: &[(Group, Vec<usize>)], stream: &mut Stream) {
        let units = (self.model.units().low(), self.model.units().gap());
        let mut here = self.log_sum(row);
        for (cell, levels) in cells {
            let all = cell.alternatives(values, units, |level| levels.contains(&level));
            let sums = self.log_sums(row, &all);
            let mut left = stream.uniform();
            let taken = self.law(here, &all, &sums).iter().position(|p| {
                left -= p;
                left < 0.0
            });
            if let Some(k) = taken.unwrap_or(all.len()).checked_sub(1) {
                for &(unit, change) in &all[k] {
                    values[unit] += change;
                    add_scaled(self.fields.row_mut(row), change, self.model.weights()[0].row(unit));
                }
                here = sums[k];
            }
        }
    }

    /// `log sum_h exp(h . a)` of a row, whose means of h it keeps.
    fn log_sum(&mut self, row: usize) -> f64 {
        let units = self.model.units();
        means_and_log_sum(self.fields.row(row), units.low(), units.gap(), &mut self.means)
    }

    /// The same for its alternatives.
    fn log_sums(&mut self, row: usize, all: &[Vec<(usize, f32)>]) -> Vec<f64> {
        let Self { model, fields, means, other_fields, other_means } = self;
        other_means.resize(other_means.len().max(all.len()), vec![0.0; means.len()]);
        let of_one = |(changes, means): (&Vec<(usize, f32)>, &mut Vec<f32>)| {
            other_fields.copy_from_slice(fields.row(row));
            changes.iter().for_each(|&(unit, change)| add_scaled(other_fields, change, model.weights()[0].row(unit)));
            means_and_log_sum(other_fields, model.units().low(), model.units().gap(), means)
        };
        all.iter().zip(other_means.iter_mut()).map(of_one).collect()
    }

    /// The probabilities of the example and of its alternatives, from `log sum_h exp(h . a)` of each.
    fn law(&self, here: f64, all: &[Vec<(usize, f32)>], sums: &[f64]) -> Vec<f64> {
        let bias = |unit: usize| f64::from(self.model.biases()[0][unit]);
        let of_biases = |changes: &Vec<(usize, f32)>| changes.iter().map(|&(unit, by)| f64::from(by) * bias(unit)).sum::<f64>();
        let others = all.iter().zip(sums).map(|(changes, sum)| of_biases(changes) + sum - here);
        normalized(&std::iter::once(0.0).chain(others).collect::<Vec<f64>>())
    }

    pub fn add(&mut self, row: usize, values: &[f32], cells: &[Group], scale: f32, moments: &mut Moments) {
        let units = (self.model.units().low(), self.model.units().gap());
        let here = self.log_sum(row);
        // `sum_k (1[v^k = v] - p_k) m^k`, over all cells.
        let mut pull = vec![0.0; self.means.len()];
        for cell in cells {
            let all = cell.alternatives(values, units, |_| true);
            let sums = self.log_sums(row, &all);
            let law = self.law(here, &all, &sums);
            for ((changes, other), &p) in all.iter().zip(&self.other_means).zip(&law[1..]) {
                let p = p as f32;
                add_scaled(&mut pull, p, &self.means);
                add_scaled(&mut pull, -p, other);
                for &(unit, change) in changes {
                    moments.add_visible_unit(unit, -scale * p * change, other, -scale * p * change);
                }
            }
        }
        moments.add_hidden(scale, values, &pull);
    }
}

/// The cells of an example of which a unit is missing, each with the levels that agree with its other units.
fn missing(model: &Dbm, batch: &Batch, row: usize, values: &[f32]) -> Vec<(Group, Vec<usize>)> {
    let observed = batch.observed.of_rows(&[row], values.len());
    let clamped = |unit: usize| observed.holds(unit).then(|| values[unit] > model.units().low());
    let is_missing = |cell: &Group| cell.units.clone().any(|unit| !observed.holds(unit));
    let levels = |cell: Group| {
        let allowed: Vec<usize> = (0..cell.levels()).filter(|&level| cell.allows(level, clamped)).collect();
        (cell, allowed)
    };
    cells(model.groups(), values.len())
        .into_iter()
        .filter(is_missing)
        .map(levels)
        .filter(|(_, levels)| !levels.is_empty())
        .collect()
}
