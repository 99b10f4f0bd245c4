//! Depth: two hidden layers against one of as many parameters, by recipes chosen on training digits that are held out; and the deep model that is shipped.

mod measured;

use super::recipe::{Recipe, Variant, named};
use super::report::{Entry, Report, Verdict};
use super::scored::{fingerprint, labels};
use super::workspace::Workspace;
use crate::Error;
use crate::columns::csv;
use crate::data::{DataSource, Reading};
use crate::model::ModelFile;
use crate::plot::gallery::{Gallery, gallery};
use crate::samples;
use crate::score::Reference;
use dbm_core::gradient::{CENTERING_RATE, EstimatorKind, EstimatorSettings};
use dbm_core::mask::Masks;
use dbm_core::math::mean_and_error;
use dbm_core::{Dbm, OptimizerSettings, Settings};
use dbm_data::picture::Tile;
use dbm_data::{Checkpoint, Dataset};
use dbm_score::{Completions, PIXELS};
use measured::{Asked, DISTANCES, Measured, TOGETHER, lower_halves};
use minijinja::{Value, context};
use serde_json::{Value as Json, json};
use std::path::Path;

const REPORT: Report =
    Report { name: "depth", place: 7, template: include_str!("../templates/depth.md"), data: &["depth.csv", "depth-search.csv"] };

/// Hidden layers of the two sides, of as many parameters: the labels are on top of either.
const SIDES: [&[usize]; 2] = [&[815], &[500, 500]];
const CLASSES: usize = 10;
/// Training digits that recipes are chosen on, and that nothing is trained on meanwhile.
const HELD_OUT: usize = 5000;
/// Steps of a candidate, and of what is compared.
const SEARCH_STEPS: u64 = 2000;
const STEPS: u64 = 5000;
const SEEDS: u64 = 5;
/// The deep model that is shipped, as seen from the project's folder.
pub const MODEL: &str = "www/models/deep.safetensors";

/// What the recipes of the search are changes of.
fn middle(hidden: &[usize], seed: u64, steps: u64) -> Recipe {
    let estimator = EstimatorSettings { k: 5, centering: Some(CENTERING_RATE), ..EstimatorSettings::new(EstimatorKind::Pcd) };
    let optimizer = OptimizerSettings { learning_rate: 2e-3, decay_steps: steps, ..OptimizerSettings::default() };
    let settings = Settings {
        optimizer,
        estimator,
        conditional: 0.5,
        masks: Masks::Halves,
        average: Some(0.999),
        classes: CLASSES,
        seed,
        ..Settings::default()
    };
    Recipe::new(hidden.to_vec(), settings, steps)
}

/// What the search tries on either side, one thing changed at a time.
fn variants() -> Result<Vec<Variant>, Error> {
    Variant::list(include_str!("variants.json"))
}

/// A recipe, with less of everything where this is a toy.
fn sized(workspace: &Workspace, recipe: &Recipe) -> Recipe {
    let mut recipe = recipe.clone();
    if workspace.toy {
        recipe.hidden.iter_mut().for_each(|n| *n /= 25);
        recipe.steps = 8;
    }
    recipe
}

/// A candidate of one side, measured on the digits held out.
struct Candidate<'a> {
    variant: &'a Variant,
    side: usize,
    measured: Measured,
}

/// One side's runs, a seed each, measured on the test digits.
struct Side<'a> {
    variant: &'a Variant,
    runs: Vec<Measured>,
}

/// The shipped model's sizes, and what it is measured to be.
type Shipped = (String, Measured);

