//! What work is done with.

use crate::memory::Limit;
use crate::threads::Threads;
use crate::{Error, Progress, Silent};
use dbm_core::Host;
use std::ops::Range;

/// Threads and a clock, the memory there is, and where progress is reported.
pub struct Session {
    threads: Threads,
    /// What a model may take.
    pub memory: Limit,
    /// Receives how far work has come.
    pub progress: Box<dyn Progress>,
}

impl Session {
    /// On these threads.
    pub fn new(threads: Threads, memory: Limit, progress: Box<dyn Progress>) -> Self {
        Self { threads, memory, progress }
    }

    /// On so many threads, all available memory, and no reports.
    ///
    /// # Errors
    /// Those of [`Threads::new`].
    pub fn silent(threads: usize) -> Result<Self, Error> {
        Ok(Self::new(Threads::new(Some(threads))?, Limit::new(None), Box::new(Silent)))
    }

    /// What `make` makes of every `each` of so many things, in parallel and reported; in their order.
    pub fn in_parts<R: Send>(
        &self,
        unit: &str,
        things: Range<usize>,
        each: usize,
        make: impl Fn(Range<usize>) -> R + Sync + Send,
    ) -> Vec<R> {
        self.progress.begin(unit, things.len() as u64);
        let parts = self.map(things.clone().step_by(each).collect(), |start| {
            let part = start..(start + each).min(things.end);
            let done = part.len() as u64;
            let made = make(part);
            self.progress.advance(done);
            made
        });
        self.progress.end();
        parts
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.threads.count()
    }
}

impl Host for Session {
    fn map<T: Send, R: Send>(&self, items: Vec<T>, f: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
        self.threads.map(items, f)
    }

    fn now(&self) -> f64 {
        self.threads.now()
    }
}

/// One thread of a session's, with its clock: for work that is itself one of many things done in parallel.
pub(crate) struct OneThread<'a>(pub &'a Session);

impl Host for OneThread<'_> {
    fn map<T: Send, R: Send>(&self, items: Vec<T>, f: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
        items.into_iter().map(f).collect()
    }

    fn now(&self) -> f64 {
        self.0.now()
    }
}
