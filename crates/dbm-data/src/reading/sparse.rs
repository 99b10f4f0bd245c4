//! Sparse arrays, as `scipy.sparse.save_npz` saves them: several arrays in one archive, made dense here.

use super::array::{Array, decide_columns, is_named, sizes};
use super::format::FileFormat;
use super::limits::MAX_DENSE_EXPANSION;
use super::member::Member;
use super::session::ReadingState;
use crate::error::{check_size, zeros};
use crate::names::{few, shown};
use crate::numbers::Element;
use crate::pictures::{Pictures, Values};
use crate::{DataError, npy};
use std::borrow::Cow;

/// The names of the arrays that make a sparse one, whatever its format.
const PARTS: [&str; 9] =
    ["format.npy", "shape.npy", "data.npy", "indices.npy", "indptr.npy", "row.npy", "col.npy", "offsets.npy", "_is_array.npy"];
/// Advice for other formats, and for damage.
const SAVE: &str = "save it again with scipy.sparse.save_npz(name, array.tocsr())";

/// The members of an archive that are a sparse array.
pub(super) struct Group<'a, 'b> {
    /// What their names begin with: the archive's, and a colon.
    prefix: &'b str,
    members: Vec<&'b Member<'a>>,
}

/// A sparse array whose values have not been read yet.
pub(super) struct Sparse<'a, 'b> {
    pub name: String,
    /// Rows and columns.
    pub shape: [usize; 2],
    format: String,
    group: Group<'a, 'b>,
}

/// The sparse arrays among members, and the other members.
pub(super) fn split<'a, 'b>(members: &'b [Member<'a>]) -> (Vec<Group<'a, 'b>>, Vec<&'b Member<'a>>) {
    let mut others: Vec<&Member> = members.iter().filter(|member| member.format == FileFormat::Npy).collect();
    let mut groups = Vec::new();
    for prefix in members.iter().filter_map(|member| member.name.strip_suffix(PARTS[0])) {
        let is_part = |member: &&Member| member.name.strip_prefix(prefix).is_some_and(|part| PARTS.contains(&part));
        let (parts, rest): (Vec<_>, Vec<_>) = others.iter().copied().partition(is_part);
        let group = Group { prefix, members: parts };
        if PARTS[..3].iter().all(|part| group.member(part).is_some()) {
            groups.push(group);
            others = rest;
        }
    }
    others.extend(members.iter().filter(|member| member.format != FileFormat::Npy));
    (groups, others)
}

/// The sparse array with most places, among equals the one named after training; a note names the others.
///
/// # Errors
/// [`DataError::Format`] if any cannot be understood.
pub(super) fn largest<'a, 'b>(
    groups: Vec<Group<'a, 'b>>,
    session: &mut ReadingState,
) -> Result<Option<Sparse<'a, 'b>>, DataError> {
    let mut arrays = groups.into_iter().map(|group| group.open(session)).collect::<Result<Vec<_>, _>>()?;
    let rank = |array: &Sparse| (array.places(), is_named(&array.name, "train"));
    let Some((at, _)) = arrays.iter().enumerate().rev().max_by_key(|(_, array)| rank(array)) else { return Ok(None) };
    let array = arrays.remove(at);
    if !arrays.is_empty() {
        let left = few(arrays.iter().map(|array| &*array.name));
        session.notes.push(format!("Read {}; left out: {left}.", array.name));
    }
    Ok(Some(array))
}

impl<'a, 'b> Group<'a, 'b> {
    fn member(&self, part: &str) -> Option<&'b Member<'a>> {
        self.members.iter().find(|member| member.name.strip_prefix(self.prefix) == Some(part)).copied()
    }

    fn name(&self) -> String {
        let name = self.prefix.trim_end_matches([':', ' ', '/', '\\']);
        if name.is_empty() { "the sparse array".into() } else { name.into() }
    }

    fn list(&self, part: &str, session: &mut ReadingState) -> Result<List<'a>, DataError> {
        let member = self.member(part).ok_or_else(|| {
            let got = format!("{part} is not there");
            DataError::format(&self.name(), "the arrays of a sparse array", got, SAVE)
        })?;
        let (element, bytes) = Array::open(member)?.list(session)?;
        Ok(List { name: member.name.clone(), element, bytes })
    }

    fn open(self, session: &mut ReadingState) -> Result<Sparse<'a, 'b>, DataError> {
        let name = self.name();
        let format = self.member(PARTS[0]).map(|member| npy::word(&member.name, &member.head(npy::HEAD)?)).transpose()?;
        let shape = self.list("shape.npy", session)?;
        if shape.len() != 2 {
            return Err(DataError::format(
                &name,
                "a sparse array of rows and columns",
                format!("it has {} dimensions", shape.len()),
                SAVE,
            ));
        }
        let shape = [shape.index(0, usize::MAX)?, shape.index(1, usize::MAX)?];
        Ok(Sparse { name, shape, format: format.unwrap_or_default(), group: self })
    }
}

