//! Complete's part of the address.

use super::state::{CompletionState, PictureInAddress};
use crate::ui::binding::{self, Keys};
use crate::ui::form;
use crate::worker::session::{Opening, ShippedModel};
use dbm_core::words::Choose;
use dbm_protocol::ModelChoice;
use leptos::prelude::*;

/// Keeps the view and its part of the address in step.
pub fn bind(state: CompletionState) {
    binding::bind("c.", move || write(state), move |keys| read(state, keys));
}

fn write(state: CompletionState) -> Option<Keys> {
    // Until the address's picture has arrived, the address is ahead of the page.
    if state.to_come.with(Option::is_some) || state.picture.with(|picture| picture.shape.units == 0) {
        return None;
    }
    let now = state.settings.get();
    let mut keys = Keys::default();
    let session = state.session;
    if session.models.model.get() == ModelChoice::Training {
        keys.put("model", "training");
    } else if session.models.opened.with(Option::is_none) {
        let shipped = session.models.wanted.get().unwrap_or(session.models.shipped.get());
        keys.put_unless("model", &shipped.choice().name, &ShippedModel::default().choice().name);
    }
    form::write(&now, &mut keys);
    state.picture.with(|picture| {
        if let Some(mask) = picture.mask_text(now.picture_seed).filter(|mask| mask != now.start.mask()) {
            keys.put("mask", mask);
        }
        if let Some(ink) = picture.ink_text() {
            keys.put("ink", ink);
        }
    });
    state.answers.with(|answers| {
        if let Some(answered) = answers.as_ref().map(|answers| &answers.request)
            && *answered == state.request(answered.clean_up)
        {
            keys.put("go", if answered.clean_up { "clean" } else { "yes" });
        }
    });
    Some(keys)
}

fn read(state: CompletionState, keys: &Keys) {
    state.settings.set(form::read(keys));
    let text = |key| keys.get(key).map(Into::into);
    let clean_up = keys.get("go").filter(|go| ["yes", "clean"].contains(go)).map(|go| go == "clean");
    state.to_come.set(Some(PictureInAddress { mask: text("mask"), ink: text("ink"), clean_up }));
    let session = state.session;
    if keys.get("model") == Some("training") || session.models.opening.get_untracked() == Opening::Missing {
        session.models.model.set(ModelChoice::Training);
    } else if let Some(which) = keys.get("model").and_then(ShippedModel::named) {
        session.show(which);
    } else if session.models.opened.with_untracked(Option::is_some) {
        session.models.model.set(ModelChoice::Pretrained);
    } else {
        session.show(ShippedModel::default());
    }
    state.new_picture();
}
