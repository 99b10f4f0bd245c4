//! Decodes text in the encodings that tables come in.

use super::format::is_binary;
use crate::DataError;
use std::borrow::Cow;

/// The text, with a note if the encoding had to be guessed: UTF-8, UTF-16 with its mark, or else Latin-1.
///
/// # Errors
/// [`DataError::Unrecognized`] if it is not text.
pub(crate) fn decode<'a>(name: &str, bytes: &'a [u8], notes: &mut Vec<String>) -> Result<Cow<'a, str>, DataError> {
    let refuse = |at: usize| {
        let looks_like = format!("it begins as text, but is not text from byte {at} on");
        DataError::Unrecognized { name: name.into(), looks_like }
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => return utf16(rest, u16::from_le_bytes).map(Cow::Owned).map_err(|at| refuse(2 + at)),
        [0xfe, 0xff, rest @ ..] => return utf16(rest, u16::from_be_bytes).map(Cow::Owned).map_err(|at| refuse(2 + at)),
        _ => {}
    }
    if let Some(at) = bytes.iter().position(|&byte| is_binary(byte)) {
        return Err(refuse(at));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(Cow::Borrowed(text)),
        Err(error) => {
            let at = error.valid_up_to();
            notes.push(format!("{name} is not UTF-8 (from byte {at} on) and was read as Latin-1: check letters with accents."));
            Ok(Cow::Owned(bytes.iter().map(|&byte| char::from(byte)).collect()))
        }
    }
}

/// The text, or the byte at which it stops being text.
fn utf16(bytes: &[u8], join: fn([u8; 2]) -> u16) -> Result<String, usize> {
    let (pairs, rest) = bytes.as_chunks();
    if !rest.is_empty() {
        return Err(bytes.len() - 1);
    }
    let mut text = String::with_capacity(bytes.len() / 2);
    let mut at = 0;
    for unit in char::decode_utf16(pairs.iter().map(|&pair| join(pair))) {
        match unit {
            Ok(c) if !(c.is_ascii() && is_binary(c as u8)) => {
                text.push(c);
                at += 2 * c.len_utf16();
            }
            _ => return Err(at),
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_encodings_are_read() {
        let mut notes = Vec::new();
        let text = "größe,1\n";
        let wide = |mark: [u8; 2], split: fn(u16) -> [u8; 2]| {
            [&mark[..], &text.encode_utf16().flat_map(split).collect::<Vec<_>>()].concat()
        };
        for bytes in [text.as_bytes().to_vec(), wide([0xff, 0xfe], u16::to_le_bytes), wide([0xfe, 0xff], u16::to_be_bytes)] {
            assert_eq!(decode("x", &bytes, &mut notes).unwrap(), text);
        }
        assert!(notes.is_empty());
        assert_eq!(decode("x", b"gr\xf6\xdfe,1\n", &mut notes).unwrap(), text);
        assert!(notes[0].contains("Latin-1"));
    }
}
