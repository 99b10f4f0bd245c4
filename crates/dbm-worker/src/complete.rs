//! Complete: pictures to fill in, their completions, and one of these watched state by state.

use crate::clock::now;
use crate::job::{Slice, Work, within};
use crate::pool::WorkerPool;
use crate::sources::Material;
use crate::view::View;
use dbm_core::classes::{self, predictions, shared};
use dbm_core::complete::{ClassReading, Completer, Method, SamplingSchedule};
use dbm_core::diagnostics::{Caps, CouplingKernel};
use dbm_core::linalg::Matrix;
use dbm_core::rng::{Purpose, Streams};
use dbm_core::sweep::SearchInfo;
use dbm_core::{Clamp, Dbm};
use dbm_data::digits;
use dbm_protocol::{CompletionRequest, Completions, Event, PictureSource, PictureToComplete};
use std::collections::HashSet;

/// A search longer than this is cut, and says so.
pub const MAX_SWEEPS: u32 = 1000;
/// Clamped Gibbs sweeps before an answer, at most.
const MAX_GIBBS_SWEEPS: u32 = 10_000;
const MAX_ANSWERS: u32 = 64;
const MAX_PAIR_STEPS: u32 = 1000;
/// Tries of one draw of a watched Gibbs pair.
const MAX_TRIES: u32 = 1000;
/// Chains that say together what class a picture is of, as many as with `dbm complete --class-first`, and where their addresses begin.
const READERS: usize = 32;
const FIRST_READER: u64 = 1 << 40;
/// How the class of a picture is read that is to be cleaned up, in however few sweeps.
const READING: SamplingSchedule = SamplingSchedule::Annealed(100);
/// Chains that are drawn together where a class is asked for and nothing is known, and most of them for each answer.
const DRAWN: usize = 16;
const TRIES: usize = 100;
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
            fits("generated digits", digits::PIXELS * usize::from(view.greys.bits.max(1)))?;
            // A series of its own, not the one a run trains on.
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

/// Completions at work: along a schedule and then, unless the answers are to be draws from the model, downhill. Of a model with classes what is known is read first: at once as mean field predicts it,
/// where that was trained, and by chains otherwise.
pub struct Completion {
    view: View,
    request: CompletionRequest,
    reading: Option<Reading>,
    asked: Option<Asked>,
    /// How probable each class is, once it was read.
    classes: Vec<f64>,
    completer: Completer,
    schedule: SamplingSchedule,
    /// Whether a local search ends the answers.
    search: bool,
    /// Sweeps that the chains of the answers have made,
    done: u32,
    /// and those that read the class.
    read: u32,
    started: f64,
}

/// Samples of the class that is asked for where nothing is known: those are kept that the model reads so.
struct Asked {
    class: usize,
    drawn: usize,
    bits: Vec<u8>,
    searches: Vec<SearchInfo>,
    energies: Vec<f64>,
}

/// Chains that read the class of what is known.
struct Reading {
    chains: Completer,
    so_far: ClassReading,
    schedule: SamplingSchedule,
}

