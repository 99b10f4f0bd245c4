//! Figure 2 of the paper: samples of UCD-LMI and of PCD, neither pretrained.

use super::recipe::Recipe;
use super::report::{Entry, Verdict, machine};
use super::scored::{scored_samples, tiles};
use super::workspace::Workspace;
use crate::Error;
use crate::plot::gallery::{Gallery, gallery};
use crate::score::Reference;
use dbm_core::complete::SamplingSchedule;
use dbm_core::{OptimizerSettings, Settings, Units};
use dbm_data::npy;
use dbm_score::Scores;
use std::fmt::Write;

/// The estimators side by side, and what they are called.
const RIVALS: [(&str, &str); 3] = [("pcd-1", "PCD"), ("centered-pcd-1", "centered PCD"), ("ucd-lmi", "UCD-LMI")];

/// The other way that samples are drawn: by Gibbs sweeps from noise, as PCD trains, and a search at their end.
fn sweeps(workspace: &Workspace) -> SamplingSchedule {
    SamplingSchedule::Gibbs(workspace.pick(200, 5))
}

fn recipe(workspace: &Workspace, estimator: &str) -> Result<Recipe, Error> {
    Ok(Recipe {
        hidden: workspace.pick(vec![1500, 500], vec![60, 20]),
        units: Units::Signs,
        gaussian: None,
        settings: Settings {
            optimizer: OptimizerSettings { learning_rate: 3e-4, weight_decay: 5e-4, ..OptimizerSettings::default() },
            estimator: estimator.parse()?,
            average: Some(0.995),
            seed: workspace.seed,
            ..Settings::default()
        },
        steps: workspace.pick(3000, 20),
    })
}

/// Trains each of them on each data set (its name, and the digits), and draws what they make.
///
/// # Errors
/// What goes wrong with files and memory, and a run that diverges.
pub fn run(workspace: &Workspace, sets: &[(String, Reference)]) -> Result<Entry, Error> {
    let (mut panels, mut lines, mut seconds) = (Vec::new(), Vec::new(), 0.0);
    for (set, reference) in sets {
        for (estimator, words) in RIVALS {
            let recipe = recipe(workspace, estimator)?;
            let name = format!("{}-{estimator}", set.to_lowercase());
            let run = workspace.trained(&name, &recipe, &reference.train)?;
            let (samples, took) = scored_samples(workspace, &name, &run, Some(SamplingSchedule::Mode), reference)?;
            let (by_sweeps, took_them) = scored_samples(workspace, &name, &run, Some(sweeps(workspace)), reference)?;
            seconds += run.seconds + took + took_them;
            let width = reference.width();
            workspace.write(&format!("{name}.npy"), &npy::write_u8(&[samples.shown.len() / width, width], &samples.shown))?;
            panels.push(Gallery {
                title: format!("{set}, {words}"),
                subtitle: Some(format!(
                    "distance {:.1}, {:.0} % distinct",
                    samples.scores.digit_frechet_distance,
                    100.0 * samples.scores.distinct
                )),
                tiles: tiles(&samples, &reference.train),
                columns: 10,
                ..Gallery::default()
            });
            lines.push(Line {
                set: set.clone(),
                words,
                command: recipe.command(),
                seconds: run.seconds,
                scores: samples.scores,
                by_sweeps: by_sweeps.scores.digit_frechet_distance,
            });
        }
    }
    workspace.write_figure("figure-2", &gallery(&panels, RIVALS.len())?)?;
    workspace.write("figure-2.csv", csv(&lines).as_bytes())?;
    Ok(entry(workspace, &lines, seconds))
}

/// A model that was trained, and what its samples are worth.
struct Line {
    set: String,
    words: &'static str,
    command: String,
    seconds: f64,
    scores: Scores,
    /// Distance of samples drawn the other way.
    by_sweeps: f64,
}

