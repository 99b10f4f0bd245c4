//! How long couplings take to meet, by dimension (the paper's Figure 1).

mod dimensions;
mod figure;
mod measure;
mod summary;

use crate::{Error, Report};
pub use dimensions::Dimensions;
pub use figure::figure;
pub use measure::{Kinds, pieces, rows};
use serde_json::Value;
pub use summary::{Row, Spread};

/// The table that `dbm couple` makes.
impl Report for Vec<Row> {
    fn json(&self) -> Value {
        self.iter().map(Row::line).collect()
    }

    fn text(&self) -> String {
        summary::csv(self)
    }

    fn csv(&self) -> Result<String, Error> {
        Ok(summary::csv(self))
    }

    fn figure(&self) -> Result<String, Error> {
        figure(self)
    }
}
