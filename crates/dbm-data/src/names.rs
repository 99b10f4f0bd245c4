//! File names that are safe to show: the visitor's system, or whoever packed an archive, can have given a file any name.

/// Number of characters shown; a longer name is cut to its beginning and end.
pub(crate) const MAX_SHOWN: usize = 80;

/// The name as one short line: control characters, and those that change the writing direction, become the replacement character.
///
/// Every name passes through here once, on input; errors and notes contain nothing else.
pub(crate) fn shown(name: &str) -> String {
    line(name, MAX_SHOWN)
}

/// Any foreign text, as one line of at most this many characters.
pub(crate) fn line(name: &str, most: usize) -> String {
    let tame = |c: char| if c.is_control() || is_formatting(c) { '\u{fffd}' } else { c };
    let ending = most / 2 - 1;
    // A hostile name can be megabytes long: it is read from both ends, never copied.
    if name.chars().nth(most).is_none() {
        return name.chars().map(tame).collect();
    }
    let mut last: Vec<char> = name.chars().rev().take(ending).map(tame).collect();
    last.reverse();
    name.chars().take(most / 2).map(tame).chain(['…']).chain(last).collect()
}

fn is_formatting(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// The name without its folders.
pub(crate) fn base(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}

/// The name of the folder that a file is in, if it is in one.
pub(crate) fn folder(name: &str) -> Option<&str> {
    let mut parts = name.rsplit(['/', '\\']).filter(|part| !part.is_empty());
    parts.next()?;
    parts.next()
}

/// Whether it is a system artefact: `__MACOSX`, `.DS_Store` and other hidden files, `Thumbs.db`.
pub(crate) fn is_junk(name: &str) -> bool {
    let file = base(name);
    let hidden = file.starts_with('.') && file.len() > 1;
    name.split(['/', '\\']).any(|part| part == "__MACOSX") || hidden || ["Thumbs.db", "desktop.ini"].contains(&file)
}

/// Natural order: `2.png` before `10.png`.
pub(crate) fn natural(a: &str, b: &str) -> std::cmp::Ordering {
    let (mut left, mut right) = (a, b);
    loop {
        let (number, other) = (digits(left), digits(right));
        if !number.is_empty() && !other.is_empty() {
            let (value, against) = (number.trim_start_matches('0'), other.trim_start_matches('0'));
            let order = value.len().cmp(&against.len()).then_with(|| value.cmp(against));
            if order.is_ne() {
                return order;
            }
            (left, right) = (&left[number.len()..], &right[other.len()..]);
            continue;
        }
        match (left.chars().next(), right.chars().next()) {
            (Some(c), Some(d)) if c == d => (left, right) = (&left[c.len_utf8()..], &right[d.len_utf8()..]),
            (Some(c), Some(d)) => return c.cmp(&d),
            // Names that differ only in leading zeros still have an order.
            (None, None) => return a.cmp(b),
            (left, right) => return left.cmp(&right),
        }
    }
}

fn digits(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    &text[..end]
}

/// A few of many names, for a note: `a, b, c and 7 more`.
pub(crate) fn few<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    const FEW: usize = 3;
    let names: Vec<&str> = names.into_iter().collect();
    let some = names.iter().take(FEW).copied().collect::<Vec<_>>().join(", ");
    if names.len() > FEW { format!("{some} and {} more", names.len() - FEW) } else { some }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn hostile_names_are_tamed() {
        assert_eq!(shown("../../etc/passwd"), "../../etc/passwd");
        assert_eq!(shown("a\nb\u{202e}gnp.exe\0"), "a\u{fffd}b\u{fffd}gnp.exe\u{fffd}");
        let long = shown(&format!("{}png", "x".repeat(100_000)));
        assert_eq!(long.chars().count(), MAX_SHOWN);
        assert!(long.contains('…') && long.ends_with("xxpng"));
    }

    #[test]
    fn names_are_taken_apart() {
        assert_eq!((base("a/b\\c.png"), folder("a/b/c.png"), folder("c.png")), ("c.png", Some("b"), None));
        for junk in ["__MACOSX/a/._1.png", "a/.DS_Store", "Thumbs.db"] {
            assert!(is_junk(junk), "{junk}");
        }
        assert!(!is_junk("a/1.png"));
        assert_eq!(few(["a", "b", "c", "d"]), "a, b, c and 1 more");
    }

    #[test]
    fn numbers_in_names_count() {
        let mut names = ["b1", "a10", "a2", "a02", "a", "a1b"];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(names, ["a", "a1b", "a02", "a2", "a10", "b1"]);
    }

    proptest! {
        #[test]
        fn the_order_is_one(a in "[a0-2é]{0,5}", b in "[a0-2é]{0,5}", c in "[a0-2é]{0,5}") {
            prop_assert_eq!(natural(&a, &b), natural(&b, &a).reverse());
            prop_assert!(natural(&a, &b).is_gt() || natural(&b, &c).is_gt() || natural(&a, &c).is_le());
            prop_assert_eq!(natural(&a, &b).is_eq(), a == b);
        }

        #[test]
        fn every_name_can_be_shown(name: String) {
            prop_assert!(shown(&name).chars().count() <= MAX_SHOWN && !shown(&name).contains(char::is_control));
        }
    }
}
