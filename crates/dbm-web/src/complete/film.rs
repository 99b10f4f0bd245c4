//! How an answer comes about: the chain of the first answer, sweep by sweep, in its own tile. A first visit gets its answers, and
//! this film, without a click.

use super::state::CompletionState;
use crate::canvas::{Fill, Layer, prefers_less_motion, shows_layer};
use crate::ui::address::{self, OnShow};
use crate::ui::player::Player;
use crate::ui::remembered;
use dbm_core::classes::shared;
use dbm_protocol::{AnswerFrame, Command, CompletionRequest, Event};
use leptos::html::Canvas;
use leptos::prelude::*;
use std::time::Duration;

/// Kept in the browser: whether the visitor has been here before.
const SEEN: &str = "dbm-seen";
/// How long each state is shown.
const BEAT: Duration = Duration::from_millis(60);

/// Whether this is a first visit, at an address that asks for nothing. Asking also records the visit, so the next one is not a
/// first.
fn is_first_visit() -> bool {
    let asked = address::asked_anything() || OnShow::of_page().embedded.is_some();
    // A browser that keeps nothing would show the film on every visit.
    !asked && !remembered::is_set(SEEN) && remembered::set(SEEN, true)
}

/// The tile, and the state that it shows.
pub fn film_tile(state: CompletionState) -> impl IntoView {
    let (frames, at, playing) = (RwSignal::new(Vec::<AnswerFrame>::new()), RwSignal::new(0_usize), RwSignal::new(false));
    let canvas = NodeRef::<Canvas>::new();
    let last = move || frames.with(Vec::len).saturating_sub(1);
    Player::new(playing, (BEAT, usize::MAX), move || at.get(), last, move |place| at.set(place));
    let show = move || {
        let Some((asked, classes)) = state.answers.with_untracked(|answers| {
            let answers = answers.as_ref().filter(|answers| !answers.request.clean_up)?;
            Some((answers.request.clone(), shared(&answers.completions.classes, answers.request.answers as usize)))
        }) else {
            return;
        };
        let class = asked.class.or_else(|| classes.first().map(|&class| class as u8));
        let answer = state.session.client.ask(Command::Watch(CompletionRequest { class, ..asked.clone() }));
        state.session.perform(async move {
            let answered = answer.await?;
            let still = state.answers.with_untracked(|answers| answers.as_ref().is_some_and(|answers| answers.request == asked));
            if let (Event::Watched(trace), true) = (answered, still) {
                at.set(if prefers_less_motion() { trace.frames.len() - 1 } else { 0 });
                frames.set(trace.frames);
                playing.set(!prefers_less_motion());
            }
            Ok(())
        });
    };
    // A first visit gets answers as soon as there is a question, and they are shown as a film.
    let visit = RwSignal::new(is_first_visit());
    Effect::new(move |_| {
        if visit.get_untracked() && !state.has_nothing_to_ask() {
            untrack(|| state.complete(false));
        }
    });
    Effect::new(move |_| {
        playing.set(false);
        frames.set(Vec::new());
        if state.answers.with(Option::is_some) && visit.get_untracked() {
            visit.set(false);
            show();
        }
    });
    shows_layer(canvas, move || {
        let shape = state.picture.with(|picture| picture.shape);
        let (bits, unknown) = (frames.with(|frames| frames.get(at.get()).map(|now| now.visible.clone()))?, state.answered()?);
        Some(Layer { shape, bits, unknown, fill: Fill::Answer, ..Layer::default() })
    });
    let now = move || {
        frames.with(|frames| match (frames.get(at.get()), at.get()) {
            (None, _) => "Film".to_string(),
            (_, 0) => "Noise".into(),
            (Some(_), place) if place + 1 == frames.len() => "Answer".into(),
            (Some(AnswerFrame { sweep, half_sweep: 0, .. }), _) => format!("Sweep {sweep}"),
            _ => "Search".into(),
        })
    };
    view! {
        <li>
            <button
                type="button"
                class="tile"
                aria-label="Film of an answer"
                data-help="How an answer forms: its chain from noise, sweep by sweep. Press to play it."
                disabled=move || !state.has_answers()
                on:click=move |_| show()
            >
                <canvas node_ref=canvas style:aspect-ratio=move || state.aspect_ratio()></canvas>
            </button>
            <p class="key" aria-live="off">
                <span>{now}</span>
            </p>
        </li>
    }
}
