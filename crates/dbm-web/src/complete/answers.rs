//! The answers: the distinct pictures, their consensus, where they agree, and the original next to them.

use super::answer_set::{AnswerSet, DistinctAnswer};
use super::film::film_tile;
use super::state::{CompletionState, OnCanvas};
use crate::canvas::{Fill, Layer, fixed, shows_layer};
use crate::ui::progress::ProgressBar;
use crate::ui::save::Save;
use crate::worker::export;
use dbm_protocol::{Completions, Grid, ModelChoice};
use leptos::html::Canvas;
use leptos::prelude::*;

/// The answers in the formats of [`export::BITS`], and their consensus in the same formats.
const FORMS: &[&str] = &["PNG", "NPY", "CSV", "PNG of the consensus", "NPY of the consensus", "CSV of the consensus"];

/// The longest text about the answers.
const LONGEST: &str = "64 distinct of 64, by the model in training, step 100000, in 100 ms. All 64 answers agree on 100 % of the hidden pixels. Read as: 3 (33 %), 5 (33 %), 8 (33 %)";

/// The outcome of the request, and the tiles.
pub fn answers_region(state: CompletionState) -> impl IntoView {
    let fresh = Memo::new(move |_| state.has_answers());
    let distinct = Memo::new(move |_| {
        let order = state.settings.with(|settings| settings.order);
        state.answers.with(|answers| answers.as_ref().map(|answers| answers.distinct(order)).unwrap_or_default())
    });
    let tiles = Memo::new(move |_| {
        let of_set = state.answers.with(|answers| answers.as_ref().map(|answers| answers.completions.answers));
        of_set.unwrap_or_else(|| state.settings.with(|settings| settings.answers.0)) as usize
    });
    let status = move || {
        state.answers.with(|answers| match answers {
            None => "Press Complete. The model answers several times, each from a different random start.".into(),
            Some(_) if !fresh.get() => "The question has changed. Press Complete to answer it.".into(),
            Some(answers) => summary(answers, distinct.with(Vec::len), state.picture.with(|picture| picture.shape.depth)),
        })
    };
    let read_as = move || state.answers.with(|answers| answers.as_ref().filter(|_| fresh.get()).and_then(AnswerSet::read_as));
    let none = move || !fresh.get();
    view! {
        <div
            class="completion-answers"
            class:stale=move || none() && state.answers.with(Option::is_some)
            data-tour="answers"
            aria-busy=move || state.work.now().is_some().to_string()
        >
        <div class="answers-status">
            <span class:absent=none>
                <Save what="answers" forms=FORMS save=move |form| save(state, form) />
            </span>
            <ProgressBar
                label="Answers done"
                parts=Signal::derive(move || state.work.parts())
                busy=Signal::derive(move || state.work.now().is_some_and(|work| work.is_long))
                help="Stops computing; the answers shown stay."
                on_cancel=move |()| state.work.cancel()
            />
        </div>
        <p role="status" data-longest=LONGEST>
            <span>{status} " " {read_as}</span>
        </p>
        <div class="answers">
            <ul class="tiles" class:dense=move || 8 < tiles.get() class:denser=move || 16 < tiles.get() aria-label="Answers">
                {move || (0..tiles.get()).map(|rank| answer_tile(state, distinct, rank)).collect_view()}
            </ul>
            <ul class="tiles beside">
                {consensus_tile(state)}
                {agreement_tile(state)}
                {truth_tile(state)}
                {film_tile(state)}
            </ul>
        </div>
        </div>
    }
}

fn save(state: CompletionState, form: usize) {
    let Some(answers) = state.answers.get_untracked() else { return };
    let greys = state.picture.with_untracked(|picture| picture.shape.greys());
    let (of_consensus, form) = (form >= export::BITS.len(), form % export::BITS.len());
    let (name, count, bits) = if of_consensus {
        ("consensus", 1, answers.consensus())
    } else {
        ("answers", answers.completions.answers, answers.completions.bits)
    };
    let (model, image) = (answers.request.model, answers.completions.image);
    export::bits(state.session, name, form, Grid { model, step: 0, count, image, greys, bits });
}

/// Draws the filled part of the latest answers on a canvas; `show` chooses the ink and how the filled pixels are drawn.
fn draws(canvas: NodeRef<Canvas>, state: CompletionState, show: impl Fn(&AnswerSet) -> Option<(Vec<u8>, Fill)> + Copy + 'static) {
    shows_layer(canvas, move || {
        let shape = state.picture.with(|picture| picture.shape);
        state.answers.with(|answers| {
            let answers = answers.as_ref()?;
            let (bits, fill) = show(answers)?;
            Some(Layer { shape, bits, unknown: answers.request.filled(), fill, ..Layer::default() })
        })
    });
}

