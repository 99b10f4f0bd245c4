//! Means with their standard errors, side by side in groups, as SVG.

use super::axis::Axis;
use super::letters::{Type, document, lines, width};
use super::{COLOURS, REFERENCE, distinct, plottable, refused};
use crate::Error;
use std::fmt::Write;

/// A mean, drawn as a bar.
#[derive(Clone, Debug)]
pub struct Bar {
    /// What the legend calls it; bars of one name have one colour in all groups and panels.
    pub label: String,
    pub mean: f64,
    /// Drawn as a line this far up and down; None where one value is all there is.
    pub standard_error: Option<f64>,
    /// What it is the mean of, each a small circle; or empty.
    pub values: Vec<f64>,
}

/// Bars above one name.
#[derive(Clone, Debug)]
pub struct Group {
    pub name: String,
    pub bars: Vec<Bar>,
}

/// How heights are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Bars from 0.
    FromZero,
    /// Bars whose heights are logarithms; where they begin means nothing.
    Log,
}

/// One pair of axes.
#[derive(Clone, Debug)]
pub struct Bars {
    pub title: String,
    pub y_label: String,
    pub scale: Scale,
    pub groups: Vec<Group>,
    /// A level to compare with, and its name: a dashed horizontal line.
    pub reference: Option<(String, f64)>,
}

const MARGIN: f64 = 14.0;
const BETWEEN: f64 = 24.0;
/// Pixels of the axes' inside, from top to bottom.
const HEIGHT: f64 = 260.0;
/// Pixels left of it, above it, and a bar's.
const LEFT: f64 = 92.0;
const ABOVE: f64 = 36.0;
const BAR: f64 = 26.0;
const LEAST_WIDTH: f64 = 300.0;
const TITLE: f64 = 17.0;
const TEXT: f64 = 15.0;
const NAME: f64 = 14.0;
const LINE: f64 = 1.3;
const LEGEND_LINE: f64 = 26.0;

/// The panels as an SVG picture on white, so many in a row, with one legend for all of them below where there is more than one label.
///
/// # Errors
/// [`Error::Input`] where there is no panel or none in a row, a panel has no bars, a group has two of one label, there are more than 7 labels, a value is
/// not finite (or not above 0 on a logarithmic axis), or a standard error is negative.
pub fn bars(panels: &[Bars], panels_a_row: usize) -> Result<String, Error> {
    if panels.is_empty() || panels_a_row == 0 {
        return refused(&format!("expected at least one panel, and one in a row, but {} and {panels_a_row} came", panels.len()));
    }
    panels.iter().try_for_each(check)?;
    let bars = || panels.iter().flat_map(|panel| &panel.groups).flat_map(|group| &group.bars);
    let labels = distinct(bars().map(|bar| bar.label.as_str()));
    if labels.len() > COLOURS.len() {
        let (most, got) = (COLOURS.len(), labels.len());
        return refused(&format!("expected at most {most} labels of bars, but {got} came; spread them over several plots"));
    }
    let columns = panels_a_row.min(panels.len());
    let wide = |column: usize| panels.iter().skip(column).step_by(columns).map(breadth).fold(0.0, f64::max);
    let (mut inside, mut top, mut right) = (String::new(), MARGIN, 0.0_f64);
    for row in panels.chunks(columns) {
        let mut left = MARGIN;
        for (column, panel) in row.iter().enumerate() {
            draw_panel(&mut inside, panel, (left, top), wide(column), &labels);
            left += wide(column) + BETWEEN;
        }
        right = right.max(left - BETWEEN + MARGIN);
        top += row.iter().map(height).fold(0.0, f64::max) + BETWEEN;
    }
    let references = distinct(panels.iter().filter_map(|panel| panel.reference.as_ref()).map(|(name, _)| name.as_str()));
    let (right, bottom) = legend(&mut inside, if labels.len() > 1 { &labels } else { &[] }, &references, (right, top - BETWEEN));
    Ok(document(right, bottom + MARGIN, &inside))
}

