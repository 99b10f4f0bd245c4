//! Samples, completions and benchmarks, done in slices and cancelled between them.

use crate::bench::Benchmark;
use crate::clock::now;
use crate::pool::WorkerPool;
use crate::sources::shape;
use dbm_core::complete::{Completer, SamplingSchedule};
use dbm_core::diagnostics::{Caps, CouplingKernel, CouplingTrace};
use dbm_core::impute::{self, ImputationMethod, Imputer, Outcome, Score};
use dbm_core::linalg::Matrix;
use dbm_core::signals::mean_free_energy;
use dbm_core::sweep::{SearchInfo, search_observed};
use dbm_core::{Clamp, Dbm, Examples, Units};
use dbm_protocol::{CompletionMethod, Completions, Evaluation, Event, Grid, ModelChoice, Reply, SearchFrame, SearchTrace};
use std::collections::HashSet;
use std::rc::Rc;

/// A search longer than this is cut, and says so.
pub const MAX_SWEEPS: u32 = 1000;
/// Tries of one draw of a watched Gibbs pair.
const MAX_TRIES: u32 = 1000;
/// Samples computed in one slice.
const CHUNK: usize = 16;

/// A model as the jobs on it need it: they keep the one they were asked of, whatever becomes of it meanwhile.
#[derive(Clone)]
pub struct View {
    pub model: Rc<Dbm>,
    pub choice: ModelChoice,
    pub image: Option<(usize, usize)>,
    /// Bits a value.
    pub depth: u8,
    pub step: u32,
    /// How its samples are drawn.
    pub walk: SamplingSchedule,
}

impl View {
    pub fn shape(&self) -> (u32, u32) {
        shape(self.image, self.model.n_visible())
    }
}

/// A request at work.
pub struct Job {
    pub id: Option<u32>,
    kind: Kind,
}

enum Kind {
    /// Chunk by chunk: the chains of one, and their sweeps so far.
    Samples {
        view: View,
        seed: u64,
        count: usize,
        bits: Vec<u8>,
        chunk: Option<(Box<Completer>, u32)>,
    },
    /// Along a way and then, unless the answers are to be draws from the model, downhill.
    Complete {
        view: View,
        completer: Box<Completer>,
        answers: usize,
        done: u32,
        walk: SamplingSchedule,
        search: bool,
        started: f64,
    },
    Bench(Box<Benchmark>),
    Impute {
        imputer: Box<Imputer>,
        data: Examples,
        probabilities: Vec<f32>,
        done: usize,
    },
    Evaluate {
        evaluation: Box<impute::Evaluation>,
        held_back: bool,
        outcomes: Vec<Outcome>,
        done: usize,
    },
}

/// How a slice of a job ended.
pub enum Slice {
    Goes,
    /// Until a helper says something.
    Waits,
    Progress {
        done: u32,
        total: u32,
    },
    Ends(Box<Reply<Event>>),
}

impl Slice {
    /// It ends with this answer.
    pub fn ends(event: Event) -> Self {
        Self::Ends(Box::new(event.into()))
    }

    /// It ends in vain.
    pub fn failed(message: String) -> Self {
        Self::Ends(Box::new(Reply::Failed { message }))
    }
}

impl Job {
    /// Samples; without an id they are training's own.
    pub fn samples(id: Option<u32>, view: View, count: u32, seed: u32) -> Self {
        Self { id, kind: Kind::Samples { view, seed: u64::from(seed), count: count as usize, bits: Vec::new(), chunk: None } }
    }

    pub fn complete(
        id: u32,
        view: View,
        question: &Question,
        answers: u32,
        (method, clean_up): (CompletionMethod, bool),
        seed: u32,
    ) -> Self {
        let (visible, known) = question.rows(view.model.units(), answers as usize);
        let (model, seed) = (&view.model, u64::from(seed));
        let completer = Box::new(if clean_up {
            Completer::clean_up(model, visible, known, seed, 0, MAX_SWEEPS)
        } else {
            Completer::complete(model, visible, known, seed, 0)
        });
        let (walk, search) = match method {
            CompletionMethod::Search => (SamplingSchedule::Mode, true),
            CompletionMethod::Gibbs { sweeps } => (SamplingSchedule::Gibbs(sweeps), true),
            CompletionMethod::Annealed { sweeps } => (SamplingSchedule::Annealed(sweeps), true),
            CompletionMethod::Sample { sweeps } => (SamplingSchedule::Gibbs(sweeps), false),
        };
        let kind = Kind::Complete { view, completer, answers: answers as usize, done: 0, walk, search, started: now() };
        Self { id: Some(id), kind }
    }

