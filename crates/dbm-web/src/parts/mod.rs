//! The parts of the page, each a component.

mod answers;
mod app;
mod bench;
mod canvas;
mod completion;
mod data;
mod field;
mod figures;
mod gaps;
mod learning;
mod masthead;
mod method;
mod notices;
mod preview;
mod samples;
mod save;
mod settings;
mod tools;
mod training;
mod watch;

pub use app::App;
pub use bench::{Bench, BenchProps};
