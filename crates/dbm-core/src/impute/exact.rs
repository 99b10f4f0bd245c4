//! The exact conditional distribution of a row's missing cells, for a machine with one hidden layer and few missing cells: its hidden units
//! are summed out in closed form, and the joint values of the cells are enumerated.

use crate::Dbm;
use crate::math::{log_sum_exp, sum_softplus};
use crate::rng::Stream;
use std::ops::Range;

/// `P(v_missing | v_known, exactly one high unit in every group)`.
pub(super) struct Joint {
    /// For each missing cell, the unit that is high at each of its values, if any; at least two values.
    cells: Vec<Vec<Option<usize>>>,
    /// Missing units without a choice: the last free unit of a group.
    high: Vec<usize>,
    /// Log of the probability of each joint value; the values of the last cell come next to each other.
    log_probabilities: Vec<f64>,
}

impl Joint {
    /// `None` if the machine has more hidden layers, or the missing cells more than `most` joint values.
    pub fn of(model: &Dbm, groups: &[Range<usize>], bits: &[u8], known: &[bool], most: usize) -> Option<Self> {
        let [weights] = model.weights() else { return None };
        let (mut cells, high) = choices(groups, bits, known);
        let forced = cells.iter().try_fold(1_usize, |count, cell| count.checked_mul(cell.len()).filter(|&count| count <= most));
        let count = forced?;
        // The cells with the most values last: they are visited most often, each from the fields of the cells before.
        cells.sort_by_key(Vec::len);
        let (low, gap) = (f64::from(model.units().low()), f64::from(model.units().gap()));
        // Of each hidden unit, `gap a` with all missing units low. `log sum_h exp(h a) = low a + log(1 + exp(gap a))`.
        let mut fields: Vec<f64> = model.biases()[1].iter().map(|&bias| gap * f64::from(bias)).collect();
        for (unit, row) in weights.data().chunks_exact(fields.len()).enumerate() {
            let is_high = if known[unit] { bits[unit] == 1 } else { high.contains(&unit) };
            let scale = gap * (low + if is_high { gap } else { 0.0 });
            fields.iter_mut().zip(row).for_each(|(field, &weight)| *field += scale * f64::from(weight));
        }
        // What a missing unit adds when it is high: to the exponent, and to every field.
        let unit = |unit: usize| {
            let row = &weights.data()[unit * fields.len()..(unit + 1) * fields.len()];
            let sum: f64 = row.iter().map(|&weight| f64::from(weight)).sum();
            (gap * (f64::from(model.biases()[0][unit]) + low * sum), row)
        };
        let mut log_weights = Vec::with_capacity(count);
        let mut levels = vec![fields.clone(); cells.len() + 1];
        visit(
            &cells,
            &mut levels,
            0.0,
            &|high, to, from| match high {
                None => {
                    to.copy_from_slice(from);
                    0.0
                }
                Some(high) => {
                    let (exponent, row) = unit(high);
                    let (to, scale) = (to.iter_mut().zip(from), gap * gap);
                    to.zip(row).for_each(|((to, from), &weight)| *to = from + scale * f64::from(weight));
                    exponent
                }
            },
            &mut log_weights,
        );
        let log_sum = log_sum_exp(&log_weights);
        log_weights.iter_mut().for_each(|weight| *weight -= log_sum);
        Some(Self { cells, high, log_probabilities: log_weights })
    }

    /// The values of all cells, one unit or none high in each, at a joint value.
    fn high_units(&self, mut joint: usize) -> impl Iterator<Item = usize> {
        let of_cells = self.cells.iter().rev().filter_map(move |cell| {
            let high = cell[joint % cell.len()];
            joint /= cell.len();
            high
        });
        of_cells.chain(self.high.iter().copied())
    }

    /// Adds the probability of being high to that of each missing unit.
    pub fn add_highs(&self, highs: &mut [f64]) {
        for (joint, log_probability) in self.log_probabilities.iter().enumerate() {
            let probability = libm::exp(*log_probability);
            self.high_units(joint).for_each(|unit| highs[unit] += probability);
        }
    }

    /// Sets the missing units of a row, which are low, to a draw.
    pub fn draw(&self, stream: &mut Stream, bits: &mut [u8]) {
        let mut left = stream.uniform();
        let taken = self.log_probabilities.iter().position(|&log_probability| {
            left -= libm::exp(log_probability);
            left < 0.0
        });
        self.high_units(taken.unwrap_or(self.log_probabilities.len() - 1)).for_each(|unit| bits[unit] = 1);
    }
}

