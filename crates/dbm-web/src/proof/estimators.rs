//! Who estimates, and with which caps.

use super::estimator_table::{COUNT, ESTIMATORS};
use super::settings::ProofSettings;
use super::state::proof_state;
use crate::ui::field::{LateField, whole};
use dbm_core::words::Words;
use leptos::prelude::*;

/// A cap: its field's id, its label and help, its least value, and its place in the settings.
type Cap = (&'static str, &'static str, &'static str, u32, fn(&mut ProofSettings) -> &mut u32);

const CAPS: [Cap; 3] = [
    (
        "proof-sweeps",
        "Search cap, sweeps",
        "A local search that has not ended by then stops where it is. That leaves the estimates unbiased.",
        1,
        |settings| &mut settings.max_sweeps,
    ),
    (
        "proof-meeting",
        "Coupling cap, steps",
        "A coupling that has not met by then is cut, which biases its estimate; the table counts these.",
        2,
        |settings| &mut settings.max_meeting,
    ),
    (
        "proof-tries",
        "Tries of one draw",
        "UCD-Gibbs: a draw from a residual law is cut after so many tries, which biases its estimate.",
        1,
        |settings| &mut settings.max_tries,
    ),
];

const SEED: Words = Words {
    key: "seed",
    label: "Seed of the samples",
    hint: "",
    help: "Of all samples. The same seed gives the same numbers, on any machine and any number of workers.",
};

/// The checkboxes, and what is folded below them.
#[component]
pub fn Estimators() -> impl IntoView {
    let settings = proof_state().settings;
    let boxes = (0..COUNT)
        .map(|at| {
            let toggle = move |_| settings.update(|settings| settings.chosen[at] ^= true);
            let row = &ESTIMATORS[at];
            view! {
                <label class="check" data-help=row.help>
                    <input type="checkbox" prop:checked=move || settings.with(|settings| settings.chosen[at]) on:change=toggle />
                    <svg class=format!("mark hue-{}", row.hue) viewBox="-5 -5 10 10" aria-hidden="true">
                        <path d=row.mark />
                    </svg>
                    <span>{row.title}</span>
                </label>
            }
        })
        .collect_view();
    let caps = CAPS.map(|(id, label, help, least, cap)| {
        let take = move |text: String| {
            whole(&text, &(least..=1_000_000)).map(|number| settings.update(|settings| *cap(settings) = number))
        };
        let value = Signal::derive(move || settings.with(|settings| cap(&mut settings.clone()).to_string()));
        view! { <LateField id words=Words { key: "", label, hint: "", help } value take /> }
    });
    let seed = Signal::derive(move || settings.with(|settings| settings.seed.to_string()));
    let take_seed =
        move |text: String| whole(&text, &(0..=u64::MAX)).map(|seed| settings.update(|settings| settings.seed = seed));
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
                        prop:checked=move || settings.with(|settings| settings.alone)
                        on:change=move |_| settings.update(|settings| settings.alone ^= true)
                    />
                    <span>"Intervals each alone"</span>
                </label>
                <label class="check" data-help="Half of each state is replaced by its conditional means given the other half: the same mean, less noise. The paper’s marginalization.">
                    <input
                        type="checkbox"
                        prop:checked=move || settings.with(|settings| settings.marginalize)
                        on:change=move |_| settings.update(|settings| settings.marginalize ^= true)
                    />
                    <span>"Marginalize"</span>
                </label>
            </div>
            <details>
                <summary>"Caps and seed"</summary>
                <div class="settings">
                    {caps}
                    <LateField id="proof-seed" words=SEED value=seed take=take_seed />
                </div>
            </details>
        </fieldset>
    }
}
