//! Moves through a sequence of states: automatically, beat by beat, or with a slider.

use leptos::prelude::*;
use std::time::Duration;

/// A handle that lives as long as the part of the page that contains it.
#[derive(Clone, Copy)]
pub struct Player {
    /// Whether the states advance automatically.
    pub playing: RwSignal<bool>,
    /// Index of the state on view,
    at: Signal<usize>,
    /// and of the last.
    last: Signal<usize>,
    /// Goes to a state.
    go: Callback<usize>,
}

impl Player {
    /// Shows each state for one beat; skips states so that no more than `beats` are shown.
    pub fn new(
        playing: RwSignal<bool>,
        (beat, beats): (Duration, usize),
        at: impl Fn() -> usize + Send + Sync + 'static,
        last: impl Fn() -> usize + Send + Sync + 'static,
        go: impl Fn(usize) + Send + Sync + 'static,
    ) -> Self {
        let player = Self { playing, at: Signal::derive(at), last: Signal::derive(last), go: Callback::new(go) };
        let step = move || {
            let (at, last) = (player.at.get_untracked(), player.last.get_untracked());
            if playing.get_untracked() {
                let next = (at + 1 + last / beats).min(last);
                player.go.run(next);
                playing.set(next < last);
            }
        };
        let timer = set_interval_with_handle(step, beat);
        on_cleanup(move || timer.into_iter().for_each(|timer| timer.clear()));
        player
    }

    /// Plays on, from the first state if the last is on view; or pauses.
    pub fn switch(self) {
        let plays = self.playing.get_untracked();
        if !plays && self.at.get_untracked() >= self.last.get_untracked() {
            self.go.run(0);
        }
        self.playing.set(!plays);
    }

    /// The slider over all states: its label, the present state in words, and hover help.
    pub fn slider(
        self,
        label: impl Fn() -> &'static str + Send + 'static,
        words: impl Fn() -> Option<String> + Send + 'static,
        help: &'static str,
        disabled: Signal<bool>,
    ) -> impl IntoView {
        view! {
            <input
                type="range"
                min="0"
                max=move || self.last.get().to_string()
                prop:value=move || self.at.get().to_string()
                aria-label=label
                aria-valuetext=words
                data-help=help
                disabled=disabled
                on:input=move |event| {
                    self.playing.set(false);
                    self.go.run(event_target_value(&event).parse().unwrap_or(0));
                }
            />
        }
    }
}
