//! The browser's storage: the origin's private file system, or IndexedDB where that is not to be had.

mod database;
mod folders;
mod locks;

pub use locks::TabLocks;

use super::{Storage, StorageError};
use database::Database;
use folders::Folders;
use js_sys::Reflect;
use wasm_bindgen::JsValue;

/// What this page's storage is called in the browser.
const NAME: &str = "dbm-lab";

/// Whichever of the two works.
pub enum BrowserStorage {
    /// The file system.
    Folders(Folders),
    /// `IndexedDB`.
    Database(Database),
}

impl BrowserStorage {
    /// Opens the file system, or the database where the browser has no file system.
    ///
    /// # Errors
    ///
    /// Where neither works: the reasons of both, in the browser's words.
    pub async fn open() -> Result<Self, String> {
        let folders = match Folders::open().await {
            Ok(folders) => return Ok(Self::Folders(folders)),
            Err(problem) => problem,
        };
        match Database::open().await {
            Ok(database) => Ok(Self::Database(database)),
            Err(problem) => Err(format!("file system: {folders}; database: {problem}")),
        }
    }
}

impl Storage for BrowserStorage {
    async fn places(&self) -> Result<Vec<String>, StorageError> {
        match self {
            Self::Folders(folders) => folders.places().await,
            Self::Database(database) => database.places().await,
        }
        .map_err(|problem| trouble(&problem))
    }

    async fn read(&self, place: &str, file: &str, most: usize) -> Result<Option<Vec<u8>>, StorageError> {
        match self {
            Self::Folders(folders) => folders.read(place, file, most).await,
            Self::Database(database) => database.read(place, file, most).await,
        }
        .map_err(|problem| trouble(&problem))
    }

    async fn write(&self, place: &str, file: &str, parts: &[&[u8]]) -> Result<(), StorageError> {
        match self {
            Self::Folders(folders) => folders.write(place, file, parts).await,
            Self::Database(database) => database.write(place, file, parts).await,
        }
        .map_err(|problem| trouble(&problem))
    }

    async fn delete(&self, place: &str) -> Result<(), StorageError> {
        match self {
            Self::Folders(folders) => folders.delete(place).await,
            Self::Database(database) => database.delete(place).await,
        }
        .map_err(|problem| trouble(&problem))
    }
}

fn trouble(problem: &JsValue) -> StorageError {
    if name(problem) == "QuotaExceededError" { StorageError::Full } else { StorageError::Failed(words(problem)) }
}

fn text(value: &JsValue, field: &str) -> Option<String> {
    Reflect::get(value, &field.into()).ok()?.as_string()
}

/// The name of a JavaScript error.
fn name(problem: &JsValue) -> String {
    text(problem, "name").unwrap_or_default()
}

/// A JavaScript error in words.
fn words(problem: &JsValue) -> String {
    let message = text(problem, "message").or_else(|| problem.as_string()).unwrap_or_default();
    match (name(problem), message) {
        (name, message) if message.is_empty() => name,
        (name, message) if name.is_empty() => message,
        (name, message) => format!("{name}: {message}"),
    }
}
