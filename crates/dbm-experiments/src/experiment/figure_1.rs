//! Figure 1 of the paper: how long couplings take to meet, by dimension.

use super::report::{Entry, Report, Verdict};
use super::workspace::Workspace;
use crate::Error;
use crate::coupling::{Kinds, Row, csv, figure, pieces, rows};
use dbm_core::Units;
use dbm_core::diagnostics::{CouplingKernel, CouplingStart};
use minijinja::{Value, context};
use serde::Serialize;

const REPORT: Report =
    Report { name: "figure-1", place: 1, template: include_str!("templates/figure-1.md"), data: &["figure-1.csv"] };

/// A dimension's part of it.
#[derive(Serialize)]
struct Part<'a> {
    dimension: usize,
    runs: u32,
    kinds: [&'a str; 3],
    cap: u32,
    max_tries: u32,
    seed: u64,
}

pub fn run(workspace: &Workspace) -> Result<Entry, Error> {
    let (largest, runs, cap) = workspace.pick((200, 100, 1000), (12, 10, 50));
    let kinds = Kinds {
        units: vec![Units::Signs, Units::Bits],
        kernels: vec![CouplingKernel::Metropolis, CouplingKernel::Gibbs],
        starts: vec![CouplingStart::LocalMode, CouplingStart::Uniform],
        cap,
        max_tries: 10_000,
        seed: workspace.seed,
    };
    let progress = &workspace.session.progress;
    progress.begin("pieces", largest as u64 * pieces(&kinds.at(1)?, runs));
    let mut all = Vec::new();
    // The widest take longest: what is left in the end is quick, and the bar's estimate errs on the safe side.
    for dimension in (1..=largest).rev() {
        let couplings = kinds.at(dimension)?;
        let part = Part {
            dimension,
            runs,
            kinds: ["signs,bits", "metropolis,gibbs", "local-mode,uniform"],
            cap,
            max_tries: kinds.max_tries,
            seed: kinds.seed,
        };
        let (part, _) = workspace.cell(&format!("d{dimension:03}"), &part, || rows(&couplings, runs, workspace.session))?;
        progress.resume((largest - dimension + 1) as u64 * pieces(&couplings, runs));
        all.splice(0..0, part);
    }
    progress.end();
    workspace.write("figure-1.csv", csv(&all).as_bytes())?;
    workspace.write_figure("figure-1", &figure(&all)?)?;
    let (facts, verdict) = facts(&all, cap);
    REPORT.entry(workspace, &facts, verdict)
}

/// The dimension from which on the paper has tau = 1 in every run.
const PAPER_DIMENSION: usize = 25;
/// Of the runs from there on, at most this share may need more than one step where we agree with the paper: it has 100 runs at a dimension.
const RARE: f64 = 1e-3;
/// Where less than this share of the runs is cut, the mean tells how long a coupling takes.
const HARDLY_CUT: f64 = 0.1;

