//! The words shown for a setting and each of its values.
//!
//! **A choice among values** ([`crate::Units`], [`crate::OptimizerMethod`], [`StartKind`](crate::settings::StartKind) and others)
//! implements [`Choose`], next to its type. A form makes a `<select>` from it: [`Choose::WORDS`] is the label, the hover help and the key
//! of the address; each [`Choice`] in [`Choose::CHOICES`] is an `<option value=name>label</option>`, and its `help` is the line below the
//! select. [`Choose::named`] parses an address or an event's value. The settings of a run have their own table,
//! [`Setting`](crate::settings::Setting).
//!
//! ```
//! use dbm_core::Units;
//! use dbm_core::words::Choose;
//! assert_eq!((Units::WORDS.key, Units::Bits.choice().label), ("units", "bits 0, 1"));
//! assert_eq!(Units::named("signs"), Some(Units::Signs));
//! ```

/// The words for one setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// Its key in an address; a command's option of the same meaning may be longer.
    pub key: &'static str,
    /// Its label in a form.
    pub label: &'static str,
    /// What a form adds to the help; may be empty.
    pub hint: &'static str,
    /// What the setting does, in a sentence or two: shown as hover help and by the command.
    pub help: &'static str,
}

/// One of the values that a setting can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice<T> {
    /// The value.
    pub value: T,
    /// Its name in commands, addresses and files.
    pub name: &'static str,
    /// Its name in a form.
    pub label: &'static str,
    /// What it does, in a sentence or two.
    pub help: &'static str,
}

/// A type whose values users choose among.
pub trait Choose: Copy + PartialEq + Send + Sync + 'static {
    /// The words for the setting itself.
    const WORDS: Label;
    /// Its values, the default first.
    const CHOICES: &'static [Choice<Self>];

    /// The row of this value.
    fn choice(self) -> &'static Choice<Self> {
        Self::CHOICES.iter().find(|choice| choice.value == self).unwrap_or(&Self::CHOICES[0])
    }

    /// The value with this name, if there is one.
    fn named(name: &str) -> Option<Self> {
        Self::CHOICES.iter().find(|choice| choice.name == name).map(|choice| choice.value)
    }
}

/// Makes a type whose values users choose among, the default first. Each value has its name, its name in a form, and what it does, which is
/// also its documentation.
///
/// ```
/// use dbm_core::words::{Choose, words};
/// dbm_core::words::choices! {
///     /// Where to.
///     pub enum Way = words("way", "Way", "Where to go.");
///     Up = "up", "upwards", "Towards the sky";
///     Down = "down", "downwards", "Towards the ground";
/// }
/// assert_eq!((Way::named("down"), Way::Up.choice().label), (Some(Way::Down), "upwards"));
/// ```
#[macro_export]
macro_rules! choices {
    ($(#[$meta:meta])* $vis:vis enum $type:ident = $words:expr; $($(#[$doc:meta])* $value:ident = $name:expr, $label:expr, $help:literal;)+) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $type {
            $(#[doc = $help] $(#[$doc])* $value),+
        }

        impl $crate::words::Choose for $type {
            const WORDS: $crate::words::Label = $words;
            const CHOICES: &'static [$crate::words::Choice<Self>] = &[$($crate::words::choice(Self::$value, $name, $label, $help)),+];
        }
    };
}

pub use choices;

/// The words for a setting without a hint.
pub const fn words(key: &'static str, label: &'static str, help: &'static str) -> Label {
    Label { key, label, hint: "", help }
}

/// A row of a table of values.
pub const fn choice<T>(value: T, name: &'static str, label: &'static str, help: &'static str) -> Choice<T> {
    Choice { value, name, label, help }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::{CouplingKernel, CouplingStart};
    use crate::gradient::EstimatorKind;
    use crate::mask::Masks;
    use crate::settings::StartKind;
    use crate::{Backend, OptimizerMethod, Units};
    use std::collections::BTreeSet;

    fn assert_distinct<T: Choose>() {
        for pick in [|row: &Choice<T>| row.name, |row: &Choice<T>| row.label, |row: &Choice<T>| row.help] {
            let all: BTreeSet<&str> = T::CHOICES.iter().map(pick).collect();
            assert!(all.len() == T::CHOICES.len() && !all.contains(""), "{all:?}");
        }
        for choice in T::CHOICES {
            assert!(T::named(choice.name) == Some(choice.value) && choice.value.choice().name == choice.name);
        }
        assert!(T::named("💥").is_none());
    }

    #[test]
    fn values_are_told_apart_and_come_back_by_their_names() {
        assert_distinct::<Units>();
        assert_distinct::<OptimizerMethod>();
        assert_distinct::<Masks>();
        assert_distinct::<Backend>();
        assert_distinct::<StartKind>();
        assert_distinct::<CouplingKernel>();
        assert_distinct::<CouplingStart>();
        assert_distinct::<EstimatorKind>();
        // The first value is the default.
        assert_eq!(Units::CHOICES[0].value, Units::default());
        assert_eq!(OptimizerMethod::CHOICES[0].value, OptimizerMethod::default());
        assert_eq!(Masks::CHOICES[0].value, Masks::default());
        assert_eq!(StartKind::CHOICES[0].value, StartKind::default());
    }
}
