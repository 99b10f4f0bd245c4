//! Moves through the moments of a coupling: buttons, a slider, and automatic play.

use super::replay::CouplingReplay;
use crate::canvas::prefers_less_motion;
use crate::ui::button::Button;
use crate::ui::player::Player;
use leptos::prelude::*;
use std::time::Duration;

/// How long each moment is shown.
const BEAT: Duration = Duration::from_millis(1100);

const HELP: &str = "All moments: the path to x₀, then t = 1, 2, … until the chains meet. The left and right keys step, Home and End go to the ends.";

/// Buttons for first, back, play, forward and last, and a slider.
pub fn transport(replay: CouplingReplay) -> impl IntoView {
    let playing = replay.playing;
    let none = Memo::new(move |_| replay.moments.with(Vec::is_empty));
    let player = Player::new(playing, (BEAT, usize::MAX), move || replay.at(), move || replay.last(), move |at| replay.go(at));
    let name = move || replay.moments.with(|moments| moments.get(replay.at()).map(|moment| moment.name.clone()));
    let at_first = Signal::derive(move || none.get() || replay.at() == 0);
    let at_last = Signal::derive(move || none.get() || replay.at() == replay.last());
    let button = |label: &'static str, idle: Signal<bool>, go: fn(CouplingReplay)| {
        view! { <Button label idle on_press=move |()| go(replay) /> }
    };
    let label = move || if playing.get() { "Pause" } else { "Play" }.to_string();
    view! {
        <div class="transport-row" data-tour="replay-buttons" role="group" aria-label="Moments of the coupling">
            {button("First", at_first, |replay| replay.go(0))}
            {button("Back", at_first, |replay| replay.step(false))}
            <Show when=move || !prefers_less_motion()>
                <Button label=Signal::derive(label) class="primary play" disabled=none on_press=move |()| player.switch() />
            </Show>
            {button("Forward", at_last, |replay| replay.step(true))}
            {button("Last", at_last, |replay| replay.go(usize::MAX))}
            {player.slider(|| "Moment of the coupling", name, HELP, none.into())}
        </div>
    }
}
