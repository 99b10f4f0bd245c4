//! How the visitor's files were understood, shown before anything is trained on them, and open to correction.

mod corrections;

use super::gaps::Gaps;
use crate::canvas::shape::Shape;
use crate::canvas::{shows, tiles};
use crate::ui::button::Button;
use crate::ui::number::decimal;
use crate::ui::select::{Check, Select, SelectOption};
use crate::worker::uploads::{PendingUpload, Uploads};
use dbm_core::words::Choose;
use dbm_protocol::{Binarization, Coding, ColumnInfo, Encoding, UnderstoodKind};
use leptos::html::{Canvas, Dialog};
use leptos::prelude::*;

/// Columns of a table that are shown: thousands would take a browser seconds.
const MOST_COLUMNS: usize = 60;
/// Pictures side by side.
const COLUMNS: usize = 12;

/// The dialog; it is modal, so that keys and screen readers stay in it.
#[component]
pub fn Preview() -> impl IntoView {
    let uploads = Uploads::of_page();
    let dialog = NodeRef::<Dialog>::new();
    let open = Memo::new(move |_| uploads.offer.with(Option::is_some));
    Effect::new(move |_| {
        let Some(dialog) = dialog.get() else { return };
        if open.get() {
            let _ = dialog.show_modal();
        } else {
            dialog.close();
        }
    });
    // A new file or a correction draws the dialog again; a moved slider does not.
    let name =
        Memo::new(move |_| uploads.offer.with(|offer| offer.as_ref().map(|offer| (offer.about.name.clone(), offer.version))));
    Effect::new(move |_| {
        name.track();
        uploads.refocus();
    });
    view! {
        <dialog node_ref=dialog class="preview-dialog" aria-labelledby="preview-title" on:close=move |_| uploads.offer.set(None)>
            {move || name.get().and_then(|(name, _)| uploads.offer.get_untracked().map(|offer| understood(name, offer)))}
            {decision()}
        </dialog>
    }
}

/// The buttons. A correction does not draw them again: a press on one would be lost.
fn decision() -> impl IntoView {
    let uploads = Uploads::of_page();
    let has_gaps = Memo::new(move |_| {
        uploads.offer.with(|offer| {
            offer.as_ref().is_some_and(|offer| {
                offer.about.look.share_missing > 0.0 && matches!(offer.about.kind, UnderstoodKind::Table { .. })
            })
        })
    });
    view! {
        <div class="buttons">
            <Show when=move || has_gaps.get()>
                <Button
                    label="Fill the gaps"
                    class="primary"
                    help="A model is chosen and trained, and fills them in. You see the result before you save it."
                    on_press=move |()| {
                        Gaps::of_page().fill_next();
                        uploads.change_offer(|offer| offer.hold_back = false);
                        uploads.accept();
                    }
                />
            </Show>
            <Button label="Use this data" class="primary" on_press=move |()| uploads.accept() />
            <Button label="Cancel" on_press=move |()| uploads.offer.set(None) />
        </div>
    }
}

fn understood(name: String, offer: PendingUpload) -> impl IntoView {
    let uploads = Uploads::of_page();
    let about = offer.about;
    let count = about.count;
    let (words, pictures, table) = match about.kind {
        UnderstoodKind::Pictures { shape, low, high, classes } => {
            let size = if shape.0 > 1 {
                format!("pictures of {} × {}", shape.0, shape.1)
            } else {
                format!("rows of {} values", shape.1)
            };
            let labels = if classes > 0 { format!(", {classes} classes") } else { String::new() };
            let words = format!("{count} {size}, values from {} to {}{labels}.", number(low), number(high));
            (words, Some(first_pictures(low, high)), None)
        }
        UnderstoodKind::Table { columns, rows } => {
            let words = format!("{count} rows, {} columns.", columns.len());
            (words, None, Some(first_rows(&columns, rows)))
        }
    };
    let missing = about.look.share_missing;
    let is_table = table.is_some();
    let settings = corrections::settings(&about.reading, is_table);
    view! {
        <h2 id="preview-title">{name}</h2>
        <p>{words}</p>
        {settings}
        {pictures}
        {table}
        {corrections::doubts(offer.doubts, &offer.said, &about.reading)}
        <p class="trouble" role="alert">{move || uploads.offer.with(|offer| offer.as_ref().and_then(|offer| offer.trouble.clone()))}</p>
        <ul class="help notes">{about.notes.into_iter().map(|note| view! { <li>{note}</li> }).collect_view()}</ul>
        <p class="figures-text" role="status">{move || uploads.offer.with(|offer| offer.as_ref().map(summary))}</p>
        <Show when=move || { missing > 0.0 }>
            {hold_back()}
        </Show>
    }
}

