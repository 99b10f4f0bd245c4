//! Several answers, where they agree, and the truth beside them.

use super::save::Save;
use crate::actions;
use crate::paint::{Cells, Fill, cells, redraws};
use crate::shape::Shape;
use crate::state::{Answered, Shown, state};
use crate::take_home;
use dbm_protocol::{CompletionMethod, Completions, Grid, ModelChoice};
use leptos::html::Canvas;
use leptos::prelude::*;

/// Sweeps of the default method.
const SWEEPS: u32 = 100;

/// Complete, its options, and the tiles.
#[component]
pub fn Answers() -> impl IntoView {
    let state = state();
    let count = RwSignal::new(8_u32);
    let thorough = RwSignal::new(true);
    let ask = move |_| {
        let method = if thorough.get_untracked() { CompletionMethod::Gibbs { sweeps: SWEEPS } } else { CompletionMethod::Search };
        actions::complete(state, count.get_untracked(), method);
    };
    let save = move |form| {
        let Some(Answered { completions, model, .. }) = state.answers.get_untracked() else { return };
        let shape = state.picture.with_untracked(|picture| picture.shape);
        let Completions { answers, image, bits, .. } = completions;
        let grid = Grid { model, step: 0, count: answers, image, depth: shape.depth as u8, bits };
        take_home::bits(state, "answers", form, grid);
    };
    let impossible = move || state.about().is_none() || state.picture.with(|picture| picture.n_unknown() == 0);
    let shown_count =
        Memo::new(move |_| state.answers.with(|a| a.as_ref().map_or(count.get(), |a| a.completions.answers)) as usize);
    let dense = move || shown_count.get() > 8;
    view! {
        <div class="ask">
            <button type="button" class="primary accent" disabled=impossible on:click=ask>
                "Complete"
            </button>
            <div class="inline">
                <label for="answers">"Answers"</label>
                <select id="answers" on:change=move |event| count.set(event_target_value(&event).parse().unwrap_or(8))>
                    <option value="4">"4"</option>
                    <option value="8" selected>"8"</option>
                    <option value="16">"16"</option>
                </select>
            </div>
            <div class="inline">
                <label for="way">"By"</label>
                <select id="way" on:change=move |event| thorough.set(event_target_value(&event) == "gibbs")>
                    <option value="gibbs" selected>"100 Gibbs sweeps, then search"</option>
                    <option value="search">"search only"</option>
                </select>
            </div>
        </div>
        <div class="answers-status">
            <Show when=move || state.answers.with(Option::is_some)>
                <Save what="answers" forms=take_home::BITS save />
            </Show>
            <p role="status">{move || state.answers.with(|a| a.as_ref().map(summary)).unwrap_or_else(waiting_text)}</p>
            <Show when=move || state.completing.get().is_some_and(|busy| busy.shown)>
                <progress
                    aria-label="Answers at work"
                    max=move || state.completing.get().map_or(1, |busy| busy.total.max(1))
                    prop:value=move || state.completing.get().map(|busy| f64::from(busy.done))
                ></progress>
                <button type="button" on:click=move |_| actions::cancel(state)>
                    "Cancel"
                </button>
            </Show>
        </div>
        <div class="answers">
            <ul class="tiles" class:dense=dense aria-label="Answers">
                {move || {
                    (0..shown_count.get())
                        .map(|at| {
                            view! {
                                <li>
                                    <Tile what=Shown::Answer(at) name=format!("Answer {}", at + 1) />
                                </li>
                            }
                        })
                        .collect_view()
                }}
            </ul>
            <ul class="tiles beside">
                <li>
                    <Tile what=Shown::Agreement name="Agreement".to_string() />
                    <p class="key">
                        <span>"Agreement"</span>
                        <span class="ramp" aria-hidden="true"></span>
                        <span class="ends">
                            <i>"none"</i>
                            <i>"all"</i>
                        </span>
                    </p>
                </li>
                <li>
                    <Truth />
                    <p class="key">
                        <span>"Truth"</span>
                    </p>
                </li>
            </ul>
        </div>
    }
}

/// A small picture that is shown large when pressed.
#[component]
fn Tile(
    /// Which.
    what: Shown,
    /// What it is called.
    name: String,
) -> impl IntoView {
    let state = state();
    let canvas = NodeRef::<Canvas>::new();
    redraws(
        canvas,
        move || state.answers.get().map(|answered| (state.picture.with(|p| (p.shape, p.bits().to_vec())), answered)),
        move |surface, colours, answered| {
            let Some(((shape, bits), Answered { completions, unknown, .. })) = answered else { return };
            let draw = |bits: &[u8], fill| cells(surface, colours, &Cells { shape, bits, unknown: &unknown, fill, cursor: None });
            if let Shown::Answer(at) = what {
                let answer = completions.bits.chunks(shape.units.max(1)).nth(at).unwrap_or(&[]);
                draw(answer, Fill::Bits(answer));
            } else {
                draw(&bits, Fill::Shares(&shares(&completions, shape.units)));
            }
        },
    );
    let absent = move || {
        state.answers.with(|answered| match what {
            Shown::Answer(at) => answered.as_ref().is_none_or(|answered| at >= answered.completions.answers as usize),
            _ => answered.is_none(),
        })
    };
    let show = move |_| {
        state.playing.set(false);
        state.shown.set(what);
    };
    view! {
        <button
            type="button"
            class="tile"
            aria-label=name
            aria-pressed=move || (state.shown.get() == what).to_string()
            disabled=absent
            on:click=show
        >
            <canvas node_ref=canvas style:aspect-ratio=move || ratio(state.picture.with(|picture| picture.shape))></canvas>
        </button>
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
        if let Some((bits, shape)) = truth {
            cells(surface, colours, &Cells { shape, bits: &bits, unknown: &[], fill: Fill::Nothing, cursor: None });
        }
    });
    let words = move || if truth().is_some() { "What the unknown region hid" } else { "No truth is known" };
    view! {
        <div class="tile" class:absent=move || truth().is_none() role="img" aria-label=words>
            <canvas node_ref=canvas style:aspect-ratio=move || ratio(state.picture.with(|picture| picture.shape))></canvas>
        </div>
    }
}

fn ratio(shape: Shape) -> String {
    format!("{} / {}", shape.columns.max(1), shape.rows.max(1))
}

fn waiting_text() -> String {
    "Press Complete: the model answers several times, from different random starts.".into()
}

fn summary(answered: &Answered) -> String {
    let Completions { distinct, answers, seconds, .. } = answered.completions;
    let who = if answered.model == ModelChoice::Training { "the model in training" } else { "the pretrained model" };
    format!("{distinct} distinct of {answers}, by {who} in {}.", duration(seconds))
}

fn duration(seconds: f64) -> String {
    if seconds < 1.0 { format!("{:.0} ms", 1e3 * seconds) } else { format!("{seconds:.1} s") }
}

/// How often each unit is high among the answers.
pub fn shares(completions: &Completions, units: usize) -> Vec<f64> {
    let mut shares = vec![0.0; units];
    for answer in completions.bits.chunks_exact(units.max(1)) {
        for (share, &bit) in shares.iter_mut().zip(answer) {
            *share += f64::from(bit.min(1));
        }
    }
    let answers = f64::from(completions.answers.max(1));
    shares.into_iter().map(|sum| sum / answers).collect()
}
