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

/// Controls to the left, what comes of them to the right.
pub fn pairs_of_runs(particles: Particles) -> impl IntoView {
    let progress = particles.progress;
    let busy = Memo::new(move |_| progress.with(Option::is_some));
    let some = Memo::new(move |_| particles.together.with(|together| together.pairs > 0));
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
                    <Show when=move || busy.get()>
                        <ProgressBar
                            label="Pairs of runs done"
                            parts
                            help="Stops; the pairs that are there stay."
                            on_cancel=move |()| particles.stop("Cancelled; what was computed is kept.")
                        />
                    </Show>
                    <p role="status" aria-live=move || if busy.get() { "off" } else { "polite" }>
                        {move || particles.status()}
                    </p>
                </div>
                <div class="particles-grid">{meeting_times(particles)} {change(particles)}</div>
                <Show when=move || some.get()>{one_pair(particles)}</Show>
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
    let text = move |key, letters| form.field("smc", key, letters, letters);
    let words = ParticleModel::WORDS;
    view! {
        <div class="coupling-controls">
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
                <Show when=move || is_random.get()>
                    {text("smc-sizes", true)} <div class="field">{form.select("smc-units", "smc-units")}</div> {text("smc-deviation", false)}
                </Show>
                <Show when=move || !is_random.get()>
                    <div class="field wide">{form.select("smc-path", "path")}</div>
                </Show>
                {text("particles", false)}
                <Show when=move || has_steps.get()>{text("smc-steps", false)}</Show>
                {["smc-pairs", "smc-cap", "smc-seed"].map(|key| text(key, false))}
            </div>
        </div>
    }
}
