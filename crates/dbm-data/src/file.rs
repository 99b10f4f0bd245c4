//! What the visitor gives.

use serde::{Deserialize, Serialize};

/// A file's name, to show as text only, and its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    /// Its name, as the visitor's system has it.
    pub name: String,
    /// Its whole content.
    #[serde(with = "serde_bytes")]
    pub bytes: Vec<u8>,
}
