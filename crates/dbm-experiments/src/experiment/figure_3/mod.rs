//! Figure 3 of the paper, completions; and how good they are, measured.

mod figure;
mod questions;

use super::recipe::{Recipe, named};
use super::report::{Entry, Report, Verdict};
use super::scored;
use super::workspace::Workspace;
use crate::Error;
use crate::columns::csv;
use crate::model::ModelFile;
use dbm_core::{Dbm, OptimizerSettings, Settings};
use dbm_data::{Dataset, npy};
use dbm_score::{Classifier, Completions, PIXELS};
use minijinja::{Value, context};
use questions::{Answered, Asked, MASKS, METHODS, QuestionSet};
use serde_json::json;
use std::path::Path;

const REPORT: Report =
    Report { name: "figure-3", place: 3, template: include_str!("../templates/figure-3.md"), data: &["figure-3.csv"] };

/// Test digits asked about, and answers to each.
const QUESTIONS: usize = 10_000;
const ANSWERS: usize = 8;
/// What `--model` means where it is not given: as seen from the project's folder.
pub const MODEL: &str = "www/models/deep.safetensors";

/// Completes the test digits by the model of a file, or in a toy by one that it trains.
///
/// # Errors
/// A model that is not there or not of 28 x 28 pixels, data without labels, and what goes wrong with files.
pub fn run(workspace: &Workspace, model: Option<&Path>, training: &Dataset, test: &Dataset) -> Result<Entry, Error> {
    let (model, answerer) = load(workspace, model, training)?;
    for data in [training, test] {
        if data.examples.width() != PIXELS {
            let width = data.examples.width();
            return Err(Error::Input(format!(
                "{}: digits of 28 x 28 bits were expected, but these have {width}; give MNIST",
                data.name
            )));
        }
    }
    let classifier = Classifier::shipped()?;
    let count = workspace.pick(QUESTIONS, 40).min(test.examples.len());
    let pictured = one_a_class(&scored::labels(test)?[..count]);
    let answers = workspace.pick(ANSWERS, 4);
    let questions = QuestionSet { model: &model, classifier: &classifier, data: test, count, answers, pictured: &pictured };
    let mut all = Vec::new();
    for mask in MASKS {
        let answered = METHODS.into_iter().map(|method| questions.answered(workspace, mask, method));
        let answered = answered.collect::<Result<Vec<_>, Error>>()?;
        let rivals = questions.rivals(workspace, mask, training)?;
        all.push(Asked { mask, answered, rivals });
    }
    workspace.write("figure-3.csv", table(&all).as_bytes())?;
    workspace.write("figure-3-answers.npy", &pictured_answers(&all, pictured.len(), answers))?;
    workspace.write_figure("figure-3", &figure::draw(&questions, &all, workspace.seed)?)?;
    let facts = facts(&all, &answerer, training.examples.len());
    REPORT.entry(workspace, &facts, verdict(&all[0]))
}

/// The model, and whose answers its are: of which file (none of a toy, which is trained for a moment), and what share of its gradient was conditional.
fn load(workspace: &Workspace, file: Option<&Path>, training: &Dataset) -> Result<(Dbm, Value), Error> {
    let Some(file) = file.or_else(|| (!workspace.toy).then_some(Path::new(MODEL))) else {
        let settings = Settings {
            optimizer: OptimizerSettings { learning_rate: 1e-3, ..OptimizerSettings::default() },
            batch: 50,
            conditional: 0.7,
            seed: workspace.seed,
            ..Settings::default()
        };
        // Narrower ones answer always the same.
        let recipe = Recipe::new(vec![800], settings, 20);
        let run = workspace.trained("toy", &recipe, training)?;
        let answerer = context! { sizes => named(run.model.sizes()), conditional => recipe.settings.conditional };
        return Ok((run.model, answerer));
    };
    if !file.exists() {
        return Err(Error::Input(format!(
            "{}: there is no model; run this in the project's folder, or give --model the file of a model of MNIST",
            file.display()
        )));
    }
    let (checkpoint, model) = ModelFile { path: file.into(), last: false }.load()?;
    if model.n_visible() != PIXELS {
        let n = model.n_visible();
        return Err(Error::Input(format!(
            "{}: a model of {PIXELS} visible units was expected, but it has {n}; give one trained on MNIST, a bit a pixel",
            file.display()
        )));
    }
    let conditional = checkpoint.settings.map_or(0.0, |settings| settings.conditional);
    let answerer = context! { file => file.display().to_string(), sizes => named(model.sizes()), conditional };
    Ok((model, answerer))
}

/// The first example of each class, by class.
fn one_a_class(labels: &[u8]) -> Vec<usize> {
    (0..10).filter_map(|class| labels.iter().position(|&label| label == class)).collect()
}

