//! Two runs side by side: the same seed, the same data, and settings of which some differ.

mod charts;
mod controls;
mod numbers;
mod pair;
mod presets;
mod run;
mod samples;
mod setup;

use charts::charts_of_both;
use controls::{comparisons, difference_form, transport};
use leptos::prelude::*;
use numbers::numbers_table;
use pair::Pair;
use samples::samples;

/// Buttons, comparisons, and the results of both runs.
#[component]
pub fn Compare() -> impl IntoView {
    let pair = Pair::new();
    pair.follow();
    view! {
        <section class="compare" aria-labelledby="compare-title">
            {transport(pair)}
            {comparisons(pair)}
            <div class="compare-grid">
                {samples(pair)}
                {numbers_table(pair)}
            </div>
            {difference_form(pair)}
            {charts_of_both(pair)}
        </section>
    }
}
