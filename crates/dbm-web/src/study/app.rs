//! The second program's part of the page: of its three views the one that the address asks for.

use super::compare::Compare;
use super::coupling::Coupling;
use super::proof::Proof;
use crate::address::{self, View};
use crate::state::State;
use crate::{bridge, paint};
use leptos::prelude::*;

/// What is on view of this program.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    Compare,
    Coupling,
    Proof,
}

fn shown() -> Option<Shown> {
    match View::now() {
        View::Train => (address::get("t.two").as_deref() == Some("yes")).then_some(Shown::Compare),
        View::Complete => None,
        View::Coupling => Some(Shown::Coupling),
        View::Proof => Some(Shown::Proof),
    }
}

/// The three views; each is made when it is first shown, and stays, so that what runs in it goes on.
#[component]
pub fn App(
    /// The program's own.
    state: State,
) -> impl IntoView {
    provide_context(state);
    paint::follow_theme(state);
    // Words for the visitor are shown where all others are.
    Effect::new(move |_| {
        for notice in state.notices.get() {
            bridge::say(notice.tone, &notice.text);
            state.dismiss(notice.id);
        }
    });
    let now = RwSignal::new(shown());
    address::follow(move || {
        now.set(shown());
        state.redraw.update(|count| *count = count.wrapping_add(1));
    });
    let seen = move |view| Memo::new(move |seen: Option<&bool>| now.get() == Some(view) || seen.copied().unwrap_or_default());
    let (compare, coupling, proof) = (seen(Shown::Compare), seen(Shown::Coupling), seen(Shown::Proof));
    view! {
        <div hidden=move || now.get() != Some(Shown::Compare)>
            <Show when=move || compare.get()>
                <Compare />
            </Show>
        </div>
        <div hidden=move || now.get() != Some(Shown::Coupling)>
            <Show when=move || coupling.get()>
                <Coupling />
            </Show>
        </div>
        <div hidden=move || now.get() != Some(Shown::Proof)>
            <Show when=move || proof.get()>
                <Proof />
            </Show>
        </div>
    }
}
