//! The theme's colours, read from the style sheet so that there is only one palette, and the preferences of the visitor's system.

use leptos::prelude::*;
use web_sys::{CssStyleDeclaration, MediaQueryList};

/// The colours that canvases are drawn in, as the style sheet writes them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Colours {
    /// Background of pictures and charts.
    pub paper: String,
    /// Known ink, and text.
    pub ink: String,
    /// Less important text.
    pub muted: String,
    /// Hairlines, and cells without a unit.
    pub line: String,
    /// Ink that the model filled in.
    pub accent: String,
    /// Background of the unknown region.
    pub wash: String,
    /// The positive phase.
    pub positive: String,
    /// The negative phase.
    pub negative: String,
    /// Axes, which are stronger than hairlines.
    pub strong: String,
    /// Hues of a chart's lines, distinguishable even by the colour-blind. The lines differ by their dashes as well.
    pub series: [String; 6],
    /// Font family of text in canvases.
    pub font: String,
}

impl Colours {
    /// The colours of the current theme.
    pub fn now() -> Self {
        let style = document().document_element().and_then(|root| window().get_computed_style(&root).ok().flatten());
        let read = |name: &str| value(style.as_ref(), name);
        Self {
            paper: read("--paper"),
            ink: read("--ink"),
            muted: read("--muted"),
            line: read("--line"),
            accent: read("--accent"),
            wash: read("--wash"),
            positive: read("--positive"),
            negative: read("--negative"),
            strong: read("--strong"),
            series: ["--positive", "--negative", "--accent", "--violet", "--green", "--ink"].map(read),
            font: read("--sans"),
        }
    }

    /// Red, green and blue of a `#rrggbb`; black for anything else.
    pub fn rgb(colour: &str) -> [u8; 3] {
        let part = |at: usize| colour.get(at..at + 2).and_then(|two| u8::from_str_radix(two, 16).ok()).unwrap_or(0);
        [part(1), part(3), part(5)]
    }
}

fn value(style: Option<&CssStyleDeclaration>, name: &str) -> String {
    style.and_then(|style| style.get_property_value(name).ok()).map(|value| value.trim().to_string()).unwrap_or_default()
}

pub(super) fn media_query(text: &str) -> Option<MediaQueryList> {
    window().match_media(text).ok().flatten()
}

/// Whether the window is at least this wide, in CSS pixels.
pub fn is_as_wide(pixels: u32) -> bool {
    media_query(&format!("(min-width: {pixels}px)")).is_some_and(|query| query.matches())
}

/// Whether the visitor's system asks for less motion.
pub fn prefers_less_motion() -> bool {
    media_query("(prefers-reduced-motion: reduce)").is_some_and(|query| query.matches())
}
