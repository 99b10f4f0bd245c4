//! Bytes in and out of DBM Lab: data sets read or generated, checkpoints, arrays, pictures.
//!
//! Functions take bytes and return values, or the reverse. Opening files, fetching and asking the user are left to the callers, so all of
//! this runs in a browser too. No input makes it panic; every refusal is a [`DataError`] that says what was expected, what came, and what
//! to do.

mod archive;
pub mod bars;
pub mod checkpoint;
pub mod coding;
pub mod columns;
mod content;
mod dataset;
pub mod digits;
mod drawn;
mod error;
mod exclusive;
mod file;
mod gzip;
mod idx;
mod interpretation;
mod load;
mod names;
pub mod npy;
mod numbers;
pub mod picture;
pub mod pictures;
mod preview;
pub mod raw;
mod reading;
pub mod target;
#[cfg(test)]
mod test_support;
mod text;
mod visible;

pub use archive::archive;
pub use checkpoint::{Backends, Checkpoint, Precision};
pub use dataset::Dataset;
pub use error::{DataError, MAX_DATA};
pub use gzip::unpack;
pub use load::{load, load_table};
pub use reading::limits;
pub use visible::THRESHOLD;
