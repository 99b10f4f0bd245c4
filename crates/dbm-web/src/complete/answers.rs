//! Several answers, ranked, where they agree, and the truth beside them.

use crate::actions;
use crate::canvas::shape::Shape;
use crate::canvas::{Fill, Layer, draw_layer, redraws};
use crate::complete::asking::{Asking, Choice};
use crate::complete::ranked::Tile as Ranked;
use crate::complete::watched::number;
use crate::state::{Answered, Shown, State, state};
use crate::ui::download;
use crate::ui::save::Save;
use dbm_protocol::{Completions, Grid, ModelChoice};
use leptos::html::Canvas;
use leptos::prelude::*;

/// Complete, its options, and the tiles.
#[component]
pub fn Answers() -> impl IntoView {
    let state = state();
    let save = move |form| {
        let Some(Answered { completions, question, .. }) = state.answers.get_untracked() else { return };
        let shape = state.picture.with_untracked(|picture| picture.shape);
        let Completions { answers, image, bits, .. } = completions;
        let grid = Grid { model: question.model, step: 0, count: answers, image, depth: shape.depth as u8, bits };
        download::bits(state, "answers", form, grid);
    };
    let nobody = move || state.about().is_none();
    let nothing = move || nobody() || state.picture.with(|picture| picture.n_unknown() == 0);
    let tiles = Memo::new(move |_| state.answers.with(|a| a.as_ref().map(|answered| answered.tiles(state)).unwrap_or_default()));
    let slots = Memo::new(move |_| {
        state.answers.with(|a| a.as_ref().map_or(state.asking.with(Asking::answers), |a| a.completions.answers)) as usize
    });
    view! {
        <div class="ask">
            <button
                type="button"
                aria-keyshortcuts="c"
                class="primary accent"
                data-help="Fills in what is hidden. The same settings and the same set give the same answers."
                disabled=nothing
                on:click=move |_| actions::complete(state, false)
            >
                "Complete"
            </button>
            <button
                type="button"
                data-help="Other answers to the same question, from other random numbers."
                disabled=move || nobody() || state.answers.with(Option::is_none)
                on:click=move |_| actions::another_set(state)
            >
                "Another set"
            </button>
            <button
                type="button"
                data-help="Nothing stays as it is: the picture is only where the search, or the sweeps, begin. For what was drawn by hand."
                disabled=nobody
                on:click=move |_| actions::complete(state, true)
            >
                "Clean up"
            </button>
            <Pick choice=Choice::Clean />
        </div>
        <div class="ask">
            <Pick choice=Choice::Answers />
            <Pick choice=Choice::By />
            <Pick choice=Choice::Sweeps />
        </div>
        <div class="answers-status">
            <Show when=move || state.answers.with(Option::is_some)>
                <Save what="answers" forms=download::BITS save />
            </Show>
            <p role="status">{move || state.answers.with(|a| a.as_ref().map(|a| summary(a, tiles.with(Vec::len)))).unwrap_or_else(waiting_text)}</p>
            <Show when=move || state.completing.get().is_some_and(|busy| busy.shown)>
                <progress
                    aria-label="Answers at work"
                    max=move || state.completing.get().map_or(1, |busy| busy.total.max(1))
                    prop:value=move || state.completing.get().map(|busy| f64::from(busy.done))
                ></progress>
                <button type="button" data-help="Stops computing; answers that are on view stay." on:click=move |_| actions::cancel(state)>
                    "Cancel"
                </button>
            </Show>
            <Pick choice=Choice::Sort />
        </div>
        <div class="answers">
            <ul class="tiles" class:dense=move || 8 < slots.get() class:denser=move || 16 < slots.get() aria-label="Answers">
                {move || (0..slots.get()).map(|at| view! { <Tile tiles at=Some(at) /> }).collect_view()}
            </ul>
            <ul class="tiles beside">
                <Tile tiles at=None />
                <li data-help="What the unknown region hid, where that is known.">
                    <Truth />
                    <p class="key">
                        <span>"Truth"</span>
                    </p>
                </li>
            </ul>
        </div>
    }
}

/// One of several, chosen.
#[component]
pub fn Pick(
    /// Which.
    choice: Choice,
) -> impl IntoView {
    let state = state();
    let (id, label, help, options) = choice.about();
    let idle = move || choice == Choice::Sweeps && state.asking.with(|asking| asking.word(Choice::By) == "search");
    view! {
        <div class="inline" data-help=help>
            <label for=id>{label}</label>
            <select
                id=id
                disabled=idle
                on:change=move |event| state.asking.update(|asking| asking.choose(choice, &event_target_value(&event)))
            >
                {options
                    .iter()
                    .map(|&(word, name)| {
                        view! {
                            <option value=word prop:selected=move || state.asking.with(|asking| asking.word(choice) == word)>
                                {name}
                            </option>
                        }
                    })
                    .collect_view()}
            </select>
        </div>
    }
}

