//! DBM Lab's second Web Worker. Two of them may run, distinguished by their names: one reads the visitor's files and writes downloads, and is
//! ended when the visitor cancels; the other stores checkpoints of the run in the browser's storage.

#[cfg(target_arch = "wasm32")]
mod fetch;
pub mod reader;
#[cfg(target_arch = "wasm32")]
mod shell;
pub mod store;

#[cfg(target_arch = "wasm32")]
pub use shell::start;
