//! The results of a command, in each output format.

use crate::Error;
use serde_json::Value;

/// Results: for programs, for people, as a table and as a picture.
pub trait Report {
    /// Everything, as printed by `--json`.
    fn json(&self) -> Value;

    /// Text for people: complete lines.
    fn text(&self) -> String;

    /// A table as CSV.
    ///
    /// # Errors
    /// [`Error::Usage`] if there is none.
    fn csv(&self) -> Result<String, Error> {
        Err(Error::Usage("there is no table of this: leave --csv out".into()))
    }

    /// A picture as SVG.
    ///
    /// # Errors
    /// Those of [`crate::plot::svg`]; [`Error::Usage`] if there is none.
    fn figure(&self) -> Result<String, Error> {
        Err(Error::Usage("there is no picture of this: leave --plot out".into()))
    }
}
