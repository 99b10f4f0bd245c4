//! What each hidden layer contributes alone: samples, and the same samples decoded from one of their layers at a time.

use super::looks::{Looks, LooksFold};
use super::state::CompletionState;
use crate::canvas::shape::Shape;
use crate::canvas::{shows, tiles};
use dbm_protocol::{Command, Event, ModelChoice, fresh_seed};
use leptos::html::Canvas;
use leptos::prelude::*;

/// Samples, side by side.
const COUNT: u32 = 10;

/// The fold: a button, and one row of pictures per layer as they arrive. Shown only for images of models with several hidden
/// layers.
pub fn each_layer(state: CompletionState) -> impl IntoView {
    let session = state.session;
    // Which model it is, and its number of layers; `None` if it is not shown here.
    let of = Memo::new(move |_| {
        let about = session.about().filter(|about| about.image.is_some() && about.sizes.len() > 2)?;
        let training = session.models.model.get() == ModelChoice::Training;
        Some((session.models.model.get(), about.sizes, about.classes, (!training).then_some(about.steps)))
    });
    let heard = Looks::of(session, of);
    let layers = Memo::new(move |_| of.with(|of| of.as_ref().map_or(0, |(_, sizes, ..)| sizes.len())));
    let start = move || {
        let (model, seed) = (session.models.model.get_untracked(), fresh_seed());
        let commands = (0..layers.get_untracked() as u32).map(|layer| Command::Samples { model, layer, count: COUNT, seed });
        heard.start(commands.collect(), |event| if let Event::Samples(grid) = event { Some(grid) } else { None });
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
        let shown = move || heard.came.with(|heard| heard.get(layer).cloned());
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
        <LooksFold
            running=heard.running
            on_cancel=move |()| heard.stop()
            class="each-layer"
            title="What each layer says"
            about="Samples of the model, and below each what one of its layers says alone: the pixels expected given only the state of that layer."
            hidden=Signal::derive(move || layers.get() == 0)
            button="Draw samples"
            button_help="Ten samples, and each of their hidden layers decoded down to the pixels by mean field."
            disabled=Signal::derive(move || state.lacks_model())
            on_press=move |()| start()
            counted="Layers decoded"
            parts=Signal::derive(move || (heard.came.with(Vec::len) as u32, layers.get() as u32))
        >
            {move || (0..layers.get()).map(row).collect_view()}
        </LooksFold>
    }
}
