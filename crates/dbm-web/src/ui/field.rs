//! The settings of a form as texts: in a feature's state, in its address and in the fields that every form shows them in; and how numbers are read.

use super::binding::Keys;
use super::number::decimal;
use super::select::{Select, SelectOption};
use super::texts::rows;
use dbm_core::words::{Choose, Words, words};
use leptos::prelude::*;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Says what is expected where a text cannot be, for the visitor.
type Check = fn(&str) -> Result<(), String>;

/// A setting of a form, which is known by its text.
pub struct Entry {
    /// What it is called, and its key in the address.
    words: Words,
    usual: &'static str,
    check: Check,
    /// Whether it is typed: then a text that cannot be is kept, for the visitor to see what is wrong with it.
    is_typed: bool,
    /// The lines of its select, where it has one.
    options: Vec<SelectOption>,
}

impl Entry {
    /// Settings that are typed: a table of their keys, labels, usual texts and hover helps, and the check of each.
    pub fn typed(table: &'static str, checks: &[Check]) -> Vec<Self> {
        let entry = |([key, label, usual, help], check): ([&'static str; 4], &Check)| Self {
            words: words(key, label, help),
            is_typed: true,
            ..Self::plain(key, usual, *check)
        };
        rows(table).zip(checks).map(entry).collect()
    }

    /// A choice among the values of a type, under a key of the feature's own.
    pub fn choice<T: Choose>(key: &'static str, usual: T) -> Self {
        let check: Check = |name| T::named(name).map(|_| ()).ok_or_else(String::new);
        let options = SelectOption::of_choices::<T>();
        Self { words: Words { key, ..T::WORDS }, options, ..Self::plain(key, usual.choice().name, check) }
    }

    /// A setting that is neither typed nor selected.
    pub const fn plain(key: &'static str, usual: &'static str, check: Check) -> Self {
        Self { words: words(key, "", ""), usual, check, is_typed: false, options: Vec::new() }
    }
}

/// All settings of a form, each by the key of its entry.
#[derive(Clone)]
pub struct Texts {
    entries: &'static [Entry],
    texts: Vec<String>,
}

impl PartialEq for Texts {
    fn eq(&self, other: &Self) -> bool {
        self.texts == other.texts
    }
}

impl Texts {
    fn find(&self, key: &str) -> Option<(&'static Entry, usize)> {
        self.entries.iter().zip(0..).find(|(entry, _)| entry.words.key == key)
    }

    /// The text of a setting; empty where there is no such setting.
    pub fn get(&self, key: &str) -> &str {
        self.find(key).map_or("", |(_, place)| &self.texts[place])
    }

    /// Sets the text of a setting.
    pub fn set(&mut self, key: &str, text: impl Into<String>) {
        if let Some((_, place)) = self.find(key) {
            self.texts[place] = text.into();
        }
    }

    /// What is wrong with a setting, for the visitor.
    pub fn problem(&self, key: &str) -> Option<String> {
        self.find(key).and_then(|(entry, place)| (entry.check)(&self.texts[place]).err())
    }

    /// A number, where nothing is wrong with it.
    pub fn number<T: FromStr>(&self, key: &str) -> Option<T> {
        if self.problem(key).is_none() { self.get(key).trim().parse().ok() } else { None }
    }

    /// What is chosen.
    pub fn chosen<T: Choose>(&self, key: &str) -> T {
        T::named(self.get(key)).unwrap_or(T::CHOICES[0].value)
    }

    /// Writes what is not as by default; lists without spaces.
    pub fn write(&self, keys: &mut Keys) {
        for (entry, text) in self.entries.iter().zip(&self.texts) {
            let bare = |text: &str| text.trim().replace(", ", ",");
            keys.put_unless(entry.words.key, &bare(text), &bare(entry.usual));
        }
    }

