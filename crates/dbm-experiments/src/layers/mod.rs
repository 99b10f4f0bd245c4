//! What each hidden layer of a model does: how its units are active over examples, what they tell about the class, and what it costs to do without the layer;
//! and how good the positive phases of training are, layer by layer.

mod figure;
mod layer;
mod measure;
mod plan;
mod posterior;
mod run;
mod table;

pub use figure::figure;
pub use layer::{Layer, Layers};
pub use plan::Plan;
pub use posterior::{PositivePhase, PositivePhases};
pub use table::{csv, text};
