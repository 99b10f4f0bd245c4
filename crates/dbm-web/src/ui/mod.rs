//! What several features share: the address, charts, files to save, numbers.

pub mod address;
pub mod area;
pub mod binding;
pub mod button;
pub mod chart;
pub mod download;
pub mod dropdown;
pub mod explanation;
pub mod field;
pub mod folded;
pub mod form;
pub mod histogram;
pub mod history;
pub mod notices;
pub mod number;
pub mod player;
pub mod problem;
pub mod progress;
pub mod remembered;
pub mod save;
pub mod select;
pub mod table;
pub mod term;
pub mod throttle;
pub mod undo;
