//! How values become bits, and what the visible units of a model stand for.

mod columns;
mod draw;
mod pictures;

pub use columns::{Column, ColumnKind, Columns};
pub use draw::{Binarization, Draw};
pub use pictures::PictureReading;

use crate::DataError;
use crate::coding::{Coding, Greys};
use crate::names::line;
use dbm_core::Group;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Grey values above this are high by default.
pub const THRESHOLD: u8 = 127;

/// How values become bits; settings for another kind of content are ignored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Encoding {
    /// Bits per value of a picture, 1 to 8. With one, a value is high above `threshold`; with more, it is scaled from the range of the
    /// values to whole numbers of 8 bits, which `coding` expresses in this many: with 8 in binary, bytes lose nothing.
    pub bits: u8,
    /// The code of these bits, if there is more than one.
    #[serde(default)]
    pub coding: Coding,
    /// The threshold of pictures if `bits` is 1, in units of the values.
    pub threshold: f64,
    /// How the values of pictures become bits if `bits` is 1.
    #[serde(default)]
    pub binarization: Binarization,
    /// The draw, if bits are drawn.
    #[serde(default)]
    pub draw: Draw,
    /// Thresholds of a table's numeric columns, by name: a cell above its threshold is high.
    pub columns: BTreeMap<String, f64>,
}

impl Default for Encoding {
    /// One bit per value; bytes above [`THRESHOLD`] are high.
    fn default() -> Self {
        Self {
            bits: 1,
            coding: Coding::default(),
            threshold: f64::from(THRESHOLD),
            binarization: Binarization::default(),
            draw: Draw::default(),
            columns: BTreeMap::new(),
        }
    }
}

/// What the visible units of a model stand for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Visible {
    /// One unit per value, high above the threshold.
    Bits {
        /// The threshold, in units of the values.
        threshold: f64,
        /// How the pictures were read.
        #[serde(default)]
        read: PictureReading,
    },
    /// `bits` units per value, side by side.
    Planes {
        /// Units per value, 2 to 8.
        bits: u8,
        /// Their code. Files older than this setting use the most significant bits of the value, the highest first.
        #[serde(default)]
        coding: Coding,
        /// The value that becomes 0.
        low: f64,
        /// The value that becomes 255.
        high: f64,
        /// How the pictures were read.
        #[serde(default)]
        read: PictureReading,
    },
    /// The columns of a table, one after another.
    Table(Columns),
}

impl Visible {
    /// The note under which a checkpoint stores it, as JSON.
    pub const NOTE: &str = "visible";

    /// The form in which a checkpoint stores it.
    pub fn to_json(&self) -> String {
        // Strings, numbers and lists of them always have a form in JSON.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Parses the output of [`Visible::to_json`]. `name` is the file's, for the error.
    ///
    /// # Errors
    /// [`DataError::Format`] if it is something else.
    pub fn from_json(name: &str, json: &str) -> Result<Self, DataError> {
        let refuse = |got: String| {
            let (part, expected) = (format!("metadata entry `{}`", Self::NOTE), "a description of the visible units");
            DataError::part(name, &part, expected, got, "use the file as it was saved")
        };
        let visible: Self = serde_json::from_str(json).map_err(|error| refuse(line(&error.to_string(), 160)))?;
        visible.check().map_err(|error| refuse(error.to_string()))?;
        Ok(visible)
    }

    /// How pictures for the model are read; plainly for a table.
    pub fn pictures(&self) -> PictureReading {
        match self {
            Self::Bits { read, .. } | Self::Planes { read, .. } => *read,
            Self::Table(_) => PictureReading::PLAIN,
        }
    }

    /// The same for pictures that were read in this way.
    #[must_use]
    pub fn with_pictures(mut self, reading: PictureReading) -> Self {
        if let Self::Bits { read, .. } | Self::Planes { read, .. } = &mut self {
            *read = reading;
        }
        self
    }

    /// Checks that its numbers are valid.
    ///
    /// # Errors
    /// [`DataError::OutOfRange`] for a threshold or a range that is not finite, if the number of planes is not 2 to 8, or for exclusive columns
    /// that are not there.
    pub fn check(&self) -> Result<(), DataError> {
        let asked = |what, expected, got| Err(DataError::out_of_range(what, expected, &got));
        match *self {
            Self::Bits { threshold, .. } if threshold.is_nan() => asked("the threshold", "a number", threshold.to_string()),
            Self::Planes { bits, .. } if !(2..=8).contains(&bits) => asked("bits per value", "1 to 8", bits.to_string()),
            Self::Planes { low, high, .. } if !(low.is_finite() && high.is_finite()) => {
                asked("the range of the values", "finite", format!("{low} to {high}"))
            }
            Self::Table(ref columns) if !columns.may_exclude() => asked(
                "the columns that exclude one another",
                "columns of two values, in order",
                format!("{:?}", columns.exclusive),
            ),
            _ => Ok(()),
        }
    }

    /// One example's units as 8-bit greys, one per value: the inverse of [`Pictures::encode`](crate::pictures::Pictures::encode)
    /// ([`Coding::grey`]). The values were `low + grey / 255 (high - low)`: with 8 binary bits rounded, and exact if they were bytes.
    pub fn grey(&self, units: &[u8]) -> Vec<u8> {
        let Greys { bits, coding } = self.greys();
        let depth = usize::from(bits.max(1));
        let number = |units: &[u8]| units.iter().take(8).fold(0, |number, &unit| number << 1 | u8::from(unit != 0));
        units.chunks_exact(depth).map(|units| coding.grey(number(units), depth as u8)).collect()
    }

    /// The units of one value of a picture; one unit per value for a table.
    pub fn greys(&self) -> Greys {
        match self {
            Self::Planes { bits, coding, .. } => Greys { bits: *bits, coding: *coding },
            Self::Bits { .. } | Self::Table(_) => Greys::default(),
        }
    }

    /// The units that stand for one value together.
    pub fn groups(&self) -> Vec<Group> {
        match self {
            Self::Table(columns) => columns.groups(),
            Self::Bits { .. } | Self::Planes { .. } => vec![],
        }
    }

    /// Visible units per value of a picture, 1 to 8; 1 for a table.
    pub fn depth(&self) -> usize {
        usize::from(self.greys().bits)
    }
}
