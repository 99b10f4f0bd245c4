//! The Frechet distance between the Gaussians of two sets of features.
//!
//! In the features of this crate's classifier it is called the *digit Frechet distance*. It is not FID, which uses the same formula in the
//! features of another network (Heusel et al. 2017), and the values are not comparable.

use crate::ScoreError;
use crate::error::whole_rows;
use nalgebra::{DMatrix, DVector, SymmetricEigen};

/// Mean and covariance of a set of features.
#[derive(Clone, Debug, PartialEq)]
pub struct Gaussian {
    mean: DVector<f64>,
    covariance: DMatrix<f64>,
}

impl Gaussian {
    /// From features `[N, width]`: mean and covariance, where the sum over the N is divided by N - 1.
    ///
    /// # Errors
    /// [`ScoreError::Shape`] if these are not rows of `width`, [`ScoreError::TooFew`] for fewer than two rows.
    pub fn of(features: &[f32], width: usize) -> Result<Self, ScoreError> {
        let count = whole_rows(("features", features.len()), width, ("pictures of a Frechet distance", 2))?;
        let rows = || features.chunks_exact(width).map(|row| DVector::from_iterator(width, row.iter().map(|&x| f64::from(x))));
        let mean = rows().fold(DVector::zeros(width), |sum, row| sum + row) / count as f64;
        let mut covariance = DMatrix::zeros(width, width);
        for row in rows() {
            let centered = row - &mean;
            covariance.ger(1.0 / (count - 1) as f64, &centered, &centered, 1.0);
        }
        Ok(Self { mean, covariance })
    }

    /// `|m_1 - m_2|^2 + tr(S_1 + S_2 - 2 (S_1 S_2)^{1/2})`, the squared Wasserstein-2 distance between the two (Dowson and Landau 1982).
    ///
    /// The trace of the root equals that of `(S_1^{1/2} S_2 S_1^{1/2})^{1/2}`, which is symmetric: two eigendecompositions of symmetric
    /// matrices, whose eigenvalues below zero, from rounding, count as zero.
    ///
    /// ```
    /// use dbm_score::frechet::Gaussian;
    /// // Means 1 and 4, variances 2 and 8: 3^2 + (sqrt 8 - sqrt 2)^2 = 11.
    /// let (a, b) = (Gaussian::of(&[0.0, 2.0], 1)?, Gaussian::of(&[2.0, 6.0], 1)?);
    /// assert!((a.distance(&b) - 11.0).abs() < 1e-12);
    /// # Ok::<(), dbm_score::ScoreError>(())
    /// ```
    ///
    /// # Panics
    /// If the widths differ.
    pub fn distance(&self, other: &Self) -> f64 {
        let SymmetricEigen { eigenvectors, eigenvalues } = SymmetricEigen::new(self.covariance.clone());
        let roots = DMatrix::from_diagonal(&eigenvalues.map(|value| value.max(0.0).sqrt()));
        let root = &eigenvectors * roots * eigenvectors.transpose();
        let product = &root * &other.covariance * &root;
        // Symmetric except for rounding.
        let product = (&product + product.transpose()) / 2.0;
        let trace_of_root: f64 = product.symmetric_eigenvalues().iter().map(|value| value.max(0.0).sqrt()).sum();
        let between = (&self.mean - &other.mean).norm_squared();
        between + self.covariance.trace() + other.covariance.trace() - 2.0 * trace_of_root
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbm_core::rng::{Purpose, Streams};

    fn gaussian(mean: &[f64], covariance: DMatrix<f64>) -> Gaussian {
        Gaussian { mean: DVector::from_column_slice(mean), covariance }
    }

    fn diagonal(values: &[f64]) -> DMatrix<f64> {
        DMatrix::from_diagonal(&DVector::from_column_slice(values))
    }

    fn noise(rows: usize, columns: usize, seed: u64) -> DMatrix<f64> {
        let mut stream = Streams::new(seed).at(Purpose::Initialization, 0, 0);
        DMatrix::from_fn(rows, columns, |_, _| stream.gaussian())
    }

    fn rotation(n: usize, seed: u64) -> DMatrix<f64> {
        noise(n, n, seed).qr().q()
    }

    #[test]
    fn diagonal_and_commuting_covariances_have_a_closed_form() {
        let (a, b) = ([4.0, 1.0, 0.0, 9.0], [1.0, 1.0, 4.0, 16.0]);
        let (m, n) = ([0.0, 1.0, 2.0, 3.0], [1.0, 1.0, 0.0, 3.0]);
        // Means: 1 + 4. Variances: sum of (sqrt a - sqrt b)^2 = 1 + 0 + 4 + 1.
        let expected = 11.0;
        let distance = gaussian(&m, diagonal(&a)).distance(&gaussian(&n, diagonal(&b)));
        assert!((distance - expected).abs() < 1e-12, "{distance}");
        let turn = rotation(4, 1);
        let turned = |values: &[f64]| &turn * diagonal(values) * turn.transpose();
        let distance = gaussian(&m, turned(&a)).distance(&gaussian(&n, turned(&b)));
        // One variance is zero: the root of its rounding error is 10^-8 of the largest.
        assert!((distance - expected).abs() < 1e-6, "{distance}");
    }

    #[test]
    fn covariances_that_do_not_commute_agree_with_the_root_of_their_product() {
        // For two 2 x 2 matrices: tr (AB)^{1/2} = sqrt(tr AB + 2 sqrt(det AB)).
        let a: DMatrix<f64> = DMatrix::from_row_slice(2, 2, &[2.0, 0.5, 0.5, 1.0]);
        let b = DMatrix::from_row_slice(2, 2, &[1.0, -0.7, -0.7, 3.0]);
        let product = &a * &b;
        let root = (product.trace() + 2.0 * product.determinant().sqrt()).sqrt();
        let expected = a.trace() + b.trace() - 2.0 * root;
        let distance = gaussian(&[0.0; 2], a).distance(&gaussian(&[0.0; 2], b));
        assert!((distance - expected).abs() < 1e-12, "{distance} {expected}");
    }

    #[test]
    fn it_is_symmetric_zero_to_itself_and_blind_to_rotations() {
        let features = |seed| noise(9, 40, seed).map(|x| x as f32);
        let (a, b) = (features(2), features(3) * 1.5);
        let of = |features: &DMatrix<f32>| Gaussian::of(features.as_slice(), 9).unwrap();
        let distance = of(&a).distance(&of(&b));
        assert!(distance > 0.1);
        assert!((of(&b).distance(&of(&a)) - distance).abs() < 1e-9);
        assert!(of(&a).distance(&of(&a)).abs() < 1e-9);
        let turn = rotation(9, 4);
        let turned = |gaussian: Gaussian| Gaussian {
            mean: &turn * gaussian.mean,
            covariance: &turn * gaussian.covariance * turn.transpose(),
        };
        assert!((turned(of(&a)).distance(&turned(of(&b))) - distance).abs() < 1e-9);
    }

    #[test]
    fn what_has_no_covariance_is_refused() {
        assert!(Gaussian::of(&[1.0; 3], 3).is_err_and(|error| error.to_string().contains("at least 2, but got 1")));
        assert!(Gaussian::of(&[1.0; 7], 3).is_err_and(|error| error.to_string().contains("6 values, but got 7")));
        assert!(Gaussian::of(&[], 0).is_err());
    }
}
