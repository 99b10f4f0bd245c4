//! Initial models: semi-orthogonal weights and logistic biases.

use crate::ais::BaseDistribution;
use crate::linalg::{add_scaled, dot_f32};
use crate::model::check_sizes;
use crate::rng::{Purpose, Stream, Streams};
use crate::{Dbm, DbmError, Examples, Host, SingleThread, Units};

/// Vectors that are made orthogonal to all earlier ones together.
const BLOCK: usize = 16;
/// Vectors of a block that one thread makes orthogonal, using each earlier vector for all of them while it is in the cache.
const SHARE: usize = 4;

/// Random semi-orthogonal weights (paper, section 4.3; Mezzadri 2006).
/// Biases are drawn from Logistic(0, 1/2) for signs, so that E(s) != E(-s), and are zero for bits.
///
/// With n_l <= n_{l+1} the rows of `W_l` are orthonormal, otherwise its columns; uniform (Haar) over all such matrices.
///
/// ```
/// use dbm_core::{Units, init};
/// let model = init::orthogonal(&[6, 4, 2], Units::Signs, 1)?;
/// assert_eq!(model, init::orthogonal(&[6, 4, 2], Units::Signs, 1)?);
/// # Ok::<(), dbm_core::DbmError>(())
/// ```
///
/// # Errors
/// Those of [`check_sizes`].
pub fn orthogonal(sizes: &[usize], units: Units, seed: u64) -> Result<Dbm, DbmError> {
    orthogonal_on(&SingleThread, sizes, units, seed)
}

/// The same on the threads of `host`, bit for bit: for layers of thousands of units, where one thread takes minutes.
///
/// # Errors
/// Those of [`check_sizes`].
pub fn orthogonal_on(host: &impl Host, sizes: &[usize], units: Units, seed: u64) -> Result<Dbm, DbmError> {
    build(sizes, units, seed, |stream, rows, columns| {
        let (few, long) = (rows.min(columns), rows.max(columns));
        let vectors = orthonormal(host, stream, few, long);
        if rows <= columns {
            return vectors;
        }
        let mut transposed = vec![0.0; rows * columns];
        for (j, vector) in vectors.chunks_exact(long).enumerate() {
            for (i, &x) in vector.iter().enumerate() {
                transposed[i * columns + j] = x;
            }
        }
        transposed
    })
}

/// Gaussian weights of this standard deviation, and biases as in [`orthogonal`]: the customary start, with 0.01 (Hinton 2012).
///
/// # Errors
/// Those of [`check_sizes`].
pub fn gaussian(sizes: &[usize], units: Units, deviation: f64, seed: u64) -> Result<Dbm, DbmError> {
    build(sizes, units, seed, |stream, rows, columns| {
        (0..rows * columns).map(|_| (deviation * stream.gaussian()) as f32).collect()
    })
}

/// A deviation of weights at which units are nearly independent, in models of thousands of them.
pub const NEARLY_INDEPENDENT: f64 = 0.001;

/// Nearly independent units: Gaussian weights of this small standard deviation, visible biases that make units and levels as frequent as in the data
/// ([`crate::ais::BaseDistribution::of_data`]), and hidden biases of zero. A ladder of tempering begins here, and it is an equally good
/// start for everything else.
///
/// # Errors
/// Those of [`check_sizes`]; [`DbmError::Shape`] if the data are not as wide as the visible layer.
pub fn of_data(sizes: &[usize], units: Units, deviation: f64, seed: u64, data: &Examples) -> Result<Dbm, DbmError> {
    let model = gaussian(sizes, units, deviation, seed)?;
    data.check_width(model.n_visible())?;
    let mut model = model.with_checked_groups(data.groups());
    let base = BaseDistribution::of_data(&model, data)?.model(&model);
    model.parameters_mut().1.clone_from_slice(base.biases());
    Ok(model)
}

