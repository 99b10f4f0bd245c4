//! Line plots with axes, as SVG: the figures of experiments, readable in a light and in a dark page.
//!
//! `plotters` draws what stands still: grid, axes and text. The curves are written here, as SVG's own polylines, because its
//! backend knows neither dashes nor fractions of a pixel nor clipping.

mod axis;
pub(crate) mod bars;
pub(crate) mod gallery;
mod letters;
pub mod raster;

use crate::Error;
use axis::Axis;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::fmt::Write;

/// A line, and the spread of what it is the mean of.
pub struct Curve {
    /// What the legend calls it. Curves of one name look the same in all panels.
    pub name: String,
    /// (x, mean), joined in this order.
    pub points: Vec<(f64, f64)>,
    /// Lower edge of a band around the line, one value a point; empty, as `high` then is, for no band.
    pub low: Vec<f64>,
    /// Upper edge of the band, one value a point.
    pub high: Vec<f64>,
}

/// One pair of axes.
pub struct Panel {
    /// Above the panel.
    pub title: String,
    /// Below the x axis.
    pub x_label: String,
    /// Beside the y axis.
    pub y_label: String,
    /// In the order of the legend.
    pub curves: Vec<Curve>,
    /// A level to compare with, such as the best attainable, and its name: a dashed horizontal line.
    pub reference: Option<(String, f64)>,
    /// Whether equal distances along x are equal factors.
    pub log_x: bool,
    /// The same along y.
    pub log_y: bool,
    /// What the y axis shows, where that is not all of the data; lines are cut off at its ends.
    pub y_range: Option<(f64, f64)>,
}

/// The colours of Okabe and Ito (2008), which the colour-blind tell apart, without their yellow, which is lost on white.
const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];
/// Dashes and gaps in pixels, none being a solid line. Curve i has colour i mod 7 and dashes i mod 4: 28 different pairs.
const DASHES: [&str; 4] = ["none", "9 4", "2 3", "10 3 2 3"];
/// More curves than this no legend can explain.
pub const MAX_CURVES: usize = 12;
const REFERENCE: &str = r##"stroke="#6b6b6b" stroke-width="1.5" stroke-dasharray="5 5""##;

/// Pixels of a panel with its labels.
const PANEL: (u32, u32) = (575, 400);
/// Pixels around the figure.
const MARGIN: u32 = 14;
/// Pixels of the sample of a line in the legend.
const SAMPLE: u32 = 46;
/// Pixels of a line of the legend.
const LEGEND_LINE: u32 = 26;
/// Pixels of a title's letters.
const TITLE: f64 = 17.0;
/// Pixels of all other letters, and how wide one is at most on average.
const TEXT: f64 = 15.0;
const LETTER: u32 = 9;

