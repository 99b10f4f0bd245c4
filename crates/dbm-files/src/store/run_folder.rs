//! The files of one run's folder: its description, and two files to which its checkpoints go in turns.

use super::checked_file::{self, Damage, HEADER, Label};
use super::description::RunDescription;
use super::{Storage, StorageError};

/// The file of the run's [`RunDescription`].
const DESCRIPTION: &str = "head";
const CHECKPOINT_FILES: [&str; 2] = ["slot-0", "slot-1"];
/// The file that has a byte in it where the visitor deleted the run; until the tab closes, that can be undone.
const DELETED_MARK: &str = "let-go";

/// The latest checkpoint of a folder.
#[derive(Clone, Debug, PartialEq)]
pub struct Latest {
    /// Which of the two checkpoint files it is in, 0 or 1.
    pub file: usize,
    pub label: Label,
    pub checkpoint: Vec<u8>,
}

/// What there is in a folder.
#[derive(Clone, Debug, PartialEq)]
pub enum FolderContents {
    /// A run that can be gone on with.
    Run(Box<RunDescription>, Latest),
    /// No checkpoint has ever been written.
    Nothing,
    /// Whatever was written is damaged.
    Damaged,
    /// Files that another version of this program wrote.
    OtherVersion,
}

pub async fn write_description(
    storage: &impl Storage,
    folder: &str,
    description: &[Vec<u8>],
    now: f64,
) -> Result<(), StorageError> {
    let body: Vec<&[u8]> = description.iter().map(Vec::as_slice).collect();
    let header = checked_file::header(&Label { number: 0, step: 0, written: now }, &body);
    let mut parts = vec![&header[..]];
    parts.extend(body);
    storage.write(folder, DESCRIPTION, &parts).await
}

pub async fn write(
    storage: &impl Storage,
    folder: &str,
    file: usize,
    label: Label,
    checkpoint: &[u8],
) -> Result<(), StorageError> {
    let header = checked_file::header(&label, &[checkpoint]);
    storage.write(folder, CHECKPOINT_FILES[file % 2], &[&header, checkpoint]).await
}

/// The latest label in a folder, by the headers alone: the files' checksums are not looked at.
pub async fn latest_label(storage: &impl Storage, folder: &str) -> Option<Label> {
    let mut labels = Vec::new();
    for file in CHECKPOINT_FILES {
        let bytes = storage.read(folder, file, HEADER).await.ok().flatten();
        labels.extend(bytes.and_then(|bytes| checked_file::peek(&bytes)));
    }
    labels.into_iter().max_by_key(|label| label.number)
}

/// The description of a folder, if it is whole.
async fn description(storage: &impl Storage, folder: &str) -> Result<Result<RunDescription, FolderContents>, StorageError> {
    let Some(bytes) = storage.read(folder, DESCRIPTION, usize::MAX).await? else { return Ok(Err(FolderContents::Damaged)) };
    Ok(match checked_file::open(bytes) {
        Ok((_, body)) => RunDescription::from_bytes(&body).ok_or(FolderContents::OtherVersion),
        Err(Damage::Version(_)) => Err(FolderContents::OtherVersion),
        Err(Damage::Incomplete) => Err(FolderContents::Damaged),
    })
}

/// Reads all that is needed to go on.
pub async fn read(storage: &impl Storage, folder: &str) -> Result<FolderContents, StorageError> {
    let mut latest: Option<Latest> = None;
    let (mut some, mut other_version) = (false, false);
    for (file, name) in CHECKPOINT_FILES.into_iter().enumerate() {
        let Some(bytes) = storage.read(folder, name, usize::MAX).await? else { continue };
        some = true;
        match checked_file::open(bytes) {
            Ok((label, checkpoint)) => {
                if latest.as_ref().is_none_or(|latest| latest.label.number < label.number) {
                    latest = Some(Latest { file, label, checkpoint });
                }
            }
            Err(damage) => other_version |= matches!(damage, Damage::Version(_)),
        }
    }
    Ok(match latest {
        Some(latest) => match description(storage, folder).await? {
            Ok(description) => FolderContents::Run(Box::new(description), latest),
            Err(contents) => contents,
        },
        None if other_version => FolderContents::OtherVersion,
        None if some => FolderContents::Damaged,
        None => FolderContents::Nothing,
    })
}

/// Notes that the visitor deleted the run, or that they took that back.
pub async fn mark_deleted(storage: &impl Storage, folder: &str, gone: bool) -> Result<(), StorageError> {
    storage.write(folder, DELETED_MARK, &[if gone { b"1" } else { b"" }]).await
}

pub async fn is_marked_deleted(storage: &impl Storage, folder: &str) -> Result<bool, StorageError> {
    Ok(storage.read(folder, DELETED_MARK, 1).await?.is_some_and(|mark| !mark.is_empty()))
}
