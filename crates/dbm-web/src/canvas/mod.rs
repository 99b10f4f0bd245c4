//! Drawing: pure functions on a canvas, and the one place that decides when they run.

pub mod bins;
mod chart;
mod colours;
mod histogram;
mod picture;
mod plane;
mod redraw;
pub mod shape;
mod sparkline;
mod tiles;

pub use chart::{Axis, Chart, Level, Point, Scale, Series, fixed, power_of_ten, short};
pub use colours::{Colours, is_as_wide, prefers_less_motion};
pub use histogram::histogram;
pub use picture::{Fill, Layer, draw_layer, shows_layer};
pub use plane::{Plane, Surface, Svg};
pub use redraw::{follow_theme, redraw_all, redraws, shows};
pub use sparkline::sparkline;
pub use tiles::{filter_tiles, tiles};