/// The panels as an SVG picture on white, two in a row, with one legend for all of them below.
///
/// # Errors
/// [`Error::Input`] where there is nothing to draw, a value is not finite (or an x not above 0 on a logarithmic axis), a band
/// is not one value a point, a panel has two curves of one name, there are more than 12 names, or the range of y is empty.
pub fn svg(panels: &[Panel]) -> Result<String, Error> {
    panels.iter().try_for_each(check)?;
    let names = distinct(panels.iter().flat_map(|panel| &panel.curves).map(|curve| curve.name.as_str()));
    if names.is_empty() || names.len() > MAX_CURVES {
        let got = names.len();
        return refused(&format!("expected 1 to {MAX_CURVES} names of curves, but {got} came; spread them over several plots"));
    }
    let references = distinct(panels.iter().filter_map(|panel| panel.reference.as_ref()).map(|(name, _)| name.as_str()));
    let entries: Vec<(&str, String)> = (0..)
        .zip(&names)
        .map(|(i, &name)| (name, stroke(i)))
        .chain(references.into_iter().map(|name| (name, REFERENCE.to_owned())))
        .collect();

    let columns = panels.len().min(2) as u32;
    let rows = (panels.len() as u32).div_ceil(columns);
    // As many entries a line as there is room for, in columns of one width.
    let letters = entries.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0) as u32;
    let entry_width = SAMPLE + letters * LETTER + 24;
    let width = (columns * PANEL.0).max(entry_width) + 2 * MARGIN;
    let a_line = ((width - 2 * MARGIN) / entry_width).clamp(1, entries.len() as u32);
    let legend_top = MARGIN + rows * PANEL.1 + LEGEND_LINE;
    let height = legend_top + (entries.len() as u32 - 1) / a_line * LEGEND_LINE + LEGEND_LINE / 2 + MARGIN;
    let legend_left = (width - a_line * entry_width) / 2;

    let (mut picture, mut lines) = (String::new(), String::new());
    let mut draw = || -> Result<(), Failure> {
        let root = SVGBackend::with_string(&mut picture, (width, height)).into_drawing_area();
        root.fill(&WHITE)?;
        for (place, panel) in (0..).zip(panels) {
            let corner = (MARGIN + place % columns * PANEL.0, MARGIN + place / columns * PANEL.1);
            draw_panel(&root.clone().shrink(corner, PANEL), panel, &names, &mut lines)?;
        }
        for (place, (name, stroke)) in (0..).zip(&entries) {
            let x = legend_left + place % a_line * entry_width;
            let y = legend_top + place / a_line * LEGEND_LINE;
            let style = text(TEXT).pos(Pos::new(HPos::Left, VPos::Center));
            root.draw(&Text::new(*name, ((x + SAMPLE + 8) as i32, y as i32), style))?;
            let _ = writeln!(lines, r#"<line x1="{x}" y1="{y}" x2="{}" y2="{y}" {stroke}/>"#, x + SAMPLE);
        }
        root.present()
    };
    if let Err(error) = draw() {
        return refused(&error.to_string());
    }
    let end = picture.rfind("</svg>").unwrap_or(picture.len());
    picture.insert_str(end, &lines);
    Ok(picture)
}

type Failure = DrawingAreaErrorKind<std::io::Error>;

fn refused<T>(what: &str) -> Result<T, Error> {
    Err(Error::Input(format!("this cannot be plotted: {what}")))
}

fn check(panel: &Panel) -> Result<(), Error> {
    let title = &panel.title;
    if panel.curves.iter().all(|curve| curve.points.is_empty()) {
        return refused(&format!("panel {title:?}: expected at least one point, but none came"));
    }
    for (i, Curve { name, points, low, high }) in panel.curves.iter().enumerate() {
        let curve = format!("panel {title:?}, curve {name:?}");
        if panel.curves[..i].iter().any(|earlier| earlier.name == *name) {
            return refused(&format!("{curve}: expected one curve of this name, but two came; rename one"));
        }
        let banded = !(low.is_empty() && high.is_empty());
        if banded && (low.len(), high.len()) != (points.len(), points.len()) {
            let (low, high, points) = (low.len(), high.len(), points.len());
            return refused(&format!("{curve}: expected a band of {points} values below and above, but {low} and {high} came"));
        }
        let values = points.iter().flat_map(|&(x, y)| [x, y]).chain(low.iter().chain(high).copied());
        if let Some(value) = values.into_iter().find(|&value| !plottable(value)) {
            return refused(&format!("{curve}: expected numbers of at most 1e100, but {value} came; leave such points away"));
        }
        let mut heights = points.iter().map(|(_, y)| y).chain(low).chain(high);
        if let Some(y) = heights.find(|&&y| panel.log_y && y <= 0.0) {
            return refused(&format!("{curve}: expected y above 0 on a logarithmic axis, but {y} came; leave such points away"));
        }
        if let Some((x, _)) = points.iter().find(|&&(x, _)| panel.log_x && x <= 0.0) {
            return refused(&format!("{curve}: expected x above 0 on a logarithmic axis, but {x} came; leave such points away"));
        }
    }
    if let Some((name, level)) = panel.reference.as_ref().filter(|(_, level)| !plottable(*level)) {
        return refused(&format!("panel {title:?}: expected a level of at most 1e100 for {name:?}, but {level} came"));
    }
    let lowest = panel.reference.iter().map(|(_, level)| *level).chain(panel.y_range.map(|(low, _)| low));
    if let Some(y) = lowest.into_iter().find(|&y| panel.log_y && y <= 0.0) {
        return refused(&format!("panel {title:?}: expected y above 0 on a logarithmic axis, but {y} came"));
    }
    match panel.y_range {
        Some((low, high)) if !(low < high && plottable(low) && plottable(high)) => {
            refused(&format!("panel {title:?}: expected a range of y that rises, but {low} to {high} came"))
        }
        _ => Ok(()),
    }
}

