//! Grey digits: what the 8 bit planes of the paper leave to learn, and the model of grey digits that is shipped, whose units are another code.

mod planes;

use super::recipe::{Recipe, named};
use super::report::{Entry, Report, Verdict};
use super::workspace::Workspace;
use crate::answers::{self, Answering, Consensus, Method};
use crate::columns::csv;
use crate::data::{DataSource, Split};
use crate::model::{ModelFile, visible};
use crate::plot::gallery::{Gallery, gallery};
use crate::score::{Reference, digits};
use crate::{Error, samples};
use dbm_core::words::Choose;
use dbm_core::{Dbm, Settings};
use dbm_data::coding::Coding;
use dbm_data::picture::Tile;
use dbm_data::raw::Visible;
use dbm_data::{Checkpoint, npy};
use dbm_score::{Completions, PIXELS, SIDE, Scores};
use minijinja::{Value, context};
use planes::Plane;
use serde_json::json;
use std::path::Path;

const REPORT: Report =
    Report { name: "grey", place: 8, template: include_str!("../templates/grey.md"), data: &["grey.csv", "grey-planes.csv"] };

/// The model, as seen from the project's folder.
pub const MODEL: &str = "www/models/grey.safetensors";
/// What made it.
const COMMAND: &str = "dbm train --data MNIST --bits-per-value 4 --coding thermometer --hidden 500 --estimator centered-ucd-lmi --mode-sweeps 25 --lr 0.003 --lr-decay 5000 --batch 100 \
                       --average 0.998 --conditional 0.5 --masks halves --steps 5000 --seed 1 --out run.safetensors";
/// Samples that are scored, and pictures that are shown.
const SAMPLES: usize = 10_000;
const SHOWN: usize = 100;
/// Test digits that are completed, and answers to each.
const ASKED: (usize, u32) = (1000, 8);
/// Gibbs sweeps of an answer.
const SWEEPS: u32 = 100;

/// Grey pictures, scored against test digits in all their greys.
struct Scored {
    name: String,
    scores: Scores,
}

/// Counts what is in the planes, and measures the shipped model.
///
/// # Errors
/// A model that is not there or is of no grey digits, and what goes wrong with files.
pub fn run(workspace: &Workspace, source: &DataSource, model: Option<&Path>) -> Result<Entry, Error> {
    let session = workspace.session;
    let file = model.or_else(|| (!workspace.toy).then_some(Path::new(MODEL)));
    let (checkpoint, model) = match file {
        Some(file) => ModelFile { path: file.into(), last: false }.load()?,
        None => toy(workspace, source)?,
    };
    let units = visible(&checkpoint)?;
    let reference = Reference::load(session, source, units.as_ref())?;
    let training = reference.training_levels();
    let (planes, _) = workspace.cell("planes", &training.len(), || Ok(planes::planes(training, SIDE)))?;

    let count = workspace.pick(SAMPLES, 200);
    let schedule = samples::of_training(&checkpoint);
    let key = (super::scored::fingerprint(&checkpoint), schedule.to_string(), count);
    let drawn = || samples::draw(session, &model, schedule, count, workspace.seed).bits;
    let ((scores, shown), _) = workspace.cell("samples", &key, || {
        let pictures = reference.levels(&drawn());
        Ok((reference.of_levels(session, &pictures)?, pictures[..SHOWN.min(count) * PIXELS].to_vec()))
    })?;
    // What the code alone costs: training digits, told in the units of the model and read back.
    let through = digits(&reference.train.rows(0..count.min(reference.train.examples.len())))?;
    let (by_code, _) = workspace.cell("code", &(&key, "training digits"), || reference.of_levels(session, &through))?;
    let (floor, _) = workspace.cell("floor", &training.len(), || reference.floor(session))?;
    let (one, together, nearest) = completed(workspace, (&checkpoint, &model), &reference)?;

    let scored = |name: &str, scores| Scored { name: name.into(), scores };
    let all = [
        scored(&format!("{} by {schedule}", named(model.sizes())), scores),
        scored("training digits in its code", by_code),
        scored("training digits", floor),
    ];
    workspace.write("grey.csv", table(&all).as_bytes())?;
    workspace.write("grey-planes.csv", planes_table(&planes).as_bytes())?;
    workspace.write("grey.npy", &npy::write_u8(&[shown.len() / PIXELS, PIXELS], &shown))?;
    let truths = reference.test_levels();
    let panels = [
        panel("Samples, not chosen", &named(model.sizes()), &shown),
        panel("Test digits", "the first, in all their greys", &truths[..truths.len().min(SHOWN * PIXELS)]),
    ];
    workspace.write_figure("grey", &gallery(&panels, 2)?)?;
    let greys = units.as_ref().map(Visible::greys).unwrap_or_default();
    let facts = context! {
        name => named(model.sizes()),
        units => greys.bits,
        coding => greys.coding.choice().label,
        command => COMMAND,
        schedule => schedule.to_string(),
        model => MODEL,
        ..facts(&planes, &all, [&one, &together, &nearest])
    };
    REPORT.entry(workspace, &facts, Verdict::Beyond)
}

