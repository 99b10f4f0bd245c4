//! Time and memory of a step by width and depth.

mod figure;
mod point;

pub use figure::figure;
pub use point::{MOST_LAYERS, Measurement, Outcome, Point, Shape, Where, csv, read, table};
