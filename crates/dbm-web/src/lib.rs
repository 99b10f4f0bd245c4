//! DBM Lab's page, organized by feature: controls, state and drawing. The models themselves live in the workers.
//!
//! Data flows one way: [`app`] mounts the features ([`train`], [`compare`], [`complete`], [`coupling`], [`proof`], [`data`]).
//! Each feature owns its state and its part of the address, and never reaches into another feature. What two of them share is in
//! [`worker`], [`ui`] or [`canvas`].

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

/// Mounts the page in the document: the whole lab, or a single view if the address asks for one.
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
