//! Executes a recipe: trains its models, measures them, judges its claims, and writes the results, the figure and the entry.

use super::measure::{Measured, Subject};
use super::recipe::{Claim, Data, Group, Recipe};
use super::report::{Entry, Judged, Verdict, machine};
use super::results::{MeasuredModel, MeasuredRun, Results};
use super::training_plan::{Variant, mistake};
use super::workspace::{Trained, Workspace};
use crate::Error;
use crate::data::DataSource;
use crate::model::ModelFile;
use crate::score::Reference;
use crate::template::{holds, render};
use dbm_core::DbmError;
use dbm_data::{Dataset, Precision};
use dbm_score::PIXELS;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

/// Number of generated digits, in a toy and otherwise.
const DIGITS: (usize, usize) = (300, 10_000);

/// Macros for the texts of all recipes.
const MACROS: &str = include_str!("templates/macros.md");

/// Sources of an experiment's digits and models.
pub struct Runner<'a> {
    pub recipe: &'a Recipe,
    pub workspace: &'a Workspace<'a>,
    /// The folder with MNIST's four files, or another name of data.
    pub data: String,
    /// The folder of the sets of density.
    pub sets: &'a str,
    /// A model to measure instead of the shipped ones.
    pub model: Option<&'a Path>,
}

impl Runner<'_> {
    /// Runs it, or what remains of it.
    ///
    /// # Errors
    /// Errors with data, models and files, and invalid recipes.
    pub fn run(&self) -> Result<Entry, Error> {
        let mut references = BTreeMap::new();
        let mut results = Results::default();
        for group in &self.recipe.groups {
            results.models.extend(self.group(group, &mut references)?);
        }
        if let Some(density) = &self.recipe.density {
            results.models.extend(density.measure(self.sets, self.workspace)?);
        }
        let reference = self.recipe.data.as_ref().map(|data| self.reference(data, None, &mut references)).transpose()?;
        for (name, measure) in &self.recipe.shared {
            let measured = measure.of(name, reference.as_deref(), self.workspace)?;
            results.shared.insert(name.clone(), measured);
        }
        let name = &self.recipe.name;
        self.workspace.write(&format!("{name}.csv"), results.table().as_bytes())?;
        self.workspace.write_figure(name, &self.recipe.figure.draw(&results, reference.as_deref())?)?;
        let digits = reference.map(|reference| [&reference.train, &reference.test].map(|half| half.examples.len()));
        self.entry(&results, digits)
    }

    /// Digits for training and comparison, read once for each number of held-out digits.
    fn reference(
        &self,
        data: &Data,
        hold_out: Option<usize>,
        read: &mut BTreeMap<Option<usize>, Rc<Reference>>,
    ) -> Result<Rc<Reference>, Error> {
        if let Some(reference) = read.get(&hold_out) {
            return Ok(Rc::clone(reference));
        }
        let digits = if self.workspace.toy { DIGITS.0 } else { DIGITS.1 };
        let source = DataSource { name: self.data.clone(), options: data.reading(digits, hold_out) };
        let reference = Rc::new(Reference::load(self.workspace.session, &source, None)?);
        read.insert(hold_out, Rc::clone(&reference));
        Ok(reference)
    }

    fn group(&self, group: &Group, read: &mut BTreeMap<Option<usize>, Rc<Reference>>) -> Result<Vec<MeasuredModel>, Error> {
        let missing = || mistake(format!("{}: models need data", group.name));
        let data = self.recipe.data.as_ref().ok_or_else(missing)?;
        let shipped = group.file.as_deref().and_then(|file| self.model.or((!self.workspace.toy).then_some(file)));
        if let Some(file) = shipped {
            let loaded = load(file, PIXELS * data.units_a_pixel())?;
            let reference = self.reference(data, group.hold_out, read)?;
            let mut model = model_of(group, None);
            self.add_run(&mut model, group, &loaded, &reference)?;
            return Ok(vec![model]);
        }
        let trainings = |seed: u64| group.trainings(&self.recipe.variants, seed);
        let mut models: Vec<MeasuredModel> =
            trainings(self.workspace.seed)?.iter().map(|(variant, _)| model_of(group, *variant)).collect();
        if models.is_empty() {
            return Ok(models);
        }
        let reference = self.reference(data, group.hold_out, read)?;
        let with_labels = with_labels(&reference.train)?;
        // Seed by seed, so that a stopped experiment has all models of the first seeds.
        for seed in self.workspace.seed..self.workspace.seed + group.seeds {
            for (model, (_, training)) in models.iter_mut().zip(trainings(seed)?) {
                let examples = if training.settings.classes > 0 { &with_labels } else { &reference.train };
                match self.workspace.trained(&format!("{}-{seed}", model.name), &training, &data.options(), examples) {
                    Ok(trained) => self.add_run(model, group, &trained, &reference)?,
                    // A result like any other.
                    Err(Error::Model(DbmError::Diverged { .. })) => model.diverged += 1,
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(models)
    }

    /// Measures a run.
    fn add_run(&self, model: &mut MeasuredModel, group: &Group, trained: &Trained, reference: &Reference) -> Result<(), Error> {
        let seed = trained.checkpoint.settings.as_ref().map_or(self.workspace.seed, |settings| settings.seed);
        let name = format!("{}-{seed}", model.name);
        let subject = Subject { name, checkpoint: &trained.checkpoint, model: &trained.model, reference };
        let measured: BTreeMap<String, Measured> = group
            .measures
            .iter()
            .map(|(name, measure)| Ok((name.clone(), measure.of(name, &subject, self.workspace)?)))
            .collect::<Result<_, Error>>()?;
        if model.runs.is_empty() {
            model.describe(&trained.model, &trained.checkpoint);
            if group.written {
                let weights = trained.checkpoint.weights_only(true).to_bytes(Precision::Half)?;
                self.workspace.write(&format!("{}.safetensors", model.name), &weights)?;
            }
        }
        model.runs.push(MeasuredRun { seed, seconds: trained.seconds, checksum: trained.model.checksum(), measured });
        Ok(())
    }

    /// The results in words.
    fn entry(&self, results: &Results, digits: Option<[usize; 2]>) -> Result<Entry, Error> {
        let Recipe { name, place, title, question, paper, figure, ours, why, body, .. } = self.recipe;
        let mut facts = results.facts();
        facts["digits"] = json!({ "training": digits.map(|digits| digits[0]), "test": digits.map(|digits| digits[1]) });
        let claims = self.judged(&facts)?;
        facts["claims"] = json!(claims);
        let text = |lines: &[String], between: &str| -> Result<String, Error> {
            let text = render(name, &format!("{MACROS}{}", lines.join(between)), &facts)?;
            Ok(text.trim().to_string())
        };
        let toy = self.workspace.toy;
        Ok(Entry {
            name: name.clone(),
            place: *place,
            title: title.clone(),
            question: question.clone(),
            paper: paper.clone(),
            ours: text(ours, " ")?,
            verdict: Verdict::of(&claims),
            claims,
            why: text(why, " ")?,
            command: command(self.recipe, toy),
            seed: self.workspace.seed,
            machine: machine(self.workspace.session),
            seconds: self.workspace.seconds(),
            body: text(body, "\n")?,
            figures: vec![(name.clone(), figure.words.clone())],
            data: vec![format!("{name}.csv")],
        })
    }

    /// Every claim with its numbers, and whether it holds.
    fn judged(&self, facts: &Value) -> Result<Vec<Judged>, Error> {
        let name = &self.recipe.name;
        let judge = |claim: &Claim| {
            let holds = holds(name, &claim.holds, facts)?;
            let reached = render(name, &format!("{MACROS}{}", claim.reached), facts)?;
            Ok(Judged { words: claim.words.clone(), reached: reached.trim().into(), holds, ours: claim.ours })
        };
        self.recipe.claims.iter().map(judge).collect()
    }
}

/// A model without its runs.
fn model_of(group: &Group, variant: Option<&Variant>) -> MeasuredModel {
    MeasuredModel {
        name: variant.map_or_else(|| group.name.clone(), |variant| format!("{}-{}", group.name, variant.name)),
        group: group.name.clone(),
        words: variant.map_or(&group.words, |variant| &variant.words).clone(),
        paper: variant.and_then(|variant| variant.paper),
        ..MeasuredModel::default()
    }
}

/// The command that runs an experiment.
pub fn command(recipe: &Recipe, toy: bool) -> String {
    let data = recipe.data.as_ref().map_or("", |_| " --data MNIST");
    let sets = recipe.density.as_ref().map_or("", |_| " --sets FOLDER");
    format!("dbm experiment {}{data}{sets}{}", recipe.name, if toy { " --toy" } else { "" })
}

/// A shipped model with this many visible units.
fn load(file: &Path, visible: usize) -> Result<Trained, Error> {
    if !file.exists() {
        return Err(Error::Input(format!(
            "{}: there is no model; run this in the project's folder, or give --model the file of a model of MNIST",
            file.display()
        )));
    }
    let (checkpoint, model) = ModelFile { path: file.into(), last: false }.load()?;
    if model.n_visible() != visible {
        return Err(Error::Input(format!(
            "{}: a model of {visible} visible units was expected, but it has {}; give one that was trained on MNIST as this experiment reads it",
            file.display(),
            model.n_visible()
        )));
    }
    Ok(Trained { checkpoint, model, seconds: 0.0 })
}

/// Training digits with their classes, if these are known.
fn with_labels(data: &Dataset) -> Result<Dataset, Error> {
    let Some(labels) = data.labels.clone() else { return Ok(data.clone()) };
    Ok(Dataset { examples: data.examples.clone().with_labels(labels)?, ..data.clone() })
}
