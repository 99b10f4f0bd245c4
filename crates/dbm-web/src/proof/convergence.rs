//! How the means converge to the exact value, or stop short of it, as samples arrive.

use super::estimates::{Estimates, Means};
use super::estimator_table::ESTIMATORS;
use super::settings::LEVEL;
use super::state::ProofState;
use crate::canvas::{Axis, Chart, Level, Point, Series, short};
use crate::ui::chart::ChartFigure;
use leptos::prelude::*;

/// The largest deviation is shown from this many groups on: before that, the errors themselves are unreliable.
const GROUPS: u32 = 3;
const LARGEST_DEVIATION: &str = "The largest distance of a mean from its exact value, over all parameters, in standard errors. An unbiased estimator stays about level; a bias grows with the root of the number of samples. Below the bound, nothing speaks against the exact value.";

/// The history of the means, including the present ones.
fn history(estimates: &Estimates) -> Vec<Means> {
    let now = estimates.now();
    let mut all: Vec<Means> = estimates.history.iter().filter(|means| means.samples < now.samples).cloned().collect();
    if now.groups >= 2 {
        all.push(now);
    }
    all
}

fn chart(proof: ProofState) -> Chart {
    let exact = proof.exact_gradient();
    let (chosen, alone, show) = proof.settings.with(|settings| (settings.chosen, settings.alone, settings.show));
    let sizes = proof.sizes();
    let name = show.and_then(|place| proof.parameters().get(place).map(|parameter| parameter.name(&sizes)));
    let histories = proof.of_chosen(|at, estimates| (at, history(estimates)));
    let series = |of: &dyn Fn(&Means) -> Option<Point>| -> Vec<Series> {
        let one = |(at, history): &(usize, Vec<Means>)| Series {
            name: ESTIMATORS[*at].title.into(),
            hue: ESTIMATORS[*at].hue,
            dash: ESTIMATORS[*at].dash,
            points: history.iter().filter_map(of).collect(),
            ..Series::default()
        };
        histories.iter().map(one).collect()
    };
    let x = Axis::new("samples", "Samples of each estimator, by powers of ten. An interval shrinks to a third with each.")
        .logarithmic();
    match show {
        Some(place) if place < exact.len() => {
            let exact = exact[place];
            let one = |means: &Means| {
                let (mean, half) = means.interval(place, means.factor(alone))?;
                let y = mean - exact;
                Some(Point { x: f64::from(means.samples), y, low: y - half, high: y + half })
            };
            let all = series(&one);
            let expectations = proof.expectations.get();
            let levels = expectations.iter().enumerate().filter(|(at, _)| chosen[*at]).filter_map(|(at, means)| {
                let mean = means.as_ref()?.get(place)?;
                Some(Level { y: mean - exact, label: format!("{}’s mean", ESTIMATORS[at].title) })
            });
            let levels: Vec<Level> = [Level { y: 0.0, label: "exact".into() }].into_iter().chain(levels).collect();
            let reach = reach(&all, &levels);
            let label = format!("mean − exact, {}", name.unwrap_or_default());
            let y = Axis::new(&label, "The mean of the estimates so far minus the exact value. The shaded band is the interval.");
            Chart { x, y: y.over(-reach, reach), series: all, levels: apart(levels, 0.14 * reach) }
        }
        _ => {
            let one = |means: &Means| {
                let verdict = means.verdict(&exact, alone).filter(|_| means.groups >= GROUPS)?;
                Some(Point::new(f64::from(means.samples), verdict.largest_errors.max(0.1)))
            };
            let all = series(&one);
            // All of them have about the same number of samples, so the estimators' factors differ by less than a per cent.
            let factor =
                histories.iter().filter_map(|(_, history)| history.last()).map(|means| means.factor(alone)).fold(0.0, f64::max);
            let label = format!("{} % bound", 100.0 * LEVEL);
            let levels = if factor > 0.0 && factor.is_finite() { vec![Level { y: factor, label }] } else { Vec::new() };
            let y = Axis::new("largest deviation of all, in standard errors", LARGEST_DEVIATION).logarithmic();
            Chart { x, y, series: all, levels }
        }
    }
}

/// Extent of the plot on either side: the intervals of the present and the recent past must fit, not the first ones.
fn reach(series: &[Series], levels: &[Level]) -> f64 {
    let last = series.iter().filter_map(|series| series.points.last()).map(|point| point.x).fold(0.0, f64::max);
    let recent = series.iter().flat_map(|series| &series.points).filter(|point| point.x >= last / 12.0);
    let most = recent.map(|point| point.high.abs().max(point.low.abs())).chain(levels.iter().map(|level| level.y.abs()));
    let most = most.filter(|value| value.is_finite()).fold(0.0, f64::max);
    if most > 0.0 { 1.1 * most } else { 1.0 }
}

/// Labels of the levels: levels closer than `least` share one label, so that no label covers another.
fn apart(mut levels: Vec<Level>, least: f64) -> Vec<Level> {
    levels.sort_by(|a, b| b.y.total_cmp(&a.y));
    let mut last = 0;
    for at in 1..levels.len() {
        if levels[last].y - levels[at].y < least {
            let words = std::mem::take(&mut levels[at].label);
            levels[last].label = format!("{}, {words}", levels[last].label);
        } else {
            last = at;
        }
    }
    levels
}

fn summary(proof: ProofState) -> String {
    let exact = proof.exact_gradient();
    let (alone, show) = proof.settings.with(|settings| (settings.alone, settings.show));
    let one = |at: usize, estimates: &Estimates| {
        let (now, name) = (estimates.now(), ESTIMATORS[at].title);
        if now.samples == 0 {
            return None;
        }
        Some(match show.filter(|&place| place < exact.len()) {
            Some(place) => {
                let (mean, half) = now.interval(place, now.factor(alone))?;
                format!("{name} is {} off, ± {}", short(mean - exact[place]), short(half))
            }
            None => {
                format!("{name} is at most {} standard errors off", short(now.verdict(&exact, alone)?.largest_errors))
            }
        })
    };
    let all: Vec<String> = proof.of_chosen(one).into_iter().flatten().collect();
    if all.is_empty() { "No samples yet.".into() } else { format!("{}.", all.join("; ")) }
}

/// The chart: of the chosen parameter, or of the largest deviation of all.
pub fn convergence(proof: ProofState) -> impl IntoView {
    let chart = Memo::new(move |_| chart(proof));
    let summary = Memo::new(move |_| summary(proof));
    view! { <ChartFigure chart=chart title="Which methods reach the right answer?" summary=summary file="convergence" /> }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_near_levels_share_a_line() {
        let level = |y: f64, label: &str| Level { y, label: label.into() };
        let said = apart(vec![level(0.0, "exact"), level(-0.9, "b"), level(0.05, "a"), level(-1.2, "c")], 0.1);
        let said: Vec<(f64, &str)> = said.iter().map(|level| (level.y, level.label.as_str())).collect();
        assert_eq!(said, [(0.05, "a, exact"), (0.0, ""), (-0.9, "b"), (-1.2, "c")]);
        assert!(apart(Vec::new(), 1.0).is_empty());
    }
}
