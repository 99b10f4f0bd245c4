//! Deep Boltzmann machines on a GPU: parameters, states and fields stay on the device, and compute kernels in WGSL move chains there. The
//! page (WebGPU) and the command (Vulkan and Metal) share this code, through `wgpu`.
//!
//! [`Gpu`] is the device, [`GpuModel`] a model on it, [`GpuChains`] a batch of chains, [`GpuOptimizer`] updates the model from them,
//! [`GpuTrainer`] is a run, and [`GpuFootprint`] its memory.
//!
//! Draws come from [`philox`], whose counter is the unit, the chain, the half-sweep and the layer: the same seed gives the same bits on the
//! same device. Another device may add in another order and round `exp` differently: the distribution is the same there, but the bits are
//! not.

mod chains;
mod counted;
mod device;
mod error;
mod footprint;
mod kernel_batch;
mod ladder;
mod limits;
mod matrix;
mod model;
mod optimizer;
mod particles;
mod philox;
mod product;
mod trainer;

pub use chains::{Draws, GpuChains};
pub use device::Gpu;
pub use error::GpuError;
pub use footprint::GpuFootprint;
pub use limits::GpuLimits;
pub use model::GpuModel;
pub use optimizer::{GpuOptimizer, GradientTerm};
pub use philox::{philox, uniform};
pub use trainer::GpuTrainer;
