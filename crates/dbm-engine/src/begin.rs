//! How a run begins.

use dbm_core::pretrain::{PretrainSettings, Pretrainer};
use dbm_core::settings::{Initialization, RunPlan};
use dbm_core::{DbmError, Examples, Footprint, Host, Trainer, init};

/// Examples in a minibatch of pretraining, which is computed in one piece, unlike a gradient step.
const PRETRAINING_BATCH: usize = 100;

/// A run that has taken no step.
pub enum Begun {
    /// It is pretrained first, layer by layer; its first step comes after that.
    Pretraining(Box<Pretrainer>),
    /// At its first step.
    Training(Box<Trainer>),
}

/// Units in each layer of a plan's model on `n` visible ones: the hidden layers and, above them, the class units, if there are any.
pub fn layers(plan: &RunPlan, n: usize) -> Vec<usize> {
    let classes = Some(plan.settings.classes).filter(|&classes| classes > 0);
    std::iter::once(n).chain(plan.hidden.iter().map(|&size| size as usize)).chain(classes).collect()
}

/// Memory that a run takes, pretraining included, if this many threads estimate its gradient.
fn footprint(plan: &RunPlan, data: &Examples, threads: usize) -> Footprint {
    let sizes = layers(plan, data.width());
    let run = Footprint::of_data(&sizes, &plan.settings, data, threads);
    match pretraining(plan) {
        Some(settings) => run.max(Footprint::of_pretraining(&sizes, &settings, data)),
        None => run,
    }
}

fn pretraining(plan: &RunPlan) -> Option<PretrainSettings> {
    let Initialization::Pretrained { steps, learning_rate } = plan.start else { return None };
    let (batch, seed) = (plan.settings.batch.min(PRETRAINING_BATCH), plan.settings.seed);
    Some(PretrainSettings { steps: u64::from(steps), learning_rate, batch, seed, ..PretrainSettings::default() })
}

/// Begins a run from its plan, once `check` has approved its memory.
///
/// # Errors
/// Those of [`dbm_core::Settings::check`], of `check`, and of the model's sizes.
pub fn begin<E: From<DbmError>>(
    plan: &RunPlan,
    data: &Examples,
    host: &impl Host,
    check: impl FnOnce(&Footprint) -> Result<(), E>,
) -> Result<Begun, E> {
    plan.settings.check(data.width())?;
    check(&footprint(plan, data, host.threads()))?;
    let sizes = layers(plan, data.width());
    if let Some(settings) = pretraining(plan) {
        if let Some(share) = plan.settings.local {
            let expected = "none with pretraining, which trains all weights";
            return Err(DbmError::Setting { name: "local fields", expected, got: share.to_string() }.into());
        }
        return Ok(Begun::Pretraining(Box::new(Pretrainer::new(&sizes, plan.units, settings)?)));
    }
    let seed = plan.settings.seed;
    let model = match plan.start {
        Initialization::Gaussian { deviation } if !(deviation > 0.0 && deviation <= 10.0) => {
            let expected = "a number above 0 and at most 10";
            return Err(DbmError::Setting { name: "deviation of the start", expected, got: deviation.to_string() }.into());
        }
        Initialization::Gaussian { deviation } => init::gaussian(&sizes, plan.units, deviation, seed)?,
        Initialization::Independent => init::of_data(&sizes, plan.units, init::NEARLY_INDEPENDENT, seed, data)?,
        _ => init::orthogonal_on(host, &sizes, plan.units, seed)?,
    };
    Ok(Begun::Training(Box::new(Trainer::new(model, plan.settings.clone())?)))
}
