//! What hidden units respond to, layer by layer.

use crate::actions;
use crate::actions::SAMPLES;
use crate::canvas::shape::Shape;
use crate::canvas::{filter_tiles, redraws, short};
use crate::state::state;
use crate::ui::address::View;
use crate::ui::download;
use crate::ui::save::Save;
use dbm_protocol::ModelChoice;
use leptos::html::Canvas;
use leptos::prelude::*;

/// While training they are asked for anew at most this often, in milliseconds.
const PAUSE: f64 = 2500.0;

/// The region.
#[component]
pub fn Filters() -> impl IntoView {
    let state = state();
    let canvas = NodeRef::<Canvas>::new();
    redraws(
        canvas,
        move || state.filters.get(),
        |surface, colours, filters| {
            if let Some(filters) = filters {
                // As large as their number lets them be.
                filter_tiles(surface, colours, &filters, (f64::from(filters.count).sqrt().ceil() as usize).max(1));
            }
        },
    );
    let sizes = Memo::new(move |_| state.about().map(|about| about.sizes).unwrap_or_default());
    let layer = Memo::new(move |_| state.shown_filters());
    // Anew at once where others are to be seen, and now and then while the model learns.
    Effect::new(move |last: Option<(_, f64)>| {
        let shown = state.view.get() == View::Train && !state.two.get();
        let (running, step) = match state.model.get() {
            ModelChoice::Training => state.metrics.with(|metrics| (metrics.running, metrics.step)),
            ModelChoice::Pretrained => (false, 0),
        };
        // A run that rests is shown as it stands.
        let key = (shown, state.model.get(), layer.get(), sizes.get(), (!running).then_some(step));
        let now = js_sys::Date::now();
        match last {
            Some((before, at)) if before == key && (now - at < PAUSE || !running) => (before, at),
            _ => {
                if shown {
                    actions::new_filters(state, key.2);
                }
                (key, now)
            }
        }
    });
    let ratio = move || {
        let shape = Shape::of(
            state.about().and_then(|about| about.image).unwrap_or((1, sizes.with(|sizes| sizes.first().copied().unwrap_or(784)))),
            1,
        );
        format!("{} / {}", shape.columns.max(1), shape.rows.max(1))
    };
    let scale = move || state.filters.with(|filters| filters.as_ref().map_or(0.0, |filters| f64::from(filters.scale)));
    let what = move || {
        if layer.get() == 1 {
            "The weights between each unit and the visible layer.".to_string()
        } else {
            format!("Columns of the product of all weights from the visible layer up to layer {}.", layer.get())
        }
    };
    let words = move || {
        state.filters.with(|filters| {
            filters.as_ref().map_or_else(
                || "No filters yet".into(),
                |it| format!("Filters of the first {} units of hidden layer {} at step {}", it.count, it.layer, it.step),
            )
        })
    };
    let save = move |_| {
        if let Some(canvas) = canvas.get_untracked() {
            download::canvas(state, &canvas, format!("filters-{}.png", layer.get_untracked()));
        }
    };
    view! {
        <section class="figure" aria-labelledby="filters-title">
            <div class="figure-head">
                <h3 id="filters-title">"Filters"</h3>
                <select
                    aria-label="Hidden layer"
                    data-help="Which hidden layer’s units are shown. Above the first, a unit’s filter is what the weights between make of it."
                    prop:value=move || {
                        sizes.track();
                        layer.get().to_string()
                    }
                    on:change=move |event| state.filter_layer.set(event_target_value(&event).parse().unwrap_or(1))
                >
                    {move || {
                        (1..sizes.with(Vec::len).max(2))
                            .map(|layer| view! { <option value=layer.to_string()>{format!("Layer {layer}")}</option> })
                            .collect_view()
                    }}
                </select>
                <Save what="filters" forms=&["PNG"] save />
            </div>
            <canvas node_ref=canvas class="samples" style:aspect-ratio=ratio role="img" aria-label=words></canvas>
            <p class="key signed" data-help="Colours run from the largest negative weight over zero to the largest positive one of all that are shown.">
                <span>{move || short(-scale())}</span>
                <span class="ramp"></span>
                <span>{move || short(scale())}</span>
            </p>
            <p class="figures-text">{words}</p>
            <p class="help">{what}{format!(" The first {SAMPLES} units of the layer.")}</p>
        </section>
    }
}
