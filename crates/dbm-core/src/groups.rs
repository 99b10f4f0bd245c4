//! Groups of visible units that stand for one value together: the levels of a category, or of a scale.

use crate::DbmError;
use crate::chains::{LayerFields, UpdateRule};
use crate::rng::Stream;
use crate::sweep::GibbsDraw;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Visible units that stand for one value together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// At least one.
    pub units: Range<usize>,
    /// How they stand for it.
    pub code: Code,
}

/// How the units of a group stand for the level of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Code {
    /// One unit a level, exactly one of them high: categories.
    OneHot,
    /// One unit fewer than levels, as many of them high, from the first, as levels are below: scales, whose neighbouring levels are alike.
    Thermometer,
}

impl Group {
    /// A group of which exactly one unit is high.
    pub fn one_hot(units: Range<usize>) -> Self {
        Self { units, code: Code::OneHot }
    }

    /// A group whose units are high up to one, and low from there.
    pub fn thermometer(units: Range<usize>) -> Self {
        Self { units, code: Code::Thermometer }
    }

    /// Number of levels.
    pub fn levels(&self) -> usize {
        self.units.len() + usize::from(self.code == Code::Thermometer)
    }

    /// Whether it is one unit of two levels.
    pub(crate) fn is_single(&self) -> bool {
        self.levels() == 2 && self.units.len() == 1
    }

    /// Whether this one of its units is high at a level.
    pub fn is_high(&self, level: usize, unit: usize) -> bool {
        self.high_units(level).contains(&unit)
    }

    /// The level that its units stand for, if they do for any.
    ///
    /// ```
    /// use dbm_core::Group;
    /// let (category, scale) = (Group::one_hot(2..5), Group::thermometer(2..5));
    /// assert_eq!(category.level(|unit| unit == 4), Some(2));
    /// assert_eq!(scale.level(|unit| unit == 4), None);
    /// assert_eq!(scale.level(|unit| unit < 4), Some(2));
    /// assert_eq!((category.levels(), scale.levels()), (3, 4));
    /// ```
    pub fn level(&self, is_high: impl Fn(usize) -> bool) -> Option<usize> {
        let mut units = self.units.clone();
        match self.code {
            Code::OneHot => {
                let first = units.find(|&unit| is_high(unit))?;
                (!units.any(is_high)).then_some(first - self.units.start)
            }
            Code::Thermometer => {
                let first_low = units.find(|&unit| !is_high(unit));
                (!units.any(is_high)).then(|| first_low.unwrap_or(self.units.end) - self.units.start)
            }
        }
    }

    /// The probability of each level, from those that its units are high.
    ///
    /// ```
    /// use dbm_core::Group;
    /// assert_eq!(Group::thermometer(0..2).probabilities(&[0.75, 0.5]), [0.25, 0.25, 0.5]);
    /// assert_eq!(Group::one_hot(0..2).probabilities(&[0.25, 0.75]), [0.25, 0.75]);
    /// ```
    pub fn probabilities(&self, highs: &[f64]) -> Vec<f64> {
        match self.code {
            Code::OneHot => highs.to_vec(),
            Code::Thermometer => {
                let at_least = |level: usize| if level == 0 { 1.0 } else { highs[level - 1] };
                let above = |level: usize| if level == highs.len() { 0.0 } else { highs[level] };
                (0..=highs.len()).map(|level| (at_least(level) - above(level)).max(0.0)).collect()
            }
        }
    }

    /// Its units that are high at a level.
    pub(crate) fn high_units(&self, level: usize) -> Range<usize> {
        let start = self.units.start;
        match self.code {
            Code::OneHot => start + level..start + level + 1,
            Code::Thermometer => start..start + level,
        }
    }

    /// Whether a level agrees with the clamped units.
    pub(crate) fn allows(&self, level: usize, clamped: impl Fn(usize) -> Option<bool>) -> bool {
        self.units.clone().all(|unit| clamped(unit).is_none_or(|high| high == self.is_high(level, unit)))
    }

    /// For each level that is allowed, other than the one that these values have: the units that go low or high, with the change.
    pub(crate) fn alternatives(
        &self,
        values: &[f32],
        (low, gap): (f32, f32),
        allowed: impl Fn(usize) -> bool,
    ) -> Vec<Vec<(usize, f32)>> {
        let is_high = |unit: usize| values[unit] > low;
        let truth = self.level(is_high);
        let change = |level: usize| {
            let changed = self.units.clone().filter(move |&unit| self.is_high(level, unit) != is_high(unit));
            changed.map(|unit| (unit, if is_high(unit) { -gap } else { gap })).collect()
        };
        (0..self.levels()).filter(|&level| Some(level) != truth && allowed(level)).map(change).collect()
    }

