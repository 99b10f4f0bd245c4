//! The tour: numbered steps that drive the live page. Each step points at a control, says what is shown and why, and, if there is
//! something to do, does it or asks the visitor to.

mod ring;
mod text;

use crate::ui::address::{self, OnShow};
use crate::ui::binding::{self, Keys};
use crate::ui::button::Button;
use leptos::html::H2;
use leptos::prelude::*;
use ring::{Ring, named};
use std::time::Duration;
use text::{Step, steps};
use wasm_bindgen::prelude::*;
use web_sys::{Element, HtmlElement, MutationObserver, MutationObserverInit};

/// Time between two looks for a control that is to be pressed, and how many looks there are.
const PRESS_LOOK: Duration = Duration::from_millis(100);
const PRESS_LOOKS: u32 = 600;

/// The present step of the tour: a handle, a context of the page.
#[derive(Clone, Copy)]
pub struct Tour {
    /// The number of the step on view, from 1 on; `None` while the tour is closed.
    number: RwSignal<Option<usize>>,
    /// The step at which it was left.
    left_at: RwSignal<usize>,
    steps: StoredValue<Vec<Step>>,
}

impl Tour {
    /// A tour at the step that the address gives, as in `tour=4`.
    pub fn new() -> Self {
        let tour = Self { number: RwSignal::default(), left_at: RwSignal::new(1), steps: StoredValue::new(steps()) };
        let write = move || {
            let mut keys = Keys::default();
            tour.number.get().inspect(|number| keys.put("", number));
            Some(keys)
        };
        binding::bind("tour", write, move |keys| {
            tour.number.set(keys.parse("").map(|number: usize| number.clamp(1, tour.len())));
        });
        tour
    }

    /// The one that belongs to the page.
    fn of_page() -> Self {
        expect_context()
    }

    fn len(self) -> usize {
        self.steps.with_value(Vec::len).max(1)
    }

    fn step(self) -> Option<Step> {
        let number = self.number.get()?;
        self.steps.with_value(|steps| steps.get(number - 1).cloned())
    }

    fn go(self, number: usize) {
        self.left_at.set(number);
        self.number.set(Some(number.clamp(1, self.len())));
    }

    /// Begins the tour, or resumes it where it was left.
    fn enter(self) {
        self.go(self.left_at.get_untracked());
    }

    fn leave(self) {
        self.left_at.set(self.number.get_untracked().unwrap_or(1));
        self.number.set(None);
        // Keyboard users return to where they entered the tour.
        if let Some(button) = document().get_element_by_id("tour").and_then(|it| it.dyn_into::<HtmlElement>().ok()) {
            let _ = button.focus();
        }
    }
}

/// The masthead's button.
pub fn tour_button() -> impl IntoView {
    let tour = Tour::of_page();
    let label = Signal::derive(move || if tour.left_at.get() > 1 { "Resume the tour" } else { "Take the tour" }.to_string());
    view! {
        <Button
            id="tour"
            class="tour-button"
            label
            help="Short steps: what this machine is, what it does, and what unbiased means."
            on_press=move |()| tour.enter()
        />
    }
}

