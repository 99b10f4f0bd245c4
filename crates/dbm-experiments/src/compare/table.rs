//! The curves as CSV, as JSON and in words.

use super::curve::{Curve, CurvePoint};
use super::spec::Spec;
use crate::columns::table;
use crate::template::text;
use minijinja::context;
use serde::Serialize;
use serde_json::{Value, json};

/// Results of one estimator, seed by seed.
pub struct Entry {
    /// The estimator and its start.
    pub spec: Spec,
    /// One run per seed.
    pub curves: Vec<Curve>,
}

/// Mean, minimum and maximum over the seeds of the log-likelihood at one point, and the mean of the seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    pub step: u64,
    pub seconds: f64,
    pub mean: f64,
    pub least: f64,
    pub most: f64,
}

impl Entry {
    /// Over all seeds, up to the first point that one of them did not reach.
    pub fn spreads(&self) -> Vec<Spread> {
        let reached = self.curves.iter().map(|curve| curve.points.len()).min().unwrap_or_default();
        (0..reached).map(|place| Spread::of(&self.curves.iter().map(|curve| &curve.points[place]).collect::<Vec<_>>())).collect()
    }

    fn sum(&self, count: impl Fn(&Curve) -> u64) -> u64 {
        self.curves.iter().map(count).sum()
    }

    /// How often each cap was reached, by the name of what it limits.
    fn caps(&self) -> [(&'static str, u64); 4] {
        [
            ("couplings", self.sum(|curve| curve.end().couplings.capped)),
            ("searches", self.sum(|curve| curve.caps.searches)),
            ("rejections", self.sum(|curve| curve.caps.tries)),
            ("mean-field iterations", self.sum(|curve| curve.caps.mean_field)),
        ]
    }
}

impl Spread {
    fn of(points: &[&CurvePoint]) -> Self {
        let mean = |value: fn(&CurvePoint) -> f64| points.iter().map(|&point| value(point)).sum::<f64>() / points.len() as f64;
        let values = || points.iter().map(|point| point.log_likelihood);
        Self {
            step: points[0].step,
            seconds: mean(|point| point.seconds),
            mean: mean(|point| point.log_likelihood),
            least: values().fold(f64::INFINITY, f64::min),
            most: values().fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

/// One row per point: `couplings_capped` is the share of the run's couplings so far that were cut off, `mean_meeting_time` their mean tau;
/// both are empty if there were no couplings.
pub fn csv(entries: &[Entry]) -> String {
    let runs = entries.iter().flat_map(|entry| entry.curves.iter().map(move |curve| (entry, curve)));
    let rows = runs.flat_map(|(entry, curve)| {
        curve.points.iter().map(move |CurvePoint { step, log_likelihood, seconds, couplings }| {
            json!({ "estimator": entry.spec.to_string(), "seed": curve.seed, "step": step, "log_likelihood": log_likelihood, "seconds": seconds,
                    "couplings_capped": couplings.capped_share(), "mean_meeting_time": couplings.mean_time() })
        })
    });
    table("estimator,seed,step,log_likelihood:6,seconds:3,couplings_capped:6,mean_meeting_time:6", rows)
}

/// One object of `--json` for a run.
pub fn line(spec: &Spec, curve: &Curve) -> Value {
    let end = curve.end();
    let best = curve.points.iter().fold(end, |best, point| if point.log_likelihood > best.log_likelihood { point } else { best });
    json!({
        "event": "run",
        "estimator": spec.to_string(),
        "seed": curve.seed,
        "step": end.step,
        "log_likelihood": end.log_likelihood,
        "best_log_likelihood": best.log_likelihood,
        "best_step": best.step,
        "seconds": end.seconds,
        "couplings": end.couplings.count,
        "couplings_capped": end.couplings.capped,
        "mean_meeting_time": end.couplings.mean_time(),
        "searches_capped": curve.caps.searches,
        "tries_capped": curve.caps.tries,
        "mean_field_capped": curve.caps.mean_field,
        "diverged_at": curve.diverged,
    })
}

/// One line per estimator, and below it what was cut off or diverged.
pub fn words(entries: &[Entry]) -> String {
    let width = entries.iter().map(|entry| entry.spec.to_string().len()).max().unwrap_or_default().max(9);
    let said = entries.iter().map(|entry| {
        let spreads = entry.spreads();
        let end = spreads.last();
        let best = end.map(|end| spreads.iter().fold(end, |best, spread| if spread.mean > best.mean { spread } else { best }));
        let diverged = entry.curves.iter().filter_map(|curve| Some((curve.seed, curve.diverged?)));
        context! {
            estimator => entry.spec.to_string(),
            end,
            best,
            diverged => diverged.collect::<Vec<_>>(),
            caps => entry.caps().into_iter().filter(|(_, count)| *count > 0).collect::<Vec<_>>(),
            couplings => entry.sum(|curve| curve.end().couplings.count),
        }
    });
    text("words.txt", include_str!("words.txt"), &context! { width, entries => said.collect::<Vec<_>>() })
}

#[cfg(test)]
mod tests {
    use super::super::curve::{Caps, Couplings};
    use super::*;

    fn entry() -> Entry {
        let point = |step, log_likelihood, seconds, couplings| CurvePoint { step, log_likelihood, seconds, couplings };
        let couplings = Couplings { count: 8, capped: 2, time: 20 };
        let whole =
            vec![point(0, -5.0, 0.0, Couplings::default()), point(1, -2.0, 1.0, couplings), point(2, -3.0, 2.0, couplings)];
        let short = vec![point(0, -7.0, 0.0, Couplings::default()), point(1, -4.0, 3.0, couplings)];
        let caps = Caps { tries: 5, ..Caps::default() };
        let curves = vec![
            Curve { seed: 1, points: whole, caps, diverged: None },
            Curve { seed: 2, points: short, caps: Caps::default(), diverged: Some(1) },
        ];
        Entry { spec: "ucd-gibbs".parse().unwrap(), curves }
    }

    #[test]
    fn a_mean_ends_where_the_first_run_does() {
        let spreads = entry().spreads();
        assert_eq!(spreads.len(), 2);
        assert_eq!(spreads[1], Spread { step: 1, seconds: 2.0, mean: -3.0, least: -4.0, most: -2.0 });
    }

    #[test]
    fn what_was_cut_and_what_diverged_is_said() {
        let said = words(&[entry()]);
        assert!(said.contains("-3.000 (-4.000 to -2.000)"), "{said}");
        assert!(said.contains("4 of 16 couplings (25.000 %), 5 rejections"), "{said}");
        assert!(said.contains("seed 2 diverged after 1 steps"), "{said}");
        let line = line(&entry().spec, &entry().curves[0]);
        assert_eq!((line["best_step"].as_u64(), line["couplings_capped"].as_u64()), (Some(1), Some(2)));
        assert!(csv(&[entry()]).contains("\nucd-gibbs,1,0,-5.000000,0.000,,\nucd-gibbs,1,1,-2.000000,1.000,0.250000,2.500000\n"));
    }
}
