//! Two phases in one histogram: the bars of the positive phase rise from the axis, those of the negative phase hang from it.

use super::bins::Bins;
use super::{Colours, Plane, Scale, short};
use dbm_protocol::Histogram;

/// Bars of both phases over shared bins and, after a gap, those of the chains cut at the cap.
pub fn histogram(surface: &dyn Plane, colours: &Colours, phases: [&Histogram; 2], scale: Scale) {
    let bins = Bins::covering(phases);
    let pixel = surface.ratio();
    let (left, right, middle) = (42.0 * pixel, 52.0 * pixel, 18.0 * pixel);
    let half = (surface.height() - middle) / 2.0 - pixel;
    let (up, down) = (half, half + middle);
    let step = (surface.width() - left - right) / bins.ranges.len() as f64;
    let cap_at = surface.width() - right + 14.0 * pixel;
    let counts = phases.map(|phase| bins.count(phase));
    let length = |count: u64, all: &[u64], capped: u32| {
        let most = all.iter().copied().max().unwrap_or(0).max(u64::from(capped)).max(1);
        let share = match scale {
            Scale::Linear => count as f64 / most as f64,
            Scale::Logarithmic => (1.0 + count as f64).log10() / (1.0 + top(most)).log10(),
        };
        if count == 0 { 0.0 } else { (share * (half - 8.0 * pixel)).max(2.0 * pixel) }
    };
    for (phase, colour) in [(0, &colours.positive), (1, &colours.negative)] {
        let bar = |x: f64, width: f64, length: f64| {
            let y = if phase == 0 { up - length } else { down };
            surface.fill(colour, x, y, width, length);
        };
        for (bin, &count) in counts[phase].iter().enumerate() {
            let space = (step * 0.2).clamp(pixel, 6.0 * pixel);
            bar(
                left + bin as f64 * step + space / 2.0,
                (step - space).max(pixel),
                length(count, &counts[phase], phases[phase].capped),
            );
        }
        let capped = length(u64::from(phases[phase].capped), &counts[phase], phases[phase].capped);
        bar(cap_at, 24.0 * pixel, capped);
        let line = if phase == 0 { up } else { down };
        surface.fill(&colours.muted, left, line - 0.5 * pixel, surface.width() - left - right, pixel);
        surface.fill(&colours.muted, cap_at, line - 0.5 * pixel, 24.0 * pixel, pixel);
        side_ticks(surface, colours, scale, &counts[phase], (left, half, if phase == 0 { up } else { down }, phase == 0));
    }
    ticks(surface, colours, &bins, (left, step, up + middle / 2.0));
    surface.write(colours, "cut", (cap_at + 12.0 * pixel, up + middle / 2.0), "center", 11.0);
}

/// The power of ten at which the logarithmic scale ends.
fn top(most: u64) -> f64 {
    10f64.powf((most.max(10) as f64).log10().ceil())
}

fn ticks(surface: &dyn Plane, colours: &Colours, bins: &Bins, (left, step, y): (f64, f64, f64)) {
    let room = if bins.ranges.iter().any(|(low, _)| *low >= 10_000) { 40.0 } else { 26.0 } * surface.ratio();
    let every = (room / step).ceil().max(1.0) as usize;
    for (bin, &(low, _)) in bins.ranges.iter().enumerate() {
        // Single numbers are labelled 1, 5, 10, ...; powers of two are labelled from the first one on.
        let labelled = if bins.single() { every == 1 || low == 1 || low.is_multiple_of(5) } else { bin.is_multiple_of(every) };
        if labelled {
            surface.write(colours, &short(f64::from(low)), (left + (bin as f64 + 0.5) * step, y), "center", 11.0);
        }
    }
}

fn side_ticks(
    surface: &dyn Plane,
    colours: &Colours,
    scale: Scale,
    counts: &[u64],
    (left, half, axis, upward): (f64, f64, f64, bool),
) {
    let pixel = surface.ratio();
    let most = counts.iter().copied().max().unwrap_or(0);
    if most == 0 {
        return;
    }
    let marks: Vec<(f64, String)> = match scale {
        Scale::Linear => {
            let share = most as f64 / counts.iter().sum::<u64>().max(1) as f64;
            vec![(1.0, format!("{:.0}%", share * 100.0))]
        }
        Scale::Logarithmic => {
            let decades = top(most).log10() as i32;
            (0..=decades)
                .filter(|decade| decade % ((decades + 2) / 3).max(1) == 0)
                .map(|decade| ((1.0 + 10f64.powi(decade)).log10() / (1.0 + top(most)).log10(), short(10f64.powi(decade))))
                .collect()
        }
    };
    for (share, text) in marks {
        let by = share * (half - 8.0 * pixel);
        let y = if upward { axis - by } else { axis + by };
        surface.fill(&colours.line, left - 3.0 * pixel, y, surface.width() - left, 1.0);
        surface.write(colours, &text, (left - 6.0 * pixel, y), "right", 10.0);
    }
}
