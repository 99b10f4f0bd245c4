//! Text fields, and how numbers are read.

use super::number::{decimal, sizes};
use dbm_core::words::Label;
use leptos::prelude::*;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// A whole number in a range; otherwise what is expected, in words.
pub fn whole<T: FromStr + PartialOrd + Display>(text: &str, range: &RangeInclusive<T>) -> Result<T, String> {
    let number = text.trim().parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| format!("A whole number from {} to {} is expected.", range.start(), range.end()))
}

/// A number in a range, with a point or a comma; otherwise what is expected, in words.
pub fn number(text: &str, range: &RangeInclusive<f64>) -> Result<f64, String> {
    let number = decimal(&text.replace('−', "-").replace(',', ".")).filter(|number| range.contains(number));
    number.ok_or_else(|| format!("A number from {} to {} is expected.", range.start(), range.end()).replace('-', "−"))
}

/// Layer sizes with at most this many units in all; otherwise what is expected, in words.
pub fn layers(text: &str, most: u32, example: &str) -> Result<Vec<u32>, String> {
    sizes(text, most).ok_or_else(|| {
        format!("Two layer sizes or more are expected, the visible one first, as in {example}: at most {most} units in all.")
    })
}

/// A labelled field, with its problem shown below.
#[component]
#[expect(clippy::fn_params_excessive_bools, reason = "each is a word of its own where the field is made")]
pub fn TextField(
    /// The element's id.
    #[prop(into)]
    id: String,
    /// Its label and help. The hint is added to the help.
    words: Label,
    /// Shown below while there is no problem.
    #[prop(optional, into)]
    hint: Option<Signal<String>>,
    /// The text in it.
    #[prop(into)]
    value: Signal<String>,
    /// The problem with it.
    #[prop(optional, into)]
    problem: Signal<Option<String>>,
    /// Applies what the visitor types, letter by letter or, if `late`, when the field loses the focus. An error says what is
    /// expected instead, and the old value stays.
    #[prop(into)]
    on_type: Callback<String, Result<(), String>>,
    /// Whether the text is applied only when the field loses the focus.
    #[prop(optional)]
    late: bool,
    /// Whether letters are expected, and not just a number.
    #[prop(optional)]
    letters: bool,
    /// Whether it fills the whole row.
    #[prop(optional)]
    wide: bool,
    /// Whether only the label shows the help.
    #[prop(optional)]
    quiet: bool,
    /// Whether it is marked as different from what it is compared with.
    #[prop(optional, into)]
    differs: Signal<bool>,
    /// Whether it is disabled.
    #[prop(optional, into)]
    disabled: Signal<bool>,
) -> impl IntoView {
    let note = format!("{id}-note");
    let refused = RwSignal::new(None);
    Effect::new(move |_| {
        value.track();
        refused.set(None);
    });
    let problem = move || refused.get().or_else(|| problem.get());
    let is_wrong = move || problem().is_some();
    let heard = move |event, now: bool| {
        if now {
            refused.set(on_type.run(event_target_value(&event)).err());
        }
    };
    let hint = move || hint.map(|hint| hint.get()).unwrap_or_default();
    let help = format!("{} {}", words.help, words.hint).trim_end().to_string();
    view! {
        <div class="field" class:wide=wide class:differs=move || differs.get() data-help=(!quiet).then(|| help.clone())>
            <label for=id.clone() data-help=quiet.then(|| help.clone())>
                {words.label}
            </label>
            <input
                id=id
                type="text"
                inputmode=if letters { "text" } else { "decimal" }
                autocomplete="off"
                spellcheck="false"
                disabled=move || disabled.get()
                prop:value=move || value.get()
                aria-invalid=move || is_wrong().to_string()
                aria-describedby=note.clone()
                on:input=move |event| heard(event, !late)
                on:change=move |event| heard(event, late)
            />
            <p id=note class="help" class:problem=is_wrong aria-live="polite">
                {move || problem().unwrap_or_else(hint)}
            </p>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_their_range_or_refused_with_words() {
        assert_eq!((whole(" 7 ", &(1..=9)), whole("0", &(0..=u64::MAX))), (Ok(7_u32), Ok(0)));
        assert_eq!(whole::<u32>("10", &(1..=9)), Err("A whole number from 1 to 9 is expected.".into()));
        assert_eq!((number("−1,25", &(-5.0..=5.0)), number("3", &(0.0..=3.0))), (Ok(-1.25), Ok(3.0)));
        assert_eq!(number("wide", &(-5.0..=5.0)), Err("A number from −5 to 5 is expected.".into()));
    }
}
