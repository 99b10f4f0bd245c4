//! Table 2 of the paper, the ablation: the whole method, and one part left out at a time.

use super::recipe::Recipe;
use super::report::{Entry, Report, Verdict};
use super::scored::{Samples, scored_samples};
use super::workspace::Workspace;
use crate::Error;
use crate::plot::bars::{Bar, Bars, Group, Scale, bars};
use crate::score::Reference;
use dbm_core::math::mean_and_error;
use dbm_core::{DbmError, OptimizerSettings, Settings, Units};
use minijinja::{Value, context};
use std::collections::BTreeMap;
use std::fmt::Write;

const REPORT: Report =
    Report { name: "table-2", place: 4, template: include_str!("templates/table-2.md"), data: &["table-2.csv"] };

/// A row of the table: the method, or the method without something.
struct Row {
    name: &'static str,
    /// What it is called in words.
    words: &'static str,
    /// The paper's score, an Inception FID at 6272-6272-6272 with 8 bits a pixel.
    paper: Option<f64>,
    change: fn(&mut Recipe),
}

/// What may go wrong with the name of an estimator cannot: a test parses them all.
fn estimator(recipe: &mut Recipe, name: &str) {
    if let Ok(settings) = name.parse() {
        recipe.settings.estimator = settings;
    }
}

const ROWS: [Row; 6] = [
    Row { name: "whole", words: "the whole method", paper: Some(10.33), change: |_| () },
    Row {
        name: "no-coupling",
        words: "no coupling: local mode and one Gibbs sweep alone",
        paper: Some(112.1),
        change: |recipe| estimator(recipe, "lmi"),
    },
    Row { name: "cd-1", words: "no local mode either: CD-1", paper: None, change: |recipe| estimator(recipe, "cd-1") },
    Row { name: "bits", words: "bits, not signs", paper: Some(30.27), change: |recipe| recipe.units = Units::Bits },
    Row {
        name: "no-marginalization",
        words: "no marginalization",
        paper: Some(13.70),
        change: |recipe| recipe.settings.marginalize = false,
    },
    Row {
        name: "gaussian",
        words: "Gaussian start (0.01), not orthogonal",
        paper: Some(18.20),
        change: |recipe| recipe.gaussian = Some(0.01),
    },
];

/// Hidden layers of the two sizes.
const SIZES: [[usize; 2]; 2] = [[500, 500], [784, 784]];
const SEEDS: u64 = 3;
/// Hidden units of a toy are this many times fewer.
const TOY: usize = 25;

/// The model that others are measured against: 784-500-500, 3000 steps of Adam at 3e-4.
pub fn baseline(seed: u64) -> Recipe {
    Recipe {
        hidden: SIZES[0].to_vec(),
        units: Units::Signs,
        gaussian: None,
        settings: Settings {
            optimizer: OptimizerSettings { learning_rate: 3e-4, ..OptimizerSettings::default() },
            seed,
            ..Settings::default()
        },
        steps: 3000,
    }
}

fn recipe(workspace: &Workspace, row: &Row, hidden: [usize; 2], seed: u64) -> Recipe {
    let mut recipe = baseline(seed);
    recipe.hidden = hidden.iter().map(|n| n / workspace.pick(1, TOY)).collect();
    recipe.steps = workspace.pick(recipe.steps, 20);
    (row.change)(&mut recipe);
    recipe
}

/// A row at one size: the scored samples of each seed, or that its run diverged.
struct Cell {
    row: &'static Row,
    hidden: [usize; 2],
    runs: Vec<Option<Samples>>,
}

impl Cell {
    fn size(&self) -> String {
        format!("784-{}-{}", self.hidden[0], self.hidden[1])
    }

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
    let (mut cells, mut seconds): (Vec<Cell>, f64) = (Vec::new(), 0.0);
    for hidden in SIZES {
        cells.extend(ROWS.iter().map(|row| Cell { row, hidden, runs: Vec::new() }));
    }
    // Seed after seed, so that a table that is not finished has whole seeds.
    for seed in workspace.seed..workspace.seed + SEEDS {
        for cell in &mut cells {
            let name = format!("{}-{}-{seed}", cell.row.name, cell.hidden[0]);
            let recipe = recipe(workspace, cell.row, cell.hidden, seed);
            cell.runs.push(match workspace.trained(&name, &recipe, &reference.train) {
                Ok(run) => {
                    let (samples, took) = scored_samples(workspace, &name, &run, None, reference)?;
                    seconds += run.seconds + took;
                    Some(samples)
                }
                Err(Error::Model(DbmError::Diverged { .. })) => None,
                Err(error) => return Err(error),
            });
        }
    }
    workspace.write("table-2.csv", csv(workspace, &cells).as_bytes())?;
    workspace.write_figure("table-2", &bars(&pictured(&cells), 1)?)?;
    let steps = workspace.pick(baseline(0).steps, 20);
    let verdict = workspace.pick(verdict(&cells), Verdict::InPart);
    REPORT.entry(workspace, &facts(&cells, steps), (verdict, seconds))
}

