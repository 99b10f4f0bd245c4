//! Cuts the missing runs into jobs of similar length, in an order that fills the figure everywhere at once.

use super::figure_settings::FigureSettings;
use super::pairs::Pair;
use super::results::Results;
use dbm_core::Units;
use dbm_core::diagnostics::{CouplingKernel, CouplingStart};
use dbm_protocol::CouplingRuns;

/// About half a second of a worker, in [`cost`]'s unit.
const SLICE: f64 = 4e8;

/// Expected cost of a run, in multiplications. Only the order and the size of the jobs depend on it, never a number in the
/// figure.
fn cost(settings: &FigureSettings, pair: &Pair, dimension: u32) -> f64 {
    let wide = f64::from(dimension);
    let square = wide * wide;
    let search = if pair.start == CouplingStart::LocalMode { 24.0 * square } else { 0.0 };
    let coupling = match (pair.kernel, settings.units) {
        // Measured: a mean of 19 steps at d = 25, of 107 at 50, of 604 at 75.
        (CouplingKernel::Gibbs, Units::Signs) => {
            (1.1 + 0.0725 * wide).exp().min(f64::from(settings.cap)) * (4.0 * square + 200.0 * wide)
        }
        (CouplingKernel::Gibbs, Units::Bits) => 5.0 * (4.0 * square + 200.0 * wide),
        (CouplingKernel::Metropolis, _) => 20.0 * square,
    };
    search + coupling + 2000.0
}

/// The jobs. The cheap ones of every point come first; after them the expensive points fill side by side.
pub fn jobs(settings: &FigureSettings, results: &Results) -> Vec<CouplingRuns> {
    let mut all: Vec<(f64, CouplingRuns)> = Vec::new();
    for (dimension, pair) in settings.points() {
        let each = cost(settings, pair, dimension);
        let most = (SLICE / each).floor().clamp(1.0, f64::from(settings.runs)) as u32;
        let mut spent = 0.0;
        for (first_run, runs) in results.missing(settings, pair, dimension, most) {
            spent += each * f64::from(runs);
            all.push((spent, CouplingRuns { couplings: settings.couplings(pair, dimension), first_run, runs }));
        }
    }
    all.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    all.into_iter().map(|(_, job)| job).collect()
}

#[cfg(test)]
mod tests {
    use super::super::figure_settings::given;
    use super::*;
    use dbm_core::coupling::Meeting;
    use dbm_core::diagnostics::CouplingRun;

    fn met(job: &CouplingRuns) -> Vec<CouplingRun> {
        let run = CouplingRun { meeting: Meeting { time: 1, capped: false }, sweeps: 1, tries_capped: 0 };
        vec![run; job.runs as usize]
    }

    #[test]
    fn every_run_is_in_one_job_and_long_ones_are_cut() {
        let settings = given(&[]);
        let jobs = jobs(&settings, &Results::default());
        assert_eq!(settings.points().count(), 17 * 4);
        let of = |pair: &Pair, dimension| {
            let couplings = settings.couplings(pair, dimension);
            jobs.iter().filter(move |job| job.couplings == couplings)
        };
        for (dimension, pair) in settings.points() {
            let mut runs: Vec<u32> = of(pair, dimension).flat_map(|job| job.first_run..job.first_run + job.runs).collect();
            runs.sort_unstable();
            assert_eq!(runs, (0..100).collect::<Vec<u32>>());
        }
        assert!(jobs.iter().all(|job| job.runs >= 1));
        let [paper, .., gibbs] = settings.pairs[..] else { panic!("{:?}", settings.pairs) };
        assert_eq!((of(gibbs, 5).count(), of(paper, 200).count()), (1, 1));
        assert!(of(gibbs, 200).count() >= 20, "{}", of(gibbs, 200).count());
        // The paper's pair is complete long before the last Gibbs coupling.
        let last_metropolis = jobs.iter().rposition(|job| job.couplings.kernel == CouplingKernel::Metropolis).unwrap();
        assert!(last_metropolis < jobs.len() / 2, "{last_metropolis} of {}", jobs.len());
    }

    #[test]
    fn only_what_is_missing_is_asked_for() {
        let before = given(&[("d", "5, 50"), ("runs", "10")]);
        let mut results = Results::default();
        for job in jobs(&before, &results) {
            results.take(&before, &job, &met(&job)).unwrap();
        }
        assert!(jobs(&before, &results).is_empty());
        let more = jobs(&given(&[("d", "5, 6, 50"), ("runs", "12")]), &results);
        assert_eq!(more.iter().map(|job| job.runs).sum::<u32>(), 4 * (2 + 2 + 12));
        assert!(more.iter().all(|job| job.couplings.dimension == 6 || job.first_run == 10));
    }
}
