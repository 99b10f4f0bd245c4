//! The curves as a picture: likelihood against steps, and against seconds.

use super::curve::Plan;
use super::table::{Entry, Spread};
use crate::Error;
use crate::plot::{Curve, Mark, Panel, svg};

/// Nats of space above the attainable maximum, where no curve can be.
const HEADROOM: f64 = 0.25;

/// Two panels as SVG: each estimator's mean over the seeds, with a band from the smallest to the largest.
///
/// The axis of the likelihood begins at `-n ln 2`, the value of n fair coins: anything below is no better than no model.
///
/// # Errors
/// Those of [`crate::plot::svg`].
pub fn figure(data: &str, plan: &Plan, entries: &[Entry], attainable: f64) -> Result<String, Error> {
    let coins = -(plan.data.width() as f64) * std::f64::consts::LN_2;
    let floor = coins.min(attainable - HEADROOM);
    let panel = |title: String, x_label: &str, x: fn(&Spread) -> f64| Panel {
        title,
        x_label: x_label.into(),
        y_label: "log-likelihood, nats per example".into(),
        curves: entries.iter().map(|entry| curve(entry, x, floor)).collect(),
        reference: Some(("most that can be reached".into(), attainable)),
        log_x: true,
        y_range: Some((floor, attainable + HEADROOM)),
        ..Panel::default()
    };
    let sizes: Vec<String> = plan.sizes.iter().map(ToString::to_string).collect();
    let seeds = entries.first().map_or(0, |entry| entry.curves.len());
    let title = format!("{data}: {}, {seeds} {}", sizes.join("-"), if seeds == 1 { "seed" } else { "seeds" });
    let by_steps = panel(title, "steps", |spread| spread.step as f64);
    let by_seconds = panel("the same against seconds on one thread".into(), "seconds", |spread| spread.seconds);
    // If everything is done before the clock has advanced, there is no second panel.
    let timed = by_seconds.curves.iter().any(|curve| !curve.marks.is_empty());
    if timed { svg(&[by_steps, by_seconds], 2) } else { svg(&[by_steps], 1) }
}

/// Without the points at 0, which have no place on a logarithmic axis, and without those before the band first rises above the floor,
/// except the last of them: the axis need not cover a range where nothing is visible.
fn curve(entry: &Entry, x: fn(&Spread) -> f64, floor: f64) -> Curve {
    let spreads: Vec<Spread> = entry.spreads().into_iter().filter(|spread| x(spread) > 0.0).collect();
    let seen = spreads.iter().position(|spread| spread.most > floor).unwrap_or(spreads.len());
    let mark = |spread: &Spread| Mark { band: Some((spread.least, spread.most)), ..Mark::at(x(spread), spread.mean) };
    Curve { name: entry.spec.to_string(), marks: spreads[seen.saturating_sub(1)..].iter().map(mark).collect() }
}

#[cfg(test)]
mod tests {
    use super::super::curve::{Caps, Couplings, Curve as Run, CurvePoint};
    use super::*;

    #[test]
    fn a_curve_begins_just_before_it_comes_into_sight() {
        let point = |(step, log_likelihood)| CurvePoint { step, log_likelihood, seconds: 0.0, couplings: Couplings::default() };
        let run = |levels: [f64; 5]| Run {
            seed: 1,
            points: (0..).zip(levels).map(point).collect(),
            caps: Caps::default(),
            diverged: None,
        };
        let curves = vec![run([-20.0, -15.0, -12.0, -6.0, -30.0]), run([-20.0, -15.0, -12.0, -8.0, -10.0])];
        let entry = Entry { spec: "lmi".parse().unwrap(), curves };
        let steps: fn(&Spread) -> f64 = |spread| spread.step as f64;
        let points = |x, floor| curve(&entry, x, floor).marks.iter().map(|mark| (mark.x, mark.y, mark.band)).collect::<Vec<_>>();
        let expected = [(2.0, -12.0, Some((-12.0, -12.0))), (3.0, -7.0, Some((-8.0, -6.0))), (4.0, -20.0, Some((-30.0, -10.0)))];
        assert_eq!(points(steps, -11.0), expected);
        // A curve that is never visible is one point below the floor; one that is visible from the beginning is complete, except for step
        // 0.
        assert_eq!(points(steps, -5.0), expected[2..]);
        assert_eq!(points(steps, -50.0).len(), 4);
        assert!(points(|spread| spread.seconds, -50.0).is_empty());
    }
}
