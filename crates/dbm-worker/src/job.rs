//! Long requests: done in slices, so that others are handled between two of them, and cancelled by being dropped.

use crate::clock::now;
use crate::pool::{OnGpu, PeerMessage, WorkerPool};
use dbm_core::DbmError;
use dbm_data::DataError;
use dbm_engine::Progress;
use dbm_protocol::{Event, GpuEvent};
use std::ops::RangeInclusive;

/// Work on a request.
pub trait LongJob {
    /// Works until the clock shows `until`, at least once.
    ///
    /// # Errors
    /// In words; the request has then failed.
    fn work(&mut self, until: f64, pool: &mut WorkerPool) -> Result<Slice, String>;

    /// Whether it has the pool's helpers, so that training must do without them.
    fn has_helpers(&self) -> bool {
        false
    }

    /// Takes in a message from a helper.
    ///
    /// # Errors
    /// If it cannot belong to this work.
    fn receive(&mut self, _message: PeerMessage) -> Result<(), DbmError> {
        Ok(())
    }

    /// Takes in an answer of the GPU's worker.
    ///
    /// # Errors
    /// If it cannot belong to this work.
    fn receive_from_gpu(&mut self, _session: u32, _event: GpuEvent) -> Result<(), DataError> {
        Ok(())
    }

    /// Its steps on the GPU, if it has any under way.
    fn on_gpu(&self) -> Option<&OnGpu> {
        None
    }

    /// For work that has the helpers: parts done, and the total.
    fn done(&self) -> (u32, u32) {
        (0, 0)
    }

    /// If its answer is samples: the step of their model, and their mean free energy.
    fn free_energy(&self, _answer: &Event) -> Option<(u32, f64)> {
        None
    }
}

/// A request being worked on; without an id it is training's own.
pub struct Job {
    pub id: Option<u32>,
    pub work: Box<dyn LongJob>,
}

/// How a slice of a job ended.
pub enum Slice {
    /// There is more to do, and nothing to report.
    Goes,
    /// There is nothing to do until a helper sends something.
    Waits,
    /// There is more to do: this many parts of the total are done. The stage is in words, or empty if the request says it.
    Progress { stage: &'static str, done: u32, total: u32 },
    /// There is more to do, and this to show meanwhile.
    Shows(Box<Event>),
    /// The request is answered.
    Ends(Box<Event>),
}

impl Slice {
    /// The request ends with this answer.
    #[expect(clippy::unnecessary_wraps, reason = "what a step of any work gives")]
    pub fn ends(event: Event) -> Result<Self, String> {
        Ok(Self::Ends(Box::new(event)))
    }
}

/// A job of the engine, in slices, whose result becomes the answer.
pub struct Sliced<J, F> {
    job: J,
    event: Option<F>,
}

impl<J: dbm_engine::Job + 'static, F: FnOnce(J::Result) -> Event + 'static> Sliced<J, F> {
    pub fn work(job: J, event: F) -> Box<dyn LongJob> {
        Box::new(Self { job, event: Some(event) })
    }
}

impl<J: dbm_engine::Job, F: FnOnce(J::Result) -> Event> LongJob for Sliced<J, F> {
    fn work(&mut self, until: f64, _: &mut WorkerPool) -> Result<Slice, String> {
        match (slice(&mut self.job, until)?, &mut self.event) {
            (Ok(result), event) => Slice::ends(event.take().map_or(Event::Cancelled, |event| event(result))),
            (Err((done, total)), _) => Ok(Slice::Progress { stage: "", done, total }),
        }
    }
}

/// Works on a job until the clock shows `until`. Returns its result, or the parts done and the total.
pub fn slice<J: dbm_engine::Job>(job: &mut J, until: f64) -> Result<Result<J::Result, (u32, u32)>, String> {
    loop {
        match job.advance().map_err(|error| error.to_string())? {
            Progress::Ends(result) => return Ok(Ok(result)),
            Progress::Goes { done, total } if now() >= until => return Ok(Err((done, total))),
            Progress::Goes { .. } => {}
        }
    }
}

/// Refuses an argument outside its range.
///
/// # Errors
/// In words: what it should be, and what it is.
pub fn within(what: &str, value: u32, range: RangeInclusive<u32>) -> Result<(), String> {
    if range.contains(&value) {
        return Ok(());
    }
    Err(format!("{what} should be from {} to {}, but is {value}", range.start(), range.end()))
}
