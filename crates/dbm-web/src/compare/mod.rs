//! Two runs side by side: one seed, one set of data, and settings of which some differ.

mod charts;
mod controls;
mod difference;
mod numbers;
mod pace;
mod pair;
mod presets;
mod run;
mod samples;
mod setup;

use charts::Charts;
use controls::{Comparisons, Transport};
use difference::Difference;
use leptos::prelude::*;
use numbers::Numbers;
use pair::Pair;
use samples::Samples;

/// The region.
#[component]
pub fn Compare() -> impl IntoView {
    let pair = Pair::new();
    pair.follow();
    view! {
        <section class="compare" aria-labelledby="compare-title">
            <Transport pair />
            <Comparisons pair />
            <div class="compare-grid">
                <Samples pair />
                <Numbers pair />
            </div>
            <Difference pair />
            <Charts pair />
        </section>
    }
}
