//! Many pictures in a grid.

use super::{Colours, Surface};
use crate::shape::Shape;
use dbm_protocol::Grid;
use leptos::prelude::document;
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};

/// Space between pictures, in CSS pixels; more where cells are so large that neighbours would run together.
const GAPS: [f64; 2] = [3.0, 9.0];

/// Draws the pictures in so many columns, each as large as fits.
pub fn tiles(surface: &Surface, colours: &Colours, pictures: &Grid, columns: usize) {
    let shape = Shape::of(pictures.image);
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
    for (place, bits) in pictures.bits.chunks_exact(shape.units).take(count).enumerate() {
        let Some(tile) = tile(&shape, bits, magnify, colours) else { return };
        let (left, top) = ((place % columns) as f64 * (width + gap), (place / columns) as f64 * (height + gap));
        let (w, h) = (scale * shape.columns as f64, scale * shape.rows as f64);
        surface.context.set_image_smoothing_enabled(true);
        let _ = surface.context.draw_image_with_html_canvas_element_and_dw_and_dh(&tile, left.round(), top.round(), w, h);
    }
}

fn tile(shape: &Shape, bits: &[u8], magnify: usize, colours: &Colours) -> Option<HtmlCanvasElement> {
    let (ink, paper, void) = (Colours::rgb(&colours.ink), Colours::rgb(&colours.paper), Colours::rgb(&colours.line));
    let (width, height) = (shape.columns * magnify, shape.rows * magnify);
    let mut pixels = Vec::with_capacity(width * height * 4);
    for row in 0..shape.rows {
        let mut line = Vec::with_capacity(width * 4);
        for column in 0..shape.columns {
            let colour = match shape.unit(row, column) {
                Some(unit) if bits[unit] != 0 => ink,
                Some(_) => paper,
                None => void,
            };
            for _ in 0..magnify {
                line.extend_from_slice(&[colour[0], colour[1], colour[2], 255]);
            }
        }
        for _ in 0..magnify {
            pixels.extend_from_slice(&line);
        }
    }
    let canvas: HtmlCanvasElement = document().create_element("canvas").ok()?.dyn_into().ok()?;
    canvas.set_width(width as u32);
    canvas.set_height(height as u32);
    let context: CanvasRenderingContext2d = canvas.get_context("2d").ok().flatten()?.dyn_into().ok()?;
    let image = ImageData::new_with_u8_clamped_array_and_sh(Clamped(&pixels), width as u32, height as u32).ok()?;
    context.put_image_data(&image, 0.0, 0.0).ok()?;
    Some(canvas)
}
