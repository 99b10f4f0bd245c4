//! The picture being completed: its ink, its unknown region, and every edit of them, undoable.

use crate::shape::Shape;

/// Edits kept for undo.
const PAST: usize = 200;

/// What a press on the canvas does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    /// Makes cells unknown.
    #[default]
    Mask,
    /// Makes cells known.
    Unmask,
    /// Sets cells, and makes them known.
    Draw,
    /// Clears cells, and makes them known.
    Erase,
}

/// Half of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// Rows above the middle.
    Upper,
    /// Rows below the middle.
    Lower,
    /// Columns left of the middle.
    Left,
    /// Columns right of the middle.
    Right,
}

/// Ink and unknown region, one byte a unit.
#[derive(Clone, Debug, Default, PartialEq)]
struct Layers {
    bits: Vec<u8>,
    unknown: Vec<u8>,
    truth: Option<Vec<u8>>,
}

/// A picture with an unknown region.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Picture {
    /// How it is shown.
    pub shape: Shape,
    now: Layers,
    past: Vec<Layers>,
    /// What nobody knows, one byte a unit; empty where there is nothing of the kind.
    missing: Vec<u8>,
}

impl Picture {
    /// A picture whose truth is known.
    pub fn new(shape: Shape, bits: Vec<u8>) -> Self {
        let mut bits = bits;
        bits.resize(shape.units, 0);
        let now = Layers { unknown: vec![0; shape.units], truth: Some(bits.clone()), bits };
        Self { shape, now, past: Vec::new(), missing: Vec::new() }
    }

    /// One with gaps, 1 where there is one: these are unknown until they are drawn over, and what they hide is not known.
    pub fn with_gaps(shape: Shape, bits: Vec<u8>, missing: Vec<u8>) -> Self {
        let mut picture = Self::new(shape, bits);
        if missing.len() == shape.units && missing.contains(&1) {
            picture.now.unknown.clone_from(&missing);
            picture.now.truth = None;
            picture.missing = missing;
        }
        picture
    }

    fn is_missing(&self, unit: usize) -> bool {
        self.missing.get(unit).is_some_and(|&missing| missing != 0)
    }

    /// A blank one, to draw in.
    pub fn blank(shape: Shape) -> Self {
        let mut picture = Self::new(shape, Vec::new());
        picture.now.truth = None;
        picture
    }

    /// One byte a unit, 1 where there is ink.
    pub fn bits(&self) -> &[u8] {
        &self.now.bits
    }

    /// One byte a unit, 1 where it is unknown.
    pub fn unknown(&self) -> &[u8] {
        &self.now.unknown
    }

    /// What the unknown region hides, where that is known.
    pub fn truth(&self) -> Option<&[u8]> {
        self.now.truth.as_deref()
    }

    /// How many units are unknown.
    pub fn n_unknown(&self) -> usize {
        self.now.unknown.iter().filter(|&&u| u != 0).count()
    }

    /// How much ink a cell has, 0 to 1.
    pub fn level(&self, unit: usize) -> f64 {
        self.shape.level(unit, |unit| f64::from(self.now.bits[unit]))
    }

    /// Whether there is an edit to undo.
    pub fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    /// Begins an edit: what stands now is what [`Self::undo`] returns to.
    pub fn begin(&mut self) {
        if self.past.last() != Some(&self.now) {
            if self.past.len() == PAST {
                self.past.remove(0);
            }
            self.past.push(self.now.clone());
        }
    }

    /// Ends an edit; one that changed nothing is forgotten.
    pub fn end(&mut self) {
        if self.past.last() == Some(&self.now) {
            self.past.pop();
        }
    }

    /// Takes the last edit back.
    pub fn undo(&mut self) {
        if let Some(before) = self.past.pop() {
            self.now = before;
        }
    }

    /// Makes this the picture that no undo goes behind.
    pub fn forget(&mut self) {
        self.past.clear();
    }

    /// Uses a tool on all cells whose centre lies within a round brush, all along a line between two places in cells.
    pub fn stroke(&mut self, tool: Tool, from: (f64, f64), to: (f64, f64), brush: f64) {
        let length = (to.0 - from.0).hypot(to.1 - from.1);
        let steps = ((length * 3.0).ceil() as usize).clamp(1, 10_000);
        for step in 0..=steps {
            let t = step as f64 / steps as f64;
            self.dab(tool, (from.0 + t * (to.0 - from.0), from.1 + t * (to.1 - from.1)), brush);
        }
    }

