//! One coupling on the page: its settings, the stage, and the way through its moments.

use super::ledger::{Estimate, Steps};
use super::replay::ReplayOfOne;
use super::scenes::energies;
use super::setup::{CAP, Entry, LAST_RUN, MODELS, Setup};
use super::stage::{self, Frame};
use super::transport::Transport;
use dbm_core::Units;
use dbm_core::diagnostics::{CouplingKernel, CouplingStart};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};

/// The settings, the stage, the transport and the table.
#[component]
pub fn OneCoupling(
    /// What it is made of.
    replay: ReplayOfOne,
) -> impl IntoView {
    let ReplayOfOne { shown, playing, .. } = replay;
    let frame = Memo::new(move |_| {
        let energies = replay.scenes.with(|scenes| energies(scenes));
        shown.with(|shown| {
            shown.as_ref().map(|(asked, _)| Frame {
                sizes: asked.sizes.clone(),
                units: asked.units,
                proposes: asked.kernel == CouplingKernel::Metropolis,
                energies,
            })
        })
    });
    let scene = Memo::new(move |_| replay.scenes.with(|scenes| scenes.get(replay.at()).cloned()));
    let both = move || frame.get().zip(scene.get());
    let key = move |event: KeyboardEvent| {
        // Fields, menus, the slider and the table, which scrolls, have their own use of these keys.
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
            <Choices replay />
            <div class="replay">
                <Transport replay />
                <p class="replay-words" role="status" aria-live=move || if playing.get() { "off" } else { "polite" }>
                    <b>{move || scene.with(|scene| scene.as_ref().map(|scene| format!("{}: ", scene.name)))}</b>
                    {move || {
                        scene.with(|scene| scene.as_ref().map_or_else(|| "A worker makes the model.".into(), |scene| scene.words.clone()))
                    }}
                </p>
                <div class="scene" class:wide=move || frame.with(|frame| frame.as_ref().is_some_and(|frame| frame.sizes.iter().sum::<u32>() > 14))>
                    <div>
                        <div class="stage" role="group" tabindex="0" aria-label="Both chains: left and right keys step">
                            {move || both().map(|(frame, scene)| stage::rows(&frame, &scene))}
                        </div>
                        <p class="help key-cells" aria-hidden="true">
                            <span>
                                <i class="cell high"></i>
                                "high"
                            </span>
                            <span>
                                <i class="cell"></i>
                                "low"
                            </span>
                            <span>
                                <i class="cell flipped"></i>
                                "flipped in this step"
                            </span>
                            <span>
                                <i class="cell differs"></i>
                                "y differs from x"
                            </span>
                        </p>
                    </div>
                    <div class="rulers">{move || both().map(|(frame, scene)| stage::rulers(&frame, &scene))}</div>
                </div>
                <Estimate replay />
                <Steps replay />
            </div>
        </div>
    }
}

