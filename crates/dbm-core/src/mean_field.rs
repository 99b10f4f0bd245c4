//! The mean-field posterior: the product of independent units nearest to p(h | v), and the lower bound on log p(v) it gives; where
//! visible units are missing, nearest to p(v_missing, h | v_known), and of log p(v_known).

use crate::linalg::Matrix;
use crate::math::sigma_each;
use crate::{Dbm, Examples, parity::Parity};

/// Mean-field posteriors of a batch of visible vectors, `q(h | v) = prod_l prod_j q(h_lj)`, missing visible units being among the h.
#[derive(Clone, Debug, PartialEq)]
pub struct MeanField {
    /// Means of every layer, `[count, n_l]` in unit values; layer 0 holds the visible values themselves where they are known.
    pub means: Vec<Matrix>,
    /// Which visible units are known, `[count, n_0]`; `None` where all are.
    pub known: Option<Vec<bool>>,
    /// Sweeps taken, row by row.
    pub sweeps: Vec<u32>,
    /// Rows that the cap stopped before they had converged; their last iterate is kept.
    pub capped: u32,
}

/// Mean-field posteriors of the rows of `visible`, `[count, n_0]` unit values (Salakhutdinov and Hinton 2009).
///
/// From the middle value (0 for signs, 1/2 for bits), each sweep sets the odd layers to their means given those of the even
/// ones, `low + gap sigma(gap a_l)`, and then the even hidden layers given the odd ones. Layers of one parity do not interact,
/// so each half-sweep is the exact maximum of [`MeanField::bound`] over them, and the bound never falls. A row is done
/// when no mean of the layers set last moved by more than `tolerance` times the gap in a sweep, or at `max_sweeps`; it then
/// leaves the batch. With one hidden layer the posterior is exact after the first half-sweep.
///
/// The fixed point that is found need not be the best product: with two or more hidden layers the bound has local maxima.
///
/// ```
/// use dbm_core::linalg::Matrix;
/// use dbm_core::{Dbm, Units, mean_field};
/// let model = Dbm::new(Units::Bits, vec![vec![2.0, -2.0]], vec![vec![0.0], vec![0.0, 0.0]])?;
/// let posterior = mean_field::posterior(&model, &Matrix::from_vec(1, 1, vec![1.0]), 100, 1e-4);
/// assert!((posterior.means[1].row(0)[0] - 0.8808).abs() < 1e-4); // sigma(2)
/// # Ok::<(), dbm_core::DbmError>(())
/// ```
///
/// # Panics
/// If `visible` is not as wide as the visible layer.
pub fn posterior(model: &Dbm, visible: &Matrix, max_sweeps: u32, tolerance: f64) -> MeanField {
    iterate(model, visible, None, max_sweeps, tolerance)
}

/// Mean-field posteriors where only the visible units marked in `known`, `[count, n_0]` row by row, are known: the others have means of
/// their own, and are set with the even layers. What `visible` has for them does not matter.
///
/// With one hidden layer too this is an approximation for a row with gaps, and takes sweeps until it has converged.
///
/// ```
/// use dbm_core::linalg::Matrix;
/// use dbm_core::{Dbm, Units, mean_field};
/// // Nothing is known of a unit that agrees with its hidden neighbour, which is high as a rule.
/// let model = Dbm::new(Units::Bits, vec![vec![2.0]], vec![vec![-1.0], vec![3.0]])?;
/// let posterior = mean_field::posterior_with_gaps(&model, &Matrix::zeros(1, 1), &[false], 100, 1e-4);
/// assert!(posterior.means[0].row(0)[0] > 0.7);
/// # Ok::<(), dbm_core::DbmError>(())
/// ```
///
/// # Panics
/// If `visible` is not as wide as the visible layer, or there is not one mark a visible unit.
pub fn posterior_with_gaps(model: &Dbm, visible: &Matrix, known: &[bool], max_sweeps: u32, tolerance: f64) -> MeanField {
    assert_eq!(known.len(), visible.data().len());
    iterate(model, visible, Some(known), max_sweeps, tolerance)
}

