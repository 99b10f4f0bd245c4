//! The messages of the files workers, which read the visitor's files, write downloads, and store the run.
//!
//! Requests are carried out one after another, in order. The page cancels one by ending the worker; no operation leaves anything half done.

use crate::{Body, DataSource, EncodedData, Grid, NamedBytes, Request, Snapshot};
use dbm_core::settings::RunPlan;
use dbm_core::words::{choices, words};
use dbm_data::raw::{Doubt, Encoding, KindChoice, Reading, Visible};
use serde::{Deserialize, Serialize};

/// Requests to a files worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FilesCommand {
    /// Reads files that make one data set, and keeps their content until the next reading. Answer: [`FilesEvent::Understood`].
    Read {
        /// One or more files.
        files: Vec<NamedBytes>,
        /// What the visitor says about how they are read.
        reading: Box<Reading>,
    },
    /// Reads the files of the last reading again, in another way. If that is refused, the previous content stays. Answer:
    /// [`FilesEvent::Understood`].
    Reread(Box<Reading>),
    /// The same for the content of an address, absolute or relative to the page. Answer: [`FilesEvent::Understood`].
    Fetch(String),
    /// The same for MNIST, from the browser's cache or one of the public addresses, tried in turn. Answer: [`FilesEvent::Understood`].
    FetchMnist,
    /// Some examples of the files' content under another encoding. Answer: [`FilesEvent::Preview`].
    Preview(Encoding),
    /// All of it as bits. Answer: [`FilesEvent::Encoded`].
    Encode {
        /// How values become bits.
        encoding: Encoding,
        /// Share of the known cells to withhold from training, 0 for none, at most 0.5.
        hold_back: f64,
    },
    /// Keeps a table, to show its rows and fill its gaps. Answer: [`FilesEvent::TableOpened`].
    OpenTable {
        /// The bytes of the file: the reader may have read something else meanwhile.
        file: NamedBytes,
        /// How it was read.
        reading: Box<Reading>,
        /// The columns of the model.
        visible: Visible,
    },
    /// Fills the gaps of the table that was opened last. Answer: [`FilesEvent::Done`].
    FillTable {
        /// `[rows, units]`: the probability that a unit is high.
        highs: Vec<f32>,
        /// `[rows, imputations, units]`, packed as in `dbm_core::Examples`: draws of all units of a row.
        #[serde(with = "serde_bytes")]
        draws: Vec<u8>,
    },
    /// Some rows of that table, as it is or filled. Answer: [`FilesEvent::Rows`].
    Rows(RowsAsked),
    /// What else a filled cell may hold. Answer: [`FilesEvent::Cell`].
    Cell {
        /// From 0.
        row: u32,
        /// From 0, in the table.
        column: u32,
    },
    /// The filled table as a file. Answer: [`FilesEvent::Written`].
    WriteTable {
        /// Which file.
        form: TableFile,
        /// Values that are less probable are left out; draws are complete.
        leave_below: f64,
    },
    /// A file for the visitor to download. Answer: [`FilesEvent::Written`].
    Write(Product),
    /// Whether a run of an earlier visit can be resumed. Answer: [`FilesEvent::Found`].
    Find,
    /// Takes over that run. Answer: [`FilesEvent::Taken`].
    Take,
    /// Begins to store a run. Of this tab's runs only the latest is kept: the previous one is deleted after the first
    /// [`FilesCommand::Keep`] of this one, unless it was taken over from an earlier visit and has not been trained since. Answer:
    /// [`FilesEvent::Done`].
    Begin {
        /// Name of its data, for its description.
        data: String,
        /// Layer sizes, the visible one first.
        sizes: Vec<u32>,
        /// The data of the run.
        source: DataSource,
        /// The plan with which it began.
        plan: Box<RunPlan>,
    },
    /// Stores the latest checkpoint of the run begun or taken last. Answer: [`FilesEvent::Kept`].
    Keep(Snapshot),
    /// Discards the run that was found: it is not offered to another visit, and the next visit deletes it. Answer: [`FilesEvent::Done`].
    Forget {
        /// Deletes it at once, so that [`FilesCommand::Recall`] is not possible.
        for_good: bool,
    },
    /// Reverts that. Answer: [`FilesEvent::Found`].
    Recall,
}

