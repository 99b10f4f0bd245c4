//! Work that is done piece by piece.

use crate::EngineError;

/// How far a job is.
pub enum Progress<T> {
    /// There is more to do: so many parts of so many are done.
    Goes {
        /// Parts done,
        done: u32,
        /// and of how many.
        total: u32,
    },
    /// It is done, with this result.
    Ends(T),
}

/// Work that is done piece by piece. To cancel it is to drop it.
pub trait Job {
    /// What comes of it.
    type Result;

    /// Does the next piece, which takes milliseconds. Not to be called once the job has ended.
    ///
    /// # Errors
    /// Why there will be no result.
    fn advance(&mut self) -> Result<Progress<Self::Result>, EngineError>;

    /// Does the rest at once.
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
