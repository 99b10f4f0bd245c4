//! What both models imagine, pictures side by side: each position of both grids starts from the same noise.

use super::pair::Pair;
use super::run::ComparedRun;
use super::setup::names;
use crate::canvas::shape::Shape;
use crate::canvas::{shows, tiles};
use dbm_protocol::Greys;
use leptos::html::Canvas;
use leptos::prelude::*;

/// Samples that a worker draws each time it evaluates the model.
const COUNT: usize = 64;
/// Pictures side by side: on a wide screen, and on a phone.
const COLUMNS: [usize; 2] = [8, 4];

/// A lane for each run.
pub fn samples(pair: Pair) -> impl IntoView {
    let names = Memo::new(move |_| names(&pair.base.get(), &pair.other.get()));
    let shape = Memo::new(move |_| {
        let about = pair.runs[0].about.get();
        let square = if pair.for_data.get().visible == 16 { (4, 4) } else { (28, 28) };
        about.as_ref().map_or_else(|| Shape::of(square, Greys::default()), Shape::of_model)
    });
    let lane = move |place: usize| lane(pair.runs[place], ["A", "B"][place], move || names.get()[place].clone(), shape);
    view! { <div class="lanes">{[0, 1].map(lane).into_iter().collect_view()}</div> }
}

/// One run's samples: its letter, how it differs from the other run, and the layout of a sample.
fn lane(run: ComparedRun, letter: &'static str, name: impl Fn() -> String + Send + 'static, shape: Memo<Shape>) -> impl IntoView {
    let canvas = NodeRef::<Canvas>::new();
    shows(
        canvas,
        move || run.samples.get(),
        |surface, colours, samples| {
            let shape = Shape::of_grid(&samples);
            let high = shape.rows.max(1) as f64 / shape.columns.max(1) as f64;
            let narrow = surface.height > 2.5 * surface.width * high;
            tiles(surface, colours, &samples, COLUMNS[usize::from(narrow)]);
        },
    );
    let step = Memo::new(move |_| run.metrics.with(|metrics| metrics.step));
    let words = move || {
        run.samples.with(|samples| match samples {
            Some(samples) => format!("64 samples at step {}", samples.step),
            None => "Samples appear in training".to_string(),
        })
    };
    let label = move || format!("Run {letter}: {}; {}", words(), distinct(run));
    let ratio = move |columns: usize| shape.get().ratio(columns, COUNT.div_ceil(columns));
    view! {
        <section class="lane" aria-label=format!("Run {letter}")>
            <h3>
                <span class="letter">{letter}</span>
                {name}
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
            <p class="figures-text" data-help="Where the local search ends, each time from the same 64 noise patterns in both runs.">
                {words}
            </p>
            <p class="help problem lane-trouble" role="status">
                {move || run.trouble.get().unwrap_or_default()}
            </p>
        </section>
    }
}

/// How many of the samples are distinct, in words.
fn distinct(run: ComparedRun) -> String {
    run.distinct.with(|all| all.last().map_or_else(|| "–".into(), |(_, count)| format!("{count} of {COUNT} distinct")))
}