impl Body for FilesCommand {
    fn bulk(&mut self) -> Option<&mut Vec<u8>> {
        if let Self::Keep(snapshot) = self { Some(&mut snapshot.checkpoint) } else { None }
    }
}

/// Answers of a files worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FilesEvent {
    /// The request has been carried out and has no other answer.
    Done,
    /// What the files contain.
    Understood(Box<Understood>),
    /// Some of it, as bits.
    Preview(EncodingPreview),
    /// All of it, as bits.
    Encoded(EncodedData),
    /// A table that is kept.
    TableOpened {
        /// The names of its columns.
        columns: Vec<String>,
        /// How many rows it has.
        rows: u32,
        /// Its missing cells, and how many of those are in columns that the model does not know.
        missing: (u32, u32),
    },
    /// Some rows of it.
    Rows(TableRows),
    /// What else a cell may hold.
    Cell(CellDetails),
    /// A file for the visitor to download.
    Written(NamedBytes),
    /// What is stored from an earlier visit.
    Found {
        /// The latest run that no tab has open, or else one that another tab has open.
        run: Option<KeptRun>,
        /// What else the visitor should know, as text.
        note: Option<String>,
    },
    /// The run of an earlier visit.
    Taken {
        /// The data of the run.
        source: DataSource,
        /// The plan with which it began.
        plan: Box<RunPlan>,
        /// The checkpoint as last written.
        snapshot: Snapshot,
    },
    /// What a search would find now.
    Kept {
        /// Gradient steps that the run had taken; `None` if nothing of it could be written so far.
        step: Option<u32>,
        /// Why that is not the checkpoint just sent, if so; as text.
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

/// A description of what files contain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Understood {
    /// Its name, as text.
    pub name: String,
    /// How many examples there are.
    pub count: u32,
    /// Of either kind.
    pub kind: UnderstoodKind,
    /// How it was read.
    pub reading: Reading,
    /// What was detected or left out, one sentence each.
    pub notes: Vec<String>,
    /// What may have been misread.
    pub doubts: Vec<Doubt>,
    /// The initial encoding.
    pub encoding: Encoding,
    /// The result of that encoding.
    pub look: EncodingPreview,
}

/// What kind of data it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum UnderstoodKind {
    /// The same number of values in every example.
    Pictures {
        /// Rows and columns of values; one row if it is no image.
        shape: (u32, u32),
        /// The lowest value.
        low: f64,
        /// The highest value.
        high: f64,
        /// Number of classes of the labels; 0 without labels.
        classes: u32,
    },
    /// Named columns, each with its own type.
    Table {
        /// The columns, in the order of the file.
        columns: Vec<ColumnInfo>,
        /// The first rows, cell by cell, as text; empty if missing.
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
    /// The same as one of the kinds that the visitor can choose.
    pub choice: KindChoice,
    /// Its most frequent words, those that often mean a missing value first: text, number of cells, whether it means a missing value here.
    pub words: Vec<(String, u32, bool)>,
    /// Number of visible units that stand for it.
    pub units: u32,
    /// How many of its cells are missing.
    pub missing: u32,
    /// The threshold above which a number is high, if it holds numbers.
    pub threshold: Option<f64>,
    /// Its values from low to high, if they are ordered.
    pub levels: Vec<String>,
}

/// Some examples, as bits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EncodingPreview {
    /// Visible units per example.
    pub width: u32,
    /// Share of high bits among the known bits of at most 1000 examples.
    pub share_of_ones: f64,
    /// Share of missing bits, likewise.
    pub share_missing: f64,
    /// Bytes that the data take once encoded.
    pub bytes: u64,
    /// Some of the examples.
    pub preview: Grid,
}

/// Which rows of a table to show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RowsAsked {
    /// The first of them, from 0.
    pub from: u32,
    /// How many, at most 1000.
    pub count: u32,
    /// The first column, from 0.
    pub first_column: u32,
    /// How many columns, at most 1000.
    pub columns: u32,
    /// Only rows in which something was missing; `from` counts these.
    pub only_gaps: bool,
    /// Values that are less probable are left out.
    pub leave_below: f64,
}

