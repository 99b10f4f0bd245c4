//! The local search, state by state: played or stepped, with its energy.

use crate::actions;
use crate::paint::{calm, redraws, sparkline};
use crate::state::{Shown, state};
use dbm_protocol::SearchFrame;
use leptos::html::Canvas;
use leptos::prelude::*;
use std::time::Duration;

/// How long each state is shown.
const BEAT: Duration = Duration::from_millis(220);

/// The button that asks for a search, and the controls over it.
#[component]
pub fn Watch() -> impl IntoView {
    let state = state();
    let canvas = NodeRef::<Canvas>::new();
    let frames = Memo::new(move |_| state.watched.with(|watched| watched.as_ref().map_or(0, |w| w.trace.frames.len())));
    let last = move || frames.get().saturating_sub(1);
    redraws(
        canvas,
        move || {
            let energies = state
                .watched
                .with(|watched| watched.as_ref().map(|w| w.trace.frames.iter().map(|f| f.energy).collect::<Vec<_>>()));
            (energies, state.frame.get())
        },
        |surface, colours, (energies, now)| {
            if let Some(energies) = energies {
                sparkline(surface, colours, &energies, now);
            }
        },
    );
    let beat = set_interval_with_handle(
        move || {
            if state.playing.get_untracked() {
                let last = frames.get_untracked().saturating_sub(1);
                state.frame.update(|frame| *frame = (*frame + 1).min(last));
                if state.frame.get_untracked() >= last {
                    state.playing.set(false);
                }
            }
        },
        BEAT,
    );
    on_cleanup(move || {
        if let Ok(beat) = beat {
            beat.clear();
        }
    });
    let play = move |_| {
        if state.playing.get_untracked() {
            state.playing.set(false);
        } else {
            if state.frame.get_untracked() >= frames.get_untracked().saturating_sub(1) {
                state.frame.set(0);
            }
            state.shown.set(Shown::Search);
            state.playing.set(true);
        }
    };
    let slide = move |event| {
        state.playing.set(false);
        state.shown.set(Shown::Search);
        state.frame.set(event_target_value(&event).parse().unwrap_or(0));
    };
    let impossible = move || state.about().is_none() || state.picture.with(|picture| picture.n_unknown() == 0);
    let none = move || frames.get() == 0;
    view! {
        <div class="watch" role="group" aria-label="Watched search">
            <button type="button" disabled=impossible on:click=move |_| actions::watch(state)>
                "Watch the search"
            </button>
            <Show when=move || !calm()>
                <button type="button" class="play" disabled=none on:click=play>
                    {move || if state.playing.get() { "Halt" } else { "Play" }}
                </button>
            </Show>
            <input
                type="range"
                min="0"
                max=move || last().to_string()
                prop:value=move || state.frame.get().to_string()
                aria-label="Half-sweep of the search"
                disabled=none
                on:input=slide
            />
            <canvas node_ref=canvas class="spark" role="img" aria-label="Energy along the search"></canvas>
            <p class="figures-text" aria-live="off">
                {move || {
                    state.watched.with(|watched| {
                        watched
                            .as_ref()
                            .and_then(|w| w.trace.frames.get(state.frame.get()).map(|frame| words(frame, w.trace.sweeps, w.trace.capped)))
                            .unwrap_or_else(|| "Each half-sweep puts half of the layers where their energy is least.".into())
                    })
                }}
            </p>
        </div>
    }
}

fn words(frame: &SearchFrame, sweeps: u32, capped: bool) -> String {
    let end = if capped { " (cut at the cap)" } else { "" };
    let SearchFrame { half_sweep, energy, flipped, .. } = frame;
    let energy = format!("{energy:.1}").replace('-', "−");
    if *half_sweep == 0 {
        return format!("Random start, energy {energy}. The search took T = {sweeps} sweeps{end}.");
    }
    let unit = if *flipped == 1 { "unit" } else { "units" };
    format!("Half-sweep {half_sweep}: {flipped} {unit} flipped, energy {energy}. T = {sweeps} sweeps{end}.")
}
