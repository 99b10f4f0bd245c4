//! How pictures are read before their values become bits.

use crate::interpretation::{Background, Reading};
use serde::{Deserialize, Serialize};

/// What was decided about the pictures that a model was trained on, for others that it is given: the part of a [`Reading`] that is about
/// pictures. What is not set is decided from the content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PictureReading {
    /// Rows and columns of the tiles of a sheet.
    pub tile: Option<(usize, usize)>,
    /// Light and dark are swapped.
    pub invert: Option<bool>,
    /// Quarter turns, clockwise.
    pub turn: Option<u8>,
    /// Rows and columns are swapped.
    pub transpose: Option<bool>,
    /// What transparent pixels are laid on.
    pub background: Option<Background>,
}

impl PictureReading {
    /// Pictures as they come.
    pub const PLAIN: Self = Self { tile: None, invert: None, turn: None, transpose: None, background: None };

    /// What was decided about these pictures, other than to take them as they come.
    pub fn of(reading: &Reading) -> Self {
        Self {
            tile: reading.tile,
            invert: reading.invert.filter(|&invert| invert),
            turn: reading.turn.filter(|&turns| turns != 0),
            transpose: reading.transpose.filter(|&transpose| transpose),
            background: reading.background,
        }
    }

    /// The reading that a user asks for, with this where they say nothing.
    #[must_use]
    pub fn under(self, asked: Reading) -> Reading {
        Reading {
            tile: asked.tile.or(self.tile),
            invert: asked.invert.or(self.invert),
            turn: asked.turn.or(self.turn),
            transpose: asked.transpose.or(self.transpose),
            background: asked.background.or(self.background),
            ..asked
        }
    }
}
