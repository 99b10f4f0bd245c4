//! What is asked of a model and of the data as they stand: views, pictures to complete, gaps to fill.

use super::{Answer, Lab, MAX_COMPLETIONS, MAX_GIBBS_SWEEPS, MAX_SAMPLES, NO_RUN, Opened, within, words};
use crate::jobs::{Job, MAX_SWEEPS, View};
use crate::run::Run;
use crate::sources::Material;
use dbm_core::complete::Completer;
use dbm_core::impute::{Evaluation, EvaluationSettings, HiddenCells, ImputeSettings, Imputer, hide};
use dbm_core::rng::{Purpose, Streams};
use dbm_data::digits;
use dbm_protocol::{Event, Filters, ModelChoice, PictureSource, PictureToComplete};
use std::rc::Rc;
use std::sync::Arc;

/// Share of the known cells that an evaluation hides where none were held back.
const HIDDEN_SHARE: f64 = 0.1;

/// How gaps are to be filled.
pub(super) fn imputing(completions: u32, sweeps: u32, seed: u32) -> Result<ImputeSettings, String> {
    within("the number of completions", completions, MAX_COMPLETIONS)?;
    if sweeps > MAX_GIBBS_SWEEPS {
        return Err(format!("the number of Gibbs sweeps should be at most {MAX_GIBBS_SWEEPS}, but is {sweeps}"));
    }
    Ok(ImputeSettings { completions, sweeps, seed: u64::from(seed), ..ImputeSettings::default() })
}

impl Lab {
    pub(super) fn view(&self, choice: ModelChoice) -> Result<View, String> {
        match (choice, &self.pretrained, &self.run) {
            (ModelChoice::Pretrained, Some(Opened { model, image, depth, steps, walk }), _) => {
                Ok(View { model: Rc::clone(model), choice, image: *image, depth: *depth, step: *steps, walk: *walk })
            }
            (ModelChoice::Training, _, Some(run)) => {
                let Material { data, .. } = &run.material;
                let (image, depth) = (data.image, run.material.depth());
                let walk = run.walk();
                Ok(View { model: Rc::new(run.model()), choice, image, depth, step: run.steps(), walk })
            }
            (ModelChoice::Pretrained, None, _) => {
                Err("the pretrained model has not been read; choose the model in training".into())
            }
            (ModelChoice::Training, _, None) => Err(NO_RUN.into()),
        }
    }

    pub(super) fn filters(&self, choice: ModelChoice, layer: u32, count: u32) -> Answer {
        within("the number of filters", count, MAX_SAMPLES)?;
        let view = self.view(choice)?;
        let filters = dbm_core::filters(&view.model, layer as usize, count as usize).map_err(words)?;
        let scale = filters.data().iter().fold(0.0_f32, |most, value| most.max(value.abs()));
        let level = |value: &f32| (128.0 + 127.0 * value / scale.max(f32::MIN_POSITIVE)).round() as u8;
        let levels = filters.data().iter().map(level).collect();
        let count = filters.rows() as u32;
        Ok(Event::Filters(Filters { model: choice, step: view.step, layer, count, image: view.shape(), scale, levels }))
    }

    pub(super) fn digit(&self, source: PictureSource, choice: ModelChoice, seed: u32) -> Answer {
        let view = self.view(choice)?;
        let n = view.model.n_visible();
        let fits = |what: &str, width: usize| {
            if width == n {
                return Ok(());
            }
            Err(format!("{what} have {width} bits, but this model has {n} visible units; take a sample of the model instead"))
        };
        let mut missing = Vec::new();
        let bits = match source {
            PictureSource::Sample => {
                Completer::sample(&view.model, 1, u64::from(seed), 1 << 32).run(&view.model, view.walk, MAX_SWEEPS).0
            }
            PictureSource::Generated => {
                fits("generated digits", digits::PIXELS)?;
                // A series of its own, not the one a run trains on.
                let (grey, _) = digits::image(u64::MAX, u64::from(seed));
                grey.iter().map(|&grey| u8::from(grey > dbm_data::THRESHOLD)).collect()
            }
            PictureSource::Data => {
                let data = self.run.as_ref().ok_or("there are no data: choose a data set first")?.material.whole();
                fits("the examples", data.width())?;
                let row = Streams::new(u64::from(seed)).at(Purpose::Order, 0, 1).below(data.len() as u64);
                let known = data.known_row(row as usize);
                if known.contains(&false) {
                    missing = known.into_iter().map(|known| u8::from(!known)).collect();
                }
                data.row(row as usize)
            }
        };
        Ok(Event::Picture(PictureToComplete { source, image: view.shape(), bits, missing }))
    }

    fn present(&self) -> Result<&Run, String> {
        self.run.as_ref().ok_or_else(|| NO_RUN.into())
    }

    /// Fills the gaps of the data, held-back cells being known to it.
    pub(super) fn impute(&self, id: u32, settings: ImputeSettings) -> Result<Job, String> {
        let run = self.present()?;
        let imputer = Imputer::new(run.model(), &run.material.one_hot(), settings).map_err(words)?;
        Ok(Job::impute(id, imputer, run.material.whole().clone()))
    }

    /// Compares answers on what was held back; where nothing was, on known cells that are hidden now.
    pub(super) fn evaluate(&self, id: u32, impute: ImputeSettings) -> Result<Job, String> {
        let run = self.present()?;
        let Material { data, whole } = &run.material;
        let groups = run.material.one_hot();
        let hidden = match whole {
            Some(whole) => HiddenCells::between(whole, data.examples.clone(), &groups),
            None => hide(&data.examples, &groups, HIDDEN_SHARE, impute.seed),
        };
        let settings = EvaluationSettings { impute, ..EvaluationSettings::default() };
        let evaluation = Evaluation::new(run.model(), Arc::new(hidden.map_err(words)?), &groups, settings).map_err(words)?;
        Ok(Job::evaluate(id, evaluation, whole.is_some()))
    }
}
