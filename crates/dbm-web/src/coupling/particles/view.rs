//! Pairs of runs on the page: their settings on the left, the results on the right.

use super::change::change;
use super::meetings::meeting_times;
use super::one_pair::one_pair;
use super::settings::ParticleModel;
use super::state::Particles;
use crate::ui::button::Button;
use crate::ui::number::listed;
use crate::ui::select::{Select, SelectOption};
use crate::worker::session::ShippedModel;
use dbm_core::words::Choose;
use dbm_protocol::ModelInfo;
use leptos::prelude::*;

/// The longest status.
const LONGEST_STATUS: &str = "100 of 1000 pairs are missing. Cancelled; what was computed is kept. They are of step 100000.";

/// Controls on the left, results on the right.
pub fn pairs_of_runs(particles: Particles) -> impl IntoView {
    let work = particles.work;
    view! {
        <div class="coupling-grid">
            {controls(particles)}
            <div class="particles">
                <div class="particles-status">
                    <Button
                        label="Couple runs"
                        class="primary"
                        help="Runs pairs of chains on this model, in separate workers, and shows results as they come in."
                        disabled=move || work.is_busy() || !particles.has_one() || particles.missing() == 0
                        on_press=move |()| particles.compute()
                    />
                    {work.view(["Pairs of runs done", "Stops; the finished pairs stay."], LONGEST_STATUS, move || particles.status())}
                </div>
                <div class="particles-grid">{meeting_times(particles)} {change(particles)}</div>
                {one_pair(particles)}
            </div>
        </div>
    }
}

/// The settings of the model and of the runs.
fn controls(particles: Particles) -> impl IntoView {
    let (form, session) = (particles.form(), particles.session);
    let options = Memo::new(move |_| {
        let in_equilibrium =
            || (session.models.shipped.get() == ShippedModel::InEquilibrium).then(|| "the one in equilibrium".into());
        let sized = |about: &Option<ModelInfo>| about.as_ref().map(|about| listed(&about.sizes, "-"));
        ParticleModel::CHOICES
            .iter()
            .map(|choice| {
                let (sizes, name) = match choice.value {
                    ParticleModel::Opened => {
                        (session.models.pretrained.with(sized), session.models.opened.get().or_else(in_equilibrium))
                    }
                    ParticleModel::Training => (session.models.training.with(sized), None),
                    ParticleModel::Random => (None, None),
                };
                let name = name.unwrap_or_else(|| choice.label.into());
                SelectOption::new(choice.name, sizes.map_or(name.clone(), |sizes| format!("{name}, {sizes}")))
            })
            .collect::<Vec<_>>()
    });
    let (model, words) = (move || particles.texts.with(|texts| texts.read.model.choice().name.to_string()), ParticleModel::WORDS);
    view! {
        <div class="coupling-controls particles-controls">
            <div class="coupling-settings">
                <div class="field wide">
                    <Select
                        id="smc-model"
                        label=words.label
                        help=words.help
                        options=options
                        value=Signal::derive(model)
                        on_choose=move |name: String| form.set("smc-model", name)
                    />
                </div>
                // Fields that depend on the model come last, so that nothing below them moves.
                {["particles", "smc-pairs", "smc-cap", "smc-seed", "smc-sizes", "smc-units", "smc-deviation", "path", "smc-steps"]
                    .map(|key| form.field(key))}
            </div>
        </div>
    }
}
