//! A matrix on the device, of which a kernel may only get some rows at once.

use crate::{Gpu, GpuError};
use std::ops::Range;
use wgpu::{Buffer, BufferBinding};

/// Required alignment of a part of a buffer, in bytes, on every device.
const ALIGNMENT: usize = 256;
const VALUE: usize = size_of::<f32>();

/// A row-major matrix of f32 in one buffer. If that is more than the device binds at once, kernels take it in blocks of rows; otherwise one
/// block is all of it.
pub(crate) struct GpuMatrix {
    buffer: Buffer,
    rows: usize,
    columns: usize,
    /// Rows per block.
    block: usize,
}

impl GpuMatrix {
    /// All 0; the name is for messages.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] if it does not fit into a buffer, or its smallest block into a binding.
    pub fn zeros(gpu: &Gpu, what: &str, rows: usize, columns: usize) -> Result<Self, GpuError> {
        let limit = gpu.most_bound();
        let block = block(rows, columns, usize::try_from(limit).unwrap_or(usize::MAX)).ok_or_else(|| {
            let bytes = (VALUE * columns * aligned_rows(columns)) as u64;
            GpuError::TooLarge { what: format!("a block of rows of {what}"), bytes, limit }
        })?;
        Ok(Self { buffer: gpu.in_blocks(what, (VALUE * rows * columns) as u64)?, rows, columns, block })
    }

    /// The complete buffer: to be read, or written by the processor.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// The blocks for kernels: rows of each.
    pub fn blocks(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let (rows, block) = (self.rows, self.block);
        (0..rows).step_by(block).map(move |first| first..(first + block).min(rows))
    }

    /// One of these blocks.
    pub fn bind(&self, block: &Range<usize>) -> BufferBinding<'_> {
        let bytes = |rows: usize| (VALUE * self.columns * rows) as u64;
        BufferBinding { buffer: &self.buffer, offset: bytes(block.start), size: std::num::NonZero::new(bytes(block.len())) }
    }
}

/// The number of rows that together end at a multiple of [`ALIGNMENT`].
fn aligned_rows(columns: usize) -> usize {
    let values = ALIGNMENT / VALUE;
    // A power of two: its greatest common divisor with the columns is a power of two as well.
    values / values.min(1 << columns.trailing_zeros().min(usize::BITS - 2))
}

/// Rows in a block of at most this many bytes, if there can be one.
fn block(rows: usize, columns: usize, limit: usize) -> Option<usize> {
    let most = limit / (VALUE * columns);
    if rows <= most {
        return Some(rows);
    }
    let aligned = aligned_rows(columns);
    Some(most / aligned * aligned).filter(|&block| block > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_aligned_and_within_the_limit() {
        for columns in [1, 2, 7, 24, 48, 64, 130, 500, 6272] {
            let aligned = aligned_rows(columns);
            assert!((VALUE * columns * aligned).is_multiple_of(ALIGNMENT), "{columns}");
            assert!((1..aligned).all(|fewer| !(VALUE * columns * fewer).is_multiple_of(ALIGNMENT)), "{columns}");
            for limit in [1 << 12, 1 << 16, 1 << 27] {
                match block(6272, columns, limit) {
                    Some(6272) => assert!(VALUE * columns * 6272 <= limit),
                    Some(block) => {
                        let bytes = VALUE * columns * block;
                        assert!(bytes <= limit && bytes.is_multiple_of(ALIGNMENT) && VALUE * columns * 6272 > limit);
                    }
                    None => assert!(VALUE * columns * aligned > limit, "{columns}, {limit}"),
                }
            }
        }
    }
}
