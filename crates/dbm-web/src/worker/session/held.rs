//! The signals that several features read, and the client that they ask by.

use super::shipped::ShippedModel;
use crate::settings::Draft;
use crate::ui::notices::Notices;
use crate::worker::client::{Answer, Client, Failure};
use dbm_core::settings::RunPlan;
use dbm_protocol::{Command, DataInfo, DataSource, Event, FilesCommand, Grid, Metrics, ModelChoice, ModelInfo, NamedBytes};
use js_sys::Uint8Array;
use leptos::prelude::*;
use std::ops::Deref;

/// Where the pretrained model's file stands.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Opening {
    /// Bytes so far, of how many where that is known.
    Fetching(f64, Option<f64>),
    /// The worker reads it.
    #[default]
    Reading,
    /// It can be used.
    Open,
    /// It cannot; the message is among the notices.
    Missing,
}

/// Which data set the select shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DataChoice {
    /// Digits that the worker generates by rules and a seed.
    #[default]
    Digits,
    /// Bars and stripes.
    Bars,
    /// MNIST, while it is being fetched; then it is among the uploads.
    Mnist,
    /// An upload, by its place in [`DataSets::uploads`].
    Upload(usize),
}

impl DataChoice {
    const KNOWN: [(&'static str, Self); 3] = [("digits", Self::Digits), ("bars", Self::Bars), ("mnist", Self::Mnist)];

    /// The data set of this name, as addresses and the select have it.
    pub fn named(name: &str) -> Option<Self> {
        Self::KNOWN.into_iter().find(|(known, _)| *known == name).map(|(_, choice)| choice)
    }

    /// That name; for the visitor's own data another.
    pub fn name(self) -> &'static str {
        Self::KNOWN.into_iter().find(|(_, choice)| *choice == self).map_or("own", |(name, _)| name)
    }
}

/// A file of the visitor's that was read as data.
#[derive(Clone, Debug, PartialEq)]
pub struct Upload {
    /// Its name, shown as text only.
    pub name: String,
    /// What the worker is given to train on.
    pub source: DataSource,
}

/// Why other data, or a run on them, come into use.
pub(super) enum Change {
    /// The visitor chose a data set that is at hand.
    Chosen(DataChoice),
    /// The visitor's own data were read.
    Uploaded(Upload),
    /// A kept run goes on, on data that are at hand or become an upload.
    KeptRun {
        /// Its data, where they are at hand,
        choice: DataChoice,
        /// or else these.
        upload: Option<Upload>,
        /// Gradient steps that it has taken.
        step: u32,
    },
    /// What was replaced last is put back.
    Undone,
    /// A new worker has the data and the run of the lost one.
    Restored,
    /// The run of an opened model goes on.
    Resumed,
}

/// How far saving the run in the browser has come.
#[derive(Default)]
pub(super) struct Keeping {
    /// Which run of this visit is the present one.
    pub(super) run: u32,
    /// Whether the worker knows it.
    pub(super) begun: bool,
    /// Whether checkpoints are being written,
    pub(super) writing: bool,
    /// and the step of the newest one that is to be.
    pub(super) waiting: Option<u32>,
    /// Whether a kept run is being taken over: checkpoints of the present one are none of its.
    pub(super) taking: bool,
    pub(super) not_before: f64,
    /// The last problem shown to the visitor: each is shown once.
    pub(super) told: String,
    /// Name of the data of the run that was found.
    pub(super) name: String,
}

/// The two models, as the page knows them: the one that was opened and the one in training.
#[derive(Default)]
pub struct Models {
    /// The pretrained model's file, or the visitor's own, once it is here.
    pub(super) model_file: StoredValue<Option<Vec<u8>>>,
    /// The visitor's own model, which a pretrained one may stand in place of again.
    pub own: RwSignal<Option<NamedBytes>>,
    /// Where the pretrained model's file stands.
    pub opening: RwSignal<Opening>,
    /// The pretrained model, or the visitor's own that is open in its place.
    pub pretrained: RwSignal<Option<ModelInfo>>,
    /// Name of the visitor's model that is open in place of the pretrained one.
    pub opened: RwSignal<Option<String>>,
    /// Which of the pretrained models is open, or was before the visitor's.
    pub shipped: RwSignal<ShippedModel>,
    /// Which of them is being fetched, or to be.
    pub wanted: RwSignal<Option<ShippedModel>>,
    /// The model being trained.
    pub training: RwSignal<Option<ModelInfo>>,
    /// Which of the two completes.
    pub model: RwSignal<ModelChoice>,
    /// Whether Train shows samples and filters of the pretrained model, as the visitor asked, and not of the one in training.
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
    /// What is in use; what the select returns to when a choice is refused.
    pub choice_in_use: RwSignal<DataChoice>,
    /// What Undo would bring back.
    pub(super) choice_before: RwSignal<DataChoice>,
    /// Whether data is being made or read.
    pub loading: RwSignal<bool>,
    /// Whether the present worker has been given data.
    pub(super) fed: RwSignal<bool>,
}

/// The run: its settings, where it stands, and what is kept of it.
#[derive(Default)]
pub struct RunOnPage {
    /// Workers lost since one last took a step.
    pub(super) failed: StoredValue<u32>,
    /// The run's latest checkpoint, as the browser's own bytes: megabytes every few seconds, for which the page has no use but to pass them on, to the next
    /// worker that computes and to the one that keeps the run.
    pub(super) checkpoint: StoredValue<Option<Uint8Array>, LocalStorage>,
    /// Whether a kept run has been looked for.
    pub(super) looked: StoredValue<bool>,
    /// How far saving the run in the browser has come.
    pub(super) keeping: StoredValue<Keeping>,
    /// The settings form.
    pub draft: RwSignal<Draft>,
    /// What the present run was begun with.
    pub plan: RwSignal<Option<RunPlan>>,
    /// Counts the runs that have come to stand on the page: changes with each.
    pub runs: RwSignal<u32>,
    /// Where training stands.
    pub metrics: RwSignal<Metrics>,
    /// Whether training runs, or has just been asked to.
    pub running: RwSignal<bool>,
    /// Steps a second at most; 0 for as many as can be.
    pub pace: RwSignal<u32>,
    /// The step of the run's latest checkpoint: what a new worker goes on from.
    pub snapshot: RwSignal<Option<u32>>,
    /// The step from which another visit could go on with the run.
    pub kept: RwSignal<Option<u32>>,
}

/// The session with the workers: a handle, as long-lived as the page.
#[derive(Clone, Copy)]
pub struct Session(&'static Asking);

/// What a session asks by and tells by, and what it knows, in three stores.
pub struct Asking {
    /// Asks the worker that computes, who may not listen yet.
    pub client: Client<Command>,
    /// Asks the worker that reads the visitor's files and writes those that are exported.
    pub reader: Client<FilesCommand>,
    /// Asks the worker that keeps the run.
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
    type Target = Asking;

    fn deref(&self) -> &Asking {
        self.0
    }
}

impl Session {
    /// A session whose workers are not started yet.
    pub fn new(notices: Notices) -> Self {
        let (client, reader, keeper) = (Client::new("dbm-lab"), Client::new("dbm-reader"), Client::new("dbm-keeper").watched());
        Self(Box::leak(Box::new(Asking {
            client,
            reader,
            keeper,
            notices,
            models: Models::default(),
            sets: DataSets::default(),
            run: RunOnPage::default(),
        })))
    }

    /// The one of the page.
    pub fn of_page() -> Self {
        expect_context()
    }

    /// The model that completes.
    pub fn about(self) -> Option<ModelInfo> {
        self.about_of(self.models.model.get())
    }

    /// Which of the two Train shows samples and filters of.
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

    /// Asks the worker. The answer is a [`Failure`] where it refuses, does not listen yet, or is lost.
    pub fn ask(self, command: Command) -> Answer<Event> {
        self.ask_with(command, None)
    }

    /// Asks with a large array that stays outside the page's own memory.
    pub(super) fn ask_with(self, command: Command, bulk: Option<&Uint8Array>) -> Answer<Event> {
        match self.readiness() {
            Ok(()) => self.client.ask_with(command, bulk, None),
            Err(failure) => Answer::failed(failure),
        }
    }

    /// Whether the worker listens; a [`Failure`] where it does not yet.
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
