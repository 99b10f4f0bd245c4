//! The large canvas: shows the picture, an answer or a search, and can be painted on with mouse, pen, touch or keys.

use super::picture::{Picture, Tool};
use super::state::{CompletionState, OnCanvas};
use crate::canvas::{Fill, Layer, draw_layer, redraws};
use crate::ui::address::{OnShow, View};
use crate::ui::undo;
use leptos::html::Canvas;
use leptos::prelude::*;
use web_sys::{Element, KeyboardEvent, PointerEvent};

/// The canvas, its cursor and its description.
pub fn picture_canvas(state: CompletionState, pointed: RwSignal<Option<(usize, usize)>>) -> impl IntoView {
    let canvas = NodeRef::<Canvas>::new();
    let cursor = RwSignal::new((0_usize, 0_usize));
    let focused = RwSignal::new(false);
    let spoken = RwSignal::new(String::new());

    redraws(
        canvas,
        move || (view_of(state), focused.get().then(|| cursor.get())),
        |surface, colours, (layer, cursor)| draw_layer(surface, colours, &layer, cursor),
    );

    let place = move |event: &PointerEvent| {
        let shape = state.picture.with_untracked(|picture| picture.shape);
        canvas.get_untracked().map(|canvas| {
            let area = canvas.get_bounding_client_rect();
            let row = (f64::from(event.client_y()) - area.top()) / area.height().max(1.0) * shape.rows as f64;
            let column = (f64::from(event.client_x()) - area.left()) / area.width().max(1.0) * shape.columns as f64;
            (row, column)
        })
    };
    let stroke = move |from, to| {
        let (tool, brush) = (state.tool.get_untracked(), state.brush.get_untracked());
        state.picture.update(|picture| picture.stroke(tool, from, to, brush));
    };
    let down = move |event: PointerEvent| {
        if event.button() != 0 || !event.is_primary() {
            return;
        }
        let Some(at) = place(&event) else { return };
        if let Some(canvas) = canvas.get_untracked() {
            let _ = canvas.set_pointer_capture(event.pointer_id());
        }
        state.edit(Picture::begin);
        state.stroke.set_value(Some(at));
        stroke(at, at);
    };
    let moved = move |event: PointerEvent| {
        let Some(to) = place(&event) else { return };
        let cell = (to.0.max(0.0) as usize, to.1.max(0.0) as usize);
        if pointed.get_untracked() != Some(cell) {
            pointed.set(Some(cell));
        }
        if let Some(from) = state.stroke.get_value().filter(|_| event.is_primary()) {
            state.stroke.set_value(Some(to));
            stroke(from, to);
        }
    };
    let up = move |event: PointerEvent| {
        if event.is_primary() && state.stroke.get_value().is_some() {
            state.stroke.set_value(None);
            state.picture.update(Picture::end);
        }
    };
    let key = move |event: KeyboardEvent| {
        if let Some(to) = pressed(state, &event, cursor.get_untracked(), state.brush.get_untracked()) {
            focused.set(true);
            cursor.set(to);
            pointed.set(Some(to));
            spoken.set(
                untrack(|| agreement(state, to))
                    .unwrap_or_else(|| state.picture.with_untracked(|picture| describe_cell(picture, to))),
            );
        }
    };
    view! {
        <canvas
            node_ref=canvas
            class="picture"
            style:aspect-ratio=move || state.aspect_ratio()
            tabindex="0"
            role="application"
            aria-label="Picture"
            aria-describedby="picture-help"
            on:pointerdown=down
            on:pointermove=moved
            on:pointerup=up
            on:pointercancel=up
            on:keydown=key
            on:blur=move |_| focused.set(false)
        ></canvas>
        <p id="picture-help" class="unseen">
            "Paint with the chosen tool by mouse, pen or touch. With the keyboard: arrow keys, Home and End move a cursor over the \
             pixels, and Space hides or shows those under the brush, or sets or clears their ink if Draw or Erase ink is chosen. \
             Control Z undoes the last edit, Control Y redoes it."
        </p>
        <p class="unseen" aria-live="polite">{move || spoken.get()}</p>
    }
}

