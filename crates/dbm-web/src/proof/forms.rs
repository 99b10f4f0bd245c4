//! The choice of the model: the preset, a random one, or that of the lab's run; and the choice of estimators, with their caps.

use super::estimator_table::{COUNT, ESTIMATORS};
use super::settings::{MAX_UNITS, ModelAndData, Origin};
use super::state::ProofState;
use crate::ui::address::OnShow;
use crate::ui::button::Button;
use crate::ui::number::{listed, sizes};
use crate::ui::select::{Check, Select, SelectOption};
use crate::worker::client::Failure;
use crate::worker::pool::{self, Group};
use crate::worker::session::Session;
use dbm_protocol::{ModelSource, SmallModel};
use leptos::prelude::*;
use leptos::task::spawn_local;

/// Layer sizes to choose from.
const SIZES: [&str; 7] = ["2-2", "3-2", "4-4", "3-3-2", "4-3-2", "3-3-2-2", "6-4"];
/// Why the lab's run has no usable model.
const NEEDS: &str = "No model of at most 24 units is in training, and a larger one cannot be enumerated. Under Train, choose bars and stripes with hidden layers of at most 8 units in all, and press Train.";

/// Layer sizes, units, the settings of a random model, and the model in training.
pub fn model_form(proof: ProofState) -> impl IntoView {
    let (session, embedded) = (Session::of_page(), OnShow::of_page().embedded.is_some());
    let (form, status) = (proof.form(), RwSignal::new(String::new()));
    let model = Memo::new(move |_| proof.settings.with(|settings| settings.model.clone()));
    let value = Memo::new(move |_| {
        model.with(|model| match model.origin {
            Origin::Preset => "preset".to_string(),
            Origin::Run => "run".into(),
            Origin::Random => listed(&model.sizes, "-"),
        })
    });
    let options = Memo::new(move |_| {
        let random = |sizes: &str| SelectOption::new(sizes, format!("{sizes}, random"));
        let mut all = vec![SelectOption::new("preset", "4-3-2, the preset")];
        all.extend(SIZES.map(random));
        // Sizes from the address, or a model of the run.
        value.with(|value| match value.as_str() {
            "run" => all.push(SelectOption::new("run", "of the lab’s run")),
            value if all.iter().all(|option| option.value != value) => all.push(random(value)),
            _ => {}
        });
        all
    });
    let choose = move |text: String| {
        proof.edit(None, |model| {
            if text == "preset" {
                *model = ModelAndData::default();
            } else if let Some(sizes) = sizes(&text, MAX_UNITS) {
                let drawn = ModelAndData::random(sizes, model.units);
                *model = ModelAndData { seed: model.seed, deviation: model.deviation, ..drawn };
            }
        });
    };
    view! {
        <fieldset class="proof-settings">
            <legend data-help="Only models of at most 24 units can be enumerated, so only for these is the exact gradient known.">"Model"</legend>
            <div class="settings">
                <div class="field">
                    <Select id="proof-sizes" label="Layers, visible first" options=options value=value on_choose=choose />
                </div>
                {["units", "model-seed", "deviation"].map(|key| form.field(key))}
            </div>
            // If Proof is alone, nothing trains.
            <Show when=move || !embedded>
                <Button
                    label="Use the model in training"
                    help="Takes the parameters of the model in training, rounded to three places, if it has at most 24 units."
                    on_press=move |()| take(proof, session, status)
                />
            </Show>
            <p class="help" role="status" data-longest=NEEDS>
                <span>{move || status.get()}</span>
            </p>
        </fieldset>
    }
}

/// Requests the run's checkpoint from the lab, and the model in it from the workers.
fn take(proof: ProofState, session: Session, status: RwSignal<String>) {
    let units = session.models.training.with_untracked(|about| about.as_ref().map_or(u32::MAX, |about| about.sizes.iter().sum()));
    if units > MAX_UNITS {
        return status.set(NEEDS.into());
    }
    status.set("Asking the lab…".into());
    spawn_local(async move {
        status.set(match model_in_training(session).await {
            Ok(model) => {
                proof.edit(None, |present| *present = ModelAndData::of_run(&model));
                "This is the model of the lab’s run, its parameters rounded to three places.".into()
            }
            Err(failure) => format!("The lab’s model cannot be used here: {failure}."),
        });
    });
}

async fn model_in_training(session: Session) -> Result<SmallModel, Failure> {
    let (_, checkpoint) = session.save().await?;
    let bytes = checkpoint.to_vec();
    pool::model(Group::Exact, ModelSource::Checkpoint { bytes }).await
}

/// The checkboxes, and the settings folded below them.
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
