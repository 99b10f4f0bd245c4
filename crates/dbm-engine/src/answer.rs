//! Answers to questions: examples with something hidden, which a model fills in.

use crate::{EngineError, Job, MAX_SWEEPS, Progress};
use dbm_core::classes::{likeliest, predictions, shared};
use dbm_core::complete::{self, Completer, Method, SamplingSchedule};
use dbm_core::linalg::Matrix;
use dbm_core::sweep::SearchInfo;
use dbm_core::words::{choices, words};
use dbm_core::{Clamp, Dbm};
use serde::{Deserialize, Serialize};
use std::ops::Deref;

/// Chains that together estimate the class of an example, and where their addresses begin: those of answers begin at 0.
pub const VOTERS: usize = 32;
const FIRST_VOTER: u64 = 1 << 40;
/// How the class is read of an example that is to be cleaned up, however few sweeps that takes.
const READING: SamplingSchedule = SamplingSchedule::Annealed(100);

/// Examples with something hidden.
#[derive(Clone, Debug)]
pub struct Questions {
    /// Their visible layers, `[count, n_0]`; hidden units may hold anything.
    pub visible: Matrix,
    /// Which of their units are known.
    pub known: Clamp,
    /// The number of the first one: the number of an example and of its answer addresses all of its random numbers.
    pub first: usize,
}

impl Questions {
    /// Repeats each of them this many times in a row.
    fn each(&self, times: usize) -> (Matrix, Clamp) {
        let rows: Vec<usize> = (0..self.visible.rows()).flat_map(|row| std::iter::repeat_n(row, times)).collect();
        (self.visible.select(&rows), self.known.of_rows(&rows, self.visible.columns()))
    }
}

/// How answers are drawn.
#[derive(Clone, Copy, Debug)]
pub struct AnswerSettings {
    /// Answers per question.
    pub answers: u32,
    /// How a chain goes from noise to an answer.
    pub schedule: SamplingSchedule,
    /// Whether it ends with a local search.
    pub search: bool,
    /// The classes of the answers, if the top layer stands for classes.
    pub classes: Classes,
    /// Whether the examples are to be cleaned up: the known units are then only the start of the chains, and nothing is clamped.
    pub clean_up: bool,
}

impl AnswerSettings {
    /// This method with this many Gibbs sweeps, if it has any; no class.
    pub fn by(method: Method, sweeps: u32, answers: u32) -> Self {
        let (schedule, search) = (method.schedule(sweeps), method.is_searched());
        Self { answers, schedule, search, classes: Classes::Free, clean_up: false }
    }
}

/// Which classes the answers have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Classes {
    /// Whatever class the chains reach.
    Free,
    /// All of this class.
    Given(usize),
    /// In proportion to the class probabilities given the known units, which are read first; cleaned-up answers have whatever class they
    /// reach.
    Read(ClassReading),
    /// All of the likeliest class, which is read first.
    Likeliest(ClassReading),
}

choices! {
    /// How the class of an example is read.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum ClassReading = words(
        "class-first",
        "Class first",
        "For a model with labels: first infer the example's class, then draw the answers with classes clamped, in proportion to how probable each is; with --consensus, all with the likeliest",
    );
    /// With [`VOTERS`] chains together.
    Chains = "chains", "chains", "By 32 chains together";
    MeanField = "mean-field", "mean field", "By mean field, for models trained to predict by it";
}

/// Answers being drawn.
///
/// ```
/// use dbm_core::{Clamp, Units, complete::Method, init, linalg::Matrix};
/// use dbm_engine::{AnswerSettings, Answers, Job, Questions};
/// let model = init::orthogonal(&[4, 6], Units::Signs, 1)?;
/// let visible = Matrix::from_vec(1, 4, vec![1.0, 1.0, -1.0, -1.0]);
/// let questions = Questions { visible, known: Clamp::Known(vec![true, true, false, false]), first: 0 };
/// let answered = Answers::new(&model, questions, AnswerSettings::by(Method::Annealed, 10, 3), 7).finish()?;
/// assert!(answered.bits.chunks(4).all(|answer| answer[..2] == [1, 1]));
/// # Ok::<(), dbm_engine::EngineError>(())
/// ```
pub struct Answers<M> {
    model: M,
    questions: Questions,
    answering: AnswerSettings,
    seed: u64,
    stage: AnswerStage,
    /// How probable each class of each example is, once read.
    classes: Vec<Vec<f64>>,
    /// Sweeps made to read classes.
    read: u32,
}

enum AnswerStage {
    Reads { chains: Completer, so_far: complete::ClassReading, schedule: SamplingSchedule },
    Answers { chains: Completer, done: u32 },
    Ended,
}

/// Answers, grouped by question.
pub struct Answered {
    /// `[count, answers, n_0]`, bytes 0 and 1; known units are unchanged.
    pub bits: Vec<u8>,
    /// Statistics of each search; zero if there was none.
    pub searches: Vec<SearchInfo>,
    /// How probable each class of each example is, if read.
    pub classes: Vec<Vec<f64>>,
    /// The chains at their end.
    pub chains: Completer,
}

