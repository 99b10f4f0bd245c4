//! The instruments of the Train view: meeting times, sweeps, curves, filters, activities, and the ladder of a run that climbs
//! one. They follow what the worker reports about the run.

mod curves;
mod figures;
mod filters;
mod ladder;

use crate::ui::binding::{Keys, bind};
use crate::worker::session::Session;
use curves::{activities_figure, curves_figure};
use figures::both_figures;
use filters::filters_figure;
use ladder::ladder_figure;
use leptos::prelude::*;

/// The curves' names in the address.
const CURVES: [&str; 4] = ["error", "pseudo", "free", "exact"];

/// All of them, in the order of the view's grid.
pub fn all_instruments(session: Session) -> impl IntoView {
    let curve = RwSignal::new(0_usize);
    let layer = RwSignal::new(0_u32);
    bind(
        "i.",
        move || {
            let mut keys = Keys::default();
            keys.put_unless("curve", &CURVES[curve.get()], &CURVES[0]);
            if layer.get() > 1 {
                keys.put("layer", layer.get());
            }
            Some(keys)
        },
        move |keys| {
            curve.set(keys.get("curve").and_then(|name| CURVES.iter().position(|curve| *curve == name)).unwrap_or_default());
            layer.set(keys.parse("layer").unwrap_or_default());
        },
    );
    view! {
        {both_figures(session)}
        {curves_figure(session, curve)}
        {filters_figure(session, layer)}
        {activities_figure(session)}
        {ladder_figure(session)}
    }
}
