//! Completion: a picture with an unknown region, and what the model makes of it.

mod address;
mod answer_set;
mod answers;
mod choices;
mod masks;
mod picture;
mod picture_canvas;
mod recording;
mod settings;
mod state;
mod tools;
mod watch;

use answers::Answers;
use leptos::prelude::*;
use picture_canvas::{PictureCanvas, agreement, hear_undo};
use state::{CompletionState, OnCanvas};
use tools::Tools;
use watch::Watch;

/// The view: the picture, its tools, the answers, and what is watched.
#[component]
pub fn Completion() -> impl IntoView {
    let state = CompletionState::new();
    provide_context(state);
    address::bind(state);
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
        let what = match state.on_canvas.get() {
            OnCanvas::Picture if picture.shape.units == 0 => "Waiting for a picture.".into(),
            OnCanvas::Picture if unknown == 0 => "Nothing is unknown yet: paint over a part, or press a mask.".into(),
            OnCanvas::Picture => format!("{unknown} of {} pixels unknown.", picture.shape.units),
            OnCanvas::Answer(place) => state.answers.with(|answers| {
                let Some(answers) = answers else { return String::new() };
                let distinct = answers.distinct(state.settings.with(|settings| settings.order));
                let found = distinct.iter().enumerate().find(|(_, answer)| answer.place == place);
                found.map_or_else(String::new, |(rank, answer)| {
                    format!("Answer {}. {} Paint to go on editing.", rank + 1, answers.describe(answer))
                })
            }),
            OnCanvas::Agreement => pointed
                .get()
                .and_then(|cell| agreement(state, cell))
                .unwrap_or_else(|| "Share of answers with ink. Point at a pixel to read it; paint to go on editing.".into()),
            OnCanvas::Recording
                if state.recording.with(|recording| {
                    recording.as_ref().is_some_and(|recording| recording.states.iter().any(|state| !state.y.is_empty()))
                }) =>
            {
                "x of the pair, crossed where y differs. Paint to go on editing.".into()
            }
            OnCanvas::Recording => "The search at work. Paint to go on editing.".into(),
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
