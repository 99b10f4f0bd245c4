//! The rungs from independent units to the model in training: the run's own past.

use super::{Exchanges, Overlaps, Spread, Temperatures};
use crate::ais::BaseDistribution;
use crate::error::within;
use crate::{Backend, Dbm, DbmError, Examples, Group, LadderSnapshot, Parameters, ParametersView};
use std::sync::Arc;

/// Below this share of accepted exchanges with the last rung, the model becomes a rung (Bereux, Decelle, Furtlehner and Seoane 2025). The
/// model's chains lag slightly behind it: once they have caught up, the share is about 0.3.
pub const GROW_BELOW: f64 = 0.4;
/// Below this share a step of a run with chains went too far: the run goes back to the last rung, at half the rate.
const LOST_BELOW: f64 = 0.1;
/// Two neighbours that accept a smaller share than this in the long run get a rung in between.
pub const INSERT_BELOW: f64 = 0.1;
/// A rung is not needed if its neighbours would accept more than this share from each other.
const REMOVE_ABOVE: f64 = 0.3;
/// The share that a new pair is assumed to accept.
const AT_FIRST: f64 = 0.3;
/// Weight of the newest round in a pair's long-run share.
const NEWEST: f64 = 0.05;

/// A change of a ladder. A rung's number is its place after all earlier changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The model has become the last rung; or, with particles, the model halfway to it.
    Grown,
    /// A rung was inserted at this place, halfway between its neighbours.
    Inserted(usize),
    /// The rung at this place was removed.
    Removed(usize),
    /// The model has lost touch with the last rung and must be reset to it.
    Undone,
}

/// Models on the path from independent units, which come first, to the model in training, which comes after the last. All have the same
/// shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Ladder {
    /// Shared, so that a copy of the ladder is cheap.
    rungs: Vec<Arc<Dbm>>,
    /// The factor of the run's learning rate: halved at every step that was undone.
    pub rate: f64,
    /// Share of exchanges that each rung accepts with the one above it, or with the model, in the long run.
    accepted: Vec<f64>,
    /// The path of temperatures from the lowest rung to the model, once a run has used one.
    temperatures: Option<Temperatures>,
}

impl Ladder {
    /// A ladder with the lowest rung only: independent units, the visible ones high as often as in the data, the hidden ones equally likely
    /// high or low.
    ///
    /// # Errors
    /// [`DbmError::Shape`] if the data are not as wide as the visible layer.
    pub fn of_data(model: &Dbm, data: &Examples) -> Result<Self, DbmError> {
        Ok(Self::from_base(BaseDistribution::of_data(model, data)?.model(model)))
    }

    /// The same with every unit equally likely high or low.
    pub fn uniform(model: &Dbm) -> Self {
        Self::from_base(BaseDistribution::uniform(model).model(model))
    }

    fn from_base(base: Dbm) -> Self {
        Self { rungs: vec![Arc::new(base)], rate: 1.0, accepted: vec![AT_FIRST], temperatures: None }
    }

    /// A ladder from its stored values.
    ///
    /// # Errors
    /// Those of [`Dbm::new`]; [`DbmError::Shape`] if there is no rung, or if any rung differs from the model in its sizes;
    /// [`DbmError::Setting`] if the first has weights, or if the rate, a share or a temperature is out of range.
    pub fn restore(model: &Dbm, kept: LadderSnapshot) -> Result<Self, DbmError> {
        let LadderSnapshot { rungs, rate, accepted, temperatures } = kept;
        let rung = |Parameters { weights, biases }| {
            Ok(Dbm::new(model.units(), weights, biases)?.with_backend(model.backend()).with_checked_groups(model.groups()))
        };
        let rungs = rungs.into_iter().map(rung).collect::<Result<Vec<Dbm>, DbmError>>()?;
        let Some(base) = rungs.first() else {
            return Err(DbmError::Shape { what: "the ladder".into(), expected: 1, got: 0 });
        };
        if base.weights().iter().any(|weight| weight.data().iter().any(|&w| w != 0.0)) {
            let expected = "independent units, whose weights are all 0";
            return Err(DbmError::Setting { name: "the lowest rung", expected, got: "weights".into() });
        }
        for rung in &rungs {
            DbmError::check_shape("a rung", model.n_parameters(), rung.n_parameters())?;
            DbmError::check_shape("the layers of a rung", 0, usize::from(rung.sizes() != model.sizes()))?;
        }
        within("rate of a ladder", "above 0 and at most 1", rate, rate > 0.0 && rate <= 1.0)?;
        DbmError::check_shape("the list of accepted shares", rungs.len(), accepted.len())?;
        accepted.iter().try_for_each(|&share| within("accepted share", "from 0 to 1", share, (0.0..=1.0).contains(&share)))?;
        let temperatures = temperatures.map(Temperatures::restore).transpose()?;
        Ok(Self { rungs: rungs.into_iter().map(Arc::new).collect(), rate, accepted, temperatures })
    }

    /// The same with other kernels.
    #[must_use]
    pub(crate) fn with_backend(mut self, backend: Backend) -> Self {
        if self.rungs.iter().any(|rung| rung.backend() != backend) {
            self.rungs = self.rungs.into_iter().map(|rung| Arc::new(Arc::unwrap_or_clone(rung).with_backend(backend))).collect();
        }
        self
    }