    fn dab(&mut self, tool: Tool, (row, column): (f64, f64), brush: f64) {
        let radius = brush / 2.0;
        let span = |centre: f64, limit: usize| {
            let low = (centre - radius).floor().max(0.0) as usize;
            low..((centre + radius).ceil().max(0.0) as usize + 1).min(limit)
        };
        for r in span(row, self.shape.rows) {
            for c in span(column, self.shape.columns) {
                let inside = (r as f64 + 0.5 - row).hypot(c as f64 + 0.5 - column) <= radius;
                let under = r == row.floor() as usize && c == column.floor() as usize && row >= 0.0 && column >= 0.0;
                if let Some(unit) = self.shape.unit(r, c).filter(|_| inside || under) {
                    self.apply(tool, unit);
                }
            }
        }
    }

    /// To the whole cell whose first unit this is.
    fn apply(&mut self, tool: Tool, unit: usize) {
        for unit in self.shape.cell(unit) {
            self.now.unknown[unit] = u8::from(tool == Tool::Mask || tool == Tool::Unmask && self.is_missing(unit));
            let ink = u8::from(tool == Tool::Draw);
            if matches!(tool, Tool::Draw | Tool::Erase) && self.now.bits[unit] != ink {
                self.now.bits[unit] = ink;
                self.now.truth = None;
            }
        }
    }

    /// Makes exactly one half unknown, and the gaps.
    pub fn mask_half(&mut self, half: Half) {
        self.begin();
        let (rows, columns) = (self.shape.rows, self.shape.columns);
        for unit in 0..self.shape.units {
            let cell = unit / self.shape.depth.max(1);
            let (row, column) = (cell / columns, cell % columns);
            let masked = match half {
                Half::Upper => 2 * row < rows && (rows > 1 || 2 * column < columns),
                Half::Lower => 2 * row >= rows.max(2) || (rows == 1 && 2 * column >= columns),
                Half::Left => 2 * column < columns,
                Half::Right => 2 * column >= columns,
            };
            self.now.unknown[unit] = u8::from(masked || self.is_missing(unit));
        }
        self.end();
    }

    /// Makes everything known but the gaps.
    pub fn clear_mask(&mut self) {
        self.begin();
        self.now.unknown.fill(0);
        self.now.unknown[..self.missing.len()].copy_from_slice(&self.missing);
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_strokes_and_undo() {
        let mut picture = Picture::new(Shape::of((4, 4), 1), vec![1; 16]);
        picture.mask_half(Half::Lower);
        assert_eq!(picture.unknown(), [[0; 8], [1; 8]].concat());
        picture.stroke(Tool::Unmask, (3.5, 0.5), (3.5, 3.5), 1.0);
        assert_eq!(picture.n_unknown(), 4);
        picture.begin();
        picture.stroke(Tool::Erase, (0.5, 0.5), (0.5, 0.5), 1.0);
        picture.end();
        assert_eq!((picture.bits()[0], picture.truth()), (0, None));
        picture.undo();
        assert_eq!((picture.bits()[0], picture.truth().is_some()), (1, true));
        picture.clear_mask();
        picture.clear_mask();
        assert_eq!(picture.n_unknown(), 0);
        picture.undo();
        assert_eq!(picture.n_unknown(), 4);
    }

    #[test]
    fn gaps_stay_unknown_until_they_are_drawn_over() {
        let mut picture = Picture::with_gaps(Shape::of((2, 2), 1), vec![1, 0, 1, 1], vec![0, 1, 0, 0]);
        assert_eq!((picture.unknown(), picture.truth()), (&[0, 1, 0, 0][..], None));
        picture.mask_half(Half::Lower);
        assert_eq!(picture.unknown(), [0, 1, 1, 1]);
        picture.stroke(Tool::Unmask, (0.5, 0.5), (1.5, 1.5), 3.0);
        assert_eq!(picture.unknown(), [0, 1, 0, 0]);
        picture.stroke(Tool::Draw, (0.5, 1.5), (0.5, 1.5), 1.0);
        assert_eq!((picture.n_unknown(), picture.bits()[1]), (0, 1));
        picture.clear_mask();
        assert_eq!(picture.unknown(), [0, 1, 0, 0]);
        // A length that is no picture's is no gap.
        assert_eq!(Picture::with_gaps(Shape::of((2, 2), 1), vec![1; 4], vec![1; 3]).n_unknown(), 0);
    }

    #[test]
    fn strokes_outside_change_nothing() {
        let mut picture = Picture::blank(Shape::of((4, 4), 1));
        picture.stroke(Tool::Mask, (-9.0, -9.0), (-3.0, -3.0), 1.0);
        picture.stroke(Tool::Mask, (f64::NAN, 1.0), (1.0, 1.0), 1.0);
        picture.stroke(Tool::Mask, (40.0, 40.0), (50.0, 50.0), 5.0);
        assert_eq!(picture.n_unknown(), 0);
    }
}
