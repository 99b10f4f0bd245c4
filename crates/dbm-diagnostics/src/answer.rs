//! Carries out commands.

use crate::models::{examples, in_full, model, of_source, small, words};
use dbm_core::Settings;
use dbm_core::diagnostics::{GradientSamples, exact_gradient, expectations};
use dbm_protocol::{CouplingRuns, DiagnosticsCommand, DiagnosticsEvent, EstimateJob, RunPairsJob};

/// Multiply-adds between two progress reports: some tens of milliseconds in a browser.
const WORK: u64 = 20_000_000;

/// Maximum number of couplings or samples in one job.
const MOST: u32 = 10_000_000;

/// Does a job. `progress` receives the number of parts done and the total, every few tens of milliseconds in a long one.
///
/// ```
/// use dbm_protocol::{DiagnosticsCommand, DiagnosticsEvent, ModelSource};
/// let source = ModelSource::Orthogonal { sizes: vec![4, 3], units: dbm_core::Units::Signs, seed: 1 };
/// let answer = dbm_diagnostics::answer(DiagnosticsCommand::Model(source), &mut |_, _| ());
/// let Ok(DiagnosticsEvent::Model(model)) = answer else { panic!() };
/// assert_eq!(model.weights[0].len(), 12);
/// ```
///
/// # Errors
/// In words: what was expected, what came, and what to do.
pub fn answer(command: DiagnosticsCommand, progress: &mut dyn FnMut(u32, u32)) -> Result<DiagnosticsEvent, String> {
    match command {
        DiagnosticsCommand::Model(source) => {
            of_source(source).and_then(|(model, _)| small(&model).map(|()| DiagnosticsEvent::Model(in_full(&model))))
        }
        DiagnosticsCommand::MeetingTimes(CouplingRuns { couplings, first_run, runs }) => {
            let range = range("couplings", first_run, runs)?;
            let model = couplings.model().map_err(words)?;
            Ok(DiagnosticsEvent::MeetingTimes(couplings.run(&model, range, &mut every(WORK, progress, runs))))
        }
        DiagnosticsCommand::Replay { model: given, plan } => {
            plan.run(&model(given)?).map(DiagnosticsEvent::Replay).map_err(words)
        }
        DiagnosticsCommand::Exact { model: given, data } => {
            let model = model(given)?;
            exact_gradient(&model, &examples(&model, &data)?).map(DiagnosticsEvent::Exact).map_err(words)
        }
        DiagnosticsCommand::Expectation { model: given, data, settings } => {
            let model = model(given)?;
            let data = examples(&model, &data)?;
            let mut progress = every(WORK, progress, data.len() as u32);
            expectations(&model, &data, &of_estimator(settings), &mut progress).map(DiagnosticsEvent::Expectation).map_err(words)
        }
        DiagnosticsCommand::Estimate(job) => estimate(job, progress),
        DiagnosticsCommand::RunPairs(RunPairsJob { model: source, pairs, first_pair, count }) => {
            let range = range("pairs of chains", first_pair, count)?;
            let (model, ladder) = of_source(source)?;
            let mut progress = every(WORK, progress, count);
            pairs.run(&model, ladder.as_ref(), range, &mut progress).map(DiagnosticsEvent::RunPairs).map_err(words)
        }
        DiagnosticsCommand::CorrectionProbability { plan, runs } => {
            plan.run(runs, &mut every(WORK, progress, runs)).map(DiagnosticsEvent::CorrectionProbability).map_err(words)
        }
    }
}

fn estimate(job: EstimateJob, progress: &mut dyn FnMut(u32, u32)) -> Result<DiagnosticsEvent, String> {
    let model = model(job.model)?;
    let data = examples(&model, &job.data)?;
    let range = range("samples", job.first_sample, job.samples)?;
    let settings = of_estimator(job.settings);
    let samples = GradientSamples::new(&model, &data, &settings).map_err(words)?;
    let mut progress = every(WORK, progress, job.samples);
    let (sums, chains) = samples.draw(range, &job.chains, &mut progress).map_err(words)?;
    Ok(DiagnosticsEvent::Estimate { sums, chains })
}

/// Settings of a run. Only the estimator's matter here; the shape of the run's images does not.
fn of_estimator(settings: Settings) -> Settings {
    Settings { image: None, ..settings }
}

/// Parts `first..first + count` of a job.
fn range(what: &str, first: u32, count: u32) -> Result<std::ops::Range<u32>, String> {
    if !(1..=MOST).contains(&count) {
        return Err(format!("1 to {MOST} {what} were expected, but {count} were requested; request fewer, in several jobs"));
    }
    match first.checked_add(count) {
        Some(end) => Ok(first..end),
        None => Err(format!("{what} are numbered up to {}, but {count} from {first} on were requested; begin lower", u32::MAX)),
    }
}

/// Passes progress on each time this much work has been done.
fn every(between: u64, progress: &mut dyn FnMut(u32, u32), total: u32) -> impl FnMut(u32, u64) {
    let mut since = 0_u64;
    move |done, work| {
        since = since.saturating_add(work);
        if since >= between {
            since = 0;
            progress(done.min(total), total);
        }
    }
}