fn check(panel: &Bars) -> Result<(), Error> {
    let title = &panel.title;
    if panel.groups.iter().all(|group| group.bars.is_empty()) {
        return refused(&format!("panel {title:?}: expected at least one bar, but none came"));
    }
    let log = panel.scale == Scale::Log;
    for Group { name, bars } in &panel.groups {
        for (i, bar) in bars.iter().enumerate() {
            let what = format!("panel {title:?}, {name:?}, {:?}", bar.label);
            if bars[..i].iter().any(|earlier| earlier.label == bar.label) {
                return refused(&format!("{what}: expected one bar of this label, but two came; rename one"));
            }
            let mut values = bar.values.iter().chain([&bar.mean]);
            if let Some(value) = values.clone().find(|&&value| !plottable(value)) {
                return refused(&format!("{what}: expected numbers of at most 1e100, but {value} came"));
            }
            if let Some(value) = values.find(|&&value| log && value <= 0.0) {
                return refused(&format!("{what}: expected values above 0 on a logarithmic axis, but {value} came"));
            }
            if let Some(error) = bar.standard_error.filter(|&error| !(plottable(error) && error >= 0.0)) {
                return refused(&format!("{what}: expected a standard error of at least 0, but {error} came"));
            }
        }
    }
    match panel.reference {
        Some((ref name, level)) if !plottable(level) || log && level <= 0.0 => {
            refused(&format!("panel {title:?}: expected a level that its axis can show for {name:?}, but {level} came"))
        }
        _ => Ok(()),
    }
}

/// Pixels for a group: for its bars, and for the longest word of its name.
fn group_width(panel: &Bars) -> f64 {
    let most = panel.groups.iter().map(|group| group.bars.len()).max().unwrap_or(0) as f64;
    let words = panel.groups.iter().flat_map(|group| group.name.split_whitespace());
    words.map(|word| width(word, NAME) + 10.0).fold(most * BAR + 26.0, f64::max)
}

fn breadth(panel: &Bars) -> f64 {
    let groups = group_width(panel) * panel.groups.len() as f64;
    LEFT + groups.max(LEAST_WIDTH).max(width(&panel.title, TITLE) - LEFT)
}

fn names(panel: &Bars, room: f64) -> impl Iterator<Item = Vec<String>> {
    panel.groups.iter().map(move |group| lines(&group.name, NAME, room - 6.0))
}

fn height(panel: &Bars) -> f64 {
    let most = names(panel, group_width(panel)).map(|lines| lines.len()).max().unwrap_or(0);
    ABOVE + HEIGHT + 10.0 + most as f64 * NAME * LINE
}

/// What of a bar is drawn.
fn heights(bar: &Bar) -> impl Iterator<Item = f64> {
    let error = bar.standard_error.unwrap_or(0.0);
    [bar.mean, bar.mean - error, bar.mean + error].into_iter().chain(bar.values.iter().copied())
}

fn axis(panel: &Bars) -> Axis {
    let bars = panel.groups.iter().flat_map(|group| &group.bars);
    let level = panel.reference.iter().map(|(_, level)| *level);
    let all = bars.flat_map(heights).chain(level).filter(|&height| panel.scale != Scale::Log || height > 0.0);
    let (low, high) = all.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)));
    match panel.scale {
        // Half of the lowest, so that its bar is seen.
        Scale::Log => Axis::between(low / 2.0, high * 1.2, true),
        Scale::FromZero => {
            let (low, high) = (low.min(0.0), high.max(0.0));
            let room = if high > low { 0.05 * (high - low) } else { 1.0 };
            Axis::between(
                if low < 0.0 { low - room } else { 0.0 },
                if high > 0.0 || low == 0.0 { high + room } else { 0.0 },
                false,
            )
        }
    }
}

