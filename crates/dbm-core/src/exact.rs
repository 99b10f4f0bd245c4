//! The exact answer for tiny models, by enumerating every state in f64: what the estimates are held against.

use crate::linalg::Matrix;
use crate::math::log_sum_exp;
use crate::{Dbm, DbmError};

/// At most this many free units are enumerated.
pub const MAX_UNITS: usize = 22;

/// Expectations of `-dE/dtheta` under p(free units | clamped ones), with the log of their sum of `exp(-E)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// `log sum exp(-E)` over the free units: log Z where nothing is clamped.
    pub log_sum: f64,
    /// `E[s_l s_{l+1}^T]`, row-major.
    pub weights: Vec<Vec<f64>>,
    /// `E[s_l]`.
    pub biases: Vec<Vec<f64>>,
}

/// Every state with `visible[i] = Some(bit)` clamped, in binary counting order of the free units (the first free unit counts
/// fastest), with its energy.
///
/// # Errors
/// [`DbmError::Shape`] for a clamp of another size, [`DbmError::TooManyUnits`] for more than [`MAX_UNITS`] free units.
pub fn for_each_state(model: &Dbm, visible: &[Option<bool>], mut each: impl FnMut(&[Vec<f32>], f64)) -> Result<(), DbmError> {
    if visible.len() != model.n_visible() {
        return Err(DbmError::Shape {
            what: "the clamped visible layer".into(),
            expected: model.n_visible(),
            got: visible.len(),
        });
    }
    let units = model.units();
    let mut state: Vec<Vec<f32>> = model.sizes().iter().map(|&n| vec![units.low(); n]).collect();
    for (value, bit) in state[0].iter_mut().zip(visible) {
        *value = units.value(*bit == Some(true));
    }
    let mut free = Vec::new();
    for (l, &size) in model.sizes().iter().enumerate() {
        let clamped = |i: usize| if l == 0 { visible[i] } else { None };
        free.extend((0..size).filter(|&i| clamped(i).is_none()).map(|i| (l, i)));
    }
    if free.len() > MAX_UNITS {
        return Err(DbmError::TooManyUnits { units: free.len(), limit: MAX_UNITS });
    }
    for code in 0..1_u32 << free.len() {
        for (place, &(l, i)) in free.iter().enumerate() {
            state[l][i] = units.value(code >> place & 1 == 1);
        }
        each(&state, model.energy(&state));
    }
    Ok(())
}

/// Expectations given the clamped visible units.
///
/// # Errors
/// Those of [`for_each_state`].
pub fn expectation(model: &Dbm, visible: &[Option<bool>]) -> Result<Expectation, DbmError> {
    let mut energies = Vec::new();
    for_each_state(model, visible, |_, energy| energies.push(-energy))?;
    let log_sum = log_sum_exp(&energies);
    let mut weights: Vec<Vec<f64>> = model.weights().iter().map(|w| vec![0.0; w.data().len()]).collect();
    let mut biases: Vec<Vec<f64>> = model.sizes().iter().map(|&n| vec![0.0; n]).collect();
    for_each_state(model, visible, |state, energy| {
        let p = libm::exp(-energy - log_sum);
        for (bias, layer) in biases.iter_mut().zip(state) {
            bias.iter_mut().zip(layer).for_each(|(b, &s)| *b += p * f64::from(s));
        }
        for (weight, pair) in weights.iter_mut().zip(state.windows(2)) {
            for (row, &lower) in weight.chunks_exact_mut(pair[1].len()).zip(&pair[0]) {
                row.iter_mut().zip(&pair[1]).for_each(|(w, &upper)| *w += p * f64::from(lower) * f64::from(upper));
            }
        }
    })?;
    Ok(Expectation { log_sum, weights, biases })
}

/// The exact gradient of log p(visible), or, where some units are `known`, of log p(unknown | known): weights and biases,
/// concatenated in the order `W_0, W_1, ..., b_0, b_1, ...`, row-major.
///
/// # Errors
/// Those of [`for_each_state`].
pub fn gradient(model: &Dbm, visible: &[bool], known: &[bool]) -> Result<Vec<f64>, DbmError> {
    let all: Vec<Option<bool>> = visible.iter().copied().map(Some).collect();
    let some: Vec<Option<bool>> = visible.iter().zip(known).map(|(&bit, &known)| known.then_some(bit)).collect();
    let (positive, negative) = (expectation(model, &all)?, expectation(model, &some)?);
    let flat = |e: Expectation| -> Vec<f64> { e.weights.into_iter().chain(e.biases).flatten().collect() };
    Ok(flat(positive).into_iter().zip(flat(negative)).map(|(p, n)| p - n).collect())
}

/// Exact log p(visible).
///
/// # Errors
/// Those of [`for_each_state`].
pub fn log_probability(model: &Dbm, visible: &[bool]) -> Result<f64, DbmError> {
    let clamped: Vec<Option<bool>> = visible.iter().copied().map(Some).collect();
    let log_sum = |visible: &[Option<bool>]| -> Result<f64, DbmError> {
        let mut energies = Vec::new();
        for_each_state(model, visible, |_, energy| energies.push(-energy))?;
        Ok(log_sum_exp(&energies))
    };
    Ok(log_sum(&clamped)? - log_sum(&vec![None; visible.len()])?)
}

/// A gradient in the order of [`gradient`].
pub fn flatten(weights: &[Matrix], biases: &[Vec<f32>]) -> Vec<f64> {
    let values = weights.iter().flat_map(Matrix::data).chain(biases.iter().flatten());
    values.map(|&x| f64::from(x)).collect()
}
