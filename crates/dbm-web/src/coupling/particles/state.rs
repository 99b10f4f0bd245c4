//! Pairs of coupled runs of particles on the visitor's model: their settings, their model, and the jobs that compute them.

use super::super::computation::Computation;
use super::results::{ParticleResults, Together, pairs_a_job};
use super::settings::{ParticleModel, ParticleSettings};
use crate::canvas::shape::Shape;
use crate::ui::address::OnShow;
use crate::ui::binding::Keys;
use crate::ui::form::{Form, Texts};
use crate::worker::client::Failure;
use crate::worker::pool::{self, Group};
use crate::worker::session::Session;
use dbm_core::diagnostics::RunPair;
use dbm_protocol::{DiagnosticsCommand, DiagnosticsEvent, Greys, ModelInfo, ModelSource, RunPairsJob};
use futures_util::future::try_join_all;
use js_sys::Uint8Array;
use leptos::prelude::*;
use std::cell::RefCell;
use std::collections::VecDeque;

/// Most visible units that a chart shows one by one, for a model without pictures.
const MOST_BARS: usize = 64;
/// Bytes of a checkpoint that all workers together may hold.
const MOST_BYTES: f64 = 3e8;

/// The model of the pairs, as it was when they began.
#[derive(Clone)]
struct Begun {
    settings: ParticleSettings,
    version: ModelVersion,
    /// Its checkpoint, if it comes from one.
    checkpoint: Option<Uint8Array>,
    /// The layout of its visible units, if they are a picture.
    shape: Option<Shape>,
}

/// What distinguishes one model from another.
#[derive(Clone, Debug, Default, PartialEq)]
struct ModelVersion {
    /// The opened model, and its name if it is the visitor's own.
    opened: Option<(Option<ModelInfo>, Option<String>)>,
    /// The run in training,
    run: Option<u32>,
    /// and its step.
    step: u32,
}

/// The state of the pairs.
#[derive(Clone, Copy)]
pub struct Particles {
    /// The models on the page.
    pub session: Session,
    /// The settings as texts.
    pub texts: RwSignal<Texts<ParticleSettings>>,
    /// The settings, if they are all valid, without the pair on view.
    settings: Memo<Option<ParticleSettings>>,
    begun: StoredValue<Option<Begun>, LocalStorage>,
    results: StoredValue<ParticleResults>,
    /// Pairs under way.
    pub work: Computation,
    /// Whether the present pairs match the settings.
    is_shown: Memo<bool>,
    /// What the pairs show together.
    pub together: Memo<Together>,
}

impl Particles {
    /// The default settings; nothing has been computed yet.
    pub fn new() -> Self {
        let texts = RwSignal::new(Texts::<ParticleSettings>::default());
        let particles = Self {
            session: Session::of_page(),
            texts,
            settings: Memo::new(move |_| {
                texts.with(|texts| texts.checked().map(|settings| ParticleSettings { pair: 1, ..settings.clone() }))
            }),
            begun: StoredValue::new_local(None),
            results: StoredValue::default(),
            work: Computation::new(Group::Particles, "pairs"),
            is_shown: Memo::new(|_| false),
            together: Memo::new(|_| Together::default()),
        };
        let is_shown = Memo::new(move |_| {
            particles.work.track();
            particles.settings.with(|settings| settings.as_ref().is_some_and(|settings| particles.is_of(settings, false)))
        });
        let shown = Self { is_shown, ..particles };
        let together = Memo::new(move |_| shown.read(|settings, results| results.together(settings.count, settings.pairs.cap)));
        Self { together, ..shown }
    }

    /// Applies the settings of an address.
    pub fn adopt(self, keys: &Keys) {
        Texts::adopt(self.texts, keys, || self.work.stop(""));
    }

    /// Its settings as a form. A computation under way has the old settings, and ends.
    pub fn form(self) -> Form {
        Form::typed("smc", self.texts, move |key, text| {
            if key != "pair" {
                self.work.stop("");
            }
            self.texts.update(|texts| texts.set(key, text));
        })
    }

