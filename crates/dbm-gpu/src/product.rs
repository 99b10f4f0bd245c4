//! A matrix product on the device, from which fields and gradients are computed.

use crate::Gpu;
use crate::kernel_batch::KernelBatch;
use bytemuck::{Pod, Zeroable};
use wgpu::{Buffer, BufferBinding};

/// Size of the tile that a workgroup computes, in each direction.
const TILE: usize = 64;

/// The term added to a product.
#[derive(Clone, Copy)]
pub(crate) enum Begin<'a> {
    /// The previous content.
    Present,
    /// This row, as wide as the result's matrix, for all rows.
    Row(&'a Buffer),
    /// This matrix, laid out like the result.
    Rows(&'a Buffer),
    /// Nothing.
    Zero,
}

/// Some columns of a matrix.
#[derive(Clone, Copy)]
pub(crate) struct Columns<'a> {
    pub buffer: &'a Buffer,
    /// Number of columns of the complete matrix.
    pub width: usize,
    /// The first of the selected columns.
    pub first: usize,
}

/// `out = begin + alpha left right`, `[rows, inputs]` times `[inputs, outputs]`.
pub(crate) struct Product<'a> {
    pub left: Columns<'a>,
    /// Whether the left factor is stored as `[inputs, rows]`.
    pub left_transposed: bool,
    pub right: BufferBinding<'a>,
    /// Whether the right factor is stored as `[outputs, inputs]`.
    pub right_transposed: bool,
    pub rows: usize,
    pub inputs: usize,
    pub outputs: usize,
    pub alpha: f32,
    pub begin: Begin<'a>,
    pub out: Columns<'a>,
}

/// Must match product.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Shape {
    first_row: u32,
    rows: u32,
    inputs: u32,
    outputs: u32,
    left_transposed: u32,
    left_width: u32,
    left_first: u32,
    right_transposed: u32,
    out_width: u32,
    out_first: u32,
    begins: u32,
    alpha: f32,
}

impl Product<'_> {
    /// Queues it: some rows at a time, if all of them take too long for one submission.
    pub fn add_to(self, gpu: &Gpu, work: &mut KernelBatch) {
        // With no initial term, the binding is some buffer that is read anyway.
        let (begins, start) = match self.begin {
            Begin::Present => (0, self.right.clone()),
            Begin::Row(start) => (1, start.as_entire_buffer_binding()),
            Begin::Zero => (2, self.right.clone()),
            Begin::Rows(start) => (3, start.as_entire_buffer_binding()),
        };
        let a_row = (2 * self.inputs * self.outputs) as u64;
        gpu.count(self.rows as u64 * a_row / 2);
        let tiles = (gpu.limits.operations / (TILE as u64 * a_row.max(1))).max(1);
        let most = usize::try_from(tiles).unwrap_or(usize::MAX).saturating_mul(TILE);
        for first_row in (0..self.rows).step_by(most) {
            let end = first_row.saturating_add(most).min(self.rows);
            let shape = Shape {
                first_row: first_row as u32,
                rows: end as u32,
                inputs: self.inputs as u32,
                outputs: self.outputs as u32,
                left_transposed: u32::from(self.left_transposed),
                left_width: self.left.width as u32,
                left_first: self.left.first as u32,
                right_transposed: u32::from(self.right_transposed),
                out_width: self.out.width as u32,
                out_first: self.out.first as u32,
                begins,
                alpha: self.alpha,
            };
            let rows = end - first_row;
            let groups = self.outputs.div_ceil(TILE) * rows.div_ceil(TILE);
            let numbers = gpu.numbers(&shape);
            let [numbers, left, out] = [&numbers, self.left.buffer, self.out.buffer].map(Buffer::as_entire_buffer_binding);
            let bindings = [numbers, left, self.right.clone(), start.clone(), out];
            work.run(&gpu.kernels.product, &bindings, groups as u64, rows as u64 * a_row);
        }
    }
}
