//! An answer or a coupled pair, state by state: played or stepped, with its energies.

use super::settings::Watched;
use super::state::{CompletionState, OnCanvas};
use super::tools::choose;
use crate::canvas::{Fill, Layer, prefers_less_motion, shows, shows_layer, sparkline};
use crate::ui::button::Button;
use crate::ui::player::Player;
use dbm_core::words::Choose;
use leptos::html::Canvas;
use leptos::prelude::*;
use std::time::Duration;

/// How long each state is shown, and the most states that are shown.
const BEAT: Duration = Duration::from_millis(220);
const BEATS: usize = 40;

/// The button that starts it, and its controls.
pub fn watch_controls(state: CompletionState) -> impl IntoView {
    let canvas = NodeRef::<Canvas>::new();
    let frames =
        Memo::new(move |_| state.recording.with(|recording| recording.as_ref().map_or(0, |recording| recording.states.len())));
    let last = move || frames.get().saturating_sub(1);
    let energies = move || {
        state.recording.with(|recording| {
            let states = &recording.as_ref()?.states;
            Some((states.iter().map(|state| state.energies).collect::<Vec<_>>(), state.frame.get()))
        })
    };
    shows(canvas, energies, |surface, colours, (energies, now)| sparkline(surface, colours, &energies, now));
    let show = move |frame| {
        if state.on_canvas.get_untracked() != OnCanvas::Recording {
            state.on_canvas.set(OnCanvas::Recording);
        }
        state.frame.set(frame);
    };
    let player = Player::new(state.playing, (BEAT, BEATS), move || state.frame.get(), last, show);
    let switch = move |_| {
        state.on_canvas.set(OnCanvas::Recording);
        player.switch();
    };
    let pair = move || state.settings.with(|settings| settings.watched != Watched::Answer);
    let none = move || frames.get() == 0;
    view! {
        <div class="watch" role="group" aria-label="Watched answer">
            {choose(state, "watch", |settings| settings.watched.choice().help)}
            <Button
                label=move || if pair() { "Watch the pair" } else { "Watch the answer" }
                help="Computes it with the current picture, mask and set, and shows it state by state in the large picture."
                disabled=move || state.has_nothing_to_ask()
                on_press=move |()| state.watch()
            />
            <button type="button" class="play" data-help="Shows the states one after another." hidden=prefers_less_motion disabled=none on:click=switch>
                {move || if state.playing.get() { "Pause" } else { "Play" }}
            </button>
            {player
                .slider(
                    move || if pair() { "Step of the pair" } else { "State of the chain" },
                    || None,
                    "State by state; the arrow keys go back and forward by one.",
                    Signal::derive(none),
                )}
            <canvas
                node_ref=canvas
                class="spark"
                role="img"
                aria-label="Energy along the way"
                data-help="Energy of the whole state along the way: of the chain, or of x and, dashed, of y."
            ></canvas>
            <p class="figures-text" aria-live="off">
                {move || {
                    state
                        .recording
                        .with(|recording| recording.as_ref().and_then(|it| it.states.get(state.frame.get())).map(|now| now.words.clone()))
                        .unwrap_or_else(|| "A chain from noise to an answer, one sweep after another.".into())
                }}
            </p>
            <div class="chains" hidden=move || !pair()>
                {chain_tile(state, false)}
                {chain_tile(state, true)}
            </div>
        </div>
    }
}

/// One chain of the pair, with crosses where the other differs.
fn chain_tile(state: CompletionState, y: bool) -> impl IntoView {
    let canvas = NodeRef::<Canvas>::new();
    shows_layer(canvas, move || {
        // A canvas that was hidden in the meantime has to be redrawn.
        state.settings.with(|settings| settings.watched);
        let shape = state.picture.with(|picture| picture.shape);
        state.recording.with(|recording| {
            let recording = recording.as_ref()?;
            let now = recording.states.get(state.frame.get()).filter(|now| !now.y.is_empty())?;
            let (bits, other) = if y { (&now.y, &now.x) } else { (&now.x, &now.y) };
            let (bits, other, unknown) = (bits.clone(), other.clone(), recording.unknown.clone());
            Some(Layer { shape, bits, unknown, fill: Fill::Answer, other })
        })
    });
    let (name, help) = if y {
        ("y", "The second chain, one step behind; crosses where x differs.")
    } else {
        ("x", "The first chain; crosses where y differs.")
    };
    view! {
        <figure data-help=help>
            <canvas node_ref=canvas class="tile" role="img" aria-label=name style:aspect-ratio=move || state.aspect_ratio()></canvas>
            <figcaption>{name}</figcaption>
        </figure>
    }
}
