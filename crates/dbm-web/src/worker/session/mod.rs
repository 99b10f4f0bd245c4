//! What the computing worker holds, as the page knows it: the two models, the data in use, the run.

mod held;

pub use held::{DataChoice, Opening, Session, Upload};
