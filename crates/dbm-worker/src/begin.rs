//! How a run begins: by its plan, from a checkpoint, or as the helpers of a pool join it.

use dbm_core::pretrain::{PretrainSettings, Pretrainer};
use dbm_core::settings::{Initialization, RunPlan};
use dbm_core::{DbmError, Examples, Footprint, Settings, Shards, Trainer, init};
use dbm_data::{Checkpoint, DataError};

/// Examples of a minibatch of pretraining, which is computed in one piece, unlike a gradient step.
const PRETRAINING_BATCH: usize = 100;

/// Bytes that a run may take by its footprint. WebAssembly addresses 4 GiB; a run as large as this, its snapshot (for Adam, three
/// quarters of it) and the run before it, which Undo keeps, make 2.75 times this, and half a gibibyte is left for all else.
const MEMORY: u128 = (7 << 29) * 4 / 11;

/// What a snapshot is called in errors.
pub const SNAPSHOT: &str = "the snapshot of the run";

/// The pretraining that a run begins with, where it does.
pub fn pretrainer(plan: &RunPlan, examples: &Examples) -> Result<Option<Pretrainer>, DbmError> {
    let Initialization::Pretrained { steps, learning_rate } = plan.start else { return Ok(None) };
    let sizes = sizes(plan, examples)?;
    let Settings { batch, seed, .. } = plan.settings;
    let batch = batch.min(PRETRAINING_BATCH);
    let settings = PretrainSettings { steps: u64::from(steps), learning_rate, batch, seed, ..PretrainSettings::default() };
    Pretrainer::new(&sizes, plan.units, settings).map(Some)
}

/// Units in each layer of a plan on `n` visible ones.
pub fn layers(plan: &RunPlan, n: usize) -> Vec<usize> {
    std::iter::once(n).chain(plan.hidden.iter().map(|&size| size as usize)).collect()
}

/// Layer sizes of a plan on these examples, where a run of them can be in one worker.
fn sizes(plan: &RunPlan, examples: &Examples) -> Result<Vec<usize>, DbmError> {
    plan.settings.check(examples.width())?;
    let sizes = layers(plan, examples.width());
    let needs = Footprint::of_data(&sizes, &plan.settings, examples, 1);
    needs.check(MEMORY)?;
    needs.check(obtainable(needs.total()))?;
    Ok(sizes)
}

/// So many bytes, or as many as can be had now: a phone may give a page far less than it can address, and tells only who asks. Given back at once, they are there for the run.
fn obtainable(wanted: u128) -> u128 {
    let can_be_had = |bytes: &u128| {
        let mut room = Vec::<u8>::new();
        let had = usize::try_from(*bytes).is_ok_and(|bytes| room.try_reserve_exact(bytes).is_ok());
        std::hint::black_box(&room); // else a compiler sees that nobody uses it, and asks nobody
        had
    };
    std::iter::successors(Some(wanted), |bytes| Some(bytes * 7 / 8).filter(|bytes| *bytes > 0)).find(can_be_had).unwrap_or(0)
}

/// Shards of a step.
pub fn shards(plan: &RunPlan) -> usize {
    Shards::of_batch(plan.settings.batch)
}

/// A run at step 0 that does not begin with pretraining.
pub fn first(plan: &RunPlan, examples: &Examples) -> Result<Trainer, DbmError> {
    let sizes = sizes(plan, examples)?;
    let settings = &plan.settings;
    let model = match plan.start {
        Initialization::Gaussian { deviation } if !(deviation > 0.0 && deviation <= 1.0) => {
            let expected = "a number above 0 and at most 1";
            return Err(DbmError::Setting { name: "deviation of the start", expected, got: deviation.to_string() });
        }
        Initialization::Gaussian { deviation } => init::gaussian(&sizes, plan.units, deviation, settings.seed)?,
        Initialization::Independent => init::of_data(&sizes, plan.units, init::NEARLY_INDEPENDENT, settings.seed, examples)?,
        Initialization::Orthogonal | Initialization::Pretrained { .. } => init::orthogonal(&sizes, plan.units, settings.seed)?,
    };
    Trainer::new(model, settings.clone())
}

/// A run where its checkpoint left it.
pub fn restored(checkpoint: &[u8]) -> Result<Trainer, DataError> {
    Trainer::restore(Checkpoint::read(SNAPSHOT, checkpoint)?.into_snapshot()?).map_err(DataError::refused(SNAPSHOT))
}

/// A run of this model at step 0.
pub fn begun(plan: &RunPlan, model: &[u8]) -> Result<Trainer, DataError> {
    let model = Checkpoint::read(SNAPSHOT, model)?.last_model()?;
    Trainer::new(model, plan.settings.clone()).map_err(DataError::refused(SNAPSHOT))
}

/// A run on these examples where its checkpoint left it; without one, as it begins.
pub fn trainer(plan: &RunPlan, examples: &Examples, checkpoint: &[u8]) -> Result<Trainer, DataError> {
    let begin = || first(plan, examples);
    if checkpoint.is_empty() { begin().map_err(DataError::refused("the run")) } else { restored(checkpoint) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Run;
    use crate::sources::Material;
    use dbm_core::Units;

    #[test]
    fn what_fits_an_instance_is_accepted_and_what_does_not_is_refused_with_its_size() {
        let fits = |hidden: &[usize]| {
            let sizes = [&[784], hidden].concat();
            Footprint::of(&sizes, &Settings::default(), 60_000, 1).check(MEMORY)
        };
        assert_eq!(fits(&[4000; 4]), Ok(()));
        assert!(fits(&[6000; 4]).is_err());
        let data = Material { data: dbm_data::bars::dataset(4).unwrap(), whole: None };
        let plan = RunPlan {
            hidden: vec![u32::MAX; 3],
            units: Units::Signs,
            start: Initialization::Orthogonal,
            settings: Settings::default(),
        };
        let Err(refused) = Run::new(data, plan) else { panic!("accepted") };
        let message = refused.to_string();
        assert!(
            message.contains("16-4294967295-") && message.contains("EB of memory") && message.contains("the limit is 1.4 GB"),
            "{message}"
        );
    }
}