    /// What the address has; as by default where it has nothing. Words that mean nothing are passed over; what is typed is left to the form, which says
    /// what is wrong with it.
    pub fn read(entries: &'static [Entry], keys: &Keys) -> Self {
        let text = |entry: &Entry| {
            let given = keys.get(entry.words.key).filter(|text| entry.is_typed || (entry.check)(text).is_ok());
            given.map_or_else(|| entry.usual.to_string(), |text| text.replace(", ", ",").replace(',', ", "))
        };
        Self { entries, texts: entries.iter().map(text).collect() }
    }
}

/// A form on the page: its settings, and what becomes of what the visitor makes of them.
#[derive(Clone, Copy)]
pub struct Form {
    /// Its settings as they are now.
    pub texts: RwSignal<Texts>,
    /// What is wrong with one of them.
    pub problem: fn(&Texts, &str) -> Option<String>,
    /// Takes up another text of one of them.
    pub change: Callback<(&'static str, String)>,
}

impl Form {
    /// The field of a setting that is typed; its id is that of the form, with the setting's place.
    pub fn field(self, id: &str, key: &'static str, letters: bool, wide: bool) -> impl IntoView + use<> {
        let Self { texts, problem, change } = self;
        texts.with_untracked(|all| all.find(key)).map(|(entry, place)| {
            view! {
                <TextField
                    id=format!("{id}-{place}")
                    words=entry.words
                    letters
                    wide
                    value=Signal::derive(move || texts.with(|texts| texts.get(key).to_string()))
                    problem=Memo::new(move |_| texts.with(|texts| problem(texts, key)))
                    on_type=move |text: String| change.run((key, text))
                />
            }
        })
    }

    /// The select of a setting that is a choice.
    pub fn select(self, id: &'static str, key: &'static str) -> impl IntoView + use<> {
        let Self { texts, change, .. } = self;
        texts.with_untracked(|all| all.find(key)).map(|(Entry { words, options, .. }, _)| {
            view! {
                <Select
                    id
                    label=words.label
                    help=words.help
                    options=options.clone()
                    value=Signal::derive(move || texts.with(|texts| texts.get(key).to_string()))
                    on_choose=move |name: String| change.run((key, name))
                />
            }
        })
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
#[expect(clippy::fn_params_excessive_bools, reason = "each is a word of its own where the field is made")]
pub fn TextField(
    /// The element's id.
    #[prop(into)]
    id: String,
    /// What it is called. The help is the longer for the hint.
    words: Words,
    /// What stands below while nothing is wrong.
    #[prop(optional, into)]
    hint: Option<Signal<String>>,
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
    /// Whether the help is shown at the label alone.
    #[prop(optional)]
    quiet: bool,
    /// Whether it is marked as another than what it is compared with.
    #[prop(optional, into)]
    differs: Signal<bool>,
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
                {move || problem.get().unwrap_or_else(hint)}
            </p>
        </div>
    }
}

/// A field whose text takes effect when it is left. What is refused is said below it, and what was in effect stays.
#[component]
pub fn LateField(
    /// The element's id.
    #[prop(into)]
    id: String,
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
    use dbm_core::Units;
    use std::sync::LazyLock;

    #[test]
    fn numbers_are_read_in_their_range_or_refused_with_words() {
        assert_eq!((whole(" 7 ", &(1..=9)), whole("0", &(0..=u64::MAX))), (Ok(7_u32), Ok(0)));
        assert_eq!(whole::<u32>("10", &(1..=9)), Err("A whole number from 1 to 9 is expected.".into()));
        assert_eq!((number("−1,25", &(-5.0..=5.0)), number("3", &(0.0..=3.0))), (Ok(-1.25), Ok(3.0)));
        assert_eq!(number("wide", &(-5.0..=5.0)), Err("A number from −5 to 5 is expected.".into()));
    }

    #[test]
    fn texts_that_are_not_as_by_default_travel_and_come_back() {
        static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
            let mut all =
                Entry::typed("d | D | 1, 2 | Help.\ne | E | 3", &[|_| Ok(()), |text| whole(text, &(1..=9)).map(|_: u32| ())]);
            all.push(Entry::choice("units", Units::Signs));
            all
        });
        let mut texts = Texts::read(&ENTRIES, &Keys::default());
        let written = |texts: &Texts| {
            let mut keys = Keys::default();
            texts.write(&mut keys);
            keys
        };
        assert!(written(&texts).is_empty());
        assert_eq!((texts.number("e"), texts.get("nothing")), (Some(3), ""));
        texts.set("d", "5, 25");
        assert_eq!(written(&texts).get("d"), Some("5,25"));
        assert!(Texts::read(&ENTRIES, &written(&texts)) == texts);
        // What is typed stays, and is refused with words; a choice that there is not is as by default.
        let texts = Texts::read(&ENTRIES, &[("e", "💥"), ("units", "💥")].into_iter().collect());
        assert_eq!((texts.get("e"), texts.number::<u32>("e"), texts.get("units")), ("💥", None, "signs"));
        assert!(texts.problem("e").is_some());
    }
}
