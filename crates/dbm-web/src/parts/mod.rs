//! The parts of the page, each a component.

mod answers;
mod app;
mod bench;
mod canvas;
mod completion;
mod data;
mod field;
mod figures;
mod learning;
mod masthead;
mod method;
mod notices;
mod samples;
mod settings;
mod tools;
mod training;
mod watch;

pub use app::App;
pub use bench::{Bench, BenchProps};
