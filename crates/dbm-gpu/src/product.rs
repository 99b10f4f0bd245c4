//! A matrix product on the device, of which fields and gradients are made.

use crate::Gpu;
use bytemuck::{Pod, Zeroable};
use wgpu::{Buffer, CommandEncoder};

/// Values that a workgroup makes, each way.
const TILE: usize = 64;

/// What a product is added to.
pub(crate) enum Begin<'a> {
    /// What is there.
    Present,
    /// This row, for all rows.
    Row(&'a Buffer),
    /// Nothing.
    Zero,
}

/// `out = begin + alpha left right`, `[rows, inputs]` times `[inputs, outputs]`.
pub(crate) struct Product<'a> {
    pub left: &'a Buffer,
    /// Where the left factor is the transpose of these columns of a buffer: how many columns it has, and the first of them.
    pub left_columns: Option<(usize, usize)>,
    pub right: &'a Buffer,
    /// Whether the right factor lies as `[outputs, inputs]`.
    pub right_transposed: bool,
    pub rows: usize,
    pub inputs: usize,
    pub outputs: usize,
    pub alpha: f32,
    pub begin: Begin<'a>,
}

/// As product.wgsl has it.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Shape {
    rows: u32,
    inputs: u32,
    outputs: u32,
    left_transposed: u32,
    left_width: u32,
    left_first: u32,
    right_transposed: u32,
    begins: u32,
    alpha: f32,
}

impl Product<'_> {
    /// Adds it to what is to be done.
    pub fn dispatch(&self, gpu: &Gpu, out: &Buffer, encoder: &mut CommandEncoder) {
        let (left_width, left_first) = self.left_columns.unwrap_or_default();
        // Where nothing is to begin with, the binding is something that is read anyhow.
        let (begins, start) = match self.begin {
            Begin::Present => (0, self.right),
            Begin::Row(start) => (1, start),
            Begin::Zero => (2, self.right),
        };
        let shape = Shape {
            rows: self.rows as u32,
            inputs: self.inputs as u32,
            outputs: self.outputs as u32,
            left_transposed: u32::from(self.left_columns.is_some()),
            left_width: left_width as u32,
            left_first: left_first as u32,
            right_transposed: u32::from(self.right_transposed),
            begins,
            alpha: self.alpha,
        };
        let groups = [self.outputs.div_ceil(TILE) as u32, self.rows.div_ceil(TILE) as u32];
        let buffers = [&gpu.numbers(&shape), self.left, self.right, start, out];
        gpu.dispatch(encoder, &gpu.kernels.product, &buffers, groups);
    }
}
