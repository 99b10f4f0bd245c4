//! Areas of the window: where an element is, and how far two areas overlap or how far apart they are.

use leptos::prelude::document;
use web_sys::Element;

/// A rectangle, in CSS pixels from the window's upper left corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Area {
    /// Where an element is now.
    pub fn of(element: &Element) -> Self {
        let rect = element.get_bounding_client_rect();
        Self { left: rect.left(), top: rect.top(), right: rect.right(), bottom: rect.bottom() }
    }

    /// The whole window, without its scrollbars.
    pub fn of_window() -> Self {
        let root = document().document_element();
        let (right, bottom) = root.map_or((0, 0), |root| (root.client_width(), root.client_height()));
        Self { left: 0.0, top: 0.0, right: right.into(), bottom: bottom.into() }
    }

    /// Distance from its left edge to its right edge.
    pub fn width(self) -> f64 {
        self.right - self.left
    }

    /// How much of it is covered by another, in square pixels.
    pub fn overlap(self, other: Self) -> f64 {
        let shared = |low: f64, high: f64| (high - low).max(0.0);
        shared(self.left.max(other.left), self.right.min(other.right))
            * shared(self.top.max(other.top), self.bottom.min(other.bottom))
    }

    /// How far away another is, across and down; 0 if they touch.
    pub fn gap(self, other: Self) -> (f64, f64) {
        let across = (self.left - other.right).max(other.left - self.right).max(0.0);
        (across, (self.top - other.bottom).max(other.top - self.bottom).max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::Area;

    #[test]
    fn areas_overlap_or_are_apart() {
        let area = |left, top, right, bottom| Area { left, top, right, bottom };
        let own = area(0.0, 0.0, 10.0, 10.0);
        for (other, overlap, gap) in [
            (area(5.0, 6.0, 20.0, 20.0), 20.0, (0.0, 0.0)),
            (area(13.0, 2.0, 20.0, 4.0), 0.0, (3.0, 0.0)),
            (area(-9.0, 14.0, -2.0, 20.0), 0.0, (2.0, 4.0)),
        ] {
            assert_eq!((own.overlap(other), own.gap(other)), (overlap, gap));
            assert_eq!((other.overlap(own), other.gap(own)), (overlap, gap));
        }
    }
}
