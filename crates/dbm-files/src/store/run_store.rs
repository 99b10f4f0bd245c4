//! Keeps one run at a time, and finds those of earlier visits.

use super::head::Head;
use super::seal::Label;
use super::slots::{self, Contents};
use super::{Locks, Storage, StorageError};
use dbm_protocol::{FilesCommand, FilesEvent, KeptRun};

/// Places that are kept besides those in use by some tab, this tab's own counted.
const MOST: usize = 3;
/// What the names of places begin with; a number follows.
const PREFIX: &str = "run-";
/// Names that are tried for a new place, each taken by another tab in the very moment.
const TRIES: u64 = 100;

const NO_LOCKS: &str = "This browser does not tell tabs of one another here (Web Locks need https or localhost): keep DBM Lab open in one tab \
                        only, or a run may be kept by two at once.";
const ELSEWHERE: &str = "Another tab has this run open. Go on there, or close that tab and reload this one.";
const GONE: &str = "There is no kept run any more; another tab may have taken or deleted it.";
const DAMAGED: &str = "A run of an earlier visit was kept, but what is left of it is damaged; it was deleted.";
const FOREIGN: &str = "A run of an earlier visit is kept, but another version of this page wrote it and this one cannot read it; it was left where it is.";

/// The run that this tab keeps.
struct Current {
    place: String,
    /// Which slot the next checkpoint goes to.
    slot: usize,
    label: Label,
    /// Whether this tab has written any of its checkpoints.
    written_here: bool,
}

/// Answers the page's questions about kept runs, one after another.
pub struct RunStore<S, L> {
    storage: S,
    locks: L,
    /// Milliseconds since 1970.
    clock: fn() -> f64,
    /// The head of a run of which nothing is written yet.
    pending: Option<Vec<Vec<u8>>>,
    current: Option<Current>,
    /// The place that was found, and whether it has been let go since.
    found: Option<(String, bool)>,
}

impl<S: Storage, L: Locks> RunStore<S, L> {
    /// One that keeps nothing yet.
    pub fn new(storage: S, locks: L, clock: fn() -> f64) -> Self {
        Self { storage, locks, clock, pending: None, current: None, found: None }
    }

    /// Carries out one command.
    ///
    /// # Errors
    ///
    /// Where it cannot be done: why, for the visitor.
    pub async fn answer(&mut self, command: FilesCommand) -> Result<FilesEvent, String> {
        match command {
            FilesCommand::Find => self.find().await.map_err(|trouble| said("The browser's storage could not be read", &trouble)),
            FilesCommand::Take => self.take().await,
            FilesCommand::Begin { data, sizes, source, plan } => {
                self.pending = Some(Head { data, sizes, source, plan: *plan }.into_parts()?);
                Ok(FilesEvent::Done)
            }
            FilesCommand::Keep { step, checkpoint } => self.keep(step, &checkpoint).await,
            FilesCommand::Forget { for_good } => self.forget(for_good).await.map(|()| FilesEvent::Done),
            FilesCommand::Recall => self.recall().await,
            _ => Err("the storage worker was asked for what only the reader does; reload the page".into()),
        }
    }

    /// The places of all tabs and visits but this tab's own, the latest first, each with whether a tab has it.
    async fn others(&self) -> Result<Vec<(String, bool)>, StorageError> {
        // Places before locks: one that is made in between has its lock already.
        let places = self.storage.places().await?;
        let held = self.locks.held().await;
        let mut others = Vec::new();
        for place in places {
            if number(&place).is_some() && self.current.as_ref().is_none_or(|current| current.place != place) {
                let written = slots::latest_label(&self.storage, &place).await.map_or(0.0, |label| label.written);
                let held = held.contains(&place);
                others.push((written, place, held));
            }
        }
        others.sort_by(|a, b| b.0.total_cmp(&a.0));
        Ok(others.into_iter().map(|(_, place, held)| (place, held)).collect())
    }

    async fn find(&mut self) -> Result<FilesEvent, StorageError> {
        let (mut open_elsewhere, mut run) = (None, None);
        let mut notes: Vec<&str> = if self.locks.work() { vec![] } else { vec![NO_LOCKS] };
        self.found = None;
        for (place, held) in self.others().await? {
            if held {
                open_elsewhere = open_elsewhere.or(Some(place));
                continue;
            }
            if slots::is_marked_deleted(&self.storage, &place).await? {
                self.delete(&place).await;
                continue;
            }
            if run.is_some() {
                continue;
            }
            match slots::read(&self.storage, &place).await? {
                Contents::Run(head, latest) => {
                    run = Some(described(&head, latest.label, false));
                    self.found = Some((place, false));
                }
                // A tab died before its first checkpoint was written.
                Contents::Nothing => self.delete(&place).await,
                Contents::Damaged => {
                    self.delete(&place).await;
                    notes.push(DAMAGED);
                }
                Contents::Foreign => notes.push(FOREIGN),
            }
        }
        // What another tab is just writing may not be readable now; then there is nothing to tell.
        if let (None, Some(place)) = (&run, open_elsewhere)
            && let Ok(Contents::Run(head, latest)) = slots::read(&self.storage, &place).await
        {
            run = Some(described(&head, latest.label, true));
        }
        notes.dedup();
        Ok(FilesEvent::Found { run, note: (!notes.is_empty()).then(|| notes.join(" ")) })
    }

