//! The estimators in a table: how far from the exact gradient, and what their couplings took.

use super::desk::{Desk, desk};
use super::estimators::{hue, mark};
use super::plan::{ESTIMATORS, title, what};
use super::tally::{Meetings, Tally};
use super::transport::thousands;
use crate::canvas::short;
use leptos::prelude::*;

/// What a row says.
#[derive(Clone, Default, PartialEq)]
struct Said {
    samples: String,
    largest: String,
    inside: String,
    verdict: String,
    /// Whether the exact value is excluded somewhere.
    excluded: bool,
    mean: String,
    moved: String,
    capped: String,
}

fn said(desk: Desk, at: usize) -> Said {
    let none = "–".to_string();
    let exact = desk.exact(desk.parameters().len());
    let alone = desk.plan.with(|plan| plan.alone);
    desk.tallies.with(|tallies| {
        let Some(tally) = tallies.get(at).filter(|tally| tally.samples() > 0) else {
            return Said {
                samples: "0".into(),
                largest: none.clone(),
                inside: none.clone(),
                verdict: "no samples yet".into(),
                mean: none.clone(),
                moved: none.clone(),
                capped: none,
                ..Said::default()
            };
        };
        let verdict = tally.now().verdict(&exact, alone);
        let meetings = tally.meetings();
        let pair = |f: &dyn Fn(&Meetings) -> String| {
            if meetings[0].count == 0 { none.clone() } else { format!("{} / {}", f(&meetings[0]), f(&meetings[1])) }
        };
        Said {
            samples: thousands(u64::from(tally.samples())),
            largest: verdict.map_or(none.clone(), |verdict| short(verdict.largest)),
            inside: verdict.map_or(none.clone(), |verdict| format!("{} of {}", verdict.inside, verdict.parameters)),
            excluded: verdict.is_some_and(|verdict| verdict.inside < verdict.parameters),
            verdict: words(verdict.map(|verdict| (verdict.inside, verdict.parameters)), tally),
            mean: pair(&|phase| if phase.count == 0 { "–".into() } else { format!("{:.2}", phase.mean) }),
            moved: pair(&|phase| if phase.count == 0 { "–".into() } else { format!("{:.1} %", 100.0 * phase.moved) }),
            capped: if meetings[0].count == 0 { none.clone() } else { tally.capped().to_string() },
        }
    })
}

fn words(inside: Option<(usize, usize)>, tally: &Tally) -> String {
    let words = match inside {
        None => "too few samples".to_string(),
        Some((inside, all)) if inside == all => "contains the exact value everywhere".into(),
        Some((inside, all)) => {
            format!("excludes it at {} {}", all - inside, if all - inside == 1 { "parameter" } else { "parameters" })
        }
    };
    match tally.capped() {
        0 => words,
        1 => format!("{words}; biased: a coupling was cut at its cap"),
        cut => format!("{words}; biased: {cut} couplings were cut at their cap"),
    }
}

/// The table.
#[component]
pub fn Verdicts() -> impl IntoView {
    let desk = desk();
    let row = move |at: usize| {
        let said = Memo::new(move |_| said(desk, at));
        let cell = move |f: fn(&Said) -> &String| move || said.with(|said| f(said).clone());
        view! {
            <tr hidden=move || !desk.plan.with(|plan| plan.chosen[at])>
                <th scope="row" data-help=what(at)>
                    <svg class=format!("mark hue-{}", hue(at)) viewBox="-5 -5 10 10" aria-hidden="true">
                        <path d=mark(at) />
                    </svg>
                    {title(at)}
                </th>
                <td class="words" class:excluded=move || said.with(|said| said.excluded)>
                    {cell(|said| &said.verdict)}
                </td>
                <td>{cell(|said| &said.inside)}</td>
                <td>{cell(|said| &said.largest)}</td>
                <td>{cell(|said| &said.samples)}</td>
                <td>{cell(|said| &said.mean)}</td>
                <td>{cell(|said| &said.moved)}</td>
                <td>{cell(|said| &said.capped)}</td>
            </tr>
        }
    };
    view! {
        <div class="proof-verdicts">
            <h3>"Verdicts"</h3>
            <div class="scrolls" tabindex="0" role="region" aria-label="Verdicts on the estimators">
                <table class="numbers">
                    <thead>
                        <tr>
                            <th scope="col">"Estimator"</th>
                            <th scope="col" class="words">"Its intervals"</th>
                            <th scope="col" data-help="Parameters in whose interval the exact value lies.">"Inside"</th>
                            <th scope="col" data-help="Of all parameters, the largest difference between the mean of the estimates and the exact gradient.">
                                "Max |mean − exact|"
                            </th>
                            <th scope="col" data-help="Drawn so far. They come in groups, each of which has every pattern equally often, so the last group may go a little beyond what was asked for.">
                                "Samples"
                            </th>
                            <th scope="col" data-help="Mean meeting time of the negative phase and of the positive one: 1 where the first proposal is refused and the coupling does nothing.">
                                "Mean τ, neg. / pos."
                            </th>
                            <th scope="col" data-help="Share of couplings that did anything, in the negative and in the positive phase.">"τ > 1"</th>
                            <th scope="col" data-help="Couplings that were cut at their cap, which biases the estimate.">"Cut"</th>
                        </tr>
                    </thead>
                    <tbody>{(0..ESTIMATORS.len()).map(row).collect_view()}</tbody>
                </table>
            </div>
        </div>
    }
}