/// The values of one of its arrays.
struct List<'a> {
    name: String,
    element: Element,
    bytes: Cow<'a, [u8]>,
}

impl List<'_> {
    fn len(&self) -> usize {
        self.bytes.len() / self.element.size
    }

    fn value(&self, at: usize) -> f64 {
        let size = self.element.size;
        self.element.value(&self.bytes[at * size..(at + 1) * size])
    }

    /// A value that should be a whole number from 0 to `most`.
    fn index(&self, at: usize, most: usize) -> Result<usize, DataError> {
        let value = if at < self.len() { self.value(at) } else { f64::NAN };
        if self.element.is_whole() && value >= 0.0 && value <= most as f64 {
            return Ok(value as usize);
        }
        let got = if at < self.len() { format!("value {at} is {value}") } else { format!("there are {}", self.len()) };
        Err(DataError::format(&self.name, format!("whole numbers from 0 to {most}"), got, "the file is damaged, fetch it again"))
    }
}

impl Sparse<'_, '_> {
    fn places(&self) -> u128 {
        self.shape[0] as u128 * self.shape[1] as u128
    }

    /// All values, with zeros where none is stored; values of one place are added, as scipy does. Its columns are the examples if they are
    /// asked for.
    ///
    /// # Errors
    /// [`DataError::Format`] for a format other than CSR, CSC and COO, for indices outside the array, for values that are not finite, and,
    /// before memory is taken, if there is too much of it.
    pub fn pictures(&self, session: &mut ReadingState) -> Result<Pictures, DataError> {
        let name = &self.name;
        let (places, shape) = (self.places(), self.shape);
        let mut list = |part: &str| self.group.list(part, session);
        let (values, axes) = match &*self.format {
            "csr" | "csc" => (list("data.npy")?, [list("indptr.npy")?, list("indices.npy")?]),
            "coo" => (list("data.npy")?, [list("row.npy")?, list("col.npy")?]),
            other => {
                let got = format!("its format is {}", shown(other));
                return Err(DataError::format(name, "a sparse array of the format csr, csc or coo", got, SAVE));
            }
        };
        if places == 0 {
            return Err(DataError::empty(name));
        }
        let found = survey(&values)?;
        let width = if found.are_bytes { 1 } else { 4 };
        check_size(name, width * places)?;
        let most = (session.received as u128 + 1024) * MAX_DENSE_EXPANSION as u128;
        if 4 * places > most {
            let expected = format!("at most {most} bytes of memory for files of {}", session.received);
            let got = format!("{} are needed", 4 * places);
            return Err(DataError::format(name, expected, got, "leave out columns, or save array.toarray() with numpy.save"));
        }
        session.budget.take(name, width * places)?;
        (session.report)("filling in zeros", 0, 0);
        decide_columns(name, &shape, session);
        let by_columns = session.reading.transpose == Some(true);
        let place = |row: usize, column: usize| if by_columns { column * shape[0] + row } else { row * shape[1] + column };
        let bytes = if found.are_bytes { self.bytes(&values, &axes, place)? } else { None };
        let dense = if let Some(bytes) = bytes {
            Values::Bytes(bytes)
        } else {
            check_size(name, 4 * places)?;
            Values::Floats(self.floats(&values, &axes, place)?)
        };
        if found.missing > 0 {
            session.notes.push(format!("{} of the values are not a number (NaN), and count as missing.", found.missing));
        }
        session.notes.push(format!(
            "{name} is a sparse array ({}, {}) of which {} values are stored; the others are 0.",
            self.format,
            sizes(&shape),
            values.len()
        ));
        let [count, size] = if by_columns { [shape[1], shape[0]] } else { shape };
        Ok(Pictures { count, shape: (1, size), values: dense, labels: None })
    }

    /// All places as bytes; `None` if a sum exceeds 255.
    fn bytes(
        &self,
        values: &List,
        axes: &[List; 2],
        place: impl Fn(usize, usize) -> usize,
    ) -> Result<Option<Vec<u8>>, DataError> {
        let mut dense = zeros(&self.name, self.places() as usize)?;
        let mut overflows = false;
        self.each(values.len(), axes, |at, row, column| {
            let sum = &mut dense[place(row, column)];
            let (added, overflow) = sum.overflowing_add(values.value(at) as u8);
            *sum = added;
            overflows |= overflow;
        })?;
        Ok((!overflows).then_some(dense))
    }

