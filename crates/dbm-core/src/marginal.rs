//! Sums over the states of layers that are independent given the rest.

use crate::chains::Chains;
use crate::groups::take_log_sums;
use crate::linalg::dot;
use crate::math::sum_softplus;
use crate::{Dbm, Parity};

/// `log sum exp(s . a)` over the states `s` of a layer, given `x = gap a`, which is used up: over both values of every unit, and in the visible
/// layer over the levels of every group; a clamped visible unit has its value alone.
pub(crate) fn log_sum_of_layer(model: &Dbm, layer: usize, x: &mut [f64], clamped: impl Fn(usize) -> Option<bool>) -> f64 {
    let (low, gap) = (f64::from(model.units().low()), f64::from(model.units().gap()));
    let mut sum = low / gap * x.iter().sum::<f64>();
    if layer == 0 {
        sum += take_log_sums(model.groups(), x, &clamped);
        for (unit, x) in x.iter_mut().enumerate() {
            if let Some(high) = clamped(unit) {
                sum += if high { *x } else { 0.0 };
                *x = f64::NEG_INFINITY; // adds nothing below
            }
        }
    }
    sum + sum_softplus(x)
}

/// `log p*(s_p)` of one chain, where p is the parity held: the free units of the other parity are summed out. Their fields must be up to date.
pub(crate) fn log_marginal(model: &Dbm, chains: &Chains, chain: usize, held: Parity) -> f64 {
    let gap = f64::from(model.units().gap());
    let biases: f64 = held.layers(model.depth()).map(|l| dot(&model.biases()[l], chains.layer(l).row(chain))).sum();
    let of_layer = |l: usize| {
        let fields = chains.field(l, chain).expect("refreshed by the caller");
        let mut x: Vec<f64> = fields.iter().map(|&a| gap * f64::from(a)).collect();
        log_sum_of_layer(model, l, &mut x, |unit| chains.clamped(chain, unit))
    };
    biases + held.other().layers(model.depth()).map(of_layer).sum::<f64>()
}
