//! Coupling.

use leptos::prelude::*;

/// The region.
#[component]
pub fn Coupling() -> impl IntoView {
    view! {
        <section aria-labelledby="coupling-title">
            <div class="ruled">
                <h2 id="coupling-title">"Coupling"</h2>
            </div>
        </section>
    }
}
