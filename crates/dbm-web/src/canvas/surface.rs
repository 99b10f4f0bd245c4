//! A canvas at the resolution of its box on the screen.

use leptos::prelude::window;
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

/// A canvas's drawing context and its size in device pixels.
pub struct Surface {
    /// What draws on it.
    pub context: CanvasRenderingContext2d,
    /// Width in device pixels.
    pub width: f64,
    /// Height in device pixels.
    pub height: f64,
    /// Device pixels in a CSS pixel.
    pub ratio: f64,
}

impl Surface {
    /// A canvas as it was last drawn, left as it is.
    pub fn measure(canvas: &HtmlCanvasElement) -> Option<Self> {
        let context = canvas.get_context("2d").ok().flatten()?.dyn_into().ok()?;
        let (width, height) = (f64::from(canvas.width()), f64::from(canvas.height()));
        Some(Self { context, width, height, ratio: width / f64::from(canvas.client_width().max(1)) })
    }

    /// Brings a canvas to the resolution of its box and clears it; nothing where it is not shown.
    pub(super) fn cleared(canvas: &HtmlCanvasElement) -> Option<Self> {
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
        let surface = Self::measure(canvas)?;
        surface.context.clear_rect(0.0, 0.0, width, height);
        Some(Self { ratio, ..surface })
    }
}
