//! The course of the run: its signals over the steps, and how active its hidden layers are.

use crate::canvas::{Axis, Chart, Point, Series, short};
use crate::ui::chart::ChartFigure;
use crate::ui::history;
use crate::ui::select::{Select, SelectOption};
use crate::ui::table::rows;
use crate::worker::session::Session;
use dbm_protocol::{Activity, RunSignals};
use leptos::prelude::*;

/// Most points of a curve.
const MOST: usize = 400;
const SAMPLES_DASH: &[f64] = &[6.0, 4.0];
/// Dashes of the layers' lines, lowest layer first.
const DASHES: [&[f64]; 4] = [&[], SAMPLES_DASH, &[2.0, 3.0], &[10.0, 3.0, 2.0, 3.0]];

/// Name, unit and meaning of each curve, in the order of [`super::CURVES`].
fn curves() -> impl Iterator<Item = [&'static str; 3]> {
    rows(include_str!("curves.txt"))
}

fn of_curve(curve: usize) -> [&'static str; 3] {
    curves().nth(curve).unwrap_or_default()
}

type Line = (&'static str, fn(&RunSignals) -> Option<f64>);

/// The signals that a curve shows.
fn lines(curve: usize) -> &'static [Line] {
    const LINES: [&[Line]; 4] = [
        &[("data", |seen| Some(seen.reconstruction_error))],
        &[("data", |seen| Some(seen.pseudo_log_likelihood))],
        &[("data", |seen| Some(seen.free_energy)), ("samples", |seen| seen.free_energy_of_samples)],
        &[("data", |seen| seen.log_likelihood)],
    ];
    LINES[curve]
}

fn chart(history: &[RunSignals], curve: usize) -> Chart {
    let [name, unit, help] = of_curve(curve);
    let series = lines(curve).iter().enumerate().map(|(hue, (name, of))| Series {
        name: (*name).into(),
        hue,
        dash: DASHES[hue],
        points: history.iter().filter_map(|seen| Some(Point::new(f64::from(seen.step), of(seen)?))).collect(),
        ..Series::default()
    });
    Chart {
        x: Axis::new("gradient steps", "Steps of the run, each on one minibatch."),
        y: Axis::new(&format!("{name}, {unit}"), help),
        series: series.collect(),
        levels: Vec::new(),
    }
}

fn summary(history: &[RunSignals], curve: usize) -> String {
    let [name, ..] = of_curve(curve);
    let (Some(first), Some(last)) = (history.first(), history.last()) else { return format!("{name}: shown while training.") };
    let ends = lines(curve).iter().filter_map(|(of, value)| {
        let first = history.iter().find_map(value)?;
        let last = history.iter().rev().find_map(value)?;
        Some(format!(" {of} from {} to {};", short(first), short(last)))
    });
    let ends: String = ends.collect();
    if ends.is_empty() {
        return format!("{name}: unknown for this model on these data.");
    }
    format!("{name}, steps {} to {}:{}", first.step, last.step, ends.trim_end_matches(';'))
}

/// Adds new signals to those of the run so far; signals from before the last point begin a new history. Returns whether anything
/// changed.
fn add(history: &mut Vec<RunSignals>, seen: Option<RunSignals>, step: u32) -> bool {
    let began = history.last().is_some_and(|last| step < last.step);
    if began {
        history.clear();
    }
    let new = seen.filter(|seen| history.last() != Some(seen));
    if let Some(seen) = new {
        history::add(history, seen, MOST, |seen| seen.step);
    }
    began || new.is_some()
}

/// The region of the curves.
pub fn curves_figure(session: Session, curve: RwSignal<usize>) -> impl IntoView {
    let history = RwSignal::new(Vec::new());
    Effect::new(move |_| {
        let (seen, step) = session.run.metrics.with(|metrics| (metrics.signals, metrics.step));
        history.maybe_update(|history| add(history, seen, step));
    });
    let shown = Signal::derive(move || history.with(|history| chart(history, curve.get())));
    let summary = Memo::new(move |_| history.with(|history| summary(history, curve.get())));
    let options: Vec<_> = curves().enumerate().map(|(place, [name, ..])| SelectOption::new(place.to_string(), name)).collect();
    let choose = move |place: String| curve.set(place.parse().unwrap_or(0));
    view! {
        <section class="figure curves" aria-label="Curves">
            <ChartFigure chart=shown title="Curves" summary=summary file="curves" />
            <Select
                id="quantity"
                label="Quantity"
                bare=true
                help="What the curve shows. All of them are in the log that Save writes."
                options
                value=Signal::derive(move || curve.get().to_string())
                on_choose=choose
            />
            <p class="help summary">{summary}</p>
        </section>
    }
}

