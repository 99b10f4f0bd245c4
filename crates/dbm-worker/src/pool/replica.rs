//! One replica of a run: the step it is in, what it has received from the others, and what it waits for.
//!
//! A step has two halves. First the shards are estimated: every `of`-th by this replica, the rest by the others. Nothing of the run changes
//! until all estimates are here. Then this replica updates its part of the weights, sends it, and takes the parts of the others. Once its
//! last estimate is sent, the others may do so at any moment: the run is then *committed*, neither before the step nor after it, until the
//! step ends.

use super::{Kind, PeerMessage};
use crate::clock::{SingleThread, now};
use bytemuck::{cast_slice, pod_collect_to_vec};
use dbm_core::gradient::Estimate;
use dbm_core::{Dbm, DbmError, Examples, Exchange, ReplicaPart, Shards, StepInfo, Trainer, Updated};

pub struct Replica {
    trainer: Trainer,
    part: ReplicaPart,
    session: u32,
    underway: Option<Underway>,
    /// Messages for a step that has not begun here.
    early: Vec<PeerMessage>,
    /// Replicas whose optimizer's state has arrived since it was requested; `None` if it was not requested.
    gathering: Option<Vec<bool>>,
    /// Whether all of the optimizer's state belongs to the present step.
    whole: bool,
}

struct Underway {
    shards: Shards,
    estimates: Vec<Option<Estimate>>,
    updated: Option<Updated>,
    /// Rows that arrived before this replica had updated its own.
    rows: Vec<(usize, Vec<u8>)>,
    /// Which parts of the weights are already those after the step.
    parts: Vec<bool>,
}

impl Underway {
    /// Whether all estimates are here and nothing has been updated.
    fn can_update(&self) -> bool {
        self.updated.is_none() && self.estimates.iter().all(Option::is_some)
    }

    /// Whether all parts of the weights are here.
    fn can_end(&self) -> bool {
        self.parts.iter().all(|&here| here)
    }
}

/// How far a replica got.
#[derive(Debug)]
pub enum ReplicaProgress {
    /// There is more to do.
    Goes,
    /// There is nothing to do until a message comes.
    Waits,
    /// The step is done.
    Finished(Box<StepInfo>),
}

impl Replica {
    /// A run on this worker alone.
    pub fn alone(trainer: Trainer) -> Self {
        Self { trainer, part: ReplicaPart::WHOLE, session: 0, underway: None, early: Vec::new(), gathering: None, whole: true }
    }

    pub fn trainer(&self) -> &Trainer {
        &self.trainer
    }

    /// Shows `look` the model to sample from, between two updates.
    pub fn with_averaged_model<R>(&mut self, look: impl FnOnce(&Dbm) -> R) -> R {
        self.trainer.with_averaged_model(&SingleThread, look)
    }

    pub fn session(&self) -> u32 {
        self.session
    }

    /// How many replicas share the run.
    pub fn count(&self) -> usize {
        self.part.of
    }

    /// Shares the run from now on; between two steps.
    pub fn share(&mut self, session: u32, part: ReplicaPart) {
        (self.session, self.part) = (session, part);
        self.early.clear();
    }

    /// Takes the run back for this worker alone, including a step under way: when the run is complete or, having diverged, at its end.
    pub fn go_alone(&mut self) {
        self.share(0, ReplicaPart::WHOLE);
        (self.gathering, self.whole) = (None, true);
        if let Some(underway) = &mut self.underway {
            underway.parts = vec![false];
        }
    }

    pub fn between_steps(&self) -> bool {
        self.underway.is_none()
    }

    /// Shards estimated in the step under way, and the total.
    pub fn parts(&self) -> Option<(u32, u32)> {
        let Underway { estimates, updated, .. } = self.underway.as_ref()?;
        let done = if updated.is_some() { estimates.len() } else { estimates.iter().flatten().count() };
        Some((done as u32, estimates.len() as u32))
    }

    pub fn is_committed(&self) -> bool {
        self.part.of > 1 && self.underway.is_some() && self.own_shard().is_none()
    }

    /// Whether [`Replica::advance`] can do part of a step under way.
    pub fn has_own_work(&self) -> bool {
        self.own_shard().is_some() || self.underway.as_ref().is_some_and(|underway| underway.can_update() || underway.can_end())
    }

