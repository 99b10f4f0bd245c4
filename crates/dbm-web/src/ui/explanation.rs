//! What a view shows, in words and equations: a fragment of HTML beside the page, fetched when the view is first on show.

use crate::canvas::is_as_wide;
use crate::ui::address::View;
use crate::ui::problem::words;
use js_sys::futures::JsFuture;
use leptos::html::{Details, Div};
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Response};

/// From which width of the window on there is room beside a view, as the style sheet has it.
const ROOM: u32 = 1600;
const ROOM_BESIDE_COMPLETE: u32 = 1200;

/// A view and its explanation: beside it where there is room, and folded above it elsewhere.
#[component]
pub fn Explained(
    /// Which view.
    view: View,
    /// Whether it is on show.
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

/// Puts a fragment of HTML beside the page into an element, or says that `what` it is could not be fetched; unless it is not
/// wanted any more by then.
pub fn fetch(inside: Element, path: String, what: &'static str, is_wanted: impl Fn() -> bool + 'static) {
    leptos::task::spawn_local(async move {
        let html = text_of(&path).await;
        match html {
            _ if !is_wanted() => {}
            // A file of the page's own, like its scripts.
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
