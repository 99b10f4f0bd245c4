//! How far the answers can be trusted: scores on hidden cells, a verdict, and a plot of the probabilities against what was right.

use super::state::{Filled, Gaps};
use crate::ui::table::row;
use dbm_protocol::{FitLook, GapCheck, GapModel, ImputationMethod};
use leptos::prelude::*;

/// Size of the plots, in their own units.
const PLOT: f64 = 100.0;

/// What was used and why, in a sentence.
pub fn used(filled: &Filled) -> String {
    match (&filled.chosen, filled.by) {
        (Some(chosen), _) => {
            let hidden: Vec<String> = chosen.plan.hidden.iter().map(u32::to_string).collect();
            let estimator = chosen.plan.settings.estimator.to_string().to_uppercase();
            let averaged = match chosen.averaged {
                0 | 1 => String::new(),
                2 => ", averaged with the next best".into(),
                several => format!(", averaged with the {} next best", several - 1),
            };
            format!(
                "Filled by a model with {} hidden units, trained by {estimator} for {} steps{averaged}: the best of {} recipes on {} held-back cells.",
                hidden.join(" and "),
                chosen.steps,
                chosen.recipes,
                chosen.cells
            )
        }
        (None, GapModel::Training) => "Filled by the model in training.".into(),
        (None, GapModel::Chosen) => {
            "Too few cells are known to compare recipes: filled by a model with the usual settings for a table.".into()
        }
    }
}

/// The verdict.
pub fn trust(gaps: Gaps) -> impl IntoView {
    move || gaps.filled.get().map(|filled| view! { <div class="trust">{filled.checked.as_ref().map(checked)}</div> })
}

fn checked(check: &GapCheck) -> impl IntoView + use<> {
    let report = &check.report;
    let line = |method: ImputationMethod| {
        let score = report.of(method);
        let name = match method {
            ImputationMethod::Model => "the model",
            ImputationMethod::ColumnMode => "most frequent value",
            ImputationMethod::Neighbours => "nearest rows",
        };
        row(name, [format!("{:.1} %", 100.0 * score.accuracy), format!("{:.3}", score.log_loss)])
    };
    let seen = if check.unseen {
        "which the model had not seen"
    } else {
        "which the model was trained with, so expect worse on real gaps"
    };
    let words = format!(
        "On {} known cells, {seen}: the share answered correctly, and the log loss in nats per cell (less is better).",
        report.cells
    );
    let off = check.calibrated.clone();
    view! {
        <div>
            <h4>"How far to trust it"</h4>
            <p>{check.verdict.clone()}</p>
            <table class="numbers">
                <thead>
                    <tr>
                        <th scope="col"><span class="unseen">"By"</span></th>
                        <th scope="col">"right"</th>
                        <th scope="col">"log loss"</th>
                    </tr>
                </thead>
                <tbody>{ImputationMethod::ALL.map(line).collect_view()}</tbody>
            </table>
            <p class="help">{words}</p>
        </div>
        <figure class="calibration">
            {calibration(&check.calibration)}
            <figcaption class="help">"Right answers by probability. " {off}</figcaption>
        </figure>
    }
}

/// Guesses of about the same probability against the share of them that is right; on the diagonal they agree.
fn calibration(bins: &[(f64, f64, u32)]) -> impl IntoView + use<> {
    let most = bins.iter().map(|bin| bin.2).max().unwrap_or(1).max(1);
    let words: Vec<String> = bins
        .iter()
        .map(|(probability, right, cells)| {
            format!("of {cells} cells filled with probability {probability:.2}, {right:.2} are right")
        })
        .collect();
    let dots = bins.iter().map(|&(probability, right, cells)| {
        let radius = 1.5 + 3.5 * (f64::from(cells) / f64::from(most)).sqrt();
        view! { <circle cx=PLOT * probability cy=PLOT * (1.0 - right) r=radius /> }
    });
    let ticks = [0.0, 0.5, 1.0].map(|value| {
        let at = PLOT * value;
        view! {
            <text x=at y="112" text-anchor="middle">{value.to_string()}</text>
            <text x="-5" y=PLOT - at + 3.0 text-anchor="end">{value.to_string()}</text>
        }
    });
    view! {
        <svg class="plot" viewBox="-30 -6 140 134" role="img" aria-label=format!("Calibration: {}.", words.join("; "))>
            <rect x="0" y="0" width="100" height="100" />
            <line class="diagonal" x1="0" y1="100" x2="100" y2="0" />
            {dots.collect_view()}
            {ticks.collect_view()}
            <text x="50" y="124" text-anchor="middle">"probability"</text>
            <text x="-24" y="50" text-anchor="middle" transform="rotate(-90 -24 50)">"right"</text>
        </svg>
    }
}

/// The score of the best recipe so far, while they compete.
pub fn curve(gaps: Gaps) -> impl IntoView {
    let points = move || gaps.looks.with(|looks| scaled(looks));
    let last = move || gaps.looks.with(|looks| looks.last().copied());
    let words = move || {
        last().map_or_else(String::new, |look| {
            format!("Best so far: {:.1} % of the held-back cells right, log loss {:.3}", 100.0 * look.accuracy, look.log_loss)
        })
    };
    view! {
        <figure class="fit-curve">
            <svg viewBox="-2 -2 204 54" preserveAspectRatio="none" role="img" aria-label=move || format!("Log loss on held-back cells, falling from left to right. {}", words())>
                <polyline points=points vector-effect="non-scaling-stroke" />
            </svg>
            <figcaption class="help" data-longest="Best so far: 100.0 % of the held-back cells right, log loss 10.000">
                <span>{words}</span>
            </figcaption>
        </figure>
    }
}

/// The looks as a line of 200 by 50, its last one held to the right edge.
fn scaled(looks: &[FitLook]) -> String {
    let (Some(first), Some(last)) = (looks.first(), looks.last()) else { return String::new() };
    let (high, low) = (first.log_loss, last.log_loss);
    let x = |look: &FitLook| 200.0 * f64::from(look.steps) / f64::from(last.steps.max(1));
    let y = |look: &FitLook| if high > low { 50.0 * (high - look.log_loss) / (high - low) } else { 50.0 };
    // A step line: a score holds until a better one comes.
    let before = std::iter::once(first).chain(looks);
    let corners = before.zip(looks).flat_map(|(before, look)| [(x(look), y(before)), (x(look), y(look))]);
    corners.map(|(x, y)| format!("{x:.1},{y:.1}")).collect::<Vec<_>>().join(" ")
}
