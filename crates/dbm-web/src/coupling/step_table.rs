//! What a coupling contributes to the estimate, term by term, and all its steps as a table.

use super::moments::{decision, probability, terms};
use super::replay::CouplingReplay;
use crate::canvas::fixed;
use crate::ui::number::subscript;
use crate::ui::table::NumberTable;
use dbm_core::diagnostics::{PairDraw, acceptance_probability};
use leptos::html::Div;
use leptos::prelude::*;

/// The estimate from this coupling, term by term; terms of later moments are faint.
pub fn estimate(replay: CouplingReplay) -> impl IntoView {
    let line = move || {
        let now = replay.step_on_view();
        replay.shown.with(|shown| {
            let (_, replay) = shown.as_ref()?;
            let last = if replay.meeting.capped { replay.meeting.time } else { replay.meeting.time.saturating_sub(1) };
            let mut parts = vec![view! { <b class:now=now == 0>"f(x₀)"</b> }.into_any()];
            let mut left_out = false;
            for t in 1..=last {
                // Of a long sum only the ends, and the terms near the moment on view.
                if t > 2 && t + 1 < last && t.abs_diff(now) > 1 {
                    if !std::mem::replace(&mut left_out, true) {
                        parts.push(view! { <span>" + … "</span> }.into_any());
                    }
                    continue;
                }
                left_out = false;
                let (x, y) = (subscript(t as usize), subscript(t as usize - 1));
                parts.push(
                    view! {
                        <span class="term" class:now=t == now class:later={t > now}>
                            " + "
                            <b class="added">{format!("f(x{x})")}</b>
                            " − "
                            <b class="taken">{format!("f(y{y})")}</b>
                        </span>
                    }
                    .into_any(),
                );
            }
            let end = match (replay.meeting.capped, replay.meeting.time) {
                (true, tau) => format!("Cut at {tau} steps: the terms after that are missing."),
                (false, 1) => "Met at τ = 1: the first proposal changed nothing, and there is no correction.".into(),
                (false, tau) => {
                    format!("Met at τ = {tau}: {} correction terms, of steps 1 to {}.", 2 * (tau - 1), tau - 1)
                }
            };
            Some((parts, end))
        })
    };
    view! {
        <div
            class="estimate"
            data-help="f is −dE/dθ, what the gradient is made of. Every step before the meeting adds f of x and subtracts f of y, which is a step behind; the sum has exactly the right mean."
        >
            {move || {
                line()
                    .map(|(parts, end)| {
                        view! {
                            <p class="sum">"H = " {parts}</p>
                            <p class="figures-text">{end}</p>
                        }
                    })
            }}
        </div>
    }
}

/// All steps of the pair.
pub fn steps(replay: CouplingReplay) -> impl IntoView {
    let inside = NodeRef::<Div>::new();
    let now = Memo::new(move |_| replay.step_on_view());
    // Keeps the row of the present step in view, within the table's own box.
    Effect::new(move |_| {
        let step = now.get();
        let Some(inside) = inside.get() else { return };
        request_animation_frame(move || {
            let row = inside.query_selector(&format!("tr:nth-child({})", step + 1)).ok().flatten();
            if let Some(row) = row {
                let (box_place, place) = (inside.get_bounding_client_rect(), row.get_bounding_client_rect());
                let beyond = if place.bottom() > box_place.bottom() {
                    place.bottom() - box_place.bottom()
                } else {
                    (place.top() - box_place.top() - 2.0 * place.height()).min(0.0)
                };
                inside.set_scroll_top(inside.scroll_top() + beyond as i32);
            }
        });
    });
    let proposes = Memo::new(move |_| replay.shown.with(|shown| shown.as_ref().is_none_or(|(settings, _)| settings.proposes())));
    let heads = move || {
        let middle: &[&str] =
            if proposes.get() { &["u", "x accepts below", "y accepts below"] } else { &["Overlap", "Even layers", "Tries"] };
        let all = [&["t"], middle, &["E(x) now", "E(y) now", "Differ in", "Into H"]].concat();
        all.into_iter().map(|title| (title.to_string(), "")).collect::<Vec<_>>()
    };
    let lines = move || {
        replay.shown.with(|shown| {
            let Some((_, replay)) = shown.as_ref() else { return Vec::new() };
            let start = replay.approach.last().map_or_else(String::new, |moment| fixed(moment.energy, 3));
            let first = ["–", "–", "–"].map(String::from);
            let mut all = vec![line(now, 0, first, [start, "–".into(), "–".into(), "f(x₀)".into()])];
            for step in &replay.steps {
                let middle = match &step.draw {
                    PairDraw::Metropolis { u, log_accept_x, log_accept_y, .. } => {
                        let decided = |log: f64| decision(*u, acceptance_probability(log));
                        [probability(*u), decided(*log_accept_x), log_accept_y.map_or_else(|| "–".into(), decided)]
                    }
                    PairDraw::Single => ["–".into(), "x alone".into(), "–".into()],
                    PairDraw::Gibbs { overlap, shared, tries, tries_capped } => [
                        overlap.map_or_else(|| "–".into(), probability),
                        if *shared { "as one" } else { "apart" }.into(),
                        format!("{tries}{}", if *tries_capped { " (cut)" } else { "" }),
                    ],
                };
                let end = [
                    fixed(step.energies[0], 3),
                    fixed(step.energies[1], 3),
                    step.differing().to_string(),
                    terms(step.step, replay),
                ];
                all.push(line(now, step.step, middle, end));
            }
            all
        })
    };
    view! {
        <NumberTable label="All steps of the coupling" headings=Signal::derive(heads) class="steps" node_ref=inside>
            {lines}
        </NumberTable>
    }
}

fn line(now: Memo<u32>, step: u32, middle: [String; 3], end: [String; 4]) -> impl IntoView + use<> {
    let cells: Vec<_> = middle.into_iter().chain(end).map(|text| view! { <td>{text}</td> }).collect();
    view! {
        <tr aria-current=move || (now.get() == step).then_some("step")>
            <th scope="row">{step}</th>
            {cells}
        </tr>
    }
}