/// The panel of the step on view.
pub fn tour_panel() -> impl IntoView {
    let tour = Tour::of_page();
    let view = OnShow::of_page().view;
    let ring = Ring::new();
    let heading = NodeRef::<H2>::new();
    let step = Memo::new(move |_| tour.step());
    let done = RwSignal::new(false);
    Effect::new(move |_| {
        done.set(false);
        step.with(|step| match step {
            Some(step) => {
                if view.get_untracked() != step.view {
                    address::go(step.view);
                }
                ring.point_at(step.at);
            }
            None => ring.clear(),
        });
    });
    // Takes users of a screen reader or the keyboard to the step.
    Effect::new(move |_| {
        if let Some(heading) = heading.get().filter(|_| tour.number.get().is_some()) {
            request_animation_frame(move || {
                let options = web_sys::FocusOptions::new();
                options.set_prevent_scroll(true);
                let _ = heading.focus_with_options(&options);
            });
        }
    });
    let pressed = window_event_listener(leptos::ev::click, move |event| {
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let Some(step) = step.get_untracked() else { return };
        if let (Some(target), Some(selector)) = (target, step.selector())
            && target.closest(&selector).ok().flatten().is_some()
            && let Some(effect) = step.at.last().and_then(|name| named(name))
        {
            once_changed(&effect, move || done.set(true));
        }
    });
    let escaped = window_event_listener(leptos::ev::keydown, move |event| {
        let dialog = document().query_selector("dialog[open]").ok().flatten().is_some();
        if event.key() == "Escape" && tour.number.get_untracked().is_some() && !event.default_prevented() && !dialog {
            tour.leave();
        }
    });
    on_cleanup(move || {
        pressed.remove();
        escaped.remove();
    });
    let do_it = move |()| {
        if let Some(selector) = step.with_untracked(|step| step.as_ref().and_then(Step::selector)) {
            press(tour, selector, PRESS_LOOKS);
        }
    };
    let number = move || tour.number.get().unwrap_or(1);
    let last = move || number() == tour.len();
    let shown = move || step.with(Option::is_some);
    let of = move |part: fn(&Step) -> String| move || step.with(|step| step.as_ref().map(part).unwrap_or_default());
    view! {
        <aside class="tour" aria-labelledby="tour-title" hidden=move || !shown()>
            <div class="tour-head">
                <p class="figures-text">{move || format!("Tour, step {} of {}", number(), tour.len())}</p>
                <button type="button" class="quiet" aria-label="Close the tour" on:click=move |_| tour.leave()>
                    "Close"
                </button>
            </div>
            <h2 id="tour-title" tabindex="-1" node_ref=heading>
                {of(|step| step.title.into())}
            </h2>
            <p>{of(|step| step.paragraphs.join(" "))}</p>
            <Show when=move || step.with(|step| step.as_ref().is_some_and(|step| step.asks.is_some()))>
                <p class="tour-asks" role="status">
                    <b>{move || if done.get() { "Done." } else { "Try it: " }}</b>
                    {move || if done.get() { String::new() } else { of(|step| step.asks.unwrap_or_default().into())() }}
                </p>
            </Show>
            <div class="buttons">
                <Show when=move || step.with(|step| step.as_ref().is_some_and(|step| step.press.is_some()))>
                    <Button label="Do it for me" on_press=do_it />
                </Show>
                <span class="spring"></span>
                <Button label="Back" disabled=move || number() == 1 on_press=move |()| tour.go(number() - 1) />
                <Button
                    label=Signal::derive(move || if last() { "Finish" } else { "Next" }.to_string())
                    class="primary"
                    on_press=move |()| {
                        if last() {
                            tour.leave();
                            tour.left_at.set(1);
                        } else {
                            tour.go(number() + 1);
                        }
                    }
                />
            </div>
        </aside>
    }
}

/// Presses the control of a step as soon as it is enabled, while the step is on view: the control's view may still be loading.
fn press(tour: Tour, selector: String, looks: u32) {
    let control = document().query_selector(&selector).ok().flatten().and_then(|control| control.dyn_into::<HtmlElement>().ok());
    match control.filter(|control| !control.matches(":disabled, [aria-disabled=true]").unwrap_or_default()) {
        Some(control) => control.click(),
        None if looks > 0 => {
            let number = tour.number.get_untracked();
            let again = move || {
                if tour.number.get_untracked() == number {
                    press(tour, selector, looks - 1);
                }
            };
            set_timeout(again, PRESS_LOOK);
        }
        None => {}
    }
}

/// Runs an action once an element has changed and is no longer busy.
fn once_changed(element: &Element, action: impl Fn() + 'static) {
    let changed = element.clone();
    let look = Closure::<dyn Fn(JsValue, MutationObserver)>::new(move |_, observer: MutationObserver| {
        if changed.get_attribute("aria-busy").as_deref() != Some("true") {
            observer.disconnect();
            action();
        }
    });
    let Ok(observer) = MutationObserver::new(look.into_js_value().unchecked_ref()) else { return };
    let what = MutationObserverInit::new();
    what.set_subtree(true);
    what.set_child_list(true);
    what.set_character_data(true);
    what.set_attributes(true);
    // The element is on the page, so this cannot fail.
    let _ = observer.observe_with_options(element, &what);
}
