//! `dbm impute`.

mod trust;

use crate::error::CliError;
use crate::files;
use crate::learning::{Learning, train};
use crate::memory::Limit;
use crate::model::ModelArgs;
use crate::threads::Threads;
use clap::Args;
use dbm_core::impute::{Evaluation, EvaluationSettings, ImputeSettings, Imputer, hide};
use dbm_core::{Dbm, DbmError, Examples, Host, Settings};
use dbm_data::columns::{Columns, Filled, Kind, Table};
use dbm_data::raw::Encoding;
use indicatif::ProgressBar;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Gradient steps where nothing else is asked for.
const STEPS: u64 = 2000;

/// Rows a task.
const ROWS: usize = 4;

#[derive(Args)]
pub struct Impute {
    /// The table: CSV, or separated by tabs, semicolons or blanks; missing is what is empty, ?, NA, NaN, null, None or -
    #[arg(long, value_name = "TABLE")]
    data: PathBuf,
    /// Where to write the table with its gaps filled
    #[arg(long, value_name = "FILE.csv")]
    out: PathBuf,
    /// A model trained by `dbm train` on a table with these columns [default: one is trained on this table]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["Learning", "PretrainArgs", "steps", "thresholds"])]
    model: Option<PathBuf>,
    /// Where to write row, column, value and probability of every cell filled
    #[arg(long, value_name = "FILE.csv")]
    probabilities: Option<PathBuf>,
    /// Chains a row
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
    #[arg(long = "threshold", value_name = "COLUMN=VALUE")]
    thresholds: Vec<String>,
    /// Hide this share of the known cells to see how well they are guessed [default: 0.1]
    #[arg(long, value_name = "SHARE", num_args = 0..=1, default_missing_value = "0.1")]
    evaluate: Option<f64>,
    /// Do not: it takes as long again
    #[arg(long, conflicts_with = "evaluate")]
    no_evaluate: bool,
    /// Gradient steps [default: 2000]
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    #[command(flatten)]
    learning: Learning,
}

/// A table, and how its model sees it.
struct Job {
    name: String,
    table: Table,
    columns: Columns,
    examples: Examples,
    /// The model asked for.
    model: Option<Dbm>,
}

impl Impute {
    pub fn run(&self, threads: &Threads, memory: &Limit, json: bool) -> Result<(), CliError> {
        files::check_writable(&self.out)?;
        self.probabilities.as_deref().map_or(Ok(()), files::check_writable)?;
        self.settings().check()?;
        let started = threads.now();
        let job = self.job(json)?;
        let share = if self.no_evaluate { None } else { Some(self.evaluate.unwrap_or(0.1)) };
        if let Some(share) = share {
            self.evaluate(&job, share, threads, memory, json)?;
        }
        let highs = if job.examples.has_gaps() {
            let model = match job.model.clone() {
                Some(model) => model,
                None => self.trained(&job.examples, "on all known cells", threads, memory, json)?,
            };
            highs(&Imputer::new(model, &job.columns.groups(), self.settings())?, &job.examples, threads, json)?
        } else {
            BTreeMap::new()
        };
        let probability = |row: usize, unit: usize| highs.get(&row).map_or(0.0, |highs| f64::from(highs[unit]));
        let filled = job.table.fill(&job.name, &job.columns, probability)?;
        files::write_with(&self.out, |file| filled.write_csv(std::io::BufWriter::new(file)))?;
        if let Some(path) = &self.probabilities {
            files::write_with(path, |file| filled.write_probabilities(std::io::BufWriter::new(file)))?;
        }
        self.tell(&filled, threads.now() - started, json);
        Ok(())
    }

    fn settings(&self) -> ImputeSettings {
        ImputeSettings { completions: self.completions, sweeps: self.sweeps, draws: self.draws, seed: self.seed }
    }

    /// Reads the table, by the columns of the model where one is given.
    fn job(&self, json: bool) -> Result<Job, CliError> {
        let name = self.data.display().to_string();
        let table = files::read_table(&self.data)?;
        let mut notes = table.notes().to_vec();
        let (data, columns, model) = if let Some(path) = &self.model {
            let model_args = ModelArgs::of(path.clone());
            let (checkpoint, model) = model_args.load()?;
            let columns = model_args.columns(&checkpoint)?;
            notes = table.matching(&name, &columns)?.notes;
            (table.encode_as(&name, &columns)?, columns, Some(model))
        } else {
            let encoding = self.encoding(&table)?;
            (table.encode(&name, &encoding)?, table.columns(&encoding), None)
        };
        let (rows, cells) = (table.n_rows(), table.n_rows() * table.n_columns());
        let missing = (0..rows).map(|row| (0..table.n_columns()).filter(|&at| table.is_missing(row, at)).count()).sum::<usize>();
        if json {
            println!(
                "{}",
                json!({ "event": "table", "rows": rows, "columns": table.n_columns(), "units": columns.n_units(),
                        "missing": missing, "cells": cells, "notes": notes })
            );
        } else {
            println!(
                "{name}: {rows} rows of {} columns, seen as {} visible units; {missing} of {cells} cells missing",
                table.n_columns(),
                columns.n_units()
            );
            notes.iter().for_each(|note| println!("{note}"));
        }
        Ok(Job { name, table, columns, examples: data.examples, model })
    }

