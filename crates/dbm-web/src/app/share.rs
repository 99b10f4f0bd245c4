//! Ways to take the view elsewhere: a link to it, and code that embeds it in another page.

use crate::train;
use crate::ui::address::{self, OnShow, View};
use crate::ui::problem::words;
use crate::ui::save::Save;
use crate::worker::session::Session;
use js_sys::futures::JsFuture;
use js_sys::{Function, Promise, Reflect};
use leptos::html::Input;
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};

/// The forms in which it can be shared.
const FORMS: &[&str] = &["link", "embedding code"];

/// The menu, with a field that shows the text if the browser does not let the page write to the clipboard.
pub fn share_menu() -> impl IntoView {
    let (session, show) = (Session::of_page(), OnShow::of_page());
    let to_copy = RwSignal::new(None::<(&'static str, String)>);
    Effect::new(move |_| {
        show.view.track();
        session.run.runs.track();
        to_copy.set(None);
    });
    let field = NodeRef::<Input>::new();
    Effect::new(move |_| {
        if let (Some(field), true) = (field.get(), to_copy.with(Option::is_some)) {
            // After the field has its value.
            request_animation_frame(move || field.select());
        }
    });
    let share = move |form: usize| {
        let (what, text, about) = shared(session, show, form);
        // The browser lets a page write to the clipboard only while it handles the click.
        let begun = copy(&text);
        leptos::task::spawn_local(async move {
            let copied = match begun {
                Ok(begun) => JsFuture::from(begun).await.map(|_| ()),
                Err(why) => Err(why),
            };
            let notice = match &copied {
                Ok(()) => format!("{what} is on the clipboard: {about}"),
                Err(why) => {
                    format!("Could not copy ({}). {what} is in the field next to Share: {about}", words(why))
                }
            };
            to_copy.set(copied.err().map(|_| (what, text)));
            session.notices.news(notice);
        });
    };
    view! {
        <Save verb="Share" what="this view" forms=FORMS save=share />
        <Show when=move || to_copy.with(Option::is_some)>
            <input
                node_ref=field
                class="to-copy"
                type="text"
                readonly
                aria-label=move || to_copy.get().map(|(what, _)| what)
                prop:value=move || to_copy.get().map(|(_, text)| text)
            />
        </Show>
    }
}

/// What it is, the text to copy, and what the visitor should know about it.
fn shared(session: Session, show: OnShow, form: usize) -> (&'static str, String, String) {
    address::flush();
    let view = show.view.get_untracked();
    let one_run = view == View::Train && !show.two_runs.get_untracked();
    let run = one_run.then(|| train::shared(session)).flatten();
    let is_run = run.is_some();
    let settings = if one_run {
        "it has the settings; for a link that trains to this step, pause the run first."
    } else {
        "it reproduces this exact view."
    };
    let (pairs, about) = run.unwrap_or_else(|| (view.pairs(), settings.into()));
    if form == 0 {
        return (if is_run { "A link to this run" } else { "A link to this view" }, view.link(pairs), about);
    }
    let height = view.embedded_height();
    let size = format!("The frame fills its container, at least 320 pixels wide, and is {height} pixels high.");
    (
        if is_run { "The code that embeds this run" } else { "The code that embeds this view" },
        iframe(view.title(), &view.embedded(&pairs), height),
        format!("{about} {size}"),
    )
}

/// An element for somebody else's page.
fn iframe(title: &str, address: &str, height: u32) -> String {
    let address = address.replace('&', "&amp;");
    format!(
        r#"<iframe src="{address}" title="DBM Lab: {title}" width="100%" height="{height}" style="border: 0" loading="lazy" allow="cross-origin-isolated"></iframe>"#
    )
}

/// Starts to write to the clipboard, which a page that was not served over an encrypted connection does not have.
fn copy(text: &str) -> Result<Promise, JsValue> {
    let clipboard = Reflect::get(&window().navigator(), &"clipboard".into())?;
    if clipboard.is_undefined() {
        return Err("browsers allow it only on encrypted pages".into());
    }
    let write: Function = Reflect::get(&clipboard, &"writeText".into())?.dyn_into()?;
    write.call1(&clipboard, &text.into())?.dyn_into()
}

#[cfg(test)]
mod tests {
    use super::iframe;

    #[test]
    fn the_code_is_an_element_of_html() {
        let code = iframe("Proof", "https://lab.example/?embed=proof#p.a=1&p.b=2", 900);
        assert!(
            code.starts_with(r#"<iframe src="https://lab.example/?embed=proof#p.a=1&amp;p.b=2" title="DBM Lab: Proof""#),
            "{code}"
        );
    }
}
