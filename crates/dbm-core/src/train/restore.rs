//! A run restored from a snapshot, with its tensors checked.

use super::Trainer;
use crate::centered::Centering;
use crate::linalg::Matrix;
use crate::model::check_parameters;
use crate::tempering::Ladder;
use crate::{Dbm, DbmError, LadderSnapshot, Parameters, Snapshot};
use std::sync::Arc;

impl Trainer {
    /// A run as a snapshot left it; further steps have the bits they would have had. The run takes over the snapshot's values and copies
    /// nothing except what it holds transposed.
    ///
    /// # Errors
    /// Those of [`Dbm::new`] and [`crate::Settings::check`], for the parameters, the optimizer's state and the average.
    pub fn restore(snapshot: Snapshot) -> Result<Self, DbmError> {
        let model = Dbm::new(snapshot.units, snapshot.parameters.weights, snapshot.parameters.biases)?;
        let mut run = Self::bare(model, snapshot.settings)?;
        run.step = snapshot.step;
        let list = "the list of the optimizer's moments";
        DbmError::check_shape(list, run.settings.optimizer.n_moments(), snapshot.optimizer_state.len())?;
        run.moments = snapshot.optimizer_state.into_iter().map(|p| run.like_the_model(p)).collect::<Result<_, _>>()?;
        if let Some(layers) = &snapshot.persistent
            && !run.settings.estimator.kind.descriptor().persistent
        {
            DbmError::check_shape("the list of persistent chains", 0, layers.len())?;
        }
        let ladder = run.settings.estimator.kind.descriptor().has_ladder;
        if !ladder {
            DbmError::check_shape("the list of rungs", 0, snapshot.ladder.as_ref().map_or(0, |kept| kept.rungs.len()))?;
        }
        run.ladder = snapshot.ladder.map(|kept| Ladder::restore(&run.model, kept).map(Arc::new)).transpose()?;
        run.persistent = snapshot.persistent.map(|layers| run.persistent_layers(layers)).transpose()?;
        let of_both = |what: &str, asked: bool, given: bool| DbmError::check_shape(what, usize::from(asked), usize::from(given));
        let rate = run.settings.estimator.centering;
        of_both("the list of centering offsets", rate.is_some(), snapshot.offsets.is_some())?;
        if let (Some(rate), Some(offsets)) = (rate, snapshot.offsets) {
            run.centering = Some(Centering { rate, offsets: offset_layers(&run.model, offsets)? });
        }
        of_both("the list of averaged weights", run.settings.average.is_some(), snapshot.average.is_some())?;
        run.average = snapshot.average.map(|average| run.like_the_model(average)).transpose()?;
        Ok(run)
    }

    /// A run at step 0 that starts from another run's present state, with its own settings: with that run's weights, and with its ladder,
    /// persistent chains and offsets as far as the estimator uses them. The ladder's rate, the optimizer and the average start over. If the
    /// size of the minibatch differs, chains are left out, or repeated from the first.
    ///
    /// # Errors
    /// Those of [`Trainer::restore`].
    pub fn begin_at(start: Snapshot) -> Result<Self, DbmError> {
        let model = Dbm::new(start.units, start.parameters.weights, start.parameters.biases)?;
        let mut run = Self::new(model, start.settings)?;
        let estimator = run.settings.estimator.kind.descriptor();
        if let Some(kept) = start.ladder.filter(|_| estimator.has_ladder) {
            run.ladder = Some(Arc::new(Ladder::restore(&run.model, LadderSnapshot { rate: 1.0, ..kept })?));
        }
        let layers = run.model.sizes().len() * (1 + run.ladder.as_ref().map_or(0, |ladder| ladder.rungs().len()));
        // The model's chains come last; a ladder's chains are only of use if all its rungs are there.
        if let Some(mut chains) = start.persistent.filter(|chains| estimator.persistent && chains.len() >= layers) {
            let of_run = chains.split_off(chains.len() - layers);
            let sizes = run.model.sizes().iter().cycle();
            let batch = run.settings.batch;
            let rows =
                |(values, &size): (&Vec<f32>, _)| values.chunks_exact(size).cycle().take(batch).flatten().copied().collect();
            let rows = of_run.iter().zip(sizes).map(rows);
            run.persistent = Some(run.persistent_layers(rows.collect())?);
        }
        if let (Some(centering), Some(offsets)) = (&mut run.centering, start.offsets) {
            centering.offsets = offset_layers(&run.model, offsets)?;
        }
        Ok(run)
    }

    fn like_the_model(&self, parameters: Parameters) -> Result<Parameters, DbmError> {
        if check_parameters(&parameters.weights, &parameters.biases)? != self.model.sizes() {
            let got = parameters.weights.iter().chain(&parameters.biases).map(Vec::len).sum();
            DbmError::check_shape("the optimizer's state or the averaged weights", self.model.n_parameters(), got)?;
        }
        Ok(parameters)
    }

    fn persistent_layers(&self, layers: Vec<Vec<f32>>) -> Result<Vec<Matrix>, DbmError> {
        let (sizes, batch, units) = (self.model.sizes(), self.settings.batch, self.model.units());
        let what = "the states of the persistent chains";
        let rungs = 1 + self.ladder.as_ref().map_or(0, |ladder| ladder.rungs().len());
        DbmError::check_shape(what, rungs * sizes.len(), layers.len())?;
        let checked = layers.into_iter().zip(sizes.iter().cycle()).map(|(values, &size)| {
            DbmError::check_shape(what, batch * size, values.len())?;
            match values.iter().find(|&&x| x != units.low() && x != units.high()) {
                Some(other) => Err(DbmError::Setting {
                    name: "a unit of a persistent chain",
                    expected: "one of the two values of the model's units",
                    got: other.to_string(),
                }),
                None => Ok(Matrix::from_vec(batch, size, values)),
            }
        });
        checked.collect()
    }
}

fn offset_layers(model: &Dbm, offsets: Vec<Vec<f32>>) -> Result<Vec<Vec<f32>>, DbmError> {
    let what = "the centering offsets";
    DbmError::check_shape(what, model.sizes().len(), offsets.len())?;
    for (values, &expected) in offsets.iter().zip(model.sizes()) {
        DbmError::check_shape(what, expected, values.len())?;
        if values.iter().any(|x| !x.is_finite()) {
            return Err(DbmError::NotFinite { what: what.into() });
        }
    }
    Ok(offsets)
}