fn csv(lines: &[Line]) -> String {
    let mut text = "data,estimator,seconds,digit_frechet_distance,precision,recall,density,coverage,distinct,class_entropy,distance_after_gibbs_sweeps\n".to_string();
    for Line { set, words, seconds, scores, by_sweeps, .. } in lines {
        let overlap = &scores.overlap;
        let _ = writeln!(
            text,
            "{set},{words},{seconds},{},{},{},{},{},{},{},{by_sweeps}",
            scores.digit_frechet_distance,
            overlap.precision,
            overlap.recall,
            overlap.density,
            overlap.coverage,
            scores.distinct,
            scores.classes.entropy
        );
    }
    text
}

fn entry(workspace: &Workspace, lines: &[Line], seconds: f64) -> Entry {
    let distances = |of: &str| {
        let line = lines.iter().find(|line| line.words == of);
        line.map_or((f64::NAN, f64::NAN), |line| (line.scores.digit_frechet_distance, line.by_sweeps))
    };
    let (pcd, centered, ours) = (distances("PCD"), distances("centered PCD"), distances("UCD-LMI"));
    let sweeps = sweeps(workspace);
    let mut table = format!(
        "| data | estimator | digit Frechet distance | by `{sweeps}` | precision | recall | coverage | distinct | training |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"
    );
    for Line { set, words, seconds, scores, by_sweeps, .. } in lines {
        let _ = writeln!(
            table,
            "| {set} | {words} | {:.1} | {by_sweeps:.1} | {:.2} | {:.2} | {:.2} | {:.1} % | {seconds:.0} s |",
            scores.digit_frechet_distance,
            scores.overlap.precision,
            scores.overlap.recall,
            scores.overlap.coverage,
            100.0 * scores.distinct
        );
    }
    let command = lines.last().map(|line| line.command.clone()).unwrap_or_default();
    Entry {
        name: "figure-2".into(),
        place: 2,
        title: "Figure 2: samples without pretraining".into(),
        paper: "Without pretraining, PCD fails to learn the data's structure and makes meaningless samples; UCD-LMI makes clean ones.".into(),
        ours: format!("Digit Frechet distance: UCD-LMI {:.1}, PCD {:.1}, centered PCD {:.1}.", ours.0, pcd.0, centered.0),
        verdict: if workspace.toy { Verdict::InPart } else { verdict(ours, [pcd, centered]) },
        why: format!(
            "All three start at the same orthogonal weights and differ in the estimator alone. The samples shown are local searches from noise, which is how UCD-LMI trains and PCD does not; drawn as PCD \
             trains, by {} Gibbs sweeps and a search, they come to {:.1} (PCD), {:.1} (centered PCD) and {:.1} (UCD-LMI). The rate was chosen for UCD-LMI, and none was tuned for PCD.",
            sweeps.sweeps(),
            pcd.1,
            centered.1,
            ours.1
        ),
        command: "dbm experiment figure-2 --data MNIST".into(),
        seed: workspace.seed,
        machine: machine(workspace.session),
        seconds,
        body: format!(
            "{table}\nEach by `{command}`, but for the estimator. Fashion-MNIST is read by the same loader: `--data FASHION-FOLDER` makes its figure (its distances are then in features of a \
             classifier of digits, and mean little)."
        ),
        figures: vec![("figure-2".into(), "Samples of models that differ in the estimator alone, the first 100 of each".into())],
        data: vec!["figure-2.csv".into()],
    }
}

/// Whether UCD-LMI's samples are nearer to real digits than those of each rival, all drawn by whichever of two schedules suits them better.
fn verdict(ours: (f64, f64), rivals: [(f64, f64); 2]) -> Verdict {
    let best = |(one, other): (f64, f64)| one.min(other);
    Verdict::of(rivals.into_iter().filter(|&rival| best(ours) < best(rival)).count(), rivals.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verdict_follows_the_distances() {
        assert_eq!(verdict((30.0, 500.0), [(180.0, 280.0), (500.0, 490.0)]), Verdict::Agrees);
        // A rival that is better when drawn as it was trained counts as better.
        assert_eq!(verdict((30.0, 500.0), [(180.0, 20.0), (500.0, 490.0)]), Verdict::InPart);
        assert_eq!(verdict((30.0, 500.0), [(29.0, 280.0), (10.0, 490.0)]), Verdict::Differs);
    }
}
