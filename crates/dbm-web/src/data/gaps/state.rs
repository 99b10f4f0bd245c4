//! The table in use and what fills its gaps, as the page knows them. The computing worker finds the answers; a worker for files has the
//! table, and shows, explains and writes it.

use crate::ui::download;
use crate::worker::client::{Client, Failure, LongRequest};
use crate::worker::session::{DataChoice, Session};
use dbm_protocol::{
    CellDetails, CellState, ChosenModel, Command, DataSource, Event, FilesCommand, FilesEvent, FitLook, GapCheck, GapModel,
    GapsFilled, ImputeSettings, NamedBytes, RowsAsked, TableFile, TableRows,
};
use leptos::prelude::*;

/// Rows and columns shown together.
pub const SHOWN: (u32, u32) = (15, 30);
/// Tables with drawn values.
pub const IMPUTATIONS: u32 = 5;

/// The settings of the command `dbm impute`, so that both give the same table.
fn settings() -> ImputeSettings {
    ImputeSettings { seed: 1, ..ImputeSettings::default() }
}

/// A table that the worker for files has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OpenedTable {
    /// Its file.
    pub name: String,
    /// The names of its columns.
    pub columns: Vec<String>,
    /// How many rows it has.
    pub rows: u32,
    /// How many cells are missing,
    pub missing: u32,
    /// and how many of those are in columns without units.
    pub ignored: u32,
}

/// How the gaps were filled.
#[derive(Clone, Debug, PartialEq)]
pub struct Filled {
    /// By which kind of model.
    pub by: GapModel,
    /// The recipe that was chosen.
    pub chosen: Option<ChosenModel>,
    /// How good the answers are.
    pub checked: Option<GapCheck>,
}

/// The gaps of the table in use: a handle that lives as long as the page.
#[derive(Clone, Copy)]
pub struct Gaps {
    session: Session,
    worker: Client<FilesCommand>,
    /// Filling.
    pub work: LongRequest,
    /// The model that is to fill the gaps.
    pub by: RwSignal<GapModel>,
    /// The table with gaps in use.
    pub table: RwSignal<Option<OpenedTable>>,
    /// Scores of the best recipe so far, in order.
    pub looks: RwSignal<Vec<FitLook>>,
    /// How the gaps were filled, once they are.
    pub filled: RwSignal<Option<Filled>>,
    /// Which rows to show.
    pub asked: RwSignal<RowsAsked>,
    /// The rows shown.
    pub rows: RwSignal<TableRows>,
    /// The cell that was clicked.
    pub cell: RwSignal<Option<CellDetails>>,
    /// Whether rows have been asked for.
    asking: StoredValue<bool>,
    /// Counts the tables: answers about an earlier one are dropped.
    turn: StoredValue<u32>,
    /// Whether the gaps are to be filled as soon as the table is open.
    wanted: StoredValue<bool>,
    /// Whether that has just begun.
    awaited: StoredValue<bool>,
}

impl Gaps {
    /// Follows the data in use.
    pub fn new(session: Session) -> Self {
        let gaps = Self {
            session,
            worker: Client::new("dbm-table"),
            work: LongRequest::new(session.client),
            by: RwSignal::default(),
            table: RwSignal::default(),
            looks: RwSignal::default(),
            filled: RwSignal::default(),
            asked: RwSignal::default(),
            rows: RwSignal::default(),
            cell: RwSignal::default(),
            asking: StoredValue::new(false),
            turn: StoredValue::new(0),
            wanted: StoredValue::new(false),
            awaited: StoredValue::new(false),
        };
        let in_use = Memo::new(move |_| {
            (
                session.sets.choice_in_use.get(),
                session.sets.data.with(|data| data.as_ref().map(|data| (data.name.clone(), data.missing))),
            )
        });
        Effect::new(move |_| {
            // A memo that is only tracked is never computed.
            in_use.with(|_| ());
            gaps.take_table();
        });
        Effect::new(move |_| {
            if let Some(look) = session.sets.looked.get() {
                gaps.looks.update(|looks| looks.push(look));
            }
        });
        gaps
    }

    /// The one that belongs to the page.
    pub fn of_page() -> Self {
        expect_context()
    }

    /// Fills the gaps as soon as the table that is about to be used is open.
    pub fn fill_next(self) {
        self.wanted.set_value(true);
    }

    /// Whether the work has begun as it was asked for before; true once.
    pub fn is_awaited(self) -> bool {
        self.awaited.try_update_value(std::mem::take) == Some(true)
    }

