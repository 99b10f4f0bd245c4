//! `dbm score`.

mod reference;
mod table;

use crate::complete::{self, Answering};
use crate::data::DataArgs;
use crate::error::CliError;
use crate::evaluate;
use crate::files;
use crate::model::{ModelArgs, visible};
use crate::progress;
use crate::sampler::{self, MAX_SWEEPS, SamplerArgs};
use crate::threads::Threads;
use clap::Args;
use dbm_core::ais::AisSettings;
use dbm_core::math::mean_and_error;
use dbm_core::{Dbm, Host};
use dbm_data::npy;
use dbm_data::raw::Visible;
use dbm_score::{Completions, PIXELS, Scores};
#[cfg(feature = "classifier")]
pub use reference::digits;
pub use reference::{Reference, levels};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// A file of grey levels is held against digits in all their bits.
const GREY: Visible = Visible::Planes { bits: 8, low: 0.0, high: 255.0 };

#[derive(Args)]
pub struct Score {
    /// The checkpoint whose samples are scored
    #[arg(long, value_name = "FILE", required_unless_present = "images", conflicts_with = "images")]
    model: Option<PathBuf>,
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
    answering: Answering,
    /// Bound the mean log-likelihood of the test digits as well, by annealed importance sampling
    #[arg(long, conflicts_with = "images")]
    ais: bool,
    /// Chains of annealed importance sampling
    #[arg(long, default_value_t = 100, value_name = "N")]
    ais_chains: usize,
    /// Its steps
    #[arg(long, default_value_t = 10_000, value_name = "N")]
    ais_betas: usize,
    /// Write every number to a CSV file as well, a line each: of, score, value
    #[arg(long, value_name = "FILE.csv")]
    csv: Option<PathBuf>,
}

/// All that was scored.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The pictures.
    pub samples: Scores,
    /// The first 10 000 training digits, scored in the same way.
    pub floor: Scores,
    /// Answers of the model, and those of the nearest training digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completions: Option<Completions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<Completions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<Bound>,
    /// Searches cut at the cap; none of pictures from a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searches_capped: Option<usize>,
}

/// The mean lower bound on log p(v) of test digits, in nats, which is one only as far as log Z is right.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bound {
    /// Test digits.
    pub count: usize,
    pub log_p: f64,
    pub error_from_log_z: f64,
    pub error_over_examples: f64,
    /// Of the AIS chains.
    pub effective_sample_size: f64,
}

impl Score {
    pub fn run(&self, threads: &Threads, json: bool) -> Result<(), CliError> {
        let ais = AisSettings { chains: self.ais_chains, betas: self.ais_betas, seed: self.seed };
        ais.check()?;
        if let Some(csv) = &self.csv {
            files::check_writable(csv)?;
        }
        let started = threads.now();
        let report = match (&self.images, &self.model) {
            (Some(images), _) => self.of_images(images, threads)?,
            (None, Some(model)) => self.of_model(model, &ais, threads, json)?,
            (None, None) => return Err(CliError::Usage("give --model or --images".into())),
        };
        let seconds = threads.now() - started;
        if let Some(csv) = &self.csv {
            files::write(csv, table::csv(&report).as_bytes())?;
        }
        if json {
            let mut done = serde_json::json!({ "event": "done", "seconds": seconds });
            if let (Ok(serde_json::Value::Object(mut fields)), Some(done)) = (serde_json::to_value(&report), done.as_object_mut())
            {
                done.append(&mut fields);
            }
            println!("{done}");
        } else {
            print!("{}", table::text(&report));
            if let Some(capped) = report.searches_capped.filter(|&capped| capped > 0) {
                println!("{capped} searches cut at {MAX_SWEEPS} sweeps");
            }
            println!("\n{seconds:.1} s on {} threads", threads.count());
        }
        Ok(())
    }

    fn of_images(&self, path: &Path, threads: &Threads) -> Result<Report, CliError> {
        let (shape, values) = npy::read_u8(&path.display().to_string(), &files::read(path)?)?;
        let width = shape.iter().skip(1).product::<usize>();
        let bits = values.iter().all(|&value| value <= 1);
        let visible = match width {
            PIXELS if bits => None,
            PIXELS => Some(GREY),
            width if bits && width == PIXELS * GREY.depth() => Some(GREY),
            _ => {
                return Err(CliError::Input(format!(
                    "{}: pictures of shape [N, {PIXELS}] or [N, 28, 28] were expected, or bits of shape [N, {}], but this has shape {shape:?}",
                    path.display(),
                    PIXELS * GREY.depth()
                )));
            }
        };
        let pictures = if width == PIXELS && !bits { values } else { levels(visible.as_ref(), &values) };
        let reference = Reference::load(threads, &self.data, visible.as_ref())?;
        Ok(Report {
            samples: reference.of_levels(threads, &pictures)?,
            floor: reference.floor(threads)?,
            completions: None,
            nearest: None,
            bound: None,
            searches_capped: None,
        })
    }

    fn of_model(&self, path: &Path, ais: &AisSettings, threads: &Threads, json: bool) -> Result<Report, CliError> {
        let (checkpoint, model) = ModelArgs::new(path.into(), self.last).load()?;
        let reference = Reference::load(threads, &self.data, visible(&checkpoint)?.as_ref())?;
        let count = self.count as usize;
        complete::check_fit(&model, &reference.test, if self.completions.is_some() { count } else { 0 })?;
        let hidden = match &self.completions {
            Some(mask) => Some(complete::unknown(mask, self.seed, count, &reference.test, checkpoint.image)?),
            None => None,
        };
        let bar = progress::bar(self.samples as usize, "samples", json);
        let samples = sampler::draw(threads, &model, self.sampler.walk(&checkpoint), self.samples as usize, self.seed, &bar);
        bar.finish_and_clear();
        let mut report = Report {
            samples: reference.of_bits(threads, &samples.bits)?,
            floor: reference.floor(threads)?,
            completions: None,
            nearest: None,
            bound: None,
            searches_capped: Some(samples.capped()),
        };
        if let Some(unknown) = hidden {
            let answers = self.answering.draw(threads, &model, (&reference.test, count), &unknown, self.seed, json);
            report.completions = Some(reference.completions(threads, &unknown, count, &answers)?);
            report.nearest = Some(reference.nearest(threads, &unknown, count)?);
        }
        if self.ais {
            report.bound = Some(bound(&model, &reference, ais, threads, json)?);
        }
        Ok(report)
    }
}

/// AIS and the mean-field bounds of all test digits. The independent units that AIS starts from are as often high as in these.
pub fn bound(model: &Dbm, reference: &Reference, ais: &AisSettings, threads: &Threads, json: bool) -> Result<Bound, CliError> {
    let estimate = evaluate::estimate_log_z(model, Some(&reference.test), ais, threads, json)?;
    let count = reference.test.examples.len();
    let (mean, error) = mean_and_error(&evaluate::bounds(model, &reference.test, count, threads, json));
    Ok(Bound {
        count,
        log_p: mean - estimate.log_z,
        error_from_log_z: estimate.standard_error,
        error_over_examples: error,
        effective_sample_size: estimate.effective_sample_size,
    })
}
