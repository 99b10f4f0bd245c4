//! The top of the page: its name, and the model on view.

use crate::app::menu::{menu_of_views, presets_menu};
use crate::app::share::share_menu;
use crate::tour::tour_button;
use crate::ui::address::{OnShow, View};
use crate::ui::button::Button;
use crate::ui::number::listed;
use crate::ui::select::{Select, SelectOption};
use crate::worker::session::{Opening, Session, ShippedModel};
use crate::worker::uploads::Uploads;
use dbm_core::Units;
use dbm_core::words::Choose;
use dbm_protocol::{ModelChoice, ModelInfo};
use leptos::prelude::*;

/// The select's values in addition to the names of [`ShippedModel`].
const TRAINING: &str = "training";
const OWN: &str = "own";

/// Title, model select and a line about that model.
pub fn masthead() -> impl IntoView {
    let (session, uploads, view) = (Session::of_page(), Uploads::of_page(), OnShow::of_page().view);
    let choose = move |model: String| {
        session.models.looks_at_pretrained.set(model != TRAINING);
        match model.as_str() {
            TRAINING => session.show_training(),
            OWN => session.show_own(),
            name => session.show(ShippedModel::named(name).unwrap_or_default()),
        }
    };
    // Train shows the model in training, whichever model completes, unless the visitor asked for another.
    let on_view = move || if view.get() == View::Train { session.looked_at() } else { session.models.model.get() };
    let resumable = move || {
        session.models.model.get() == ModelChoice::Pretrained
            && session.models.opened.with(Option::is_some)
            && session.models.pretrained.with(|about| {
                let width = session.sets.data.with(|data| data.as_ref().map(|data| data.width));
                about.as_ref().is_some_and(|about| about.resumable && about.sizes.first().copied() == width)
            })
    };
    let shipped = move || session.models.wanted.get().unwrap_or(session.models.shipped.get()).choice();
    let chosen = Signal::derive(move || {
        let own = session.models.opened.with(Option::is_some) && session.models.wanted.with(Option::is_none);
        let name = if on_view() == ModelChoice::Training && session.models.wanted.with(Option::is_none) {
            TRAINING
        } else if own {
            OWN
        } else {
            shipped().name
        };
        name.to_string()
    });
    let options = Signal::derive(move || {
        let own = session.models.own.with(|own| own.as_ref().map(|own| SelectOption::new(OWN, &own.name)));
        let training = SelectOption::new(TRAINING, "In training");
        SelectOption::of_choices::<ShippedModel>().into_iter().chain(own).chain([training]).collect::<Vec<_>>()
    });
    let help = Signal::derive(move || {
        let is_shipped = ShippedModel::named(&chosen.get()).is_some();
        if is_shipped { shipped().help } else { ShippedModel::WORDS.help }.to_string()
    });
    view! {
        <header class="masthead">
            <div class="masthead-name">
                <h1>"DBM Lab"</h1>
                <p>"A machine that learns what data look like, and fills in what is missing."</p>
            </div>
            {menu_of_views()}
            <div class="masthead-tools">
                {tour_button()}
                {presets_menu()}
                {share_menu()}
            </div>
            <div class="masthead-model" class:absent=move || matches!(view.get(), View::Coupling | View::Proof)>
                <div class="inline">
                    <Select id="model" label="Model" help options value=chosen on_choose=choose />
                </div>
                <label class="open-model">
                    <input
                        type="file"
                        class="unseen"
                        accept=".safetensors"
                        on:change=move |event| uploads.take_chosen(&event_target(&event))
                    />
                    <span>"Open model"</span>
                </label>
                <span class:absent=move || !resumable()>
                    <Button label="Resume its run" on_press=move |()| session.perform(session.resume()) />
                </span>
                <p class="figures-text">{move || line(on_view(), session.models.opening.get(), session.about_of(on_view()))}</p>
            </div>
        </header>
    }
}

fn line(model: ModelChoice, opening: Opening, about: Option<ModelInfo>) -> String {
    let megabytes = |bytes: f64| format!("{:.1} MB", bytes / 1e6);
    match (model, opening, about) {
        (ModelChoice::Pretrained, Opening::Fetching(got, Some(total)), _) if total > 0.0 => {
            format!("fetching, {} of {}", megabytes(got), megabytes(total.max(got)))
        }
        (ModelChoice::Pretrained, Opening::Fetching(got, _), _) => format!("fetching, {}", megabytes(got)),
        (_, _, Some(about)) => describe(&about, model),
        (ModelChoice::Pretrained, Opening::Missing, None) => "could not be opened".into(),
        _ => "opening".into(),
    }
}

/// Layer sizes, units and steps in one line.
fn describe(about: &ModelInfo, model: ModelChoice) -> String {
    let units = if about.units == Units::Signs { "signs" } else { "bits" };
    let steps = if model == ModelChoice::Pretrained { format!(", {} steps", about.steps) } else { String::new() };
    format!("{} {units}{steps}", listed(&about.sizes, "–"))
}