impl<M: Deref<Target = Dbm>> Answers<M> {
    /// Answers to be drawn. Each depends only on the model, its question, the seed and its number.
    ///
    /// # Panics
    /// If the questions do not have the model's shape, or the model does not have the given class.
    pub fn new(model: M, questions: Questions, answering: AnswerSettings, seed: u64) -> Self {
        let mut job = Self { model, questions, answering, seed, stage: AnswerStage::Ended, classes: vec![], read: 0 };
        job.stage = match answering.classes {
            Classes::Read(ClassReading::Chains) | Classes::Likeliest(ClassReading::Chains) => {
                let (visible, known) = job.questions.each(VOTERS);
                let first = FIRST_VOTER + (job.questions.first * VOTERS) as u64;
                let chains = Completer::complete(&job.model, visible, known, seed, first);
                let schedule = if answering.clean_up { READING } else { answering.schedule };
                AnswerStage::Reads { chains, so_far: complete::ClassReading::default(), schedule }
            }
            Classes::Read(ClassReading::MeanField) | Classes::Likeliest(ClassReading::MeanField) => {
                job.classes = predictions(&job.model, &job.questions.visible, &job.questions.known);
                job.begins()
            }
            Classes::Free | Classes::Given(_) => job.begins(),
        };
        job
    }

    /// The chains of the answers at their start, each clamped to its class, if it has one.
    fn begins(&self) -> AnswerStage {
        let answers = self.answering.answers as usize;
        let (visible, known) = self.questions.each(answers);
        let (model, first) = (&*self.model, (self.questions.first * answers) as u64);
        let classes: Vec<usize> = match self.answering.classes {
            Classes::Free => vec![],
            Classes::Given(class) => vec![class; visible.rows()],
            Classes::Read(_) => self.classes.iter().flat_map(|of| shared(of, answers)).collect(),
            Classes::Likeliest(_) => self.classes.iter().flat_map(|of| vec![likeliest(of); answers]).collect(),
        };
        let chains = match classes.as_slice() {
            _ if self.answering.clean_up => Completer::clean_up(model, visible, known, self.seed, first, MAX_SWEEPS),
            [] => Completer::complete(model, visible, known, self.seed, first),
            classes => Completer::complete_class(model, visible, known, classes, (self.seed, first)),
        };
        AnswerStage::Answers { chains, done: 0 }
    }
}

impl<'m> Answers<&'m Dbm> {
    /// The chain of the first answer at its start; uses a given class, but none that would have to be read.
    pub fn first(model: &'m Dbm, questions: &Questions, answering: AnswerSettings, seed: u64) -> Completer {
        let classes = if let Classes::Given(_) = answering.classes { answering.classes } else { Classes::Free };
        let answering = AnswerSettings { answers: 1, clean_up: false, classes, ..answering };
        match Self::new(model, questions.clone(), answering, seed).stage {
            AnswerStage::Answers { chains, .. } | AnswerStage::Reads { chains, .. } => chains,
            AnswerStage::Ended => unreachable!("it has just begun"),
        }
    }
}

/// What each group of `VOTERS` chains says together, question by question.
fn together(votes: &[Vec<f64>]) -> Vec<f64> {
    (0..votes[0].len()).map(|class| votes.iter().map(|vote| vote[class]).sum::<f64>() / votes.len() as f64).collect()
}

impl<M: Deref<Target = Dbm>> Job for Answers<M> {
    type Result = Answered;

    /// One sweep of all chains.
    fn advance(&mut self) -> Result<Progress<Answered>, EngineError> {
        let (model, AnswerSettings { schedule, search, .. }) = (&*self.model, self.answering);
        let (mut done, mut to_read) = (0, 0);
        match &mut self.stage {
            AnswerStage::Reads { chains, so_far, schedule } => {
                if so_far.advance(chains, model, *schedule, MAX_SWEEPS) {
                    self.read += 1;
                    to_read = schedule.sweeps().saturating_sub(self.read);
                } else {
                    let votes = std::mem::take(so_far).probabilities();
                    self.classes = votes.chunks(VOTERS).map(together).collect();
                    self.stage = self.begins();
                }
            }
            AnswerStage::Answers { chains, done: behind } => {
                if chains.advance(model, schedule, *behind, MAX_SWEEPS) {
                    *behind += 1;
                    done = *behind;
                } else if let AnswerStage::Answers { mut chains, .. } = std::mem::replace(&mut self.stage, AnswerStage::Ended) {
                    let (bits, searches) = if search {
                        chains.finish(model, MAX_SWEEPS)
                    } else {
                        let bits = chains.visible_bits();
                        let count = bits.len() / model.n_visible();
                        (bits, vec![SearchInfo::default(); count])
                    };
                    return Ok(Progress::Ends(Answered { bits, searches, classes: std::mem::take(&mut self.classes), chains }));
                }
            }
            AnswerStage::Ended => {}
        }
        Ok(Progress::Goes { done: self.read + done, total: self.read + to_read + schedule.sweeps() })
    }
}
