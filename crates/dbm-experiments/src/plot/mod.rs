//! Figures as SVG: lines or bars with axes, and pictures side by side, readable in a light and in a dark page.
//!
//! Positions are computed here; the appearance is in the template `figure.svg`.

mod axis;
pub(crate) mod gallery;
pub mod raster;

use crate::Error;
use crate::template::render;
use axis::Axis;
use minijinja::{Value, context};

/// One visual element: a line with the spread of the values it averages, or bars with their errors.
#[derive(Clone, Debug, Default)]
pub struct Curve {
    /// Its name in the legend. Curves with the same name look the same in all panels.
    pub name: String,
    /// Connected in this order.
    pub marks: Vec<Mark>,
}

/// A point of a line, or a bar.
#[derive(Clone, Debug, Default)]
pub struct Mark {
    /// Position on the x axis; for a bar, the position of its group.
    pub x: f64,
    /// Position on the y axis.
    pub y: f64,
    /// Lower and upper edge of the surrounding band; either all marks of a curve have one, or none has.
    pub band: Option<(f64, f64)>,
    /// The values it averages: small circles next to its bar; may be empty.
    pub values: Vec<f64>,
}

impl Mark {
    /// A mark at this position, without a band.
    pub fn at(x: f64, y: f64) -> Self {
        Self { x, y, ..Self::default() }
    }

    fn edges(&self) -> impl Iterator<Item = f64> {
        self.band.into_iter().flat_map(|(low, high)| [low, high])
    }
}

/// One pair of axes.
#[derive(Clone, Debug, Default)]
pub struct Panel {
    /// The title above the panel.
    pub title: String,
    /// The label below the x axis.
    pub x_label: String,
    /// The label next to the y axis.
    pub y_label: String,
    /// In the order of the legend.
    pub curves: Vec<Curve>,
    /// Names of groups of bars, the i-th at x = i. If there are any, curves are drawn as bars: from 0, or from the axis if it is
    /// logarithmic.
    pub groups: Vec<String>,
    /// A reference level, such as the best attainable, and its name: a dashed horizontal line.
    pub reference: Option<(String, f64)>,
    /// Whether the x axis is logarithmic.
    pub log_x: bool,
    /// Whether the y axis is logarithmic.
    pub log_y: bool,
    /// Range of the y axis, if it is not to cover all data; lines are clipped at its ends.
    pub y_range: Option<(f64, f64)>,
}

/// The colours of Okabe and Ito (2008), which the colour-blind can distinguish, without their yellow, which is invisible on white.
const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];
/// Dashes and gaps in pixels; none is a solid line. Curve i has colour i mod 7 and dashes i mod 4: 28 different pairs.
const DASHES: [&str; 4] = ["none", "9 4", "2 3", "10 3 2 3"];
/// A legend cannot explain more curves than this.
pub const MAX_CURVES: usize = 12;

/// Pixels around the figure, and between panels.
const MARGIN: f64 = 14.0;
const BETWEEN: f64 = 24.0;
/// Inner size of the axes in pixels, unless bars need more width.
const INSIDE: (f64, f64) = (457.0, 302.0);
/// Pixels to its left, right, top and, for two lines of text, bottom.
const LEFT: f64 = 100.0;
const RIGHT: f64 = 18.0;
const ABOVE: f64 = 36.0;
const BELOW: f64 = 54.0;
/// Width of a bar in pixels.
const BAR: f64 = 26.0;
/// Font sizes in pixels: titles, names of groups, and other texts.
const TITLE: f64 = 17.0;
const NAME: f64 = 14.0;
const TEXT: f64 = 15.0;
/// Line height relative to font size.
const LINE: f64 = 1.3;
/// Line height of the legend in pixels, and the widths of its sample and gaps.
const LEGEND_LINE: f64 = 26.0;
const SAMPLE: f64 = 70.0;

