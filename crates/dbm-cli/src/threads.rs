//! All cores, and a clock, for the core.

use crate::error::CliError;
use dbm_core::Host;
use rayon::prelude::*;
use std::time::Instant;

pub struct Threads {
    pool: rayon::ThreadPool,
    started: Instant,
}

impl Threads {
    pub fn new(threads: Option<usize>) -> Result<Self, CliError> {
        if threads == Some(0) {
            return Err(CliError::Usage("--threads should be at least 1, but is 0".into()));
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build();
        let pool = pool.map_err(|error| CliError::Usage(format!("cannot start the threads: {error}; give fewer --threads")))?;
        Ok(Self { pool, started: Instant::now() })
    }

    pub fn count(&self) -> usize {
        self.pool.current_num_threads()
    }
}

impl Host for Threads {
    fn map<T: Send, R: Send>(&self, items: Vec<T>, f: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
        self.pool.install(|| items.into_par_iter().with_max_len(1).map(f).collect())
    }

    fn now(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }
}

/// One thread of those, with their clock: for work that is itself one of many things done in parallel.
pub struct OneThread<'a>(pub &'a Threads);

impl Host for OneThread<'_> {
    fn map<T: Send, R: Send>(&self, items: Vec<T>, f: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
        items.into_iter().map(f).collect()
    }

    fn now(&self) -> f64 {
        self.0.now()
    }
}
