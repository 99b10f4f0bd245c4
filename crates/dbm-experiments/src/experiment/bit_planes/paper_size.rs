//! The paper's own size, 6272-6272-6272: as many steps as are sensible here, each timed, and what they take and make.

use super::planes::{self, Plane};
use super::widths::{Ink, RATE, SHOWN, draw};
use crate::Error;
use crate::data::fingerprint;
use crate::experiment::recipe::{Recipe, named};
use crate::experiment::workspace::{Workspace, keep, kept};
use crate::memory;
use crate::steps::mean;
use dbm_core::signals::Signals;
use dbm_core::{Footprint, Host, OptimizerSettings, Settings, Trainer};
use dbm_data::{Checkpoint, Dataset};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Units of every layer, and gradient steps.
const WIDTH: usize = 6272;
const STEPS: u64 = 100;
/// Steps of the paper's run.
pub const PAPER_STEPS: u64 = 100_000;
/// Steps between two checkpoints, of 0.94 GB each.
const CHECKPOINT_STEPS: u64 = 10;
/// Digits that signals and planes are looked at on.
const LOOKED_AT: usize = 50;
/// The note of the checkpoint that holds the [`Log`].
const LOG_NOTE: &str = "log";

/// What was measured while the run went on; kept in its checkpoint, so that an interruption loses none of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Log {
    /// Seconds that the orthogonal start took.
    pub start: f64,
    /// Seconds of each step.
    pub steps: Vec<f64>,
    /// Bytes that the process held at most, where the system tells; of the processes that the run went on in, the most.
    pub peak: Option<u64>,
    /// Mean sweeps of the searches of each step, in the positive and the negative phase.
    pub sweeps: Vec<[f64; 2]>,
    /// Chains that met after more than one step, of all.
    pub late_meetings: u64,
    pub chains: u64,
    /// Mean squared error of reconstructed training bits, before the first step.
    pub reconstruction: f64,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PaperSize {
    pub sizes: Vec<usize>,
    pub log: Log,
    /// Bytes by count, and the parameters.
    pub footprint: u64,
    pub parameters: u64,
    /// As in the log, after the last step.
    pub reconstruction: f64,
    pub planes: Vec<Plane>,
    pub ink: Ink,
    /// Sweeps of a search from noise, on average.
    pub sweeps: f64,
    /// Grey levels of samples, and how many of them are different.
    pub first: Vec<u8>,
    pub distinct: usize,
}

impl Log {
    /// Of the steps' seconds.
    pub fn median(&self) -> f64 {
        let mut sorted = self.steps.clone();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        match sorted.len() {
            0 => 0.0,
            n if n % 2 == 1 => sorted[middle],
            _ => f64::midpoint(sorted[middle - 1], sorted[middle]),
        }
    }

    /// Of the start and all steps.
    pub fn seconds(&self) -> f64 {
        self.start + self.steps.iter().sum::<f64>()
    }
}

pub fn recipe(workspace: &Workspace) -> Recipe {
    let optimizer = OptimizerSettings { learning_rate: RATE, ..OptimizerSettings::default() };
    let settings = Settings { optimizer, seed: workspace.seed, ..Settings::default() };
    Recipe::new(vec![workspace.pick(WIDTH, 50); 2], settings, workspace.pick(STEPS, 12))
}

/// Takes the steps, or goes on with them, or finds them taken; then looks at the model.
///
/// # Errors
/// A model that does not fit into memory, a run that diverges, and what goes wrong with files.
pub fn run(workspace: &Workspace, (training, test): (&Dataset, &Dataset)) -> Result<PaperSize, Error> {
    let recipe = recipe(workspace);
    let asked = (&recipe, LOOKED_AT, (&training.name, training.examples.len()), (&test.name, test.examples.len()));
    let ((found, looking), counted) = workspace.cell("paper-size", &asked, || {
        let (run, log) = trained(workspace, &recipe, training)?;
        let started = workspace.session.now();
        let (model, settings) = (run.model(), run.settings());
        let visible = planes::visible(training)?;
        workspace.say("samples and bit planes of the paper's size");
        let samples = draw(workspace, model, visible, SHOWN);
        let footprint = Footprint::of_data(model.sizes(), settings, &training.examples, workspace.session.threads());
        let looked_at = workspace.pick(LOOKED_AT, 10);
        let found = PaperSize {
            sizes: model.sizes().to_vec(),
            log,
            footprint: u64::try_from(footprint.total()).unwrap_or(u64::MAX),
            parameters: model.n_parameters() as u64,
            reconstruction: reconstruction(&run, training, looked_at)?,
            planes: planes::held(model, visible.depth(), (&training.examples, &test.examples), looked_at),
            ink: Ink::of(&samples.bits),
            sweeps: samples.mean_sweeps(),
            distinct: dbm_score::classes::distinct(&samples.bits),
            first: samples.bits,
        };
        Ok((found, workspace.session.now() - started))
    })?;
    // The steps took as long as the log says, in however many pieces they were made.
    workspace.spend(found.log.seconds() + looking - counted);
    Ok(found)
}

