//! The browser's storage: the origin private file system, or IndexedDB if that is not available.

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

/// Name of this page's storage in the browser.
const NAME: &str = "dbm-lab";

/// The one of the two that works.
pub enum BrowserStorage {
    /// The origin private file system.
    FileSystem(FileSystem),
    /// An `IndexedDB` database.
    Database(Database),
}

impl BrowserStorage {
    /// Opens the file system, or the database if the browser has no file system.
    ///
    /// # Errors
    ///
    /// If neither works: the reasons of both, in the browser's words.
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

/// The result of a request to whichever storage works.
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
