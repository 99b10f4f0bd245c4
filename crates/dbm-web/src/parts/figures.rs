//! Meeting times and search lengths of the recent gradient steps, both phases, live.

use crate::bins::Summary;
use crate::paint::{Scale, histogram, redraws};
use crate::state::state;
use dbm_protocol::{Histogram, Metrics, PhaseMetrics};
use leptos::html::Canvas;
use leptos::prelude::*;

/// Units in all, up to which couplings that take more than one step are seen now and then.
const SMALL: u32 = 30;

/// How long the two chains of each coupling took to meet.
#[component]
pub fn MeetingTime() -> impl IntoView {
    let state = state();
    let small = move || state.training.with(|about| about.as_ref().is_some_and(|about| about.sizes.iter().sum::<u32>() <= SMALL));
    let cells = |phase: &PhaseMetrics| {
        let summary = Summary::of(&phase.meeting_time);
        [
            format!("{:.2}", summary.mean),
            summary.max.to_string(),
            percent(summary.above_one),
            percent(phase.acceptance),
            summary.capped.to_string(),
        ]
    };
    view! {
        <section class="figure" aria-labelledby="meeting-title">
            <div class="figure-head">
                <h3 id="meeting-title">"Meeting time"</h3>
                <p class="figures-text">"τ in steps, log scale"</p>
            </div>
            <Plot of=|phase| &phase.meeting_time scale=Scale::Logarithmic label="Histogram of meeting times" />
            <Table of=|phase| &phase.meeting_time heads=["mean", "max", "τ > 1", "accepted", "cut"] cells=cells />
            <p class="help">
                {move || {
                    if small() {
                        "A model this small shows what unbiased means: some proposals are accepted, the two chains part, and what they see \
                         until they meet, τ > 1, corrects the estimate so that its mean is exact."
                    } else {
                        "On a model of this size every run one will ever watch meets at once, τ = 1: the estimate is unbiased, but its \
                         corrections lie in events too rare to be seen. They show on small models: try Bars and stripes with few hidden units."
                    }
                }}
            </p>
        </section>
    }
}

/// A share in per cent, with as many places as a narrow column holds.
fn percent(share: f64) -> String {
    match 100.0 * share {
        0.0 => "0 %".into(),
        small if small < 10.0 => format!("{small:.2} %"),
        large => format!("{large:.1} %"),
    }
}

/// How many sweeps the local searches took.
#[component]
pub fn SearchSweeps() -> impl IntoView {
    let cells = |phase: &PhaseMetrics| {
        let summary = Summary::of(&phase.sweeps);
        [
            format!("{:.1}", summary.mean),
            summary.max.to_string(),
            format!("{:.1}", phase.energy).replace('-', "−"),
            summary.capped.to_string(),
        ]
    };
    view! {
        <section class="figure" aria-labelledby="sweeps-title">
            <div class="figure-head">
                <h3 id="sweeps-title">"Search sweeps"</h3>
                <p class="figures-text">"T until nothing changes"</p>
            </div>
            <Plot of=|phase| &phase.sweeps scale=Scale::Linear label="Histogram of search lengths" />
            <Table of=|phase| &phase.sweeps heads=["mean", "max", "energy", "cut"] cells=cells />
            <p class="help">
                "Each chain begins in a local mode: from noise, half of the layers at a time go where their energy is least, until a whole \
                 sweep changes nothing. The energy never rises on the way."
            </p>
        </section>
    }
}

/// Both phases' bars.
#[component]
fn Plot(
    /// Which of a phase's histograms.
    of: fn(&PhaseMetrics) -> &Histogram,
    /// How bar lengths follow counts.
    scale: Scale,
    /// What it is.
    label: &'static str,
) -> impl IntoView {
    let state = state();
    let canvas = NodeRef::<Canvas>::new();
    redraws(
        canvas,
        move || state.metrics.with(|metrics| [of(&metrics.positive).clone(), of(&metrics.negative).clone()]),
        move |surface, colours, phases| histogram(surface, colours, [&phases[0], &phases[1]], scale),
    );
    let note = move || state.metrics.with(|metrics| note(metrics, of));
    view! {
        <div class="plot">
            <canvas node_ref=canvas role="img" aria-label=format!("{label}; the table below has the numbers")></canvas>
            <p class="plot-note">{note}</p>
        </div>
    }
}

/// What an empty half of a plot means.
fn note(metrics: &Metrics, of: fn(&PhaseMetrics) -> &Histogram) -> &'static str {
    let none = |phase: &PhaseMetrics| of(phase).counts.is_empty() && of(phase).capped == 0;
    match (none(&metrics.positive), none(&metrics.negative)) {
        (true, true) => "Shown while training.",
        (true, false) => "With one hidden layer the positive phase is exact and needs no chain.",
        _ => "",
    }
}

/// The numbers, phase by phase.
#[component]
fn Table<const N: usize>(
    /// Which of a phase's histograms.
    of: fn(&PhaseMetrics) -> &Histogram,
    /// Column heads.
    heads: [&'static str; N],
    /// What stands in a phase's row.
    cells: fn(&PhaseMetrics) -> [String; N],
) -> impl IntoView {
    let state = state();
    let row = move |positive: bool| {
        let texts = Memo::new(move |_| {
            state.metrics.with(|metrics| {
                let phase = if positive { &metrics.positive } else { &metrics.negative };
                let none = phase.meeting_time.counts.is_empty() && phase.sweeps.counts.is_empty();
                if none { vec!["–".to_string(); N] } else { cells(phase).to_vec() }
            })
        });
        (0..N)
            .map(move |at| view! { <td>{move || texts.with(|texts| texts.get(at).cloned().unwrap_or_default())}</td> })
            .collect_view()
    };
    let caption = move || {
        state.metrics.with(|metrics| match (metrics.recent_steps, of(&metrics.negative).cap) {
            (0, _) => "No steps yet".to_string(),
            (steps, 0) => format!("Last {steps} steps"),
            (steps, cap) => format!("Last {steps} steps; cut at {cap}"),
        })
    };
    view! {
        <table class="numbers">
            <caption>{caption}</caption>
            <thead>
                <tr>
                    <td></td>
                    {heads.map(|head| view! { <th scope="col">{head}</th> }).collect_view()}
                </tr>
            </thead>
            <tbody>
                <tr class="positive">
                    <th scope="row" title="visible layer clamped to the data">"clamped"</th>
                    {row(true)}
                </tr>
                <tr class="negative">
                    <th scope="row" title="no layer clamped, or the known pixels only">"free"</th>
                    {row(false)}
                </tr>
            </tbody>
        </table>
    }
}
