//! The points as a picture: time and memory by width, a panel for each place that computed.

use super::point::{Point, Where};
use crate::Error;
use crate::plot::{Curve, Panel, distinct, svg};

/// Time above, memory below; native left, the browser right, on the same axes.
///
/// # Errors
/// Those of [`crate::plot::svg`].
pub fn figure(points: &[Point]) -> Result<String, Error> {
    let places: Vec<Where> = [Where::Native, Where::Browser]
        .into_iter()
        .filter(|&place| points.iter().any(|point| point.place == place && point.measured().is_some()))
        .collect();
    let time: Y = |point| Some(point.measured()?.milliseconds);
    let peak: Y = |point| point.measured()?.peak.map(megabytes);
    let most: Y = |point| point.measured().map(|_| megabytes(point.footprint));
    let mut panels = Vec::new();
    let (times, memories) = (range(points, &[time]), range(points, &[peak, most]));
    let rows = [("time", "milliseconds a step", time, times), ("memory", "peak of the process, MB", peak, memories)];
    for (what, y_label, y, range) in rows {
        for &place in &places {
            panels.push(panel(points, place, what, y_label, y, range));
        }
    }
    panels.extend(places.first().map(|&place| panel(points, place, "memory by count", "at most, MB", most, memories)));
    panels.retain(|panel| panel.curves.iter().any(|curve| !curve.points.is_empty()));
    svg(&panels, 2)
}

fn megabytes(bytes: u128) -> f64 {
    bytes as f64 / 1e6
}

type Y = fn(&Point) -> Option<f64>;

/// A range with room for all of them, so that panels can be compared.
fn range(points: &[Point], of: &[Y]) -> Option<(f64, f64)> {
    let all = of.iter().flat_map(|&y| points.iter().filter_map(y));
    let (low, high) = all.fold((f64::INFINITY, 0.0_f64), |(low, high), y| (y.min(low), y.max(high)));
    (low.is_finite() && low > 0.0).then_some((low / 1.3, high * 1.3))
}

fn panel(points: &[Point], place: Where, what: &str, y_label: &str, y: Y, y_range: Option<(f64, f64)>) -> Panel {
    let here: Vec<&Point> = points.iter().filter(|point| point.place == place).collect();
    let kinds = distinct(points.iter().map(|point| (point.shape.batch, point.shape.depth)));
    let curves = kinds.into_iter().map(|(batch, depth)| {
        let its = here.iter().filter(|point| (point.shape.batch, point.shape.depth) == (batch, depth));
        let mut points: Vec<(f64, f64)> = its.filter_map(|point| Some((point.shape.width as f64, y(point)?))).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let layers = if depth == 1 { "layer" } else { "layers" };
        Curve { name: format!("{depth} {layers}, batch {batch}"), points, ..Curve::default() }
    });
    let workers = here.iter().map(|point| point.workers).max().unwrap_or(0);
    let of = match place {
        Where::Native => "thread",
        Where::Browser => "worker",
    };
    let skipped = here.iter().filter(|point| point.measured().is_none()).count();
    let skipped = if skipped > 0 { format!("; {skipped} skipped") } else { String::new() };
    let plural = if workers == 1 { "" } else { "s" };
    Panel {
        title: format!("{what}, {}: {workers} {of}{plural}{skipped}", place.name()),
        x_label: "units in a hidden layer".into(),
        y_label: y_label.into(),
        curves: curves.collect(),
        log_x: true,
        log_y: true,
        y_range,
        ..Panel::default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::point::{Measurement, Outcome, Shape};
    use super::*;

    #[test]
    fn each_place_has_its_panels_and_what_was_skipped_is_said() {
        let point = |place, width, outcome| Point {
            place,
            shape: Shape { width, depth: 2, batch: 100 },
            workers: 4,
            parameters: 1000,
            footprint: 50_000_000,
            outcome,
        };
        let measured = |milliseconds| {
            Outcome::Measured(Measurement { milliseconds, fastest: 1.0, slowest: 9.0, steps: 3, peak: Some(60_000_000) })
        };
        let native = [point(Where::Native, 250, measured(2.0)), point(Where::Native, 500, measured(8.0))];
        let picture = figure(&native).unwrap();
        assert!(picture.contains("time, native: 4 threads") && picture.contains("2 layers, batch 100"), "{picture}");
        assert!(!picture.contains("browser") && !picture.contains("skipped"));
        assert!(picture.contains("peak of the process, MB") && picture.contains("memory by count, native"), "{picture}");
        let browser = [point(Where::Browser, 250, measured(20.0)), point(Where::Browser, 500, Outcome::Skipped("slow".into()))];
        let both: Vec<Point> = native.into_iter().chain(browser).collect();
        assert!(figure(&both).unwrap().contains("time, browser: 4 workers; 1 skipped"));
        // What has nothing measured has no panel.
        assert!(!figure(&[both[0].clone(), both[3].clone()]).unwrap().contains("browser"));
        assert!(figure(&both[3..]).is_err());
    }
}
