//! The replay of one coupling: which, and the questions to the workers.

use super::scenes::{Scene, scenes};
use super::setup::{Asked, CAP, Entry, LAST_RUN, Setup};
use crate::ui::notices::Notices;
use crate::worker::pool::{self, Group};
use dbm_core::diagnostics::{CouplingTrace, ReplayPlan};
use dbm_protocol::{DiagnosticsCommand, DiagnosticsEvent, ModelSource, Reply, SmallModel};
use leptos::prelude::*;
use std::collections::BTreeMap;

/// Runs that are looked at together,
const TOGETHER: u32 = 32;
/// and how many in all, for one that takes longer.
const SEARCHED: u32 = 320;
/// Tries of one draw of a Gibbs coupling.
const TRIES: u32 = 10_000;

/// What the replay is made of.
#[derive(Clone, Copy)]
pub struct ReplayOfOne {
    notices: Notices,
    /// What it is set to.
    pub setup: RwSignal<Setup>,
    asked: Memo<Option<Asked>>,
    /// The last model that came, and what it was asked for as.
    model: StoredValue<Option<(Asked, SmallModel)>>,
    /// What is on view, which is of the settings before while others are fetched.
    pub shown: RwSignal<Option<(Asked, CouplingTrace)>>,
    /// The same, moment by moment.
    pub scenes: Memo<Vec<Scene>>,
    /// Counts questions: an answer to an earlier one is not taken.
    era: StoredValue<u32>,
    /// Whether a run that takes longer is being looked for,
    pub searching: RwSignal<bool>,
    /// and what was found.
    pub found: RwSignal<String>,
    /// Whether moments follow one another by themselves.
    pub playing: RwSignal<bool>,
}

/// What asked for a run that takes longer has got so far.
#[derive(Clone, Copy, Debug)]
struct Hunt {
    /// The first run of those at work.
    first: u32,
    /// Runs looked at before.
    before: u32,
    /// tau that is to be exceeded.
    above: u32,
    era: u32,
}

impl ReplayOfOne {
    /// As the address has it.
    pub fn new(notices: Notices, setup: Setup) -> Self {
        let setup = RwSignal::new(setup);
        let shown = RwSignal::new(None::<(Asked, CouplingTrace)>);
        let replay = Self {
            notices,
            setup,
            asked: Memo::new(move |_| setup.with(Setup::asked)),
            model: StoredValue::new(None),
            shown,
            scenes: Memo::new(move |_| shown.with(|shown| shown.as_ref().map(|(_, replay)| scenes(replay)).unwrap_or_default())),
            era: StoredValue::new(0),
            searching: RwSignal::new(false),
            found: RwSignal::new(String::new()),
            playing: RwSignal::new(false),
        };
        Effect::new(move |_| {
            if let Some(asked) = replay.asked.get() {
                let era = replay.begin();
                replay.with_model(asked, era, move |asked, model| replay.fetch(&asked, model, era));
            }
        });
        replay
    }

    /// Takes the settings of another address.
    pub fn adopt(self, setup: Setup) {
        if self.setup.with_untracked(|present| *present != setup) {
            self.setup.set(setup);
        }
    }

    /// Changes what is replayed, from its first moment on.
    pub fn change(self, change: impl FnOnce(&mut Setup)) {
        self.playing.set(false);
        self.found.set(String::new());
        self.setup.update(|setup| {
            setup.at = 0;
            change(setup);
        });
    }

    fn begin(self) -> u32 {
        self.searching.set(false);
        self.era.update_value(|era| *era += 1);
        self.era.get_value()
    }

    fn is_now(self, era: u32) -> bool {
        self.era.try_get_value() == Some(era)
    }

    fn fail(self, why: &str) {
        self.searching.set(false);
        self.notices.error(format!("The coupling could not be replayed: {why}."));
    }

    /// Calls `then` with the model, which is fetched unless it is here.
    fn with_model(self, asked: Asked, era: u32, then: impl Fn(Asked, SmallModel) + 'static) {
        let same = |other: &Asked| (&other.sizes, other.units, other.seed) == (&asked.sizes, asked.units, asked.seed);
        let here = self.model.with_value(|model| model.as_ref().filter(|(other, _)| same(other)).map(|(_, model)| model.clone()));
        if let Some(model) = here {
            return then(asked, model);
        }
        let source = ModelSource::Orthogonal { sizes: asked.sizes.clone(), units: asked.units, seed: asked.seed };
        pool::ask(Group::Replay, DiagnosticsCommand::Model { source }, move |answer| {
            if !self.is_now(era) {
                return;
            }
            match answer {
                Ok(Reply::Answer(DiagnosticsEvent::Model(model))) => {
                    self.model.set_value(Some((asked.clone(), model.clone())));
                    then(asked.clone(), model);
                }
                Ok(Reply::Progress { .. }) => {}
                Ok(_) => self.fail("a worker answered something else than a model"),
                Err(why) => self.fail(&why),
            }
        });
    }

