//! Grey digits as 8 bit planes, 6272 visible units: widths that this machine can carry, and steps of the paper's own size.

mod paper_size;
mod planes;
mod widths;

use super::recipe::named;
use super::report::{Entry, Report, Verdict};
use super::scored::{self, COLUMNS};
use super::workspace::Workspace;
use crate::Error;
use crate::columns::csv;
use crate::plot::gallery::{Gallery, gallery};
use crate::score::{check_shape, pictures};
use dbm_data::picture::Tile;
use dbm_data::{Dataset, npy};
use dbm_score::{Classifier, PIXELS, Reference, SIDE, Scores};
use minijinja::{Value, context};
use paper_size::{Log, PAPER_STEPS, PaperSize};
use planes::Plane;
use serde::Serialize;
use serde_json::json;
use widths::{Ink, SAMPLES, SHOWN, Width};

const REPORT: Report = Report {
    name: "bit-planes",
    place: 5,
    template: include_str!("../templates/bit-planes.md"),
    data: &["bit-planes.csv", "bit-planes-steps.csv"],
};

/// Real digits, measured as samples are.
#[derive(Serialize)]
struct Real {
    scores: Scores,
    ink: Ink,
    #[serde(skip)]
    first: Vec<u8>,
}

/// Trains all widths and takes the steps of the paper's size.
///
/// # Errors
/// Data that are not bit planes of 28 x 28 pixels, a model that does not fit into memory, and what goes wrong with files.
pub fn run(workspace: &Workspace, training: &Dataset, test: &Dataset) -> Result<Entry, Error> {
    for data in [training, test] {
        planes::visible(data)?;
        check_shape(data)?;
    }
    // First, while the process holds nothing else.
    let whole = paper_size::run(workspace, (training, test))?;
    let count = workspace.pick(SAMPLES, 40);
    let references = pictures(test, 0..count.min(test.examples.len()));
    let reference = Reference::new(workspace.session, Classifier::shipped()?, &references)?;
    let sizes = (count, &training.name, training.examples.len(), &test.name, test.examples.len());
    let (scores, _) = workspace.cell("floor", &sizes, || {
        Ok(reference.scores(workspace.session, &pictures(training, 0..count.min(training.examples.len())))?)
    })?;
    let real = Real { scores, ink: Ink::of(&references), first: references[..references.len().min(SHOWN * PIXELS)].to_vec() };
    let mut all = Vec::new();
    for width in widths::WIDTHS {
        all.push(widths::run(workspace, width, (training, test), &reference)?);
    }
    workspace.write("bit-planes.csv", table(&all, &real).as_bytes())?;
    workspace.write("bit-planes-steps.csv", steps_table(&whole.log).as_bytes())?;
    workspace.write("bit-planes-paper-size.npy", &npy::write_u8(&[whole.first.len() / PIXELS, PIXELS], &whole.first))?;
    workspace.write_figure("bit-planes", &figure(&all, &whole, &real)?)?;
    let command = widths::recipe(workspace, widths::WIDTHS[0]).command();
    REPORT.entry(workspace, &facts(&all, &whole, &real, &command), verdict(&all))
}

fn figure(all: &[Width], whole: &PaperSize, real: &Real) -> Result<String, Error> {
    let panel = |title: String, subtitle: String, levels: &[u8]| Gallery {
        title,
        subtitle: Some(subtitle),
        tiles: levels.chunks_exact(PIXELS).map(|levels| Tile::levels(Some((SIDE, SIDE)), levels)).collect(),
        columns: 5,
        ..Gallery::default()
    };
    let mut panels = vec![panel("Test digits".into(), "as they are, in 256 levels".into(), &real.first)];
    panels.extend(all.iter().map(|width| panel(width.name(), format!("samples after {} steps", width.steps), &width.first)));
    let steps = format!("samples after {} steps", whole.log.steps.len());
    panels.push(panel(named(&whole.sizes), steps, &whole.first));
    gallery(&panels, 3)
}

fn table(all: &[Width], real: &Real) -> String {
    let columns = format!(
        "pictures,steps,count,{COLUMNS},confidence,black,grey,bright,inverted,mean_sweeps,searches_capped,\
         reconstruction_error_before,reconstruction_error_after,held_1,held_2,held_3,held_4,held_5,held_6,held_7,held_8,seconds"
    );
    let scored = |scores: &Scores, Ink { black, grey, bright, inverted }: &Ink| {
        json!([scores.count, scored::columns(scores), scores.confidence, black, grey, bright, inverted])
    };
    let row = |width: &Width| {
        let Width { steps, scores, ink, sweeps, capped, reconstruction, planes, seconds, .. } = width;
        json!([width.name(), steps, scored(scores, ink), sweeps, capped, reconstruction, held(planes), seconds])
    };
    csv(&columns, all.iter().map(row).chain([json!(["training digits", (), scored(&real.scores, &real.ink), vec![(); 13]])]))
}

