//! Runs stored on a fake disk, which fills up, loses power and is shared by several tabs.

use super::checked_file::{self, Damage, FileLabel, HEADER};
use super::description::RunDescription;
use super::run_folder::{self, FolderContents};
use super::{Locks, RunStore, Storage, StorageError};
use dbm_core::settings::{Initialization, RunPlan};
use dbm_core::{Settings, Units};
use dbm_protocol::{DataSource, EncodedData, FilesCommand, FilesEvent, KeptRun, PictureReading, Snapshot, Visible};
use proptest::prelude::*;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// The storage of one machine, shared by its tabs: files, and which tab holds which name.
#[derive(Clone, Default)]
struct Machine(Rc<Disk>);

#[derive(Default)]
struct Disk {
    files: RefCell<BTreeMap<(String, String), Vec<u8>>>,
    /// Capacity in bytes.
    room: Cell<Option<usize>>,
    /// Bytes that can be written before the power fails.
    power: Cell<Option<usize>>,
    holders: RefCell<BTreeMap<String, u32>>,
}

impl Machine {
    fn folders(&self) -> Vec<String> {
        let mut folders: Vec<String> = self.0.files.borrow().keys().map(|(folder, _)| folder.clone()).collect();
        folders.dedup();
        folders
    }

    /// Allows any byte of a file's content to be changed.
    fn change(&self, folder: &str, file: &str, change: impl FnOnce(&mut Vec<u8>)) {
        change(self.0.files.borrow_mut().get_mut(&(folder.into(), file.into())).expect("a file to change"));
    }
}

impl Storage for Machine {
    async fn folders(&self) -> Result<Vec<String>, StorageError> {
        Ok(Machine::folders(self))
    }

    async fn read(&self, folder: &str, file: &str, most: usize) -> Result<Option<Vec<u8>>, StorageError> {
        let files = self.0.files.borrow();
        Ok(files.get(&(folder.into(), file.into())).map(|bytes| bytes[..bytes.len().min(most)].to_vec()))
    }

    async fn write(&self, folder: &str, file: &str, parts: &[&[u8]]) -> Result<(), StorageError> {
        let name = (folder.to_string(), file.to_string());
        let bytes = parts.concat();
        let mut files = self.0.files.borrow_mut();
        files.remove(&name);
        let used: usize = files.values().map(Vec::len).sum();
        let fits = self.0.room.get().map_or(bytes.len(), |room| room.saturating_sub(used).min(bytes.len()));
        let lasts = self.0.power.get().map_or(fits, |power| power.min(fits));
        self.0.power.set(self.0.power.get().map(|power| power - lasts));
        files.insert(name, bytes[..lasts].to_vec());
        match lasts {
            all if all == bytes.len() => Ok(()),
            lasts if lasts < fits => Err(StorageError::Failed("the power went".into())),
            _ => Err(StorageError::Full),
        }
    }

    async fn delete(&self, folder: &str) -> Result<(), StorageError> {
        self.0.files.borrow_mut().retain(|(of, _), _| of != folder);
        Ok(())
    }
}

struct TabsLocks {
    machine: Machine,
    tab: u32,
}

impl Locks for TabsLocks {
    async fn hold(&self, name: &str) -> bool {
        *self.machine.0.holders.borrow_mut().entry(name.into()).or_insert(self.tab) == self.tab
    }

    fn release(&self, name: &str) {
        self.machine.0.holders.borrow_mut().remove(name);
    }

    async fn held(&self) -> Vec<String> {
        self.machine.0.holders.borrow().keys().cloned().collect()
    }

    fn work(&self) -> bool {
        self.tab > 0
    }
}

/// Waits for something that never has to wait here.
fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => unreachable!("the fake storage answers at once"),
    }
}

thread_local! {
    static CLOCK: Cell<f64> = const { Cell::new(0.0) };
}

/// Each reading of the clock is one second later.
fn tick() -> f64 {
    CLOCK.set(CLOCK.get() + 1000.0);
    CLOCK.get()
}

struct Tab {
    run_store: RunStore<Machine, TabsLocks>,
    machine: Machine,
    number: u32,
}

impl Tab {
    fn open(machine: &Machine, number: u32) -> Self {
        let locks = TabsLocks { machine: machine.clone(), tab: number };
        Self { run_store: RunStore::new(machine.clone(), locks, tick), machine: machine.clone(), number }
    }

