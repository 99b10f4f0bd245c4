//! One visible layer, cell by cell: known ink, unknown region, and what a model filled in.

use super::{Colours, Surface};
use crate::canvas::shape::Shape;

/// Below this many device pixels a cell gets no grid lines.
const GRID_FROM: f64 = 7.0;

/// What is drawn where cells are unknown.
pub enum Fill<'a> {
    /// Hatching: not answered yet.
    Nothing,
    /// One byte a unit, 0 or 1: an answer.
    Bits(&'a [u8]),
    /// How often a unit was set, 0 to 1.
    Shares(&'a [f64]),
}

/// A visible layer to draw.
pub struct Cells<'a> {
    /// Its layout.
    pub shape: Shape,
    /// Known ink.
    pub bits: &'a [u8],
    /// Which units are unknown; may be empty where none is.
    pub unknown: &'a [u8],
    /// What stands there.
    pub fill: Fill<'a>,
    /// Cells where this differs are crossed; empty for none.
    pub other: &'a [u8],
    /// Row and column of the keyboard's cursor.
    pub cursor: Option<(usize, usize)>,
}

/// Draws it over the whole surface.
pub fn cells(surface: &Surface, colours: &Colours, layer: &Cells) {
    let shape = layer.shape;
    if shape.units == 0 {
        return;
    }
    let (dx, dy) = (surface.width / shape.columns as f64, surface.height / shape.rows as f64);
    let x = |column: usize| (column as f64 * dx).round();
    let y = |row: usize| (row as f64 * dy).round();
    let unknown = |unit: usize| layer.unknown.get(unit).is_some_and(|&u| u != 0);
    surface.fill(&colours.paper, 0.0, 0.0, surface.width, surface.height);
    for row in 0..shape.rows {
        for column in 0..shape.columns {
            let (left, top) = (x(column), y(row));
            let (width, height) = (x(column + 1) - left, y(row + 1) - top);
            let cell = |colour: &str| surface.fill(colour, left, top, width, height);
            let shade = |colour: &str, level: f64| {
                if level > 0.0 {
                    surface.context.set_global_alpha(level.min(1.0));
                    cell(colour);
                    surface.context.set_global_alpha(1.0);
                }
            };
            let Some(unit) = shape.unit(row, column) else {
                cell(&colours.line);
                continue;
            };
            if !unknown(unit) {
                shade(&colours.ink, shape.level(unit, |unit| layer.bits.get(unit).copied().map_or(0.0, f64::from)));
                continue;
            }
            cell(&colours.wash);
            let high = |unit: usize| match &layer.fill {
                Fill::Nothing => 0.0,
                Fill::Bits(bits) => bits.get(unit).copied().map_or(0.0, f64::from),
                Fill::Shares(shares) => shares.get(unit).copied().unwrap_or(0.0),
            };
            shade(&colours.accent, shape.level(unit, high));
        }
    }
    if matches!(layer.fill, Fill::Nothing) {
        hatch(surface, colours, &shape, &unknown, (&x, &y));
    }
    if dx.min(dy) >= GRID_FROM * surface.ratio {
        grid(surface, colours, &shape, (&x, &y));
    }
    border(surface, colours, &shape, &unknown, (&x, &y));
    if let (Fill::Bits(bits), false) = (&layer.fill, layer.other.is_empty()) {
        crosses(surface, colours, &shape, &|unit| shape.cell(unit).any(|unit| bits.get(unit) != layer.other.get(unit)), (&x, &y));
    }
    if let Some((row, column)) = layer.cursor {
        let line = (2.0 * surface.ratio).max(1.0);
        let (left, top) = (x(column), y(row));
        for (colour, inset) in [(&colours.paper, 0.0), (&colours.accent, line)] {
            surface.context.set_stroke_style_str(colour);
            surface.context.set_line_width(line);
            let by = inset - line;
            surface.context.stroke_rect(left + by, top + by, x(column + 1) - left - 2.0 * by, y(row + 1) - top - 2.0 * by);
        }
    }
}

type Edges<'a> = (&'a dyn Fn(usize) -> f64, &'a dyn Fn(usize) -> f64);

/// A cross over each cell that differs.
fn crosses(surface: &Surface, colours: &Colours, shape: &Shape, differs: &dyn Fn(usize) -> bool, (x, y): Edges) {
    let context = &surface.context;
    context.begin_path();
    for row in 0..shape.rows {
        for column in 0..shape.columns {
            if shape.unit(row, column).is_some_and(differs) {
                let (left, right, top, bottom) = (x(column), x(column + 1), y(row), y(row + 1));
                context.move_to(left, top);
                context.line_to(right, bottom);
                context.move_to(left, bottom);
                context.line_to(right, top);
            }
        }
    }
    for (colour, width) in [(&colours.paper, 3.5), (&colours.ink, 1.5)] {
        context.set_stroke_style_str(colour);
        context.set_line_width(width * surface.ratio);
        context.stroke();
    }
}

/// Fine diagonal strokes over the unknown cells.
fn hatch(surface: &Surface, colours: &Colours, shape: &Shape, unknown: &dyn Fn(usize) -> bool, (x, y): Edges) {
    let context = &surface.context;
    context.save();
    context.begin_path();
    let mut any = false;
    for row in 0..shape.rows {
        for column in 0..shape.columns {
            if shape.unit(row, column).is_some_and(unknown) {
                any = true;
                context.rect(x(column), y(row), x(column + 1) - x(column), y(row + 1) - y(row));
            }
        }
    }
    if any {
        context.clip();
        context.begin_path();
        let gap = 7.0 * surface.ratio;
        let mut at = -surface.height;
        while at < surface.width {
            context.move_to(at, surface.height);
            context.line_to(at + surface.height, 0.0);
            at += gap;
        }
        context.set_global_alpha(0.45);
        context.set_stroke_style_str(&colours.accent);
        context.set_line_width(surface.ratio);
        context.stroke();
    }
    context.restore();
}

fn grid(surface: &Surface, colours: &Colours, shape: &Shape, (x, y): Edges) {
    let context = &surface.context;
    context.begin_path();
    let half = 0.5;
    for column in 1..shape.columns {
        context.move_to(x(column) - half, 0.0);
        context.line_to(x(column) - half, surface.height);
    }
    for row in 1..shape.rows {
        context.move_to(0.0, y(row) - half);
        context.line_to(surface.width, y(row) - half);
    }
    context.set_global_alpha(0.4);
    context.set_stroke_style_str(&colours.line);
    context.set_line_width(1.0);
    context.stroke();
    context.set_global_alpha(1.0);
}

/// A line wherever known and unknown meet.
fn border(surface: &Surface, colours: &Colours, shape: &Shape, unknown: &dyn Fn(usize) -> bool, (x, y): Edges) {
    let context = &surface.context;
    let masked = |row: usize, column: usize| shape.unit(row, column).is_some_and(unknown);
    context.begin_path();
    for row in 0..shape.rows {
        for column in 0..shape.columns {
            if column + 1 < shape.columns && masked(row, column) != masked(row, column + 1) {
                context.move_to(x(column + 1), y(row));
                context.line_to(x(column + 1), y(row + 1));
            }
            if row + 1 < shape.rows && masked(row, column) != masked(row + 1, column) {
                context.move_to(x(column), y(row + 1));
                context.line_to(x(column + 1), y(row + 1));
            }
        }
    }
    context.set_stroke_style_str(&colours.accent);
    context.set_line_width(surface.ratio);
    context.stroke();
}
