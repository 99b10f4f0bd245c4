//! One width, depth and batch: what was measured there, as a line of a table.

use crate::template::text;
use crate::{Error, columns};
use dbm_core::{Footprint, Settings};
use minijinja::context;
use serde_json::json;
use std::fmt;

/// More hidden layers than this no one asks for.
pub const MOST_LAYERS: usize = 64;

const HEADER: &str = "where,width,depth,batch,workers,parameters,footprint_bytes,milliseconds_per_step,milliseconds_min,milliseconds_max,steps,peak_bytes,skipped";

/// What the page's benchmark trains on, which leaves it to this program to count the bytes.
const VISIBLE: usize = 784;
const EXAMPLES: usize = 2000;

/// What ran the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// This program itself.
    Native,
    /// The page in Chromium.
    Browser,
}

impl Where {
    /// As tables have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Browser => "browser",
        }
    }
}

/// Hidden layers of one width, and the examples of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Units of each hidden layer.
    pub width: usize,
    /// How many hidden layers.
    pub depth: usize,
    /// Examples a step.
    pub batch: usize,
}

impl Shape {
    /// Sizes of all layers, the visible one first.
    pub fn sizes(self, visible: usize) -> Vec<usize> {
        std::iter::once(visible).chain(std::iter::repeat_n(self.width, self.depth)).collect()
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} x {} with batches of {}", self.depth, self.width, self.batch)
    }
}

/// What was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// Median of the steps.
    pub milliseconds: f64,
    /// Milliseconds of the fastest step.
    pub fastest: f64,
    /// Milliseconds of the slowest step.
    pub slowest: f64,
    /// How many steps were timed.
    pub steps: u64,
    /// Most memory of the process, in bytes; of the browser, that of the page's process, Chromium's own part included.
    pub peak: Option<u128>,
}

/// What came of a point.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Steps were timed.
    Measured(Measurement),
    /// It was not measured, for this reason.
    Skipped(String),
}

/// A line of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// What ran the steps.
    pub place: Where,
    /// Layers and batch.
    pub shape: Shape,
    /// Workers of the page, or threads of this program.
    pub workers: usize,
    /// Parameters of the model.
    pub parameters: u128,
    /// Bytes that the footprint predicts.
    pub footprint: u128,
    /// What came of it.
    pub outcome: Outcome,
}

impl Point {
    /// What was measured, if it was.
    pub fn measured(&self) -> Option<&Measurement> {
        match &self.outcome {
            Outcome::Measured(its) => Some(its),
            Outcome::Skipped(_) => None,
        }
    }
}

/// The table as a file.
pub fn csv(points: &[Point]) -> String {
    let row = |Point { place, shape: Shape { width, depth, batch }, workers, parameters, footprint, outcome }: &Point| {
        let came = match outcome {
            Outcome::Measured(Measurement { milliseconds, fastest, slowest, steps, peak }) => {
                json!([milliseconds, fastest, slowest, steps, peak.map(|bytes| bytes.to_string()), ()])
            }
            // A comma would begin another column.
            Outcome::Skipped(why) => json!([vec![(); 5], why.replace([',', '\n', '"'], " ")]),
        };
        json!([place.name(), width, depth, batch, workers, parameters.to_string(), footprint.to_string(), came])
    };
    columns::csv(HEADER, points.iter().map(row))
}

/// A table from a file of this name.
///
/// # Errors
/// [`Error::Input`] with the first line that is none of such a table.
pub fn read(name: &str, text: &str) -> Result<Vec<Point>, Error> {
    let mut lines = text.lines();
    if lines.next().map(str::trim) != Some(HEADER) {
        return Err(Error::Input(format!("{name}: expected a table of `bench --scale`, which begins with {HEADER}; choose one")));
    }
    let rows = lines.enumerate().filter(|(_, line)| !line.trim().is_empty());
    let point = |(row, line): (usize, &str)| {
        parse(line).ok_or_else(|| {
            Error::Input(format!("{name}, line {}: expected the columns {HEADER}, but {line:?} came; write it anew", row + 2))
        })
    };
    rows.map(point).collect()
}

