//! Cheap signals of training progress: reconstruction error, pseudo-likelihood, free energy and the activity of hidden units, all computed
//! from mean-field posteriors and from the known visible units alone.

use crate::groups::{Group, cells};
use crate::linalg::{Matrix, add_scaled, dot};
use crate::math::{log_sum_exp, mean_and_error, sigma_each, softplus, sum_softplus};
use crate::mean_field::{self, MeanField, MeanFieldSettings, entropy, visible_entropy};
use crate::rng::{Purpose, Streams};
use crate::{Clamp, Dbm, DbmError, Examples, Parity, Units};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Cap and tolerance of the mean-field iterations behind [`Signals`]: enough for a glance, not for a measurement.
const MEAN_FIELD: MeanFieldSettings = MeanFieldSettings { max_sweeps: 30, tolerance: 1e-3 };

/// How well a model does on some examples, at a glance.
#[derive(Clone, Debug, PartialEq)]
pub struct Signals {
    /// Mean of [`reconstruction_errors`], in `0..=1`.
    pub reconstruction_error: f64,
    /// Mean of [`pseudo_log_likelihoods`], in nats per example.
    pub pseudo_log_likelihood: f64,
    /// Its standard error over the examples.
    pub pseudo_log_likelihood_error: f64,
    /// Mean of [`free_energies`], in nats.
    pub free_energy: f64,
    /// [`activities`] of each hidden layer, the lowest first.
    pub activities: Vec<Vec<f64>>,
    /// The number of examples in these means.
    pub examples: usize,
}

/// Bins of [`Activity::bins`].
pub const ACTIVITY_BINS: usize = 20;
/// A unit whose mean activity is within this of 0 or 1 says next to nothing about the example.
pub const IDLE: f64 = 0.01;

/// How active the units of a hidden layer are, by their [`activities`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Activity {
    /// Units by activity, from 0 to 1, in [`ACTIVITY_BINS`] bins of equal width.
    pub bins: Vec<u32>,
    /// Units with an activity below [`IDLE`]: always low.
    pub low: u32,
    /// Units with an activity above `1 - IDLE`: always high.
    pub high: u32,
}

impl Activity {
    /// The summary of a layer whose units have these activities.
    pub fn of(units: &[f64]) -> Self {
        let mut activity = Self { bins: vec![0; ACTIVITY_BINS], low: 0, high: 0 };
        for &mean in units {
            activity.bins[((mean * ACTIVITY_BINS as f64) as usize).min(ACTIVITY_BINS - 1)] += 1;
            activity.low += u32::from(mean < IDLE);
            activity.high += u32::from(mean > 1.0 - IDLE);
        }
        activity
    }
}

impl Signals {
    /// The signals on `count` examples spread evenly over the data set (all, if it has fewer). The examples are always the same; those
    /// without known units are left out. The units for the pseudo-likelihood are drawn again at every `step`.
    ///
    /// ```
    /// use dbm_core::{Examples, Units, init, signals::Signals};
    /// let data = Examples::from_bits(4, &[1, 1, 0, 0, 0, 0, 1, 1])?;
    /// let signals = Signals::of(&init::orthogonal(&[4, 6], Units::Signs, 1)?, &data, 100, 7, 0)?;
    /// assert!(signals.reconstruction_error < 1.0 && signals.pseudo_log_likelihood < 0.0);
    /// # Ok::<(), dbm_core::DbmError>(())
    /// ```
    ///
    /// # Errors
    /// [`DbmError::Shape`] if the data are not as wide as the visible layer, [`DbmError::NoExamples`] if none of these examples has a known
    /// unit.
    pub fn of(model: &Dbm, data: &Examples, count: usize, seed: u64, step: u64) -> Result<Self, DbmError> {
        Self::of_part(model, data, count, 0..count.clamp(1, data.len()), seed, step)
    }

