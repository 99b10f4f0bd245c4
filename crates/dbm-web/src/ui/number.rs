//! Numbers as visitors type them, read by the browser: std's reader brings a table of ten kilobytes that no server can compress.

/// A finite number in decimals, with or without an exponent; nothing for any other text.
pub fn decimal(text: &str) -> Option<f64> {
    let text = text.trim();
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    if plain { read(text).filter(|x| x.is_finite()) } else { None }
}

#[cfg(target_arch = "wasm32")]
fn read(text: &str) -> Option<f64> {
    f64::try_from(wasm_bindgen::JsValue::from_str(text)).ok()
}

/// In tests, where there is no browser.
#[cfg(not(target_arch = "wasm32"))]
fn read(text: &str) -> Option<f64> {
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::decimal;

    #[test]
    fn decimals_are_numbers_and_nothing_else_is() {
        assert_eq!(["0.001", " 5 ", "1e-3", "-.5"].map(decimal), [Some(0.001), Some(5.0), Some(0.001), Some(-0.5)]);
        assert!(
            ["", " ", "inf", "NaN", "0x10", "1_000", "1,5", "1e999", "e", "-", "1-2"].map(decimal).iter().all(Option::is_none)
        );
    }
}
