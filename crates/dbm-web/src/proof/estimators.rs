//! Who estimates, and with which caps.

use super::estimator_table::{COUNT, ESTIMATORS};
use super::state::ProofState;
use crate::ui::select::Check;
use leptos::prelude::*;

/// The checkboxes, and what is folded below them.
pub fn estimators(proof: ProofState) -> impl IntoView {
    let (settings, form) = (proof.settings, proof.form());
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
    view! {
        <fieldset class="proof-estimators">
            <legend data-help="Each draws its own samples of the gradient. The first four couple two chains and are unbiased.">"Estimators"</legend>
            <div class="proof-boxes">{boxes}</div>
            <div class="proof-boxes">{form.check("intervals")} {form.check("marginalized")}</div>
            <details>
                <summary>"Caps and seed"</summary>
                <div class="settings">{["sweeps", "meeting", "tries", "seed"].map(|key| form.field(key))}</div>
            </details>
        </fieldset>
    }
}