/// Searches, trains what is compared, and measures it and the shipped model on the test digits.
///
/// # Errors
/// What goes wrong with files and memory, and a run that diverges.
pub fn run(workspace: &Workspace, source: &DataSource, shipped: Option<&Path>) -> Result<Entry, Error> {
    let variants = variants()?;
    let candidates = search(workspace, source, &variants[..workspace.pick(variants.len(), 1)])?;
    let reference = Reference::load(workspace.session, source, None)?;
    let training = with_classes(&reference.train)?;
    let asked = asked(workspace, [1000, 1000, 10_000, 500], TOGETHER);
    let mut sides: Vec<Side> =
        (0..SIDES.len()).map(|side| Side { variant: chosen(&candidates, side), runs: Vec::new() }).collect();
    let mut panels = Vec::new();
    // Seed after seed, so that what is not finished has whole seeds.
    for seed in workspace.seed..workspace.seed + SEEDS {
        for (side, hidden) in sides.iter_mut().zip(SIDES) {
            let recipe = sized(workspace, &side.variant.of(&middle(hidden, seed, STEPS))?);
            let name = format!("layers-{}-{seed}", hidden.len());
            let run = workspace.trained(&name, &recipe, &training)?;
            let (measured, _) =
                workspace.cell(&format!("{name}-test"), &(&recipe, asked), || asked.of(workspace, &run.model, &reference))?;
            side.runs.push(Measured { seconds: run.seconds, ..measured });
            if seed == workspace.seed {
                panels.push(panel(workspace, (&run.checkpoint, &run.model), &reference.train)?);
            }
        }
    }
    let unknown = lower_halves(workspace, &reference, asked.one)?;
    let (nearest, _) = workspace.cell("nearest", &asked.one, || reference.nearest(workspace.session, &unknown, asked.one))?;
    let file = shipped.or_else(|| (!workspace.toy).then_some(Path::new(MODEL)));
    let shipped = file.map(|file| of_shipped(workspace, file, &reference, &mut panels)).transpose()?;
    workspace.write("depth.csv", table(workspace.seed, &sides, shipped.as_ref(), &nearest).as_bytes())?;
    workspace.write("depth-search.csv", search_table(&candidates).as_bytes())?;
    workspace.write_figure("depth", &gallery(&panels, 3)?)?;
    REPORT.entry(workspace, &facts(&candidates, &sides, shipped.as_ref(), &nearest), Verdict::Beyond)
}

/// What is asked of a model: digits for its likelihood, chains, and lower halves by one answer and by many together.
fn asked(workspace: &Workspace, [likelihood, samples, one, together]: [usize; 4], answers: u32) -> Asked {
    let whole = Asked { likelihood, betas: 2000, particles: 16, samples, one, together, answers };
    workspace.pick(whole, Asked { likelihood: 10, betas: 20, particles: 2, samples: 40, one: 10, together: 10, answers: 2 })
}

/// Tries every variant on either side, trained on what is not held out.
fn search<'a>(workspace: &Workspace, source: &DataSource, variants: &'a [Variant]) -> Result<Vec<Candidate<'a>>, Error> {
    let held_out = workspace.pick(HELD_OUT, 100);
    let reading = Reading { hold_out: Some(held_out), ..source.reading };
    let reference = Reference::load(workspace.session, &DataSource { reading, ..source.clone() }, None)?;
    let training = with_classes(&reference.train)?;
    let asked = asked(workspace, [500, 200, 1000, 200], 8);
    let mut candidates = Vec::new();
    for variant in variants {
        for (side, hidden) in SIDES.iter().enumerate() {
            let recipe = sized(workspace, &variant.of(&middle(hidden, workspace.seed, SEARCH_STEPS))?);
            let name = format!("search-{}-{}", hidden.len(), variant.name);
            let run = workspace.trained(&name, &recipe, &training)?;
            let (measured, _) =
                workspace.cell(&format!("{name}-held-out"), &(&recipe, asked), || asked.of(workspace, &run.model, &reference))?;
            candidates.push(Candidate { variant, side, measured: Measured { seconds: run.seconds, ..measured } });
        }
    }
    Ok(candidates)
}

/// The variant of a side whose one answer is read right most often, of the digits held out.
fn chosen<'a>(candidates: &[Candidate<'a>], side: usize) -> &'a Variant {
    let its = candidates.iter().filter(|candidate| candidate.side == side);
    let best = its.reduce(|a, b| if b.measured.one.read_right > a.measured.one.read_right { b } else { a });
    best.expect("a search has candidates").variant
}

/// Training digits that know their classes.
fn with_classes(data: &Dataset) -> Result<Dataset, Error> {
    let examples = data.examples.clone().with_labels(labels(data)?.to_vec())?;
    Ok(Dataset { examples, ..data.clone() })
}

