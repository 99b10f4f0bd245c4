//! The files of one place: its head, and the two slots that checkpoints go to in turns.

use super::head::Head;
use super::seal::{self, Damage, HEADER, Label};
use super::{Storage, StorageError};

const HEAD: &str = "head";
const SLOTS: [&str; 2] = ["slot-0", "slot-1"];
/// The file that has a byte in it where the visitor deleted the run; until the tab closes, that can be undone.
const DELETED_MARK: &str = "let-go";

/// The latest checkpoint of a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Latest {
    /// The slot it is in, 0 or 1.
    pub slot: usize,
    pub label: Label,
    pub checkpoint: Vec<u8>,
}

/// What there is in a place.
#[derive(Clone, Debug, PartialEq)]
pub enum Contents {
    /// A run that can be gone on with.
    Run(Box<Head>, Latest),
    /// No checkpoint has ever been written.
    Nothing,
    /// Whatever was written is damaged.
    Damaged,
    /// Something that another version of this program wrote.
    Foreign,
}

pub async fn write_head(storage: &impl Storage, place: &str, head: &[Vec<u8>], now: f64) -> Result<(), StorageError> {
    let body: Vec<&[u8]> = head.iter().map(Vec::as_slice).collect();
    let header = seal::header(&Label { number: 0, step: 0, written: now }, &body);
    let mut parts = vec![&header[..]];
    parts.extend(body);
    storage.write(place, HEAD, &parts).await
}

pub async fn write(
    storage: &impl Storage,
    place: &str,
    slot: usize,
    label: Label,
    checkpoint: &[u8],
) -> Result<(), StorageError> {
    let header = seal::header(&label, &[checkpoint]);
    storage.write(place, SLOTS[slot % 2], &[&header, checkpoint]).await
}

/// The latest of what the headers in a place say, unproved.
pub async fn latest_label(storage: &impl Storage, place: &str) -> Option<Label> {
    let mut labels = Vec::new();
    for slot in SLOTS {
        let bytes = storage.read(place, slot, HEADER).await.ok().flatten();
        labels.extend(bytes.and_then(|bytes| seal::peek(&bytes)));
    }
    labels.into_iter().max_by_key(|label| label.number)
}

/// The head of a place, if it is whole.
async fn head(storage: &impl Storage, place: &str) -> Result<Result<Head, Contents>, StorageError> {
    let Some(bytes) = storage.read(place, HEAD, usize::MAX).await? else { return Ok(Err(Contents::Damaged)) };
    Ok(match seal::open(bytes) {
        Ok((_, body)) => Head::from_bytes(&body).ok_or(Contents::Foreign),
        Err(Damage::Version(_)) => Err(Contents::Foreign),
        Err(Damage::Torn) => Err(Contents::Damaged),
    })
}

/// Reads all that is needed to go on.
pub async fn read(storage: &impl Storage, place: &str) -> Result<Contents, StorageError> {
    let mut latest: Option<Latest> = None;
    let (mut some, mut foreign) = (false, false);
    for (slot, name) in SLOTS.into_iter().enumerate() {
        let Some(bytes) = storage.read(place, name, usize::MAX).await? else { continue };
        some = true;
        match seal::open(bytes) {
            Ok((label, checkpoint)) => {
                if latest.as_ref().is_none_or(|latest| latest.label.number < label.number) {
                    latest = Some(Latest { slot, label, checkpoint });
                }
            }
            Err(damage) => foreign |= matches!(damage, Damage::Version(_)),
        }
    }
    Ok(match latest {
        Some(latest) => match head(storage, place).await? {
            Ok(head) => Contents::Run(Box::new(head), latest),
            Err(contents) => contents,
        },
        None if foreign => Contents::Foreign,
        None if some => Contents::Damaged,
        None => Contents::Nothing,
    })
}

/// Notes that the visitor deleted the run, or that they took that back.
pub async fn mark_deleted(storage: &impl Storage, place: &str, gone: bool) -> Result<(), StorageError> {
    storage.write(place, DELETED_MARK, &[if gone { b"1" } else { b"" }]).await
}

pub async fn is_marked_deleted(storage: &impl Storage, place: &str) -> Result<bool, StorageError> {
    Ok(storage.read(place, DELETED_MARK, 1).await?.is_some_and(|mark| !mark.is_empty()))
}
