//! `dbm bench --scale`: time and memory of a step by width and depth.

use crate::context::Context;
use crate::timed::Timed;
use clap::Args;
use dbm_core::words::Choose;
use dbm_core::{Footprint, Settings, format_bytes};
use dbm_experiments::bench::scale::{MOST_LAYERS, Measurement, Outcome, Point, Shape, Where, csv, figure, read, table};
use dbm_experiments::plot::raster;
use dbm_experiments::{Error, Session, files};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Of the depth that the large batch is for.
const DEPTH_OF_LARGE_BATCH: usize = 2;
/// Steps before anything is timed, and the least that are.
const WARM_UP: &str = "1";
const LEAST_STEPS: &str = "3";

/// Each point runs in a process of its own: the system knows the peak of a process's memory, and what one model leaves behind is not
/// counted with the next.
#[derive(Args)]
pub struct Scale {
    /// Go through widths and depths instead of one model, with at least 3 steps and --seconds (3 where it is not given) at each
    #[arg(long = "scale", conflicts_with_all = ["preset", "hidden", "batch", "warm_up", "runs", "steps"])]
    pub asked: bool,
    /// Widths of the hidden layers, all of one model being as wide
    #[arg(long, requires = "asked", value_delimiter = ',', value_name = "N,N", default_value = "250,500,1000,2000,4000")]
    widths: Vec<usize>,
    /// Numbers of hidden layers
    #[arg(long, requires = "asked", value_delimiter = ',', value_name = "N,N", default_value = "1,2,3,4")]
    depths: Vec<usize>,
    /// Batches: the first at every depth, others with two hidden layers
    #[arg(long, requires = "asked", value_delimiter = ',', value_name = "N,N", default_value = "100,1000")]
    batches: Vec<usize>,
    /// Where to write the points (.csv)
    #[arg(long, requires = "asked", value_name = "FILE.csv")]
    csv: Option<PathBuf>,
    /// Where to draw them (.svg or .png)
    #[arg(long, requires = "asked", value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Points of the browser to draw as well, as `./run bench scale` writes them
    #[arg(long, requires = "asked", value_name = "FILE.csv")]
    browser: Option<PathBuf>,
    /// Points that an earlier --csv wrote, in place of measuring
    #[arg(long, requires = "asked", value_name = "FILE.csv", conflicts_with = "csv")]
    native: Option<PathBuf>,
}

impl Scale {
    fn shapes(&self) -> Result<Vec<Shape>, Error> {
        for (name, numbers) in [("--widths", &self.widths), ("--depths", &self.depths), ("--batches", &self.batches)] {
            if numbers.contains(&0) {
                return Err(Error::Usage(format!("{name} should be at least 1, but there is a 0")));
            }
        }
        if let Some(&depth) = self.depths.iter().find(|&&depth| depth > MOST_LAYERS) {
            return Err(Error::Usage(format!("--depths should be at most {MOST_LAYERS}, but there is {depth}")));
        }
        let mut shapes = Vec::new();
        for (place, &batch) in self.batches.iter().enumerate() {
            for &depth in self.depths.iter().filter(|&&depth| place == 0 || depth == DEPTH_OF_LARGE_BATCH) {
                shapes.extend(self.widths.iter().map(|&width| Shape { width, depth, batch }));
            }
        }
        Ok(shapes)
    }

    /// Measures the points or reads them, and writes what is asked for.
    ///
    /// # Errors
    /// Options that make no sense, points that cannot be read or measured, and files that cannot be written.
    pub fn run(&self, timed: &Timed, context: &Context) -> Result<(), Error> {
        let shapes = self.shapes()?;
        [&self.csv, &self.plot].into_iter().flatten().try_for_each(|path| files::check_writable(path))?;
        let read = |path: &PathBuf| -> Result<Vec<Point>, Error> {
            read(&path.display().to_string(), &String::from_utf8_lossy(&files::read(path)?))
        };
        let browser = self.browser.as_ref().map(read).transpose()?.unwrap_or_default();
        let native = match &self.native {
            Some(path) => read(path)?,
            None => measure_all(timed, &shapes, context)?,
        };
        if let Some(path) = &self.csv {
            files::write(path, csv(&native).as_bytes())?;
        }
        let points: Vec<Point> = native.into_iter().chain(browser).collect();
        if let Some(path) = &self.plot {
            files::write(path, &raster::by_name(path, figure(&points)?)?)?;
        }
        if !context.json {
            print!("{}", table(&points));
        }
        Ok(())
    }
}

