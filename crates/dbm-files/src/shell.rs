//! The part that depends on the browser: commands that wait for a server or for the browser's storage.

use crate::fetch;
use crate::reader::Reader;
use crate::store::RunStore;
use crate::store::browser::{BrowserStorage, TabLocks};
use dbm_protocol::transport::{reply, serve};
use dbm_protocol::{FilesCommand, FilesEvent, NamedBytes, Reply};
use std::cell::{Cell, RefCell};

const NOTHING_KEPT: &str =
    "This browser saves nothing in this mode: the run ends with this tab. Save the model as a file before you close it.";

/// Milliseconds between two progress reports.
const PROGRESS: f64 = 50.0;

thread_local! {
    static READER: RefCell<Reader> = RefCell::default();
    /// When progress was last reported.
    static LAST_REPORT: Cell<f64> = const { Cell::new(0.0) };
    /// Set from the first request about stored runs on.
    static RUN_STORE: RefCell<Option<RunStore<BrowserStorage, TabLocks>>> = const { RefCell::new(None) };
}

/// Answers the page.
pub fn start() {
    console_error_panic_hook::set_once();
    serve(answer);
}

async fn answer(id: Option<u32>, command: FilesCommand) -> Result<FilesEvent, String> {
    match command {
        FilesCommand::Fetch(address) => {
            let file = fetch::file(&address, &mut |stage, done, total| progress(id, stage, done, total)).await?;
            read(id, vec![file])
        }
        FilesCommand::FetchMnist => {
            let files = fetch::mnist(&mut |stage, done, total| progress(id, stage, done, total)).await?;
            read(id, files)
        }
        FilesCommand::Find
        | FilesCommand::Take
        | FilesCommand::Begin { .. }
        | FilesCommand::Keep(_)
        | FilesCommand::Forget { .. }
        | FilesCommand::Recall => keep(command).await,
        // The reader refuses a command that is not one of its own.
        _ => READER.with_borrow_mut(|reader| reader.answer(command, &mut |stage, done, total| progress(id, stage, done, total))),
    }
}

/// Reads what was fetched.
fn read(id: Option<u32>, files: Vec<NamedBytes>) -> Result<FilesEvent, String> {
    READER.with_borrow_mut(|reader| {
        reader.read(files, &dbm_data::raw::Reading::default(), &mut |stage, done, total| progress(id, stage, done, total))
    })
}

/// Reports progress, no more often than the eye can follow.
fn progress(id: Option<u32>, stage: &str, done: f64, total: f64) {
    let now = js_sys::Date::now();
    if now - LAST_REPORT.get() >= PROGRESS {
        LAST_REPORT.set(now);
        reply::<FilesEvent>(id, Reply::Progress { stage: stage.into(), done: done as u32, total: total as u32 });
    }
}

/// Commands about stored runs go to the store, which is created for the first of them.
async fn keep(command: FilesCommand) -> Result<FilesEvent, String> {
    let mut run_store = match RUN_STORE.take() {
        Some(run_store) => run_store,
        None => match BrowserStorage::open().await {
            Ok(storage) => RunStore::new(storage, TabLocks::default(), js_sys::Date::now),
            // A visitor who only looks for a run need not know.
            Err(_) if command == FilesCommand::Find => return Ok(FilesEvent::Found { run: None, note: None }),
            Err(why) => return Err(format!("{NOTHING_KEPT} ({why}.)")),
        },
    };
    let answer = run_store.answer(command).await;
    RUN_STORE.set(Some(run_store));
    answer
}
