//! The browser's storage: the origin's private file system, or IndexedDB where that is not to be had.

mod database;
mod file_system;
mod js_error;
mod locks;

pub use locks::TabLocks;

use super::{Storage, StorageError};
use database::Database;
use file_system::FileSystem;
use js_error::{name, words};
use wasm_bindgen::JsValue;

/// What this page's storage is called in the browser.
const NAME: &str = "dbm-lab";

/// Whichever of the two works.
pub enum BrowserStorage {
    /// The origin's private file system.
    FileSystem(FileSystem),
    /// An `IndexedDB` database.
    Database(Database),
}

impl BrowserStorage {
    /// Opens the file system, or the database where the browser has no file system.
    ///
    /// # Errors
    ///
    /// Where neither works: the reasons of both, in the browser's words.
    pub async fn open() -> Result<Self, String> {
        let file_system = match FileSystem::open(NAME).await {
            Ok(file_system) => return Ok(Self::FileSystem(file_system)),
            Err(problem) => problem,
        };
        match Database::open(NAME).await {
            Ok(database) => Ok(Self::Database(database)),
            Err(problem) => Err(format!("file system: {file_system}; database: {problem}")),
        }
    }
}

/// What the storage that works makes of a request.
macro_rules! ask {
    ($storage:expr, $method:ident($($argument:expr),*)) => {
        match $storage {
            BrowserStorage::FileSystem(files) => files.$method($($argument),*).await,
            BrowserStorage::Database(files) => files.$method($($argument),*).await,
        }
        .map_err(|problem| trouble(&problem))
    };
}

impl Storage for BrowserStorage {
    async fn folders(&self) -> Result<Vec<String>, StorageError> {
        ask!(self, folders())
    }

    async fn read(&self, folder: &str, file: &str, most: usize) -> Result<Option<Vec<u8>>, StorageError> {
        ask!(self, read(folder, file, most))
    }

    async fn write(&self, folder: &str, file: &str, parts: &[&[u8]]) -> Result<(), StorageError> {
        ask!(self, write(folder, file, parts))
    }

    async fn delete(&self, folder: &str) -> Result<(), StorageError> {
        ask!(self, delete(folder))
    }
}

fn trouble(problem: &JsValue) -> StorageError {
    if name(problem) == "QuotaExceededError" { StorageError::Full } else { StorageError::Failed(words(problem)) }
}
