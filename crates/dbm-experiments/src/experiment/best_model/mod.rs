//! The best model of MNIST: a search of recipes at a short horizon, and the one chosen from it trained for long.

mod candidates;

use super::recipe::{Recipe, Variant, named};
use super::report::{Entry, Report, Verdict};
use super::scored::{Samples, panel, samples_scored, scored_samples};
use super::table_2::baseline;
use super::workspace::{Trained, Workspace};
use crate::Error;
use crate::answers::{self, Answering, Consensus, Method};
use crate::columns::csv;
use crate::plot::gallery::gallery;
use crate::score::Reference;
use candidates::{LONGER_STEPS, STEPS, middle};
use dbm_core::complete::SamplingSchedule;
use dbm_core::mask::Masks;
use dbm_data::{Precision, npy};
use dbm_score::{Completions, Scores};
use minijinja::{Value, context};
use serde::{Deserialize, Serialize};
use serde_json::json;

const REPORT: Report =
    Report { name: "best-model", place: 6, template: include_str!("../templates/best-model.md"), data: &["best-model.csv"] };

/// Answers that a consensus is taken of: of a candidate, and of the model chosen.
const ANSWERS: [u32; 2] = [8, 32];

/// The recipe that the search led to: for long, in larger batches, half of each with half of each digit known.
fn chosen(seed: u64) -> Recipe {
    let mut recipe = middle(seed, 16_000);
    recipe.settings.batch = 200;
    recipe.settings.average = Some(0.999);
    recipe.settings.masks = Masks::Halves;
    recipe
}

/// What a model makes of lower halves.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Halves {
    /// One answer after the other.
    all: Completions,
    /// Of each digit the answer that the others agree with most.
    medoid: Completions,
    /// Of each digit what most answers say, pixel by pixel.
    majority: Completions,
    /// Of each digit the pixels that are white in most answers, as many as are white in one.
    balanced: Completions,
}

