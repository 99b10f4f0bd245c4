//! The resources of a piece of work.

use crate::memory::Limit;
use crate::{Error, ProgressReport, Silent};
use dbm_core::{DbmError, Host};
use dbm_engine::ByRow;
use rayon::prelude::*;
use std::ops::Range;
use std::time::Instant;

/// Rows of a table that one thread processes together.
const ROWS: usize = 4;

/// Threads and a clock, the available memory, and a receiver of progress reports.
pub struct Workbench {
    pool: rayon::ThreadPool,
    started: Instant,
    /// Maximum memory for a model.
    pub memory: Limit,
    /// Receives progress reports.
    pub progress: Box<dyn ProgressReport>,
}

impl Workbench {
    /// With this many threads, or one per core.
    ///
    /// # Errors
    /// [`Error::Usage`] for zero threads, or if the system refuses them.
    pub fn new(threads: Option<usize>, memory: Limit, progress: Box<dyn ProgressReport>) -> Result<Self, Error> {
        if threads == Some(0) {
            return Err(Error::Usage("--threads should be at least 1, but is 0".into()));
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build();
        let pool = pool.map_err(|error| Error::Usage(format!("cannot start the threads: {error}; give fewer --threads")))?;
        Ok(Self { pool, started: Instant::now(), memory, progress })
    }

    /// With this many threads, all available memory, and no reports.
    ///
    /// # Errors
    /// Those of [`Workbench::new`].
    pub fn silent(threads: usize) -> Result<Self, Error> {
        Self::new(Some(threads), Limit::new(None), Box::new(Silent))
    }

    /// The results of `make` for each of this many items, in groups of `each`, in parallel and with progress reports; in order.
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

    /// Does row-by-row work in parallel, with progress reports; the result of each row, in order.
    ///
    /// # Errors
    /// Those of the work.
    pub fn by_row<W: ByRow<Row: Send> + Sync>(&self, work: &W) -> Result<Vec<W::Row>, DbmError> {
        let parts = self
            .in_parts("rows", 0..work.rows(), ROWS, |rows| rows.map(|row| work.row(row)).collect::<Result<Vec<_>, DbmError>>());
        let parts = parts.into_iter().collect::<Result<Vec<_>, _>>()?;
        Ok(parts.into_iter().flatten().collect())
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }
}

impl Host for Workbench {
    fn map<T: Send, R: Send>(&self, items: Vec<T>, f: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
        self.pool.install(|| items.into_par_iter().with_max_len(1).map(f).collect())
    }

    fn now(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }
}

/// One of a session's threads, with its clock: for work that is itself one of many parallel items.
pub(crate) struct OneThread<'a>(pub &'a Workbench);

impl Host for OneThread<'_> {
    fn map<T: Send, R: Send>(&self, items: Vec<T>, f: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
        items.into_iter().map(f).collect()
    }

    fn now(&self) -> f64 {
        self.0.now()
    }
}
