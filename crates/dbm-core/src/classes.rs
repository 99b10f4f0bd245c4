//! Which class a model with labels predicts: its top layer has one unit per class, one of which is high.

use crate::chains::Chains;
use crate::gradient::PREDICTION_SWEEPS;
use crate::linalg::Matrix;
use crate::mean_field::{MeanFieldSettings, posterior, posterior_with_top};
use crate::{Clamp, Dbm};

/// When the mean field of an example and a class stops.
const MEAN_FIELD: MeanFieldSettings = MeanFieldSettings { max_sweeps: 100, tolerance: 1e-4 };

/// The top layers of examples of these classes, `[count, classes]`: in each, the unit of its class is high and the others are low.
///
/// # Panics
/// If the model has no such class.
pub fn top_of_classes(model: &Dbm, of: &[usize]) -> Matrix {
    let (units, classes) = (model.units(), model.sizes()[model.depth()]);
    let mut top = Matrix::from_vec(of.len(), classes, vec![units.low(); of.len() * classes]);
    of.iter().enumerate().for_each(|(row, &class)| top.row_mut(row)[class] = units.high());
    top
}

/// The probability of each class given fully known pictures, `[count, classes]`: `p(y | v)`, proportional to `p*(v, y)`, whose logarithm is
/// replaced by its mean-field bound. With one hidden layer below the labels the bound is tight, and the probabilities are exact (Larochelle
/// and Bengio 2008).
///
/// ```
/// use dbm_core::{Dbm, Units, classes, linalg::Matrix};
/// // One pixel, which is high for the second class.
/// let model = Dbm::new(Units::Bits, vec![vec![4.0], vec![-4.0, 4.0]], vec![vec![0.0], vec![-2.0], vec![0.0, 0.0]])?;
/// let p = classes::probabilities(&model, &Matrix::from_vec(1, 1, vec![1.0]));
/// assert!(p[0][1] > 0.9);
/// # Ok::<(), dbm_core::DbmError>(())
/// ```
///
/// # Panics
/// If `visible` is not as wide as the visible layer.
pub fn probabilities(model: &Dbm, visible: &Matrix) -> Vec<Vec<f64>> {
    let (count, classes) = (visible.rows(), model.sizes()[model.depth()]);
    let bounds: Vec<Vec<f64>> = (0..classes)
        .map(|class| {
            let top = top_of_classes(model, &vec![class; count]);
            let posterior = posterior_with_top(model, visible, &Clamp::Visible, Some(&top), MEAN_FIELD);
            (0..count).map(|row| posterior.bound(model, row)).collect()
        })
        .collect();
    (0..count).map(|row| softmax(&bounds.iter().map(|bounds| bounds[row]).collect::<Vec<_>>())).collect()
}

/// The probability of each class given pictures of which only a part may be known, `[count, classes]`, by as many mean-field sweeps as
/// multi-prediction training ([`crate::gradient::Mp`]) makes alongside persistent chains, since that training makes this number of sweeps
/// right. If `m_y` are the resulting means of the top layer, on a scale from 0 for low to 1 for high, `p(y) ~ m_y / (1 - m_y)`: exactly one
/// of the units is high.
///
/// # Panics
/// Those of [`posterior`].
pub fn predictions(model: &Dbm, visible: &Matrix, clamp: &Clamp) -> Vec<Vec<f64>> {
    let units = model.units();
    let of = posterior(model, visible, clamp, MeanFieldSettings { max_sweeps: PREDICTION_SWEEPS, tolerance: 0.0 });
    let odds = |mean: &f32| {
        let share = f64::from((mean - units.low()) / units.gap()).clamp(1e-12, 1.0 - 1e-12);
        libm::log(share / (1.0 - share))
    };
    let top = &of.means[model.depth()];
    (0..visible.rows()).map(|row| softmax(&top.row(row).iter().map(odds).collect::<Vec<_>>())).collect()
}

/// The likeliest class of each fully known picture: by mean field ([`predictions`]) for a model trained for that, by p(y | v)
/// ([`probabilities`]) for any other.
///
/// # Panics
/// Those of [`predictions`] and [`probabilities`].
pub fn read(model: &Dbm, visible: &Matrix, predicts: bool) -> Vec<usize> {
    let of = if predicts { predictions(model, visible, &Clamp::Visible) } else { probabilities(model, visible) };
    of.iter().map(|of| likeliest(of)).collect()
}

/// The probability of each class given one chain's layer below the labels, exactly one label being high: `p(y | h) ~ exp(gap a_y)`, with
/// the fields `a` of the top layer.
///
/// # Panics
/// If the fields of the top layer are not up to date.
pub fn given_layer_below(model: &Dbm, chains: &Chains, chain: usize) -> Vec<f64> {
    let fields = chains.field(model.depth(), chain).expect("refreshed by the caller");
    softmax(&fields.iter().map(|&a| f64::from(model.units().gap() * a)).collect::<Vec<_>>())
}

fn softmax(logs: &[f64]) -> Vec<f64> {
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers: Vec<f64> = logs.iter().map(|&log| libm::exp(log - largest)).collect();
    let sum: f64 = powers.iter().sum();
    powers.iter().map(|power| power / sum).collect()
}

/// Classes for this many answers to one question, in proportion to their probabilities: each answer in turn gets the class that is furthest
/// behind its share. A single answer gets the likeliest class; if there are no classes, no answer has one.
///
/// ```
/// use dbm_core::classes::shared;
/// assert_eq!(shared(&[0.05, 0.6, 0.35], 8), [1, 1, 1, 2, 1, 2, 1, 2]);
/// assert_eq!(shared(&[0.05, 0.6, 0.35], 1), [1]);
/// assert!(shared(&[], 8).is_empty());
/// ```
pub fn shared(probabilities: &[f64], answers: usize) -> Vec<usize> {
    let mut owed: Vec<f64> = probabilities.iter().map(|p| p * answers as f64).collect();
    let next = |_| {
        let class = likeliest(&owed);
        owed[class] -= 1.0;
        class
    };
    (0..if probabilities.is_empty() { 0 } else { answers }).map(next).collect()
}

/// The likeliest class.
pub fn likeliest(probabilities: &[f64]) -> usize {
    (0..probabilities.len()).max_by(|&a, &b| probabilities[a].total_cmp(&probabilities[b]).then(b.cmp(&a))).unwrap_or_default()
}