fn activity(layers: &[Activity]) -> Chart {
    let series = layers.iter().enumerate().map(|(place, layer)| {
        let (bins, units) = (layer.bins.len() as f64, layer.bins.iter().sum::<u32>());
        let point =
            |(bin, &count): (usize, &u32)| Point::new((bin as f64 + 0.5) / bins, f64::from(count) / f64::from(units.max(1)));
        let points = layer.bins.iter().enumerate().map(point).collect();
        Series {
            name: format!("layer {}", place + 1),
            hue: place,
            dash: DASHES[place % 4],
            dots: true,
            points,
            ..Series::default()
        }
    });
    let x = Axis::new("mean activity", "How likely a unit is high given an example, by mean field, averaged over 50 examples.");
    let y = Axis::new("share of the layer’s units", "Units in twenty bins by their mean activity.");
    Chart { x: x.over(0.0, 1.0), y, series: series.collect(), levels: Vec::new() }
}

/// The region of the activities.
pub fn activities_figure(session: Session) -> impl IntoView {
    let layers = Memo::new(move |_| session.run.metrics.with(|metrics| metrics.activities.clone()));
    let shown = Signal::derive(move || layers.with(|layers| activity(layers)));
    let words = Memo::new(move |_| {
        let of = |(place, layer): (usize, &Activity)| {
            let units: u32 = layer.bins.iter().sum();
            format!("Layer {}: {} of {units} always low, {} always high.", place + 1, layer.low, layer.high)
        };
        let words: Vec<String> = layers.with(|layers| layers.iter().enumerate().map(of).collect());
        if words.is_empty() { "Shown while training.".into() } else { words.join(" ") }
    });
    view! {
        <section class="figure" aria-label="Layer activity">
            <ChartFigure chart=shown title="Layer activity" summary=words file="activity" />
            <p class="help summary" data-help="Always low: a mean activity below 0.01; always high: above 0.99. Such a unit says next to nothing about an example.">
                {words}
            </p>
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_show_what_is_known_and_say_so() {
        let seen = |step, log_likelihood| RunSignals {
            step,
            reconstruction_error: 0.25,
            pseudo_log_likelihood: -9.0,
            free_energy: -20.0,
            free_energy_of_samples: (step > 1).then_some(-22.0),
            log_likelihood,
        };
        let history = [seen(1, None), seen(4, None)];
        let free = chart(&history, 2);
        assert_eq!((free.series[0].points.len(), free.series[1].points.len()), (2, 1));
        assert_eq!(summary(&history, 2), "Free energy, steps 1 to 4: data from −20 to −20; samples from −22 to −22");
        assert!(summary(&history, 3).contains("unknown") && summary(&[], 0).contains("while training"));
        assert_eq!(chart(&[seen(3, Some(-4.0))], 3).series[0].points, [Point::new(3.0, -4.0)]);
    }

    #[test]
    fn a_point_is_completed_in_its_place_and_a_new_run_begins_anew() {
        let seen = RunSignals {
            step: 5,
            reconstruction_error: 0.1,
            pseudo_log_likelihood: -1.0,
            free_energy: -2.0,
            free_energy_of_samples: None,
            log_likelihood: None,
        };
        let complete = RunSignals { free_energy_of_samples: Some(-3.0), ..seen };
        let mut history = Vec::new();
        assert!(add(&mut history, Some(seen), 5) && add(&mut history, Some(complete), 7) && history == [complete]);
        assert!(!add(&mut history, Some(complete), 7));
        assert!(add(&mut history, None, 0) && history.is_empty());
    }

    #[test]
    fn activities_are_shares_of_a_layer() {
        let shown = activity(&[Activity { bins: vec![1, 0, 3, 0], low: 1, high: 0 }, Activity::default()]);
        assert_eq!(shown.series[0].points[2], Point::new(0.625, 0.75));
        assert!(shown.series[1].points.is_empty());
    }
}
