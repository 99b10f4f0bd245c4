//! The picture to complete: its ink, its unknown region, and all edits of them, which can be undone.

use super::masks::Mask;
use crate::canvas::shape::Shape;
use crate::ui::undo::Edits;
use dbm_core::words::Choose;

/// What a click on the canvas does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    /// Makes cells unknown.
    #[default]
    Mask,
    /// Makes cells known.
    Unmask,
    /// Fills cells with ink, and makes them known.
    Draw,
    /// Clears cells, and makes them known.
    Erase,
}

/// Pictures with more units are not written into the address.
const MOST_WRITTEN: usize = 1024;
/// Six bits per letter, as in URL-safe base64.
const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Bits as text for the address, the first bit being the highest of the first letter; `None` if there are too many.
fn written(bits: &[u8]) -> Option<String> {
    let letter = |six: &[u8]| {
        char::from(LETTERS[(0..6).fold(0, |sum, at| 2 * sum + usize::from(six.get(at).is_some_and(|&bit| bit != 0)))])
    };
    (bits.len() <= MOST_WRITTEN).then(|| bits.chunks(6).map(letter).collect())
}

/// Reads `count` bits back from such a text; `None` if the text is malformed.
fn read(text: &str, count: usize) -> Option<Vec<u8>> {
    if text.len() != count.div_ceil(6) {
        return None;
    }
    let mut bits = Vec::with_capacity(count + 6);
    for letter in text.bytes() {
        let six = LETTERS.iter().position(|&known| known == letter)?;
        bits.extend((0..6).rev().map(|at| (six >> at & 1) as u8));
    }
    bits.truncate(count);
    Some(bits)
}

/// Ink and unknown region, one byte per unit.
#[derive(Clone, Debug, Default, PartialEq)]
struct Layers {
    bits: Vec<u8>,
    unknown: Vec<u8>,
    truth: Option<Vec<u8>>,
}

/// A picture with an unknown region.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Picture {
    /// How its units are laid out.
    pub shape: Shape,
    now: Layers,
    edits: Edits<Layers>,
    /// Gaps in the data, one byte per unit; empty if there are none.
    missing: Vec<u8>,
}

impl Picture {
    /// A picture whose original is known.
    pub fn new(shape: Shape, bits: Vec<u8>) -> Self {
        let mut bits = bits;
        bits.resize(shape.units, 0);
        let now = Layers { unknown: vec![0; shape.units], truth: Some(bits.clone()), bits };
        Self { shape, now, ..Self::default() }
    }

    /// A picture with gaps, where `missing` is 1. Gaps are unknown until they are drawn over, and nobody knows what they hide.
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

    /// A blank picture to draw on.
    pub fn blank(shape: Shape) -> Self {
        let mut picture = Self::new(shape, Vec::new());
        picture.now.truth = None;
        picture
    }

    /// One byte per unit, 1 for ink.
    pub fn bits(&self) -> &[u8] {
        &self.now.bits
    }

    /// One byte per unit, 1 if it is unknown.
    pub fn unknown(&self) -> &[u8] {
        &self.now.unknown
    }

    /// What the unknown region hides, if that is known.
    pub fn truth(&self) -> Option<&[u8]> {
        self.now.truth.as_deref()
    }

    /// How many pixels are unknown.
    pub fn n_unknown(&self) -> usize {
        self.now.unknown.iter().filter(|&&u| u != 0).count().div_ceil(self.shape.depth.max(1))
    }

    /// How much ink a cell has, 0 to 1.
    pub fn level(&self, unit: usize) -> f64 {
        self.shape.level(unit, |unit| f64::from(self.now.bits[unit]))
    }

    /// Whether there is an edit to undo.
    pub fn can_undo(&self) -> bool {
        self.edits.can_undo()
    }

    /// Begins an edit: [`Self::undo`] returns to the present state.
    pub fn begin(&mut self) {
        self.edits.begin(&self.now);
    }

    /// Ends an edit.
    pub fn end(&mut self) {
        self.edits.end(&self.now);
    }

    /// Undoes the last edit.
    pub fn undo(&mut self) {
        self.edits.undo(&mut self.now);
    }

    /// Whether there is an edit to redo.
    pub fn can_redo(&self) -> bool {
        self.edits.can_redo()
    }

    /// Redoes the edit undone last.
    pub fn redo(&mut self) {
        self.edits.redo(&mut self.now);
    }