fn summary(offer: &PendingUpload) -> String {
    let look = &offer.about.look;
    let missing = if look.share_missing > 0.0 { format!(", {:.1} % missing", 100.0 * look.share_missing) } else { String::new() };
    format!(
        "As bits: {} visible units, {:.1} % ones{missing}, {} in memory.",
        look.width,
        100.0 * look.share_of_ones,
        if look.bytes < 1_000_000 {
            format!("{} kB", look.bytes.div_ceil(1000))
        } else {
            format!("{:.0} MB", look.bytes as f64 / 1e6)
        }
    )
}

fn number(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.3}") }
}

fn change(uploads: Uploads, edit: impl FnOnce(&mut Encoding)) {
    if let Some(mut encoding) = uploads.offer.with_untracked(|offer| offer.as_ref().map(|offer| offer.encoding.clone())) {
        edit(&mut encoding);
        uploads.preview(encoding);
    }
}

/// The first pictures, with a threshold, drawn, or as bit planes.
fn first_pictures(low: f64, high: f64) -> impl IntoView {
    let uploads = Uploads::of_page();
    let canvas = NodeRef::<Canvas>::new();
    let preview = move || uploads.offer.with(|offer| offer.as_ref().map(|offer| offer.about.look.preview.clone()));
    shows(canvas, preview, |surface, colours, preview| tiles(surface, colours, &preview, COLUMNS));
    let ratio = move || {
        let (shape, count) = preview().map(|grid| (Shape::of_grid(&grid), grid.count as usize)).unwrap_or_default();
        shape.ratio(COLUMNS, count.div_ceil(COLUMNS).max(1))
    };
    let encoding = move || uploads.offer.with(|offer| offer.as_ref().map(|offer| offer.encoding.clone())).unwrap_or_default();
    let binary = Memo::new(move |_| encoding().bits == 1);
    let whole = low.fract() == 0.0 && high.fract() == 0.0 && high - low > 2.0;
    let step = if whole { 1.0 } else { (high - low) / 256.0 };
    let many = low < high;
    let are_greys = low >= 0.0 && (high <= 1.0 || (whole && high <= 255.0));
    let planes: Vec<SelectOption> = (1..=8).map(|bits| SelectOption::new(bits.to_string(), bits.to_string())).collect();
    let (codings, binarizations) = (SelectOption::of_choices::<Coding>(), SelectOption::of_choices::<Binarization>());
    view! {
        <canvas node_ref=canvas class="preview" style:aspect-ratio=ratio role="img" aria-label="Some of the pictures, as the model will see them"></canvas>
        <div class="settings">
            <div class="field">
                <Select
                    id="preview-bits"
                    label="Bits per value"
                    options=planes
                    value=Signal::derive(move || encoding().bits.max(1).to_string())
                    on_choose=move |bits: String| {
                        change(uploads, |encoding| {
                            encoding.bits = bits.parse().unwrap_or(1);
                            // Only one bit a value can be drawn.
                            encoding.binarization = Binarization::default();
                        });
                    }
                />
            </div>
            <Show when=move || !binary.get()>
                <div class="field">
                    <Select
                        id="preview-coding"
                        label=Coding::WORDS.label
                        options=codings.clone()
                        value=Signal::derive(move || encoding().coding.choice().name.to_string())
                        on_choose=move |name: String| change(uploads, |encoding| encoding.coding = Coding::named(&name).unwrap_or_default())
                    />
                </div>
            </Show>
            <Show when=move || binary.get() && many && are_greys>
                <div class="field">
                    <Select
                        id="preview-binarization"
                        label=Binarization::WORDS.label
                        options=binarizations.clone()
                        value=Signal::derive(move || encoding().binarization.choice().name.to_string())
                        on_choose=move |name: String| change(uploads, |encoding| encoding.binarization = Binarization::named(&name).unwrap_or_default())
                    />
                </div>
            </Show>
            <Show when=move || binary.get() && many && encoding().binarization == Binarization::Threshold>
                <label class="slider">
                    <span>"High above " <b class="number">{move || number(encoding().threshold)}</b></span>
                    <input
                        type="range"
                        min=low.to_string()
                        max=high.to_string()
                        step=step.to_string()
                        prop:value=move || encoding().threshold.to_string()
                        on:input=move |event| {
                            if let Some(threshold) = decimal(&event_target_value(&event)) {
                                change(uploads, |encoding| encoding.threshold = threshold);
                            }
                        }
                    />
                </label>
            </Show>
        </div>
    }
}