/// Neither NaN nor infinite, nor so large that differences would be.
fn plottable(value: f64) -> bool {
    value.abs() <= 1e100
}

/// Each name once, in the order of their first coming.
fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = Vec::new();
    names.for_each(|name| {
        if !seen.contains(&name) {
            seen.push(name);
        }
    });
    seen
}

/// The look of the line of the i-th name.
fn stroke(i: usize) -> String {
    let (colour, dashes) = (COLOURS[i % COLOURS.len()], DASHES[i % DASHES.len()]);
    format!(r#"stroke="{colour}" stroke-width="2" stroke-linejoin="round" stroke-dasharray="{dashes}""#)
}

fn text(pixels: f64) -> TextStyle<'static> {
    // The SVG backend divides a font's size by this.
    const BACKEND: f64 = 1.24;
    ("sans-serif", pixels * BACKEND).into_font().color(&RGBColor(34, 34, 34))
}

/// Draws a panel's axes into its area and appends its curves, as SVG, to `lines`.
fn draw_panel(area: &DrawingArea<SVGBackend, Shift>, panel: &Panel, names: &[&str], lines: &mut String) -> Result<(), Failure> {
    let points = || panel.curves.iter().flat_map(|curve| &curve.points);
    let x = Axis::over(points().map(|&(x, _)| x), panel.log_x, 0.0);
    let bands = panel.curves.iter().flat_map(|curve| curve.low.iter().chain(&curve.high)).copied();
    let level = panel.reference.iter().map(|(_, level)| *level);
    let y = match panel.y_range {
        Some((low, high)) => Axis::between(low, high, panel.log_y),
        None => Axis::over(points().map(|&(_, y)| y).chain(bands).chain(level), panel.log_y, 0.04),
    };
    let mut chart = ChartBuilder::on(area)
        .margin(8)
        .margin_top(36)
        .margin_right(20)
        .x_label_area_size(54)
        .y_label_area_size(94)
        .build_cartesian_2d(x.clone(), y.clone())?;
    chart
        .configure_mesh()
        .x_desc(&panel.x_label)
        .y_desc(&panel.y_label)
        .label_style(text(TEXT))
        .axis_desc_style(text(TEXT))
        .bold_line_style(RGBColor(225, 225, 225))
        .light_line_style(TRANSPARENT)
        .axis_style(RGBColor(90, 90, 90))
        .draw()?;

    let (across, down) = chart.plotting_area().get_pixel_range();
    let (left, top, width, height) = (across.start, down.start, across.end - across.start, down.end - down.start);
    let (x0, y0) = area.get_base_pixel();
    let style = text(TITLE).pos(Pos::new(HPos::Center, VPos::Bottom));
    area.draw(&Text::new(panel.title.as_str(), (left + width / 2 - x0, top - 8 - y0), style))?;
    // An inner <svg> cuts off what is outside, and its coordinates begin at the panel's corner.
    let _ = writeln!(lines, r#"<svg x="{left}" y="{top}" width="{width}" height="{height}" fill="none">"#);
    let place = |&(at, value): &(f64, f64)| {
        let (x, y) = (x.share(at) * f64::from(width), (1.0 - y.share(value)) * f64::from(height));
        format!("{x:.1},{y:.1} ")
    };
    let look = |curve: &Curve| names.iter().position(|&name| name == curve.name).unwrap_or(0);
    for curve in &panel.curves {
        let edge = |values: &[f64]| curve.points.iter().zip(values).map(|(&(x, _), &y)| (x, y)).collect::<Vec<_>>();
        let outline = edge(&curve.low).into_iter().chain(edge(&curve.high).into_iter().rev());
        let outline: String = outline.map(|point| place(&point)).collect();
        if !outline.is_empty() {
            let colour = COLOURS[look(curve) % COLOURS.len()];
            let _ = writeln!(lines, r#"<polygon fill="{colour}" fill-opacity="0.14" points="{}"/>"#, outline.trim_end());
        }
    }
    if let Some((_, level)) = &panel.reference {
        let y = (1.0 - y.share(*level)) * f64::from(height);
        let _ = writeln!(lines, r#"<line x1="0" y1="{y:.1}" x2="{width}" y2="{y:.1}" {REFERENCE}/>"#);
    }
    for curve in &panel.curves {
        let points: String = curve.points.iter().map(place).collect();
        let _ = writeln!(lines, r#"<polyline {} points="{}"/>"#, stroke(look(curve)), points.trim_end());
    }
    lines.push_str("</svg>\n");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(name: &str, points: Vec<(f64, f64)>) -> Curve {
        Curve { name: name.into(), points, low: vec![], high: vec![] }
    }

    fn panel(curves: Vec<Curve>) -> Panel {
        Panel {
            title: "Title".into(),
            x_label: "steps".into(),
            y_label: "log p".into(),
            curves,
            reference: None,
            log_x: false,
            log_y: false,
            y_range: None,
        }
    }

    /// Curves like those of training runs, each with a band.
    fn example(n: usize, start: f64) -> Vec<Curve> {
        (0..n)
            .map(|i| {
                let rate = 0.002 * (1.0 + i as f64);
                let points: Vec<(f64, f64)> = (0..60)
                    .map(|t| {
                        let x = start * (20_000.0 / start).powf(f64::from(t) / 59.0);
                        (x, -4.2 - 0.1 * i as f64 - 4.0 * (-rate * x).exp() + 0.03 * (x * 0.01 + i as f64).sin())
                    })
                    .collect();
                let spread = |sign: f64| points.iter().map(|(x, y)| y + sign * (0.05 + 0.3 * (-rate * x).exp())).collect();
                Curve { name: format!("estimator {}", i + 1), low: spread(-1.0), high: spread(1.0), points }
            })
            .collect()
    }

    /// Values of an attribute of all elements of a kind.
    fn attributes<'a>(svg: &'a str, element: &str, name: &str) -> Vec<&'a str> {
        let opening = format!("<{element}");
        let attribute = format!(" {name}=\"");
        svg.split(&opening)
            .skip(1)
            .filter_map(|rest| rest.split_once('>')?.0.split_once(&attribute)?.1.split_once('"').map(|(value, _)| value))
            .collect()
    }

    #[test]
    fn twelve_curves_look_different_and_the_same_in_each_panel() {
        let mut second = panel(example(3, 1.0));
        second.curves.reverse();
        second.reference = Some(("best attainable".into(), -4.0));
        let picture = svg(&[panel(example(12, 10.0)), second]).unwrap();
        let looks = |name| attributes(&picture, "polyline", name);
        // Without their points: colours and dashes. plotters' own polylines, of its axes, have no dashes.
        let dashes = looks("stroke-dasharray");
        let colours = looks("stroke");
        let colours = &colours[colours.len() - dashes.len()..];
        let looks: Vec<(&str, &str)> = colours.iter().copied().zip(dashes).collect();
        assert_eq!(looks.len(), 15);
        for i in 0..12 {
            assert!(!looks[..i].contains(&looks[i]), "curve {i}");
        }
        assert_eq!(looks[12..], [looks[2], looks[1], looks[0]]);
        assert_eq!(attributes(&picture, "polygon", "points").len(), 15);
        // The level, and at the end of the picture the legend: a line for each name and level, below both panels.
        assert_eq!(attributes(&picture, "line", "stroke-dasharray").len(), 1 + 13);
        let heights = attributes(&picture, "line", "y1");
        assert!(heights[heights.len() - 13..].iter().all(|y| y.parse::<u32>().unwrap() > MARGIN + PANEL.1));
        assert_eq!(picture.matches("estimator 12\n").count(), 1);
        assert_eq!(picture.matches("<svg").count(), picture.matches("</svg>").count());
    }

    #[test]
    fn points_are_where_the_axes_say() {
        let line = |log_x, y_range, points| {
            let picture = svg(&[Panel { log_x, y_range, ..panel(vec![curve("one", points)]) }]).unwrap();
            let size = |name| attributes(&picture, "svg", name)[1].parse::<f64>().unwrap();
            let places: Vec<(f64, f64)> = attributes(&picture, "polyline", "points")
                .last()
                .unwrap()
                .split_whitespace()
                .map(|point| point.split_once(',').unwrap())
                .map(|(x, y)| (x.parse::<f64>().unwrap() / size("width"), y.parse::<f64>().unwrap() / size("height")))
                .collect();
            places
        };
        let near = |places: &[(f64, f64)], expected: &[(f64, f64)]| {
            assert_eq!(places.len(), expected.len());
            for (place, expected) in places.iter().zip(expected) {
                assert!((place.0 - expected.0).abs() < 1e-3 && (place.1 - expected.1).abs() < 1e-3, "{place:?}, {expected:?}");
            }
        };
        let points = vec![(1.0, 0.0), (10.0, 1.0), (100.0, -1.0)];
        near(&line(false, Some((-1.0, 1.0)), points.clone()), &[(0.0, 0.5), (9.0 / 99.0, 0.0), (1.0, 1.0)]);
        near(&line(true, Some((-1.0, 1.0)), points.clone()), &[(0.0, 0.5), (0.5, 0.0), (1.0, 1.0)]);
        // Beyond the range the line goes on, and the panel's edge cuts it off.
        near(&line(true, Some((0.0, 2.0)), points.clone()), &[(0.0, 1.0), (0.5, 0.5), (1.0, 1.5)]);
        // Without a range, 4 % of room above and below; a single point has room around it.
        near(&line(true, None, points), &[(0.0, 0.5), (0.5, 0.04 / 1.08), (1.0, 1.04 / 1.08)]);
        near(&line(false, None, vec![(3.0, 7.0)]), &[(0.5, 0.5)]);
    }

    #[test]
    fn names_are_text() {
        let picture = svg(&[panel(vec![curve("a < b & \"c\"", vec![(1.0, 2.0)])])]).unwrap();
        assert!(picture.contains("a &lt; b &amp; &quot;c&quot;") && !picture.contains("a < b"), "{picture}");
        let long = "long ".repeat(60);
        let width = attributes(&svg(&[panel(vec![curve(&long, vec![(1.0, 2.0)])])]).unwrap(), "svg", "width")[0].to_owned();
        assert!(width.parse::<usize>().unwrap() > 300 * 8, "{width}");
    }

    #[test]
    fn what_cannot_be_plotted_is_refused() {
        let refusal = |panels: &[Panel]| svg(panels).expect_err("should be refused").to_string();
        let one = |change: fn(&mut Panel)| {
            let mut panel = panel(vec![curve("one", vec![(1.0, 2.0), (2.0, 3.0)])]);
            change(&mut panel);
            refusal(&[panel])
        };
        assert!(refusal(&[]).contains("0 came"));
        assert!(refusal(&[panel(vec![])]).contains("at least one point"));
        assert!(refusal(&[panel(vec![curve("one", vec![])])]).contains("at least one point"));
        assert!(refusal(&[panel(example(13, 1.0))]).contains("13 came"));
        assert!(refusal(&[panel([example(1, 1.0), example(1, 2.0)].into_iter().flatten().collect())]).contains("two came"));
        assert!(one(|p| p.curves[0].points[1].1 = f64::NAN).contains("NaN"));
        assert!(one(|p| p.curves[0].points[1].0 = f64::INFINITY).contains("inf"));
        assert!(one(|p| p.curves[0].low = vec![1.0]).contains("1 and 0 came"));
        assert!(one(|p| (p.curves[0].low, p.curves[0].high) = (vec![1.0; 2], vec![f64::NAN; 2])).contains("NaN"));
        assert!(one(|p| (p.log_x, p.curves[0].points[0].0) = (true, 0.0)).contains("above 0"));
        assert!(one(|p| (p.log_y, p.curves[0].points[1].1) = (true, -1.0)).contains("y above 0"));
        assert!(one(|p| (p.log_y, p.y_range) = (true, Some((0.0, 9.0)))).contains("y above 0"));
        assert!(one(|p| p.reference = Some(("level".into(), f64::NAN))).contains("level"));
        assert!(one(|p| p.y_range = Some((1.0, 1.0))).contains("1 to 1"));
        assert!(one(|p| p.y_range = Some((f64::NAN, 1.0))).contains("NaN to 1"));
    }
}