    /// The table in use, if it has gaps.
    fn source(self) -> Option<FilesCommand> {
        let DataChoice::Upload(place) = self.session.sets.choice_in_use.get_untracked() else { return None };
        if self.session.sets.data.with_untracked(|data| data.as_ref().is_none_or(|data| data.missing == 0)) {
            return None;
        }
        self.session.sets.uploads.with_untracked(|uploads| match &uploads.get(place)?.source {
            DataSource::Examples(encoded) if !encoded.table.is_empty() => Some(FilesCommand::OpenTable {
                file: NamedBytes { name: encoded.name.clone(), bytes: encoded.table.clone() },
                reading: encoded.reading.clone(),
                visible: encoded.visible.clone()?,
            }),
            _ => None,
        })
    }

    fn take_table(self) {
        self.work.cancel();
        self.turn.update_value(|turn| *turn = turn.wrapping_add(1));
        self.table.set(None);
        self.forget();
        self.asked.set(RowsAsked { count: SHOWN.0, columns: SHOWN.1, ..RowsAsked::default() });
        self.rows.set(TableRows::default());
        if let Some(command) = self.source() {
            self.session.perform(self.open(command));
        }
    }

    /// Nothing is filled any more.
    fn forget(self) {
        self.looks.set(Vec::new());
        self.filled.set(None);
        self.cell.set(None);
    }

    async fn open(self, command: FilesCommand) -> Result<(), Failure> {
        let turn = self.turn.get_value();
        let FilesCommand::OpenTable { file: NamedBytes { name, .. }, .. } = &command else { return Ok(()) };
        let name = name.clone();
        let FilesEvent::TableOpened { columns, rows, missing: (missing, ignored) } = self.worker.ask(command).await? else {
            return Ok(());
        };
        if self.turn.get_value() != turn {
            return Ok(());
        }
        self.table.set(Some(OpenedTable { name, columns, rows, missing, ignored }));
        self.show().await?;
        // A table with few gaps begins with those.
        let gaps = |row: &(u32, Vec<(String, CellState)>)| row.1.iter().any(|cell| cell.1 == CellState::Missing);
        if !self.rows.with_untracked(|rows| rows.rows.iter().any(gaps)) {
            self.asked.update(|asked| asked.only_gaps = true);
            self.show().await?;
        }
        if self.wanted.try_update_value(std::mem::take) == Some(true) {
            self.awaited.set_value(true);
            return self.fill().await;
        }
        Ok(())
    }

    /// Asks for other rows. Only one request is made at a time, so of a slider's moves in the meantime only the last counts.
    pub fn change(self, change: impl FnOnce(&mut RowsAsked)) {
        self.asked.update(change);
        if !self.asking.get_value() {
            self.asking.set_value(true);
            self.session.perform(async move {
                let shown = self.show().await;
                self.asking.set_value(false);
                shown
            });
        }
    }

    /// Shows the rows asked for last.
    async fn show(self) -> Result<(), Failure> {
        loop {
            let (turn, asked) = (self.turn.get_value(), self.asked.get_untracked());
            let answer = self.worker.ask(FilesCommand::Rows(asked)).await;
            if self.turn.get_value() != turn {
                return Ok(());
            }
            if self.asked.get_untracked() != asked {
                continue;
            }
            if let FilesEvent::Rows(rows) = answer? {
                self.rows.set(rows);
            }
            return Ok(());
        }
    }

    /// Finds answers, and shows them.
    pub async fn fill(self) -> Result<(), Failure> {
        self.session.readiness()?;
        self.forget();
        let (turn, by) = (self.turn.get_value(), self.by.get_untracked());
        let command = Command::FillGaps { by, settings: settings(), imputations: IMPUTATIONS };
        let Some(Event::GapsFilled(filled)) = self.work.ask(command).await? else { return Ok(()) };
        let GapsFilled { chosen, checked, highs, draws } = *filled;
        self.worker.ask(FilesCommand::FillTable { highs, draws }).await?;
        if self.turn.get_value() == turn {
            self.filled.set(Some(Filled { by, chosen, checked }));
            self.show().await?;
        }
        Ok(())
    }

    /// Asks what else a cell may hold.
    pub async fn look_at(self, row: u32, column: u32) -> Result<(), Failure> {
        if let FilesEvent::Cell(cell) = self.worker.ask(FilesCommand::Cell { row, column }).await? {
            self.cell.set(Some(cell));
        }
        Ok(())
    }

    /// Saves a file of the filled table.
    pub async fn save(self, form: TableFile) -> Result<(), Failure> {
        let leave_below = self.asked.with_untracked(|asked| asked.leave_below);
        if let FilesEvent::Written(file) = self.worker.ask(FilesCommand::WriteTable { form, leave_below }).await? {
            download::file(self.session.notices, &file);
        }
        Ok(())
    }
}
