//! The signals that several features read, and the client through which they send requests.

use super::shipped::ShippedModel;
use crate::settings::Draft;
use crate::ui::notices::Notices;
use crate::worker::client::{Answer, Client, Failure};
use dbm_core::settings::RunPlan;
use dbm_protocol::{
    Command, DataInfo, DataSource, Event, FilesCommand, FitLook, Grid, Metrics, ModelChoice, ModelInfo, NamedBytes,
};
use js_sys::Uint8Array;
use leptos::prelude::*;
use std::ops::Deref;

/// State of the pretrained model's file.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Opening {
    /// Bytes so far, and in all if known.
    Fetching(f64, Option<f64>),
    /// The worker is reading it.
    #[default]
    Reading,
    /// It is ready for use.
    Open,
    /// It is not available; the message is among the notices.
    Missing,
}

/// The data set that the select shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DataChoice {
    /// Digits that the worker generates from rules and a seed.
    #[default]
    Digits,
    /// Bars and stripes.
    Bars,
    /// MNIST, while it is being fetched; after that it is among the uploads.
    Mnist,
    /// The sample table with gaps, likewise.
    Survey,
    /// An upload, by its index in [`DataSets::uploads`].
    Upload(usize),
}

impl DataChoice {
    const KNOWN: [(&'static str, Self); 4] =
        [("digits", Self::Digits), ("bars", Self::Bars), ("mnist", Self::Mnist), ("survey", Self::Survey)];

    /// The data set of this name, as used in addresses and in the select.
    pub fn named(name: &str) -> Option<Self> {
        Self::KNOWN.into_iter().find(|(known, _)| *known == name).map(|(_, choice)| choice)
    }

    /// That name; the visitor's own data have a different one.
    pub fn name(self) -> &'static str {
        Self::KNOWN.into_iter().find(|(_, choice)| *choice == self).map_or("own", |(name, _)| name)
    }
}

/// A file of the visitor's that was read as data.
#[derive(Clone, Debug, PartialEq)]
pub struct Upload {
    /// Its name, only ever shown as plain text.
    pub name: String,
    /// What the worker is given to train on.
    pub source: DataSource,
}

impl Upload {
    /// Whether it is a table, rather than pictures.
    pub fn is_table(&self) -> bool {
        matches!(&self.source, DataSource::Examples(encoded) if !encoded.table.is_empty())
    }
}

/// Why the data, or a run on them, change.
pub(super) enum Change {
    /// The visitor chose a data set that is at hand.
    Chosen(DataChoice),
    /// The visitor's own data were read.
    Uploaded(Upload),
    /// A kept run resumes, on data that are at hand or become an upload.
    KeptRun {
        /// Its data, if they are at hand,
        choice: DataChoice,
        /// or else these.
        upload: Option<Upload>,
        /// Gradient steps that it has taken.
        step: u32,
    },
    /// What was replaced last is restored.
    Undone,
    /// A new worker has the data and the run of the lost one.
    Restored,
    /// The run of an opened model resumes.
    Resumed,
}

/// How far saving the run in the browser has come.
#[derive(Default)]
pub(super) struct Keeping {
    /// The number of the present run within this visit.
    pub(super) run: u32,
    /// Whether the keeping worker knows it.
    pub(super) begun: bool,
    /// Whether a checkpoint is being written,
    pub(super) writing: bool,
    /// and the step of the newest one that is waiting.
    pub(super) waiting: Option<u32>,
    /// Whether a kept run is being taken over: checkpoints of the present run do not belong to it.
    pub(super) taking: bool,
    pub(super) not_before: f64,
    /// The last problem shown to the visitor: each is shown once.
    pub(super) message: String,
    /// Name of the data of the run that was found.
    pub(super) name: String,
}

/// The two models, as the page knows them: the opened one and the one in training.
#[derive(Default)]
pub struct Models {
    /// The pretrained model's file, or the visitor's own, once it has arrived.
    pub(super) model_file: StoredValue<Option<Vec<u8>>>,
    /// The visitor's own model, kept when a pretrained one replaces it.
    pub own: RwSignal<Option<NamedBytes>>,
    /// State of the pretrained model's file.
    pub opening: RwSignal<Opening>,
    /// The pretrained model, or the visitor's own if that is open instead.
    pub pretrained: RwSignal<Option<ModelInfo>>,
    /// Name of the visitor's model that is open instead of the pretrained one.
    pub opened: RwSignal<Option<String>>,
    /// The pretrained model that is open, or was open before the visitor's.
    pub shipped: RwSignal<ShippedModel>,
    /// The pretrained model that is being fetched or is to be.
    pub wanted: RwSignal<Option<ShippedModel>>,
    /// The model being trained.
    pub training: RwSignal<Option<ModelInfo>>,
    /// Which of the two is completing.
    pub model: RwSignal<ModelChoice>,
    /// Whether Train shows samples and filters of the pretrained model, at the visitor's request, rather than of the one in
    /// training.
    pub looks_at_pretrained: RwSignal<bool>,
    /// The latest samples of each model.
    samples: [RwSignal<Option<Grid>>; 2],
}

/// The data sets: the one in use, the visitor's own, and what is chosen.
#[derive(Default)]
pub struct DataSets {
    /// The data in use.
    pub data: RwSignal<Option<DataInfo>>,
    /// Files that were read as data.
    pub uploads: RwSignal<Vec<Upload>>,
    /// What the data select shows.
    pub choice: RwSignal<DataChoice>,
    /// The choice in use; the select returns to it when another is refused.
    pub choice_in_use: RwSignal<DataChoice>,
    /// The choice that Undo would restore.
    pub(super) choice_before: RwSignal<DataChoice>,
    /// Whether data are being made or read.
    pub loading: RwSignal<bool>,
    /// How the best recipe does, while recipes for a table's gaps are compared.
    pub looked: RwSignal<Option<FitLook>>,
    /// Whether the present worker has been given data.
    pub(super) fed: RwSignal<bool>,
}

/// The run: its settings, its progress, and what is kept of it.
#[derive(Default)]
pub struct RunOnPage {
    /// Workers lost since one last took a step.
    pub(super) failed: StoredValue<u32>,
    /// The run's latest checkpoint, as the browser's own bytes: megabytes every few seconds, which the page only passes on, to
    /// the next computing worker and to the worker that keeps the run.
    pub(super) checkpoint: StoredValue<Option<Uint8Array>, LocalStorage>,
    /// Whether the page has looked for a kept run.
    pub(super) looked: StoredValue<bool>,
    /// How far saving the run in the browser has come.
    pub(super) keeping: StoredValue<Keeping>,
    /// The settings form.
    pub draft: RwSignal<Draft>,
    /// The plan that the present run began with.
    pub plan: RwSignal<Option<RunPlan>>,
    /// Counts the runs that the page has shown: changes with each.
    pub runs: RwSignal<u32>,
    /// The state of training.
    pub metrics: RwSignal<Metrics>,
    /// Whether training is running, or has just been started.
    pub running: RwSignal<bool>,
    /// Maximum steps per second; 0 for no limit.
    pub pace: RwSignal<u32>,
    /// The step of the run's latest checkpoint, from which a new worker resumes.
    pub snapshot: RwSignal<Option<u32>>,
    /// Whether another visit could resume the run.
    pub kept: RwSignal<Kept>,
}

/// What the browser's storage has of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kept {
    /// Nothing was to be stored yet.
    #[default]
    NotYet,
    /// Its checkpoint of this step.
    At(u32),
    /// Nothing: it could not be stored.
    Refused,
}

