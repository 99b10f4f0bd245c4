//! The messages of the files workers, which read the visitor's files, write them, and keep the run.
//!
//! Requests are carried out one after another, in their order. The page cancels one by ending the worker: nothing that it does leaves anything half done.

use crate::{Body, DataSource, EncodedData, Grid, NamedBytes, Request, Snapshot};
use dbm_core::settings::RunPlan;
use dbm_data::raw::{Encoding, Visible};
use serde::{Deserialize, Serialize};

/// What can be asked of a files worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FilesCommand {
    /// Reads files that make one data set, and keeps what they hold until the next reading. Answer: [`FilesEvent::Understood`].
    Read {
        /// One or more.
        files: Vec<NamedBytes>,
        /// Rows and columns of the tiles of a sheet; found out where that is `None`.
        tile: Option<(u32, u32)>,
    },
    /// The same with what an address gives, which is absolute, or relative to the page. Answer: [`FilesEvent::Understood`].
    Fetch(String),
    /// The same with MNIST, from the browser's cache or one of the public addresses, tried in turn. Answer: [`FilesEvent::Understood`].
    FetchMnist,
    /// What the files hold, made binary otherwise: some examples. Answer: [`FilesEvent::Preview`].
    Preview(Encoding),
    /// All of it, made binary. Answer: [`FilesEvent::Encoded`].
    Encode {
        /// How values become bits.
        encoding: Encoding,
        /// Share of the known cells to hold back from training, 0 for none, at most 0.5.
        hold_back: f64,
    },
    /// The table as it was read, its gaps filled in. Answer: [`FilesEvent::Filled`].
    Fill {
        /// Its bytes again: the reader may have read something else meanwhile.
        file: NamedBytes,
        /// The columns of the model.
        visible: Visible,
        /// `[rows, units]`: the probability that a unit is high.
        probabilities: Vec<f32>,
    },
    /// A file for the visitor to download. Answer: [`FilesEvent::Written`].
    Write(Product),
    /// Whether a run of an earlier visit can be gone on with. Answer: [`FilesEvent::Found`].
    Find,
    /// Takes that run over. Answer: [`FilesEvent::Taken`].
    Take,
    /// Begins to keep a run. Of this tab's runs only the latest is kept: the one before goes when the first [`FilesCommand::Keep`] of this one
    /// has been written, unless it was taken over from an earlier visit and has not been trained since. Answer: [`FilesEvent::Done`].
    Begin {
        /// Name of its data, to describe it by.
        data: String,
        /// Layer sizes, the visible one first.
        sizes: Vec<u32>,
        /// The data of the run.
        source: DataSource,
        /// What it was begun with.
        plan: Box<RunPlan>,
    },
    /// Keeps the latest checkpoint of the run begun or taken last. Answer: [`FilesEvent::Kept`].
    Keep(Snapshot),
    /// Lets the run that was found go: no visit is offered it again, and the next one deletes it. Answer: [`FilesEvent::Done`].
    Forget {
        /// Deletes it at once, and there is no [`FilesCommand::Recall`].
        for_good: bool,
    },
    /// Takes that back. Answer: [`FilesEvent::Found`].
    Recall,
}

impl Body for FilesCommand {
    fn bulk(&mut self) -> Option<&mut Vec<u8>> {
        if let Self::Keep(snapshot) = self { Some(&mut snapshot.checkpoint) } else { None }
    }
}

/// What a files worker answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FilesEvent {
    /// The request has been carried out and has no other answer.
    Done,
    /// What the files hold.
    Understood(Box<Understood>),
    /// Some of it, made binary.
    Preview(EncodingPreview),
    /// All of it, made binary.
    Encoded(EncodedData),
    /// A table without gaps.
    Filled {
        /// As CSV, with the table's own names, order and known cells.
        table: NamedBytes,
        /// One line a filled cell: row, column, value, probability.
        probabilities: NamedBytes,
        /// How many cells were filled in.
        cells: u32,
        /// Mean probability of the values filled in.
        mean_probability: f64,
    },
    /// A file for the visitor to download.
    Written(NamedBytes),
    /// What there is of an earlier visit.
    Found {
        /// The latest that no tab has open, or else one that another tab has.
        run: Option<KeptRun>,
        /// What the visitor should know besides, as text.
        note: Option<String>,
    },
    /// The run of an earlier visit.
    Taken {
        /// The data of the run.
        source: DataSource,
        /// What it was begun with.
        plan: Box<RunPlan>,
        /// As it was last written.
        snapshot: Snapshot,
    },
    /// What would be found again now.
    Kept {
        /// Gradient steps that the run had taken; `None` where nothing of it could be written so far.
        step: Option<u32>,
        /// Why that is not the checkpoint just sent, if it is not; as text.
        trouble: Option<String>,
    },
}

impl Body for FilesEvent {
    fn bulk(&mut self) -> Option<&mut Vec<u8>> {
        if let Self::Taken { snapshot, .. } = self { Some(&mut snapshot.checkpoint) } else { None }
    }
}