/// The panels as an SVG picture on white, this many per row, with one legend for all of them below; a single kind of bar needs none.
///
/// # Errors
/// [`Error::Input`] if there is nothing to draw, a value is not finite (or not above 0 on a logarithmic axis), a panel has two curves with
/// the same name, or there are more than 12 names (7 for bars).
pub fn svg(panels: &[Panel], panels_a_row: usize) -> Result<String, Error> {
    panels.iter().try_for_each(Panel::check)?;
    let names = distinct(panels.iter().flat_map(|panel| &panel.curves).map(|curve| curve.name.as_str()));
    let bar = panels.iter().any(|panel| !panel.groups.is_empty());
    let most = if bar { COLOURS.len() } else { MAX_CURVES };
    if names.is_empty() || names.len() > most {
        let got = names.len();
        return refused(&format!("expected 1 to {most} names of curves, but got {got}; spread them over several plots"));
    }
    let look = |i: usize| context! { colour => COLOURS[i % COLOURS.len()], dashes => DASHES[i % DASHES.len()], bar };
    let looks: Vec<(&str, Value)> = names.iter().enumerate().map(|(i, &name)| (name, look(i))).collect();
    let references = distinct(panels.iter().filter_map(|panel| panel.reference.as_ref()).map(|(name, _)| name.as_str()));
    let shown: &[(&str, Value)] = if bar && names.len() == 1 { &[] } else { &looks };
    let legend: Vec<_> = shown.iter().cloned().chain(references.into_iter().map(|name| (name, Value::from(())))).collect();
    figure(&panels.iter().map(|panel| panel.draw(&looks)).collect::<Vec<_>>(), panels_a_row, &legend)
}

/// A panel's pixels: its width, and how far it extends above and below the line on which the panels of a row are aligned; and its content,
/// which begins this far from its left.
struct Drawn {
    width: f64,
    above: f64,
    below: f64,
    left: f64,
    its: Value,
}

/// Panels in rows, and below them a legend of names and their looks.
fn figure(panels: &[Drawn], panels_a_row: usize, legend: &[(&str, Value)]) -> Result<String, Error> {
    if panels.is_empty() || panels_a_row == 0 {
        return refused(&format!("expected at least one panel, and one in a row, but got {} and {panels_a_row}", panels.len()));
    }
    let columns = panels_a_row.min(panels.len());
    let most = |panels: &mut dyn Iterator<Item = &Drawn>, of: fn(&Drawn) -> f64| panels.map(of).fold(0.0, f64::max);
    let widths: Vec<f64> =
        (0..columns).map(|column| most(&mut panels.iter().skip(column).step_by(columns), |panel| panel.width)).collect();
    let (mut placed, mut top) = (Vec::new(), MARGIN);
    for row in panels.chunks(columns) {
        let (mut left, line) = (MARGIN, top + most(&mut row.iter(), |panel| panel.above));
        for (panel, width) in row.iter().zip(&widths) {
            // On whole pixels, so that every pixel of a picture covers the same number of them.
            let x = (left + (width - panel.width) / 2.0 + panel.left).round();
            placed.push(context! { left => x, top => line.round(), ..panel.its.clone() });
            left += width + BETWEEN;
        }
        top = line + most(&mut row.iter(), |panel| panel.below) + BETWEEN;
    }
    // As many entries per line as fit, in columns of one width.
    let entry = legend.iter().map(|(name, _)| width(name, TEXT)).fold(0.0, f64::max) + SAMPLE;
    let inside = (widths.iter().sum::<f64>() + (columns - 1) as f64 * BETWEEN).max(if legend.is_empty() { 0.0 } else { entry });
    let a_line = ((inside / entry) as usize).clamp(1, legend.len().max(1));
    let left = MARGIN + (inside - a_line as f64 * entry) / 2.0;
    let entries = legend.iter().enumerate().map(|(place, (name, look))| {
        let (x, y) = ((place % a_line) as f64 * entry, (place / a_line) as f64 * LEGEND_LINE);
        context! { name, look, x => left + x, y => top + y }
    });
    let height = top - BETWEEN + legend.len().div_ceil(a_line) as f64 * LEGEND_LINE + MARGIN;
    let values = context! {
        panels => placed,
        legend => entries.collect::<Vec<_>>(),
        width => (inside + 2.0 * MARGIN).ceil() as u32,
        height => height.ceil() as u32,
    };
    let picture = render("figure.svg", include_str!("figure.svg"), &values)?;
    // Characters that XML cannot contain.
    Ok(picture.replace(|c: char| c.is_control() && c != '\n' || matches!(c, '\u{fffe}' | '\u{ffff}'), "\u{fffd}"))
}

