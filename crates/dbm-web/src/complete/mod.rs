//! Completion: a picture with an unknown region, and what the model makes of it.

mod answers;
pub mod asking;
pub mod picture;
mod picture_canvas;
mod ranked;
mod tools;
mod watch;
pub mod watched;

use crate::complete::answers::Answers;
use crate::complete::picture_canvas::{PictureCanvas, agreement, hear_undo};
use crate::complete::tools::Tools;
use crate::complete::watch::Watch;
use crate::state::{Shown, state};
use leptos::prelude::*;

/// The region.
#[component]
pub fn Completion() -> impl IntoView {
    let state = state();
    asking::follow(state);
    hear_undo(state);
    let pointed = RwSignal::new(None);
    let caption = move || {
        let picture = state.picture.get();
        let unknown = picture.n_unknown();
        let wrapped = if picture.shape.wrapped {
            format!(
                " Rows of {} bits, wrapped to {} × {} for display only.",
                picture.shape.units, picture.shape.rows, picture.shape.columns
            )
        } else {
            String::new()
        };
        let what = match state.shown.get() {
            Shown::Picture if picture.shape.units == 0 => "Waiting for a picture.".into(),
            Shown::Picture if unknown == 0 => "Nothing is unknown yet: paint over a part, or press a mask.".into(),
            Shown::Picture => format!("{unknown} of {} pixels unknown.", picture.shape.units),
            Shown::Answer(at) => state.answers.with(|answered| {
                let Some(answered) = answered else { return String::new() };
                let tiles = answered.tiles(state);
                let rank = tiles.iter().position(|tile| tile.answer == at).unwrap_or_default();
                tiles
                    .get(rank)
                    .map_or(String::new(), |tile| format!("Answer {}. {} Paint to go on editing.", rank + 1, answered.told(tile)))
            }),
            Shown::Agreement => pointed
                .get()
                .and_then(|cell| agreement(state, cell))
                .unwrap_or_else(|| "Share of answers with ink. Point at a pixel to read it; paint to go on editing.".into()),
            Shown::Search
                if state.watched.with(|w| w.as_ref().is_some_and(|w| w.frames.iter().any(|frame| !frame.y.is_empty()))) =>
            {
                "x of the pair, crossed where y differs. Paint to go on editing.".into()
            }
            Shown::Search => "The search at work. Paint to go on editing.".into(),
        };
        what + &wrapped
    };
    view! {
        <section class="completion" aria-labelledby="completion-title">
            <div class="ruled">
                <h2 id="completion-title">"Completion"</h2>
                <p>"Hide part of a picture; the model says what could be there."</p>
            </div>
            <div class="completion-grid">
                <figure class="plate">
                    <PictureCanvas pointed />
                    <figcaption>{caption}</figcaption>
                </figure>
                <Tools />
                <div class="completion-answers">
                    <Answers />
                    <Watch />
                </div>
            </div>
        </section>
    }
}
