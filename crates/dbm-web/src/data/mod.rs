//! What the model is trained on: chosen, uploaded, shown.

pub mod gaps;
pub mod gaps_panel;
pub mod preview;
pub mod uploads;

use crate::actions;
use crate::canvas::shape::Shape;
use crate::canvas::{redraws, tiles};
use crate::state::{DataChoice, state};
use leptos::html::{Canvas, Input};
use leptos::prelude::*;

/// Pictures in the preview.
const PREVIEW: usize = 10;

/// Select, file input and preview.
#[component]
pub fn Data() -> impl IntoView {
    let state = state();
    let canvas = NodeRef::<Canvas>::new();
    redraws(
        canvas,
        move || state.data.get().map(|data| data.preview),
        |surface, colours, preview| {
            if let Some(mut preview) = preview {
                preview.count = preview.count.min(PREVIEW as u32);
                tiles(surface, colours, &preview, PREVIEW);
            }
        },
    );
    let choose = move |event| {
        let choice = match event_target_value(&event).as_str() {
            "digits" => DataChoice::Digits,
            "bars" => DataChoice::Bars,
            "mnist" => return uploads::mnist(state),
            place => DataChoice::Upload(place.parse().unwrap_or_default()),
        };
        uploads::give_way(state);
        actions::use_data(state, choice);
    };
    let value = move || {
        state.uploads.track(); // an option that the select shows must exist first
        match state.choice.get() {
            DataChoice::Digits => "digits".to_string(),
            DataChoice::Bars => "bars".to_string(),
            DataChoice::Mnist => "mnist".to_string(),
            DataChoice::Upload(place) => place.to_string(),
        }
    };
    let about = move || {
        if state.loading.get() {
            return "Reading the data …".to_string();
        }
        state.data.get().map_or_else(String::new, |data| {
            let shape = Shape::of_grid(&data.preview);
            let bits = if shape.depth > 1 { format!(" of {} bits", shape.depth) } else { String::new() };
            let layout = match data.image {
                Some(_) => format!("{} × {}{bits}", shape.rows, shape.columns),
                None if shape.wrapped => format!("{} bits, shown as {} × {}", data.width, shape.rows, shape.columns),
                None => format!("{} bits", data.width),
            };
            let missing = if data.missing > 0.0 { format!(", {:.0} bits missing", data.missing) } else { String::new() };
            format!("{} examples, {layout}, {:.1} % ones{missing}", data.count, 100.0 * data.share_of_ones)
        })
    };
    let height = move || {
        let shape =
            state.data.with(|data| data.as_ref().map_or_else(|| Shape::of((28, 28), 1), |data| Shape::of_grid(&data.preview)));
        format!("{} / {}", shape.columns.max(1) * PREVIEW, shape.rows.max(1))
    };
    view! {
        <div class="data">
            <div class="stacked">
                <label for="data-set" data-help="What the model learns. Another choice begins a new run; Undo brings back the one before.">"Data set"</label>
                <select id="data-set" on:change=choose prop:value=value disabled=move || state.loading.get()>
                    <option value="digits">"Generated digits"</option>
                    <option value="bars">"Bars and stripes 4 × 4"</option>
                    <option value="mnist">"MNIST, fetched (10 MB)"</option>
                    {move || {
                        state
                            .uploads
                            .get()
                            .into_iter()
                            .enumerate()
                            .map(|(place, upload)| view! { <option value=place.to_string()>{upload.name}</option> })
                            .collect_view()
                    }}
                </select>
            </div>
            <canvas
                node_ref=canvas
                class="preview"
                style:aspect-ratio=height
                role="img"
                aria-label="The first examples of the data"
            ></canvas>
            <p class="figures-text" role="status">{about}</p>
            <Reading />
            <Bring />
        </div>
    }
}

/// The way in for the visitor's files.
#[component]
fn Bring() -> impl IntoView {
    let state = state();
    let input = NodeRef::<Input>::new();
    let upload = move |_| {
        let Some(input) = input.get_untracked() else { return };
        if let Some(files) = input.files().filter(|files| files.length() > 0) {
            uploads::take(state, &files);
        }
        input.set_value(""); // so that the same file can be chosen again
    };
    view! {
            <div class="upload">
                <label for="upload">"Upload data set"</label>
                <input
                    id="upload"
                    node_ref=input
                    type="file"
                    multiple
                    aria-describedby="upload-help"
                    on:change=upload
                />
            </div>
            <p id="upload-help" class="help">
                "Tables (CSV, TSV), arrays (NPY, NPZ, IDX), pictures (PNG, JPEG, a sheet, many, or a zip). Or drop or paste them anywhere: nothing \
                 is trained before you have seen what was understood."
            </p>
    }
}

/// Files being read, and a way out.
#[component]
fn Reading() -> impl IntoView {
    let state = state();
    view! {
        <Show when=move || state.reading.with(Option::is_some)>
            <div class="reading" role="status">
                <p class="figures-text">
                    {move || {
                        let stage = state.reading.with(|reading| reading.as_ref().map(|reading| reading.stage.clone())).unwrap_or_default();
                        if stage.is_empty() { "Reading the files …".into() } else { stage }
                    }}
                </p>
                <progress
                    aria-label="Files read"
                    max=move || state.reading.with(|reading| reading.as_ref().map_or(1.0, |reading| reading.total.max(1.0)))
                    prop:value=move || state.reading.with(|reading| reading.as_ref().map(|reading| reading.done))
                ></progress>
                <button type="button" on:click=move |_| uploads::cancel(state)>
                    "Cancel"
                </button>
            </div>
        </Show>
    }
}
