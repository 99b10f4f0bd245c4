//! DBM Lab's page: controls, state and drawing. The model itself lives in the worker.

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

fn main() {
    console_error_panic_hook::set_once();
    // Two roots: one view that holds either would carry the code to swap the whole lab for another.
    match bench::asked(&leptos::prelude::window().location().search().unwrap_or_default()) {
        None => leptos::mount::mount_to_body(parts::App),
        Some(asked) => leptos::mount::mount_to_body(|| parts::Bench(parts::BenchProps { asked })),
    }
}
