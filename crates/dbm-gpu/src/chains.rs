//! A batch of chains on the device.

use crate::kernel_batch::KernelBatch;
use crate::product::{Begin, Columns, Product};
use crate::{Gpu, GpuError, GpuModel};
use bytemuck::{Pod, Zeroable};
use dbm_core::linalg::Matrix;
use dbm_core::{Clamp, Examples, Parity};
use wgpu::Buffer;

/// The address of some draws: if two addresses differ anywhere, their draws are independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draws {
    /// Philox's key.
    pub key: [u32; 2],
    /// Distinguishes draws with the same key.
    pub stage: u8,
}

impl Draws {
    /// The counter of four units, the first a multiple of 4, of a chain's layer in a half-sweep.
    pub fn counter(self, unit: u32, chain: u32, number: u32, layer: u32) -> [u32; 4] {
        [unit / 4, chain, u32::from(self.stage) << 24 | number, layer]
    }
}

/// `count` chains of one model: states `[count, n_l]` and fields `[count, n_l]` of every layer, and the clamped part of the visible one.
pub struct GpuChains {
    count: usize,
    pub(crate) states: Vec<Buffer>,
    fields: Vec<Buffer>,
    /// The contribution of a fully clamped visible layer to the layer above, `b_1 + W_0^T v: [count, n_1]`, computed once for a series of
    /// sweeps.
    drive: Buffer,
    /// As computed by [`GpuChains::settle`].
    pub(crate) means: Vec<Buffer>,
    clamp: Clamp,
    /// One bit per visible unit, if the clamp differs between units.
    clamped: Buffer,
    energies: Buffer,
}

/// What determines a half-sweep.
#[derive(Clone, Copy)]
enum Rule {
    Minimum,
    Gibbs(Draws),
    Coins(Draws),
}

/// Half a sweep of a batch: its number within a chain's half-sweeps, which chains start one later, `[count]`, and where a search counts
/// flips, `[half-sweeps, count]`.
struct HalfSweep<'a> {
    rule: Rule,
    number: u32,
    count: u32,
    delays: &'a Buffer,
    flips: &'a Buffer,
}

/// Must match set.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct SetRule {
    rows: u32,
    units: u32,
    draws: u32,
    number: u32,
    count: u32,
    layer: u32,
    stage: u32,
    clamped: u32,
    key: [u32; 2],
    low: f32,
    high: f32,
}

/// Must match means.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct MeansRule {
    rows: u32,
    units: u32,
    clamped: u32,
    low: f32,
    high: f32,
}

/// Must match row_sums.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct SumShape {
    rows: u32,
    units: u32,
    shared_values: u32,
    begins: u32,
    logs: u32,
    first: u32,
    scale: f32,
    low: f32,
    high: f32,
}

/// What is summed over a layer's units.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sum {
    /// States times biases.
    Biases,
    /// States times fields.
    Fields,
    /// Logs of the sums over single units, given their fields.
    Logs,
}

/// Destination of sums over layers: multiplied by this, added to the chains of `into` that begin there.
#[derive(Clone, Copy)]
struct SumsTo<'a> {
    scale: f32,
    into: &'a Buffer,
    first: usize,
}

/// Must match exchange.wgsl and gather.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct LayerShape {
    rows: u32,
    units: u32,
}

/// Number of tensors per layer of a batch: states, fields and means.
pub(crate) const TENSORS: usize = 3;
/// Threads per workgroup, and units that each of them sets.
const THREADS: usize = 64;
const UNITS: usize = 4;
/// Approximate number of additions and multiplications per draw.
const OPERATIONS: usize = 256;

impl GpuChains {
    /// Chains at these states, `[count, n_l]` per layer. Clamped visible units keep their values from there.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] if a layer's states exceed what the device holds in one piece.
    ///
    /// # Panics
    /// If the states do not have the model's shape.
    pub fn new(gpu: &Gpu, model: &GpuModel, states: &[Matrix], clamp: &Clamp) -> Result<Self, GpuError> {
        let count = states[0].rows();
        let shapes = states.iter().map(|layer| (layer.rows(), layer.columns()));
        assert!(shapes.eq(model.sizes.iter().map(|&n| (count, n))), "one row a chain in each layer of {:?}", model.sizes);
        let mut chains = Self::at_rest(gpu, model, count, clamp.clone())?;
        chains.place(gpu, states);
        Ok(chains)
    }

