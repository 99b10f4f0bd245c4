//! All cores, and a clock, for the core.

use crate::Error;
use dbm_core::Host;
use rayon::prelude::*;
use std::time::Instant;

/// A pool of threads and a clock.
pub struct Threads {
    pool: rayon::ThreadPool,
    started: Instant,
}

impl Threads {
    /// So many threads, or one for each core.
    ///
    /// # Errors
    /// [`Error::Usage`] where there are none, or the system refuses them.
    pub fn new(threads: Option<usize>) -> Result<Self, Error> {
        if threads == Some(0) {
            return Err(Error::Usage("--threads should be at least 1, but is 0".into()));
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build();
        let pool = pool.map_err(|error| Error::Usage(format!("cannot start the threads: {error}; give fewer --threads")))?;
        Ok(Self { pool, started: Instant::now() })
    }

    /// How many threads.
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
