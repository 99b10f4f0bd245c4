//! The gradient from chains, and the parameter update: block by block, without storing the complete gradient.

use crate::kernel_batch::KernelBatch;
use crate::matrix::GpuMatrix;
use crate::product::{Begin, Columns, Product};
use crate::{Gpu, GpuChains, GpuError, GpuModel};
use bytemuck::{Pod, Zeroable};
use dbm_core::optimize::OptimizerRule;
use dbm_core::{OptimizerMethod, OptimizerSettings, Parameters, ParametersView};
use std::ops::Range;
use wgpu::{Buffer, BufferBinding};

/// Parameters whose gradient is computed and applied at a time: 16 MB.
const BLOCK: usize = 1 << 22;
const THREADS: usize = 256;
/// Maximum number of moments in the kernel.
pub(crate) const MOMENTS: usize = 3;
/// Approximate number of additions and multiplications in a parameter's step.
const OPERATIONS: usize = 16;

/// Chains that contribute to a gradient.
pub struct GradientTerm<'a> {
    /// The chains.
    pub chains: &'a GpuChains,
    /// The same, each multiplied by its weight, if weights differ.
    pub times: Option<&'a GpuChains>,
    /// The weight of each: `1 / batch` in the positive phase, `-1 / batch` in the negative one.
    pub weight: f32,
    /// Whether half of each state is replaced by its conditional means (Taniguchi et al. 2023, section 4.2), as computed by
    /// [`GpuChains::settle`].
    pub marginalize: bool,
}

/// The optimizer's state on the device.
pub struct GpuOptimizer {
    settings: OptimizerSettings,
    /// For each `W_l`, and for each `b_l` as one row: as many as the method needs.
    weights: Vec<Vec<GpuMatrix>>,
    biases: Vec<Vec<GpuMatrix>>,
    /// A placeholder for those that it does not need.
    unused: Vec<Buffer>,
    gradient: Buffer,
    ones: Buffer,
    /// The length of `ones`.
    most_chains: usize,
}

/// Must match ascend.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Rule {
    count: u32,
    first_parameter: u32,
    method: u32,
    rate: f32,
    momentum: f32,
    beta1: f32,
    beta2: f32,
    epsilon: f32,
    weight_decay: f32,
    first_correction: f32,
    second_correction: f32,
}

impl GpuOptimizer {
    /// In its initial state; parts of gradients will have at most this many chains.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`].
    pub fn new(gpu: &Gpu, model: &GpuModel, settings: OptimizerSettings, most_chains: usize) -> Result<Self, GpuError> {
        let needed = settings.n_moments();
        let moments = |rows: usize, columns: usize| -> Result<Vec<GpuMatrix>, GpuError> {
            (0..needed).map(|k| GpuMatrix::zeros(gpu, &format!("moment {k} of the optimizer"), rows, columns)).collect()
        };
        let weights = model.sizes.windows(2).map(|pair| moments(pair[0], pair[1])).collect::<Result<_, _>>()?;
        let biases = model.sizes.iter().map(|&n| moments(1, n)).collect::<Result<_, _>>()?;
        let unused = (needed..MOMENTS).map(|_| gpu.zeros("no moment", 1)).collect::<Result<_, _>>()?;
        // At least one row of the widest matrix.
        let widest = model.sizes.iter().copied().max().unwrap_or_default();
        let largest = model.sizes.windows(2).map(|pair| pair[0] * pair[1]).max().unwrap_or_default();
        let gradient = gpu.zeros("a block of the gradient", largest.min(most_at_once(gpu)).max(widest))?;
        let ones = gpu.upload("ones", &vec![1.0_f32; most_chains])?;
        Ok(Self { settings, weights, biases, unused, gradient, ones, most_chains })
    }

    /// Sets its state: as many tensors of the model's shape as the method needs.
    pub(crate) fn write(&self, gpu: &Gpu, kept: &[ParametersView]) {
        for (number, kept) in kept.iter().enumerate() {
            self.weights.iter().zip(&kept.weights).for_each(|(to, values)| gpu.write(to[number].buffer(), values));
            self.biases.iter().zip(&kept.biases).for_each(|(to, values)| gpu.write(to[number].buffer(), values));
        }
    }

    /// Its state, as many tensors as the method needs.
    ///
    /// # Errors
    /// [`GpuError::Failed`].
    pub async fn moments(&self, gpu: &Gpu) -> Result<Vec<Parameters>, GpuError> {
        let mut all = Vec::new();
        for number in 0..self.settings.n_moments() {
            let weights = gpu.read_all(self.weights.iter().map(|moments| moments[number].buffer())).await?;
            let biases = gpu.read_all(self.biases.iter().map(|moments| moments[number].buffer())).await?;
            all.push(Parameters { weights, biases });
        }
        Ok(all)
    }

