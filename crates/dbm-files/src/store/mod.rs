//! Stores runs in the browser, so that a reload, a crash or a closed tab loses seconds and not the run.
//!
//! Each stored run has a folder with three files. One describes the run: its data and settings, written once. The other two take turns
//! holding its checkpoints. Every file has a checksum (`checked_file`), which reveals a file that was cut short because the tab died while
//! writing it; the checkpoint before it is still in the other file. A new run gets a new folder; the folder of this tab's previous run is
//! deleted after the first checkpoint of the new run has been written.
//!
//! Only one tab at a time uses a folder: it holds a lock of the folder's name for as long as it lives. Besides the folders in use, the
//! latest are kept, up to three including this tab's own.
//!
//! [`RunStore`] does all of this through the traits [`Storage`] and [`Locks`], so that tests need no browser; `browser` implements both for
//! the browser.

#[cfg(target_arch = "wasm32")]
pub mod browser;
mod checked_file;
mod description;
mod run_folder;
mod run_store;
#[cfg(test)]
mod tests;

pub use description::RunDescription;
pub use run_store::RunStore;

use std::fmt;

/// Files in folders, as stored by the browser or a test.
pub trait Storage {
    /// The names of all folders.
    fn folders(&self) -> impl Future<Output = Result<Vec<String>, StorageError>>;

    /// A file's first bytes, at most `most` of them; `None` if there is no such file.
    fn read(&self, folder: &str, file: &str, most: usize) -> impl Future<Output = Result<Option<Vec<u8>>, StorageError>>;

    /// Writes a file, replacing any with that name. If this fails, or the tab dies meanwhile, any part of either may remain.
    fn write(&self, folder: &str, file: &str, parts: &[&[u8]]) -> impl Future<Output = Result<(), StorageError>>;

    /// Deletes a folder with all its files; a missing folder is not an error.
    fn delete(&self, folder: &str) -> impl Future<Output = Result<(), StorageError>>;
}

/// Names that one tab holds at a time, until it releases them or is closed.
pub trait Locks {
    /// Takes a name, unless another tab has it; `true` if this tab now has it or had it before.
    fn hold(&self, name: &str) -> impl Future<Output = bool>;

    /// Releases a name.
    fn release(&self, name: &str);

    /// The names that any tab holds, including this one.
    fn held(&self) -> impl Future<Output = Vec<String>>;

    /// Whether names are held at all: if not, two tabs know nothing of each other.
    fn work(&self) -> bool;
}

/// Why storage refused or failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StorageError {
    /// There is no room.
    Full,
    /// Anything else, in the browser's words.
    Failed(String),
}

impl fmt::Display for StorageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full => f.write_str("the browser's storage is full"),
            Self::Failed(why) => f.write_str(why),
        }
    }
}
