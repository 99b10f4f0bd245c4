//! Files of the visitor's: chosen, dropped, pasted or fetched; read by the second worker and shown before anything is trained on them.

use crate::actions;
use crate::state::{DataChoice, Offer, Reading, State, Tone, Upload};
use crate::worker::files::FilesLine;
use crate::worker::link::words;
use crate::worker::model_file;
use dbm_protocol::{DataSource, EncodingChoice, FilesCommand, FilesEvent, NamedBytes, Reply, UnderstoodKind};
use js_sys::futures::JsFuture;
use leptos::ev;
use leptos::prelude::*;
use std::cell::Cell;
use wasm_bindgen::JsCast;
use web_sys::{ClipboardEvent, DragEvent, File, FileList, HtmlElement};

/// More than this is not read: MAX_DATA of the second worker.
const LARGEST: f64 = 1024.0 * 1024.0 * 1024.0;
/// More than this is read only after a word about what it takes: 70 000 x 784 bytes are less.
const LARGE: f64 = 64.0 * 1024.0 * 1024.0;
/// Share of the known cells that a table's preview offers to hold back.
const HELD_BACK: f64 = 0.1;

/// What the fetched digits are called.
pub const MNIST: &str = "MNIST";

thread_local! {
    /// Whether a look has been asked for.
    static LOOKING: Cell<bool> = const { Cell::new(false) };
    /// Counts what was brought or cancelled: files that the browser hands over after that are not read.
    static TURN: Cell<u32> = const { Cell::new(0) };
    static READER: FilesLine = FilesLine::new("dbm-reader");
}

/// Takes files in: a model is opened, anything else is read as one data set.
pub fn take(state: State, files: &FileList) {
    let files: Vec<File> = (0..files.length()).filter_map(|place| files.get(place)).collect();
    if files.is_empty() {
        return state.say(Tone::Error, "Nothing that can be read was dropped; drop files: tables, arrays, pictures or a model.");
    }
    let size: f64 = files.iter().map(|file| file.size()).sum();
    let megabytes = size / 1024.0 / 1024.0;
    if size > LARGEST {
        return state.say(
            Tone::Error,
            format!("These files have {megabytes:.0} MiB; at most 1024 can be read here. Use a part of them."),
        );
    }
    if size > LARGE {
        state.say(
            Tone::News,
            format!(
                "{megabytes:.0} MiB are being read: about {:.0} s on a common machine, and up to {:.1} GB of memory meanwhile. Cancel is \
                 beside the data set.",
                (megabytes / 40.0).ceil(),
                size * 4.0 / 1e9
            ),
        );
    }
    give_way(state);
    state.reading.set(Some(Reading::default()));
    let turn = next_turn();
    leptos::task::spawn_local(async move {
        let mut read = Vec::new();
        for file in files {
            let buffer = JsFuture::from(file.array_buffer()).await;
            if TURN.get() != turn {
                return;
            }
            match buffer {
                Ok(buffer) => read.push(NamedBytes { name: file.name(), bytes: js_sys::Uint8Array::new(&buffer).to_vec() }),
                Err(problem) => {
                    state.reading.set(None);
                    let why = words(&problem);
                    return state.say(Tone::Error, format!("“{}” could not be read: {why}. Choose it again.", file.name()));
                }
            }
        }
        match &read[..] {
            [one] if model_file::is_model(&one.bytes) => {
                state.reading.set(None);
                model_file::open(state, one.name.clone(), std::mem::take(&mut read[0].bytes));
            }
            _ => read_data(state, read),
        }
    });
}

fn next_turn() -> u32 {
    TURN.set(TURN.get().wrapping_add(1));
    TURN.get()
}

fn read_data(state: State, files: Vec<NamedBytes>) {
    read_by(state, FilesCommand::Read { files, tile: None });
}

/// Reads what an address gives.
pub fn fetch(state: State, address: String) {
    read_by(state, FilesCommand::Fetch { address });
}

fn read_by(state: State, command: FilesCommand) {
    ask(state, command, move |event| {
        if let FilesEvent::Understood(about) = event {
            let hold_back = matches!(about.kind, UnderstoodKind::Table { .. }) && about.look.share_missing > 0.0;
            let encoding = about.encoding.clone();
            state.offer.set(Some(Offer { about: *about, encoding, hold_back }));
        }
    });
}

/// MNIST, with no question asked: it is known what is in it.
pub fn mnist(state: State) {
    give_way(state);
    let here = state.uploads.with_untracked(|uploads| uploads.iter().position(|upload| upload.name == MNIST));
    if let Some(place) = here {
        return actions::use_data(state, DataChoice::Upload(place));
    }
    state.choice.set(DataChoice::Mnist);
    ask(state, FilesCommand::FetchMnist, move |event| {
        if let FilesEvent::Understood(about) = event {
            encode(state, about.encoding, 0.0, Some(MNIST));
        }
    });
}

