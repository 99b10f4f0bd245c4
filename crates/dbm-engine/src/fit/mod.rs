//! A model that suits a data set, found by trying: recipes compete on what is held out from them, in rounds that ever fewer of them reach,
//! and the best one is trained once more, on everything and for as many steps as were best (successive halving: Jamieson and Talwalkar
//! 2016).
//!
//! **What is held out.** Cells: each known cell with probability 1/10, and the score is the log loss of guessing them from the rest of
//! their rows. It is what a model that fills gaps is for, it is comparable between all recipes, whatever estimator they train with, and a
//! machine with one hidden layer computes it exactly and fast; the likelihood of rows would need log Z of every model at every look, and
//! the pseudo-likelihood only asks for cells of which all neighbours are known. In a table without gaps, whole rows are held out and the
//! cells are hidden in them: so training sees no gaps, whose latent cells make its gradient noisier. Rows to validate on, if given, take
//! the place of those.
//!
//! **The same bits.** Recipes, rounds, looks and streams depend on the data, the seed and the budget of steps alone, and not on threads,
//! slices or time.

mod held_out;
mod recipes;
mod runner;
#[cfg(test)]
mod tests;

pub use held_out::HeldOutScore;
use recipes::BATCH;
pub use recipes::{RECIPES, Recipe, Width};
pub use runner::Look;

use crate::{EngineError, Job, Progress};
use dbm_core::impute::{HiddenCells, hide};
use dbm_core::rng::{Purpose, Streams};
use dbm_core::settings::RunPlan;
use dbm_core::{Dbm, DbmError, Examples, Footprint, Host, SingleThread, Trainer};
use held_out::HeldOut;
pub(crate) use runner::begun;
use runner::{Material, Runner, step};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Runs in the last round.
const LAST: usize = 2;
/// Models that are averaged, at most.
const MEMBERS: usize = 3;
/// Steps of the first round are at least this many.
const FEWEST: u64 = 2;
/// The rounds take one part in this many of the budget. The rest is for the best run, as long as it still improves.
const OF_BUDGET: u64 = 2;
/// Shares of the known cells to hide, until one hides any: a table may have few cells.
const SHARES: [f64; 3] = [0.1, 0.2, 0.5];
/// In a table of fewer rows, cells are held out and not rows.
const ROWS_TO_HOLD_OUT_FROM: usize = 20;
/// One in this many rows is held out, up to a number.
const HELD_OUT_ROWS: (usize, usize) = (10, 1000);
/// Keeps the cells hidden here apart from those that a caller hides with the same seed.
const APART: u64 = 0x6669_745f_6365_6c6c;

/// Steps of a fit for each row, and the least and most, unless others are requested.
const STEPS_A_ROW: u64 = 8;
const USUAL_STEPS: (u64, u64) = (3200, 32_000);
/// Products of a minibatch with the weights in a step, about: two for each sweep and for each part of the gradient.
const PRODUCTS_A_STEP: f64 = 8.0;
/// Visible units times examples in all minibatches, at most: a table of thousands of columns takes fewer steps.
const MOST_SEEN: u64 = 1_500_000_000;

/// Settings of a fit.
#[derive(Clone, Debug, Default)]
pub struct FitSettings {
    /// Gradient steps of all runs together.
    pub steps: u64,
    /// Seed of everything random.
    pub seed: u64,
    /// Rows to validate on; otherwise a part of the data is held out.
    pub valid: Option<Examples>,
}

/// The rounds: how many runs reach each, and at which step it ends, if the first one ends at `unit`.
fn rounds(recipes: usize, unit: u64) -> Vec<(usize, u64)> {
    let mut rounds = vec![(recipes, unit)];
    while let Some(&(runs, end)) = rounds.last().filter(|(runs, _)| *runs > LAST) {
        rounds.push((runs.div_ceil(2), 2 * end));
    }
    rounds
}

/// Steps of all rounds, and of a last training that takes as many as the longest run.
fn steps_of(rounds: &[(usize, u64)]) -> u64 {
    let (mut before, mut sum) = (0, 0);
    for &(runs, end) in rounds {
        sum += runs as u64 * (end - before);
        before = end;
    }
    sum + before
}

impl FitSettings {
    /// The least budget of steps.
    pub fn fewest_steps() -> u64 {
        OF_BUDGET * steps_of(&rounds(RECIPES.len(), FEWEST))
    }

