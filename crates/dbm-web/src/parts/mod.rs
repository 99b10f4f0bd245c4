//! The parts of the page, each a component.

mod answers;
mod app;
mod bench;
mod canvas;
mod chart;
mod completion;
mod data;
mod explanation;
mod field;
mod gaps;
mod learning;
mod masthead;
mod menu;
mod notices;
mod preview;
mod samples;
mod save;
mod settings;
mod shortcuts;
mod tools;
mod training;
mod watch;

pub use app::App;
pub use bench::{Bench, BenchProps};
pub use chart::ChartFigure;
pub use explanation::Explanation;
pub use save::Save;
