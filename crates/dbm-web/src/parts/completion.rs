//! Completion: a picture with an unknown region, and what the model makes of it.

use super::answers::Answers;
use super::canvas::PictureCanvas;
use super::tools::Tools;
use super::watch::Watch;
use crate::state::{Shown, state};
use leptos::prelude::*;

/// The region.
#[component]
pub fn Completion() -> impl IntoView {
    let state = state();
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
            Shown::Picture if unknown == 0 => "Nothing is unknown yet: paint over a part, or press a half.".into(),
            Shown::Picture => format!("{unknown} of {} pixels unknown.", picture.shape.units),
            Shown::Answer(at) => format!("Answer {}. Paint to go on editing.", at + 1),
            Shown::Agreement => "Share of answers with ink. Paint to go on editing.".into(),
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
                    <PictureCanvas />
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