    /// The thresholds asked for, each of a column of numbers.
    fn encoding(&self, table: &Table) -> Result<Encoding, CliError> {
        let mut encoding = Encoding::default();
        let numbers: Vec<String> = table
            .columns(&encoding)
            .columns
            .into_iter()
            .filter(|column| matches!(column.kind, Kind::Number { .. }))
            .map(|column| column.name)
            .collect();
        for asked in &self.thresholds {
            // The last sign divides: names may have their own.
            let (column, value) = asked.rsplit_once('=').unwrap_or((asked, ""));
            let value = value.trim().parse::<f64>().ok().filter(|value| value.is_finite());
            match value {
                Some(value) if numbers.iter().any(|name| name == column) => encoding.columns.insert(column.into(), value),
                Some(_) => {
                    return Err(CliError::Usage(format!(
                        "--threshold {asked}: expected one of the columns of numbers ({}), but {column:?} came",
                        if numbers.is_empty() { "this table has none".into() } else { numbers.join(", ") }
                    )));
                }
                None => {
                    return Err(CliError::Usage(format!(
                        "--threshold should be COLUMN=VALUE, as in \"{}=2.5\", but is {asked}",
                        numbers.first().map_or("age", String::as_str)
                    )));
                }
            };
        }
        Ok(encoding)
    }

    /// A model of these examples, their gaps latent.
    fn trained(&self, data: &Examples, what: &str, threads: &Threads, memory: &Limit, json: bool) -> Result<Dbm, CliError> {
        let steps = self.steps.unwrap_or(STEPS);
        let mut base = Settings { seed: self.seed, ..Settings::default() };
        base.optimizer.decay_steps = steps;
        let hidden = hidden_layers(data.width());
        let run = self.learning.begin(data, base, &hidden, threads, memory, json)?;
        let mut run = run.with_backend(self.learning.backend.into());
        let trained = train(&mut run, steps, data, threads, json)?;
        if !json {
            let sizes: Vec<String> = run.model().sizes().iter().map(usize::to_string).collect();
            println!("Trained {}, {steps} steps {what}, in {:.1} s", sizes.join("-"), trained.seconds);
        }
        Ok(run.averaged_model())
    }

    /// Hides known cells, has a model guess them that has not seen them, and says how well it did.
    fn evaluate(&self, job: &Job, share: f64, threads: &Threads, memory: &Limit, json: bool) -> Result<(), CliError> {
        let groups = job.columns.groups();
        let hidden = Arc::new(hide(&job.examples, &groups, share, self.seed)?);
        let model = match job.model.clone() {
            Some(model) => model,
            None => self.trained(
                hidden.examples(),
                "without the cells hidden to see how well they are guessed",
                threads,
                memory,
                json,
            )?,
        };
        let settings = EvaluationSettings { impute: self.settings(), ..EvaluationSettings::default() };
        let evaluation = Evaluation::new(model, Arc::clone(&hidden), &groups, settings)?;
        let bar = if json { ProgressBar::hidden() } else { ProgressBar::new(evaluation.rows() as u64) };
        let starts: Vec<usize> = (0..evaluation.rows()).step_by(ROWS).collect();
        let parts = threads.map(starts, |start| {
            let rows = start..(start + ROWS).min(evaluation.rows());
            bar.inc(rows.len() as u64);
            evaluation.score(rows)
        });
        bar.finish_and_clear();
        let outcomes = parts.into_iter().collect::<Result<Vec<_>, DbmError>>()?.concat();
        let verdict = trust::Verdict::new(&evaluation.report(&outcomes), &outcomes, self.model.is_some());
        if json {
            println!("{}", verdict.line(share));
        } else {
            verdict.print(share);
        }
        Ok(())
    }

    fn tell(&self, filled: &Filled, seconds: f64, json: bool) {
        let cells = filled.cells();
        let mean = cells.iter().map(|cell| cell.probability).sum::<f64>() / cells.len().max(1) as f64;
        let (count, columns, left) = (cells.len(), filled.n_columns(), filled.n_left());
        if json {
            println!(
                "{}",
                json!({ "event": "done", "filled": count, "columns": columns, "left": left,
                        "mean_probability": (count > 0).then_some(mean), "seconds": seconds, "out": self.out,
                        "probabilities": self.probabilities })
            );
            return;
        }
        let left = if left > 0 { format!("; {left} left missing in columns that are set aside") } else { String::new() };
        let mean = if count > 0 { format!(", probability {mean:.3} on average") } else { String::new() };
        println!("{count} cells filled in {columns} columns{mean}{left}; {seconds:.1} s: {}", self.out.display());
        if let Some(path) = &self.probabilities {
            println!("The probability of each: {}", path.display());
        }
    }
}

/// Sizes of hidden layers that suit a visible layer of this width.
fn hidden_layers(width: usize) -> Vec<usize> {
    vec![(2 * width).clamp(16, 500)]
}

/// The probability of every unit of every row with gaps, rows in parallel.
fn highs(imputer: &Imputer, data: &Examples, threads: &Threads, json: bool) -> Result<BTreeMap<usize, Vec<f32>>, CliError> {
    let rows: Vec<usize> = (0..data.len()).filter(|&row| data.known_in_row(row) < data.width()).collect();
    let bar = if json { ProgressBar::hidden() } else { ProgressBar::new(rows.len() as u64) };
    let parts = threads.map(rows.chunks(ROWS).collect(), |rows| {
        bar.inc(rows.len() as u64);
        rows.iter().map(|&row| Ok((row, imputer.fill(data, row)?.highs))).collect::<Result<Vec<_>, DbmError>>()
    });
    bar.finish_and_clear();
    let mut highs = BTreeMap::new();
    for part in parts {
        highs.extend(part?);
    }
    Ok(highs)
}
