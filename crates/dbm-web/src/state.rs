//! Everything the page shows, as signals; one copyable value that every part receives by context.

use crate::bench::{self, Measuring};
use crate::train::draft::Draft;
use crate::train::shared::Asked;
use crate::ui::address::{OnShow, View};
use crate::ui::notices::Notices;
use crate::worker::session::Session;
pub use crate::worker::session::{DataChoice, Opening, Upload};
use dbm_protocol::{
    DataInfo, EncodingChoice, Evaluation, Filters, Grid, Metrics, ModelChoice, ModelInfo, NamedBytes, RunPlan, Understood,
};
use leptos::prelude::*;

/// A table without gaps, to be taken home.
#[derive(Clone, Debug, PartialEq)]
pub struct Filled {
    /// As CSV.
    pub table: NamedBytes,
    /// One line a filled cell.
    pub probabilities: NamedBytes,
    /// Cells filled.
    pub cells: u32,
    /// Mean probability of what was filled in.
    pub mean_probability: f64,
}

/// Files being read, fetched or made binary.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// What is being done, in words.
    pub stage: String,
    /// Parts done,
    pub done: f64,
    /// of this many; 0 where that is unknown.
    pub total: f64,
}

/// Data that were read, and are shown before anything is trained on them.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    /// What was understood.
    pub about: Understood,
    /// How they will be made binary.
    pub encoding: EncodingChoice,
    /// Whether some known cells of a table are held back from training.
    pub hold_back: bool,
}

/// How sure a message is meant to sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Something was refused or failed.
    Error,
    /// Something happened.
    News,
    /// Something happened that can be taken back.
    Undoable,
}

/// A request at work long enough to show progress.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Busy {
    /// The request.
    pub id: u32,
    /// Parts done,
    pub done: u32,
    /// of this many; 0 while unknown.
    pub total: u32,
    /// Whether it has taken long enough to be shown.
    pub shown: bool,
}

