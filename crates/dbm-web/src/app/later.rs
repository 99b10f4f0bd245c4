//! The views that are not shown first. In the built page each is in a separate file, fetched when the view is first opened (the
//! feature `split`); otherwise they are part of the one program.

use crate::compare::Compare;
use crate::coupling::Coupling;
use crate::proof::Proof;
use futures_channel::oneshot;
use leptos::prelude::*;
use std::pin::Pin;
use wasm_bindgen::prelude::*;
use web_sys::Event;

/// A view, or why it could not be loaded.
type Fetched = Result<AnyView, Missing>;
type Fetching = Pin<Box<dyn Future<Output = Fetched> + Send>>;

/// A part of the program that could not be fetched.
#[derive(Debug, thiserror::Error)]
#[error("This view could not be fetched. Check the connection, then try again.")]
pub struct Missing;

#[cfg(feature = "split")]
impl From<wasm_split_helpers::SplitLoaderError> for Missing {
    fn from(_: wasm_split_helpers::SplitLoaderError) -> Self {
        Self
    }
}

/// Whether the styles of these views are loaded. They are fetched together with the first view, from the file that index.html
/// names.
fn styles() -> oneshot::Receiver<bool> {
    let (sender, receiver) = oneshot::channel();
    let at = |selector: &str| document().query_selector(selector).ok().flatten();
    let file = at("meta[name=later-styles]").and_then(|meta| meta.get_attribute("content"));
    let missing = file.filter(|file| at(&format!("link[href='{file}']")).is_none());
    let link = missing.and_then(|file| {
        let link = document().create_element("link").ok()?;
        link.set_attribute("rel", "stylesheet").and_then(|()| link.set_attribute("href", &file)).ok()?;
        Some(link)
    });
    let Some(link) = link else {
        let _ = sender.send(true);
        return receiver;
    };
    let here = link.clone();
    let message = Closure::once_into_js(move |event: Event| {
        let came = event.type_() == "load";
        if !came {
            here.remove(); // so that another try fetches it
        }
        let _ = sender.send(came); // whoever waited may have gone
    });
    for event in ["load", "error"] {
        // If neither can be listened for, the view does not load, and can be tried again.
        drop(link.add_event_listener_with_callback(event, message.unchecked_ref()));
    }
    drop(document().head().map(|head| head.append_child(&link)));
    receiver
}

/// Functions that fetch and build views, each in a separate file with everything that only this view needs.
macro_rules! in_files_of_their_own {
    ($($(#[$doc:meta])* $name:ident: $view:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name() -> Fetching {
            #[cfg(feature = "split")]
            #[wasm_split_helpers::wasm_split($name, fallible)]
            fn made() -> Fetched {
                Ok($view().into_any())
            }

            #[cfg(not(feature = "split"))]
            async fn made() -> Fetched {
                Ok($view().into_any())
            }

            let styles = styles();
            Box::pin(async move {
                if styles.await == Ok(true) { made().await } else { Err(Missing) }
            })
        }
    )*};
}

in_files_of_their_own! {
    /// Two runs side by side.
    compare: Compare;
    /// The coupling, step by step and as a whole.
    coupling: Coupling;
    /// Estimators compared with the exact gradient.
    proof: Proof;
}

/// A view that is fetched and built when it is first shown. It then stays, so that its work continues.
#[component]
pub fn Later(
    /// Which of the views that are fetched later.
    view: fn() -> Fetching,
    /// Whether it is on view.
    shown: Signal<bool>,
) -> impl IntoView {
    let seen = Memo::new(move |seen: Option<&bool>| shown.get() || seen.copied().unwrap_or_default());
    let tries = RwSignal::new(0_u32);
    let retry = move |_| tries.update(|tries| *tries += 1);
    let fetched = move || {
        tries.track();
        Suspend::new(async move {
            view().await.unwrap_or_else(|why| {
                view! {
                    <p role="alert">{why.to_string()}</p>
                    <button on:click=retry>"Try again"</button>
                }
                .into_any()
            })
        })
    };
    view! {
        <div hidden=move || !shown.get()>
            <Show when=move || seen.get()>
                <Suspense fallback=|| view! { <p class="coming" role="status">"Fetching this view…"</p> }>{fetched}</Suspense>
            </Show>
        </div>
    }
}
