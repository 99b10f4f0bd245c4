//! What a command found, in each form in which it is given away.

use crate::Error;
use serde_json::Value;

/// What was measured: for programs, for people, as a table and as a picture.
pub trait Report {
    /// All of it, as `--json` prints it.
    fn json(&self) -> Value;

    /// What people read: whole lines.
    fn text(&self) -> String;

    /// A table as CSV.
    ///
    /// # Errors
    /// [`Error::Usage`] where there is none.
    fn csv(&self) -> Result<String, Error> {
        Err(Error::Usage("there is no table of this: leave --csv out".into()))
    }

    /// A picture as SVG.
    ///
    /// # Errors
    /// Those of [`crate::plot::svg`]; [`Error::Usage`] where there is none.
    fn figure(&self) -> Result<String, Error> {
        Err(Error::Usage("there is no picture of this: leave --plot out".into()))
    }
}
