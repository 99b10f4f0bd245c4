//! The explanation of a view, in words and equations: a file of HTML next to the page, fetched when the view is first shown.

use crate::canvas::is_as_wide;
use crate::ui::address::View;
use crate::ui::problem::words;
use js_sys::futures::JsFuture;
use leptos::html::{Details, Div};
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Response};

/// Window width from which there is room next to a view, as in the style sheet.
const ROOM: u32 = 1600;
const ROOM_BESIDE_COMPLETE: u32 = 1200;

/// A view and its explanation: next to it if there is room, otherwise folded above it.
#[component]
pub fn Explained(
    /// Which view.
    view: View,
    /// Whether it is on view.
    shown: Signal<bool>,
    /// The view itself.
    children: Children,
) -> impl IntoView {
    let (folded, inside) = (NodeRef::<Details>::new(), NodeRef::<Div>::new());
    let seen = Memo::new(move |seen: Option<&bool>| shown.get() || seen.copied().unwrap_or_default());
    Effect::new(move |_| {
        let (Some(folded), Some(inside), true) = (folded.get(), inside.get(), seen.get()) else { return };
        folded.set_open(is_as_wide(if view == View::Complete { ROOM_BESIDE_COMPLETE } else { ROOM }));
        fetch(inside.into(), format!("./explain/{}.html", view.name()), "explanation", || true);
    });
    view! {
        <div class=format!("explained {}", view.name()) hidden=move || !shown.get()>
            <details class="explanation" node_ref=folded>
                <summary>"What you see here"</summary>
                <div class="explanation-inside" node_ref=inside></div>
            </details>
            <div>{children()}</div>
        </div>
    }
}

/// Fetches a file of HTML that lies next to the page and puts it into an element, or says that `what` could not be fetched; does
/// neither if it is no longer wanted by then.
pub fn fetch(inside: Element, path: String, what: &'static str, is_wanted: impl Fn() -> bool + 'static) {
    leptos::task::spawn_local(async move {
        let html = text_of(&path).await;
        match html {
            _ if !is_wanted() => {}
            // The file is the page's own, like its scripts.
            Ok(html) => inside.set_inner_html(&html),
            Err(why) => inside.set_text_content(Some(&format!("The {what} could not be fetched: {}.", words(&why)))),
        }
    });
}

async fn text_of(path: &str) -> Result<String, JsValue> {
    let answer: Response = JsFuture::from(window().fetch_with_str(path)).await?.unchecked_into();
    if !answer.ok() {
        return Err(JsValue::from_str(&format!("the server answered {}", answer.status())));
    }
    Ok(JsFuture::from(answer.text()?).await?.as_string().unwrap_or_default())
}
