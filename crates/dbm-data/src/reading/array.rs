//! Arrays of numbers, from IDX and NPY files: which of several are the data, and the shape of their examples.

use super::format::FileFormat;
use super::limits::Budget;
use super::member::Member;
use super::session::ReadingState;
use crate::error::{check_length, check_size};
use crate::names::{base, few};
use crate::numbers::{ArrayHeader, Element};
use crate::pictures::{Pictures, Values};
use crate::{DataError, idx, npy};
use std::borrow::Cow;

/// An array whose values have not been read yet.
struct Array<'a, 'b> {
    member: &'b Member<'a>,
    header: ArrayHeader,
}

/// The largest array with at least two dimensions, with the labels that fit it; `notes` says which was chosen if there were others.
///
/// # Errors
/// Those of the files' formats; [`DataError::Format`] if no array has examples, or if the number of labels in an IDX file does not fit.
pub(super) fn read(members: &[Member], session: &mut ReadingState) -> Result<Pictures, DataError> {
    let mut arrays = Vec::new();
    let mut broken = Vec::new();
    for member in members {
        match Array::open(member) {
            Ok(array) => arrays.push(array),
            Err(error) => broken.push(error),
        }
    }
    let Some(data) = largest(&arrays) else {
        // The error of a broken file says more than that of labels.
        let refusal = broken.into_iter().next().or_else(|| arrays.first().map(Array::refuse_shape));
        return Err(refusal.unwrap_or_else(|| DataError::empty("the files")));
    };
    let count = data.header.shape[0];
    let labels = labels_of(data, &arrays);
    if let ([_, _], None, FileFormat::Idx) = (&arrays[..], labels, data.member.format)
        && let Some(&[labels]) = arrays.iter().map(|array| &array.header.shape[..]).find(|shape| shape.len() == 1)
    {
        return Err(DataError::label_count(&data.member.name, count, labels));
    }
    (session.report)("unpacking", 0, 0);
    let mut pictures = data.pictures(session)?;
    let ReadingState { budget, notes, .. } = session;
    if let Some(array) = labels {
        pictures.labels = Some(array.labels(budget)?).filter(|labels| !labels.is_empty());
        if pictures.labels.is_none() {
            notes.push(format!("{} was not read as labels: they should be whole numbers from 0 to 255.", array.member.name));
        }
    }
    if members.len() > 1 {
        let with = labels.map_or(String::new(), |labels| format!(" with the labels {}", base(&labels.member.name)));
        let is_taken = |name: &str| name == data.member.name || labels.is_some_and(|labels| name == labels.member.name);
        let left = members.iter().map(|member| member.name.as_str()).filter(|name| !is_taken(name));
        let left = few(left.map(base));
        let left = if left.is_empty() { String::new() } else { format!("; left out: {left}") };
        notes.push(format!("Read {} ({}){with}{left}.", base(&data.member.name), sizes(&data.header.shape)));
    }
    Ok(pictures)
}

/// `60000 x 28 x 28`.
fn sizes(shape: &[usize]) -> String {
    shape.iter().map(usize::to_string).collect::<Vec<_>>().join(" x ")
}

/// The one with most values; among equals the one named after training, then the first.
fn largest<'c, 'a, 'b>(arrays: &'c [Array<'a, 'b>]) -> Option<&'c Array<'a, 'b>> {
    let rank = |array: &Array| (array.header.count(), array.is_named("train"));
    arrays.iter().filter(|array| array.has_examples()).rev().max_by_key(|array| rank(array))
}

/// Whole numbers, one per example, preferably of the same part of the data and with a name for labels.
fn labels_of<'c, 'a, 'b>(data: &Array, arrays: &'c [Array<'a, 'b>]) -> Option<&'c Array<'a, 'b>> {
    let fits = |array: &&Array| {
        !array.has_examples() && array.header.element.is_whole() && array.header.shape.first() == data.header.shape.first()
    };
    let rank = |array: &Array| {
        let same = ["train", "test", "t10k", "val"].iter().filter(|part| array.is_named(part) == data.is_named(part)).count();
        let named = ["y", "label", "class", "target"].iter().any(|part| array.is_named(part));
        2 * same + usize::from(named)
    };
    arrays.iter().filter(fits).rev().max_by_key(|array| rank(array))
}

impl<'a, 'b> Array<'a, 'b> {
    fn open(member: &'b Member<'a>) -> Result<Self, DataError> {
        let header = if member.format == FileFormat::Npy {
            npy::header(&member.name, &member.head(npy::HEAD)?)?
        } else {
            idx::header(&member.name, &member.head(idx::HEAD)?)?
        };
        Ok(Self { member, header })
    }

    fn is_named(&self, part: &str) -> bool {
        base(&self.member.name).to_ascii_lowercase().contains(part)
    }

