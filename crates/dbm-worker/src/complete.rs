//! Completions: pictures to fill in, their completions, and one completion watched state by state.

use crate::clock::now;
use crate::job::{LongJob, Sliced, within};
use crate::sources::TrainingData;
use crate::view::View;
use dbm_core::complete::{Method, SamplingSchedule};
use dbm_core::diagnostics::{Caps, CouplingKernel};
use dbm_core::linalg::Matrix;
use dbm_core::rng::{Purpose, Streams};
use dbm_core::sweep::SearchInfo;
use dbm_core::{Clamp, complete::Completer};
use dbm_data::digits;
use dbm_engine::{AnswerSettings, Answered, Answers, ClassReading, Classes, MAX_SWEEPS, OfClass, OfClassSamples, Questions};
use dbm_protocol::{CompletionRequest, Completions, Event, PictureSource, PictureToComplete};
use std::collections::HashSet;

/// Maximum number of clamped Gibbs sweeps before an answer.
const MAX_GIBBS_SWEEPS: u32 = 10_000;
const MAX_ANSWERS: u32 = 64;
const MAX_PAIR_STEPS: u32 = 1000;
/// Maximum number of tries for one draw of a watched Gibbs pair.
const MAX_TRIES: u32 = 1000;
/// The chain that provides a sample of the model as a picture: no other request draws from it.
const PICTURE_CHAIN: u64 = 1 << 32;

/// A picture to complete, of the size of the model's visible layer.
pub fn picture(view: &View, data: Option<&TrainingData>, source: PictureSource, seed: u32) -> Result<Event, String> {
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
            fits("generated digits", digits::PIXELS * usize::from(view.greys.bits.max(1)))?;
            // A separate series, not the one a run trains on.
            let (grey, _) = digits::image(u64::MAX, seed);
            grey.iter().flat_map(|&grey| view.greys.units(grey)).collect()
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

/// The work on a completion. If nothing is known and a class was requested, its answers are samples of that class.
pub fn completion(view: &View, request: &CompletionRequest) -> Result<Box<dyn LongJob>, String> {
    within("the number of answers", request.answers, 1..=MAX_ANSWERS)?;
    let (answering, questions) = (answering(view, request)?, question(view, request)?);
    let (started, shown, model, seed) = (now(), view.clone(), view.model.clone(), u64::from(request.seed));
    let completions = move |of: Vec<u8>, searches: &[SearchInfo], energies: Vec<f64>, classes: Vec<f64>| {
        Event::Completions(Completions {
            answers: searches.len() as u32,
            image: shown.shape(),
            distinct: of.chunks(shown.model.n_visible()).collect::<HashSet<_>>().len() as u32,
            bits: of,
            sweeps: searches.iter().map(|search| search.sweeps).collect(),
            energies,
            classes,
            seconds: now() - started,
        })
    };
    if let Classes::Given(class) = answering.classes
        && nothing_known(request)
    {
        let (schedule, predicts, count) = (view.schedule, view.predicts, request.answers as usize);
        let job = OfClass { schedule, class, predicts, count, seed }.job(model);
        return Ok(Sliced::work(job, move |OfClassSamples { bits, searches, energies, .. }| {
            completions(bits, &searches, energies, vec![])
        }));
    }
    let job = Answers::new(model.clone(), questions, answering, seed);
    Ok(Sliced::work(job, move |Answered { bits, searches, mut classes, mut chains }| {
        completions(bits, &searches, chains.energies(&model), classes.pop().unwrap_or_default())
    }))
}

/// The first answer to a request, state by state. Uses the class if one was requested, but never one that was read.
pub fn watch(view: &View, request: &CompletionRequest) -> Result<Event, String> {
    let answering = answering(view, request)?;
    let first = Answers::first(&view.model, &question(view, request)?, answering, u64::from(request.seed));
    Ok(Event::Watched(first.watch(&view.model, (answering.schedule, answering.search), MAX_SWEEPS)))
}

/// A coupled pair from the mode that the search ends in, step by step.
pub fn watch_pair(view: &View, request: &CompletionRequest, kernel: CouplingKernel, steps: u32) -> Result<Event, String> {
    within("the number of steps", steps, 1..=MAX_PAIR_STEPS)?;
    let answering = AnswerSettings::by(Method::Search, 0, 1);
    let mut first = Answers::first(&view.model, &question(view, request)?, answering, u64::from(request.seed));
    first.finish(&view.model, MAX_SWEEPS);
    Ok(Event::Pair(first.couple(&view.model, kernel, Caps { meeting: steps, tries: MAX_TRIES })))
}

fn nothing_known(request: &CompletionRequest) -> bool {
    !request.clean_up && !request.unknown.contains(&0)
}

/// How the answers to a request are drawn.
fn answering(view: &View, request: &CompletionRequest) -> Result<AnswerSettings, String> {
    let &CompletionRequest { answers, method, sweeps, clean_up, ref unknown, .. } = request;
    let mut answering = AnswerSettings::by(method.of_model(view.predicts), sweeps, answers);
    if method == Method::Suited && nothing_known(request) {
        answering.schedule = view.schedule;
    } else if answering.schedule != SamplingSchedule::Mode {
        within("the number of Gibbs sweeps", answering.schedule.sweeps(), 1..=MAX_GIBBS_SWEEPS)?;
    }
    answering.clean_up = clean_up;
    answering.classes = match (request.class.map(usize::from), view.classes) {
        (Some(class), 0) if !clean_up => {
            return Err(format!("class {class} was requested, but this model has no classes; leave the class out"));
        }
        (Some(class), classes) if class >= classes && !clean_up => {
            return Err(format!("a class from 0 to {} was expected, but got {class}; choose another", classes - 1));
        }
        (Some(class), _) if !clean_up => Classes::Given(class),
        (_, classes) if classes == 0 || !unknown.contains(&0) => Classes::Free,
        _ if view.predicts => Classes::Read(ClassReading::MeanField),
        _ => Classes::Read(ClassReading::Chains),
    };
    Ok(answering)
}

/// The picture of a request, and which of its pixels are known.
fn question(view: &View, request: &CompletionRequest) -> Result<Questions, String> {
    let CompletionRequest { values, unknown, .. } = request;
    let (n, v, u) = (view.model.n_visible(), values.len(), unknown.len());
    if (v, u) != (n, n) {
        return Err(format!("a picture and a mask of {n} units were expected, but got {v} and {u}; choose another picture"));
    }
    let values = values.iter().map(|&bit| view.model.units().value(bit != 0)).collect();
    let known = unknown.iter().map(|&unknown| unknown == 0).collect();
    Ok(Questions { visible: Matrix::from_vec(1, n, values), known: Clamp::Known(known), first: 0 })
}
