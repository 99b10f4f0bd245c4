//! A feature's settings as a table of rows. Its fields, its part of the address and its error messages are made from the rows.

use super::binding::Keys;
use super::field::TextField;
use super::select::{Check, Select, SelectOption};
use dbm_core::settings::Line;
use dbm_core::words::{Choose, Label, words};
use leptos::prelude::*;

/// Settings that have a table. Default values are left out of the address.
pub trait Table: Clone + Default + PartialEq + Send + Sync + 'static {
    /// The rows in the order in which an address is read, typed ones first.
    const ROWS: &'static [Row<Self>];
}

/// One setting.
pub struct Row<S> {
    field: Field,
    /// The values to choose from.
    lines: fn() -> Vec<Line>,
    /// Whether the setting has an effect, if that depends on the others.
    applies: Option<fn(&S) -> bool>,
    /// The value as written in the address.
    text: fn(&S) -> String,
    /// Applies a text, or says what is expected.
    set: fn(&mut S, &str) -> Result<(), String>,
}

/// How a setting is shown.
#[derive(Clone, Copy)]
pub struct Field {
    /// Its label and help, and its key in the address.
    pub words: Label,
    /// How it is entered.
    pub input: Input,
    /// Whether it fills the whole line.
    pub wide: bool,
}

/// How a setting is entered.
#[derive(Clone, Copy)]
pub enum Input {
    /// A number is typed,
    Number,
    /// or text, which may be a list.
    Text,
    /// On or off, with the address's word for each.
    Switch(&'static str, &'static str),
    /// One of several values; this is the select's name in its id.
    Choice(&'static str),
}

/// The row of a number in a range, read by `whole` or `number`.
macro_rules! typed {
    ($read:ident, $range:expr, $($place:tt)+) => {
        $crate::ui::form::Row::new(
            $crate::ui::form::Input::Number,
            |settings: &Self| settings.$($place)+.to_string(),
            |settings: &mut Self, text| $crate::ui::field::$read(text, &($range)).map(|read| settings.$($place)+ = read),
        )
    };
}

/// The row of a switch, with the address's words for on and off.
macro_rules! switch {
    ($on:expr, $off:expr, $($place:tt)+) => {
        $crate::ui::form::Row::new(
            $crate::ui::form::Input::Switch($on, $off),
            |settings: &Self| if settings.$($place)+ { $on } else { $off }.into(),
            |settings: &mut Self, text| {
                if ![$on, $off].contains(&text) {
                    return Err(String::new());
                }
                settings.$($place)+ = text == $on;
                Ok(())
            },
        )
    };
}

/// The row of a choice among the values of a type, with the type's own words.
macro_rules! choice {
    ($type:ty, $($place:tt)+) => {
        $crate::ui::form::Row::new(
            $crate::ui::form::Input::Choice(<$type>::WORDS.key),
            |settings: &Self| settings.$($place)+.choice().name.into(),
            |settings: &mut Self, name| <$type>::named(name).map(|value| settings.$($place)+ = value).ok_or_else(String::new),
        )
        .called(<$type>::WORDS)
        .lines($crate::ui::form::lines::<$type>)
    };
}

pub(crate) use {choice, switch, typed};

/// The lines of a choice.
pub fn lines<T: Choose>() -> Vec<Line> {
    T::CHOICES.iter().map(|choice| Line { name: choice.name, label: choice.label, help: choice.help }).collect()
}

impl<S> Row<S> {
    /// A row without words yet.
    pub const fn new(input: Input, text: fn(&S) -> String, set: fn(&mut S, &str) -> Result<(), String>) -> Self {
        Self { field: Field { words: words("", "", ""), input, wide: false }, lines: Vec::new, applies: None, text, set }
    }

    /// The same row, with these lines to choose from.
    pub const fn lines(self, lines: fn() -> Vec<Line>) -> Self {
        Self { lines, ..self }
    }

    /// The same row, with these words.
    pub const fn called(self, words: Label) -> Self {
        Self { field: Field { words, ..self.field }, ..self }
    }

    /// The same row, with this key; without a label it gets no field.
    pub const fn key(self, key: &'static str) -> Self {
        let words = self.field.words;
        self.called(Label { key, ..words })
    }

    /// The same row, filling the whole line.
    pub const fn wide(self) -> Self {
        Self { field: Field { wide: true, ..self.field }, ..self }
    }

    /// The same row, with an effect only if this holds for the other settings.
    pub const fn when(self, applies: fn(&S) -> bool) -> Self {
        Self { applies: Some(applies), ..self }
    }
}

impl Field {
    /// Whether it is typed: then an invalid text is kept, so that the visitor sees what is wrong with it.
    fn is_typed(&self) -> bool {
        !self.words.label.is_empty() && matches!(self.input, Input::Number | Input::Text)
    }

