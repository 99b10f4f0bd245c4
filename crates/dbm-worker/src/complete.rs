//! Complete: pictures to fill in, their completions, and one of these watched state by state.

use crate::clock::now;
use crate::job::{Slice, Work, within};
use crate::pool::WorkerPool;
use crate::sources::Material;
use crate::view::View;
use dbm_core::complete::{Completer, SamplingSchedule};
use dbm_core::diagnostics::{Caps, CouplingKernel};
use dbm_core::linalg::Matrix;
use dbm_core::rng::{Purpose, Streams};
use dbm_core::sweep::SearchInfo;
use dbm_core::{Clamp, Dbm};
use dbm_data::digits;
use dbm_protocol::{CompletionMethod, CompletionRequest, Completions, Event, PictureSource, PictureToComplete};
use std::collections::HashSet;

/// A search longer than this is cut, and says so.
pub const MAX_SWEEPS: u32 = 1000;
/// Clamped Gibbs sweeps before an answer, at most.
const MAX_GIBBS_SWEEPS: u32 = 10_000;
const MAX_ANSWERS: u32 = 64;
const MAX_PAIR_STEPS: u32 = 1000;
/// Tries of one draw of a watched Gibbs pair.
const MAX_TRIES: u32 = 1000;
/// The chain that a sample of the model comes from as a picture: no other request draws from it.
const PICTURE_CHAIN: u64 = 1 << 32;

/// A picture to complete, of the size of the model's visible layer.
pub fn picture(view: &View, data: Option<&Material>, source: PictureSource, seed: u32) -> Result<Event, String> {
    let (n, seed) = (view.model.n_visible(), u64::from(seed));
    let fits = |what: &str, width: usize| {
        if width == n {
            return Ok(());
        }
        Err(format!("{what} have {width} bits, but this model has {n} visible units; take a sample of the model instead"))
    };
    let mut missing = Vec::new();
    let bits = match source {
        PictureSource::Sample => {
            Completer::sample(&view.model, 1, seed, PICTURE_CHAIN).run(&view.model, view.schedule, MAX_SWEEPS).0
        }
        PictureSource::Generated => {
            fits("generated digits", digits::PIXELS)?;
            // A series of its own, not the one a run trains on.
            let (grey, _) = digits::image(u64::MAX, seed);
            grey.iter().map(|&grey| u8::from(grey > dbm_data::THRESHOLD)).collect()
        }
        PictureSource::Data => {
            let data = data.ok_or("there are no data: choose a data set first")?.whole();
            fits("the examples", data.width())?;
            let row = Streams::new(seed).at(Purpose::Order, 0, 1).below(data.len() as u64) as usize;
            let known = data.known_row(row);
            if known.contains(&false) {
                missing = known.into_iter().map(|known| u8::from(!known)).collect();
            }
            data.row(row)
        }
    };
    Ok(Event::Picture(PictureToComplete { source, image: view.shape(), bits, missing }))
}

/// Completions at work: along a schedule and then, unless the answers are to be draws from the model, downhill.
pub struct Completion {
    view: View,
    completer: Completer,
    schedule: SamplingSchedule,
    /// Whether a local search ends the answers.
    search: bool,
    answers: u32,
    /// Sweeps that the chains have made.
    done: u32,
    started: f64,
}

impl Completion {
    pub fn new(view: View, request: &CompletionRequest) -> Result<Self, String> {
        let &CompletionRequest { answers, method, clean_up, seed, .. } = request;
        within("the number of answers", answers, 1..=MAX_ANSWERS)?;
        let (schedule, search) = match method {
            CompletionMethod::Search => (SamplingSchedule::Mode, true),
            CompletionMethod::Gibbs { sweeps } => (SamplingSchedule::Gibbs(sweeps), true),
            CompletionMethod::Annealed { sweeps } => (SamplingSchedule::Annealed(sweeps), true),
            CompletionMethod::Sample { sweeps } => (SamplingSchedule::Gibbs(sweeps), false),
        };
        if method != CompletionMethod::Search {
            within("the number of Gibbs sweeps", schedule.sweeps(), 1..=MAX_GIBBS_SWEEPS)?;
        }
        let (visible, known) = rows(&view.model, request, answers as usize)?;
        let completer = if clean_up {
            Completer::clean_up(&view.model, visible, known, u64::from(seed), 0, MAX_SWEEPS)
        } else {
            Completer::complete(&view.model, visible, known, u64::from(seed), 0)
        };
        Ok(Self { view, completer, schedule, search, answers, done: 0, started: now() })
    }
}

impl Work for Completion {
    fn work(&mut self, until: f64, _: &mut WorkerPool) -> Result<Slice, String> {
        let model = &self.view.model;
        while self.completer.advance(model, self.schedule, self.done, MAX_SWEEPS) {
            self.done += 1;
            if now() >= until {
                return Ok(Slice::Progress { done: self.done, total: self.schedule.sweeps() });
            }
        }
        let (bits, searches) = if self.search {
            self.completer.finish(model, MAX_SWEEPS)
        } else {
            (self.completer.visible_bits(), vec![SearchInfo::default(); self.answers as usize])
        };
        let distinct = bits.chunks(model.n_visible()).collect::<HashSet<_>>().len() as u32;
        Slice::ends(Event::Completions(Completions {
            answers: self.answers,
            image: self.view.shape(),
            bits,
            distinct,
            sweeps: searches.iter().map(|search| search.sweeps).collect(),
            energies: self.completer.energies(model),
            seconds: now() - self.started,
        }))
    }
}

/// The search of the first answer to a request, state by state.
pub fn watch(view: &View, request: &CompletionRequest) -> Result<Event, String> {
    Ok(Event::Search(first(&view.model, request)?.watch(&view.model, MAX_SWEEPS)))
}

/// A coupled pair from the mode where that search ends, step by step.
pub fn watch_pair(view: &View, request: &CompletionRequest, kernel: CouplingKernel, steps: u32) -> Result<Event, String> {
    within("the number of steps", steps, 1..=MAX_PAIR_STEPS)?;
    let mut completer = first(&view.model, request)?;
    completer.finish(&view.model, MAX_SWEEPS);
    Ok(Event::Pair(completer.couple(&view.model, kernel, Caps { meeting: steps, tries: MAX_TRIES })))
}

/// The chain of the first answer, where it begins.
fn first(model: &Dbm, request: &CompletionRequest) -> Result<Completer, String> {
    let (visible, known) = rows(model, request, 1)?;
    Ok(Completer::complete(model, visible, known, u64::from(request.seed), 0))
}

/// The visible layers with which `count` chains begin, and what of them is clamped.
fn rows(model: &Dbm, request: &CompletionRequest, count: usize) -> Result<(Matrix, Clamp), String> {
    let CompletionRequest { values, unknown, .. } = request;
    let (n, v, u) = (model.n_visible(), values.len(), unknown.len());
    if (v, u) != (n, n) {
        return Err(format!("a picture and a mask of {n} units were expected, but {v} and {u} came; choose another picture"));
    }
    let values: Vec<f32> = values.iter().map(|&bit| model.units().value(bit != 0)).collect();
    let known: Vec<bool> = unknown.iter().map(|&unknown| unknown == 0).collect();
    Ok((Matrix::from_vec(count, n, values.repeat(count)), Clamp::Known(known.repeat(count))))
}