fn refused<T>(what: &str) -> Result<T, Error> {
    Err(Error::Input(format!("this cannot be plotted: {what}")))
}

impl Panel {
    fn marks(&self) -> impl Iterator<Item = &Mark> {
        self.curves.iter().flat_map(|curve| &curve.marks)
    }

    fn check(&self) -> Result<(), Error> {
        let refused = |what: String| refused(&format!("panel {:?}: expected {what}", self.title));
        if self.marks().next().is_none() {
            return refused("at least one point, but got none".into());
        }
        let names: Vec<&str> = self.curves.iter().map(|curve| curve.name.as_str()).collect();
        if let Some(place) = (0..names.len()).find(|&place| names[..place].contains(&names[place])) {
            return refused(format!("one curve named {:?}, but got two; rename one", names[place]));
        }
        let level = || self.reference.iter().map(|(_, level)| *level);
        let range = || self.y_range.into_iter().flat_map(|(low, high)| [low, high]);
        let edges = || self.marks().flat_map(Mark::edges);
        let heights = || self.marks().flat_map(|mark| mark.values.iter().copied().chain([mark.y])).chain(level()).chain(range());
        // Neither NaN nor infinite, nor so large that differences would be.
        let mut numbers = self.marks().map(|mark| mark.x).chain(edges()).chain(heights());
        if let Some(value) = numbers.find(|value| value.abs() > 1e100 || value.is_nan()) {
            return refused(format!("numbers of at most 1e100, but got {value}; leave such points out"));
        }
        // The error of a bar may extend below 0, where the axis clips it.
        let mut heights = heights().chain(edges().filter(|_| self.groups.is_empty()));
        if let Some(y) = heights.find(|&y| self.log_y && y <= 0.0) {
            return refused(format!("y above 0 on a logarithmic axis, but got {y}; leave such points out"));
        }
        match self.marks().find(|mark| self.log_x && mark.x <= 0.0) {
            Some(Mark { x, .. }) => refused(format!("x above 0 on a logarithmic axis, but got {x}; leave such points out")),
            None => Ok(()),
        }
    }

    fn axes(&self) -> (Axis, Axis) {
        let level = self.reference.iter().map(|(_, level)| *level);
        let heights = self.marks().flat_map(|mark| mark.values.iter().copied().chain(mark.edges()).chain([mark.y]));
        let heights = heights.chain(level).filter(|&y| !self.log_y || y > 0.0);
        let y = match (self.y_range, self.groups.is_empty()) {
            (Some((low, high)), _) => Axis::between(low, high, self.log_y),
            (None, true) => Axis::over(heights, self.log_y, 0.04),
            (None, false) if !self.log_y => Axis::over(heights.chain([0.0]), false, 0.04),
            // From half of the lowest, so that its bar is visible.
            (None, false) => Axis::over(heights.flat_map(|y| [y / 2.0, y]), true, 0.04),
        };
        let x = match self.groups.len() {
            0 => Axis::over(self.marks().map(|mark| mark.x), self.log_x, 0.0),
            groups => Axis::between(-0.5, groups as f64 - 0.5, false),
        };
        (x, y)
    }