    /// Chains without a state yet, whose visible layers are fully clamped or free.
    pub(crate) fn at_rest(gpu: &Gpu, model: &GpuModel, count: usize, clamp: Clamp) -> Result<Self, GpuError> {
        let zeros = |what: &str| -> Result<Vec<Buffer>, GpuError> {
            model.sizes.iter().enumerate().map(|(l, &n)| gpu.zeros(&format!("the {what} of layer {l}"), count * n)).collect()
        };
        Ok(Self {
            count,
            states: zeros("states")?,
            fields: zeros("fields")?,
            drive: gpu.zeros("what clamped layers add", if clamp == Clamp::Visible { count * model.sizes[1] } else { 1 })?,
            means: zeros("means")?,
            clamped: gpu.upload("what is clamped", &clamp_words(&clamp, count, model.sizes[0]))?,
            clamp,
            energies: gpu.zeros("energies", count)?,
        })
    }

    /// Number of chains.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The states of a layer, `[count, n_l]`.
    ///
    /// # Errors
    /// [`GpuError::Failed`].
    pub async fn states(&self, gpu: &Gpu, model: &GpuModel, layer: usize) -> Result<Matrix, GpuError> {
        Ok(Matrix::from_vec(self.count, model.sizes[layer], gpu.read(&self.states[layer]).await?))
    }

    /// The fields of a layer given the present states, `a_l = b_l + W_{l-1}^T s_{l-1} + W_l s_{l+1}: [count, n_l]`.
    ///
    /// # Errors
    /// [`GpuError::Failed`].
    pub async fn fields(&mut self, gpu: &Gpu, model: &GpuModel, layer: usize) -> Result<Matrix, GpuError> {
        let mut work = gpu.begin();
        self.refresh(gpu, model, layer, &mut work);
        work.submit();
        Ok(Matrix::from_vec(self.count, model.sizes[layer], gpu.read(&self.fields[layer]).await?))
    }

    /// Computes the conditional means of every layer given its neighbours, `[count, n_l]`, which a marginalized gradient needs; a clamped
    /// unit's mean is its value.
    pub fn settle(&mut self, gpu: &Gpu, model: &GpuModel) {
        let (low, high) = model.units.values();
        for (layer, &n) in model.sizes.iter().enumerate() {
            let mut work = gpu.begin();
            let clamped = self.clamped_of(layer);
            if self.is_free(layer) {
                self.refresh(gpu, model, layer, &mut work);
            }
            let rule = MeansRule { rows: self.count as u32, units: n as u32, clamped, low, high };
            let buffers = [&gpu.numbers(&rule), &self.fields[layer], &self.clamped, &self.states[layer], &self.means[layer]];
            let groups = self.count * n.div_ceil(THREADS);
            work.run(&gpu.kernels.means, &buffers.map(Buffer::as_entire_buffer_binding), groups as u64, self.each_unit(n));
            work.submit();
        }
    }

    /// The visible layers of the first `count` chains, each unit at its more probable value given the layer above as of
    /// [`GpuChains::settle`], packed like the rows of [`Examples::packed`].
    ///
    /// # Errors
    /// [`GpuError::Failed`].
    pub(crate) async fn likelier_visible(&self, gpu: &Gpu, model: &GpuModel, count: usize) -> Result<Vec<u8>, GpuError> {
        let (n, (low, high)) = (model.sizes[0], model.units.values());
        let count = count.min(self.count);
        if count == 0 {
            return Ok(Vec::new());
        }
        let means: Vec<f32> = gpu.read_first(&self.means[0], count * n).await?;
        let bits: Vec<u8> = means.iter().map(|&mean| u8::from(mean > f32::midpoint(low, high))).collect();
        Ok(Examples::from_bits(n, &bits)?.packed().to_vec())
    }

