//! The mean-field posterior: the product of independent units closest to p(h | v), and the lower bound it gives on log p(v). If visible
//! units are missing, it is closest to p(v_missing, h | v_known), and the bound is on log p(v_known).

use crate::groups::{Group, cells, set_means};
use crate::linalg::Matrix;
use crate::math::sigma_each;
use crate::{Clamp, Dbm, Examples, Parity};
use std::ops::Range;

/// Mean-field posteriors of a batch of visible vectors, `q(h | v) = prod_l prod_j q(h_lj)`, where missing visible units count among the h.
#[derive(Clone, Debug, PartialEq)]
pub struct MeanField {
    /// Means of every layer, `[count, n_l]` in unit values; in layer 0, known units have their values.
    pub means: Vec<Matrix>,
    /// Which visible units are known.
    pub clamp: Clamp,
    /// Sweeps taken, row by row.
    pub sweeps: Vec<u32>,
    /// Rows stopped at the cap before they converged; their last iterate is kept.
    pub capped: u32,
}

/// When the mean-field iteration stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanFieldSettings {
    /// The most sweeps.
    pub max_sweeps: u32,
    /// A row is done when no mean moves by more than this times the units' gap in a sweep.
    pub tolerance: f64,
}

/// Mean-field posteriors of the rows of `visible`, `[count, n_0]` unit values (Salakhutdinov and Hinton 2009), with known units given by
/// `clamp`.
///
/// From the middle value (0 for signs, 1/2 for bits), each sweep sets the odd layers to their means given those of the even ones,
/// `low + gap sigma(gap a_l)`, and then the even hidden layers given the odd ones, together with the visible units that are not known; the
/// values of these in `visible` do not matter. Layers of one parity do not interact, so each half-sweep is the exact maximum of
/// [`MeanField::bound`] over them, and the bound never falls. A row is done when no mean of the layers set last moved by more than the
/// tolerance, or at `max_sweeps`; it then leaves the batch. With one hidden layer and no gaps the posterior is exact after the first
/// half-sweep.
///
/// The fixed point found need not be the best product: with gaps, or with two or more hidden layers, the bound has local maxima.
///
/// ```
/// use dbm_core::linalg::Matrix;
/// use dbm_core::mean_field::{MeanFieldSettings, posterior};
/// use dbm_core::{Clamp, Dbm, Units};
/// let settings = MeanFieldSettings { max_sweeps: 100, tolerance: 1e-4 };
/// let model = Dbm::new(Units::Bits, vec![vec![2.0, -2.0]], vec![vec![0.0], vec![0.0, 0.0]])?;
/// let means = posterior(&model, &Matrix::from_vec(1, 1, vec![1.0]), &Clamp::Visible, settings).means;
/// assert!((means[1].row(0)[0] - 0.8808).abs() < 1e-4); // sigma(2)
/// // Nothing is known of a unit that agrees with its hidden neighbour, which is high as a rule.
/// let model = Dbm::new(Units::Bits, vec![vec![2.0]], vec![vec![-1.0], vec![3.0]])?;
/// let means = posterior(&model, &Matrix::zeros(1, 1), &Clamp::Free, settings).means;
/// assert!(means[0].row(0)[0] > 0.7);
/// # Ok::<(), dbm_core::DbmError>(())
/// ```
///
/// # Panics
/// If `visible` is not as wide as the visible layer, or the clamp does not have one mark per visible unit.
pub fn posterior(model: &Dbm, visible: &Matrix, clamp: &Clamp, settings: MeanFieldSettings) -> MeanField {
    posterior_with_top(model, visible, clamp, None, settings)
}

/// The same with the top layer also known, `[count, n_top]` unit values: closest to p(h | v, top).
///
/// # Panics
/// Those of [`posterior`]; if the top layer has another shape.
pub fn posterior_with_top(
    model: &Dbm,
    visible: &Matrix,
    clamp: &Clamp,
    top: Option<&Matrix>,
    settings: MeanFieldSettings,
) -> MeanField {
    assert_eq!(visible.columns(), model.n_visible());
    assert!(!matches!(clamp, Clamp::Known(known) if known.len() != visible.data().len()), "one mark a visible unit");
    let MeanFieldSettings { max_sweeps, tolerance } = settings;
    let (count, units) = (visible.rows(), model.units());
    let middle = units.low() + 0.5 * units.gap();
    let mut means = vec![visible.clone()];
    means.extend(model.sizes()[1..].iter().map(|&size| Matrix::from_vec(count, size, vec![middle; count * size])));
    if let Some(top) = top {
        assert_eq!((top.rows(), top.columns()), (count, model.sizes()[model.depth()]));
        means[model.depth()] = top.clone();
    }
    let free_hidden = model.depth() - usize::from(top.is_some());
    let drive = if *clamp == Clamp::Visible {
        let mut drive = Matrix::from_vec(count, model.sizes()[1], model.biases()[1].repeat(count));
        if count > 0 {
            model.backend().add_product(drive.data_mut(), visible.data(), &model.weights()[0]);
        }
        Some(drive)
    } else {
        let values = means[0].data_mut().iter_mut().enumerate();
        values.filter(|(place, _)| !clamp.holds(*place)).for_each(|(_, mean)| *mean = middle);
        None
    };
    let mut batch = Batch {
        model,
        means,
        clamp,
        free: usize::from(*clamp == Clamp::Visible)..free_hidden + 1,
        drive,
        gathered: vec![],
        fields: vec![],
    };

    let least = tolerance * f64::from(units.gap());
    let mut sweeps = vec![0; count];
    let mut active: Vec<usize> = (0..count).collect();
    for sweep in 1..=max_sweeps {
        if active.is_empty() {
            break;
        }
        active.iter().for_each(|&row| sweeps[row] = sweep);
        batch.half_sweep(Parity::Odd, &active);
        if free_hidden == 1 && *clamp == Clamp::Visible {
            active.clear();
            break;
        }
        let moved = batch.half_sweep(Parity::Even, &active);
        let mut moved = moved.into_iter();
        active.retain(|_| moved.next().is_some_and(|moved| f64::from(moved) > least));
    }
    MeanField { means: batch.means, clamp: clamp.clone(), sweeps, capped: active.len() as u32 }
}

