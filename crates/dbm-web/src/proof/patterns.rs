//! The data: a few visible patterns, as rows of cells that can be pressed.

use super::desk::{Desk, desk};
use super::parameters::unit_name;
use super::plan::MAX_PATTERNS;
use leptos::prelude::*;

/// The patterns.
#[component]
pub fn Patterns() -> impl IntoView {
    let desk = desk();
    let shape = Memo::new(move |_| desk.plan.with(|plan| (plan.question.data.len(), plan.question.sizes[0] as usize)));
    let add = move |_| {
        desk.ask(None, |question| {
            // A pattern that is not there yet, where there is one.
            let width = question.sizes[0] as usize;
            let of = |number: usize| (0..width).map(|unit| (number >> unit & 1) as u8).collect::<Vec<u8>>();
            let fresh = (0..1 << width.min(12)).map(of).find(|pattern| !question.data.contains(pattern));
            if question.data.len() < MAX_PATTERNS {
                question.data.push(fresh.unwrap_or_else(|| vec![0; width]));
            }
        });
        desk.plan.update(|plan| plan.pattern = plan.question.data.len() - 1);
    };
    let full = move || shape.get().0 >= MAX_PATTERNS;
    view! {
        <fieldset class="proof-patterns">
            <legend data-help="The visible patterns that the model is to make likely: the gradient is that of their mean log-likelihood. A filled cell is a unit that is high.">
                "Data"
            </legend>
            <ul>
                {move || {
                    let (count, width) = shape.get();
                    (0..count).map(|pattern| row(desk, pattern, width)).collect_view()
                }}
            </ul>
            <button type="button" aria-disabled=move || full().to_string() on:click=add>
                "Add a pattern"
            </button>
        </fieldset>
    }
}

fn row(desk: Desk, pattern: usize, width: usize) -> impl IntoView {
    let shown = Memo::new(move |_| desk.plan.with(|plan| plan.pattern == pattern));
    let sizes = desk.plan.with_untracked(|plan| plan.question.sizes.clone());
    let cells = (0..width)
        .map(|unit| {
            let name = format!("Pattern {}, {}", pattern + 1, unit_name(&sizes, 0, unit));
            let high = Memo::new(move |_| {
                desk.plan.with(|plan| plan.question.data.get(pattern).and_then(|bits| bits.get(unit)) == Some(&1))
            });
            let flip = move |_| {
                desk.ask(None, |question| {
                    if let Some(bit) = question.data.get_mut(pattern).and_then(|bits| bits.get_mut(unit)) {
                        *bit ^= 1;
                    }
                });
                desk.plan.update(|plan| plan.pattern = pattern);
            };
            view! {
                <button type="button" class="pattern-bit" aria-pressed=move || high.get().to_string() aria-label=name on:click=flip></button>
            }
        })
        .collect_view();
    let remove = move |_| {
        desk.ask(None, |question| {
            if question.data.len() > 1 && pattern < question.data.len() {
                question.data.remove(pattern);
            }
        });
    };
    let alone = move || desk.plan.with(|plan| plan.question.data.len() < 2);
    view! {
        <li class:shown=move || shown.get()>
            <label class="check" data-help="Draws this pattern below the graph’s visible units.">
                <input
                    type="radio"
                    name="proof-pattern"
                    prop:checked=move || shown.get()
                    on:change=move |_| desk.plan.update(|plan| plan.pattern = pattern)
                />
                <span>{pattern + 1}<span class="unseen">" in the graph"</span></span>
            </label>
            <span class="pattern-bits" role="group" aria-label=format!("Pattern {}", pattern + 1)>{cells}</span>
            <button
                type="button"
                class="quiet"
                aria-label=format!("Remove pattern {}", pattern + 1)
                aria-disabled=move || alone().to_string()
                on:click=remove
            >
                "×"
            </button>
        </li>
    }
}
