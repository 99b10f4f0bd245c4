//! What is to be run, cut into jobs of about the same length, in an order that fills the figure everywhere.

use super::figure_settings::FigureSettings;
use super::pairs::Pair;
use super::results::Results;
use dbm_core::Units;
use dbm_core::diagnostics::{CouplingKernel, CouplingStart, Couplings};
use dbm_protocol::CouplingRuns;

/// About half a second of a worker, in [`cost`]'s unit.
const SLICE: f64 = 4e8;

/// What a run is expected to cost, in multiplications: only the order of the jobs and where they are cut depend on it, never a number of the figure.
fn cost(settings: &FigureSettings, pair: Pair, dimension: u32) -> f64 {
    let wide = f64::from(dimension);
    let square = wide * wide;
    let search = if pair.row().start == CouplingStart::LocalMode { 24.0 * square } else { 0.0 };
    let coupling = match (pair.row().kernel, settings.units) {
        // Measured: a mean of 19 steps at 25, of 107 at 50, of 604 at 75.
        (CouplingKernel::Gibbs, Units::Signs) => {
            (1.1 + 0.0725 * wide).exp().min(f64::from(settings.cap)) * (4.0 * square + 200.0 * wide)
        }
        (CouplingKernel::Gibbs, Units::Bits) => 5.0 * (4.0 * square + 200.0 * wide),
        (CouplingKernel::Metropolis, _) => 20.0 * square,
    };
    search + coupling + 2000.0
}

/// The jobs, each with its pair. The cheap ones of every point come first, so that dear points fill side by side once the others are done.
pub fn jobs(settings: &FigureSettings, results: &Results) -> Vec<(Pair, CouplingRuns)> {
    let mut all: Vec<(f64, Pair, CouplingRuns)> = Vec::new();
    for &dimension in &settings.dimensions {
        for &pair in &settings.pairs {
            let each = cost(settings, pair, dimension);
            let most = (SLICE / each).floor().clamp(1.0, f64::from(settings.runs)) as u32;
            let mut spent = 0.0;
            for (first, count) in results.missing(settings, pair, dimension) {
                for first_run in (first..first + count).step_by(most as usize) {
                    let runs = most.min(first + count - first_run);
                    spent += each * f64::from(runs);
                    let couplings = Couplings {
                        dimension: dimension as usize,
                        units: settings.units,
                        kernel: pair.row().kernel,
                        start: pair.row().start,
                        max_meeting: settings.cap,
                        max_tries: settings.tries,
                        seed: settings.seed,
                    };
                    all.push((spent, pair, CouplingRuns { couplings, first_run, runs }));
                }
            }
        }
    }
    all.sort_by(|(one, ..), (other, ..)| one.total_cmp(other));
    all.into_iter().map(|(_, pair, job)| (pair, job)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::figure_settings::{FigureDraft, FigureField};
    use super::*;
    use dbm_core::coupling::Meeting;
    use dbm_core::diagnostics::CouplingRun;
    use std::collections::BTreeMap;

    fn met(job: &CouplingRuns) -> Vec<CouplingRun> {
        let run = CouplingRun { meeting: Meeting { time: 1, capped: false }, sweeps: 1, tries_capped: 0 };
        vec![run; job.runs as usize]
    }

    #[test]
    fn every_run_is_in_one_job_and_long_ones_are_cut() {
        let settings = FigureDraft::default().check().unwrap();
        let jobs = jobs(&settings, &Results::default());
        let mut seen = BTreeMap::<(usize, Pair), Vec<u32>>::new();
        for (pair, job) in &jobs {
            assert!(job.runs >= 1);
            seen.entry((job.couplings.dimension, *pair)).or_default().extend(job.first_run..job.first_run + job.runs);
        }
        assert_eq!(seen.len(), 17 * 4);
        for runs in seen.values_mut() {
            runs.sort_unstable();
            assert_eq!(*runs, (0..100).collect::<Vec<u32>>());
        }
        let of = |pair, dimension| jobs.iter().filter(|(p, job)| *p == pair && job.couplings.dimension == dimension).count();
        assert_eq!((of(Pair::GibbsUniform, 5), of(Pair::MetropolisMode, 200)), (1, 1));
        assert!(of(Pair::GibbsUniform, 200) >= 20, "{}", of(Pair::GibbsUniform, 200));
        // The paper's pair is there everywhere long before the last Gibbs coupling.
        let last_metropolis = jobs.iter().rposition(|(pair, _)| pair.row().kernel == CouplingKernel::Metropolis).unwrap();
        assert!(last_metropolis < jobs.len() / 2, "{last_metropolis} of {}", jobs.len());
    }

    #[test]
    fn only_what_is_missing_is_asked_for() {
        let mut draft = FigureDraft::default();
        draft.set(FigureField::Dimensions, "5, 50");
        draft.set(FigureField::Runs, "10");
        let settings = draft.check().unwrap();
        let mut results = Results::default();
        for (pair, job) in jobs(&settings, &results) {
            results.take(&settings, pair, &job, &met(&job)).unwrap();
        }
        assert!(jobs(&settings, &results).is_empty());
        draft.set(FigureField::Dimensions, "5, 6, 50");
        draft.set(FigureField::Runs, "12");
        let more = jobs(&draft.check().unwrap(), &results);
        let runs: u32 = more.iter().map(|(_, job)| job.runs).sum();
        assert_eq!(runs, 4 * (2 + 2 + 12));
        assert!(more.iter().all(|(_, job)| job.couplings.dimension == 6 || job.first_run == 10));
    }
}