/// The shipped model, measured on all test digits; and its samples of each class.
fn of_shipped(workspace: &Workspace, file: &Path, reference: &Reference, panels: &mut Vec<Gallery>) -> Result<Shipped, Error> {
    let (checkpoint, model) = ModelFile { path: file.into(), last: false }.load()?;
    let asked = Asked { betas: workspace.pick(10_000, 20), ..asked(workspace, [10_000, 2000, 10_000, 2000], TOGETHER) };
    let key = (fingerprint(&checkpoint), asked);
    let (measured, _) = workspace.cell("shipped", &key, || asked.of(workspace, &model, reference))?;
    panels.push(panel(workspace, (&checkpoint, &model), &reference.train)?);
    Ok((named(model.sizes()), measured))
}

/// Samples of each class, a row a class, by the schedule of the model's training.
fn panel(workspace: &Workspace, (checkpoint, model): (&Checkpoint, &Dbm), data: &Dataset) -> Result<Gallery, Error> {
    let (schedule, columns) = (samples::of_training(checkpoint), workspace.pick(10, 2));
    let mut tiles = Vec::new();
    for class in 0..CLASSES {
        // A toy has not learned what its labels are.
        let drawn = if workspace.toy {
            samples::draw(workspace.session, model, schedule, columns, workspace.seed)
        } else {
            samples::draw_class(workspace.session, (checkpoint, model), schedule, class, (columns, workspace.seed))?
        };
        tiles.extend(drawn.bits.chunks(model.n_visible()).map(|bits| Tile::bits(data.image, bits)));
    }
    Ok(Gallery {
        title: named(model.sizes()),
        subtitle: Some(format!("asked for, not chosen, by {schedule}")),
        tiles,
        columns,
        row_labels: (0..CLASSES).map(|class| class.to_string()).collect(),
    })
}

/// Numbers of a model, as the tables have them.
fn numbers(Measured { log_p, wrong, distances, of_classes, one, together, seconds }: &Measured) -> Json {
    let completions = |of: &Completions| json!([of.read_right, of.agreement]);
    json!([log_p, wrong, distances, of_classes, completions(one), completions(together), seconds])
}

const COLUMNS: &str = "log_p_low,log_p_high,wrong_bound,wrong_prediction,distance_50,distance_300,distance_2000,distance_of_classes,\
                       one_read_right,one_agreement,together_read_right,together_agreement,seconds";

fn table(first_seed: u64, sides: &[Side], shipped: Option<&Shipped>, nearest: &Completions) -> String {
    let runs = sides.iter().zip(SIDES).flat_map(|(side, hidden)| {
        (first_seed..).zip(&side.runs).map(move |(seed, run)| json!([layers(hidden), side.variant.name, seed, numbers(run)]))
    });
    let shipped = shipped.map(|(name, measured)| json!([name, (), (), numbers(measured)]));
    let nearest = json!(["nearest", (), (), vec![(); 8], nearest.read_right, nearest.agreement, vec![(); 3]]);
    csv(&format!("model,recipe,seed,{COLUMNS}"), runs.chain(shipped).chain([nearest]))
}

fn search_table(candidates: &[Candidate]) -> String {
    let row = |Candidate { variant, side, measured }: &Candidate| json!([layers(SIDES[*side]), variant.name, numbers(measured)]);
    csv(&format!("model,recipe,{COLUMNS}"), candidates.iter().map(row))
}

/// All layers of a side, such as `784-500-500-10`.
fn layers(hidden: &[usize]) -> String {
    named(&middle(hidden, 0, 0).sizes(PIXELS))
}

/// Weights and biases of a side.
fn parameters(hidden: &[usize]) -> usize {
    let sizes = middle(hidden, 0, 0).sizes(PIXELS);
    sizes.windows(2).map(|pair| pair[0] * pair[1]).sum::<usize>() + sizes.iter().sum::<usize>()
}

/// Mean and standard error of all that is measured of some runs, by name.
fn means(runs: &[Measured]) -> Value {
    let of = |value: &dyn Fn(&Measured) -> f64| mean_and_error(&runs.iter().map(value).collect::<Vec<_>>());
    context! {
        log_p => [of(&|run| run.log_p[0]), of(&|run| run.log_p[1])],
        wrong => [of(&|run| run.wrong[0]), of(&|run| run.wrong[1])],
        distances => (0..DISTANCES.len()).map(|at| of(&|run| run.distances[at])).collect::<Vec<_>>(),
        of_classes => of(&|run| run.of_classes),
        one => of(&|run| run.one.read_right),
        one_agreement => of(&|run| run.one.agreement),
        together => of(&|run| run.together.read_right),
        together_agreement => of(&|run| run.together.agreement),
        seconds => of(&|run| run.seconds),
    }
}

