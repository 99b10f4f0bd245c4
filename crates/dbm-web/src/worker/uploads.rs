//! The visitor's files: chosen, dropped, pasted or fetched, then read by the worker for files and shown before anything is
//! trained on them.

use super::client::{Failure, RequestProgress};
use super::session::{DataChoice, Session, Upload, is_model};
use crate::ui::problem::words;
use dbm_protocol::{
    Change, DataSource, Doubt, Encoding, FilesCommand, FilesEvent, NamedBytes, Reading, Understood, UnderstoodKind,
};
use js_sys::Uint8Array;
use js_sys::futures::JsFuture;
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{File, FileList, HtmlElement, HtmlInputElement};

/// Larger files are not read: MAX_DATA of the worker for files.
const LARGEST: f64 = 1024.0 * 1024.0 * 1024.0;
/// Larger files are read only after a warning about what that takes: 70 000 x 784 bytes are less.
const LARGE: f64 = 64.0 * 1024.0 * 1024.0;
/// Share of the known cells that a table's preview offers to hold back.
const HELD_BACK: f64 = 0.1;

/// Name of the fetched digits.
pub const MNIST: &str = "MNIST";
/// Name of the sample table.
const SURVEY: &str = "survey.csv";

/// Data that were read, shown before anything is trained on them.
#[derive(Clone, Debug, PartialEq)]
pub struct PendingUpload {
    /// How the files were understood.
    pub about: Understood,
    /// How they will be made binary.
    pub encoding: Encoding,
    /// Whether some known cells of a table are held back from training.
    pub hold_back: bool,
    /// What the visitor said about how the files are read, in the order in which it was said.
    pub said: Vec<Correction>,
    /// Every doubt there has been, so that none moves while others are answered.
    pub doubts: Vec<Doubt>,
    /// Why the last correction could not be made.
    pub trouble: Option<String>,
    /// Counts the readings.
    pub version: u32,
}

/// One thing that the visitor said about how files are read.
#[derive(Clone, Debug, PartialEq)]
pub enum Correction {
    /// A change of the kind that a doubt offers.
    Change(Change),
    /// A setting of the table of readings, by name, as text.
    Setting(&'static str, String),
}

impl Correction {
    /// Whether both say something about the same: the later one holds.
    fn is_about(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Setting(one, _), Self::Setting(another, _)) => one == another,
            (
                Self::Change(Change::Kind(one, _) | Change::Levels(one, _)),
                Self::Change(Change::Kind(another, _) | Change::Levels(another, _)),
            ) => one == another,
            (Self::Change(Change::Missing(columns, word)), Self::Change(Change::Known(column, other)))
            | (Self::Change(Change::Known(column, other)), Self::Change(Change::Missing(columns, word))) => {
                word == other && columns.iter().all(|name| name == column)
            }
            _ => self == other,
        }
    }
}

impl PendingUpload {
    /// The files were read in another way: thresholds and bits that still make sense stay.
    fn reread(&mut self, about: Understood) {
        let Encoding { bits, coding, binarization, .. } = self.encoding;
        let mut columns = about.encoding.columns.clone();
        for (name, threshold) in &mut columns {
            if let Some(set) = self.encoding.columns.get(name).filter(|set| Some(*set) != self.about.encoding.columns.get(name)) {
                *threshold = *set;
            }
        }
        self.encoding = Encoding { bits, coding, binarization, columns, ..about.encoding.clone() };
        for doubt in &about.doubts {
            if !self.doubts.iter().any(|known| known.change == doubt.change) {
                self.doubts.push(doubt.clone());
            }
        }
        (self.about, self.trouble) = (about, None);
        self.version += 1;
    }
}

