//! What the model imagines: a grid of samples.

use crate::actions::{self, SAMPLES};
use crate::canvas::shape::Shape;
use crate::canvas::{redraws, tiles};
use crate::state::{State, state};
use crate::ui::download;
use crate::ui::save::Save;
use dbm_protocol::{Grid, ModelChoice};
use leptos::html::Canvas;
use leptos::prelude::*;

/// Samples side by side.
const COLUMNS: usize = 8;

/// The region.
#[component]
pub fn Samples() -> impl IntoView {
    let state = state();
    let canvas = NodeRef::<Canvas>::new();
    redraws(
        canvas,
        move || state.samples().get(),
        |surface, colours, samples| {
            if let Some(samples) = samples {
                tiles(surface, colours, &samples, COLUMNS);
            }
        },
    );
    let save = move |form| {
        if let Some(grid) = untrack(|| state.samples()).get_untracked() {
            download::bits(state, "samples", form, grid);
        }
    };
    let words = move || {
        state
            .samples()
            .with(|samples| samples.as_ref().map_or_else(|| "No samples yet.".into(), |it| describe(it, &when(state, it))))
    };
    let short = move || {
        state.samples().with(|samples| match samples {
            Some(samples) => format!("{} samples {}", samples.count, when(state, samples)),
            None => "No samples yet".into(),
        })
    };
    // Only the shape, so that the box keeps its size while samples come and go.
    let shape = Memo::new(move |_| state.about().as_ref().map_or_else(|| Shape::of((28, 28), 1), Shape::of_model));
    let ratio = move || {
        let shape = shape.get();
        format!("{} / {}", shape.columns.max(1) * COLUMNS, shape.rows.max(1) * (SAMPLES as usize).div_ceil(COLUMNS))
    };
    view! {
        <section class="figure" aria-labelledby="samples-title">
            <div class="figure-head">
                <h3 id="samples-title">"Samples"</h3>
                <button
                    type="button"
                    disabled=move || state.about().is_none()
                    on:click=move |_| actions::new_samples(state, state.model.get_untracked())
                >
                    "New samples"
                </button>
                <Save what="samples" forms=download::BITS save />
            </div>
            <canvas node_ref=canvas class="samples" style:aspect-ratio=ratio role="img" aria-label=words></canvas>
            <p class="figures-text">{short}</p>
            <Signals />
            <p class="help">"Each is a state that the local search ends in, started from noise; of a model trained with more Gibbs sweeps, after those."</p>
        </section>
    }
}

/// How the model in training does on the data, in numbers.
#[component]
fn Signals() -> impl IntoView {
    let state = state();
    let seen = Memo::new(move |_| {
        let training = state.model.get() == ModelChoice::Training;
        state.metrics.with(|metrics| metrics.signals).filter(|_| training)
    });
    let number = move |of: fn(dbm_protocol::Signals) -> String| move || seen.get().map(of);
    view! {
        <Show when=move || seen.get().is_some()>
            <dl class="signals">
                <div>
                    <dt title="Of 50 examples: mean squared error of a bit, reconstructed through the first hidden layer">
                        "Reconstruction error"
                    </dt>
                    <dd>{number(|signals| format!("{:.4}", signals.reconstruction_error))}</dd>
                </div>
                <div>
                    <dt title="Of 50 examples: the log-probability of each bit given the others, summed; nats an example, smoothed">
                        "Pseudo-likelihood"
                    </dt>
                    <dd>{number(|signals| format!("{:.1} nats", signals.pseudo_log_likelihood).replace('-', "−"))}</dd>
                </div>
            </dl>
        </Show>
    }
}

/// At which step, or before it.
fn when(state: State, samples: &Grid) -> String {
    let pretraining = state.metrics.with(|metrics| metrics.pretraining.is_some_and(|p| p.begun() && !p.is_done()));
    if pretraining && samples.model == ModelChoice::Training && samples.step == 0 {
        "during pretraining".into()
    } else {
        format!("at step {}", samples.step)
    }
}

fn describe(samples: &Grid, when: &str) -> String {
    let whose = if samples.model == ModelChoice::Training { "machine in training" } else { "pretrained machine" };
    format!("{} samples of the {whose} {when}", samples.count)
}
