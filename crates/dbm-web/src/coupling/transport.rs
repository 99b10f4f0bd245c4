//! The way through the moments of a coupling: buttons, a slider, and a beat while it plays.

use super::replay::CouplingReplay;
use crate::canvas::prefers_less_motion;
use leptos::prelude::*;
use std::time::Duration;

/// How long each moment is shown.
const BEAT: Duration = Duration::from_millis(1100);

/// First, back, play, forward, last, and any.
pub fn transport(replay: CouplingReplay) -> impl IntoView {
    let playing = replay.playing;
    let none = Memo::new(move |_| replay.moments.with(Vec::is_empty));
    let beat = set_interval_with_handle(
        move || {
            if playing.get_untracked() {
                let (at, last) = untrack(|| (replay.at(), replay.last()));
                replay.go(at + 1);
                playing.set(at + 1 < last);
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
        if playing.get_untracked() {
            playing.set(false);
        } else {
            let (at, last) = untrack(|| (replay.at(), replay.last()));
            if at >= last {
                replay.go(0);
            }
            playing.set(true);
        }
    };
    let at_first = move || none.get() || replay.at() == 0;
    let at_last = move || none.get() || replay.at() == replay.last();
    view! {
        <div class="transport-row" role="group" aria-label="Moments of the coupling">
            <button type="button" aria-disabled=move || at_first().to_string() on:click=move |_| replay.go(0)>
                "First"
            </button>
            <button type="button" aria-disabled=move || at_first().to_string() on:click=move |_| replay.step(false)>
                "Back"
            </button>
            <Show when=move || !prefers_less_motion()>
                <button type="button" class="play" disabled=none on:click=play>
                    {move || if playing.get() { "Halt" } else { "Play" }}
                </button>
            </Show>
            <button type="button" aria-disabled=move || at_last().to_string() on:click=move |_| replay.step(true)>
                "Forward"
            </button>
            <button type="button" aria-disabled=move || at_last().to_string() on:click=move |_| replay.go(usize::MAX)>
                "Last"
            </button>
            <input
                type="range"
                min="0"
                max=move || replay.last().to_string()
                prop:value=move || replay.at().to_string()
                aria-label="Moment of the coupling"
                aria-valuetext=move || replay.moments.with(|moments| moments.get(replay.at()).map(|moment| moment.name.clone()))
                data-help="All moments: the way to x₀, then t = 1, 2, … until the chains meet. The left and right keys step, Home and End go to the ends."
                disabled=none
                on:input=move |event| {
                    playing.set(false);
                    replay.go(event_target_value(&event).parse().unwrap_or(0));
                }
            />
        </div>
    }
}
