//! The files of one run's folder: its description, and two files that take turns holding its checkpoints.

use super::checked_file::{self, Damage, FileLabel, HEADER};
use super::description::RunDescription;
use super::{Storage, StorageError};

/// The file of the run's [`RunDescription`].
pub const DESCRIPTION: &str = "head";
/// The files of its checkpoints.
pub const CHECKPOINT_FILES: [&str; 2] = ["slot-0", "slot-1"];
/// This file contains a byte if the visitor deleted the run; until the tab closes, that can be undone.
const DELETED_MARK: &str = "let-go";

/// The latest checkpoint of a folder.
#[derive(Clone, Debug, PartialEq)]
pub struct Latest {
    /// Which of the two checkpoint files it is in, 0 or 1.
    pub file: usize,
    pub label: FileLabel,
    pub checkpoint: Vec<u8>,
}

/// The content of a folder.
#[derive(Clone, Debug, PartialEq)]
pub enum FolderContents {
    /// A run that can be resumed.
    Run(Box<RunDescription>, Latest),
    /// No checkpoint has ever been written.
    Nothing,
    /// Everything that was written is damaged.
    Damaged,
    /// Files that another version of this program wrote.
    OtherVersion,
}

/// Writes a file of the folder in the checked format.
pub async fn write(
    storage: &impl Storage,
    folder: &str,
    file: &str,
    label: &FileLabel,
    body: &[&[u8]],
) -> Result<(), StorageError> {
    let header = checked_file::header(label, body);
    storage.write(folder, file, &[&[&header[..]], body].concat()).await
}

/// The latest label in a folder, from the headers alone: checksums are not verified.
pub async fn latest_label(storage: &impl Storage, folder: &str) -> Option<FileLabel> {
    let mut labels = Vec::new();
    for file in CHECKPOINT_FILES {
        let bytes = storage.read(folder, file, HEADER).await.ok().flatten();
        labels.extend(bytes.and_then(|bytes| checked_file::peek(&bytes)));
    }
    labels.into_iter().max_by_key(|label| label.number)
}

/// Reads everything needed to resume.
pub async fn read(storage: &impl Storage, folder: &str) -> Result<FolderContents, StorageError> {
    let (mut latest, mut unusable): (Option<Latest>, _) = (None, FolderContents::Nothing);
    for (file, name) in CHECKPOINT_FILES.into_iter().enumerate() {
        let Some(bytes) = storage.read(folder, name, usize::MAX).await? else { continue };
        match checked_file::open(bytes) {
            Ok((label, checkpoint)) => {
                if latest.as_ref().is_none_or(|latest| latest.label.number < label.number) {
                    latest = Some(Latest { file, label, checkpoint });
                }
            }
            Err(Damage::Version(_)) => unusable = FolderContents::OtherVersion,
            Err(Damage::Incomplete) if unusable == FolderContents::Nothing => unusable = FolderContents::Damaged,
            Err(Damage::Incomplete) => {}
        }
    }
    let Some(latest) = latest else { return Ok(unusable) };
    let Some(bytes) = storage.read(folder, DESCRIPTION, usize::MAX).await? else { return Ok(FolderContents::Damaged) };
    Ok(match checked_file::open(bytes).map(|(_, body)| RunDescription::from_bytes(&body)) {
        Ok(Some(description)) => FolderContents::Run(Box::new(description), latest),
        Ok(None) | Err(Damage::Version(_)) => FolderContents::OtherVersion,
        Err(Damage::Incomplete) => FolderContents::Damaged,
    })
}

/// Records that the visitor deleted the run, or reverted that.
pub async fn mark_deleted(storage: &impl Storage, folder: &str, gone: bool) -> Result<(), StorageError> {
    storage.write(folder, DELETED_MARK, &[if gone { b"1" } else { b"" }]).await
}

pub async fn is_marked_deleted(storage: &impl Storage, folder: &str) -> Result<bool, StorageError> {
    Ok(storage.read(folder, DELETED_MARK, 1).await?.is_some_and(|mark| !mark.is_empty()))
}
