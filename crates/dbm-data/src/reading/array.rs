//! An array of numbers, from an IDX or NPY file, and the shape of its examples.

use super::background;
use super::blank;
use super::format::FileFormat;
use super::image::COLOURED;
use super::member::Member;
use super::session::ReadingState;
use crate::error::{check_length, check_size};
use crate::interpretation::{Background, Change, Doubt};
use crate::names::{base, few};
use crate::numbers::{ArrayHeader, Element};
use crate::pictures::{Pictures, Values};
use crate::{DataError, idx, npy};
use std::borrow::Cow;

/// An array whose values have not been read yet.
pub(super) struct Array<'a, 'b> {
    pub member: &'b Member<'a>,
    pub header: ArrayHeader,
}

/// Decides whether the columns of an array of two dimensions are its examples. An array `[pixels, examples]` is suspected if it has more
/// columns than rows, and its rows, but not its columns, are as many as the pixels of a square; MNIST's 784 pixels are known anyway.
pub(super) fn decide_columns(name: &str, shape: &[usize], session: &mut ReadingState) {
    let &[rows, columns] = shape else { return };
    session.reading.transpose = Some(takes_columns(shape, session));
    let is_square = |count: usize| count >= SMALLEST_SQUARE && count.isqrt().pow(2) == count;
    if session.asked.transpose.is_none() && columns > rows && (rows == MNIST || is_square(rows) && !is_square(columns)) {
        let side = rows.isqrt();
        session.doubts.push(Doubt {
            text: format!(
                "{} was read as {rows} examples of {columns} values each; as {rows} = {side} x {side}, its columns may be the pictures.",
                base(name)
            ),
            label: "Take columns".into(),
            change: Change::Transpose(true),
        });
    }
}

/// Whether the columns of an array of this shape are asked for.
pub(super) fn takes_columns(shape: &[usize], session: &ReadingState) -> bool {
    shape.len() == 2 && session.asked.transpose == Some(true)
}

/// The pixels of MNIST's digits.
const MNIST: usize = 784;
/// The pixels of the smallest square that is taken for a picture.
const SMALLEST_SQUARE: usize = 64;

/// `60000 x 28 x 28`.
pub(super) fn sizes(shape: &[usize]) -> String {
    shape.iter().map(usize::to_string).collect::<Vec<_>>().join(" x ")
}

/// Whether a file's name, without its folders, has this part in any case.
pub(super) fn is_named(name: &str, part: &str) -> bool {
    base(name).to_ascii_lowercase().contains(part)
}

impl<'a, 'b> Array<'a, 'b> {
    pub fn open(member: &'b Member<'a>) -> Result<Self, DataError> {
        let header = if member.format == FileFormat::Npy {
            npy::header(&member.name, &member.head(npy::HEAD)?)?
        } else {
            idx::header(&member.name, &member.head(idx::HEAD)?)?
        };
        Ok(Self { member, header })
    }

    /// Whether it has more than one number per example; a column of numbers is labels.
    pub fn has_examples(&self) -> bool {
        !matches!(&self.header.shape[..], [] | [_] | [(2..), 1])
    }