impl Kept {
    /// In words, for the status of the run.
    pub fn words(self) -> String {
        match self {
            Self::NotYet => String::new(),
            Self::At(step) => format!("Saved at step {step}"),
            Self::Refused => "Not saved".into(),
        }
    }
}

/// The session with the workers: a handle that lives as long as the page.
#[derive(Clone, Copy)]
pub struct Session(&'static SessionInner);

/// How a session sends requests and messages, and what it knows, in three stores.
pub struct SessionInner {
    /// Client of the computing worker, which may not be ready yet.
    pub client: Client<Command>,
    /// Client of the worker that reads the visitor's files and writes the exported ones.
    pub reader: Client<FilesCommand>,
    /// Client of the worker that keeps the run.
    pub(super) keeper: Client<FilesCommand>,
    /// Where the page's messages go.
    pub notices: Notices,
    /// The two models.
    pub models: Models,
    /// The data sets.
    pub sets: DataSets,
    /// The run.
    pub run: RunOnPage,
}

impl Deref for Session {
    type Target = SessionInner;

    fn deref(&self) -> &SessionInner {
        self.0
    }
}

impl Session {
    /// A session whose workers are not started yet.
    pub fn new(notices: Notices) -> Self {
        let (client, reader, keeper) = (Client::new("dbm-lab"), Client::new("dbm-reader"), Client::new("dbm-keeper").watched());
        Self(Box::leak(Box::new(SessionInner {
            client,
            reader,
            keeper,
            notices,
            models: Models::default(),
            sets: DataSets::default(),
            run: RunOnPage::default(),
        })))
    }

    /// The one that belongs to the page.
    pub fn of_page() -> Self {
        expect_context()
    }

    /// The model that is completing.
    pub fn about(self) -> Option<ModelInfo> {
        self.about_of(self.models.model.get())
    }

    /// The model whose samples and filters Train shows.
    pub fn looked_at(self) -> ModelChoice {
        if self.models.looks_at_pretrained.get() { ModelChoice::Pretrained } else { ModelChoice::Training }
    }

    /// One of the two models.
    pub fn about_of(self, model: ModelChoice) -> Option<ModelInfo> {
        match model {
            ModelChoice::Pretrained => self.models.pretrained.get(),
            ModelChoice::Training => self.models.training.get(),
        }
    }

    /// The latest samples of one of the two models.
    pub fn samples_of(self, model: ModelChoice) -> RwSignal<Option<Grid>> {
        self.models.samples[usize::from(model == ModelChoice::Training)]
    }

    /// Sends the worker a request. The answer is a [`Failure`] if the worker refuses, is not ready yet, or is lost.
    pub fn ask(self, command: Command) -> Answer<Event> {
        self.ask_with(command, None)
    }

    /// Sends a request with a large array that stays outside the page's own memory.
    pub(super) fn ask_with(self, command: Command, bulk: Option<&Uint8Array>) -> Answer<Event> {
        match self.readiness() {
            Ok(()) => self.client.ask_with(command, bulk, None),
            Err(failure) => Answer::failed(failure),
        }
    }

    /// Whether the worker is ready; a [`Failure`] if it is not yet.
    pub fn readiness(self) -> Result<(), Failure> {
        let refusal = if self.has_given_up() {
            "The worker that computes has stopped: press “Start it again”, or reload the page."
        } else {
            "The worker that computes is not ready yet; try again in a moment."
        };
        self.client.is_ready().then_some(()).ok_or_else(|| Failure::Refused(refusal.into()))
    }

    /// Runs a request and shows the visitor why it failed. The loss of the worker is shown once for all requests.
    pub fn perform(self, work: impl Future<Output = Result<(), Failure>> + 'static) {
        leptos::task::spawn_local(async move {
            if let Err(Failure::Refused(why)) = work.await {
                self.notices.error(why);
            }
        });
    }
}