    pub fn bench(id: u32, bench: Benchmark) -> Self {
        Self { id: Some(id), kind: Kind::Bench(Box::new(bench)) }
    }

    /// Fills the gaps of the data, row by row.
    pub fn impute(id: u32, imputer: Imputer, data: Examples) -> Self {
        Self { id: Some(id), kind: Kind::Impute { imputer: Box::new(imputer), data, probabilities: Vec::new(), done: 0 } }
    }

    /// Compares answers on hidden cells, row by row.
    pub fn evaluate(id: u32, evaluation: impute::Evaluation, held_back: bool) -> Self {
        let evaluation = Box::new(evaluation);
        Self { id: Some(id), kind: Kind::Evaluate { evaluation, held_back, outcomes: Vec::new(), done: 0 } }
    }

    pub fn is_bench(&self) -> bool {
        matches!(self.kind, Kind::Bench(_))
    }

    pub fn bench_mut(&mut self) -> Option<&mut Benchmark> {
        if let Kind::Bench(bench) = &mut self.kind { Some(bench) } else { None }
    }

    /// The mean free energy of the samples of a training run, and its step, where that is what came of it.
    pub fn free_energy(&self, reply: &Reply<Event>) -> Option<(u32, f64)> {
        match (&self.kind, reply) {
            (Kind::Samples { view, .. }, Reply::Answer(Event::Samples(Grid { bits, .. }))) if self.id.is_none() => {
                Some((view.step, mean_free_energy(&view.model, bits)))
            }
            _ => None,
        }
    }

    /// Works until the clock shows `until`, at least once.
    pub fn work(&mut self, until: f64, pool: &mut WorkerPool) -> Slice {
        match &mut self.kind {
            Kind::Samples { view, seed, count, bits, chunk } => {
                let model = &view.model;
                let drawn = bits.len() / model.n_visible();
                let (completer, done) = chunk.get_or_insert_with(|| {
                    (Box::new(Completer::sample(model, CHUNK.min(*count - drawn), *seed, drawn as u64)), 0)
                });
                while completer.advance(model, view.walk, *done, MAX_SWEEPS) {
                    *done += 1;
                    if now() >= until {
                        return Slice::Goes;
                    }
                }
                bits.extend(completer.finish(model, MAX_SWEEPS).0);
                *chunk = None;
                if bits.len() < *count * model.n_visible() {
                    return Slice::Goes;
                }
                let bits = std::mem::take(bits);
                Slice::ends(Event::Samples(Grid {
                    model: view.choice,
                    step: view.step,
                    count: *count as u32,
                    image: view.shape(),
                    depth: view.depth,
                    bits,
                }))
            }
            Kind::Complete { view, completer, answers, done, walk, search, started } => {
                let model = &view.model;
                while completer.advance(model, *walk, *done, MAX_SWEEPS) {
                    *done += 1;
                    if now() >= until {
                        return Slice::Progress { done: *done, total: walk.sweeps() };
                    }
                }
                let (bits, searches) = if *search {
                    completer.finish(model, MAX_SWEEPS)
                } else {
                    (completer.visible_bits(), vec![SearchInfo::default(); *answers])
                };
                let distinct = bits.chunks(model.n_visible()).collect::<HashSet<_>>().len() as u32;
                Slice::ends(Event::Completions(Completions {
                    answers: *answers as u32,
                    image: view.shape(),
                    bits,
                    distinct,
                    sweeps: searches.iter().map(|search| search.sweeps).collect(),
                    energies: completer.energies(model),
                    seconds: now() - *started,
                }))
            }
            Kind::Bench(bench) => bench.work(until, pool),
            Kind::Impute { imputer, data, probabilities, done } => {
                while *done < data.len() {
                    match imputer.highs(data, *done..*done + 1) {
                        Ok(row) => probabilities.extend_from_slice(row.data()),
                        Err(error) => return Slice::failed(error.to_string()),
                    }
                    *done += 1;
                    if now() >= until {
                        return Slice::Progress { done: *done as u32, total: data.len() as u32 };
                    }
                }
                Slice::ends(Event::Imputed { probabilities: std::mem::take(probabilities) })
            }
            Kind::Evaluate { evaluation, held_back, outcomes, done } => {
                while *done < evaluation.rows() {
                    match evaluation.score(*done..*done + 1) {
                        Ok(row) => outcomes.extend(row),
                        Err(error) => return Slice::failed(error.to_string()),
                    }
                    *done += 1;
                    if now() >= until {
                        return Slice::Progress { done: *done as u32, total: evaluation.rows() as u32 };
                    }
                }
                let report = evaluation.report(outcomes);
                let score = |method| {
                    let Score { accuracy, log_loss, .. } = report.of(method);
                    dbm_protocol::Score { accuracy, log_loss }
                };
                Slice::ends(Event::Evaluated(Evaluation {
                    cells: report.cells as u32,
                    held_back: *held_back,
                    model: score(ImputationMethod::Model),
                    column_mode: score(ImputationMethod::ColumnMode),
                    nearest_neighbours: score(ImputationMethod::Neighbours),
                }))
            }
        }
    }
}

