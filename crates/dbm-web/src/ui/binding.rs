//! Binds a feature's part of the address to its state: the one place that keeps the two in step.
//!
//! A feature defines how its state is written as keys and how keys are read; [`bind`] does the rest. Keys with default values are
//! left out.

use super::address;
use leptos::prelude::*;
use std::fmt::Display;
use std::str::FromStr;

/// A feature's keys, without its prefix, and their values. Order does not matter.
#[derive(Clone, Debug, Default)]
pub struct Keys(Vec<(String, String)>);

impl PartialEq for Keys {
    fn eq(&self, other: &Self) -> bool {
        self.0.len() == other.0.len() && self.0.iter().all(|pair| other.0.contains(pair))
    }
}

impl Keys {
    /// The keys in the address under a prefix.
    pub fn now(prefix: &str) -> Self {
        let own = |(key, value): (String, String)| key.strip_prefix(prefix).map(|key| (key.to_string(), value));
        Self(address::pairs().into_iter().filter_map(own).collect())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Keys and values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(key, value)| (&**key, &**value))
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// The value of a key that is a number or similar; `None` if it cannot be read.
    pub fn parse<T: FromStr>(&self, key: &str) -> Option<T> {
        self.get(key)?.parse().ok()
    }

    /// Whether a switch is on.
    pub fn is_on(&self, key: &str) -> bool {
        self.get(key) == Some("yes")
    }

    /// Writes a key.
    pub fn put(&mut self, key: &str, value: impl Display) {
        self.0.push((key.into(), value.to_string()));
    }

    /// Writes a key unless its value is the usual one.
    pub fn put_unless<T: PartialEq + Display>(&mut self, key: &str, value: &T, usual: &T) {
        if value != usual {
            self.put(key, value);
        }
    }

    /// Writes a switch if it is on.
    pub fn put_on(&mut self, key: &str, on: bool) {
        if on {
            self.put(key, "yes");
        }
    }

    /// Keys and values with their prefix, as in the address.
    pub fn prefixed(self, prefix: &str) -> Vec<(String, String)> {
        self.0.into_iter().map(|(key, value)| (format!("{prefix}{key}"), value)).collect()
    }
}

impl<K: Into<String>, V: Into<String>> FromIterator<(K, V)> for Keys {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        Self(pairs.into_iter().map(|(key, value)| (key.into(), value.into())).collect())
    }
}

/// Keeps a feature's state and its part of the address in step for as long as the page is open.
///
/// `read` applies what the address says, at once and whenever somebody else changes it; missing keys mean the usual values.
/// `write` describes the state, reactively; `None` while the state is behind the address. An address without any key of this
/// feature is a preset of another feature: the state stays, and is written again.
pub fn bind(prefix: &'static str, write: impl Fn() -> Option<Keys> + 'static, read: impl Fn(&Keys) + 'static) {
    let first = Keys::now(prefix);
    // What the address last said, and what was last written there: neither is a change made by the visitor.
    let (seen, written) = (StoredValue::new(first.clone()), StoredValue::new(first.clone()));
    if !first.is_empty() {
        read(&first);
    }
    address::follow(move || {
        let now = Keys::now(prefix);
        if seen.try_get_value().is_none_or(|seen| seen == now) {
            return;
        }
        seen.set_value(now.clone());
        if now == written.get_value() {
            return;
        }
        if now.is_empty() {
            address::put(prefix, written.get_value().prefixed(prefix));
        } else {
            read(&now);
        }
    });
    Effect::new(move |_| {
        if let Some(keys) = write()
            && written.with_value(|written| *written != keys)
        {
            written.set_value(keys.clone());
            address::put(prefix, keys.prefixed(prefix));
        }
    });
}
