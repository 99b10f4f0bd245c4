//! The mean-field prediction of the hidden part of an example, and the gradient of its quality through all sweeps of the iteration.

use super::{Batch, Moments};
use crate::linalg::Matrix;
use crate::math::sigma_each;
use crate::{Dbm, Parity};

/// Sweeps of the predictions that estimators use for masked examples if their chains cannot keep units known.
pub(crate) const SWEEPS: u32 = 5;

/// The prediction `log q(v_unknown, y)` for these rows of a batch by `sweeps` mean-field sweeps, and its gradient (Goodfellow, Mirza,
/// Courville and Bengio 2013, section 4).
///
/// Known visible units keep their values. All other visible units, the hidden layers and the labels begin at the middle value. A sweep sets
/// the odd layers to their means given the even ones, `m_l = low + gap sigma(gap a_l)` with `a_l = b_l + W_{l-1}^T m_{l-1} + W_l m_{l+1}`,
/// and then the even layers given the odd ones. The prediction is that of independent units with the means of the last sweep,
///
/// `log q = sum_i log sigma(gap a_i) or log (1 - sigma(gap a_i))`, depending on whether unit `i` is high or low, over the units that are
/// observed but not known, and the labels if there are any.
///
/// Its derivative with respect to the field of a predicted unit is `v_i - m_i`. From there it is propagated backwards through the sweeps:
/// for each layer it has set, a half-sweep passes `d_l = g_l (m_l - low) (high - m_l)`, where `g_l` is the derivative with respect to its
/// means, on to the neighbours, `g_{l+1} += W_l^T d_l`, and adds `m_{l-1} d_l^T + d_l m_{l+1}^T` to the gradients of the weights and `d_l`
/// to that of the bias.
pub(super) struct Prediction<'a> {
    model: &'a Dbm,
    /// The values to be predicted, `[rows, n_l]` in unit values, for the visible layer and the labels.
    visible: Matrix,
    labels: Option<Matrix>,
    /// Visible units that keep their values, and those that count, `[rows, n_0]`.
    known: Vec<bool>,
    asked: Vec<bool>,
    /// The initial and the present means, layer by layer.
    first: Vec<Matrix>,
    means: Vec<Matrix>,
    /// The means that each half-sweep has set, with the layers they belong to.
    history: Vec<Vec<(usize, Matrix)>>,
}

impl<'a> Prediction<'a> {
    /// The prediction for these rows of a batch.
    pub fn of(model: &'a Dbm, batch: &Batch, rows: &[usize], sweeps: u32) -> Self {
        let (units, n) = (model.units(), model.n_visible());
        let middle = units.low() + 0.5 * units.gap();
        let (known, observed) = (batch.known.of_rows(rows, n), batch.observed.of_rows(rows, n));
        let places = 0..rows.len() * n;
        let visible = batch.visible.select(rows);
        let mut means: Vec<Matrix> =
            model.sizes().iter().map(|&size| Matrix::from_vec(rows.len(), size, vec![middle; rows.len() * size])).collect();
        for place in places.clone().filter(|&place| known.holds(place)) {
            means[0].data_mut()[place] = visible.data()[place];
        }
        let mut prediction = Self {
            model,
            visible,
            labels: batch.labels.as_ref().map(|labels| labels.select(rows)),
            known: places.clone().map(|place| known.holds(place)).collect(),
            asked: places.map(|place| observed.holds(place) && !known.holds(place)).collect(),
            first: means.clone(),
            means,
            history: Vec::new(),
        };
        for _ in 0..sweeps {
            prediction.half_sweep(Parity::Odd);
            prediction.half_sweep(Parity::Even);
        }
        prediction
    }

    fn half_sweep(&mut self, parity: Parity) {
        let Self { model, known, means, history, .. } = self;
        let (low, gap) = (model.units().low(), model.units().gap());
        let mut set = Vec::new();
        for l in parity.layers(model.depth()) {
            let rows = means[l].rows();
            let mut field = Matrix::from_vec(rows, model.sizes()[l], model.biases()[l].repeat(rows));
            for (neighbour, weight) in model.neighbours(l) {
                model.backend().add_product(field.data_mut(), means[neighbour].data(), weight);
            }
            let mut new = Matrix::zeros(rows, model.sizes()[l]);
            sigma_each(field.data(), gap, low, gap, new.data_mut());
            if l == 0 {
                let kept = new.data_mut().iter_mut().zip(means[0].data()).zip(&*known);
                kept.filter(|(_, known)| **known).for_each(|((new, &value), _)| *new = value);
            }
            means[l] = new.clone();
            set.push((l, new));
        }
        history.push(set);
    }