macro_rules! signals {
    ($($(#[$doc:meta])* $name:ident: $kind:ty,)*) => {
        /// The page's signals.
        pub struct Signals {
            /// Those that several features read.
            pub session: Session,
            /// Where messages go.
            pub notices: Notices,
            /// The view that is shown.
            pub view: RwSignal<View>,
            /// Whether Train shows two runs side by side.
            pub two: RwSignal<bool>,
            /// As in the session.
            pub opening: RwSignal<Opening>,
            /// As in the session.
            pub pretrained: RwSignal<Option<ModelInfo>>,
            /// As in the session.
            pub training: RwSignal<Option<ModelInfo>>,
            /// As in the session.
            pub model: RwSignal<ModelChoice>,
            /// As in the session.
            pub data: RwSignal<Option<DataInfo>>,
            /// As in the session.
            pub choice: RwSignal<DataChoice>,
            /// As in the session.
            pub choice_in_use: RwSignal<DataChoice>,
            /// As in the session.
            pub choice_before: RwSignal<DataChoice>,
            /// As in the session.
            pub fed: RwSignal<bool>,
            /// As in the session.
            pub loading: RwSignal<bool>,
            /// As in the session.
            pub uploads: RwSignal<Vec<Upload>>,
            /// As in the session.
            pub opened: RwSignal<Option<String>>,
            /// As in the session.
            pub draft: RwSignal<Draft>,
            /// As in the session.
            pub plan: RwSignal<Option<RunPlan>>,
            /// As in the session.
            pub snapshot: RwSignal<Option<u32>>,
            /// As in the session.
            pub kept: RwSignal<Option<u32>>,
            /// As in the session.
            pub metrics: RwSignal<Metrics>,
            /// As in the session.
            pub pace: RwSignal<u32>,
            /// As in the session.
            pub running: RwSignal<bool>,
            /// As in the session.
            pub samples_pretrained: RwSignal<Option<Grid>>,
            /// As in the session.
            pub samples_training: RwSignal<Option<Grid>>,
            $($(#[$doc])* pub $name: RwSignal<$kind>,)*
        }

        impl Signals {
            fn new(session: Session, show: OnShow) -> Self {
                Self {
                    session,
                    notices: session.notices,
                    view: show.view,
                    two: show.two_runs,
                    opening: session.opening,
                    pretrained: session.pretrained,
                    training: session.training,
                    model: session.model,
                    data: session.data,
                    choice: session.choice,
                    choice_in_use: session.choice_in_use,
                    choice_before: session.choice_before,
                    fed: session.fed,
                    loading: session.loading,
                    uploads: session.uploads,
                    opened: session.opened,
                    draft: session.draft,
                    plan: session.plan,
                    snapshot: session.snapshot,
                    kept: session.kept,
                    metrics: session.metrics,
                    pace: session.pace,
                    running: session.running,
                    samples_pretrained: session.samples_pretrained,
                    samples_training: session.samples_training,
                    $($name: RwSignal::new(Default::default()),)*
                }
            }
        }
    };
}

signals! {
    /// Gaps being filled, or cells being evaluated.
    filling: Option<Busy>,
    /// The table without gaps.
    filled: Option<Filled>,
    /// How good its answers are.
    evaluation: Option<Evaluation>,
    /// Files being read.
    reading: Option<Reading>,
    /// Data that were read and not yet taken.
    offer: Option<Offer>,
    /// The signals so far, to be drawn: at most `study::instruments::history::MOST`.
    history: Vec<dbm_protocol::Signals>,
    /// What an address asked for, as long as data and settings are still those.
    asked: Option<Asked>,
    /// The link to the paused run, where it could not be put on the clipboard.
    link_to_copy: Option<String>,
    /// What hidden units respond to.
    filters: Option<Filters>,
    /// The hidden layer whose filters are to be shown, the lowest being 1; 0 for that one too.
    filter_layer: u32,
    /// Which of the curves is shown.
    curve: usize,
    /// Whether a file is being dragged over the page.
    dragging: bool,
    /// The benchmark that the page is for, where it is no lab.
    bench: Option<bench::Asked>,
    /// Where that stands.
    measuring: Measuring,
}

/// The page's state: a handle, as long-lived as the page.
#[derive(Clone, Copy)]
pub struct State(&'static Signals);

impl std::ops::Deref for State {
    type Target = Signals;

    fn deref(&self) -> &Signals {
        self.0
    }
}

impl State {
    /// The state of a page with this session.
    pub fn new(session: Session, show: OnShow) -> Self {
        Self(Box::leak(Box::new(Signals::new(session, show))))
    }

    /// The model on view.
    pub fn about(self) -> Option<ModelInfo> {
        match self.model.get() {
            ModelChoice::Pretrained => self.pretrained.get(),
            ModelChoice::Training => self.training.get(),
        }
    }

    /// The hidden layer whose filters are shown: the one that was chosen, where the model on view has it.
    pub fn shown_filters(self) -> u32 {
        let depth = self.about().map_or(1, |about| about.sizes.len() as u32 - 1);
        if self.filter_layer.get() <= depth { self.filter_layer.get().max(1) } else { 1 }
    }

    /// The samples on view.
    pub fn samples(self) -> RwSignal<Option<Grid>> {
        match self.model.get() {
            ModelChoice::Pretrained => self.samples_pretrained,
            ModelChoice::Training => self.samples_training,
        }
    }

    /// Tells the visitor something.
    pub fn say(self, tone: Tone, text: impl Into<String>) {
        match tone {
            Tone::Error => self.notices.error(text),
            Tone::News => self.notices.news(text),
            Tone::Undoable => self.notices.undoable(text, Callback::new(move |()| crate::actions::undo(self))),
        }
    }
}

/// The state, in any part of the page.
pub fn state() -> State {
    expect_context()
}
