//! The table as a picture: the paper's Figure 1.

use super::summary::{Row, Spread};
use crate::error::CliError;
use crate::plot::{Curve, Panel, svg};

/// Left, all steps of each kind by dimension, mean and quartiles; right, T and tau of the Metropolis couplings from a mode, where there are such.
///
/// # Errors
/// Those of [`crate::plot::svg`].
pub fn figure(rows: &[Row]) -> Result<String, CliError> {
    let several = rows.iter().any(|row| row.couplings.units != rows[0].couplings.units);
    let mut kinds: Vec<String> = Vec::new();
    for row in rows {
        let name = name(row, several);
        if !kinds.contains(&name) {
            kinds.push(name);
        }
    }
    let curves = kinds.iter().map(|kind| {
        let rows: Vec<&Row> = rows.iter().filter(|row| name(row, several) == *kind).collect();
        curve(kind, &rows, |row| &row.total)
    });
    let cap = rows.iter().map(|row| row.couplings.max_meeting).max().unwrap_or_default();
    let runs = rows.first().map_or(0, |row| row.runs);
    let panel = |title: String, y_label: &str, curves: Vec<Curve>, log_y: bool| Panel {
        title,
        x_label: "visible units, and as many hidden ones".into(),
        y_label: y_label.into(),
        curves,
        reference: None,
        log_x: false,
        log_y,
        y_range: None,
    };
    let mut panels =
        vec![panel(format!("{runs} couplings each, cut at {cap} steps"), "tau + T, mean and quartiles", curves.collect(), true)];
    let ours: Vec<&Row> = rows.iter().filter(|row| row.names()[1..] == ["metropolis", "local-mode"]).collect();
    let one = ours.iter().all(|row| row.couplings.units == ours[0].couplings.units);
    if !ours.is_empty() && one {
        let curves = vec![curve("T", &ours, |row| &row.sweeps), curve("tau", &ours, |row| &row.tau)];
        panels.push(panel("Metropolis, local mode".into(), "steps, mean and quartiles", curves, false));
    }
    svg(&panels)
}

fn name(row: &Row, several: bool) -> String {
    let [units, kernel, start] = row.names();
    let start = start.replace('-', " ");
    if several { format!("{kernel}, {start}, {units}") } else { format!("{kernel}, {start}") }
}

fn curve(name: &str, rows: &[&Row], of: fn(&Row) -> &Spread) -> Curve {
    let edge = |place: usize| rows.iter().map(|row| of(row).quartiles[place]).collect();
    Curve {
        name: name.into(),
        points: rows.iter().map(|row| (row.couplings.dimension as f64, of(row).mean)).collect(),
        low: edge(0),
        high: edge(2),
    }
}