fn facts(candidates: &[Candidate], sides: &[Side], shipped: Option<&Shipped>, nearest: &Completions) -> Value {
    let side = |(side, hidden): (&Side, &&[usize])| {
        let recipe = side.variant.of(&middle(hidden, 1, STEPS)).map(|recipe| recipe.command()).unwrap_or_default();
        context! { name => layers(hidden), parameters => parameters(hidden), recipe => side.variant.words, command => recipe, ..means(&side.runs) }
    };
    let row = |Candidate { variant, side, measured }: &Candidate| {
        context! { words => variant.words, name => layers(SIDES[*side]), ..means(std::slice::from_ref(measured)) }
    };
    context! {
        sides => sides.iter().zip(&SIDES).map(side).collect::<Vec<_>>(),
        search => candidates.iter().map(row).collect::<Vec<_>>(),
        shipped => shipped.map(|(name, measured)| context! { name, ..means(std::slice::from_ref(measured)) }),
        nearest,
        seeds => SEEDS,
        steps => [SEARCH_STEPS, STEPS],
        held_out => HELD_OUT,
        sweeps => DISTANCES,
        answers => TOGETHER,
        middle => middle(SIDES[1], 1, SEARCH_STEPS).command(),
        model => MODEL,
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::committed;
    use super::*;

    #[test]
    fn both_sides_have_as_many_parameters() {
        let [one, deep] = SIDES.map(parameters);
        assert!(one.abs_diff(deep) * 1000 < deep, "{one} and {deep}");
        assert!(variants().unwrap().iter().all(|variant| variant.of(&middle(SIDES[1], 1, 10)).is_ok()));
    }

    /// A model's line of the committed tables.
    fn measured(line: &committed::Line) -> Measured {
        let two = |names: [&str; 2]| names.map(|name| line.number(name));
        let completions = |name: &str| Completions {
            read_right: line.number(&format!("{name}_read_right")),
            agreement: line.number(&format!("{name}_agreement")),
            ..line.completions()
        };
        Measured {
            log_p: two(["log_p_low", "log_p_high"]),
            wrong: two(["wrong_bound", "wrong_prediction"]),
            distances: DISTANCES.iter().map(|sweeps| line.number(&format!("distance_{sweeps}"))).collect(),
            of_classes: line.number("distance_of_classes"),
            one: completions("one"),
            together: completions("together"),
            seconds: line.number("seconds"),
        }
    }

    #[test]
    fn the_committed_entry_says_what_the_committed_numbers_do() {
        let variants = variants().unwrap();
        let variant = |line: &committed::Line| variants.iter().find(|variant| variant.name == line.text("recipe")).unwrap();
        let side = |line: &committed::Line| SIDES.iter().position(|hidden| layers(hidden) == line.text("model"));
        let search = committed::table("depth-search.csv");
        let candidates: Vec<Candidate> = search
            .iter()
            .map(|line| Candidate { variant: variant(line), side: side(line).unwrap(), measured: measured(line) })
            .collect();
        let table = committed::table("depth.csv");
        let of = |of: usize| {
            let its: Vec<&committed::Line> = table.iter().filter(|line| side(line) == Some(of)).collect();
            assert!(its.iter().all(|line| variant(line).name == chosen(&candidates, of).name));
            Side { variant: chosen(&candidates, of), runs: its.into_iter().map(measured).collect() }
        };
        let sides: Vec<Side> = (0..SIDES.len()).map(of).collect();
        let shipped = table.iter().find(|line| line.text("seed").is_empty() && line.text("model") != "nearest");
        let shipped = shipped.map(|line| (line.text("model").to_string(), measured(line)));
        let nearest = measured(table.last().unwrap()).one;
        committed::assert_says(&REPORT, &facts(&candidates, &sides, shipped.as_ref(), &nearest), Verdict::Beyond);
    }
}
