//! A job, from its message to its answer.

use crate::models::{examples, model, of_source, words};
use crate::replay::replay;
use dbm_core::Settings;
use dbm_core::diagnostics::{self, CorrectionProbabilityPlan, Couplings, Samples};
use dbm_protocol::{
    CorrectionProbability, CouplingRuns, DiagnosticsCommand, DiagnosticsEvent, EstimateJob, EstimateSums, Exact, MeetingTimes,
};

/// Multiply-adds between two words about progress: some tens of milliseconds in a browser.
const WORK: u64 = 20_000_000;

/// Couplings, or samples, that one job may be asked for.
const MOST: u32 = 10_000_000;

/// Does a job. `progress` is told how many parts of how many are done, every few tens of milliseconds of a long one.
///
/// ```
/// use dbm_protocol::{ModelSource, DiagnosticsCommand, DiagnosticsEvent};
/// let source = ModelSource::Orthogonal { sizes: vec![4, 3], units: dbm_core::Units::Signs, seed: 1 };
/// let Ok(DiagnosticsEvent::Model(model)) = dbm_study::answer(DiagnosticsCommand::Model { source }, &mut |_, _| ()) else { panic!() };
/// assert_eq!(model.weights[0].len(), 12);
/// ```
///
/// # Errors
/// In words: what was expected, what came, and what to do.
pub fn answer(command: DiagnosticsCommand, progress: &mut dyn FnMut(u32, u32)) -> Result<DiagnosticsEvent, String> {
    match command {
        DiagnosticsCommand::Model { source } => of_source(source).map(DiagnosticsEvent::Model),
        DiagnosticsCommand::MeetingTimes(asked) => meet(&asked, progress).map(DiagnosticsEvent::MeetingTimes),
        DiagnosticsCommand::Replay(asked) => replay(asked).map(DiagnosticsEvent::Replay),
        DiagnosticsCommand::Exact { model: given, data } => {
            let model = model(given)?;
            let truth = diagnostics::exact_gradient(&model, &examples(&model, &data)?).map_err(words)?;
            Ok(DiagnosticsEvent::Exact(Exact {
                gradient: truth.gradient,
                positive: truth.positive,
                negative: truth.negative,
                log_likelihood: truth.log_likelihood,
                log_z: truth.log_z,
                unit_probabilities: truth.unit_probabilities,
            }))
        }
        DiagnosticsCommand::Law { model: given, data, settings } => {
            let model = model(given)?;
            let data = examples(&model, &data)?;
            let mut told = every(WORK, progress, data.len() as u32);
            let law = diagnostics::expectations(&model, &data, &studied(settings), &mut told).map_err(words)?;
            Ok(DiagnosticsEvent::Law { mean: law.mean, positive: law.positive, negative: law.negative, unmet: law.unmet })
        }
        DiagnosticsCommand::Estimate(asked) => estimate(asked, progress).map(DiagnosticsEvent::Estimate),
        DiagnosticsCommand::CorrectionProbability { sizes, units, seed, runs } => {
            let plan = CorrectionProbabilityPlan { sizes: sizes.into_iter().map(|n| n as usize).collect(), units, seed };
            let seen = plan.run(runs, &mut every(WORK, progress, runs)).map_err(words)?;
            let diagnostics::CorrectionProbability { runs, moved, log10_probability, exact } = seen;
            Ok(DiagnosticsEvent::CorrectionProbability(CorrectionProbability { runs, moved, log10_probability, exact }))
        }
    }
}

fn meet(asked: &CouplingRuns, progress: &mut dyn FnMut(u32, u32)) -> Result<MeetingTimes, String> {
    let couplings = Couplings {
        dimension: asked.dimension as usize,
        units: asked.units,
        kernel: asked.kernel,
        start: asked.start,
        max_meeting: asked.max_meeting,
        max_tries: asked.max_tries,
        seed: asked.seed,
    };
    let runs = range("couplings", asked.first_run, asked.runs)?;
    let model = couplings.model().map_err(words)?;
    let runs = couplings.run(&model, runs, &mut every(WORK, progress, asked.runs));
    Ok(MeetingTimes {
        meeting_times: runs.iter().map(|run| run.meeting.time).collect(),
        sweeps: runs.iter().map(|run| run.sweeps).collect(),
        capped: runs.iter().map(|run| u8::from(run.meeting.capped)).collect(),
        tries_capped: runs.iter().map(|run| run.tries_capped).fold(0, u32::saturating_add),
    })
}

fn estimate(asked: EstimateJob, progress: &mut dyn FnMut(u32, u32)) -> Result<EstimateSums, String> {
    let model = model(asked.model)?;
    let data = examples(&model, &asked.data)?;
    let range = range("samples", asked.first_sample, asked.samples)?;
    let settings = studied(asked.settings);
    let samples = Samples::new(&model, &data, &settings).map_err(words)?;
    let mut told = every(WORK, progress, asked.samples);
    let (sums, chains) = samples.draw(range, &asked.chains, &mut told).map_err(words)?;
    Ok(EstimateSums {
        samples: sums.samples,
        sums: sums.sums,
        group_squares: sums.group_squares,
        groups: sums.groups,
        meeting_times: sums.meeting_times.into_iter().collect(),
        meeting_times_positive: sums.meeting_times_positive.into_iter().collect(),
        capped: sums.capped,
        tries_capped: sums.tries_capped,
        chains,
    })
}

/// Settings of a run, of which only the estimator's matter here: the shape of the run's images does not.
fn studied(settings: Settings) -> Settings {
    Settings { image: None, ..settings }
}

/// Parts `first..first + count` of a job.
fn range(what: &str, first: u32, count: u32) -> Result<std::ops::Range<u32>, String> {
    if !(1..=MOST).contains(&count) {
        return Err(format!("1 to {MOST} {what} were expected, but {count} were asked for; ask for some, in several jobs"));
    }
    match first.checked_add(count) {
        Some(end) => Ok(first..end),
        None => Err(format!("{what} are numbered up to {}, but {count} from {first} on were asked for; begin lower", u32::MAX)),
    }
}

/// Passes progress on whenever that much work was done.
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