impl Completion {
    pub fn new(view: View, request: CompletionRequest) -> Result<Self, String> {
        let CompletionRequest { answers, clean_up, seed, .. } = request;
        within("the number of answers", answers, 1..=MAX_ANSWERS)?;
        let nothing_known = !clean_up && !request.unknown.contains(&0);
        let (schedule, search) = schedule(&view, &request)?;
        let class = if clean_up { None } else { class_of(&view, &request)? };
        let reads = view.classes > 0 && class.is_none() && request.unknown.contains(&0);
        let classes = if reads && view.predicts {
            let (visible, known) = rows(&view.model, &request, 1)?;
            predictions(&view.model, &visible, &known).swap_remove(0)
        } else {
            vec![]
        };
        let asked = class.filter(|_| nothing_known).map(|class| Asked {
            class,
            drawn: 0,
            bits: vec![],
            searches: vec![],
            energies: vec![],
        });
        let of_answers = match class {
            Some(class) => vec![class; answers as usize],
            None if clean_up => vec![],
            None => shared(&classes, answers as usize),
        };
        let (completer, schedule, search) = if let Some(Asked { class, .. }) = asked {
            rows(&view.model, &request, 1)?; // of the model's shape
            (sampling(&view, class, (seed, 0)), view.schedule, true)
        } else {
            (answering(&view.model, &request, &of_answers)?, schedule, search)
        };
        let reading = if reads && classes.is_empty() {
            let (visible, known) = rows(&view.model, &request, READERS)?;
            let chains = Completer::complete(&view.model, visible, known, u64::from(seed), FIRST_READER);
            let schedule = if clean_up { READING } else { schedule };
            Some(Reading { chains, so_far: ClassReading::default(), schedule })
        } else {
            None
        };
        Ok(Self { view, request, reading, asked, classes, completer, schedule, search, done: 0, read: 0, started: now() })
    }

    fn progress(&self) -> Slice {
        if let Some(asked) = &self.asked {
            return Slice::Progress { done: asked.searches.len() as u32, total: self.request.answers };
        }
        let still_to_read = self.reading.as_ref().map_or(0, |reading| reading.schedule.sweeps().saturating_sub(self.read));
        Slice::Progress { done: self.read + self.done, total: self.read + still_to_read + self.schedule.sweeps() }
    }
}

impl Asked {
    /// Takes what it wants of chains at the end of their way; how many it has.
    fn take(&mut self, chains: &mut Completer, View { model, predicts, .. }: &View, wanted: usize) -> usize {
        let (bits, searches) = chains.finish(model, MAX_SWEEPS);
        let (energies, classes) = (chains.energies(model), classes::read(model, chains.layer(0), *predicts));
        let chains = bits.chunks(model.n_visible()).zip(searches).zip(energies).zip(classes);
        for (((bits, search), energy), _) in chains.filter(|(_, class)| *class == self.class) {
            if self.searches.len() < wanted {
                self.bits.extend(bits);
                self.searches.push(search);
                self.energies.push(energy);
            }
        }
        self.drawn += DRAWN;
        self.searches.len()
    }
}

impl Work for Completion {
    fn work(&mut self, until: f64, _: &mut WorkerPool) -> Result<Slice, String> {
        let model = &self.view.model;
        while let Some(Reading { chains, so_far, schedule }) = &mut self.reading {
            if so_far.advance(chains, model, *schedule, MAX_SWEEPS) {
                self.read += 1;
                if now() >= until {
                    return Ok(self.progress());
                }
            } else {
                let each = std::mem::take(so_far).probabilities();
                let of_class = |class| each.iter().map(|chain| chain[class]).sum::<f64>() / READERS as f64;
                self.classes = (0..self.view.classes).map(of_class).collect();
                self.reading = None;
                if !self.request.clean_up {
                    let of_answers = shared(&self.classes, self.request.answers as usize);
                    self.completer = answering(model, &self.request, &of_answers)?;
                }
            }
        }
        while self.completer.advance(model, self.schedule, self.done, MAX_SWEEPS) {
            self.done += 1;
            if now() >= until {
                return Ok(self.progress());
            }
        }
        if let Some(asked) = &mut self.asked {
            let wanted = self.request.answers as usize;
            if asked.take(&mut self.completer, &self.view, wanted) < wanted && asked.drawn < TRIES * wanted {
                self.completer = sampling(&self.view, asked.class, (self.request.seed, asked.drawn));
                self.done = 0;
                return Ok(self.progress());
            }
            if asked.searches.is_empty() {
                let Asked { class, drawn, .. } = asked;
                return Err(format!("of {drawn} samples the model reads none as class {class}; ask for another, or for none"));
            }
        }
        let answers = self.asked.as_ref().map_or(self.request.answers, |asked| asked.searches.len() as u32);
        let (bits, searches) = if let Some(asked) = &mut self.asked {
            (std::mem::take(&mut asked.bits), std::mem::take(&mut asked.searches))
        } else if self.search {
            self.completer.finish(model, MAX_SWEEPS)
        } else {
            (self.completer.visible_bits(), vec![SearchInfo::default(); answers as usize])
        };
        let distinct = bits.chunks(model.n_visible()).collect::<HashSet<_>>().len() as u32;
        Slice::ends(Event::Completions(Completions {
            answers,
            image: self.view.shape(),
            bits,
            distinct,
            sweeps: searches.iter().map(|search| search.sweeps).collect(),
            energies: self.asked.take().map_or_else(|| self.completer.energies(model), |asked| asked.energies),
            classes: std::mem::take(&mut self.classes),
            seconds: now() - self.started,
        }))
    }
}

