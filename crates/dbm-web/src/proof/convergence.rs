//! How the means come to the exact value, or stop beside it, as samples come in.

use super::desk::{Desk, desk};
use super::estimators::{dash, hue};
use super::plan::{LEVEL, title};
use super::tally::{Moment, Tally};
use crate::canvas::{Axis, Chart, Level, Point, Scale, Series, short};
use crate::ui::chart::ChartFigure;
use leptos::prelude::*;

/// The largest deviation is told from so many groups on: before, the errors themselves are guesses.
const GROUPS: u32 = 3;

/// The course of a mean and where it is now.
fn moments(tally: &Tally) -> Vec<Moment> {
    let now = tally.now();
    let mut all: Vec<Moment> = tally.course.iter().filter(|moment| moment.samples < now.samples).cloned().collect();
    if now.groups >= 2 {
        all.push(now);
    }
    all
}

fn samples() -> Axis {
    Axis {
        label: "samples".into(),
        help: "Samples of each estimator, by powers of ten. An interval shrinks to a third over each.".into(),
        scale: Scale::Logarithmic,
        range: None,
    }
}

fn chart(desk: Desk) -> Chart {
    let exact = desk.exact(desk.parameters().len());
    let (chosen, alone, show) = desk.plan.with(|plan| (plan.chosen, plan.alone, plan.show));
    let sizes = desk.sizes();
    let name = show.and_then(|place| desk.parameters().get(place).map(|parameter| parameter.name(&sizes)));
    let courses: Vec<(usize, Vec<Moment>)> = desk.tallies.with(|tallies| {
        tallies.iter().enumerate().filter(|(at, _)| chosen[*at]).map(|(at, tally)| (at, moments(tally))).collect()
    });
    let series = |at: usize, points: Vec<Point>| Series {
        name: title(at).into(),
        hue: hue(at),
        dash: dash(at),
        points,
        ..Series::default()
    };
    let x = samples();
    match show {
        Some(place) if place < exact.len() => {
            let exact = exact[place];
            let one = |moment: &Moment| {
                let (mean, half) = moment.interval(place, moment.factor(alone))?;
                let y = mean - exact;
                Some(Point { x: f64::from(moment.samples), y, low: y - half, high: y + half })
            };
            let all: Vec<Series> =
                courses.iter().map(|(at, course)| series(*at, course.iter().filter_map(one).collect())).collect();
            let laws = desk.laws.get();
            let levels = laws.iter().enumerate().filter(|(at, _)| chosen[*at]).filter_map(|(at, law)| {
                let law = law.as_ref()?.get(place)?;
                Some(Level { y: law - exact, label: format!("{}’s mean", title(at)) })
            });
            let levels: Vec<Level> = [Level { y: 0.0, label: "exact".into() }].into_iter().chain(levels).collect();
            let reach = reach(&all, &levels);
            let y = Axis {
                label: format!("mean − exact, {}", name.unwrap_or_default()),
                help: "The mean of the estimates so far less the exact value. The shade is the interval.".into(),
                scale: Scale::Linear,
                range: Some((-reach, reach)),
            };
            Chart { x, y, series: all, levels: apart(levels, 0.14 * reach) }
        }
        _ => {
            let one = |moment: &Moment| {
                let verdict = moment.verdict(&exact, alone).filter(|_| moment.groups >= GROUPS)?;
                Some(Point::new(f64::from(moment.samples), verdict.largest_errors.max(0.1)))
            };
            let all: Vec<Series> =
                courses.iter().map(|(at, course)| series(*at, course.iter().filter_map(one).collect())).collect();
            // All of them are at about the same number of samples; what differs between estimators is below a percent.
            let factor =
                courses.iter().filter_map(|(_, course)| course.last()).map(|moment| moment.factor(alone)).fold(0.0, f64::max);
            let label = format!("{} % bound", 100.0 * LEVEL);
            let levels = if factor > 0.0 && factor.is_finite() { vec![Level { y: factor, label }] } else { Vec::new() };
            let y = Axis {
                label: "largest deviation of all, in standard errors".into(),
                help: "Of all parameters, how far a mean is from its exact value, in standard errors of the mean. An unbiased estimator stays about where it is; a bias grows with the root of the number of samples. Below the bound nothing speaks against the exact value.".into(),
                scale: Scale::Logarithmic,
                range: None,
            };
            Chart { x, y, series: all, levels }
        }
    }
}

/// How far the plot reaches on either side: so that the intervals are seen as they are now and for a while before, not as at the beginning.
fn reach(series: &[Series], levels: &[Level]) -> f64 {
    let last = series.iter().filter_map(|series| series.points.last()).map(|point| point.x).fold(0.0, f64::max);
    let recent = series.iter().flat_map(|series| &series.points).filter(|point| point.x >= last / 12.0);
    let most = recent.map(|point| point.high.abs().max(point.low.abs())).chain(levels.iter().map(|level| level.y.abs()));
    let most = most.filter(|value| value.is_finite()).fold(0.0, f64::max);
    if most > 0.0 { 1.1 * most } else { 1.0 }
}

/// Levels with their words: those nearer to each other than that share a line of words, so that none lies over another.
fn apart(mut levels: Vec<Level>, least: f64) -> Vec<Level> {
    levels.sort_by(|a, b| b.y.total_cmp(&a.y));
    let mut said = 0;
    for at in 1..levels.len() {
        if levels[said].y - levels[at].y < least {
            let words = std::mem::take(&mut levels[at].label);
            levels[said].label = format!("{}, {words}", levels[said].label);
        } else {
            said = at;
        }
    }
    levels
}

fn summary(desk: Desk) -> String {
    let exact = desk.exact(desk.parameters().len());
    let (chosen, alone, show) = desk.plan.with(|plan| (plan.chosen, plan.alone, plan.show));
    desk.tallies.with(|tallies| {
        let said: Vec<String> = tallies
            .iter()
            .enumerate()
            .filter(|(at, tally)| chosen[*at] && tally.samples() > 0)
            .filter_map(|(at, tally)| {
                let now = tally.now();
                let name = title(at);
                Some(match show.filter(|&place| place < exact.len()) {
                    Some(place) => {
                        let (mean, half) = now.interval(place, now.factor(alone))?;
                        format!("{name} is {} off, ± {}", short(mean - exact[place]), short(half))
                    }
                    None => {
                        format!("{name} is at most {} standard errors off", short(now.verdict(&exact, alone)?.largest_errors))
                    }
                })
            })
            .collect();
        if said.is_empty() { "No samples yet.".into() } else { format!("{}.", said.join("; ")) }
    })
}

/// The chart.
#[component]
pub fn Convergence() -> impl IntoView {
    let desk = desk();
    let chart = Memo::new(move |_| chart(desk));
    let summary = Memo::new(move |_| summary(desk));
    view! { <ChartFigure chart=chart title="Who comes to it" summary=summary file="convergence" /> }
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
