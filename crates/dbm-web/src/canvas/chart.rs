//! A chart with axes, on any plane: lines with bands over a linear or a logarithmic scale.

use super::{Colours, Plane};

/// How an axis maps values to positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// In proportion to the value.
    #[default]
    Linear,
    /// By the value's logarithm. On an axis, a value of 0 or less has no position; a histogram's bar shows even a single chain.
    Logarithmic,
}

/// An axis of a chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// What it shows, with the unit.
    pub label: String,
    /// What the label means, in a sentence or two of hover help.
    pub help: String,
    /// How it maps values to positions.
    pub scale: Scale,
    /// Its lowest and highest value; `None` fits it to the points.
    pub range: Option<(f64, f64)>,
}

impl Axis {
    /// A linear axis that fits the points.
    pub fn new(label: &str, help: &str) -> Self {
        Self { label: label.into(), help: help.into(), ..Self::default() }
    }

    /// The same axis with a logarithmic scale.
    pub fn logarithmic(self) -> Self {
        Self { scale: Scale::Logarithmic, ..self }
    }

    /// The same axis with this range.
    pub fn over(self, low: f64, high: f64) -> Self {
        Self { range: Some((low, high)), ..self }
    }
}

/// A point of a line, with the band around it; without a band, `low` and `high` are `y`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// Value on the x axis.
    pub x: f64,
    /// Value on the y axis.
    pub y: f64,
    /// The band's lower end.
    pub low: f64,
    /// The band's upper end.
    pub high: f64,
}

impl Point {
    /// A point without a band.
    pub fn new(x: f64, y: f64) -> Self {
        Self { x, y, low: y, high: y }
    }
}

/// One line of the chart. Lines never differ by hue alone: their dashes differ as well.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Its name, in the legend and in the table.
    pub name: String,
    /// Its colour: an index into [`Colours::series`], 0 to 5.
    pub hue: usize,
    /// Lengths of ink and gap in CSS pixels; empty for a solid line.
    pub dash: &'static [f64],
    /// Whether each point is marked.
    pub dots: bool,
    /// Its points, by ascending `x`.
    pub points: Vec<Point>,
    /// Values of `x` for which `y` is only a lower bound: marked hollow, and read out with "at least".
    pub at_least: Vec<f64>,
}

/// A horizontal line with a label, such as a cap or an exact value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Level {
    /// Its value on the y axis.
    pub y: f64,
    /// The text above its right end.
    pub label: String,
}

/// A chart with its axes, lines and levels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The lines; later ones are drawn on top.
    pub series: Vec<Series>,
    /// Horizontal lines across the plot.
    pub levels: Vec<Level>,
}

/// Space around the plot, in CSS pixels: left, right, top, bottom.
const MARGINS: (f64, f64, f64, f64) = (48.0, 22.0, 10.0, 22.0);

impl Scale {
    /// A value in axis coordinates, which are evenly spaced.
    fn flat(self, value: f64) -> f64 {
        if self == Self::Linear { value } else { value.log10() }
    }

    /// The value at an axis coordinate.
    fn steep(self, flat: f64) -> f64 {
        if self == Self::Linear { flat } else { 10f64.powf(flat) }
    }
}

/// An axis laid over the plane's pixels: maps values to positions and back. Its ends are in axis coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ruler {
    scale: Scale,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Ruler {
    fn new(axis: &Axis, values: impl Iterator<Item = f64>, (from, to): (f64, f64)) -> Self {
        let scale = axis.scale;
        let flat = values.map(|value| scale.flat(value)).filter(|flat| flat.is_finite());
        let (least, most) = flat.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), flat| (low.min(flat), high.max(flat)));
        let (low, high) = match (axis.range, scale) {
            (Some((low, high)), _) => (scale.flat(low), scale.flat(high)),
            _ if least > most => (0.0, 1.0),
            // Whole powers of ten.
            (None, Scale::Logarithmic) => (least.floor(), most.ceil().max(least.floor() + 1.0)),
            (None, Scale::Linear) => {
                let room = if most > least { (most - least) * 0.04 } else { least.abs().max(1.0) * 0.05 };
                (least - room, most + room)
            }
        };
        Self { scale, low, high, from, to }
    }

    fn at(&self, flat: f64) -> Option<f64> {
        let share = (flat - self.low) / (self.high - self.low);
        (share.is_finite() && (-0.001..=1.001).contains(&share)).then_some(self.from + share * (self.to - self.from))
    }

    /// Position of a value; `None` if it has none.
    fn place(&self, value: f64) -> Option<f64> {
        self.at(self.scale.flat(value))
    }

    /// Position of a value; values beyond an end of the axis are at that end.
    fn clamped(&self, value: f64) -> f64 {
        self.at(self.scale.flat(value).max(self.low).min(self.high)).unwrap_or(self.from)
    }

    fn value(&self, place: f64) -> f64 {
        self.scale.steep(self.low + (place - self.from) / (self.to - self.from) * (self.high - self.low))
    }

    /// Values to label: round ones, about `room / apart` of them.
    fn ticks(&self, apart: f64) -> Vec<f64> {
        let most = ((self.to - self.from).abs() / apart).floor().max(1.0);
        match self.scale {
            Scale::Linear => {
                let step = round_step((self.high - self.low) / most);
                let first = (self.low / step).ceil();
                (0..=most as u32 + 1)
                    .map(|at| (first + f64::from(at)) * step)
                    .filter(|value| *value <= self.high + step * 1e-9)
                    .collect()
            }
            Scale::Logarithmic => {
                let (low, high) = (self.low.ceil() as i32, self.high.floor() as i32);
                let every = (f64::from(high - low + 1) / most).ceil().max(1.0) as usize;
                (low..=high).step_by(every).map(|power| 10f64.powi(power)).collect()
            }
        }
    }
}

