//! One-hot groups of visible units: exactly one unit of a group is high, as a category has exactly one level.

use crate::DbmError;
use crate::chains::{LayerFields, UpdateRule};
use crate::math::log_sum_exp;
use crate::rng::Stream;
use crate::sweep::GibbsDraw;
use std::ops::Range;

/// Accepts groups of at least one of `n` visible units each, in rising order and without overlap.
pub(crate) fn check(groups: &[Range<usize>], n: usize) -> Result<(), DbmError> {
    let mut end = 0;
    for group in groups {
        if group.is_empty() || group.start < end || group.end > n {
            return Err(DbmError::Setting {
                name: "a group of visible units",
                expected: "at least one unit, after those of the group before and within the visible layer",
                got: format!("units {} to {} of {n}, after {end} of them", group.start, group.end),
            });
        }
        end = group.end;
    }
    Ok(())
}

/// The visible units of each cell: every group, and every unit outside groups, in order.
pub(crate) fn cells(groups: &[Range<usize>], width: usize) -> Vec<Range<usize>> {
    let mut cells = Vec::new();
    let mut end = 0;
    for group in groups {
        cells.extend((end..group.start).map(|i| i..i + 1));
        cells.push(group.clone());
        end = group.end;
    }
    cells.extend((end..width).map(|i| i..i + 1));
    cells
}

/// Whether this is a group of one unit, whose value is not in question.
pub(crate) fn alone(groups: &[Range<usize>], units: &Range<usize>) -> bool {
    units.len() == 1 && groups.binary_search_by_key(&units.start, |group| group.start).is_ok()
}

/// `P(unit high | its layer's neighbours, exactly one of the group high)` of the free units of one group: `softmax(gap a)` among them, or 0
/// if a clamped one is already high.
pub(crate) fn highs(
    group: &Range<usize>,
    fields: &[f32],
    gap: f32,
    clamped: impl Fn(usize) -> Option<bool>,
) -> Vec<(usize, f64)> {
    let free: Vec<usize> = group.clone().filter(|&i| clamped(i).is_none()).collect();
    if group.clone().any(|i| clamped(i) == Some(true)) {
        return free.into_iter().map(|i| (i, 0.0)).collect();
    }
    let exponents: Vec<f64> = free.iter().map(|&i| f64::from(gap) * f64::from(fields[i])).collect();
    let log_sum = log_sum_exp(&exponents);
    free.into_iter().zip(exponents).map(|(i, x)| (i, libm::exp(x - log_sum))).collect()
}

/// Draws the free units of each group together, with one uniform per group, and writes decisions: at least zero for the unit that is to be
/// high.
pub(crate) fn decide(
    groups: &[Range<usize>],
    fields: &[f32],
    gap: f32,
    clamped: impl Fn(usize) -> Option<bool>,
    stream: &mut Stream,
    decisions: &mut [f32],
) {
    for group in groups {
        let highs = highs(group, fields, gap, &clamped);
        let mut left = stream.uniform();
        let mut chosen = None;
        for &(i, p) in highs.iter().filter(|(_, p)| *p > 0.0) {
            chosen = Some(i);
            left -= p;
            if left < 0.0 {
                break;
            }
        }
        highs.iter().for_each(|&(i, _)| decisions[i] = if chosen == Some(i) { 1.0 } else { -1.0 });
    }
}

/// Draws units as [`GibbsDraw`] does, except that the free units of a one-hot group are drawn together.
pub(crate) struct OneHotDraw<'a, F> {
    draw: GibbsDraw<'a>,
    groups: &'a [Range<usize>],
    /// The bit of a chain's visible unit, if it is clamped.
    clamped: &'a F,
}

impl<'a, F: Fn(usize, usize) -> Option<bool>> OneHotDraw<'a, F> {
    /// Draws from these streams, one per chain.
    pub fn new(streams: &'a mut [Stream], groups: &'a [Range<usize>], clamped: &'a F) -> Self {
        Self { draw: GibbsDraw::new(streams), groups, clamped }
    }
}

impl<F: Fn(usize, usize) -> Option<bool>> UpdateRule for OneHotDraw<'_, F> {
    fn decide(&mut self, layer: LayerFields, decisions: &mut [f32]) {
        self.draw.decide(layer, decisions);
        if layer.layer == 0 {
            let (stream, clamped) = (self.draw.stream(layer.chain), |unit| (self.clamped)(layer.chain, unit));
            decide(self.groups, layer.fields, layer.units.gap(), clamped, stream, decisions);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_those_given_that_one_is_high() {
        let fields = [0.3, -0.5, 1.0, 0.2];
        let e = |i: usize| libm::exp(2.0 * f64::from(fields[i]));
        let close = |found: Vec<(usize, f64)>, expected: &[(usize, f64)]| {
            assert_eq!(found.len(), expected.len());
            assert!(found.iter().zip(expected).all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() < 1e-12), "{found:?} {expected:?}");
        };
        close(highs(&(0..2), &fields, 2.0, |_| None), &[(0, e(0) / (e(0) + e(1))), (1, e(1) / (e(0) + e(1)))]);
        let low = |i: usize| (i == 1).then_some(false);
        close(highs(&(1..4), &fields, 2.0, low), &[(2, e(2) / (e(2) + e(3))), (3, e(3) / (e(2) + e(3)))]);
        close(highs(&(1..4), &fields, 2.0, |i| (i == 1).then_some(true)), &[(2, 0.0), (3, 0.0)]);
        close(highs(&(1..4), &fields, 2.0, |i| Some(i == 2)), &[]);
        close(highs(&(1..2), &[0.0, 1e30], 2.0, |_| None), &[(1, 1.0)]);
    }
}
