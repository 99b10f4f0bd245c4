//! The data that the model is trained on: chosen, uploaded, shown.

mod gaps;
mod preview;

use crate::canvas::shape::Shape;
use crate::canvas::{shows, tiles};
use crate::ui::progress::ProgressBar;
use crate::ui::select::{Select, SelectOption};
use crate::worker::session::{DataChoice, Session, Upload};
use crate::worker::uploads::Uploads;
use dbm_protocol::{DataSource, Greys, Grid};
pub use gaps::{Gaps, GapsPanel};
use leptos::html::Canvas;
use leptos::prelude::*;
pub use preview::Preview;

/// Pictures in the preview.
const PREVIEW: usize = 10;

/// The longest line about data, apart from names.
const LONGEST: &str = "60000 examples, 10000 bits, shown as 100 × 100, 50.0 % ones, 100000 bits missing, drawn at every visit";

/// Select, file input and preview.
#[component]
pub fn Data() -> impl IntoView {
    let (session, uploads) = (Session::of_page(), Uploads::of_page());
    let canvas = NodeRef::<Canvas>::new();
    let preview = move || {
        let preview = session.sets.data.get()?.preview;
        Some(Grid { count: preview.count.min(PREVIEW as u32), ..preview })
    };
    shows(canvas, preview, |surface, colours, preview| tiles(surface, colours, &preview, PREVIEW));
    let choose = move |name: String| {
        uploads.choose(DataChoice::named(&name).unwrap_or_else(|| DataChoice::Upload(name.parse().unwrap_or_default())));
    };
    let value = move || match session.sets.choice.get() {
        DataChoice::Upload(place) => place.to_string(),
        known => known.name().to_string(),
    };
    let options = Signal::derive(move || {
        let known = [
            ("digits", "Generated digits"),
            ("bars", "Bars and stripes 4 × 4"),
            ("mnist", "MNIST, fetched (10 MB)"),
            ("survey", "A survey with gaps (invented)"),
        ];
        let known = known.map(|(value, label)| SelectOption::new(value, label)).into_iter();
        let line = |(place, upload): (usize, Upload)| SelectOption::new(place.to_string(), upload.name);
        known.chain(session.sets.uploads.get().into_iter().enumerate().map(line)).collect::<Vec<_>>()
    });
    let about = move || {
        if session.sets.loading.get() {
            return "Reading the data …".to_string();
        }
        session.sets.data.get().map_or_else(String::new, |data| {
            let shape = Shape::of_grid(&data.preview);
            let bits = if shape.depth > 1 { format!(" of {} bits", shape.depth) } else { String::new() };
            let layout = match data.image {
                Some(_) => format!("{} × {}{bits}", shape.rows, shape.columns),
                None if shape.wrapped => format!("{} bits, shown as {} × {}", data.width, shape.rows, shape.columns),
                None => format!("{} bits", data.width),
            };
            let missing = if data.missing > 0 { format!(", {} bits missing", data.missing) } else { String::new() };
            let redrawn = if data.redrawn { ", drawn at every visit" } else { "" };
            format!("{} examples, {layout}, {:.1} % ones{missing}{redrawn}", data.count, 100.0 * data.share_of_ones)
        })
    };
    // Of an upload, so that it can be compared with what `dbm read` says.
    let hash = move || {
        let DataChoice::Upload(place) = session.sets.choice_in_use.get() else { return None };
        session.sets.uploads.with(|uploads| match &uploads.get(place)?.source {
            DataSource::Examples(encoded) if !encoded.sha256.is_empty() => Some(encoded.sha256.clone()),
            _ => None,
        })
    };
    let height = move || {
        let shape = session.sets.data.with(|data| data.as_ref().map(|data| Shape::of_grid(&data.preview)));
        shape.unwrap_or_else(|| Shape::of((28, 28), Greys::default())).ratio(PREVIEW, 1)
    };
    view! {
        <div class="data" data-tour="data">
            <div class="stacked">
                <Select
                    id="data-set"
                    label="Data set"
                    help="What the model learns. Another choice starts a new run; Undo restores the previous one."
                    options
                    value
                    on_choose=choose
                    disabled=Signal::derive(move || session.sets.loading.get())
                />
            </div>
            <canvas
                node_ref=canvas
                class="preview"
                style:aspect-ratio=height
                role="img"
                aria-label="The first examples of the data"
            ></canvas>
            <p class="figures-text" role="status" data-longest=LONGEST>
                <span>{about}</span>
            </p>
            <p class="figures-text hash" data-longest=" ">
                <span title=hash>{move || hash().map_or_else(String::new, |hash| format!("SHA-256 {} …", &hash[..hash.len().min(16)]))}</span>
            </p>
            {bring()}
        </div>
    }
}

/// What can be uploaded.
const FORMATS: &str = "Tables (CSV, TSV, ARFF, rows of JSON), arrays (NPY, NPZ, IDX), pictures (PNG, JPEG, a sheet, many, a folder, or a zip). You can also drop or paste them anywhere. Nothing is trained until you have seen how they were read.";

/// The upload of the visitor's files.
fn bring() -> impl IntoView {
    let uploads = Uploads::of_page();
    view! {
            <div class="upload">
                <label for="upload" data-help=FORMATS>"Upload data set"</label>
                <input
                    id="upload"
                    type="file"
                    multiple
                    aria-describedby="upload-help"
                    on:change=move |event| uploads.take_chosen(&event_target(&event))
                />
            </div>
            <div class="upload-line">
                <p id="upload-help" class="help" class:absent=move || uploads.reading.with(Option::is_some)>
                    "A table, an array or pictures; they stay in this tab."
                </p>
                {reading_line()}
            </div>
    }
}

/// Files being read, with a way to stop.
fn reading_line() -> impl IntoView {
    let uploads = Uploads::of_page();
    let progress = move || uploads.reading.get().unwrap_or_default();
    let parts = Signal::derive(move || (progress().done, progress().total));
    view! {
        <Show when=move || uploads.reading.with(Option::is_some)>
            <div class="reading" role="status">
                <p class="figures-text">
                    {move || {
                        let stage = progress().stage;
                        if stage.is_empty() { "Reading the files …".into() } else { stage }
                    }}
                </p>
                <ProgressBar label="Files read" parts busy=true on_cancel=move |()| uploads.cancel() />
            </div>
        </Show>
    }
}
