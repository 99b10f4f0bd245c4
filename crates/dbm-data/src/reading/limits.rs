//! All limits on reading, in one place.

pub(crate) use crate::gzip::MAX_EXPANSION;
use crate::{DataError, MAX_DATA};

/// More files at once, dropped or in an archive, are refused.
pub const MAX_FILES: usize = 100_000;

/// A JPEG file with more pixels per byte than this is refused before anything is decoded. A photograph has about 5; a large blank one some
/// hundred.
pub const MAX_JPEG_EXPANSION: usize = 2048;

/// A picture larger than this is refused before it is decoded: 2^28 pixels, five times a sheet of all MNIST.
pub const MAX_PIXELS: usize = 1 << 28;

/// A sparse array that takes more than this many bytes, 4 a place, for each byte received is refused. One of which a thousandth is stored,
/// packed, takes some 2000.
pub const MAX_DENSE_EXPANSION: usize = 4096;

/// The remaining budget for unpacking: [`MAX_DATA`] bytes in all, however the files are nested.
pub(crate) struct Budget {
    left: usize,
}

impl Budget {
    pub fn new() -> Self {
        Self { left: MAX_DATA }
    }

    /// Takes this many bytes from it.
    ///
    /// # Errors
    /// [`DataError::Format`] if not enough are left.
    pub fn take(&mut self, name: &str, bytes: u128) -> Result<(), DataError> {
        let left = usize::try_from(bytes).ok().and_then(|bytes| self.left.checked_sub(bytes));
        self.left = left.ok_or_else(|| DataError::too_large(name, (MAX_DATA - self.left) as u128 + bytes))?;
        Ok(())
    }

    /// Remaining bytes.
    pub fn left(&self) -> usize {
        self.left
    }
}
