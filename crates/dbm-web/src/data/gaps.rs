//! Filling the gaps of a table: the worker answers, the reader writes them into the table.

use crate::data::uploads;
use crate::inbox::Purpose;
use crate::state::{Busy, DataChoice, Filled, State};
use crate::worker::link::ask;
use dbm_protocol::{Command, DataSource, EncodedData, FilesCommand, FilesEvent, NamedBytes};
use leptos::prelude::*;

/// Chains a row: answers that each probability is a mean of.
const COMPLETIONS: u32 = 32;
/// Clamped Gibbs sweeps before a chain counts.
const SWEEPS: u32 = 50;
/// As the command `dbm impute` has it, so that both give the same table.
const SEED: u32 = 1;

/// Whether the data in use are a table.
pub fn is_table(state: State) -> bool {
    with_table(state, |_| ()).is_some()
}

/// Shows `look` the table in use, where it is one.
fn with_table<T>(state: State, look: impl FnOnce(&EncodedData) -> T) -> Option<T> {
    let DataChoice::Upload(place) = state.choice_in_use.get() else { return None };
    state.uploads.with(|uploads| match &uploads.get(place)?.source {
        DataSource::Examples(encoded) if !encoded.table.is_empty() => Some(look(encoded)),
        _ => None,
    })
}

/// Has the gaps filled by the model in training.
pub fn begin(state: State) {
    start(state, Command::Impute { completions: COMPLETIONS, sweeps: SWEEPS, seed: SEED }, Purpose::Impute);
}

/// Has the answers compared with two simple guesses.
pub fn evaluate(state: State) {
    start(state, Command::Evaluate { completions: COMPLETIONS, sweeps: SWEEPS, seed: SEED }, Purpose::Evaluate);
}

fn start(state: State, command: Command, purpose: Purpose) {
    if let Some(id) = ask(state, command, purpose) {
        state.filling.set(Some(Busy { id, done: 0, total: 0, shown: true }));
    }
}

/// Stops either.
pub fn cancel(state: State) {
    if let Some(busy) = state.filling.get_untracked() {
        state.filling.set(None);
        ask(state, Command::Cancel { request: busy.id }, Purpose::Cancel);
    }
}

/// Has the answers written into the table.
pub fn fill(state: State, probabilities: Vec<f32>) {
    let command = untrack(|| {
        with_table(state, |encoded| FilesCommand::Fill {
            file: NamedBytes { name: encoded.name.clone(), bytes: encoded.table.clone() },
            visible: encoded.visible.clone(),
            probabilities,
        })
    });
    state.filling.set(None);
    let Some(command) = command else { return };
    uploads::write(state, command, move |event| {
        if let FilesEvent::Filled { table, probabilities, cells, mean_probability } = event {
            state.filled.set(Some(Filled { table, probabilities, cells, mean_probability }));
        }
    });
}
