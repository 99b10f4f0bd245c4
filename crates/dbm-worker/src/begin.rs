//! How a run begins: from its plan, from a checkpoint, or joined by the helpers of a pool.

use dbm_core::settings::RunPlan;
use dbm_core::{DbmError, Examples, Footprint, Shards, SingleThread, Trainer};
use dbm_data::{Checkpoint, DataError};
use dbm_engine::Begun;

/// Bytes that a run may take by its footprint. WebAssembly addresses 4 GiB. A run this large, its snapshot (for Adam, three quarters of it)
/// and the previous run, which Undo keeps, come to 2.75 times this, which leaves half a gibibyte for everything else.
const MEMORY: u128 = (7 << 29) * 4 / 11;

/// The name of a snapshot in error messages.
pub const SNAPSHOT: &str = "the snapshot of the run";

/// A run of a plan on these examples, if it fits in one worker.
pub fn begin(plan: &RunPlan, examples: &Examples) -> Result<Begun, DbmError> {
    dbm_engine::begin(plan, examples, &SingleThread, fits)
}

/// Whether a run of this size fits in one worker.
pub fn fits(needs: &Footprint) -> Result<(), DbmError> {
    needs.check(MEMORY)?;
    needs.check(obtainable(needs.total()))
}

/// This many bytes, or as many as can be had now: a phone may give a page far less than it can address, and the only way to find out is to
/// allocate. The memory is given back at once, so the run can have it.
fn obtainable(wanted: u128) -> u128 {
    let can_be_had = |bytes: &u128| {
        let mut room = Vec::<u8>::new();
        let had = usize::try_from(*bytes).is_ok_and(|bytes| room.try_reserve_exact(bytes).is_ok());
        std::hint::black_box(&room); // otherwise the compiler removes the unused allocation
        had
    };
    std::iter::successors(Some(wanted), |bytes| Some(bytes * 7 / 8).filter(|bytes| *bytes > 0)).find(can_be_had).unwrap_or(0)
}

/// Shards in a step.
pub fn shards(plan: &RunPlan) -> usize {
    Shards::of_batch(plan.settings.batch)
}

/// A run resumed from its checkpoint.
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
    use crate::sources::TrainingData;
    use dbm_core::settings::Initialization;
    use dbm_core::{Settings, Units};

    #[test]
    fn what_fits_an_instance_is_accepted_and_what_does_not_is_refused_with_its_size() {
        let fits = |hidden: &[usize]| {
            let sizes = [&[784], hidden].concat();
            Footprint::of(&sizes, &Settings::default(), 60_000, 1).check(MEMORY)
        };
        assert_eq!(fits(&[4000; 4]), Ok(()));
        assert!(fits(&[6000; 4]).is_err());
        let data = TrainingData { data: dbm_data::bars::dataset(4).unwrap(), whole: None };
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