fn build(
    sizes: &[usize],
    units: Units,
    seed: u64,
    weight: impl Fn(&mut Stream, usize, usize) -> Vec<f32>,
) -> Result<Dbm, DbmError> {
    check_sizes(sizes)?;
    let streams = Streams::new(seed);
    let weights = sizes.windows(2).enumerate().map(|(l, pair)| {
        let mut stream = streams.at(Purpose::Initialization, l as u64, 0);
        weight(&mut stream, pair[0], pair[1])
    });
    let biases = sizes.iter().enumerate().map(|(l, &size)| match units {
        Units::Signs => {
            let mut stream = streams.at(Purpose::Initialization, l as u64, 1);
            (0..size).map(|_| stream.logistic(0.5) as f32).collect()
        }
        Units::Bits => vec![0.0; size],
    });
    Dbm::new(units, weights.collect(), biases.collect())
}

/// `few` orthonormal vectors of length `long`, one after another: Gaussian vectors, each with its components along the earlier ones
/// removed. This is the QR decomposition with a positive diagonal, whose Q is Haar distributed. Each removal is done twice, since one pass
/// leaves errors of the order of its cancellation and a second removes them ("twice is enough", Giraud et al. 2005).
///
/// The vectors of a block are made orthogonal to those before the block separately, and so on any thread.
fn orthonormal(host: &impl Host, stream: &mut Stream, few: usize, long: usize) -> Vec<f32> {
    let mut vectors: Vec<f32> = (0..few * long).map(|_| stream.gaussian() as f32).collect();
    for start in (0..few).step_by(BLOCK) {
        let (before, rest) = vectors.split_at_mut(start * long);
        let block = &mut rest[..BLOCK.min(few - start) * long];
        let before = &*before;
        host.map(block.chunks_mut(SHARE * long).collect(), |share: &mut [f32]| {
            for _ in 0..2 {
                for other in before.chunks_exact(long) {
                    share.chunks_exact_mut(long).for_each(|vector| free_of(vector, other));
                }
            }
        });
        for i in 0..block.len() / long {
            let (before, rest) = block.split_at_mut(i * long);
            let vector = &mut rest[..long];
            for _ in 0..2 {
                before.chunks_exact(long).for_each(|other| free_of(vector, other));
                let norm = dot_f32(vector, vector).sqrt();
                vector.iter_mut().for_each(|x| *x /= norm);
            }
        }
    }
    vectors
}

/// Removes the component along `other`, a unit vector, from `vector`.
fn free_of(vector: &mut [f32], other: &[f32]) {
    let along = dot_f32(other, vector);
    add_scaled(vector, -along, other);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_semi_orthogonal_and_signs_get_logistic_biases() {
        for sizes in [[30, 50, 20], [64, 64, 7]] {
            let model = orthogonal(&sizes, Units::Signs, 5).unwrap();
            for (weight, transposed) in model.weights().iter().zip(model.transposed()) {
                let short = if weight.rows() <= weight.columns() { weight } else { transposed };
                for i in 0..short.rows() {
                    for j in 0..short.rows() {
                        let expected = if i == j { 1.0 } else { 0.0 };
                        assert!((dot_f32(short.row(i), short.row(j)) - expected).abs() < 1e-5);
                    }
                }
            }
            assert!(model.biases().iter().flatten().all(|&b| b != 0.0));
        }
        assert!(orthogonal(&[3, 2], Units::Bits, 5).unwrap().biases().iter().flatten().all(|&b| b == 0.0));
    }

    #[test]
    fn refuses_impossible_shapes() {
        assert_eq!(orthogonal(&[5], Units::Signs, 1), Err(DbmError::TooFewLayers(1)));
        assert_eq!(orthogonal(&[5, 0], Units::Signs, 1), Err(DbmError::EmptyLayer { layer: 1 }));
        assert!(matches!(orthogonal(&[1 << 40, 1 << 40], Units::Signs, 1), Err(DbmError::TooLarge { .. })));
    }
}
