//! Many pictures in a grid.

use super::{Colours, Surface};
use crate::canvas::shape::Shape;
use dbm_protocol::{Filters, Greys, Grid};
use wasm_bindgen::Clamped;
use web_sys::ImageData;

/// Space between pictures, in CSS pixels; wider if cells are so large that neighbours would run together.
const GAPS: [f64; 2] = [3.0, 9.0];

/// Draws the pictures in this many columns, each as large as fits.
pub fn tiles(surface: &Surface, colours: &Colours, pictures: &Grid, columns: usize) {
    let shape = Shape::of_grid(pictures);
    let (ink, paper) = (Colours::rgb(&colours.ink), Colours::rgb(&colours.paper));
    let colour = |bits: &[u8], unit| mix(paper, ink, shape.level(unit, |unit| f64::from(bits[unit])));
    let rows = (pictures.count as usize).div_ceil(columns);
    draw(surface, colours, &shape, &pictures.bits, pictures.count as usize, (rows, columns), &colour);
}

/// Draws filters in a square with this many columns: negative weights towards one hue, positive ones towards another, which even
/// colour-blind visitors can distinguish.
pub fn filter_tiles(surface: &Surface, colours: &Colours, filters: &Filters, columns: usize) {
    let ends = [&colours.positive, &colours.paper, &colours.accent].map(|colour| Colours::rgb(colour));
    let colour = |levels: &[u8], unit: usize| {
        let value = (f64::from(levels[unit]) - 128.0) / 127.0;
        mix(ends[1], ends[if value < 0.0 { 0 } else { 2 }], value.abs().min(1.0))
    };
    draw(
        surface,
        colours,
        &Shape::of(filters.image, Greys::default()),
        &filters.levels,
        filters.count as usize,
        (columns, columns),
        &colour,
    );
}

fn mix(from: [u8; 3], to: [u8; 3], share: f64) -> [u8; 3] {
    [0, 1, 2].map(|c| (share * f64::from(to[c]) + (1.0 - share) * f64::from(from[c])).round() as u8)
}

/// Draws pictures whose units have the colours that `colour` gives them. This happens several times a second during training, so
/// all pictures are drawn as one block of pixels, each pixel the mean of what it covers.
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
    let scale = (width / shape.columns as f64).min(height / shape.rows as f64).max(0.0);
    let pixels = |cells: usize| (scale * cells as f64).round() as usize;
    let (across, down) = (cover(shape.columns, pixels(shape.columns)), cover(shape.rows, pixels(shape.rows)));
    let mut sheet = Sheet::new(surface);
    for (place, picture) in values.chunks_exact(shape.units).take(count).enumerate() {
        let (left, top) = ((place % columns) as f64 * (width + gap), (place / columns) as f64 * (height + gap));
        let void = Colours::rgb(&colours.line);
        let cell = |row, column| shape.unit(row, column).map_or(void, |unit| colour(picture, unit)).map(f32::from);
        let lines: Vec<Vec<[f32; 3]>> =
            (0..shape.rows).map(|row| across.iter().map(|covered| mean(covered, |column| cell(row, column))).collect()).collect();
        for (y, covered) in down.iter().enumerate() {
            let line = (0..across.len()).map(|x| mean(covered, |row| lines[row][x]));
            sheet.put(left.round() as usize, top.round() as usize + y, line);
        }
    }
    sheet.draw(surface);
}

/// For each of `pixels` pixels, which of the `cells` cells it covers and with what share.
fn cover(cells: usize, pixels: usize) -> Vec<Vec<(usize, f32)>> {
    let a_pixel = cells as f64 / pixels.max(1) as f64;
    let covered = |pixel: usize| {
        let (from, to) = (pixel as f64 * a_pixel, (pixel + 1) as f64 * a_pixel);
        let share = |cell: usize| (to.min((cell + 1) as f64) - from.max(cell as f64)).max(0.0) / a_pixel;
        (from as usize..(to.ceil() as usize).min(cells)).map(|cell| (cell, share(cell) as f32)).collect()
    };
    (0..pixels).map(covered).collect()
}

fn mean(covered: &[(usize, f32)], of: impl Fn(usize) -> [f32; 3]) -> [f32; 3] {
    covered.iter().fold([0.0; 3], |sum, &(cell, share)| {
        let value = of(cell);
        [0, 1, 2].map(|c| sum[c] + share * value[c])
    })
}

/// The pixels of a whole surface, transparent until they are set.
struct Sheet {
    width: usize,
    pixels: Vec<u8>,
}

impl Sheet {
    fn new(surface: &Surface) -> Self {
        let (width, height) = (surface.width as usize, surface.height as usize);
        Self { width, pixels: vec![0; width * height * 4] }
    }

    /// Sets a row of pixels; those beyond the edge are dropped.
    fn put(&mut self, left: usize, top: usize, line: impl Iterator<Item = [f32; 3]>) {
        let (from, to) = (4 * (top * self.width + left.min(self.width)), 4 * (top + 1) * self.width);
        let Some(room) = self.pixels.get_mut(from..to) else { return };
        for (pixel, [r, g, b]) in room.chunks_exact_mut(4).zip(line) {
            pixel.copy_from_slice(&[r, g, b, 255.0].map(|value| (value + 0.5) as u8));
        }
    }

    fn draw(&self, surface: &Surface) {
        if let Ok(image) = ImageData::new_with_u8_clamped_array(Clamped(&self.pixels), self.width as u32) {
            let _ = surface.context.put_image_data(&image, 0.0, 0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pixel_is_the_mean_of_what_it_covers() {
        for (cells, pixels) in [(28, 67), (28, 28), (28, 9), (3, 4), (1, 1), (5, 0)] {
            let covered = cover(cells, pixels);
            assert_eq!(covered.len(), pixels);
            let mut of_cells = vec![0.0; cells];
            for pixel in &covered {
                assert!((pixel.iter().map(|(_, share)| share).sum::<f32>() - 1.0).abs() < 1e-5);
                pixel.iter().for_each(|&(cell, share)| of_cells[cell] += share);
            }
            let each = pixels as f32 / cells as f32;
            assert!(of_cells.iter().all(|sum| (sum - each).abs() < 1e-4), "{cells} cells in {pixels} pixels: {of_cells:?}");
        }
        assert_eq!(mean(&[(0, 0.25), (1, 0.75)], |cell| [cell as f32, 4.0, 0.0]), [0.75, 4.0, 0.0]);
    }
}