fn draw_panel(svg: &mut String, panel: &Bars, (left, top): (f64, f64), width: f64, labels: &[&str]) {
    let axis = axis(panel);
    let (x0, x1, y0, y1) = (left + LEFT, left + width, top + ABOVE, top + ABOVE + HEIGHT);
    let at = |height: f64| y1 - axis.share(height).clamp(0.0, 1.0) * HEIGHT;
    Type::new(TITLE, "middle").write(svg, (f64::midpoint(x0, x1), y0 - 12.0), &panel.title);
    for (share, label) in axis.marks() {
        let y = y1 - share * HEIGHT;
        let _ = writeln!(svg, r##"<line x1="{x0:.1}" y1="{y:.1}" x2="{x1:.1}" y2="{y:.1}" stroke="#e1e1e1"/>"##);
        Type::new(TEXT, "end").write(svg, (x0 - 8.0, y + 0.35 * TEXT), &label);
    }
    let (x, y) = (left + TEXT, f64::midpoint(y0, y1));
    let _ = writeln!(svg, r#"<g transform="translate({x:.1} {y:.1}) rotate(-90)">"#);
    Type::new(TEXT, "middle").write(svg, (0.0, 0.0), &panel.y_label);
    svg.push_str("</g>\n");

    let group_width = (x1 - x0) / panel.groups.len() as f64;
    let bottom = if panel.scale == Scale::FromZero { at(0.0) } else { y1 };
    for (place, (group, name)) in panel.groups.iter().zip(names(panel, group_width)).enumerate() {
        let middle = x0 + (place as f64 + 0.5) * group_width;
        for (place, bar) in group.bars.iter().enumerate() {
            let x = middle + (place as f64 - group.bars.len() as f64 / 2.0 + 0.5) * BAR;
            let colour = COLOURS[labels.iter().position(|&label| label == bar.label).unwrap_or(0) % COLOURS.len()];
            draw_bar(svg, bar, (x, at(bar.mean), bottom), colour, &at);
        }
        for (line, text) in name.iter().enumerate() {
            Type::new(NAME, "middle").write(svg, (middle, y1 + 8.0 + (line as f64 + 0.8) * NAME * LINE), text);
        }
    }
    if let Some((_, level)) = &panel.reference {
        let y = at(*level);
        let _ = writeln!(svg, r#"<line x1="{x0:.1}" y1="{y:.1}" x2="{x1:.1}" y2="{y:.1}" {REFERENCE}/>"#);
    }
    for (x, y) in [(x0, y0), (x1, bottom)] {
        let _ = writeln!(svg, r##"<line x1="{x0:.1}" y1="{bottom:.1}" x2="{x:.1}" y2="{y:.1}" stroke="#5a5a5a"/>"##);
    }
    if bottom < y1 {
        let _ = writeln!(svg, r##"<line x1="{x0:.1}" y1="{y0:.1}" x2="{x0:.1}" y2="{y1:.1}" stroke="#5a5a5a"/>"##);
    }
}

fn draw_bar(svg: &mut String, bar: &Bar, (x, y, bottom): (f64, f64, f64), colour: &str, at: &dyn Fn(f64) -> f64) {
    let (y, side, high) = (y.min(bottom), BAR - 4.0, (y - bottom).abs());
    let left = x - side / 2.0;
    let _ = writeln!(
        svg,
        r#"<rect class="bar" x="{left:.1}" y="{y:.1}" width="{side:.1}" height="{high:.1}" fill="{colour}" fill-opacity="0.8"/>"#
    );
    // Beside the line of the error, which would hide them.
    for value in &bar.values {
        let (x, y) = (x + 8.0, at(*value));
        let _ = writeln!(
            svg,
            r##"<circle cx="{x:.1}" cy="{y:.1}" r="2.4" fill="#ffffff" fill-opacity="0.8" stroke="#222222" stroke-width="0.8"/>"##
        );
    }
    if let Some(error) = bar.standard_error {
        let (high, low) = (at(bar.mean + error), at(bar.mean - error));
        let (left, right) = (x - 4.0, x + 4.0);
        let path = format!("M{x:.1} {high:.1}V{low:.1}M{left:.1} {high:.1}H{right:.1}M{left:.1} {low:.1}H{right:.1}");
        let _ = writeln!(svg, r##"<path class="error" d="{path}" fill="none" stroke="#222222" stroke-width="1.5"/>"##);
    }
}

/// Draws it below the panels, and returns how wide and how high the picture then is.
fn legend(svg: &mut String, labels: &[&str], references: &[&str], (right, top): (f64, f64)) -> (f64, f64) {
    let entries = labels.len() + references.len();
    if entries == 0 {
        return (right, top);
    }
    let room = labels.iter().chain(references).map(|label| width(label, TEXT)).fold(0.0, f64::max) + 64.0;
    let right = right.max(room + 2.0 * MARGIN);
    let a_line = (((right - 2.0 * MARGIN) / room) as usize).clamp(1, entries);
    let left = (right - a_line as f64 * room) / 2.0;
    for (place, label) in labels.iter().chain(references).enumerate() {
        let (x, y) = (left + (place % a_line) as f64 * room, top + ((place / a_line) as f64 + 1.0) * LEGEND_LINE);
        if place < labels.len() {
            let _ = writeln!(
                svg,
                r#"<rect x="{:.1}" y="{:.1}" width="18" height="14" fill="{}" fill-opacity="0.8"/>"#,
                x + 16.0,
                y - 7.0,
                COLOURS[place]
            );
        } else {
            let _ = writeln!(svg, r#"<line x1="{x:.1}" y1="{y:.1}" x2="{:.1}" y2="{y:.1}" {REFERENCE}/>"#, x + 34.0);
        }
        Type::new(TEXT, "start").write(svg, (x + 42.0, y + 0.35 * TEXT), label);
    }
    (right, top + (entries.div_ceil(a_line) as f64 + 0.5) * LEGEND_LINE)
}

#[cfg(test)]
mod tests {
    use super::super::raster::{png, tests::pixels};
    use super::*;

    fn bar(label: &str, mean: f64) -> Bar {
        Bar { label: label.into(), mean, standard_error: Some(1.0), values: vec![mean - 1.0, mean + 1.0] }
    }

    fn panel(scale: Scale) -> Bars {
        let group =
            |name: &str, first: f64| Group { name: name.into(), bars: vec![bar("small", first), bar("large", 2.0 * first)] };
        let groups = vec![group("as the paper has it", 5.0), group("without marginalization", 10.0)];
        Bars { title: "Distance".into(), y_label: "distance".into(), scale, groups, reference: Some(("floor".into(), 4.0)) }
    }

    /// Tops and heights of the bars, from left to right.
    fn drawn(svg: &str) -> Vec<(f64, f64)> {
        let number = |rest: &str, name: &str| {
            rest.split_once(&format!(" {name}=\"")).unwrap().1.split('"').next().unwrap().parse::<f64>().unwrap()
        };
        svg.split("class=\"bar\"").skip(1).map(|rest| (number(rest, "y"), number(rest, "height"))).collect()
    }

    #[test]
    fn heights_are_what_the_scale_says() {
        let heights = |scale| drawn(&bars(&[panel(scale)], 1).unwrap());
        let linear = heights(Scale::FromZero);
        for (bar, times) in linear.iter().zip([1.0, 2.0, 2.0, 4.0]) {
            assert!((bar.1 - times * linear[0].1).abs() < 0.3, "{linear:?}");
        }
        let log = heights(Scale::Log);
        let double = log[1].1 - log[0].1;
        assert!(double > 10.0 && (log[3].1 - log[2].1 - double).abs() < 0.3 && (log[2].1 - log[1].1).abs() < 0.3, "{log:?}");
        // Below 0, bars hang from it.
        let mut negative = panel(Scale::FromZero);
        negative.groups[0].bars[0].mean = -5.0;
        let hanging = drawn(&bars(&[negative], 1).unwrap());
        assert!((hanging[0].0 - (hanging[1].0 + hanging[1].1)).abs() < 0.2, "{hanging:?}");
    }

    #[test]
    fn the_picture_has_letters_colours_and_errors() {
        let both = [panel(Scale::FromZero), panel(Scale::Log), panel(Scale::Log)];
        let svg = bars(&both, 2).unwrap();
        assert_eq!(svg.matches("class=\"error\"").count(), 12);
        assert_eq!((svg.matches(">small<").count(), svg.matches(">floor<").count()), (1, 1));
        let (_, pixels) = pixels(&png(&svg).unwrap());
        let count = |colour: [i32; 3]| {
            let near = |pixel: &&[u8; 3]| pixel.iter().zip(colour).all(|(&a, b)| (i32::from(a) - b).abs() < 4);
            pixels.iter().filter(near).count()
        };
        // #0072b2 and #d55e00 at 80 % on white, and the letters.
        assert!(count([51, 142, 193]) > 3000 && count([221, 126, 51]) > 3000 && count([34, 34, 34]) > 2000);
        let mut one = panel(Scale::Log);
        one.groups.iter_mut().for_each(|group| group.bars.truncate(1));
        assert!(!bars(&[one], 1).unwrap().contains(">small<"), "one label needs no legend");
    }

    #[test]
    fn hostile_names_are_text_and_long_ones_break() {
        let mut hostile = panel(Scale::FromZero);
        hostile.title = "</svg><script>".into();
        hostile.y_label = "a & b".into();
        hostile.groups[0].name = "<b> & \"c\"".into();
        hostile.groups[0].bars[0].label = "x < y".into();
        let svg = bars(&[hostile], 1).unwrap();
        for text in [
            "&lt;/svg&gt;&lt;script&gt;",
            "a &amp; b",
            "&lt;b&gt; &amp; &quot;c&quot;",
            "x &lt; y",
            ">without<",
            ">marginalization<",
        ] {
            assert!(svg.contains(text), "{text}: {svg}");
        }
        assert!(!svg.contains("<script") && png(&svg).is_ok());
    }

    #[test]
    fn what_cannot_be_drawn_is_refused() {
        let refusal = |panels: &[Bars], a_row| bars(panels, a_row).expect_err("should be refused").to_string();
        let one = |scale, change: fn(&mut Bars)| {
            let mut panel = panel(scale);
            change(&mut panel);
            refusal(&[panel], 1)
        };
        assert!(refusal(&[], 1).contains("0 and 1 came"));
        assert!(refusal(&[panel(Scale::Log)], 0).contains("1 and 0 came"));
        assert!(one(Scale::Log, |p| p.groups.clear()).contains("at least one bar"));
        assert!(one(Scale::Log, |p| p.groups[0].bars.push(bar("small", 1.0))).contains("two came"));
        assert!(one(Scale::Log, |p| p.groups[0].bars[0].mean = 0.0).contains("above 0"));
        assert!(one(Scale::Log, |p| p.groups[0].bars[0].values.push(-1.0)).contains("above 0"));
        assert!(one(Scale::Log, |p| p.reference = Some(("level".into(), 0.0))).contains("level"));
        assert!(one(Scale::FromZero, |p| p.groups[0].bars[0].mean = f64::NAN).contains("NaN"));
        assert!(one(Scale::FromZero, |p| p.groups[0].bars[0].standard_error = Some(-1.0)).contains("-1"));
        assert!(
            one(Scale::FromZero, |p| p.groups[0].bars = (0..8).map(|i| bar(&i.to_string(), 1.0)).collect()).contains("at most 7")
        );
        // An error that reaches below 0 ends at the axis, and what is all alike is drawn.
        let mut wide = panel(Scale::Log);
        wide.groups[0].bars[0].standard_error = Some(100.0);
        assert!(bars(&[wide], 1).is_ok());
        let mut zero = panel(Scale::FromZero);
        zero.reference = None;
        zero.groups.iter_mut().flat_map(|group| &mut group.bars).for_each(|bar| {
            (bar.mean, bar.standard_error) = (0.0, None);
            bar.values.clear();
        });
        assert!(png(&bars(&[zero], 1).unwrap()).is_ok());
    }
}
