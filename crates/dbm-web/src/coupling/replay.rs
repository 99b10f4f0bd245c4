//! The replay of one coupling: which one, and the requests to the workers.

use super::moments::{ReplayMoment, moments};
use super::replay_settings::{CAP, LAST_RUN, ReplaySettings};
use crate::ui::binding::Keys;
use crate::ui::form::{Form, Texts};
use crate::ui::notices::Notices;
use crate::worker::client::Failure;
use crate::worker::pool::{self, Group};
use dbm_core::diagnostics::{CouplingTrace, ReplayPlan};
use dbm_protocol::{DiagnosticsCommand, DiagnosticsEvent, ModelSource, SmallModel};
use futures_util::future::try_join_all;
use leptos::prelude::*;
use leptos::task::spawn_local;

/// Runs replayed at once in the search for a longer one,
const TOGETHER: u32 = 32;
/// and in all.
const SEARCHED: u32 = 320;
/// Cap on the tries of one draw of a Gibbs coupling.
const TRIES: u32 = 10_000;

/// The state of the replay.
#[derive(Clone, Copy)]
pub struct CouplingReplay {
    notices: Notices,
    /// Its settings as texts.
    pub texts: RwSignal<Texts<ReplaySettings>>,
    /// The settings, if they are all valid, with the moment on view set to 0.
    pub settings: Memo<Option<ReplaySettings>>,
    /// The last model that arrived, and the settings of its request.
    model: StoredValue<Option<(ReplaySettings, SmallModel)>>,
    /// The coupling on view; until a new one arrives, that of the previous settings.
    pub shown: RwSignal<Option<(ReplaySettings, CouplingTrace)>>,
    /// Its moments.
    pub moments: Memo<Vec<ReplayMoment>>,
    /// Counts requests: the answer to an earlier one is dropped.
    question: StoredValue<u32>,
    /// Whether a search for a longer run is under way.
    pub searching: RwSignal<bool>,
    /// The result of that search, in words.
    pub found: RwSignal<String>,
    /// Whether the moments advance automatically.
    pub playing: RwSignal<bool>,
}

impl CouplingReplay {
    /// The default settings.
    pub fn new() -> Self {
        let texts = RwSignal::new(Texts::<ReplaySettings>::default());
        let shown = RwSignal::new(None::<(ReplaySettings, CouplingTrace)>);
        let replay = Self {
            notices: Notices::of_page(),
            texts,
            settings: Memo::new(move |_| {
                texts.with(|texts| texts.checked().map(|settings| ReplaySettings { at: 0, ..settings.clone() }))
            }),
            model: StoredValue::new(None),
            shown,
            moments: Memo::new(move |_| {
                shown.with(|shown| shown.as_ref().map(|(_, replay)| moments(replay)).unwrap_or_default())
            }),
            question: StoredValue::new(0),
            searching: RwSignal::new(false),
            found: RwSignal::new(String::new()),
            playing: RwSignal::new(false),
        };
        Effect::new(move |_| {
            let Some(settings) = replay.settings.get() else { return };
            let question = replay.begin();
            spawn_local(async move {
                let answer = replay.fetch(&settings, &[settings.run]).await;
                if replay.question.get_value() == question {
                    match answer {
                        Ok(replays) => shown.set(replays.into_iter().next().map(|replay| (settings, replay))),
                        Err(failure) => replay.fail(&failure),
                    }
                }
            });
        });
        replay
    }

    /// Applies the settings of an address.
    pub fn adopt(self, keys: &Keys) {
        Texts::adopt(self.texts, keys, || ());
    }

    /// Its settings as a form.
    pub fn form(self) -> Form {
        Form::typed("replay", self.texts, move |key, text| self.change(&[(key, text)]))
    }

    /// Changes the settings, and returns to the first moment.
    pub fn change(self, changes: &[(&str, String)]) {
        self.playing.set(false);
        self.found.set(String::new());
        self.texts.update(|texts| {
            texts.set("at", "0");
            changes.iter().for_each(|(key, text)| texts.set(key, text.as_str()));
        });
    }

