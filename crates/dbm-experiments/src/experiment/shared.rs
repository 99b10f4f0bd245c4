//! Measurements that need no model: real digits, the nearest training digits, and meeting times of couplings.

use super::measure::{Measured, json_of};
use super::training_plan::mistake;
use super::workspace::Workspace;
use crate::coupling::{Kinds, Row, pieces, rows};
use crate::score::Reference;
use crate::{Error, answers};
use dbm_core::Units;
use dbm_core::diagnostics::{CouplingKernel, CouplingStart};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// A measure that needs no model.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum SharedMeasure {
    /// Scores of the first 10 000 training digits: no model needs better ones.
    TrainingDigits,
    /// Baselines for the hidden part of the first test digits: that of the nearest training digit, nothing, and the truth.
    Rivals { mask: String, count: usize },
    /// Couplings of models in every dimension, with both kinds of units, both kernels and both starts.
    MeetingTimes {
        /// Dimensions, starting at 1.
        largest: usize,
        /// Runs at each dimension.
        runs: u32,
        /// Steps after which a coupling is cut off.
        cap: u32,
        /// Dimension from which on runs with more than one step are counted.
        late_from: usize,
    },
}

/// Maximum number of tries for one draw of the Gibbs coupling.
const MAX_TRIES: u32 = 10_000;
/// If less than this share of the runs is cut off, the mean says how long a coupling takes.
const HARDLY_CUT: f64 = 0.1;

impl SharedMeasure {
    /// Measures, or loads an earlier measurement.
    ///
    /// # Errors
    /// [`Error::Input`] for missing digits; those of the measurement and of the cell.
    pub fn of(&self, name: &str, reference: Option<&Reference>, workspace: &Workspace) -> Result<Measured, Error> {
        if let Self::MeetingTimes { largest, runs, cap, late_from } = *self {
            return meeting_times(workspace, (largest, runs, cap), late_from);
        }
        let reference = reference.ok_or_else(|| mistake(format!("{name}: this measure needs digits")))?;
        let digits = [&reference.train, &reference.test].map(|half| (&half.name, half.examples.len()));
        let scores = workspace.cell(name, &(self, workspace.seed, digits), || match self {
            Self::Rivals { mask, count } => rivals(workspace, reference, mask, *count),
            _ => json_of(name, &reference.floor(workspace.session)?),
        })?;
        Ok(Measured { scores, ..Measured::default() })
    }
}

fn rivals(workspace: &Workspace, reference: &Reference, mask: &str, count: usize) -> Result<Value, Error> {
    let (session, examples) = (workspace.session, &reference.test.examples);
    let count = count.min(examples.len());
    let unknown = answers::unknown(mask, workspace.seed, count, &reference.test, reference.test.image)?;
    let truth: Vec<u8> = (0..count).flat_map(|row| examples.row(row)).collect();
    let blank: Vec<u8> = truth.iter().zip(&unknown).map(|(&bit, &unknown)| if unknown == 0 { bit } else { 0 }).collect();
    Ok(json!({
        "nearest": json_of(mask, &reference.nearest(session, &unknown, count)?)?,
        "blank": json_of(mask, &reference.completions(session, &unknown, count, &blank)?)?,
        "truth": json_of(mask, &reference.completions(session, &unknown, count, &truth)?)?,
    }))
}

/// All rows, computed dimension by dimension, and their summary.
fn meeting_times(workspace: &Workspace, (largest, runs, cap): (usize, u32, u32), late_from: usize) -> Result<Measured, Error> {
    let kinds = Kinds {
        units: vec![Units::Signs, Units::Bits],
        kernels: vec![CouplingKernel::Metropolis, CouplingKernel::Gibbs],
        starts: vec![CouplingStart::LocalMode, CouplingStart::Uniform],
        cap,
        max_tries: MAX_TRIES,
        seed: workspace.seed,
    };
    let progress = &workspace.session.progress;
    progress.begin("pieces", largest as u64 * pieces(&kinds.at(1)?, runs));
    let mut all = Vec::new();
    // The widest take longest: the work left at the end is quick, and the progress bar's estimate errs on the safe side.
    for dimension in (1..=largest).rev() {
        let couplings = kinds.at(dimension)?;
        let of_dimension = || rows(&couplings, runs, workspace.session);
        let part = workspace.cell(&format!("d{dimension:03}"), &(&couplings, runs), of_dimension)?;
        progress.resume((largest - dimension + 1) as u64 * pieces(&couplings, runs));
        all.splice(0..0, part);
    }
    progress.end();
    Ok(Measured { scores: summary(&all, late_from), meeting_times: all, ..Measured::default() })
}

