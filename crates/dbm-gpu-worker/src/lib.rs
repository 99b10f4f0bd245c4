//! The worker that has the GPU: it takes the steps of one run there, as the computing worker requests. It is a separate program, so that
//! only visitors who choose the GPU fetch it.
//!
//! [`GpuRun`] holds its state and does not depend on the browser; `shell` carries the messages.

mod run;
#[cfg(target_family = "wasm")]
mod shell;

pub use run::GpuRun;
#[cfg(target_family = "wasm")]
pub use shell::start;
