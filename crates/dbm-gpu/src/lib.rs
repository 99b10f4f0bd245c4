//! Deep Boltzmann machines on a GPU: parameters, states and fields stay on the device, and compute kernels in WGSL move chains there. One code for the page (WebGPU) and the
//! command (Vulkan and Metal), through `wgpu`.
//!
//! [`Gpu`] is the device, [`GpuModel`] a model on it, [`GpuChains`] a batch of chains, [`GpuOptimizer`] what moves the model by them, and [`GpuTrainer`] a run; [`GpuFootprint`] is the memory that it takes.
//!
//! Draws come from [`philox`], whose counter is the unit, the chain, the half-sweep and the layer: the same seed gives the same bits on the same device. Another device may add in another
//! order, and round `exp` otherwise: there the distribution is the same, and the bits are not.

mod chains;
mod counted;
mod device;
mod error;
mod footprint;
mod ladder;
mod limits;
mod matrix;
mod model;
mod optimizer;
mod particles;
mod philox;
mod product;
mod trainer;
mod work;

pub use chains::{Draws, GpuChains};
pub use device::Gpu;
pub use error::GpuError;
pub use footprint::GpuFootprint;
pub use limits::GpuLimits;
pub use model::GpuModel;
pub use optimizer::{GpuOptimizer, Part};
pub use philox::{philox, uniform};
pub use trainer::GpuTrainer;