    /// One ascent step along the sum of these parts, after this many earlier steps, with this fraction of its rate.
    ///
    /// # Panics
    /// If a part has more chains than the optimizer was created for.
    pub fn ascend(&mut self, gpu: &Gpu, model: &mut GpuModel, parts: &[GradientTerm], (steps_before, rate): (u64, f64)) {
        assert!(parts.iter().all(|part| part.chains.count() <= self.most_chains), "at most {} chains a part", self.most_chains);
        let rule = self.settings.at(steps_before, rate);
        for (l, (weight, moments)) in model.weights.iter().zip(&self.weights).enumerate() {
            let q = model.sizes[l + 1];
            let at_once = (most_at_once(gpu) / q).max(1);
            for block in weight.blocks() {
                let bound: Vec<BufferBinding> =
                    std::iter::once(weight).chain(moments).map(|matrix| matrix.bind(&block)).collect();
                for first in block.clone().step_by(at_once) {
                    // One submission each: short enough for a system that stops work that blocks the screen.
                    let mut work = gpu.begin();
                    let rows = first..(first + at_once).min(block.end);
                    self.differentiate(gpu, model, parts, l, &rows, &mut work);
                    self.apply(gpu, &rule, &bound, ((first - block.start) * q, rows.len() * q), true, &mut work);
                    work.submit();
                }
            }
        }
        let mut work = gpu.begin();
        for (l, (bias, moments)) in model.biases.iter().zip(&self.biases).enumerate() {
            let n = model.sizes[l];
            let mut begin = Begin::Zero;
            for part in parts {
                let times = part.times.unwrap_or(part.chains);
                let layers = [&times.states[l], &times.means[l]];
                let (layers, alpha) = if part.marginalize { (&layers[..], 0.5) } else { (&layers[..1], 1.0) };
                for right in layers {
                    let product = Product {
                        left: Columns { buffer: &self.ones, width: self.most_chains, first: 0 },
                        left_transposed: false,
                        right: right.as_entire_buffer_binding(),
                        right_transposed: false,
                        rows: 1,
                        inputs: part.chains.count(),
                        outputs: n,
                        alpha: alpha * part.weight,
                        begin,
                        out: Columns { buffer: &self.gradient, width: n, first: 0 },
                    };
                    product.add_to(gpu, &mut work);
                    begin = Begin::Present;
                }
            }
            let moments = moments.iter().map(|moment| moment.buffer().as_entire_buffer_binding());
            let bound: Vec<BufferBinding> = std::iter::once(bias.as_entire_buffer_binding()).chain(moments).collect();
            self.apply(gpu, &rule, &bound, (0, n), false, &mut work);
        }
        work.submit();
    }

    /// Computes these rows of the gradient of `W_l`.
    fn differentiate(
        &self,
        gpu: &Gpu,
        model: &GpuModel,
        parts: &[GradientTerm],
        l: usize,
        rows: &Range<usize>,
        work: &mut KernelBatch,
    ) {
        let (p, q) = (model.sizes[l], model.sizes[l + 1]);
        let mut begin = Begin::Zero;
        for part in parts {
            let chains = part.chains;
            let times = part.times.unwrap_or(chains);
            let pairs = [(&times.states[l], &chains.means[l + 1]), (&times.means[l], &chains.states[l + 1])];
            let whole = [(&times.states[l], &chains.states[l + 1])];
            let (pairs, alpha) = if part.marginalize { (&pairs[..], 0.5) } else { (&whole[..], 1.0) };
            for &(left, right) in pairs {
                let product = Product {
                    left: Columns { buffer: left, width: p, first: rows.start },
                    left_transposed: true,
                    right: right.as_entire_buffer_binding(),
                    right_transposed: false,
                    rows: rows.len(),
                    inputs: chains.count(),
                    outputs: q,
                    alpha: alpha * part.weight,
                    begin,
                    out: Columns { buffer: &self.gradient, width: q, first: 0 },
                };
                product.add_to(gpu, work);
                begin = Begin::Present;
            }
        }
    }

    /// Updates `count` parameters, starting at `first`, by the present block of the gradient; parameters and moments are bound.
    fn apply(
        &self,
        gpu: &Gpu,
        rule: &OptimizerRule,
        bound: &[BufferBinding],
        (first, count): (usize, usize),
        decays: bool,
        work: &mut KernelBatch,
    ) {
        let numbers = Rule {
            count: count as u32,
            first_parameter: first as u32,
            method: match rule.method {
                OptimizerMethod::Sgd => u32::from(self.settings.n_moments() > 0),
                OptimizerMethod::Adam => 2,
                OptimizerMethod::AmsGrad => 3,
            },
            rate: rule.rate,
            momentum: rule.momentum,
            beta1: rule.beta1,
            beta2: rule.beta2,
            epsilon: rule.epsilon,
            weight_decay: if decays { rule.weight_decay } else { 0.0 },
            first_correction: rule.first_correction,
            second_correction: rule.second_correction,
        };
        let numbers = gpu.numbers(&numbers);
        let before = [&numbers, &self.gradient].map(Buffer::as_entire_buffer_binding);
        let unused = self.unused.iter().map(Buffer::as_entire_buffer_binding);
        let bindings: Vec<BufferBinding> = before.into_iter().chain(bound.iter().cloned()).chain(unused).collect();
        work.run(&gpu.kernels.ascend, &bindings, count.div_ceil(THREADS) as u64, (OPERATIONS * count) as u64);
    }
}

/// Parameters whose gradient is computed and applied at a time.
pub(crate) fn most_at_once(gpu: &Gpu) -> usize {
    usize::try_from(gpu.most_bound() / size_of::<f32>() as u64).unwrap_or(usize::MAX).min(BLOCK)
}