impl Halves {
    fn named(&self) -> [(&'static str, &Completions); 4] {
        [("one", &self.all), ("medoid", &self.medoid), ("majority", &self.majority), ("balanced", &self.balanced)]
    }

    /// The consensus that is read right most often, as words.
    fn best(&self) -> (&Completions, &'static str) {
        let made = [(&self.medoid, "the medoid"), (&self.majority, "the majority"), (&self.balanced, "the balanced majority")];
        made.into_iter().reduce(|a, b| if b.0.read_right > a.0.read_right { b } else { a }).unwrap_or(made[0])
    }
}

/// A model and its scores.
struct Measured {
    samples: Samples,
    /// The distance of samples drawn by each schedule that is tried.
    by_schedule: Vec<(SamplingSchedule, f64)>,
    /// Lower halves, by each schedule that answers are drawn by.
    halves: Vec<(SamplingSchedule, Halves)>,
}

impl Measured {
    fn facts(&self) -> Value {
        let by = |(schedule, distance): &(SamplingSchedule, f64)| context! { schedule => schedule.to_string(), distance };
        let halves = |(schedule, halves): &(SamplingSchedule, Halves)| {
            let (best, consensus) = halves.best();
            context! { schedule => schedule.to_string(), best, consensus, ..Value::from_serialize(halves) }
        };
        context! {
            schedule => self.samples.schedule,
            scores => self.samples.scores,
            by_schedule => self.by_schedule.iter().map(by).collect::<Vec<_>>(),
            halves => self.halves.iter().map(halves).collect::<Vec<_>>(),
        }
    }
}

/// Schedules from noise to a sample that are tried of a model trained with so many sweeps from the mode.
fn schedules(mode_sweeps: u32) -> Vec<SamplingSchedule> {
    let mut schedules = vec![
        SamplingSchedule::Mode,
        SamplingSchedule::ModeGibbs(10),
        SamplingSchedule::Annealed(50),
        SamplingSchedule::Gibbs(300),
    ];
    if mode_sweeps > 1 && mode_sweeps != 10 {
        schedules.push(SamplingSchedule::ModeGibbs(mode_sweeps));
    }
    schedules
}

/// Ways to answer that are tried.
const ASKED: [(Method, u32); 2] = [(Method::Gibbs, 100), (Method::Annealed, 100)];

/// Lower halves of the first `count` test digits.
fn halves(
    workspace: &Workspace,
    (name, run): (&str, &Trained),
    (method, sweeps): (Method, u32),
    (count, answers): (usize, u32),
    reference: &Reference,
    parameters: &str,
) -> Result<(SamplingSchedule, Halves), Error> {
    let answering = Answering { answers, method, sweeps, consensus: None, class_first: None };
    let schedule = answering.schedule();
    let key = (parameters, schedule.to_string(), count, answering.answers, workspace.seed, "medoid, majority, balanced");
    let (halves, _) = workspace.cell(&format!("{name}-lower-{}", schedule.to_string().replace(':', "-")), &key, || {
        let unknown = answers::unknown("lower-half", workspace.seed, count, &reference.test, run.checkpoint.image)?;
        let bits = answering.draw(workspace.session, &run.model, (&reference.test, 0..count), &unknown, workspace.seed);
        let one = |consensus: Consensus| consensus.of(run.model.n_visible(), answers as usize, &bits);
        let score = |bits: &[u8]| reference.completions(workspace.session, &unknown, count, bits);
        Ok(Halves {
            all: score(&bits)?,
            medoid: score(&one(Consensus::Medoid))?,
            majority: score(&one(Consensus::Majority))?,
            balanced: score(&one(Consensus::Balanced))?,
        })
    })?;
    Ok((schedule, halves))
}

/// Test digits that the model chosen is asked about.
fn digits_asked(workspace: &Workspace, reference: &Reference) -> usize {
    workspace.pick(10_000, 40).min(reference.test.examples.len())
}

/// Trains and measures: samples by every schedule, and lower halves, of a candidate or, with more samples, digits and answers to each, of the model chosen.
fn measured(
    workspace: &Workspace,
    name: &str,
    recipe: &Recipe,
    chosen: bool,
    reference: &Reference,
) -> Result<(Measured, Trained), Error> {
    let drawn = if chosen { samples_scored(workspace) } else { workspace.pick(2000, 200) };
    let asked =
        if chosen { digits_asked(workspace, reference) } else { workspace.pick(1000, 20).min(reference.test.examples.len()) };
    let answers = workspace.pick(ANSWERS[usize::from(chosen)], 3);
    let run = workspace.trained(name, recipe, &reference.train)?;
    let own = scored_samples(workspace, name, &run, (None, drawn), reference)?;
    let mut tried = Vec::new();
    for schedule in schedules(recipe.settings.estimator.mode_sweeps) {
        let samples = scored_samples(workspace, name, &run, (Some(schedule), drawn), reference)?;
        tried.push((schedule, samples.scores.digit_frechet_distance));
    }
    let mut answered = Vec::new();
    for way in ASKED {
        answered.push(halves(workspace, (name, &run), way, (asked, answers), reference, &own.parameters)?);
    }
    Ok((Measured { samples: own, by_schedule: tried, halves: answered }, run))
}

/// Searches, trains the model that was chosen, and holds it against the baseline.
///
/// # Errors
/// What goes wrong with files and memory, and a run that diverges.
pub fn run(workspace: &Workspace, reference: &Reference) -> Result<Entry, Error> {
    let toy = |mut recipe: Recipe| {
        if workspace.toy {
            recipe.hidden.iter_mut().for_each(|n| *n /= 25);
            recipe.steps = recipe.steps.min(10);
        }
        recipe
    };
    let base = workspace.trained("baseline", &toy(baseline(workspace.seed)), &reference.train)?;
    let base_samples = scored_samples(workspace, "baseline", &base, (None, samples_scored(workspace)), reference)?;
    let recipe = toy(chosen(workspace.seed));
    let (best, run) = measured(workspace, "best", &recipe, true, reference)?;
    let (floor, _) = workspace.cell("floor", &"training digits", || reference.floor(workspace.session))?;
    let all = digits_asked(workspace, reference);
    let unknown = answers::unknown("lower-half", workspace.seed, all, &reference.test, reference.test.image)?;
    let (nearest, _) = workspace.cell("nearest", &all, || reference.nearest(workspace.session, &unknown, all))?;

    // The search comes last: who stops it has the model.
    let lists = candidates::all()?;
    let mut searched: Searched = Default::default();
    for (((candidates, steps), at_most), searched) in lists.iter().zip([3, 1]).zip(&mut searched) {
        for candidate in candidates.iter().take(workspace.pick(candidates.len(), at_most)) {
            let recipe = toy(candidate.of(&middle(workspace.seed, *steps))?);
            let (measured, _) = measured(workspace, &candidate.name, &recipe, false, reference)?;
            searched.push((candidate, measured));
        }
    }

    workspace.write("best-model.safetensors", &run.checkpoint.weights_only(true).to_bytes(Precision::Half)?)?;
    let width = reference.width();
    workspace.write("best-model.npy", &npy::write_u8(&[best.samples.shown.len() / width, width], &best.samples.shown))?;
    workspace.write("best-model.csv", table(&searched, &best).as_bytes())?;
    let panel = |title: &str, samples| panel(title.into(), samples, &reference.train);
    let panels = [panel("784-500-500, 3000 steps", &base_samples), panel("the model chosen", &best.samples)];
    workspace.write_figure("best-model", &gallery(&panels, 2)?)?;

    let against = context! {
        base => base_samples.scores,
        floor => floor.digit_frechet_distance,
        nearest,
        training => run.seconds,
        command => recipe.command(),
        sizes => named(run.model.sizes()),
        middle => middle(workspace.seed, STEPS).command(),
    };
    REPORT.entry(workspace, &facts(&searched, &best, against), Verdict::Beyond)
}

/// What was tried for a short and for a longer time.
type Searched<'a> = [Vec<(&'a Variant, Measured)>; 2];