    /// The energy of each chain's state, `E(s) = - sum_l b_l . s_l - sum_l s_l^T W_l s_{l+1}: [count]`, summed in f32.
    ///
    /// # Errors
    /// [`GpuError::Failed`].
    pub async fn energies(&mut self, gpu: &Gpu, model: &GpuModel) -> Result<Vec<f32>, GpuError> {
        let mut work = gpu.begin();
        // The fields of the odd layers count every pair of layers once, and the biases of the odd ones with it.
        for layer in Parity::Odd.layers(model.depth()) {
            self.refresh(gpu, model, layer, &mut work);
        }
        let to = SumsTo { scale: -1.0, into: &self.energies, first: 0 };
        for layer in 0..=model.depth() {
            let what = if Parity::of_layer(layer) == Parity::Odd { Sum::Fields } else { Sum::Biases };
            self.add_sums(gpu, model, (layer, what), to, &mut work);
        }
        work.submit();
        gpu.read(&self.energies).await
    }

    /// `log p*(s_p)` of each chain, `[count]`, where `p` is the parity `held` and the other is summed out ([`dbm_core::tempering`]). Either
    /// nothing may be clamped, or the visible layer if even layers are held.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] and [`GpuError::Failed`].
    pub async fn log_marginals(&mut self, gpu: &Gpu, model: &GpuModel, held: Parity) -> Result<Vec<f32>, GpuError> {
        let (mut work, into) = (gpu.begin(), gpu.zeros("log marginals", self.count)?);
        self.add_log_marginals(gpu, model, held, (&into, 0), &mut work);
        work.submit();
        gpu.read(&into).await
    }

    /// Queues the computation of these into their destination.
    pub(crate) fn add_log_marginals(
        &self,
        gpu: &Gpu,
        model: &GpuModel,
        held: Parity,
        into: (&Buffer, usize),
        work: &mut KernelBatch,
    ) {
        debug_assert!(self.clamp == Clamp::Free || (self.clamp == Clamp::Visible && held == Parity::Even));
        let to = SumsTo { scale: 1.0, into: into.0, first: into.1 };
        for layer in 0..=model.depth() {
            if Parity::of_layer(layer) == held {
                self.add_sums(gpu, model, (layer, Sum::Biases), to, work);
            } else {
                self.refresh(gpu, model, layer, work);
                self.add_sums(gpu, model, (layer, Sum::Logs), to, work);
            }
        }
    }

    /// Queues a layer's sums; those of the visible layer come first.
    fn add_sums(&self, gpu: &Gpu, model: &GpuModel, (layer, what): (usize, Sum), to: SumsTo, work: &mut KernelBatch) {
        let (n, (low, high)) = (model.sizes[layer], model.units.values());
        let SumsTo { scale, into, first } = to;
        let shape = SumShape {
            rows: self.count as u32,
            units: n as u32,
            shared_values: u32::from(what == Sum::Biases),
            begins: u32::from(layer == 0),
            logs: u32::from(what == Sum::Logs),
            first: first as u32,
            scale,
            low,
            high,
        };
        let values = if what == Sum::Biases { &model.biases[layer] } else { &self.fields[layer] };
        let buffers = [&gpu.numbers(&shape), &self.states[layer], values, into];
        work.run(&gpu.kernels.row_sums, &buffers.map(Buffer::as_entire_buffer_binding), self.count as u64, self.each_unit(n));
    }

    /// Queues an exchange of states between chains with equal numbers in this batch and another of the same shape, where
    /// `accepted: [count]` is 1.
    pub(crate) fn add_exchange(
        &mut self,
        gpu: &Gpu,
        model: &GpuModel,
        other: &mut Self,
        accepted: &Buffer,
        work: &mut KernelBatch,
    ) {
        for (layer, &n) in model.sizes.iter().enumerate() {
            let shape = LayerShape { rows: self.count as u32, units: n as u32 };
            let buffers = [&gpu.numbers(&shape), accepted, &self.states[layer], &other.states[layer]];
            let groups = self.count * n.div_ceil(THREADS);
            work.run(&gpu.kernels.exchange, &buffers.map(Buffer::as_entire_buffer_binding), groups as u64, self.each_unit(n));
        }
    }