/// Some rows of a table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TableRows {
    /// How many rows can be asked for.
    pub of: u32,
    /// The row's place in the table, from 0, and its cells: the text, and how it came about.
    pub rows: Vec<(u32, Vec<(String, CellState)>)>,
    /// Cells filled in the whole table.
    pub filled: u32,
    /// Cells still missing in the whole table.
    pub left: u32,
    /// Mean probability of the filled values.
    pub mean_probability: f64,
}

/// How a cell's text came about.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum CellState {
    /// As the file has it.
    Known,
    /// It is missing.
    Missing,
    /// It was missing, and is filled with a value of this probability.
    Filled(f32),
}

/// What else a filled cell may hold, and what the rows that are most alike hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellDetails {
    /// From 0.
    pub row: u32,
    /// From 0, in the table.
    pub column: u32,
    /// Values with their probabilities, the most probable first.
    pub values: Vec<(String, f64)>,
    /// The most alike rows in which this cell is known.
    pub alike: Vec<AlikeRow>,
}

/// A row that is like another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AlikeRow {
    /// From 0.
    pub row: u32,
    /// Cells that are equal, as the model sees them.
    pub equal: u32,
    /// Cells that are known in both.
    pub known: u32,
    /// What it holds.
    pub value: String,
}

choices! {
    /// The files of a filled table.
    #[derive(Serialize, Deserialize)]
    pub enum TableFile = words("table-file", "File", "What to save of a filled table");
    /// As the file was, without gaps.
    Table = "table", "table", "The table with its gaps filled";
    /// As CSV.
    Probabilities = "probabilities", "probabilities", "One line for each filled cell: row, column, value, probability";
    /// Packed together.
    Imputations = "imputations", "several imputations", "Several tables in which each gap has a drawn value, in a ZIP file";
}

/// What can be downloaded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Product {
    /// Samples, completions or data: pictures in a grid, an array of bytes, or a table.
    Bits {
        /// File name without extension.
        name: String,
        /// The format of the file.
        format: BitsFormat,
        /// The bits, one row or picture after another.
        grid: Grid,
        /// What the bits stand for, if known.
        visible: Option<Visible>,
    },
    /// Samples of several steps, as an animated PNG.
    Film {
        /// File name without extension.
        name: String,
        /// The frames, in order, all of one shape.
        frames: Vec<Grid>,
        /// As in [`Product::Bits`].
        visible: Option<Visible>,
    },
    /// How training went.
    Log {
        /// The format of the file.
        format: LogFormat,
        /// The log, row by row.
        rows: Vec<LogRow>,
    },
}

/// File formats of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BitsFormat {
    /// A picture of all examples.
    Png,
    /// `[count, rows, columns]`, bytes.
    Npy,
    /// One line each.
    Csv,
}

/// File formats of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LogFormat {
    /// One line per row, with a header.
    Csv,
    /// An array of objects.
    Json,
}

/// The state of training at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LogRow {
    /// Gradient steps taken.
    pub step: u32,
    /// Seconds since the first row, pauses included.
    pub seconds: f64,
    /// Workers that shared the run.
    pub workers: u32,
    /// Mean over the last second or two.
    pub steps_per_second: f64,
    /// Mean squared error of a bit reconstructed through the first hidden layer.
    pub reconstruction_error: Option<f64>,
    /// Nats per example, smoothed.
    pub pseudo_log_likelihood: Option<f64>,
    /// Mean free energy of some examples, nats.
    pub free_energy_data: Option<f64>,
    /// The same of some samples.
    pub free_energy_samples: Option<f64>,
    /// Exact mean log-likelihood of the data, nats per example.
    pub log_likelihood: Option<f64>,
    /// The positive phase, data clamped.
    pub positive: LogPhase,
    /// The negative phase, with all units free or the known ones clamped.
    pub negative: LogPhase,
}

/// One phase of the steps just before; `None` for whatever its estimator does not do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LogPhase {
    /// Mean meeting time tau of the last hundred steps.
    pub mean_meeting_time: Option<f64>,
    /// The longest meeting time of these.
    pub longest_meeting_time: Option<u32>,
    /// Number of these couplings that were cut off at their cap.
    pub couplings_capped: u32,
    /// Mean sweeps T of their local searches.
    pub mean_search_sweeps: Option<f64>,
    /// Mean energy of the chains at the latest step.
    pub energy: Option<f64>,
}

/// A description of a stored run.
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
    /// Whether another tab has it open; then it cannot be taken over.
    pub elsewhere: bool,
}
