//! Many pictures in a grid.

use super::{Colours, Surface};
use crate::shape::Shape;
use dbm_protocol::Grid;
use leptos::prelude::document;
use std::cell::RefCell;
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};

/// Space between pictures, in CSS pixels; more where cells are so large that neighbours would run together.
const GAPS: [f64; 2] = [3.0, 9.0];

/// Draws the pictures in so many columns, each as large as fits.
pub fn tiles(surface: &Surface, colours: &Colours, pictures: &Grid, columns: usize) {
    let shape = Shape::of_grid(pictures);
    let count = pictures.count as usize;
    if shape.units == 0 || count == 0 || columns == 0 || pictures.bits.len() < count * shape.units {
        return;
    }
    let rows = count.div_ceil(columns);
    let gap = (GAPS[usize::from(shape.columns < 16 && surface.width / surface.ratio > 250.0)] * surface.ratio).round();
    let width = (surface.width - gap * (columns - 1) as f64) / columns as f64;
    let height = (surface.height - gap * (rows - 1) as f64) / rows as f64;
    let scale = (width / shape.columns as f64).min(height / shape.rows as f64);
    // Drawn once at a whole number of pixels a cell, then brought to size smoothly: cells stay even at any size.
    let magnify = (scale.ceil() as usize).clamp(1, 4) * 2;
    let (w, h) = (shape.columns * magnify, shape.rows * magnify);
    let mut pixels = Vec::with_capacity(count * w * h * 4);
    pictures.bits.chunks_exact(shape.units).take(count).for_each(|bits| magnified(&shape, bits, magnify, colours, &mut pixels));
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
fn magnified(shape: &Shape, bits: &[u8], magnify: usize, colours: &Colours, pixels: &mut Vec<u8>) {
    let (ink, paper, void) = (Colours::rgb(&colours.ink), Colours::rgb(&colours.paper), Colours::rgb(&colours.line));
    for row in 0..shape.rows {
        let start = pixels.len();
        for column in 0..shape.columns {
            let colour = match shape.unit(row, column).map(|unit| shape.level(unit, |unit| f64::from(bits[unit]))) {
                Some(level) if level >= 1.0 => ink,
                Some(level) if level <= 0.0 => paper,
                Some(level) => [0, 1, 2].map(|c| (level * f64::from(ink[c]) + (1.0 - level) * f64::from(paper[c])) as u8),
                None => void,
            };
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
