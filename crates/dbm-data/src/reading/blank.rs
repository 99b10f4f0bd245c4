//! Pictures of one value all over, from which nothing can be learned.

use crate::DataError;

/// Whether values differ, so that there is something to see; a single one counts as a picture too.
pub(super) fn shows<T: PartialEq>(mut values: impl ExactSizeIterator<Item = T>) -> bool {
    values.len() == 1 || values.next().is_some_and(|first| values.any(|value| value != first))
}

/// Notes how many pictures of `size` pixels have nothing in them.
///
/// # Errors
/// [`DataError::Format`] if none has.
pub(super) fn check(name: &str, pixels: &[u8], size: usize, notes: &mut Vec<String>) -> Result<(), DataError> {
    let count = pixels.len() / size;
    let blank = pixels.chunks_exact(size).filter(|picture| !shows(picture.iter())).count();
    match blank {
        0 => {}
        _ if blank == count => {
            let (expected, got) = ("pictures with something in them", "each is of one value all over");
            return Err(DataError::format(name, expected, got, "choose other pictures"));
        }
        1 => notes.push(format!("1 of {count} pictures is of one value all over.")),
        _ => notes.push(format!("{blank} of {count} pictures are of one value all over.")),
    }
    Ok(())
}
