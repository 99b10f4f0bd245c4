//! `dbm impute`.

mod check;

use crate::args::choice;
use crate::context::Context;
use crate::fit::{fitted, verdict};
use crate::given::Options;
use crate::given_reading::GivenReading;
use crate::learning::{Learning, train};
use clap::{Arg, Args};
use dbm_core::impute::{self, Cell, Evaluation, EvaluationSettings, HiddenCells, ImputeSettings, Imputer, Prediction, hide};
use dbm_core::math::mean_and_error;
use dbm_core::settings::{RunPlan, Setting};
use dbm_core::words::{Choose, choices, words};
use dbm_core::{Dbm, DbmError, Examples, Host, Settings};
use dbm_data::Backends;
use dbm_data::columns::{ColumnKind, Columns, Filled, Table};
use dbm_data::raw::Encoding;
use dbm_engine::{Calibration, Checked, Chosen, Filling, FitSettings, HIDDEN_SHARE, Member};
use dbm_experiments::model::ModelFile;
use dbm_experiments::say;
use dbm_experiments::training::Training;
use dbm_experiments::{Error, files};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Default number of gradient steps: this many per row, which keeps a small table from being memorized, but within these limits.
const STEPS_A_ROW: u64 = 4;
const STEPS: (u64, u64) = (400, 4000);

/// Settings of the model that is trained here: those that suit a table, with a learning rate that falls to zero.
#[derive(Clone)]
pub struct OfTable;

impl Options for OfTable {
    fn usual() -> RunPlan {
        RunPlan::of_table(0)
    }

    fn usual_in_words(setting: Setting) -> Option<&'static str> {
        match setting {
            Setting::Hidden => Some("one layer of 4 units for each visible one, 32 to 500"),
            Setting::RateDecay => Some("all its steps"),
            _ => None,
        }
    }
}

choices! {
    /// What is done with values that the model never saw.
    pub enum Unseen = words("unseen", "Unseen values", "What is done with values that the model never saw");
    Refuse = "refuse", "Refuse", "Name them all and stop";
    Missing = "missing", "Missing", "Take them as missing, and fill them in";
}

#[derive(Args)]
#[command(mut_args(for_training))]
pub struct Impute {
    /// The table: CSV, or separated by tabs, semicolons, bars or blanks, ARFF, or rows in JSON; missing cells are empty, ?, NA, NaN, null,
    /// None or -
    #[arg(long, value_name = "TABLE")]
    data: PathBuf,
    /// Where to write the table with its gaps filled
    #[arg(long, value_name = "FILE.csv")]
    out: PathBuf,
    #[command(flatten)]
    reading: GivenReading,
    #[arg(long, help = Unseen::WORDS.help, value_parser = choice::<Unseen>(), default_value = "refuse", requires = "model")]
    unseen: Unseen,
    /// A model trained by `dbm train` on a table with these columns [default: one is trained on this table]
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// Where to write row, column, value and probability of every cell filled
    #[arg(long, value_name = "FILE.csv")]
    probabilities: Option<PathBuf>,
    /// Leave cells empty whose value is less probable than this
    #[arg(long, value_name = "PROBABILITY", default_value_t = 0.0, value_parser = probability)]
    leave_below: f64,
    /// Also write this many tables in which each gap has a drawn value, jointly with the others of its row, as OUT-1.csv, OUT-2.csv …:
    /// how results differ between them shows what the gaps leave open (multiple imputation)
    #[arg(long, value_name = "N", default_value_t = 0)]
    imputations: u32,
    /// The same table with missing cells known: prints how many of them were filled in correctly, and how sure the model was
    #[arg(long, value_name = "TABLE")]
    truth: Option<PathBuf>,
    /// Chains per row
    #[arg(long, default_value_t = ImputeSettings::default().completions)]
    completions: u32,
    /// Gibbs sweeps of a chain before the first that counts
    #[arg(long, default_value_t = ImputeSettings::default().sweeps)]
    sweeps: u32,
    /// Sweeps of a chain that count
    #[arg(long, default_value_t = ImputeSettings::default().draws)]
    draws: u32,
    /// Seed of everything random: what is hidden, training, the chains
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A number in this column is high above this value [default: above the column's median]
    #[arg(long = "threshold", value_name = "COLUMN=VALUE", conflicts_with = "model")]
    thresholds: Vec<String>,
    /// Hide this share of the known cells to see how well they are guessed [default: 0.1]
    #[arg(long, value_name = "SHARE", num_args = 0..=1, default_missing_value = "0.1")]
    evaluate: Option<f64>,
    /// Skip this check: it takes as long again
    #[arg(long, conflicts_with = "evaluate")]
    no_evaluate: bool,
    /// Gradient steps of a model trained as these options say [default: without any of them, recipes are tried as by `dbm fit`; otherwise 4
    /// for each row, 400 to 4000]
    #[arg(long, value_name = "N", conflicts_with = "model")]
    steps: Option<u64>,
    #[command(flatten)]
    learning: Learning<OfTable>,
}

fn probability(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|value| (0.0..=1.0).contains(value));
    value.ok_or_else(|| "expected a probability from 0 to 1".to_string())
}

