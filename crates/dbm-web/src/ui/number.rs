//! Numbers as visitors type and read them.

/// A finite number in decimals, with or without an exponent; `None` for any other text. The browser parses it: std's parser
/// brings a table of ten kilobytes that no server can compress.
pub fn decimal(text: &str) -> Option<f64> {
    let text = text.trim();
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    if plain { read(text).filter(|x| x.is_finite()) } else { None }
}

#[cfg(target_arch = "wasm32")]
fn read(text: &str) -> Option<f64> {
    f64::try_from(wasm_bindgen::JsValue::from_str(text)).ok()
}

/// In tests, which have no browser.
#[cfg(not(target_arch = "wasm32"))]
fn read(text: &str) -> Option<f64> {
    text.parse().ok()
}

/// Joins items, with something between each two.
pub fn listed<T: ToString>(all: impl IntoIterator<Item = T>, between: &str) -> String {
    all.into_iter().map(|one| one.to_string()).collect::<Vec<_>>().join(between)
}

/// Two or more layer sizes of at least one unit each, with at most this many units in all, as in `4-3-2`.
pub fn sizes(text: &str, most: u32) -> Option<Vec<u32>> {
    let parts = text.split(['-', '–', ',', ' ']).filter(|part| !part.is_empty());
    let sizes: Vec<u32> = parts.map(|part| part.parse().ok().filter(|size| (1..=most).contains(size))).collect::<Option<_>>()?;
    (sizes.len() >= 2 && sizes.iter().sum::<u32>() <= most).then_some(sizes)
}

/// A number as a subscript: `₁₂`.
pub fn subscript(number: usize) -> String {
    number.to_string().bytes().filter_map(|digit| char::from_u32('₀' as u32 + u32::from(digit - b'0'))).collect()
}

#[cfg(test)]
mod tests {
    use super::{decimal, listed, sizes, subscript};

    #[test]
    fn numbers_are_listed_and_lowered() {
        assert_eq!(
            (sizes("25-3-1", 29), sizes(" 4, 3 ", 7), subscript(120)),
            (Some(vec![25, 3, 1]), Some(vec![4, 3]), "₁₂₀".into())
        );
        for text in ["", "4", "0-3", "40-25", "4-x", "-", "4294967295-4294967295"] {
            assert_eq!(sizes(text, 64), None, "{text}");
        }
        assert_eq!(listed([25, 3, 1], "-"), "25-3-1");
    }

    #[test]
    fn decimals_are_numbers_and_nothing_else_is() {
        assert_eq!(["0.001", " 5 ", "1e-3", "-.5"].map(decimal), [Some(0.001), Some(5.0), Some(0.001), Some(-0.5)]);
        assert!(
            ["", " ", "inf", "NaN", "0x10", "1_000", "1,5", "1e999", "e", "-", "1-2"].map(decimal).iter().all(Option::is_none)
        );
    }
}