    /// Clears the history of edits: nothing before the present picture can be restored.
    pub fn forget(&mut self) {
        self.edits = Edits::default();
    }

    /// Applies a tool to all cells whose centre lies under a round brush that moves along a line between two positions, given in
    /// cells.
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

    /// Applies a tool to the whole cell that begins with this unit.
    fn apply(&mut self, tool: Tool, unit: usize) {
        for (unit, full) in self.shape.cell(unit).zip(self.shape.greys().full()) {
            self.now.unknown[unit] = u8::from(tool == Tool::Mask || tool == Tool::Unmask && self.is_missing(unit));
            let ink = if tool == Tool::Draw { full } else { 0 };
            if matches!(tool, Tool::Draw | Tool::Erase) && self.now.bits[unit] != ink {
                self.now.bits[unit] = ink;
                self.now.truth = None;
            }
        }
    }

    /// Makes exactly the mask's cells and the gaps unknown; `seed` draws the random pixels.
    pub fn hide(&mut self, mask: Mask, seed: u32) {
        self.begin();
        self.now.unknown = self.hidden(mask, seed);
        self.end();
    }

    fn hidden(&self, mask: Mask, seed: u32) -> Vec<u8> {
        let (rows, columns) = (self.shape.rows, self.shape.columns);
        let hidden = |unit: usize| {
            let cell = unit / self.shape.depth.max(1);
            mask.hides((cell / columns, cell % columns), (rows, columns), seed) || self.is_missing(unit)
        };
        (0..self.shape.units).map(|unit| u8::from(hidden(unit))).collect()
    }

    /// Whether exactly the mask's cells and the gaps are unknown.
    pub fn has_hidden(&self, mask: Mask, seed: u32) -> bool {
        self.now.unknown == self.hidden(mask, seed)
    }

    /// Makes everything known except the gaps.
    pub fn clear_mask(&mut self) {
        self.begin();
        self.now.unknown = (0..self.shape.units).map(|unit| u8::from(self.is_missing(unit))).collect();
        self.end();
    }

    /// The unknown region as written in the address: a name, or bit by bit; `None` if that would be too long.
    pub fn mask_text(&self, seed: u32) -> Option<String> {
        match Mask::CHOICES.iter().find(|mask| self.has_hidden(mask.value, seed)) {
            Some(mask) => Some(mask.name.into()),
            None if self.n_unknown() == 0 => Some("none".into()),
            None => written(&self.now.unknown),
        }
    }

    /// Reads an unknown region in the format of [`Self::mask_text`]; any other text changes nothing.
    pub fn set_mask(&mut self, text: &str, seed: u32) {
        if let Some(mask) = Mask::named(text) {
            self.hide(mask, seed);
        } else if text == "none" {
            self.clear_mask();
        } else if let Some(unknown) = read(text, self.shape.units) {
            self.now.unknown = unknown;
        }
    }

    /// The ink bit by bit; `None` if nothing was drawn or it would be too long.
    pub fn ink_text(&self) -> Option<String> {
        let drawn = self.now.truth.is_none() && self.missing.is_empty() && self.now.bits.contains(&1);
        written(&self.now.bits).filter(|_| drawn)
    }

