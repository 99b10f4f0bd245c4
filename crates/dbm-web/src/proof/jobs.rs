//! The jobs of the view: the model, its exact values, the exact expectations of biased estimators, and the samples.

use super::estimates::{Estimates, job_end};
use super::estimator_table::{COUNT, ESTIMATORS};
use super::job_state::Lane;
use super::settings::{MAX_EXPECTATION_UNITS, ProofSettings};
use super::state::ProofState;
use crate::worker::client::Failure;
use crate::worker::pool::{self, Group};
use dbm_protocol::{DiagnosticsCommand, DiagnosticsEvent, EstimateJob, ModelSource, SmallModel};
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::time::Duration;

/// A manual change may continue: the samples of the new model begin after this pause.
const QUIET: Duration = Duration::from_millis(350);

/// Keeps the jobs in step with the settings.
pub fn follow(proof: ProofState) {
    let mut when_quiet = debounce(QUIET, move |()| {
        proof.jobs.update_value(|jobs| jobs.is_quiet = true);
        give_jobs(proof);
    });
    Effect::new(move |before: Option<ProofSettings>| {
        let settings = proof.settings.get();
        match &before {
            Some(before) if settings.samples_alike(before) => {
                let fewer = proof.jobs.with_value(|jobs| jobs.lanes.iter().any(|lane| lane.next > settings.target));
                if fewer && settings.target != before.target {
                    forget_samples(proof);
                }
            }
            _ => {
                proof.jobs.update_value(|jobs| {
                    (jobs.exact_is_current, jobs.is_quiet) = (false, false);
                    jobs.asked_expectations = [false; COUNT];
                });
                proof.expectations.set(vec![None; COUNT]);
                forget_samples(proof);
                when_quiet(());
            }
        }
        give_jobs(proof);
        settings
    });
}

/// Draws the same samples again, from the first one.
pub fn start_over(proof: ProofState) {
    forget_samples(proof);
    proof.settings.update(|settings| settings.go = true);
    give_jobs(proof);
}

/// Discards all samples and their errors.
fn forget_samples(proof: ProofState) {
    pool::cancel(Group::Estimates);
    let exact_is_current = proof.jobs.try_update_value(|jobs| {
        jobs.lanes = ESTIMATORS.iter().map(|_| Lane::default()).collect();
        jobs.at_work = 0;
        // Expectations in progress are cancelled with the rest.
        let known = |at| proof.expectations.with_untracked(|all| all.get(at).is_some_and(Option::is_some));
        jobs.asked_expectations = std::array::from_fn(known);
        jobs.exact_is_current
    });
    proof.problem.set(None);
    proof.estimates.set(vec![Estimates::default(); COUNT]);
    if exact_is_current == Some(false) {
        update_exact(proof);
    }
}

/// Requests the exact values, and again if anything has changed meanwhile: one request at a time.
fn update_exact(proof: ProofState) {
    let was_asking = proof.jobs.try_update_value(|jobs| {
        jobs.exact_is_stale = true;
        std::mem::replace(&mut jobs.asking_exact, true)
    });
    if was_asking != Some(false) {
        return;
    }
    spawn_local(async move {
        let answer = loop {
            proof.jobs.update_value(|jobs| jobs.exact_is_stale = false);
            let answer = ask_exact(proof).await;
            if !proof.jobs.with_value(|jobs| jobs.exact_is_stale) {
                break answer;
            }
        };
        proof.jobs.update_value(|jobs| (jobs.asking_exact, jobs.exact_is_current) = (false, answer.is_ok()));
        match answer {
            Ok(()) => give_jobs(proof),
            Err(failure) => proof.problem.set(Some(failure.to_string())),
        }
    });
}

/// Requests the model if it has changed, and then its exact values.
async fn ask_exact(proof: ProofState) -> Result<(), Failure> {
    let source = proof.settings.with_untracked(|settings| settings.model.source());
    if proof.base.with_untracked(|base| base.as_ref().is_none_or(|(of, _)| *of != source)) {
        proof.base.set(None);
        let model = match &source {
            ModelSource::Given(model) => model.clone(),
            source => pool::model(Group::Exact, source.clone()).await?,
        };
        if proof.jobs.with_value(|jobs| jobs.exact_is_stale) {
            return Ok(());
        }
        proof.base.set(Some((source, model)));
    }
    let Some((model, data)) = model_and_data(proof) else { return Ok(()) };
    let pick = |event| if let DiagnosticsEvent::Exact(exact) = event { Some(exact) } else { None };
    let exact = pool::ask(Group::Exact, DiagnosticsCommand::Exact { model, data }, pick).await?;
    proof.exact.set(Some(exact));
    Ok(())
}