    /// Whether [`Replica::trainer`] can be written as a checkpoint or trained by this replica alone.
    pub fn is_whole(&self) -> bool {
        self.whole && !self.is_committed()
    }

    pub fn is_gathering(&self) -> bool {
        self.gathering.is_some()
    }

    /// The next shard that this replica is to estimate.
    fn own_shard(&self) -> Option<usize> {
        self.own_shards().next()
    }

    /// All shards that this replica still has to estimate.
    fn own_shards(&self) -> impl Iterator<Item = usize> {
        let estimates =
            self.underway.as_ref().filter(|underway| underway.updated.is_none()).map(|underway| &underway.estimates[..]);
        let estimates = estimates.unwrap_or_default().iter().enumerate();
        estimates
            .filter(|(shard, estimate)| shard % self.part.of == self.part.index && estimate.is_none())
            .map(|(shard, _)| shard)
    }

    /// One piece of the present step, which is begun if necessary. What the other replicas need is written to `out`, and should be sent
    /// before the next piece: they may be waiting.
    pub fn advance(&mut self, data: &Examples, out: &mut Vec<PeerMessage>) -> Result<ReplicaProgress, DbmError> {
        let progress = self.piece(data, out);
        if progress.is_err() {
            self.underway = None;
        }
        progress
    }

    fn piece(&mut self, data: &Examples, out: &mut Vec<PeerMessage>) -> Result<ReplicaProgress, DbmError> {
        let shared = self.part.of > 1;
        if self.underway.is_none() {
            self.begin(data)?;
            if shared {
                return Ok(ReplicaProgress::Goes);
            }
        }
        if self.own_shard().is_some() {
            self.estimate(out);
            if shared || self.own_shard().is_some() {
                return Ok(ReplicaProgress::Goes);
            }
        }
        if self.underway.as_ref().is_some_and(Underway::can_update) {
            self.update(out)?;
            if shared {
                return Ok(ReplicaProgress::Goes);
            }
        }
        match self.underway.take_if(|underway| underway.can_end()).and_then(|underway| underway.updated) {
            Some(updated) => Ok(ReplicaProgress::Finished(Box::new(self.trainer.complete(updated, &SingleThread)?))),
            None => Ok(ReplicaProgress::Waits),
        }
    }

    fn begin(&mut self, data: &Examples) -> Result<(), DbmError> {
        let shards = self.trainer.begin(data)?;
        let estimates = vec![None; shards.count()];
        self.underway = Some(Underway { shards, estimates, updated: None, rows: vec![], parts: vec![false; self.part.of] });
        std::mem::take(&mut self.early).into_iter().try_for_each(|message| self.receive(message))
    }

    fn estimate(&mut self, out: &mut Vec<PeerMessage>) {
        let Some(underway) = &self.underway else { return };
        // Requests are only handled between two calls.
        let most = if self.trainer.goes_together() { usize::MAX } else { 1 };
        let own: Vec<usize> = self.own_shards().take(most).collect();
        let estimates = self.trainer.estimate_together(&underway.shards, own.iter().copied(), &now);
        for (shard, estimate) in own.into_iter().zip(estimates) {
            if self.part.of > 1 {
                // Writing to memory cannot fail; if it did, the others would refuse the message.
                out.push(self.message(Kind::Estimate, shard, postcard::to_stdvec(&estimate).unwrap_or_default()));
            }
            if let Some(underway) = &mut self.underway {
                underway.estimates[shard] = Some(estimate);
            }
        }
    }

    fn update(&mut self, out: &mut Vec<PeerMessage>) -> Result<(), DbmError> {
        let Some(underway) = &mut self.underway else { return Ok(()) };
        let estimates = underway.estimates.iter_mut().filter_map(Option::take).collect();
        self.whole &= self.part.of == 1;
        underway.updated = Some(self.trainer.update_part(&underway.shards, estimates, self.part, &SingleThread)?);
        underway.parts[self.part.index] = true;
        for (index, _) in &underway.rows {
            underway.parts[*index] = true;
        }
        let early = std::mem::take(&mut underway.rows);
        if self.part.of > 1 {
            out.push(self.own_part(Kind::Rows, Exchange::Weights));
        }
        for (index, bytes) in early {
            read(&mut self.trainer, Exchange::Weights, ReplicaPart { index, ..self.part }, &bytes)?;
        }
        Ok(())
    }