/// Mean-field posteriors of these rows of a data set, whose missing bits have means of their own.
///
/// # Panics
/// If the data are not as wide as the visible layer, or have no such row.
pub fn posterior_of(model: &Dbm, data: &Examples, rows: &[usize], max_sweeps: u32, tolerance: f64) -> MeanField {
    let mut visible = Matrix::zeros(rows.len(), model.n_visible());
    for (place, &row) in rows.iter().enumerate() {
        data.write_row(row, model.units(), visible.row_mut(place));
    }
    if rows.iter().all(|&row| data.known_in_row(row) == data.width()) {
        return posterior(model, &visible, max_sweeps, tolerance);
    }
    let known: Vec<bool> = rows.iter().flat_map(|&row| data.known_row(row)).collect();
    posterior_with_gaps(model, &visible, &known, max_sweeps, tolerance)
}

fn iterate(model: &Dbm, visible: &Matrix, known: Option<&[bool]>, max_sweeps: u32, tolerance: f64) -> MeanField {
    assert_eq!(visible.columns(), model.n_visible());
    let (count, units) = (visible.rows(), model.units());
    let middle = units.low() + 0.5 * units.gap();
    let mut means = vec![visible.clone()];
    means.extend(model.sizes()[1..].iter().map(|&size| Matrix::from_vec(count, size, vec![middle; count * size])));
    let drive = if let Some(known) = known {
        let missing = means[0].data_mut().iter_mut().zip(known).filter(|(_, known)| !**known);
        missing.for_each(|(mean, _)| *mean = middle);
        None
    } else {
        let mut drive = Matrix::from_vec(count, model.sizes()[1], model.biases()[1].repeat(count));
        if count > 0 {
            model.backend().add_product(drive.data_mut(), visible.data(), &model.weights()[0]);
        }
        Some(drive)
    };
    let mut batch = Batch { model, means, known, drive, gathered: vec![], fields: vec![] };

    let least = tolerance * f64::from(units.gap());
    let mut sweeps = vec![0; count];
    let mut active: Vec<usize> = (0..count).collect();
    for sweep in 1..=max_sweeps {
        if active.is_empty() {
            break;
        }
        active.iter().for_each(|&row| sweeps[row] = sweep);
        batch.half_sweep(Parity::Odd, &active);
        if model.depth() == 1 && known.is_none() {
            active.clear();
            break;
        }
        let moved = batch.half_sweep(Parity::Even, &active);
        let mut moved = moved.into_iter();
        active.retain(|_| moved.next().is_some_and(|moved| f64::from(moved) > least));
    }
    let known = known.map(<[bool]>::to_vec);
    MeanField { means: batch.means, known, sweeps, capped: active.len() as u32 }
}

/// What the half-sweeps work on.
struct Batch<'a> {
    model: &'a Dbm,
    means: Vec<Matrix>,
    /// Which visible units are known, `[count, n_0]`; `None` where all are.
    known: Option<&'a [bool]>,
    /// `b_1 + W_0^T v`, `[count, n_1]`, computed once where the visible layer never moves.
    drive: Option<Matrix>,
    gathered: Vec<f32>,
    fields: Vec<f32>,
}

