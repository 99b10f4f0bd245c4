//! `dbm score`.

mod args;
mod sweeps;

use crate::args::ANSWER_SWEEPS;
use crate::context::Context;
use crate::output::Files;
pub use args::Score;
use dbm_core::ais::AisSettings;
use dbm_data::npy;
use dbm_experiments::model::{ModelFile, visible};
use dbm_experiments::score::{GREY, Reference, ScoreReport, bound, levels};
use dbm_experiments::{Error, Workbench, answers, files};
use dbm_score::PIXELS;
use std::path::Path;

impl Score {
    pub fn run(&self, context: &Context) -> Result<(), Error> {
        let ais = self.ais_settings.settings(self.seed)?;
        if self.completions.is_none() && !self.sweeps.is_empty() {
            return self.against_sweeps(context);
        }
        Files::new(self.csv.as_deref(), None)?.report(context, || match (&self.images, self.model.as_slice()) {
            (Some(images), _) => self.of_images(images, &context.session),
            (None, [model]) => self.of_model(model, &ais, &context.session),
            (None, models) => Err(Error::Usage(format!(
                "--model should be given once, but was {} times; several are compared with --sweeps alone",
                models.len()
            ))),
        })
    }

    fn of_images(&self, path: &Path, session: &Workbench) -> Result<ScoreReport, Error> {
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
        ScoreReport::of(&Reference::load(session, &self.data.source()?, visible.as_ref())?, &pictures, session)
    }

    fn of_model(&self, path: &Path, ais: &AisSettings, session: &Workbench) -> Result<ScoreReport, Error> {
        let (checkpoint, model) = ModelFile { path: path.into(), last: self.last }.load()?;
        // Refused before minutes of work.
        let answering = self.answering.answering(self.answer_sweeps()?, &checkpoint)?;
        self.sampler.sampler(&checkpoint)?;
        let reference = Reference::load(session, &self.data.source()?, visible(&checkpoint)?.as_ref())?;
        let count = self.count as usize;
        answers::check_fit(&model, &reference.test, if self.completions.is_some() { count } else { 0 })?;
        let hidden = |mask: &String| answers::unknown(mask, self.seed, count, &reference.test, checkpoint.image);
        let hidden = self.completions.as_ref().map(hidden).transpose()?;
        let samples = self.sampler.draw(session, &checkpoint, &model, self.samples as usize, self.seed)?;
        let of_samples = ScoreReport::of(&reference, &reference.levels(&samples.bits), session)?;
        let mut report = ScoreReport { searches_capped: Some(samples.capped()), ..of_samples };
        if let Some(unknown) = hidden {
            let answers = answering.draw(session, &model, (&reference.test, 0..count), &unknown, self.seed)?;
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
                "--sweeps with --completions should be one number, but is {:?}; leave --completions out for quality against sweeps",
                self.sweeps
            ))),
        }
    }
}
