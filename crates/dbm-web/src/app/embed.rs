//! One view embedded in somebody else's page: `?embed=proof`, without masthead, menu and footer. It keeps nothing in the browser,
//! and tells the surrounding page its height.

use crate::ui::address::{self, View};
use crate::ui::number::listed;
use js_sys::{Object, Reflect};
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::ResizeObserver;

/// Tag of the messages that tell the surrounding page the height.
const SUBJECT: &str = "dbm-lab";

/// The single view that the address asks for, or why it does not exist; `None` if the address asks for the whole page.
pub fn asked() -> Option<Result<View, String>> {
    let name = address::asked("embed")?;
    Some(View::named(&name).ok_or_else(|| {
        let known = listed(View::ALL.map(View::name), ", ");
        format!("There is no view “{name}” to embed. “embed=” takes one of these: {known}.")
    }))
}

/// Marks the page as embedded, and tells the surrounding page its height, now and whenever it changes. Nothing else leaves.
pub fn settle() {
    let Some(body) = document().body() else { return };
    let _ = body.class_list().add_1("embedded");
    let around = window().parent().ok().flatten().filter(|parent| *parent != window());
    let Some(around) = around else { return };
    let measured = body.clone();
    let tell = Closure::<dyn FnMut()>::new(move || {
        let height = measured.get_bounding_client_rect().height().ceil();
        let (message, about) = (Object::new(), Object::new());
        let built = Reflect::set(&about, &"height".into(), &height.into()).and(Reflect::set(&message, &SUBJECT.into(), &about));
        if built.is_ok() {
            // Any page may know how high this one is.
            let _ = around.post_message(&message, "*");
        }
    });
    if let Ok(observer) = ResizeObserver::new(tell.into_js_value().unchecked_ref()) {
        observer.observe(&body);
    }
}

/// The line below the view: a link to the whole page in the same state.
pub fn foot(view: View) -> impl IntoView {
    let whole = move || view.link(view.pairs());
    let link = RwSignal::new(whole());
    address::follow(move || link.set(whole()));
    // The link must show the present view, not that of a moment ago.
    let write = move || address::flush();
    view! {
        <footer class="foot">
            <a
                href=move || link.get()
                target="_blank"
                rel="noopener"
                on:pointerdown=move |_| write()
                on:focus=move |_| write()
            >
                "Open in DBM Lab"
            </a>
        </footer>
    }
}

/// Shown if the requested view does not exist.
#[component]
pub fn Unknown(
    /// What was expected, and what the address had.
    why: String,
) -> impl IntoView {
    view! {
        <main class="unknown-view">
            <p role="alert">{why}</p>
            <p>
                <a href="./" target="_blank" rel="noopener">
                    "Open DBM Lab"
                </a>
            </p>
        </main>
    }
}
