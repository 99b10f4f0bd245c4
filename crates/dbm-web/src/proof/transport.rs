//! Run, Pause, Start anew; how many samples, and how far they are.

use super::desk::{Desk, desk};
use super::plan::TARGETS;
use super::run;
use leptos::prelude::*;

/// A number with its thousands set apart.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let first = digits.len() % 3;
    let mut text: Vec<&str> = Vec::new();
    if first > 0 {
        text.push(&digits[..first]);
    }
    text.extend((first..digits.len()).step_by(3).map(|at| &digits[at..at + 3]));
    text.join("\u{202f}")
}

/// Samples that every chosen estimator has, and those it is to have.
fn reached(desk: Desk) -> (u32, u32) {
    let (chosen, target) = desk.plan.with(|plan| (plan.chosen, plan.target));
    let least = desk.tallies.with(|tallies| {
        tallies.iter().zip(chosen).filter(|(_, chosen)| *chosen).map(|(tally, _)| tally.next()).min().unwrap_or(0)
    });
    (least, target)
}

/// The heading with its controls.
#[component]
pub fn Transport() -> impl IntoView {
    let desk = desk();
    let now = Memo::new(move |_| reached(desk));
    let going = Memo::new(move |_| desk.plan.with(|plan| plan.go));
    let none = Memo::new(move |_| desk.plan.with(|plan| !plan.chosen.contains(&true)));
    let done = move || now.get().0 >= now.get().1;
    let switch = move |_| {
        if !(done() && going.get_untracked()) {
            desk.plan.update(|plan| plan.go = !plan.go);
        }
    };
    let target = move |event| {
        if let Ok(target) = event_target_value(&event).parse() {
            desk.plan.update(|plan| plan.target = target);
        }
    };
    let said = move || {
        if let Some(problem) = desk.problem.get() {
            problem
        } else if none.get() {
            "Choose an estimator.".into()
        } else if going.get() && done() {
            format!("Done: {} samples of each.", thousands(u64::from(now.get().1)))
        } else if going.get() {
            String::new()
        } else if now.get().0 > 0 {
            "Paused.".into()
        } else {
            "Run draws samples of each estimator.".into()
        }
    };
    // The numbers that can be chosen, and the address's own.
    let targets = move || {
        let mut all = TARGETS.to_vec();
        all.push(now.get().1);
        all.sort_unstable();
        all.dedup();
        all
    };
    view! {
        <div class="ruled transport">
            <h2 id="proof-title">"Proof"</h2>
            <div class="buttons">
                <button type="button" aria-keyshortcuts="t" class="primary" aria-disabled=move || (going.get() && done()).to_string() on:click=switch>
                    {move || if going.get() && !done() { "Pause" } else { "Run" }}
                </button>
                <button
                    type="button"
                    data-help="Forgets all samples. The same seed draws the same ones again."
                    on:click=move |_| run::again(desk)
                >
                    "Start anew"
                </button>
            </div>
            <span class="inline" data-help="How many samples of each estimator are drawn. Each is an estimate of the whole gradient from one pattern.">
                <label for="proof-target">"Samples of each"</label>
                <select id="proof-target" prop:value=move || now.get().1.to_string() on:change=target>
                    <For each=targets key=|target| *target let:target>
                        <option value=target.to_string() selected=move || now.get().1 == target>{thousands(u64::from(target))}</option>
                    </For>
                </select>
            </span>
            <p class="counter">
                <output aria-label="Samples of each so far" aria-live="off">{move || thousands(u64::from(now.get().0))}</output>
                <span>"samples"</span>
            </p>
            <progress aria-label="Samples drawn" max=move || now.get().1.to_string() prop:value=move || f64::from(now.get().0)></progress>
            <p class="hint" class:problem=move || desk.problem.with(Option::is_some) role="status">{said}</p>
        </div>
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn thousands_are_set_apart() {
        let said = [0, 12, 999, 1000, 100_000, 12_345_678].map(super::thousands);
        assert_eq!(said, ["0", "12", "999", "1 000", "100 000", "12 345 678"].map(|text| text.replace(' ', "\u{202f}")));
    }
}