    /// Adds the gradient of the sum over the rows of `log q`.
    pub fn add_gradient(&self, moments: &mut Moments) {
        let Self { model, history, .. } = self;
        let (low, high) = (model.units().low(), model.units().high());
        let (rows, depth) = (self.visible.rows(), model.depth());
        let mut by_means: Vec<Matrix> = model.sizes().iter().map(|&size| Matrix::zeros(rows, size)).collect();
        // Units are predicted by the last fields of their layer alone.
        let mut last = vec![true; depth + 1];
        for (half, set) in history.iter().enumerate().rev() {
            let mut by_fields = Vec::new();
            for (l, means) in set {
                let mut by_field = std::mem::replace(&mut by_means[*l], Matrix::zeros(rows, model.sizes()[*l]));
                let each = by_field.data_mut().iter_mut().zip(means.data());
                each.for_each(|(by, &mean)| *by *= (mean - low) * (high - mean));
                if std::mem::take(&mut last[*l]) {
                    self.add_loss(*l, means, &mut by_field);
                }
                if *l == 0 {
                    let kept = by_field.data_mut().iter_mut().zip(&self.known);
                    kept.filter(|(_, known)| **known).for_each(|(by, _)| *by = 0.0);
                }
                // Only predicted units depend on what the last half-sweep has set.
                if by_field.data().iter().any(|&by| by != 0.0) {
                    by_fields.push((*l, by_field));
                }
            }
            for (l, by_field) in &by_fields {
                for (to, rows) in model.rows_to_neighbours(*l) {
                    model.backend().add_product(by_means[to].data_mut(), by_field.data(), rows);
                    let neighbour = self.at(half, to);
                    if to > *l {
                        moments.add_outer_rows(*l, by_field, neighbour);
                    } else {
                        moments.add_outer_rows(to, neighbour, by_field);
                    }
                }
                moments.add_bias_rows(*l, by_field);
            }
        }
        // Units that are not observed have their initial mean.
        let mut visible = self.visible.clone();
        let message = self.known.iter().zip(&self.asked).map(|(known, asked)| known | asked);
        let values = visible.data_mut().iter_mut().zip(self.means[0].data()).zip(message);
        values.filter(|(_, message)| !message).for_each(|((value, &mean), _)| *value = mean);
        moments.note_positive(0, &visible);
        (1..=depth).for_each(|l| moments.note_positive(l, self.labels.as_ref().filter(|_| l == depth).unwrap_or(&self.means[l])));
    }

    /// `v - m` for predicted units.
    fn add_loss(&self, l: usize, means: &Matrix, by_field: &mut Matrix) {
        let depth = self.model.depth();
        let truth = match (l, &self.labels) {
            (0, _) => &self.visible,
            (_, Some(labels)) if l == depth => labels,
            _ => return,
        };
        for (place, by) in by_field.data_mut().iter_mut().enumerate().filter(|(place, _)| l > 0 || self.asked[*place]) {
            *by += truth.data()[place] - means.data()[place];
        }
    }

    /// The means of a layer that a half-sweep has read: those of the half-sweep before it, or the initial ones.
    fn at(&self, half: usize, layer: usize) -> &Matrix {
        let Some(before) = half.checked_sub(1) else { return &self.first[layer] };
        self.history[before].iter().find(|(l, _)| *l == layer).map_or(&self.first[layer], |(_, means)| means)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Streams};
    use crate::{Clamp, Units};

