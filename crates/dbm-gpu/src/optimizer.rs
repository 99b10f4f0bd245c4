//! The gradient from chains, and how it moves the parameters: block by block, never stored whole.

use crate::product::{Begin, Product};
use crate::{Gpu, GpuChains, GpuError, GpuModel};
use bytemuck::{Pod, Zeroable};
use dbm_core::optimize::OptimizerRule;
use dbm_core::{OptimizerMethod, OptimizerSettings, Parameters, ParametersView};
use wgpu::{Buffer, CommandEncoder};

/// Parameters whose gradient is made and applied at a time: 16 MB.
const BLOCK: usize = 1 << 22;
const THREADS: usize = 256;
/// Workgroups in a row: every device allows 65 535.
const GROUPS: usize = 1 << 10;

/// Chains whose states enter a gradient.
pub struct Part<'a> {
    /// The chains.
    pub chains: &'a GpuChains,
    /// What each counts: `1 / batch` in the positive phase, `-1 / batch` in the negative one.
    pub weight: f32,
    /// Whether half of each state is replaced by its conditional means (Taniguchi et al. 2023, section 4.2): those that [`GpuChains::settle`] has made.
    pub marginalize: bool,
}

/// The optimizer's state on the device.
pub struct GpuOptimizer {
    settings: OptimizerSettings,
    /// For each `W_l`, and for each `b_l`: as many as the method needs, and small ones in place of the others.
    weights: Vec<[Buffer; 3]>,
    biases: Vec<[Buffer; 3]>,
    gradient: Buffer,
    ones: Buffer,
    /// How long `ones` is.
    most_chains: usize,
}