    /// Replaces each chain's state by that of its ancestor: `ancestors: [count]`. Both must have the same clamped values.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`].
    pub(crate) fn resample(&mut self, gpu: &Gpu, model: &GpuModel, ancestors: &[u32]) -> Result<(), GpuError> {
        // The means are recomputed before they are used.
        self.gather(gpu, model, (ancestors, &vec![1.0; self.count]), &[(&self.states, &self.means)])?;
        std::mem::swap(&mut self.states, &mut self.means);
        Ok(())
    }

    /// States and means of the same chains, each multiplied by its weight: `times: [count]`.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`].
    pub(crate) fn times(&self, gpu: &Gpu, model: &GpuModel, times: &[f32]) -> Result<Self, GpuError> {
        let out = Self::at_rest(gpu, model, self.count, Clamp::Free)?;
        let same: Vec<u32> = (0..self.count as u32).collect();
        self.gather(gpu, model, (&same, times), &[(&self.states, &out.states), (&self.means, &out.means)])?;
        Ok(out)
    }

    /// Fills tensors from others, `[count, n_l]` per layer: with the row of each chain's ancestor, multiplied by the chain's weight.
    fn gather(
        &self,
        gpu: &Gpu,
        model: &GpuModel,
        (ancestors, times): (&[u32], &[f32]),
        tensors: &[(&Vec<Buffer>, &Vec<Buffer>)],
    ) -> Result<(), GpuError> {
        let (ancestors, times) = (gpu.upload("ancestors", ancestors)?, gpu.upload("what chains count", times)?);
        let mut work = gpu.begin();
        for (layer, &n) in model.sizes.iter().enumerate() {
            for (from, to) in tensors {
                let shape = gpu.numbers(&LayerShape { rows: self.count as u32, units: n as u32 });
                let buffers = [&shape, &ancestors, &times, &from[layer], &to[layer]];
                let groups = self.count * n.div_ceil(THREADS);
                work.run(&gpu.kernels.gather, &buffers.map(Buffer::as_entire_buffer_binding), groups as u64, self.each_unit(n));
            }
        }
        work.submit();
        Ok(())
    }

    /// This many Gibbs sweeps of all chains, each in the order given by its first parity; they leave `exp(-E)`, restricted to the unclamped
    /// units, invariant.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`].
    ///
    /// # Panics
    /// If there is not one first parity per chain.
    pub fn gibbs(&mut self, gpu: &Gpu, model: &GpuModel, first: &[Parity], sweeps: u32, draws: Draws) -> Result<(), GpuError> {
        self.sweeps(gpu, model, first, sweeps, Rule::Gibbs(draws)).map(drop)
    }

    /// Local search (Taniguchi et al. 2023, Algorithm 1): this many sweeps of conditional minima. A chain that has reached its mode stays
    /// there. Returns the number of flipped units per half-sweep, `[2 sweeps + 1, count]`; a chain that begins with odd layers skips the
    /// first half-sweep, the others skip the last.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] and [`GpuError::Failed`].
    ///
    /// # Panics
    /// If there is not one first parity per chain.
    pub async fn search(&mut self, gpu: &Gpu, model: &GpuModel, first: &[Parity], sweeps: u32) -> Result<Vec<u32>, GpuError> {
        let flips = self.sweeps(gpu, model, first, sweeps, Rule::Minimum)?;
        gpu.read(&flips).await
    }

