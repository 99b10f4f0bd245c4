//! DBM Lab's page: controls, state and drawing. The model itself lives in the worker.
//!
//! Two programs: the lab, and the benchmark, which visitors need not fetch. `scripts/finish-page.mjs` writes the line that chooses.

mod actions;
mod bench;
mod bins;
mod draft;
mod estimators;
mod files_line;
mod gaps;
mod inbox;
mod keeper;
mod link;
mod log;
mod model_file;
mod paint;
mod parts;
mod picture;
mod put_away;
mod shape;
mod state;
mod take_home;
mod uploads;

/// Puts the lab on the page.
pub fn lab() {
    console_error_panic_hook::set_once();
    leptos::mount::mount_to_body(parts::App);
}

/// Puts the benchmark on the page that its address asks for.
pub fn benchmark() {
    console_error_panic_hook::set_once();
    let search = leptos::prelude::window().location().search().unwrap_or_default();
    let asked =
        bench::asked(&search).unwrap_or_else(|| Err("The address asks for no benchmark: add ?bench=mnist-500 to it.".into()));
    leptos::mount::mount_to_body(|| parts::Bench(parts::BenchProps { asked }));
}