impl Request for FilesCommand {
    type Answer = FilesEvent;
}

/// What files hold, described.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Understood {
    /// What to call it, as text.
    pub name: String,
    /// How many examples there are.
    pub count: u32,
    /// Of either kind.
    pub kind: UnderstoodKind,
    /// What was understood or left out, a sentence each.
    pub notes: Vec<String>,
    /// How to make it binary, for a start.
    pub encoding: Encoding,
    /// How that looks.
    pub look: EncodingPreview,
}

/// What kind of data it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum UnderstoodKind {
    /// Numbers, as many in every example.
    Pictures {
        /// Rows and columns of values; one row where it is no image.
        shape: (u32, u32),
        /// The lowest value,
        low: f64,
        /// and the highest.
        high: f64,
        /// How many classes the labels have; 0 without labels.
        classes: u32,
    },
    /// Named columns, each with a type of its own.
    Table {
        /// The columns, in the order of the file.
        columns: Vec<ColumnInfo>,
        /// The first rows, cell by cell, as text; empty where missing.
        rows: Vec<Vec<String>>,
    },
}

/// A column of a table, described.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnInfo {
    /// Its name, as text.
    pub name: String,
    /// What it holds, in words.
    pub kind: String,
    /// Visible units that stand for it.
    pub units: u32,
    /// How many of its cells are missing.
    pub missing: u32,
    /// Above which a number is high, where it holds numbers.
    pub threshold: Option<f64>,
}

/// Some examples, made binary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EncodingPreview {
    /// Visible units an example.
    pub width: u32,
    /// Share of high bits among the known ones of at most 1000 examples.
    pub share_of_ones: f64,
    /// Share of missing bits, likewise.
    pub share_missing: f64,
    /// Bytes that the data take once they are binary.
    pub bytes: u64,
    /// Some of them.
    pub preview: Grid,
}

/// What can be downloaded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Product {
    /// Samples, completions or data: pictures in a grid, an array of bytes, or a table.
    Bits {
        /// The file's name without its ending.
        name: String,
        /// The format of the file.
        format: BitsFormat,
        /// The bits, one row or picture after another.
        grid: Grid,
        /// What they stand for, where that is known.
        visible: Option<Visible>,
    },
    /// Samples of several steps, as an animated PNG.
    Film {
        /// The file's name without its ending.
        name: String,
        /// The frames, in their order, all of one shape.
        frames: Vec<Grid>,
        /// As in [`Product::Bits`].
        visible: Option<Visible>,
    },
    /// How training went.
    Log {
        /// The format of the file.
        format: LogFormat,
        /// Row by row.
        rows: Vec<LogRow>,
    },
}

/// File formats of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BitsFormat {
    /// A picture of all.
    Png,
    /// `[count, rows, columns]`, bytes.
    Npy,
    /// A line each.
    Csv,
}

/// File formats of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LogFormat {
    /// A line a row, with a header.
    Csv,
    /// An array of objects.
    Json,
}

/// Where training stood at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LogRow {
    /// Gradient steps taken.
    pub step: u32,
    /// Seconds since the first row, those in which training stood included.
    pub seconds: f64,
    /// Workers that shared the run.
    pub workers: u32,
    /// Over the last second or two.
    pub steps_per_second: f64,
    /// Mean squared error of a bit reconstructed through the first hidden layer.
    pub reconstruction_error: Option<f64>,
    /// Nats an example, smoothed.
    pub pseudo_log_likelihood: Option<f64>,
    /// Mean free energy of some examples, nats.
    pub free_energy_data: Option<f64>,
    /// The same of some samples.
    pub free_energy_samples: Option<f64>,
    /// Exact mean log-likelihood of the data, nats an example.
    pub log_likelihood: Option<f64>,
    /// The positive phase, data clamped.
    pub positive: LogPhase,
    /// The negative phase, all free or known units clamped.
    pub negative: LogPhase,
}

/// One phase of the steps just before; what its estimator does not do is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LogPhase {
    /// Mean meeting time tau of the last hundred steps.
    pub mean_meeting_time: Option<f64>,
    /// The longest meeting time of these.
    pub longest_meeting_time: Option<u32>,
    /// Couplings cut at their cap in these.
    pub couplings_capped: u32,
    /// Mean sweeps T of their local searches.
    pub mean_search_sweeps: Option<f64>,
    /// Mean energy of the chains, latest step.
    pub energy: Option<f64>,
}

/// A run that was kept, described.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptRun {
    /// Name of its data, to show as text.
    pub data: String,
    /// Layer sizes, the visible one first.
    pub sizes: Vec<u32>,
    /// Gradient steps taken.
    pub step: u32,
    /// When it was written, in milliseconds since 1970.
    pub written: f64,
    /// Whether another tab has it open; then it cannot be taken.
    pub elsewhere: bool,
}