    /// The browser releases what the tab held.
    fn die(self) {
        self.machine.0.holders.borrow_mut().retain(|_, holder| *holder != self.number);
    }

    fn ask(&mut self, command: FilesCommand) -> Result<FilesEvent, String> {
        now(self.run_store.answer(command))
    }

    fn begin(&mut self, source: DataSource) {
        let description = description(source);
        let begin = FilesCommand::Begin {
            data: description.data,
            sizes: description.sizes,
            source: description.source,
            plan: Box::new(description.plan),
        };
        assert_eq!(self.ask(begin), Ok(FilesEvent::Done));
    }

    fn keep(&mut self, step: u32) -> (Option<u32>, Option<String>) {
        match self.ask(FilesCommand::Keep(Snapshot { step, checkpoint: checkpoint(step) })) {
            Ok(FilesEvent::Kept { step, trouble }) => (step, trouble),
            other => panic!("{other:?}"),
        }
    }

    fn find(&mut self) -> (Option<KeptRun>, Option<String>) {
        match self.ask(FilesCommand::Find) {
            Ok(FilesEvent::Found { run, note }) => (run, note),
            other => panic!("{other:?}"),
        }
    }

    /// The step that a visit would resume from.
    fn finds(&mut self) -> Option<u32> {
        self.find().0.map(|run| {
            assert!(!run.elsewhere);
            run.step
        })
    }

    fn take(&mut self) -> (DataSource, u32) {
        match self.ask(FilesCommand::Take) {
            Ok(FilesEvent::Taken { source, plan, snapshot }) => {
                assert_eq!(*plan, description(DataSource::Bars).plan);
                assert_eq!(snapshot.checkpoint, checkpoint(snapshot.step));
                (source, snapshot.step)
            }
            other => panic!("{other:?}"),
        }
    }
}

fn description(source: DataSource) -> RunDescription {
    let settings = Settings { seed: u64::MAX, ..Settings::default() };
    let plan =
        RunPlan { hidden: vec![8, 4], units: Units::Signs, start: Initialization::Gaussian { deviation: 0.1 + 0.2 }, settings };
    RunDescription { data: "Bars and <stripes>\n4 × 4".into(), sizes: vec![16, 8, 4], source, plan }
}

/// Longer or shorter with every step.
fn checkpoint(step: u32) -> Vec<u8> {
    (0..100 + 37 * (step % 5)).map(|i| (i * step) as u8).collect()
}

fn examples() -> DataSource {
    DataSource::Examples(EncodedData {
        name: "a\n<b>".into(),
        width: 12,
        packed: (0..=255).collect(),
        known: vec![b'\n'; 77],
        greys: vec![b'\n', 0, 255],
        grey_top: 255,
        image: Some((3, 4)),
        depth: 2,
        held_back: vec![9; 5],
        visible: Some(Visible::Bits { threshold: 0.5, read: PictureReading::PLAIN }),
        table: b"a,b\n1,?\n".to_vec(),
        reading: Box::default(),
        sha256: "00ff".into(),
    })
}

#[test]
fn any_data_come_back_as_they_were() {
    for source in [DataSource::Bars, DataSource::Digits { count: 10_000, seed: 1 }, examples()] {
        let machine = Machine::default();
        let mut tab = Tab::open(&machine, 1);
        assert_eq!(tab.find(), (None, None));
        tab.begin(source.clone());
        assert_eq!(machine.folders().len(), 0, "nothing is written before there is a checkpoint");
        for step in 1..=7 {
            assert_eq!(tab.keep(step), (Some(step), None));
        }
        tab.die();
        let mut next = Tab::open(&machine, 2);
        let (found, note) = next.find();
        let found = found.expect("a run");
        assert_eq!((found.data, found.sizes, found.step), (description(DataSource::Bars).data, vec![16, 8, 4], 7));
        assert_eq!((found.elsewhere, note), (false, None));
        assert_eq!(next.take(), (source, 7));
        // It continues in the same folder, and again after another death.
        assert_eq!(next.keep(8), (Some(8), None));
        next.die();
        assert_eq!(Tab::open(&machine, 3).finds(), Some(8));
        assert_eq!(machine.folders().len(), 1);
    }
}

