//! What hidden units respond to, layer by layer.

use crate::canvas::shape::Shape;
use crate::canvas::{filter_tiles, short, shows};
use crate::train::samples::SAMPLES;
use crate::ui::address::{OnShow, View};
use crate::ui::download;
use crate::ui::save::Save;
use crate::ui::select::{Select, SelectOption};
use crate::ui::term::Term;
use crate::worker::client::Failure;
use crate::worker::session::Session;
use dbm_protocol::{Command, Event, Filters as Responses, Greys, ModelChoice};
use leptos::html::Canvas;
use leptos::prelude::*;

/// During training, milliseconds between two requests at the least.
const PAUSE: f64 = 2500.0;

/// Requests what the hidden units of a layer respond to, if there is a model and a worker that is ready. Nobody pressed a button
/// for it, and the next change requests it again.
async fn ask(session: Session, filters: RwSignal<Option<Responses>>, layer: u32) -> Result<(), Failure> {
    let model = untrack(|| session.looked_at());
    if untrack(|| session.about_of(model)).is_some()
        && session.readiness().is_ok()
        && let Event::Filters(answer) = session.ask(Command::Filters { model, layer, count: SAMPLES }).await?
    {
        filters.set(Some(answer));
    }
    Ok(())
}

/// The region of the filters: the grid of one hidden layer, and the colours' scale.
pub fn filters_figure(session: Session, chosen: RwSignal<u32>) -> impl IntoView {
    let OnShow { view, two_runs, .. } = OnShow::of_page();
    let filters = RwSignal::new(None::<Responses>);
    let canvas = NodeRef::<Canvas>::new();
    shows(
        canvas,
        move || filters.get(),
        |surface, colours, filters| {
            // As large as their number allows.
            filter_tiles(surface, colours, &filters, (f64::from(filters.count).sqrt().ceil() as usize).max(1));
        },
    );
    let sizes = Memo::new(move |_| session.about_of(session.looked_at()).map(|about| about.sizes).unwrap_or_default());
    // The chosen layer, if the model on view has it.
    let layer = Memo::new(move |_| {
        let depth = sizes.with(|sizes| sizes.len().saturating_sub(1).max(1));
        if chosen.get() as usize <= depth { chosen.get().max(1) } else { 1 }
    });
    // Requests them at once if other filters are to be shown, and now and then while the model learns.
    Effect::new(move |last: Option<(_, f64)>| {
        let shown = view.get() == View::Train && !two_runs.get();
        let (running, step) = match session.looked_at() {
            ModelChoice::Training => session.run.metrics.with(|metrics| (metrics.running, metrics.step)),
            ModelChoice::Pretrained => (false, 0),
        };
        // For a paused run, the filters of its present step.
        let key = (shown, session.looked_at(), layer.get(), sizes.get(), (!running).then_some(step));
        let now = js_sys::Date::now();
        match last {
            Some((before, at)) if before == key && (now - at < PAUSE || !running) => (before, at),
            _ => {
                if shown {
                    session.perform(ask(session, filters, key.2));
                }
                (key, now)
            }
        }
    });
    let options = Signal::derive(move || {
        let option = |layer: usize| SelectOption::new(layer.to_string(), format!("Layer {layer}"));
        (1..sizes.with(Vec::len).max(2)).map(option).collect::<Vec<_>>()
    });
    let ratio = move || {
        let image = session.about_of(session.looked_at()).and_then(|about| about.image);
        let row = || (1, sizes.with(|sizes| sizes.first().copied().unwrap_or(784)));
        Shape::of(image.unwrap_or_else(row), Greys::default()).ratio(1, 1)
    };
    let scale = move || filters.with(|filters| filters.as_ref().map_or(0.0, |filters| f64::from(filters.scale)));
    let what = move || {
        if layer.get() == 1 {
            "The weights between each unit and the visible layer.".to_string()
        } else {
            format!("Columns of the product of all weights from the visible layer up to layer {}.", layer.get())
        }
    };
    let words = move || {
        filters.with(|filters| {
            filters.as_ref().map_or_else(
                || "No filters yet".into(),
                |it| format!("Filters of the first {} units of hidden layer {} at step {}", it.count, it.layer, it.step),
            )
        })
    };
    let save = move |_| {
        if let Some(canvas) = canvas.get_untracked() {
            download::canvas(session.notices, &canvas, format!("filters-{}.png", layer.get_untracked()));
        }
    };
    view! {
        <section class="figure" aria-labelledby="filters-title">
            <div class="figure-head">
                <h3 id="filters-title">
                    <Term words="Filters".to_string() help=Signal::derive(what) />
                </h3>
                <Select
                    id="hidden-layer"
                    label="Hidden layer"
                    bare=true
                    help="Which hidden layer’s units are shown. Above the first, filters are products of all weights below."
                    options
                    value=Signal::derive(move || layer.get().to_string())
                    on_choose=move |layer: String| chosen.set(layer.parse().unwrap_or(1))
                />
                <Save what="filters" forms=&["PNG"] save />
            </div>
            <canvas node_ref=canvas class="samples" style:aspect-ratio=ratio role="img" aria-label=words></canvas>
            <p class="key signed" data-help="Colours run from the largest negative weight over zero to the largest positive one of all that are shown.">
                <span>{move || short(-scale())}</span>
                <span class="ramp"></span>
                <span>{move || short(scale())}</span>
            </p>
            <p class="figures-text">{words}</p>
        </section>
    }
}