    /// Whether it has more than one number per example; a column of numbers is labels.
    fn has_examples(&self) -> bool {
        !matches!(&self.header.shape[..], [] | [_] | [(2..), 1])
    }

    fn refuse_shape(&self) -> DataError {
        let name = &self.member.name;
        if let [count] | [count, 1] = self.header.shape[..]
            && self.header.element.is_whole()
        {
            let got = format!("this file holds one number for each of {count}: labels");
            return DataError::format(name, "examples", got, "load the images it belongs to");
        }
        let expected = "an array of [examples, values], [examples, rows, columns] or [examples, rows, columns, 1 to 4 channels]";
        let got = match &self.header.shape[..] {
            [] => "it is a single number".into(),
            shape if shape.len() > 8 => format!("it has {} dimensions", shape.len()),
            shape => format!("its shape is {shape:?}"),
        };
        DataError::format(name, expected, got, "reshape it (a single example as array[None]) and save it again")
    }

    /// Its values as stored in the file, exactly as many as announced.
    fn data(&self, budget: &mut Budget) -> Result<Cow<'a, [u8]>, DataError> {
        let name = &self.member.name;
        let expected = self.header.size();
        if expected == 0 {
            return Err(DataError::empty(name));
        }
        check_size(name, expected)?;
        let bytes = self.member.bytes(self.header.start + expected as usize + 1, budget)?;
        check_length(name, "the data its header announces", expected, bytes.len().saturating_sub(self.header.start))?;
        Ok(match bytes {
            Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[self.header.start..]),
            Cow::Owned(mut bytes) => {
                bytes.drain(..self.header.start);
                Cow::Owned(bytes)
            }
        })
    }

    /// Its values as labels; `None` if they are not bytes.
    fn labels(&self, budget: &mut Budget) -> Result<Vec<u8>, DataError> {
        let data = self.data(budget)?;
        let byte = |bytes| {
            let value = self.header.element.value(bytes);
            (0.0..=255.0).contains(&value).then_some(value as u8)
        };
        Ok(data.chunks_exact(self.header.element.size).map(byte).collect::<Option<_>>().unwrap_or_default())
    }

    fn pictures(&self, session: &mut ReadingState) -> Result<Pictures, DataError> {
        let ReadingState { budget, notes, report, .. } = session;
        let layout = Layout::of(&self.header.shape, self.header.fortran).ok_or_else(|| self.refuse_shape())?;
        let data = self.data(budget)?;
        let (count, shape) = (layout.sizes[0], (layout.sizes[1], layout.sizes[2]));
        match layout.sizes[3] {
            1 => {}
            channels => notes.push(match channels {
                2 => "The two channels were read as grey and opacity: values are their product.".into(),
                3 => "Colours were converted to grey: 0.299 red + 0.587 green + 0.114 blue.".into(),
                _ => "Colours were converted to grey (0.299 red + 0.587 green + 0.114 blue), times their opacity.".to_string(),
            }),
        }
        let pictures = |values| Pictures { count, shape, values, labels: None };
        if self.header.element.is_byte() && layout.is_plain() {
            return Ok(pictures(Values::Bytes(data.into_owned())));
        }
        let numbers = Numbers { data: &data, element: self.header.element, layout };
        let found = numbers.survey(&self.member.name, report)?;
        if found.missing > 0 {
            notes.push(format!("{} of the values are not a number (NaN), and count as missing.", found.missing));
        }
        let values = if found.are_bytes() {
            Values::Bytes(numbers.collect(found, report, |value| (value + 0.5) as u8))
        } else {
            check_size(&self.member.name, 4 * numbers.layout.pixels() as u128)?;
            Values::Floats(numbers.collect(found, report, |value| value as f32))
        };
        Ok(pictures(values))
    }
}

/// Sizes and strides, in values, of examples, rows, columns and channels.
#[derive(Clone, Copy)]
struct Layout {
    sizes: [usize; 4],
    strides: [usize; 4],
}

impl Layout {
    fn of(shape: &[usize], fortran: bool) -> Option<Self> {
        const NONE: (usize, usize) = (1, 1);
        let mut strides = vec![1_usize; shape.len()];
        for at in 1..shape.len() {
            // Row-major: the last size is the fastest. Columns first: the first one.
            let (to, from) = if fortran { (at, at - 1) } else { (shape.len() - 1 - at, shape.len() - at) };
            strides[to] = strides[from].checked_mul(shape[from])?;
        }
        let at = |axis: usize| (shape[axis], strides[axis]);
        let [n, rows, columns, channels] = match *shape {
            [_, _] => [at(0), NONE, at(1), NONE],
            [_, _, _] => [at(0), at(1), at(2), NONE],
            [_, _, _, 1..=4] => [at(0), at(1), at(2), at(3)],
            // PyTorch's order.
            [_, 1 | 3, _, _] => [at(0), at(2), at(3), at(1)],
            _ => return None,
        };
        Some(Self { sizes: [n.0, rows.0, columns.0, channels.0], strides: [n.1, rows.1, columns.1, channels.1] })
    }

