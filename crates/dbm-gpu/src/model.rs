//! A model's parameters on the device.

use crate::matrix::GpuMatrix;
use crate::{Gpu, GpuError};
use bytemuck::{Pod, Zeroable};
use dbm_core::linalg::Matrix;
use dbm_core::{Dbm, Parameters, Units};
use wgpu::{Buffer, BufferBinding};

/// Threads per workgroup.
const THREADS: usize = 256;

/// Must match blend.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct BlendShape {
    count: u32,
    of_first: f32,
    of_second: f32,
}

/// A model on a GPU, with one copy of its weights, `W_l: [n_l, n_{l+1}]`, which the kernels read in both directions.
pub struct GpuModel {
    pub(crate) units: Units,
    pub(crate) sizes: Vec<usize>,
    pub(crate) weights: Vec<GpuMatrix>,
    pub(crate) biases: Vec<Buffer>,
}

impl GpuModel {
    /// A copy of a model.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] if a weight matrix exceeds a buffer of the device.
    pub fn new(gpu: &Gpu, model: &Dbm) -> Result<Self, GpuError> {
        let upload = |(l, weight): (usize, &Matrix)| {
            let matrix = GpuMatrix::zeros(gpu, &format!("weight.{l}"), weight.rows(), weight.columns())?;
            gpu.write(matrix.buffer(), weight.data());
            Ok(matrix)
        };
        let biases = model.biases().iter().enumerate();
        Ok(Self {
            units: model.units(),
            sizes: model.sizes().to_vec(),
            weights: model.weights().iter().enumerate().map(upload).collect::<Result<_, GpuError>>()?,
            biases: biases.map(|(l, bias)| gpu.upload(&format!("bias.{l}"), bias)).collect::<Result<_, _>>()?,
        })
    }

    /// A model of another's shape, with all parameters 0.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`].
    pub(crate) fn like(gpu: &Gpu, model: &Self) -> Result<Self, GpuError> {
        let weight = |(l, pair): (usize, &[usize])| GpuMatrix::zeros(gpu, &format!("weight.{l}"), pair[0], pair[1]);
        let bias = |(l, &n): (usize, &usize)| gpu.zeros(&format!("bias.{l}"), n);
        Ok(Self {
            units: model.units,
            sizes: model.sizes.clone(),
            weights: model.sizes.windows(2).enumerate().map(weight).collect::<Result<_, _>>()?,
            biases: model.sizes.iter().enumerate().map(bias).collect::<Result<_, _>>()?,
        })
    }

    /// Sets this to the interpolation `beta` of the way from independent units to a model: with `beta` times its weights, except the first
    /// `whole` matrices, which are unscaled, and with biases interpolated between those of the units and its own.
    pub(crate) fn blend(&mut self, gpu: &Gpu, model: &Self, biases: &[Buffer], (beta, whole): (f32, usize)) {
        let mut work = gpu.begin();
        let mut blend = |count: usize, (of_first, of_second): (f32, f32), tensors: [BufferBinding; 3]| {
            let numbers = gpu.numbers(&BlendShape { count: count as u32, of_first, of_second });
            let [first, second, out] = tensors;
            let bindings = [numbers.as_entire_buffer_binding(), first, second, out];
            work.run(&gpu.kernels.blend, &bindings, count.div_ceil(THREADS) as u64, count as u64);
        };
        for (l, (to, from)) in self.weights.iter().zip(&model.weights).enumerate() {
            for block in from.blocks() {
                let tensors = [from.bind(&block), from.bind(&block), to.bind(&block)];
                blend(block.len() * model.sizes[l + 1], (if l < whole { 1.0 } else { beta }, 0.0), tensors);
            }
        }
        for (to, (from, base)) in self.biases.iter().zip(model.biases.iter().zip(biases)) {
            let tensors = [from, base, to].map(Buffer::as_entire_buffer_binding);
            blend(to.size() as usize / size_of::<f32>(), (beta, 1.0 - beta), tensors);
        }
        work.submit();
    }

    /// Replaces these parameters by those of another model.
    pub(crate) fn write(&mut self, gpu: &Gpu, model: &Dbm) {
        self.weights.iter().zip(model.weights()).for_each(|(to, from)| gpu.write(to.buffer(), from.data()));
        self.biases.iter().zip(model.biases()).for_each(|(to, from)| gpu.write(to, from));
    }

    /// Units in each layer, the visible one first.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// `L`: number of hidden layers.
    pub fn depth(&self) -> usize {
        self.weights.len()
    }

    /// The parameters on the device: `weights[l]`, row-major `[n_l, n_{l+1}]`, and `biases[l]`, `[n_l]`.
    ///
    /// # Errors
    /// [`GpuError::Failed`].
    pub async fn parameters(&self, gpu: &Gpu) -> Result<Parameters, GpuError> {
        Ok(Parameters {
            weights: gpu.read_all(self.weights.iter().map(GpuMatrix::buffer)).await?,
            biases: gpu.read_all(&self.biases).await?,
        })
    }
}
