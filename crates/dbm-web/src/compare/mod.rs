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

/// Buttons, comparisons, and what is seen of both runs.
#[component]
pub fn Compare() -> impl IntoView {
    let pair = Pair::new();
    provide_context(pair);
    pair.follow();
    view! {
        <section class="compare" aria-labelledby="compare-title">
            <Transport />
            <Comparisons />
            <div class="compare-grid">
                <Samples />
                <Numbers />
            </div>
            <Difference />
            <Charts />
        </section>
    }
}