/// As ascend.wgsl has it.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Rule {
    count: u32,
    first_parameter: u32,
    method: u32,
    groups: u32,
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
    /// At rest; parts of gradients will have at most so many chains.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`].
    pub fn new(gpu: &Gpu, model: &GpuModel, settings: OptimizerSettings, most_chains: usize) -> Result<Self, GpuError> {
        let moments = |count: usize| -> Result<[Buffer; 3], GpuError> {
            let make = |number: usize| {
                let count = if number < settings.n_moments() { count } else { 1 };
                gpu.zeros(&format!("moment {number} of the optimizer"), count)
            };
            Ok([make(0)?, make(1)?, make(2)?])
        };
        let weights = model.sizes.windows(2).map(|pair| moments(pair[0] * pair[1]));
        let weights = weights.collect::<Result<_, _>>()?;
        let biases = model.sizes.iter().map(|&n| moments(n)).collect::<Result<_, _>>()?;
        // At least a row of the widest matrix.
        let widest = model.sizes.iter().copied().max().unwrap_or_default();
        let largest = model.sizes.windows(2).map(|pair| pair[0] * pair[1]).max().unwrap_or_default();
        let gradient = gpu.zeros("a block of the gradient", largest.min(BLOCK).max(widest))?;
        let ones = gpu.upload("ones", &vec![1.0_f32; most_chains])?;
        Ok(Self { settings, weights, biases, gradient, ones, most_chains })
    }

    /// Puts its state in place: as many tensors of the model's shape as the method needs.
    pub(crate) fn write(&self, gpu: &Gpu, kept: &[ParametersView]) {
        for (number, kept) in kept.iter().enumerate() {
            self.weights.iter().zip(&kept.weights).for_each(|(to, values)| gpu.write(&to[number], values));
            self.biases.iter().zip(&kept.biases).for_each(|(to, values)| gpu.write(&to[number], values));
        }
    }

    /// Its state, as many tensors as the method needs.
    ///
    /// # Errors
    /// [`GpuError::Failed`].
    pub async fn moments(&self, gpu: &Gpu) -> Result<Vec<Parameters>, GpuError> {
        let mut all = Vec::new();
        for number in 0..self.settings.n_moments() {
            let weights = gpu.read_all(self.weights.iter().map(|moments| &moments[number])).await?;
            let biases = gpu.read_all(self.biases.iter().map(|moments| &moments[number])).await?;
            all.push(Parameters { weights, biases });
        }
        Ok(all)
    }

    /// One step up the sum of these parts, after so many others.
    ///
    /// # Panics
    /// If a part has more chains than the optimizer was made for.
    pub fn ascend(&mut self, gpu: &Gpu, model: &mut GpuModel, parts: &[Part], steps_before: u64) {
        assert!(parts.iter().all(|part| part.chains.count() <= self.most_chains), "at most {} chains a part", self.most_chains);
        let rule = self.settings.at(steps_before, 1.0);
        for (l, (weight, moments)) in model.weights.iter().zip(&self.weights).enumerate() {
            let (p, q) = (model.sizes[l], model.sizes[l + 1]);
            let rows = (BLOCK / q).clamp(1, p);
            for first in (0..p).step_by(rows) {
                // One submission each: short enough for a system that ends what holds a screen up.
                let mut encoder = gpu.begin();
                let rows = rows.min(p - first);
                let mut begin = Begin::Zero;
                for part in parts {
                    let chains = part.chains;
                    let pairs = [(&chains.states[l], &chains.means[l + 1]), (&chains.means[l], &chains.states[l + 1])];
                    let whole = [(&chains.states[l], &chains.states[l + 1])];
                    let (pairs, alpha) = if part.marginalize { (&pairs[..], 0.5) } else { (&whole[..], 1.0) };
                    for &(left, right) in pairs {
                        let product = Product {
                            left,
                            left_columns: Some((p, first)),
                            right,
                            right_transposed: false,
                            rows,
                            inputs: chains.count(),
                            outputs: q,
                            alpha: alpha * part.weight,
                            begin,
                        };
                        product.dispatch(gpu, &self.gradient, &mut encoder);
                        begin = Begin::Present;
                    }
                }
                self.apply(gpu, &rule, (weight, moments), (first * q, rows * q), true, &mut encoder);
                gpu.submit(encoder);
            }
        }
        let mut encoder = gpu.begin();
        for (l, (bias, moments)) in model.biases.iter().zip(&self.biases).enumerate() {
            let mut begin = Begin::Zero;
            for part in parts {
                let layers = [&part.chains.states[l], &part.chains.means[l]];
                let (layers, alpha) = if part.marginalize { (&layers[..], 0.5) } else { (&layers[..1], 1.0) };
                for right in layers {
                    let product = Product {
                        left: &self.ones,
                        left_columns: None,
                        right,
                        right_transposed: false,
                        rows: 1,
                        inputs: part.chains.count(),
                        outputs: model.sizes[l],
                        alpha: alpha * part.weight,
                        begin,
                    };
                    product.dispatch(gpu, &self.gradient, &mut encoder);
                    begin = Begin::Present;
                }
            }
            self.apply(gpu, &rule, (bias, moments), (0, model.sizes[l]), false, &mut encoder);
        }
        gpu.submit(encoder);
    }

    /// Moves `count` parameters from `first` on by the present block of the gradient.
    fn apply(
        &self,
        gpu: &Gpu,
        rule: &OptimizerRule,
        (values, moments): (&Buffer, &[Buffer; 3]),
        (first, count): (usize, usize),
        decays: bool,
        encoder: &mut CommandEncoder,
    ) {
        let groups = count.div_ceil(THREADS);
        let numbers = Rule {
            count: count as u32,
            first_parameter: first as u32,
            method: match rule.method {
                OptimizerMethod::Sgd => u32::from(self.settings.n_moments() > 0),
                OptimizerMethod::Adam => 2,
                OptimizerMethod::AmsGrad => 3,
            },
            groups: groups.min(GROUPS) as u32,
            rate: rule.rate,
            momentum: rule.momentum,
            beta1: rule.beta1,
            beta2: rule.beta2,
            epsilon: rule.epsilon,
            weight_decay: if decays { rule.weight_decay } else { 0.0 },
            first_correction: rule.first_correction,
            second_correction: rule.second_correction,
        };
        let [one, two, three] = moments;
        let buffers = [&gpu.numbers(&numbers), &self.gradient, values, one, two, three];
        gpu.dispatch(encoder, &gpu.kernels.ascend, &buffers, [groups.min(GROUPS) as u32, groups.div_ceil(GROUPS) as u32]);
    }
}
