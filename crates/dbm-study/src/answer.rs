//! A job, from its message to its answer.

use crate::models::{examples, model, of_source, words};
use crate::replay::replay;
use dbm_core::Settings;
use dbm_core::study::{self, Couplings, Samples, SeenPlan};
use dbm_protocol::{EstimateOf, Estimated, Exact, Meet, Met, Seen, StudyCommand, StudyEvent};

/// Multiply-adds between two words about progress: some tens of milliseconds in a browser.
const WORK: u64 = 20_000_000;

/// Couplings, or samples, that one job may be asked for.
const MOST: u32 = 10_000_000;

/// Does a job. `progress` is told how many parts of how many are done, every few tens of milliseconds of a long one.
///
/// ```
/// use dbm_protocol::{ModelSource, StudyCommand, StudyEvent};
/// let source = ModelSource::Orthogonal { sizes: vec![4, 3], units: dbm_core::Units::Signs, seed: 1 };
/// let Ok(StudyEvent::Model(model)) = dbm_study::answer(StudyCommand::Model { source }, &mut |_, _| ()) else { panic!() };
/// assert_eq!(model.weights[0].len(), 12);
/// ```
///
/// # Errors
/// In words: what was expected, what came, and what to do.
pub fn answer(command: StudyCommand, progress: &mut dyn FnMut(u32, u32)) -> Result<StudyEvent, String> {
    match command {
        StudyCommand::Model { source } => of_source(source).map(StudyEvent::Model),
        StudyCommand::Meet(asked) => meet(&asked, progress).map(StudyEvent::Met),
        StudyCommand::Replay(asked) => replay(asked).map(StudyEvent::Replay),
        StudyCommand::Exact { model: given, data } => {
            let model = model(given)?;
            let truth = study::truth(&model, &examples(&model, &data)?).map_err(words)?;
            Ok(StudyEvent::Exact(Exact {
                gradient: truth.gradient,
                positive: truth.positive,
                negative: truth.negative,
                log_likelihood: truth.log_likelihood,
                log_z: truth.log_z,
                unit_probabilities: truth.unit_probabilities,
            }))
        }
        StudyCommand::Law { model: given, data, settings } => {
            let model = model(given)?;
            let data = examples(&model, &data)?;
            let mut told = every(WORK, progress, data.len() as u32);
            let law = study::expectations(&model, &data, &studied(settings), &mut told).map_err(words)?;
            Ok(StudyEvent::Law { mean: law.mean, positive: law.positive, negative: law.negative, unmet: law.unmet })
        }
        StudyCommand::Estimate(asked) => estimate(asked, progress).map(StudyEvent::Estimated),
        StudyCommand::Seen { sizes, units, seed, runs } => {
            let plan = SeenPlan { sizes: sizes.into_iter().map(|n| n as usize).collect(), units, seed };
            let seen = plan.run(runs, &mut every(WORK, progress, runs)).map_err(words)?;
            let study::Seen { runs, moved, log10_probability, exact } = seen;
            Ok(StudyEvent::Seen(Seen { runs, moved, log10_probability, exact }))
        }
    }
}

fn meet(asked: &Meet, progress: &mut dyn FnMut(u32, u32)) -> Result<Met, String> {
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
    Ok(Met {
        meeting_times: runs.iter().map(|run| run.meeting.time).collect(),
        sweeps: runs.iter().map(|run| run.sweeps).collect(),
        capped: runs.iter().map(|run| u8::from(run.meeting.capped)).collect(),
        tries_capped: runs.iter().map(|run| run.tries_capped).fold(0, u32::saturating_add),
    })
}

fn estimate(asked: EstimateOf, progress: &mut dyn FnMut(u32, u32)) -> Result<Estimated, String> {
    let model = model(asked.model)?;
    let data = examples(&model, &asked.data)?;
    let range = range("samples", asked.first_sample, asked.samples)?;
    let settings = studied(asked.settings);
    let samples = Samples::new(&model, &data, &settings).map_err(words)?;
    let mut told = every(WORK, progress, asked.samples);
    let (sums, chains) = samples.draw(range, &asked.chains, &mut told).map_err(words)?;
    Ok(Estimated {
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