/// What is being read, and what was read and awaits the visitor's decision: a handle that lives as long as the page.
#[derive(Clone, Copy)]
pub struct Uploads {
    session: Session,
    /// How far the reading of files has come, while it is under way.
    pub reading: RwSignal<Option<RequestProgress>>,
    /// Data that were read and not yet accepted.
    pub offer: RwSignal<Option<PendingUpload>>,
    /// Whether a preview has been requested.
    previewing: StoredValue<bool>,
    /// Corrections that are being made, and whether their result has been accepted already.
    correcting: StoredValue<u32>,
    accepted: StoredValue<bool>,
    /// The control of the preview that was used last, by its id: it keeps the focus when the preview is drawn again.
    focus: StoredValue<Option<String>>,
    /// Counts uploads and cancellations: files that the browser delivers after a later one are not read.
    turn: StoredValue<u32>,
}

impl Uploads {
    /// Nothing is read yet.
    pub fn new(session: Session) -> Self {
        Self {
            session,
            reading: RwSignal::default(),
            offer: RwSignal::default(),
            previewing: StoredValue::new(false),
            correcting: StoredValue::new(0),
            accepted: StoredValue::new(false),
            focus: StoredValue::new(None),
            turn: StoredValue::new(0),
        }
    }

    /// The one that belongs to the page.
    pub fn of_page() -> Self {
        expect_context()
    }

    /// Takes the files chosen in this element and clears it, so that the same file can be chosen again.
    pub fn take_chosen(self, input: &HtmlInputElement) {
        if let Some(files) = input.files().filter(|files| files.length() > 0) {
            self.take(&files);
        }
        input.set_value("");
    }

    /// Takes files in: a model is opened, anything else is read as one data set.
    pub fn take(self, files: &FileList) {
        self.take_named((0..files.length()).filter_map(|place| files.get(place)).map(|file| (file.name(), file)).collect());
    }

    /// The same once they are found.
    pub fn take_later(self, files: impl Future<Output = Result<Vec<(String, File)>, JsValue>> + 'static) {
        self.session.perform(async move {
            let turn = self.next_turn();
            match files.await {
                Ok(files) if self.turn.get_value() == turn => self.take_named(files),
                Ok(_) => {}
                Err(problem) => {
                    let why = words(&problem);
                    return Err(Failure::Refused(format!("The folder could not be read: {why}. Drop its files.")));
                }
            }
            Ok(())
        });
    }

    /// The same with their names, or their paths in a folder.
    fn take_named(self, files: Vec<(String, File)>) {
        let notices = self.session.notices;
        if files.is_empty() {
            return notices.error("Nothing readable was dropped; drop files or a folder: tables, arrays, pictures or a model.");
        }
        let size: f64 = files.iter().map(|(_, file)| file.size()).sum();
        let megabytes = size / 1024.0 / 1024.0;
        if size > LARGEST {
            return notices
                .error(format!("These files have {megabytes:.0} MiB; at most 1024 can be read here. Use a part of them."));
        }
        if size > LARGE {
            notices.news(format!(
                "Reading {megabytes:.0} MiB: about {:.0} s on a typical machine, with up to {:.1} GB of memory. Cancel is next to the data set.",
                (megabytes / 40.0).ceil(),
                size * 4.0 / 1e9
            ));
        }
        self.give_way();
        self.reading.set(Some(RequestProgress::default()));
        self.session.perform(self.read_files(files));
    }

    async fn read_files(self, files: Vec<(String, File)>) -> Result<(), Failure> {
        let turn = self.next_turn();
        let mut read = Vec::new();
        for (name, file) in files {
            let buffer = JsFuture::from(file.array_buffer()).await;
            if self.turn.get_value() != turn {
                return Ok(());
            }
            match buffer {
                Ok(buffer) => read.push(NamedBytes { name, bytes: Uint8Array::new(&buffer).to_vec() }),
                Err(problem) => {
                    self.reading.set(None);
                    let why = words(&problem);
                    return Err(Failure::Refused(format!("“{name}” could not be read: {why}. Choose it again.")));
                }
            }
        }
        match &mut read[..] {
            [one] if is_model(&one.bytes) => {
                self.reading.set(None);
                self.session.open_model(one.name.clone(), std::mem::take(&mut one.bytes)).await
            }
            _ => self.read(FilesCommand::Read { files: read, reading: Box::default() }).await,
        }
    }

