//! What each hidden layer says alone: samples, and the same samples heard from one of their layers at a time.

use super::state::CompletionState;
use crate::canvas::shape::Shape;
use crate::canvas::{shows, tiles};
use crate::ui::button::Button;
use crate::ui::progress::ProgressBar;
use crate::worker::client::{Failure, Work};
use dbm_protocol::{Command, Event, Grid, ModelChoice, fresh_seed};
use leptos::html::Canvas;
use leptos::prelude::*;

/// Samples, side by side.
const COUNT: u32 = 10;

/// The fold: a button, and a row of pictures a layer as they come. Only images of models with several hidden layers are shown so.
#[component]
pub fn EachLayer() -> impl IntoView {
    let state = CompletionState::of_view();
    let session = state.session;
    let work = Work::new(session.client);
    let heard = RwSignal::new(Vec::<Grid>::new());
    let running = RwSignal::new(false);
    // Which model it is, and how many layers it has; none for what is not shown here.
    let of = Memo::new(move |_| {
        let about = session.about().filter(|about| about.image.is_some() && about.sizes.len() > 2)?;
        let training = session.model.get() == ModelChoice::Training;
        Some((session.model.get(), about.sizes, about.classes, (!training).then_some(about.steps)))
    });
    let stop = move || {
        work.cancel();
        running.set(false);
    };
    Effect::new(move |before: Option<()>| {
        of.track();
        if before.is_some() {
            stop();
            heard.set(Vec::new());
        }
    });
    let layers = Memo::new(move |_| of.with(|of| of.as_ref().map_or(0, |(_, sizes, ..)| sizes.len())));
    let start = move || {
        heard.set(Vec::new());
        running.set(true);
        let (model, seed, layers) = (session.model.get_untracked(), fresh_seed(), layers.get_untracked() as u32);
        session.perform(async move {
            let done = hear(work, heard, layers, |layer| Command::Samples { model, layer, count: COUNT, seed }).await;
            // One that was replaced has nothing more to say.
            if !matches!(done, Ok(false)) {
                running.set(false);
            }
            done.map(|_| ())
        });
    };
    let name = move |layer: usize| {
        let is_label = of.with(|of| of.as_ref().is_some_and(|(_, sizes, classes, _)| *classes > 0 && layer + 1 == sizes.len()));
        match layer {
            0 => "Samples".to_string(),
            _ if is_label => "Their label alone".into(),
            layer => format!("Their layer {layer} alone"),
        }
    };
    let row = move |layer: usize| {
        let canvas = NodeRef::<Canvas>::new();
        let shown = move || heard.with(|heard| heard.get(layer).cloned());
        shows(canvas, shown, |surface, colours, grid| tiles(surface, colours, &grid, COUNT as usize));
        let ratio = move || session.about().as_ref().map(Shape::of_model).unwrap_or_default().ratio(COUNT as usize, 1);
        view! {
            <figure>
                <canvas node_ref=canvas class="samples" style:aspect-ratio=ratio role="img" aria-label=move || name(layer)></canvas>
                <figcaption>{move || name(layer)}</figcaption>
            </figure>
        }
    };
    view! {
        <details class="each-layer" hidden=move || layers.get() == 0>
            <summary>"What each layer says"</summary>
            <p class="help">
                "Samples of the model, and below them what one layer of each says alone: the pixels that are expected given the state of that layer, all others being forgotten."
            </p>
            <div class="ask">
                <Button
                    label="Draw samples"
                    help="Ten samples, and each of their hidden layers decoded down to the pixels by mean field."
                    disabled=move || state.lacks_model() || running.get()
                    on_press=move |()| start()
                />
                <Show when=move || running.get()>
                    <ProgressBar
                        label="Layers heard"
                        parts=Signal::derive(move || (heard.with(Vec::len) as u32, layers.get() as u32))
                        help="Stops; what was drawn stays."
                        on_cancel=move |()| stop()
                    />
                </Show>
            </div>
            <div class="rows" hidden=move || heard.with(Vec::is_empty)>
                {move || (0..layers.get()).map(row).collect_view()}
            </div>
        </details>
    }
}

/// Asks layer by layer, for the same samples; whether it came to the end, and was not cancelled or replaced.
async fn hear(work: Work, heard: RwSignal<Vec<Grid>>, layers: u32, command: impl Fn(u32) -> Command) -> Result<bool, Failure> {
    for layer in 0..layers {
        let Some(Event::Samples(grid)) = work.ask(command(layer)).await? else { return Ok(false) };
        heard.update(|heard| heard.push(grid));
    }
    Ok(true)
}
