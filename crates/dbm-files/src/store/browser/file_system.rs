//! Runs in folders of the origin private file system. Files are written through synchronous handles, which only workers get.

use super::js_error::{name, words};
use dbm_protocol::fresh_seed;
use js_sys::{ArrayBuffer, AsyncIterator, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Blob, FileSystemDirectoryHandle, FileSystemFileHandle, FileSystemGetDirectoryOptions, FileSystemGetFileOptions,
    FileSystemReadWriteOptions, FileSystemRemoveOptions, FileSystemSyncAccessHandle,
};

pub struct FileSystem(FileSystemDirectoryHandle);

impl FileSystem {
    /// Opens the folder that contains the folders of all runs, and checks that files in it can be written.
    pub async fn open(storage: &str) -> Result<Self, String> {
        let navigator = dbm_protocol::transport::scope().navigator();
        let lacks = |what: &JsValue, field: &str| !Reflect::get(what, &field.into()).is_ok_and(|value| value.is_truthy());
        if lacks(&navigator, "storage") || lacks(&navigator.storage(), "getDirectory") {
            return Err("this browser has none here".into());
        }
        let said = |problem: JsValue| words(&problem);
        let root: FileSystemDirectoryHandle = promised(navigator.storage().get_directory()).await.map_err(said)?;
        let file_system = Self(subfolder(&root, storage, true).await.map_err(said)?);
        file_system.probe().await.map_err(said)?;
        Ok(file_system)
    }

    /// Opens a file for writing: if the browser offers the method but it fails, that is known before a run relies on it.
    async fn probe(&self) -> Result<(), JsValue> {
        // A unique name: a file has one handle at a time, across all tabs.
        let probe = format!("probe-{}-{}", fresh_seed(), fresh_seed());
        let opened = opened(&self.0, &probe).await.map(|handle| handle.close());
        let _ = JsFuture::from(self.0.remove_entry(&probe)).await;
        opened
    }

    pub async fn folders(&self) -> Result<Vec<String>, JsValue> {
        let mut folders = Vec::new();
        let keys: AsyncIterator = self.0.keys();
        loop {
            let next = JsFuture::from(keys.next()?).await?;
            if Reflect::get(&next, &"done".into())?.is_truthy() {
                return Ok(folders);
            }
            folders.extend(Reflect::get(&next, &"value".into())?.as_string());
        }
    }

    pub async fn read(&self, folder: &str, file: &str, most: usize) -> Result<Option<Vec<u8>>, JsValue> {
        let Some(directory) = if_there(subfolder(&self.0, folder, false).await)? else { return Ok(None) };
        let Some(handle) = if_there(promised::<FileSystemFileHandle>(directory.get_file_handle(file)).await)? else {
            return Ok(None);
        };
        let file: Blob = promised(handle.get_file()).await?;
        let part = file.slice_with_f64_and_f64(0.0, file.size().min(most as f64))?;
        let bytes: ArrayBuffer = promised(part.array_buffer()).await?;
        Ok(Some(Uint8Array::new(&bytes).to_vec()))
    }

    pub async fn write(&self, folder: &str, file: &str, parts: &[&[u8]]) -> Result<(), JsValue> {
        let handle = opened(&subfolder(&self.0, folder, true).await?, file).await?;
        let written = write_all(&handle, parts);
        handle.close();
        written
    }

    pub async fn delete(&self, folder: &str) -> Result<(), JsValue> {
        let options = FileSystemRemoveOptions::new();
        options.set_recursive(true);
        if_there(JsFuture::from(self.0.remove_entry_with_options(folder, &options)).await).map(|_| ())
    }
}

fn write_all(handle: &FileSystemSyncAccessHandle, parts: &[&[u8]]) -> Result<(), JsValue> {
    // The existing file is overwritten and not deleted first: if there is no room, it keeps the room it has.
    let options = FileSystemReadWriteOptions::new();
    let mut at = 0.0;
    for part in parts {
        options.set_at(at);
        let written = handle.write_with_u8_array_and_options(part, &options)?;
        if written < part.len() as f64 {
            // Some browsers stop there without an error.
            let error = js_sys::Error::new("only a part could be written");
            error.set_name("QuotaExceededError");
            return Err(error.into());
        }
        at += written;
    }
    handle.truncate_with_f64(at)?;
    handle.flush()
}

async fn promised<T: JsCast>(promise: js_sys::Promise) -> Result<T, JsValue> {
    Ok(JsFuture::from(promise).await?.unchecked_into())
}

async fn subfolder(of: &FileSystemDirectoryHandle, name: &str, create: bool) -> Result<FileSystemDirectoryHandle, JsValue> {
    let options = FileSystemGetDirectoryOptions::new();
    options.set_create(create);
    promised(of.get_directory_handle_with_options(name, &options)).await
}

async fn opened(directory: &FileSystemDirectoryHandle, file: &str) -> Result<FileSystemSyncAccessHandle, JsValue> {
    let options = FileSystemGetFileOptions::new();
    options.set_create(true);
    let file: FileSystemFileHandle = promised(directory.get_file_handle_with_options(file, &options)).await?;
    // If there is no such method, calling it throws as well.
    let open: js_sys::Function = Reflect::get(&file, &"createSyncAccessHandle".into())?.dyn_into()?;
    promised(open.call0(&file)?.unchecked_into()).await
}

/// `None` if the requested item does not exist.
fn if_there<T>(asked: Result<T, JsValue>) -> Result<Option<T>, JsValue> {
    match asked {
        Ok(value) => Ok(Some(value)),
        Err(problem) if name(&problem) == "NotFoundError" => Ok(None),
        Err(problem) => Err(problem),
    }
}