    fn floats(&self, values: &List, axes: &[List; 2], place: impl Fn(usize, usize) -> usize) -> Result<Vec<f32>, DataError> {
        let count = self.places() as usize;
        let mut dense = Vec::new();
        dense.try_reserve_exact(count).map_err(|_| DataError::memory(&self.name, 4 * count))?;
        dense.resize(count, 0.0_f32);
        let mut largest = 0.0_f32;
        self.each(values.len(), axes, |at, row, column| {
            let sum = &mut dense[place(row, column)];
            *sum += values.value(at) as f32;
            largest = largest.max(sum.abs());
        })?;
        if largest.is_infinite() {
            let (expected, got) = ("finite sums of the values of one place", "one is infinite");
            return Err(DataError::format(&self.name, expected, got, "scale the values"));
        }
        Ok(dense)
    }

    /// Calls `visit` with the number, row and column of every stored value, of which there are `count`.
    fn each(&self, count: usize, axes: &[List; 2], mut visit: impl FnMut(usize, usize, usize)) -> Result<(), DataError> {
        let [rows, columns] = self.shape;
        let [first, second] = axes;
        if self.format == "coo" {
            check_count(first, count)?;
            check_count(second, count)?;
            for at in 0..count {
                visit(at, first.index(at, rows - 1)?, second.index(at, columns - 1)?);
            }
            return Ok(());
        }
        // Values and indices may have room at their end; where each line ends is in the first list.
        let (lines, across) = if self.format == "csr" { (rows, columns) } else { (columns, rows) };
        check_count(first, lines + 1)?;
        let mut start = first.index(0, 0)?;
        let stored = count.min(second.len());
        for line in 0..lines {
            let end = first.index(line + 1, stored)?;
            for at in start..end {
                let other = second.index(at, across - 1)?;
                if self.format == "csr" { visit(at, line, other) } else { visit(at, other, line) }
            }
            if end < start {
                let got = format!("value {} is less than the one before", line + 1);
                return Err(DataError::format(
                    &first.name,
                    "ends of lines, in order",
                    got,
                    "the file is damaged, fetch it again",
                ));
            }
            start = end;
        }
        Ok(())
    }
}

fn check_count(list: &List, expected: usize) -> Result<(), DataError> {
    if list.len() == expected {
        return Ok(());
    }
    let got = format!("there are {}", list.len());
    Err(DataError::format(&list.name, format!("{expected} values"), got, "the file is damaged, fetch it again"))
}

/// The kind of stored values.
struct Found {
    /// All are whole numbers from 0 to 255.
    are_bytes: bool,
    missing: usize,
}