    /// A budget that suits data of this size: more for more rows, within what a user waits for.
    pub fn usual_steps(data: &Examples) -> u64 {
        let (rows, width) = (data.len() as u64, data.width() as u64);
        let most = MOST_SEEN / (width * rows.min(BATCH as u64)).max(1);
        (STEPS_A_ROW * rows).clamp(USUAL_STEPS.0, USUAL_STEPS.1).min(most).max(Self::fewest_steps())
    }

    /// About how many multiply-adds a fit of the usual budget takes.
    pub fn usual_work(data: &Examples) -> f64 {
        let hidden = RECIPES[0].plan(data, 0).hidden[0];
        let step = data.len().min(BATCH) as f64 * data.width() as f64 * f64::from(hidden);
        PRODUCTS_A_STEP * step * Self::usual_steps(data) as f64
    }
}

/// A recipe, and how long it is trained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Member {
    /// The recipe, as a plan.
    pub plan: RunPlan,
    /// Its best number of steps.
    pub steps: u64,
}

/// The outcome of a fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chosen {
    /// The best recipe, as a plan.
    pub plan: RunPlan,
    /// Its best number of steps.
    pub steps: u64,
    /// Its score then.
    pub score: HeldOutScore,
    /// The recipes that come next, if their scores are within the best one's error: an average of all these models makes fewer errors than
    /// each.
    pub next: Vec<Member>,
    /// All recipes, in the order of their ranks.
    pub tried: Vec<Tried>,
}

/// One recipe's run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// The recipe, as options of the command.
    pub options: String,
    /// Its scores.
    pub looks: Vec<Look>,
}

impl Chosen {
    /// The best recipe and those that come next.
    pub fn members(&self) -> Vec<Member> {
        let best = Member { plan: self.plan.clone(), steps: self.steps };
        std::iter::once(best).chain(self.next.iter().cloned()).collect()
    }
}

impl Member {
    /// A run at step 0.
    ///
    /// # Errors
    /// Those of [`crate::begin`].
    pub fn begin<E: From<DbmError>>(
        &self,
        data: &Examples,
        check: impl FnOnce(&Footprint) -> Result<(), E>,
    ) -> Result<Trainer, E> {
        begun(&self.plan, data, check)
    }

    /// The next step of the run, on the threads of a host if that saves time.
    ///
    /// # Errors
    /// Those of [`Trainer::step`].
    pub fn step(run: &mut Trainer, data: &Examples, host: &impl Host) -> Result<(), DbmError> {
        step(run, data, host)
    }
}

/// A fitted model.
pub struct Fitted {
    /// The run on all data, at its last step.
    pub run: Trainer,
    /// How it was found.
    pub chosen: Chosen,
}

/// A fit in progress. It can be ended at any time with what it has found so far.
///
/// ```
/// use dbm_core::Examples;
/// use dbm_engine::{Fit, FitSettings, Job};
/// let data = Examples::from_bits(4, &[1, 1, 0, 0, 0, 0, 1, 1].repeat(15))?;
/// let settings = FitSettings { steps: FitSettings::fewest_steps(), seed: 1, ..FitSettings::default() };
/// let fitted = Fit::new(data, settings, |_| Ok::<(), dbm_engine::EngineError>(()))?.finish()?;
/// assert_eq!(fitted.run.steps(), fitted.chosen.steps);
/// # Ok::<(), dbm_engine::EngineError>(())
/// ```
pub struct Fit {
    /// All of it, for the last training.
    data: Examples,
    material: Material,
    /// The budget of steps.
    steps: u64,
    rounds: Vec<(usize, u64)>,
    round: usize,
    /// Those in the round first, then those that did not reach it.
    runners: Vec<Runner>,
    last: Option<(Trainer, Chosen)>,
    done: u64,
}

