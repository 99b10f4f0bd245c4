//! The Web Workers. One program has three roles, which a worker knows by its name: the computing worker, with a [`lab::Lab`], which answers the page; its
//! helpers, with which it shares training; and diagnostics workers, which measure couplings and estimators.

// Native builds only test what the browser runs.
#![cfg_attr(not(any(target_arch = "wasm32", test)), allow(dead_code, unused_imports))]

mod bench;
mod clock;
pub mod diagnostics;
mod jobs;
mod lab;
mod pool;
mod recent;
mod run;
#[cfg(target_arch = "wasm32")]
mod shell;
mod sources;

#[cfg(target_arch = "wasm32")]
pub use shell::start;
