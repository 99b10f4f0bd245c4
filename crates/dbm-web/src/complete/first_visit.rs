//! The first visit: the picture is completed once by itself, one search sweep by sweep in the large picture, and a sentence says what happened.

use super::settings::CompletionSettings;
use super::state::CompletionState;
use crate::canvas::prefers_less_motion;
use crate::ui::address::{self, OnShow};
use crate::ui::remembered;
use leptos::prelude::*;

/// Kept in the browser: whether it was here before.
const SEEN: &str = "dbm-seen";
/// What the view is, in a sentence.
const VIEW: &str = "Hide a part of a picture. The model fills in what could be there.";

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The picture or the model is not there yet.
    Waits,
    /// A search is asked for, or shown.
    Plays,
    /// The answers are asked for, or on view.
    Answers,
    /// The visitor does something, or was here before.
    Over,
}

/// A handle, as long-lived as the page.
#[derive(Clone, Copy)]
pub struct FirstVisit {
    state: CompletionState,
    stage: RwSignal<Stage>,
}

impl FirstVisit {
    /// Begins, where this is a first visit to the page as it is.
    pub fn begin(state: CompletionState) -> Self {
        let asked = address::asked_anything() || OnShow::of_page().embedded.is_some();
        let first = !asked && !remembered::is_set(SEEN);
        let visit = Self { state, stage: RwSignal::new(if first { Stage::Waits } else { Stage::Over }) };
        if first {
            visit.follow();
        }
        visit
    }

    fn follow(self) {
        let Self { state, stage } = self;
        Effect::new(move |_| match stage.get() {
            Stage::Waits if !state.has_nothing_to_ask() => {
                if !remembered::set(SEEN, true) {
                    // It would come again and again.
                    stage.set(Stage::Over);
                } else if prefers_less_motion() {
                    self.answer();
                } else {
                    stage.set(Stage::Plays);
                    untrack(|| state.watch());
                }
            }
            // It has played to its end.
            Stage::Plays
                if !state.playing.get()
                    && state.recording.with(|recording| {
                        recording.as_ref().is_some_and(|recording| state.frame.get() + 1 == recording.states.len())
                    }) =>
            {
                self.answer();
            }
            _ => {}
        });
        // Whatever the visitor does first comes before it.
        let end = move || {
            if stage.try_get_untracked().is_some_and(|stage| stage != Stage::Over) {
                if stage.get_untracked() == Stage::Plays {
                    state.stop_watching();
                }
                if stage.get_untracked() == Stage::Answers {
                    state.work.cancel();
                }
                stage.set(Stage::Over);
            }
        };
        let pressed = window_event_listener(leptos::ev::pointerdown, move |_| end());
        let clicked = window_event_listener(leptos::ev::click, move |_| end());
        let dropped = window_event_listener(leptos::ev::drop, move |_| end());
        let typed = window_event_listener(leptos::ev::keydown, move |_| end());
        on_cleanup(move || {
            pressed.remove();
            clicked.remove();
            dropped.remove();
            typed.remove();
        });
    }

    fn answer(self) {
        self.stage.set(Stage::Answers);
        untrack(|| self.state.complete(false));
    }

    /// What there is to say above the view.
    pub fn words(self) -> String {
        let hidden = || {
            let CompletionSettings { picture_seed, .. } = self.state.settings.get();
            self.state.picture.with(|picture| match picture.mask_text(picture_seed).as_deref() {
                Some("lower") => "The lower half of this digit was hidden".to_string(),
                _ => format!("{} pixels were hidden", picture.n_unknown()),
            })
        };
        match self.stage.get() {
            Stage::Waits | Stage::Over => VIEW.into(),
            // The search may not have come.
            Stage::Plays if self.state.recording.with(Option::is_none) => VIEW.into(),
            Stage::Plays => {
                format!("{}. From noise, sweep by sweep, the model looks for pixels that go with the rest.", hidden())
            }
            Stage::Answers => self.state.answers.with(|answers| match answers {
                None => format!("{}. The model fills it in.", hidden()),
                Some(answers) => {
                    let different = answers.distinct(self.state.settings.get().order).len();
                    format!(
                        "{}. The model filled it in {} times, each time from other noise: {}.",
                        hidden(),
                        answers.completions.answers,
                        if different == 1 {
                            "one answer, always the same".into()
                        } else {
                            format!("{different} different answers, the lowest energy first")
                        }
                    )
                }
            }),
        }
    }
}
