//! DBM Lab's page, by feature: controls, state and drawing. The models themselves live in the workers.
//!
//! Data flows one way: [`app`] mounts the features ([`train`], [`compare`], [`complete`], [`coupling`], [`proof`], [`data`]); a
//! feature owns its state and its part of the address and reaches into no other; what two of them need is in [`worker`],
//! [`ui`] or [`canvas`].

mod app;
mod canvas;
mod compare;
mod complete;
mod coupling;
mod data;
mod proof;
mod settings;
mod tour;
mod train;
mod ui;
mod worker;

/// Puts the page into the document: the lab, or one view of it where the address asks for that.
pub fn mount() {
    console_error_panic_hook::set_once();
    let embedded = app::embed::asked();
    if embedded.is_some() {
        app::embed::settle();
    }
    match embedded.transpose() {
        Ok(embedded) => leptos::mount::mount_to_body(move || app::App(app::AppProps { embedded })),
        Err(why) => leptos::mount::mount_to_body(|| app::embed::Unknown(app::embed::UnknownProps { why })),
    }
}
