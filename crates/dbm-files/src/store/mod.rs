//! Keeps runs in the browser's storage, so that a reload, a crash or a closed tab loses seconds and not the run.
//!
//! Each kept run has a folder with three files. One describes the run: its data and settings, written once. Its checkpoints go to the other two in
//! turns. Every file has a checksum (`checked_file`). So a file that was cut short, because the tab died while it was written, is told from a whole one,
//! and the checkpoint before it is still in the other file. A new run gets a new folder; the folder of this tab's run before it is deleted
//! after the new run's first checkpoint has been written.
//!
//! One tab at a time uses a folder: it holds a lock of the folder's name for as long as it lives. Besides the folders in use, the latest are kept, up to three
//! with this tab's own.
//!
//! [`RunStore`] does all of this over the traits [`Storage`] and [`Locks`], so that tests need no browser; `browser` implements both for the browser.

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

/// Files in folders, as the browser or a test keeps them.
pub trait Storage {
    /// The names of all folders.
    fn folders(&self) -> impl Future<Output = Result<Vec<String>, StorageError>>;

    /// A file's first bytes, at most `most` of them; none where there is no such file.
    fn read(&self, folder: &str, file: &str, most: usize) -> impl Future<Output = Result<Option<Vec<u8>>, StorageError>>;

    /// Writes a file, in place of the one of that name. Where it fails, or the tab dies meanwhile, anything may be left of either.
    fn write(&self, folder: &str, file: &str, parts: &[&[u8]]) -> impl Future<Output = Result<(), StorageError>>;

    /// Deletes a folder with all its files; one that is not there is no trouble.
    fn delete(&self, folder: &str) -> impl Future<Output = Result<(), StorageError>>;
}

/// Names that one tab holds at a time, until it releases them or is closed.
pub trait Locks {
    /// Takes a name, unless another has it; `true` where it is this one's now, or was before.
    fn hold(&self, name: &str) -> impl Future<Output = bool>;

    /// Releases a name.
    fn release(&self, name: &str);

    /// The names that any tab holds, this one included.
    fn held(&self) -> impl Future<Output = Vec<String>>;

    /// Whether names are held at all: where they are not, two tabs know nothing of each other.
    fn work(&self) -> bool;
}

/// Why storage did not do what was asked.
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