fn parse(line: &str) -> Option<Point> {
    let cells: Vec<&str> = line.trim().split(',').collect();
    let [place, width, depth, batch, workers, parameters, footprint, milliseconds, fastest, slowest, steps, peak, skipped] =
        cells[..]
    else {
        return None;
    };
    let place = [Where::Native, Where::Browser].into_iter().find(|its| its.name() == place)?;
    let time = |cell: &str| cell.parse().ok().filter(|&ms: &f64| ms.is_finite() && ms > 0.0);
    let outcome = if skipped.is_empty() {
        Outcome::Measured(Measurement {
            milliseconds: time(milliseconds)?,
            fastest: time(fastest)?,
            slowest: time(slowest)?,
            steps: steps.parse().ok()?,
            peak: if peak.is_empty() { None } else { Some(peak.parse().ok()?) },
        })
    } else {
        Outcome::Skipped(skipped.into())
    };
    let number = |cell: &str| cell.parse::<usize>().ok().filter(|&number| number > 0);
    let shape = Shape { width: number(width)?, depth: number(depth)?, batch: number(batch)? };
    // A point that was skipped may not know who would have computed it.
    let workers = if workers.is_empty() { 1 } else { number(workers)? };
    let usual = Settings { batch: shape.batch, ..Settings::default() };
    let or_counted = |cell: &str, count: fn(Footprint) -> u128| match cell {
        "" if shape.depth <= MOST_LAYERS => Some(count(Footprint::of(&shape.sizes(VISIBLE), &usual, EXAMPLES, workers))),
        _ => cell.parse().ok(),
    };
    Some(Point {
        place,
        shape,
        workers,
        parameters: or_counted(parameters, |footprint| footprint.parameters)?,
        footprint: or_counted(footprint, |footprint| footprint.total())?,
        outcome,
    })
}

/// The table as columns of text, to be read in a terminal.
pub fn table(points: &[Point]) -> String {
    let point = |Point { place, shape: Shape { width, depth, batch }, workers, parameters, footprint, outcome }: &Point| {
        let came = match outcome {
            Outcome::Measured(its) => context! { milliseconds => its.milliseconds, peak => its.peak, steps => its.steps },
            Outcome::Skipped(why) => context! { skipped => why },
        };
        context! { where => place.name(), width, depth, batch, workers, parameters, footprint, ..came }
    };
    text("points.txt", include_str!("points.txt"), &context! { points => points.iter().map(point).collect::<Vec<_>>() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read_as_it_was_written() {
        let measured = Measurement { milliseconds: 12.5, fastest: 12.0, slowest: 20.25, steps: 40, peak: Some(1 << 33) };
        let point = |place, outcome| Point {
            place,
            shape: Shape { width: 500, depth: 2, batch: 100 },
            workers: 4,
            parameters: 643_784,
            footprint: 20_000_000,
            outcome,
        };
        let points = [
            point(Where::Native, Outcome::Measured(measured.clone())),
            point(Where::Browser, Outcome::Measured(Measurement { peak: None, ..measured })),
            point(Where::Browser, Outcome::Skipped("would take 90 s a step".into())),
        ];
        assert_eq!(read("x", &csv(&points)).unwrap(), points);
        assert_eq!(points[0].shape.sizes(784), [784, 500, 500]);
        let said = table(&points);
        for words in ["12.5", "8.6 GB", "skipped", "would take 90 s a step", "2.6 MB"] {
            assert!(said.contains(words), "no {words}: {said}");
        }
    }

    #[test]
    fn what_is_no_table_is_refused_with_its_line() {
        let said = |text: &str| read("some.csv", text).unwrap_err().to_string();
        assert!(said("").contains("some.csv: expected a table"));
        assert!(said("width,depth\n1,2\n").contains("some.csv: expected a table"));
        let line = "native,500,2,100,4,643784,20000000,12.5,12,20,40,,";
        assert!(read("x", &format!("{HEADER}\n{line}\n\n")).is_ok());
        let uncounted = read("x", &format!("{HEADER}\n{}\n", line.replace("643784,20000000", ","))).unwrap();
        assert_eq!(uncounted[0].parameters, 784 * 500 + 500 * 500 + 784 + 500 + 500);
        assert!(uncounted[0].footprint > 16 * uncounted[0].parameters);
        for (broken, with) in [("native", "space"), ("12.5", "NaN"), ("12.5", "-1"), ("500", "many"), ("500", "0"), (",40", "")] {
            let broken = format!("{HEADER}\n{line}\n{}\n", line.replacen(broken, with, 1));
            assert!(said(&broken).contains("line 3"), "{broken}");
        }
    }
}
