//! Drawing: pure functions on a canvas, and the one place that decides when they run.

mod chart;
mod colours;
mod histogram;
mod picture;
mod plane;
pub mod shape;
mod sparkline;
mod surface;
mod tiles;

pub use chart::{Axis, Chart, Count, Level, Point, Series, power_of_ten, short};
pub use colours::{Colours, calm, follow_theme};
pub use histogram::{Scale, histogram};
pub use picture::{Cells, Fill, cells};
pub use plane::{Plane, Svg};
pub use sparkline::sparkline;
pub use surface::{Surface, redraws};
pub use tiles::{filter_tiles, tiles};