/// The first answer to a request, state by state; of the class that is asked for, but not of one that is read.
pub fn watch(view: &View, request: &CompletionRequest) -> Result<Event, String> {
    let schedule = schedule(view, request)?;
    Ok(Event::Watched(first(view, request, class_of(view, request)?)?.watch(&view.model, schedule, MAX_SWEEPS)))
}

/// How the answers to a request are drawn, and whether a local search ends them.
fn schedule(
    view: &View,
    &CompletionRequest { method, sweeps, clean_up, ref unknown, .. }: &CompletionRequest,
) -> Result<(SamplingSchedule, bool), String> {
    let nothing_known = !clean_up && !unknown.contains(&0);
    if method == Method::Suited && nothing_known {
        return Ok((view.schedule, true));
    }
    let schedule = method.of_model(view.predicts).schedule(sweeps);
    if schedule != SamplingSchedule::Mode {
        within("the number of Gibbs sweeps", schedule.sweeps(), 1..=MAX_GIBBS_SWEEPS)?;
    }
    Ok((schedule, method.is_searched()))
}

/// A coupled pair from the mode where that search ends, step by step.
pub fn watch_pair(view: &View, request: &CompletionRequest, kernel: CouplingKernel, steps: u32) -> Result<Event, String> {
    within("the number of steps", steps, 1..=MAX_PAIR_STEPS)?;
    let mut completer = first(view, request, None)?;
    completer.finish(&view.model, MAX_SWEEPS);
    Ok(Event::Pair(completer.couple(&view.model, kernel, Caps { meeting: steps, tries: MAX_TRIES })))
}

/// The chain of the first answer, where it begins.
fn first(view: &View, request: &CompletionRequest, class: Option<usize>) -> Result<Completer, String> {
    answering(&view.model, &CompletionRequest { answers: 1, clean_up: false, ..request.clone() }, class.as_slice())
}

/// The class that is asked for, which the model must have.
fn class_of(view: &View, request: &CompletionRequest) -> Result<Option<usize>, String> {
    match (request.class.map(usize::from), view.classes) {
        (Some(class), 0) => Err(format!("class {class} was asked for, but this model has no classes; ask without one")),
        (Some(class), classes) if class >= classes => {
            Err(format!("a class from 0 to {} was expected, but {class} came; choose another", classes - 1))
        }
        (class, _) => Ok(class),
    }
}

/// Chains of samples of a class, from this one on.
fn sampling(view: &View, class: usize, (seed, first): (u32, usize)) -> Completer {
    Completer::sample_class(&view.model, (view.schedule, class), DRAWN, u64::from(seed), first as u64)
}

/// The chains of the answers, where they begin, each clamped to its class; without classes to none.
fn answering(model: &Dbm, request: &CompletionRequest, classes: &[usize]) -> Result<Completer, String> {
    let (count, seed) = (request.answers as usize, u64::from(request.seed));
    let (visible, known) = rows(model, request, count)?;
    Ok(match classes {
        _ if request.clean_up => Completer::clean_up(model, visible, known, seed, 0, MAX_SWEEPS),
        [] => Completer::complete(model, visible, known, seed, 0),
        classes => Completer::complete_class(model, visible, known, classes, (seed, 0)),
    })
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