    /// Takes in a message from another replica. A message that cannot belong to this run is refused; the run cannot continue with that
    /// replica.
    pub fn receive(&mut self, message: PeerMessage) -> Result<(), DbmError> {
        let PeerMessage { session, step, kind, index, bytes } = message;
        if session != self.session {
            return Ok(());
        }
        let steps = self.trainer.steps();
        let refused = |what: &str| Err(DbmError::Replica { what: format!("{what} {index} of step {step}, at step {steps}") });
        let part = ReplicaPart { index, of: self.part.of };
        let others = index < part.of && index != self.part.index;
        match (kind, &mut self.underway) {
            (Kind::Optimizer, _) => {
                let Some(gathering) = self.gathering.as_mut().filter(|_| others && step == steps) else {
                    return refused("the optimizer's state of part");
                };
                read(&mut self.trainer, Exchange::Optimizer, part, &bytes)?;
                gathering[index] = true;
                if gathering.iter().all(|&here| here) {
                    (self.gathering, self.whole) = (None, true);
                }
            }
            // Another replica can be one step ahead of this one, but no more.
            (_, underway) if step == steps + 1 || (step == steps && underway.is_none()) => {
                self.early.push(PeerMessage { session, step, kind, index, bytes });
            }
            (Kind::Estimate, Some(underway)) if step == steps => {
                let awaited = underway.estimates.get(index).is_some_and(Option::is_none) && underway.updated.is_none();
                let Some(chains) = underway.shards.chains(index).filter(|_| awaited && index % part.of != self.part.index) else {
                    return refused("the estimate of shard");
                };
                match postcard::from_bytes::<Estimate>(&bytes) {
                    Ok(estimate) if estimate.fits(self.trainer.model(), chains) => underway.estimates[index] = Some(estimate),
                    _ => return refused("an unreadable estimate of shard"),
                }
            }
            (Kind::Rows, Some(underway)) if step == steps && others && !underway.parts[index] => {
                if underway.updated.is_some() {
                    read(&mut self.trainer, Exchange::Weights, part, &bytes)?;
                    underway.parts[index] = true;
                } else {
                    underway.rows.push((index, bytes));
                }
            }
            _ => return refused("a message of part or shard"),
        }
        Ok(())
    }

    /// Begins to gather the optimizer's state; [`Replica::is_whole`] tells when it is here.
    pub fn gather(&mut self) {
        self.gathering = Some((0..self.part.of).map(|index| index == self.part.index).collect());
    }

    /// This replica's part of the optimizer's state, unless it is changing right now.
    pub fn optimizer(&self) -> Option<PeerMessage> {
        if self.underway.as_ref().is_some_and(|underway| underway.updated.is_some()) {
            return None;
        }
        Some(self.own_part(Kind::Optimizer, Exchange::Optimizer))
    }

    /// This replica's part of the weights, or of the optimizer's state.
    fn own_part(&self, kind: Kind, what: Exchange) -> PeerMessage {
        let mut values = Vec::new();
        self.trainer.write_part(what, self.part, &mut values);
        self.message(kind, self.part.index, cast_slice(&values).to_vec())
    }

    fn message(&self, kind: Kind, index: usize, bytes: Vec<u8>) -> PeerMessage {
        PeerMessage { session: self.session, step: self.trainer.steps(), kind, index, bytes }
    }
}

fn read(trainer: &mut Trainer, what: Exchange, part: ReplicaPart, bytes: &[u8]) -> Result<(), DbmError> {
    if !bytes.len().is_multiple_of(size_of::<f32>()) {
        return Err(DbmError::Replica { what: format!("{} bytes, which are no whole numbers", bytes.len()) });
    }
    match bytemuck::try_cast_slice(bytes) {
        Ok(rows) => trainer.read_part(what, part, rows),
        Err(_) => trainer.read_part(what, part, &pod_collect_to_vec::<u8, f32>(bytes)),
    }
}