impl Fit {
    /// No step is taken yet. `check` approves the memory of each run.
    ///
    /// # Errors
    /// [`DbmError::Setting`] for too few steps, and if no cell can be hidden; [`DbmError::Shape`] if the rows to validate on are of another
    /// width; those of `check`, if no recipe fits.
    pub fn new<E: From<DbmError>>(
        data: Examples,
        settings: FitSettings,
        mut check: impl FnMut(&Footprint) -> Result<(), E>,
    ) -> Result<Self, E> {
        let FitSettings { steps, seed, valid } = settings;
        let fewest = FitSettings::fewest_steps();
        if steps < fewest {
            let (name, expected) = ("steps of all runs", "enough for two of each recipe");
            return Err(DbmError::Setting { name, expected, got: format!("{steps}, which is below {fewest}") }.into());
        }
        let material = hold_out(&data, valid, seed)?;
        // Recipes compete that fit into memory together: all runs are there at once, and one of them at a time takes a step.
        let (mut runners, mut kept, mut refused) = (Vec::new(), 0, None);
        for (number, recipe) in RECIPES.iter().enumerate() {
            let plan = recipe.plan(&material.training, seed);
            let mut copies = 0;
            let begun = begun(&plan, &material.training, |needs| {
                copies = needs.copies;
                check(&Footprint { copies: needs.copies.saturating_add(kept), ..needs.clone() }).map_err(Refused::Check)
            });
            match begun {
                Ok(run) => {
                    runners.push(Runner::new(number, plan, run));
                    kept += copies;
                }
                Err(Refused::Check(error)) => refused = refused.or(Some(error)),
                Err(Refused::Model(error)) => return Err(error.into()),
            }
        }
        if let (true, Some(error)) = (runners.is_empty(), refused) {
            return Err(error);
        }
        let rounds = rounds(runners.len(), steps / OF_BUDGET / steps_of(&rounds(runners.len(), 1)));
        Ok(Self { data, material, steps, rounds, round: 0, runners, last: None, done: 0 })
    }

    /// Steps done, those that were skipped included, and the most that there will be.
    pub fn progress(&self) -> (u64, u64) {
        (self.done, self.steps)
    }

    /// The best model so far, with its score: what there is if the fit ends now.
    pub fn so_far(&self) -> Option<(&Dbm, Look)> {
        let best = self.runners.iter().min_by(|a, b| a.loss().total_cmp(&b.loss()))?.best.as_ref()?;
        Some((&best.1, best.0))
    }

    /// Does the rest of a round, or of the last training, on all threads of a host. `report` receives steps as they are done.
    ///
    /// # Errors
    /// Those of [`Job::advance`].
    pub fn advance_on(&mut self, host: &impl Host, report: &(impl Fn(u64) + Sync)) -> Result<Option<Fitted>, EngineError> {
        if self.last.is_some() {
            return self.train_last(u64::MAX, host, report);
        }
        let (round, material) = (self.steps_of_round(), &self.material);
        let runs = &mut self.runners[..self.rounds[self.round].0];
        let before = self.done;
        let taken = if runs.len() >= host.threads() {
            host.map(runs.iter_mut().collect(), |runner| finish(runner, &round, material, &SingleThread, report))
        } else {
            runs.iter_mut().map(|runner| finish(runner, &round, material, host, report)).collect()
        };
        let taken: u64 = taken.into_iter().sum::<Result<u64, EngineError>>()?;
        self.end_round()?;
        // Steps of runs that ended early count as done.
        report(self.done - before - taken);
        Ok(None)
    }

    fn steps_of_round(&self) -> Range<u64> {
        let start = self.round.checked_sub(1).map_or(0, |before| self.rounds[before].1);
        start..self.rounds[self.round].1
    }

    /// Ranks the runs, and begins the next round or the last training.
    fn end_round(&mut self) -> Result<(), EngineError> {
        let steps = self.steps_of_round();
        let runs = self.rounds[self.round].0;
        self.done = steps_of(&self.rounds[..=self.round]) - steps.end;
        self.runners[..runs].sort_by(|a, b| a.loss().total_cmp(&b.loss()).then(a.recipe.cmp(&b.recipe)));
        self.round += 1;
        // The best run continues alone until it has been worse for several looks.
        let longer = steps.end + steps.end.div_ceil(2);
        let improves = !self.runners[0].is_over();
        if self.round == self.rounds.len() && improves && self.done + (longer - steps.end) + longer <= self.steps {
            self.rounds.push((1, longer));
        }
        if self.round < self.rounds.len() {
            return Ok(());
        }
        let Some(((look, _), plan)) = self.runners[0].best.as_ref().map(|best| (best, &self.runners[0].plan)) else {
            let failure = self.runners.iter_mut().find_map(|runner| runner.failure.take());
            return Err(failure.unwrap_or(DbmError::Diverged { step: steps.end }).into());
        };
        let tried =
            |runner: &Runner| Tried { options: RECIPES[runner.recipe].options(&runner.plan), looks: runner.looks.clone() };
        let tried = self.runners.iter().map(tried).collect();
        let near = look.score.log_loss + look.score.log_loss_error;
        let member = |runner: &Runner| {
            let (look, _) = runner.best.as_ref().filter(|(look, _)| look.score.log_loss <= near)?;
            Some(Member { plan: runner.plan.clone(), steps: look.step })
        };
        let next = self.runners[1..].iter().filter_map(member).take(MEMBERS - 1).collect();
        let chosen = Chosen { plan: plan.clone(), steps: look.step, score: look.score, next, tried };
        let run = begun(&chosen.plan, &self.data, |_| Ok::<(), DbmError>(()))?;
        self.last = Some((run, chosen));
        Ok(())
    }

