//! The exact distribution of a model small enough to enumerate, compared with the states of its chains.

use dbm_core::exact::{self, likelihood_terms};
use dbm_core::linalg::Matrix;
use dbm_core::{Dbm, DbmError};
use serde::Serialize;

/// Models with more terms to sum would take more than some seconds.
const MOST_TERMS: f64 = 2e9;

/// Expectations under the model.
#[derive(Clone, Debug, PartialEq)]
pub struct Exact {
    /// `E[E(s)]`, in nats.
    pub energy: f64,
    /// `P(v_i high)`: `[n_0]`.
    visible: Vec<f64>,
}

/// The visible unit whose share of high states deviates most from its probability, in standard errors.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Farthest {
    /// Index of the unit, from 0.
    pub unit: usize,
    /// Its share of high states minus its probability.
    pub deviation: f64,
    /// The standard error of the share in C independent states of the model: `sqrt(p (1 - p) / C)`.
    pub error: f64,
}

impl Exact {
    /// For a model small enough.
    ///
    /// # Errors
    /// Those of the enumeration.
    pub fn of(model: &Dbm) -> Result<Option<Self>, DbmError> {
        if likelihood_terms(model.sizes(), 0) > MOST_TERMS {
            return Ok(None);
        }
        let expected = exact::expectation(model, &vec![None; model.n_visible()])?;
        let (low, gap) = (f64::from(model.units().low()), f64::from(model.units().gap()));
        let visible = expected.biases[0].iter().map(|mean| (mean - low) / gap).collect();
        let weights = model.weights().iter().flat_map(Matrix::data);
        let parameters = weights.chain(model.biases().iter().flatten());
        // -E is linear in the parameters, with these expectations as its coefficients.
        let energy = -parameters.zip(expected.flat()).map(|(&parameter, mean)| f64::from(parameter) * mean).sum::<f64>();
        Ok(Some(Self { energy, visible }))
    }

    /// From `counts[i]`, the number of chains with unit i high, out of this many chains.
    pub(super) fn deviation(&self, counts: &[u64], chains: usize) -> Farthest {
        let of = |(unit, (&p, &count)): (usize, (&f64, &u64))| {
            let error = (p * (1.0 - p) / chains as f64).sqrt();
            Farthest { unit, deviation: count as f64 / chains as f64 - p, error }
        };
        let none = Farthest { unit: 0, deviation: 0.0, error: 1.0 };
        let all = self.visible.iter().zip(counts).enumerate().map(of);
        all.fold(none, |most, one| if one.errors() > most.errors() { one } else { most })
    }
}

impl Farthest {
    /// The deviation in standard errors.
    pub fn errors(&self) -> f64 {
        // A unit that, to rounding, is always high or always low has no error.
        self.deviation.abs() / self.error.max(1e-12)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbm_core::{Units, init};

    #[test]
    fn energy_and_marginals_are_those_of_all_states() {
        let model = init::gaussian(&[3, 2], Units::Signs, 0.8, 4).unwrap();
        let (mut total, mut energy, mut high) = (0.0, 0.0, [0.0; 3]);
        for code in 0..32_u32 {
            let unit = |i: u32| if code >> i & 1 == 1 { 1.0 } else { -1.0 };
            let state = [vec![unit(0), unit(1), unit(2)], vec![unit(3), unit(4)]];
            let weight = (-model.energy(&state)).exp();
            total += weight;
            energy += weight * model.energy(&state);
            (0..3).for_each(|i| high[i] += weight * f64::from(code >> i & 1));
        }
        let exact = Exact::of(&model).unwrap().unwrap();
        assert!((exact.energy - energy / total).abs() < 1e-9, "{exact:?}");
        assert!(exact.visible.iter().zip(high).all(|(p, high)| (p - high / total).abs() < 1e-9));
        assert_eq!(Exact::of(&init::orthogonal(&[60, 50], Units::Signs, 1).unwrap()).unwrap(), None);
        let counts: Vec<u64> = exact.visible.iter().map(|p| (p * 1000.0).round() as u64).collect();
        assert!(exact.deviation(&counts, 1000).errors() < 0.1);
        let far = exact.deviation(&[counts[0], counts[1] + 200, counts[2]], 1000);
        assert_eq!(far.unit, 1);
    }
}
