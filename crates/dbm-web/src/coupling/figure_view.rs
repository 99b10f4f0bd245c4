//! The figure on the page: its controls, its charts, and the runs behind them.

use super::figure::Figure;
use super::figure_settings::{CountedRuns, CountedSteps, FigureField};
use super::pairs::Pair;
use super::plot;
use super::results::{Spread, Summary};
use crate::canvas::{Chart, short};
use crate::ui::chart::ChartFigure;
use crate::ui::field::TextField;
use crate::ui::select::Choice;
use crate::ui::table::NumberTable;
use dbm_core::Units;
use leptos::prelude::*;

/// Controls to the left, charts to the right, all numbers below.
#[component]
pub fn FigureOfCouplings(
    /// What it is made of.
    figure: Figure,
) -> impl IntoView {
    let Figure { draft, progress, .. } = figure;
    let busy = Memo::new(move |_| progress.with(Option::is_some));
    let steps = Memo::new(move |_| draft.with(|draft| draft.steps));
    let share = Memo::new(move |_| draft.with(|draft| draft.share));
    let step_chart = Memo::new(move |_| figure.read(|settings, results| plot::steps(settings, results, steps.get())));
    let share_chart = Memo::new(move |_| figure.read(|settings, results| plot::shares(settings, results, share.get())));
    let summary = |chart: Memo<Chart>| Signal::derive(move || chart.with(plot::summary));
    let bounded = move || step_chart.with(|chart| chart.series.iter().any(|line| !line.at_least.is_empty()));
    let rows = Callback::new(move |()| untrack(|| figure.read(|settings, results| results.csv(settings))));
    view! {
        <div class="coupling-grid">
            <Controls figure />
            <div class="coupling-figure">
                <div class="coupling-status">
                    <button
                        type="button"
                        aria-keyshortcuts="c"
                        class="primary accent"
                        disabled=move || busy.get() || figure.missing() == 0
                        on:click=move |_| figure.compute()
                    >
                        "Compute"
                    </button>
                    <button
                        type="button"
                        disabled=move || !busy.get()
                        on:click=move |_| figure.stop("Cancelled; what was computed is kept.")
                    >
                        "Cancel"
                    </button>
                    <p role="status" aria-live=move || if busy.get() { "off" } else { "polite" }>
                        {move || figure.status()}
                    </p>
                    <progress
                        aria-label="Couplings at work"
                        class:idle=move || !busy.get()
                        max=move || progress.with(|progress| progress.as_ref().map_or(1, |progress| progress.total))
                        prop:value=move || f64::from(progress.with(|progress| progress.as_ref().map_or(0, |progress| progress.done)))
                    ></progress>
                </div>
                <div class="coupling-charts">
                    <div>
                        <div class="inline">
                            <Choice<CountedSteps> id="coupling-show" value=steps on_choose=move |steps| draft.update(|draft| draft.steps = steps) />
                        </div>
                        <ChartFigure chart=step_chart title="Steps by dimension" summary=summary(step_chart) file="coupling" rows=rows />
                        <p class="help bound">
                            {move || {
                                bounded()
                                    .then_some("A hollow mark: some of its runs were cut at the cap, so the mean is at least this.")
                            }}
                        </p>
                    </div>
                    <div>
                        <div class="inline">
                            <Choice<CountedRuns> id="coupling-share" value=share on_choose=move |share| draft.update(|draft| draft.share = share) />
                        </div>
                        <ChartFigure chart=share_chart title="Shares of runs" summary=summary(share_chart) file="coupling-shares" rows=rows />
                    </div>
                </div>
                <Numbers figure />
            </div>
        </div>
    }
}