fn csv(workspace: &Workspace, cells: &[Cell]) -> String {
    let mut text = "row,hidden,seed,digit_frechet_distance,precision,recall,density,coverage,distinct,class_entropy,least_class,largest_class,parameters\n"
        .to_string();
    for cell in cells {
        for (seed, samples) in (workspace.seed..).zip(&cell.runs) {
            let hidden = format!("{}-{}", cell.hidden[0], cell.hidden[1]);
            let Some(Samples { scores, parameters, .. }) = samples else {
                let _ = writeln!(text, "{},{hidden},{seed},diverged,,,,,,,,,", cell.row.name);
                continue;
            };
            let shares = &scores.classes.shares;
            let _ = writeln!(
                text,
                "{},{hidden},{seed},{},{},{},{},{},{},{},{},{},{parameters}",
                cell.row.name,
                scores.digit_frechet_distance,
                scores.overlap.precision,
                scores.overlap.recall,
                scores.overlap.density,
                scores.overlap.coverage,
                scores.distinct,
                scores.classes.entropy,
                shares.iter().copied().fold(1.0, f64::min),
                shares.iter().copied().fold(0.0, f64::max)
            );
        }
    }
    text
}

fn pictured(cells: &[Cell]) -> Vec<Bars> {
    let panel = |title: &str, y_label: &str, scale: Scale, score: fn(&Samples) -> f64| Bars {
        title: title.into(),
        y_label: y_label.into(),
        scale,
        groups: ROWS
            .iter()
            .map(|row| Group {
                name: row.words.into(),
                bars: cells
                    .iter()
                    .filter(|cell| cell.row.name == row.name)
                    .filter_map(|cell| {
                        let (mean, error) = cell.of(score)?;
                        let standard_error = error.is_finite().then_some(error);
                        Some(Bar { label: cell.size(), mean, standard_error, values: cell.values(score) })
                    })
                    .collect(),
            })
            .filter(|group: &Group| !group.bars.is_empty())
            .collect(),
        reference: None,
    };
    vec![
        panel("Distance of the samples from real digits", "digit Frechet distance", Scale::Log, frechet),
        panel("Samples that differ", "distinct share", Scale::FromZero, |samples| samples.scores.distinct),
    ]
}

/// `12.3 ± 0.4`.
fn plus_minus(of: Option<(f64, f64)>, digits: usize, times: f64) -> String {
    match of {
        None => "diverged".into(),
        Some((mean, error)) if error.is_finite() => format!("{:.digits$} ± {:.digits$}", times * mean, times * error),
        Some((mean, _)) => format!("{:.digits$}", times * mean),
    }
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
    for cell in cells.iter().filter(|cell| cell.row.paper.is_some() && cell.row.name != ROWS[0].name) {
        let whole = cells.iter().find(|other| other.row.name == ROWS[0].name && other.hidden == cell.hidden);
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
    let of = |row: &'static Row| cells.iter().filter(move |cell| cell.row.name == row.name);
    let distance = |cell: &Cell| plus_minus(cell.of(frechet), 1, 1.0);
    let distinct = |cell: &Cell| plus_minus(cell.of(|samples| samples.scores.distinct), 1, 100.0);
    let row = |row: &'static Row| {
        let cells: Vec<Value> = of(row).map(|cell| context! { distance => distance(cell), distinct => distinct(cell) }).collect();
        context! { words => row.words, paper => row.paper, cells }
    };
    // Of the first size.
    let first: BTreeMap<&str, String> = ROWS.iter().filter_map(|row| Some((row.name, distance(of(row).next()?)))).collect();
    let (found, asked) = worse_than_whole(cells);
    context! {
        sizes => of(&ROWS[0]).map(Cell::size).collect::<Vec<_>>(),
        rows => ROWS.iter().map(row).collect::<Vec<_>>(),
        distance => first,
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
            let mut recipe = baseline(1);
            let row = ROWS.iter().find(|row| row.name == name).expect("a row");
            (row.change)(&mut recipe);
            recipe
        };
        assert_eq!(changed("whole"), whole);
        assert_eq!(changed("no-coupling").settings.estimator.to_string(), "lmi");
        assert_eq!(changed("cd-1").settings.estimator.to_string(), "cd-1");
        assert_eq!(changed("bits").units, Units::Bits);
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
        let cell = |hidden: [usize; 2], row: &'static Row| {
            let size = format!("{}-{}", hidden[0], hidden[1]);
            let its = table.iter().filter(|line| line.text("row") == row.name && line.text("hidden") == size);
            Cell { row, hidden, runs: its.map(|line| Some(samples(line))).collect() }
        };
        let cells: Vec<Cell> = SIZES.iter().flat_map(|hidden| ROWS.iter().map(|row| cell(*hidden, row))).collect();
        assert!(cells.iter().all(|cell| cell.runs.len() == SEEDS as usize));
        committed::assert_says(&REPORT, &facts(&cells, 3000), verdict(&cells));
    }
}
