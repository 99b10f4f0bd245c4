//! Settings that are typed: their texts in a feature's state and address, the field that every form shows them in, and how numbers are read.

use super::binding::Keys;
use super::number::decimal;
use dbm_core::words::Words;
use leptos::prelude::*;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// A setting that is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Typed {
    /// What it is called.
    pub words: Words,
    /// What it is by default.
    pub usual: &'static str,
}

impl Typed {
    /// A setting without a hint below its field.
    pub const fn new(key: &'static str, label: &'static str, usual: &'static str, help: &'static str) -> Self {
        Self { words: Words { key, label, hint: "", help }, usual }
    }
}

/// What is typed for several settings, each by its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Texts<const N: usize> {
    settings: &'static [Typed; N],
    texts: [String; N],
}

impl<const N: usize> Texts<N> {
    /// What is typed.
    pub fn get(&self, place: usize) -> &str {
        &self.texts[place]
    }

    /// Types.
    pub fn set(&mut self, place: usize, text: impl Into<String>) {
        self.texts[place] = text.into();
    }

    /// Writes what is not as by default; lists without spaces.
    pub fn write(&self, keys: &mut Keys) {
        for (setting, text) in self.settings.iter().zip(&self.texts) {
            let bare = |text: &str| text.trim().replace(", ", ",");
            keys.put_unless(setting.words.key, &bare(text), &bare(setting.usual));
        }
    }

    /// What the address has; as by default where it has nothing.
    pub fn read(settings: &'static [Typed; N], keys: &Keys) -> Self {
        let text = |setting: &Typed| keys.get(setting.words.key).map(|text| text.replace(", ", ",").replace(',', ", "));
        Self { settings, texts: settings.map(|setting| text(&setting).unwrap_or_else(|| setting.usual.to_string())) }
    }
}

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

/// A labelled field, with what is wrong with it below.
#[component]
pub fn TextField(
    /// The element's id.
    #[prop(into)]
    id: String,
    /// What it is called; the hint stands below while nothing is wrong.
    words: Words,
    /// What is typed in it.
    #[prop(into)]
    value: Signal<String>,
    /// What is wrong with it.
    #[prop(into)]
    problem: Signal<Option<String>>,
    /// Hears what the visitor types, letter by letter or, where it is `late`, once the field is left.
    #[prop(into)]
    on_type: Callback<String>,
    /// Whether the visitor is heard when the field is left.
    #[prop(optional)]
    late: bool,
    /// Whether letters are expected, and not a number alone.
    #[prop(optional)]
    letters: bool,
    /// Whether it takes the whole row.
    #[prop(optional)]
    wide: bool,
    /// Whether it can be used.
    #[prop(optional, into)]
    disabled: Signal<bool>,
) -> impl IntoView {
    let note = format!("{id}-note");
    let is_wrong = move || problem.with(Option::is_some);
    let heard = move |event, now: bool| {
        if now {
            on_type.run(event_target_value(&event));
        }
    };
    view! {
        <div class="field" class:wide=wide data-help=words.help>
            <label for=id.clone()>{words.label}</label>
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
                {move || problem.get().unwrap_or_else(|| words.hint.to_string())}
            </p>
        </div>
    }
}

/// A field whose text takes effect when it is left. What is refused is said below it, and what was in effect stays.
#[component]
pub fn LateField(
    /// The element's id.
    id: &'static str,
    /// What it is called.
    words: Words,
    /// What is in effect.
    #[prop(into)]
    value: Signal<String>,
    /// Puts a text into effect, or says what is expected instead.
    #[prop(into)]
    take: Callback<String, Result<(), String>>,
    /// Whether it can be used.
    #[prop(optional, into)]
    disabled: Signal<bool>,
) -> impl IntoView {
    let problem = RwSignal::new(None);
    let typed = move |text: String| problem.set(take.run(text).err());
    Effect::new(move |_| {
        value.track();
        problem.set(None);
    });
    view! { <TextField id words value problem on_type=typed late=true disabled /> }
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

    #[test]
    fn texts_that_are_not_as_by_default_travel_and_come_back() {
        const SETTINGS: [Typed; 2] = [Typed::new("d", "D", "1, 2", ""), Typed::new("e", "E", "3", "")];
        let mut texts = Texts::read(&SETTINGS, &Keys::default());
        let written = |texts: &Texts<2>| {
            let mut keys = Keys::default();
            texts.write(&mut keys);
            keys
        };
        assert!(written(&texts).is_empty());
        texts.set(0, "5, 25");
        assert_eq!(written(&texts).get("d"), Some("5,25"));
        assert_eq!(Texts::read(&SETTINGS, &written(&texts)), texts);
    }
}
