//! Table 2 of the paper, the ablation: the whole method, and one part left out at a time.

use super::recipe::{Recipe, Variant};
use super::report::{Entry, Report, Verdict};
use super::scored::{COLUMNS, Samples, columns, samples_scored, scored_samples};
use super::workspace::Workspace;
use crate::Error;
use crate::columns::csv;
use crate::plot::{Curve, Panel, svg};
use crate::score::Reference;
use dbm_core::math::mean_and_error;
use dbm_core::{DbmError, OptimizerSettings, Settings};
use minijinja::{Value, context};
use serde_json::json;

const REPORT: Report =
    Report { name: "table-2", place: 4, template: include_str!("templates/table-2.md"), data: &["table-2.csv"] };

/// The rows of the table: the method, and the method without something.
fn rows() -> Result<Vec<Variant>, Error> {
    Variant::list(include_str!("table_2.json"))
}

/// The row that others are held against.
const WHOLE: &str = "whole";

/// Hidden layers of the two sizes.
const SIZES: [[usize; 2]; 2] = [[500, 500], [784, 784]];
const SEEDS: u64 = 3;
/// Hidden units of a toy are this many times fewer.
const TOY: usize = 25;

/// The model that others are measured against: 784-500-500, 3000 steps of Adam at 3e-4.
pub fn baseline(seed: u64) -> Recipe {
    let optimizer = OptimizerSettings { learning_rate: 3e-4, ..OptimizerSettings::default() };
    Recipe::new(SIZES[0].to_vec(), Settings { optimizer, seed, ..Settings::default() }, 3000)
}

fn recipe(workspace: &Workspace, row: &Variant, hidden: [usize; 2], seed: u64) -> Result<Recipe, Error> {
    let mut recipe = baseline(seed);
    recipe.hidden = hidden.iter().map(|n| n / workspace.pick(1, TOY)).collect();
    recipe.steps = workspace.pick(recipe.steps, 20);
    row.of(&recipe)
}

fn size([first, second]: [usize; 2]) -> String {
    format!("784-{first}-{second}")
}

/// A row at one size: the scored samples of each seed, or that its run diverged.
struct Cell<'a> {
    row: &'a Variant,
    hidden: [usize; 2],
    runs: Vec<Option<Samples>>,
}

impl Cell<'_> {
    /// Mean and standard error over the seeds whose runs did not diverge.
    fn of(&self, score: fn(&Samples) -> f64) -> Option<(f64, f64)> {
        let values = self.values(score);
        (!values.is_empty()).then(|| mean_and_error(&values))
    }

    fn values(&self, score: fn(&Samples) -> f64) -> Vec<f64> {
        self.runs.iter().flatten().map(score).collect()
    }
}

fn frechet(samples: &Samples) -> f64 {
    samples.scores.digit_frechet_distance
}

/// Trains and scores all of it.
///
/// # Errors
/// What goes wrong with files and memory; a run that diverges is a result.
pub fn run(workspace: &Workspace, reference: &Reference) -> Result<Entry, Error> {
    let mut cells: Vec<Cell> = Vec::new();
    let rows = rows()?;
    for hidden in SIZES {
        cells.extend(rows.iter().map(|row| Cell { row, hidden, runs: Vec::new() }));
    }
    // Seed after seed, so that a table that is not finished has whole seeds.
    for seed in workspace.seed..workspace.seed + SEEDS {
        for cell in &mut cells {
            let name = format!("{}-{}-{seed}", cell.row.name, cell.hidden[0]);
            let recipe = recipe(workspace, cell.row, cell.hidden, seed)?;
            cell.runs.push(match workspace.trained(&name, &recipe, &reference.train) {
                Ok(run) => Some(scored_samples(workspace, &name, &run, (None, samples_scored(workspace)), reference)?),
                Err(Error::Model(DbmError::Diverged { .. })) => None,
                Err(error) => return Err(error),
            });
        }
    }
    workspace.write("table-2.csv", table(workspace.seed, &cells).as_bytes())?;
    workspace.write_figure("table-2", &svg(&pictured(&cells), 1)?)?;
    let steps = workspace.pick(baseline(0).steps, 20);
    let verdict = workspace.pick(verdict(&cells), Verdict::InPart);
    REPORT.entry(workspace, &facts(&cells, steps), verdict)
}

fn table(first_seed: u64, cells: &[Cell]) -> String {
    let row = |cell: &Cell, seed: u64, samples: &Option<Samples>| {
        let hidden = format!("{}-{}", cell.hidden[0], cell.hidden[1]);
        let its = match samples {
            Some(Samples { scores, parameters, .. }) => {
                let (least, largest) =
                    scores.classes.shares.iter().fold((1.0, 0.0), |(a, b): (f64, f64), &x| (a.min(x), b.max(x)));
                json!([columns(scores), least, largest, parameters])
            }
            None => json!(["diverged", vec![(); 9]]),
        };
        json!([cell.row.name, hidden, seed, its])
    };
    let rows = cells.iter().flat_map(|cell| (first_seed..).zip(&cell.runs).map(move |(seed, samples)| row(cell, seed, samples)));
    csv(&format!("row,hidden,seed,{COLUMNS},least_class,largest_class,parameters"), rows)
}