    async fn take(&mut self) -> Result<FilesEvent, String> {
        let Some((place, _)) = self.found.clone() else { return Err(GONE.into()) };
        if !self.locks.hold(&place).await {
            return Err(ELSEWHERE.into());
        }
        let contents = slots::read(&self.storage, &place).await;
        let (head, latest) = match contents {
            Ok(Contents::Run(head, latest)) => (head, latest),
            Ok(contents) => {
                self.locks.release(&place);
                return Err(if contents == Contents::Foreign { FOREIGN } else { GONE }.into());
            }
            Err(trouble) => {
                self.locks.release(&place);
                return Err(said("The kept run could not be read", &trouble));
            }
        };
        self.found = None;
        self.pending = None;
        // The run that this tab has kept so far stays where it is, and may be found by another visit.
        if let Some(before) = self.current.take() {
            self.locks.release(&before.place);
        }
        self.current = Some(Current { place, slot: latest.slot + 1, label: latest.label, written_here: false });
        Ok(FilesEvent::Taken {
            source: head.source,
            plan: Box::new(head.plan),
            step: latest.label.step,
            checkpoint: latest.checkpoint,
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
        } else if let Some(Current { place, slot, label, .. }) = &self.current {
            let label = Label { number: label.number + 1, step, written: now };
            slots::write(&self.storage, place, *slot, label, checkpoint).await.map(|()| label)
        } else {
            return Err("A checkpoint came before the run it is of.".into());
        };
        if let (Ok(label), Some(current)) = (&written, &mut self.current) {
            (current.label, current.written_here) = (*label, true);
            current.slot += 1;
        }
        // Of a run that has not been written at all, nothing would be found.
        let step = self.current.as_ref().filter(|_| self.pending.is_none()).map(|current| current.label.step);
        Ok(FilesEvent::Kept { step, trouble: written.err().map(|trouble| not_kept(&trouble, step)) })
    }

    /// Writes a run to a place of its own, and lets the one before it go.
    async fn begin(&mut self, head: &[Vec<u8>], step: u32, now: f64, checkpoint: &[u8]) -> Result<Label, StorageError> {
        let place = self.new_place().await?;
        let label = Label { number: 1, step, written: now };
        let written = match slots::write_head(&self.storage, &place, head, now).await {
            Ok(()) => slots::write(&self.storage, &place, 0, label, checkpoint).await,
            failed => failed,
        };
        if let Err(trouble) = written {
            // What cannot be deleted now, the next visit deletes: there is no checkpoint in it.
            let _ = self.storage.delete(&place).await;
            self.locks.release(&place);
            return Err(trouble);
        }
        if let Some(before) = self.current.replace(Current { place, slot: 0, label, written_here: true }) {
            if before.written_here {
                let _ = self.storage.delete(&before.place).await;
            }
            self.locks.release(&before.place);
        }
        self.tidy().await;
        Ok(label)
    }

    /// A name that no place has, and a lock on it.
    async fn new_place(&self) -> Result<String, StorageError> {
        let last = self.storage.places().await?.iter().filter_map(|place| number(place)).max().unwrap_or(0);
        for next in 1..=TRIES {
            let place = format!("{PREFIX}{}", last.saturating_add(next));
            if self.locks.hold(&place).await {
                return Ok(place);
            }
        }
        Err(StorageError::Failed("other tabs have taken every name that was tried".into()))
    }

    /// Deletes what nobody uses beyond the latest places; what cannot be deleted stays.
    async fn tidy(&self) {
        let found = self.found.as_ref().map(|(place, _)| place);
        let unused = self.others().await.unwrap_or_default().into_iter().filter(|(place, held)| !held && Some(place) != found);
        for (place, _) in unused.skip(MOST - 1) {
            self.delete(&place).await;
        }
    }

    /// Deletes a place that no tab has, unless one takes it just now.
    async fn delete(&self, place: &str) {
        if self.locks.hold(place).await {
            let _ = self.storage.delete(place).await;
            self.locks.release(place);
        }
    }

    async fn forget(&mut self, for_good: bool) -> Result<(), String> {
        let Some((place, gone)) = &mut self.found else { return Ok(()) };
        // Held for as long as it can be recalled: else another tab would find it let go, and delete it.
        if !self.locks.hold(place).await {
            return Err(ELSEWHERE.into());
        }
        let done = if for_good {
            self.storage.delete(place).await
        } else {
            *gone = true;
            slots::mark_deleted(&self.storage, place, true).await
        };
        if for_good {
            self.locks.release(place);
            self.found = None;
        }
        done.map_err(|trouble| said("The kept run could not be deleted", &trouble))
    }

    async fn recall(&mut self) -> Result<FilesEvent, String> {
        let Some((place, gone)) = &mut self.found else { return Err(GONE.into()) };
        let recalled = slots::mark_deleted(&self.storage, place, false).await;
        recalled.map_err(|trouble| said("The kept run could not be brought back", &trouble))?;
        *gone = false;
        self.locks.release(place);
        match slots::read(&self.storage, place).await {
            Ok(Contents::Run(head, latest)) => {
                Ok(FilesEvent::Found { run: Some(described(&head, latest.label, false)), note: None })
            }
            _ => Err(GONE.into()),
        }
    }
}

fn number(place: &str) -> Option<u64> {
    place.strip_prefix(PREFIX)?.parse().ok()
}

fn described(head: &Head, label: Label, elsewhere: bool) -> KeptRun {
    KeptRun { data: head.data.clone(), sizes: head.sizes.clone(), step: label.step, written: label.written, elsewhere }
}

fn said(what: &str, trouble: &StorageError) -> String {
    format!("{what}: {trouble}.")
}

fn not_kept(trouble: &StorageError, step: Option<u32>) -> String {
    let until =
        step.map_or_else(|| "nothing of this run is kept so far".into(), |step| format!("the run is kept up to step {step}"));
    match trouble {
        StorageError::Full => {
            format!("The browser's storage is full: {until}. Training goes on. Free some space, or save the model as a file.")
        }
        StorageError::Failed(why) => {
            format!("The browser's storage could not be written ({why}): {until}. Training goes on; save the model as a file.")
        }
    }
}