fn survey(values: &List) -> Result<Found, DataError> {
    let mut found = Found { are_bytes: true, missing: 0 };
    for at in 0..values.len() {
        let value = values.value(at);
        if value.abs() > f64::from(f32::MAX) {
            let (expected, got) = ("finite numbers, or NaN for missing ones", format!("value {at} is {value:e}"));
            return Err(DataError::format(&values.name, expected, got, "replace it, or scale the values"));
        }
        found.missing += usize::from(value.is_nan());
        found.are_bytes &= (0.0..=255.0).contains(&value) && value.fract() == 0.0;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use crate::pictures::{Pictures, Values};
    use crate::raw::{Change, Content, File, Raw, Reading, read};
    use crate::test_support::{npy, refusal, zip};
    use crate::{DataError, npy as npy_file};
    use proptest::prelude::*;

    type Parts = Vec<(&'static str, Vec<u8>)>;

    fn ints(values: &[i32]) -> Vec<u8> {
        let data: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        npy("<i4", &[values.len()], &data)
    }

    fn bytes(values: &[u8]) -> Vec<u8> {
        npy_file::write_u8(&[values.len()], values)
    }

    fn floats(values: &[f64]) -> Vec<u8> {
        let data: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        npy("<f8", &[values.len()], &data)
    }

    /// A row of 0 7 0 0, a row of zeros, and a row of 1 0 0 2.
    fn csr(data: Vec<u8>) -> Parts {
        vec![
            ("indices.npy", ints(&[1, 0, 3])),
            ("indptr.npy", ints(&[0, 1, 1, 3])),
            ("format.npy", npy("|S3", &[], b"csr")),
            ("shape.npy", ints(&[3, 4])),
            ("data.npy", data),
        ]
    }

    const DENSE: [u8; 12] = [0, 7, 0, 0, 0, 0, 0, 0, 1, 0, 0, 2];

    fn with(mut parts: Parts, name: &'static str, part: Vec<u8>) -> Parts {
        parts.retain(|(other, _)| *other != name);
        parts.push((name, part));
        parts
    }

    fn archive(parts: &Parts) -> File {
        let parts: Vec<(&str, &[u8])> = parts.iter().map(|(name, bytes)| (*name, &bytes[..])).collect();
        File { name: "x.npz".into(), bytes: zip(&parts, true) }
    }

    fn read_as(files: &[File], asked: &Reading) -> Result<Raw, DataError> {
        read(files, asked, &mut |_, _, _| {})
    }

    fn try_read(parts: &Parts) -> Result<Raw, DataError> {
        read_as(&[archive(parts)], &Reading::default())
    }

    fn pictures(raw: &Raw) -> &Pictures {
        let Content::Pictures(pictures) = &raw.content else { panic!("{raw:?}") };
        pictures
    }

    #[test]
    fn three_formats_become_dense() {
        let csc = with(with(csr(bytes(&[1, 7, 2])), "indices.npy", ints(&[2, 0, 2])), "indptr.npy", ints(&[0, 1, 2, 2, 3]));
        let csc = with(csc, "format.npy", npy("<U3", &[], b"c\0\0\0s\0\0\0c\0\0\0"));
        let coo = vec![
            ("row.npy", ints(&[2, 0, 2])),
            ("col.npy", ints(&[3, 1, 0])),
            ("format.npy", npy("|S3", &[], b"coo")),
            ("shape.npy", npy("<i8", &[2], &[3, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0])),
            ("data.npy", floats(&[2.0, 7.0, 1.0])),
            ("_is_array.npy", npy("|b1", &[], &[1])),
        ];
        for parts in [csr(bytes(&[7, 1, 2])), csc, coo] {
            let raw = try_read(&parts).unwrap();
            let pictures = pictures(&raw);
            assert_eq!((pictures.count, pictures.shape, &pictures.values), (3, (1, 4), &Values::Bytes(DENSE.to_vec())));
            assert_eq!(raw.notes.len(), 1, "{:?}", raw.notes);
            assert!(raw.notes[0].contains("3 x 4) of which 3 values"), "{:?}", raw.notes);
            assert_eq!((raw.reading.transpose, raw.doubts), (Some(false), vec![]));
        }
    }

    #[test]
    fn values_of_one_place_are_added_and_any_number_is_read() {
        let twice = with(csr(bytes(&[100, 100, 200])), "indices.npy", ints(&[1, 3, 3]));
        assert_eq!(pictures(&try_read(&twice).unwrap()).values.at(11), 300.0);
        let raw = try_read(&csr(floats(&[-0.5, f64::NAN, 3.0]))).unwrap();
        let values = &pictures(&raw).values;
        assert_eq!((values.at(1), values.at(8).is_nan(), values.at(11), values.at(0)), (-0.5, true, 3.0, 0.0));
        assert!(raw.notes[0].starts_with("1 of the values"), "{:?}", raw.notes);
        let empty = with(with(csr(bytes(&[])), "indices.npy", ints(&[])), "indptr.npy", ints(&[0; 4]));
        assert_eq!(pictures(&try_read(&empty).unwrap()).values, Values::Bytes(vec![0; 12]));
    }

    #[test]
    fn labels_and_columns_go_with_it() {
        let labels = File { name: "y.npy".into(), bytes: bytes(&[4, 5, 6]) };
        let raw = read_as(&[archive(&csr(bytes(&[7, 1, 2]))), labels], &Reading::default()).unwrap();
        assert_eq!(pictures(&raw).labels.as_deref(), Some(&[4, 5, 6][..]));
        assert!(raw.notes.join(" ").contains("Read x.npz (3 x 4) with the labels y.npy"), "{:?}", raw.notes);
        let asked = Reading { transpose: Some(true), ..Reading::default() };
        let raw = read_as(&[archive(&csr(bytes(&[7, 1, 2])))], &asked).unwrap();
        let columns = Values::Bytes(vec![0, 0, 1, 7, 0, 0, 0, 0, 0, 0, 0, 2]);
        assert_eq!((pictures(&raw).count, &pictures(&raw).values), (4, &columns));
        let wide = with(csr(bytes(&[7, 1, 2])), "shape.npy", ints(&[784, 800]));
        let wide = with(wide, "indptr.npy", ints(&[&[0][..], &[3; 784]].concat()));
        let raw = try_read(&wide).unwrap();
        assert_eq!(raw.doubts.iter().map(|doubt| &doubt.change).collect::<Vec<_>>(), [&Change::Transpose(true)]);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let whole = csr(bytes(&[7, 1, 2]));
        let of = |part: &'static str, bytes: Vec<u8>| refusal(try_read(&with(whole.clone(), part, bytes)));
        let bsr = of("format.npy", npy("|S3", &[], b"bsr"));
        assert!(bsr.contains("its format is bsr") && bsr.contains("tocsr()"), "{bsr}");
        for (part, bytes, words) in [
            ("indices.npy", ints(&[1, 0, 4]), "whole numbers from 0 to 3, but value 2 is 4"),
            ("indices.npy", ints(&[1, -1, 3]), "value 1 is -1"),
            ("indices.npy", ints(&[1, 0]), "whole numbers from 0 to 2, but value 3 is 3"),
            ("indices.npy", floats(&[1.0, 0.0, 3.0]), "whole numbers"),
            ("indptr.npy", ints(&[0, 1, 3]), "4 values"),
            ("indptr.npy", ints(&[1, 1, 1, 3]), "from 0 to 0"),
            ("indptr.npy", ints(&[0, 3, 1, 3]), "less than the one before"),
            ("indptr.npy", npy("<i4", &[2, 2], &[0; 16]), "one dimension"),
            ("data.npy", floats(&[f64::INFINITY, 0.0, 0.0]), "finite numbers"),
            ("data.npy", floats(&[1e300, 0.0, 0.0]), "finite numbers"),
            ("shape.npy", ints(&[3, 0]), "at least one example"),
            ("shape.npy", ints(&[3, -4]), "value 1 is -4"),
            ("shape.npy", ints(&[12]), "1 dimensions"),
            ("shape.npy", ints(&[i32::MAX, i32::MAX]), "at most 1073741824 bytes"),
            ("shape.npy", ints(&[30_000, 30_000]), "leave out columns"),
        ] {
            let message = of(part, bytes);
            assert!(message.contains(words), "{part}: {message}");
        }
        let gone: Parts = whole.into_iter().filter(|(name, _)| *name != "indptr.npy").collect();
        assert!(refusal(try_read(&gone)).contains("indptr.npy is not there"));
        let huge = with(csr(floats(&[3e38, 0.0, 3e38])), "indices.npy", ints(&[3, 3, 3]));
        assert!(refusal(try_read(&with(huge, "indptr.npy", ints(&[0, 3, 3, 3])))).contains("one is infinite"));
    }

    proptest! {
        #[test]
        fn no_lists_panic(
            format in prop::sample::select(vec!["csr", "csc", "coo", "bsr"]),
            shape in (0..5_i32, 0..5_i32),
            first in prop::collection::vec(-1..6_i32, 0..7),
            second in prop::collection::vec(-1..6_i32, 0..7),
            values in prop::collection::vec(any::<u8>(), 0..7),
            transpose: Option<bool>,
        ) {
            let parts = vec![
                ("format.npy", npy("|S3", &[], format.as_bytes())),
                ("shape.npy", ints(&[shape.0, shape.1])),
                ("data.npy", bytes(&values)),
                ("indptr.npy", ints(&first)),
                ("row.npy", ints(&first)),
                ("indices.npy", ints(&second)),
                ("col.npy", ints(&second)),
            ];
            if let Ok(raw) = read_as(&[archive(&parts)], &Reading { transpose, ..Reading::default() }) {
                let values = &pictures(&raw).values;
                prop_assert_eq!(values.len(), (shape.0 * shape.1) as usize);
            }
        }

        #[test]
        fn it_is_the_sum_of_its_values(entries in prop::collection::vec((0..4_i32, 0..5_i32, 0..9_u8), 0..12)) {
            let part = |of: fn(&(i32, i32, u8)) -> i32| ints(&entries.iter().map(of).collect::<Vec<_>>());
            let values: Vec<u8> = entries.iter().map(|entry| entry.2).collect();
            let coo = vec![
                ("row.npy", part(|entry| entry.0)),
                ("col.npy", part(|entry| entry.1)),
                ("format.npy", npy("|S3", &[], b"coo")),
                ("shape.npy", ints(&[4, 5])),
                ("data.npy", bytes(&values)),
            ];
            let mut dense = vec![0; 20];
            entries.iter().for_each(|&(row, column, value)| dense[(5 * row + column) as usize] += value);
            let raw = try_read(&coo).unwrap();
            prop_assert_eq!(&pictures(&raw).values, &Values::Bytes(dense));
        }
    }
}
