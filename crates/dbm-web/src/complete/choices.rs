//! A select of the view: one of the settings, chosen among the rows of its table.

use super::settings::CompletionSettings;
use super::state::CompletionState;
use crate::ui::select::{Choice, ChoiceProps};
use dbm_core::words;
use leptos::prelude::*;

/// A select over the values of one setting.
#[component]
pub fn Choose<T: words::Choose>(
    /// Which of them.
    of: fn(&mut CompletionSettings) -> &mut T,
    /// Whether it has no effect now.
    #[prop(optional, into)]
    disabled: Signal<bool>,
) -> impl IntoView {
    let state = CompletionState::of_view();
    let value = Signal::derive(move || *of(&mut state.settings.get()));
    let help = move || format!("{} {}", T::WORDS.help, value.get().choice().help);
    let on_choose = Callback::new(move |chosen: T| state.settings.update(|settings| *of(settings) = chosen));
    view! {
        <div class="inline" data-help=help>
            {Choice(ChoiceProps::builder().id(T::WORDS.key).value(value).on_choose(on_choose).disabled(disabled).build())}
        </div>
    }
}