/// The smallest of 1, 2 and 5 times a power of ten that is at least `least`.
fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.max(1e-300).log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|digit| digit * power).find(|step| *step >= least * 0.999).unwrap_or(10.0 * power)
}

/// A number in few characters, for axes, tables and sentences: `0.25`, `1200`, `20 000`, `1.2 × 10⁶`, `3 × 10⁻⁷`.
pub fn short(value: f64) -> String {
    let size = value.abs();
    let text = if value == 0.0 || (0.001..9_999.5).contains(&size) {
        let places = match size {
            _ if value.fract() == 0.0 => 0,
            100.0.. => 0,
            1.0.. => 1,
            0.01.. => 3,
            _ => 4,
        };
        let text = format!("{value:.places$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
    } else if (9_999.5..999_999.5).contains(&size) {
        let digits = format!("{value:.0}");
        let (thousands, rest) = digits.split_at(digits.len() - 3);
        format!("{thousands}\u{202f}{rest}")
    } else if size.is_finite() {
        let text = format!("{value:.1e}");
        let (factor, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let power = power_of_ten(exponent.parse().unwrap_or_default());
        match factor.trim_end_matches(".0") {
            "1" => power,
            "-1" => format!("-{power}"),
            factor => format!("{factor}\u{202f}×\u{202f}{power}"),
        }
    } else {
        value.to_string()
    };
    text.replace('-', "−")
}

/// A number with this many decimals.
pub fn fixed(value: f64, places: usize) -> String {
    format!("{value:.places$}").replace('-', "−")
}

/// `10⁻⁷`; 1 and 10 unchanged.
pub fn power_of_ten(exponent: i32) -> String {
    match exponent {
        0 => "1".into(),
        1 => "10".into(),
        _ => format!("10{}", exponent.to_string().chars().map(raised).collect::<String>()),
    }
}

fn raised(sign: char) -> char {
    sign.to_digit(10).and_then(|digit| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(digit as usize)).unwrap_or('⁻')
}

impl Chart {
    fn rulers(&self, plane: &dyn Plane) -> (Ruler, Ruler) {
        let pixel = plane.ratio();
        let (left, right, top, bottom) = MARGINS;
        let points = || self.series.iter().flat_map(|series| &series.points);
        let levels = self.levels.iter().map(|level| level.y);
        let x = Ruler::new(&self.x, points().map(|point| point.x), (left * pixel, plane.width() - right * pixel));
        let values = points().flat_map(|point| [point.y, point.low, point.high]).chain(levels);
        let y = Ruler::new(&self.y, values, (plane.height() - bottom * pixel, top * pixel));
        (x, y)
    }

    /// The value of the x axis at a position on the plane.
    pub fn x_at(&self, plane: &dyn Plane, place: f64) -> f64 {
        self.rulers(plane).0.value(place)
    }

    /// Draws the chart, with a thin line at `here` on the x axis if that is given.
    pub fn draw(&self, plane: &dyn Plane, colours: &Colours, here: Option<f64>) {
        let pixel = plane.ratio();
        let (x, y) = self.rulers(plane);
        for value in y.ticks(34.0 * pixel) {
            let Some(place) = y.place(value) else { continue };
            plane.line(&colours.line, 1.0, &[], &[(x.from, place), (x.to, place)]);
            plane.write(colours, &short(value), (x.from - 6.0 * pixel, place), "right", 11.0);
        }
        plane.line(&colours.strong, 1.0, &[], &[(x.from, y.from), (x.to, y.from)]);
        for value in x.ticks(58.0 * pixel) {
            let Some(place) = x.place(value) else { continue };
            plane.line(&colours.strong, 1.0, &[], &[(place, y.from), (place, y.from + 4.0 * pixel)]);
            plane.write(colours, &short(value), (place, y.from + 13.0 * pixel), "center", 11.0);
        }
        for Level { y: value, label } in &self.levels {
            let place = y.clamped(*value);
            plane.line(&colours.muted, 1.0, &[2.0, 3.0], &[(x.from, place), (x.to, place)]);
            plane.write(colours, label, (x.to - 2.0 * pixel, place - 7.0 * pixel), "right", 11.0);
        }
        if let Some(place) = here.and_then(|here| x.place(here)) {
            plane.line(&colours.muted, 1.0, &[], &[(place, y.from), (place, y.to)]);
        }
        for series in &self.series {
            series.draw(plane, colours, &x, &y);
        }
    }
}

impl Series {
    /// Its colour in the current theme.
    pub fn colour<'a>(&self, colours: &'a Colours) -> &'a str {
        &colours.series[self.hue % colours.series.len()]
    }

    fn draw(&self, plane: &dyn Plane, colours: &Colours, x: &Ruler, y: &Ruler) {
        let pixel = plane.ratio();
        let colour = self.colour(colours);
        let inside: Vec<&Point> = self.points.iter().filter(|point| x.place(point.x).is_some() && point.y.is_finite()).collect();
        if inside.iter().any(|point| point.high > point.low) {
            let upper = inside.iter().map(|point| (x.clamped(point.x), y.clamped(point.high)));
            let lower = inside.iter().rev().map(|point| (x.clamped(point.x), y.clamped(point.low)));
            plane.area(colour, 0.18, &upper.chain(lower).collect::<Vec<_>>());
        }
        let line: Vec<(f64, f64)> = inside.iter().map(|point| (x.clamped(point.x), y.clamped(point.y))).collect();
        plane.line(colour, 2.0, self.dash, &line);
        if self.dots || line.len() == 1 {
            let mark = |colour: &str, (across, up): (f64, f64), size: f64| {
                plane.fill(colour, across - size / 2.0, up - size / 2.0, size, size);
            };
            for (point, place) in inside.iter().zip(line) {
                let hollow = self.at_least.contains(&point.x);
                mark(colour, place, if hollow { 8.0 } else { 5.0 } * pixel);
                if hollow {
                    mark(&colours.paper, place, 4.0 * pixel);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Svg;
    use super::*;

    #[test]
    fn numbers_are_short() {
        let said = [0.0, 0.25, 1.5, 1200.0, 0.005, -3.0, f64::INFINITY].map(short);
        assert_eq!(said, ["0", "0.25", "1.5", "1200", "0.005", "−3", "inf"]);
        // Numbers of more than four digits all have the same format, round or not.
        let said =
            [1e4, 123_456.0, -20_000.0, 999_999.7, 2.5e6, 1e-7, -1e9, 3.2e-7].map(|value| short(value).replace('\u{202f}', " "));
        assert_eq!(said, ["10 000", "123 456", "−20 000", "10⁶", "2.5 × 10⁶", "10⁻⁷", "−10⁹", "3.2 × 10⁻⁷"]);
    }

    #[test]
    fn ticks_are_round_and_inside() {
        let ruler = |scale, low, high| {
            Ruler::new(&Axis { scale, range: Some((low, high)), ..Axis::default() }, [].into_iter(), (0.0, 400.0))
        };
        assert_eq!(ruler(Scale::Linear, 0.0, 200.0).ticks(58.0), [0.0, 50.0, 100.0, 150.0, 200.0]);
        assert_eq!(ruler(Scale::Logarithmic, 1.0, 1000.0).ticks(58.0), [1.0, 10.0, 100.0, 1000.0]);
        let ruler = ruler(Scale::Logarithmic, 1.0, 1000.0);
        assert!((ruler.value(ruler.place(31.0).unwrap()) - 31.0).abs() < 1e-9);
        assert_eq!((ruler.place(0.0), ruler.clamped(0.0), ruler.clamped(5e9)), (None, 0.0, 400.0));
    }

    #[test]
    fn a_chart_becomes_an_svg_whatever_its_points_are() {
        let colours = Colours { series: std::array::from_fn(|hue| format!("#00000{hue}")), ..Colours::default() };
        let strange = [f64::NAN, f64::INFINITY, -1.0, 0.0, 1.0, 1e300];
        for scale in [Scale::Linear, Scale::Logarithmic] {
            let points = strange.iter().map(|&value| Point { x: value, y: value, low: value, high: 2.0 * value }).collect();
            let series = vec![Series { name: "a".into(), points, dots: true, ..Series::default() }];
            let axis = Axis { scale, ..Axis::default() };
            let chart = Chart { x: axis.clone(), y: axis, series, levels: vec![Level { y: 7.0, label: "cap".into() }] };
            let svg = Svg::new(&colours, 400.0, 200.0);
            chart.draw(&svg, &colours, Some(1.0));
            let text = svg.finish();
            assert!(
                text.contains("<polyline") && text.contains("cap") && !text.contains("NaN") && !text.contains("inf"),
                "{text}"
            );
        }
    }
}