/// What the canvas shows now.
fn view_of(state: CompletionState) -> Layer {
    let plain = state.picture.with(|picture| Layer {
        shape: picture.shape,
        bits: picture.bits().to_vec(),
        unknown: picture.unknown().to_vec(),
        ..Layer::default()
    });
    let shape = plain.shape;
    match state.on_canvas.get() {
        OnCanvas::Picture => plain,
        OnCanvas::Recording => state.recording.with(|recording| {
            let found = recording.as_ref().and_then(|recording| Some((recording, recording.states.get(state.frame.get())?)));
            let Some((recording, now)) = found else { return plain };
            Layer { shape, bits: now.x.clone(), unknown: recording.unknown.clone(), fill: Fill::Answer, other: now.y.clone() }
        }),
        shown => state.answers.with(|answers| {
            let Some(answers) = answers else { return plain };
            let (bits, fill) = match shown {
                OnCanvas::Answer(place) => (answers.answer(place).to_vec(), Fill::Answer),
                OnCanvas::Consensus => (answers.consensus(), Fill::Answer),
                _ => (answers.request.values.clone(), Fill::Shares(answers.shares())),
            };
            Layer { shape, bits, unknown: answers.request.filled(), fill, ..Layer::default() }
        }),
    }
}

/// How far the answers agree on a cell, if the canvas shows the agreement.
pub fn agreement(state: CompletionState, (row, column): (usize, usize)) -> Option<String> {
    if state.on_canvas.get() != OnCanvas::Agreement {
        return None;
    }
    let shape = state.picture.with(|picture| picture.shape);
    let unit = shape.unit(row, column)?;
    let inked = state.answers.with(|answers| answers.as_ref().map(|answers| answers.inked(shape, unit)))?;
    Some(format!("Row {}, column {}: {inked}.", row + 1, column + 1))
}

/// Handles Control Z, Control Shift Z and Control Y anywhere in the view.
pub fn hear_undo(state: CompletionState) {
    let show = OnShow::of_page();
    let pressed = window_event_listener(leptos::ev::keydown, move |event| {
        let typing = |element: Element| element.matches("[type=text],textarea,dialog *").unwrap_or(false);
        if show.view.get_untracked() != View::Complete || document().active_element().is_some_and(typing) {
            return;
        }
        if let Some(back) = undo::asked(&event) {
            event.prevent_default();
            state.edit(if back { Picture::undo } else { Picture::redo });
        }
    });
    on_cleanup(move || pressed.remove());
}

/// Handles a key. Returns the cursor's new position; `None` if the key means nothing to the canvas.
fn pressed(state: CompletionState, event: &KeyboardEvent, (row, column): (usize, usize), brush: f64) -> Option<(usize, usize)> {
    let shape = state.picture.with_untracked(|picture| picture.shape);
    let (last_row, last_column) = (shape.rows.checked_sub(1)?, shape.columns.checked_sub(1)?);
    let (row, column) = (row.min(last_row), column.min(last_column));
    let to = match event.key().as_str() {
        _ if event.alt_key() || event.ctrl_key() || event.meta_key() => return None,
        "ArrowUp" => (row.saturating_sub(1), column),
        "ArrowDown" => ((row + 1).min(last_row), column),
        "ArrowLeft" => (row, column.saturating_sub(1)),
        "ArrowRight" => (row, (column + 1).min(last_column)),
        "Home" => (row, 0),
        "End" => (row, last_column),
        " " => (row, column),
        _ => return None,
    };
    event.prevent_default();
    if event.key() == " " {
        toggle(state, to, brush);
    }
    Some(to)
}

fn toggle(state: CompletionState, (row, column): (usize, usize), brush: f64) {
    state.edit(Picture::begin);
    let centre = (row as f64 + 0.5, column as f64 + 0.5);
    let chosen = state.tool.get_untracked();
    state.picture.update(|picture| {
        let Some(unit) = picture.shape.unit(row, column) else { return };
        let tool = match chosen {
            Tool::Mask | Tool::Unmask if picture.unknown()[unit] == 0 => Tool::Mask,
            Tool::Mask | Tool::Unmask => Tool::Unmask,
            Tool::Draw | Tool::Erase if picture.level(unit) == 0.0 || picture.unknown()[unit] != 0 => Tool::Draw,
            Tool::Draw | Tool::Erase => Tool::Erase,
        };
        picture.stroke(tool, centre, centre, brush);
        picture.end();
    });
}

fn describe_cell(picture: &Picture, (row, column): (usize, usize)) -> String {
    let what = match picture.shape.unit(row, column) {
        None => "nothing",
        Some(unit) if picture.unknown()[unit] != 0 => "unknown",
        Some(unit) if picture.level(unit) >= 1.0 => "ink",
        Some(unit) if picture.level(unit) > 0.0 => "grey",
        Some(_) => "blank",
    };
    format!("Row {}, column {}: {what}", row + 1, column + 1)
}
