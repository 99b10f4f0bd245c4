//! Limits on a single request to a device.

/// The most that a device gets at once. Anything larger is processed in parts, with the same result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GpuLimits {
    /// Bytes of a buffer bound to a kernel; fewer if the device allows no more.
    pub bound: u64,
    /// Additions and multiplications per submission: systems stop work that blocks the screen for seconds.
    pub operations: u64,
}

impl Default for GpuLimits {
    /// As many bytes as the device allows, and a quarter of a second at 1 TFLOP/s.
    fn default() -> Self {
        Self { bound: u64::MAX, operations: 1 << 38 }
    }
}
