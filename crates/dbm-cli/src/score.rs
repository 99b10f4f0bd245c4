//! `dbm score`.

mod sweeps;

use crate::args::{ANSWER_SWEEPS, AisArgs, AnswerArgs, DataArgs, SamplerArgs};
use crate::context::Context;
use clap::Args;
use dbm_core::Host;
use dbm_core::ais::AisSettings;
use dbm_data::npy;
use dbm_experiments::model::{ModelFile, visible};
use dbm_experiments::samples::MAX_SWEEPS;
use dbm_experiments::score::{GREY, Reference, Report, bound, csv, levels, text};
use dbm_experiments::{Error, answers, files};
use dbm_score::PIXELS;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use sweeps::SweepArgs;

#[derive(Args)]
pub struct Score {
    /// The checkpoint whose samples are scored; with --sweeps it may be given several times, and all are drawn on the same axes
    #[arg(long, value_name = "FILE", required_unless_present = "images", conflicts_with = "images")]
    model: Vec<PathBuf>,
    /// Use the last step's weights, even where the run kept averaged ones
    #[arg(long, conflicts_with = "images")]
    last: bool,
    /// Score these pictures and no model's: u8 of shape [N, 784] or [N, 28, 28], 0 and 1, or grey levels to 255; or [N, 6272], 8 bits a pixel
    #[arg(long, value_name = "FILE.npy")]
    images: Option<PathBuf>,
    #[command(flatten)]
    data: DataArgs,
    /// How many samples
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(6..=1_000_000))]
    samples: u32,
    #[command(flatten)]
    sampler: SamplerArgs,
    /// Which samples, answers, masks and chains
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Score completions as well: what is unknown of each test digit, as `dbm complete --mask` has it
    #[arg(long, value_name = "MASK", conflicts_with = "images")]
    completions: Option<String>,
    /// Complete so many test digits, from the first
    #[arg(long, default_value_t = 1000, requires = "completions", value_parser = clap::value_parser!(u32).range(1..))]
    count: u32,
    #[command(flatten)]
    answering: AnswerArgs,
    /// Quality against sweeps: look at the chains after each of these numbers of Gibbs sweeps, such as 1,10,50,300,2000,10000; one set of chains from each start
    /// goes on through all. With --completions, one number: the Gibbs sweeps of an answer before its last search [default: 100]
    #[arg(long, value_delimiter = ',', value_name = "N,N", conflicts_with = "images", value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    sweeps: Vec<u32>,
    #[command(flatten)]
    sweeping: SweepArgs,
    /// Bound the mean log-likelihood of the test digits as well, by annealed importance sampling
    #[arg(long, conflicts_with = "images")]
    ais: bool,
    #[command(flatten)]
    ais_settings: AisArgs,
    /// Write every number to a CSV file as well, a line each: of, score, value; with --sweeps a line a look
    #[arg(long, value_name = "FILE.csv")]
    csv: Option<PathBuf>,
}

impl Score {
    pub fn run(&self, context: &Context) -> Result<(), Error> {
        let ais = self.ais_settings.settings(self.seed)?;
        if let Some(path) = &self.csv {
            files::check_writable(path)?;
        }
        if self.completions.is_none() && !self.sweeps.is_empty() {
            return self.against_sweeps(context);
        }
        let started = context.session.now();
        let report = match (&self.images, self.model.as_slice()) {
            (Some(images), _) => self.of_images(images, context)?,
            (None, [model]) => self.of_model(model, &ais, context)?,
            (None, models) => {
                return Err(Error::Usage(format!(
                    "--model should be given once, but was {} times; several are compared with --sweeps alone",
                    models.len()
                )));
            }
        };
        let seconds = context.session.now() - started;
        if let Some(path) = &self.csv {
            files::write(path, csv(&report).as_bytes())?;
        }
        let mut fields = json!({ "seconds": seconds });
        if let (Ok(Value::Object(mut scores)), Some(fields)) = (serde_json::to_value(&report), fields.as_object_mut()) {
            fields.append(&mut scores);
        }
        context.done(fields, || {
            let capped = report.searches_capped.filter(|&capped| capped > 0);
            let capped = capped.map_or_else(String::new, |capped| format!("{capped} searches cut at {MAX_SWEEPS} sweeps\n"));
            format!("{}{capped}\n{seconds:.1} s on {} threads", text(&report), context.session.threads())
        });
        Ok(())
    }

    fn of_images(&self, path: &Path, context: &Context) -> Result<Report, Error> {
        let (shape, values) = npy::read_u8(&path.display().to_string(), &files::read(path)?)?;
        let width = shape.iter().skip(1).product::<usize>();
        let bits = values.iter().all(|&value| value <= 1);
        let visible = match width {
            PIXELS if bits => None,
            PIXELS => Some(GREY),
            width if bits && width == PIXELS * GREY.depth() => Some(GREY),
            _ => {
                return Err(Error::Input(format!(
                    "{}: pictures of shape [N, {PIXELS}] or [N, 28, 28] were expected, or bits of shape [N, {}], but this has shape {shape:?}",
                    path.display(),
                    PIXELS * GREY.depth()
                )));
            }
        };
        let pictures = if width == PIXELS && !bits { values } else { levels(visible.as_ref(), &values) };
        let reference = Reference::load(&context.session, &self.data.source(), visible.as_ref())?;
        Ok(Report {
            samples: reference.of_levels(&context.session, &pictures)?,
            floor: reference.floor(&context.session)?,
            completions: None,
            nearest: None,
            bound: None,
            searches_capped: None,
        })
    }

    fn of_model(&self, path: &Path, ais: &AisSettings, context: &Context) -> Result<Report, Error> {
        let session = &context.session;
        let (checkpoint, model) = ModelFile { path: path.into(), last: self.last }.load()?;
        let reference = Reference::load(session, &self.data.source(), visible(&checkpoint)?.as_ref())?;
        let count = self.count as usize;
        answers::check_fit(&model, &reference.test, if self.completions.is_some() { count } else { 0 })?;
        let hidden = match &self.completions {
            Some(mask) => Some(answers::unknown(mask, self.seed, count, &reference.test, checkpoint.image)?),
            None => None,
        };
        let samples = self.sampler.draw(session, &checkpoint, &model, self.samples as usize, self.seed)?;
        let mut report = Report {
            samples: reference.of_bits(session, &samples.bits)?,
            floor: reference.floor(&context.session)?,
            completions: None,
            nearest: None,
            bound: None,
            searches_capped: Some(samples.capped()),
        };
        if let Some(unknown) = hidden {
            let answers = self.answering.answering(self.answer_sweeps()?, &checkpoint)?.draw(
                session,
                &model,
                (&reference.test, 0..count),
                &unknown,
                self.seed,
            );
            report.completions = Some(reference.completions(session, &unknown, count, &answers)?);
            report.nearest = Some(reference.nearest(session, &unknown, count)?);
        }
        if self.ais {
            report.bound = Some(bound(&model, &reference, ais, session)?);
        }
        Ok(report)
    }

    fn answer_sweeps(&self) -> Result<u32, Error> {
        match self.sweeps[..] {
            [] => Ok(ANSWER_SWEEPS),
            [sweeps] => Ok(sweeps),
            _ => Err(Error::Usage(format!(
                "--sweeps with --completions should be one number, but is {:?}; leave --completions away for quality against sweeps",
                self.sweeps
            ))),
        }
    }
}
