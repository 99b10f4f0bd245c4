//! Stores one run at a time, and finds those of earlier visits.

use super::checked_file::FileLabel;
use super::description::RunDescription;
use super::run_folder::{self, CHECKPOINT_FILES, DESCRIPTION, FolderContents};
use super::{Locks, Storage, StorageError};
use dbm_protocol::{FilesCommand, FilesEvent, KeptRun, Snapshot};

/// Number of folders kept besides those in use by some tab, counting this tab's own.
const MOST: usize = 3;
/// Prefix of the names of runs' folders; a number follows.
const PREFIX: &str = "run-";
/// Number of names tried for a new folder, in case other tabs take them at the same moment.
const TRIES: u64 = 100;

const NO_LOCKS: &str = "This browser cannot coordinate tabs here (Web Locks need https or localhost): keep DBM Lab open in one tab only, or two may save one run.";
const ELSEWHERE: &str = "Another tab has this run open. Continue there, or close that tab and reload this one.";
const GONE: &str = "There is no saved run any more; another tab may have taken or deleted it.";
const DAMAGED: &str = "A run from an earlier visit was saved, but is damaged; it was deleted.";
const OTHER_VERSION: &str = "A run from an earlier visit is saved, but another version of this page wrote it and this one cannot read it; it was left where it is.";

/// The run that this tab stores.
struct Current {
    folder: String,
    /// Which of the two checkpoint files is next: the even or the odd one.
    file: usize,
    label: FileLabel,
    /// Whether this tab has written any of its checkpoints.
    written_here: bool,
}

/// Answers the page's requests about stored runs, one after another.
pub struct RunStore<S, L> {
    storage: S,
    locks: L,
    /// Milliseconds since 1970.
    clock: fn() -> f64,
    /// The description of a run of which nothing has been written yet.
    pending: Option<Vec<Vec<u8>>>,
    current: Option<Current>,
    /// The folder that was found.
    found: Option<String>,
}

impl<S: Storage, L: Locks> RunStore<S, L> {
    /// A store that holds nothing yet.
    pub fn new(storage: S, locks: L, clock: fn() -> f64) -> Self {
        Self { storage, locks, clock, pending: None, current: None, found: None }
    }

    /// Carries out one command.
    ///
    /// # Errors
    ///
    /// If it cannot be done: why, for the visitor.
    pub async fn answer(&mut self, command: FilesCommand) -> Result<FilesEvent, String> {
        match command {
            FilesCommand::Find => self.find().await.map_err(|trouble| said("The browser's storage could not be read", &trouble)),
            FilesCommand::Take => self.take().await,
            FilesCommand::Begin { data, sizes, source, plan } => {
                self.pending = Some(RunDescription { data, sizes, source, plan: *plan }.into_parts()?);
                Ok(FilesEvent::Done)
            }
            FilesCommand::Keep(Snapshot { step, checkpoint }) => self.keep(step, &checkpoint).await,
            FilesCommand::Forget { for_good } => self.forget(for_good).await.map(|()| FilesEvent::Done),
            FilesCommand::Recall => self.recall().await,
            _ => Err("the storage worker got a request that only the reader handles; reload the page".into()),
        }
    }

    /// The folders of other tabs and visits, latest first, each with whether a tab has it.
    async fn others(&self) -> Result<Vec<(String, bool)>, StorageError> {
        // Folders before locks: a folder created in between already has its lock.
        let folders = self.storage.folders().await?;
        let held = self.locks.held().await;
        let mut others = Vec::new();
        for folder in folders {
            if number(&folder).is_some() && self.current.as_ref().is_none_or(|current| current.folder != folder) {
                let written = run_folder::latest_label(&self.storage, &folder).await.map_or(0.0, |label| label.written);
                let held = held.contains(&folder);
                others.push((written, folder, held));
            }
        }
        others.sort_by(|a, b| b.0.total_cmp(&a.0));
        Ok(others.into_iter().map(|(_, folder, held)| (folder, held)).collect())
    }