    /// `P(level | its units' neighbours)` of the levels that agree with the clamped units: `softmax(sum of gap a)` among them, with the
    /// fields of the free units that are high at each. None if no level agrees.
    pub(crate) fn given(&self, fields: &[f32], gap: f32, clamped: impl Fn(usize) -> Option<bool>) -> Vec<(usize, f64)> {
        let exponent = |level: usize| -> f64 {
            let high = self.high_units(level).filter(|&unit| clamped(unit).is_none());
            high.map(|unit| f64::from(gap) * f64::from(fields[unit])).sum()
        };
        let levels = (0..self.levels()).filter(|&level| self.allows(level, &clamped));
        let mut levels: Vec<(usize, f64)> = levels.map(|level| (level, exponent(level))).collect();
        let most = levels.iter().map(|&(_, x)| x).fold(f64::NEG_INFINITY, f64::max);
        levels.iter_mut().for_each(|(_, x)| *x = libm::exp(*x - most));
        let sum: f64 = levels.iter().map(|(_, weight)| weight).sum();
        levels.iter_mut().for_each(|(_, weight)| *weight /= sum);
        levels
    }

    /// Calls `add` with every free unit and its probability of being high, under the constraint.
    pub(crate) fn highs(
        &self,
        fields: &[f32],
        gap: f32,
        clamped: impl Fn(usize) -> Option<bool>,
        mut add: impl FnMut(usize, f64),
    ) {
        let is_free = |unit: &usize| clamped(*unit).is_none();
        if self.units.clone().any(|unit| is_free(&unit)) {
            for (level, p) in self.given(fields, gap, &clamped) {
                self.high_units(level).filter(is_free).for_each(|unit| add(unit, p));
            }
        }
    }
}

/// Accepts groups of at least one of `n` visible units each, in rising order and without overlap.
pub(crate) fn check(groups: &[Group], n: usize) -> Result<(), DbmError> {
    let mut end = 0;
    for Group { units, .. } in groups {
        if units.is_empty() || units.start < end || units.end > n {
            return Err(DbmError::Setting {
                name: "a group of visible units",
                expected: "at least one unit, after those of the group before and within the visible layer",
                got: format!("units {} to {} of {n}, after {end} of them", units.start, units.end),
            });
        }
        end = units.end;
    }
    Ok(())
}

/// The cells of an example, in order: every group, and every unit outside groups, which is a thermometer of two levels.
pub(crate) fn cells(groups: &[Group], width: usize) -> Vec<Group> {
    let single = |units: Range<usize>| units.map(|unit| Group::thermometer(unit..unit + 1));
    let mut cells = Vec::new();
    let mut end = 0;
    for group in groups {
        cells.extend(single(end..group.units.start));
        cells.push(group.clone());
        end = group.units.end;
    }
    cells.extend(single(end..width));
    cells
}

/// Draws the free units of each group together, with one uniform per group, and writes decisions: at least zero for units that are to be
/// high.
fn decide(
    groups: &[Group],
    fields: &[f32],
    gap: f32,
    clamped: impl Fn(usize) -> Option<bool>,
    stream: &mut Stream,
    decisions: &mut [f32],
) {
    for group in groups {
        let mut left = stream.uniform();
        let is_free = |unit: &usize| clamped(*unit).is_none();
        if !group.units.clone().any(|unit| is_free(&unit)) {
            continue;
        }
        let levels = group.given(fields, gap, &clamped);
        let mut chosen = None;
        for &(level, p) in levels.iter().filter(|(_, p)| *p > 0.0) {
            chosen = Some(level);
            left -= p;
            if left < 0.0 {
                break;
            }
        }
        let high = |unit: usize| chosen.is_some_and(|level| group.is_high(level, unit));
        group.units.clone().filter(is_free).for_each(|unit| decisions[unit] = if high(unit) { 1.0 } else { -1.0 });
    }
}

/// Draws units as [`GibbsDraw`] does, except that the free units of a group are drawn together.
pub(crate) struct GroupDraw<'a, F> {
    draw: GibbsDraw<'a>,
    groups: &'a [Group],
    /// The bit of a chain's visible unit, if it is clamped.
    clamped: &'a F,
}