/// Mean-field posteriors of these rows of a data set; missing bits get their own means.
///
/// # Panics
/// If the data are not as wide as the visible layer, or have no such row.
pub fn posterior_of(model: &Dbm, data: &Examples, rows: &[usize], settings: MeanFieldSettings) -> MeanField {
    let mut visible = Matrix::zeros(rows.len(), model.n_visible());
    for (place, &row) in rows.iter().enumerate() {
        data.write_row(row, model.units(), visible.row_mut(place));
    }
    posterior(model, &visible, &data.clamp(rows), settings)
}

/// The data that the half-sweeps work on.
struct Batch<'a> {
    model: &'a Dbm,
    means: Vec<Matrix>,
    clamp: &'a Clamp,
    /// The layers that are not fully known.
    free: Range<usize>,
    /// `b_1 + W_0^T v`, `[count, n_1]`, computed once if the visible layer never changes.
    drive: Option<Matrix>,
    gathered: Vec<f32>,
    fields: Vec<f32>,
}

impl Batch<'_> {
    /// Sets the hidden layers of one parity, and the missing units of the visible one, in these rows; returns the largest change of a mean,
    /// row by row.
    fn half_sweep(&mut self, parity: Parity, rows: &[usize]) -> Vec<f32> {
        let model = self.model;
        let (low, gap) = (model.units().low(), model.units().gap());
        let mut moved = vec![0.0_f32; rows.len()];
        let free = self.free.clone();
        for l in parity.layers(model.depth()).filter(|l| free.contains(l)) {
            self.recompute(l, rows);
            for ((&row, fields), moved) in rows.iter().zip(self.fields.chunks_exact(model.sizes()[l])).zip(&mut moved) {
                let before = self.means[l].row_mut(row);
                let new = &mut self.gathered;
                new.resize(fields.len(), 0.0);
                sigma_each(fields, gap, low, gap, new);
                if l == 0 {
                    let clamped = |unit: usize| self.clamp.holds(row * before.len() + unit).then(|| before[unit] > 0.5);
                    set_means(model.groups(), fields, (low, gap), clamped, new);
                    self.clamp.for_each_held(row, new.len(), |unit| new[unit] = before[unit]);
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
        for (neighbour, weight) in model.neighbours(l).filter(|&(neighbour, _)| neighbour > 0 || drive.is_none()) {
            gathered.clear();
            rows.iter().for_each(|&row| gathered.extend_from_slice(means[neighbour].row(row)));
            model.backend().add_product(fields, gathered, weight);
        }
    }
}

impl MeanField {
    /// Number of rows.
    pub fn count(&self) -> usize {
        self.sweeps.len()
    }

    /// The known visible units of a row.
    pub(crate) fn known_units(&self, row: usize) -> Vec<usize> {
        let mut units = Vec::new();
        self.clamp.for_each_held(row, self.means[0].columns(), |unit| units.push(unit));
        units
    }

    /// `E_q[-E(v, h)] + H(q)` of one row, in nats: `log p(v_known) >= bound - log Z`, where the difference is the divergence of q from
    /// p(v_missing, h | v_known). With one hidden layer and no gaps the two are equal. Summed in f64.
    ///
    /// # Panics
    /// If there is no such row, or the posterior is that of a model of another shape.
    pub fn bound(&self, model: &Dbm, row: usize) -> f64 {
        let (low, gap) = (f64::from(model.units().low()), f64::from(model.units().gap()));
        // The energy is linear in every unit, so its mean under a product distribution is the energy of the means.
        let state: Vec<&[f32]> = self.means.iter().map(|layer| layer.row(row)).collect();
        // A known unit has no entropy.
        let highs = |means: &[f32]| -> Vec<f64> { means.iter().map(|&mean| (f64::from(mean) - low) / gap).collect() };
        let hidden = state[1..].iter().flat_map(|means| highs(means)).map(entropy).sum::<f64>();
        visible_entropy(model, &highs(state[0])) + hidden - model.energy(&state)
    }
}

/// The entropy of a visible layer whose units, or groups of them, are independent, from the probabilities that the units are high.
pub(crate) fn visible_entropy(model: &Dbm, highs: &[f64]) -> f64 {
    let of_level = |p: f64| if p > 0.0 { -p * libm::log(p) } else { 0.0 };
    let of_cell = |cell: Group| -> f64 {
        if cell.is_single() {
            return entropy(highs[cell.units.start]);
        }
        cell.probabilities(&highs[cell.units.clone()]).into_iter().map(of_level).sum()
    };
    cells(model.groups(), highs.len()).into_iter().map(of_cell).sum()
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
        let none =
            posterior(&model, &Matrix::zeros(0, 4), &Clamp::Visible, MeanFieldSettings { max_sweeps: 10, tolerance: 1e-4 });
        assert_eq!((none.count(), none.capped), (0, 0));
        let begun = posterior(
            &model,
            &Matrix::from_vec(2, 4, vec![1.0; 8]),
            &Clamp::Visible,
            MeanFieldSettings { max_sweeps: 0, tolerance: 1e-4 },
        );
        assert_eq!((begun.sweeps, begun.capped), (vec![0, 0], 2));
        assert!(begun.means[1].data().iter().all(|&mean| mean == 0.0));
    }
}
