//! The computing workers. One program has two roles, distinguished by the worker's name: a [`coordinator::Coordinator`], which answers the
//! page, and its helpers, with which it shares training.

// Native builds only test what the browser runs.
#![cfg_attr(not(any(target_arch = "wasm32", test)), allow(dead_code, unused_imports))]

mod begin;
mod clock;
mod complete;
mod coordinator;
mod gaps;
mod job;
mod pool;
mod run;
mod samples;
#[cfg(target_arch = "wasm32")]
mod shell;
mod sources;
#[cfg(test)]
mod test_page;
mod trial;
mod view;

/// Answers whoever started this worker: the page or, for a helper, the coordinator.
#[cfg(target_arch = "wasm32")]
pub fn start() {
    console_error_panic_hook::set_once();
    match dbm_protocol::transport::scope().name().as_str() {
        shell::HELPER => shell::helper::start(),
        _ => shell::coordinator::start(),
    }
}
