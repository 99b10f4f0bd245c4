//! The gaps of the data, filled.

use crate::begin::fits;
use crate::clock::now;
use crate::job::{LongJob, Slice};
use crate::pool::WorkerPool;
use crate::run::Run;
use crate::sources::TrainingData;
use dbm_core::impute::{HiddenCells, ImputeSettings};
use dbm_core::{Dbm, Examples};
use dbm_engine::{Checked, Chosen, FillGaps, FilledGaps, GapSettings, Job, Progress};
use dbm_protocol::{ChosenModel, Event, FitLook, GapCheck, GapModel, GapsFilled};

/// The work on a request.
struct Work {
    job: FillGaps,
    /// Whether the model has not seen the cells of its check.
    unseen: bool,
    imputations: usize,
    /// The score that the page has.
    shown: Option<f64>,
}

/// The work of filling the gaps of the run's data; held-back cells count as known, and are those of the check.
pub fn filling(run: &Run, by: GapModel, impute: ImputeSettings, imputations: u32) -> Result<Box<dyn LongJob>, String> {
    let TrainingData { data, whole } = &run.material;
    if imputations > impute.completions {
        return Err(format!(
            "at most {} imputations were expected, one for each chain, but got {imputations}",
            impute.completions
        ));
    }
    let hidden = whole.as_ref().map(|whole| HiddenCells::between(whole, data.examples.clone())).transpose();
    let hidden = hidden.map_err(|error| error.to_string())?;
    let settings = GapSettings { impute, imputations: imputations as usize };
    let examples = run.material.whole().clone();
    let (job, unseen) = match by {
        GapModel::Chosen => (FillGaps::new(examples, hidden, settings, fits), true),
        GapModel::Training => (FillGaps::by(run.model(), examples, hidden, settings), whole.is_some()),
    };
    let job = job.map_err(|error| error.to_string())?;
    Ok(Box::new(Work { job, unseen, imputations: imputations as usize, shown: None }))
}

impl LongJob for Work {
    fn work(&mut self, until: f64, _: &mut WorkerPool) -> Result<Slice, String> {
        loop {
            match self.job.advance().map_err(|error| error.to_string())? {
                Progress::Ends(filled) => return Slice::ends(Event::GapsFilled(Box::new(self.filled(filled)?))),
                Progress::Goes { done, total } if now() >= until => {
                    let stage = self.job.stage();
                    if let Some((steps, look)) = self.job.look().filter(|(_, look)| self.shown != Some(look.score.log_loss)) {
                        self.shown = Some(look.score.log_loss);
                        let look = FitLook { steps: steps as u32, log_loss: look.score.log_loss, accuracy: look.score.accuracy };
                        return Ok(Slice::Shows(Box::new(Event::Looked(look))));
                    }
                    return Ok(Slice::Progress { stage, done, total });
                }
                Progress::Goes { .. } => {}
            }
        }
    }
}

impl Work {
    fn filled(&self, filled: FilledGaps) -> Result<GapsFilled, String> {
        let width = filled.models.first().map_or(1, Dbm::n_visible);
        let highs = filled.rows.iter().flat_map(|row| row.highs.iter().copied()).collect();
        let draws = if self.imputations > 0 {
            let bits: Vec<u8> = filled.rows.into_iter().flat_map(|row| row.completions).collect();
            Examples::from_bits(width, &bits).map_err(|error| error.to_string())?.packed().to_vec()
        } else {
            Vec::new()
        };
        Ok(GapsFilled {
            chosen: filled.chosen.map(chosen),
            checked: filled.checked.map(|checked| self.checked(checked)),
            highs,
            draws,
        })
    }

    fn checked(&self, checked: Checked) -> GapCheck {
        let bins = checked.calibration.bins();
        GapCheck {
            unseen: self.unseen,
            verdict: checked.sentence(),
            calibration: bins.iter().map(|bin| (bin.probability, bin.right, bin.cells as u32)).collect(),
            calibrated: checked.calibration.sentence(),
            report: checked.report,
        }
    }
}

fn chosen(chosen: Chosen) -> ChosenModel {
    ChosenModel {
        recipes: chosen.tried.len() as u32,
        averaged: 1 + chosen.next.len() as u32,
        plan: chosen.plan,
        steps: chosen.steps as u32,
        cells: chosen.score.cells as u32,
    }
}
