//! How long couplings take to meet, by dimension (the paper's Figure 1).

mod dimensions;
mod figure;
mod measure;
mod summary;

pub use dimensions::Dimensions;
pub use figure::figure;
pub use measure::{Kinds, pieces, rows};
pub use summary::{Row, Spread, csv};
