//! Texts and pictures from templates.

use crate::Error;
use dbm_core::format_bytes;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use serde::Serialize;

/// A template with its values, which become text of XML where its name ends in `.svg`; a value that is not there is an error. Besides the filters that come
/// with templates there are `fixed(n)`, a number with n decimals; `percent`, a share as a percentage of one decimal or of `percent(n)`; `duration` of
/// seconds; and `bytes`.
///
/// # Errors
/// [`Error::Template`].
pub fn render(name: &str, template: &str, values: &impl Serialize) -> Result<String, Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    environment.set_keep_trailing_newline(true);
    environment.set_auto_escape_callback(|name| {
        if name.rsplit('.').next() == Some("svg") { AutoEscape::Html } else { AutoEscape::None }
    });
    environment.add_filter("fixed", |value: f64, decimals: usize| format!("{value:.decimals$}"));
    environment
        .add_filter("percent", |share: f64, decimals: Option<usize>| format!("{:.*} %", decimals.unwrap_or(1), 100.0 * share));
    environment.add_filter("duration", duration);
    environment.add_filter("bytes", |bytes: u128| format_bytes(bytes));
    environment.render_named_str(name, template, values).map_err(|source| Error::Template { name: name.into(), source })
}

/// A table for people, by a template of the program's own; should that be wrong, it says so in its place.
pub fn text(name: &str, template: &str, values: &impl Serialize) -> String {
    render(name, template, values).unwrap_or_else(|error| error.to_string())
}

/// `2.5 days`, `1 h 20 min`, `3 min 5 s`, `12 s`.
pub fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        172_800.. => format!("{:.1} days", seconds / 86_400.0),
        3600.. => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
        60.. => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{whole} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_in_the_unit_that_suits_them() {
        let said = [12.4, 185.0, 4800.0, 216_000.0].map(duration);
        assert_eq!(said, ["12 s", "3 min 5 s", "1 h 20 min", "2.5 days"]);
    }
}
