//! Run, Pause, Start over; the number of samples, and the progress.

use super::jobs;
use super::settings::TARGETS;
use super::state::ProofState;
use crate::ui::button::Button;
use crate::ui::select::{Select, SelectOption};
use leptos::prelude::*;

/// A number with its thousands separated.
pub fn thousands(number: u64) -> String {
    let last = number % 1000;
    if number < 1000 { last.to_string() } else { format!("{}\u{202f}{last:03}", thousands(number / 1000)) }
}

/// The heading with its controls.
pub fn transport(proof: ProofState) -> impl IntoView {
    // Samples that every chosen estimator has, and the number they should reach.
    let now = Memo::new(move |_| {
        let least = proof.of_chosen(|_, estimates| estimates.next).into_iter().min().unwrap_or(0);
        (least, proof.settings.with(|settings| settings.target))
    });
    let going = Memo::new(move |_| proof.settings.with(|settings| settings.go));
    let none = Memo::new(move |_| proof.settings.with(|settings| !settings.chosen.contains(&true)));
    let done = move || now.get().0 >= now.get().1;
    let label = move || if going.get() && !done() { "Pause" } else { "Run" }.to_string();
    let switch = move |()| {
        if !(done() && going.get_untracked()) {
            proof.settings.update(|settings| settings.go = !settings.go);
        }
    };
    let status = move || {
        if let Some(problem) = proof.problem.get() {
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
    // The numbers on offer, and the one in the address.
    let targets = Memo::new(move |_| {
        let mut all = TARGETS.to_vec();
        all.push(now.get().1);
        all.sort_unstable();
        all.dedup();
        all.into_iter().map(|target| SelectOption::new(target.to_string(), thousands(u64::from(target)))).collect::<Vec<_>>()
    });
    let choose_target = move |target: String| {
        if let Ok(target) = target.parse() {
            proof.settings.update(|settings| settings.target = target);
        }
    };
    view! {
        <div class="ruled transport">
            <h2 id="proof-title">"Proof"</h2>
            <div class="buttons" data-tour="proof-run">
                <Button label=Signal::derive(label) key="t" class="primary" idle=Signal::derive(move || going.get() && done()) on_press=switch />
                <Button
                    label="Start over"
                    help="Forgets all samples. The same seed draws the same ones again."
                    on_press=move |()| jobs::start_over(proof)
                />
            </div>
            <span class="inline">
                <Select
                    id="proof-target"
                    label="Samples of each"
                    help="How many samples of each estimator are drawn. Each is an estimate of the whole gradient from one pattern."
                    options=targets
                    value=Signal::derive(move || now.get().1.to_string())
                    on_choose=choose_target
                />
            </span>
            <p class="counter">
                <output aria-label="Samples of each so far" aria-live="off">{move || thousands(u64::from(now.get().0))}</output>
                <span>"samples"</span>
            </p>
            <progress aria-label="Samples drawn" max=move || now.get().1.to_string() prop:value=move || f64::from(now.get().0)></progress>
            <p class="hint" class:problem=move || proof.problem.with(Option::is_some) role="status">{status}</p>
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
