//! What a first look does not need: tools, how answers are drawn and sorted, cleaning up, and watching a search or a pair.

use super::layers::each_layer;
use super::settings::CompletionSettings;
use super::state::CompletionState;
use super::sweeps::against_sweeps;
use super::tools::{choose, tools_panel};
use super::watch::watch_controls;
use crate::ui::button::Button;
use crate::ui::folded::Folded;
use dbm_core::words::Choose;
use leptos::prelude::*;

/// Folded, unless the address uses something in it.
pub fn more(state: CompletionState) -> impl IntoView {
    // Unusual settings must be visible.
    let unusual = Signal::derive(move || {
        let now = state.settings.get();
        let CompletionSettings { picture_seed, answer_seed, class, .. } = now;
        now != CompletionSettings { picture_seed, answer_seed, class, ..CompletionSettings::default() }
    });
    view! {
        <Folded name="More" class="completion-more" urgent=unusual>
            {tools_panel(state)}
            {how_answers_are_drawn(state)}
            {watch_controls(state)}
            {against_sweeps(state)}
            {each_layer(state)}
        </Folded>
    }
}

fn how_answers_are_drawn(state: CompletionState) -> impl IntoView {
    view! {
        <div class="how" role="group" aria-label="How answers are drawn">
            <div class="ask">
                {choose(state, "answers", |settings| settings.answers.choice().help)} {choose(state, "sort", |settings| settings.order.choice().help)}
            </div>
            <div class="ask">
                {choose(state, "by", |settings| settings.method.choice().help)} {choose(state, "sweeps", |settings| settings.sweeps.choice().help)}
            </div>
            <div class="ask">
                <Button
                    label="Another set"
                    help="Other answers to the same question, from different random numbers."
                    disabled=move || state.lacks_model() || state.answers.with(Option::is_none)
                    on_press=move |()| state.complete_again()
                />
            </div>
            <div class="ask">
                <Button
                    label="Clean up"
                    help="Nothing is clamped: the search or the sweeps only start from the picture. For what you drew by hand."
                    disabled=move || state.lacks_model()
                    on_press=move |()| state.complete(true)
                />
                {choose(state, "clean", |settings| settings.clean_up.choice().help)}
            </div>
        </div>
    }
}
