//! The data: a few visible patterns, as rows of cells that can be clicked.

use super::parameters::unit_name;
use super::settings::MAX_PATTERNS;
use super::state::ProofState;
use crate::ui::button::Button;
use leptos::html::Ul;
use leptos::prelude::*;

/// One line per pattern, and a button that adds one.
pub fn patterns(proof: ProofState) -> impl IntoView {
    let shape = Memo::new(move |_| proof.settings.with(|settings| (settings.model.data.len(), settings.model.sizes[0] as usize)));
    let list = NodeRef::<Ul>::new();
    let add = move |()| {
        proof.edit(None, |model| {
            // A pattern that is not in the data yet, if there is one.
            let width = model.sizes[0] as usize;
            let of = |number: usize| (0..width).map(|unit| (number >> unit & 1) as u8).collect::<Vec<u8>>();
            let fresh = (0..1 << width.min(12)).map(of).find(|pattern| !model.data.contains(pattern));
            if model.data.len() < MAX_PATTERNS {
                model.data.push(fresh.unwrap_or_else(|| vec![0; width]));
            }
        });
        proof.settings.update(|settings| settings.pattern = settings.model.data.len() - 1);
        // The new one is last, and may be out of sight.
        request_animation_frame(move || {
            if let Some(list) = list.get_untracked() {
                list.set_scroll_top(list.scroll_height());
            }
        });
    };
    let full = Signal::derive(move || shape.get().0 >= MAX_PATTERNS);
    view! {
        <fieldset class="proof-patterns">
            <legend data-help="The visible patterns that the model is to make likely: the gradient is that of their mean log-likelihood. A filled cell is a unit that is high.">
                "Data"
            </legend>
            <ul node_ref=list>
                {move || {
                    let (count, width) = shape.get();
                    (0..count).map(|pattern| row(proof, pattern, width)).collect_view()
                }}
            </ul>
            <Button label="Add a pattern" idle=full on_press=add />
        </fieldset>
    }
}

fn row(proof: ProofState, pattern: usize, width: usize) -> impl IntoView {
    let shown = Memo::new(move |_| proof.settings.with(|settings| settings.pattern == pattern));
    let sizes = proof.settings.with_untracked(|settings| settings.model.sizes.clone());
    let cells = (0..width)
        .map(|unit| {
            let name = format!("Pattern {}, {}", pattern + 1, unit_name(&sizes, 0, unit));
            let high = Memo::new(move |_| proof.is_high(pattern, unit));
            let flip = move |_| {
                proof.flip_bit(pattern, unit);
                proof.settings.update(|settings| settings.pattern = pattern);
            };
            view! {
                <button type="button" class="pattern-bit" aria-pressed=move || high.get().to_string() aria-label=name on:click=flip></button>
            }
        })
        .collect_view();
    let remove = move |_| {
        proof.edit(None, |model| {
            if model.data.len() > 1 && pattern < model.data.len() {
                model.data.remove(pattern);
            }
        });
    };
    let alone = move || proof.settings.with(|settings| settings.model.data.len() < 2);
    view! {
        <li class:shown=move || shown.get()>
            <label class="check" data-help="Draws this pattern below the graph’s visible units.">
                <input
                    type="radio"
                    name="proof-pattern"
                    prop:checked=move || shown.get()
                    on:change=move |_| proof.settings.update(|settings| settings.pattern = pattern)
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