fn measure_all(timed: &Timed, shapes: &[Shape], context: &Context) -> Result<Vec<Point>, Error> {
    let data = timed.load()?.examples;
    let Context { session, json } = context;
    session.progress.begin("points", shapes.len() as u64);
    let mut points = Vec::new();
    for &shape in shapes {
        let settings = Settings { batch: shape.batch, estimator: timed.estimator.clone(), ..Settings::default() };
        let footprint = Footprint::of(&shape.sizes(data.width()), &settings, data.len(), session.threads());
        let outcome = match session.memory.check(&footprint) {
            Ok(()) => Outcome::Measured(measure(timed, shape, session)?),
            Err(_) => Outcome::Skipped(format!("needs {} of memory", format_bytes(footprint.total()))),
        };
        let point = Point {
            place: Where::Native,
            shape,
            workers: session.threads(),
            parameters: footprint.parameters,
            footprint: footprint.total(),
            outcome,
        };
        if *json {
            println!("{}", line(&point));
        }
        points.push(point);
        session.progress.advance(1);
    }
    session.progress.end();
    Ok(points)
}

/// One point, timed by this same program in a process of its own.
fn measure(timed: &Timed, shape: Shape, session: &Session) -> Result<Measurement, Error> {
    let failed = |what: String| Error::Input(format!("the process that times {shape} {what}"));
    let program = std::env::current_exe().map_err(|error| failed(format!("cannot be started: {error}")))?;
    let seconds = if timed.seconds > 0.0 { timed.seconds } else { 3.0 };
    let hidden = vec![shape.width.to_string(); shape.depth].join(",");
    let mut command = Command::new(program);
    command.args(["--json", "--threads", &session.threads().to_string()]);
    if let Some(limit) = session.memory.given() {
        command.args(["--memory-limit", &limit.to_string()]);
    }
    command.args(["bench", "--hidden", &hidden, "--batch", &shape.batch.to_string()]);
    command.args(["--data", &timed.data, "--digits", &timed.digits.to_string()]);
    if let Some(threshold) = timed.binarize {
        command.arg(format!("--binarize={threshold}"));
    }
    command.args(["--estimator", &timed.estimator.to_string(), "--seed", &timed.seed.to_string()]);
    command.args(["--backend", timed.backend.choice().name, "--warm-up", WARM_UP, "--steps", "1", "--runs", LEAST_STEPS]);
    command.args(["--seconds", &seconds.to_string()]);
    let output = command.stderr(Stdio::piped()).output().map_err(|error| failed(format!("cannot be started: {error}")))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        let how = output.status.code().map_or("was ended by the system; there may be too little memory".into(), |_| said);
        return Err(failed(format!("failed: {how}")));
    }
    let said: Value = serde_json::from_slice(&output.stdout).map_err(|error| failed(format!("said nothing to read: {error}")))?;
    let number = |name: &str| said[name].as_f64().ok_or_else(|| failed(format!("did not say {name}")));
    // Microseconds are as fine as a table needs, and what is written is what is drawn.
    let time = |name: &str| number(name).map(|milliseconds| (1e3 * milliseconds).round().max(1.0) / 1e3);
    Ok(Measurement {
        milliseconds: time("milliseconds_per_step")?,
        fastest: time("milliseconds_per_step_min")?,
        slowest: time("milliseconds_per_step_max")?,
        steps: number("runs")? as u64,
        peak: said["peak_memory_bytes"].as_u64().map(u128::from),
    })
}

fn line(point: &Point) -> Value {
    let mut line = json!({
        "event": "scale", "where": point.place.name(), "width": point.shape.width, "depth": point.shape.depth, "batch": point.shape.batch,
        "threads": point.workers, "parameters": point.parameters as u64, "parameter_bytes": 4 * point.parameters as u64,
        "footprint_bytes": point.footprint as u64,
    });
    match &point.outcome {
        Outcome::Measured(its) => {
            line["milliseconds_per_step"] = json!(its.milliseconds);
            line["milliseconds_per_step_min"] = json!(its.fastest);
            line["milliseconds_per_step_max"] = json!(its.slowest);
            line["steps"] = json!(its.steps);
            line["peak_memory_bytes"] = json!(its.peak.map(|bytes| bytes as u64));
        }
        Outcome::Skipped(why) => line["skipped"] = json!(why),
    }
    line
}
