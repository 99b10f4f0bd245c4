//! The workers that study couplings and estimators at fixed parameters, for the Coupling and Proof views: a separate program, so that only
//! visitors who open these views fetch it.
//!
//! Each command is a separate job, from its message to its answer. Nothing is kept between jobs, and nothing here depends on the browser;
//! `shell` carries the messages.

mod answer;
mod models;
#[cfg(target_family = "wasm")]
mod shell;

pub use answer::answer;
#[cfg(target_family = "wasm")]
pub use shell::start;
