//! Proof.

use leptos::prelude::*;

/// The region.
#[component]
pub fn Proof() -> impl IntoView {
    view! {
        <section aria-labelledby="proof-title">
            <div class="ruled">
                <h2 id="proof-title">"Proof"</h2>
            </div>
        </section>
    }
}
