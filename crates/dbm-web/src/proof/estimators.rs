//! Who estimates, and with which caps.

use super::desk::desk;
use super::plan::{ESTIMATORS, Plan, title, what};
use leptos::prelude::*;

/// The line of an estimator in charts.
pub fn dash(estimator: usize) -> &'static [f64] {
    [&[][..], &[7.0, 3.0], &[2.0, 2.0], &[10.0, 3.0, 2.0, 3.0], &[], &[7.0, 3.0], &[2.0, 2.0]][estimator]
}

/// Its hue.
pub fn hue(estimator: usize) -> usize {
    [0, 3, 4, 1, 2, 2, 5][estimator]
}

/// Its mark in a plot, as a path around the origin.
pub fn mark(estimator: usize) -> &'static str {
    [
        "M-3-3H3V3H-3Z",
        "M0-4L4 0 0 4-4 0Z",
        "M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0Z",
        "M-3.5-3L3.5-3 0 3.5Z",
        "M-3.5 3L3.5 3 0-3.5Z",
        "M-3.5-3L-3.5 3 3.5 0Z",
        "M-1-4H1V-1H4V1H1V4H-1V1H-4V-1H-1Z",
    ][estimator]
}

/// A number of the settings.
type Number = (&'static str, &'static str, &'static str, fn(&mut Plan) -> &mut u32);

const NUMBERS: [Number; 3] = [
    (
        "sweeps",
        "Search cap, sweeps",
        "A local search that has not ended by then stops where it is. That leaves the estimates unbiased.",
        |plan| &mut plan.max_sweeps,
    ),
    (
        "meeting",
        "Coupling cap, steps",
        "A coupling that has not met by then is cut, which biases its estimate; the table counts these.",
        |plan| &mut plan.max_meeting,
    ),
    (
        "tries",
        "Tries of one draw",
        "UCD-Gibbs: a draw from a residual law is cut after so many tries, which biases its estimate.",
        |plan| &mut plan.max_tries,
    ),
];

/// The checkboxes, and what is folded below them.
#[component]
pub fn Estimators() -> impl IntoView {
    let desk = desk();
    let boxes = (0..ESTIMATORS.len())
        .map(|at| {
            let toggle = move |_| desk.plan.update(|plan| plan.chosen[at] ^= true);
            view! {
                <label class="check" data-help=what(at)>
                    <input type="checkbox" prop:checked=move || desk.plan.with(|plan| plan.chosen[at]) on:change=toggle />
                    <svg class=format!("mark hue-{}", hue(at)) viewBox="-5 -5 10 10" aria-hidden="true">
                        <path d=mark(at) />
                    </svg>
                    <span>{title(at)}</span>
                </label>
            }
        })
        .collect_view();
    let numbers = NUMBERS
        .map(|(name, label, help, field)| {
            let id = format!("proof-{name}");
            let refused = RwSignal::new(false);
            let least = if name == "meeting" { 2 } else { 1 };
            let typed = move |event| {
                let number = event_target_value(&event).trim().parse::<u32>().ok().filter(|n| (least..=1_000_000).contains(n));
                refused.set(number.is_none());
                if let Some(number) = number {
                    desk.plan.update(|plan| *field(plan) = number);
                }
            };
            view! {
                <div class="field" data-help=help>
                    <label for=id.clone()>{label}</label>
                    <input
                        id=id
                        type="text"
                        inputmode="numeric"
                        autocomplete="off"
                        prop:value=move || desk.plan.with(|plan| field(&mut plan.clone()).to_string())
                        aria-invalid=move || refused.get().to_string()
                        on:change=typed
                    />
                    <p class="help problem" aria-live="polite">
                        {move || refused.get().then(|| format!("A whole number from {least} to 1 000 000 is expected."))}
                    </p>
                </div>
            }
        })
        .into_iter()
        .collect_view();
    let seed = move |event| {
        if let Ok(seed) = event_target_value(&event).trim().parse() {
            desk.plan.update(|plan| plan.seed = seed);
        }
    };
    view! {
        <fieldset class="proof-estimators">
            <legend data-help="Each draws its own samples of the gradient. The first three couple two chains and are unbiased.">"Estimators"</legend>
            <div class="proof-boxes">{boxes}</div>
            <div class="proof-boxes">
                <label
                    class="check"
                    data-help="On: each interval holds the exact value with 99 % on its own, so that of many parameters some will miss it by chance. Off: all intervals of an estimator hold it together with 99 % (Bonferroni)."
                >
                    <input
                        type="checkbox"
                        prop:checked=move || desk.plan.with(|plan| plan.alone)
                        on:change=move |_| desk.plan.update(|plan| plan.alone ^= true)
                    />
                    <span>"Intervals each alone"</span>
                </label>
                <label class="check" data-help="Half of each state is replaced by its conditional means given the other half: the same mean, less noise. The paper’s marginalization.">
                    <input
                        type="checkbox"
                        prop:checked=move || desk.plan.with(|plan| plan.marginalize)
                        on:change=move |_| desk.plan.update(|plan| plan.marginalize ^= true)
                    />
                    <span>"Marginalize"</span>
                </label>
            </div>
            <details>
                <summary>"Caps and seed"</summary>
                <div class="settings">
                    {numbers}
                    <div class="field" data-help="Of all samples. The same seed gives the same numbers, on any machine and any number of workers.">
                        <label for="proof-seed">"Seed of the samples"</label>
                        <input
                            id="proof-seed"
                            type="text"
                            inputmode="numeric"
                            autocomplete="off"
                            prop:value=move || desk.plan.with(|plan| plan.seed.to_string())
                            on:change=seed
                        />
                    </div>
                </div>
            </details>
        </fieldset>
    }
}