    /// Whether values are already in the required order.
    fn is_plain(&self) -> bool {
        let [_, rows, columns, channels] = self.sizes;
        channels == 1
            && self.strides[0] == rows * columns
            && (rows == 1 || self.strides[1] == columns)
            && (columns == 1 || self.strides[2] == 1)
    }

    fn pixels(&self) -> usize {
        self.sizes[0] * self.sizes[1] * self.sizes[2]
    }
}

/// The kind of an array's values.
#[derive(Clone, Copy)]
struct Found {
    missing: usize,
    /// All are whole numbers from 0 to 255.
    whole: bool,
    /// The value for full opacity.
    opaque: f64,
}

impl Found {
    fn are_bytes(self) -> bool {
        self.whole && self.missing == 0
    }
}

/// Values in a layout.
struct Numbers<'a> {
    data: &'a [u8],
    element: Element,
    layout: Layout,
}

/// Progress is reported once per this many values.
const STEP: usize = 1 << 20;

impl Numbers<'_> {
    fn value(&self, at: usize) -> f64 {
        let size = self.element.size;
        self.element.value(&self.data[at * size..(at + 1) * size])
    }

    fn survey(&self, name: &str, report: &mut dyn FnMut(&str, u64, u64)) -> Result<Found, DataError> {
        let total = self.data.len() / self.element.size;
        let mut found = Found { missing: 0, whole: true, opaque: 1.0 };
        let mut highest = f64::NEG_INFINITY;
        for (at, bytes) in self.data.chunks_exact(self.element.size).enumerate() {
            if at % STEP == 0 {
                report("checking values", at as u64, total as u64);
            }
            let value = self.element.value(bytes);
            if value.is_nan() {
                found.missing += 1;
                continue;
            }
            if value.abs() > f64::from(f32::MAX) {
                return Err(DataError::format(
                    name,
                    "finite numbers, or NaN for missing ones",
                    format!("value {at} is {value:e}"),
                    "replace it, or scale the values",
                ));
            }
            highest = highest.max(value);
            found.whole &= (0.0..=255.0).contains(&value) && value.fract() == 0.0;
        }
        if highest > 1.0 {
            found.opaque = if highest > 255.0 { highest } else { 255.0 };
        }
        Ok(found)
    }

    /// All of them in order, converted to grey.
    fn collect<T>(&self, found: Found, report: &mut dyn FnMut(&str, u64, u64), convert: impl Fn(f64) -> T) -> Vec<T> {
        let Layout { sizes: [count, rows, columns, channels], strides } = self.layout;
        let mut values = Vec::with_capacity(self.layout.pixels());
        for example in 0..count {
            if values.len() % STEP < rows * columns {
                report("reading values", example as u64, count as u64);
            }
            for row in 0..rows {
                for column in 0..columns {
                    let at = example * strides[0] + row * strides[1] + column * strides[2];
                    let channel = |c: usize| self.value(at + c * strides[3]);
                    let grey = || 0.299 * channel(0) + 0.587 * channel(1) + 0.114 * channel(2);
                    values.push(convert(match channels {
                        1 => channel(0),
                        2 => channel(0) * channel(1) / found.opaque,
                        3 => grey(),
                        _ => grey() * channel(3) / found.opaque,
                    }));
                }
            }
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_are_told_from_shapes() {
        let of = |shape: &[usize]| Layout::of(shape, false).map(|layout| (layout.sizes, layout.strides));
        assert_eq!(of(&[5, 6]), Some(([5, 1, 6, 1], [6, 1, 1, 1])));
        assert_eq!(of(&[5, 2, 3]), Some(([5, 2, 3, 1], [6, 3, 1, 1])));
        assert_eq!(of(&[5, 2, 7, 3]), Some(([5, 2, 7, 3], [42, 21, 3, 1])));
        assert_eq!(of(&[5, 3, 28, 28]), Some(([5, 28, 28, 3], [2352, 28, 1, 784])));
        assert_eq!(of(&[5, 1, 28, 28]), Some(([5, 28, 28, 1], [784, 28, 1, 784])));
        assert_eq!((of(&[5]), of(&[5, 9, 28, 28]), of(&[1; 5])), (None, None, None));
        let columns_first = Layout::of(&[5, 2, 3], true).unwrap();
        assert_eq!(columns_first.strides, [1, 5, 10, 1]);
        assert!(Layout::of(&[5, 2, 3], false).unwrap().is_plain() && !columns_first.is_plain());
        assert!(Layout::of(&[usize::MAX, 2, usize::MAX], false).is_none());
    }
}
