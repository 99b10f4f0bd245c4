//! What a reader calls a setting and each of its values.
//!
//! **A choice among values** ([`crate::Units`], [`crate::OptimizerMethod`], [`StartKind`](crate::settings::StartKind) and others) implements [`Choose`], beside its type. A
//! form makes a `<select>` from it: [`Choose::WORDS`] is the label, the hover help and the key of the address; each [`Choice`] of [`Choose::CHOICES`] is an
//! `<option value=name>label</option>`, and its `help` is the line below the select. [`Choose::named`] reads an address or an event's value back. All settings of a run are in
//! a table of their own, [`Setting`](crate::settings::Setting).
//!
//! ```
//! use dbm_core::Units;
//! use dbm_core::words::Choose;
//! assert_eq!((Units::WORDS.key, Units::Bits.choice().label), ("units", "bits 0, 1"));
//! assert_eq!(Units::named("signs"), Some(Units::Signs));
//! ```

/// What one setting is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words {
    /// In an address; a command's option of the same meaning may be longer.
    pub key: &'static str,
    /// In a form.
    pub label: &'static str,
    /// What a form adds to the help; or empty.
    pub hint: &'static str,
    /// What the setting does, in a sentence or two: hover help, and the command's.
    pub help: &'static str,
}

/// One of the values that a setting can be chosen to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice<T> {
    /// What is chosen.
    pub value: T,
    /// In commands, addresses and files.
    pub name: &'static str,
    /// In a form.
    pub label: &'static str,
    /// What it does, in a sentence or two.
    pub help: &'static str,
}

/// A type whose values a reader chooses among.
pub trait Choose: Copy + PartialEq + Send + Sync + 'static {
    /// What the setting itself is called.
    const WORDS: Words;
    /// Its values, the usual one first.
    const CHOICES: &'static [Choice<Self>];

    /// The row of this value.
    fn choice(self) -> &'static Choice<Self> {
        Self::CHOICES.iter().find(|choice| choice.value == self).unwrap_or(&Self::CHOICES[0])
    }

    /// The value of this name, where there is one.
    fn named(name: &str) -> Option<Self> {
        Self::CHOICES.iter().find(|choice| choice.name == name).map(|choice| choice.value)
    }
}

/// Makes a type whose values a reader chooses among, the usual one first: of each its name, what a form calls it, and what it does, which is its documentation as well.
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
            const WORDS: $crate::words::Words = $words;
            const CHOICES: &'static [$crate::words::Choice<Self>] = &[$($crate::words::choice(Self::$value, $name, $label, $help)),+];
        }
    };
}

pub use choices;

/// What a setting without a hint is called.
pub const fn words(key: &'static str, label: &'static str, help: &'static str) -> Words {
    Words { key, label, hint: "", help }
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

    fn told_apart<T: Choose>() {
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
        told_apart::<Units>();
        told_apart::<OptimizerMethod>();
        told_apart::<Masks>();
        told_apart::<Backend>();
        told_apart::<StartKind>();
        told_apart::<CouplingKernel>();
        told_apart::<CouplingStart>();
        told_apart::<EstimatorKind>();
        // The usual value is the one by default.
        assert_eq!(Units::CHOICES[0].value, Units::default());
        assert_eq!(OptimizerMethod::CHOICES[0].value, OptimizerMethod::default());
        assert_eq!(Masks::CHOICES[0].value, Masks::default());
        assert_eq!(StartKind::CHOICES[0].value, StartKind::default());
    }
}
