//! The table as a picture: the paper's Figure 1, and more.

use super::summary::{Row, Spread};
use crate::Error;
use crate::plot::{Curve, Mark, Panel, distinct, svg};

/// Four panels for each kind of units: total steps of each kernel and start by dimension, mean and quartiles, with the cap; T and tau of
/// the Metropolis coupling from a mode, if present; the share of runs cut off by the cap; and the tail of tau, from 90 % of the runs to the
/// longest.
///
/// # Errors
/// Those of [`crate::plot::svg`].
pub fn figure(rows: &[Row]) -> Result<String, Error> {
    let mut panels: Vec<Panel> = Vec::new();
    for units in distinct(rows.iter().map(|row| row.couplings.units)) {
        let mut rows: Vec<&Row> = rows.iter().filter(|row| row.couplings.units == units).collect();
        rows.sort_by_key(|row| row.couplings.dimension);
        panels.extend(of_units(&rows));
    }
    for (letter, panel) in ('a'..).zip(&mut panels) {
        panel.title = format!("({letter}) {}", panel.title);
    }
    svg(&panels, 2)
}

/// Its panels, two per row.
fn of_units(rows: &[&Row]) -> Vec<Panel> {
    let kinds = distinct(rows.iter().map(|row| name(row)));
    let each = |of: fn(&Row) -> Height| -> Vec<Curve> {
        kinds.iter().map(|kind| curve(kind, rows.iter().filter(|row| name(row) == *kind), of)).collect()
    };
    let units = rows.first().map_or("", |row| row.names()[0]);
    let cap = rows.iter().map(|row| row.couplings.max_meeting).max().unwrap_or_default();
    let runs = rows.iter().map(|row| row.runs).max().unwrap_or_default();
    let panel = |title: &str, y_label: String, curves: Vec<Curve>| Panel {
        title: format!("{units}: {title}"),
        x_label: "visible units, and as many hidden ones".into(),
        y_label,
        curves,
        ..Panel::default()
    };
    // The cap is shown where it bends the curves; elsewhere it would only compress them.
    let most = rows.iter().map(|row| row.share_capped()).fold(0.0, f64::max);
    let level = |bends: bool| bends.then(|| (format!("cap of {cap} steps"), f64::from(cap)));
    let mut panels = vec![Panel {
        log_y: true,
        reference: level(most > 0.25),
        ..panel(
            &format!("{runs} couplings a point, all steps"),
            "tau + T, mean and quartiles".into(),
            each(|row| mean(&row.total)),
        )
    }];
    let ours: Vec<&Row> = rows.iter().copied().filter(|row| row.names()[1..] == ["metropolis", "local-mode"]).collect();
    if !ours.is_empty() {
        let curves = vec![curve("T", ours.iter(), |row| mean(&row.sweeps)), curve("tau", ours.iter(), |row| mean(&row.tau))];
        panels.push(panel("Metropolis, local mode", "steps, mean and quartiles".into(), curves));
    }
    let shares = each(|row| (row.share_capped(), None));
    // A single run in a hundred should be visible if there are no more.
    let top = (1.1 * most).clamp(0.05, 1.03);
    let y_label = format!("share not met after {cap} steps");
    panels.push(Panel { y_range: Some((-0.03 * top, top)), ..panel("runs cut at the cap", y_label, shares) });
    let tails = each(|row| (row.tau.tail[0], Some((row.tau.tail[0], f64::from(row.tau.largest)))));
    let y_label = "tau: 90 % line, band to the longest".into();
    panels.push(Panel { log_y: true, reference: level(most > 0.0), ..panel("the tail", y_label, tails) });
    panels
}

fn name(row: &Row) -> String {
    let [_, kernel, start] = row.names();
    format!("{kernel}, {}", start.replace('-', " "))
}

/// The position of a row's mark, and the range of its band.
type Height = (f64, Option<(f64, f64)>);

/// One mark per row, at its dimension.
fn curve<'r>(name: &str, rows: impl Iterator<Item = &'r &'r Row>, of: fn(&Row) -> Height) -> Curve {
    let mark = |row: &&Row| {
        let (y, band) = of(row);
        Mark { band, ..Mark::at(row.couplings.dimension as f64, y) }
    };
    Curve { name: name.into(), marks: rows.map(mark).collect() }
}

/// The mean, and the quartiles around it.
fn mean(Spread { mean, quartiles: [low, _, high], .. }: &Spread) -> Height {
    (*mean, Some((*low, *high)))
}
