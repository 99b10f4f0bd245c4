//! Scores of pictures of digits, in the features of a small classifier that this project trains and ships.
//!
//! [`Reference`] holds the real pictures; [`Scores`] compares others with them: the digit Frechet distance (which is not FID), precision,
//! recall, density and coverage, the spread over classes, and the share of distinct pictures. [`Completions`] scores answers to partly
//! known pictures. Pictures are `[N, 784]` bytes, grey levels from 0 to 255; bits are 0 and 255. Every number is the same for any number of
//! threads.

pub mod classes;
mod classifier;
mod completions;
mod error;
pub mod frechet;
pub mod manifold;
mod scores;
#[cfg(feature = "training")]
pub mod training;

pub use classifier::{CLASSES, Classifier, FEATURES, PIXELS, Reading, SIDE};
pub use completions::{Completions, Questions};
pub use error::ScoreError;
pub use scores::{Quality, Reference, Scores};

/// Grey levels above this are white, as MNIST is binarized throughout this project.
pub const BINARIZED_ABOVE: u8 = 127;
