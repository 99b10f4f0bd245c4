//! The exact conditional distribution of a row's missing cells, for a machine with one hidden layer and few missing cells: its hidden units
//! are summed out in closed form, and the joint values of the cells are enumerated.

use crate::Dbm;
use crate::groups::{Group, cells};
use crate::math::{log_sum_exp, sum_softplus};
use crate::rng::Stream;

/// `P(v_missing | v_known, every group stands for a level)`.
pub(super) struct Joint {
    /// For each missing cell, the missing units that are high at each of its levels; at least two levels.
    cells: Vec<Vec<Vec<usize>>>,
    /// Missing units without a choice that are high.
    high: Vec<usize>,
    /// Log of the probability of each joint value; the values of the last cell come next to each other.
    log_probabilities: Vec<f64>,
}

impl Joint {
    /// `None` if the machine has more hidden layers, or the missing cells more than `most` joint values.
    pub fn of(model: &Dbm, groups: &[Group], bits: &[u8], known: &[bool], most: usize) -> Option<Self> {
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
            &|high, to, from| {
                to.copy_from_slice(from);
                let add = |&high: &usize| {
                    let (exponent, row) = unit(high);
                    to.iter_mut().zip(row).for_each(|(to, &weight)| *to += gap * gap * f64::from(weight));
                    exponent
                };
                high.iter().map(add).sum()
            },
            &mut log_weights,
        );
        let log_sum = log_sum_exp(&log_weights);
        log_weights.iter_mut().for_each(|weight| *weight -= log_sum);
        Some(Self { cells, high, log_probabilities: log_weights })
    }

    /// The units that are high at a joint value.
    fn high_units(&self, mut joint: usize) -> impl Iterator<Item = usize> {
        let of_cells = self.cells.iter().rev().flat_map(move |cell| {
            let high = &cell[joint % cell.len()];
            joint /= cell.len();
            high.iter().copied()
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
fn choices(groups: &[Group], bits: &[u8], known: &[bool]) -> (Vec<Vec<Vec<usize>>>, Vec<usize>) {
    let (mut choices, mut forced) = (Vec::new(), Vec::new());
    for cell in cells(groups, known.len()) {
        let allowed = |level: &usize| cell.allows(*level, |unit| known[unit].then_some(bits[unit] == 1));
        let high = |level: usize| cell.high_units(level).filter(|&unit| !known[unit]).collect();
        let mut high: Vec<Vec<usize>> = (0..cell.levels()).filter(allowed).map(high).collect();
        if high.len() > 1 {
            choices.push(high);
        } else {
            forced.extend(high.pop().into_iter().flatten());
        }
    }
    (choices, forced)
}

/// Appends the log weight of every joint value of the cells. `levels` holds the fields given the values of the cells before each, the first
/// ones set. `set(high, to, from)` writes the fields with these units high, and returns what it adds to the exponent.
fn visit<F: Fn(&[usize], &mut [f64], &[f64]) -> f64>(
    cells: &[Vec<Vec<usize>>],
    levels: &mut [Vec<f64>],
    exponent: f64,
    set: &F,
    log_weights: &mut Vec<f64>,
) {
    let Some((cell, rest)) = cells.split_first() else {
        log_weights.push(exponent + sum_softplus(&levels[0]));
        return;
    };
    for high in cell {
        let (here, below) = levels.split_at_mut(1);
        let added = set(high, &mut below[0], &here[0]);
        visit(rest, below, exponent + added, set, log_weights);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Streams};
    use crate::{Units, init};

    /// Against the definition, by enumerating hidden units too: signs and bits, with a category, a scale, groups that are known in part and
    /// single units.
    #[test]
    fn probabilities_are_those_of_the_energies() {
        const N: usize = 12;
        for units in [Units::Signs, Units::Bits] {
            let model = init::gaussian(&[N, 3], units, 0.8, 5).unwrap();
            let bits = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];
            // Unit 1 alone, the category 2..5 and the scale 8..10 as a whole, unit 7 of the category 6..8, whose other unit is known to be
            // low, and of the scale 10..12 the second unit.
            let known = [true, false, false, false, false, true, true, false, false, false, true, false];
            let groups = [Group::one_hot(2..5), Group::one_hot(6..8), Group::thermometer(8..10), Group::thermometer(10..12)];
            let joint = Joint::of(&model, &groups, &bits, &known, 36).unwrap();
            assert_eq!((joint.log_probabilities.len(), &joint.high[..]), (36, &[7][..]));
            assert!(Joint::of(&model, &groups, &bits, &known, 35).is_none());
            let mut expected = [0.0; N];
            let mut total = 0.0;
            for code in 0..1_u32 << N {
                let row: Vec<u8> = (0..N).map(|i| u8::from(code >> i & 1 == 1)).collect();
                let is_level = |group: &Group| group.level(|unit| row[unit] == 1).is_some();
                if (0..N).any(|i| known[i] && row[i] != bits[i]) || !groups.iter().all(is_level) {
                    continue;
                }
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
            let mut highs: Vec<f64> = (0..N).map(|i| if known[i] { f64::from(bits[i]) } else { 0.0 }).collect();
            joint.add_highs(&mut highs);
            assert!(highs.iter().zip(expected).all(|(high, sum)| (high - sum / total).abs() < 1e-6), "{highs:?}");

            let mut stream = Streams::new(1).at(Purpose::Imputation, 0, 0);
            let mut counts = [0.0; N];
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
