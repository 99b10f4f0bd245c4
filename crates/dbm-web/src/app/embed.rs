//! One view inside the page of somebody else: `?embed=proof`, without masthead, menu and footer. It keeps nothing in the browser,
//! and tells the page around it how high it is.

use crate::ui::address::{self, View};
use crate::ui::number::listed;
use js_sys::{Object, Reflect};
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::ResizeObserver;

/// Under which the page around hears of the height.
const SUBJECT: &str = "dbm-lab";

/// The view that the address asks for alone, or why there is none; nothing where it asks for the whole page.
pub fn asked() -> Option<Result<View, String>> {
    let name = address::asked("embed")?;
    Some(View::named(&name).ok_or_else(|| {
        let known = listed(View::ALL.map(View::name), ", ");
        format!("There is no view “{name}” to embed. After “embed=” the address should have one of these: {known}.")
    }))
}

/// Marks the page as one without a frame, and tells the page around it its height, now and whenever that changes. Nothing else leaves.
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

/// The line below the view: where the whole page is, as this one stands.
pub fn foot(view: View) -> impl IntoView {
    let whole = move || view.link(view.pairs());
    let link = RwSignal::new(whole());
    address::follow(move || link.set(whole()));
    // The link is of the view as it stands, not as it stood a moment ago.
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

/// In place of a view that there is none of.
#[component]
pub fn Unknown(
    /// What was expected, and what came.
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