    async fn find(&mut self) -> Result<FilesEvent, StorageError> {
        let (mut open_elsewhere, mut run) = (None, None);
        let mut notes: Vec<&str> = if self.locks.work() { vec![] } else { vec![NO_LOCKS] };
        self.found = None;
        for (folder, held) in self.others().await? {
            if held {
                open_elsewhere = open_elsewhere.or(Some(folder));
                continue;
            }
            if run_folder::is_marked_deleted(&self.storage, &folder).await? {
                self.delete(&folder).await;
                continue;
            }
            if run.is_some() {
                continue;
            }
            match run_folder::read(&self.storage, &folder).await? {
                FolderContents::Run(description, latest) => {
                    run = Some(described(&description, latest.label, false));
                    self.found = Some(folder);
                }
                // A tab died before its first checkpoint was written.
                FolderContents::Nothing => self.delete(&folder).await,
                FolderContents::Damaged => {
                    self.delete(&folder).await;
                    notes.push(DAMAGED);
                }
                FolderContents::OtherVersion => notes.push(OTHER_VERSION),
            }
        }
        // A file that another tab is writing may not be readable now; that is nothing to report.
        if let (None, Some(folder)) = (&run, open_elsewhere)
            && let Ok(FolderContents::Run(description, latest)) = run_folder::read(&self.storage, &folder).await
        {
            run = Some(described(&description, latest.label, true));
        }
        notes.dedup();
        Ok(FilesEvent::Found { run, note: (!notes.is_empty()).then(|| notes.join(" ")) })
    }

    async fn take(&mut self) -> Result<FilesEvent, String> {
        let Some(folder) = self.found.clone() else { return Err(GONE.into()) };
        if !self.locks.hold(&folder).await {
            return Err(ELSEWHERE.into());
        }
        let (description, latest) = match run_folder::read(&self.storage, &folder).await {
            Ok(FolderContents::Run(description, latest)) => (description, latest),
            unusable => {
                self.locks.release(&folder);
                return Err(match unusable {
                    Err(trouble) => said("The saved run could not be read", &trouble),
                    Ok(FolderContents::OtherVersion) => OTHER_VERSION.into(),
                    Ok(_) => GONE.into(),
                });
            }
        };
        self.found = None;
        self.pending = None;
        // The run that this tab stored so far stays in place, and another visit may find it.
        if let Some(before) = self.current.take() {
            self.locks.release(&before.folder);
        }
        self.current = Some(Current { folder, file: latest.file + 1, label: latest.label, written_here: false });
        Ok(FilesEvent::Taken {
            source: description.source,
            plan: Box::new(description.plan),
            snapshot: Snapshot { step: latest.label.step, checkpoint: latest.checkpoint },
        })
    }

    async fn keep(&mut self, step: u32, checkpoint: &[u8]) -> Result<FilesEvent, String> {
        let now = (self.clock)();
        let written = if let Some(pending) = self.pending.take() {
            let begun = self.begin(&pending, step, now, checkpoint).await;
            if begun.is_err() {
                self.pending = Some(pending);
            }
            begun
        } else if let Some(Current { folder, file, label, .. }) = &self.current {
            let label = FileLabel { number: label.number + 1, step, written: now };
            let file = CHECKPOINT_FILES[file % 2];
            run_folder::write(&self.storage, folder, file, &label, &[checkpoint]).await.map(|()| label)
        } else {
            return Err("A checkpoint arrived before its run.".into());
        };
        if let (Ok(label), Some(current)) = (&written, &mut self.current) {
            (current.label, current.written_here) = (*label, true);
            current.file += 1;
        }
        // A run that has never been written would not be found.
        let step = self.current.as_ref().filter(|_| self.pending.is_none()).map(|current| current.label.step);
        Ok(FilesEvent::Kept { step, trouble: written.err().map(|trouble| not_kept(&trouble, step)) })
    }

