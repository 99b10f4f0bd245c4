//! The paper's Figure 1, live: what it is set to, its runs, and the jobs that make them.

use super::figure_settings::{ENTRIES, FigureSettings, problem};
use super::jobs::jobs;
use super::results::Results;
use crate::ui::binding::Keys;
use crate::ui::field::{Form, Texts};
use crate::ui::notices::Notices;
use crate::ui::throttle::Throttle;
use crate::worker::client::{Failure, Progress};
use crate::worker::pool::{self, Group};
use dbm_protocol::{CouplingRuns, DiagnosticsCommand, DiagnosticsEvent};
use futures_util::future::try_join_all;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

/// The charts are made anew at most so often.
const PAUSE: Duration = Duration::from_millis(150);

/// What the figure is made of.
#[derive(Clone, Copy)]
pub struct Figure {
    notices: Notices,
    /// What it is set to.
    pub form: Form,
    settings: Memo<Option<FigureSettings>>,
    results: StoredValue<Results>,
    /// Counts the looks at the results, so that charts are made anew.
    version: RwSignal<u32>,
    look: Throttle,
    /// Couplings under way, in runs; none while nothing is computed.
    pub progress: RwSignal<Option<Progress>>,
    /// How the last computation ended, in words.
    outcome: RwSignal<String>,
}

impl Figure {
    /// As by default; nothing is computed yet.
    pub fn new() -> Self {
        let texts = RwSignal::new(Texts::read(&ENTRIES, &Keys::default()));
        let change = Callback::new(move |(key, text): (&str, String)| texts.update(|texts| texts.set(key, text)));
        Self {
            notices: Notices::of_page(),
            form: Form { texts, problem, change },
            settings: Memo::new(move |_| texts.with(FigureSettings::of)),
            results: StoredValue::default(),
            version: RwSignal::new(0),
            look: Throttle::new(PAUSE),
            progress: RwSignal::new(None),
            outcome: RwSignal::new(String::new()),
        }
    }

    /// Takes the settings of an address, and computes where they say so.
    pub fn adopt(self, keys: &Keys) {
        let texts = Texts::read(&ENTRIES, keys);
        if self.form.texts.with_untracked(|present| *present == texts) {
            return;
        }
        self.stop("");
        let go = texts.get("go") == "yes";
        self.form.texts.set(texts);
        if go {
            self.compute();
        }
    }

    /// Has what is missing computed.
    pub fn compute(self) {
        let Some(settings) = self.settings.get_untracked() else { return };
        let jobs = self.results.with_value(|results| jobs(&settings, results));
        let total: u32 = jobs.iter().map(|job| job.runs).sum();
        self.form.change.run(("go", "yes".into()));
        self.outcome.set(String::new());
        if total == 0 {
            return;
        }
        self.progress.set(Some(Progress { total, ..Progress::default() }));
        spawn_local(async move {
            let began = js_sys::Date::now();
            match try_join_all(jobs.into_iter().map(|job| self.run(&settings, job))).await {
                Ok(_) => {
                    let seconds = (js_sys::Date::now() - began) / 1000.0;
                    self.stop(&format!("{total} of them in {seconds:.1} s."));
                }
                Err(Failure::Ended) => {}
                Err(failure) => {
                    self.stop("Stopped; what was computed is kept.");
                    self.notices.error(format!("The figure could not be computed: {failure}."));
                }
            }
        });
    }

    /// Has a job done, and keeps what it gives.
    async fn run(self, settings: &FigureSettings, job: CouplingRuns) -> Result<(), Failure> {
        let known = Rc::new(Cell::new(0));
        let count = {
            let known = Rc::clone(&known);
            move |done: u32| {
                let more = done.min(job.runs).saturating_sub(known.get());
                known.set(known.get() + more);
                self.progress.update(|progress| {
                    if let Some(progress) = progress {
                        progress.done += more;
                    }
                });
                self.look.run(move || self.version.update(|version| *version += 1));
            }
        };
        let of_progress = count.clone();
        let pick = |event| if let DiagnosticsEvent::MeetingTimes(times) = event { Some(times) } else { None };
        let progress = move |progress: Progress| of_progress(progress.done);
        let times = pool::ask_long(Group::Figure, DiagnosticsCommand::MeetingTimes(job), pick, progress).await?;
        let taken = self.results.try_update_value(|results| results.take(settings, &job, &times));
        taken.unwrap_or(Ok(())).map_err(Failure::Refused)?;
        count(job.runs);
        Ok(())
    }

    /// Ends what is under way; what came in stays.
    pub fn stop(self, words: &str) {
        if self.progress.get_untracked().is_some() {
            pool::cancel(Group::Figure);
            self.progress.set(None);
            self.outcome.set(words.into());
            self.version.update(|version| *version += 1);
        }
    }

    /// Something of the settings and the results that there are now.
    pub fn read<T: Default>(self, of: impl Fn(&FigureSettings, &Results) -> T) -> T {
        self.version.track();
        let read = |settings: &FigureSettings| self.results.with_value(|results| of(settings, results));
        self.settings.with(|settings| settings.as_ref().map(read)).unwrap_or_default()
    }

    /// Couplings that are wanted and that have not been run.
    pub fn missing(self) -> u32 {
        self.read(|settings, results| jobs(settings, results).iter().map(|job| job.runs).sum())
    }

    /// Where the computation stands, in words.
    pub fn status(self) -> String {
        if let Some(Progress { done, total, .. }) = self.progress.get() {
            return format!("{done} of {total} couplings");
        }
        let wanted = self.read(|settings, _| settings.runs * settings.dimensions.len() as u32 * settings.pairs.len() as u32);
        let outcome = self.outcome.get();
        match (self.settings.with(Option::is_some), self.missing()) {
            (false, _) => "Fix the highlighted setting.".into(),
            (_, 0) if wanted == 0 => "Tick a pair of chains.".into(),
            (_, 0) => format!("All {wanted} couplings are there. {outcome}"),
            (_, missing) if missing == wanted => format!("{wanted} couplings to run. {outcome}"),
            (_, missing) => format!("{missing} of {wanted} couplings are missing. {outcome}"),
        }
    }
}