impl Batch<'_> {
    /// Sets the hidden layers of one parity, and the missing units of the visible one, in these rows; returns the furthest that a mean moved, row
    /// by row.
    fn half_sweep(&mut self, parity: Parity, rows: &[usize]) -> Vec<f32> {
        let model = self.model;
        let (low, gap) = (model.units().low(), model.units().gap());
        let mut moved = vec![0.0_f32; rows.len()];
        let lowest = usize::from(self.known.is_none());
        for l in parity.layers(model.depth()).filter(|&l| l >= lowest) {
            self.recompute(l, rows);
            for ((&row, fields), moved) in rows.iter().zip(self.fields.chunks_exact(model.sizes()[l])).zip(&mut moved) {
                let before = self.means[l].row_mut(row);
                let new = &mut self.gathered;
                new.resize(fields.len(), 0.0);
                sigma_each(fields, gap, low, gap, new);
                if let (0, Some(known)) = (l, self.known) {
                    let known = &known[row * new.len()..(row + 1) * new.len()];
                    new.iter_mut().zip(&*before).zip(known).filter(|(_, known)| **known).for_each(|((new, &v), _)| *new = v);
                }
                *moved = before.iter().zip(&*new).fold(*moved, |most, (before, new)| most.max((new - before).abs()));
                before.copy_from_slice(new);
            }
        }
        moved
    }

    /// The fields of layer `l` in these rows, `[rows, n_l]`.
    fn recompute(&mut self, l: usize, rows: &[usize]) {
        let Self { model, means, drive, gathered, fields, .. } = self;
        fields.clear();
        let drive = drive.as_ref().filter(|_| l == 1);
        let start = |row: usize| drive.map_or(&model.biases()[l][..], |drive| drive.row(row));
        rows.iter().for_each(|&row| fields.extend_from_slice(start(row)));
        let below = (l > 0 && drive.is_none()).then(|| (l - 1, &model.weights()[l - 1]));
        let above = (l < model.depth()).then(|| (l + 1, &model.transposed()[l]));
        for (neighbour, weight) in below.into_iter().chain(above) {
            gathered.clear();
            rows.iter().for_each(|&row| gathered.extend_from_slice(means[neighbour].row(row)));
            model.backend().add_product(fields, gathered, weight);
        }
    }
}

impl MeanField {
    /// How many rows.
    pub fn count(&self) -> usize {
        self.sweeps.len()
    }

    /// Which visible units of a row are known; `None` where all are.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn known_row(&self, row: usize) -> Option<&[bool]> {
        let n = self.means[0].columns();
        self.known.as_ref().map(|known| &known[row * n..(row + 1) * n])
    }

    /// `E_q[-E(v, h)] + H(q)` of one row, in nats: `log p(v_known) >= bound - log Z`, short of it by the divergence of q from
    /// p(v_missing, h | v_known). With one hidden layer and no gaps the two are equal. Summed in f64.
    ///
    /// # Panics
    /// If there is no such row, or the posterior is of a model of another shape.
    pub fn bound(&self, model: &Dbm, row: usize) -> f64 {
        let (low, gap) = (f64::from(model.units().low()), f64::from(model.units().gap()));
        // The energy is linear in every unit, so its mean under a product is the energy of the means.
        let state: Vec<&[f32]> = self.means.iter().map(|layer| layer.row(row)).collect();
        // A known unit has no entropy.
        let entropy: f64 = state.iter().copied().flatten().map(|&mean| entropy((f64::from(mean) - low) / gap)).sum();
        entropy - model.energy(&state)
    }
}

/// `- p log p - (1 - p) log(1 - p)`, zero at both ends.
pub(crate) fn entropy(p: f64) -> f64 {
    let part = |p: f64| if p > 0.0 { -p * libm::log(p) } else { 0.0 };
    part(p) + part(1.0 - p)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Units, init};

    #[test]
    fn entropies_are_safe_at_their_ends() {
        assert_eq!((entropy(0.0), entropy(1.0)), (0.0, 0.0));
        assert!((entropy(0.5) - std::f64::consts::LN_2).abs() < 1e-15);
    }

    #[test]
    fn an_empty_batch_and_a_cap_of_zero_are_answered() {
        let model = init::orthogonal(&[4, 3, 2], Units::Signs, 1).unwrap();
        let none = posterior(&model, &Matrix::zeros(0, 4), 10, 1e-4);
        assert_eq!((none.count(), none.capped), (0, 0));
        let begun = posterior(&model, &Matrix::from_vec(2, 4, vec![1.0; 8]), 0, 1e-4);
        assert_eq!((begun.sweeps, begun.capped), (vec![0, 0], 2));
        assert!(begun.means[1].data().iter().all(|&mean| mean == 0.0));
    }
}
