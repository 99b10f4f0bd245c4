//! The curves of both runs in the same charts: run A solid, run B dashed.

use super::pair::Pair;
use super::run::{ComparedRun, Look};
use crate::canvas::{Axis, Chart, Point, Series, short};
use crate::ui::chart::ChartFigure;
use crate::ui::table::rows;
use leptos::prelude::*;

/// For each run its name, the hue it has if it has a single line, and the dash of its lines.
const RUNS: [(&str, usize, &[f64]); 2] = [("run A", 5, &[]), ("run B", 2, &[6.0, 4.0])];

/// A line of each run: its name, if a run has several lines, which then differ in hue; and its points.
type Line = (&'static str, fn(ComparedRun) -> Vec<Point>);

/// The lines of each chart, in the order of the charts' texts: title, file name, unit, and help.
const LINES: [&[Line]; 6] = [
    &[("", |run| {
        run.distinct.with(|all| all.iter().map(|&(step, count)| Point::new(f64::from(step), f64::from(count))).collect())
    })],
    &[("", |run| points(run, |look| Some(look.signals.reconstruction_error)))],
    &[("", |run| points(run, |look| Some(look.signals.pseudo_log_likelihood)))],
    &[
        ("data", |run| points(run, |look| Some(look.signals.free_energy))),
        ("samples", |run| points(run, |look| look.signals.free_energy_of_samples)),
    ],
    &[("clamped", |run| points(run, |look| look.energy[0])), ("free", |run| points(run, |look| look.energy[1]))],
    &[("", |run| points(run, |look| look.signals.log_likelihood))],
];
const TEXTS: &str = include_str!("charts.txt");
/// Index of the chart whose values lie in a known range, and that range.
const COUNTED: (usize, (f64, f64)) = (0, (0.0, 66.0));
/// Index of the chart that is shown only if the models are likely small enough for it, or have been;
const EXACT: usize = 5;
/// small means at most this many visible units.
const SMALL: u32 = 20;

/// All charts.
pub fn charts_of_both(pair: Pair) -> impl IntoView {
    let figure = move |(place, [title, file, unit, help]): (usize, [&'static str; 4])| {
        let range = (place == COUNTED.0).then_some(COUNTED.1);
        let chart = Signal::derive(move || Chart {
            x: Axis::new("gradient steps", "Of each run, from its beginning."),
            y: Axis { range, ..Axis::new(unit, help) },
            series: RUNS.iter().zip(pair.runs).flat_map(|(looks, run)| series(LINES[place], *looks, run)).collect(),
            levels: Vec::new(),
        });
        let shown = Memo::new(move |_| {
            place != EXACT
                || pair.for_data.get().visible <= SMALL
                || chart.with(|chart| chart.series.iter().any(|series| !series.points.is_empty()))
        });
        let summary = Signal::derive(move || chart.with(summary));
        view! {
            <Show when=move || shown.get()>
                <ChartFigure chart title summary file />
            </Show>
        }
    };
    view! { <div class="compare-charts">{rows(TEXTS).take(LINES.len()).enumerate().map(figure).collect_view()}</div> }
}

/// The lines of a run in a chart.
fn series(lines: &[Line], (run_name, own_hue, dash): (&str, usize, &'static [f64]), run: ComparedRun) -> Vec<Series> {
    let line = |(place, (name, points)): (usize, &Line)| {
        let (name, hue) = if name.is_empty() { (run_name.to_string(), own_hue) } else { (format!("{run_name}, {name}"), place) };
        Series { name, hue, dash, points: points(run), ..Series::default() }
    };
    lines.iter().enumerate().map(line).collect()
}

fn points(run: ComparedRun, of: fn(&Look) -> Option<f64>) -> Vec<Point> {
    run.looks
        .with(|looks| looks.iter().filter_map(|look| of(look).map(|y| Point::new(f64::from(look.signals.step), y))).collect())
}

/// The last value of each line, in words.
fn summary(chart: &Chart) -> String {
    let last = chart.series.iter().filter_map(|series| {
        let point = series.points.last()?;
        Some(format!("{} {} at step {}", series.name, short(point.y), point.x))
    });
    let last: Vec<_> = last.collect();
    if last.is_empty() { "Nothing yet.".into() } else { format!("{}: {}.", chart.y.label, last.join("; ")) }
}
