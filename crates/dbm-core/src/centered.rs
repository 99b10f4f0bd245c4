//! The centered parametrization (Montavon and Mueller 2012), in which any estimator can train.
//!
//! `E(s) = - sum_l c_l . (s_l - mu_l) - sum_l (s_l - mu_l)^T W_l (s_{l+1} - mu_{l+1})` is the same family of models, with
//! `c_l = b_l + W_{l-1}^T mu_{l-1} + W_l mu_{l+1}`; what changes is the direction of a step. In these coordinates the gradient of `c_l` is that of
//! `b_l`, `d_l = E_data[s_l] - E[s_l]`, and that of `W_l` is `G_l - d_l mu_{l+1}^T - mu_l d_{l+1}^T`, `G_l` being the plain one.

use crate::linalg::{Matrix, add_scaled, dot};

/// The offsets `mu_l`, which follow the data-dependent means of the units.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Centering {
    rate: f64,
    offsets: Vec<Vec<f32>>,
}

impl Centering {
    /// With the offsets of a run, or zero before its first step.
    pub fn new(rate: f64, offsets: Vec<Vec<f32>>) -> Self {
        Self { rate, offsets }
    }

    /// One vector a layer.
    pub fn offsets(&self) -> &[Vec<f32>] {
        &self.offsets
    }

    /// Moves the offsets towards the data-dependent means of the step after `steps_before` others: by the running mean at first, so that where they began
    /// does not matter, then by an exponential one.
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
    use crate::rng::{Purpose, Streams};
    use crate::{Units, exact, init};

    fn numbers(sizes: &[usize], place: u64) -> Vec<Vec<f32>> {
        let mut stream = Streams::new(4).at(Purpose::Initialization, 9, place);
        sizes.iter().map(|&n| (0..n).map(|_| (0.5 * stream.gaussian()) as f32).collect()).collect()
    }

    /// The centered energy of a state, straight from its definition.
    fn energy(weights: &[Matrix], centered: &[Vec<f32>], offsets: &[Vec<f32>], state: &[Vec<f32>]) -> f64 {
        let away: Vec<Vec<f32>> = state.iter().zip(offsets).map(|(s, o)| s.iter().zip(o).map(|(s, o)| s - o).collect()).collect();
        let biases: f64 = centered.iter().zip(&away).map(|(c, s)| dot(c, s)).sum();
        let pairs: f64 = weights
            .iter()
            .zip(away.windows(2))
            .flat_map(|(w, pair)| (0..w.rows()).map(move |i| f64::from(pair[0][i]) * dot(w.row(i), &pair[1])))
            .sum();
        -biases - pairs
    }

    #[test]
    fn centered_biases_make_the_same_model_and_come_back() {
        for units in [Units::Signs, Units::Bits] {
            let sizes = [3, 4, 2];
            let model = init::gaussian(&sizes, units, 0.7, 2).unwrap();
            let centering = Centering::new(0.1, numbers(&sizes, 1));
            let mut biases = model.biases().to_vec();
            centering.shift(1.0, model.weights(), &mut biases);
            // Energies differ by one constant.
            let differences: Vec<f64> = (0..1 << 9)
                .map(|code: u32| {
                    let mut places = 0..9;
                    let mut layer = |n: usize| (&mut places).take(n).map(|i| units.value(code >> i & 1 == 1)).collect();
                    let state: Vec<Vec<f32>> = sizes.iter().map(|&n| layer(n)).collect();
                    energy(model.weights(), &biases, centering.offsets(), &state) - model.energy(&state)
                })
                .collect();
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
        // The direction of a centered weight, with the centered biases held: in plain parameters, w_ij alone and the biases that follow it.
        let log_p = |model: &crate::Dbm| exact::log_probability(model, &visible).unwrap();
        let plain = exact::gradient(&model, &visible, &[false; 3]).unwrap();
        let bias_gradients: Vec<Vec<f32>> = {
            let mut rest = plain[3 * 2 + 2 * 2..].iter().map(|&x| x as f32);
            sizes.iter().map(|&n| (&mut rest).take(n).collect()).collect()
        };
        let mut rows: Vec<f32> = plain[..6].iter().map(|&x| x as f32).collect();
        Centering::new(0.1, offsets.clone()).correct(0, 0, &bias_gradients, &mut rows);
        for (place, corrected) in rows.iter().enumerate() {
            let (i, j, h) = (place / 2, place % 2, 1e-2_f32);
            let moved = |h: f32| {
                let mut weights: Vec<Vec<f32>> = model.weights().iter().map(|w| w.data().to_vec()).collect();
                let mut biases = model.biases().to_vec();
                weights[0][place] += h;
                biases[0][i] -= h * offsets[1][j];
                biases[1][j] -= h * offsets[0][i];
                log_p(&crate::Dbm::new(Units::Signs, weights, biases).unwrap())
            };
            let slope = (moved(h) - moved(-h)) / (2.0 * f64::from(h));
            assert!((slope - f64::from(*corrected)).abs() < 1e-3, "{slope} {corrected}");
        }
    }

    #[test]
    fn offsets_are_the_running_mean_at_first() {
        let mut centering = Centering::new(0.01, vec![vec![0.0]]);
        for (step, mean) in [4.0, 2.0, 3.0].into_iter().enumerate() {
            centering.follow(&[vec![mean]], step as u64);
        }
        assert!((centering.offsets()[0][0] - 3.0).abs() < 1e-6);
    }
}