/// Training options are refused if a trained model is given.
fn for_training(option: Arg) -> Arg {
    let training = Learning::<OfTable>::augment_args(clap::Command::new("training"));
    if training.get_arguments().any(|its| its.get_id() == option.get_id()) { option.conflicts_with("model") } else { option }
}

/// A table, and how its model sees it.
struct Job {
    name: String,
    table: Table,
    columns: Columns,
    examples: Examples,
    /// The requested model.
    model: Option<Dbm>,
}

impl Impute {
    pub fn run(&self, context: &Context) -> Result<(), Error> {
        files::check_writable(&self.out)?;
        if self.imputations > self.completions {
            let (wanted, chains) = (self.imputations, self.completions);
            return Err(Error::Usage(format!(
                "--imputations should be at most --completions, which is {chains}, but is {wanted}"
            )));
        }
        (0..self.imputations as usize).try_for_each(|number| files::check_writable(&self.imputation(number)))?;
        self.probabilities.as_deref().map_or(Ok(()), files::check_writable)?;
        self.settings().check()?;
        let started = context.session.now();
        let job = self.job(context)?;
        let share = if self.no_evaluate { None } else { Some(self.evaluate.unwrap_or(HIDDEN_SHARE)) };
        let mut chosen = None;
        if let Some(share) = share {
            chosen = self.evaluate(&job, share, context)?;
        }
        let answers: BTreeMap<usize, impute::Filled> = if job.examples.has_gaps() {
            let models = match job.model.clone() {
                Some(model) => vec![model],
                None => self.trained(&job.examples, &mut chosen, "on all known cells", context)?,
            };
            let data = &job.examples;
            let rows: Vec<usize> = (0..data.len()).filter(|&row| data.known_in_row(row) < data.width()).collect();
            let imputer = Imputer::new(models, self.settings())?;
            let filling = Filling { imputer, data, rows: rows.clone(), imputations: self.imputations as usize };
            rows.into_iter().zip(context.session.by_row(&filling)?).collect()
        } else {
            BTreeMap::new()
        };
        let probability = |row: usize, unit: usize| answers.get(&row).map_or(0.0, |row| f64::from(row.highs[unit]));
        let filled = job.table.fill(&job.name, &job.columns, probability)?.leaving_below(self.leave_below);
        files::write_with(&self.out, |file| filled.write_csv(&job.table, std::io::BufWriter::new(file)))?;
        if let Some(path) = &self.probabilities {
            files::write_with(path, |file| filled.write_probabilities(&job.table, std::io::BufWriter::new(file)))?;
        }
        self.write_imputations(&job, &answers)?;
        self.tell(&job.table, &filled, context.session.now() - started, context);
        self.truth.as_ref().map_or(Ok(()), |path| Self::compare(&job, path, &answers, context))
    }

    /// Writes tables with drawn values.
    fn write_imputations(&self, job: &Job, answers: &BTreeMap<usize, impute::Filled>) -> Result<(), Error> {
        for number in 0..self.imputations as usize {
            let drawn = |row: usize, unit: usize| {
                answers.get(&row).map_or(0.0, |row| f64::from(row.completions[number * row.highs.len() + unit]))
            };
            let drawn = job.table.fill(&job.name, &job.columns, drawn)?;
            files::write_with(&self.imputation(number), |file| drawn.write_csv(&job.table, std::io::BufWriter::new(file)))?;
        }
        Ok(())
    }

    /// Where one of the tables with drawn values goes.
    fn imputation(&self, number: usize) -> PathBuf {
        let stem = self.out.file_stem().unwrap_or_default().to_string_lossy();
        let ending = self.out.extension().map_or_else(String::new, |ending| format!(".{}", ending.to_string_lossy()));
        self.out.with_file_name(format!("{stem}-{}{ending}", number + 1))
    }

