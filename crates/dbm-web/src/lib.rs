//! DBM Lab's page: controls, state and drawing. The model itself lives in the worker.
//!
//! Three programs: the lab; its second part (`study`), which is fetched when one of its views is first opened; and the benchmark, which visitors need not
//! fetch. `scripts/finish-page.mjs` writes the lines that choose.

mod actions;
mod address;
mod asking;
mod bench;
mod bins;
mod bridge;
mod draft;
mod estimators;
mod files_line;
mod gaps;
mod help;
mod inbox;
mod keeper;
mod link;
mod log;
mod model_file;
mod number;
mod paint;
mod parts;
mod picture;
mod put_away;
mod ranked;
mod shape;
mod shared;
mod state;
mod study;
mod take_home;
mod uploads;
mod watched;

/// Puts the lab on the page.
pub fn lab() {
    console_error_panic_hook::set_once();
    leptos::mount::mount_to_body(parts::App);
}

/// Puts the second part of the lab into the page that the first part has made.
pub fn study() {
    use wasm_bindgen::JsCast;
    console_error_panic_hook::set_once();
    let place = |id| leptos::prelude::document().get_element_by_id(id).and_then(|place| place.dyn_into().ok());
    let state = state::State::default();
    if let (Some(views), Some(instruments)) = (place("study"), place("instruments")) {
        leptos::mount::mount_to(views, move || study::app::App(study::app::AppProps { state })).forget();
        leptos::mount::mount_to(instruments, move || {
            study::instruments::Instruments(study::instruments::InstrumentsProps { state })
        })
        .forget();
    }
}

/// Puts the benchmark on the page that its address asks for.
pub fn benchmark() {
    console_error_panic_hook::set_once();
    let search = leptos::prelude::window().location().search().unwrap_or_default();
    let asked =
        bench::asked(&search).unwrap_or_else(|| Err("The address asks for no benchmark: add ?bench=mnist-500 to it.".into()));
    leptos::mount::mount_to_body(|| parts::Bench(parts::BenchProps { asked }));
}
