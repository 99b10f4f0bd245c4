//! Compare.

use leptos::prelude::*;

/// The region.
#[component]
pub fn Compare() -> impl IntoView {
    view! {
        <section aria-labelledby="compare-title">
            <div class="ruled">
                <h2 id="compare-title">"Compare"</h2>
            </div>
        </section>
    }
}
