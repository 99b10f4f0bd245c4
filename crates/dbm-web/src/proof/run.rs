//! The jobs of the view: the model, the exact values, the estimators' exact means, and the samples, job by job.

use super::desk::Desk;
use super::plan::{ESTIMATORS, MAX_LAW_UNITS, Plan, unbiased};
use super::tally::{Tally, job_end};
use crate::worker::pool::{self, Group};
use dbm_core::diagnostics::Expectations;
use dbm_protocol::{DiagnosticsCommand, DiagnosticsEvent, EstimateJob, ModelSource, Reply, SmallModel};
use leptos::prelude::*;
use std::time::Duration;

/// What was changed by hand may be changed further: the samples of the new model begin after so much quiet.
const QUIET: Duration = Duration::from_millis(350);
/// The numbers are shown so often.
const LOOK: Duration = Duration::from_millis(120);

/// Where the jobs stand.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each says of another thing whether it is under way")]
pub struct Jobs {
    /// What is running is of this question; answers to earlier ones are nobody's.
    generation: u32,
    /// Whether the exact values are those of the present question.
    exact: bool,
    /// Whether the model or the exact values are being asked for.
    asking: bool,
    /// Whether they have changed meanwhile.
    stale: bool,
    /// Whether samples may be asked for: the visitor's hand is still.
    quiet: bool,
    /// What the base model was made from.
    source: Option<ModelSource>,
    /// Each estimator's.
    lanes: Vec<Lane>,
    /// Jobs that take long, at work.
    long: u32,
    /// Whether a look at the numbers is on its way.
    looking: bool,
    /// Whether the means were asked for, of each estimator.
    laws: [bool; ESTIMATORS.len()],
}

#[derive(Default)]
struct Lane {
    /// The sample that the next job begins with.
    next: u32,
    /// Jobs at work.
    at_work: u32,
    tally: Tally,
}

/// Keeps the jobs in step with the settings.
pub fn follow(desk: Desk) {
    Effect::new(move |before: Option<Plan>| {
        let plan = desk.plan.get();
        match &before {
            Some(before) if plan.samples_alike(before) => {
                let fewer = desk.jobs.with_value(|jobs| jobs.lanes.iter().any(|lane| lane.next > plan.target));
                if fewer && plan.target != before.target {
                    anew(desk);
                }
            }
            _ => changed(desk),
        }
        pump(desk);
        plan
    });
    on_cleanup(|| pool::cancel(Group::Proof));
}

/// Forgets all samples. They are drawn again if that is what the view is set to.
pub fn anew(desk: Desk) {
    let long = desk.jobs.try_update_value(|jobs| {
        jobs.generation = jobs.generation.wrapping_add(1);
        jobs.lanes = ESTIMATORS.iter().map(|_| Lane::default()).collect();
        let long = std::mem::take(&mut jobs.long) > 0;
        if long {
            // These are cancelled with the rest.
            jobs.laws = std::array::from_fn(|at| {
                jobs.laws[at] && desk.laws.with_untracked(|laws| laws.get(at).is_some_and(Option::is_some))
            });
            jobs.stale |= jobs.asking;
            jobs.asking = false;
        }
        long
    });
    if long == Some(true) {
        pool::cancel(Group::Proof);
    }
    desk.problem.set(None);
    desk.tallies.set(ESTIMATORS.iter().map(|_| Tally::default()).collect());
    if desk.jobs.with_value(|jobs| jobs.stale && !jobs.asking) {
        ask_exact(desk);
    }
}

/// The same samples once more, from the first one.
pub fn again(desk: Desk) {
    anew(desk);
    desk.plan.update(|plan| plan.go = true);
    pump(desk);
}

/// The model, the data or the estimators' settings are others.
fn changed(desk: Desk) {
    desk.jobs.update_value(|jobs| {
        jobs.exact = false;
        jobs.stale = true;
        jobs.quiet = false;
        jobs.laws = Default::default();
    });
    desk.laws.set(vec![None; ESTIMATORS.len()]);
    anew(desk);
    let generation = desk.jobs.with_value(|jobs| jobs.generation);
    set_timeout(
        move || {
            if desk.jobs.try_with_value(|jobs| jobs.generation == generation) == Some(true) {
                desk.jobs.update_value(|jobs| jobs.quiet = true);
                pump(desk);
            }
        },
        QUIET,
    );
}