    /// Parameters in the order of a flat gradient, for layers of these sizes.
    struct Plain<'a> {
        units: Units,
        sizes: &'a [usize],
        parameters: Vec<f64>,
    }

    impl Plain<'_> {
        fn weight(&self, l: usize, i: usize, j: usize) -> f64 {
            let before: usize = self.sizes.windows(2).take(l).map(|pair| pair[0] * pair[1]).sum();
            self.parameters[before + i * self.sizes[l + 1] + j]
        }

        fn bias(&self, l: usize, i: usize) -> f64 {
            let weights: usize = self.sizes.windows(2).map(|pair| pair[0] * pair[1]).sum();
            self.parameters[weights + self.sizes[..l].iter().sum::<usize>() + i]
        }

        /// `log q` of one example, unit by unit; `truth[l][i]` is the value of a unit that counts.
        #[expect(clippy::needless_range_loop, reason = "indices are those of the definition")]
        fn log_q(&self, visible: &[f64], known: &[bool], truth: &[Vec<Option<f64>>], sweeps: u32) -> f64 {
            let (low, gap) = (f64::from(self.units.low()), f64::from(self.units.gap()));
            let mut means: Vec<Vec<f64>> = self.sizes.iter().map(|&n| vec![low + 0.5 * gap; n]).collect();
            let mut fields = means.clone();
            (0..visible.len()).filter(|&i| known[i]).for_each(|i| means[0][i] = visible[i]);
            for half in 0..2 * sweeps as usize {
                for l in (1 - half % 2..self.sizes.len()).step_by(2) {
                    for i in 0..self.sizes[l] {
                        let below = if l > 0 {
                            (0..self.sizes[l - 1]).map(|j| self.weight(l - 1, j, i) * means[l - 1][j]).sum()
                        } else {
                            0.0
                        };
                        let above =
                            means.get(l + 1).map_or(0.0, |above| (0..above.len()).map(|j| self.weight(l, i, j) * above[j]).sum());
                        fields[l][i] = self.bias(l, i) + below + above;
                    }
                    for i in (0..self.sizes[l]).filter(|&i| l > 0 || !known[i]) {
                        means[l][i] = low + gap / (1.0 + (-gap * fields[l][i]).exp());
                    }
                }
            }
            let of = |value: f64, field: f64| {
                let p = 1.0 / (1.0 + (-gap * field).exp());
                if value > low { p.ln() } else { (1.0 - p).ln() }
            };
            let layers = truth.iter().zip(&fields);
            layers
                .flat_map(|(truth, fields)| truth.iter().zip(fields))
                .filter_map(|(truth, &field)| Some(of((*truth)?, field)))
                .sum()
        }
    }

    /// The gradient through all sweeps equals differences of the definition in f64: one to three hidden layers, signs and bits, with labels
    /// and without, known units and gaps.
    #[test]
    fn the_gradient_is_that_of_the_prediction() {
        let shapes: [&[usize]; 4] = [&[4, 3], &[4, 3, 2], &[3, 3, 2, 2], &[3, 2, 2, 2, 2]];
        for (case, sizes) in shapes.into_iter().enumerate() {
            for units in [Units::Signs, Units::Bits] {
                for (sweeps, labelled) in [(1, false), (3, false), (1, true), (4, true)] {
                    check(case, units, sizes, sweeps, labelled && sizes.len() > 2);
                }
            }
        }
    }

    fn check(case: usize, units: Units, sizes: &[usize], sweeps: u32, labelled: bool) {
        let mut stream = Streams::new(case as u64).at(Purpose::Initialization, 1, 1);
        let mut draw = |n: usize| (0..n).map(|_| (0.8 * stream.gaussian()) as f32).collect::<Vec<f32>>();
        let weights = sizes.windows(2).map(|pair| draw(pair[0] * pair[1])).collect();
        let biases = sizes.iter().map(|&n| draw(n)).collect();
        let model = Dbm::new(units, weights, biases).unwrap();
        let n = sizes[0];
        let value = |high: bool| units.value(high);
        let rows: Vec<Vec<f32>> = (0..3).map(|row| (0..n).map(|i| value((row + i) % 3 == 0)).collect()).collect();
        let known: Vec<bool> = (0..3 * n).map(|place| place % 3 == 1 && place >= n).collect();
        let observed: Vec<bool> = (0..3 * n).map(|place| place != 2 * n + 2).collect();
        let top = sizes[sizes.len() - 1];
        let labels: Vec<f32> = (0..3 * top).map(|place| value(place % top == place / top % top)).collect();
        let batch = Batch {
            observed: Clamp::Known(observed.clone()),
            known: Clamp::Known(known.clone()),
            labels: labelled.then(|| Matrix::from_vec(3, top, labels.clone())),
            ..Batch::new(Matrix::from_vec(3, n, rows.concat()), Streams::new(1))
        };
        let mut moments = Moments::new(&model);
        Prediction::of(&model, &batch, &[0, 1, 2], sweeps).add_gradient(&mut moments);
        let gradient = moments.gradient(model.backend(), 1.0).flat();

        let flat: Vec<f64> =
            model.weights().iter().flat_map(Matrix::data).chain(model.biases().iter().flatten()).map(|&x| f64::from(x)).collect();
        let objective = |parameters: Vec<f64>| -> f64 {
            let plain = Plain { units, sizes, parameters };
            let of_row = |row: usize| {
                let visible: Vec<f64> = rows[row].iter().map(|&x| f64::from(x)).collect();
                let known = &known[row * n..(row + 1) * n];
                let mut truth: Vec<Vec<Option<f64>>> = sizes.iter().map(|&size| vec![None; size]).collect();
                (0..n).filter(|&i| observed[row * n + i] && !known[i]).for_each(|i| truth[0][i] = Some(visible[i]));
                if labelled {
                    *truth.last_mut().unwrap() = labels[row * top..(row + 1) * top].iter().map(|&x| Some(f64::from(x))).collect();
                }
                plain.log_q(&visible, known, &truth, sweeps)
            };
            (0..3).map(of_row).sum()
        };
        for place in 0..flat.len() {
            let moved = |by: f64| {
                let mut parameters = flat.clone();
                parameters[place] += by;
                objective(parameters)
            };
            let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            let what = format!("{units:?} {sizes:?} {sweeps} sweeps, labels {labelled}, parameter {place}");
            assert!((slope - gradient[place]).abs() < 2e-4, "{what}: {} and {slope}", gradient[place]);
        }
    }
}
