//! What the computing worker holds, as the page knows it: the two models, the data in use, the run.
//!
//! [`Session`] is the handle through which features send requests. Its signals follow what the worker reports. Features react to
//! the signals; the session knows no feature.

mod data;
mod held;
mod keeping;
mod model_file;
mod recovery;
mod run;
mod shipped;

pub use held::{DataChoice, Opening, Session, Upload};
pub use model_file::is_model;
pub use run::PACES;
pub use shipped::ShippedModel;
