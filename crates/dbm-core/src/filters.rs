//! What a hidden unit responds to, as a picture on the visible layer.

use crate::linalg::Matrix;
use crate::{Dbm, DbmError};

/// Columns of `W_0 W_1 ... W_{layer-1}: [n_0, n_layer]` for the first `count` units of the layer (or all, if it has fewer), each as a row:
/// `[count, n_0]`.
///
/// For the first hidden layer these are its weights. For a higher one they are what the linear parts of the layers in between make of a
/// unit: exact only if those layers were linear, but good enough to see what a unit represents (Lee, Ekanadham and Ng 2008 show second
/// layers this way).
///
/// ```
/// use dbm_core::{Dbm, Units, filters};
/// let biases = vec![vec![0.0; 2], vec![0.0; 2], vec![0.0]];
/// let model = Dbm::new(Units::Signs, vec![vec![1.0, 2.0, 3.0, 4.0], vec![10.0, 1.0]], biases)?;
/// assert_eq!(filters(&model, 1, 9)?.data(), [1.0, 3.0, 2.0, 4.0]);
/// assert_eq!(filters(&model, 2, 9)?.data(), [12.0, 34.0]);
/// # Ok::<(), dbm_core::DbmError>(())
/// ```
///
/// # Errors
/// [`DbmError::Setting`] if the model has no such hidden layer (counted from 1).
pub fn filters(model: &Dbm, layer: usize, count: usize) -> Result<Matrix, DbmError> {
    if !(1..=model.depth()).contains(&layer) {
        let expected = "a hidden layer of the model, the lowest being 1";
        return Err(DbmError::Setting { name: "layer", expected, got: layer.to_string() });
    }
    let count = count.min(model.sizes()[layer]);
    let mut rows = model.transposed()[layer - 1].rows_of(0..count);
    for transposed in model.transposed()[..layer - 1].iter().rev() {
        let mut below = Matrix::zeros(count, transposed.columns());
        if count > 0 {
            model.backend().add_product(below.data_mut(), rows.data(), transposed);
        }
        rows = below;
    }
    Ok(rows)
}
