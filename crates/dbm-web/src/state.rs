//! Everything the page shows, as signals; one copyable value that every part receives by context.

use crate::bench::{self, Measuring};
use crate::complete::asking::{Asking, Question, Wanted};
use crate::complete::picture::{Picture, Tool};
use crate::train::draft::Draft;
use crate::train::shared::Asked;
use crate::ui::address::{OnShow, View};
use crate::ui::notices::Notices;
use crate::worker::session::Session;
pub use crate::worker::session::{DataChoice, Opening, Upload};
use dbm_protocol::{
    Completions, DataInfo, EncodingChoice, Evaluation, Filters, Grid, Metrics, ModelChoice, ModelInfo, NamedBytes, PictureSource,
    RunPlan, Understood,
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

/// What the large canvas shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shown {
    /// The picture and its unknown region.
    #[default]
    Picture,
    /// An answer.
    Answer(usize),
    /// How far the answers agree.
    Agreement,
    /// What is watched, at the present frame.
    Search,
}

/// Where the next picture comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// A sample of the model on view.
    Sample,
    /// A generated digit.
    #[default]
    Generated,
    /// An example of the loaded data.
    Data,
    /// Nothing: drawn by hand.
    Blank,
}

impl Start {
    /// In the order of the select.
    pub const ALL: [Self; 4] = [Self::Generated, Self::Sample, Self::Data, Self::Blank];

    /// As the address has it.
    pub const fn word(self) -> &'static str {
        ["sample", "generated", "data", "blank"][self as usize]
    }

    /// The one that the address means; the default where it means none.
    pub fn of(word: &str) -> Self {
        Self::ALL.into_iter().find(|start| start.word() == word).unwrap_or_default()
    }

    /// The mask that a picture from there begins with.
    pub const fn mask(self) -> &'static str {
        if matches!(self, Self::Blank) { "none" } else { "lower" }
    }

    /// What the worker is asked for; nothing for a blank picture.
    pub fn source(self) -> Option<PictureSource> {
        match self {
            Self::Sample => Some(PictureSource::Sample),
            Self::Generated => Some(PictureSource::Generated),
            Self::Data => Some(PictureSource::Data),
            Self::Blank => None,
        }
    }
}

/// Width of the brush, in cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Brush(pub f64);

impl Default for Brush {
    fn default() -> Self {
        Self(3.0)
    }
}

impl Brush {
    /// What suits a picture of so many rows.
    pub fn suiting(rows: usize) -> Self {
        Self(if rows <= 12 { 1.0 } else { 3.0 })
    }
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

/// Answers together with the question they answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered {
    /// The answers.
    pub completions: Completions,
    /// What they answer.
    pub question: Question,
    /// What the unknown region hid, where that is known.
    pub truth: Option<Vec<u8>>,
}

/// A search or a pair that is watched, together with what was unknown.
#[derive(Clone, Debug, PartialEq)]
pub struct Watched {
    /// State by state.
    pub frames: Vec<Frame>,
    /// What was unknown.
    pub unknown: Vec<u8>,
}

/// One state of what is watched.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// The visible layer, one byte a unit: of x, where a pair is watched.
    pub x: Vec<u8>,
    /// That of y; empty where a search is watched.
    pub y: Vec<u8>,
    /// Energies of both; no number where there is no y.
    pub energies: [f64; 2],
    /// What happened.
    pub words: String,
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
    /// The picture to complete.
    picture: Picture,
    /// Where the next one comes from.
    start: Start,
    /// What the Complete view is set to.
    asking: Asking,
    /// What the address wants done with the next picture.
    wanted: Option<Wanted>,
    /// The request that the next picture answers.
    expected: Option<u32>,
    /// What a press on the canvas does.
    tool: Tool,
    /// Width of the brush, in cells.
    brush: Brush,
    /// What the large canvas shows.
    shown: Shown,
    /// The latest answers.
    answers: Option<Answered>,
    /// The completion at work.
    completing: Option<Busy>,
    /// The search or pair that was last watched.
    watched: Option<Watched>,
    /// Which of its frames is shown.
    frame: usize,
    /// Whether it plays.
    playing: bool,
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
