//! The curves of both runs in the same charts: run A whole, run B dashed.

use super::pair::Pair;
use super::run::{Look, Run};
use crate::canvas::{Axis, Chart, Point, Series, short};
use crate::ui::chart::ChartFigure;
use leptos::prelude::*;

/// By run: its name, its hue, and the dash of its line.
const RUNS: [(&str, usize, &[f64]); 2] = [("run A", 5, &[]), ("run B", 2, &[6.0, 4.0])];

/// All of them.
#[component]
pub fn Charts(
    /// The runs.
    pair: Pair,
) -> impl IntoView {
    let lines =
        move |of: fn(Run) -> Vec<Point>| move || RUNS.iter().zip(pair.runs).map(|(line, run)| series(*line, of(run))).collect();
    let error = Signal::derive(move || {
        chart(
            "mean squared error of a bit",
            "Of 50 examples, reconstructed through the first hidden layer: 0 is perfect. Low says little of the samples, which start from noise.",
            lines(|run| points(run, |look| Some(look.signals.reconstruction_error)))(),
        )
    });
    let pseudo = Signal::derive(move || {
        chart(
            "nats an example",
            "The log-probability of each bit given all others, summed; of 50 examples, smoothed over the last looks. Higher is better.",
            lines(|run| points(run, |look| Some(look.signals.pseudo_log_likelihood)))(),
        )
    });
    let distinct = Signal::derive(move || {
        let mut chart = chart(
            "of 64 samples",
            "How many of the 64 samples are different pictures. A model that has fallen together has few, whatever the other curves say.",
            lines(|run| {
                run.distinct.with(|all| all.iter().map(|&(step, count)| Point::new(f64::from(step), f64::from(count))).collect())
            })(),
        );
        chart.y.range = Some((0.0, 66.0));
        chart
    });
    let energy = Signal::derive(move || {
        chart(
            "mean energy",
            "Of the states that each phase’s chains start from, or end in where nothing is coupled; data clamped, and free. The two phases should stay near each \
         other. Runs with different units have energies on different scales.",
            both(pair, ["clamped", "free"], |look, place| look.energy[place]),
        )
    });
    let free = Signal::derive(move || {
        chart(
            "nats",
            "Mean free energy of some examples, and of the samples: exact with one hidden layer, an upper bound with more. Where samples lie far below the data, the \
         model likes them better than the data. Runs with different units are not on one scale.",
            both(pair, ["data", "samples"], |look, place| {
                [Some(look.signals.free_energy), look.signals.free_energy_of_samples][place]
            }),
        )
    });
    let exact = Signal::derive(move || {
        chart(
            "nats an example",
            "The mean log-likelihood of the data, computed exactly, since the model is small enough. This is what training is to raise.",
            lines(|run| points(run, |look| look.signals.log_likelihood))(),
        )
    });
    let is_exact = Memo::new(move |_| exact.with(|chart| chart.series.iter().any(|series| !series.points.is_empty())));
    view! {
        <div class="compare-charts">
            <ChartFigure chart=distinct title="Distinct samples" summary=summary(distinct) file="two-runs-distinct" />
            <ChartFigure chart=error title="Reconstruction error" summary=summary(error) file="two-runs-reconstruction" />
            <ChartFigure chart=pseudo title="Pseudo-likelihood" summary=summary(pseudo) file="two-runs-pseudo-likelihood" />
            <ChartFigure chart=free title="Free energy" summary=summary(free) file="two-runs-free-energy" />
            <ChartFigure chart=energy title="Energy of both phases" summary=summary(energy) file="two-runs-energy" />
            <Show when=move || is_exact.get()>
                <ChartFigure chart=exact title="Exact log-likelihood" summary=summary(exact) file="two-runs-likelihood" />
            </Show>
        </div>
    }
}

/// Two lines of each run, told apart by their hues.
fn both(pair: Pair, names: [&str; 2], of: fn(&Look, usize) -> Option<f64>) -> Vec<Series> {
    let lines = RUNS.iter().zip(pair.runs).flat_map(|((name, _, dash), run)| {
        [0, 1].map(|place| Series {
            name: format!("{name}, {}", names[place]),
            hue: place,
            dash,
            points: points(run, |look| of(look, place)),
            ..Series::default()
        })
    });
    lines.collect()
}

fn points(run: Run, of: impl Fn(&Look) -> Option<f64>) -> Vec<Point> {
    run.looks
        .with(|looks| looks.iter().filter_map(|look| of(look).map(|y| Point::new(f64::from(look.signals.step), y))).collect())
}

fn series((name, hue, dash): (&str, usize, &'static [f64]), points: Vec<Point>) -> Series {
    Series { name: name.into(), hue, dash, points, ..Series::default() }
}

fn chart(label: &str, help: &str, series: Vec<Series>) -> Chart {
    Chart {
        x: Axis { label: "gradient steps".into(), help: "Of each run, from its beginning.".into(), ..Axis::default() },
        y: Axis { label: label.into(), help: help.into(), ..Axis::default() },
        series,
        levels: Vec::new(),
    }
}

/// The last value of each line, in words.
fn summary(chart: Signal<Chart>) -> Signal<String> {
    Signal::derive(move || {
        chart.with(|chart| {
            let last = chart.series.iter().filter_map(|series| {
                let point = series.points.last()?;
                Some(format!("{} {} at step {}", series.name, short(point.y), point.x))
            });
            let last: Vec<_> = last.collect();
            if last.is_empty() { "Nothing yet.".into() } else { format!("{}: {}.", chart.y.label, last.join("; ")) }
        })
    })
}
