//! How files are read, as a value that a user can correct.

mod settings;
mod value;

pub use settings::{READING, ReadingSetting, ordered};
pub use value::{Background, Change, ColumnReading, Doubt, KindChoice, Reading};
