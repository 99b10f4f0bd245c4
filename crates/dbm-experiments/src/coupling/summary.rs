//! The runs of one kind, summarized as a row of a table.

use crate::columns::table;
use dbm_core::diagnostics::{CouplingRun, Couplings};
use dbm_core::words::Choose;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Mean, quantiles and maximum of some numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Mean of the values.
    pub mean: f64,
    /// The quartiles, with linear interpolation between two values.
    pub quartiles: [f64; 3],
    /// The 90 and 99 % quantiles, likewise.
    pub tail: [f64; 2],
    /// The maximum.
    pub largest: u32,
}

impl Spread {
    fn of(mut values: Vec<u32>) -> Self {
        values.sort_unstable();
        let Some(&largest) = values.last() else { return Self::default() };
        let last = values.len() - 1;
        let quantile = |percent: usize| {
            let place = (percent * last) as f64 / 100.0;
            let (below, above) = (values[place.floor() as usize], values[place.ceil() as usize]);
            f64::from(below) + place.fract() * f64::from(above - below)
        };
        let mean = values.iter().map(|&value| f64::from(value)).sum::<f64>() / values.len() as f64;
        Self { mean, quartiles: [25, 50, 75].map(quantile), tail: [90, 99].map(quantile), largest }
    }

    fn json(&self) -> Value {
        json!({ "mean": self.mean, "quartiles": self.quartiles, "q90": self.tail[0], "q99": self.tail[1], "max": self.largest })
    }
}

/// One kind of coupling at one dimension.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The kind, and its dimension.
    pub couplings: Couplings,
    /// Number of runs.
    pub runs: usize,
    /// Steps until the chains met.
    pub tau: Spread,
    /// Sweeps of the preceding search.
    pub sweeps: Spread,
    /// Both together, run by run.
    pub total: Spread,
    /// Share of runs with tau > 1.
    pub above_1: f64,
    /// Number of runs that were cut off.
    pub capped: usize,
    /// Number of draws that were cut off.
    pub tries_capped: u64,
}

impl Row {
    /// From these runs.
    pub fn new(couplings: Couplings, runs: &[CouplingRun]) -> Self {
        let spread = |of: fn(&CouplingRun) -> u32| Spread::of(runs.iter().map(of).collect());
        let above_1 = runs.iter().filter(|run| run.meeting.time > 1 || run.meeting.capped).count();
        Self {
            couplings,
            runs: runs.len(),
            tau: spread(|run| run.meeting.time),
            sweeps: spread(|run| run.sweeps),
            total: spread(|run| run.meeting.time.saturating_add(run.sweeps)),
            above_1: above_1 as f64 / runs.len().max(1) as f64,
            capped: runs.iter().filter(|run| run.meeting.capped).count(),
            tries_capped: runs.iter().map(|run| u64::from(run.tries_capped)).sum(),
        }
    }

    /// Share of runs that were cut off.
    pub fn share_capped(&self) -> f64 {
        self.capped as f64 / self.runs.max(1) as f64
    }

    /// Names of its units, kernel and start.
    pub fn names(&self) -> [&'static str; 3] {
        let Couplings { units, kernel, start, .. } = self.couplings;
        [units.choice().name, kernel.choice().name, start.choice().name]
    }

    /// One object of `--json`.
    pub fn line(&self) -> Value {
        let [units, kernel, start] = self.names();
        json!({ "event": "couplings", "dimension": self.couplings.dimension, "units": units, "kernel": kernel, "start": start,
                "runs": self.runs, "cap": self.couplings.max_meeting, "seed": self.couplings.seed, "tau": self.tau.json(), "T": self.sweeps.json(),
                "tau_plus_T": self.total.json(), "share_of_runs_with_tau_above_1": self.above_1, "capped": self.capped,
                "tries_capped": self.tries_capped })
    }
}

/// The table as CSV, one line per row.
pub fn csv(rows: &[Row]) -> String {
    const OF_SPREAD: [(&str, &str); 7] = [
        ("mean", "mean:4"),
        ("q1", "quartiles/0"),
        ("median", "quartiles/1"),
        ("q3", "quartiles/2"),
        ("q90", "q90"),
        ("q99", "q99"),
        ("max", "max"),
    ];
    let spread = |name: &str| OF_SPREAD.map(|(column, place)| format!("{name}_{column}={name}/{place}")).join(",");
    let spreads = ["tau", "T", "tau_plus_T"].map(spread).join(",");
    let columns =
        format!("dimension,units,kernel,start,runs,cap,seed,{spreads},share_of_runs_with_tau_above_1,capped,tries_capped");
    table(&columns, rows.iter().map(Row::line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_values() {
        let spread = Spread::of(vec![4, 1, 2, 3, 10, 6]);
        assert_eq!((spread.quartiles, spread.largest), ([2.25, 3.5, 5.5], 10));
        assert!((spread.mean - 26.0 / 6.0).abs() < 1e-15);
        assert_eq!((Spread::of(vec![7]).quartiles, Spread::of(vec![7]).tail), ([7.0; 3], [7.0; 2]));
        assert_eq!(Spread::of((1..=101).collect()).tail, [91.0, 100.0]);
        assert_eq!(Spread::of((1..=100).collect()).tail, [90.1, 99.01]);
    }
}
