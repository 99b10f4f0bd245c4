//! Text in the encodings that tables come in: decoded, and encoded again without loss.

use crate::DataError;
use chardetng::EncodingDetector;
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use std::io::{self, Write};

/// An encoding, and whether the text begins with its byte order mark.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TextCoding {
    encoding: &'static Encoding,
    mark: bool,
}

impl TextCoding {
    pub fn utf8(mark: bool) -> Self {
        Self { encoding: UTF_8, mark }
    }

    /// Its name in the WHATWG Encoding Standard.
    pub fn name(self) -> &'static str {
        self.encoding.name()
    }

    /// The byte order mark, if the text has one.
    pub fn mark(self) -> &'static [u8] {
        match self.encoding {
            _ if !self.mark => b"",
            encoding if encoding == UTF_16LE => b"\xff\xfe",
            encoding if encoding == UTF_16BE => b"\xfe\xff",
            _ => b"\xef\xbb\xbf",
        }
    }

    /// Writes a piece of the text. What the encoding lacks cannot occur: a text holds only what was decoded.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(self, out: &mut impl Write, text: &str) -> io::Result<()> {
        if self.encoding == UTF_16LE || self.encoding == UTF_16BE {
            let order = if self.encoding == UTF_16LE { u16::to_le_bytes } else { u16::to_be_bytes };
            return text.encode_utf16().try_for_each(|unit| out.write_all(&order(unit)));
        }
        out.write_all(&self.encoding.encode(text).0)
    }

    /// The text, if it is in this encoding, and every byte comes back when it is encoded again.
    fn decode(self, bytes: &[u8]) -> Option<String> {
        let text = self.encoding.decode_without_bom_handling_and_without_replacement(&bytes[self.mark().len()..])?.into_owned();
        if self.encoding == UTF_8 {
            return Some(text);
        }
        let mut again = self.mark().to_vec();
        let written = self.write(&mut again, &text);
        (written.is_ok() && again == bytes).then_some(text)
    }
}

/// The text without its byte order mark, and its encoding: as asked for; or by the mark; UTF-16 if every other byte of the beginning is
/// zero; UTF-8 if it is valid; else what `chardetng` guesses, with a note.
///
/// # Errors
/// [`DataError::Unrecognized`] if it is not text; [`DataError::OutOfRange`] for an encoding that is unknown, and [`DataError::Format`] if
/// the text is not in the encoding that was asked for.
pub(crate) fn decode(
    name: &str,
    bytes: &[u8],
    asked: Option<&str>,
    notes: &mut Vec<String>,
) -> Result<(String, TextCoding), DataError> {
    if let Some(label) = asked {
        let encoding = Encoding::for_label(label.as_bytes())
            .ok_or_else(|| DataError::out_of_range("the encoding", "a name such as UTF-8, windows-1252 or ISO-8859-2", &label))?;
        let mark = Encoding::for_bom(bytes).is_some_and(|(of_mark, _)| of_mark == encoding);
        let coding = TextCoding { encoding, mark };
        let refuse = || {
            let got = "it holds bytes that this encoding has no letters for";
            DataError::format(name, format!("text in {}", encoding.name()), got, "choose another encoding")
        };
        return Ok((coding.decode(bytes).ok_or_else(refuse)?, coding));
    }
    let refuse = |at: usize| {
        let looks_like = format!("it begins as text, but is not text from byte {at} on");
        DataError::Unrecognized { name: name.into(), looks_like }
    };
    let (encoding, mark) = match Encoding::for_bom(bytes) {
        Some((encoding, _)) => (Some(encoding), true),
        None => (wide(bytes), false),
    };
    if let Some(encoding) = encoding {
        let coding = TextCoding { encoding, mark };
        let text =
            coding.decode(bytes).ok_or_else(|| refuse(valid(&bytes[coding.mark().len()..], encoding) + coding.mark().len()))?;
        return match text.chars().position(|c| c.is_ascii() && is_binary(c as u8) && c != '\u{1a}') {
            Some(at) => Err(refuse(at)),
            None => Ok((text, coding)),
        };
    }
    let end = bytes.len() - padding(bytes);
    if let Some(at) = bytes[..end].iter().position(|&byte| is_binary(byte)) {
        return Err(refuse(at));
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Ok((text.into(), TextCoding::utf8(false)));
    }
    let mut detector = EncodingDetector::new();
    detector.feed(bytes, true);
    let guess = TextCoding { encoding: detector.guess(None, false), mark: false };
    let western = TextCoding { encoding: WINDOWS_1252, mark: false };
    let (text, coding) =
        [guess, western].into_iter().find_map(|coding| Some((coding.decode(bytes)?, coding))).ok_or_else(|| refuse(0))?;
    let at = valid(bytes, UTF_8);
    notes.push(format!("{name} is not UTF-8 (from byte {at} on) and was read as {}: check letters with accents.", coding.name()));
    Ok((text, coding))
}

