//! Density: how likely the examples of data sets are under models trained on them, next to what is printed.
//!
//! Every set has three parts. A few recipes are trained on the first; the one whose model finds the second likeliest is trained again with
//! further seeds; and the third, which nothing was chosen by, is scored under each of these machines and under their mixture. Where the
//! third part is missing, the second is scored, and the results say so. A model is said to be above a figure if log p(v) is, with the larger
//! log Z of two sides and by RAISE.

use super::measure::{Measured, json_of};
use super::results::{MeasuredModel, MeasuredRun};
use super::training_plan::{Changes, TrainingPlan, mistake};
use super::workspace::{Trained, Workspace};
use crate::Error;
use crate::data::{Binarize, DataOptions, DataSource, Split};
use crate::likelihood::unnormalized;
use crate::log_z::{LogZ, Raised, ReverseFrom, mean_raise, raised};
use dbm_core::ais::AisSettings;
use dbm_core::math::{log_sum_exp, mean_and_error};
use dbm_core::{Dbm, DbmError, Settings};
use dbm_data::Dataset;
use dbm_data::raw::Visible;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// Sets, and how models of them are trained and scored.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Density {
    /// How all models are trained: differences from the default settings. The rate falls to 0 over each run.
    train: Changes,
    /// The same for first runs, whose last weights others begin with.
    first: Changes,
    /// Annealing temperatures for the log Z by which a recipe is chosen, and for the reported ones.
    betas: [usize; 2],
    /// Machines of each set, with consecutive seeds.
    seeds: u64,
    sets: Vec<Set>,
}

/// A data set.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Set {
    name: String,
    /// Files to train on, to choose by and to score, below the folder of all sets; or names of generated data.
    files: [String; 3],
    /// As in `dbm train --binarize`.
    binarize: Option<String>,
    /// As in `dbm train --exclusive`.
    #[serde(default)]
    exclusive: bool,
    /// Examples at the end of the file to train on that are not trained on: those to choose by are the same ones, from another file.
    hold_out: Option<usize>,
    /// Annealing temperatures for its reported log Z, if others.
    betas: Option<usize>,
    /// Machines, if another number.
    seeds: Option<u64>,
    tries: Vec<Try>,
    printed: Printed,
}

/// A recipe.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Try {
    hidden: Vec<usize>,
    steps: u64,
    #[serde(default)]
    change: Changes,
    /// A run whose last weights this one begins with.
    first: Option<First>,
    /// If it has more hidden units, the factor of the weights that these begin with.
    gain: Option<f32>,
}

/// A first run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct First {
    /// Its hidden layers, if others.
    hidden: Option<Vec<usize>>,
    steps: u64,
    #[serde(default)]
    change: Changes,
}

/// Log-likelihoods from the literature, in nats an example.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Printed {
    best: f64,
    /// Whose it is.
    by: String,
    independent: f64,
    chow_liu: f64,
}

/// What a run's measures are called.
const MEASURE: &str = "density";
/// Groups of models: single machines, and mixtures of them.
const GROUPS: [&str; 2] = ["one machine", "mixture"];
/// Reverse annealing starts from its samples after this many sweeps.
const REVERSE_SWEEPS: u32 = 300;
/// Generated digits or other examples, in a toy.
const GENERATED: usize = 100;

/// The parts of a set.
struct Parts {
    training: Dataset,
    /// Recipes are chosen by this.
    valid: Dataset,
    test: Option<Dataset>,
}

impl Parts {
    fn scored(&self) -> &Dataset {
        self.test.as_ref().unwrap_or(&self.valid)
    }
}

/// log p*(v) of every example, and log Z from the low and from the high side.
#[derive(Serialize, Deserialize)]
struct Scored {
    unnormalized: Vec<f64>,
    log_z: [f64; 2],
}

impl Scored {
    /// log p(v) of every example: as low as log Z allows, and as high.
    fn log_p(&self) -> [Vec<f64>; 2] {
        let [low, high] = self.log_z;
        [low.max(high), low.min(high)].map(|log_z| self.unnormalized.iter().map(|log_p| log_p - log_z).collect())
    }
}

