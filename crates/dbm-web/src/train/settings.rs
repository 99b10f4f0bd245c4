//! The settings that a run begins with: two forms, neither of which affects a run that has begun.

use crate::settings::{ForData, Form, fields};
use crate::ui::folded::Folded;
use crate::worker::session::Session;
use dbm_core::settings::Group;
use leptos::prelude::*;

/// The form of the next run.
fn form() -> Form {
    let session = Session::of_page();
    let data = Signal::derive(move || {
        let unknown = ForData { visible: 784, is_picture: true };
        session
            .sets
            .data
            .with(|data| data.as_ref().map_or(unknown, |data| ForData { visible: data.width, is_picture: data.image.is_some() }))
    });
    let change = move |(setting, text)| {
        let data = data.get_untracked();
        session.run.draft.update(|draft| draft.change(setting, text, data));
    };
    Form { id: "field", draft: session.run.draft.into(), change: Callback::new(change), data, beside: None }
}

/// The settings that nearly every visitor looks at, and below them the rest.
pub fn settings_form() -> impl IntoView {
    let form = form();
    view! {
        <form class="settings" aria-label="Settings of the run" on:submit=|event| event.prevent_default()>
            {fields(form, &[Group::Main])}
            <Folded name="More" class="wide" inside="settings" urgent=Signal::derive(move || form.is_urgent(Group::More))>
                {fields(form, &[Group::More])}
            </Folded>
        </form>
    }
}

/// The form below the figures: how a run learns, its estimator and its start.
pub fn learning_form() -> impl IntoView {
    let form = form();
    view! {
        <form class="learning" aria-label="Estimator and start of the run" on:submit=|event| event.prevent_default()>
            <div class="settings">
                {fields(form, &[Group::Estimator])}
            </div>
            <div class="settings">
                {fields(form, &[Group::Start])}
            </div>
            <div class="settings">
                <Folded
                    name="Limits and variants"
                    class="wide"
                    inside="settings"
                    urgent=Signal::derive(move || form.is_urgent(Group::Limits))
                >
                    {fields(form, &[Group::Limits])}
                </Folded>
            </div>
        </form>
    }
}
