//! The figure on the page: its controls, its charts, and the runs behind them.

use super::figure::Figure;
use super::pairs::{PAIRS, Pair};
use super::plot;
use super::results::{Spread, Summary};
use crate::canvas::{Chart, short};
use crate::ui::button::Button;
use crate::ui::chart::ChartFigure;
use crate::ui::select::Check;
use crate::ui::table::{FoldedTable, headings};
use dbm_core::Units;
use leptos::prelude::*;

/// The longest status.
const LONGEST_STATUS: &str = "100000 of 200000 couplings are missing. Cancelled; what was computed is kept.";
/// What hollow marks mean.
const BOUND: &str = "A hollow mark: some of its runs were cut at the cap, so the mean is at least this.";
/// What the figure shows with signs; the longer of the two remarks.
const WITH_SIGNS: &str = "With signs, the Gibbs coupling takes exponentially longer with d. Metropolis from the local mode has τ = 1 in every run seen from about d = 50: its correction lies in events that nobody will observe.";

/// Controls on the left, charts on the right, all numbers below.
pub fn figure_of_couplings(figure: Figure) -> impl IntoView {
    let form = figure.form();
    let step_chart = Memo::new(move |_| figure.read(|settings, results| plot::steps(settings, results, settings.show)));
    let share_chart = Memo::new(move |_| figure.read(|settings, results| plot::shares(settings, results, settings.share)));
    let summary = |chart: Memo<Chart>| Signal::derive(move || chart.with(plot::summary));
    let bounded = move || step_chart.with(|chart| chart.series.iter().any(|line| !line.at_least.is_empty()));
    let rows = Callback::new(move |()| untrack(|| figure.read(|settings, results| results.csv(settings))));
    view! {
        <div class="coupling-grid">
            {controls(figure)}
            <div class="coupling-figure">
                <div class="coupling-status">
                    <Button
                        label="Compute"
                        key="c"
                        class="primary"
                        disabled=move || figure.work.is_busy() || figure.missing() == 0
                        on_press=move |()| figure.compute()
                    />
                    {figure.work.view(["Couplings done", ""], LONGEST_STATUS, move || figure.status())}
                </div>
                <div class="coupling-charts">
                    <div>
                        <div class="inline">{form.select("show")}</div>
                        <ChartFigure chart=step_chart title="Steps by dimension" summary=summary(step_chart) file="coupling" rows=rows />
                        <p class="help" data-longest=BOUND>
                            <span>{move || bounded().then_some(BOUND)}</span>
                        </p>
                    </div>
                    <div>
                        <div class="inline">{form.select("share")}</div>
                        <ChartFigure chart=share_chart title="Shares of runs" summary=summary(share_chart) file="coupling-shares" rows=rows />
                    </div>
                </div>
                {numbers(figure)}
            </div>
        </div>
    }
}

/// The settings of the figure.
fn controls(figure: Figure) -> impl IntoView {
    let (form, texts) = (figure.form(), figure.texts);
    let units = Memo::new(move |_| texts.with(|texts| texts.read.units));
    let pair = |pair: &'static Pair| {
        let is_chosen = Signal::derive(move || texts.with(|texts| texts.read.pairs.contains(&pair)));
        let choose = move |wanted| form.set("pairs", texts.with_untracked(|texts| texts.read.with_pair(pair, wanted)));
        view! { <Check label=pair.title help=pair.help value=is_chosen on_change=choose /> }
    };
    view! {
        <div class="coupling-controls">
            <fieldset class="coupling-settings" disabled=move || figure.work.is_busy()>
                {["d", "units", "runs", "cap", "tries", "seed"].map(|key| form.field(key))}
            </fieldset>
            <fieldset>
                <legend>"Pairs of chains"</legend>
                {PAIRS.iter().map(pair).collect_view()}
            </fieldset>
            <p class="help" data-longest=WITH_SIGNS>
                <span>
                    {move || {
                        if units.get() == Units::Bits {
                            "With bits the Gibbs coupling meets within a few steps at any of these dimensions: the paper’s figure exists only with signs."
                        } else {
                            WITH_SIGNS
                        }
                    }}
                </span>
            </p>
        </div>
    }
}

/// A row of the table: the runs of a pair at a dimension.
fn row(dimension: u32, pair: &Pair, summary: &Summary) -> impl IntoView + use<> {
    let around = |Spread { mean, quartiles: [low, _, high], .. }: Spread, least: &str| {
        format!("{least}{} ({} to {})", short(mean), short(low), short(high))
    };
    let least = if summary.capped > 0 { "at least " } else { "" };
    let percent = |count| format!("{} %", short(100.0 * summary.share(count)));
    view! {
        <tr>
            <th scope="row">{dimension}</th>
            <th scope="row">{pair.title}</th>
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
const HEADINGS: &str =
    "d\nPair\nRuns\nMean τ + T (quartiles)\nMean τ (quartiles)\nLongest τ\nMean T (quartiles)\nτ > 1\nAt the cap";

/// All numbers, dimension by dimension, in a fold.
fn numbers(figure: Figure) -> impl IntoView {
    let rows = move || {
        figure.read(|settings, results| {
            let point = |(dimension, pair)| Some(row(dimension, pair, &results.summary(settings, pair, dimension)?));
            settings.points().filter_map(point).collect::<Vec<_>>()
        })
    };
    view! {
        <FoldedTable
            class="coupling-numbers"
            summary="The runs behind the figure, dimension by dimension"
            label="The runs behind the figure"
            headings=headings(HEADINGS)
            rows
        />
    }
}