    fn next_turn(self) -> u32 {
        self.turn.update_value(|turn| *turn = turn.wrapping_add(1));
        self.turn.get_value()
    }

    /// Reads a pasted table.
    pub fn take_text(self, text: String) {
        self.give_way();
        let files = vec![NamedBytes { name: "pasted table".into(), bytes: text.into_bytes() }];
        self.session.perform(self.read(FilesCommand::Read { files, reading: Box::default() }));
    }

    /// Reads the data at an address.
    pub fn fetch(self, address: String) {
        self.session.perform(self.read(FilesCommand::Fetch(address)));
    }

    async fn read(self, command: FilesCommand) -> Result<(), Failure> {
        if let FilesEvent::Understood(about) = self.ask(command).await? {
            let hold_back = matches!(about.kind, UnderstoodKind::Table { .. }) && about.look.share_missing > 0.0;
            let encoding = about.encoding.clone();
            let doubts = about.doubts.clone();
            let offer = PendingUpload { about: *about, encoding, hold_back, said: Vec::new(), doubts, trouble: None, version: 0 };
            self.offer.set(Some(offer));
        }
        Ok(())
    }

    /// Gives the focus back to the control that was used last.
    pub fn refocus(self) {
        let control = self.focus.get_value().and_then(|id| document().get_element_by_id(&id));
        if let Some(control) = control.and_then(|control| control.dyn_into::<HtmlElement>().ok()) {
            let _ = control.focus();
        }
    }

    /// Has the offered files read again, with this correction; saying it a second time takes it back.
    pub fn correct(self, correction: Correction) {
        self.focus.set_value(document().active_element().map(|control| control.id()).filter(|id| !id.is_empty()));
        let Some(mut said) = self.offer.with_untracked(|offer| offer.as_ref().map(|offer| offer.said.clone())) else { return };
        let before: Vec<Correction> = said.iter().filter(|other| other.is_about(&correction)).cloned().collect();
        said.retain(|other| !other.is_about(&correction));
        if !before.contains(&correction) {
            said.push(correction.clone());
        }
        let mut reading = Reading::default();
        for correction in &said {
            match correction {
                Correction::Change(change) => reading.correct(change),
                Correction::Setting(name, text) if !text.is_empty() => {
                    if let Err(expected) = reading.say(name, text) {
                        return self
                            .change_offer(|offer| offer.trouble = Some(format!("Expected {expected}, but got “{text}”.")));
                    }
                }
                Correction::Setting(..) => {}
            }
        }
        // At once: another correction may come before the answer to this one.
        self.change_offer(|offer| offer.said = said);
        self.correcting.update_value(|count| *count += 1);
        self.session.perform(async move {
            let answer = self.session.reader.ask(FilesCommand::Reread(Box::new(reading))).await;
            self.correcting.update_value(|count| *count -= 1);
            let refused = matches!(answer, Err(Failure::Refused(_)));
            self.change_offer(|offer| match answer {
                Ok(FilesEvent::Understood(about)) => offer.reread(*about),
                Err(Failure::Refused(why)) => {
                    offer.said.retain(|other| !other.is_about(&correction));
                    offer.said.extend(before);
                    offer.trouble = Some(why);
                }
                _ => {}
            });
            if self.correcting.get_value() == 0 && self.accepted.try_update_value(std::mem::take) == Some(true) && !refused {
                self.accept();
            }
            Ok(())
        });
    }

    /// Puts a data set of the list into use; fetches it if it is not at hand.
    pub fn choose(self, choice: DataChoice) {
        self.give_way();
        match choice {
            DataChoice::Mnist => self.session.perform(self.use_fetched(choice, FilesCommand::FetchMnist, MNIST)),
            DataChoice::Survey => {
                self.session.perform(self.use_fetched(choice, FilesCommand::Fetch("./data/survey.csv".into()), SURVEY));
            }
            _ => self.session.perform(self.session.use_data(choice)),
        }
    }

