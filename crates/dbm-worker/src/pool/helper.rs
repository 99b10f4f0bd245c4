//! A helper: carries out the coordinator's orders on a replica of the run.

use super::{Order, PeerMessage, PoolMessage, Replica, ReplicaProgress, SharedRun};
use crate::begin::{begun, restored};
use dbm_core::{Examples, ReplicaPart};

#[derive(Default)]
pub struct Helper {
    /// Number of the replica, 1 and up.
    index: usize,
    member: Option<(Replica, Examples)>,
    /// Messages of a session whose order has not arrived yet: messages and orders travel separately.
    early: Vec<PeerMessage>,
    /// Steps ordered but not begun.
    steps: u32,
    /// Whether the coordinator waits for the optimizer's state.
    asked: bool,
}

impl Helper {
    /// Takes a message from the coordinator or from another replica.
    ///
    /// # Errors
    /// If the run to join does not exist, if none was joined, or if the message cannot belong to it: the pool is then of no use.
    pub fn receive(&mut self, message: PoolMessage) -> Result<(), String> {
        match message {
            PoolMessage::Order(Order::Join(session)) => return self.join(*session),
            PoolMessage::Order(Order::Step) => self.steps += 1,
            PoolMessage::Order(Order::Gather) => self.asked = true,
            PoolMessage::Computed(message) => match &mut self.member {
                Some((replica, _)) if message.session <= replica.session() => {
                    return replica.receive(message).map_err(|error| error.to_string());
                }
                _ => self.early.push(message),
            },
            PoolMessage::Introduction(index) => *self = Self { index, ..Self::default() },
            PoolMessage::Greeting => return Err("a helper greeted another".into()),
        }
        Ok(())
    }

    fn join(&mut self, session: SharedRun) -> Result<(), String> {
        let SharedRun { number, of, plan, width, packed, known, groups, fresh, checkpoint } = session;
        if self.index == 0 || self.index >= of {
            return Err(format!("replica {} of {of} was to be made", self.index));
        }
        let mut data = Examples::from_packed(width, packed).map_err(|error| error.to_string())?;
        if !known.is_empty() {
            data = data.with_packed_gaps(known).map_err(|error| error.to_string())?;
        }
        data = data.with_groups(groups).map_err(|error| error.to_string())?;
        let trainer = if fresh { begun(&plan, &checkpoint) } else { restored(&checkpoint) };
        let mut replica = Replica::alone(trainer.map_err(|error| error.to_string())?);
        replica.share(number, ReplicaPart { index: self.index, of });
        (self.steps, self.asked) = (0, false);
        for message in std::mem::take(&mut self.early) {
            replica.receive(message).map_err(|error| error.to_string())?;
        }
        self.member = Some((replica, data));
        Ok(())
    }

    /// Works until it has to wait, and returns what it has for the others.
    ///
    /// A run that diverges ends here as it does in the coordinator, which reports it.
    pub fn work(&mut self) -> Vec<PeerMessage> {
        let mut out = Vec::new();
        let Some((replica, data)) = &mut self.member else { return out };
        loop {
            if self.asked
                && let Some(message) = replica.optimizer()
            {
                self.asked = false;
                out.push(message);
            }
            if replica.between_steps() {
                if self.steps == 0 {
                    break;
                }
                self.steps -= 1;
            }
            match replica.advance(data, &mut out) {
                // What is ready goes out before the next shard begins.
                Ok(ReplicaProgress::Goes | ReplicaProgress::Finished(_)) if !out.is_empty() => break,
                Ok(ReplicaProgress::Goes | ReplicaProgress::Finished(_)) => {}
                Ok(ReplicaProgress::Waits) => break,
                Err(_) => {
                    self.member = None;
                    break;
                }
            }
        }
        out
    }

    /// Whether [`Helper::work`] has something to do without another message.
    pub fn has_work(&self) -> bool {
        self.member.as_ref().is_some_and(|(replica, _)| replica.has_own_work() || (replica.between_steps() && self.steps > 0))
    }
}
