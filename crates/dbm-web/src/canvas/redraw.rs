//! Decides when a canvas is drawn: after its data, the theme or its size has changed, at most once a frame.

use super::colours::media_query;
use super::{Colours, Surface};
use leptos::html::Canvas;
use leptos::prelude::*;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

thread_local! {
    /// Tells every canvas to redraw itself.
    static REDRAW: ArcTrigger = ArcTrigger::new();
}

/// Redraws every canvas, for example those that were hidden until now.
pub fn redraw_all() {
    REDRAW.with(ArcTrigger::notify);
}

/// From now on redraws every canvas when the theme, the window's size or its resolution changes.
pub fn follow_theme() {
    let listener = Closure::<dyn FnMut()>::new(redraw_all).into_js_value();
    let listener: &js_sys::Function = listener.unchecked_ref();
    for text in ["(prefers-color-scheme: dark)", "(forced-colors: active)"] {
        if let Some(query) = media_query(text) {
            let _ = query.add_event_listener_with_callback("change", listener);
        }
    }
    let _ = window().add_event_listener_with_callback("resize", listener);
}

/// Draws a canvas in the next animation frame after anything that `read` reads, the theme or the size has changed. However often
/// that happens, it draws once a frame, with the latest values.
pub fn redraws<T: 'static>(
    canvas: NodeRef<Canvas>,
    read: impl Fn() -> T + Copy + 'static,
    draw: impl Fn(&Surface, &Colours, T) + Copy + 'static,
) {
    follow(canvas, Rc::new(move || drop(read())), Rc::new(move |surface, colours| draw(surface, colours, untrack(read))));
}

/// Draws the present content.
type Draw = dyn Fn(&Surface, &Colours);

/// The same for any content: `track` reads it, and `draw` reads and draws it.
fn follow(canvas: NodeRef<Canvas>, track: Rc<dyn Fn()>, draw: Rc<Draw>) {
    let redraw = REDRAW.with(Clone::clone);
    let waiting = StoredValue::new(false);
    Effect::new(move |_| {
        canvas.track();
        redraw.track();
        track();
        if waiting.try_get_value() != Some(false) {
            return;
        }
        waiting.set_value(true);
        let draw = draw.clone();
        request_animation_frame(move || {
            if waiting.try_set_value(false).is_some() {
                return; // this part is no longer on the page
            }
            if let Some(surface) = canvas.try_get_untracked().flatten().and_then(|canvas| Surface::cleared(&canvas)) {
                draw(&surface, &Colours::now());
            }
        });
    });
}

/// As [`redraws`], if there is something to draw.
pub fn shows<T: 'static>(
    canvas: NodeRef<Canvas>,
    read: impl Fn() -> Option<T> + Copy + 'static,
    draw: impl Fn(&Surface, &Colours, T) + Copy + 'static,
) {
    redraws(canvas, read, move |surface, colours, shown| {
        if let Some(shown) = shown {
            draw(surface, colours, shown);
        }
    });
}