    /// A text as the field shows it: lists get spaces.
    fn spaced(&self, text: &str) -> String {
        if matches!(self.input, Input::Text) { text.replace(", ", ",").replace(',', ", ") } else { text.into() }
    }
}

fn place<S: Table>(key: &str) -> Option<usize> {
    S::ROWS.iter().position(|row| row.field.words.key == key)
}

/// Writes the keys of values that differ from the default.
pub fn write<S: Table>(settings: &S, keys: &mut Keys) {
    Texts::of(settings).write(keys);
}

/// Reads an address; missing and invalid values become the default.
pub fn read<S: Table>(keys: &Keys) -> S {
    let mut settings = S::default();
    for row in S::ROWS {
        // Invalid values are ignored.
        let _ = keys.get(row.field.words.key).map(|text| (row.set)(&mut settings, text));
    }
    settings
}

/// Settings as they were typed, row by row, and what can be read from them.
#[derive(Clone, Debug, PartialEq)]
pub struct Texts<S> {
    texts: Vec<String>,
    /// What can be read; an invalid text leaves its setting unchanged.
    pub read: S,
}

impl<S: Table> Default for Texts<S> {
    fn default() -> Self {
        Self::of(&S::default())
    }
}

impl<S: Table> Texts<S> {
    /// The texts of these settings.
    pub fn of(settings: &S) -> Self {
        Self { texts: S::ROWS.iter().map(|row| row.field.spaced(&(row.text)(settings))).collect(), read: settings.clone() }
    }

    /// The texts of an address. An unknown choice is ignored; a typed text is left to the form, which says what is wrong with it.
    pub fn read(keys: &Keys) -> Self {
        let mut texts = Self::default();
        for (place, row) in S::ROWS.iter().enumerate() {
            let given = keys.get(row.field.words.key);
            if let Some(text) = given.filter(|text| row.field.is_typed() || (row.set)(&mut texts.read.clone(), text).is_ok()) {
                texts.put(place, row.field.spaced(text));
            }
        }
        texts
    }

    /// Copies the texts of an address into a feature's state if they differ; `before` is called first.
    pub fn adopt(state: RwSignal<Self>, keys: &Keys, before: impl FnOnce()) -> bool {
        let texts = Self::read(keys);
        let is_new = state.with_untracked(|present| *present != texts);
        if is_new {
            before();
            state.set(texts);
        }
        is_new
    }

    /// Types or chooses another value.
    pub fn set(&mut self, key: &str, text: impl Into<String>) {
        if let Some(place) = place::<S>(key) {
            self.put(place, text.into());
        }
    }

    fn put(&mut self, place: usize, text: String) {
        self.texts[place] = text;
        for (row, text) in S::ROWS.iter().zip(&self.texts) {
            // If it cannot be read, its field says so.
            let _ = (row.set)(&mut self.read, text);
        }
    }

    fn problem(&self, place: usize) -> Option<String> {
        let row = &S::ROWS[place];
        let applies = row.applies.is_none_or(|applies| applies(&self.read));
        if applies { (row.set)(&mut self.read.clone(), &self.texts[place]).err() } else { None }
    }

    /// The settings, unless something is wrong with one that has an effect.
    pub fn checked(&self) -> Option<&S> {
        (0..S::ROWS.len()).all(|place| self.problem(place).is_none()).then_some(&self.read)
    }

    /// Writes values that differ from the default; lists without spaces.
    pub fn write(&self, keys: &mut Keys) {
        let bare = |text: &str| text.trim().replace(", ", ",");
        for ((row, text), usual) in S::ROWS.iter().zip(&self.texts).zip(Self::default().texts) {
            keys.put_unless(row.field.words.key, &bare(text), &bare(&usual));
        }
    }
}

/// A form on the page: a handle that lives as long as the page.
#[derive(Clone, Copy)]
pub struct Form {
    /// Prefix of its fields' ids; empty for none.
    id: &'static str,
    kind: FormKind,
    source: &'static Source,
}

/// How a form's fields behave.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum FormKind {
    /// Applied letter by letter. Fields without an effect are hidden, and ids use indices instead of keys.
    Numbered,
    /// Applied letter by letter. Fields without an effect are hidden, and only the labels show the help.
    Quiet,
    /// Applied when the field loses the focus. Fields without an effect keep their places.
    Late,
}

/// A hint by the setting's index.
type Hint = dyn Fn(usize) -> (String, bool) + Sync;

