//! From a table with gaps to a filled one: a recipe is chosen, its model is checked on cells that it has not seen, trained once more on all
//! of them, and fills the gaps. `dbm impute` takes the same steps, and both give the same bits.

mod calibration;
#[cfg(test)]
mod tests;
mod trust;

pub use calibration::{Calibration, CalibrationBin};
pub use trust::{Checked, Trust};

use crate::fit::begun;
use crate::{Chosen, EngineError, Filling, Fit, FitSettings, Job, Look, Progress, RowByRow};
use dbm_core::impute::{Evaluation, EvaluationSettings, Filled, HiddenCells, ImputeSettings, Imputer, hide};
use dbm_core::settings::RunPlan;
use dbm_core::{Dbm, DbmError, Examples, Footprint, SingleThread, Trainer};
use std::sync::Arc;

/// Share of the known cells that a check hides.
pub const HIDDEN_SHARE: f64 = 0.1;
/// Steps of the usual plan for each row, and the least and most, if too few cells are known to compare recipes.
const STEPS_A_ROW: u64 = 4;
const STEPS: (u64, u64) = (400, 4000);
/// Steps in one piece of work.
const PIECE: u64 = 4;

/// Settings of the work.
#[derive(Clone, Debug, Default)]
pub struct GapSettings {
    /// How a row is filled; its seed is that of everything random.
    pub impute: ImputeSettings,
    /// Completions to keep of each row, at most as many as there are chains.
    pub imputations: usize,
}

/// A filled table.
#[derive(Clone, Debug, PartialEq)]
pub struct FilledGaps {
    /// How the model was found, if recipes were compared.
    pub chosen: Option<Chosen>,
    /// The model that filled the gaps.
    pub model: Dbm,
    /// How it does on cells that it has not seen; `None` if too few are known to hide some.
    pub checked: Option<Checked>,
    /// Every row: the probabilities of its units, and as many completions as were asked for, `[imputations, units]`.
    pub rows: Vec<Filled>,
}

/// What is being done.
enum Stage {
    Choosing(Box<Fit>),
    Checking { job: RowByRow<Arc<Evaluation>>, evaluation: Arc<Evaluation>, next: Next },
    Learning { run: Box<Trainer>, steps: u64 },
    Filling { job: Box<RowByRow<Filling<Examples>>>, model: Dbm },
}

/// How the model that fills the gaps comes about after a check.
enum Next {
    Learn(Box<Chosen>),
    Use(Dbm),
}

/// The work in progress.
///
/// ```
/// use dbm_core::Examples;
/// use dbm_core::impute::ImputeSettings;
/// use dbm_engine::{EngineError, FillGaps, GapSettings, Job};
/// let data = Examples::from_bits(4, &[1, 1, 0, 0, 0, 0, 1, 1].repeat(30))?.with_gaps(&[&[1, 0, 1, 1][..], &[1; 236]].concat())?;
/// let settings = GapSettings { impute: ImputeSettings { seed: 1, ..Default::default() }, ..Default::default() };
/// let filled = FillGaps::new(data, None, settings, |_| Ok::<(), EngineError>(()))?.finish()?;
/// assert!(filled.rows[0].highs[1] > 0.9);
/// # Ok::<(), EngineError>(())
/// ```
pub struct FillGaps {
    data: Examples,
    hidden: Option<Arc<HiddenCells>>,
    settings: GapSettings,
    stage: Stage,
    chosen: Option<Chosen>,
    checked: Option<Checked>,
}

impl FillGaps {
    /// With a model that is found for these data. `hidden` are the cells of the check; `None` hides a tenth of the known ones. `check`
    /// approves the memory of each run.
    ///
    /// # Errors
    /// Those of [`ImputeSettings::check`] and `check`.
    pub fn new<E: From<DbmError>>(
        data: Examples,
        hidden: Option<HiddenCells>,
        settings: GapSettings,
        mut check: impl FnMut(&Footprint) -> Result<(), E>,
    ) -> Result<Self, E> {
        settings.impute.check()?;
        let impute = &settings.impute;
        let size = data.len() * data.width();
        let hidden = hidden.map_or_else(|| hide(&data, HIDDEN_SHARE, impute.seed).ok(), Some);
        // If all are hidden, nothing is left to learn from.
        let hidden = hidden.filter(|hidden| hidden.examples().missing() < size).map(Arc::new);
        let seen = hidden.as_ref().map_or(&data, |hidden| hidden.examples());
        let fit = FitSettings { steps: FitSettings::usual_steps(seen), seed: impute.seed, valid: None };
        let stage = match Fit::new(seen.clone(), fit, |footprint| check(footprint).map_err(Stopped::Memory)) {
            Ok(fit) => Stage::Choosing(Box::new(fit)),
            Err(Stopped::Memory(error)) => return Err(error),
            // Too few cells are known to choose by.
            Err(Stopped::Model(DbmError::Setting { .. } | DbmError::NoExamples)) => {
                let (run, steps) = usual(&data, impute.seed, check)?;
                let stage = Stage::Learning { run: Box::new(run), steps };
                return Ok(Self { data, hidden: None, settings, stage, chosen: None, checked: None });
            }
            Err(Stopped::Model(error)) => return Err(error.into()),
        };
        Ok(Self { data, hidden, settings, stage, chosen: None, checked: None })
    }