    fn sweeps(&mut self, gpu: &Gpu, model: &GpuModel, first: &[Parity], sweeps: u32, rule: Rule) -> Result<Buffer, GpuError> {
        assert_eq!(first.len(), self.count, "one first parity a chain");
        let delays: Vec<u32> = first.iter().map(|&parity| u32::from(parity == Parity::Odd)).collect();
        let delays = gpu.upload("who begins", &delays)?;
        let halves = 2 * sweeps + 1;
        let counted = if matches!(rule, Rule::Minimum) { halves as usize * self.count } else { 1 };
        let flips = gpu.zeros("flips", counted)?;
        let driven = self.clamp == Clamp::Visible && model.depth() > 1;
        if driven {
            let mut work = gpu.begin();
            self.add_below(gpu, model, 1, &self.drive, &mut work);
            work.submit();
        }
        // If all chains begin with the same parity, there is a half-sweep in which none would move.
        let all_begin = |parity: Parity| first.iter().all(|&first| first == parity);
        for number in u32::from(all_begin(Parity::Odd))..halves - u32::from(all_begin(Parity::Even)) {
            // One submission each: short enough for a system that stops work that blocks the screen.
            let mut work = gpu.begin();
            let half = HalfSweep { rule, number, count: 2 * sweeps, delays: &delays, flips: &flips };
            let parity = if number.is_multiple_of(2) { Parity::Even } else { Parity::Odd };
            for layer in parity.layers(model.depth()).filter(|&layer| self.is_free(layer)) {
                if driven && layer == 1 {
                    self.add_above(gpu, model, layer, Begin::Rows(&self.drive), &mut work);
                } else {
                    self.refresh(gpu, model, layer, &mut work);
                }
                self.set(gpu, model, layer, &half, &mut work);
            }
            work.submit();
        }
        Ok(flips)
    }

    /// Puts every chain at a uniform random state, keeping clamped values.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`].
    pub fn randomize(&mut self, gpu: &Gpu, model: &GpuModel, draws: Draws) -> Result<(), GpuError> {
        let (delays, flips) = (gpu.zeros("who begins", self.count)?, gpu.zeros("flips", 1)?);
        let half = HalfSweep { rule: Rule::Coins(draws), number: 0, count: 1, delays: &delays, flips: &flips };
        let mut work = gpu.begin();
        for layer in (0..=model.depth()).filter(|&layer| self.is_free(layer)) {
            self.set(gpu, model, layer, &half, &mut work);
        }
        work.submit();
        Ok(())
    }

    /// Copies the states from the chains with the same numbers in another batch.
    pub(crate) fn copy_states(&mut self, gpu: &Gpu, from: &Self) {
        let mut work = gpu.begin();
        self.states.iter().zip(&from.states).for_each(|(to, from)| work.copy(from, to));
        work.submit();
    }

    /// Sets the states of a layer to its means: used if these are exact and its neighbouring layers clamped.
    pub(crate) fn keep_means(&mut self, gpu: &Gpu, layer: usize) {
        let mut work = gpu.begin();
        work.copy(&self.means[layer], &self.states[layer]);
        work.submit();
    }

    /// Sets the visible layers to these values, `[count, n_0]`.
    pub(crate) fn place_visible(&mut self, gpu: &Gpu, visible: &Matrix) {
        gpu.write(&self.states[0], visible.data());
    }

    /// Sets the chains to these states, `[count, n_l]` per layer.
    pub(crate) fn place(&mut self, gpu: &Gpu, layers: &[Matrix]) {
        self.states.iter().zip(layers).for_each(|(to, layer)| gpu.write(to, layer.data()));
    }

    /// Whether a layer has units that are not clamped.
    fn is_free(&self, layer: usize) -> bool {
        layer > 0 || self.clamp != Clamp::Visible
    }

    /// The clamp code of a layer for kernels: 0 if nothing is clamped, 1 if the bits say, and 2 if everything is.
    fn clamped_of(&self, layer: usize) -> u32 {
        match &self.clamp {
            Clamp::Visible if layer == 0 => 2,
            Clamp::Known(_) if layer == 0 => 1,
            _ => 0,
        }
    }

