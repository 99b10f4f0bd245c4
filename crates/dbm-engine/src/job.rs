//! Work that is done in pieces.

use crate::EngineError;

/// How far a job is.
pub enum Progress<T> {
    /// There is more to do: this many parts of the total are done.
    Goes {
        /// Parts done.
        done: u32,
        /// Total parts.
        total: u32,
    },
    /// It is done, with this result.
    Ends(T),
}

/// Work that is done in pieces. Dropping it cancels it.
pub trait Job {
    /// Its result.
    type Result;

    /// Does the next piece, which takes milliseconds. Must not be called after the job has ended.
    ///
    /// # Errors
    /// Why there will be no result.
    fn advance(&mut self) -> Result<Progress<Self::Result>, EngineError>;

    /// Does the rest in one call.
    ///
    /// # Errors
    /// Those of [`Job::advance`].
    fn finish(mut self) -> Result<Self::Result, EngineError>
    where
        Self: Sized,
    {
        loop {
            if let Progress::Ends(result) = self.advance()? {
                return Ok(result);
            }
        }
    }
}
