//! Completion: a picture with an unknown region, and how the model fills it.

mod address;
mod answer_set;
mod answers;
mod card;
mod film;
mod layers;
mod looks;
mod masks;
mod more;
mod picture;
mod picture_canvas;
mod recording;
mod settings;
mod state;
mod sweeps;
mod tools;
mod watch;

use crate::ui::button::Button;
use answers::answers_region;
use card::about_model;
use leptos::prelude::*;
use more::more;
use picture_canvas::{agreement, hear_undo, picture_canvas};
use state::{CompletionState, OnCanvas};
use tools::{choose_class, mask_buttons};

/// The longest caption of the picture.
const LONGEST: &str = "Consensus. Built from all 64 answers: the pixels most often inked, as many as one answer has; 100 % of pixels match the original. Paint to change the question.";

/// The view: the picture, the ways to hide a part of it, and the answers; everything else is under More.
#[component]
pub fn Completion() -> impl IntoView {
    let state = CompletionState::new();
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
            OnCanvas::Picture if unknown == 0 => "Nothing is hidden yet: paint over a part, or choose a mask.".into(),
            OnCanvas::Picture => {
                format!("{unknown} of {} pixels unknown. Paint to hide more.", picture.shape.units / picture.shape.depth.max(1))
            }
            OnCanvas::Answer(place) => state.answers.with(|answers| {
                let Some(answers) = answers else { return String::new() };
                let distinct = answers.distinct(state.settings.with(|settings| settings.order));
                let found = distinct.iter().enumerate().find(|(_, answer)| answer.place == place);
                found.map_or_else(String::new, |(rank, answer)| {
                    format!("Answer {}. {} Paint to change the question.", rank + 1, answers.describe(answer))
                })
            }),
            OnCanvas::Consensus => state
                .answers
                .with(|answers| {
                    answers
                        .as_ref()
                        .map(|answers| format!("Consensus. {} Paint to change the question.", answers.describe_consensus()))
                })
                .unwrap_or_default(),
            OnCanvas::Agreement => pointed.get().and_then(|cell| agreement(state, cell)).unwrap_or_else(|| {
                "Share of answers with ink. Point at a pixel to read it; paint to change the question.".into()
            }),
            OnCanvas::Recording => state.recording.with(|recording| {
                let states = recording.as_ref().map(|recording| &recording.states);
                let pair = states.is_some_and(|states| states.first().is_some_and(|first| !first.y.is_empty()));
                let crossed = if pair { " of x, crossed where y differs" } else { "" };
                format!(
                    "State {} of {}{crossed}. Paint to change the question.",
                    state.frame.get() + 1,
                    states.map_or(0, Vec::len)
                )
            }),
        };
        what + &wrapped
    };
    view! {
        <section class="completion" aria-labelledby="completion-title">
            <div class="ruled">
                <h2 id="completion-title">"Completion"</h2>
                <p>"Hide a part of a picture. The model fills in what could be there."</p>
            </div>
            <div class="completion-grid">
                <div class="completion-picture">
                    <figure class="plate" data-tour="picture">
                        {picture_canvas(state, pointed)}
                        <figcaption data-longest=LONGEST>
                            <span>{caption}</span>
                        </figcaption>
                    </figure>
                    {mask_buttons(state)}
                    {choose_class(state)}
                    <div class="ask" data-tour="ask">
                        <Button
                            id="complete"
                            label="Complete"
                            key="c"
                            class="primary accent"
                            help="Fills in what is hidden. The same settings and set give the same answers."
                            disabled=move || state.has_nothing_to_ask()
                            on_press=move |()| state.complete(false)
                        />
                        <Button
                            id="new-digit"
                            label=move || if state.is_digit() { "New digit" } else { "New example" }
                            key="n"
                            help="Another picture of the same kind, its lower half hidden."
                            on_press=move |()| state.another_picture()
                        />
                    </div>
                </div>
                {answers_region(state)}
            </div>
            {more(state)}
            {about_model(state)}
        </section>
    }
}
