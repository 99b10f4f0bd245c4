//! Groups of visible units that stand for one value together: the levels of a category, or of a scale.

use crate::DbmError;
use crate::math::{exp_below_zero, log_sum_exp};
use crate::rng::Stream;
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
    /// One unit fewer than levels, at most one of them high; none at the first level: columns that exclude one another.
    AtMostOne,
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

    /// A group of which at most one unit is high.
    pub fn at_most_one(units: Range<usize>) -> Self {
        Self { units, code: Code::AtMostOne }
    }

    /// Number of levels.
    pub fn levels(&self) -> usize {
        self.units.len() + usize::from(self.code != Code::OneHot)
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
            Code::OneHot | Code::AtMostOne => {
                let first = units.find(|&unit| is_high(unit)).map(|unit| unit - self.units.start);
                let level = if self.code == Code::OneHot { first? } else { first.map_or(0, |place| place + 1) };
                (!units.any(is_high)).then_some(level)
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
            Code::AtMostOne => {
                let none = (1.0 - highs.iter().sum::<f64>()).max(0.0);
                std::iter::once(none).chain(highs.iter().copied()).collect()
            }
            Code::Thermometer => {
                let at_least = |level: usize| if level == 0 { 1.0 } else { highs[level - 1] };
                let above = |level: usize| if level == highs.len() { 0.0 } else { highs[level] };
                (0..=highs.len()).map(|level| (at_least(level) - above(level)).max(0.0)).collect()
            }
        }
    }

    /// How many examples are at each level, from the numbers in which each unit is high.
    pub(crate) fn counts(&self, highs: &[f64], examples: f64) -> Vec<f64> {
        let shares: Vec<f64> = highs.iter().map(|high| high / examples.max(1.0)).collect();
        self.probabilities(&shares).into_iter().map(|share| share * examples).collect()
    }

    /// The `gap a` of one of its units with which independent groups have these numbers at their levels, plus one.
    pub(crate) fn log_odds(&self, counts: &[f64], place: usize) -> f64 {
        let log = |level: usize| libm::log(counts[level] + 1.0);
        match self.code {
            Code::OneHot => log(place) - libm::log(counts.iter().sum::<f64>() + counts.len() as f64),
            Code::AtMostOne => log(place + 1) - log(0),
            Code::Thermometer => log(place + 1) - log(place),
        }
    }

    /// Its units that are high at a level.
    pub(crate) fn high_units(&self, level: usize) -> Range<usize> {
        let start = self.units.start;
        match self.code {
            Code::OneHot => start + level..start + level + 1,
            Code::AtMostOne if level == 0 => start..start,
            Code::AtMostOne => start + level - 1..start + level,
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

    /// The `sum of x` over the free units that are high at each level; minus infinity for a level that does not agree with the clamped ones.
    fn write_exponents(&self, x: impl Fn(usize) -> f64, clamped: impl Fn(usize) -> Option<bool>, into: &mut Vec<f64>) {
        into.clear();
        let is_free = |unit: &usize| clamped(*unit).is_none();
        if !self.units.clone().all(|unit| is_free(&unit)) {
            let exponent = |level: usize| self.high_units(level).filter(is_free).map(&x).sum();
            let allowed = |level: usize| if self.allows(level, &clamped) { exponent(level) } else { f64::NEG_INFINITY };
            into.extend((0..self.levels()).map(allowed));
            return;
        }
        let mut sum = 0.0;
        into.extend((self.code != Code::OneHot).then_some(sum));
        into.extend(self.units.clone().map(|unit| {
            sum = if self.code == Code::Thermometer { sum + x(unit) } else { x(unit) };
            sum
        }));
    }

    /// The same, as weights of which the largest is 1, with their sum; 0 if no level agrees.
    fn write_weights(&self, fields: &[f32], gap: f32, clamped: impl Fn(usize) -> Option<bool>, into: &mut Vec<f64>) -> f64 {
        self.write_exponents(|unit| f64::from(gap) * f64::from(fields[unit]), clamped, into);
        let most = into.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if most == f64::NEG_INFINITY {
            return 0.0;
        }
        into.iter_mut().for_each(|x| *x = exp_below_zero(*x - most));
        into.iter().sum()
    }

    /// `P(level | its units' neighbours)` of the levels that agree with the clamped units: `softmax(sum of gap a)` among them, with the
    /// fields of the free units that are high at each. None if no level agrees.
    pub(crate) fn given(&self, fields: &[f32], gap: f32, clamped: impl Fn(usize) -> Option<bool>) -> Vec<(usize, f64)> {
        let mut weights = Vec::new();
        let sum = self.write_weights(fields, gap, &clamped, &mut weights);
        let levels = weights.into_iter().enumerate().filter(|&(level, _)| self.allows(level, &clamped));
        levels.map(|(level, weight)| (level, weight / sum)).collect()
    }

    /// Writes decisions for the free units that give it this level; all low for none.
    fn decide(&self, level: Option<usize>, clamped: impl Fn(usize) -> Option<bool>, decisions: &mut [f32]) {
        let high = |unit: usize| level.is_some_and(|level| self.is_high(level, unit));
        let free = self.units.clone().filter(|&unit| clamped(unit).is_none());
        free.for_each(|unit| decisions[unit] = if high(unit) { 1.0 } else { -1.0 });
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
pub(crate) fn draw_levels(
    groups: &[Group],
    fields: &[f32],
    gap: f32,
    clamped: impl Fn(usize) -> Option<bool>,
    stream: &mut Stream,
    decisions: &mut [f32],
) {
    let mut weights = Vec::new();
    for group in groups {
        let uniform = stream.uniform();
        if group.units.clone().any(|unit| clamped(unit).is_none()) {
            let sum = group.write_weights(fields, gap, &clamped, &mut weights);
            group.decide(level_at(uniform * sum, &weights), &clamped, decisions);
        }
    }
}

/// The level to which a number from 0 to the sum of the weights belongs, if there is any.
pub(crate) fn level_at(place: f64, weights: &[f64]) -> Option<usize> {
    let (mut left, mut chosen) = (place, None);
    for (level, weight) in weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
        chosen = Some(level);
        left -= weight;
        if left < 0.0 {
            break;
        }
    }
    chosen
}

/// Sets the free units of each group to its likeliest level, the first of several, and writes decisions as [`draw_levels`] does.
pub(crate) fn likeliest_levels(groups: &[Group], fields: &[f32], clamped: impl Fn(usize) -> Option<bool>, decisions: &mut [f32]) {
    let mut exponents = Vec::new();
    for group in groups {
        group.write_exponents(|unit| f64::from(fields[unit]), &clamped, &mut exponents);
        let levels = exponents.iter().enumerate().filter(|(_, x)| **x > f64::NEG_INFINITY);
        let best = levels.reduce(|best, other| if other.1 > best.1 { other } else { best });
        group.decide(best.map(|(level, _)| level), &clamped, decisions);
    }
}

/// Writes the means of the free units of each group, given the fields of the visible layer.
pub(crate) fn set_means(
    groups: &[Group],
    fields: &[f32],
    (low, gap): (f32, f32),
    clamped: impl Fn(usize) -> Option<bool>,
    means: &mut [f32],
) {
    for group in groups {
        group.units.clone().filter(|&unit| clamped(unit).is_none()).for_each(|unit| means[unit] = low);
        group.highs(fields, gap, &clamped, |unit, p| means[unit] += gap * p as f32);
    }
}

/// Of a visible layer with `x = gap a`: the log of the sum over the levels of all groups of `exp(sum of x)` over the free units that are high.
/// Their `x` become minus infinity, for which the sum over a single unit is 1.
pub(crate) fn take_log_sums(groups: &[Group], x: &mut [f64], clamped: impl Fn(usize) -> Option<bool>) -> f64 {
    let (mut sum, mut exponents) = (0.0, Vec::new());
    for group in groups.iter().filter(|group| group.units.clone().any(|unit| clamped(unit).is_none())) {
        group.write_exponents(|unit| x[unit], &clamped, &mut exponents);
        sum += log_sum_exp(&exponents);
        group.units.clone().filter(|&unit| clamped(unit).is_none()).for_each(|unit| x[unit] = f64::NEG_INFINITY);
    }
    sum
}

/// Writes the values of the free units of each group, drawn uniformly from the levels that agree with the clamped ones.
pub(crate) fn uniform_levels(
    groups: &[Group],
    (low, high): (f32, f32),
    clamped: impl Fn(usize) -> Option<bool>,
    stream: &mut Stream,
    values: &mut [f32],
) {
    for group in groups {
        let levels: Vec<usize> = (0..group.levels()).filter(|&level| group.allows(level, &clamped)).collect();
        let Some(&level) = levels.get(stream.below(levels.len() as u64) as usize) else { continue };
        let free = group.units.clone().filter(|&unit| clamped(unit).is_none());
        free.for_each(|unit| values[unit] = if group.is_high(level, unit) { high } else { low });
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
            draw_levels(
                &groups,
                &[0.4, -0.2, 0.6, 0.0, 0.0],
                1.0,
                |unit| (unit == 4).then_some(false),
                &mut stream,
                &mut decisions,
            );
            let high = |unit: usize| decisions[unit] > 0.0;
            assert_eq!((groups[1].level(high), decisions[4]), (Some(0), 0.0));
            counts[groups[0].level(high).expect("a level")] += 1;
        }
        for (count, (_, p)) in counts.into_iter().zip(groups[0].given(&[0.4, -0.2, 0.6], 1.0, |_| None)) {
            assert!((f64::from(count) / 2000.0 - p).abs() < 4.0 * (p * (1.0 - p) / 2000.0).sqrt(), "{count} {p}");
        }
    }
}
