//! Many pictures at once, each an example; their folders can be their classes.

use super::image::{COLOURED, decode};
use super::member::Member;
use super::session::ReadingState;
use super::{background, blank};
use crate::DataError;
use crate::error::check_size;
use crate::names::{few, folder, natural};
use crate::pictures::{Pictures, Values};
use std::collections::BTreeSet;

/// The pictures in the natural order of their names. If each is in one of 2 to 256 folders, the folders are the labels, numbered in their
/// order.
///
/// # Errors
/// [`DataError::Format`] naming the first picture whose size differs from the first one's, if together they are too large, or if there is
/// nothing in any; those of decoding.
pub(super) fn read(name: &str, members: &mut [Member], session: &mut ReadingState) -> Result<Pictures, DataError> {
    members.sort_by(|a, b| natural(&a.name, &b.name));
    let labels = labels(members, &mut session.notes);
    let count = members.len();
    let (mut shape, mut values) = ((0, 0), Vec::new());
    // As many as values once a picture is transparent.
    let mut opacity = Vec::new();
    let (mut coloured, mut turned) = (false, 0);
    for (at, member) in members.iter().enumerate() {
        if at % 64 == 0 {
            (session.report)("decoding pictures", at as u64, count as u64);
        }
        let name = &member.name;
        let picture = decode(name, &member.bytes(usize::MAX, session)?)?;
        let (rows, columns) = (picture.rows, picture.columns);
        if at == 0 {
            shape = (rows, columns);
            check_size(name, count as u128 * rows as u128 * columns as u128)?;
        } else if shape != (rows, columns) {
            let expected = format!("{} x {} pixels (rows x columns) as in {}", shape.0, shape.1, members[0].name);
            return Err(DataError::format(name, expected, format!("it has {rows} x {columns}"), "make all pictures one size"));
        }
        coloured |= picture.coloured;
        turned += usize::from(picture.turned);
        if let Some(own) = &picture.opacity {
            opacity.resize(values.len(), 255);
            opacity.extend_from_slice(own);
        }
        values.extend_from_slice(&picture.pixels);
    }
    session.notes.extend(coloured.then(|| COLOURED.into()));
    if turned > 0 {
        session.notes.push(format!("{turned} of {count} pictures were turned as their EXIF data say."));
    }
    let size = shape.0 * shape.1;
    if !opacity.is_empty() {
        opacity.resize(values.len(), 255);
        background::lay(name, &mut values, &opacity, size, session)?;
    }
    blank::check(name, &values, size, &mut session.notes)?;
    Ok(Pictures { count, shape, values: Values::Bytes(values), labels })
}

fn labels(members: &[Member], notes: &mut Vec<String>) -> Option<Vec<u8>> {
    // A name in an archive follows the archive's own.
    fn of<'b>(member: &'b Member) -> Option<&'b str> {
        folder(member.name.split_once(": ").map_or(&*member.name, |(_, inner)| inner))
    }
    let names: BTreeSet<&str> = members.iter().map(of).collect::<Option<_>>()?;
    if !(2..=256).contains(&names.len()) {
        return None;
    }
    let mut names: Vec<&str> = names.into_iter().collect();
    names.sort_by(|a, b| natural(a, b));
    notes.push(format!("The {} folders were read as classes, numbered from 0: {}.", names.len(), few(names.iter().copied())));
    let label = |member| names.iter().position(|name| Some(*name) == of(member)).map(|at| at as u8);
    members.iter().map(label).collect()
}