/// The missing cells that have several values, and the units that must be high.
fn choices(groups: &[Range<usize>], bits: &[u8], known: &[bool]) -> (Vec<Vec<Option<usize>>>, Vec<usize>) {
    let (mut cells, mut high) = (Vec::new(), Vec::new());
    let mut start = 0;
    let single = |units: Range<usize>, cells: &mut Vec<_>| {
        cells.extend(units.filter(|&unit| !known[unit]).map(|unit| vec![None, Some(unit)]));
    };
    for group in groups {
        single(start..group.start, &mut cells);
        start = group.end;
        let free: Vec<usize> = group.clone().filter(|&unit| !known[unit]).collect();
        if group.clone().any(|unit| known[unit] && bits[unit] == 1) {
            continue;
        }
        match free[..] {
            [] => {}
            [unit] => high.push(unit),
            _ => cells.push(free.into_iter().map(Some).collect()),
        }
    }
    single(start..known.len(), &mut cells);
    (cells, high)
}

/// Appends the log weight of every joint value of the cells. `levels` holds the fields given the values of the cells before each, the first
/// ones set. `set(high, to, from)` writes the fields with this unit high, and returns what it adds to the exponent.
fn visit<F: Fn(Option<usize>, &mut [f64], &[f64]) -> f64>(
    cells: &[Vec<Option<usize>>],
    levels: &mut [Vec<f64>],
    exponent: f64,
    set: &F,
    log_weights: &mut Vec<f64>,
) {
    let Some((cell, rest)) = cells.split_first() else {
        log_weights.push(exponent + sum_softplus(&levels[0]));
        return;
    };
    for &high in cell {
        let (here, below) = levels.split_at_mut(1);
        let added = set(high, &mut below[0], &here[0]);
        visit(rest, below, exponent + added, set, log_weights);
    }
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init)] // one group
mod tests {
    use super::*;
    use crate::rng::{Purpose, Streams};
    use crate::{Units, init};

    /// Against the definition, by enumerating hidden units too: signs and bits, with a group, a partly known group and single units.
    #[test]
    fn probabilities_are_those_of_the_energies() {
        for units in [Units::Signs, Units::Bits] {
            let model = init::gaussian(&[8, 3], units, 0.8, 5).unwrap();
            let bits = [1, 0, 0, 0, 0, 1, 0, 0];
            // Unit 1 alone, the group 2..5 as a whole, and unit 7 of the group 6..8, whose other unit is known to be low.
            let known = [true, false, false, false, false, true, true, false];
            let groups = [2..5, 6..8];
            let joint = Joint::of(&model, &groups, &bits, &known, 6).unwrap();
            assert_eq!((joint.log_probabilities.len(), &joint.high[..]), (6, &[7][..]));
            assert!(Joint::of(&model, &groups, &bits, &known, 5).is_none());
            let mut expected = [0.0; 8];
            let mut total = 0.0;
            for alone in [0, 1] {
                for level in 2..5 {
                    let mut row = bits;
                    (row[1], row[level], row[7]) = (alone, 1, 1);
                    let visible: Vec<f32> = row.iter().map(|&bit| units.value(bit == 1)).collect();
                    let weight: f64 = (0..8)
                        .map(|code: usize| {
                            let hidden: Vec<f32> = (0..3).map(|j| units.value(code >> j & 1 == 1)).collect();
                            libm::exp(-model.energy(&[visible.clone(), hidden]))
                        })
                        .sum();
                    total += weight;
                    row.iter().zip(&mut expected).for_each(|(&bit, sum)| *sum += f64::from(bit) * weight);
                }
            }
            let mut highs: Vec<f64> = (0..8).map(|i| if known[i] { f64::from(bits[i]) } else { 0.0 }).collect();
            joint.add_highs(&mut highs);
            assert!(highs.iter().zip(expected).all(|(high, sum)| (high - sum / total).abs() < 1e-6), "{highs:?}");

            let mut stream = Streams::new(1).at(Purpose::Imputation, 0, 0);
            let mut counts = [0.0; 8];
            for _ in 0..4000 {
                let mut row = bits;
                joint.draw(&mut stream, &mut row);
                counts.iter_mut().zip(row).for_each(|(count, bit)| *count += f64::from(bit));
            }
            // Four standard deviations of a count at most.
            assert!(counts.iter().zip(&highs).all(|(count, high)| (count / 4000.0 - high).abs() < 0.032), "{counts:?}");
        }
    }

    #[test]
    fn deep_machines_are_left_to_chains() {
        let model = init::gaussian(&[2, 3, 2], Units::Signs, 0.8, 5).unwrap();
        assert!(Joint::of(&model, &[], &[0, 0], &[false, true], 100).is_none());
    }
}
