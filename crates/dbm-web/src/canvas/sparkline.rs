//! A small line chart: the energy along a watched search, or the energies of a watched pair.

use super::{Colours, Plane, Surface};

/// Draws the first of the values as a line, the part up to `now` strongly and ending in a dot, and the second ones as a dashed
/// line behind it.
pub fn sparkline(surface: &Surface, colours: &Colours, values: &[[f64; 2]], now: usize) {
    let pixel = surface.ratio;
    let finite = || values.iter().flatten().copied().filter(|x| x.is_finite());
    let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
    let pad = 5.0 * pixel;
    let range = if high > low { high - low } else { 1.0 };
    let place = |at: usize, of: usize| {
        let share = at as f64 / values.len().saturating_sub(1).max(1) as f64;
        let depth = values.get(at).map_or(0.0, |value| ((high - value[of]) / range).clamp(0.0, 1.0));
        (pad + share * (surface.width - 2.0 * pad), pad + depth * (surface.height - 2.0 * pad))
    };
    surface.fill(&colours.line, 0.0, surface.height - pixel, surface.width, pixel);
    let all = values.len();
    for (of, to, colour, width, dash) in [
        (1, all, &colours.ink, 1.0, &[3.0, 3.0][..]),
        (0, all, &colours.muted, 1.0, &[]),
        (0, all.min(now + 1), &colours.accent, 2.0, &[]),
    ] {
        let points: Vec<(f64, f64)> = (0..to).map(|at| place(at, of)).collect();
        surface.line(colour, width, dash, &points);
    }
    if now < values.len() {
        let (x, y) = place(now, 0);
        surface.context.begin_path();
        let _ = surface.context.arc(x, y, 3.5 * pixel, 0.0, std::f64::consts::TAU);
        surface.context.set_fill_style_str(&colours.accent);
        surface.context.fill();
    }
}
