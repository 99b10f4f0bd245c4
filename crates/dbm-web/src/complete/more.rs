//! What a first look does not need: tools, how answers are drawn and sorted, cleaning up, and watching a search or a pair.

use super::choices::choose;
use super::layers::EachLayer;
use super::settings::CompletionSettings;
use super::state::CompletionState;
use super::sweeps::AgainstSweeps;
use super::tools::Tools;
use super::watch::Watch;
use crate::ui::button::Button;
use crate::ui::folded::Folded;
use leptos::prelude::*;

/// Folded, unless the address asks for something in it.
#[component]
pub fn More() -> impl IntoView {
    let state = CompletionState::of_view();
    // Settings that are not the usual ones must be seen.
    let unusual = Signal::derive(move || {
        let now = state.settings.get();
        let CompletionSettings { picture_seed, answer_seed, class, .. } = now;
        now != CompletionSettings { picture_seed, answer_seed, class, ..CompletionSettings::default() }
    });
    view! {
        <Folded name="More" class="completion-more" urgent=unusual>
            <Tools />
            <HowAnswersAreDrawn />
            <Watch />
            <AgainstSweeps />
            <EachLayer />
        </Folded>
    }
}

#[component]
fn HowAnswersAreDrawn() -> impl IntoView {
    let state = CompletionState::of_view();
    view! {
        <div class="how" role="group" aria-label="How answers are drawn">
            <div class="ask">
                {choose("answers")} {choose("sort")}
            </div>
            <div class="ask">
                {choose("by")} {choose("sweeps")}
            </div>
            <div class="ask">
                <Button
                    label="Another set"
                    help="Other answers to the same question, from other random numbers."
                    disabled=move || state.lacks_model() || state.answers.with(Option::is_none)
                    on_press=move |()| state.complete_again()
                />
            </div>
            <div class="ask">
                <Button
                    label="Clean up"
                    help="Nothing stays as it is: the picture is only where the search, or the sweeps, begin. For what was drawn by hand."
                    disabled=move || state.lacks_model()
                    on_press=move |()| state.complete(true)
                />
                {choose("clean")}
            </div>
        </div>
    }
}