/// The settings behind a form, by their indices in the table.
pub struct Source {
    /// How a setting is shown; `None` after the last.
    pub field: Box<dyn Fn(usize) -> Option<Field> + Sync>,
    /// The text or value entered.
    pub text: Box<dyn Fn(usize) -> String + Sync>,
    /// The values to choose from.
    pub options: Box<dyn Fn(usize) -> Vec<SelectOption> + Sync>,
    /// The problem with it.
    pub problem: Box<dyn Fn(usize) -> Option<String> + Sync>,
    /// What else there is to say about it, and whether it differs from what it is compared with.
    pub hint: Option<Box<Hint>>,
    /// Whether it has an effect, if that depends on the others.
    pub applies: Box<dyn Fn(usize) -> Option<bool> + Sync>,
    /// Applies another text, or says what is expected.
    pub change: Box<dyn Fn(usize, String) -> Result<(), String> + Sync>,
}

fn field_of<S: Table>(place: usize) -> Option<Field> {
    S::ROWS.get(place).map(|row| row.field)
}

fn options_of<S: Table>(place: usize) -> Vec<SelectOption> {
    (S::ROWS[place].lines)().iter().map(|line| SelectOption::new(line.name, line.label)).collect()
}

impl Form {
    /// A form over these settings.
    pub fn new(id: &'static str, kind: FormKind, source: Source) -> Self {
        Self { id, kind, source: Box::leak(Box::new(source)) }
    }

    /// A form over texts that are applied letter by letter: `change` receives the key and the text.
    pub fn typed<S: Table>(
        id: &'static str,
        texts: RwSignal<Texts<S>>,
        change: impl Fn(&'static str, String) + Sync + 'static,
    ) -> Self {
        let source = Source {
            field: Box::new(field_of::<S>),
            text: Box::new(move |place| texts.with(|texts| texts.texts[place].clone())),
            options: Box::new(options_of::<S>),
            problem: Box::new(move |place| texts.with(|texts| texts.problem(place))),
            hint: None,
            applies: Box::new(move |place| S::ROWS[place].applies.map(|applies| texts.with(|texts| applies(&texts.read)))),
            change: Box::new(move |place, text| {
                change(S::ROWS[place].field.words.key, text);
                Ok(())
            }),
        };
        Self::new(id, FormKind::Numbered, source)
    }

    /// A form over settings that are always valid: `take` receives changed ones.
    pub fn over<S: Table>(id: &'static str, settings: RwSignal<S>, take: impl Fn(S) + Sync + 'static) -> Self {
        let source = Source {
            field: Box::new(field_of::<S>),
            text: Box::new(move |place| settings.with(S::ROWS[place].text)),
            options: Box::new(options_of::<S>),
            problem: Box::new(|_| None),
            hint: None,
            applies: Box::new(move |place| S::ROWS[place].applies.map(|applies| settings.with(applies))),
            change: Box::new(move |place, text| {
                let mut after = settings.get_untracked();
                (S::ROWS[place].set)(&mut after, &text).map(|()| take(after))
            }),
        };
        Self::new(id, FormKind::Late, source)
    }

    fn find(self, key: &str) -> Option<(usize, Field)> {
        (0..).map_while(|place| (self.source.field)(place)).enumerate().find(|(_, field)| field.words.key == key)
    }

    /// The help of a setting.
    pub fn help(self, key: &str) -> &'static str {
        self.find(key).map_or("", |(_, field)| field.words.help)
    }

    /// Changes a setting from elsewhere in the view.
    pub fn set(self, key: &str, text: impl Into<String>) {
        if let Some((place, _)) = self.find(key) {
            // A value that the view itself makes is valid.
            let _ = (self.source.change)(place, text.into());
        }
    }

    fn value(self, place: usize) -> Signal<String> {
        Signal::derive(move || (self.source.text)(place))
    }

    fn hint(self, place: usize) -> (String, bool) {
        self.source.hint.as_ref().map(|hint| hint(place)).unwrap_or_default()
    }

    fn id(self, name: &str) -> String {
        if self.id.is_empty() { name.into() } else { format!("{}-{name}", self.id) }
    }

    /// A labelled field, as its row describes it.
    pub fn field(self, key: &'static str) -> Option<AnyView> {
        let (place, Field { words, input, wide }) = self.find(key)?;
        let id = self.id(&if self.kind == FormKind::Numbered { place.to_string() } else { key.to_string() });
        let disabled = Memo::new(move |_| (self.source.applies)(place) == Some(false));
        let differs = Signal::derive(move || self.hint(place).1);
        let field = move || match input {
            Input::Choice(_) => view! {
                <div class="field" class:wide=wide class:differs=move || differs.get()>
                    {self.select(key)}
                </div>
            }
            .into_any(),
            Input::Switch(..) => view! { <div class="field wide">{self.check(key)}</div> }.into_any(),
            Input::Number | Input::Text => view! {
                <TextField
                    id=id.clone()
                    words
                    hint=Signal::derive(move || self.hint(place).0)
                    letters=matches!(input, Input::Text)
                    wide
                    late=self.kind == FormKind::Late
                    quiet=self.kind == FormKind::Quiet
                    value=self.value(place)
                    problem=Memo::new(move |_| (self.source.problem)(place))
                    on_type=move |text| (self.source.change)(place, text)
                    differs
                    disabled
                />
            }
            .into_any(),
        };
        let comes_and_goes = self.kind != FormKind::Late && untrack(|| (self.source.applies)(place)).is_some();
        Some(if comes_and_goes {
            view! { <Show when=move || !disabled.get()>{field.clone()}</Show> }.into_any()
        } else {
            field()
        })
    }

