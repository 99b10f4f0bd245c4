//! The curves as a picture: likelihood by steps, and by seconds.

use super::curve::Plan;
use super::table::{Entry, Spread};
use crate::error::CliError;
use crate::plot::{Curve, Panel, svg};

/// Nats of room above the most that can be reached, where no curve can be.
const HEADROOM: f64 = 0.25;

/// Two panels as SVG: each estimator's mean over the seeds, with a band from the least to the largest.
///
/// The axis of the likelihood begins at `-n ln 2`, which is what n fair coins reach: what is below is no better than no model.
///
/// # Errors
/// Those of [`crate::plot::svg`].
pub fn figure(data: &str, plan: &Plan, entries: &[Entry], attainable: f64) -> Result<String, CliError> {
    let coins = -(plan.data.width() as f64) * std::f64::consts::LN_2;
    let panel = |title: String, x_label: &str, x: fn(&Spread) -> f64| Panel {
        title,
        x_label: x_label.into(),
        y_label: "log-likelihood, nats an example".into(),
        curves: entries.iter().map(|entry| curve(entry, x)).collect(),
        reference: Some(("most that can be reached".into(), attainable)),
        log_x: true,
        y_range: Some((coins.min(attainable - 2.0 * HEADROOM), attainable + HEADROOM)),
    };
    let sizes: Vec<String> = plan.sizes.iter().map(ToString::to_string).collect();
    let seeds = entries.first().map_or(0, |entry| entry.curves.len());
    let title = format!("{data}: {}, {seeds} {}", sizes.join("-"), if seeds == 1 { "seed" } else { "seeds" });
    let by_steps = panel(title, "steps", |spread| spread.step as f64);
    let by_seconds = panel("the same by seconds on one thread".into(), "seconds", |spread| spread.seconds);
    // Where all is done before the clock has moved there is no second panel.
    let timed = by_seconds.curves.iter().any(|curve| !curve.points.is_empty());
    if timed { svg(&[by_steps, by_seconds]) } else { svg(&[by_steps]) }
}

/// Without the points at 0, for which a logarithmic axis has no place.
fn curve(entry: &Entry, x: fn(&Spread) -> f64) -> Curve {
    let spreads: Vec<Spread> = entry.spreads().into_iter().filter(|spread| x(spread) > 0.0).collect();
    Curve {
        name: entry.spec.to_string(),
        points: spreads.iter().map(|spread| (x(spread), spread.mean)).collect(),
        low: spreads.iter().map(|spread| spread.least).collect(),
        high: spreads.iter().map(|spread| spread.most).collect(),
    }
}
