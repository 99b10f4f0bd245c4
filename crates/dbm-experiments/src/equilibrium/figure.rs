//! The looks as a picture: quality against sweeps, with the same axes for all models.

use super::{ChainRun, Look, Model};
use crate::Error;
use crate::plot::{Curve, Mark, Panel, distinct, svg};
use dbm_core::complete::ChainStart;
use dbm_core::words::Choose;

/// Margin above and below on a logarithmic axis, as a factor.
const ROOM: f64 = 1.15;

/// Half-width of a mean energy's band, in standard errors.
const ERRORS: f64 = 2.0;

/// The digit Frechet distance against sweeps or, if there is none, the mean energy with a band of two standard errors. With one model there
/// is one line per start; with several, one panel per start and one line per model. The dashed line is the value of real digits, or the
/// exact energy.
///
/// # Errors
/// Those of [`crate::plot::svg`]: more than 12 models.
pub fn figure(models: &[Model]) -> Result<String, Error> {
    let digits = models.iter().all(|model| model.floor.is_some());
    let runs = || models.iter().flat_map(|model| model.starts.iter().map(move |run| (model, run)));
    let panels = if let [model] = models {
        vec![panel(&model.name, digits, models, runs().map(|(_, run)| curve(&from(run.start), run, digits)))]
    } else {
        let starts: Vec<ChainStart> = distinct(runs().map(|(_, run)| run.start));
        let of_start = |start: &ChainStart| {
            let curves = runs().filter(|(_, run)| run.start == *start).map(|(model, run)| curve(&model.name, run, digits));
            panel(&from(*start), digits, models, curves)
        };
        starts.iter().map(of_start).collect()
    };
    svg(&panels, 2)
}

fn from(start: ChainStart) -> String {
    format!("from {}", start.choice().label)
}

fn panel(title: &str, digits: bool, models: &[Model], curves: impl Iterator<Item = Curve>) -> Panel {
    let level = models.first().and_then(|model| match &model.floor {
        Some(floor) => Some(("as many real digits".into(), floor.digit_frechet_distance)),
        // Each model has its own value.
        None if models.len() == 1 => Some(("the model's own mean".into(), model.exact_energy?)),
        None => None,
    });
    let looks = || models.iter().flat_map(|model| &model.starts).flat_map(|run| &run.looks);
    let heights = looks().filter_map(distance).chain(level.iter().map(|(_, level)| *level)).filter(|&height| height > 0.0);
    let (low, high) = heights.fold((f64::INFINITY, 0.0_f64), |(low, high), y| (y.min(low), y.max(high)));
    Panel {
        title: title.into(),
        x_label: "Gibbs sweeps".into(),
        y_label: if digits { "digit Frechet distance" } else { "mean energy, nats" }.into(),
        curves: curves.collect(),
        reference: level,
        log_x: true,
        log_y: digits,
        y_range: (digits && low < high).then_some((low / ROOM, high * ROOM)),
        ..Panel::default()
    }
}

fn distance(look: &Look) -> Option<f64> {
    look.digits.as_ref().map(|digits| digits.quality.digit_frechet_distance)
}

/// Without the look at the start, which has no place on a logarithmic axis.
fn curve(name: &str, run: &ChainRun, digits: bool) -> Curve {
    let mark = |look: &Look| {
        let x = f64::from(look.sweeps);
        let error = ERRORS * look.energy_error;
        match distance(look).filter(|_| digits) {
            Some(distance) => Mark::at(x, distance),
            None => Mark { band: Some((look.energy - error, look.energy + error)), ..Mark::at(x, look.energy) },
        }
    };
    Curve { name: name.into(), marks: run.looks.iter().filter(|look| look.sweeps > 0).map(mark).collect() }
}