/// What the figure says, in numbers; and of the paper's four claims, whether all, some or none hold.
fn facts(rows: &[Row], cap: u32) -> (Value, Verdict) {
    let kind = |names: [&'static str; 3]| rows.iter().filter(move |row| row.names() == names);
    let last = |names| kind(names).max_by_key(|row| row.couplings.dimension);
    let largest = rows.iter().map(|row| row.couplings.dimension).max().unwrap_or(0);
    // Metropolis couplings from a mode, signs; and those at the dimensions at which the paper has tau = 1, of which some may have a larger one.
    let modes = ["signs", "metropolis", "local-mode"];
    let last_late = kind(modes).filter(|row| row.above_1 > 0.0).map(|row| row.couplings.dimension).max().unwrap_or(0);
    let high = || kind(modes).filter(|row| row.couplings.dimension >= PAPER_DIMENSION);
    let late: usize = high().map(|row| (row.above_1 * row.runs as f64).round() as usize).sum();
    let of: usize = high().map(|row| row.runs).sum();
    // T grows like d to this power.
    let sweeps: Vec<(f64, f64)> = kind(modes).map(|row| (row.couplings.dimension as f64, row.sweeps.mean)).collect();
    let power = fit(sweeps.iter().filter(|(_, t)| *t > 0.0).map(|&(d, t)| (d.ln(), t.ln()))).0;
    let gibbs = ["signs", "gibbs", "uniform"];
    let uncut = kind(gibbs).filter(|row| row.share_capped() < HARDLY_CUT).max_by_key(|row| row.couplings.dimension);
    let (mean, most) = last(["signs", "metropolis", "uniform"]).map_or((0.0, 0), |row| (row.tau.mean, row.tau.largest));
    let [uniform, mode, bits] =
        [gibbs, ["signs", "gibbs", "local-mode"], ["bits", "gibbs", "uniform"]].map(|names| exponential(kind(names)));

    let one = of > 0 && late as f64 <= RARE * of as f64;
    let claims = [uniform, mode, one, power < 1.0];
    let verdict = Verdict::of(claims.into_iter().filter(|&holds| holds).count(), claims.len());
    let facts = context! {
        paper_dimension => PAPER_DIMENSION,
        runs => rows.first().map_or(0, |row| row.runs),
        cap, largest,
        one_from => (last_late < largest).then_some(last_late + 1),
        late => context! { runs => late, of, last => last_late },
        most_sweeps => format!("{:.0}", sweeps.iter().map(|(_, t)| *t).fold(0.0, f64::max).ceil()),
        sweeps_power => format!("{power:.1}"),
        slowly => power < 1.0,
        gibbs => uncut.map(|row| context! { dimension => row.couplings.dimension, mean => format!("{:.0}", row.tau.mean) }),
        // Percentage of the Gibbs couplings of signs from uniform states that are cut at the largest dimension.
        cut => format!("{:.0}", 100.0 * last(gibbs).map_or(0.0, Row::share_capped)),
        exponential => context! { uniform, mode, bits },
        bits => format!("{:.1}", last(["bits", "gibbs", "uniform"]).map_or(0.0, |row| row.tau.mean)),
        // Whether single runs make the mean.
        uniform => context! { mean => format!("{mean:.1}"), most, jumps => f64::from(most) > 10.0 * mean },
    };
    (facts, verdict)
}

/// Whether mean steps of these grow exponentially with the dimension, as far as hardly any are cut: their logarithm lies closer to a straight line over d
/// than over log d, and doubles at least once on it.
fn exponential<'r>(rows: impl Iterator<Item = &'r Row>) -> bool {
    let uncut = rows.filter(|row| row.share_capped() < HARDLY_CUT && row.tau.mean > 0.0);
    let points: Vec<(f64, f64)> = uncut.map(|row| (row.couplings.dimension as f64, row.tau.mean.ln())).collect();
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
    use super::super::report::committed;
    use super::*;
    use crate::coupling::Spread;
    use dbm_core::diagnostics::Couplings;
    use dbm_core::words::Choose;

    /// Of 100 runs with this mean tau and these mean sweeps.
    fn row((dimension, units, kernel, start): (usize, Units, CouplingKernel, CouplingStart), tau: f64, sweeps: f64) -> Row {
        Row {
            couplings: Couplings { dimension, units, kernel, start, max_meeting: 1000, max_tries: 10_000, seed: 1 },
            runs: 100,
            tau: Spread { mean: tau, ..Spread::default() },
            sweeps: Spread { mean: sweeps, ..Spread::default() },
            total: Spread::default(),
            above_1: 1.0,
            capped: 0,
            tries_capped: 0,
        }
    }

    /// Rows at dimensions 1 to 100: of Gibbs couplings with these means, of Metropolis couplings from modes with these shares above 1 and sweeps.
    fn rows(gibbs: fn(f64) -> f64, bits: fn(f64) -> f64, above_1: fn(usize) -> f64, sweeps: fn(f64) -> f64) -> Vec<Row> {
        let all = |d: usize| {
            use {CouplingKernel::Gibbs, CouplingKernel::Metropolis, CouplingStart::LocalMode, CouplingStart::Uniform};
            let x = d as f64;
            [
                Row { above_1: above_1(d), ..row((d, Units::Signs, Metropolis, LocalMode), 1.0, sweeps(x)) },
                row((d, Units::Signs, Gibbs, LocalMode), gibbs(x), sweeps(x)),
                row((d, Units::Signs, Gibbs, Uniform), gibbs(x), sweeps(x)),
                row((d, Units::Bits, Gibbs, Uniform), bits(x), sweeps(x)),
            ]
        };
        (1..=100).flat_map(all).collect()
    }

    #[test]
    fn what_is_said_follows_the_data() {
        let early = |d| if d < 20 || d == 27 { 0.01 } else { 0.0 };
        let agreeing = rows(|d| 2.0 * (0.07 * d).exp(), |d| 2.0 + d.ln(), early, |d| 2.0 * d.sqrt());
        let contradicting = rows(|d| 2.0 * d, |d| (0.05 * d).exp(), |_| 0.5, |d| 3.0 * d.powf(1.5));
        let between = rows(|d| (0.07 * d).exp(), |d| d, |_| 0.5, f64::sqrt);
        let cases: [(_, _, &[&str]); 3] = [
            (
                agreeing,
                Verdict::Agrees,
                &[
                    "is 1 in every run from d = 28",
                    "1 of 7600 runs still needs more",
                    "the last at d = 27",
                    "from both starts",
                    "must have been made with signs",
                    "power of 0.5, slowly",
                ],
            ),
            (
                contradicting,
                Verdict::Differs,
                &[
                    "above 1 now and then",
                    "3800 of 7600 runs still need",
                    "no exponential growth",
                    "exponentially as well",
                    "1.5, not slowly",
                ],
            ),
            (between, Verdict::InPart, &[]),
        ];
        for (rows, expected, parts) in cases {
            let (facts, verdict) = facts(&rows, 1000);
            let said = committed::said(&REPORT, &facts);
            assert_eq!(verdict, expected, "{said}");
            parts.iter().for_each(|part| assert!(said.contains(part), "{part}: {said}"));
        }
    }

    #[test]
    fn the_committed_entry_says_what_the_committed_numbers_do() {
        let committed_row = |line: &committed::Line| {
            let whole = |column: &str| line.number(column) as u32;
            let kernel = CouplingKernel::named(line.text("kernel")).unwrap();
            let start = CouplingStart::named(line.text("start")).unwrap();
            let kind = (whole("dimension") as usize, Units::named(line.text("units")).unwrap(), kernel, start);
            let mut row = row(kind, line.number("tau_mean"), line.number("T_mean"));
            row.tau.largest = whole("tau_max");
            (row.above_1, row.capped) = (line.number("share_of_runs_with_tau_above_1"), whole("capped") as usize);
            assert_eq!((whole("runs"), whole("cap")), (100, 1000));
            row
        };
        let (facts, verdict) = facts(&committed::table("figure-1.csv").iter().map(committed_row).collect::<Vec<_>>(), 1000);
        committed::assert_says(&REPORT, &facts, verdict);
    }
}
