//! The estimators in a table: their distance from the exact gradient, and how long their couplings took.

use super::estimates::Estimates;
use super::estimator_table::{COUNT, ESTIMATORS};
use super::state::ProofState;
use super::transport::thousands;
use crate::canvas::bins::Summary;
use crate::canvas::short;
use crate::ui::table::{NumberTable, headings};
use leptos::prelude::*;

/// Shown in a cell without a value.
const NONE: &str = "–";

fn chosen(proof: ProofState, at: usize) -> bool {
    proof.settings.with(|settings| settings.chosen[at])
}

/// A row of the table: the cells except for the estimator's name, in the order of the headings; and whether any interval excludes
/// the exact value.
fn row(proof: ProofState, at: usize) -> ([String; 7], bool) {
    let exact = proof.exact_gradient();
    let alone = proof.settings.with(|settings| settings.alone);
    if !chosen(proof, at) {
        return (["not chosen", NONE, NONE, NONE, NONE, NONE, NONE].map(String::from), false);
    }
    proof.estimates.with(|all| {
        let Some(estimates) = all.get(at).filter(|estimates| estimates.samples() > 0) else {
            return (["no samples yet", NONE, NONE, "0", NONE, NONE, NONE].map(String::from), false);
        };
        let verdict = estimates.now().verdict(&exact, alone);
        let meetings = estimates.meetings();
        let is_coupled = meetings[0].total > 0;
        let phases = |of: &dyn Fn(&Summary) -> String| {
            let [negative, positive] = meetings.each_ref().map(|phase| if phase.total == 0 { NONE.into() } else { of(phase) });
            if is_coupled { format!("{negative} / {positive}") } else { NONE.into() }
        };
        let inside = verdict.map(|verdict| (verdict.inside, exact.len()));
        let cells = [
            words(inside, estimates),
            inside.map_or_else(|| NONE.into(), |(inside, all)| format!("{inside} of {all}")),
            verdict.map_or_else(|| NONE.into(), |verdict| short(verdict.largest)),
            thousands(u64::from(estimates.samples())),
            phases(&|phase| format!("{:.2}", phase.mean)),
            phases(&|phase| format!("{:.1} %", 100.0 * phase.above_one)),
            if is_coupled { estimates.capped().to_string() } else { NONE.into() },
        ];
        (cells, inside.is_some_and(|(inside, all)| inside < all))
    })
}

fn words(inside: Option<(usize, usize)>, estimates: &Estimates) -> String {
    let words = match inside {
        None => "too few samples".to_string(),
        Some((inside, all)) if inside == all => "contains the exact value everywhere".into(),
        Some((inside, all)) => {
            format!("excludes it at {} {}", all - inside, if all - inside == 1 { "parameter" } else { "parameters" })
        }
    };
    match estimates.capped() {
        0 => words,
        1 => format!("{words}; biased: a coupling was cut at its cap"),
        cut => format!("{words}; biased: {cut} couplings were cut at their cap"),
    }
}

/// The table: one row per estimator, faint if it is not chosen.
pub fn verdicts(proof: ProofState) -> impl IntoView {
    let line = move |at: usize| {
        let row = Memo::new(move |_| row(proof, at));
        let numbers = (1..7).map(|cell| view! { <td>{move || row.with(|(cells, _)| cells[cell].clone())}</td> }).collect_view();
        let estimator = &ESTIMATORS[at];
        view! {
            <tr class:absent=move || !chosen(proof, at)>
                <th scope="row" data-help=estimator.help>
                    <svg class=format!("mark hue-{}", estimator.hue) viewBox="-5 -5 10 10" aria-hidden="true">
                        <path d=estimator.mark />
                    </svg>
                    {estimator.title}
                </th>
                <td class="words" class:excluded=move || row.with(|(_, is_excluded)| *is_excluded)>
                    {move || row.with(|(cells, _)| cells[0].clone())}
                </td>
                {numbers}
            </tr>
        }
    };
    view! {
        <div class="proof-verdicts">
            <h3>"Verdicts"</h3>
            <NumberTable label="Verdicts on the estimators" headings=headings(include_str!("verdicts.txt"))>
                {(0..COUNT).map(line).collect_view()}
            </NumberTable>
        </div>
    }
}
