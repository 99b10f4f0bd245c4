//! `dbm fit`, and fitting within `dbm impute`.

use crate::args::DataArgs;
use crate::context::Context;
use clap::Args;
use dbm_core::{Examples, Host};
use dbm_data::Dataset;
use dbm_engine::{Chosen, EngineError, Fit, FitSettings, Fitted};
use dbm_experiments::data::{DataSource, Split};
use dbm_experiments::{Error, files};
use serde_json::json;
use std::path::PathBuf;

#[derive(Args)]
pub struct FitArgs {
    #[command(flatten)]
    data: DataArgs,
    /// Rows to validate on, which are never trained on [default: a tenth of the known cells, or of the rows if no cell is missing, is held
    /// out while recipes are compared]
    #[arg(long, value_name = "FILE")]
    valid: Option<String>,
    /// Gradient steps of all runs together; the same number gives the same bits [default: 8 for each row, 3200 to 32000]
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// Take about this long: a trial is timed, and the number of steps that it allows is printed, so that --steps repeats the fit
    #[arg(long, value_name = "N", conflicts_with = "steps")]
    minutes: Option<f64>,
    /// Seed of everything random
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where to write the checkpoint (.safetensors)
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

impl FitArgs {
    pub fn run(&self, context: &Context) -> Result<(), Error> {
        let session = &context.session;
        files::check_writable(&self.out)?;
        let data = self.data.source()?.load(Split::Train)?;
        let valid = self.valid(&data)?;
        let settings = FitSettings { steps: 0, seed: self.seed, valid };
        let steps = match (self.steps, self.minutes) {
            (Some(steps), _) => steps,
            (None, Some(minutes)) => steps_within(minutes, &data.examples, &settings, context)?,
            (None, None) => FitSettings::usual_steps(&data.examples),
        };
        let started = session.now();
        let Fitted { run, chosen } = fitted(data.examples.clone(), FitSettings { steps, ..settings }, context)?;
        files::write_run(&self.out, &run, &data, [("data-sha256".to_string(), data.sha256())])?;
        let seconds = session.now() - started;
        let fields = json!({ "steps": steps, "seed": self.seed, "chosen": chosen, "seconds": seconds, "out": self.out });
        context.done(fields, || {
            let table: Vec<String> = chosen.tried.iter().map(line).collect();
            let all = format!("{steps} steps of all runs in {seconds:.1} s: {}", self.out.display());
            format!("{}\n{}\n{all}", table.join("\n"), verdict(&chosen))
        });
        Ok(())
    }

    /// The rows to validate on, read as the data are.
    fn valid(&self, data: &Dataset) -> Result<Option<Examples>, Error> {
        let Some(name) = &self.valid else { return Ok(None) };
        let mut source = DataSource { name: name.clone(), ..self.data.source()? };
        source.options.hold_out = None;
        Ok(Some(source.load_as(data.visible.as_ref(), Split::Train)?.examples))
    }
}

/// The scores of one recipe, for people.
fn line(tried: &dbm_engine::Tried) -> String {
    let best = tried.looks.iter().map(|look| look.score.log_loss).fold(f64::INFINITY, f64::min);
    let steps = tried.looks.last().map_or(0, |look| look.step);
    format!("{best:>8.4} within {steps:>6} steps  {}", tried.options)
}

/// What a fit has chosen, for people.
pub fn verdict(chosen: &Chosen) -> String {
    let score = &chosen.score;
    let options = chosen.tried.first().map_or("", |tried| &tried.options);
    format!(
        "Best of {} recipes: {options}, {} steps: log loss {:.4} +- {:.4} nats on {} held-out cells, {:.1} % right",
        chosen.tried.len(),
        chosen.steps,
        score.log_loss,
        score.log_loss_error,
        score.cells,
        100.0 * score.accuracy
    )
}

/// Fits with all threads, with progress reports.
///
/// # Errors
/// Those of [`Fit`], and too little memory.
pub fn fitted(data: Examples, settings: FitSettings, context: &Context) -> Result<Fitted, Error> {
    let session = &context.session;
    let mut fit = Fit::new(data, settings, |footprint| session.memory.check(footprint))?;
    session.progress.begin("steps", fit.progress().1);
    let report = |steps| session.progress.advance(steps);
    loop {
        if let Some(fitted) = fit.advance_on(session, &report).map_err(of_core)? {
            session.progress.end();
            return Ok(fitted);
        }
        if let Some((_, look)) = fit.so_far() {
            session.progress.message(format!("log loss {:.4} at step {}", look.score.log_loss, look.step));
        }
    }
}

/// An error of a fit: one of the core is reported as that.
fn of_core(error: EngineError) -> Error {
    match error {
        EngineError::Model(error) => Error::Model(error),
        error @ EngineError::FewOfClass { .. } => Error::Job(error),
    }
}

/// The steps that fit into this time, by a trial with the fewest.
fn steps_within(minutes: f64, data: &Examples, settings: &FitSettings, context: &Context) -> Result<u64, Error> {
    if !(minutes > 0.0 && minutes.is_finite()) {
        return Err(Error::Usage(format!("--minutes should be a number above 0, but is {minutes}")));
    }
    let (session, fewest) = (&context.session, FitSettings::fewest_steps());
    let started = session.now();
    fitted(data.clone(), FitSettings { steps: fewest, ..settings.clone() }, context)?;
    let each = (session.now() - started) / fewest as f64;
    let steps = ((60.0 * minutes / each) as u64).max(fewest);
    context.tell("timed", json!({ "seconds_per_step": each, "steps": steps }), || {
        format!("{:.2} ms a step in a trial: {steps} steps; --steps {steps} repeats this fit", 1e3 * each)
    });
    Ok(steps)
}