/// A small picture that is shown large when pressed: an answer by its rank, or where all agree.
#[component]
fn Tile(
    /// The answers, ranked.
    tiles: Memo<Vec<Ranked>>,
    /// Which of them.
    at: Option<usize>,
) -> impl IntoView {
    let state = state();
    let canvas = NodeRef::<Canvas>::new();
    let tile = move || at.and_then(|at| tiles.with(|tiles| tiles.get(at).copied()));
    redraws(
        canvas,
        move || (tile(), state.answers.get(), state.picture.with(|picture| picture.shape)),
        move |surface, colours, (tile, answered, shape)| {
            let Some(answered) = answered else { return };
            let draw = |known: Vec<u8>, fill| {
                let layer = Layer { shape, known, unknown: answered.question.filled(), fill, other: Vec::new() };
                draw_layer(surface, colours, &layer, None);
            };
            match tile.map(|tile| answered.answer(tile.answer).to_vec()) {
                Some(bits) => draw(bits.clone(), Fill::Bits(bits)),
                None if at.is_none() => draw(answered.question.values.clone(), Fill::Shares(answered.shares())),
                None => {}
            }
        },
    );
    let what = move || if at.is_some() { tile().map(|tile| Shown::Answer(tile.answer)) } else { Some(Shown::Agreement) };
    let answered = move || state.answers.with(Option::is_some);
    let name = at.map_or("Agreement".to_string(), |at| format!("Answer {}", at + 1));
    let help = move || match (at, tile()) {
        (None, _) => {
            Some("How many of all answers have ink, pixel by pixel. Press it, then point at a pixel of the large picture.".into())
        }
        (_, tile) => tile.and_then(|tile| state.answers.with(|answered| answered.as_ref().map(|answered| answered.told(&tile)))),
    };
    let show = move |_| {
        if let Some(what) = what() {
            state.playing.set(false);
            state.shown.set(what);
        }
    };
    view! {
        <li class:void=move || answered() && what().is_none()>
            <button
                type="button"
                class="tile"
                aria-label=name
                data-help=help
                aria-pressed=move || (what() == Some(state.shown.get())).to_string()
                disabled=move || !answered() || what().is_none()
                on:click=show
            >
                <canvas node_ref=canvas style:aspect-ratio=move || ratio(state)></canvas>
            </button>
            <p class="key" class:scale=at.is_none()>
                <span>
                    {move || match (at, tile()) {
                        (None, _) => "Agreement".into(),
                        (_, None) => "\u{a0}".into(),
                        (_, Some(tile)) => format!("× {}", tile.count),
                    }}
                </span>
                <span class="energy">{move || tile().map(|tile| number(tile.energy))}</span>
            </p>
        </li>
    }
}

/// What the unknown region hid.
#[component]
fn Truth() -> impl IntoView {
    let state = state();
    let canvas = NodeRef::<Canvas>::new();
    let truth = move || {
        let shape = state.picture.with(|picture| picture.shape);
        state.answers.get().and_then(|answered| answered.truth.map(|truth| (truth, shape)))
    };
    redraws(canvas, truth, |surface, colours, truth| {
        if let Some((known, shape)) = truth {
            let layer = Layer { shape, known, unknown: Vec::new(), fill: Fill::Hatching, other: Vec::new() };
            draw_layer(surface, colours, &layer, None);
        }
    });
    let words = move || if truth().is_some() { "What the unknown region hid" } else { "No truth is known" };
    view! {
        <div class="tile" class:absent=move || truth().is_none() role="img" aria-label=words>
            <canvas node_ref=canvas style:aspect-ratio=move || ratio(state)></canvas>
        </div>
    }
}

/// That of the picture's cells, for the style sheet.
pub fn ratio(state: State) -> String {
    let Shape { rows, columns, .. } = state.picture.with(|picture| picture.shape);
    format!("{} / {}", columns.max(1), rows.max(1))
}

fn waiting_text() -> String {
    "Press Complete: the model answers several times, from different random starts.".into()
}

fn summary(answered: &Answered, distinct: usize) -> String {
    let Completions { answers, seconds, .. } = answered.completions;
    let who = if answered.question.model == ModelChoice::Training { "the model in training" } else { "the pretrained model" };
    let (agreed, filled) = answered.agreed();
    format!("{distinct} distinct of {answers}, by {who} in {}. All agree on {agreed} of {filled} pixels.", duration(seconds))
}

fn duration(seconds: f64) -> String {
    if seconds < 1.0 { format!("{:.0} ms", 1e3 * seconds) } else { format!("{seconds:.1} s") }
}