    /// The same with other groups of visible units.
    #[must_use]
    pub(crate) fn with_groups(mut self, groups: &Arc<[Group]>) -> Self {
        let of_rung = |rung: Arc<Dbm>| Arc::new(Arc::unwrap_or_clone(rung).with_checked_groups(groups));
        self.rungs = self.rungs.into_iter().map(of_rung).collect();
        self
    }

    /// Its values, without a copy of them.
    pub fn view(&self) -> LadderSnapshot<&[f32]> {
        let rungs = self.rungs.iter().map(|rung| ParametersView::of(rung.weights(), rung.biases())).collect();
        let temperatures = self.temperatures.as_ref().map(|temperatures| temperatures.betas().to_vec());
        LadderSnapshot { rungs, rate: self.rate, accepted: self.accepted.clone(), temperatures }
    }

    /// The models, independent units first.
    pub fn rungs(&self) -> &[Arc<Dbm>] {
        &self.rungs
    }

    /// Share of exchanges that each rung accepts with the one above it, or with the model, in the long run.
    pub fn accepted(&self) -> &[f64] {
        &self.accepted
    }

    /// This many temperatures for a path from the lowest rung to the model: as adjusted by the runs of earlier steps, or equally spaced if
    /// there were none.
    pub fn temperatures(&self, steps: u32) -> Temperatures {
        self.temperatures.as_ref().map_or_else(|| Temperatures::equal(steps), |moved| moved.with_steps(steps))
    }

    /// Adjusts the temperatures for later steps by the outcome of a step's runs along them.
    pub fn follow_temperatures(&mut self, steps: u32, spread: &Spread) {
        let mut temperatures = self.temperatures(steps);
        temperatures.follow(spread);
        self.temperatures = Some(temperatures);
    }

    /// Updates the ladder after a round of exchanges, as [`Trainer`](crate::Trainer) does, for callers that compute rounds elsewhere. If
    /// the last pair's share is not below [`GROW_BELOW`], the model is not used.
    ///
    /// # Errors
    /// [`DbmError::Setting`] if chains at the model have lost touch with the lowest rung.
    pub fn follow_exchanges(&mut self, exchanges: &Exchanges, model: &Dbm) -> Result<Vec<Change>, DbmError> {
        self.follow(&Overlaps::of_exchanges(exchanges), model)
    }

    /// Updates the ladder, like [`Ladder::follow_exchanges`], after a step whose particles moved along it.
    ///
    /// # Errors
    /// Those of [`Ladder::follow_exchanges`].
    pub fn follow_particles(&mut self, spread: &Spread, step: u64, model: &Dbm) -> Result<Vec<Change>, DbmError> {
        self.follow(&Overlaps::of_particles(spread, step as usize), model)
    }

    /// Updates the ladder after a round of exchanges or particles: it grows if the model has moved far from the last rung, a rung is
    /// inserted between neighbours that hardly overlap, and a rung is removed if its neighbours overlap without it.
    ///
    /// # Errors
    /// [`DbmError::Setting`] if chains at the model have lost touch with the lowest rung: nothing can be learned from units that are all alike.
    pub(crate) fn follow(&mut self, overlaps: &Overlaps, model: &Dbm) -> Result<Vec<Change>, DbmError> {
        let top = self.rungs.len() - 1;
        for (share, now) in self.accepted.iter_mut().rev().zip(overlaps.shares.iter().rev()) {
            *share += NEWEST * (now - *share);
        }
        let now = overlaps.shares.last().copied().unwrap_or(1.0);
        let mut changes = vec![];
        if now < LOST_BELOW && !overlaps.of_chains {
            // Particles are not lost, only spread out: a model in between comes first.
            self.push(self.rungs[top].half_way_to(model));
            changes.push(Change::Grown);
        } else if now < LOST_BELOW {
            if top == 0 {
                return Err(DbmError::Setting {
                    name: "initial weights",
                    expected: "near zero, the visible biases being those of the data: a ladder begins at independent units",
                    got: "a model that these have nothing in common with".into(),
                });
            }
            self.rate /= 2.0;
            self.accepted[top] = AT_FIRST;
            return Ok(vec![Change::Undone]);
        } else if now < GROW_BELOW {
            self.push(model.clone());
            changes.push(Change::Grown);
        }
        // From above, so that the numbers of lower rungs do not change.
        for &(rung, share) in
            overlaps.without.iter().rev().filter(|&&(rung, share)| share > REMOVE_ABOVE && (1..top).contains(&rung))
        {
            self.rungs.remove(rung);
            self.accepted.remove(rung);
            self.accepted[rung - 1] = share;
            changes.push(Change::Removed(rung));
        }
        let broken = self.accepted.iter().rposition(|&share| share < INSERT_BELOW).filter(|pair| pair + 1 < self.rungs.len());
        if let Some(pair) = broken {
            let between = self.rungs[pair].half_way_to(&self.rungs[pair + 1]);
            self.rungs.insert(pair + 1, Arc::new(between));
            self.accepted[pair] = AT_FIRST;
            self.accepted.insert(pair, AT_FIRST);
            changes.push(Change::Inserted(pair + 1));
        }
        Ok(changes)
    }

    fn push(&mut self, rung: Dbm) {
        self.rungs.push(Arc::new(rung));
        self.accepted.push(AT_FIRST);
    }

    /// The last rung.
    pub fn last(&self) -> &Dbm {
        &self.rungs[self.rungs.len() - 1]
    }
}
