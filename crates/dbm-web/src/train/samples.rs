//! What the model imagines: a grid of samples.

use super::film;
use crate::canvas::shape::Shape;
use crate::canvas::{fixed, shows, tiles};
use crate::ui::button::Button;
use crate::ui::save::Save;
use crate::ui::term::Term;
use crate::worker::client::Failure;
use crate::worker::export;
use crate::worker::session::Session;
use dbm_protocol::{Command, Event, Greys, Grid, ModelChoice, fresh_seed};
use leptos::html::Canvas;
use leptos::prelude::*;

/// How many samples are shown.
pub const SAMPLES: u32 = 64;
/// Samples side by side.
const COLUMNS: usize = 8;

/// The formats in which they can be saved; the last is the film of the model in training.
const FORMS: &[&str] = &[export::BITS[0], export::BITS[1], export::BITS[2], "film (animated PNG)"];

/// Requests samples of the model on view.
async fn ask(session: Session) -> Result<(), Failure> {
    let command = Command::Samples { model: untrack(|| session.looked_at()), layer: 0, count: SAMPLES, seed: fresh_seed() };
    if let Event::Samples(grid) = session.ask(command).await? {
        session.samples_of(grid.model).set(Some(grid));
    }
    Ok(())
}

/// The region of the samples: the grid, its step, and the run's signals on the data.
#[component]
pub fn Samples() -> impl IntoView {
    let session = Session::of_page();
    let shown = move || session.samples_of(session.looked_at());
    // A model without samples gets some as soon as it is on view.
    Effect::new(move |_| {
        if session.about_of(session.looked_at()).is_some() && shown().with(Option::is_none) && session.client.is_ready() {
            session.perform(ask(session));
        }
    });
    let trains = move || session.looked_at() == ModelChoice::Training && session.run.running.get();
    let how = move || {
        if trains() {
            "What the free chains of the latest step look like: each pixel at its likelier value, given the layer above."
        } else {
            "Each is where a local search from noise ends; for a model trained with more Gibbs sweeps, after those. Persistent chains are shown as they are."
        }
    };
    let canvas = NodeRef::<Canvas>::new();
    shows(canvas, move || shown().get(), |surface, colours, samples| tiles(surface, colours, &samples, COLUMNS));
    let save = move |form| {
        if form == export::BITS.len() {
            film::save(session);
        } else if let Some(grid) = untrack(|| shown().get()) {
            export::bits(session, "samples", form, grid);
        }
    };
    let words = move || {
        shown().with(|samples| samples.as_ref().map_or_else(|| "No samples yet.".into(), |it| describe(it, &when(session, it))))
    };
    let short = move || {
        shown().with(|samples| match samples {
            Some(samples) if samples.model == ModelChoice::Pretrained => {
                format!("{} samples of the pretrained model", samples.count)
            }
            Some(samples) => format!("{} samples {}", samples.count, when(session, samples)),
            None => "No samples yet".into(),
        })
    };
    // Only the shape, so that the box keeps its size while samples come and go.
    let shape = Memo::new(move |_| {
        session.about_of(session.looked_at()).as_ref().map_or_else(|| Shape::of((28, 28), Greys::default()), Shape::of_model)
    });
    let ratio = move || shape.get().ratio(COLUMNS, (SAMPLES as usize).div_ceil(COLUMNS));
    view! {
        <section class="figure" aria-labelledby="samples-title" data-tour="samples">
            <div class="figure-head">
                <h3 id="samples-title">
                    <Term words="Samples".to_string() help=Signal::derive(move || how().to_string()) />
                </h3>
                <Button
                    label="New samples"
                    help="Drawn from different noise. During training, new ones come automatically."
                    disabled=move || session.about_of(session.looked_at()).is_none() || trains()
                    on_press=move |()| session.perform(ask(session))
                />
                <Save what="samples" forms=FORMS save />
            </div>
            <canvas node_ref=canvas class="samples" style:aspect-ratio=ratio role="img" aria-label=words></canvas>
            <p class="figures-text">{short}</p>
            {signals_list(session)}
        </section>
    }
}

/// How well the model in training does on the data, in numbers.
fn signals_list(session: Session) -> impl IntoView {
    let seen = Memo::new(move |_| {
        let training = session.looked_at() == ModelChoice::Training;
        session.run.metrics.with(|metrics| metrics.signals).filter(|_| training)
    });
    let number = move |of: fn(dbm_protocol::RunSignals) -> String| move || seen.get().map_or_else(|| "–".into(), of);
    view! {
        <dl class="signals" class:absent=move || seen.get().is_none()>
            <div>
                <dt title="Of 50 examples: mean squared error per bit, reconstructed through the first hidden layer">
                    "Reconstruction error"
                </dt>
                <dd>{number(|signals| format!("{:.4}", signals.reconstruction_error))}</dd>
            </div>
            <div>
                <dt title="Of 50 examples: the log-probability of each bit given the others, summed; nats per example, smoothed">
                    "Pseudo-likelihood"
                </dt>
                <dd>{number(|signals| format!("{} nats", fixed(signals.pseudo_log_likelihood, 1)))}</dd>
            </div>
        </dl>
    }
}

/// At which step the samples were drawn, or that this was during pretraining.
fn when(session: Session, samples: &Grid) -> String {
    let pretraining = session.run.metrics.with(|metrics| metrics.pretraining.is_some_and(|p| p.begun() && !p.is_done()));
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
