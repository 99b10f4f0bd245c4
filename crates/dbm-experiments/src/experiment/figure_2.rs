//! Figure 2 of the paper: samples of UCD-LMI and of PCD, neither pretrained.

use super::recipe::Recipe;
use super::report::{Entry, Report, Verdict};
use super::scored::{COLUMNS, columns, panel, samples_scored, scored_samples};
use super::workspace::Workspace;
use crate::Error;
use crate::columns::csv;
use crate::plot::gallery::gallery;
use crate::score::Reference;
use dbm_core::complete::SamplingSchedule;
use dbm_core::{OptimizerSettings, Settings};
use dbm_data::npy;
use dbm_score::Scores;
use minijinja::{Value, context};
use serde::Serialize;
use serde_json::json;

const REPORT: Report =
    Report { name: "figure-2", place: 2, template: include_str!("templates/figure-2.md"), data: &["figure-2.csv"] };

/// The estimators side by side, and what they are called.
const RIVALS: [(&str, &str); 3] = [("pcd-1", "PCD"), ("centered-pcd-1", "centered PCD"), ("ucd-lmi", "UCD-LMI")];

/// The other way that samples are drawn: by Gibbs sweeps from noise, as PCD trains, and a search at their end.
fn sweeps(workspace: &Workspace) -> SamplingSchedule {
    SamplingSchedule::Gibbs(workspace.pick(200, 5))
}

fn recipe((hidden, steps): (Vec<usize>, u64), seed: u64, estimator: &str) -> Result<Recipe, Error> {
    let settings = Settings {
        optimizer: OptimizerSettings { learning_rate: 3e-4, weight_decay: 5e-4, ..OptimizerSettings::default() },
        estimator: estimator.parse()?,
        average: Some(0.995),
        seed,
        ..Settings::default()
    };
    Ok(Recipe::new(hidden, settings, steps))
}

/// Trains each of them on these digits, whose name is `set`, and draws what they make.
///
/// # Errors
/// What goes wrong with files and memory, and a run that diverges.
pub fn run(workspace: &Workspace, set: &str, reference: &Reference) -> Result<Entry, Error> {
    let (mut panels, mut lines, count) = (Vec::new(), Vec::new(), samples_scored(workspace));
    for (estimator, words) in RIVALS {
        let recipe = recipe(workspace.pick((vec![1500, 500], 3000), (vec![60, 20], 20)), workspace.seed, estimator)?;
        let name = format!("{}-{estimator}", set.to_lowercase());
        let run = workspace.trained(&name, &recipe, &reference.train)?;
        let samples = scored_samples(workspace, &name, &run, (Some(SamplingSchedule::Mode), count), reference)?;
        let by_sweeps = scored_samples(workspace, &name, &run, (Some(sweeps(workspace)), count), reference)?;
        let width = reference.width();
        workspace.write(&format!("{name}.npy"), &npy::write_u8(&[samples.shown.len() / width, width], &samples.shown))?;
        panels.push(panel(format!("{set}, {words}"), &samples, &reference.train));
        lines.push(Line {
            set: set.into(),
            estimator: words,
            command: recipe.command(),
            seconds: run.seconds,
            scores: samples.scores,
            by_sweeps: by_sweeps.scores.digit_frechet_distance,
        });
    }
    workspace.write_figure("figure-2", &gallery(&panels, RIVALS.len())?)?;
    workspace.write("figure-2.csv", table(&lines).as_bytes())?;
    let verdict = workspace.pick(verdict(&lines), Verdict::InPart);
    REPORT.entry(workspace, &facts(&lines, sweeps(workspace)), verdict)
}

/// A model that was trained, and the scores of its samples.
#[derive(Serialize)]
struct Line {
    set: String,
    estimator: &'static str,
    command: String,
    seconds: f64,
    scores: Scores,
    /// Digit Frechet distance of samples drawn by [`sweeps`].
    by_sweeps: f64,
}

fn table(lines: &[Line]) -> String {
    let rows = lines.iter().map(|Line { set, estimator, seconds, scores, by_sweeps, .. }| {
        json!([set, estimator, seconds, columns(scores), by_sweeps])
    });
    csv(&format!("data,estimator,seconds,{COLUMNS},distance_after_gibbs_sweeps"), rows)
}

/// Of the lines of all [`RIVALS`].
fn facts(lines: &[Line], sweeps: SamplingSchedule) -> Value {
    context! { lines, sweeps => sweeps.sweeps() }
}

/// Whether UCD-LMI's samples are nearer to real digits than those of each rival, all drawn by whichever of two schedules suits them better.
fn verdict(lines: &[Line]) -> Verdict {
    let best = |line: &Line| line.scores.digit_frechet_distance.min(line.by_sweeps);
    let Some((ours, rivals)) = lines.split_last() else { return Verdict::Differs };
    Verdict::of(rivals.iter().filter(|rival| best(ours) < best(rival)).count(), rivals.len())
}

#[cfg(test)]
mod tests {
    use super::super::report::committed::{assert_says, table};
    use super::*;

    fn committed() -> Vec<Line> {
        let line = |(line, (_, words)): (_, (_, &'static str))| {
            let line: &super::super::report::committed::Line = line;
            Line {
                set: line.text("data").into(),
                estimator: words,
                command: recipe((vec![1500, 500], 3000), 1, "ucd-lmi").unwrap().command(),
                seconds: line.number("seconds"),
                scores: line.scores(),
                by_sweeps: line.number("distance_after_gibbs_sweeps"),
            }
        };
        table("figure-2.csv").iter().zip(RIVALS).map(line).collect()
    }

    #[test]
    fn the_verdict_follows_the_distances() {
        for (distances, expected) in [
            ([(180.0, 280.0), (500.0, 490.0), (30.0, 500.0)], Verdict::Agrees),
            // A rival that is better when drawn as it was trained counts as better.
            ([(180.0, 20.0), (500.0, 490.0), (30.0, 500.0)], Verdict::InPart),
            ([(29.0, 280.0), (10.0, 490.0), (30.0, 500.0)], Verdict::Differs),
        ] {
            let mut lines = committed();
            for (line, distances) in lines.iter_mut().zip(distances) {
                (line.scores.digit_frechet_distance, line.by_sweeps) = distances;
            }
            assert_eq!(verdict(&lines), expected, "{distances:?}");
        }
    }

    #[test]
    fn the_committed_entry_says_what_the_committed_numbers_do() {
        let lines = committed();
        assert_says(&REPORT, &facts(&lines, SamplingSchedule::Gibbs(200)), verdict(&lines));
    }
}
