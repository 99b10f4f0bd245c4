//! What differs in run B: its settings, those that are not run A's marked as such.

use super::pair::Pair;
use crate::settings::{Fields, Form};
use dbm_core::settings::{Group, Setting};
use leptos::prelude::*;

/// The form of run B's settings.
pub fn difference_form(pair: Pair) -> impl IntoView {
    let change = move |(setting, text)| change(pair, setting, text);
    let form = Form {
        id: "compare",
        draft: pair.other.into(),
        change: Callback::new(change),
        data: pair.for_data.into(),
        beside: Some(pair.base.into()),
    };
    view! {
        <details class="difference" open>
            <summary>"What differs in run B"</summary>
            <form class="settings" aria-label="Settings of run B" on:submit=|event| event.prevent_default()>
                <Fields form groups=&[Group::Main, Group::More, Group::Estimator, Group::Start, Group::Limits] />
            </form>
        </details>
    }
}

/// Changes one of run B's settings.
fn change(pair: Pair, setting: Setting, text: String) {
    let (base, data) = (pair.base.get_untracked(), pair.for_data.get_untracked());
    let mut other = pair.other.get_untracked();
    other.change(setting, text, data);
    pair.setup.update(|setup| {
        setup.differ(&base, &other, data);
        // The address no longer says what has been trained.
        setup.go = false;
    });
}