    /// Queues the setting of a layer.
    fn set(&self, gpu: &Gpu, model: &GpuModel, layer: usize, half: &HalfSweep, work: &mut KernelBatch) {
        let &HalfSweep { rule, number, count, delays, flips } = half;
        let none = Draws { key: [0; 2], stage: 0 };
        let (draws, Draws { key, stage }) = match rule {
            Rule::Minimum => (0, none),
            Rule::Gibbs(draws) => (1, draws),
            Rule::Coins(draws) => (2, draws),
        };
        let ((low, high), clamped) = (model.units.values(), self.clamped_of(layer));
        let (rows, units, layer_number, stage) = (self.count as u32, model.sizes[layer] as u32, layer as u32, stage.into());
        let rule = SetRule { rows, units, draws, number, count, layer: layer_number, stage, clamped, key, low, high };
        let buffers = [&gpu.numbers(&rule), &self.fields[layer], &self.clamped, delays, &self.states[layer], flips];
        let (buffers, n) = (buffers.map(Buffer::as_entire_buffer_binding), model.sizes[layer]);
        let groups = self.count * n.div_ceil(UNITS * THREADS);
        work.run(&gpu.kernels.set, &buffers, groups as u64, self.each_unit(n));
    }

    /// Approximate number of operations of a kernel that visits each of a layer's `n` units once.
    fn each_unit(&self, n: usize) -> u64 {
        (OPERATIONS * self.count * n) as u64
    }

    /// Queues the recomputation of a layer's fields.
    fn refresh(&self, gpu: &Gpu, model: &GpuModel, layer: usize, work: &mut KernelBatch) {
        let mut begin = Begin::Row(&model.biases[layer]);
        if layer > 0 {
            self.add_below(gpu, model, layer, &self.fields[layer], work);
            begin = Begin::Present;
        }
        self.add_above(gpu, model, layer, begin, work);
    }

    /// Queues: `into`, `[count, n_l]`, becomes a layer's biases plus the contribution of the layer below to its fields. A block of rows of
    /// the weights takes its columns of the states below, and contributes to all fields.
    fn add_below(&self, gpu: &Gpu, model: &GpuModel, layer: usize, into: &Buffer, work: &mut KernelBatch) {
        let (below, n) = (layer - 1, model.sizes[layer]);
        let mut begin = Begin::Row(&model.biases[layer]);
        for block in model.weights[below].blocks() {
            Product {
                left: Columns { buffer: &self.states[below], width: model.sizes[below], first: block.start },
                left_transposed: false,
                right: model.weights[below].bind(&block),
                right_transposed: false,
                rows: self.count,
                inputs: block.len(),
                outputs: n,
                alpha: 1.0,
                begin,
                out: Columns { buffer: into, width: n, first: 0 },
            }
            .add_to(gpu, work);
            begin = Begin::Present;
        }
    }

    /// Queues: the contribution of the layer above is added to a layer's fields. A block of rows of the weights takes all states above, and
    /// gives its columns of the fields.
    fn add_above(&self, gpu: &Gpu, model: &GpuModel, layer: usize, begin: Begin, work: &mut KernelBatch) {
        let Some(weight) = model.weights.get(layer) else { return };
        let above = model.sizes[layer + 1];
        for block in weight.blocks() {
            Product {
                left: Columns { buffer: &self.states[layer + 1], width: above, first: 0 },
                left_transposed: false,
                right: weight.bind(&block),
                right_transposed: true,
                rows: self.count,
                inputs: above,
                outputs: block.len(),
                alpha: 1.0,
                begin,
                out: Columns { buffer: &self.fields[layer], width: model.sizes[layer], first: block.start },
            }
            .add_to(gpu, work);
        }
    }
}

/// One bit per clamped visible unit, each row starting at a whole word; empty if they are not read.
fn clamp_words(clamp: &Clamp, count: usize, n: usize) -> Vec<u32> {
    if !matches!(clamp, Clamp::Known(_)) {
        return vec![0];
    }
    let mut words = vec![0; count * n.div_ceil(32)];
    for (chain, words) in words.chunks_mut(n.div_ceil(32)).enumerate() {
        (0..n).filter(|unit| clamp.holds(chain * n + unit)).for_each(|unit| words[unit / 32] |= 1 << (unit % 32));
    }
    words
}
