//! What both models imagine, picture beside picture: each place of both grids starts from the same noise.

use super::pair::Pair;
use super::run::Run;
use super::setup::names;
use crate::canvas::shape::Shape;
use crate::canvas::{redraws, tiles};
use leptos::html::Canvas;
use leptos::prelude::*;

/// Samples shown.
const COUNT: usize = 64;
/// Side by side: where there is room, and on a phone.
const COLUMNS: [usize; 2] = [8, 4];

/// Both grids.
#[component]
pub fn Samples(
    /// The runs.
    pair: Pair,
) -> impl IntoView {
    let names = Memo::new(move |_| names(&pair.base.get(), &pair.other.get(), pair.visible()));
    let shape = Memo::new(move |_| {
        let about = pair.runs[0].about.get();
        let square = if pair.visible() == 16 { (4, 4) } else { (28, 28) };
        about.as_ref().map_or_else(|| Shape::of(square, 1), Shape::of_model)
    });
    let side = move |place: usize| {
        let name = move || names.get()[place].clone();
        view! { <Side run=pair.runs[place] letter=["A", "B"][place] name shape /> }
    };
    view! { <div class="lanes">{side(0)} {side(1)}</div> }
}

/// One run's.
#[component]
fn Side(
    /// The run.
    run: Run,
    /// By which it is called.
    letter: &'static str,
    /// By what it differs from the other.
    #[prop(into)]
    name: Signal<String>,
    /// How a sample is laid out.
    #[prop(into)]
    shape: Signal<Shape>,
) -> impl IntoView {
    let canvas = NodeRef::<Canvas>::new();
    redraws(
        canvas,
        move || run.samples.get(),
        |surface, colours, samples| {
            if let Some(samples) = samples {
                let narrow = surface.height > 2.5 * surface.width * samples_ratio(&samples);
                tiles(surface, colours, &samples, COLUMNS[usize::from(narrow)]);
            }
        },
    );
    let step = Memo::new(move |_| run.metrics.with(|metrics| metrics.step));
    let words = move || {
        run.samples.with(|samples| match samples {
            Some(samples) => format!("64 samples at step {}", samples.step),
            None => "Samples come while it trains".to_string(),
        })
    };
    let label = move || format!("Run {letter}: {}; {}", words(), distinct(run));
    let ratio = move |columns: usize| {
        let shape = shape.get();
        format!("{} / {}", shape.columns.max(1) * columns, shape.rows.max(1) * COUNT.div_ceil(columns))
    };
    view! {
        <section class="lane" aria-label=format!("Run {letter}")>
            <h3>
                <span class="letter">{letter}</span>
                {move || name.get()}
            </h3>
            <p class="counter">
                <output aria-label=format!("Steps of run {letter}") aria-live="off">
                    {move || step.get().to_string()}
                </output>
                <span>"steps"</span>
            </p>
            <canvas
                node_ref=canvas
                class="samples"
                style=("--wide", move || ratio(COLUMNS[0]))
                style=("--narrow", move || ratio(COLUMNS[1]))
                role="img"
                aria-label=label
            ></canvas>
            <p class="figures-text" data-help="States that the local search ends in, started from the same 64 patterns of noise in both runs and at every look.">
                {words}
            </p>
            <p class="help problem lane-trouble" role="status">
                {move || run.trouble.get().unwrap_or_default()}
            </p>
        </section>
    }
}

/// Rows of a sample by its columns.
fn samples_ratio(samples: &dbm_protocol::Grid) -> f64 {
    let shape = Shape::of_grid(samples);
    shape.rows.max(1) as f64 / shape.columns.max(1) as f64
}

/// How many of the samples are distinct, in words.
pub fn distinct(run: Run) -> String {
    run.distinct.with(|all| all.last().map_or_else(|| "–".into(), |(_, count)| format!("{count} of {COUNT} distinct")))
}
