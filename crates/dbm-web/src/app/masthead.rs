//! The top of the page: its name, and which model is on view.

use crate::app::menu::{Menu, Presets};
use crate::app::share::Share;
use crate::tour::TourButton;
use crate::ui::address::{OnShow, View};
use crate::ui::button::Button;
use crate::ui::number::listed;
use crate::ui::select::{Select, SelectOption};
use crate::worker::session::{Opening, Session};
use crate::worker::uploads::Uploads;
use dbm_core::Units;
use dbm_protocol::{ModelChoice, ModelInfo};
use leptos::prelude::*;

/// Title, model select and a line about that model.
#[component]
pub fn Masthead() -> impl IntoView {
    let (session, uploads, view) = (Session::of_page(), Uploads::of_page(), OnShow::of_page().view);
    let choose = move |model: String| {
        let training = model == "training";
        session.model.set(if training { ModelChoice::Training } else { ModelChoice::Pretrained });
    };
    let resumable = move || {
        session.model.get() == ModelChoice::Pretrained
            && session.opened.with(Option::is_some)
            && session.pretrained.with(|about| {
                let width = session.data.with(|data| data.as_ref().map(|data| data.width));
                about.as_ref().is_some_and(|about| about.resumable && about.sizes.first().copied() == width)
            })
    };
    let chosen =
        Signal::derive(move || if session.model.get() == ModelChoice::Training { "training" } else { "pretrained" }.to_string());
    let options = Signal::derive(move || {
        let name = session.opened.get().unwrap_or_else(|| "Pretrained on MNIST".into());
        let disabled = session.opening.get() == Opening::Missing;
        vec![SelectOption { disabled, ..SelectOption::new("pretrained", name) }, SelectOption::new("training", "In training")]
    });
    view! {
        <header class="masthead">
            <div class="masthead-name">
                <h1>"DBM Lab"</h1>
                <p>"A machine that learns what data look like, and fills in what is missing. All of it in this tab."</p>
            </div>
            <Menu />
            <div class="masthead-tools">
                <TourButton />
                <Presets />
                <Share />
            </div>
            <div class="masthead-model" class:absent=move || matches!(view.get(), View::Coupling | View::Proof)>
                <div class="inline">
                    <Select id="model" label="Model" options value=chosen on_choose=choose />
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
                <Show when=resumable>
                    <Button label="Go on training it" on_press=move |()| session.perform(session.resume()) />
                </Show>
                <p class="figures-text">{move || line(session.model.get(), session.opening.get(), session.about())}</p>
            </div>
        </header>
    }
}

fn line(model: ModelChoice, opening: Opening, about: Option<ModelInfo>) -> String {
    let megabytes = |bytes: f64| format!("{:.1} MB", bytes / 1e6);
    match (model, opening, about) {
        (_, _, Some(about)) => describe(&about, model),
        (ModelChoice::Pretrained, Opening::Fetching(got, Some(total)), None) if total > 0.0 => {
            format!("fetching, {} of {}", megabytes(got), megabytes(total.max(got)))
        }
        (ModelChoice::Pretrained, Opening::Fetching(got, _), None) => format!("fetching, {}", megabytes(got)),
        (ModelChoice::Pretrained, Opening::Missing, None) => "could not be opened".into(),
        _ => "opening".into(),
    }
}

/// Layer sizes, units and steps in a line.
fn describe(about: &ModelInfo, model: ModelChoice) -> String {
    let units = if about.units == Units::Signs { "signs" } else { "bits" };
    let steps = if model == ModelChoice::Pretrained { format!(", {} steps", about.steps) } else { String::new() };
    format!("{} {units}{steps}", listed(&about.sizes, "–"))
}