    fn draw(&self, looks: &[(&str, Value)]) -> Drawn {
        let (x, y) = self.axes();
        let bars = !self.groups.is_empty();
        // Width for a group's bars, and for the longest word of its name.
        let words = self.groups.iter().flat_map(|name| name.split_whitespace()).map(|word| width(word, NAME) + 10.0);
        let a_group = words.fold(self.curves.len() as f64 * BAR + BAR, f64::max);
        let (wide, high) = ((a_group * self.groups.len() as f64).max(if bars { 0.0 } else { INSIDE.0 }).ceil(), INSIDE.1);
        let at = |height: f64| (1.0 - y.share(height)) * high;
        let place = |mark: &Mark, height: f64| (x.share(mark.x) * wide, at(height));
        let look = |curve: &Curve| looks.iter().find(|(name, _)| *name == curve.name).map(|(_, look)| look);
        let curves = self.curves.iter().map(|curve| {
            let edge = |of: fn((f64, f64)) -> f64| -> Vec<_> {
                curve.marks.iter().filter_map(|mark| Some(place(mark, of(mark.band?)))).collect()
            };
            context! {
                look => look(curve),
                points => curve.marks.iter().map(|mark| place(mark, mark.y)).collect::<Vec<_>>(),
                low => edge(|(low, _)| low),
                high => edge(|(_, high)| high),
                values => curve.marks.iter().map(|mark| mark.values.iter().map(|&value| at(value)).collect()).collect::<Vec<Vec<f64>>>(),
            }
        });
        let groups: Vec<(f64, Vec<String>)> =
            (0..).zip(&self.groups).map(|(i, name)| (x.share(f64::from(i)) * wide, wrapped(name, NAME, a_group - 6.0))).collect();
        let most = groups.iter().map(|(_, lines)| lines.len()).max().unwrap_or(0);
        let its = context! {
            title => self.title,
            x_label => self.x_label,
            y_label => self.y_label,
            width => wide,
            height => high,
            x_marks => x.marks().filter(|_| !bars).map(|(share, label)| (share * wide, label)).collect::<Vec<_>>(),
            y_marks => y.marks().map(|(share, label)| ((1.0 - share) * high, label)).collect::<Vec<_>>(),
            curves => curves.collect::<Vec<_>>(),
            level => self.reference.as_ref().map(|(_, level)| at(*level)),
            base => if bars && !self.log_y { at(0.0) } else { high },
            groups,
        };
        let below = high + if bars { 10.0 + most as f64 * NAME * LINE } else { BELOW };
        let head = width(&self.title, TITLE);
        Drawn { width: (LEFT + wide + RIGHT).max(head), above: ABOVE, below, left: LEFT, its }
    }
}

/// The distinct names, in the order of first appearance.
pub(crate) fn distinct<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut seen = Vec::new();
    all.into_iter().for_each(|one| {
        if !seen.contains(&one) {
            seen.push(one);
        }
    });
    seen
}

/// An upper estimate of a text's width in pixels: DejaVu Sans is a wide sans-serif font.
fn width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * 0.6
}