#[test]
fn a_description_that_was_cut_or_has_more_than_it_should_is_refused() {
    let bytes = description(examples()).into_parts().expect("a description").concat();
    assert_eq!(RunDescription::from_bytes(&bytes), Some(description(examples())));
    for end in 0..bytes.len() {
        assert_eq!(RunDescription::from_bytes(&bytes[..end]), None, "{end}");
    }
    assert_eq!(RunDescription::from_bytes(&[&bytes[..], b"x"].concat()), None);
    // Earlier builds stored what the bits stand for as a string.
    let now = format!("\"visible\":{}", Visible::Bits { threshold: 0.5, read: PictureReading::PLAIN }.to_json());
    let (now, before) = (now.as_bytes(), &b"\"visible\":\"{\\\"Bits\\\":{\\\"threshold\\\":0.5}}\""[..]);
    let at = bytes.windows(now.len()).position(|part| part == now).expect("what the bits stand for");
    let old = [&bytes[..at], before, &bytes[at + now.len()..]].concat();
    assert_eq!(RunDescription::from_bytes(&old), Some(description(examples())));
    // The line of one kind of data with the fields of another.
    let text = String::from_utf8_lossy(&description(DataSource::Bars).into_parts().expect("a description").concat()).into_owned();
    assert_eq!(RunDescription::from_bytes(text.replace("\"follow\":[]", "\"follow\":[0]").as_bytes()), None);
    assert_eq!(RunDescription::from_bytes(text.replace("\"Bars\"", "\"Music\"").as_bytes()), None);
}

/// The power fails after every possible number of bytes: either the earlier state is found, or the one being written.
#[test]
fn whenever_the_power_goes_the_checkpoint_before_is_there() {
    for kept_before in [1, 2, 3, 6] {
        let whole = HEADER + checkpoint(kept_before + 1).len();
        for bytes in 0..=whole {
            let machine = Machine::default();
            let mut tab = Tab::open(&machine, 1);
            tab.begin(DataSource::Bars);
            for step in 1..=kept_before {
                assert_eq!(tab.keep(step), (Some(step), None));
            }
            machine.0.power.set(Some(bytes));
            let (step, trouble) = tab.keep(kept_before + 1);
            let expected = if bytes == whole { kept_before + 1 } else { kept_before };
            assert_eq!((step, trouble.is_some()), (Some(expected), bytes < whole));
            machine.0.power.set(None);
            tab.die();
            assert_eq!(Tab::open(&machine, 2).finds(), Some(expected), "{bytes} of {whole} bytes");
        }
    }
}

/// The same while a new run is written for the first time: at any moment one of the two can be found.
#[test]
fn whenever_the_power_goes_while_a_run_begins_the_one_before_is_there() {
    let machine = Machine::default();
    let mut tab = Tab::open(&machine, 1);
    tab.begin(examples());
    tab.keep(3);
    let files = machine.0.files.borrow().clone();
    let whole =
        description(DataSource::Bars).into_parts().expect("a description").concat().len() + 2 * HEADER + checkpoint(9).len();
    for bytes in 0..=whole {
        let machine = Machine::default();
        machine.0.files.replace(files.clone());
        let mut tab = Tab::open(&machine, 1);
        assert_eq!(tab.finds(), Some(3));
        tab.take();
        tab.keep(4);
        machine.0.power.set(Some(bytes));
        tab.begin(DataSource::Bars);
        let (step, _) = tab.keep(9);
        assert_eq!(step, (bytes == whole).then_some(9), "{bytes} of {whole} bytes");
        machine.0.power.set(None);
        tab.die();
        let mut next = Tab::open(&machine, 2);
        assert_eq!(next.finds(), Some(if bytes == whole { 9 } else { 4 }), "{bytes} of {whole} bytes");
        assert_eq!(machine.folders().len(), 1, "what was begun in vain is gone");
    }
}