fn steps_table(Log { steps, sweeps, .. }: &Log) -> String {
    let rows = (1..).zip(steps).zip(sweeps).map(|((step, seconds), sweeps)| json!([step, seconds, sweeps]));
    csv("step,seconds,positive_sweeps,negative_sweeps", rows)
}

/// What each of the planes holds.
fn held(planes: &[Plane]) -> Vec<f64> {
    planes.iter().map(|plane| plane.held()).collect()
}

/// Whether the samples of a width lie among the real digits and are of all classes; that they are as clean as the paper's cannot be seen.
fn verdict(all: &[Width]) -> Verdict {
    let digits = |width: &Width| width.scores.overlap.precision >= 0.5 && width.scores.classes.entropy_share >= 0.8;
    if all.iter().any(digits) { Verdict::InPart } else { Verdict::Differs }
}

fn facts(all: &[Width], whole: &PaperSize, real: &Real, command: &str) -> Value {
    let log = &whole.log;
    let width = |width: &Width| context! { name => width.name(), held => held(&width.planes), ..Value::from_serialize(width) };
    context! {
        real,
        widths => all.iter().map(width).collect::<Vec<_>>(),
        whole => context! {
            name => named(&whole.sizes),
            held => held(&whole.planes),
            median => log.median(),
            samples => whole.first.len() / PIXELS,
            ..Value::from_serialize(whole)
        },
        paper_seconds => log.median() * PAPER_STEPS as f64,
        rate => format!("{:e}", widths::RATE),
        ln_10 => std::f64::consts::LN_10,
        command => command.replace("--data MNIST", "--data MNIST --bits-per-value 8"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::committed;
    use super::*;

    #[test]
    fn the_committed_entry_says_what_the_committed_numbers_do() {
        let plane = |held: f64| Plane { error: 1.0 - held, without: 1.0 };
        let ink = |line: &committed::Line| -> Ink { line.read(json!({})) };
        let table = committed::table("bit-planes.csv");
        let width = |(line, (hidden, _)): (&committed::Line, (usize, u64))| Width {
            hidden,
            steps: line.number("steps") as u64,
            reconstruction: ["before", "after"].map(|when| line.number(&format!("reconstruction_error_{when}"))),
            planes: (1..=8).map(|place| plane(line.number(&format!("held_{place}")))).collect(),
            scores: line.scores(),
            ink: ink(line),
            sweeps: line.number("mean_sweeps"),
            capped: line.number("searches_capped") as usize,
            first: vec![],
            seconds: line.number("seconds"),
        };
        let all: Vec<Width> = table.iter().zip(widths::WIDTHS).map(width).collect();
        let digits = table.last().unwrap();
        let real = Real { scores: digits.scores(), ink: ink(digits), first: vec![] };
        let steps = committed::table("bit-planes-steps.csv");
        // Of the paper's size the steps are committed; what else its run came to is as the entry has it.
        let log = Log {
            start: 20.0,
            steps: steps.iter().map(|step| step.number("seconds")).collect(),
            peak: Some(1_400_000_000),
            sweeps: steps.iter().map(|step| [step.number("positive_sweeps"), step.number("negative_sweeps")]).collect(),
            late_meetings: 0,
            chains: 20_000,
            reconstruction: 0.2191,
        };
        let whole = PaperSize {
            sizes: vec![6272; 3],
            log,
            footprint: 1_500_000_000,
            parameters: 78_694_784,
            reconstruction: 0.0729,
            planes: [0.14, 0.12, 0.113, 0.103, 0.095, 0.103, 0.01, 0.026].map(plane).to_vec(),
            ink: Ink { black: 0.898, grey: 0.0, bright: 0.0, inverted: 0.0 },
            sweeps: 10.0,
            first: vec![0; 20 * PIXELS],
            distinct: 8,
        };
        let command = widths::recipe_of((500, 3000), widths::RATE, 1).command();
        committed::assert_says(&REPORT, &facts(&all, &whole, &real, &command), verdict(&all));
    }
}