impl Density {
    /// The models of all sets whose files are in the folder.
    ///
    /// # Errors
    /// [`Error::Usage`] if none is; errors with data, models and files, and mistakes in the recipe.
    pub fn measure(&self, folder: &str, workspace: &Workspace) -> Result<Vec<MeasuredModel>, Error> {
        let mut models = Vec::new();
        for set in &self.sets {
            match set.parts(Path::new(folder))? {
                Some(parts) => models.extend(OneSet { density: self, set, parts: &parts, workspace }.models()?),
                None => workspace.say(&format!("{}: there is no {} in {folder}, so it is left out", set.name, set.files[0])),
            }
        }
        if models.is_empty() {
            let first = self.sets.first().map_or("", |set| &set.files[0]);
            return Err(Error::Usage(format!(
                "{folder} has none of the sets of this experiment: a folder with {first} was expected"
            )));
        }
        Ok(models)
    }

    /// Every training of every set, with its set's name.
    #[cfg(test)]
    pub fn trainings(&self, seed: u64) -> Result<Vec<(&str, TrainingPlan)>, Error> {
        let each = self.sets.iter().flat_map(|set| set.tries.iter().map(move |its| (set, its)));
        each.map(|(set, its)| Ok((set.name.as_str(), self.training(its, seed)?))).collect()
    }

    fn training(&self, its: &Try, seed: u64) -> Result<TrainingPlan, Error> {
        let plan = |changes: [&Changes; 2], hidden: &[usize], steps: u64| {
            let settings = Settings { seed, ..Settings::default() };
            let mut training = TrainingPlan { settings, ..TrainingPlan::default() }.with(changes[0])?.with(changes[1])?;
            training.hidden = hidden.to_vec();
            training.steps = steps;
            training.settings.optimizer.decay_steps = steps;
            Ok::<_, Error>(training)
        };
        let mut training = plan([&self.train, &its.change], &its.hidden, its.steps)?;
        if let Some(First { hidden, steps, change }) = &its.first {
            training.after = Some(Box::new(plan([&self.first, change], hidden.as_ref().unwrap_or(&its.hidden), *steps)?));
            training.gain = its.gain;
        }
        Ok(training)
    }
}

/// The work on one set.
struct OneSet<'a> {
    density: &'a Density,
    set: &'a Set,
    parts: &'a Parts,
    workspace: &'a Workspace<'a>,
}