/// Asks for the model where it is another, and then for its exact values: one at a time, and then once more if all has changed meanwhile.
fn ask_exact(desk: Desk) {
    if desk.jobs.with_value(|jobs| jobs.asking) {
        return;
    }
    desk.jobs.update_value(|jobs| jobs.stale = false);
    let question = desk.plan.with_untracked(|plan| plan.question.clone());
    let source = question.source();
    if let Some(source) = source {
        if desk.jobs.with_value(|jobs| jobs.source.as_ref() == Some(&source)) && desk.base.with_untracked(Option::is_some) {
            return ask_truth(desk);
        }
        desk.jobs.update_value(|jobs| {
            jobs.asking = true;
            jobs.source = Some(source.clone());
        });
        desk.base.set(None);
        pool::ask(Group::Proof, DiagnosticsCommand::Model { source }, move |answer| {
            desk.jobs.update_value(|jobs| jobs.asking = false);
            match answer {
                Ok(Reply::Answer(DiagnosticsEvent::Model(model))) => {
                    // The answer to a question before the present one is asked again.
                    if untrack(|| desk.plan.with(|plan| plan.question.sizes == model.sizes && plan.question.units == model.units))
                    {
                        desk.base.set(Some(model));
                    } else {
                        desk.jobs.update_value(|jobs| jobs.source = None);
                    }
                    ask_exact(desk);
                }
                Ok(_) => {}
                Err(why) => {
                    desk.jobs.update_value(|jobs| jobs.source = None);
                    desk.problem.set(Some(why));
                }
            }
        });
    } else {
        desk.jobs.update_value(|jobs| jobs.source = None);
        let known = question.known();
        if desk.base.with_untracked(|base| *base != known) {
            desk.base.set(known);
        }
        ask_truth(desk);
    }
}

fn ask_truth(desk: Desk) {
    let Some((model, data)) = asked_about(desk) else { return };
    desk.jobs.update_value(|jobs| jobs.asking = true);
    pool::ask(Group::Proof, DiagnosticsCommand::Exact { model, data }, move |answer| {
        desk.jobs.update_value(|jobs| jobs.asking = false);
        match answer {
            Ok(Reply::Answer(DiagnosticsEvent::Exact(exact))) => {
                desk.truth.set(Some(exact));
                if desk.jobs.with_value(|jobs| jobs.stale) {
                    ask_exact(desk);
                } else {
                    desk.jobs.update_value(|jobs| jobs.exact = true);
                    pump(desk);
                }
            }
            Ok(_) => {}
            Err(why) => desk.problem.set(Some(why)),
        }
    });
}

fn asked_about(desk: Desk) -> Option<(SmallModel, Vec<u8>)> {
    let question = desk.plan.with_untracked(|plan| plan.question.clone());
    let base = desk.base.get_untracked()?;
    Some((question.edited(base), question.bits()))
}

