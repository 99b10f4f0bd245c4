//! The meaning of one cell's text: missing, a number, one of two words.

/// Two words for low and high, in lower case.
const PAIRS: [(&str, &str); 6] = [("false", "true"), ("no", "yes"), ("n", "y"), ("f", "t"), ("off", "on"), ("-", "+")];

/// Whether this text, trimmed, stands for a missing value, in a column where `-` does.
pub fn is_missing(cell: &str) -> bool {
    match cell.len() {
        0 => true,
        1 => matches!(cell, "?" | "-"),
        2..=4 => {
            matches!(cell, "NA" | "<NA>" | "#N/A" | "None")
                || ["n/a", "nan", "null"].iter().any(|word| cell.eq_ignore_ascii_case(word))
        }
        _ => false,
    }
}

/// Parses a number, including infinite ones; also with a decimal comma, if `comma` says that commas do not separate cells.
pub fn number(cell: &str, comma: bool) -> Option<f64> {
    match cell.as_bytes() {
        [b'0'] => return Some(0.0),
        [b'1'] => return Some(1.0),
        // No number starts with a letter, except the infinite ones.
        [b'+' | b'-' | b'.' | b',' | b'0'..=b'9' | b'i' | b'I', ..] => {}
        _ => return None,
    }
    let parsed = if comma && !cell.contains('.') && cell.bytes().filter(|&byte| byte == b',').count() == 1 {
        cell.replace(',', ".").parse()
    } else {
        cell.parse()
    };
    parsed.ok().filter(|value: &f64| !value.is_nan())
}

/// The pair of words that this belongs to, and whether it is the high one.
pub fn word(cell: &str) -> Option<(usize, bool)> {
    let of = |pair: &(&str, &str)| [pair.0, pair.1].iter().position(|word| cell.eq_ignore_ascii_case(word));
    PAIRS.iter().enumerate().find_map(|(at, pair)| Some((at, of(pair)? == 1)))
}

/// The other word of the pair, in the same case: `No` for `Yes`.
pub fn other_word(pair: usize, of: &str, high: bool) -> String {
    let word = if high { PAIRS[pair].1 } else { PAIRS[pair].0 };
    let upper = |c: char| c.is_ascii_uppercase();
    if of.chars().all(upper) {
        word.to_ascii_uppercase()
    } else if of.starts_with(upper) {
        word[..1].to_ascii_uppercase() + &word[1..]
    } else {
        word.into()
    }
}

/// Low and high, with the other number of 0 and 1, or of -1 and 1, in the same form if this one is written as `0` or `0.0`. `None` for
/// other numbers.
pub fn other_number(value: f64, text: &str) -> Option<(String, String)> {
    let short = if text.ends_with(".0") { ".0" } else { "" };
    let other = |digits: &str| format!("{digits}{short}");
    if value == 0.0 {
        Some((text.into(), other("1")))
    } else if value == 1.0 {
        Some((other("0"), text.into()))
    } else if value == -1.0 {
        Some((text.into(), other("1")))
    } else {
        None
    }
}

/// A cell cut to what fits in a message.
pub fn shown(cell: &str) -> String {
    const LONGEST: usize = 40;
    match cell.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &cell[..end]),
        None => cell.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_numbers_and_words() {
        for cell in ["", "?", "-", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "<NA>", "#N/A"] {
            assert!(is_missing(cell), "{cell:?}");
        }
        for cell in ["Na", "none", "NONE", "0", "n", "no", "nil", "--", "NA.", "N/AA"] {
            assert!(!is_missing(cell), "{cell:?}");
        }
        assert_eq!([number("1.50", false), number("1,5", true), number("-,5", true)], [Some(1.5), Some(1.5), Some(-0.5)]);
        assert_eq!(
            [number("1e3", false), number("inf", false), number("+7", false)],
            [Some(1e3), Some(f64::INFINITY), Some(7.0)]
        );
        for cell in ["1,5", "x", "nan", "0x1", "1 2", "1_000", "--1", "e5", "³"] {
            assert_eq!(number(cell, false), None, "{cell:?}");
        }
        assert_eq!([number("1,234,5", true), number("1.234,5", true)], [None; 2]);
        assert_eq!([word("TRUE"), word("f"), word("maybe")], [Some((0, true)), Some((3, false)), None]);
        assert_eq!([other_word(1, "YES", false), other_word(1, "Yes", false), other_word(3, "T", false)], ["NO", "No", "F"]);
        assert_eq!(other_number(0.0, "0.0"), Some(("0.0".into(), "1.0".into())));
        assert_eq!(other_number(-1.0, "-1"), Some(("-1".into(), "1".into())));
        assert_eq!(shown(&"é".repeat(50)).chars().count(), 41);
    }
}
