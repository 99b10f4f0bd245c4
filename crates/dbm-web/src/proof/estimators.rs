//! Who estimates, and with which caps.

use super::estimator_table::{COUNT, ESTIMATORS};
use super::settings::{Cap, caps};
use super::state::ProofState;
use crate::ui::check::Check;
use crate::ui::field::{LateField, whole};
use dbm_core::words::{Words, words};
use leptos::prelude::*;

const SEED: Words = words(
    "",
    "Seed of the samples",
    "Of all samples. The same seed gives the same numbers, on any machine and any number of workers.",
);

/// The checkboxes, and what is folded below them.
pub fn estimators(proof: ProofState) -> impl IntoView {
    let settings = proof.settings;
    let boxes = (0..COUNT)
        .map(|at| {
            let row = &ESTIMATORS[at];
            let value = Signal::derive(move || settings.with(|settings| settings.chosen[at]));
            view! {
                <Check label=row.title help=row.help value on_change=move |on| settings.update(|settings| settings.chosen[at] = on)>
                    <svg class=format!("mark hue-{}", row.hue) viewBox="-5 -5 10 10" aria-hidden="true">
                        <path d=row.mark />
                    </svg>
                </Check>
            }
        })
        .collect_view();
    let cap = |(at, Cap { words, range }): (usize, Cap)| {
        let take = move |text: String| whole(&text, &range).map(|number| settings.update(|settings| settings.caps[at] = number));
        let value = Signal::derive(move || settings.with(|settings| settings.caps[at].to_string()));
        view! { <LateField id=format!("proof-{}", words.key) words value take /> }
    };
    let caps = caps().enumerate().map(cap).collect_view();
    let seed = Signal::derive(move || settings.with(|settings| settings.seed.to_string()));
    let take_seed =
        move |text: String| whole(&text, &(0..=u64::MAX)).map(|seed| settings.update(|settings| settings.seed = seed));
    view! {
        <fieldset class="proof-estimators">
            <legend data-help="Each draws its own samples of the gradient. The first four couple two chains and are unbiased.">"Estimators"</legend>
            <div class="proof-boxes">{boxes}</div>
            <div class="proof-boxes">
                <Check
                    label="Intervals each alone"
                    help="On: each interval holds the exact value with 99 % on its own, so that of many parameters some will miss it by chance. Off: all intervals of an estimator hold it together with 99 % (Bonferroni)."
                    value=Signal::derive(move || settings.with(|settings| settings.alone))
                    on_change=move |on| settings.update(|settings| settings.alone = on)
                />
                <Check
                    label="Marginalize"
                    help="Half of each state is replaced by its conditional means given the other half: the same mean, less noise. The paper’s marginalization."
                    value=Signal::derive(move || settings.with(|settings| settings.marginalize))
                    on_change=move |on| settings.update(|settings| settings.marginalize = on)
                />
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