impl<'a, F: Fn(usize, usize) -> Option<bool>> GroupDraw<'a, F> {
    /// Draws from these streams, one per chain.
    pub fn new(streams: &'a mut [Stream], groups: &'a [Group], clamped: &'a F) -> Self {
        Self { draw: GibbsDraw::new(streams), groups, clamped }
    }
}

impl<F: Fn(usize, usize) -> Option<bool>> UpdateRule for GroupDraw<'_, F> {
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

    fn close(found: &[(usize, f64)], expected: &[(usize, f64)]) {
        assert_eq!(found.len(), expected.len());
        assert!(found.iter().zip(expected).all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() < 1e-12), "{found:?} {expected:?}");
    }

    #[test]
    fn probabilities_are_those_given_that_one_is_high() {
        let fields = [0.3, -0.5, 1.0, 0.2];
        let e = |i: usize| libm::exp(2.0 * f64::from(fields[i]));
        let given = |units, clamped: &dyn Fn(usize) -> Option<bool>| Group::one_hot(units).given(&fields, 2.0, clamped);
        close(&given(0..2, &|_| None), &[(0, e(0) / (e(0) + e(1))), (1, e(1) / (e(0) + e(1)))]);
        let low = |i: usize| (i == 1).then_some(false);
        close(&given(1..4, &low), &[(1, e(2) / (e(2) + e(3))), (2, e(3) / (e(2) + e(3)))]);
        close(&given(1..4, &|i| (i == 1).then_some(true)), &[(0, 1.0)]);
        close(&given(1..4, &|i| Some(i == 2)), &[(1, 1.0)]);
        close(&given(1..4, &|_| Some(true)), &[]);
        close(&Group::one_hot(1..2).given(&[0.0, 1e30], 2.0, |_| None), &[(0, 1.0)]);
    }

    #[test]
    fn probabilities_are_those_given_that_a_scale_has_no_hole() {
        let fields = [0.3, -0.5, 1.0, 0.2];
        let scale = Group::thermometer(1..4);
        // Of each level, the product of the units below it.
        let weights: Vec<f64> =
            (0..4).map(|level| libm::exp(0.5 * fields[1..=level].iter().map(|&a| f64::from(a)).sum::<f64>())).collect();
        let sum: f64 = weights.iter().sum();
        let all: Vec<(usize, f64)> = weights.iter().map(|weight| weight / sum).enumerate().collect();
        close(&scale.given(&fields, 0.5, |_| None), &all);
        let mut highs = [0.0; 4];
        scale.highs(&fields, 0.5, |_| None, |unit, p| highs[unit] += p);
        let expected = [0.0, all[1].1 + all[2].1 + all[3].1, all[2].1 + all[3].1, all[3].1];
        assert!(highs.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{highs:?} {expected:?}");
        // With the second of its units high, the first is as well, and the third is free.
        let high = |unit: usize| (unit == 2).then_some(true);
        let both = weights[2] + weights[3];
        close(&scale.given(&fields, 0.5, high), &[(2, weights[2] / both), (3, weights[3] / both)]);
        // A single unit outside groups is one of two levels.
        let of_one = Group::thermometer(2..3).given(&fields, 2.0, |_| None);
        close(&of_one, &[(0, 1.0 - crate::math::logistic(2.0)), (1, crate::math::logistic(2.0))]);
    }

    #[test]
    fn a_draw_is_a_level() {
        let groups = [Group::thermometer(0..3), Group::one_hot(3..5)];
        let mut stream = crate::rng::Streams::new(1).at(crate::rng::Purpose::Imputation, 0, 0);
        let mut counts = [0; 4];
        for _ in 0..2000 {
            let mut decisions = [0.0; 5];
            decide(&groups, &[0.4, -0.2, 0.6, 0.0, 0.0], 1.0, |unit| (unit == 4).then_some(false), &mut stream, &mut decisions);
            let high = |unit: usize| decisions[unit] > 0.0;
            assert_eq!((groups[1].level(high), decisions[4]), (Some(0), 0.0));
            counts[groups[0].level(high).expect("a level")] += 1;
        }
        for (count, (_, p)) in counts.into_iter().zip(groups[0].given(&[0.4, -0.2, 0.6], 1.0, |_| None)) {
            assert!((f64::from(count) / 2000.0 - p).abs() < 4.0 * (p * (1.0 - p) / 2000.0).sqrt(), "{count} {p}");
        }
    }
}
