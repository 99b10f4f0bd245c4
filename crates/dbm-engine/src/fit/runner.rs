//! One recipe's run within a fit: it trains, and is looked at.

use super::held_out::{Guesses, HeldOut, HeldOutScore, ROWS};
use crate::{Begun, EngineError, begin};
use dbm_core::impute::Imputer;
use dbm_core::settings::RunPlan;
use dbm_core::{Dbm, DbmError, Examples, Footprint, Host, SingleThread, Trainer};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Steps in one piece of work.
const STEPS: u64 = 4;
/// Looks worse than the best one, in a row, after which a run ends: it only memorizes from there on.
const PATIENCE: usize = 3;

/// A run's score at a step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Look {
    /// Gradient steps taken.
    pub step: u64,
    /// With the averaged weights.
    pub score: HeldOutScore,
}

/// What all runs of a fit share.
pub(super) struct Material {
    pub training: Examples,
    pub held_out: HeldOut,
}

enum Task {
    Training,
    Guessing {
        imputer: Imputer,
        guesses: Guesses,
        row: usize,
    },
    /// It has diverged, or gets worse.
    Over,
}

pub(super) struct Runner {
    /// The number of its recipe.
    pub recipe: usize,
    pub plan: RunPlan,
    run: Trainer,
    pub looks: Vec<Look>,
    /// Its best look, and its model then.
    pub best: Option<(Look, Dbm)>,
    /// Why it took no more steps.
    pub failure: Option<DbmError>,
    task: Task,
}

/// A run at its first step. No recipe pretrains.
pub(crate) fn begun<E: From<DbmError>>(
    plan: &RunPlan,
    data: &Examples,
    check: impl FnOnce(&Footprint) -> Result<(), E>,
) -> Result<Trainer, E> {
    match begin(plan, data, &SingleThread, check)? {
        Begun::Training(run) => Ok(*run),
        Begun::Pretraining(_) => unreachable!("no recipe pretrains: a test covers the table"),
    }
}

/// Multiply-adds of a minibatch's product with the weights below which threads cost more than they save.
const SHARED: usize = 4_000_000;

/// One step, shared among the threads of a host if it is long enough.
pub(super) fn step(run: &mut Trainer, data: &Examples, host: &impl Host) -> Result<(), DbmError> {
    let cost = run.settings().batch * run.model().n_parameters();
    if cost < SHARED { run.step(data, &SingleThread) } else { run.step(data, host) }.map(|_| ())
}

impl Runner {
    pub fn new(recipe: usize, plan: RunPlan, run: Trainer) -> Self {
        Self { recipe, plan, run, looks: Vec::new(), best: None, failure: None, task: Task::Training }
    }

    /// Whether there is nothing left to do before the end of a round, at this step.
    pub fn is_done(&self, end: u64) -> bool {
        match self.task {
            Task::Training => self.looks.last().is_some_and(|look| look.step >= end),
            Task::Guessing { .. } => false,
            Task::Over => true,
        }
    }

    /// Whether it takes no more steps: it has diverged, or only gets worse.
    pub fn is_over(&self) -> bool {
        matches!(self.task, Task::Over)
    }

    /// The least loss seen.
    pub fn loss(&self) -> f64 {
        self.best.as_ref().map_or(f64::INFINITY, |(look, _)| look.score.log_loss)
    }

    /// Does the next piece of a round between these steps, and returns the steps taken.
    pub fn work(&mut self, round: &Range<u64>, material: &Material, host: &impl Host) -> Result<u64, EngineError> {
        let Material { training, held_out } = material;
        match &mut self.task {
            Task::Training => {
                let (before, look) = (self.run.steps(), next_look(self.run.steps(), round));
                while self.run.steps() < look.min(before + STEPS) {
                    // It diverged, or the recipe does not suit the data, as a ladder that finds no first rung: the others continue.
                    if let Err(error) = step(&mut self.run, training, host) {
                        (self.task, self.failure) = (Task::Over, Some(error));
                        return Ok(self.run.steps() - before);
                    }
                }
                if self.run.steps() == look {
                    let imputer = HeldOut::imputer(self.run.averaged_model())?;
                    self.task = Task::Guessing { imputer, guesses: Guesses::default(), row: 0 };
                }
                Ok(self.run.steps() - before)
            }
            Task::Guessing { imputer, guesses, row } => {
                let end = held_out.rows().min(*row + ROWS * host.threads());
                held_out.guess(imputer, *row..end, guesses, host)?;
                *row = end;
                if end == held_out.rows() {
                    let look = Look { step: self.run.steps(), score: guesses.score() };
                    self.note(look);
                }
                Ok(0)
            }
            Task::Over => Ok(0),
        }
    }

    fn note(&mut self, look: Look) {
        self.looks.push(look);
        if look.score.log_loss < self.loss() {
            self.best = Some((look, self.run.averaged_model()));
        }
        let best = self.best.as_ref().map_or(0, |(best, _)| best.step);
        let worse = self.looks.iter().rev().take_while(|look| look.step > best).count();
        self.task = if worse >= PATIENCE { Task::Over } else { Task::Training };
    }
}

/// Where a run is looked at next: in the middle of a round and at its end.
fn next_look(step: u64, round: &Range<u64>) -> u64 {
    let middle = round.start + (round.end - round.start) / 2;
    if step < middle { middle } else { round.end }
}