/// What the figure is set to.
#[component]
fn Controls(figure: Figure) -> impl IntoView {
    let Figure { draft, progress, .. } = figure;
    let units = Memo::new(move |_| draft.with(|draft| draft.units));
    let text = move |field: FigureField| {
        view! {
            <TextField
                id=format!("coupling-{}", field as usize)
                words=field.words()
                letters=field == FigureField::Dimensions
                wide=field == FigureField::Dimensions
                value=Signal::derive(move || draft.with(|draft| draft.text(field).to_string()))
                problem=Memo::new(move |_| draft.with(|draft| draft.problem(field)))
                on_type=move |text: String| draft.update(|draft| draft.set(field, text))
            />
        }
    };
    let pair = |pair: Pair| {
        view! {
            <label class="check" data-help=pair.row().help>
                <input
                    type="checkbox"
                    prop:checked=move || draft.with(|draft| draft.pairs[pair as usize])
                    on:change=move |event| draft.update(|draft| draft.pairs[pair as usize] = event_target_checked(&event))
                />
                <span>{pair.row().title}</span>
            </label>
        }
    };
    view! {
        <div class="coupling-controls">
            <fieldset class="coupling-settings" disabled=move || progress.with(Option::is_some)>
                {text(FigureField::Dimensions)}
                <div class="field">
                    <Choice<Units> id="coupling-units" value=units on_choose=move |units| draft.update(|draft| draft.units = units) />
                </div>
                {[FigureField::Runs, FigureField::Cap, FigureField::Tries, FigureField::Seed].map(text)}
            </fieldset>
            <fieldset>
                <legend>"Pairs of chains"</legend>
                {Pair::ALL.map(pair)}
            </fieldset>
            <p class="help">
                {move || {
                    if units.get() == Units::Bits {
                        "With bits the Gibbs coupling meets within a few steps at any of these dimensions: the paper’s figure exists only with signs."
                    } else {
                        "With signs, the Gibbs coupling takes exponentially longer with d. Metropolis from the local mode has τ = 1 in every run seen from about d = 50: \
                         its correction lives in events that nobody will observe."
                    }
                }}
            </p>
        </div>
    }
}

/// A row of the table: the runs of a pair at a dimension.
fn row(dimension: u32, pair: Pair, summary: &Summary) -> impl IntoView + use<> {
    let around = |Spread { mean, quartiles: [low, _, high], .. }: Spread, least: &str| {
        format!("{least}{} ({} to {})", short(mean), short(low), short(high))
    };
    let least = if summary.capped > 0 { "at least " } else { "" };
    let percent = |count| format!("{} %", short(100.0 * summary.share(count)));
    view! {
        <tr>
            <th scope="row">{dimension}</th>
            <th scope="row">{pair.row().title}</th>
            <td>{summary.runs}</td>
            <td>{around(summary.total, least)}</td>
            <td>{around(summary.tau, least)}</td>
            <td>{summary.tau.most}</td>
            <td>{around(summary.sweeps, "")}</td>
            <td>{percent(summary.corrected)}</td>
            <td>{percent(summary.capped)}</td>
        </tr>
    }
}

/// The columns of the table.
const HEADINGS: [&str; 9] = [
    "d",
    "Pair",
    "Runs",
    "Mean τ + T (quartiles)",
    "Mean τ (quartiles)",
    "Longest τ",
    "Mean T (quartiles)",
    "τ > 1",
    "At the cap",
];

/// All numbers, dimension by dimension, once they are unfolded.
#[component]
fn Numbers(figure: Figure) -> impl IntoView {
    let open = RwSignal::new(false);
    let rows = move || {
        figure.read(|settings, results| {
            let dimensions = settings.dimensions.iter();
            let points = dimensions.flat_map(|&dimension| settings.pairs.iter().map(move |&pair| (dimension, pair)));
            points
                .filter_map(|(dimension, pair)| Some(row(dimension, pair, &results.summary(settings, pair, dimension)?)))
                .collect::<Vec<_>>()
        })
    };
    view! {
        <details class="coupling-numbers" on:toggle=move |event| open.set(event_target::<web_sys::HtmlDetailsElement>(&event).open())>
            <summary>"The runs behind the figure, dimension by dimension"</summary>
            <NumberTable label="The runs behind the figure" headings=HEADINGS.map(|title| (title, "")).to_vec()>
                {move || open.get().then(rows)}
            </NumberTable>
        </details>
    }
}
