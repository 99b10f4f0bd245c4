//! Files that the worker for files writes for the visitor to save.

use super::client::Failure;
use super::session::Session;
use crate::ui::download;
use dbm_protocol::{BitsFormat, FilesCommand, FilesEvent, Grid, Product};
use leptos::prelude::*;

/// The file formats of samples and answers.
pub const BITS: &[&str] = &["PNG", "NPY", "CSV"];

/// Saves samples or answers of the model on view, in the format at this index of [`BITS`].
pub fn bits(session: Session, name: &str, form: usize, grid: Grid) {
    let format = [BitsFormat::Png, BitsFormat::Npy, BitsFormat::Csv][form.min(2)];
    let visible = untrack(|| session.about()).and_then(|about| about.visible);
    write(session, Product::Bits { name: name.into(), format, grid, visible });
}

/// Saves a file that the worker makes of this.
pub fn write(session: Session, product: Product) {
    session.perform(async move { written(session, product).await.map(|_| ()) });
}

/// The same; resolves to the size of the file in bytes.
///
/// # Errors
/// If the worker refuses or is lost.
pub async fn written(session: Session, product: Product) -> Result<usize, Failure> {
    let FilesEvent::Written(file) = session.reader.ask(FilesCommand::Write(product)).await? else { return Err(Failure::Ended) };
    download::file(session.notices, &file);
    Ok(file.bytes.len())
}
