//! What the model is trained on: chosen, uploaded, shown.

use crate::paint::{redraws, tiles};
use crate::shape::Shape;
use crate::state::{DataChoice, state};
use crate::{actions, uploads};
use leptos::html::{Canvas, Input};
use leptos::prelude::*;

/// Pictures in the preview.
const PREVIEW: usize = 10;

/// Select, file input and preview.
#[component]
pub fn Data() -> impl IntoView {
    let state = state();
    let canvas = NodeRef::<Canvas>::new();
    let input = NodeRef::<Input>::new();
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
            place => DataChoice::Upload(place.parse().unwrap_or_default()),
        };
        actions::use_data(state, choice);
    };
    let value = move || {
        state.uploads.track(); // an option that the select shows must exist first
        match state.choice.get() {
            DataChoice::Digits => "digits".to_string(),
            DataChoice::Bars => "bars".to_string(),
            DataChoice::Upload(place) => place.to_string(),
        }
    };
    let upload = move |_| {
        let Some(input) = input.get_untracked() else { return };
        if let Some(file) = input.files().and_then(|files| files.get(0)) {
            uploads::read(state, file);
        }
        input.set_value(""); // so that the same file can be chosen again
    };
    let about = move || {
        if state.loading.get() {
            return "Reading the data …".to_string();
        }
        state.data.get().map_or_else(String::new, |data| {
            let shape = Shape::of(data.image.unwrap_or((1, data.width)));
            let layout = match data.image {
                Some((rows, columns)) => format!("{rows} × {columns}"),
                None if shape.wrapped => format!("{} bits, shown as {} × {}", data.width, shape.rows, shape.columns),
                None => format!("{} bits", data.width),
            };
            format!("{} examples, {layout}, {:.1} % ones", data.count, 100.0 * data.share_of_ones)
        })
    };
    let height = move || {
        let shape = state.data.with(|data| data.as_ref().map_or(Shape::of((28, 28)), |data| Shape::of(data.preview.image)));
        format!("{} / {}", shape.columns.max(1) * PREVIEW, shape.rows.max(1))
    };
    view! {
        <div class="data">
            <div class="stacked">
                <label for="data-set">"Data set"</label>
                <select id="data-set" on:change=choose prop:value=value disabled=move || state.loading.get()>
                    <option value="digits">"Generated digits"</option>
                    <option value="bars">"Bars and stripes 4 × 4"</option>
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
            <div class="upload">
                <label for="upload">"Upload data set"</label>
                <input
                    id="upload"
                    node_ref=input
                    type="file"
                    accept=".gz,.idx,.csv,.txt,.ubyte,.idx3-ubyte,application/gzip,text/csv,application/octet-stream"
                    aria-describedby="upload-help"
                    on:change=upload
                />
            </div>
            <p id="upload-help" class="help">
                "IDX, IDX in gzip, or CSV of 0/1 rows; 8-bit values above 127 count as 1. Or drop a file anywhere."
            </p>
        </div>
    }
}
