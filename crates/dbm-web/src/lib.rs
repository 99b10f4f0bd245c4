//! DBM Lab's page, by feature: controls, state and drawing. The models themselves live in the workers.
//!
//! Data flows one way: [`app`] mounts the features ([`train`], [`compare`], [`complete`], [`coupling`], [`proof`], [`data`], [`bench`]); a feature owns its
//! state and its part of the address and reaches into no other; what two of them need is in [`worker`], [`ui`] or [`canvas`].

mod app;
mod bench;
mod canvas;
mod compare;
mod complete;
mod coupling;
mod data;
mod proof;
mod train;
mod ui;
mod worker;

/// Puts the page into the document: the lab, or the benchmark where the address asks for one.
pub fn mount() {
    console_error_panic_hook::set_once();
    let search = leptos::prelude::window().location().search().unwrap_or_default();
    match bench::asked(&search) {
        Some(asked) => leptos::mount::mount_to_body(|| bench::page::BenchPage(bench::page::BenchPageProps { asked })),
        None => leptos::mount::mount_to_body(app::App),
    }
}
