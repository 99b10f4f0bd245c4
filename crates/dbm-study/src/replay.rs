//! A replay as it is sent: states of bytes.

use crate::models::{bits, model, words};
use dbm_core::Units;
use dbm_core::diagnostics::{self, Reached, ReplayPlan};
use dbm_protocol::{Moment, Moved, PairStep, Replay, ReplayOf};

/// Replays a coupling.
pub(crate) fn replay(asked: ReplayOf) -> Result<Replay, String> {
    let model = model(asked.model)?;
    let clamped = (!asked.clamped.is_empty()).then(|| bits(&asked.clamped)).transpose()?;
    let plan = ReplayPlan {
        clamped,
        kernel: asked.kernel,
        start: asked.start,
        max_meeting: asked.max_meeting,
        max_tries: asked.max_tries,
        seed: asked.seed,
        run: asked.run,
    };
    let diagnostics::Replay { approach, steps, meeting } = plan.run(&model).map_err(words)?;
    let units = model.units();
    Ok(Replay {
        approach: approach.into_iter().map(|told| moment(units, &told)).collect(),
        steps: (1..).zip(steps).map(|(t, told)| pair_step(units, t, told)).collect(),
        meeting_time: meeting.time,
        capped: meeting.capped,
    })
}

fn moment(units: Units, told: &diagnostics::Moment) -> Moment {
    let by = match told.by {
        Reached::Uniform => "uniform",
        Reached::Search => "search",
        Reached::Gibbs => "gibbs",
    };
    Moment { state: bytes(units, &told.state), energy: told.energy, by: by.into() }
}

fn pair_step(units: Units, step: u32, told: diagnostics::PairStep) -> PairStep {
    let moved = match told.moved {
        diagnostics::Moved::Metropolis { proposal, energy, u, accept_x, accept_y } => {
            Moved::Metropolis { proposal: bytes(units, &proposal), energy, u, accept_x, accept_y }
        }
        diagnostics::Moved::Gibbs { overlap, shared, tries, tries_capped } => {
            Moved::Gibbs { overlap, shared, tries, tries_capped }
        }
    };
    let (x, y) = (bytes(units, &told.x), bytes(units, &told.y));
    PairStep { step, x, y, energy_x: told.energy_x, energy_y: told.energy_y, moved }
}

fn bytes(units: Units, state: &[Vec<f32>]) -> Vec<u8> {
    state.iter().flatten().map(|&value| u8::from(value == units.high())).collect()
}