/// A model that is trained for a moment.
fn toy(workspace: &Workspace, source: &DataSource) -> Result<(Checkpoint, Dbm), Error> {
    let visible = Visible::Planes { bits: 4, coding: Coding::Thermometer, low: 0.0, high: 255.0 };
    let training = source.load_as(Some(&visible), Split::Train)?;
    let run = workspace.trained("toy", &Recipe::new(vec![20], Settings::default(), 8), &training)?;
    Ok((run.checkpoint, run.model))
}

/// Lower halves of test digits: one answer after another, the balanced majority of each question's, and the nearest training digits'.
fn completed(
    workspace: &Workspace,
    (checkpoint, model): (&Checkpoint, &Dbm),
    reference: &Reference,
) -> Result<(Completions, Completions, Completions), Error> {
    let (count, answers) = workspace.pick(ASKED, (10, 2));
    let key = (super::scored::fingerprint(checkpoint), count, answers, SWEEPS);
    let (scores, _) = workspace.cell("lower-halves", &key, || {
        let answering = Answering {
            answers,
            method: Method::Annealed,
            sweeps: workspace.pick(SWEEPS, 2),
            consensus: None,
            class_first: None,
        };
        let unknown = answers::unknown("lower-half", workspace.seed, count, &reference.test, checkpoint.image)?;
        let bits = answering.draw(workspace.session, model, (&reference.test, 0..count), &unknown, workspace.seed);
        let together = Consensus::Balanced.of(model.n_visible(), answers as usize, &bits);
        let score = |bits: &[u8]| reference.completions(workspace.session, &unknown, count, bits);
        Ok((score(&bits)?, score(&together)?, reference.nearest(workspace.session, &unknown, count)?))
    })?;
    Ok(scores)
}

fn panel(title: &str, subtitle: &str, levels: &[u8]) -> Gallery {
    Gallery {
        title: title.into(),
        subtitle: Some(subtitle.into()),
        tiles: levels.chunks_exact(PIXELS).map(|levels| Tile::levels(Some((SIDE, SIDE)), levels)).collect(),
        columns: 10,
        ..Gallery::default()
    }
}

fn table(all: &[Scored]) -> String {
    let row = |Scored { name, scores }: &Scored| {
        let shares = &scores.classes.shares;
        let (least, largest) = shares.iter().fold((1.0, 0.0), |(a, b): (f64, f64), &x| (a.min(x), b.max(x)));
        json!([name, scores.count, super::scored::columns(scores), least, largest])
    };
    csv(&format!("pictures,count,{},least_class,largest_class", super::scored::COLUMNS), all.iter().map(row))
}

fn planes_table(planes: &[Plane]) -> String {
    let row = |plane: &Plane| json!([plane.value, plane.alone, plane.given_higher, plane.given_neighbours, plane.at_edges]);
    csv("plane,alone_nats,given_higher_nats,given_neighbours_nats,at_edges_bits", planes.iter().map(row))
}

fn facts(planes: &[Plane], all: &[Scored], [one, together, nearest]: [&Completions; 3]) -> Value {
    let given = |planes: &[Plane]| planes.iter().map(|plane| plane.given_neighbours).sum::<f64>();
    let rows = all.iter().map(|Scored { name, scores }| context! { name, ..Value::from_serialize(scores) });
    context! {
        planes,
        top => given(&planes[..1]),
        low => given(&planes[4..]),
        all_planes => given(planes),
        rows => rows.collect::<Vec<_>>(),
        one, together, nearest,
        sweeps => SWEEPS,
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::committed;
    use super::*;

    #[test]
    fn the_planes_of_the_committed_entry_are_those_of_the_committed_table() {
        let number = |line: &committed::Line, name: &str| line.number(name);
        let planes: Vec<Plane> = committed::table("grey-planes.csv")
            .iter()
            .map(|line| Plane {
                value: number(line, "plane") as u32,
                alone: number(line, "alone_nats"),
                given_higher: number(line, "given_higher_nats"),
                given_neighbours: number(line, "given_neighbours_nats"),
                at_edges: number(line, "at_edges_bits"),
            })
            .collect();
        let all: Vec<Scored> = committed::table("grey.csv")
            .iter()
            .map(|line| Scored { name: line.text("pictures").into(), scores: line.scores() })
            .collect();
        assert_eq!((planes.len(), all.len()), (8, 3));
        let entry = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reproduction/grey.json")).unwrap();
        let entry: Entry = serde_json::from_str(&entry).unwrap();
        for plane in &planes {
            let row = format!("| {} | {:.1} |", plane.value, plane.alone);
            assert!(entry.body.contains(&row), "{row}");
        }
        for Scored { name, scores } in &all {
            let row = format!("| {name} | {:.1} |", scores.digit_frechet_distance);
            assert!(entry.body.contains(&row), "{row}");
        }
    }
}
