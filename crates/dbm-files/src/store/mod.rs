//! Keeps runs in the browser's storage, so that a reload, a crash or a closed tab loses seconds and not the run.
//!
//! A kept run has a *place* of its own: a folder with its `head` (the data and what the run was begun with, written once) and two *slots*, to which its
//! checkpoints go in turns. Each file is sealed (`seal`): what a death in mid-writing leaves is told from what was written whole, and the other slot
//! is still there. A run that begins gets another place; the one before it is deleted after the new one's first checkpoint has been written.
//!
//! A place is in use by one tab, which holds a lock of the place's name for as long as it lives. The three latest places are kept, those in use not counted.
//!
//! [`RunStore`] is all of this without a word of the browser, over [`Storage`] and [`Locks`]; `browser` has those of the browser.

#[cfg(target_arch = "wasm32")]
pub mod browser;
mod head;
mod run_store;
mod seal;
mod slots;
#[cfg(test)]
mod tests;

pub use head::Head;
pub use run_store::RunStore;

use std::fmt;

/// Files in places, as the browser or a test keeps them.
pub trait Storage {
    /// The names of all places.
    fn places(&self) -> impl Future<Output = Result<Vec<String>, StorageError>>;

    /// A file's first bytes, at most `most` of them; none where there is no such file.
    fn read(&self, place: &str, file: &str, most: usize) -> impl Future<Output = Result<Option<Vec<u8>>, StorageError>>;

    /// Writes a file, in place of the one of that name. Where it fails, or the tab dies meanwhile, anything may be left of either.
    fn write(&self, place: &str, file: &str, parts: &[&[u8]]) -> impl Future<Output = Result<(), StorageError>>;

    /// Deletes a place with all its files; one that is not there is no trouble.
    fn delete(&self, place: &str) -> impl Future<Output = Result<(), StorageError>>;
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
