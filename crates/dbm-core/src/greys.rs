//! Grey values from which a run draws bits.

use crate::DbmError;
use std::sync::Arc;

/// Grey values of all examples, one per bit: a visit draws a high bit with probability `level / top`.
///
/// Salakhutdinov and Murray (2008) draw the bits of MNIST once. If they are drawn at every visit, a model learns from
/// the distribution of an example and not from a single draw of it, as if the data set were many times larger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GreyLevels {
    levels: Arc<[u8]>,
    top: u8,
}

impl GreyLevels {
    /// `levels[example, unit]`, each at most `top`, which is always drawn high.
    ///
    /// # Errors
    /// [`DbmError::Setting`] for a level above the top, or a top of 0.
    pub fn new(levels: Vec<u8>, top: u8) -> Result<Self, DbmError> {
        match levels.iter().copied().max().unwrap_or(0) {
            highest if top > 0 && highest <= top => Ok(Self { levels: levels.into(), top }),
            highest => Err(DbmError::Setting {
                name: "the top of the grey levels",
                expected: "1 or more, and no level above it",
                got: format!("{top}, with a level of {highest}"),
            }),
        }
    }

    /// The level of each unit of each example.
    pub fn levels(&self) -> &[u8] {
        &self.levels
    }

    /// The level that is always drawn high.
    pub fn top(&self) -> u8 {
        self.top
    }

    /// Other levels, on the same scale.
    pub(crate) fn with(&self, levels: Vec<u8>) -> Self {
        Self { levels: levels.into(), top: self.top }
    }
}
