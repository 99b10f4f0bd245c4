//! What a view shows, in words and equations: a fragment of HTML beside the page, fetched when the view is first opened.

use crate::ui::address::View;
use crate::ui::problem::words;
use js_sys::futures::JsFuture;
use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Response;

/// Folded or not, as the visitor leaves it.
#[component]
pub fn Explanation(
    /// Of which view.
    view: View,
) -> impl IntoView {
    let inside = NodeRef::<Div>::new();
    let begun = StoredValue::new(false);
    Effect::new(move |_| {
        let Some(inside) = inside.get() else { return };
        if begun.get_value() {
            return;
        }
        begun.set_value(true);
        leptos::task::spawn_local(async move {
            match fetch(view).await {
                // A file of the page's own, like its scripts.
                Ok(html) => inside.set_inner_html(&html),
                Err(why) => inside.set_text_content(Some(&format!("The explanation could not be fetched: {}.", words(&why)))),
            }
        });
    });
    view! {
        <details class="explanation">
            <summary>"What you see here, and the equations"</summary>
            <div class="explanation-inside" node_ref=inside></div>
        </details>
    }
}

async fn fetch(view: View) -> Result<String, JsValue> {
    let answer: Response =
        JsFuture::from(window().fetch_with_str(&format!("./explain/{}.html", view.name()))).await?.unchecked_into();
    if !answer.ok() {
        return Err(JsValue::from_str(&format!("the server answered {}", answer.status())));
    }
    Ok(JsFuture::from(answer.text()?).await?.as_string().unwrap_or_default())
}