impl OneSet<'_> {
    /// Its machines, and their mixture.
    fn models(&self) -> Result<Vec<MeasuredModel>, Error> {
        let Self { density, set, parts, workspace } = self;
        let of_group = |(group, name): (&str, String)| MeasuredModel {
            name,
            group: group.into(),
            words: set.name.clone(),
            ..MeasuredModel::default()
        };
        let [mut machines, mut together] =
            [(GROUPS[0], set.name.clone()), (GROUPS[1], format!("{}-{}", set.name, GROUPS[1]))].map(of_group);
        let Some((chosen_by, place)) = self.chosen()? else {
            machines.diverged = set.tries.len();
            return Ok(vec![machines, together]);
        };
        let (mut all, mut all_raised) = (Vec::new(), Vec::new());
        for seed in workspace.seed..workspace.seed + set.seeds.unwrap_or(density.seeds) {
            let Some(Trained { checkpoint, model, seconds }) = self.machine(place, seed)? else {
                machines.diverged += 1;
                continue;
            };
            let name = format!("{}-{seed}", set.name);
            let log_p = self.scored(&name, &model, parts.scored(), true)?.log_p();
            let raised = self.raised(&name, &model, parts.scored(), true)?;
            let raise = by_raise(&raised, &log_p[0]);
            machines.runs.push(self.run(&log_p, (chosen_by, raise), (seed, seconds, model.checksum()))?);
            all_raised.push(raised);
            if all.is_empty() {
                machines.describe(&model, &checkpoint);
                together.describe(&model, &checkpoint);
            }
            all.push(log_p);
        }
        if !all.is_empty() {
            let mixed = [0, 1].map(|side| mixture(&all.iter().map(|log_p| log_p[side].clone()).collect::<Vec<_>>()));
            let seconds = machines.runs.iter().map(|run| run.seconds).sum();
            let checksum = machines.runs.iter().fold(0, |sum, run| sum ^ run.checksum);
            // All chains with the same number start at the same example.
            let logs =
                mixture(&all_raised.iter().map(|raised| raised.iter().map(|&(_, log_p)| log_p).collect()).collect::<Vec<_>>());
            let raised: Raised = all_raised[0].iter().map(|&(row, _)| row).zip(logs).collect();
            let raise = by_raise(&raised, &mixed[0]);
            together.runs.push(self.run(&mixed, (chosen_by, raise), (workspace.seed, seconds, checksum))?);
        }
        Ok(vec![machines, together])
    }

    /// The place of the recipe under which the validation part is likeliest, and how likely: the lower of two estimates, since a recipe
    /// whose log Z is too small would be chosen for it. `None` if all runs diverge.
    fn chosen(&self) -> Result<Option<(f64, usize)>, Error> {
        let mut best: Option<(f64, usize)> = None;
        for place in 0..self.set.tries.len() {
            let Some(trained) = self.machine(place, self.workspace.seed)? else { continue };
            let name = format!("{}-{place}-chosen-by", self.set.name);
            let [log_p, _] = self.scored(&name, &trained.model, &self.parts.valid, false)?.log_p();
            let raised = self.raised(&name, &trained.model, &self.parts.valid, false)?;
            let log_p = mean_and_error(&log_p).0.min(by_raise(&raised, &log_p));
            if best.is_none_or(|(highest, _)| log_p > highest) {
                best = Some((log_p, place));
            }
        }
        Ok(best)
    }

    /// Trained by one of the recipes; `None` if the run diverges, which is a result like any other.
    fn machine(&self, place: usize, seed: u64) -> Result<Option<Trained>, Error> {
        let Self { density, set, parts, workspace } = self;
        let training = density.training(&set.tries[place], seed)?;
        match workspace.trained(&format!("{}-{place}-{seed}", set.name), &training, &set.options(), &parts.training) {
            Ok(trained) => Ok(Some(trained)),
            Err(Error::Model(DbmError::Diverged { .. })) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Annealing temperatures, for a result or for a choice.
    fn betas(&self, reported: bool) -> usize {
        let [chosen_by, all] = self.density.betas;
        if reported { self.set.betas.unwrap_or(all) } else { chosen_by }
    }

    /// What a model makes of examples: with log Z from both sides, or from the low one alone.
    fn scored(&self, name: &str, model: &Dbm, data: &Dataset, both: bool) -> Result<Scored, Error> {
        let (session, seed) = (self.workspace.session, self.workspace.seed);
        let ais = AisSettings { betas: self.betas(both), seed, ..AisSettings::default() };
        let key = (model.checksum(), ais.betas, seed, both, data.sha256());
        self.workspace.cell(name, &key, || {
            self.workspace.say(name);
            let from = if both { ReverseFrom::Samples } else { ReverseFrom::Nowhere };
            let training = Some((&self.parts.training, self.parts.training.examples.len()));
            let LogZ { estimate, reverse, exact } = LogZ::of(model, training, &ais, (from, REVERSE_SWEEPS), session)?;
            let high = reverse.map_or(estimate.log_z, |reverse| reverse.bracket.high.log_z);
            let log_z = exact.map_or([estimate.log_z, high], |exact| [exact; 2]);
            Ok(Scored { unnormalized: self.unnormalized(name, model, data)?, log_z })
        })
    }

    /// log p*(v) of every example.
    fn unnormalized(&self, name: &str, model: &Dbm, data: &Dataset) -> Result<Vec<f64>, Error> {
        let (session, seed) = (self.workspace.session, self.workspace.seed);
        self.workspace.cell(&format!("{name}-unnormalized"), &(model.checksum(), seed, data.sha256()), || {
            Ok(unnormalized(model, data, seed, session))
        })
    }

    /// log p(v) of some examples by reverse annealing from them (RAISE), which counts what annealing towards the model misses; of all,
    /// exactly, if log Z is known.
    fn raised(&self, name: &str, model: &Dbm, data: &Dataset, reported: bool) -> Result<Raised, Error> {
        let (session, seed) = (self.workspace.session, self.workspace.seed);
        let ais = AisSettings { betas: self.betas(reported), seed, ..AisSettings::default() };
        let key = (model.checksum(), ais.betas, seed, data.sha256());
        let cell = format!("{name}-raised");
        self.workspace.cell(&cell, &key, || {
            self.workspace.say(&cell);
            raised(model, data, &self.unnormalized(name, model, data)?, &ais, session)
        })
    }

    /// A run's results, from log p(v) of every example as low and as high as log Z allows.
    fn run(
        &self,
        log_p: &[Vec<f64>; 2],
        (chosen_by, raise): (f64, f64),
        (seed, seconds, checksum): (u64, f64, u64),
    ) -> Result<MeasuredRun, Error> {
        let Self { set, parts, .. } = self;
        let [(low, error), (high, _)] = [0, 1].map(|side| mean_and_error(&log_p[side]));
        // What annealing misses makes log Z too small from both sides, but not log p(v) by RAISE.
        let surely = low.min(raise);
        let share = |holds: bool| f64::from(u8::from(holds));
        let mut scores = serde_json::json!({
            "low": low,
            "high": high,
            "raise": raise,
            "error_over_examples": error,
            "part": if parts.test.is_some() { "test" } else { "validation" },
            "examples": log_p[0].len(),
            "training_examples": parts.training.examples.len(),
            "chosen_by": chosen_by,
            "tries": set.tries.len(),
            "above_best": surely - set.printed.best,
            "is_above_best": share(surely >= set.printed.best),
            "is_above_chow_liu": share(surely >= set.printed.chow_liu),
        });
        scores["printed"] = json_of("printed", &set.printed)?;
        let measured = BTreeMap::from([(MEASURE.to_string(), Measured { scores, ..Measured::default() })]);
        Ok(MeasuredRun { seed, seconds, checksum, measured })
    }
}

impl Set {
    /// `None` if there is nothing to train on.
    fn parts(&self, folder: &Path) -> Result<Option<Parts>, Error> {
        let Some(training) = self.load(folder, 0, None)? else { return Ok(None) };
        let missing = || Error::Usage(format!("{}: there is no {} in {}", self.name, self.files[1], folder.display()));
        let like = training.visible.as_ref().filter(|_| self.exclusive);
        let valid = self.load(folder, 1, like)?.ok_or_else(missing)?;
        let test = self.load(folder, 2, like)?;
        Ok(Some(Parts { training, valid, test }))
    }

    /// One of the parts; its columns exclude one another as in `like`.
    fn load(&self, folder: &Path, part: usize, like: Option<&Visible>) -> Result<Option<Dataset>, Error> {
        let (file, path) = (&self.files[part], folder.join(&self.files[part]));
        let name = match path.exists() {
            true => path.display().to_string(),
            false if ["bars", "target", "digits"].contains(&file.as_str()) => file.clone(),
            false => return Ok(None),
        };
        let binarize = self.binarize.as_ref().map(|text| text.parse::<Binarize>().map_err(mistake)).transpose()?;
        let hold_out = self.hold_out.filter(|_| part == 0);
        let options = DataOptions { binarize, exclusive: self.exclusive, hold_out, ..DataOptions::of_digits(GENERATED) };
        let split = if part == 0 { Split::Train } else { Split::Test };
        Ok(Some(DataSource { name, options }.load_as(like, split)?))
    }

    /// As in `dbm train --data`.
    fn options(&self) -> String {
        let exclusive = if self.exclusive { " --exclusive" } else { "" };
        let binarize = self.binarize.as_ref().map_or(String::new(), |how| format!(" --binarize {how}"));
        let hold_out = self.hold_out.map_or(String::new(), |count| format!(" --hold-out {count}"));
        self.files[0].clone() + &binarize + &hold_out + exclusive
    }
}

/// The mean log p(v) of all examples by RAISE of some.
fn by_raise(raised: &Raised, log_p: &[f64]) -> f64 {
    mean_raise(raised, log_p).expect("the chains start at examples").0
}

/// The log of the mean probability of every example under several models.
fn mixture(models: &[Vec<f64>]) -> Vec<f64> {
    let of = |row: usize| {
        let log_p: Vec<f64> = models.iter().map(|log_p| log_p[row]).collect();
        log_sum_exp(&log_p) - libm::log(models.len() as f64)
    };
    (0..models.first().map_or(0, Vec::len)).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mixture_averages_probabilities_and_log_p_is_low_where_log_z_is_high() {
        let logs = |shares: [f64; 2]| shares.map(f64::ln);
        let mixed = mixture(&[logs([0.2, 0.5]).to_vec(), logs([0.4, 0.1]).to_vec()]);
        assert!((by_raise(&vec![(1, -1.0)], &[2.0, 1.0]) - (1.5 - 2.0)).abs() < 1e-12);
        assert!((mixed[0] - 0.3_f64.ln()).abs() < 1e-12 && (mixed[1] - 0.3_f64.ln()).abs() < 1e-12, "{mixed:?}");
        for log_z in [[2.0, 3.0], [3.0, 2.0]] {
            assert_eq!(Scored { unnormalized: vec![1.0, 0.0], log_z }.log_p(), [vec![-2.0, -3.0], vec![-1.0, -2.0]]);
        }
    }
}
