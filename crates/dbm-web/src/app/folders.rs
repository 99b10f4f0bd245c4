//! What was dropped, folders included.

use js_sys::futures::JsFuture;
use js_sys::{Array, Promise};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{DataTransfer, File, FileSystemDirectoryEntry, FileSystemEntry, FileSystemFileEntry};

/// What was dropped, if a folder is among it. A browser tells it only while the event is handled.
pub fn with_folders(transfer: &DataTransfer) -> Option<Vec<FileSystemEntry>> {
    let items = transfer.items();
    let entry = |place: u32| items.get(place)?.webkit_get_as_entry().ok().flatten();
    let entries: Vec<FileSystemEntry> = (0..items.length()).filter_map(entry).collect();
    entries.iter().any(FileSystemEntry::is_directory).then_some(entries)
}

/// All files in these, with their paths, in the order of the paths.
///
/// # Errors
/// The browser's, if one cannot be read.
pub async fn all_files(mut entries: Vec<FileSystemEntry>) -> Result<Vec<(String, File)>, JsValue> {
    let mut files = Vec::new();
    while let Some(entry) = entries.pop() {
        // Not every engine shows the classes of entries.
        if entry.is_directory() {
            let reader = entry.unchecked_ref::<FileSystemDirectoryEntry>().create_reader();
            loop {
                // Some at a time; none after the last.
                let some = JsFuture::from(Promise::new(&mut |done, failed| {
                    if let Err(problem) = reader.read_entries_with_callback_and_callback(&done, &failed) {
                        let _ = failed.call1(&JsValue::NULL, &problem);
                    }
                }));
                let some: Array = some.await?.unchecked_into();
                if some.length() == 0 {
                    break;
                }
                entries.extend(some.iter().map(JsCast::unchecked_into::<FileSystemEntry>));
            }
        } else {
            let file = entry.unchecked_ref::<FileSystemFileEntry>();
            let found = JsFuture::from(Promise::new(&mut |done, failed| file.file_with_callback_and_callback(&done, &failed)));
            files.push((entry.full_path().trim_start_matches('/').to_string(), found.await?.unchecked_into()));
        }
    }
    files.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(files)
}