fn pictured(cells: &[Cell]) -> Vec<Panel> {
    let rows = rows_of(cells);
    let panel = |title: &str, y_label: &str, log_y: bool, score: fn(&Samples) -> f64| {
        let bars = |hidden: &[usize; 2]| {
            let of = |cell| Cell::of(cell, score).map(|(mean, error)| (cell, mean, if error.is_finite() { error } else { 0.0 }));
            let means: Vec<(&Cell, f64, f64)> = cells.iter().filter(|cell| cell.hidden == *hidden).filter_map(of).collect();
            let group = |cell: &Cell| rows.iter().position(|row| row.name == cell.row.name).unwrap_or(0) as f64;
            Curve {
                name: size(*hidden),
                points: means.iter().map(|&(cell, mean, _)| (group(cell), mean)).collect(),
                low: means.iter().map(|(_, mean, error)| mean - error).collect(),
                high: means.iter().map(|(_, mean, error)| mean + error).collect(),
                values: means.iter().map(|(cell, ..)| cell.values(score)).collect(),
            }
        };
        Panel {
            title: title.into(),
            y_label: y_label.into(),
            curves: SIZES.iter().map(bars).collect(),
            groups: rows.iter().map(|row| row.words.clone()).collect(),
            log_y,
            ..Panel::default()
        }
    };
    vec![
        panel("Distance of the samples from real digits", "digit Frechet distance", true, frechet),
        panel("Samples that differ", "distinct share", false, |samples| samples.scores.distinct),
    ]
}

/// The rows of these cells, which are there at each size.
fn rows_of<'a>(cells: &[Cell<'a>]) -> Vec<&'a Variant> {
    cells.iter().filter(|cell| cell.hidden == SIZES[0]).map(|cell| cell.row).collect()
}

/// Whether the runs of two rows are the same to the bit, at all sizes and seeds.
fn same_bits(cells: &[Cell], [one, other]: [&str; 2]) -> bool {
    let parameters = |name: &str| -> Vec<Option<&String>> {
        let of = cells.iter().filter(|cell| cell.row.name == name);
        of.flat_map(|cell| &cell.runs).map(|samples| samples.as_ref().map(|samples| &samples.parameters)).collect()
    };
    parameters(one) == parameters(other)
}

/// In how many comparisons of a row with the whole method we find what the paper finds: that it is worse, by more than two standard errors of the difference.
fn worse_than_whole(cells: &[Cell]) -> (usize, usize) {
    let (mut found, mut asked) = (0, 0);
    for cell in cells.iter().filter(|cell| cell.row.paper.is_some() && cell.row.name != WHOLE) {
        let whole = cells.iter().find(|other| other.row.name == WHOLE && other.hidden == cell.hidden);
        asked += 1;
        found += usize::from(match (whole.and_then(|whole| whole.of(frechet)), cell.of(frechet)) {
            (Some((whole, e)), Some((without, f))) => without - whole > 2.0 * e.hypot(f),
            (Some(_), None) => true,
            _ => false,
        });
    }
    (found, asked)
}

fn verdict(cells: &[Cell]) -> Verdict {
    let (found, asked) = worse_than_whole(cells);
    Verdict::of(found, asked)
}

fn facts(cells: &[Cell], steps: u64) -> Value {
    let row = |row: &Variant| {
        let its = cells.iter().filter(|cell| cell.row.name == row.name);
        let scores =
            |cell: &Cell| context! { distance => cell.of(frechet), distinct => cell.of(|samples| samples.scores.distinct) };
        context! { name => row.name, words => row.words, paper => row.paper, cells => its.map(scores).collect::<Vec<_>>() }
    };
    let (found, asked) = worse_than_whole(cells);
    context! {
        sizes => SIZES.map(size),
        rows => rows_of(cells).into_iter().map(row).collect::<Vec<_>>(),
        same_bits => same_bits(cells, ["whole", "no-coupling"]),
        seeds => SEEDS,
        found, asked, steps,
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::committed;
    use super::*;

    #[test]
    fn every_row_changes_what_it_says() {
        let whole = baseline(1);
        let changed = |name: &str| {
            let row = rows().unwrap().into_iter().find(|row| row.name == name).expect("a row");
            row.of(&whole).unwrap()
        };
        assert_eq!(changed("whole"), whole);
        assert_eq!(changed("no-coupling").settings.estimator.to_string(), "lmi");
        assert_eq!(changed("cd-1").settings.estimator.to_string(), "cd-1");
        assert_eq!(changed("bits").units, dbm_core::Units::Bits);
        assert!(!changed("no-marginalization").settings.marginalize);
        assert_eq!(changed("gaussian").gaussian, Some(0.01));
    }

    #[test]
    fn the_committed_entry_says_what_the_committed_numbers_do() {
        let table = committed::table("table-2.csv");
        let samples = |line: &committed::Line| Samples {
            scores: line.scores(),
            schedule: String::new(),
            parameters: line.text("parameters").into(),
            shown: vec![],
        };
        let rows = rows().unwrap();
        let cell = |hidden: [usize; 2], row| {
            let row: &Variant = row;
            let size = format!("{}-{}", hidden[0], hidden[1]);
            let its = table.iter().filter(|line| line.text("row") == row.name && line.text("hidden") == size);
            Cell { row, hidden, runs: its.map(|line| Some(samples(line))).collect() }
        };
        let cells: Vec<Cell> = SIZES.iter().flat_map(|hidden| rows.iter().map(|row| cell(*hidden, row))).collect();
        assert!(cells.iter().all(|cell| cell.runs.len() == SEEDS as usize));
        committed::assert_says(&REPORT, &facts(&cells, 3000), verdict(&cells));
    }
}