fn table(all: &[Asked]) -> String {
    let rows = all.iter().flat_map(Asked::lines).map(|line| {
        let Completions { count, answers, agreement, read_right, read_right_once, distinct, diversity } = line.scores;
        json!([line.mask.name, line.name, count, answers, agreement, read_right, read_right_once, distinct, diversity])
    });
    csv("mask,answer,digits,answers,agreement,read_right,read_right_once,distinct,diversity", rows)
}

/// `[masks, methods, pictured digits, answers, 784]`, 0 and 255.
fn pictured_answers(all: &[Asked], digits: usize, answers: usize) -> Vec<u8> {
    let of = |answered: &Answered| answered.pictured.iter().flat_map(|(_, bits, _)| bits.clone()).collect::<Vec<u8>>();
    let values: Vec<u8> = all.iter().flat_map(|asked| asked.answered.iter().flat_map(of)).collect();
    npy::write_u8(&[all.len(), METHODS.len(), digits, answers, PIXELS], &values)
}

fn facts(all: &[Asked], model: &Value, training: usize) -> Value {
    context! {
        model, training,
        lower => all[0],
        sweeps => METHODS[1].sweeps,
        lines => all.iter().flat_map(Asked::lines).collect::<Vec<_>>(),
    }
}

/// Whether answers by search are as close to the truth as the nearest training digit, or closer at least than nothing; of lower halves.
fn verdict(lower: &Asked) -> Verdict {
    let (search, rivals) = (&lower.answered[0].all, &lower.rivals);
    if search.read_right >= rivals.nearest.read_right && search.agreement >= rivals.nearest.agreement {
        Verdict::Agrees
    } else if search.agreement > rivals.blank.agreement || search.read_right > rivals.blank.read_right {
        Verdict::InPart
    } else {
        Verdict::Differs
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::committed;
    use super::questions::{Mask, Rivals};
    use super::*;

    fn scores(agreement: f64, read_right: f64) -> Completions {
        Completions { count: 100, answers: 8, agreement, read_right, read_right_once: 1.0, distinct: 8.0, diversity: Some(0.1) }
    }

    fn answered(all: Completions, consensus: Completions) -> Answered {
        Answered { unknown: 1, consensus, all, pictured: vec![] }
    }

    fn asked(search: Completions, gibbs: f64, blank: f64) -> Asked {
        Asked {
            mask: MASKS[0],
            answered: [search, scores(0.9, gibbs), scores(0.9, gibbs), scores(0.9, gibbs)].map(|all| answered(all, all)).to_vec(),
            rivals: Rivals { nearest: scores(0.9, 0.88), blank: scores(blank, 0.5), truth: scores(1.0, 1.0), pictured: vec![] },
        }
    }

    fn shipped() -> Value {
        context! { file => MODEL, sizes => "784-800-500-10", conditional => 0.5 }
    }

    #[test]
    fn what_is_said_follows_the_numbers() {
        let said = |asked: Asked| committed::said(&REPORT, &facts(&[asked], &shipped(), 10));
        let whole = said(asked(scores(0.83, 0.58), 0.79, 0.86));
        assert!(
            ["says little", "uncertainty is real", "much of it is the search's"].iter().all(|part| whole.contains(part)),
            "{whole}"
        );
        let same = Completions { diversity: Some(0.0), ..scores(0.95, 0.9) };
        let whole = said(asked(same, 0.85, 0.86));
        assert!(
            !whole.contains("says little") && whole.contains("No uncertainty") && whole.contains("not the search's"),
            "{whole}"
        );
        let verdict = |agreement, read_right| verdict(&asked(scores(agreement, read_right), 0.8, 0.86));
        assert_eq!(
            [verdict(0.91, 0.9), verdict(0.83, 0.58), verdict(0.8, 0.4)],
            [Verdict::Agrees, Verdict::InPart, Verdict::Differs]
        );
    }

    #[test]
    fn the_committed_entry_says_what_the_committed_numbers_do() {
        let table = committed::table("figure-3.csv");
        let of = |mask: Mask, answer: &str| {
            let line = table.iter().find(|line| line.text("mask") == mask.name && line.text("answer") == answer);
            line.unwrap().completions()
        };
        let asked = |mask: Mask| Asked {
            mask,
            answered: ["search", "gibbs", "annealed", "mean-field"]
                .map(|name| answered(of(mask, name), of(mask, &format!("{name}-consensus"))))
                .to_vec(),
            rivals: Rivals { nearest: of(mask, "nearest"), blank: of(mask, "blank"), truth: of(mask, "truth"), pictured: vec![] },
        };
        let all = MASKS.map(asked);
        committed::assert_says(&REPORT, &facts(&all, &shipped(), 60_000), verdict(&all[0]));
    }
}