    /// At most this many steps of the last training.
    fn train_last(&mut self, most: u64, host: &impl Host, report: &impl Fn(u64)) -> Result<Option<Fitted>, EngineError> {
        let Some((run, chosen)) = &mut self.last else { return Ok(None) };
        for _ in 0..most.min(chosen.steps - run.steps()) {
            step(run, &self.data, host)?;
            self.done += 1;
            report(1);
        }
        let ended = run.steps() == chosen.steps;
        Ok(self.last.take_if(|_| ended).map(|(run, chosen)| Fitted { run, chosen }))
    }
}

/// Why a recipe does not begin.
enum Refused<E> {
    /// It needs too much memory.
    Check(E),
    Model(DbmError),
}

impl<E> From<DbmError> for Refused<E> {
    fn from(error: DbmError) -> Self {
        Self::Model(error)
    }
}

/// Does the rest of a run's round, and returns the steps taken.
fn finish(
    runner: &mut Runner,
    round: &Range<u64>,
    material: &Material,
    host: &impl Host,
    report: &impl Fn(u64),
) -> Result<u64, EngineError> {
    let mut taken = 0;
    while !runner.is_done(round.end) {
        let steps = runner.work(round, material, host)?;
        report(steps);
        taken += steps;
    }
    Ok(taken)
}

impl Job for Fit {
    type Result = Fitted;

    /// A few steps of one run, or a few rows guessed.
    fn advance(&mut self) -> Result<Progress<Fitted>, EngineError> {
        if self.last.is_some() {
            if let Some(fitted) = self.train_last(4, &SingleThread, &|_| {})? {
                return Ok(Progress::Ends(fitted));
            }
        } else {
            let (round, runs) = (self.steps_of_round(), self.rounds[self.round].0);
            match self.runners[..runs].iter_mut().find(|runner| !runner.is_done(round.end)) {
                Some(runner) => self.done += runner.work(&round, &self.material, &SingleThread)?,
                None => self.end_round()?,
            }
        }
        let (done, total) = self.progress();
        Ok(Progress::Goes { done: done as u32, total: total as u32 })
    }
}

/// Divides the data into what is trained on and what is held out.
fn hold_out(data: &Examples, valid: Option<Examples>, seed: u64) -> Result<Material, DbmError> {
    let hidden = |data: &Examples| {
        let (last, others) = SHARES.split_last().expect("there are shares");
        let first = others.iter().find_map(|&share| hide(data, share, seed ^ APART).ok());
        first.map_or_else(|| hide(data, *last, seed ^ APART), Ok)
    };
    let of = |training: Examples, hidden: HiddenCells| Material { training, held_out: HeldOut::new(hidden) };
    if let Some(valid) = valid {
        valid.check_width(data.width())?;
        return Ok(of(data.clone(), hidden(&valid)?));
    }
    if data.has_gaps() || data.len() < ROWS_TO_HOLD_OUT_FROM {
        let hidden = hidden(data)?;
        return Ok(of(hidden.examples().clone(), hidden));
    }
    // In random order: tables are often sorted.
    let order = Streams::new(seed ^ APART).at(Purpose::Hiding, data.len() as u64, 1).permutation(data.len());
    let (held, kept) = order.split_at((data.len() / HELD_OUT_ROWS.0).min(HELD_OUT_ROWS.1));
    let select = |rows: &[u32]| data.select(&rows.iter().map(|&row| row as usize).collect::<Vec<_>>());
    Ok(of(select(kept), hidden(&select(held))?))
}