    /// The model that the settings mean, in its present state.
    fn version(self, settings: &ParticleSettings) -> ModelVersion {
        match settings.model {
            ParticleModel::Opened => ModelVersion {
                opened: Some((self.session.models.pretrained.get(), self.session.models.opened.get())),
                ..ModelVersion::default()
            },
            ParticleModel::Training => ModelVersion {
                run: Some(self.session.run.runs.get()),
                step: self.session.run.metrics.with(|metrics| metrics.step),
                opened: None,
            },
            ParticleModel::Random => ModelVersion::default(),
        }
    }

    /// Whether this model exists now.
    pub fn has_model(self, settings: &ParticleSettings) -> bool {
        match settings.model {
            // If this view is alone, the model is fetched when it is needed.
            ParticleModel::Opened => OnShow::of_page().embedded.is_some() || self.session.models.pretrained.with(Option::is_some),
            ParticleModel::Training => self.session.models.training.with(Option::is_some),
            ParticleModel::Random => true,
        }
    }

    /// Whether the present pairs are of these settings' model. A model in training may have taken further steps since, unless
    /// `at_its_step`.
    fn is_of(self, settings: &ParticleSettings, at_its_step: bool) -> bool {
        let now = self.version(settings);
        self.begun.with_value(|begun| {
            begun.as_ref().is_some_and(|begun| {
                let same_step = !at_its_step || begun.version.step == now.step;
                begun.settings.same_pairs(settings)
                    && ModelVersion { step: now.step, ..begun.version.clone() } == now
                    && same_step
            })
        })
    }

    /// Computes what is missing.
    pub fn compute(self) {
        let Some(settings) = self.settings.get_untracked() else { return };
        self.work.stop("");
        let number = self.work.number();
        self.work.start(settings.count, "The pairs", async move { self.compute_all(&settings, number).await });
    }

    /// Computes everything that is missing; returns how many pairs that were.
    async fn compute_all(self, settings: &ParticleSettings, number: u32) -> Result<u32, Failure> {
        if !untrack(|| self.is_of(settings, true)) {
            let begun = self.begin(settings).await?;
            if self.work.number() != number {
                return Err(Failure::Ended);
            }
            self.begun.set_value(Some(begun));
            self.results.set_value(ParticleResults::default());
            self.work.notify();
        }
        let begun = self.begun.get_value().ok_or(Failure::Ended)?;
        let bytes = begun.checkpoint.as_ref().map_or(0.0, |checkpoint| f64::from(checkpoint.length()));
        let of_random: f64 = settings.sizes.windows(2).map(|pair| f64::from(pair[0]) * f64::from(pair[1])).sum();
        // A checkpoint has two bytes per parameter, or more.
        let most = pairs_a_job(settings, if bytes > 0.0 { bytes / 2.0 } else { of_random }, bytes);
        let jobs: VecDeque<_> = self.results.with_value(|results| results.missing(settings.count, most)).into();
        let missing = jobs.iter().map(|(_, count)| count).sum();
        self.work.count(settings.count - missing, settings.count);
        let (jobs, lanes) = (RefCell::new(jobs), (MOST_BYTES / bytes.max(1.0)).clamp(1.0, pool::width() as f64) as usize);
        try_join_all((0..lanes).map(|_| self.lane(settings, &begun, &jobs))).await?;
        Ok(missing)
    }

    /// Sends one job after another. Each message contains the whole model, so it is made only when a worker is free.
    async fn lane(self, settings: &ParticleSettings, begun: &Begun, jobs: &RefCell<VecDeque<(u32, u32)>>) -> Result<(), Failure> {
        let next = || jobs.borrow_mut().pop_front();
        while let Some((first_pair, count)) = next() {
            let model = if begun.checkpoint.is_some() {
                // The bytes are sent outside the message.
                ModelSource::Checkpoint { bytes: Vec::new() }
            } else {
                let ParticleSettings { sizes, units, deviation, .. } = settings.clone();
                ModelSource::Gaussian { sizes, units, deviation, seed: settings.pairs.seed }
            };
            let job = RunPairsJob { model, pairs: settings.runs(), first_pair, count };
            let pick = |event| if let DiagnosticsEvent::RunPairs(pairs) = event { Some(pairs) } else { None };
            let command = DiagnosticsCommand::RunPairs(job);
            let pairs = pool::ask_with(Group::Particles, command, begun.checkpoint.as_ref(), pick, |_| ()).await?;
            let taken = self.results.try_update_value(|results| results.take(first_pair, count, &pairs, "pairs"));
            taken.unwrap_or(Ok(())).map_err(Failure::Refused)?;
            self.work.add(count);
        }
        Ok(())
    }

