//! Coupling: how long two chains take to meet, by dimension; which chains meet at the size of digits; and one coupling step by
//! step.

mod computation;
mod figure;
mod figure_settings;
mod figure_view;
mod jobs;
mod moment_view;
mod moments;
mod numbered;
mod pairs;
mod particles;
mod plot;
mod replay;
mod replay_settings;
mod replay_view;
mod results;
mod step_table;
mod transport;

use crate::ui::binding::{Keys, bind};
use figure::Figure;
use figure_view::figure_of_couplings;
use leptos::prelude::*;
use particles::{Particles, pairs_of_runs};
use replay::CouplingReplay;
use replay_view::one_coupling;

/// Prefix of this view's keys in the address.
const PREFIX: &str = "m.";

/// The regions of the figure, of the pairs of runs, and of one coupling.
#[component]
pub fn Coupling() -> impl IntoView {
    let figure = Figure::new();
    let particles = Particles::new();
    let replay = CouplingReplay::new();
    let write = move || {
        let mut keys = Keys::default();
        figure.texts.with(|texts| texts.write(&mut keys));
        particles.texts.with(|texts| texts.write(&mut keys));
        replay.texts.with(|texts| texts.write(&mut keys));
        Some(keys)
    };
    bind(PREFIX, write, move |keys| {
        figure.adopt(keys);
        particles.adopt(keys);
        replay.adopt(keys);
    });
    view! {
        <section aria-labelledby="coupling-title">
            <div class="ruled">
                <h2 id="coupling-title">"Coupling"</h2>
                <p>"Two chains that share their random numbers until they meet: how long that takes, and what it is for."</p>
            </div>
            {figure_of_couplings(figure)}
        </section>
        <section class="coupling-one" aria-labelledby="particles-title">
            <div class="ruled">
                <h2 id="particles-title">"At digit size"</h2>
                <p>"In a wide model no uniform proposal is ever accepted, but runs of weighted particles are: now and then their chains meet late, and the correction does something."</p>
            </div>
            {pairs_of_runs(particles)}
        </section>
        <section class="coupling-one" aria-labelledby="replay-title">
            <div class="ruled">
                <h2 id="replay-title">"One coupling, step by step"</h2>
                <p>"On a model small enough to show every unit: what is proposed, which chain accepts it, and when they meet."</p>
            </div>
            {one_coupling(replay)}
        </section>
    }
}
