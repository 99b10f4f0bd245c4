//! Bytes in and out of DBM Lab: data sets read or generated, checkpoints, arrays, pictures.
//!
//! Functions take bytes and return values, or the other way round: opening files, fetching and asking the user belong to the
//! callers, so all of this runs in a browser too. No input makes it panic; every refusal is a [`DataError`] that says
//! what was expected, what came, and what to do.

pub mod bars;
pub mod checkpoint;
pub mod coding;
pub mod columns;
mod dataset;
pub mod digits;
pub mod drawn;
mod error;
mod gzip;
mod idx;
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

pub use checkpoint::{Backends, Checkpoint, Precision};
pub use dataset::{Dataset, THRESHOLD, load, load_table};
pub use error::DataError;
pub use gzip::unpack;
pub use reading::limits;

/// More bytes of data than this are refused, packed or not: 2^30, 22 times MNIST.
pub const MAX_DATA: usize = 1 << 30;