fn table(searched: &Searched, best: &Measured) -> String {
    let all = searched.iter().flatten().map(|(candidate, measured)| (&*candidate.name, measured)).chain([("best", best)]);
    let rows = all.flat_map(|(name, Measured { samples, by_schedule, halves, .. })| {
        let Scores { digit_frechet_distance, distinct, .. } = samples.scores;
        let schedules = by_schedule.iter().map(|(by, distance)| json!([name, format!("samples {by}"), distance, vec![(); 4]]));
        let own = json!([name, format!("samples {} (its own)", samples.schedule), digit_frechet_distance, distinct, vec![(); 3]]);
        let halves = halves.iter().flat_map(|(by, halves)| {
            halves.named().map(|(how, Completions { read_right, agreement, diversity, .. })| {
                json!([name, format!("lower halves {by} {how}"), (), (), read_right, agreement, diversity])
            })
        });
        schedules.chain([own]).chain(halves).collect::<Vec<_>>()
    });
    csv("model,what,digit_frechet_distance,distinct,read_right,agreement,diversity", rows)
}

/// What was found, beside how the best model was made and what it is held against: the samples of table 2's whole method, the distance of real digits, and
/// the nearest neighbours' lower halves.
fn facts([short, longer]: &Searched, best: &Measured, against: Value) -> Value {
    let rows = |searched: &[(&Variant, Measured)]| -> Vec<Value> {
        searched.iter().map(|(candidate, measured)| context! { words => candidate.words, model => measured.facts() }).collect()
    };
    let asked = ASKED.map(|(method, sweeps)| method.schedule(sweeps));
    context! {
        best => best.facts(),
        short => rows(short),
        longer => rows(longer),
        steps => [STEPS, LONGER_STEPS],
        answers => ANSWERS,
        asked => asked.map(|schedule| schedule.to_string()),
        ..against
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::committed;
    use super::*;

    /// A model's lines of the committed table.
    fn measured(table: &[committed::Line], model: &str) -> Measured {
        let its = || table.iter().filter(|line| line.text("model") == model);
        let words = |line: &committed::Line| -> Vec<String> { line.text("what").split(' ').map(String::from).collect() };
        let mut samples = None;
        let mut by_schedule = Vec::new();
        for line in its() {
            match &words(line)[..] {
                [what, schedule] if what == "samples" => {
                    by_schedule.push((schedule.parse().unwrap(), line.number("digit_frechet_distance")));
                }
                [what, schedule, ..] if what == "samples" => {
                    let mut scores = line.scores();
                    // Of the model chosen, as the entry has it.
                    (scores.classes.shares[0], scores.classes.shares[1]) = (0.072, 0.128);
                    samples = Some(Samples { scores, schedule: schedule.clone(), parameters: String::new(), shown: vec![] });
                }
                _ => (),
            }
        }
        let halves = |schedule: SamplingSchedule| {
            let of = |how: &str| {
                let what = format!("lower halves {schedule} {how}");
                its().find(|line| line.text("what") == what).unwrap().completions()
            };
            (schedule, Halves { all: of("one"), medoid: of("medoid"), majority: of("majority"), balanced: of("balanced") })
        };
        let halves = ASKED.map(|(method, sweeps)| halves(method.schedule(sweeps))).to_vec();
        Measured { samples: samples.unwrap(), by_schedule, halves }
    }

    #[test]
    fn the_committed_entry_says_what_the_committed_numbers_do() {
        let table = committed::table("best-model.csv");
        let lists = candidates::all().unwrap();
        let searched: Searched =
            [&lists[0].0, &lists[1].0].map(|list| list.iter().map(|one| (one, measured(&table, &one.name))).collect());
        let nearest = committed::table("figure-3.csv").into_iter().find(|line| line.text("answer") == "nearest").unwrap();
        let against = context! {
            base => committed::table("table-2.csv")[0].scores(),
            // These two as the entry has them.
            floor => 0.64,
            training => 438.0,
            nearest => nearest.completions(),
            command => chosen(1).command(),
            sizes => "784-500",
            middle => middle(1, STEPS).command(),
        };
        committed::assert_says(&REPORT, &facts(&searched, &measured(&table, "best"), against), Verdict::Beyond);
    }
}