    /// Compares the answers with a table in which their cells are known.
    fn compare(job: &Job, path: &Path, answers: &BTreeMap<usize, impute::Filled>, context: &Context) -> Result<(), Error> {
        let name = path.display().to_string();
        let whole = files::read_table(path, &job.table.reading())?.0.encode_as(&name, &job.columns)?.examples;
        let hidden = HiddenCells::between(&whole, job.examples.clone())?;
        let guess = |cell: &Cell| (Prediction::of_highs(&answers[&cell.row].highs, cell), cell.truth);
        let guesses: Vec<(Prediction, usize)> = hidden.cells().iter().map(guess).collect();
        let right = guesses.iter().filter(|(guess, truth)| guess.value == *truth).count() as f64 / guesses.len() as f64;
        let (loss, error) = mean_and_error(&guesses.iter().map(|(guess, _)| guess.loss()).collect::<Vec<_>>());
        let (cells, calibration) = (guesses.len(), Calibration::of(guesses.into_iter()));
        let fields = json!({
            "cells": cells, "accuracy": right, "log_loss": loss, "log_loss_error": error, "calibration": check::calibration(&calibration)
        });
        context.tell("truth", fields, || {
            let right = 100.0 * right;
            let first = format!("Of {cells} filled cells that {name} knows, {right:.1} % are right");
            format!("{first}; log-loss {loss:.3} +- {error:.3} nats per cell\n{}", calibration.sentence())
        });
        Ok(())
    }

    fn settings(&self) -> ImputeSettings {
        ImputeSettings { completions: self.completions, sweeps: self.sweeps, draws: self.draws, seed: self.seed }
    }

    /// Reads the table, with the columns of the model if one is given.
    fn job(&self, context: &Context) -> Result<Job, Error> {
        let name = self.data.display().to_string();
        let (mut table, mut notes) = files::read_table(&self.data, &self.reading.reading()?)?;
        let (data, columns, model) = if let Some(path) = &self.model {
            let file = ModelFile { path: path.clone(), last: false };
            let (checkpoint, model) = file.load()?;
            let columns = file.columns(&checkpoint)?;
            notes.extend(table.matching(&name, &columns)?.notes);
            if self.unseen == Unseen::Missing {
                let (taken, more) = table.with_unseen_missing(&name, &columns)?;
                table = taken;
                notes.extend(more);
            }
            (table.encode_as(&name, &columns)?, columns, Some(model))
        } else {
            let encoding = self.encoding(&table)?;
            (table.encode(&name, &encoding)?, table.columns(&encoding), None)
        };
        let (rows, cells, missing) = (table.n_rows(), table.n_rows() * table.n_columns(), table.n_missing());
        let (n_columns, units) = (table.n_columns(), columns.n_units());
        context.tell(
            "table",
            json!({ "rows": rows, "columns": n_columns, "units": units, "missing": missing, "cells": cells, "notes": notes,
                    "reading": table.reading() }),
            || {
                let first = format!(
                    "{name}: {rows} rows of {n_columns} columns, seen as {units} visible units; {missing} of {cells} cells missing"
                );
                std::iter::once(&first).chain(&notes).map(String::as_str).collect::<Vec<_>>().join("\n")
            },
        );
        Ok(Job { name, table, columns, examples: data.examples, model })
    }

    /// The requested thresholds, each for a column of numbers.
    fn encoding(&self, table: &Table) -> Result<Encoding, Error> {
        let mut encoding = Encoding::default();
        let numbers: Vec<String> = table
            .columns(&encoding)
            .columns
            .into_iter()
            .filter(|column| matches!(column.kind, ColumnKind::Number { .. }))
            .map(|column| column.name)
            .collect();
        for asked in &self.thresholds {
            // The last sign separates: names may contain others.
            let (column, value) = asked.rsplit_once('=').unwrap_or((asked, ""));
            let value = value.trim().parse::<f64>().ok().filter(|value| value.is_finite());
            match value {
                Some(value) if numbers.iter().any(|name| name == column) => encoding.columns.insert(column.into(), value),
                Some(_) => {
                    return Err(Error::Usage(format!(
                        "--threshold {asked}: expected one of the number columns ({}), but got {column:?}",
                        if numbers.is_empty() { "this table has none".into() } else { numbers.join(", ") }
                    )));
                }
                None => {
                    return Err(Error::Usage(format!(
                        "--threshold should be COLUMN=VALUE, as in \"{}=2.5\", but is {asked}",
                        numbers.first().map_or("age", String::as_str)
                    )));
                }
            };
        }
        Ok(encoding)
    }

