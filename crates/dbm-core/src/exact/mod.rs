//! The exact answer for small models, in f64, by enumerating the smaller parity: the reference for all estimates.
//!
//! The layers of one parity are independent given those of the other (even: 0, 2, ...; odd: 1, 3, ...; Taniguchi et al. 2023, equation 2),
//! so one half `p` of the free units can be enumerated and the other summed out unit by unit:
//!
//! `log p*(s_p) = sum_{l in p} b_l . s_l + sum_{l not in p} sum_j [ low a_j + log(1 + exp(gap a_j)) ]`
//!
//! with the fields `a_l = b_l + W_{l-1}^T s_{l-1} + W_l s_{l+1}`. A clamped visible unit keeps its value and costs nothing. The half with
//! fewer free units is enumerated, at most [`MAX_UNITS`] of them; the other may be of any size. Every function below accepts any depth,
//! both kinds of units, and `visible[i] = Some(bit)` for a clamped visible unit.
//!
//! ```
//! use dbm_core::{Dbm, Units, exact};
//! // More visible units than can be enumerated, but only 2 hidden ones.
//! let model = Dbm::new(Units::Signs, vec![vec![0.0; 60]], vec![vec![0.0; 30], vec![0.0; 2]])?;
//! assert!((exact::log_z(&model)? - 32.0 * std::f64::consts::LN_2).abs() < 1e-12);
//! // A pair of bits with E(v, h) = -h - 2 v h.
//! let pair = Dbm::new(Units::Bits, vec![vec![2.0]], vec![vec![0.0], vec![1.0]])?;
//! let (low, high) = (1.0 + 1_f64.exp(), 1.0 + 3_f64.exp());
//! assert!((exact::log_probability(&pair, &[true])? - (high / (low + high)).ln()).abs() < 1e-12);
//! assert!((exact::marginals(&pair, &[None])?[0][0] - high / (low + high)).abs() < 1e-12);
//! # Ok::<(), dbm_core::DbmError>(())
//! ```

mod bipartition;
mod enumerate;
mod moments;
mod sum;

use crate::{Dbm, DbmError, Examples};
use bipartition::Bipartition;
pub use bipartition::MAX_UNITS;
pub use moments::Expectation;
use moments::Moments;

/// `log sum exp(-E)` over all free units, with the visible units in `visible` clamped.
///
/// # Errors
/// [`DbmError::Shape`] if `visible` is not as long as the visible layer, [`DbmError::TooManyUnits`] if both parities have more than
/// [`MAX_UNITS`] free units.
pub fn log_sum(model: &Dbm, visible: &[Option<bool>]) -> Result<f64, DbmError> {
    Ok(sum::over(&Bipartition::smaller(model, visible)?).log())
}

/// `log Z`: [`log_sum`] with nothing clamped.
///
/// # Errors
/// [`DbmError::TooManyUnits`] if both parities have more than [`MAX_UNITS`] units.
pub fn log_z(model: &Dbm) -> Result<f64, DbmError> {
    log_sum(model, &vec![None; model.n_visible()])
}

/// `log p(visible)`, in nats.
///
/// # Errors
/// Those of [`log_sum`].
pub fn log_probability(model: &Dbm, visible: &[bool]) -> Result<f64, DbmError> {
    Ok(log_sum(model, &clamp_all(visible))? - log_z(model)?)
}

/// The mean of `log p(visible)` over the rows of a data set, in nats; for a row with gaps, `log p(v_known)` with the missing units summed
/// out. `log Z` is computed once, and so is each distinct row.
///
/// # Errors
/// Those of [`log_sum`], for rows of another width or a model too large.
pub fn log_likelihood(model: &Dbm, data: &Examples) -> Result<f64, DbmError> {
    data.check_width(model.n_visible())?;
    let log_z = log_z(model)?;
    let mut total = 0.0;
    for (visible, count) in data.distinct() {
        total += count as f64 * (log_sum(model, &visible)? - log_z);
    }
    Ok(total / data.len() as f64)
}