/// What is known of a visible layer.
pub struct Question {
    values: Vec<u8>,
    unknown: Vec<u8>,
}

impl Question {
    /// One byte a visible unit in both.
    pub fn new(n: usize, values: Vec<u8>, unknown: Vec<u8>) -> Result<Self, String> {
        match (values.len(), unknown.len()) {
            (v, u) if v == n && u == n => Ok(Self { values, unknown }),
            (v, u) => {
                Err(format!("a picture and a mask of {n} units were expected, but {v} and {u} came; choose another picture"))
            }
        }
    }

    fn rows(&self, units: Units, count: usize) -> (Matrix, Clamp) {
        let values: Vec<f32> = self.values.iter().map(|&bit| units.value(bit != 0)).collect();
        let known: Vec<bool> = self.unknown.iter().map(|&unknown| unknown == 0).collect();
        (Matrix::from_vec(count, values.len(), values.repeat(count)), Clamp::Known(known.repeat(count)))
    }
}

/// One clamped search, state by state, from the random start that the first answer of that seed begins with.
pub fn watch(view: &View, question: &Question, seed: u32) -> SearchTrace {
    let model = &*view.model;
    let (visible, known) = question.rows(model.units(), 1);
    let (mut chains, first) = Completer::complete(model, visible, known, u64::from(seed), 0).into_chains();
    let frame = |chains: &dbm_core::chains::Chains, half_sweep, flipped| SearchFrame {
        half_sweep,
        energy: model.energy(&chains.state(0)),
        flipped,
        visible: bits(chains.layer(0).row(0)),
    };
    let mut frames = vec![frame(&chains, 0, 0)];
    let SearchInfo { sweeps, capped } = search_observed(model, &mut chains, first[0], MAX_SWEEPS, |chains, flipped| {
        frames.push(frame(chains, frames.len() as u32, flipped));
    });
    SearchTrace { image: view.shape(), frames, sweeps, capped }
}

/// A coupled pair from the mode where that search ends, step by step.
pub fn watch_pair(view: &View, question: &Question, kernel: CouplingKernel, steps: u32, seed: u32) -> CouplingTrace {
    let model = &*view.model;
    let (visible, known) = question.rows(model.units(), 1);
    let mut completer = Completer::complete(model, visible, known, u64::from(seed), 0);
    completer.finish(model, MAX_SWEEPS);
    completer.couple(model, kernel, Caps { meeting: steps, tries: MAX_TRIES })
}

/// A visible layer as bytes 0 and 1.
fn bits(layer: &[f32]) -> Vec<u8> {
    layer.iter().map(|&x| u8::from(x > 0.5)).collect()
}
