//! What is asked of a device at once.

/// The most that a device is given at once. What is more goes through it in parts, and comes to the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GpuLimits {
    /// Bytes of a buffer that a kernel is given; fewer where the device allows no more.
    pub bound: u64,
    /// Additions and multiplications of one submission: a system ends what holds its screen up for seconds.
    pub operations: u64,
}

impl Default for GpuLimits {
    /// As many bytes as the device allows, and a quarter of a second at 1 TFLOP/s.
    fn default() -> Self {
        Self { bound: u64::MAX, operations: 1 << 38 }
    }
}
