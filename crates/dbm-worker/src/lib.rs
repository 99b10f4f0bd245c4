//! The Web Workers: one with a [`lab::Lab`], which answers the page, and helpers of its own, with which it shares training.

// Native builds only test what the browser runs.
#![cfg_attr(not(any(target_arch = "wasm32", test)), allow(dead_code, unused_imports))]

mod bench;
mod clock;
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