    /// The model in its present state.
    async fn begin(self, settings: &ParticleSettings) -> Result<Begun, Failure> {
        let mut version = untrack(|| self.version(settings));
        let (about, checkpoint) = match settings.model {
            ParticleModel::Random => (None, None),
            ParticleModel::Opened => (self.session.models.pretrained.get_untracked(), Some(self.session.opened_file().await?)),
            ParticleModel::Training => {
                let (step, checkpoint) = self.session.save().await?;
                version.step = step;
                (self.session.models.training.get_untracked(), Some(checkpoint))
            }
        };
        let shape = about.filter(|about| about.image.is_some()).map(|about| Shape::of_model(&about));
        Ok(Begun { settings: settings.clone(), version, checkpoint, shape })
    }

    /// Reads something from the settings and the present pairs; the default value if these have other settings.
    pub fn read<T: Default>(self, of: impl Fn(&ParticleSettings, &ParticleResults) -> T) -> T {
        self.work.track();
        let read = |settings: &ParticleSettings| self.results.with_value(|results| of(settings, results));
        if self.is_shown.get() {
            self.settings.with(|settings| settings.as_ref().map(read)).unwrap_or_default()
        } else {
            T::default()
        }
    }

    /// The pair whose steps are on view: the one that the address names, if it has arrived; otherwise the first that has.
    pub fn pair(self) -> Option<(u32, RunPair)> {
        let wanted = self.texts.with(|texts| texts.read.pair - 1);
        self.read(|settings, results| {
            let here = |pair: u32| Some((pair, results.get(pair)?.clone()));
            here(wanted).or_else(|| results.some(settings.count).next().map(|(pair, found)| (pair, found.clone())))
        })
    }

    /// The layout of the visible units; `None` if they are few and not a picture.
    pub fn shape(self) -> Option<Shape> {
        let units = self.read(|settings, results| {
            results.some(settings.count).next().and_then(|(_, pair)| pair.runs.first()).map_or(0, |run| run.picture.len())
        });
        let of_picture = self.begun.with_value(|begun| begun.as_ref().and_then(|begun| begun.shape));
        of_picture
            .filter(|shape| shape.units == units)
            .or_else(|| (units > MOST_BARS).then(|| Shape::of((1, units as u32), Greys::default())))
    }

    /// Pairs that are wanted and have not arrived.
    pub fn missing(self) -> u32 {
        self.work.track();
        self.settings.with(|settings| {
            settings.as_ref().map_or(0, |settings| {
                let missing = || self.results.with_value(|results| results.missing(settings.count, 1).len() as u32);
                if self.is_of(settings, true) { missing() } else { settings.count }
            })
        })
    }

    /// Whether there is a model to compute with.
    pub fn has_one(self) -> bool {
        self.settings.with(|settings| settings.as_ref().is_some_and(|settings| self.has_model(settings)))
    }

    /// The status of the computation, in words.
    pub fn status(self) -> String {
        if let Some(words) = self.work.under_way() {
            return words;
        }
        let Some(settings) = self.settings.get() else { return "Fix the highlighted setting.".into() };
        if !self.has_model(&settings) {
            let is_training = settings.model == ParticleModel::Training;
            return if is_training { "No model is in training: start one under Train." } else { "The model is not loaded yet." }
                .into();
        }
        let step = self.begun.with_value(|begun| begun.as_ref().map(|begun| begun.version.step));
        let of_step = match step.filter(|_| settings.model == ParticleModel::Training && self.is_shown.get()) {
            Some(step) => format!(" They are of step {step}."),
            None => String::new(),
        };
        self.work.there(settings.count, self.missing()) + &of_step
    }
}
