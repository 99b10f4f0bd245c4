//! `dbm score --sweeps`: quality against sweeps.

use super::args::{Score, SweepArgs};
use crate::context::Context;
use crate::output::Files;
use dbm_experiments::data::{Split, without_gaps};
use dbm_experiments::equilibrium::{Looks, Model, Plan, Subject};
use dbm_experiments::model::{ModelFile, visible};
use dbm_experiments::score::{Reference, are_digits};
use dbm_experiments::{Error, Workbench};
use std::path::{Path, PathBuf};

impl Score {
    pub(super) fn against_sweeps(&self, context: &Context) -> Result<(), Error> {
        let SweepArgs { starts, look, plot } = &self.sweeping;
        if self.ais || self.sampler.sampler.is_some() {
            return Err(Error::Usage(
                "--sweeps looks at chains as they run, without --ais and --sampler; give those in a separate command".into(),
            ));
        }
        let files = Files::new(self.csv.as_deref(), plot.as_deref())?;
        let (sweeps, chains) = (self.sweeps.clone(), self.samples as usize);
        let plan = Plan { starts: starts.clone(), sweeps, chains, seed: self.seed, seen: *look };
        plan.check()?;
        let measure = |path: &PathBuf| self.measure(path, &plan, &context.session);
        files.report(context, || Ok(Looks(self.model.iter().map(measure).collect::<Result<_, _>>()?)))
    }

    fn measure(&self, path: &Path, plan: &Plan, session: &Workbench) -> Result<Model, Error> {
        let (checkpoint, model) = ModelFile { path: path.into(), last: self.last }.load()?;
        let data = self.data.source()?.load_for(&checkpoint, Split::Train)?;
        without_gaps(&data, "chains begin at whole examples")?;
        let reference = if are_digits(&data) {
            Some(Reference::load(session, &self.data.source()?, visible(&checkpoint)?.as_ref())?)
        } else {
            None
        };
        // Two files with the same name are distinguished by their folders.
        let stem = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let alone = self.model.iter().filter(|other| stem(other) == stem(path)).count() == 1;
        let name = stem(path).filter(|_| alone).unwrap_or_else(|| path.display().to_string());
        plan.measure(&Subject { model: &model, name, examples: &data.examples, reference: reference.as_ref() }, session)
    }
}
