//! Figure 3 of the paper, completions; and how good they are, measured.

mod figure;
mod questions;

use super::recipe::Recipe;
use super::report::{Entry, Verdict, machine};
use super::scored;
use super::workspace::Workspace;
use crate::Error;
use crate::model::ModelFile;
use dbm_core::{Dbm, OptimizerSettings, Settings, Units};
use dbm_data::{Dataset, npy};
use dbm_score::{Classifier, Completions, PIXELS};
use questions::{Answered, Asked, Kind, Method, Quiz};
use std::fmt::Write;
use std::path::Path;

/// Test digits asked about, and answers to each.
const QUESTIONS: usize = 10_000;
const ANSWERS: usize = 8;
/// What `--model` means where it is not given: as seen from the project's folder.
pub const MODEL: &str = "www/models/mnist.safetensors";

/// Completes the test digits by the model of a file, or in a toy by one that it trains.
///
/// # Errors
/// A model that is not there or not of 28 x 28 pixels, data without labels, and what goes wrong with files.
pub fn run(workspace: &Workspace, model: Option<&Path>, training: &Dataset, test: &Dataset) -> Result<Entry, Error> {
    let (model, trained_in, of) = load(workspace, model, training)?;
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
    let quiz = Quiz { model: &model, classifier: &classifier, data: test, count, answers, pictured: &pictured };
    let (mut all, mut seconds) = (Vec::new(), trained_in);
    for kind in Kind::ALL {
        let answered = Method::ALL.into_iter().map(|method| quiz.answered(workspace, kind, method));
        let answered = answered.collect::<Result<Vec<_>, Error>>()?;
        let (rivals, took) = quiz.rivals(workspace, kind, training)?;
        seconds += took + answered.iter().map(|answered| answered.seconds).sum::<f64>();
        all.push(Asked { kind, answered, rivals });
    }
    workspace.write("figure-3.csv", csv(&all).as_bytes())?;
    workspace.write("figure-3-answers.npy", &pictured_answers(&all, pictured.len(), answers))?;
    workspace.write_figure("figure-3", &figure::draw(&quiz, &all, workspace.seed)?)?;
    Ok(entry(workspace, &all, seconds, &of, training.examples.len()))
}

