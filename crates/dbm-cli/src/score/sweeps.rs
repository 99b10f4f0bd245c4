//! `dbm score --sweeps`: quality against sweeps.

use super::args::{Score, SweepArgs};
use crate::context::Context;
use dbm_core::Host;
use dbm_experiments::data::{Split, without_gaps};
use dbm_experiments::equilibrium::{Model, Plan, Subject, csv, figure, text};
use dbm_experiments::model::{ModelFile, visible};
use dbm_experiments::plot::raster;
use dbm_experiments::score::{Reference, are_digits};
use dbm_experiments::{Error, files};
use serde_json::json;
use std::path::Path;

impl Score {
    pub(super) fn against_sweeps(&self, context: &Context) -> Result<(), Error> {
        let SweepArgs { starts, look, plot } = &self.sweeping;
        if self.ais || self.sampler.sampler.is_some() {
            return Err(Error::Usage(
                "--sweeps looks at chains on their way, without --ais and --sampler; give them in a command of their own".into(),
            ));
        }
        plot.as_deref().map_or(Ok(()), files::check_writable)?;
        let (sweeps, chains) = (self.sweeps.clone(), self.samples as usize);
        let plan = Plan { starts: starts.clone(), sweeps, chains, seed: self.seed, seen: *look };
        plan.check()?;
        let started = context.session.now();
        let models: Vec<Model> = self.model.iter().map(|path| self.measure(path, &plan, context)).collect::<Result<_, _>>()?;
        let seconds = context.session.now() - started;
        if let Some(path) = &self.csv {
            files::write(path, csv(&models).as_bytes())?;
        }
        if let Some(path) = plot {
            files::write(path, &raster::by_name(path, figure(&models)?)?)?;
        }
        context.done(json!({ "models": models, "seconds": seconds }), || {
            format!("{}{seconds:.1} s on {} threads", text(&models), context.session.threads())
        });
        Ok(())
    }

    fn measure(&self, path: &Path, plan: &Plan, context: &Context) -> Result<Model, Error> {
        let session = &context.session;
        let (checkpoint, model) = ModelFile { path: path.into(), last: self.last }.load()?;
        let data = self.data.source().load_for(&checkpoint, Split::Train)?;
        without_gaps(&data, "chains begin at whole examples")?;
        let reference = if are_digits(&data) {
            Some(Reference::load(session, &self.data.source(), visible(&checkpoint)?.as_ref())?)
        } else {
            None
        };
        // Two files of one name are told apart by their folders.
        let stem = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let alone = self.model.iter().filter(|other| stem(other) == stem(path)).count() == 1;
        let name = stem(path).filter(|_| alone).unwrap_or_else(|| path.display().to_string());
        plan.measure(&Subject { model: &model, name, examples: &data.examples, reference: reference.as_ref() }, session)
    }
}