/// The first rows, and what each column holds.
fn first_rows(columns: &[ColumnInfo], mut rows: Vec<Vec<String>>) -> impl IntoView + use<> {
    let uploads = Uploads::of_page();
    let more = columns.len().saturating_sub(MOST_COLUMNS);
    let columns = &columns[..columns.len() - more];
    rows.iter_mut().for_each(|row| row.truncate(MOST_COLUMNS));
    let more = (more > 0).then(|| view! { <p class="help">{format!("And {more} more columns, read alike.")}</p> });
    let heads = columns.iter().enumerate().map(|(place, column)| corrections::head(place, column)).collect_view();
    let words = columns.iter().enumerate().map(|(place, column)| corrections::words(place, column)).collect_view();
    let kinds = columns
        .iter()
        .enumerate()
        .map(|(place, column)| {
            let missing = if column.missing > 0 { format!("; {} missing", column.missing) } else { String::new() };
            let words = format!("{}{missing}", column.kind);
            let threshold = column.threshold.map(|threshold| {
                let name = column.name.clone();
                let set = move |event| {
                    if let Some(threshold) = decimal(&event_target_value(&event)) {
                        change(uploads, |encoding| {
                            encoding.columns.insert(name.clone(), threshold);
                        });
                    }
                };
                view! { <input type="text" inputmode="decimal" aria-label=format!("Threshold of {}", column.name) value=threshold.to_string() on:change=set /> }
            });
            let order = corrections::order(place, column);
            view! { <td><div>{words} {threshold} {order}</div></td> }
        })
        .collect_view();
    let cell = |text: String| {
        let missing = text.is_empty();
        let text = if missing { "missing".into() } else { text };
        view! { <td class:gap=missing><span class:unseen=missing>{text}</span></td> }
    };
    let body = rows.into_iter().map(|row| view! { <tr>{row.into_iter().map(cell).collect_view()}</tr> }).collect_view();
    view! {
        <div class="scrolls" tabindex="0" role="region" aria-label="The first rows">
            <table class="rows">
                <thead>
                    <tr>{heads}</tr>
                    <tr class="kinds">{kinds}</tr>
                    <tr class="words">{words}</tr>
                </thead>
                <tbody>{body}</tbody>
            </table>
        </div>
        {more}
    }
}

/// Whether the answers are to be tested later.
fn hold_back() -> impl IntoView {
    let uploads = Uploads::of_page();
    view! {
        <Check
            label="Hold back 10 % of the known cells from training, to see how far the answers can be trusted"
            value=move || uploads.offer.with(|offer| offer.as_ref().is_some_and(|offer| offer.hold_back))
            on_change=move |hold_back: bool| uploads.change_offer(|offer| offer.hold_back = hold_back)
        />
    }
}