    /// Number of a new request, which replaces all earlier ones.
    fn begin(self) -> u32 {
        self.searching.set(false);
        self.question.update_value(|question| *question += 1);
        self.question.get_value()
    }

    fn fail(self, failure: &Failure) {
        self.searching.set(false);
        self.notices.error(format!("The coupling could not be replayed: {failure}."));
    }

    /// The model of these settings; requested unless it is at hand.
    async fn model_of(self, settings: &ReplaySettings) -> Result<SmallModel, Failure> {
        let here = |(of, model): &(ReplaySettings, SmallModel)| of.same_model(settings).then(|| model.clone());
        if let Some(model) = self.model.with_value(|model| model.as_ref().and_then(here)) {
            return Ok(model);
        }
        let &ReplaySettings { units, seed, .. } = settings;
        let source = ModelSource::Orthogonal { sizes: settings.sizes.clone(), units, seed };
        let model = pool::model(Group::Replay, source).await?;
        self.model.set_value(Some((settings.clone(), model.clone())));
        Ok(model)
    }

    /// Replays of these runs, in order.
    async fn fetch(self, settings: &ReplaySettings, runs: &[u32]) -> Result<Vec<CouplingTrace>, Failure> {
        let model = self.model_of(settings).await?;
        let one = |&run: &u32| {
            let plan = ReplayPlan {
                clamped: None,
                kernel: settings.kernel,
                start: settings.start,
                max_meeting: CAP,
                max_tries: TRIES,
                seed: settings.seed,
                run,
            };
            pool::ask(Group::Replay, DiagnosticsCommand::Replay { model: model.clone(), plan }, |event| match event {
                DiagnosticsEvent::Replay(replay) => Some(replay),
                _ => None,
            })
        };
        try_join_all(runs.iter().map(one)).await
    }

    /// Finds the next run, by number, that takes longer than the one on view.
    pub fn find_longer(self) {
        let tau = self.shown.with_untracked(|shown| shown.as_ref().map(|(_, replay)| replay.meeting.time));
        let (Some(settings), Some(tau)) = (self.settings.get_untracked(), tau) else { return };
        self.playing.set(false);
        let question = self.begin();
        self.searching.set(true);
        self.found.set("Looking…".into());
        spawn_local(async move {
            let first = settings.run.saturating_add(1);
            let mut before = 0;
            while before < SEARCHED && first.saturating_add(before + TOGETHER) <= LAST_RUN {
                let runs: Vec<u32> = (first + before..first + before + TOGETHER).collect();
                let answer = self.fetch(&settings, &runs).await;
                if self.question.get_value() != question {
                    return;
                }
                let replays = match answer {
                    Ok(replays) => replays,
                    Err(failure) => return self.fail(&failure),
                };
                if let Some(place) = replays.iter().position(|replay| replay.meeting.time > tau) {
                    self.change(&[("run", runs[place].to_string())]);
                    return self.found.set(format!("Found among {} runs.", before + place as u32 + 1));
                }
                before += TOGETHER;
            }
            self.searching.set(false);
            self.found.set(format!("None of the next {before} runs takes longer than τ = {tau}."));
        });
    }

    /// Index of the last moment.
    pub fn last(self) -> usize {
        self.moments.with(|moments| moments.len().saturating_sub(1))
    }

    /// Index of the moment on view.
    pub fn at(self) -> usize {
        self.texts.with(|texts| texts.read.at as usize).min(self.last())
    }

    /// The step of the pair on view; 0 before `x_0` is reached.
    pub fn step_on_view(self) -> u32 {
        self.moments.with(|moments| moments.get(self.at()).and_then(|moment| moment.step)).unwrap_or(0)
    }

    /// Goes to a moment.
    pub fn go(self, at: usize) {
        let last = untrack(|| self.last());
        self.texts.update(|texts| texts.set("at", at.min(last).to_string()));
    }

    /// Moves one moment forward or back.
    pub fn step(self, forward: bool) {
        let at = untrack(|| self.at());
        self.playing.set(false);
        self.go(if forward { at + 1 } else { at.saturating_sub(1) });
    }
}