/// For each kind of coupling, with a name like `signs_gibbs_uniform`, how its steps grow with the dimension.
fn summary(rows: &[Row], late_from: usize) -> Value {
    let mut kinds: Map<String, Value> = Map::new();
    for names in crate::plot::distinct(rows.iter().map(Row::names)) {
        let of = || rows.iter().filter(|row| row.names() == names);
        let dimension = |row: &&Row| row.couplings.dimension;
        let uncut = || of().filter(|row| row.share_capped() < HARDLY_CUT);
        let late = || of().filter(|row| row.couplings.dimension >= late_from);
        let sweeps = of().filter(|row| row.sweeps.mean > 0.0);
        let power = fit(sweeps.map(|row| ((row.couplings.dimension as f64).ln(), row.sweeps.mean.ln()))).0;
        let its = json!({
            "last": of().max_by_key(dimension).map(Row::line),
            "last_uncut": uncut().max_by_key(dimension).map(Row::line),
            "last_above_1": of().filter(|row| row.above_1 > 0.0).map(|row| row.couplings.dimension).max().unwrap_or(0),
            "late": late().map(|row| (row.above_1 * row.runs as f64).round()).sum::<f64>(),
            "late_runs": late().map(|row| row.runs).sum::<usize>(),
            "most_sweeps": of().map(|row| row.sweeps.mean).fold(0.0, f64::max),
            "sweeps_power": power,
            "exponential": exponential(uncut()),
        });
        kinds.insert(names.join("_").replace('-', "_"), its);
    }
    kinds.into()
}

/// Whether the mean number of steps grows exponentially with the dimension: its logarithm is closer to a straight line over d than over log
/// d, and doubles at least once on it.
fn exponential<'r>(rows: impl Iterator<Item = &'r Row>) -> bool {
    let met = rows.filter(|row| row.tau.mean > 0.0);
    let points: Vec<(f64, f64)> = met.map(|row| (row.couplings.dimension as f64, row.tau.mean.ln())).collect();
    let reach = points.iter().map(|(d, _)| *d).fold(0.0, f64::max);
    let ((slope, by_d), (_, by_log_d)) = (fit(points.iter().copied()), fit(points.iter().map(|&(d, y)| (d.ln(), y))));
    points.len() > 2 && by_d < by_log_d && slope * reach > std::f64::consts::LN_2
}

/// Least squares: the slope of y over x, and the mean squared residual.
fn fit(points: impl Iterator<Item = (f64, f64)>) -> (f64, f64) {
    let points: Vec<(f64, f64)> = points.collect();
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / points.len().max(1) as f64;
    let (x, y) = (mean(&|p| p.0), mean(&|p| p.1));
    let variance = mean(&|p| (p.0 - x).powi(2));
    let slope = if variance > 0.0 { mean(&|p| (p.0 - x) * (p.1 - y)) / variance } else { 0.0 };
    (slope, mean(&|p| (p.1 - y - slope * (p.0 - x)).powi(2)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coupling::Spread;
    use dbm_core::diagnostics::Couplings;

    /// Rows at dimensions 1 to 100 whose couplings take this long on average.
    fn rows(tau: fn(f64) -> f64, sweeps: fn(f64) -> f64, above_1: fn(usize) -> f64) -> Vec<Row> {
        let row = |dimension: usize| Row {
            couplings: Couplings {
                dimension,
                units: Units::Signs,
                kernel: CouplingKernel::Gibbs,
                start: CouplingStart::LocalMode,
                max_meeting: 1000,
                max_tries: 10_000,
                seed: 1,
            },
            runs: 100,
            tau: Spread { mean: tau(dimension as f64), ..Spread::default() },
            sweeps: Spread { mean: sweeps(dimension as f64), ..Spread::default() },
            total: Spread::default(),
            above_1: above_1(dimension),
            capped: 0,
            tries_capped: 0,
        };
        (1..=100).map(row).collect()
    }

    #[test]
    fn what_grows_exponentially_and_what_comes_late_is_seen() {
        let grows =
            |tau| summary(&rows(tau, f64::sqrt, |d| if d == 27 { 0.01 } else { 0.0 }), 25)["signs_gibbs_local_mode"].clone();
        let growing = grows(|d| 2.0 * (0.07 * d).exp());
        assert_eq!((&growing["exponential"], &growing["late"], &growing["late_runs"]), (&json!(true), &json!(1.0), &json!(7600)));
        assert_eq!(growing["last_above_1"], 27);
        for last in ["last", "last_uncut"] {
            assert_eq!(growing[last]["dimension"], 100, "{last}: {growing}");
        }
        assert!((growing["sweeps_power"].as_f64().unwrap() - 0.5).abs() < 1e-9, "{growing}");
        assert_eq!(
            [grows(|d| 2.0 * d)["exponential"].clone(), grows(|_| 1.0)["exponential"].clone()],
            [json!(false), json!(false)]
        );
    }
}
