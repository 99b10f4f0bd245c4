//! The surface that a plot is drawn on: a canvas at the resolution of its box on the screen, or an SVG file to save.

use super::Colours;
use leptos::prelude::window;
use std::cell::{Cell, RefCell};
use std::fmt::Write;
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

/// A surface that plots are drawn on, with rectangles, lines, areas and text.
pub trait Plane {
    /// Width in its own pixels.
    fn width(&self) -> f64;
    /// Height in its own pixels.
    fn height(&self) -> f64;
    /// How many of its pixels make a CSS pixel.
    fn ratio(&self) -> f64;
    /// Fills a rectangle.
    fn fill(&self, colour: &str, x: f64, y: f64, width: f64, height: f64);
    /// Draws a line through points, `width` CSS pixels wide, with dashes of these lengths of ink and gap in CSS pixels.
    fn line(&self, colour: &str, width: f64, dash: &[f64], points: &[(f64, f64)]);
    /// Fills the polygon with these corners, with an opacity of 0 to 1.
    fn area(&self, colour: &str, opacity: f64, points: &[(f64, f64)]);
    /// Writes a line of text of `size` CSS pixels, aligned to `x` according to `align` and vertically centred at `y`.
    fn write(&self, colours: &Colours, text: &str, at: (f64, f64), align: &str, size: f64);
}

/// A canvas's drawing context and its size in device pixels.
pub struct Surface {
    /// The drawing context.
    pub context: CanvasRenderingContext2d,
    /// Width in device pixels.
    pub width: f64,
    /// Height in device pixels.
    pub height: f64,
    /// Device pixels per CSS pixel.
    pub ratio: f64,
}

impl Surface {
    /// A canvas as it was last drawn, without changing it.
    pub fn measure(canvas: &HtmlCanvasElement) -> Option<Self> {
        let context = canvas.get_context("2d").ok().flatten()?.dyn_into().ok()?;
        let (width, height) = (f64::from(canvas.width()), f64::from(canvas.height()));
        Some(Self { context, width, height, ratio: width / f64::from(canvas.client_width().max(1)) })
    }

    /// Sets a canvas to the resolution of its box and clears it; `None` if it is not visible.
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

    fn path(&self, points: &[(f64, f64)]) {
        self.context.begin_path();
        for &(x, y) in points {
            self.context.line_to(x, y);
        }
    }
}

impl Plane for Surface {
    fn width(&self) -> f64 {
        self.width
    }

    fn height(&self) -> f64 {
        self.height
    }

    fn ratio(&self) -> f64 {
        self.ratio
    }

    fn fill(&self, colour: &str, x: f64, y: f64, width: f64, height: f64) {
        self.context.set_fill_style_str(colour);
        self.context.fill_rect(x, y, width, height);
    }

    fn line(&self, colour: &str, width: f64, dash: &[f64], points: &[(f64, f64)]) {
        let context = &self.context;
        let lengths: js_sys::Array = dash.iter().map(|length| wasm_bindgen::JsValue::from_f64(length * self.ratio)).collect();
        let _ = context.set_line_dash(&lengths);
        context.set_stroke_style_str(colour);
        context.set_line_width(width * self.ratio);
        self.path(points);
        context.stroke();
    }

    fn area(&self, colour: &str, opacity: f64, points: &[(f64, f64)]) {
        self.context.set_global_alpha(opacity);
        self.context.set_fill_style_str(colour);
        self.path(points);
        self.context.fill();
        self.context.set_global_alpha(1.0);
    }

    fn write(&self, colours: &Colours, text: &str, (x, y): (f64, f64), align: &str, size: f64) {
        self.context.set_font(&format!("{}px {}", size * self.ratio, colours.font));
        self.context.set_fill_style_str(&colours.muted);
        self.context.set_text_align(align);
        self.context.set_text_baseline("middle");
        let _ = self.context.fill_text(text, x, y);
    }
}

/// Points as an SVG attribute.
fn places(points: &[(f64, f64)]) -> String {
    points.iter().fold(String::new(), |mut text, (x, y)| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{x:.2},{y:.2} ");
        text
    })
}

/// An SVG file being drawn.
pub struct Svg {
    size: Cell<(f64, f64)>,
    inside: RefCell<String>,
}

impl Svg {
    /// An empty picture with the theme's background.
    pub fn new(colours: &Colours, width: f64, height: f64) -> Self {
        let svg = Self { size: Cell::new((width, height)), inside: RefCell::default() };
        svg.fill(&colours.paper, 0.0, 0.0, width, height);
        svg
    }

    /// Makes it taller at the bottom, by this many pixels.
    pub fn grow(&self, colours: &Colours, by: f64) {
        let (width, height) = self.size.get();
        self.fill(&colours.paper, 0.0, height, width, by);
        self.size.set((width, height + by));
    }

    /// The finished file.
    pub fn finish(self) -> String {
        let (width, height) = self.size.get();
        let inside = self.inside.into_inner();
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"sans-serif\">\n{inside}</svg>\n"
        )
    }
}

impl Plane for Svg {
    fn width(&self) -> f64 {
        self.size.get().0
    }

    fn height(&self) -> f64 {
        self.size.get().1
    }

    fn ratio(&self) -> f64 {
        1.0
    }

    fn fill(&self, colour: &str, x: f64, y: f64, width: f64, height: f64) {
        let mut inside = self.inside.borrow_mut();
        // Writing to a string cannot fail.
        let _ =
            writeln!(inside, "<rect fill=\"{colour}\" x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\"/>");
    }

    fn line(&self, colour: &str, width: f64, dash: &[f64], points: &[(f64, f64)]) {
        let dash: Vec<String> = dash.iter().map(ToString::to_string).collect();
        let _ = writeln!(
            self.inside.borrow_mut(),
            "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" stroke-dasharray=\"{}\" points=\"{}\"/>",
            dash.join(" "),
            places(points)
        );
    }

    fn area(&self, colour: &str, opacity: f64, points: &[(f64, f64)]) {
        let _ = writeln!(
            self.inside.borrow_mut(),
            "<polygon fill=\"{colour}\" opacity=\"{opacity}\" points=\"{}\"/>",
            places(points)
        );
    }

    fn write(&self, colours: &Colours, text: &str, (x, y): (f64, f64), align: &str, size: f64) {
        let anchor = match align {
            "right" => "end",
            "center" => "middle",
            _ => "start",
        };
        let mut inside = self.inside.borrow_mut();
        let _ = writeln!(
            inside,
            "<text fill=\"{}\" x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{size}\" text-anchor=\"{anchor}\" dominant-baseline=\"middle\">{text}</text>",
            colours.muted
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::{Scale, histogram};
    use dbm_protocol::Histogram;

    #[test]
    fn a_histogram_becomes_an_svg_with_its_bars_and_labels() {
        let colours = Colours { paper: "#fff".into(), muted: "#555".into(), positive: "#148".into(), ..Colours::default() };
        let svg = Svg::new(&colours, 360.0, 180.0);
        let phase = Histogram { counts: vec![(1, 90), (2, 10)], capped: 0, cap: 1000 };
        histogram(&svg, &colours, [&phase, &phase], Scale::Linear);
        let text = svg.finish();
        assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
        assert!(text.matches("<rect fill=\"#148\"").count() >= 2 && text.contains(">90%</text>"), "{text}");
    }
}