/// Roughly how many terms [`log_likelihood`] sums for this many distinct rows without gaps: `2^m n` for `log Z`, with `m` units in the
/// smaller parity and `n` units in total, and `2^m' n + n_0 n_1` per row, where `m'` leaves the visible units out. Each takes a few
/// nanoseconds. Infinite if there are too many units.
///
/// ```
/// use dbm_core::exact::likelihood_terms;
/// assert!(likelihood_terms(&[16, 8, 4], 30) < 1e5);
/// assert!(likelihood_terms(&[784, 800, 200], 100).is_infinite());
/// assert!(likelihood_terms(&[784, 800, 200], 0).is_infinite());
/// ```
pub fn likelihood_terms(sizes: &[usize], rows: usize) -> f64 {
    let side = |first: usize| sizes.iter().skip(first).step_by(2).sum::<usize>();
    let states =
        |even: usize, odd: usize| if even.min(odd) > MAX_UNITS { f64::INFINITY } else { (1_u64 << even.min(odd)) as f64 };
    let (all, below) = (sizes.iter().sum::<usize>() as f64, sizes.iter().take(2).product::<usize>() as f64);
    let of_rows = if rows > 0 { rows as f64 * (states(side(2), side(1)) * all + below) } else { 0.0 };
    states(side(0), side(1)) * all + of_rows
}

/// Expectations given the clamped visible units.
///
/// # Errors
/// Those of [`log_sum`].
pub fn expectation(model: &Dbm, visible: &[Option<bool>]) -> Result<Expectation, DbmError> {
    let halves = Bipartition::smaller(model, visible)?;
    Ok(Moments::of(&halves).expectation(model, &halves))
}

/// `P(unit high | clamped units)` of every unit, layer by layer: `[n_l]` each; 0 or 1 for clamped units.
///
/// # Errors
/// Those of [`log_sum`].
pub fn marginals(model: &Dbm, visible: &[Option<bool>]) -> Result<Vec<Vec<f64>>, DbmError> {
    let halves = Bipartition::smaller(model, visible)?;
    let moments = Moments::of(&halves);
    Ok(halves.places.iter().map(|layer| layer.iter().map(|place| moments.high(place)).collect()).collect())
}

/// The exact gradient of `log p(visible)`, or, where some units are `known`, of `log p(unknown | known)`: weights and biases,
/// concatenated in the order `W_0, W_1, ..., b_0, b_1, ...`, row-major.
///
/// # Errors
/// Those of [`log_sum`], and [`DbmError::Shape`] if `known` is not as long as the visible layer.
pub fn gradient(model: &Dbm, visible: &[bool], known: &[bool]) -> Result<Vec<f64>, DbmError> {
    gradient_with_gaps(model, &clamp_all(visible), known)
}

/// The same if visible units can be missing, `visible[i] = None`: the gradient of
/// `log p(v_observed) = log sum_{v_missing, h} exp(-E) - log Z`, or, where some of the observed units are `known`, of
/// `log p(observed, but not known | known)`. The marks of missing units are ignored.
///
/// # Errors
/// Those of [`gradient`].
pub fn gradient_with_gaps(model: &Dbm, visible: &[Option<bool>], known: &[bool]) -> Result<Vec<f64>, DbmError> {
    DbmError::check_shape("the mask of known units", model.n_visible(), known.len())?;
    let positive = expectation(model, visible)?.flat();
    let negative = expectation(model, &only(visible, known))?.flat();
    Ok(positive.iter().zip(&negative).map(|(p, n)| p - n).collect())
}

/// The known units of a visible layer alone.
pub(crate) fn only(visible: &[Option<bool>], known: &[bool]) -> Vec<Option<bool>> {
    visible.iter().zip(known).map(|(&bit, &known)| bit.filter(|_| known)).collect()
}

fn clamp_all(visible: &[bool]) -> Vec<Option<bool>> {
    visible.iter().copied().map(Some).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Streams};
    use crate::{Parity, Units};

    /// Walks over more states than fit in one block, or than the tree of sums flushes at once.
    #[test]
    fn either_parity_gives_the_same_answers() {
        for (seed, units) in [Units::Signs, Units::Bits].into_iter().enumerate() {
            let sizes = [10, 9, 4, 3];
            let mut stream = Streams::new(seed as u64).at(Purpose::Initialization, 0, 0);
            let mut draw = |n: usize| (0..n).map(|_| (0.7 * stream.gaussian()) as f32).collect::<Vec<f32>>();
            let weights = sizes.windows(2).map(|pair| draw(pair[0] * pair[1])).collect();
            let model = Dbm::new(units, weights, sizes.map(&mut draw).to_vec()).unwrap();
            let one_known: Vec<Option<bool>> = (0..10).map(|i| (i == 6).then_some(true)).collect();
            for visible in [&[None; 10], &one_known[..]] {
                let [even, odd] = [Parity::Even, Parity::Odd].map(|parity| {
                    let halves = Bipartition::enumerating(&model, visible, parity).unwrap();
                    Moments::of(&halves).expectation(&model, &halves)
                });
                let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} and {b}");
                close(even.log_sum, odd.log_sum);
                even.flat().into_iter().zip(odd.flat()).for_each(|(a, b)| close(a, b));
            }
        }
    }
}