    /// With this model.
    ///
    /// # Errors
    /// Those of [`Evaluation::new`] and [`Imputer::new`].
    pub fn by(model: Dbm, data: Examples, hidden: Option<HiddenCells>, settings: GapSettings) -> Result<Self, DbmError> {
        let hidden = hidden.map_or_else(|| hide(&data, HIDDEN_SHARE, settings.impute.seed).ok(), Some);
        let hidden = hidden.map(Arc::new);
        let stage = match &hidden {
            Some(hidden) => checking(model.clone(), hidden, &settings, Next::Use(model))?,
            None => filling(model, &data, &settings)?,
        };
        Ok(Self { data, hidden, settings, stage, chosen: None, checked: None })
    }

    /// What is being done, for people.
    pub fn stage(&self) -> &'static str {
        match self.stage {
            Stage::Choosing(_) => "Trying recipes on held-back cells",
            Stage::Checking { .. } => "Checking the best one on cells it has not seen",
            Stage::Learning { .. } => "Training it on all known cells",
            Stage::Filling { .. } => "Filling the gaps",
        }
    }

    /// The best score so far of the recipes, while they compete, and the steps that all of them have taken.
    pub fn look(&self) -> Option<(u64, Look)> {
        let Stage::Choosing(fit) = &self.stage else { return None };
        fit.so_far().map(|(_, look)| (fit.progress().0, look))
    }

    fn learned(&mut self, model: Dbm) -> Result<(), EngineError> {
        self.stage = filling(model, &self.data, &self.settings)?;
        Ok(())
    }
}

/// Why a fit does not begin.
enum Stopped<E> {
    Memory(E),
    Model(DbmError),
}

impl<E> From<DbmError> for Stopped<E> {
    fn from(error: DbmError) -> Self {
        Self::Model(error)
    }
}

fn checking(model: Dbm, hidden: &Arc<HiddenCells>, settings: &GapSettings, next: Next) -> Result<Stage, DbmError> {
    let evaluation = EvaluationSettings { impute: settings.impute.clone(), ..EvaluationSettings::default() };
    let evaluation = Arc::new(Evaluation::new(model, Arc::clone(hidden), evaluation)?);
    Ok(Stage::Checking { job: RowByRow::new(Arc::clone(&evaluation)), evaluation, next })
}

fn filling(model: Dbm, data: &Examples, settings: &GapSettings) -> Result<Stage, DbmError> {
    let imputer = Imputer::new(model.clone(), settings.impute.clone())?;
    let rows = (0..data.len()).collect();
    let job = Box::new(RowByRow::new(Filling { imputer, data: data.clone(), rows, imputations: settings.imputations }));
    Ok(Stage::Filling { job, model })
}

/// A run of the usual plan for a table, and its number of steps.
fn usual<E: From<DbmError>>(
    data: &Examples,
    seed: u64,
    check: impl FnOnce(&Footprint) -> Result<(), E>,
) -> Result<(Trainer, u64), E> {
    let steps = (STEPS_A_ROW * data.len() as u64).clamp(STEPS.0, STEPS.1);
    let mut plan = RunPlan::of_table(data.width() as u32);
    plan.settings.seed = seed;
    plan.settings.batch = plan.settings.batch.min(data.len());
    plan.settings.optimizer.decay_steps = steps;
    Ok((begun(&plan, data, check)?, steps))
}

impl Job for FillGaps {
    type Result = FilledGaps;

    /// The parts are those of the present stage.
    fn advance(&mut self) -> Result<Progress<FilledGaps>, EngineError> {
        match &mut self.stage {
            Stage::Choosing(fit) => match fit.advance()? {
                Progress::Goes { done, total } => return Ok(Progress::Goes { done, total }),
                Progress::Ends(fitted) => {
                    let model = fitted.run.averaged_model();
                    if let Some(hidden) = &self.hidden {
                        self.stage = checking(model, hidden, &self.settings, Next::Learn(Box::new(fitted.chosen)))?;
                    } else {
                        self.chosen = Some(fitted.chosen);
                        self.learned(model)?;
                    }
                }
            },
            Stage::Checking { job, evaluation, next } => match job.advance()? {
                Progress::Goes { done, total } => return Ok(Progress::Goes { done, total }),
                Progress::Ends(rows) => {
                    let outcomes = rows.concat();
                    self.checked = Some(Checked::new(evaluation.report(&outcomes), &outcomes));
                    match next {
                        Next::Use(model) => {
                            let model = model.clone();
                            self.learned(model)?;
                        }
                        Next::Learn(chosen) => {
                            let run = Box::new(chosen.begin(&self.data, |_| Ok::<(), DbmError>(()))?);
                            let steps = chosen.steps;
                            self.chosen = Some((**chosen).clone());
                            self.stage = Stage::Learning { run, steps };
                        }
                    }
                }
            },
            Stage::Learning { run, steps } => {
                for _ in 0..PIECE.min(*steps - run.steps()) {
                    run.step(&self.data, &SingleThread)?;
                }
                if run.steps() < *steps {
                    return Ok(Progress::Goes { done: run.steps() as u32, total: *steps as u32 });
                }
                let model = run.averaged_model();
                self.learned(model)?;
            }
            Stage::Filling { job, model } => match job.advance()? {
                Progress::Goes { done, total } => return Ok(Progress::Goes { done, total }),
                Progress::Ends(rows) => {
                    let (chosen, checked) = (self.chosen.take(), self.checked.take());
                    return Ok(Progress::Ends(FilledGaps { chosen, model: model.clone(), checked, rows }));
                }
            },
        }
        Ok(Progress::Goes { done: 0, total: 0 })
    }
}
