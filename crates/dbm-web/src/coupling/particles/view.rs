//! Pairs of runs on the page: their settings to the left, what comes of them to the right.

use super::change::change;
use super::meetings::meeting_times;
use super::one_pair::one_pair;
use super::settings::ParticleModel;
use super::state::Particles;
use crate::ui::button::Button;
use crate::ui::number::listed;
use crate::ui::progress::ProgressBar;
use crate::ui::select::{Select, SelectOption};
use crate::worker::session::ShippedModel;
use dbm_core::gradient::SmcPath;
use dbm_core::words::Choose;
use dbm_protocol::ModelInfo;
use leptos::prelude::*;

/// The longest that the status can be.
const LONGEST_STATUS: &str = "100 of 1000 pairs are missing. Cancelled; what was computed is kept. They are of step 100000.";

/// Controls to the left, what comes of them to the right.
pub fn pairs_of_runs(particles: Particles) -> impl IntoView {
    let progress = particles.progress;
    let busy = Memo::new(move |_| progress.with(Option::is_some));
    let parts = Signal::derive(move || progress.get().unwrap_or_default());
    view! {
        <div class="coupling-grid">
            {controls(particles)}
            <div class="particles">
                <div class="particles-status">
                    <Button
                        label="Couple runs"
                        class="primary"
                        help="Runs pairs of chains on this model, in workers of their own: what comes is shown as it comes."
                        disabled=move || busy.get() || !particles.has_one() || particles.missing() == 0
                        on_press=move |()| particles.compute()
                    />
                    <ProgressBar
                        label="Pairs of runs done"
                        parts
                        busy
                        help="Stops; the pairs that are there stay."
                        on_cancel=move |()| particles.stop("Cancelled; what was computed is kept.")
                    />
                    <p role="status" aria-live=move || if busy.get() { "off" } else { "polite" } data-longest=LONGEST_STATUS>
                        <span>{move || particles.status()}</span>
                    </p>
                </div>
                <div class="particles-grid">{meeting_times(particles)} {change(particles)}</div>
                {one_pair(particles)}
            </div>
        </div>
    }
}

/// The model's settings and the runs'.
fn controls(particles: Particles) -> impl IntoView {
    let (form, session) = (particles.form(), particles.session);
    let model = Memo::new(move |_| form.texts.with(|texts| texts.chosen::<ParticleModel>("smc-model")));
    let is_random = Memo::new(move |_| model.get() == ParticleModel::Random);
    let has_steps =
        Memo::new(move |_| is_random.get() || form.texts.with(|texts| texts.chosen::<SmcPath>("path")) == SmcPath::Temperatures);
    let options = Memo::new(move |_| {
        let in_equilibrium = || (session.shipped.get() == ShippedModel::InEquilibrium).then(|| "the one in equilibrium".into());
        let sized = |about: &Option<ModelInfo>| about.as_ref().map(|about| listed(&about.sizes, "-"));
        ParticleModel::CHOICES
            .iter()
            .map(|choice| {
                let (sizes, name) = match choice.value {
                    ParticleModel::Opened => (session.pretrained.with(sized), session.opened.get().or_else(in_equilibrium)),
                    ParticleModel::Training => (session.training.with(sized), None),
                    ParticleModel::Random => (None, None),
                };
                let name = name.unwrap_or_else(|| choice.label.into());
                SelectOption::new(choice.name, sizes.map_or(name.clone(), |sizes| format!("{name}, {sizes}")))
            })
            .collect::<Vec<_>>()
    });
    let text = move |key, wide| form.field("smc", key, key == "smc-sizes", wide);
    let words = ParticleModel::WORDS;
    view! {
        <div class="coupling-controls particles-controls">
            <div class="coupling-settings">
                <div class="field wide">
                    <Select
                        id="smc-model"
                        label=words.label
                        help=words.help
                        options=options
                        value=Signal::derive(move || form.texts.with(|texts| texts.get("smc-model").to_string()))
                        on_choose=move |name: String| form.change.run(("smc-model", name))
                    />
                </div>
                {["particles", "smc-pairs", "smc-cap"].map(|key| text(key, false))} {text("smc-seed", true)}
                // What comes and goes with the model is last, so that nothing below it moves.
                <Show when=move || is_random.get()>
                    {text("smc-sizes", true)} <div class="field">{form.select("smc-units", "smc-units")}</div> {text("smc-deviation", false)}
                </Show>
                <Show when=move || !is_random.get()>
                    <div class="field wide">{form.select("smc-path", "path")}</div>
                </Show>
                <Show when=move || has_steps.get()>{text("smc-steps", false)}</Show>
            </div>
        </div>
    }
}