/// Lines of at most this many pixels, broken between words; a longer word has its own line.
fn wrapped(text: &str, size: f64, most: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line, size) + width(word, size) + width(" ", size) <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::raster::{png, tests::pixels};
    use super::*;

    fn curve(name: &str, points: Vec<(f64, f64)>) -> Curve {
        Curve { name: name.into(), marks: points.into_iter().map(|(x, y)| Mark::at(x, y)).collect() }
    }

    fn panel(curves: Vec<Curve>) -> Panel {
        Panel { title: "Title".into(), x_label: "steps".into(), y_label: "log p".into(), curves, ..Panel::default() }
    }

    /// Two groups of two bars, with errors and the values that they average.
    fn bars(log_y: bool) -> Panel {
        let bar =
            |(x, y): (i32, f64)| Mark { band: Some((y - 1.0, y + 1.0)), values: vec![y - 1.0, y + 1.0], ..Mark::at(x.into(), y) };
        let curve = |name: &str, means: [f64; 2]| Curve { name: name.into(), marks: (0..).zip(means).map(bar).collect() };
        Panel {
            groups: ["as the paper has it", "without marginalization"].map(Into::into).to_vec(),
            reference: Some(("floor".into(), 4.0)),
            log_y,
            ..panel(vec![curve("small", [5.0, 10.0]), curve("large", [10.0, 20.0])])
        }
    }

    /// Tops and heights of the bars.
    fn drawn(panel: Panel) -> Vec<(f64, f64)> {
        let svg = svg(&[panel], 1).unwrap();
        let number = |name| attributes(&svg, "rect class=\"bar\"", name).into_iter().map(|text| text.parse::<f64>().unwrap());
        number("y").zip(number("height")).collect()
    }

    /// Curves like those of training runs, each with a band.
    fn example(n: usize, start: f64) -> Vec<Curve> {
        (0..n)
            .map(|i| {
                let rate = 0.002 * (1.0 + i as f64);
                let mark = |t: i32| {
                    let x = start * (20_000.0 / start).powf(f64::from(t) / 59.0);
                    let y = -4.2 - 0.1 * i as f64 - 4.0 * (-rate * x).exp() + 0.03 * (x * 0.01 + i as f64).sin();
                    let spread = 0.05 + 0.3 * (-rate * x).exp();
                    Mark { band: Some((y - spread, y + spread)), ..Mark::at(x, y) }
                };
                Curve { name: format!("estimator {}", i + 1), marks: (0..60).map(mark).collect() }
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
        let picture = svg(&[panel(example(12, 10.0)), second], 2).unwrap();
        let looks = |name| attributes(&picture, "polyline", name);
        let looks: Vec<(&str, &str)> = looks("stroke").into_iter().zip(looks("stroke-dasharray")).collect();
        assert_eq!(looks.len(), 15);
        for i in 0..12 {
            assert!(!looks[..i].contains(&looks[i]), "curve {i}");
        }
        assert_eq!(looks[12..], [looks[2], looks[1], looks[0]]);
        assert_eq!(attributes(&picture, "polygon", "points").len(), 15);
        // The level, and at the end of the picture the legend: a line for each name and level, below both panels.
        assert_eq!(attributes(&picture, "line", "stroke-dasharray").len(), 1 + 13);
        let heights = attributes(&picture, "line", "y1");
        assert!(heights[heights.len() - 13..].iter().all(|y| y.parse::<f64>().unwrap() > MARGIN + ABOVE + INSIDE.1));
        assert_eq!(picture.matches(">estimator 12<").count(), 1);
        assert_eq!(picture.matches("<svg").count(), picture.matches("</svg>").count());
    }

    #[test]
    fn points_are_where_the_axes_say() {
        let line = |log_x, y_range, points| {
            let picture = svg(&[Panel { log_x, y_range, ..panel(vec![curve("one", points)]) }], 2).unwrap();
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
        // Outside the range the line continues, and the panel's edge clips it.
        near(&line(true, Some((0.0, 2.0)), points.clone()), &[(0.0, 1.0), (0.5, 0.5), (1.0, 1.5)]);
        // Without a range, 4 % of room above and below; a single point has room around it.
        near(&line(true, None, points), &[(0.0, 0.5), (0.5, 0.04 / 1.08), (1.0, 1.04 / 1.08)]);
        near(&line(false, None, vec![(3.0, 7.0)]), &[(0.5, 0.5)]);
    }

    #[test]
    fn names_are_text() {
        let groups = vec!["<b>".into(); 2];
        let hostile = Panel { title: "</svg><script>".into(), y_label: "\u{1}a & b".into(), groups, ..bars(true) };
        for picture in [svg(&[hostile], 1), svg(&[panel(vec![curve("</svg><script>\u{1}a & b<b>", vec![(1.0, 2.0)])])], 2)] {
            let picture = picture.unwrap();
            for text in ["&lt;&#x2f;svg&gt;&lt;script&gt;", "\u{fffd}a &amp; b", "&lt;b&gt;"] {
                assert!(picture.contains(text), "{text}: {picture}");
            }
            assert!(!picture.contains("<script") && png(&picture).is_ok());
        }
        let long = "long ".repeat(60);
        let width = attributes(&svg(&[panel(vec![curve(&long, vec![(1.0, 2.0)])])], 2).unwrap(), "svg", "width")[0].to_owned();
        assert!(width.parse::<usize>().unwrap() > 300 * 8, "{width}");
    }

    #[test]
    fn what_cannot_be_plotted_is_refused() {
        let refusal = |panels: &[Panel]| svg(panels, 2).expect_err("should be refused").to_string();
        let one = |change: fn(&mut Panel)| {
            let mut panel = panel(vec![curve("one", vec![(1.0, 2.0), (2.0, 3.0)])]);
            change(&mut panel);
            refusal(&[panel])
        };
        assert!(refusal(&[]).contains("got 0"));
        assert!(refusal(&[panel(vec![])]).contains("at least one point"));
        assert!(refusal(&[panel(vec![curve("one", vec![])])]).contains("at least one point"));
        assert!(refusal(&[panel(example(13, 1.0))]).contains("got 13"));
        assert!(refusal(&[panel([example(1, 1.0), example(1, 2.0)].into_iter().flatten().collect())]).contains("got two"));
        for nan in [
            (|p| p.curves[0].marks[1].y = f64::NAN) as fn(&mut Panel),
            |p| p.curves[0].marks[1].band = Some((1.0, f64::NAN)),
            |p| p.reference = Some(("level".into(), f64::NAN)),
            |p| p.y_range = Some((f64::NAN, 1.0)),
        ] {
            assert!(one(nan).contains("NaN"));
        }
        assert!(one(|p| p.curves[0].marks[1].x = f64::INFINITY).contains("inf"));
        assert!(one(|p| (p.log_x, p.curves[0].marks[0].x) = (true, 0.0)).contains("x above 0"));
        assert!(one(|p| (p.log_y, p.curves[0].marks[1].y) = (true, -1.0)).contains("y above 0"));
        assert!(one(|p| (p.log_y, p.curves[0].marks[1].band) = (true, Some((0.0, 1.0)))).contains("y above 0"));
        assert!(one(|p| (p.log_y, p.y_range) = (true, Some((0.0, 9.0)))).contains("y above 0"));
        assert!(svg(&[bars(true)], 0).is_err_and(|error| error.to_string().contains("got 1 and 0")));
        let bar = |change: fn(&mut Panel)| {
            let mut panel = bars(true);
            change(&mut panel);
            svg(&[panel], 1).expect_err("should be refused").to_string()
        };
        assert!(bar(|p| p.curves.clear()).contains("at least one point"));
        assert!(bar(|p| p.curves.push(p.curves[0].clone())).contains("got two"));
        assert!(bar(|p| p.curves[0].marks[0].y = 0.0).contains("above 0"));
        assert!(bar(|p| p.curves[0].marks[0].values.push(-1.0)).contains("above 0"));
        assert!(bar(|p| p.reference = Some(("level".into(), 0.0))).contains("above 0"));
        assert!(bar(|p| p.curves = (0..8).map(|i| curve(&i.to_string(), vec![(0.0, 1.0)])).collect()).contains("1 to 7"));
    }

    #[test]
    fn bars_are_as_high_as_the_scale_says() {
        let linear = drawn(bars(false));
        for (bar, times) in linear.iter().zip([1.0, 2.0, 2.0, 4.0]) {
            assert!((bar.1 - times * linear[0].1).abs() < 0.5, "{linear:?}");
        }
        let log = drawn(bars(true));
        let double = log[1].1 - log[0].1;
        assert!(double > 10.0 && (log[3].1 - log[2].1 - double).abs() < 0.3 && (log[2].1 - log[1].1).abs() < 0.2, "{log:?}");
        // Below 0, bars extend downwards.
        let mut negative = bars(false);
        negative.curves[0].marks[0].y = -5.0;
        let hanging = drawn(negative);
        assert!((hanging[0].0 - (hanging[1].0 + hanging[1].1)).abs() < 0.2, "{hanging:?}");
        // An error that extends below 0 ends at the axis, and equal values are still drawn.
        let mut wide = bars(true);
        wide.curves[0].marks[0].band = Some((-95.0, 6.0));
        assert!(png(&svg(&[wide], 1).unwrap()).is_ok());
        let zero = Panel { curves: vec![curve("zero", vec![(0.0, 0.0), (1.0, 0.0)])], reference: None, ..bars(false) };
        assert!(png(&svg(&[zero], 1).unwrap()).is_ok());
    }

    #[test]
    fn bars_have_letters_colours_and_errors() {
        let svg = svg(&[bars(false), bars(true), bars(true)], 2).unwrap();
        assert_eq!(svg.matches("class=\"error\"").count(), 12);
        assert_eq!((svg.matches(">small<").count(), svg.matches(">floor<").count()), (1, 1));
        assert!(svg.contains(">without<") && svg.contains(">marginalization<"), "long names break: {svg}");
        let (_, pixels) = pixels(&png(&svg).unwrap());
        let count = |colour: [i32; 3]| {
            let near = |pixel: &&[u8; 3]| pixel.iter().zip(colour).all(|(&a, b)| (i32::from(a) - b).abs() < 4);
            pixels.iter().filter(near).count()
        };
        // #0072b2 and #d55e00 at 80 % on white, and the letters.
        assert!(count([51, 142, 193]) > 3000 && count([221, 126, 51]) > 3000 && count([34, 34, 34]) > 2000);
        let one = Panel { curves: bars(true).curves[..1].to_vec(), ..bars(true) };
        assert!(!super::svg(&[one], 1).unwrap().contains(">small<"), "one label needs no legend");
    }
}
