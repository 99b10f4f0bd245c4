//! Which of several arrays of numbers are the data, and which are their labels.

use super::array::{Array, is_named, sizes, takes_columns};
use super::format::FileFormat;
use super::member::Member;
use super::session::ReadingState;
use super::sparse;
use crate::DataError;
use crate::names::{base, few};
use crate::pictures::Pictures;

/// The largest array with at least two dimensions, with the labels that fit it; `notes` says which was chosen if there were others. A
/// sparse array is preferred to others.
///
/// # Errors
/// Those of the files' formats; [`DataError::Format`] if no array has examples, or if the number of labels in an IDX file does not fit.
pub(super) fn read(members: &[Member], session: &mut ReadingState) -> Result<Pictures, DataError> {
    let (sparse, others) = sparse::split(members);
    let mut arrays = Vec::new();
    let mut broken = Vec::new();
    for member in &others {
        match Array::open(member) {
            Ok(array) => arrays.push(array),
            Err(error) => broken.push(error),
        }
    }
    if let Some(data) = sparse::largest(sparse, session)? {
        let pictures = data.pictures(session)?;
        return with_labels(pictures, &data.name, &data.shape, &arrays, &others, session);
    }
    let Some(data) = largest(&arrays) else {
        // The error of a broken file says more than that of labels.
        let refusal = broken.into_iter().next().or_else(|| arrays.first().map(Array::refuse_shape));
        return Err(refusal.unwrap_or_else(|| DataError::empty("the files")));
    };
    let (name, shape) = (&data.member.name, &data.header.shape);
    let count = shape[usize::from(takes_columns(shape, session))];
    if let ([_, _], None, FileFormat::Idx) = (&arrays[..], labels_of(name, count, &arrays), data.member.format)
        && let Some(&[labels]) = arrays.iter().map(|array| &array.header.shape[..]).find(|shape| shape.len() == 1)
    {
        return Err(DataError::label_count(name, count, labels));
    }
    (session.report)("unpacking", 0, 0);
    let pictures = data.pictures(session)?;
    with_labels(pictures, name, shape, &arrays, &others, session)
}

/// The pictures, which were read from the array of this name and shape, with the labels that fit them; `notes` says which, and which files
/// were left out.
fn with_labels(
    mut pictures: Pictures,
    name: &str,
    shape: &[usize],
    arrays: &[Array],
    members: &[&Member],
    session: &mut ReadingState,
) -> Result<Pictures, DataError> {
    let labels = labels_of(name, pictures.count, arrays);
    if let Some(array) = labels {
        pictures.labels = Some(array.labels(session)?).filter(|labels| !labels.is_empty());
        if pictures.labels.is_none() {
            let name = &array.member.name;
            session.notes.push(format!("{name} was not read as labels: they should be whole numbers from 0 to 255."));
        }
    }
    let others: Vec<&str> = members.iter().map(|member| &*member.name).filter(|other| *other != name).collect();
    if !others.is_empty() {
        let labels = labels.map(|labels| &*labels.member.name);
        let with = labels.map_or(String::new(), |labels| format!(" with the labels {}", base(labels)));
        let left = few(others.into_iter().filter(|other| Some(*other) != labels).map(base));
        let left = if left.is_empty() { String::new() } else { format!("; left out: {left}") };
        session.notes.push(format!("Read {} ({}){with}{left}.", base(name), sizes(shape)));
    }
    Ok(pictures)
}

/// The one with most values; among equals the one named after training, then the first.
fn largest<'c, 'a, 'b>(arrays: &'c [Array<'a, 'b>]) -> Option<&'c Array<'a, 'b>> {
    let rank = |array: &Array| (array.header.count(), is_named(&array.member.name, "train"));
    arrays.iter().filter(|array| array.has_examples()).rev().max_by_key(|array| rank(array))
}

/// Whole numbers, one for each of `count` examples, preferably of the same part of the data and with a name for labels.
fn labels_of<'c, 'a, 'b>(data: &str, count: usize, arrays: &'c [Array<'a, 'b>]) -> Option<&'c Array<'a, 'b>> {
    let fits =
        |array: &&Array| !array.has_examples() && array.header.element.is_whole() && array.header.shape.first() == Some(&count);
    let rank = |array: &Array| {
        let name = &array.member.name;
        let same = ["train", "test", "t10k", "val"].iter().filter(|part| is_named(name, part) == is_named(data, part)).count();
        let named = ["y", "label", "class", "target"].iter().any(|part| is_named(name, part));
        2 * same + usize::from(named)
    };
    arrays.iter().filter(fits).rev().max_by_key(|array| rank(array))
}
