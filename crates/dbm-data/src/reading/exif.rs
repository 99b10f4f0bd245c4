//! The orientation that a camera noted in a picture: the one tag that is read of EXIF data.

use super::orientation::Orientation;

/// The tag of the orientation.
const ORIENTATION: u32 = 0x0112;

/// What brings the picture upright, from EXIF data as JPEG and PNG hold them: a TIFF header and directories, of which the first describes
/// the picture. `None` if it says nothing, or nothing that can be understood.
pub(crate) fn orientation(exif: &[u8]) -> Option<Orientation> {
    // Some programs keep JPEG's own mark before the data.
    let exif = exif.strip_prefix(b"Exif\0\0").unwrap_or(exif);
    let big_endian = match exif {
        [b'M', b'M', 0, 42, ..] => true,
        [b'I', b'I', 42, 0, ..] => false,
        _ => return None,
    };
    let number = |bytes: &[u8]| {
        let join = |all: u32, &byte: &u8| all << 8 | u32::from(byte);
        if big_endian { bytes.iter().fold(0, join) } else { bytes.iter().rev().fold(0, join) }
    };
    let directory = exif.get(number(exif.get(4..8)?) as usize..)?;
    let count = number(directory.get(..2)?) as usize;
    let (entries, _) = directory[2..].as_chunks::<12>();
    // An entry is a tag, a type, the number of values, and the values if they fit into four bytes.
    let entry = entries.iter().take(count).find(|entry| number(&entry[..2]) == ORIENTATION)?;
    match number(&entry[2..4]) {
        3 => Orientation::of_exif(number(&entry[8..10])),
        4 => Orientation::of_exif(number(&entry[8..12])),
        _ => None,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// EXIF data that say an orientation, behind another tag.
    pub(crate) fn exif(number: u8, big_endian: bool) -> Vec<u8> {
        let entry = |tag: u16, value: u16| {
            let of = |value: u16| if big_endian { value.to_be_bytes() } else { value.to_le_bytes() };
            let one = if big_endian { [0, 0, 0, 1] } else { [1, 0, 0, 0] };
            [&of(tag)[..], &of(3), &one, &of(value), &[0, 0]].concat()
        };
        let head: &[u8] = if big_endian { b"MM\0\x2a\0\0\0\x08\0\x02" } else { b"II\x2a\0\x08\0\0\0\x02\0" };
        [head, &entry(0x0103, 6), &entry(0x0112, number.into()), &[0; 4]].concat()
    }

    #[test]
    fn either_order_of_bytes_is_read() {
        for big_endian in [false, true] {
            for number in 1..=8 {
                let expected = Orientation::of_exif(number.into());
                let data = exif(number, big_endian);
                assert_eq!((orientation(&data), expected.is_some()), (expected, true));
                assert_eq!(orientation(&[b"Exif\0\0", &data[..]].concat()), expected);
                assert_eq!(orientation(&data[..data.len() - 10]), None, "cut short");
            }
            assert_eq!((orientation(&exif(0, big_endian)), orientation(&exif(9, big_endian))), (None, None));
        }
        assert_eq!(orientation(b"MM\0\x2a\xff\xff\xff\xff"), None);
    }

    proptest! {
        #[test]
        fn no_bytes_panic(mut bytes: Vec<u8>, at: prop::sample::Index, byte: u8, big_endian: bool) {
            let _ = orientation(&bytes);
            bytes.splice(0..0, *b"II\x2a\0\x08\0\0\0");
            let _ = orientation(&bytes);
            let mut damaged = exif(6, big_endian);
            let at = at.index(damaged.len());
            damaged[at] = byte;
            let _ = orientation(&damaged);
        }
    }
}