    /// The select of a choice.
    pub fn select(self, key: &str) -> Option<AnyView> {
        let (place, Field { words, input: Input::Choice(name), .. }) = self.find(key)? else { return None };
        let options = Signal::derive(move || (self.source.options)(place));
        let choose = move |name| drop((self.source.change)(place, name));
        let note = self.source.hint.as_ref().map(|_| Signal::derive(move || self.hint(place).0));
        let disabled = Memo::new(move |_| (self.source.applies)(place) == Some(false));
        let (id, value) = (self.id(name), self.value(place));
        Some(view! { <Select id label=words.label help=words.help options value on_choose=choose note disabled /> }.into_any())
    }

    /// The checkbox of a switch.
    pub fn check(self, key: &str) -> Option<AnyView> {
        let (place, Field { words, input: Input::Switch(on, off), .. }) = self.find(key)? else { return None };
        let change = move |is_on: bool| drop((self.source.change)(place, if is_on { on } else { off }.into()));
        let value = Signal::derive(move || (self.source.text)(place) == on);
        Some(view! { <Check label=words.label help=words.help value on_change=change /> }.into_any())
    }
}

/// Checks that these keys, one per row, are read and written, and that nothing is written by default.
#[cfg(test)]
pub fn travels<S: Table + std::fmt::Debug>(given: &[(&str, &str)]) {
    let (given, mut written, mut usual): (Keys, _, _) = (given.iter().copied().collect(), Keys::default(), Keys::default());
    assert!(S::ROWS.iter().all(|row| given.get(row.field.words.key).is_some()), "a row without a key");
    let texts = Texts::<S>::read(&given);
    assert_eq!(texts.checked(), Some(&texts.read));
    texts.write(&mut written);
    Texts::<S>::default().write(&mut usual);
    assert!(written == given && usual.is_empty(), "{written:?}, {usual:?}");
    write(&read::<S>(&given), &mut usual);
    assert_eq!(usual, given);
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbm_core::Units;

    #[derive(Clone, Debug, PartialEq)]
    struct Settings {
        list: String,
        count: u32,
        share: f64,
        seed: u64,
        units: Units,
        go: bool,
    }

    impl Default for Settings {
        fn default() -> Self {
            Self { list: "1,2".into(), count: 3, share: 0.5, seed: 1, units: Units::Signs, go: false }
        }
    }

    impl Table for Settings {
        const ROWS: &'static [Row<Self>] = &[
            Row::new(
                Input::Text,
                |settings: &Self| settings.list.clone(),
                |settings: &mut Self, text| {
                    settings.list = text.into();
                    Ok(())
                },
            )
            .called(words("d", "D", "Help.")),
            typed!(whole, 1..=9, count).called(words("e", "E", "")),
            typed!(number, 0.0..=1.0, share).called(words("share", "Share", "")).when(|settings| settings.go),
            typed!(whole, 0..=u64::MAX, seed).called(words("seed", "Seed", "")),
            choice!(Units, units).key("kind"),
            switch!("yes", "", go).key("go"),
        ];
    }

    #[test]
    fn what_is_not_as_by_default_travels_and_comes_back() {
        travels::<Settings>(&[("d", "5,25"), ("e", "7"), ("share", "0.25"), ("seed", "12"), ("kind", "bits"), ("go", "yes")]);
    }

    #[test]
    fn what_is_typed_stays_and_is_refused_and_a_choice_that_there_is_not_is_as_by_default() {
        let mut texts =
            Texts::<Settings>::read(&[("e", "💥"), ("kind", "💥"), ("share", "9"), ("go", "💥")].into_iter().collect());
        assert_eq!((texts.texts[1].as_str(), texts.read.count, texts.read.units, texts.read.go), ("💥", 3, Units::Signs, false));
        assert_eq!(texts.problem(1).as_deref(), Some("A whole number from 1 to 9 is expected."));
        assert!(texts.checked().is_none());
        texts.set("e", "5");
        assert_eq!(texts.checked().map(|settings| settings.count), Some(5), "a share has no effect yet");
        texts.set("go", "yes");
        assert!(texts.checked().is_none());
    }
}
