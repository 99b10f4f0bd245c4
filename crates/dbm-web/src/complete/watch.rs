//! A search or a coupled pair, state by state: played or stepped, with its energies.

use crate::actions;
use crate::canvas::{Fill, Layer, draw_layer, prefers_less_motion, redraws, sparkline};
use crate::complete::answers::{Pick, ratio};
use crate::complete::asking::Choice;
use crate::state::{Shown, state};
use leptos::html::Canvas;
use leptos::prelude::*;
use std::time::Duration;

/// How long each state is shown.
const BEAT: Duration = Duration::from_millis(220);

/// The button that asks for it, and the controls over it.
#[component]
pub fn Watch() -> impl IntoView {
    let state = state();
    let canvas = NodeRef::<Canvas>::new();
    let frames = Memo::new(move |_| state.watched.with(|watched| watched.as_ref().map_or(0, |w| w.frames.len())));
    let last = move || frames.get().saturating_sub(1);
    redraws(
        canvas,
        move || {
            let energies =
                state.watched.with(|watched| watched.as_ref().map(|w| w.frames.iter().map(|f| f.energies).collect::<Vec<_>>()));
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
    let pair = move || state.asking.with(|asking| asking.pair().is_some());
    let impossible = move || state.about().is_none() || state.picture.with(|picture| picture.n_unknown() == 0);
    let none = move || frames.get() == 0;
    view! {
        <div class="watch" role="group" aria-label="Watched search">
            <Pick choice=Choice::Watch />
            <button
                type="button"
                data-help="Computes it with the present picture, mask and set, and shows it state by state in the large picture."
                disabled=impossible
                on:click=move |_| actions::watch(state)
            >
                {move || if pair() { "Watch the pair" } else { "Watch the search" }}
            </button>
            <button type="button" class="play" data-help="Shows the states one after another." hidden=prefers_less_motion disabled=none on:click=play>
                {move || if state.playing.get() { "Halt" } else { "Play" }}
            </button>
            <input
                type="range"
                min="0"
                max=move || last().to_string()
                prop:value=move || state.frame.get().to_string()
                aria-label=move || if pair() { "Step of the pair" } else { "Half-sweep of the search" }
                data-help="State by state; the arrow keys go one back or forth."
                disabled=none
                on:input=slide
            />
            <canvas
                node_ref=canvas
                class="spark"
                role="img"
                aria-label="Energy along the way"
                data-help="Energy of the whole state along the way: of the search, or of x, and dashed that of y."
            ></canvas>
            <p class="figures-text" aria-live="off">
                {move || {
                    state
                        .watched
                        .with(|watched| watched.as_ref().and_then(|w| w.frames.get(state.frame.get()).map(|frame| frame.words.clone())))
                        .unwrap_or_else(|| "Each half-sweep puts half of the layers where their energy is least.".into())
                }}
            </p>
            <div class="chains" hidden=move || !pair()>
                <Chain y=false />
                <Chain y=true />
            </div>
        </div>
    }
}

/// One of the pair, crossed where the other differs.
#[component]
fn Chain(
    /// Whether it is y.
    y: bool,
) -> impl IntoView {
    let state = state();
    let canvas = NodeRef::<Canvas>::new();
    redraws(
        canvas,
        move || {
            let (shape, frame) = (state.picture.with(|picture| picture.shape), state.frame.get());
            let _ = state.asking.get();
            let found = state.watched.with(|watched| {
                watched
                    .as_ref()
                    .and_then(|w| Some((w.unknown.clone(), w.frames.get(frame).filter(|frame| !frame.y.is_empty())?.clone())))
            });
            (shape, found)
        },
        move |surface, colours, (shape, found)| {
            let Some((unknown, frame)) = found else { return };
            let (bits, other) = if y { (frame.y, frame.x) } else { (frame.x, frame.y) };
            let layer = Layer { shape, known: bits.clone(), unknown, fill: Fill::Bits(bits), other };
            draw_layer(surface, colours, &layer, None);
        },
    );
    let (name, help) = if y {
        ("y", "The second chain, one step behind; crosses where x differs.")
    } else {
        ("x", "The first chain; crosses where y differs.")
    };
    view! {
        <figure data-help=help>
            <canvas node_ref=canvas class="tile" role="img" aria-label=name style:aspect-ratio=move || ratio(state)></canvas>
            <figcaption>{name}</figcaption>
        </figure>
    }
}