/// Has some of the offered data made binary otherwise. One look is asked for at a time: of the moves of a slider meanwhile only the last counts.
pub fn look(state: State, encoding: EncodingChoice) {
    state.offer.update(|offer| {
        if let Some(offer) = offer {
            offer.encoding = encoding.clone();
        }
    });
    if LOOKING.replace(true) {
        return;
    }
    let command = FilesCommand::Preview { encoding: encoding.clone() };
    let then = move |answer, _| {
        LOOKING.set(false);
        match answer {
            Ok(Reply::Answer(FilesEvent::Preview(look))) => state.offer.update(|offer| {
                if let Some(offer) = offer {
                    offer.about.look = look;
                }
            }),
            Ok(_) => {}
            Err(why) => state.say(Tone::Error, why),
        }
        let latest = state.offer.with_untracked(|offer| offer.as_ref().map(|offer| offer.encoding.clone()));
        if let Some(latest) = latest.filter(|latest| *latest != encoding) {
            look(state, latest);
        }
    };
    READER.with(|reader| reader.ask(command, None, then));
}

/// Takes the offered data into use.
pub fn accept(state: State) {
    let Some(Offer { encoding, hold_back, .. }) = state.offer.get_untracked() else { return };
    state.offer.set(None);
    encode(state, encoding, if hold_back { HELD_BACK } else { 0.0 }, None);
}

/// Has all of it made binary and takes it into use, under another name than the files' where one is given.
fn encode(state: State, encoding: EncodingChoice, hold_back: f64, name: Option<&'static str>) {
    ask(state, FilesCommand::Encode { encoding, hold_back }, move |event| {
        if let FilesEvent::Encoded(mut encoded) = event {
            if let Some(name) = name {
                encoded.name = name.into();
            }
            actions::use_upload(state, Upload { name: encoded.name.clone(), source: DataSource::Examples(encoded) });
        }
    });
}

/// Asks the reader for something that may take long; shows progress meanwhile, and what went wrong.
fn ask(state: State, command: FilesCommand, mut then: impl FnMut(FilesEvent) + 'static) {
    state.offer.set(None);
    state.reading.set(Some(Reading::default()));
    READER.with(|reader| {
        reader.ask(command, None, move |answer, _| match answer {
            Ok(Reply::Progress { stage, done, total }) => {
                state.reading.set(Some(Reading { stage, done: done.into(), total: total.into() }))
            }
            Ok(Reply::Answer(event)) => {
                state.reading.set(None);
                then(event);
            }
            Ok(_) => {}
            Err(why) => {
                state.reading.set(None);
                state.choice.set(state.choice_in_use.get_untracked());
                state.say(Tone::Error, why);
            }
        });
    });
}

/// Asks for a file to take home.
pub fn write(state: State, command: FilesCommand, then: impl FnMut(FilesEvent) + 'static) {
    let mut then = then;
    READER.with(|reader| {
        reader.ask(command, None, move |answer, _| match answer {
            Ok(Reply::Answer(event)) => then(event),
            Ok(_) => {}
            Err(why) => state.say(Tone::Error, why),
        });
    });
}

/// Stops what is being read, if anything is, in favour of what the visitor chose after it.
pub fn give_way(state: State) {
    if state.reading.with_untracked(Option::is_some) {
        cancel(state);
    }
}

/// Stops reading; what is in use stays.
pub fn cancel(state: State) {
    next_turn();
    READER.with(FilesLine::end);
    LOOKING.set(false);
    state.reading.set(None);
    state.offer.set(None);
    state.choice.set(state.choice_in_use.get_untracked());
}

/// Lets files be dropped anywhere on the page, and files or text be pasted.
pub fn accept_drops(state: State) {
    let carries_files = |event: &DragEvent| {
        event
            .data_transfer()
            .is_some_and(|transfer| transfer.types().iter().any(|kind| kind.as_string().as_deref() == Some("Files")))
    };
    let over = move |event: DragEvent| {
        if carries_files(&event) {
            event.prevent_default();
            if !state.dragging.get_untracked() {
                state.dragging.set(true);
            }
        }
    };
    let leave = move |event: DragEvent| {
        // Between two elements of the page there is a related target; outside there is none.
        if event.related_target().is_none() {
            state.dragging.set(false);
        }
    };
    let drop = move |event: DragEvent| {
        state.dragging.set(false);
        if !carries_files(&event) {
            return;
        }
        event.prevent_default();
        if let Some(files) = event.data_transfer().and_then(|transfer| transfer.files()) {
            take(state, &files);
        }
    };
    let paste = move |event: ClipboardEvent| {
        let typing = event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok());
        let Some(clipboard) = event.clipboard_data().filter(|_| typing.is_none_or(|target| target.tag_name() != "INPUT")) else {
            return;
        };
        match clipboard.files().filter(|files| files.length() > 0) {
            Some(files) => take(state, &files),
            None => match clipboard.get_data("text/plain").unwrap_or_default() {
                text if text.contains('\n') => {
                    give_way(state);
                    read_data(state, vec![NamedBytes { name: "pasted table".into(), bytes: text.into_bytes() }]);
                }
                _ => return,
            },
        }
        event.prevent_default();
    };
    let _ = window_event_listener(ev::dragover, over);
    let _ = window_event_listener(ev::dragleave, leave);
    let _ = window_event_listener(ev::drop, drop);
    let _ = window_event_listener(ev::paste, paste);
}

/// The address that the page was opened with: `?data=…`.
pub fn asked_address() -> Option<String> {
    let search = window().location().search().ok()?;
    let pairs = web_sys::UrlSearchParams::new_with_str(&search).ok()?;
    pairs.get("data").filter(|address| !address.is_empty())
}
