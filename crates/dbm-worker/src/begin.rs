//! How a run begins: by its plan, from a checkpoint, or as the helpers of a pool join it.

use dbm_core::settings::RunPlan;
use dbm_core::{DbmError, Examples, Shards, SingleThread, Trainer};
use dbm_data::{Checkpoint, DataError};
use dbm_engine::Begun;

/// Bytes that a run may take by its footprint. WebAssembly addresses 4 GiB; a run as large as this, its snapshot (for Adam, three
/// quarters of it) and the run before it, which Undo keeps, make 2.75 times this, and half a gibibyte is left for all else.
const MEMORY: u128 = (7 << 29) * 4 / 11;

/// What a snapshot is called in errors.
pub const SNAPSHOT: &str = "the snapshot of the run";

/// A run of a plan on these examples, where it can be in one worker.
pub fn begin(plan: &RunPlan, examples: &Examples) -> Result<Begun, DbmError> {
    dbm_engine::begin(plan, examples, &SingleThread, |needs| {
        needs.check(MEMORY)?;
        needs.check(obtainable(needs.total()))
    })
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

/// A run where its checkpoint left it.
pub fn restored(checkpoint: &[u8]) -> Result<Trainer, DataError> {
    Trainer::restore(Checkpoint::read(SNAPSHOT, checkpoint)?.into_snapshot()?).map_err(DataError::refused(SNAPSHOT))
}

/// A run of this model at step 0.
pub fn begun(plan: &RunPlan, model: &[u8]) -> Result<Trainer, DataError> {
    let model = Checkpoint::read(SNAPSHOT, model)?.last_model()?;
    Trainer::new(model, plan.settings.clone()).map_err(DataError::refused(SNAPSHOT))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Run;
    use crate::sources::Material;
    use dbm_core::settings::Initialization;
    use dbm_core::{Footprint, Settings, Units};

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
