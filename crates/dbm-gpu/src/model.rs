//! A model's parameters on the device.

use crate::matrix::GpuMatrix;
use crate::{Gpu, GpuError};
use dbm_core::linalg::Matrix;
use dbm_core::{Dbm, Parameters, Units};
use wgpu::Buffer;

/// A model on a GPU: one copy of its weights, `W_l: [n_l, n_{l+1}]`, which the kernels read both ways.
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
    /// [`GpuError::TooLarge`] where a weight matrix is more than a buffer of the device holds.
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

    /// Puts another model's parameters in place of these.
    pub(crate) fn write(&mut self, gpu: &Gpu, model: &Dbm) {
        self.weights.iter().zip(model.weights()).for_each(|(to, from)| gpu.write(to.buffer(), from.data()));
        self.biases.iter().zip(model.biases()).for_each(|(to, from)| gpu.write(to, from));
    }

    /// Units in each layer, the visible one first.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// `L`: hidden layers.
    pub fn depth(&self) -> usize {
        self.weights.len()
    }

    /// The parameters as they are on the device: `weights[l]`, row-major `[n_l, n_{l+1}]`, and `biases[l]`, `[n_l]`.
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
