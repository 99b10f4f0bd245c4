//! The centered parametrization (Montavon and Mueller 2012), in which any estimator can train.
//!
//! `E(s) = - sum_l c_l . (s_l - mu_l) - sum_l (s_l - mu_l)^T W_l (s_{l+1} - mu_{l+1})` is the same family of models, with
//! `c_l = b_l + W_{l-1}^T mu_{l-1} + W_l mu_{l+1}`; only the direction of a step changes. In these coordinates the gradient of `c_l` is
//! that of `b_l`, `d_l = E_data[s_l] - E[s_l]`, and that of `W_l` is `G_l - d_l mu_{l+1}^T - mu_l d_{l+1}^T`, where `G_l` is the plain one.

use crate::linalg::{Matrix, add_scaled, dot};

/// The offsets `mu_l`, which follow the data-dependent means of the units.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Centering {
    /// The weight of a new mean in the offsets at each step, in `(0, 1]`.
    pub rate: f64,
    /// One vector per layer, zero before the first step.
    pub offsets: Vec<Vec<f32>>,
}

impl Centering {
    /// Moves the offsets towards the data-dependent means of a step, after `steps_before` earlier ones: by the running mean at first, so
    /// that the initial offsets do not matter, then by an exponential mean.
    pub fn follow(&mut self, means: &[Vec<f32>], steps_before: u64) {
        let rate = self.rate.max(1.0 / (steps_before as f64 + 1.0)) as f32;
        for (offset, mean) in self.offsets.iter_mut().zip(means) {
            offset.iter_mut().zip(mean).for_each(|(o, &m)| *o += rate * (m - *o));
        }
    }

    /// Adds `sign` times `W_{l-1}^T mu_{l-1} + W_l mu_{l+1}` to every bias: +1 from `b` to `c`, -1 back.
    pub fn shift(&self, sign: f32, weights: &[Matrix], biases: &mut [Vec<f32>]) {
        for (l, weight) in weights.iter().enumerate() {
            let (lower, upper) = (&self.offsets[l], &self.offsets[l + 1]);
            for (i, &offset) in lower.iter().enumerate() {
                biases[l][i] += sign * dot(weight.row(i), upper) as f32;
                add_scaled(&mut biases[l + 1], sign * offset, weight.row(i));
            }
        }
    }

    /// Turns rows `from..` of the plain gradient of `W_l` into those of the centered one; `bias_gradients` are the `d_l`.
    pub fn correct(&self, l: usize, from: usize, bias_gradients: &[Vec<f32>], rows: &mut [f32]) {
        let (offset, next_offset) = (&self.offsets[l], &self.offsets[l + 1]);
        let (change, next_change) = (&bias_gradients[l], &bias_gradients[l + 1]);
        for (row, i) in rows.chunks_exact_mut(next_offset.len()).zip(from..) {
            add_scaled(row, -change[i], next_offset);
            add_scaled(row, -offset[i], next_change);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expectation::StateSpace;
    use crate::rng::{Purpose, Streams};
    use crate::{Dbm, Units, exact, init};

    fn numbers(sizes: &[usize], place: u64) -> Vec<Vec<f32>> {
        let mut stream = Streams::new(4).at(Purpose::Initialization, 9, place);
        sizes.iter().map(|&n| (0..n).map(|_| (0.5 * stream.gaussian()) as f32).collect()).collect()
    }

    #[test]
    fn centered_biases_make_the_same_model_and_come_back() {
        for units in [Units::Signs, Units::Bits] {
            let sizes = [3, 4, 2];
            let model = init::gaussian(&sizes, units, 0.7, 2).unwrap();
            let centering = Centering { rate: 0.1, offsets: numbers(&sizes, 1) };
            let mut biases = model.biases().to_vec();
            centering.shift(1.0, model.weights(), &mut biases);
            // Energies differ from those of the centered model, whose states are measured from the offsets, by one constant.
            let weights = model.weights().iter().map(|w| w.data().to_vec()).collect();
            let centered = Dbm::new(units, weights, biases.clone()).unwrap();
            let from_offsets = |(s, o): (&Vec<f32>, &Vec<f32>)| s.iter().zip(o).map(|(s, o)| s - o).collect();
            let of =
                |state: &Vec<Vec<f32>>| -> Vec<Vec<f32>> { state.iter().zip(&centering.offsets).map(from_offsets).collect() };
            let space = StateSpace::new(&model, &[None; 3]).unwrap();
            let states = space.states().iter().zip(space.energies());
            let differences: Vec<f64> = states.map(|(state, energy)| centered.energy(&of(state)) - energy).collect();
            assert!(differences.iter().all(|d| (d - differences[0]).abs() < 1e-5), "{units:?}");
            centering.shift(-1.0, model.weights(), &mut biases);
            assert!(biases.iter().flatten().zip(model.biases().iter().flatten()).all(|(a, b)| (a - b).abs() < 1e-6));
        }
    }

    #[test]
    fn the_corrected_gradient_is_that_of_the_centered_parameters() {
        let sizes = [3, 2, 2];
        let model = init::gaussian(&sizes, Units::Signs, 0.6, 3).unwrap();
        let offsets = numbers(&sizes, 2);
        let visible = [true, false, true];
        // The direction of a centered weight with the centered biases held fixed: in plain parameters, w_ij and the biases that depend on
        // it.
        let log_p = |model: &Dbm| exact::log_probability(model, &visible).unwrap();
        let plain = exact::gradient(&model, &visible, &[false; 3]).unwrap();
        let bias_gradients: Vec<Vec<f32>> = {
            let mut rest = plain[3 * 2 + 2 * 2..].iter().map(|&x| x as f32);
            sizes.iter().map(|&n| (&mut rest).take(n).collect()).collect()
        };
        let mut rows: Vec<f32> = plain[..6].iter().map(|&x| x as f32).collect();
        Centering { rate: 0.1, offsets: offsets.clone() }.correct(0, 0, &bias_gradients, &mut rows);
        for (place, corrected) in rows.iter().enumerate() {
            let (i, j, h) = (place / 2, place % 2, 1e-2_f32);
            let moved = |h: f32| {
                let mut weights: Vec<Vec<f32>> = model.weights().iter().map(|w| w.data().to_vec()).collect();
                let mut biases = model.biases().to_vec();
                weights[0][place] += h;
                biases[0][i] -= h * offsets[1][j];
                biases[1][j] -= h * offsets[0][i];
                log_p(&Dbm::new(Units::Signs, weights, biases).unwrap())
            };
            let slope = (moved(h) - moved(-h)) / (2.0 * f64::from(h));
            assert!((slope - f64::from(*corrected)).abs() < 1e-3, "{slope} {corrected}");
        }
    }

    #[test]
    fn offsets_are_the_running_mean_at_first() {
        let mut centering = Centering { rate: 0.01, offsets: vec![vec![0.0]] };
        for (step, mean) in [4.0, 2.0, 3.0].into_iter().enumerate() {
            centering.follow(&[vec![mean]], step as u64);
        }
        assert!((centering.offsets[0][0] - 3.0).abs() < 1e-6);
    }
}