    /// Models of these examples, with their gaps as latent units: one trained as requested, or the best of those that suit them. What suits is
    /// searched for unless it is known already, and known afterwards.
    fn trained(&self, data: &Examples, known: &mut Option<Chosen>, what: &str, context: &Context) -> Result<Vec<Dbm>, Error> {
        let session = &context.session;
        if self.steps.is_some() || self.learning.is_given() {
            return Ok(vec![self.trained_as_requested(data, what, context)?]);
        }
        let started = session.now();
        let (mut models, members, said) = if let Some(chosen) = known {
            (vec![], chosen.members(), format!("Trained by the best recipe {what}"))
        } else {
            let steps = FitSettings::usual_steps(data);
            let settings = FitSettings { steps, seed: self.seed, valid: None };
            let fitted = match fitted(data.clone(), settings, context) {
                // Too few cells are known to choose by.
                Err(Error::Model(DbmError::Setting { .. } | DbmError::NoExamples)) => {
                    return Ok(vec![self.trained_as_requested(data, what, context)?]);
                }
                fitted => fitted?,
            };
            let said = format!("{}\nFound within {steps} steps of all runs, and trained again {what}", verdict(&fitted.chosen));
            if context.json {
                context.tell("fit", json!({ "steps": steps, "chosen": &fitted.chosen }), String::new);
            }
            let next = fitted.chosen.next.clone();
            *known = Some(fitted.chosen);
            (vec![fitted.run.averaged_model()], next, said)
        };
        session.progress.begin("steps", members.iter().map(|member| member.steps).sum());
        for member in members {
            let mut run = member.begin(data, |footprint| session.memory.check(footprint))?;
            while run.steps() < member.steps {
                Member::step(&mut run, data, session)?;
                session.progress.advance(1);
            }
            models.push(run.averaged_model());
        }
        session.progress.end();
        if !context.json {
            let averaged = match models.len() - 1 {
                0 => String::new(),
                others => format!(", and averaged with the {others} next best"),
            };
            say!("{said}{averaged}, in {:.1} s", session.now() - started);
        }
        Ok(models)
    }

    fn trained_as_requested(&self, data: &Examples, what: &str, context: &Context) -> Result<Dbm, Error> {
        let steps = self.steps.unwrap_or((STEPS_A_ROW * data.len() as u64).clamp(STEPS.0, STEPS.1));
        let RunPlan { hidden, settings, .. } = RunPlan::of_table(data.width() as u32);
        let mut base = Settings { seed: self.seed, ..settings };
        base.optimizer.decay_steps = steps;
        let run = self.learning.begin(data, base, &hidden, context)?;
        let mut run = Training::new(run, self.learning.backend, Backends::default(), &context.session)?;
        let trained = train(&mut run, steps, data, context, |_| Ok(()))?;
        let run = run.kept(&context.session)?;
        if !context.json {
            let sizes: Vec<String> = run.model().sizes().iter().map(usize::to_string).collect();
            say!("Trained {}, {steps} steps {what}, in {:.1} s", sizes.join("-"), trained.seconds);
        }
        Ok(run.averaged_model())
    }

    /// Hides known cells, has a model that has not seen them guess them, and reports how well it did. Returns how that model was found, which
    /// the hidden cells had no part in.
    fn evaluate(&self, job: &Job, share: f64, context: &Context) -> Result<Option<Chosen>, Error> {
        let size = job.examples.len() * job.examples.width();
        let hidden = match hide(&job.examples, share, self.seed) {
            // All are hidden: nothing is left to learn from.
            Ok(hidden) if hidden.examples().missing() < size => Arc::new(hidden),
            // Nobody asked for the check: a table is filled all the same.
            Ok(_) | Err(DbmError::Setting { .. }) if self.evaluate.is_none() => {
                let why = "Too few cells are known to hide some of them: whether the answers can be trusted was not checked.";
                context.tell("evaluation", json!({ "impossible": why }), || why.into());
                return Ok(None);
            }
            hidden => Arc::new(hidden?),
        };
        let mut chosen = None;
        let models = match job.model.clone() {
            Some(model) => vec![model],
            None => self.trained(hidden.examples(), &mut chosen, "without the cells hidden for the check", context)?,
        };
        let settings = EvaluationSettings { impute: self.settings(), ..EvaluationSettings::default() };
        let evaluation = Arc::new(Evaluation::new(models, Arc::clone(&hidden), settings)?);
        let outcomes = context.session.by_row(&evaluation)?.concat();
        let checked = Checked::new(evaluation.report(&outcomes), &outcomes);
        check::say(&checked, share, self.model.is_some(), context);
        Ok(chosen)
    }

    fn tell(&self, table: &Table, filled: &Filled, seconds: f64, context: &Context) {
        let cells = filled.cells();
        let mean = cells.iter().map(|cell| cell.probability).sum::<f64>() / cells.len().max(1) as f64;
        let (count, columns, left) = (cells.len(), filled.n_columns(), filled.n_left(table));
        let fields = json!({
            "filled": count, "columns": columns, "left": left, "mean_probability": (count > 0).then_some(mean), "seconds": seconds,
            "out": self.out, "probabilities": self.probabilities,
        });
        context.done(fields, || {
            let left = if left > 0 { format!("; {left} left missing") } else { String::new() };
            let mean = if count > 0 { format!(", probability {mean:.3} on average") } else { String::new() };
            let filled = format!("{count} cells filled in {columns} columns{mean}{left}; {seconds:.1} s: {}", self.out.display());
            match &self.probabilities {
                Some(path) => format!("{filled}\nThe probability of each: {}", path.display()),
                None => filled,
            }
        });
    }
}
