//! The visitor's input.

use serde::{Deserialize, Serialize};

/// A file's name, for display as text only, and its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    /// Its name on the visitor's system.
    pub name: String,
    /// Its content.
    #[serde(with = "serde_bytes")]
    pub bytes: Vec<u8>,
}
