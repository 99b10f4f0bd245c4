//! From a table with gaps to a filled one: recipes are chosen, the average of their models is checked on cells that they have not seen, they
//! are trained once more on all of them, and fill the gaps. `dbm impute` takes the same steps, and both give the same bits.

mod calibration;
#[cfg(test)]
mod tests;
mod trust;

pub use calibration::{Calibration, CalibrationBin};
pub use trust::{Checked, Trust};

use crate::fit::begun;
use crate::{Chosen, EngineError, Filling, Fit, FitSettings, Fitted, Job, Look, Member, Progress, RowByRow};
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
    /// The models that filled the gaps, on average.
    pub models: Vec<Dbm>,
    /// How it does on cells that it has not seen; `None` if too few are known to hide some.
    pub checked: Option<Checked>,
    /// Every row: the probabilities of its units, and as many completions as were asked for, `[imputations, units]`.
    pub rows: Vec<Filled>,
}

/// What is being done.
enum Stage {
    Choosing(Box<Fit>),
    Checking { job: RowByRow<Arc<Evaluation>>, evaluation: Arc<Evaluation>, models: Option<Vec<Dbm>> },
    Learning(Learning),
    Filling { job: Box<RowByRow<Filling<Examples>>>, models: Vec<Dbm> },
}

/// Training of several models, one after another.
struct Learning {
    /// Those to come, the last one first.
    members: Vec<Member>,
    run: Option<(Box<Trainer>, u64)>,
    models: Vec<Dbm>,
    /// Whether they see all known cells, and not only those outside the check.
    whole: bool,
}

impl Learning {
    fn of(mut members: Vec<Member>, models: Vec<Dbm>, whole: bool) -> Self {
        members.reverse();
        Self { members, run: None, models, whole }
    }
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
                let run = Some((Box::new(run), steps));
                let stage = Stage::Learning(Learning { members: vec![], run, models: vec![], whole: true });
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
            Some(hidden) => checking(vec![model.clone()], hidden, &settings, Some(vec![model]))?,
            None => filling(vec![model], &data, &settings)?,
        };
        Ok(Self { data, hidden, settings, stage, chosen: None, checked: None })
    }

    /// What is being done, for people.
    pub fn stage(&self) -> &'static str {
        match self.stage {
            Stage::Choosing(_) => "Trying recipes on held-back cells",
            Stage::Checking { .. } => "Checking the best ones on cells they have not seen",
            Stage::Learning(Learning { whole: false, .. }) => "Training the best ones",
            Stage::Learning(_) => "Training them on all known cells",
            Stage::Filling { .. } => "Filling the gaps",
        }
    }

    /// The best score so far of the recipes, while they compete, and the steps that all of them have taken.
    pub fn look(&self) -> Option<(u64, Look)> {
        let Stage::Choosing(fit) = &self.stage else { return None };
        fit.so_far().map(|(_, look)| (fit.progress().0, look))
    }

    /// What comes after models have been trained.
    fn learned(&mut self, models: Vec<Dbm>, whole: bool) -> Result<(), EngineError> {
        self.stage = match &self.hidden {
            Some(hidden) if !whole => checking(models, hidden, &self.settings, None)?,
            _ => filling(models, &self.data, &self.settings)?,
        };
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

/// `models` of the stage are those that fill the gaps, if they are there already.
fn checking(
    checked: Vec<Dbm>,
    hidden: &Arc<HiddenCells>,
    settings: &GapSettings,
    models: Option<Vec<Dbm>>,
) -> Result<Stage, DbmError> {
    let evaluation = EvaluationSettings { impute: settings.impute.clone(), ..EvaluationSettings::default() };
    let evaluation = Arc::new(Evaluation::new(checked, Arc::clone(hidden), evaluation)?);
    Ok(Stage::Checking { job: RowByRow::new(Arc::clone(&evaluation)), evaluation, models })
}

fn filling(models: Vec<Dbm>, data: &Examples, settings: &GapSettings) -> Result<Stage, DbmError> {
    let imputer = Imputer::new(models.clone(), settings.impute.clone())?;
    let rows = (0..data.len()).collect();
    let job = Box::new(RowByRow::new(Filling { imputer, data: data.clone(), rows, imputations: settings.imputations }));
    Ok(Stage::Filling { job, models })
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
                Progress::Ends(Fitted { run, chosen }) => {
                    // The best one has been trained; those next to it have not.
                    let whole = self.hidden.is_none();
                    self.stage = Stage::Learning(Learning::of(chosen.next.clone(), vec![run.averaged_model()], whole));
                    self.chosen = Some(chosen);
                }
            },
            Stage::Checking { job, evaluation, models } => match job.advance()? {
                Progress::Goes { done, total } => return Ok(Progress::Goes { done, total }),
                Progress::Ends(rows) => {
                    let outcomes = rows.concat();
                    self.checked = Some(Checked::new(evaluation.report(&outcomes), &outcomes));
                    match (models.take(), &self.chosen) {
                        (None, Some(chosen)) => self.stage = Stage::Learning(Learning::of(chosen.members(), vec![], true)),
                        (models, _) => self.learned(models.unwrap_or_default(), true)?,
                    }
                }
            },
            Stage::Learning(learning) => {
                let data = self.hidden.as_ref().filter(|_| !learning.whole).map_or(&self.data, |hidden| hidden.examples());
                if learning.run.is_none() {
                    let Some(member) = learning.members.pop() else {
                        let (models, whole) = (std::mem::take(&mut learning.models), learning.whole);
                        self.learned(models, whole)?;
                        return Ok(Progress::Goes { done: 0, total: 0 });
                    };
                    learning.run = Some((Box::new(member.begin(data, |_| Ok::<(), DbmError>(()))?), member.steps));
                }
                if let Some((run, steps)) = &mut learning.run {
                    for _ in 0..PIECE.min(*steps - run.steps()) {
                        Member::step(run, data, &SingleThread)?;
                    }
                    if run.steps() < *steps {
                        return Ok(Progress::Goes { done: run.steps() as u32, total: *steps as u32 });
                    }
                    learning.models.push(run.averaged_model());
                    learning.run = None;
                }
            }
            Stage::Filling { job, models } => match job.advance()? {
                Progress::Goes { done, total } => return Ok(Progress::Goes { done, total }),
                Progress::Ends(rows) => {
                    let (chosen, checked) = (self.chosen.take(), self.checked.take());
                    return Ok(Progress::Ends(FilledGaps { chosen, models: std::mem::take(models), checked, rows }));
                }
            },
        }
        Ok(Progress::Goes { done: 0, total: 0 })
    }
}
