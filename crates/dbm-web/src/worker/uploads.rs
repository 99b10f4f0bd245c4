//! The visitor's files: chosen, dropped, pasted or fetched, then read by the worker for files and shown before anything is
//! trained on them.

use super::client::{Failure, RequestProgress};
use super::session::{DataChoice, Session, Upload, is_model};
use crate::ui::problem::words;
use dbm_protocol::{DataSource, Encoding, FilesCommand, FilesEvent, NamedBytes, Understood, UnderstoodKind};
use js_sys::Uint8Array;
use js_sys::futures::JsFuture;
use leptos::prelude::*;
use web_sys::{File, FileList, HtmlInputElement};

/// Larger files are not read: MAX_DATA of the worker for files.
const LARGEST: f64 = 1024.0 * 1024.0 * 1024.0;
/// Larger files are read only after a warning about what that takes: 70 000 x 784 bytes are less.
const LARGE: f64 = 64.0 * 1024.0 * 1024.0;
/// Share of the known cells that a table's preview offers to hold back.
const HELD_BACK: f64 = 0.1;

/// Name of the fetched digits.
pub const MNIST: &str = "MNIST";

/// Data that were read, shown before anything is trained on them.
#[derive(Clone, Debug, PartialEq)]
pub struct PendingUpload {
    /// How the files were understood.
    pub about: Understood,
    /// How they will be made binary.
    pub encoding: Encoding,
    /// Whether some known cells of a table are held back from training.
    pub hold_back: bool,
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
        let notices = self.session.notices;
        let files: Vec<File> = (0..files.length()).filter_map(|place| files.get(place)).collect();
        if files.is_empty() {
            return notices.error("Nothing readable was dropped; drop files: tables, arrays, pictures or a model.");
        }
        let size: f64 = files.iter().map(|file| file.size()).sum();
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

    async fn read_files(self, files: Vec<File>) -> Result<(), Failure> {
        let turn = self.next_turn();
        let mut read = Vec::new();
        for file in files {
            let buffer = JsFuture::from(file.array_buffer()).await;
            if self.turn.get_value() != turn {
                return Ok(());
            }
            match buffer {
                Ok(buffer) => read.push(NamedBytes { name: file.name(), bytes: Uint8Array::new(&buffer).to_vec() }),
                Err(problem) => {
                    self.reading.set(None);
                    let why = words(&problem);
                    return Err(Failure::Refused(format!("“{}” could not be read: {why}. Choose it again.", file.name())));
                }
            }
        }
        match &mut read[..] {
            [one] if is_model(&one.bytes) => {
                self.reading.set(None);
                self.session.open_model(one.name.clone(), std::mem::take(&mut one.bytes)).await
            }
            _ => self.read(FilesCommand::Read { files: read, tile: None }).await,
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
        self.session.perform(self.read(FilesCommand::Read { files, tile: None }));
    }

    /// Reads the data at an address.
    pub fn fetch(self, address: String) {
        self.session.perform(self.read(FilesCommand::Fetch(address)));
    }

    async fn read(self, command: FilesCommand) -> Result<(), Failure> {
        if let FilesEvent::Understood(about) = self.ask(command).await? {
            let hold_back = matches!(about.kind, UnderstoodKind::Table { .. }) && about.look.share_missing > 0.0;
            let encoding = about.encoding.clone();
            self.offer.set(Some(PendingUpload { about: *about, encoding, hold_back }));
        }
        Ok(())
    }

    /// Puts a data set of the list into use; fetches MNIST if it is not among the uploads.
    pub fn choose(self, choice: DataChoice) {
        self.give_way();
        if choice == DataChoice::Mnist {
            self.session.perform(self.use_mnist());
        } else {
            self.session.perform(self.session.use_data(choice));
        }
    }

    /// Uses MNIST without asking: what it contains is known.
    async fn use_mnist(self) -> Result<(), Failure> {
        let here = self.session.sets.uploads.with_untracked(|uploads| uploads.iter().position(|upload| upload.name == MNIST));
        if let Some(place) = here {
            return self.session.use_data(DataChoice::Upload(place)).await;
        }
        self.session.sets.choice.set(DataChoice::Mnist);
        match self.ask(FilesCommand::FetchMnist).await? {
            FilesEvent::Understood(about) => self.encode(about.encoding, 0.0, Some(MNIST)).await,
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

    /// Puts the offered data into use.
    pub fn accept(self) {
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
