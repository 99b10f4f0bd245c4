//! The meaning of one cell's text: missing, a number, one of two words.

/// Two words for low and high, in lower case.
const PAIRS: [(&str, &str); 6] = [("false", "true"), ("no", "yes"), ("n", "y"), ("f", "t"), ("off", "on"), ("-", "+")];

/// Words that survey programs, databases and spreadsheets write for a missing value, in lower case, and that may also be meant.
const SUSPECTS: [&str; 26] = [
    ".",
    "..",
    "--",
    "---",
    "*",
    "\\n",
    "na",
    "n.a.",
    "nil",
    "none",
    "unknown",
    "missing",
    "unk",
    "not known",
    "not available",
    "not applicable",
    "no answer",
    "refused",
    "don't know",
    "undefined",
    "(blank)",
    "#n/a!",
    "#div/0!",
    "#value!",
    "#ref!",
    "#name?",
];

/// Numbers that survey programs write for a missing value.
const CODES: [f64; 12] = [-9.0, -8.0, -7.0, -77.0, -88.0, -99.0, -999.0, -9999.0, 9.0, 99.0, 999.0, 9999.0];

/// Whether this text, trimmed, stands for a missing value unless its column speaks against it.
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

/// Whether this text often stands for a missing value, but can be meant.
pub fn is_suspect(cell: &str) -> bool {
    cell.len() <= 14 && SUSPECTS.iter().any(|word| cell.eq_ignore_ascii_case(word))
}

/// Whether this number often stands for a missing value.
pub fn is_code(value: f64) -> bool {
    CODES.contains(&value)
}

/// Parses a number, including infinite ones, with `.` or `,` as its decimal mark; groups of three digits may be separated by the other
/// mark, an apostrophe or a blank.
pub fn number(cell: &str, decimal: char) -> Option<f64> {
    match cell.as_bytes() {
        [b'0'] => return Some(0.0),
        [b'1'] => return Some(1.0),
        // No number starts with a letter, except the infinite ones.
        [b'+' | b'-' | b'.' | b',' | b'0'..=b'9' | b'i' | b'I', ..] => {}
        _ => return None,
    }
    let plain = |text: &str| text.parse().ok().filter(|value: &f64| !value.is_nan());
    if decimal != ',' && !cell.bytes().any(|byte| matches!(byte, b',' | b'\'' | b' ') || byte >= 0x80) {
        return plain(cell);
    }
    let (whole, rest) = cell.split_once(decimal).map_or((cell, None), |(whole, rest)| (whole, Some(rest)));
    let Some(whole) = ungrouped(whole, decimal) else {
        // A decimal point among decimal commas.
        return if decimal == ',' && rest.is_none() { plain(cell) } else { None };
    };
    match rest {
        Some(rest) if rest.contains([',', '.']) => None,
        Some(rest) => plain(&format!("{whole}.{rest}")),
        None => plain(&whole),
    }
}

/// Digits without the marks between groups of three.
fn ungrouped(whole: &str, decimal: char) -> Option<String> {
    let is_mark = |c: char| c != decimal && matches!(c, ',' | '.' | '\'' | ' ' | '\u{a0}' | '\u{202f}' | '\u{2019}');
    let Some(mark) = whole.chars().find(|&c| is_mark(c)) else { return Some(whole.into()) };
    let unsigned = whole.trim_start_matches(['+', '-']);
    let mut groups = unsigned.split(mark);
    let digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    let first = groups.next().is_some_and(|group| (1..=3).contains(&group.len()) && digits(group));
    (first && groups.all(|group| group.len() == 3 && digits(group))).then(|| whole.chars().filter(|&c| c != mark).collect())
}

/// Whether the marks in this number say which one is decimal: `1,5` and `1.234,5` say a comma.
pub fn decimal_mark(cell: &str) -> Option<char> {
    let allowed = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b',' | b'+' | b'-');
    if !cell.bytes().all(allowed) || !cell.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let last = cell.rfind([',', '.'])?;
    let mark = if cell.as_bytes()[last] == b',' { ',' } else { '.' };
    let before = &cell[..last];
    let alone = !before.contains(mark);
    let three = cell.len() - last == 4 && (1..=3).contains(&before.trim_start_matches(['+', '-']).len());
    // `1,234` may be a group: it says nothing.
    (alone && (!three || before.starts_with('0') || before.contains([',', '.']))).then_some(mark)
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

/// The text without differences of case and of blanks, to find spellings of one word.
pub fn folded(cell: &str) -> String {
    cell.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// A cell cut to what fits in a message.
pub fn shown(cell: &str) -> String {
    crate::names::line(cell, 40)
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
        assert!(["\\N", "Unknown", ".", "na", "#DIV/0!"].iter().all(|cell| is_suspect(cell)) && !is_suspect("no"));
        assert_eq!([word("TRUE"), word("f"), word("maybe")], [Some((0, true)), Some((3, false)), None]);
        assert_eq!([other_word(1, "YES", false), other_word(1, "Yes", false), other_word(3, "T", false)], ["NO", "No", "F"]);
        assert_eq!(other_number(0.0, "0.0"), Some(("0.0".into(), "1.0".into())));
        assert_eq!(other_number(-1.0, "-1"), Some(("-1".into(), "1".into())));
        assert_eq!(shown(&"é".repeat(50)).chars().count(), 40);
        assert_eq!(folded(" New  york"), folded("New York "));
    }

    #[test]
    fn numbers_of_both_halves_of_the_world() {
        let point = |cell| number(cell, '.');
        let comma = |cell| number(cell, ',');
        assert_eq!([point("1.50"), comma("1,5"), comma("-,5"), comma("2")], [Some(1.5), Some(1.5), Some(-0.5), Some(2.0)]);
        assert_eq!([point("1e3"), point("inf"), point("+7")], [Some(1e3), Some(f64::INFINITY), Some(7.0)]);
        assert_eq!(
            [point("1,234"), point("-1,234,567.5"), point("1'234"), point("1 234")],
            [Some(1234.0), Some(-1_234_567.5), Some(1234.0), Some(1234.0)]
        );
        assert_eq!([comma("1.234,5"), comma("12\u{a0}345"), comma("1.5")], [Some(1234.5), Some(12345.0), Some(1.5)]);
        for cell in ["1,5", "x", "nan", "0x1", "1 2", "1_000", "--1", "e5", "³", "1,23,456", "1,234,5", ",,"] {
            assert_eq!(point(cell), None, "{cell:?}");
        }
        assert_eq!(
            [decimal_mark("1,5"), decimal_mark("1.5"), decimal_mark("1.234,5"), decimal_mark("0,125")],
            [Some(','), Some('.'), Some(','), Some(',')]
        );
        assert_eq!([decimal_mark("1,234"), decimal_mark("1,234,567"), decimal_mark("a,b"), decimal_mark("12")], [None; 4]);
    }
}
