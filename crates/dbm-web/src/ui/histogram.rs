//! A histogram of two phases on the page, and the menu that saves it.

use super::download;
use super::notices::Notices;
use super::save::Save;
use crate::canvas::{Colours, Plane, Scale, Svg, histogram, redraws};
use dbm_protocol::{Histogram, NamedBytes};
use leptos::html::Canvas;
use leptos::prelude::*;

/// The menu and the plot of `both`, which is called `what`, and `label` for screen readers. A note explains a half that is empty.
pub fn phases(
    [what, label]: [&'static str; 2],
    scale: Scale,
    both: impl Fn() -> [Histogram; 2] + Copy + Send + Sync + 'static,
    notes: impl Fn() -> [&'static str; 2] + Copy + Send + Sync + 'static,
) -> [AnyView; 2] {
    let (notices, canvas) = (Notices::of_page(), NodeRef::<Canvas>::new());
    let draw = move |plane: &dyn Plane, colours: &Colours, both: &[Histogram; 2]| {
        histogram(plane, colours, [&both[0], &both[1]], scale);
    };
    redraws(canvas, both, move |surface, colours, both| draw(surface, colours, &both));
    let save = move |form: usize| {
        let Some(canvas) = canvas.get_untracked() else { return };
        let name = what.to_ascii_lowercase().replace(' ', "-");
        if form == 0 {
            return download::canvas(notices, &canvas, format!("{name}.png"));
        }
        let colours = Colours::now();
        let svg = Svg::new(&colours, f64::from(canvas.client_width()), f64::from(canvas.client_height()));
        draw(&svg, &colours, &untrack(both));
        download::file(notices, &NamedBytes { name: format!("{name}.svg"), bytes: svg.finish().into_bytes() });
    };
    let plot = view! {
        <canvas node_ref=canvas role="img" aria-label=label></canvas>
        <p class="plot-note">{move || notes()[0]}</p>
        <p class="plot-note lower">{move || notes()[1]}</p>
    };
    [view! { <Save what forms=&["PNG", "SVG"] save /> }.into_any(), plot.into_any()]
}
