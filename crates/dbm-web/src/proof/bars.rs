//! The exact gradient as one bar per parameter, and on each bar the estimators' means with their intervals.

use super::estimates::Means;
use super::estimator_table::ESTIMATORS;
use super::settings::LEVEL;
use super::state::ProofState;
use crate::canvas::short;
use leptos::prelude::*;
use web_sys::KeyboardEvent;

/// Height of an estimator's lane in a row, in pixels.
const LANE: f64 = 4.6;

/// A mean, and half the width of its interval.
#[derive(Clone, PartialEq)]
struct Estimate {
    estimator: usize,
    mean: f64,
    half: f64,
    /// The value that the mean converges to, if known.
    expectation: Option<f64>,
}

/// A row of the plot.
#[derive(Clone, PartialEq)]
struct Row {
    name: String,
    /// `None` while it is being computed for the first time.
    exact: Option<f64>,
    estimates: Vec<Estimate>,
}

/// All rows, and the extent of the plot on either side.
#[derive(Clone, Default, PartialEq)]
struct Rows {
    all: Vec<Row>,
    reach: f64,
    lanes: usize,
    differences: bool,
}

fn rows(proof: ProofState) -> Rows {
    let sizes = proof.sizes();
    let parameters = proof.parameters();
    let exact = proof.exact_gradient();
    let (chosen, alone, differences) = proof.settings.with(|settings| (settings.chosen, settings.alone, settings.differences));
    let means: Vec<(usize, Means)> =
        proof.of_chosen(|at, estimates| (at, estimates.now())).into_iter().filter(|(_, means)| means.samples > 0).collect();
    let factors: Vec<f64> = means.iter().map(|(_, means)| means.factor(alone)).collect();
    let expectations = proof.expectations.get();
    let expectation = |at: usize, place: usize| expectations.get(at)?.as_ref()?.get(place).copied();
    let mut reach = 0.0_f64;
    let all = parameters
        .iter()
        .enumerate()
        .map(|(place, parameter)| {
            let name = parameter.short(&sizes);
            let Some(exact) = exact.get(place).copied() else { return Row { name, exact: None, estimates: Vec::new() } };
            let zero = if differences { exact } else { 0.0 };
            let estimates = means.iter().zip(&factors).filter_map(|((at, means), &factor)| {
                let (mean, half) = means.interval(place, factor)?;
                Some(Estimate {
                    estimator: *at,
                    mean: mean - zero,
                    half,
                    expectation: expectation(*at, place).map(|mean| mean - zero),
                })
            });
            let estimates: Vec<Estimate> = estimates.collect();
            // The first intervals are wide: they may extend beyond the plot.
            let most = estimates.iter().map(|estimate| {
                let room = if differences { estimate.half.min(4.0 * estimate.mean.abs().max(0.02)) } else { 0.0 };
                estimate.mean.abs() + room
            });
            reach = most.fold(reach.max((exact - zero).abs()), f64::max);
            Row { name, exact: Some(exact), estimates }
        })
        .collect();
    Rows { all, reach: round_up(reach * 1.04), lanes: chosen.iter().filter(|chosen| **chosen).count(), differences }
}

