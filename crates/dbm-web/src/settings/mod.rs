//! A form of a run's settings: the texts typed in it, and its fields, both made from the table of settings.

mod draft;
mod fields;
#[cfg(test)]
mod tests;

pub use draft::{Draft, ForData};
pub use fields::{Form, fields};