/// Whether this byte occurs in no kind of text.
pub(crate) fn is_binary(byte: u8) -> bool {
    matches!(byte, 0..=8 | 0x0b | 0x0e..=0x1f | 0x7f)
}

/// UTF-16 without a mark, if every other byte of the beginning is zero and the bytes between are not.
pub(crate) fn wide(bytes: &[u8]) -> Option<&'static Encoding> {
    const LOOK: usize = 1024;
    let pairs = bytes[..bytes.len().min(LOOK)].as_chunks::<2>().0;
    if pairs.len() < 4 || !bytes.len().is_multiple_of(2) && bytes.len() <= LOOK {
        return None;
    }
    let zeros = |place: usize| pairs.iter().filter(|pair| pair[place] == 0).count();
    let most = |place: usize| 10 * zeros(place) >= 7 * pairs.len() && zeros(1 - place) == 0;
    if most(1) { Some(UTF_16LE) } else { most(0).then_some(UTF_16BE) }
}

/// Bytes at the end that are no text and no harm: DOS's Ctrl-Z, and zeros that fill a block.
pub(crate) fn padding(bytes: &[u8]) -> usize {
    bytes.iter().rev().take_while(|&&byte| matches!(byte, 0x1a | 0)).count()
}

/// How many bytes are valid.
fn valid(bytes: &[u8], encoding: &'static Encoding) -> usize {
    if encoding == UTF_8 { std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len) } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(bytes: &[u8]) -> (String, TextCoding, Vec<String>) {
        let mut notes = Vec::new();
        let (text, coding) = decode("x", bytes, None, &mut notes).unwrap();
        (text, coding, notes)
    }

    fn again(text: &str, coding: TextCoding) -> Vec<u8> {
        let mut bytes = coding.mark().to_vec();
        coding.write(&mut bytes, text).unwrap();
        bytes
    }

    #[test]
    fn encodings_are_known_by_mark_by_zeros_and_by_their_letters() {
        let text = "größe,1\nklein,2\n";
        let wide =
            |mark: &[u8], split: fn(u16) -> [u8; 2]| [mark, &text.encode_utf16().flat_map(split).collect::<Vec<_>>()].concat();
        let cases = [
            (text.as_bytes().to_vec(), "UTF-8"),
            ([b"\xef\xbb\xbf", text.as_bytes()].concat(), "UTF-8"),
            (wide(&[0xff, 0xfe], u16::to_le_bytes), "UTF-16LE"),
            (wide(&[0xfe, 0xff], u16::to_be_bytes), "UTF-16BE"),
            (wide(&[], u16::to_le_bytes), "UTF-16LE"),
            (wide(&[], u16::to_be_bytes), "UTF-16BE"),
        ];
        for (bytes, expected) in cases {
            let (read, coding, notes) = read(&bytes);
            assert_eq!((read.as_str(), coding.name(), notes.len()), (text, expected, 0));
            assert_eq!(again(text, coding), bytes);
        }
        let (read, coding, notes) = read(b"gr\xf6\xdfe,1\nEuro,5 \x80\n");
        assert_eq!((read.as_str(), coding.name()), ("größe,1\nEuro,5 €\n", "windows-1252"));
        assert!(notes[0].contains("windows-1252"), "{notes:?}");
    }

    #[test]
    fn an_encoding_can_be_asked_for() {
        let polish = "Łódź;żółty\n";
        let bytes = encoding_rs::ISO_8859_2.encode(polish).0.into_owned();
        let asked = |label: &str| decode("x", &bytes, Some(label), &mut Vec::new());
        assert_eq!(asked("latin2").unwrap().0, polish);
        assert!(asked("utf-8").unwrap_err().to_string().contains("text in UTF-8"));
        assert!(asked("klingon").unwrap_err().to_string().contains("the encoding should be a name"));
        assert_eq!(decode("x", "a;b\n1;2\n\u{1a}".as_bytes(), None, &mut Vec::new()).unwrap().0, "a;b\n1;2\n\u{1a}");
    }

    proptest! {
        #[test]
        fn every_byte_comes_back(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            if let Ok((text, coding)) = decode("x", &bytes, None, &mut Vec::new()) {
                prop_assert_eq!(again(&text, coding), bytes);
            }
        }
    }
}
