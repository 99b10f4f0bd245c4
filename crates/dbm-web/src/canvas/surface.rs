//! A canvas as large as its box on the screen, and when it is drawn.

use super::Colours;
use crate::state::state;
use leptos::html::Canvas;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

/// A cleared canvas, its context and its size in device pixels.
pub struct Surface {
    /// Where to draw.
    pub context: CanvasRenderingContext2d,
    /// Width in device pixels.
    pub width: f64,
    /// Height in device pixels.
    pub height: f64,
    /// Device pixels a CSS pixel.
    pub ratio: f64,
}

impl Surface {
    /// A canvas as it was last drawn.
    pub fn measure(canvas: &HtmlCanvasElement) -> Option<Self> {
        let context = canvas.get_context("2d").ok().flatten()?.dyn_into().ok()?;
        let (width, height) = (f64::from(canvas.width()), f64::from(canvas.height()));
        Some(Self { context, width, height, ratio: width / f64::from(canvas.client_width().max(1)) })
    }

    /// Brings a canvas to the resolution of its box and clears it; nothing where it is not shown.
    fn of(canvas: &HtmlCanvasElement) -> Option<Self> {
        let ratio = window().device_pixel_ratio().clamp(1.0, 4.0);
        let (width, height) = (f64::from(canvas.client_width()) * ratio, f64::from(canvas.client_height()) * ratio);
        let (width, height) = (width.round().min(8192.0), height.round().min(8192.0));
        if width < 1.0 || height < 1.0 {
            return None;
        }
        if canvas.width() != width as u32 {
            canvas.set_width(width as u32);
        }
        if canvas.height() != height as u32 {
            canvas.set_height(height as u32);
        }
        let context: CanvasRenderingContext2d = canvas.get_context("2d").ok().flatten()?.dyn_into().ok()?;
        context.clear_rect(0.0, 0.0, width, height);
        Some(Self { context, width, height, ratio })
    }

    /// Fills a rectangle.
    pub fn fill(&self, colour: &str, x: f64, y: f64, width: f64, height: f64) {
        self.context.set_fill_style_str(colour);
        self.context.fill_rect(x, y, width, height);
    }
}

/// Draws a canvas in the next animation frame after anything that `read` reads, the theme or the size has changed; however
/// often that happens, once a frame, and then with the latest.
pub fn redraws<T: 'static>(
    canvas: NodeRef<Canvas>,
    read: impl Fn() -> T + Copy + 'static,
    draw: impl Fn(&Surface, &Colours, T) + Copy + 'static,
) {
    let redraw = state().redraw;
    let waiting = StoredValue::new(false);
    Effect::new(move |_| {
        canvas.track();
        redraw.track();
        let _ = read();
        if waiting.try_get_value() != Some(false) {
            return;
        }
        waiting.set_value(true);
        request_animation_frame(move || {
            if waiting.try_set_value(false).is_some() {
                return; // the part is gone from the page
            }
            if let Some(surface) = canvas.try_get_untracked().flatten().and_then(|canvas| Surface::of(&canvas)) {
                draw(&surface, &Colours::now(), untrack(read));
            }
        });
    });
}
