//! Texts and pictures from templates.

use crate::Error;
use dbm_core::format_bytes;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value};
use serde::Serialize;

/// Renders a template with its values, which are escaped for XML if its name ends in `.svg`; a missing value is an error. In addition to
/// the filters of the template engine there are `fixed(n)`, a number with n decimals; `percent`, a share as a percentage with one decimal,
/// or `percent(n)`; `duration` of seconds; and `bytes`.
///
/// # Errors
/// [`Error::Template`].
pub fn render(name: &str, template: &str, values: &impl Serialize) -> Result<String, Error> {
    environment().render_named_str(name, template, values).map_err(|source| Error::Template { name: name.into(), source })
}

/// Whether an expression over some values is true.
///
/// # Errors
/// [`Error::Template`].
pub fn holds(name: &str, expression: &str, values: &impl Serialize) -> Result<bool, Error> {
    let environment = environment();
    let value = environment.compile_expression(expression).and_then(|expression| expression.eval(values));
    Ok(value.map_err(|source| Error::Template { name: name.into(), source })?.is_true())
}

fn environment() -> Environment<'static> {
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
    environment.add_function("exceeds", |one: Value, other: Value, measure: &str, score: &str| {
        exceeds([&one, &other], [measure, score])
    });
    environment
}

/// Whether a score of one model exceeds that of another by more than two standard errors of the difference; true if all runs of the first
/// diverged.
fn exceeds(models: [&Value; 2], score: [&str; 2]) -> bool {
    let number = |model: &Value, way: &[&str]| {
        let found = way.iter().try_fold(model.clone(), |value, name| value.get_attr(name)).ok()?;
        f64::try_from(found).ok()
    };
    let error = |model: &Value| number(model, &["errors", score[0], score[1]]).unwrap_or(0.0);
    match models.map(|model| number(model, &score)) {
        [Some(one), Some(other)] => one - other > 2.0 * error(models[0]).hypot(error(models[1])),
        [one, other] => one.is_none() && other.is_some(),
    }
}

/// A table for people, from a built-in template; if that is wrong, the text says so.
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
    use serde_json::json;

    #[test]
    fn claims_are_judged_by_their_values() {
        let model = |score: f64, error: f64| json!({ "own": { "score": score }, "errors": { "own": { "score": error } } });
        let values = json!({ "a": model(10.0, 1.0), "b": model(4.0, 2.0), "c": model(9.0, 1.0), "d": { "diverged": 3 } });
        let judged = |expression: &str| holds("claims", expression, &values).unwrap();
        assert!(judged("exceeds(a, b, 'own', 'score')") && !judged("exceeds(a, c, 'own', 'score')"));
        assert!(judged("exceeds(d, a, 'own', 'score')") && !judged("exceeds(a, d, 'own', 'score')"));
        assert!(judged("[a.own.score, c.own.score] | min < 9.5") && !judged("a.own.score < 1"));
        assert!(holds("claims", "a.other.score < 1", &values).is_err() && holds("claims", "a <", &values).is_err());
    }

    #[test]
    fn durations_are_in_the_unit_that_suits_them() {
        let said = [12.4, 185.0, 4800.0, 216_000.0].map(duration);
        assert_eq!(said, ["12 s", "3 min 5 s", "1 h 20 min", "2.5 days"]);
    }
}