/// The model, the seconds that its training took here, and what it is in words.
fn load(workspace: &Workspace, file: Option<&Path>, training: &Dataset) -> Result<(Dbm, f64, String), Error> {
    let Some(file) = file.or_else(|| (!workspace.toy).then_some(Path::new(MODEL))) else {
        let recipe = Recipe {
            // Narrower ones answer always the same.
            hidden: vec![800],
            units: Units::Signs,
            gaussian: None,
            settings: Settings {
                optimizer: OptimizerSettings { learning_rate: 1e-3, ..OptimizerSettings::default() },
                batch: 50,
                conditional: 0.7,
                seed: workspace.seed,
                ..Settings::default()
            },
            steps: 20,
        };
        let run = workspace.trained("toy", &recipe, training)?;
        return Ok((run.model, run.seconds, "one that was trained for a moment".into()));
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
    let sizes: Vec<String> = model.sizes().iter().map(usize::to_string).collect();
    let share = checkpoint.settings.map_or(0.0, |settings| settings.conditional);
    let trained = if share > 0.0 {
        format!("; unlike the paper's, {:.0} % of its gradient was conditional, that is of completion", 100.0 * share)
    } else {
        String::new()
    };
    Ok((model, 0.0, format!("`{}`, {}{trained}", file.display(), sizes.join("-"))))
}

/// The first example of each class, by class.
fn one_a_class(labels: &[u8]) -> Vec<usize> {
    (0..10).filter_map(|class| labels.iter().position(|&label| label == class)).collect()
}

fn csv(all: &[Asked]) -> String {
    let mut text = String::from("mask,answer,digits,answers,agreement,read_right,read_right_once,distinct,diversity\n");
    for line in all.iter().flat_map(Asked::lines) {
        let Completions { count, answers, agreement, read_right, read_right_once, distinct, diversity } = line.worth;
        let diversity = diversity.map_or(String::new(), |diversity| diversity.to_string());
        let _ = writeln!(
            text,
            "{},{},{count},{answers},{agreement},{read_right},{read_right_once},{distinct},{diversity}",
            line.kind.name(),
            line.name
        );
    }
    text
}

/// `[masks, methods, pictured digits, answers, 784]`, 0 and 255.
fn pictured_answers(all: &[Asked], digits: usize, answers: usize) -> Vec<u8> {
    let of = |answered: &Answered| answered.pictured.iter().flat_map(|(_, bits, _)| bits.clone()).collect::<Vec<u8>>();
    let values: Vec<u8> = all.iter().flat_map(|asked| asked.answered.iter().flat_map(of)).collect();
    npy::write_u8(&[all.len(), Method::ALL.len(), digits, answers, PIXELS], &values)
}

fn entry(workspace: &Workspace, all: &[Asked], seconds: f64, model: &str, training: usize) -> Entry {
    let lower = &all[0];
    let search = lower.search();
    let (nearest, blank) = (&lower.rivals.nearest, &lower.rivals.blank);
    let verdict = verdict(search, nearest, blank);
    let ours = format!(
        "Lower halves by search alone: {} of the hidden pixels as in the truth, {} read as the true digit, {:.1} different answers of {}.",
        percent(search.agreement),
        percent(search.read_right),
        search.distinct,
        search.answers
    );
    let why = why(lower, training);
    Entry {
        name: "figure-3".into(),
        place: 3,
        title: "Figure 3: completions".into(),
        paper: "Completed lower halves are close to but not exactly the same as the ground truth, because of the uncertainty.".into(),
        ours,
        verdict,
        why,
        command: format!("dbm experiment figure-3 --data MNIST{}", if workspace.toy { " --toy" } else { "" }),
        seed: workspace.seed,
        machine: machine(workspace.session),
        seconds,
        body: body(all, model),
        figures: vec![(
            "figure-3".into(),
            "A test digit of each class: the truth, what is known of it (hidden pixels violet), answers by search alone, after 100 Gibbs sweeps and after 100 that cool down, their consensus, \
             and the nearest training digit."
                .into(),
        )],
        data: vec!["figure-3.csv".into()],
    }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// As close to the truth as the nearest training digit, or closer at least than nothing.
fn verdict(search: &Completions, nearest: &Completions, blank: &Completions) -> Verdict {
    if search.read_right >= nearest.read_right && search.agreement >= nearest.agreement {
        Verdict::Agrees
    } else if search.agreement > blank.agreement || search.read_right > blank.read_right {
        Verdict::InPart
    } else {
        Verdict::Differs
    }
}

/// What the numbers of lower halves say of the search's answers.
fn why(lower: &Asked, training: usize) -> String {
    let (search, gibbs, annealed) = (lower.search(), lower.gibbs(), lower.annealed());
    let (nearest, blank) = (&lower.rivals.nearest, &lower.rivals.blank);
    // A share's standard error is at most half of this.
    let errors = 1.0 / (search.count as f64).sqrt();
    let mut text = format!(
        "A lower half left blank agrees in {}, the nearest of {training} training digits in {} and is read right in {}{} ",
        percent(blank.agreement),
        percent(nearest.agreement),
        percent(nearest.read_right),
        if blank.agreement >= search.agreement { ": to be close in pixels says little." } else { "." }
    );
    let _ = match search.diversity {
        Some(apart) if apart > 0.0 => write!(
            text,
            "The uncertainty is real: two answers to one question differ in {} of the hidden pixels, and in {} of all digits at least one of {} is read right. ",
            percent(apart),
            percent(search.read_right_once),
            search.answers
        ),
        _ => write!(text, "No uncertainty is seen: the answers to a question are all the same. "),
    };
    let better = gibbs.all.read_right - search.read_right > errors;
    text.push_str(if better {
        "But much of it is the search's: it stops in the mode nearest to the noise it began with. "
    } else {
        "It is not the search's: Gibbs sweeps before it do not help. "
    });
    let _ = write!(
        text,
        "After {} Gibbs sweeps, with the known half clamped, the same search is read right in {}, and the answer on which most agree in {}; \
         where these sweeps begin hot and cool down, in {} and {}.",
        Method::Gibbs.sweeps(),
        percent(gibbs.all.read_right),
        percent(gibbs.consensus.read_right),
        percent(annealed.all.read_right),
        percent(annealed.consensus.read_right),
    );
    text
}

fn body(all: &[Asked], model: &str) -> String {
    let (count, answers) = (all[0].search().count, all[0].search().answers);
    let mut text = format!(
        "The model is {model}. {count} test digits, {answers} answers each. \
         *Read right*: as the true digit, by the classifier; standard errors are at most {:.1} %. *Differ*: share of the hidden pixels in which two answers to one question \
         differ, on average. *Consensus*: of the {answers} answers the one nearest to all of them, by hidden pixels that differ.\n\n\
         | Hidden | Filled in by | Pixels as in the truth | Read right | At least one read right | Distinct | Differ |\n\
         | --- | --- | --- | --- | --- | --- | --- |\n",
        // Of a share, over the digits; answers to one digit go together.
        100.0 * 0.5 / (count as f64).sqrt(),
    );
    for line in all.iter().flat_map(Asked::lines) {
        let Completions { answers, agreement, read_right, read_right_once, distinct, diversity, .. } = line.worth;
        let several = |value: String| if *answers > 1 { value } else { String::new() };
        let _ = writeln!(
            text,
            "| {} | {} | {:.1} % | {:.1} % | {} | {} | {} |",
            line.kind.words(),
            line.words,
            100.0 * agreement,
            100.0 * read_right,
            several(format!("{:.1} %", 100.0 * read_right_once)),
            several(format!("{distinct:.1} of {answers}")),
            diversity.map_or(String::new(), |diversity| format!("{:.1} %", 100.0 * diversity)),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::questions::Rivals;
    use super::*;

    fn worth(agreement: f64, read_right: f64) -> Completions {
        Completions { count: 100, answers: 8, agreement, read_right, read_right_once: 1.0, distinct: 8.0, diversity: Some(0.1) }
    }

    fn asked(search: Completions, gibbs: f64, blank: f64) -> Asked {
        let answered = |all: Completions| Answered { unknown: 1, consensus: all.clone(), all, pictured: vec![], seconds: 0.0 };
        Asked {
            kind: Kind::Lower,
            answered: vec![answered(search), answered(worth(0.9, gibbs)), answered(worth(0.9, gibbs))],
            rivals: Rivals { nearest: worth(0.9, 0.88), blank: worth(blank, 0.5), truth: worth(1.0, 1.0), pictured: vec![] },
        }
    }

    #[test]
    fn what_is_said_follows_the_numbers() {
        let said = why(&asked(worth(0.83, 0.58), 0.79, 0.86), 10);
        assert!(
            said.contains("says little") && said.contains("uncertainty is real") && said.contains("much of it is the search's"),
            "{said}"
        );
        let same = Completions { diversity: Some(0.0), ..worth(0.95, 0.9) };
        let said = why(&asked(same, 0.85, 0.86), 10);
        assert!(!said.contains("says little") && said.contains("No uncertainty") && said.contains("not the search's"), "{said}");
        let verdict = |search: (f64, f64)| verdict(&worth(search.0, search.1), &worth(0.9, 0.88), &worth(0.86, 0.5));
        assert_eq!(
            [verdict((0.91, 0.9)), verdict((0.83, 0.58)), verdict((0.8, 0.4))],
            [Verdict::Agrees, Verdict::InPart, Verdict::Differs]
        );
    }
}