proptest! {
    #[test]
    fn no_change_of_a_byte_and_no_mixture_goes_unnoticed(
        (body, other) in (proptest::collection::vec(any::<u8>(), 0..200), proptest::collection::vec(any::<u8>(), 0..200)),
        (number, step, written) in (any::<u64>(), any::<u32>(), 0.0..1e15),
        at in any::<proptest::sample::Index>(),
        flip in 1_u8..,
    ) {
        let label = FileLabel { number, step, written };
        let (first, second) = body.split_at(body.len() / 3);
        let file = [&checked_file::header(&label, &[first, second])[..], &body].concat();
        prop_assert_eq!(checked_file::open(file.clone()), Ok((label, body.clone())));
        prop_assert_eq!(checked_file::peek(&file), Some(label));
        let at = at.index(file.len());
        let mut flipped = file.clone();
        flipped[at] ^= flip;
        prop_assert_eq!(checked_file::open(flipped), Err(Damage::Incomplete));
        prop_assert_eq!(checked_file::open(file[..at].to_vec()), Err(Damage::Incomplete));
        // A newer file, written only partly over an older one.
        let older = [&checked_file::header(&FileLabel { number: number.wrapping_sub(1), ..label }, &[&other])[..], &other].concat();
        let mixed = [&file[..at], older.get(at..).unwrap_or_default()].concat();
        prop_assert_eq!(checked_file::open(mixed.clone()).is_ok(), mixed == file || mixed == older);
    }
}

#[test]
fn a_full_disk_leaves_the_last_checkpoint_and_is_written_again_when_there_is_room() {
    let machine = Machine::default();
    let mut tab = Tab::open(&machine, 1);
    // Not even the first fits.
    machine.0.room.set(Some(300));
    tab.begin(DataSource::Bars);
    let (step, trouble) = tab.keep(1);
    assert_eq!(step, None);
    let trouble = trouble.expect("a word");
    assert!(trouble.starts_with("The browser's storage is full: nothing of this run is saved so far."), "{trouble}");
    assert_eq!(machine.folders().len(), 0, "what was written in vain is gone");
    machine.0.room.set(None);
    for step in 2..=4 {
        assert_eq!(tab.keep(step), (Some(step), None));
    }
    let used: usize = machine.0.files.borrow().values().map(Vec::len).sum();
    machine.0.room.set(Some(used - 150));
    for step in [8, 13, 18] {
        let (kept, trouble) = tab.keep(step);
        assert_eq!(kept, Some(4));
        let trouble = trouble.expect("a word");
        assert!(trouble.starts_with("The browser's storage is full: the run is saved up to step 4."), "{trouble}");
        assert_eq!(Tab::open(&machine, 2).find().0.map(|run| (run.step, run.elsewhere)), Some((4, true)));
    }
    machine.0.room.set(None);
    assert_eq!(tab.keep(19), (Some(19), None));
    tab.die();
    assert_eq!(Tab::open(&machine, 2).finds(), Some(19));
}

#[test]
fn two_tabs_keep_a_run_each_and_neither_takes_the_others() {
    let machine = Machine::default();
    let mut first = Tab::open(&machine, 1);
    first.begin(DataSource::Bars);
    first.keep(5);
    let mut second = Tab::open(&machine, 2);
    let (found, _) = second.find();
    assert_eq!(found.map(|run| (run.step, run.elsewhere)), Some((5, true)));
    assert!(second.ask(FilesCommand::Take).is_err());
    second.begin(examples());
    second.keep(2);
    first.keep(6);
    assert_eq!(machine.folders().len(), 2);
    first.die();
    // The run of the closed tab can be resumed, in the other tab as well.
    assert_eq!(second.finds(), Some(6));
    let mut third = Tab::open(&machine, 3);
    assert_eq!(third.finds(), Some(6));
    assert_eq!(third.take(), (DataSource::Bars, 6));
    assert!(second.ask(FilesCommand::Take).is_err_and(|message| message.contains("Another tab has this run open")));
    assert_eq!(third.keep(7), (Some(7), None));
    second.die();
    third.die();
    let mut last = Tab::open(&machine, 4);
    assert_eq!(last.finds(), Some(7));
}

#[test]
fn of_one_tab_the_latest_run_is_kept_and_of_all_the_three_latest() {
    let machine = Machine::default();
    for tab in 1..=6 {
        let mut tab = Tab::open(&machine, tab);
        for run in 0..3 {
            tab.begin(DataSource::Digits { count: tab.number, seed: run });
            tab.keep(10 * tab.number + run);
        }
        assert_eq!(machine.folders().len(), 3.min(tab.number as usize));
        tab.die();
    }
    let mut next = Tab::open(&machine, 7);
    assert_eq!(next.finds(), Some(62));
    // A run that was only looked at is not lost to the next visit.
    next.take();
    next.begin(DataSource::Bars);
    next.keep(1);
    next.die();
    let mut next = Tab::open(&machine, 8);
    assert_eq!(next.finds(), Some(1));
    next.ask(FilesCommand::Forget { for_good: true }).expect("forgotten");
    assert_eq!(next.finds(), Some(62));
}