    pub fn refuse_shape(&self) -> DataError {
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

    /// Its values as stored in the file, exactly as many as announced. Arrays that were saved behind it are noted.
    fn data(&self, session: &mut ReadingState) -> Result<Cow<'a, [u8]>, DataError> {
        let name = &self.member.name;
        let expected = self.header.size();
        if expected == 0 {
            return Err(DataError::empty(name));
        }
        check_size(name, expected)?;
        let end = self.header.start + expected as usize;
        let mut bytes = self.member.bytes(end + npy::MAGIC.len(), session)?;
        if self.member.format == FileFormat::Npy && bytes.get(end..).is_some_and(npy::is_npy) {
            bytes = self.member.bytes(usize::MAX, session)?;
            let others = self.others(&bytes[end..])?;
            let count = others.len() + 1;
            let (first, others) = (sizes(&self.header.shape), few(others.iter().map(String::as_str)));
            let note = format!("{name} holds {count} arrays: the first ({first}) was read, the others ({others}) were not.");
            session.notes.push(note);
        } else {
            check_length(name, "the data its header announces", expected, bytes.len().saturating_sub(self.header.start))?;
        }
        Ok(match bytes {
            Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[self.header.start..end]),
            Cow::Owned(mut bytes) => {
                bytes.truncate(end);
                bytes.drain(..self.header.start);
                Cow::Owned(bytes)
            }
        })
    }

    /// The shapes of the arrays that follow it in its file, as numpy leaves them if it saves twice.
    fn others(&self, mut rest: &[u8]) -> Result<Vec<String>, DataError> {
        let name = &self.member.name;
        let mut shapes = Vec::new();
        while !rest.is_empty() {
            if !npy::is_npy(rest) {
                let (expected, got) = ("nothing, or another array, behind an array", "something else follows");
                return Err(DataError::format(name, expected, got, "the file is damaged, fetch it again"));
            }
            // The end of an array of another kind is not known.
            let Ok(header) = npy::header(name, &rest[..npy::HEAD.min(rest.len())]) else {
                shapes.push("of a kind that is not read".into());
                break;
            };
            let (size, left) = (header.size(), rest.len() - header.start);
            if size > left as u128 {
                return Err(DataError::truncated(name, "the last of its arrays", size, left));
            }
            shapes.push(sizes(&header.shape));
            rest = &rest[header.start + size as usize..];
        }
        Ok(shapes)
    }

    /// Its only size, and its values, if it has one dimension; they may be none.
    pub fn list(&self, session: &mut ReadingState) -> Result<(Element, Cow<'a, [u8]>), DataError> {
        let name = &self.member.name;
        if self.header.shape.len() != 1 {
            let got = format!("its shape is {:?}", self.header.shape);
            return Err(DataError::format(name, "one dimension in this part of a sparse array", got, "save the array again"));
        }
        let data = if self.header.count() == 0 { Cow::Borrowed(&[][..]) } else { self.data(session)? };
        Ok((self.header.element, data))
    }

    /// Its values as labels; none if they are not bytes.
    pub fn labels(&self, session: &mut ReadingState) -> Result<Vec<u8>, DataError> {
        let data = self.data(session)?;
        let byte = |bytes| {
            let value = self.header.element.value(bytes);
            (0.0..=255.0).contains(&value).then_some(value as u8)
        };
        Ok(data.chunks_exact(self.header.element.size).map(byte).collect::<Option<_>>().unwrap_or_default())
    }

    pub fn pictures(&self, session: &mut ReadingState) -> Result<Pictures, DataError> {
        let name = &self.member.name;
        let mut layout = Layout::of(&self.header.shape, self.header.fortran).ok_or_else(|| self.refuse_shape())?;
        if takes_columns(&self.header.shape, session) {
            layout = layout.transposed();
        }
        let data = self.data(session)?;
        decide_columns(name, &self.header.shape, session);
        let (count, shape) = (layout.sizes[0], (layout.sizes[1], layout.sizes[2]));
        session.notes.extend(match layout.sizes[3] {
            1 => None,
            2 => Some("The two channels were read as grey and opacity.".into()),
            _ => Some(COLOURED.into()),
        });
        let pictures = |values| Pictures { count, shape, values, labels: None };
        if self.header.element.is_byte() && layout.is_plain() {
            return Ok(pictures(Values::Bytes(data.into_owned())));
        }
        let mut numbers = Numbers { data: &data, element: self.header.element, layout, opaque: 1.0, background: 0.0 };
        let found = numbers.survey(name, session.report)?;
        numbers.opaque = found.opaque;
        if found.missing > 0 {
            session.notes.push(format!("{} of the values are not a number (NaN), and count as missing.", found.missing));
        }
        if numbers.are_transparent() {
            let on =
                |background| Numbers { background: if background == Background::White { found.opaque } else { 0.0 }, ..numbers };
            let chosen = background::choose(name, session, |background| on(background).show())?;
            numbers = on(chosen);
        }
        let values = if found.are_bytes() {
            Values::Bytes(numbers.collect(session.report, |value| (value + 0.5) as u8))
        } else {
            check_size(name, 4 * layout.pixels() as u128)?;
            Values::Floats(numbers.collect(session.report, |value| value as f32))
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

    /// Of examples that are rows of values: of each value, those of all examples.
    fn transposed(mut self) -> Self {
        self.sizes.swap(0, 2);
        self.strides.swap(0, 2);
        self
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
#[derive(Clone, Copy)]
struct Numbers<'a> {
    data: &'a [u8],
    element: Element,
    layout: Layout,
    /// The value for full opacity.
    opaque: f64,
    /// What shows through where it is less.
    background: f64,
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

    /// The positions of all pixels of an example in the data, row by row.
    fn places(&self, example: usize) -> impl ExactSizeIterator<Item = usize> {
        let Layout { sizes: [_, _, columns, _], strides } = self.layout;
        let place = move |pixel: usize| example * strides[0] + pixel / columns * strides[1] + pixel % columns * strides[2];
        (0..self.layout.sizes[1] * columns).map(place)
    }

    /// The grey value at a position.
    fn grey(&self, at: usize) -> f64 {
        let channels = self.layout.sizes[3];
        let channel = |c: usize| self.value(at + c * self.layout.strides[3]);
        let grey = if channels < 3 { channel(0) } else { 0.299 * channel(0) + 0.587 * channel(1) + 0.114 * channel(2) };
        if channels % 2 == 1 { grey } else { self.background + (grey - self.background) * (channel(channels - 1) / self.opaque) }
    }

    /// Whether there is an opacity, and it is not full everywhere.
    fn are_transparent(&self) -> bool {
        let Layout { sizes: [count, .., channels], strides } = self.layout;
        let opacity = |at: usize| self.value(at + (channels - 1) * strides[3]);
        channels % 2 == 0 && (0..count).any(|example| self.places(example).any(|at| opacity(at) < self.opaque))
    }

    /// Whether any picture has something in it.
    fn show(&self) -> bool {
        (0..self.layout.sizes[0]).any(|example| blank::shows(self.places(example).map(|at| self.grey(at))))
    }

    /// All of them in order, converted to grey.
    fn collect<T>(&self, report: &mut dyn FnMut(&str, u64, u64), convert: impl Fn(f64) -> T) -> Vec<T> {
        let Layout { sizes: [count, rows, columns, _], strides } = self.layout;
        let mut values = Vec::with_capacity(self.layout.pixels());
        for example in 0..count {
            if values.len() % STEP < rows * columns {
                report("reading values", example as u64, count as u64);
            }
            for row in 0..rows {
                let start = example * strides[0] + row * strides[1];
                values.extend((0..columns).map(|column| convert(self.grey(start + column * strides[2]))));
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