    fn fetch(self, asked: &Asked, model: SmallModel, era: u32) {
        let of = asked.clone();
        ask(asked, asked.run, model, move |answer| {
            if self.is_now(era) {
                match answer {
                    Ok(replay) => self.shown.set(Some((of.clone(), replay))),
                    Err(why) => self.fail(&why),
                }
            }
        });
    }

    /// Looks for the next run that takes longer than the one on view, in the order of their numbers.
    pub fn find_longer(self) {
        let (Some(asked), Some(tau)) = (
            self.asked.get_untracked(),
            self.shown.with_untracked(|shown| shown.as_ref().map(|(_, replay)| replay.meeting.time)),
        ) else {
            return;
        };
        self.playing.set(false);
        let era = self.begin();
        self.searching.set(true);
        self.found.set("Looking…".into());
        let hunt = Hunt { first: asked.run.saturating_add(1), before: 0, above: tau, era };
        self.with_model(asked, era, move |asked, model| self.look(hunt, &asked, &model));
    }

    fn look(self, hunt: Hunt, asked: &Asked, model: &SmallModel) {
        let Hunt { first, before, above, era } = hunt;
        if before >= SEARCHED || first.saturating_add(TOGETHER) > LAST_RUN {
            self.searching.set(false);
            self.found.set(format!("None of the next {before} runs takes longer than τ = {above}."));
            return;
        }
        let found = StoredValue::new(BTreeMap::<u32, u32>::new());
        for run in first..first + TOGETHER {
            let (whole, model) = (asked.clone(), model.clone());
            ask(asked, run, model.clone(), move |answer| {
                if !self.is_now(era) {
                    return;
                }
                let tau = match answer {
                    Ok(replay) => replay.meeting.time,
                    Err(why) => {
                        self.begin();
                        return self.fail(&why);
                    }
                };
                found.update_value(|found| _ = found.insert(run, tau));
                let all = found.get_value();
                if all.len() < TOGETHER as usize {
                    return;
                }
                match all.into_iter().find(|(_, tau)| *tau > above) {
                    Some((run, _)) => {
                        self.change(|setup| setup.set(Entry::Run, run.to_string()));
                        self.found.set(format!("Found among {} runs.", before + run - first + 1));
                    }
                    None => self.look(Hunt { first: first + TOGETHER, before: before + TOGETHER, ..hunt }, &whole, &model),
                }
            });
        }
    }

    /// The last moment.
    pub fn last(self) -> usize {
        self.scenes.with(|scenes| scenes.len().saturating_sub(1))
    }

    /// The moment on view.
    pub fn at(self) -> usize {
        self.setup.with(|setup| setup.at).min(self.last())
    }

    /// Goes to a moment.
    pub fn go(self, at: usize) {
        let last = untrack(|| self.last());
        self.setup.update(|setup| setup.at = at.min(last));
    }

    /// Goes a moment forward or back.
    pub fn step(self, forward: bool) {
        let at = untrack(|| self.at());
        self.playing.set(false);
        self.go(if forward { at + 1 } else { at.saturating_sub(1) });
    }
}

/// Asks for a run.
fn ask(asked: &Asked, run: u32, model: SmallModel, then: impl Fn(Result<CouplingTrace, String>) + 'static) {
    let plan = ReplayPlan {
        clamped: None,
        kernel: asked.kernel,
        start: asked.start,
        max_meeting: CAP,
        max_tries: TRIES,
        seed: asked.seed,
        run,
    };
    pool::ask(Group::Replay, DiagnosticsCommand::Replay { model, plan }, move |answer| match answer {
        Ok(Reply::Answer(DiagnosticsEvent::Replay(replay))) => then(Ok(replay)),
        Ok(Reply::Progress { .. }) => {}
        Ok(_) => then(Err("a worker answered something else than a replay".into())),
        Err(why) => then(Err(why)),
    });
}