/// Which coupling.
#[component]
fn Choices(replay: ReplayOfOne) -> impl IntoView {
    let setup = replay.setup;
    let preset = move || {
        setup.with(|setup| {
            MODELS.iter().position(|(sizes, units)| setup.text(Entry::Sizes).trim() == *sizes && setup.units == *units)
        })
    };
    let tau = move || {
        replay.shown.with(|shown| {
            shown.as_ref().map(|(asked, replay)| {
                if replay.meeting.capped {
                    format!("Run {}: cut at {CAP} steps, not met.", asked.run)
                } else {
                    format!("Run {}: met at τ = {}.", asked.run, replay.meeting.time)
                }
            })
        })
    };
    let next = move |_| {
        let run = setup.with_untracked(Setup::asked).map_or(0, |asked| asked.run.saturating_add(1).min(LAST_RUN));
        replay.change(|setup| setup.set(Entry::Run, run.to_string()));
    };
    view! {
        <div class="coupling-controls">
            <div class="coupling-settings">
                <div class="field wide" data-help="Small models with random semi-orthogonal weights; or type sizes of your own below.">
                    <label for="replay-model">"Model"</label>
                    <select
                        id="replay-model"
                        on:change=move |event| {
                            let chosen = event_target_value(&event).parse().ok().and_then(|at: usize| MODELS.get(at).copied());
                            if let Some((sizes, units)) = chosen {
                                replay.change(|setup| {
                                    setup.set(Entry::Sizes, sizes.into());
                                    setup.units = units;
                                });
                            }
                        }
                    >
                        {MODELS
                            .iter()
                            .enumerate()
                            .map(|(at, (sizes, units))| {
                                let words = if *units == Units::Bits { "bits" } else { "signs" };
                                view! {
                                    <option value=at.to_string() prop:selected=move || preset() == Some(at)>
                                        {format!("{sizes} {words}")}
                                    </option>
                                }
                            })
                            .collect_view()}
                        <option value="own" prop:selected=move || preset().is_none()>
                            "sizes as typed"
                        </option>
                    </select>
                </div>
                <EntryField replay entry=Entry::Sizes />
                <div class="field" data-help="Values of the units: −1 and 1, or 0 and 1.">
                    <label for="replay-units">"Units"</label>
                    <select
                        id="replay-units"
                        on:change=move |event| {
                            let units = if event_target_value(&event) == "bits" { Units::Bits } else { Units::Signs };
                            replay.change(|setup| setup.units = units);
                        }
                    >
                        <option value="signs" prop:selected=move || setup.with(|setup| setup.units == Units::Signs)>
                            "signs"
                        </option>
                        <option value="bits" prop:selected=move || setup.with(|setup| setup.units == Units::Bits)>
                            "bits"
                        </option>
                    </select>
                </div>
                <div class="field" data-help="How both chains move: one proposal and one u for both, or Gibbs sweeps drawn together where that can be.">
                    <label for="replay-kernel">"Kernel"</label>
                    <select
                        id="replay-kernel"
                        on:change=move |event| {
                            let gibbs = event_target_value(&event) == "gibbs";
                            replay.change(|setup| setup.kernel = if gibbs { CouplingKernel::Gibbs } else { CouplingKernel::Metropolis });
                        }
                    >
                        <option value="metropolis" prop:selected=move || setup.with(|setup| setup.kernel == CouplingKernel::Metropolis)>
                            "Metropolis"
                        </option>
                        <option value="gibbs" prop:selected=move || setup.with(|setup| setup.kernel == CouplingKernel::Gibbs)>
                            "Gibbs"
                        </option>
                    </select>
                </div>
                <div class="field" data-help="Where both begin: a local mode and one Gibbs sweep from it, or a uniform state.">
                    <label for="replay-start">"Start"</label>
                    <select
                        id="replay-start"
                        on:change=move |event| {
                            let uniform = event_target_value(&event) == "uniform";
                            replay.change(|setup| setup.start = if uniform { CouplingStart::Uniform } else { CouplingStart::LocalMode });
                        }
                    >
                        <option value="local-mode" prop:selected=move || setup.with(|setup| setup.start == CouplingStart::LocalMode)>
                            "local mode"
                        </option>
                        <option value="uniform" prop:selected=move || setup.with(|setup| setup.start == CouplingStart::Uniform)>
                            "uniform"
                        </option>
                    </select>
                </div>
                <EntryField replay entry=Entry::Seed />
                <EntryField replay entry=Entry::Run />
            </div>
            <div class="buttons">
                <button type="button" on:click=next>
                    "Next run"
                </button>
                <button
                    type="button"
                    data-help="The next run whose chains take longer to meet than those on view, among the next 320."
                    disabled=move || replay.searching.get() || replay.shown.with(Option::is_none)
                    on:click=move |_| replay.find_longer()
                >
                    "Find one that takes longer"
                </button>
            </div>
            <p class="figures-text" role="status">
                {tau}
                " "
                {move || replay.found.get()}
            </p>
        </div>
    }
}

/// A labelled field with what is wrong with it.
#[component]
fn EntryField(replay: ReplayOfOne, entry: Entry) -> impl IntoView {
    let setup = replay.setup;
    let id = format!("replay-{}", entry as usize);
    let note = format!("{id}-note");
    let problem = Memo::new(move |_| setup.with(|setup| setup.problem(entry)));
    view! {
        <div class="field" data-help=entry.help()>
            <label for=id.clone()>{entry.label()}</label>
            <input
                id=id
                type="text"
                inputmode=if entry == Entry::Sizes { "text" } else { "decimal" }
                autocomplete="off"
                spellcheck="false"
                prop:value=move || setup.with(|setup| setup.text(entry).to_string())
                aria-invalid=move || problem.with(Option::is_some).to_string()
                aria-describedby=note.clone()
                on:input=move |event| {
                    let text = event_target_value(&event);
                    replay.change(|setup| setup.set(entry, text));
                }
            />
            <p id=note class="help problem" aria-live="polite">
                {move || problem.get()}
            </p>
        </div>
    }
}