    /// Writes a run to a new folder, and deletes the one that this tab wrote before.
    async fn begin(
        &mut self,
        description: &[Vec<u8>],
        step: u32,
        now: f64,
        checkpoint: &[u8],
    ) -> Result<FileLabel, StorageError> {
        let folder = self.new_folder().await?;
        let label = FileLabel { number: 1, step, written: now };
        let description: Vec<&[u8]> = description.iter().map(Vec::as_slice).collect();
        let unnumbered = FileLabel { number: 0, step: 0, written: now };
        let written = match run_folder::write(&self.storage, &folder, DESCRIPTION, &unnumbered, &description).await {
            Ok(()) => run_folder::write(&self.storage, &folder, CHECKPOINT_FILES[0], &label, &[checkpoint]).await,
            failed => failed,
        };
        if let Err(trouble) = written {
            // What cannot be deleted now, the next visit deletes: it contains no checkpoint.
            let _ = self.storage.delete(&folder).await;
            self.locks.release(&folder);
            return Err(trouble);
        }
        if let Some(before) = self.current.replace(Current { folder, file: 0, label, written_here: true }) {
            if before.written_here {
                let _ = self.storage.delete(&before.folder).await;
            }
            self.locks.release(&before.folder);
        }
        self.tidy().await;
        Ok(label)
    }

    /// A name that no folder has, with a lock on it.
    async fn new_folder(&self) -> Result<String, StorageError> {
        let last = self.storage.folders().await?.iter().filter_map(|folder| number(folder)).max().unwrap_or(0);
        for next in 1..=TRIES {
            let folder = format!("{PREFIX}{}", last.saturating_add(next));
            if self.locks.hold(&folder).await {
                return Ok(folder);
            }
        }
        Err(StorageError::Failed("other tabs have taken every name that was tried".into()))
    }

    /// Deletes unused folders beyond the latest ones; any that cannot be deleted stay.
    async fn tidy(&self) {
        let others = self.others().await.unwrap_or_default();
        let unused = others.into_iter().filter(|(folder, held)| !held && Some(folder) != self.found.as_ref());
        for (folder, _) in unused.skip(MOST - 1) {
            self.delete(&folder).await;
        }
    }

    /// Deletes a folder that no tab has, unless one takes it at this moment.
    async fn delete(&self, folder: &str) {
        if self.locks.hold(folder).await {
            let _ = self.storage.delete(folder).await;
            self.locks.release(folder);
        }
    }

    async fn forget(&mut self, for_good: bool) -> Result<(), String> {
        let Some(folder) = &self.found else { return Ok(()) };
        // Held for as long as it can be restored: otherwise another tab would find it marked, and delete it.
        if !self.locks.hold(folder).await {
            return Err(ELSEWHERE.into());
        }
        let done = if for_good {
            let deleted = self.storage.delete(folder).await;
            self.locks.release(folder);
            self.found = None;
            deleted
        } else {
            run_folder::mark_deleted(&self.storage, folder, true).await
        };
        done.map_err(|trouble| said("The saved run could not be deleted", &trouble))
    }

    async fn recall(&mut self) -> Result<FilesEvent, String> {
        let Some(folder) = &self.found else { return Err(GONE.into()) };
        let recalled = run_folder::mark_deleted(&self.storage, folder, false).await;
        recalled.map_err(|trouble| said("The saved run could not be restored", &trouble))?;
        self.locks.release(folder);
        match run_folder::read(&self.storage, folder).await {
            Ok(FolderContents::Run(description, latest)) => {
                Ok(FilesEvent::Found { run: Some(described(&description, latest.label, false)), note: None })
            }
            _ => Err(GONE.into()),
        }
    }
}

fn number(folder: &str) -> Option<u64> {
    folder.strip_prefix(PREFIX)?.parse().ok()
}

fn described(description: &RunDescription, label: FileLabel, elsewhere: bool) -> KeptRun {
    KeptRun {
        data: description.data.clone(),
        sizes: description.sizes.clone(),
        step: label.step,
        written: label.written,
        elsewhere,
    }
}

fn said(what: &str, trouble: &StorageError) -> String {
    format!("{what}: {trouble}.")
}

fn not_kept(trouble: &StorageError, step: Option<u32>) -> String {
    let until =
        step.map_or_else(|| "nothing of this run is saved so far".into(), |step| format!("the run is saved up to step {step}"));
    match trouble {
        StorageError::Full => {
            format!("The browser's storage is full: {until}. Training continues. Free some space, or save the model as a file.")
        }
        StorageError::Failed(why) => {
            format!("The browser's storage could not be written ({why}): {until}. Training continues; save the model as a file.")
        }
    }
}