    /// On some of these examples, selected by their positions among them: together the parts give what [`Signals::of`] gives, each in a
    /// fraction of its time.
    ///
    /// # Errors
    /// Those of [`Signals::of`].
    ///
    /// # Panics
    /// If there are no such positions.
    pub fn of_part(
        model: &Dbm,
        data: &Examples,
        count: usize,
        part: Range<usize>,
        seed: u64,
        step: u64,
    ) -> Result<Self, DbmError> {
        data.check_width(model.n_visible())?;
        let count = count.clamp(1, data.len());
        assert!(part.end <= count, "a part of {count} examples");
        let first = part.start as u64;
        let spread = part.map(|place| place * data.len() / count);
        let rows: Vec<usize> = spread.filter(|&row| data.known_in_row(row) > 0).collect();
        if rows.is_empty() {
            return Err(DbmError::NoExamples);
        }
        let posterior = mean_field::posterior_of(model, data, &rows, MEAN_FIELD);
        let (reconstruction_error, _) = mean_and_error(&reconstruction_errors(model, &posterior));
        let pseudo = mean_and_error(&pseudo_log_likelihoods(model, &posterior, Streams::new(seed), step, first));
        Ok(Self {
            reconstruction_error,
            pseudo_log_likelihood: pseudo.0,
            pseudo_log_likelihood_error: pseudo.1,
            free_energy: mean_and_error(&free_energies(model, &posterior)).0,
            activities: activities(model, &posterior),
            examples: rows.len(),
        })
    }
}

/// `mean_i (bit_i - P(v_i = high | h_1 at its means))^2` over the known units i, one per example: 0 if each is reconstructed, 1/4 for
/// knowing nothing. An example without known units has nothing to reconstruct, and an error of 0.
///
/// It falls as training begins, is cheap, and says little more: a model can reconstruct well and still be poor (Hinton 2012, section 5).
///
/// ```
/// use dbm_core::linalg::Matrix;
/// use dbm_core::mean_field::{self, MeanFieldSettings};
/// use dbm_core::{Clamp, Units, init, signals};
/// let model = init::orthogonal(&[6, 8], Units::Signs, 1)?;
/// let visible = Matrix::from_vec(1, 6, vec![1.0, -1.0, 1.0, 1.0, -1.0, -1.0]);
/// let posterior = mean_field::posterior(&model, &visible, &Clamp::Visible, MeanFieldSettings { max_sweeps: 100, tolerance: 1e-3 });
/// let error = signals::reconstruction_errors(&model, &posterior)[0];
/// assert!(error > 0.0 && error < 1.0);
/// # Ok::<(), dbm_core::DbmError>(())
/// ```
///
/// # Panics
/// If the posterior is that of a model of another shape.
pub fn reconstruction_errors(model: &Dbm, posterior: &MeanField) -> Vec<f64> {
    let n = model.n_visible();
    let fields = fields(model, posterior, 0);
    let mut high = vec![0.0; n];
    let rows = fields.chunks_exact(n).enumerate();
    rows.map(|(row, fields)| {
        let gap = model.units().gap();
        sigma_each(fields, gap, 0.0, 1.0, &mut high);
        model.groups().iter().for_each(|group| high[group.units.clone()].fill(0.0));
        model.groups().iter().for_each(|group| group.highs(fields, gap, |_| None, |unit, p| high[unit] += p as f32));
        let bits = posterior.means[0].row(row).iter().map(|&value| f64::from(u8::from(value > 0.5)));
        let squares = bits.zip(&high).map(|(bit, &high)| (bit - f64::from(high)) * (bit - f64::from(high)));
        let squares: Vec<f64> = squares.collect();
        let known = posterior.known_units(row);
        known.iter().map(|&unit| squares[unit]).sum::<f64>() / known.len().max(1) as f64
    })
    .collect()
}

