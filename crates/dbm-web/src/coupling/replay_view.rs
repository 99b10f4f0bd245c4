//! One coupling on the page: its settings, both chains, and the controls that step through its moments.

use super::moment_view;
use super::moments::energies;
use super::replay::CouplingReplay;
use super::replay_settings::{CAP, LAST_RUN, MODELS};
use super::step_table::{estimate, steps};
use super::transport::transport;
use crate::ui::button::Button;
use crate::ui::number::listed;
use crate::ui::select::{Select, SelectOption};
use dbm_core::Units;
use dbm_core::words::Choose;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};

/// The longest description of a moment.
const LONGEST_WORDS: &str = "t = 100: x refuses x′ and stays (u = 0.999… ≥ 0.999…); y refuses x′ and stays (u = 0.999… ≥ 0.999…). They differ in 10 units.";
/// The longest outcome of a run.
const LONGEST_OUTCOME: &str = "Run 1000: cut at 1000 steps, not met. None of the next 320 runs takes longer than τ = 100.";

/// The settings, both chains, the transport and the table.
pub fn one_coupling(replay: CouplingReplay) -> impl IntoView {
    let CouplingReplay { shown, playing, .. } = replay;
    let frame = Memo::new(move |_| {
        let energies = replay.moments.with(|moments| energies(moments));
        shown.with(|shown| shown.as_ref().map(|(settings, _)| (settings.clone(), energies)))
    });
    let moment = Memo::new(move |_| {
        let at = replay.at();
        replay.moments.with(|moments| Some((moments.get(at)?.clone(), at.checked_sub(1).map(|last| moments[last].clone()))))
    });
    let both = move || frame.get().zip(moment.get());
    let key = move |event: KeyboardEvent| {
        // Text fields, menus, the slider and the scrolling table use these keys themselves.
        let own = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        if own.is_some_and(|own| own.matches("input, select, .steps").unwrap_or(false))
            || event.ctrl_key()
            || event.alt_key()
            || event.meta_key()
        {
            return;
        }
        match event.key().as_str() {
            "ArrowLeft" => replay.step(false),
            "ArrowRight" => replay.step(true),
            "Home" => replay.go(0),
            "End" => replay.go(usize::MAX),
            _ => return,
        }
        event.prevent_default();
    };
    view! {
        <div class="coupling-grid" on:keydown=key>
            {choices(replay)}
            <div class="replay">
                {transport(replay)}
                <p
                    class="replay-words"
                    role="status"
                    aria-live=move || if playing.get() { "off" } else { "polite" }
                    data-longest=LONGEST_WORDS
                >
                    <span>
                        <b>{move || moment.with(|moment| moment.as_ref().map(|(moment, _)| format!("{}: ", moment.name)))}</b>
                        {move || {
                            moment.with(|moment| moment.as_ref().map_or_else(|| "Making the model…".into(), |(moment, _)| moment.words.clone()))
                        }}
                    </span>
                </p>
                <div class="scene" class:wide=move || frame.with(|frame| frame.as_ref().is_some_and(|(settings, _)| settings.sizes.iter().sum::<u32>() > 14))>
                    <div>
                        <div class="stage" data-tour="replay" role="group" tabindex="0" aria-label="Both chains: left and right keys step">
                            {move || both().map(|(frame, moment)| moment_view::rows(&frame, &moment))}
                        </div>
                        <p class="help key-cells" aria-hidden="true" inner_html=include_str!("cells.html")></p>
                    </div>
                    <div class="rulers">{move || both().map(|(frame, moment)| moment_view::rulers(&frame, &moment))}</div>
                </div>
                {estimate(replay)}
                {steps(replay)}
            </div>
        </div>
    }
}

/// The settings of the model, the kernel and the run.
fn choices(replay: CouplingReplay) -> impl IntoView {
    let (form, texts) = (replay.form(), replay.texts);
    let preset = move || {
        let (sizes, units) = texts.with(|texts| (listed(&texts.read.sizes, "-"), texts.read.units));
        let place = MODELS.iter().position(|model| *model == (&*sizes, units));
        place.map_or_else(|| "own".into(), |at| at.to_string())
    };
    let model = |(at, (sizes, units)): (usize, &(&str, Units))| {
        SelectOption::new(at.to_string(), format!("{sizes} {}", units.choice().name))
    };
    let mut models: Vec<SelectOption> = MODELS.iter().enumerate().map(model).collect();
    models.push(SelectOption::new("own", "sizes as typed"));
    let choose_model = move |at: String| {
        if let Some(&(sizes, units)) = at.parse().ok().and_then(|at: usize| MODELS.get(at)) {
            replay.change(&[("model", sizes.into()), ("model-units", units.choice().name.into())]);
        }
    };
    let outcome = move || {
        replay.shown.with(|shown| {
            shown.as_ref().map(|(settings, replay)| {
                if replay.meeting.capped {
                    format!("Run {}: cut at {CAP} steps, not met.", settings.run)
                } else {
                    format!("Run {}: met at τ = {}.", settings.run, replay.meeting.time)
                }
            })
        })
    };
    let next = move |()| {
        let run = replay.settings.get_untracked().map_or(0, |settings| settings.run.saturating_add(1).min(LAST_RUN));
        replay.change(&[("run", run.to_string())]);
    };
    view! {
        <div class="coupling-controls">
            <div class="coupling-settings">
                <div class="field wide">
                    <Select
                        id="replay-model"
                        label="Model"
                        help="Small models with random semi-orthogonal weights; or type your own sizes below."
                        options=models
                        value=Signal::derive(preset)
                        on_choose=choose_model
                    />
                </div>
                {["model", "model-units", "kernel", "start", "model-seed", "run"].map(|key| form.field(key))}
            </div>
            <div class="buttons">
                <Button label="Next run" on_press=next />
                <Button
                    label="Find one that takes longer"
                    help="The next run, among the next 320, whose chains take longer to meet than those shown."
                    disabled=move || replay.searching.get() || replay.shown.with(Option::is_none)
                    on_press=move |()| replay.find_longer()
                />
            </div>
            <p class="figures-text" role="status" data-longest=LONGEST_OUTCOME>
                <span>{outcome} " " {move || replay.found.get()}</span>
            </p>
        </div>
    }
}
