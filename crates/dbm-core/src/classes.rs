//! What class a model with labels reads: its top layer has a unit for each class, of which one is high.

use crate::chains::Chains;
use crate::gradient::PREDICTION_SWEEPS;
use crate::linalg::Matrix;
use crate::mean_field::{MeanFieldSettings, posterior, posterior_with_top};
use crate::{Clamp, Dbm};

/// When the mean field of an example and a class ends.
const MEAN_FIELD: MeanFieldSettings = MeanFieldSettings { max_sweeps: 100, tolerance: 1e-4 };

/// The top layers of examples of these classes, `[count, classes]`: of each its own unit high, the others low.
///
/// # Panics
/// If the model has no such class.
pub fn top_of_classes(model: &Dbm, of: &[usize]) -> Matrix {
    let (units, classes) = (model.units(), model.sizes()[model.depth()]);
    let mut top = Matrix::from_vec(of.len(), classes, vec![units.low(); of.len() * classes]);
    of.iter().enumerate().for_each(|(row, &class)| top.row_mut(row)[class] = units.high());
    top
}

/// How probable each class is of whole pictures, `[count, classes]`: `p(y | v)`, proportional to `p*(v, y)`, whose logarithm is replaced by its mean-field bound. With one hidden layer below
/// the labels that bound is the logarithm itself, and the probabilities are exact (Larochelle and Bengio 2008).
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

/// How probable each class is of pictures of which a part may be known, `[count, classes]`, by as many sweeps of mean field as multi-prediction training ([`crate::gradient::Mp`]) takes beside
/// persistent chains: what that training makes right. With `m_y` the means of the top layer then, as shares of the way from low to high, `p(y) ~ m_y / (1 - m_y)`: one of the units being high.
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

/// The likeliest class of each whole picture: as mean field predicts it ([`predictions`]) of a model that was trained to, by p(y | v) ([`probabilities`]) of any other.
///
/// # Panics
/// Those of the two.
pub fn read(model: &Dbm, visible: &Matrix, predicts: bool) -> Vec<usize> {
    let of = if predicts { predictions(model, visible, &Clamp::Visible) } else { probabilities(model, visible) };
    of.iter().map(|of| likeliest(of)).collect()
}

/// How probable each class is given the layer below the labels of one chain, one of them being high: `p(y | h) ~ exp(gap a_y)`, with the fields `a` of the top layer.
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

/// The classes of so many answers to one question, in proportion to how probable each class is: one after the other, of the class that is owed most. One answer is of the likeliest; where there is no class, none has one.
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

/// The likeliest of them.
pub fn likeliest(probabilities: &[f64]) -> usize {
    (0..probabilities.len()).max_by(|&a, &b| probabilities[a].total_cmp(&probabilities[b]).then(b.cmp(&a))).unwrap_or_default()
}