/// Gives jobs to the workers, as many as they can take, where it is time.
fn pump(desk: Desk) {
    let ready = desk.jobs.with_value(|jobs| jobs.exact && jobs.quiet && !jobs.lanes.is_empty());
    if !ready || desk.problem.with_untracked(Option::is_some) {
        return;
    }
    let plan = desk.plan.get_untracked();
    ask_laws(desk, &plan);
    if !plan.go {
        return;
    }
    let Some((model, data)) = asked_about(desk) else { return };
    while let Some((estimator, start, chains)) = desk.jobs.try_update_value(|jobs| jobs.next_job(&plan)).flatten() {
        let end = job_end(start, plan.target);
        let generation = desk.jobs.with_value(|jobs| jobs.generation);
        let command = DiagnosticsCommand::Estimate(EstimateJob {
            model: model.clone(),
            data: data.clone(),
            settings: plan.settings(estimator),
            first_sample: start,
            samples: end - start,
            chains,
        });
        pool::ask(Group::Proof, command, move |answer| {
            if matches!(answer, Ok(Reply::Progress { .. }))
                || desk.jobs.try_with_value(|jobs| jobs.generation != generation) != Some(false)
            {
                return;
            }
            match answer {
                Ok(Reply::Answer(DiagnosticsEvent::Estimate { sums, chains })) => {
                    desk.jobs.update_value(|jobs| {
                        jobs.long -= 1;
                        jobs.lanes[estimator].at_work -= 1;
                        jobs.lanes[estimator].tally.take(start, end, sums, chains);
                    });
                    look(desk);
                    pump(desk);
                }
                Ok(_) => {}
                Err(why) => {
                    anew(desk);
                    desk.problem.set(Some(why));
                }
            }
        });
    }
}

impl Jobs {
    /// The estimator that is furthest behind and can go on, from which sample, with which chains.
    fn next_job(&mut self, plan: &Plan) -> Option<(usize, u32, Vec<u8>)> {
        let width = pool::width() as u32;
        if self.long > width {
            return None;
        }
        let can = |(at, lane): &(usize, &Lane)| {
            // Persistent chains are handed from job to job; of the others no one takes all workers.
            let most = if persistent(*at) { 1 } else { width.div_ceil(2) + 1 };
            plan.chosen[*at] && lane.next < plan.target && lane.at_work < most
        };
        let (estimator, _) = self.lanes.iter().enumerate().filter(can).min_by_key(|(_, lane)| lane.next)?;
        let lane = &mut self.lanes[estimator];
        let start = lane.next;
        lane.next = job_end(start, plan.target);
        lane.at_work += 1;
        self.long += 1;
        let chains = if persistent(estimator) { lane.tally.chains().to_vec() } else { Vec::new() };
        Some((estimator, start, chains))
    }
}

fn persistent(estimator: usize) -> bool {
    ESTIMATORS[estimator].starts_with("pcd")
}

/// Where the biased estimators will stop. The mean of an unbiased one is the exact gradient, and its law takes minutes.
fn ask_laws(desk: Desk, plan: &Plan) {
    if plan.question.n_units() > MAX_LAW_UNITS {
        return;
    }
    for estimator in (0..ESTIMATORS.len()).filter(|&at| plan.chosen[at] && !unbiased(at)) {
        if desk.jobs.try_update_value(|jobs| std::mem::replace(&mut jobs.laws[estimator], true)) != Some(false) {
            continue;
        }
        let Some((model, data)) = asked_about(desk) else { return };
        let generation = desk.jobs.try_update_value(|jobs| {
            jobs.long += 1;
            jobs.generation
        });
        let command = DiagnosticsCommand::Expectation { model, data, settings: plan.settings(estimator) };
        pool::ask(Group::Proof, command, move |answer| {
            if matches!(answer, Ok(Reply::Progress { .. })) || desk.jobs.try_with_value(|jobs| jobs.generation) != generation {
                return;
            }
            desk.jobs.update_value(|jobs| jobs.long -= 1);
            // Without it there is no mark in the plot, and that is all.
            if let Ok(Reply::Answer(DiagnosticsEvent::Expectation(Expectations { mean, .. }))) = answer {
                desk.laws.update(|laws| laws[estimator] = Some(mean));
            }
            pump(desk);
        });
    }
}

/// Has the numbers shown, soon.
fn look(desk: Desk) {
    if desk.jobs.try_update_value(|jobs| std::mem::replace(&mut jobs.looking, true)) != Some(false) {
        return;
    }
    set_timeout(
        move || {
            let tallies = desk.jobs.try_update_value(|jobs| {
                jobs.looking = false;
                jobs.lanes.iter().map(|lane| lane.tally.clone()).collect()
            });
            if let Some(tallies) = tallies {
                desk.tallies.set(tallies);
            }
        },
        LOOK,
    );
}
