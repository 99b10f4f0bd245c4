//! The worker that has the GPU: it takes the steps of one run there, as the computing worker asks. A program of its own, so that only those who choose the GPU fetch it.
//!
//! [`GpuRun`] is what it holds, and nothing of it is of the browser; `shell` carries the messages.

mod run;
#[cfg(target_family = "wasm")]
mod shell;

pub use run::GpuRun;
#[cfg(target_family = "wasm")]
pub use shell::start;
