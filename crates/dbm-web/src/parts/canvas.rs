//! The large canvas: shows the picture, an answer or a search, and is painted on by mouse, pen, touch or keys.

use crate::paint::{Cells, Fill, cells, redraws};
use crate::picture::{Picture, Tool};
use crate::state::{Shown, State, state};
use leptos::html::Canvas;
use leptos::prelude::*;
use web_sys::{KeyboardEvent, PointerEvent};

/// The canvas, its cursor and its description.
#[component]
pub fn PictureCanvas() -> impl IntoView {
    let state = state();
    let canvas = NodeRef::<Canvas>::new();
    let cursor = RwSignal::new((0_usize, 0_usize));
    let focused = RwSignal::new(false);
    let spoken = RwSignal::new(String::new());
    let last = StoredValue::new(None::<(f64, f64)>);

    redraws(
        canvas,
        move || (view_of(state), focused.get().then(|| cursor.get())),
        |surface, colours, (view, cursor)| {
            let fill = match &view.filled {
                Filled::Nothing => Fill::Nothing,
                Filled::Bits(bits) => Fill::Bits(bits),
                Filled::Shares(shares) => Fill::Shares(shares),
            };
            let shape = view.picture.shape;
            cells(surface, colours, &Cells { shape, bits: view.picture.bits(), unknown: &view.unknown, fill, cursor });
        },
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
        let (tool, brush) = (state.tool.get_untracked(), state.brush.get_untracked().0);
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
        edit(state);
        last.set_value(Some(at));
        stroke(at, at);
    };
    let moved = move |event: PointerEvent| {
        if let (Some(from), Some(to)) = (last.get_value().filter(|_| event.is_primary()), place(&event)) {
            last.set_value(Some(to));
            stroke(from, to);
        }
    };
    let up = move |event: PointerEvent| {
        if event.is_primary() && last.get_value().is_some() {
            last.set_value(None);
            state.picture.update(Picture::end);
        }
    };
    let key = move |event: KeyboardEvent| {
        if let Some(to) = pressed(state, &event, cursor.get_untracked(), state.brush.get_untracked().0) {
            focused.set(true);
            cursor.set(to);
            spoken.set(state.picture.with_untracked(|picture| say(picture, to)));
        }
    };
    let ratio = move || {
        let shape = state.picture.with(|picture| picture.shape);
        format!("{} / {}", shape.columns.max(1), shape.rows.max(1))
    };
    view! {
        <canvas
            node_ref=canvas
            class="picture"
            style:aspect-ratio=ratio
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
             pixels, and Space hides or shows those under the brush, or sets or clears their ink where Draw or Erase ink is chosen. \
             Control Z takes the last edit back."
        </p>
        <p class="unseen" aria-live="polite">{move || spoken.get()}</p>
    }
}

/// What the canvas shows.
struct View {
    picture: Picture,
    unknown: Vec<u8>,
    filled: Filled,
}

enum Filled {
    Nothing,
    Bits(Vec<u8>),
    Shares(Vec<f64>),
}

fn view_of(state: State) -> View {
    let picture = state.picture.get();
    let plain = |picture: Picture| View { unknown: picture.unknown().to_vec(), picture, filled: Filled::Nothing };
    match state.shown.get() {
        Shown::Picture => plain(picture),
        Shown::Search => match state.watched.get() {
            None => plain(picture),
            Some(watched) => {
                let bits = watched.trace.frames.get(state.frame.get()).map(|frame| frame.visible.clone()).unwrap_or_default();
                View { picture, unknown: watched.unknown, filled: Filled::Bits(bits) }
            }
        },
        shown @ (Shown::Answer(_) | Shown::Agreement) => match state.answers.get() {
            None => plain(picture),
            Some(answered) => {
                let units = picture.shape.units;
                let filled = match shown {
                    Shown::Answer(at) => {
                        Filled::Bits(answered.completions.bits.chunks(units.max(1)).nth(at).unwrap_or(&[]).to_vec())
                    }
                    _ => Filled::Shares(super::answers::shares(&answered.completions, units)),
                };
                View { picture, unknown: answered.unknown, filled }
            }
        },
    }
}

/// Begins an edit, with the picture on view again.
pub fn edit(state: State) {
    state.playing.set(false);
    state.shown.set(Shown::Picture);
    state.picture.update(Picture::begin);
}

/// Takes the last edit back.
pub fn edit_undone(state: State) {
    state.playing.set(false);
    state.shown.set(Shown::Picture);
    state.picture.update(Picture::undo);
}

/// What a key does; where the cursor then stands, if the key was one of the canvas's.
fn pressed(state: State, event: &KeyboardEvent, (row, column): (usize, usize), brush: f64) -> Option<(usize, usize)> {
    let shape = state.picture.with_untracked(|picture| picture.shape);
    let (last_row, last_column) = (shape.rows.checked_sub(1)?, shape.columns.checked_sub(1)?);
    let (row, column) = (row.min(last_row), column.min(last_column));
    let held = event.ctrl_key() || event.meta_key();
    let to = match event.key().as_str() {
        _ if event.alt_key() => return None,
        "z" if held => (row, column),
        _ if held => return None,
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
    match event.key().as_str() {
        "z" => edit_undone(state),
        " " => toggle(state, to, brush),
        _ => {}
    }
    Some(to)
}

fn toggle(state: State, (row, column): (usize, usize), brush: f64) {
    edit(state);
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

fn say(picture: &Picture, (row, column): (usize, usize)) -> String {
    let what = match picture.shape.unit(row, column) {
        None => "nothing",
        Some(unit) if picture.unknown()[unit] != 0 => "unknown",
        Some(unit) if picture.level(unit) >= 1.0 => "ink",
        Some(unit) if picture.level(unit) > 0.0 => "grey",
        Some(_) => "blank",
    };
    format!("Row {}, column {}: {what}", row + 1, column + 1)
}