/// A distinct answer, by its rank; empty if there are not that many.
fn answer_tile(state: CompletionState, distinct: Memo<Vec<DistinctAnswer>>, rank: usize) -> impl IntoView {
    let canvas = NodeRef::<Canvas>::new();
    let answer = move || distinct.with(|distinct| distinct.get(rank).copied());
    draws(canvas, state, move |answers| Some((answers.answer(answer()?.place).to_vec(), Fill::Answer)));
    let what = Signal::derive(move || answer().map(|answer| OnCanvas::Answer(answer.place)));
    let help = move || {
        answer().and_then(|answer| state.answers.with(|answers| answers.as_ref().map(|answers| answers.describe(&answer))))
    };
    let counted = move || answer().filter(|_| state.has_answers());
    view! {
        <li class:void=move || state.answers.with(Option::is_some) && what.get().is_none()>
            {tile(state, canvas, what, format!("Answer {}", rank + 1), Signal::derive(help))}
            <p class="key">
                <span>{move || counted().map(|answer| format!("× {}", answer.count))}</span>
                <span class="energy">{move || counted().map(|answer| fixed(answer.energy, 1))}</span>
            </p>
        </li>
    }
}

/// One picture made of all answers.
fn consensus_tile(state: CompletionState) -> impl IntoView {
    let canvas = NodeRef::<Canvas>::new();
    draws(canvas, state, |answers| Some((answers.consensus(), Fill::Answer)));
    let help = Signal::derive(move || state.answers.with(|answers| answers.as_ref().map(AnswerSet::describe_consensus)));
    view! {
        <li>
            {tile(state, canvas, Some(OnCanvas::Consensus), "Consensus".into(), help)}
            <p class="key">
                <span>"Consensus"</span>
            </p>
        </li>
    }
}

/// A map of where all answers agree.
fn agreement_tile(state: CompletionState) -> impl IntoView {
    let canvas = NodeRef::<Canvas>::new();
    draws(canvas, state, |answers| Some((answers.request.values.clone(), Fill::Shares(answers.shares()))));
    let help = "How many answers have ink, pixel by pixel. Press it, then point at a pixel of the large picture.";
    view! {
        <li>
            {tile(state, canvas, Some(OnCanvas::Agreement), "Agreement".into(), Some(help.to_string()))}
            <p class="key scale">
                <span>"Agreement"</span>
                <span class="energy"></span>
            </p>
        </li>
    }
}

/// A small picture that is shown large when clicked: its canvas, what a click puts on the large canvas, its name for screen
/// readers, and its hover help, if any.
fn tile(
    state: CompletionState,
    canvas: NodeRef<Canvas>,
    what: impl Into<Signal<Option<OnCanvas>>>,
    name: String,
    help: impl Into<Signal<Option<String>>>,
) -> impl IntoView {
    let (what, help) = (what.into(), help.into());
    view! {
        <button
            type="button"
            class="tile"
            aria-label=name
            data-help=move || help.get()
            aria-pressed=move || (what.get() == Some(state.on_canvas.get())).to_string()
            disabled=move || !state.has_answers() || what.get().is_none()
            on:click=move |_| {
                if let Some(what) = what.get_untracked() {
                    state.show(what);
                }
            }
        >
            <canvas node_ref=canvas style:aspect-ratio=move || state.aspect_ratio()></canvas>
        </button>
    }
}

/// What the unknown region hid.
fn truth_tile(state: CompletionState) -> impl IntoView {
    let canvas = NodeRef::<Canvas>::new();
    let truth = move || state.answers.with(|answers| answers.as_ref().and_then(|answers| answers.truth.clone()));
    shows_layer(canvas, move || {
        truth().map(|bits| Layer { shape: state.picture.with(|picture| picture.shape), bits, ..Layer::default() })
    });
    let words = move || if truth().is_some() { "The original of the hidden part" } else { "The original is not known" };
    view! {
        <li data-help="The original of the hidden part, where it is known.">
            <div class="tile" class:absent=move || truth().is_none() role="img" aria-label=words>
                <canvas node_ref=canvas style:aspect-ratio=move || state.aspect_ratio()></canvas>
            </div>
            <p class="key">
                <span>"Original"</span>
            </p>
        </li>
    }
}

fn summary(answers: &AnswerSet, distinct: usize, depth: usize) -> String {
    let Completions { answers: count, seconds, .. } = answers.completions;
    let model = match answers.request.model {
        ModelChoice::Training => format!("the model in training, step {},", answers.step),
        ModelChoice::Pretrained => "the pretrained model".into(),
    };
    let took = if seconds < 1.0 { format!("{:.0} ms", 1e3 * seconds) } else { format!("{seconds:.1} s") };
    let (agreed, filled) = answers.agreed(depth);
    let agree = if count > 1 {
        format!(" All {count} answers agree on {} % of the hidden pixels.", 100 * agreed / filled.max(1))
    } else {
        String::new()
    };
    format!("{distinct} distinct of {count}, by {model} in {took}.{agree}")
}