    /// Reads ink in the format of [`Self::ink_text`]; any other text changes nothing.
    pub fn set_ink(&mut self, text: &str) {
        if let Some(bits) = read(text, self.shape.units) {
            self.now.bits = bits;
            self.now.truth = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbm_protocol::Greys;

    #[test]
    fn halves_strokes_and_undo() {
        let mut picture = Picture::new(Shape::of((4, 4), Greys::default()), vec![1; 16]);
        picture.hide(Mask::Lower, 0);
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
        let mut picture = Picture::with_gaps(Shape::of((2, 2), Greys::default()), vec![1, 0, 1, 1], vec![0, 1, 0, 0]);
        assert_eq!((picture.unknown(), picture.truth()), (&[0, 1, 0, 0][..], None));
        picture.hide(Mask::Lower, 0);
        assert_eq!(picture.unknown(), [0, 1, 1, 1]);
        picture.stroke(Tool::Unmask, (0.5, 0.5), (1.5, 1.5), 3.0);
        assert_eq!(picture.unknown(), [0, 1, 0, 0]);
        picture.stroke(Tool::Draw, (0.5, 1.5), (0.5, 1.5), 1.0);
        assert_eq!((picture.n_unknown(), picture.bits()[1]), (0, 1));
        picture.clear_mask();
        assert_eq!(picture.unknown(), [0, 1, 0, 0]);
        // Gaps of the wrong length are ignored.
        assert_eq!(Picture::with_gaps(Shape::of((2, 2), Greys::default()), vec![1; 4], vec![1; 3]).n_unknown(), 0);
    }

    #[test]
    fn what_was_undone_is_redone_until_something_else_is_done() {
        let mut picture = Picture::new(Shape::of((4, 4), Greys::default()), vec![0; 16]);
        let draw = |picture: &mut Picture, column: f64| {
            picture.begin();
            picture.stroke(Tool::Draw, (0.5, column), (0.5, column), 1.0);
            picture.end();
        };
        draw(&mut picture, 0.5);
        draw(&mut picture, 1.5);
        picture.undo();
        picture.undo();
        assert_eq!((picture.bits()[..2].to_vec(), picture.can_undo(), picture.can_redo()), (vec![0, 0], false, true));
        picture.redo();
        picture.hide(Mask::All, 0);
        assert_eq!((picture.bits()[..2].to_vec(), picture.can_redo()), (vec![1, 0], false));
        picture.undo();
        // An edit that changes nothing does not count.
        draw(&mut picture, 0.5);
        picture.redo();
        assert_eq!(picture.n_unknown(), 16);
    }

    #[test]
    fn presets_hide_what_they_say_and_are_told_apart_in_every_shape() {
        let mut picture = Picture::new(Shape::of((28, 28), Greys::default()), vec![0; 784]);
        let mut counts = Vec::new();
        for mask in Mask::CHOICES {
            picture.hide(mask.value, 43);
            assert_eq!(picture.mask_text(43).as_deref(), Some(mask.name));
            counts.push(picture.n_unknown());
        }
        assert_eq!(counts[..7], [392, 392, 392, 392, 196, 784 - 400, 392]);
        // 784 draws at 0.3 and at 0.6, seed 43: within 4 standard deviations.
        assert!((183..=287).contains(&counts[7]) && (415..=525).contains(&counts[8]) && counts[9] == 784, "{counts:?}");
        for image in [(1, 1), (1, 2), (1, 13), (4, 4), (0, 0)] {
            for mask in Mask::CHOICES {
                Picture::blank(Shape::of(image, Greys::default())).hide(mask.value, 1);
            }
        }
    }

    #[test]
    fn ink_and_masks_travel_as_text() {
        let shape = Shape::of((28, 28), Greys::default());
        let mut picture = Picture::blank(shape);
        picture.stroke(Tool::Draw, (3.0, 3.0), (20.0, 17.0), 3.0);
        picture.stroke(Tool::Mask, (14.0, 2.0), (14.0, 26.0), 2.0);
        let (mask, ink) = (picture.mask_text(1).unwrap(), picture.ink_text().unwrap());
        assert_eq!((mask.len(), ink.len()), (131, 131));
        let mut again = Picture::blank(shape);
        again.set_ink(&ink);
        again.set_mask(&mask, 1);
        assert_eq!((again.bits(), again.unknown()), (picture.bits(), picture.unknown()));
        // Nonsense, and texts for other shapes, change nothing.
        for text in ["", "lowest", "AAAA", &"é".repeat(65), &"%".repeat(131), &ink[1..]] {
            again.set_ink(text);
            again.set_mask(text, 1);
            assert_eq!((again.bits(), again.unknown()), (picture.bits(), picture.unknown()), "{text}");
        }
        again.set_mask("none", 1);
        assert_eq!((again.n_unknown(), Picture::new(shape, vec![1; 784]).ink_text()), (0, None));
    }

    #[test]
    fn strokes_outside_change_nothing() {
        let mut picture = Picture::blank(Shape::of((4, 4), Greys::default()));
        picture.stroke(Tool::Mask, (-9.0, -9.0), (-3.0, -3.0), 1.0);
        picture.stroke(Tool::Mask, (f64::NAN, 1.0), (1.0, 1.0), 1.0);
        picture.stroke(Tool::Mask, (40.0, 40.0), (50.0, 50.0), 5.0);
        assert_eq!(picture.n_unknown(), 0);
    }
}
