//! The signals that several features read, and the client that they ask by.

use super::draft::Draft;
use crate::ui::notices::Notices;
use crate::worker::client::{Answer, Client, Failure, Progress};
use dbm_protocol::{Command, Computing, DataInfo, DataSource, Event, Grid, Metrics, ModelChoice, ModelInfo, RunPlan};
use js_sys::Uint8Array;
use leptos::prelude::*;
use std::ops::Deref;

/// The worker's name.
const NAME: &str = "dbm-lab";

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
    /// Generated digits.
    #[default]
    Digits,
    /// Bars and stripes.
    Bars,
    /// MNIST, while it is being fetched; then it is among the uploads.
    Mnist,
    /// An upload, by its place in [`Held::uploads`].
    Upload(usize),
}

/// A file of the visitor's that was read as data.
#[derive(Clone, Debug, PartialEq)]
pub struct Upload {
    /// Its name, shown as text only.
    pub name: String,
    /// The examples.
    pub source: DataSource,
}

/// What is known of the models, the data and the run.
pub struct Held {
    client: StoredValue<Client<Computing>, LocalStorage>,
    /// Workers lost since one last came up.
    pub(super) failed: StoredValue<u32>,
    /// Where the page's messages go.
    pub notices: Notices,
    /// Where the pretrained model's file stands.
    pub opening: RwSignal<Opening>,
    /// The pretrained model, or the visitor's own that is open in its place.
    pub pretrained: RwSignal<Option<ModelInfo>>,
    /// Name of the visitor's model that is open in place of the pretrained one.
    pub opened: RwSignal<Option<String>>,
    /// The model being trained.
    pub training: RwSignal<Option<ModelInfo>>,
    /// Which of the two is on view.
    pub model: RwSignal<ModelChoice>,
    /// The latest samples of the pretrained model.
    pub samples_pretrained: RwSignal<Option<Grid>>,
    /// The latest samples of the model in training.
    pub samples_training: RwSignal<Option<Grid>>,
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

/// The session with the computing worker: a handle, as long-lived as the page.
#[derive(Clone, Copy)]
pub struct Session(&'static Held);

impl Deref for Session {
    type Target = Held;

    fn deref(&self) -> &Held {
        self.0
    }
}

impl Session {
    /// A session whose worker is not started yet.
    pub fn new(notices: Notices) -> Self {
        Self(Box::leak(Box::new(Held {
            client: StoredValue::new_local(Client::new(NAME)),
            failed: StoredValue::new(0),
            notices,
            opening: RwSignal::default(),
            pretrained: RwSignal::default(),
            opened: RwSignal::default(),
            training: RwSignal::default(),
            model: RwSignal::default(),
            samples_pretrained: RwSignal::default(),
            samples_training: RwSignal::default(),
            data: RwSignal::default(),
            uploads: RwSignal::default(),
            choice: RwSignal::default(),
            choice_in_use: RwSignal::default(),
            choice_before: RwSignal::default(),
            loading: RwSignal::default(),
            fed: RwSignal::default(),
            draft: RwSignal::default(),
            plan: RwSignal::default(),
            runs: RwSignal::default(),
            metrics: RwSignal::default(),
            running: RwSignal::default(),
            pace: RwSignal::default(),
            snapshot: RwSignal::default(),
            kept: RwSignal::default(),
        })))
    }

    /// The one of the page.
    pub fn of_page() -> Self {
        expect_context()
    }

    /// The worker's client.
    pub fn client(self) -> Client<Computing> {
        self.client.get_value()
    }

    /// The model on view.
    pub fn about(self) -> Option<ModelInfo> {
        self.about_of(self.model.get())
    }

    /// One of the two models.
    pub fn about_of(self, model: ModelChoice) -> Option<ModelInfo> {
        match model {
            ModelChoice::Pretrained => self.pretrained.get(),
            ModelChoice::Training => self.training.get(),
        }
    }

    /// The latest samples of one of the two models.
    pub fn samples_of(self, model: ModelChoice) -> RwSignal<Option<Grid>> {
        match model {
            ModelChoice::Pretrained => self.samples_pretrained,
            ModelChoice::Training => self.samples_training,
        }
    }

    /// Asks the worker. The answer is a [`Failure`] where it refuses, does not listen yet, or is lost.
    pub fn ask(self, command: Command) -> Answer<Event> {
        self.send(command, None, |_| ())
    }

    /// Asks, and hears how far it is. [`Self::cancel`] with the answer's id stops it.
    pub fn ask_long(self, command: Command, progress: impl FnMut(Progress) + 'static) -> Answer<Event> {
        self.send(command, None, progress)
    }

    /// Asks with a large array that stays outside the page's own memory.
    pub(super) fn ask_with(self, command: Command, bulk: Option<&Uint8Array>) -> Answer<Event> {
        self.send(command, bulk, |_| ())
    }

    fn send(self, command: Command, bulk: Option<&Uint8Array>, progress: impl FnMut(Progress) + 'static) -> Answer<Event> {
        if self.client().is_ready() {
            self.client().ask_with(command, bulk, Some(Box::new(progress)))
        } else {
            Answer::failed(Failure::Refused("The worker that computes is not ready yet; try again in a moment.".into()))
        }
    }

    /// Stops a request, which then ends with [`Event::Cancelled`].
    pub fn cancel(self, id: u32) {
        self.client().cancel(id);
    }

    /// Does what takes a while, and tells the visitor where it cannot be done.
    pub fn perform(self, work: impl Future<Output = Result<(), Failure>> + 'static) {
        leptos::task::spawn_local(async move {
            if let Err(failure) = work.await {
                self.tell(&failure);
            }
        });
    }

    /// Tells the visitor why a request has no answer. That the worker was lost is told once for all requests.
    pub fn tell(self, failure: &Failure) {
        if let Failure::Refused(why) = failure {
            self.notices.error(why);
        }
    }
}