/// Stochastic pseudo-log-likelihood, one per example, in nats: `n log p(v_c | v_-c)` for one of the n known cells (visible units, or groups of
/// them), drawn uniformly from the stream of [`Purpose::PseudoLikelihood`] at (`step`, `first` + row); [`log_conditionals`] says what is
/// approximate. Its mean over the draws is `sum_c log p(v_c | v_-c)` over the known cells (Besag 1975), or 0 if there are none.
///
/// One cell per example makes a noisy value: average over many examples, and take the error of the mean from their spread.
///
/// # Panics
/// If the posterior is that of a model of another shape.
pub fn pseudo_log_likelihoods(model: &Dbm, posterior: &MeanField, streams: Streams, step: u64, first: u64) -> Vec<f64> {
    let n = model.n_visible();
    let draw = |row: usize| {
        let mut stream = streams.at(Purpose::PseudoLikelihood, step, first + row as u64);
        let mut known = cells(model.groups(), n);
        known.retain(|cell| cell.units.clone().all(|unit| posterior.clamp.holds(row * n + unit)));
        let (place, count) = (stream.below(known.len() as u64) as usize, known.len());
        (if count == 0 { Group::thermometer(0..1) } else { known.swap_remove(place) }, count)
    };
    let (drawn, counts): (Vec<Group>, Vec<usize>) = (0..posterior.count()).map(draw).unzip();
    let mut values = log_conditionals(model, posterior, &drawn);
    values.iter_mut().zip(counts).for_each(|(value, count)| *value *= count as f64);
    values
}

/// `log p(v_c | v_-c)` of the cell `cells[row]` of each example, a visible unit or a group of them, with h_1 summed out and with the higher
/// layers and missing visible units at their means.
///
/// With one hidden layer and no gaps this is exact, since there are no higher layers. Otherwise it is an approximation in two ways: the
/// higher layers are each fixed at one point instead of being summed out, and that point was found with v_c known, so that the value is
/// usually too high.
///
/// # Panics
/// If there is not one cell per example, or the posterior is that of a model of another shape.
#[inline(never)]
pub fn log_conditionals(model: &Dbm, posterior: &MeanField, cells: &[Group]) -> Vec<f64> {
    assert_eq!(cells.len(), posterior.count());
    let units = (model.units().low(), model.units().gap());
    let fields = fields(model, posterior, 1);
    let (mut scratch, mut changed) = (vec![], vec![]);
    let rows = fields.chunks_exact(model.sizes()[1]).zip(cells).enumerate();
    rows.map(|(row, (fields, cell))| {
        let before = log_sums(model.units(), fields, &mut scratch);
        // log of p(v with the cell at another level) / p(v)
        let others = cell.alternatives(posterior.means[0].row(row), units, |_| true).into_iter().map(|changes| {
            changed.clear();
            changed.extend_from_slice(fields);
            changes.iter().for_each(|&(unit, by)| add_scaled(&mut changed, by, model.weights()[0].row(unit)));
            let biases: f64 = changes.iter().map(|&(unit, by)| f64::from(model.biases()[0][unit]) * f64::from(by)).sum();
            biases + log_sums(model.units(), &changed, &mut scratch) - before
        });
        -softplus(log_sum_exp(&others.collect::<Vec<f64>>()))
    })
    .collect()
}

