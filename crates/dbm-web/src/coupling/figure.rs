//! The paper's Figure 1, live: its settings, its runs, and the jobs that compute them.

use super::computation::Computation;
use super::figure_settings::FigureSettings;
use super::jobs::jobs;
use super::results::Results;
use crate::ui::binding::Keys;
use crate::ui::form::{Form, Texts};
use crate::worker::client::{Failure, RequestProgress};
use crate::worker::pool::{self, Group};
use dbm_protocol::{CouplingRuns, DiagnosticsCommand, DiagnosticsEvent};
use futures_util::future::try_join_all;
use leptos::prelude::*;
use std::cell::Cell;
use std::rc::Rc;

/// The state of the figure.
#[derive(Clone, Copy)]
pub struct Figure {
    /// Its settings as texts.
    pub texts: RwSignal<Texts<FigureSettings>>,
    /// The settings, if they are all valid.
    pub settings: Memo<Option<FigureSettings>>,
    results: StoredValue<Results>,
    /// The couplings under way, counted in runs.
    pub work: Computation,
}

impl Figure {
    /// The default settings; nothing has been computed yet.
    pub fn new() -> Self {
        let texts = RwSignal::new(Texts::<FigureSettings>::default());
        Self {
            texts,
            settings: Memo::new(move |_| texts.with(|texts| texts.checked().cloned())),
            results: StoredValue::default(),
            work: Computation::new(Group::Figure, "couplings"),
        }
    }

    /// Its settings as a form.
    pub fn form(self) -> Form {
        Form::typed("coupling", self.texts, move |key, text| self.texts.update(|texts| texts.set(key, text)))
    }

    /// Applies the settings of an address, and computes if they say so.
    pub fn adopt(self, keys: &Keys) {
        let is_new = Texts::adopt(self.texts, keys, || self.work.stop(""));
        if is_new && self.texts.with_untracked(|texts| texts.read.go) {
            self.compute();
        }
    }

    /// Computes what is missing.
    pub fn compute(self) {
        let Some(settings) = self.settings.get_untracked() else { return };
        let jobs = self.results.with_value(|results| jobs(&settings, results));
        let total: u32 = jobs.iter().map(|job| job.runs).sum();
        self.texts.update(|texts| texts.set("go", "yes"));
        if total > 0 {
            self.work.start(total, "The figure", async move {
                try_join_all(jobs.into_iter().map(|job| self.run(&settings, job))).await.map(|_| total)
            });
        }
    }

    /// Runs a job and keeps its results.
    async fn run(self, settings: &FigureSettings, job: CouplingRuns) -> Result<(), Failure> {
        let known = Rc::new(Cell::new(0));
        let count = {
            let known = Rc::clone(&known);
            move |done: u32| {
                let more = done.min(job.runs).saturating_sub(known.get());
                known.set(known.get() + more);
                self.work.add(more);
            }
        };
        let of_progress = count.clone();
        let pick = |event| if let DiagnosticsEvent::MeetingTimes(times) = event { Some(times) } else { None };
        let progress = move |progress: RequestProgress| of_progress(progress.done);
        let times = pool::ask_long(Group::Figure, DiagnosticsCommand::MeetingTimes(job), pick, progress).await?;
        let taken = self.results.try_update_value(|results| results.take(settings, &job, &times));
        taken.unwrap_or(Ok(())).map_err(Failure::Refused)?;
        count(job.runs);
        Ok(())
    }

    /// Reads something from the settings and the present results.
    pub fn read<T: Default>(self, of: impl Fn(&FigureSettings, &Results) -> T) -> T {
        self.work.track();
        let read = |settings: &FigureSettings| self.results.with_value(|results| of(settings, results));
        self.settings.with(|settings| settings.as_ref().map(read)).unwrap_or_default()
    }

    /// Couplings that are wanted and have not been run.
    pub fn missing(self) -> u32 {
        self.read(|settings, results| jobs(settings, results).iter().map(|job| job.runs).sum())
    }

    /// The status of the computation, in words.
    pub fn status(self) -> String {
        if let Some(words) = self.work.under_way() {
            return words;
        }
        if self.settings.with(Option::is_none) {
            return "Fix the highlighted setting.".into();
        }
        match self.read(|settings, _| settings.runs * settings.dimensions.len() as u32 * settings.pairs.len() as u32) {
            0 => "Tick a pair of chains.".into(),
            wanted => self.work.there(wanted, self.missing()),
        }
    }
}
