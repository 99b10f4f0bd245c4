//! A small falling line: the energy along a watched search.

use super::{Colours, Surface};

/// Draws the values as a line, the part up to `now` strongly, with a dot there.
pub fn sparkline(surface: &Surface, colours: &Colours, values: &[f64], now: usize) {
    let pixel = surface.ratio;
    let finite = || values.iter().copied().filter(|x| x.is_finite());
    let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
    let pad = 5.0 * pixel;
    let range = if high > low { high - low } else { 1.0 };
    let place = |at: usize| {
        let share = at as f64 / values.len().saturating_sub(1).max(1) as f64;
        let depth = values.get(at).map_or(0.0, |value| ((high - value) / range).clamp(0.0, 1.0));
        (pad + share * (surface.width - 2.0 * pad), pad + depth * (surface.height - 2.0 * pad))
    };
    surface.fill(&colours.line, 0.0, surface.height - pixel, surface.width, pixel);
    for (from, to, colour, width) in [(0, values.len(), &colours.muted, 1.0), (0, now + 1, &colours.accent, 2.0)] {
        surface.context.begin_path();
        for at in from..to.min(values.len()) {
            let (x, y) = place(at);
            if at == from {
                surface.context.move_to(x, y);
            } else {
                surface.context.line_to(x, y);
            }
        }
        surface.context.set_stroke_style_str(colour);
        surface.context.set_line_width(width * pixel);
        surface.context.stroke();
    }
    if now < values.len() {
        let (x, y) = place(now);
        surface.context.begin_path();
        let _ = surface.context.arc(x, y, 3.5 * pixel, 0.0, std::f64::consts::TAU);
        surface.context.set_fill_style_str(&colours.accent);
        surface.context.fill();
    }
}