fn reconstruction(run: &Trainer, training: &Dataset, count: usize) -> Result<f64, Error> {
    Ok(Signals::of(run.model(), &training.examples, count, run.settings().seed, run.steps())?.reconstruction_error)
}

/// The run after its last step. Its file is named by the recipe without the number of steps, so that a longer run goes on from a shorter one.
fn trained(workspace: &Workspace, recipe: &Recipe, training: &Dataset) -> Result<(Trainer, Log), Error> {
    let data_hash = fingerprint(training);
    let path = workspace.run_file("paper-size", &(&Recipe { steps: 0, ..recipe.clone() }, &data_hash))?;
    let sizes: Vec<usize> = std::iter::once(training.examples.width()).chain(recipe.hidden.iter().copied()).collect();
    let found = kept(&path)?.map(|checkpoint| resumed(&path, checkpoint)).transpose()?;
    memory::reset_peak();
    let (mut run, mut log) = match found {
        Some((run, log)) if run.steps() <= recipe.steps => (run, log),
        _ => {
            workspace.say(&format!(
                "{}: the orthogonal start{}",
                named(&sizes),
                workspace.pick(", which takes a minute or two", "")
            ));
            let started = workspace.session.now();
            let run = recipe.begin(training, workspace.session)?;
            let start = workspace.session.now() - started;
            let reconstruction = reconstruction(&run, training, workspace.pick(LOOKED_AT, 10))?;
            (run, Log { start, reconstruction, ..Log::default() })
        }
    };
    workspace.steps(&mut run, training, recipe.steps, |run, info, took| {
        log.steps.push(took);
        let phases = [&info.info.positive, &info.info.negative];
        log.sweeps.push(phases.map(|phase| mean(&phase.sweeps).unwrap_or(0.0)));
        let times = || phases.into_iter().flat_map(|phase| &phase.meeting_times);
        log.late_meetings += times().filter(|&&time| time > 1).count() as u64;
        log.chains += times().count() as u64;
        if info.step.is_multiple_of(CHECKPOINT_STEPS) || info.step == recipe.steps {
            log.peak = log.peak.max(memory::peak());
            let text = serde_json::to_string(&log).map_err(|source| Error::Serialize { what: "the log".into(), source })?;
            keep(&path, run, training, [(LOG_NOTE, text)])?;
        }
        Ok(())
    })?;
    Ok((run, log))
}

/// A run under way and its log.
fn resumed(path: &Path, checkpoint: Checkpoint) -> Result<(Trainer, Log), Error> {
    let log = checkpoint.notes.get(LOG_NOTE).and_then(|note| serde_json::from_str(note).ok()).ok_or_else(|| {
        Error::Input(format!(
            "{}: the checkpoint has no log of its steps; delete it and run the experiment again",
            path.display()
        ))
    })?;
    Ok((Trainer::restore(checkpoint.into_snapshot()?)?, log))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_of_the_steps_alone() {
        let log = |steps: &[f64]| Log { start: 100.0, steps: steps.to_vec(), ..Log::default() };
        assert_eq!([log(&[]).median(), log(&[3.0]).median(), log(&[9.0, 1.0, 2.0]).median()], [0.0, 3.0, 2.0]);
        assert_eq!(log(&[4.0, 1.0, 2.0, 9.0]).median(), 3.0);
        assert_eq!(log(&[4.0, 1.0]).seconds(), 105.0);
    }
}