    /// Uses fetched data without asking: what they contain is known.
    async fn use_fetched(self, choice: DataChoice, command: FilesCommand, name: &'static str) -> Result<(), Failure> {
        let here = self.session.sets.uploads.with_untracked(|uploads| uploads.iter().position(|upload| upload.name == name));
        if let Some(place) = here {
            return self.session.use_data(DataChoice::Upload(place)).await;
        }
        self.session.sets.choice.set(choice);
        match self.ask(command).await? {
            FilesEvent::Understood(about) => self.encode(about.encoding, 0.0, Some(name)).await,
            _ => Ok(()),
        }
    }

    /// Makes part of the offered data binary in another way. Only one preview is requested at a time, so of a slider's moves in
    /// the meantime only the last counts.
    pub fn preview(self, encoding: Encoding) {
        self.change_offer(|offer| offer.encoding = encoding);
        if !self.previewing.get_value() {
            self.previewing.set_value(true);
            self.session.perform(async move {
                let previewed = self.preview_latest().await;
                self.previewing.set_value(false);
                previewed
            });
        }
    }

    /// Requests previews until one arrives for the latest encoding.
    async fn preview_latest(self) -> Result<(), Failure> {
        let latest = || self.offer.with_untracked(|offer| offer.as_ref().map(|offer| offer.encoding.clone()));
        loop {
            let Some(encoding) = latest() else { return Ok(()) };
            let answer = self.session.reader.ask(FilesCommand::Preview(encoding.clone())).await;
            let is_latest = latest().is_none_or(|latest| latest == encoding);
            match answer {
                Ok(FilesEvent::Preview(look)) => self.change_offer(|offer| offer.about.look = look),
                Err(failure) if is_latest => return Err(failure),
                _ => {}
            }
            if is_latest {
                return Ok(());
            }
        }
    }

    /// Changes the offer, if there is one.
    pub fn change_offer(self, change: impl FnOnce(&mut PendingUpload)) {
        self.offer.update(|offer| {
            if let Some(offer) = offer {
                change(offer);
            }
        });
    }

    /// Puts the offered data into use, once the corrections under way are made.
    pub fn accept(self) {
        if self.correcting.get_value() > 0 {
            return self.accepted.set_value(true);
        }
        let Some(PendingUpload { encoding, hold_back, .. }) = self.offer.get_untracked() else { return };
        self.offer.set(None);
        self.session.perform(self.encode(encoding, if hold_back { HELD_BACK } else { 0.0 }, None));
    }

    /// Makes all of it binary and puts it into use, under another name than the files' if one is given.
    async fn encode(self, encoding: Encoding, hold_back: f64, name: Option<&'static str>) -> Result<(), Failure> {
        let FilesEvent::Encoded(mut encoded) = self.ask(FilesCommand::Encode { encoding, hold_back }).await? else {
            return Ok(());
        };
        if let Some(name) = name {
            encoded.name = name.into();
        }
        self.session.use_upload(Upload { name: encoded.name.clone(), source: DataSource::Examples(encoded) }).await
    }

    /// Sends the reader a request that may take long, and shows its progress.
    async fn ask(self, command: FilesCommand) -> Result<FilesEvent, Failure> {
        self.offer.set(None);
        self.reading.set(Some(RequestProgress::default()));
        let answer = self.session.reader.ask_long(command, move |progress| self.reading.set(Some(progress))).await;
        match &answer {
            Ok(_) => self.reading.set(None),
            // Whoever ended the worker may have begun to read something else.
            Err(Failure::Ended) => {}
            Err(_) => self.stop(),
        }
        answer
    }

    /// Stops any reading in progress, in favour of what the visitor chose after it.
    pub fn give_way(self) {
        if self.reading.with_untracked(Option::is_some) {
            self.cancel();
        }
    }

    /// Stops reading; the data in use stay.
    pub fn cancel(self) {
        self.next_turn();
        self.session.reader.end();
        self.offer.set(None);
        self.stop();
    }

    fn stop(self) {
        self.reading.set(None);
        self.session.sets.choice.set(self.session.sets.choice_in_use.get_untracked());
    }
}
