//! `dbm score`.

mod args;
mod sweeps;

use crate::args::ANSWER_SWEEPS;
use crate::context::Context;
pub use args::Score;
use dbm_core::Host;
use dbm_core::ais::AisSettings;
use dbm_data::npy;
use dbm_engine::MAX_SWEEPS;
use dbm_experiments::model::{ModelFile, visible};
use dbm_experiments::score::{GREY, Reference, Report, bound, csv, levels, text};
use dbm_experiments::{Error, answers, files};
use dbm_score::PIXELS;
use serde_json::{Value, json};
use std::path::Path;

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
            )?;
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
