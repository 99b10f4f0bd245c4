//! Samples, many at once.

use crate::{Error, Workbench};
use dbm_core::chains::Chains;
use dbm_core::complete::SamplingSchedule;
use dbm_core::rng::{Purpose, Streams};
use dbm_core::sweep::{SearchInfo, search};
use dbm_core::tempering::{LadderDepth, Replicas};
use dbm_core::{Dbm, DbmError, Parity, Settings};
use dbm_data::Checkpoint;
use dbm_engine::{Drawn, Job, MAX_SWEEPS, OfClass, OfClassSamples};
use std::str::FromStr;

/// Chains per task: enough for the batch products, few enough to keep every thread busy.
pub const CHAINS: usize = 32;

/// How samples are drawn: by independent chains, or by chains that climb a ladder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampler {
    /// Each chain independently.
    Alone(SamplingSchedule),
    /// This many rounds of parallel tempering over the ladder in the model's file, and a search.
    Ptt(u32),
}

impl FromStr for Sampler {
    type Err = DbmError;

    fn from_str(text: &str) -> Result<Self, DbmError> {
        match text.strip_prefix("ptt:").map(str::parse) {
            None => text.parse().map(Self::Alone),
            Some(Ok(rounds @ 1..=100_000)) => Ok(Self::Ptt(rounds)),
            Some(_) => Err(DbmError::Setting {
                name: "sampler",
                expected: "ptt:K with K from 1 to 100000 rounds",
                got: format!("{text:?}"),
            }),
        }
    }
}

/// `count` samples of a model by a sampler. Each depends only on the model, the seed and, for tempering, its place among 32 neighbours.
///
/// # Errors
/// [`Error::Input`] if tempering is requested for a model without a ladder.
pub fn draw_by(
    session: &Workbench,
    checkpoint: &Checkpoint,
    model: &Dbm,
    sampler: Sampler,
    (count, seed): (usize, u64),
) -> Result<DrawnSamples, Error> {
    let rounds = match sampler {
        Sampler::Alone(schedule) => return draw(session, model, schedule, count, seed),
        Sampler::Ptt(rounds) => rounds,
    };
    let Some(ladder) = checkpoint.ladder(model)? else {
        let advice = "train one by `dbm train --estimator ptt-5`, or draw samples by gibbs:K";
        return Err(Error::Input(format!("--sampler ptt:K needs a ladder, but there is none in the model's file; {advice}")));
    };
    let parts = session.in_parts("samples", 0..count, CHAINS, |part| {
        let mut streams = Streams::new(seed).of_chains(Purpose::Tempering, 0, part.start as u64..part.end as u64);
        let mut replicas = Replicas::new(&ladder, model, LadderDepth::Whole(0), None, &mut streams);
        (0..rounds).for_each(|_| replicas.round(1, &mut streams));
        let mut chains = Chains::free(model, part.len());
        (0..part.len()).for_each(|chain| chains.place(chain, &replicas.top().state(chain)));
        let searches = search(model, &mut chains, &vec![Parity::Even; part.len()], MAX_SWEEPS);
        let high = model.units().value(true);
        (chains.layer(0).data().iter().map(|&unit| u8::from(unit == high)).collect(), searches)
    });
    let (bits, searches): (Vec<Vec<u8>>, Vec<_>) = parts.into_iter().unzip();
    Ok(DrawnSamples { bits: bits.concat(), searches: searches.concat() })
}

/// `count` samples of one class, from a model whose top layer stands for classes: [`OfClass`].
///
/// # Errors
/// [`Error::Usage`] for a class that the model does not have; [`Error::Job`] if fewer than `count` of a hundred times as many samples, or
/// more, are of the class.
pub fn draw_class(
    session: &Workbench,
    (checkpoint, model): (&Checkpoint, &Dbm),
    schedule: SamplingSchedule,
    class: usize,
    (count, seed): (usize, u64),
) -> Result<DrawnSamples, Error> {
    let classes = classes(checkpoint);
    if class >= classes {
        let there =
            if classes == 0 { "the model has no labels".into() } else { format!("the model has classes 0 to {}", classes - 1) };
        return Err(Error::Usage(format!(
            "--class {class}: {there}; `dbm train --labels` makes a model that draws a class of your choice"
        )));
    }
    let predicts = checkpoint.settings.as_ref().is_some_and(Settings::trains_predictions);
    let wanted = OfClass { schedule, class, predicts, count, seed };
    let (mut kept, each) = (OfClassSamples::default(), count.div_ceil(CHAINS).max(1) * CHAINS);
    for round in 0.. {
        let chains = round * each..(round + 1) * each;
        let parts = session.in_parts("samples", chains, CHAINS, |part| wanted.draw(model, part));
        if parts.iter().any(|part| wanted.collect(&mut kept, part)) {
            break;
        }
    }
    if kept.searches.len() < count {
        Err(wanted.few(&kept).into())
    } else {
        Ok(DrawnSamples { bits: kept.bits, searches: kept.searches })
    }
}

/// The number of classes for which the model in a checkpoint has labels.
pub fn classes(checkpoint: &Checkpoint) -> usize {
    checkpoint.settings.as_ref().map_or(0, |settings| settings.classes)
}

/// The samples drawn.
pub struct DrawnSamples {
    /// `[count, visible]`, bytes 0 and 1, or what was kept of them.
    pub bits: Vec<u8>,
    /// Statistics of each search.
    pub searches: Vec<SearchInfo>,
}

/// The schedule that suits a model's samples: as in its training, if its file describes that.
pub fn of_training(checkpoint: &Checkpoint) -> SamplingSchedule {
    checkpoint.settings.as_ref().map_or(SamplingSchedule::Mode, SamplingSchedule::of_training)
}

/// `count` samples; each depends only on the model, the seed and its number.
///
/// # Errors
/// Those of the engine.
pub fn draw(
    session: &Workbench,
    model: &Dbm,
    schedule: SamplingSchedule,
    count: usize,
    seed: u64,
) -> Result<DrawnSamples, Error> {
    draw_as(session, model, schedule, (count, seed), |bits| bits)
}

/// The same, keeping something else than their bits, which can take many more bytes.
///
/// # Errors
/// Those of the engine.
pub fn draw_as(
    session: &Workbench,
    model: &Dbm,
    schedule: SamplingSchedule,
    (count, seed): (usize, u64),
    kept: impl Fn(Vec<u8>) -> Vec<u8> + Sync + Send,
) -> Result<DrawnSamples, Error> {
    let parts = session.in_parts("samples", 0..count, CHAINS, |part| {
        let Drawn { bits, searches, .. } = dbm_engine::Samples::new(model, schedule, part, seed).finish()?;
        Ok((kept(bits), searches))
    });
    let (bits, searches): (Vec<_>, Vec<_>) = parts.into_iter().collect::<Result<Vec<_>, Error>>()?.into_iter().unzip();
    Ok(DrawnSamples { bits: bits.concat(), searches: searches.concat() })
}

impl DrawnSamples {
    /// Number of searches cut off at [`MAX_SWEEPS`].
    pub fn capped(&self) -> usize {
        self.searches.iter().filter(|search| search.capped).count()
    }

    /// Mean number of sweeps per search.
    pub fn mean_sweeps(&self) -> f64 {
        self.searches.iter().map(|search| f64::from(search.sweeps)).sum::<f64>() / self.searches.len() as f64
    }
}
