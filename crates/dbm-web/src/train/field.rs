//! One text field of the settings: its label, what is typed, and what is wrong with it.

use crate::state::state;
use crate::train::draft::Field;
use leptos::prelude::*;

/// What a setting does.
fn help(field: Field) -> &'static str {
    match field {
        Field::Hidden => "Units of each hidden layer. A first layer at least as wide as the picture learns it best.",
        Field::Rate => "How far a step goes. Adam: about 0.001.",
        Field::Batch => "Examples a step, each with a chain of its own.",
        Field::Seed => "Same seed, same settings: the same run, bit for bit.",
        Field::WeightDecay => "Pulls weights towards zero at each step.",
        Field::Average => "Samples come from an average of the weights over the last steps: how much of it each step keeps.",
        Field::Conditional => "Share of the batch that learns to fill in what a mask hides, by the same unbiased machinery.",
        Field::MaxSweeps => "Sweeps after which a search for a mode is cut.",
        Field::MaxMeeting => "Steps after which a coupling that has not met is cut, and counted.",
        Field::K => "Gibbs sweeps of each chain, a step.",
        Field::MaxTries => "Tries after which a draw from the joint coupling is cut, and counted.",
        Field::MeanFieldSweeps => "Sweeps after which mean field is cut.",
        Field::CenteringRate => "Share of the newest batch in the means that units are measured from.",
        Field::PretrainingSteps => "Minibatches that each layer is trained alone for.",
        Field::PretrainingRate => "How far a step of pretraining goes.",
    }
}

/// A labelled field, checked while it is typed in; absent where the chosen run has no such setting.
#[component]
pub fn TextField(
    /// Which.
    field: Field,
    /// Its label.
    label: &'static str,
    /// What the label leaves open.
    #[prop(optional, into)]
    hint: Signal<String>,
    /// Whether it takes the whole row.
    #[prop(optional)]
    wide: bool,
) -> impl IntoView {
    let state = state();
    let problem = Memo::new(move |_| state.draft.with(|draft| draft.problem(field)));
    let applies = Memo::new(move |_| state.draft.with(|draft| draft.applies(field)));
    let numeric = if field == Field::Hidden { "text" } else { "decimal" };
    let type_in = move |event| state.draft.update(|draft| draft.set(field, event_target_value(&event)));
    view! {
        <Show when=move || applies.get()>
            {
                let id = format!("field-{}", field as usize);
                let note = format!("{id}-note");
                view! {
                    <div class="field" class:wide=wide>
                        <label for=id.clone() data-help=help(field)>{label}</label>
                        <input
                            id=id
                            type="text"
                            inputmode=numeric
                            autocomplete="off"
                            spellcheck="false"
                            prop:value=move || state.draft.with(|draft| draft.text(field).to_string())
                            aria-invalid=move || problem.get().is_some().to_string()
                            aria-describedby=note.clone()
                            on:input=type_in
                        />
                        <p id=note class="help" class:problem=move || problem.get().is_some() aria-live="polite">
                            {move || problem.get().unwrap_or_else(|| hint.get())}
                        </p>
                    </div>
                }
            }
        </Show>
    }
}