/// The smallest of a few round numbers that is at least `value`.
fn round_up(value: f64) -> f64 {
    if !(value.is_finite() && value > 1e-12) {
        return 1.0;
    }
    let power = 10f64.powf(value.log10().floor());
    let digits = [1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
    digits.into_iter().map(|digit| digit * power).find(|round| *round >= value).unwrap_or(10.0 * power)
}

/// Position of a value, in per cent of the width.
fn percent(value: f64, reach: f64) -> String {
    format!("{:.2}%", 50.0 + 50.0 * (value / reach).clamp(-1.0, 1.0))
}

/// One row per parameter, under a shared axis.
pub fn bars(proof: ProofState) -> impl IntoView {
    let all = Memo::new(move |_| rows(proof));
    let count = Memo::new(move |_| all.with(|all| all.all.len()));
    let shown = Memo::new(move |_| proof.settings.with(|settings| settings.show));
    let key = move |event: KeyboardEvent| {
        let last = count.get_untracked().saturating_sub(1);
        let now = shown.get_untracked();
        let next = match event.key().as_str() {
            "ArrowDown" => now.map_or(0, |place| (place + 1).min(last)),
            "ArrowUp" => now.map_or(last, |place| place.saturating_sub(1)),
            "Home" => 0,
            "End" => last,
            "Escape" => return proof.show(None),
            _ => return,
        };
        event.prevent_default();
        proof.show(Some(next));
        if let Some(row) = document().get_element_by_id(&id(next)) {
            let options = web_sys::ScrollIntoViewOptions::new();
            options.set_block(web_sys::ScrollLogicalPosition::Nearest);
            row.scroll_into_view_with_scroll_into_view_options(&options);
        }
    };
    let ticks = move || {
        let reach = all.with(|all| all.reach).max(1e-12);
        [-1.0, -0.5, 0.0, 0.5, 1.0].map(|share| view! { <span>{short(share * reach)}</span> }).into_iter().collect_view()
    };
    view! {
        <figure class="proof-bars" data-tour="proof-bars" aria-labelledby="proof-bars-title">
            <div class="chart-head">
                <h3
                    id="proof-bars-title"
                    data-help="Grey bars: the exact gradient of the mean log-likelihood, by enumeration of all states. On each, the means of the estimators so far, with their intervals; a thin tick is where a biased estimator’s mean will settle, computed without sampling."
                >
                    "The exact gradient, and the means"
                </h3>
                {proof.form().check("bars")}
            </div>
            <div class="proof-axis" aria-hidden="true">{ticks}</div>
            <div
                class="proof-rows"
                role="listbox"
                tabindex="0"
                aria-labelledby="proof-bars-title"
                aria-activedescendant=move || shown.get().map(id)
                on:keydown=key
            >
                <For each=move || 0..count.get() key=|place| *place let:place>
                    {row(proof, all, shown, place)}
                </For>
            </div>
            <p class="figures-text" data-longest=move || whiskers(count.get(), false)>
                <span>{move || whiskers(count.get(), proof.settings.with(|settings| settings.alone))}</span>
            </p>
        </figure>
    }
}

/// What the whiskers mean; longer unless each interval is `alone`.
fn whiskers(count: usize, alone: bool) -> String {
    let level = 100.0 * LEVEL;
    if alone {
        format!(
            "Whiskers: individual {level} % intervals; of {count} intervals one misses by chance about every {} looks.",
            100 / count.max(1)
        )
    } else {
        format!(
            "Whiskers: {level} % intervals, simultaneous for all {count} parameters of an estimator, at any one number of samples."
        )
    }
}

fn id(place: usize) -> String {
    format!("proof-row-{place}")
}

fn row(proof: ProofState, all: Memo<Rows>, shown: Memo<Option<usize>>, place: usize) -> impl IntoView {
    let this =
        Memo::new(move |_| all.with(|all| all.all.get(place).map(|row| (row.clone(), all.reach, all.lanes, all.differences))));
    let inside = move || {
        this.get().map(|(row, reach, lanes, differences)| {
            let height = 4.0 + LANE * lanes.max(3) as f64;
            let exact = row.exact.filter(|_| !differences).unwrap_or_default();
            let (low, high) = (exact.min(0.0), exact.max(0.0));
            let wide = format!("{:.2}%", 50.0 * (high - low) / reach);
            let marks = row.estimates.iter().enumerate().map(|(lane, estimate)| {
                let y = 2.0 + LANE * (lane as f64 + 0.5);
                let (from, to) = (estimate.mean - estimate.half, estimate.mean + estimate.half);
                let ends = |value: f64| percent(value, reach);
                let law = estimate.expectation.map(|law| {
                    view! { <line class="law" x1=ends(law) x2=ends(law) y1=y - LANE / 2.0 y2=y + LANE / 2.0 /> }
                });
                view! {
                    <g class=format!("hue-{}", ESTIMATORS[estimate.estimator].hue)>
                        {law}
                        <line class="whisker" x1=ends(from) x2=ends(to) y1=y y2=y />
                        <svg x=ends(estimate.mean) y=y overflow="visible">
                            <path class="mark" d=ESTIMATORS[estimate.estimator].mark />
                        </svg>
                    </g>
                }
            });
            view! {
                <svg height=height aria-hidden="true">
                    <rect class="bar" x=percent(low, reach) width=wide y="1" height=height - 2.0 />
                    <line class="zero" x1="50%" x2="50%" y1="0" y2=height />
                    {(!differences).then(|| view! { <line class="exact" x1=percent(exact, reach) x2=percent(exact, reach) y1="0" y2=height /> })}
                    {marks.collect_view()}
                </svg>
            }
        })
    };
    let label = move || {
        this.with(|this| {
            this.as_ref().map(|(row, _, _, differences)| {
                let off = if *differences { " off" } else { "" };
                let exact = row.exact.map_or_else(String::new, |exact| format!(": exact {}", short(exact)));
                row.estimates.iter().fold(format!("{}{exact}", row.name), |text, estimate| {
                    let Estimate { estimator, mean, half, .. } = estimate;
                    text + &format!("; {} {}{off} ± {}", ESTIMATORS[*estimator].title, short(*mean), short(*half))
                })
            })
        })
    };
    view! {
        <div
            id=id(place)
            role="option"
            aria-selected=move || (shown.get() == Some(place)).to_string()
            aria-label=label
            on:click=move |_| proof.show(if shown.get_untracked() == Some(place) { None } else { Some(place) })
        >
            <span>{move || this.with(|this| this.as_ref().map(|(row, ..)| row.name.clone()))}</span>
            {inside}
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plot_reaches_to_round_numbers_and_holds_what_goes_beyond() {
        assert_eq!([0.0, f64::NAN, 0.41, 1.21, 9.0].map(round_up), [1.0, 1.0, 0.5, 1.5, 10.0]);
        assert_eq!(
            ["0.00%", "50.00%", "100.00%", "75.00%"],
            [-9.0, 0.0, f64::INFINITY, 1.0].map(|value| percent(value, 2.0)).each_ref().map(String::as_str)
        );
    }
}