/// The edited model, and the patterns one after another; `None` until the model has arrived.
fn model_and_data(proof: ProofState) -> Option<(SmallModel, Vec<u8>)> {
    let (_, base) = proof.base.get_untracked()?;
    Some(proof.settings.with_untracked(|settings| (settings.model.edited(base), settings.model.bits())))
}

/// Gives the workers as many jobs as they can take, if everything is ready.
fn give_jobs(proof: ProofState) {
    let ready = proof.jobs.with_value(|jobs| jobs.exact_is_current && jobs.is_quiet && !jobs.lanes.is_empty());
    if !ready || proof.problem.with_untracked(Option::is_some) {
        return;
    }
    let settings = proof.settings.get_untracked();
    let Some((model, data)) = model_and_data(proof) else { return };
    ask_expectations(proof, &settings, &model, &data);
    if !settings.go {
        return;
    }
    while let Some((estimator, start, chains)) = proof.jobs.try_update_value(|jobs| jobs.next_job(&settings)).flatten() {
        let end = job_end(start, settings.target);
        let job = EstimateJob {
            model: model.clone(),
            data: data.clone(),
            settings: settings.of_estimator(estimator),
            first_sample: start,
            samples: end - start,
            chains,
        };
        let pick = |event| if let DiagnosticsEvent::Estimate { sums, chains } = event { Some((sums, chains)) } else { None };
        give(proof, DiagnosticsCommand::Estimate(job), pick, move |answer| match answer {
            Ok((sums, chains)) => {
                proof.jobs.update_value(|jobs| {
                    let lane = &mut jobs.lanes[estimator];
                    lane.at_work -= 1;
                    lane.estimates.take(start, end, sums, chains);
                });
                show(proof);
                give_jobs(proof);
            }
            Err(failure) => {
                forget_samples(proof);
                proof.problem.set(Some(failure.to_string()));
            }
        });
    }
}

/// Gives one job to the workers. It ends without an answer if all samples have been discarded meanwhile.
fn give<T: 'static>(
    proof: ProofState,
    command: DiagnosticsCommand,
    pick: impl FnOnce(DiagnosticsEvent) -> Option<T> + 'static,
    take: impl FnOnce(Result<T, Failure>) + 'static,
) {
    spawn_local(async move {
        let answer = pool::ask(Group::Estimates, command, pick).await;
        if !matches!(answer, Err(Failure::Ended)) {
            proof.jobs.update_value(|jobs| jobs.at_work -= 1);
            take(answer);
        }
    });
}

/// Requests the values that the biased estimators converge to. The mean of an unbiased one is the exact gradient, and computing
/// it would take minutes.
fn ask_expectations(proof: ProofState, settings: &ProofSettings, model: &SmallModel, data: &[u8]) {
    if settings.model.n_units() > MAX_EXPECTATION_UNITS {
        return;
    }
    for estimator in (0..COUNT).filter(|&at| settings.chosen[at] && !ESTIMATORS[at].settings.kind.is_unbiased()) {
        let asked =
            proof.jobs.try_update_value(|jobs| std::mem::replace(&mut jobs.asked_expectations[estimator], true)) != Some(false);
        if asked {
            continue;
        }
        proof.jobs.update_value(|jobs| jobs.at_work += 1);
        let settings = settings.of_estimator(estimator);
        let command = DiagnosticsCommand::Expectation { model: model.clone(), data: data.to_vec(), settings };
        let pick = |event| if let DiagnosticsEvent::Expectation(expectations) = event { Some(expectations.mean) } else { None };
        give(proof, command, pick, move |answer| {
            // Without it the plot only lacks a mark.
            if let Ok(mean) = answer {
                proof.expectations.update(|all| all[estimator] = Some(mean));
            }
            give_jobs(proof);
        });
    }
}

/// Shows the numbers soon.
fn show(proof: ProofState) {
    proof.look.run(move || {
        proof.estimates.set(proof.jobs.with_value(|jobs| jobs.lanes.iter().map(|lane| lane.estimates.clone()).collect()));
    });
}