#[test]
fn what_is_deleted_is_not_offered_again_and_can_be_recalled_until_then() {
    let machine = Machine::default();
    let mut tab = Tab::open(&machine, 1);
    tab.begin(DataSource::Bars);
    tab.keep(5);
    tab.die();
    let mut tab = Tab::open(&machine, 2);
    assert_eq!(tab.finds(), Some(5));
    tab.ask(FilesCommand::Forget { for_good: false }).expect("deleted");
    // Another tab may open meanwhile, and deletes nothing.
    assert_eq!(Tab::open(&machine, 3).find().0.map(|run| run.elsewhere), Some(true));
    let Ok(FilesEvent::Found { run: Some(run), .. }) = tab.ask(FilesCommand::Recall) else { panic!("not recalled") };
    assert_eq!(run.step, 5);
    assert_eq!(Tab::open(&machine, 3).finds(), Some(5));
    tab.ask(FilesCommand::Forget { for_good: false }).expect("deleted");
    tab.die();
    assert_eq!(Tab::open(&machine, 3).find(), (None, None));
    assert_eq!(machine.folders().len(), 0);
}

/// How a file's bytes are damaged.
type Change = fn(&mut Vec<u8>);

#[test]
fn what_cannot_be_read_is_told_apart_and_said() {
    let kept = || {
        let machine = Machine::default();
        let mut tab = Tab::open(&machine, 1);
        tab.begin(examples());
        tab.keep(1);
        tab.keep(2);
        tab.die();
        machine
    };
    // One of two files is damaged: the other is found, one step older.
    let machine = kept();
    machine.change("run-1", "slot-1", |bytes| bytes[60] ^= 1);
    assert_eq!(Tab::open(&machine, 2).finds(), Some(1));
    let other_version = |bytes: &mut Vec<u8>| {
        bytes[8..12].copy_from_slice(&7_u32.to_le_bytes());
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&bytes[8..12]);
        hasher.update(&bytes[16..]);
        bytes[12..16].copy_from_slice(&hasher.finalize().to_le_bytes());
    };
    // Both, or the data. Files of another version stay where they are.
    let changes: [(Change, &str, usize); 2] = [(|bytes| bytes.truncate(55), "damaged", 0), (other_version, "another version", 1)];
    for (change, words, folders_left) in changes {
        for files in [&["slot-0", "slot-1"][..], &["head"]] {
            let machine = kept();
            files.iter().for_each(|file| machine.change("run-1", file, change));
            let (run, note) = Tab::open(&machine, 2).find();
            assert_eq!(run, None);
            assert!(note.is_some_and(|note| note.contains(words)));
            assert_eq!(machine.folders().len(), folders_left);
        }
    }
    // A version of data or settings that this build does not know, in a description of a known format.
    let machine = kept();
    let line = description(DataSource::Bars).into_parts().expect("a description").concat();
    let line = String::from_utf8_lossy(&line).replace("\"Bars\"", "\"Music\"").into_bytes();
    machine
        .change("run-1", "head", |bytes| *bytes = [&checked_file::header(&FileLabel::default(), &[&line])[..], &line].concat());
    assert_eq!(now(run_folder::read(&machine, "run-1")), Ok(FolderContents::OtherVersion));
}

#[test]
fn what_needs_a_run_is_refused_without_one_and_a_browser_without_locks_is_told_of() {
    let machine = Machine::default();
    let mut tab = Tab::open(&machine, 0);
    assert!(tab.find().1.is_some_and(|note| note.contains("one tab only")));
    assert!(tab.ask(FilesCommand::Keep(Snapshot { step: 1, checkpoint: vec![1] })).is_err());
    assert!(tab.ask(FilesCommand::Take).is_err());
    assert!(tab.ask(FilesCommand::Recall).is_err());
    assert_eq!(tab.ask(FilesCommand::Forget { for_good: true }), Ok(FilesEvent::Done));
    // Folders with other content do not count.
    now(machine.write("probe-7", "x", &[b"1"])).expect("written");
    assert_eq!(tab.find().0, None);
    assert_eq!(machine.folders(), ["probe-7"]);
}