/// The free energy of each example, in nats, or the lowest upper bound on it that its posterior gives:
///
/// `F~(v) = - sum_{l even} b_l . m_l - sum_{l odd} sum_j [ low a_lj + log(1 + exp(gap a_lj)) ] - sum_{l even} H(m_l)  >=  F(v) = - log sum_h exp(-E(v, h))`
///
/// with the means `m_l` of the even layers (`m_0 = v`), the fields `a_l = b_l + W_{l-1}^T m_{l-1} + W_l m_{l+1}` of the odd ones, which are
/// summed out, and the entropy `H` of independent units, which is 0 for known ones. `p(v)` is proportional to `exp(-F(v))`, so a gap
/// between data and samples of the model shows that the model puts its mass elsewhere.
///
/// With one hidden layer and no gaps, `F~ = F`. Otherwise it exceeds `F` by the divergence of the product of the even layers' means from
/// their posterior (the bound of Salakhutdinov and Hinton 2009, with the odd layers exact instead of at their means); with gaps, `F` is
/// that of the known units.
///
/// ```
/// use dbm_core::linalg::Matrix;
/// use dbm_core::mean_field::{self, MeanFieldSettings};
/// use dbm_core::{Clamp, Dbm, Units, signals};
/// // E(v, h) = - v - 2 v h, with bits: F(1) = -1 - log(1 + e^2).
/// let model = Dbm::new(Units::Bits, vec![vec![2.0]], vec![vec![1.0], vec![0.0]])?;
/// let settings = MeanFieldSettings { max_sweeps: 1, tolerance: 0.1 };
/// let posterior = mean_field::posterior(&model, &Matrix::from_vec(1, 1, vec![1.0]), &Clamp::Visible, settings);
/// assert!((signals::free_energies(&model, &posterior)[0] + 1.0 + (1.0 + 2_f64.exp()).ln()).abs() < 1e-6);
/// # Ok::<(), dbm_core::DbmError>(())
/// ```
///
/// # Panics
/// If the posterior is that of a model of another shape.
pub fn free_energies(model: &Dbm, posterior: &MeanField) -> Vec<f64> {
    let (low, gap) = (f64::from(model.units().low()), f64::from(model.units().gap()));
    let even = |row: usize| -> f64 {
        let layers = Parity::Even.layers(model.depth());
        let layer = |l: usize| {
            let means = posterior.means[l].row(row);
            let highs: Vec<f64> = means.iter().map(|&mean| (f64::from(mean) - low) / gap).collect();
            let uncertain = if l == 0 { visible_entropy(model, &highs) } else { highs.into_iter().map(entropy).sum() };
            dot(&model.biases()[l], means) + uncertain
        };
        -layers.map(layer).sum::<f64>()
    };
    let mut energies: Vec<f64> = (0..posterior.count()).map(even).collect();
    let mut scratch = vec![];
    for l in Parity::Odd.layers(model.depth()) {
        let fields = fields(model, posterior, l);
        for (energy, fields) in energies.iter_mut().zip(fields.chunks_exact(model.sizes()[l])) {
            *energy -= log_sums(model.units(), fields, &mut scratch);
        }
    }
    energies
}

/// Mean of [`free_energies`] over rows of bits, `[count, n_0]`, one byte each: 0 for low, anything else for high; 0 if there are no rows.
///
/// # Panics
/// If the bytes are not a whole number of rows.
pub fn mean_free_energy(model: &Dbm, bits: &[u8]) -> f64 {
    let values = bits.iter().map(|&bit| model.units().value(bit != 0)).collect();
    let visible = Matrix::from_vec(bits.len() / model.n_visible(), model.n_visible(), values);
    let energies = free_energies(model, &mean_field::posterior(model, &visible, &Clamp::Visible, MEAN_FIELD));
    energies.iter().sum::<f64>() / energies.len().max(1) as f64
}

/// The activity of each unit of each hidden layer, the lowest first: its mean-field probability of being high given the visible layer,
/// averaged over the examples.
///
/// # Panics
/// If the posterior is that of a model of another shape.
pub fn activities(model: &Dbm, posterior: &MeanField) -> Vec<Vec<f64>> {
    let (low, gap) = (f64::from(model.units().low()), f64::from(model.units().gap()));
    let layer = |means: &Matrix| {
        let sum = |unit: usize| -> f64 { (0..means.rows()).map(|row| f64::from(means.row(row)[unit])).sum() };
        (0..means.columns()).map(|unit| (sum(unit) / means.rows().max(1) as f64 - low) / gap).collect()
    };
    posterior.means[1..].iter().map(layer).collect()
}

/// `sum_j low a_j + log(1 + exp(gap a_j))`: the log of the sum over all units with these fields.
fn log_sums(units: Units, fields: &[f32], scratch: &mut Vec<f64>) -> f64 {
    let (low, gap) = (f64::from(units.low()), f64::from(units.gap()));
    scratch.clear();
    scratch.extend(fields.iter().map(|&a| gap * f64::from(a)));
    low / gap * scratch.iter().sum::<f64>() + sum_softplus(scratch)
}

/// The fields of a layer with the others at their means: `[count, n_l]`.
fn fields(model: &Dbm, posterior: &MeanField, layer: usize) -> Vec<f32> {
    let mut fields = model.biases()[layer].repeat(posterior.count());
    for (neighbour, weight) in model.neighbours(layer).filter(|_| posterior.count() > 0) {
        model.backend().add_product(&mut fields, posterior.means[neighbour].data(), weight);
    }
    fields
}
