//! The queue of work for the device.

use crate::Gpu;
use wgpu::{BindGroupDescriptor, BindGroupEntry, BindingResource, Buffer, BufferBinding, CommandEncoder, ComputePipeline};

/// Maximum number of workgroups per dimension: what every device allows.
const MOST_GROUPS: u64 = 65_535;

/// Kernel runs and copies. They are submitted by [`KernelBatch::submit`], or earlier if they would take too long in one submission.
pub(crate) struct KernelBatch<'g> {
    gpu: &'g Gpu,
    encoder: CommandEncoder,
    operations: u64,
}

impl Gpu {
    /// The queued work, in order.
    pub(crate) fn begin(&self) -> KernelBatch<'_> {
        KernelBatch { gpu: self, encoder: self.encoder(), operations: 0 }
    }
}

impl KernelBatch<'_> {
    /// Queues one run of a kernel with this many workgroups and approximately this many operations; `bindings` are in order. The workgroups
    /// are spread over two dimensions: a kernel computes its number as `group.y * groups.x + group.x`, and does nothing if it is too high.
    /// `group.y * groups.x + group.x`, and does nothing if it is too high.
    pub fn run(&mut self, kernel: &ComputePipeline, bindings: &[BufferBinding], groups: u64, operations: u64) {
        if self.operations > 0 && self.operations + operations > self.gpu.limits.operations {
            self.gpu.submit(std::mem::replace(&mut self.encoder, self.gpu.encoder()));
            self.operations = 0;
        }
        self.operations += operations;
        let entries = bindings.iter().enumerate();
        let entries: Vec<_> = entries
            .map(|(number, part)| BindGroupEntry { binding: number as u32, resource: BindingResource::Buffer(part.clone()) })
            .collect();
        let layout = &kernel.get_bind_group_layout(0);
        let group = self.gpu.device.create_bind_group(&BindGroupDescriptor { label: None, layout, entries: &entries });
        let mut pass = self.encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(kernel);
        pass.set_bind_group(0, &group, &[]);
        let [x, y] = spread(groups);
        pass.dispatch_workgroups(x, y, 1);
    }

    /// Queues a copy from one buffer to another of the same size.
    pub fn copy(&mut self, from: &Buffer, to: &Buffer) {
        self.encoder.copy_buffer_to_buffer(from, 0, to, 0, from.size());
    }

    /// Submits everything.
    pub fn submit(self) {
        self.gpu.submit(self.encoder);
    }
}

/// At least this many workgroups, and few more, in two dimensions.
fn spread(groups: u64) -> [u32; 2] {
    let y = groups.div_ceil(MOST_GROUPS).max(1);
    [groups.div_ceil(y) as u32, y as u32]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workgroups_are_enough_and_few_too_many() {
        for groups in [0, 1, 2, 65_535, 65_536, 70_001, 1 << 20, (1 << 30) + 1] {
            let [x, y] = spread(groups).map(u64::from);
            assert!(x <= MOST_GROUPS && y <= MOST_GROUPS, "{groups}: {x} x {y}");
            assert!(x * y >= groups && x * y < groups + y, "{groups}: {x} x {y}");
        }
    }
}
