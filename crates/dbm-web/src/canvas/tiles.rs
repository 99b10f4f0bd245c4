//! Many pictures in a grid.

use super::{Colours, Surface};
use crate::canvas::shape::Shape;
use dbm_protocol::{Filters, Grid};
use leptos::prelude::document;
use std::cell::RefCell;
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};

/// Space between pictures, in CSS pixels; more where cells are so large that neighbours would run together.
const GAPS: [f64; 2] = [3.0, 9.0];

/// Draws the pictures in so many columns, each as large as fits.
pub fn tiles(surface: &Surface, colours: &Colours, pictures: &Grid, columns: usize) {
    let shape = Shape::of_grid(pictures);
    let (ink, paper) = (Colours::rgb(&colours.ink), Colours::rgb(&colours.paper));
    let colour = |bits: &[u8], unit| mix(paper, ink, shape.level(unit, |unit| f64::from(bits[unit])));
    let rows = (pictures.count as usize).div_ceil(columns);
    draw(surface, colours, &shape, &pictures.bits, pictures.count as usize, (rows, columns), &colour);
}

/// Draws filters in a square of so many columns: negative weights towards one hue, positive ones towards another, which any eye tells apart.
pub fn filter_tiles(surface: &Surface, colours: &Colours, filters: &Filters, columns: usize) {
    let ends = [&colours.positive, &colours.paper, &colours.accent].map(|colour| Colours::rgb(colour));
    let colour = |levels: &[u8], unit: usize| {
        let value = (f64::from(levels[unit]) - 128.0) / 127.0;
        mix(ends[1], ends[if value < 0.0 { 0 } else { 2 }], value.abs().min(1.0))
    };
    draw(surface, colours, &Shape::of(filters.image, 1), &filters.levels, filters.count as usize, (columns, columns), &colour);
}

fn mix(from: [u8; 3], to: [u8; 3], share: f64) -> [u8; 3] {
    [0, 1, 2].map(|c| (share * f64::from(to[c]) + (1.0 - share) * f64::from(from[c])).round() as u8)
}

/// Draws pictures whose units have the colours that `colour` gives them.
fn draw(
    surface: &Surface,
    colours: &Colours,
    shape: &Shape,
    values: &[u8],
    count: usize,
    (rows, columns): (usize, usize),
    colour: &dyn Fn(&[u8], usize) -> [u8; 3],
) {
    if shape.units == 0 || count == 0 || columns == 0 || values.len() < count * shape.units {
        return;
    }
    let gap = (GAPS[usize::from(shape.columns < 16 && surface.width / surface.ratio > 250.0)] * surface.ratio).round();
    let width = (surface.width - gap * (columns - 1) as f64) / columns as f64;
    let height = (surface.height - gap * (rows - 1) as f64) / rows as f64;
    let scale = (width / shape.columns as f64).min(height / shape.rows as f64);
    // Drawn once at a whole number of pixels a cell, then brought to size smoothly: cells stay even at any size.
    let magnify = (scale.ceil() as usize).clamp(1, 4) * 2;
    let (w, h) = (shape.columns * magnify, shape.rows * magnify);
    let mut pixels = Vec::with_capacity(count * w * h * 4);
    let void = Colours::rgb(&colours.line);
    let pictures = values.chunks_exact(shape.units).take(count);
    pictures.for_each(|picture| magnified(shape, magnify, &|unit| unit.map_or(void, |unit| colour(picture, unit)), &mut pixels));
    let Some(sheet) = sheet(&pixels, w as u32, (count * h) as u32) else { return };
    surface.context.set_image_smoothing_enabled(true);
    let (w, h) = (w as f64, h as f64);
    for place in 0..count {
        let (left, top) = ((place % columns) as f64 * (width + gap), (place / columns) as f64 * (height + gap));
        let (wide, high) = (scale * shape.columns as f64, scale * shape.rows as f64);
        let (left, top, above) = (left.round(), top.round(), place as f64 * h);
        let _ = surface.context.draw_image_with_html_canvas_element_and_sw_and_sh_and_dx_and_dy_and_dw_and_dh(
            &sheet, 0.0, above, w, h, left, top, wide, high,
        );
    }
}

/// Appends the pixels of one picture, row after row.
fn magnified(shape: &Shape, magnify: usize, colour: &dyn Fn(Option<usize>) -> [u8; 3], pixels: &mut Vec<u8>) {
    for row in 0..shape.rows {
        let start = pixels.len();
        for column in 0..shape.columns {
            let colour = colour(shape.unit(row, column));
            for _ in 0..magnify {
                pixels.extend_from_slice(&[colour[0], colour[1], colour[2], 255]);
            }
        }
        let line = start..pixels.len();
        for _ in 1..magnify {
            pixels.extend_from_within(line.clone());
        }
    }
}

thread_local! {
    /// All pictures under each other, to draw from. Kept: canvases made anew several times a second would have to be collected, which holds the page up.
    static SHEET: RefCell<Option<HtmlCanvasElement>> = const { RefCell::new(None) };
}

fn sheet(pixels: &[u8], width: u32, height: u32) -> Option<HtmlCanvasElement> {
    let sheet = match SHEET.with_borrow(Clone::clone) {
        Some(sheet) => sheet,
        None => document().create_element("canvas").ok()?.dyn_into().ok()?,
    };
    SHEET.set(Some(sheet.clone()));
    if (sheet.width(), sheet.height()) != (width, height) {
        sheet.set_width(width);
        sheet.set_height(height);
    }
    let context: CanvasRenderingContext2d = sheet.get_context("2d").ok().flatten()?.dyn_into().ok()?;
    let image = ImageData::new_with_u8_clamped_array_and_sh(Clamped(pixels), width, height).ok()?;
    context.put_image_data(&image, 0.0, 0.0).ok()?;
    Some(sheet)
}
