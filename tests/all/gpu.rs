//! Draws and whole steps against the plain code, natively and in browsers, on any GPU available; a driver that computes on the CPU also
//! serves. Each kernel has its test in `gpu_kernels`, natively.

use dbm_core::chains::Chains;
use dbm_core::gradient::{Moments, Phase};
use dbm_core::linalg::{Backend, Matrix};
use dbm_core::rng::{Purpose, Streams};
use dbm_core::{Clamp, Dbm, OptimizerMethod, OptimizerSettings, Parameters, Parity, Units, init};
use dbm_gpu::{Draws, Gpu, GpuChains, GpuError, GpuModel, GpuOptimizer, GradientTerm, philox, uniform};
use wasm_bindgen_test::wasm_bindgen_test;

/// Shapes whose layers end inside a tile, a group and a word, and one that fills them.
const SHAPES: [&[usize]; 4] = [&[5, 3], &[37, 70, 19], &[128, 64, 64], &[130, 65, 33, 17]];
pub const CHAINS: usize = 67;

/// The GPU, or nothing, with a message, if there is none.
pub async fn gpu() -> Option<Gpu> {
    match Gpu::open().await {
        Ok(gpu) => {
            println!("on {}", gpu.name());
            Some(gpu)
        }
        Err(error) => {
            println!("skipped: {error}");
            None
        }
    }
}

/// Uniform states, and the first parity of each chain.
fn start(model: &Dbm, clamp: &Clamp, count: usize, seed: u64) -> (Chains, Vec<Parity>) {
    let mut streams = Streams::new(seed).of_chains(Purpose::Negative, 0, 0..count as u64);
    let visible = (0..count * model.n_visible()).map(|i| model.units().value(i * 7 % 5 < 2)).collect();
    let mut chains = Chains::new(model, Matrix::from_vec(count, model.n_visible(), visible), clamp.clone());
    chains.randomize_all(model, &mut streams);
    let first = streams.iter_mut().map(|stream| Parity::first(stream.coin())).collect();
    (chains, first)
}

fn states(model: &Dbm, chains: &Chains) -> Vec<Matrix> {
    (0..=model.depth()).map(|l| chains.layer(l).clone()).collect()
}

/// Chains from uniform states, their first parities, and the model and the chains on the device.
pub fn begun(gpu: &Gpu, model: &Dbm, clamp: &Clamp, count: usize, seed: u64) -> (Chains, Vec<Parity>, GpuModel, GpuChains) {
    let (chains, first) = start(model, clamp, count, seed);
    let on_gpu = GpuModel::new(gpu, model).unwrap();
    let on_chains = GpuChains::new(gpu, &on_gpu, &states(model, &chains), clamp).unwrap();
    (chains, first, on_gpu, on_chains)
}

/// The states of all layers on the device.
pub async fn states_on(gpu: &Gpu, model: &GpuModel, chains: &GpuChains) -> Vec<Matrix> {
    let mut layers = Vec::new();
    for l in 0..=model.depth() {
        layers.push(chains.states(gpu, model, l).await.unwrap());
    }
    layers
}

/// All weights, then all biases.
pub fn tensors(model: &Dbm) -> impl Iterator<Item = &[f32]> {
    model.weights().iter().map(Matrix::data).chain(model.biases().iter().map(Vec::as_slice))
}

pub fn models() -> impl Iterator<Item = Dbm> {
    SHAPES.iter().enumerate().map(|(i, sizes)| {
        init::gaussian(sizes, [Units::Signs, Units::Bits][i % 2], 0.2, i as u64).unwrap().with_backend(Backend::Plain)
    })
}

pub fn clamps(n: usize, count: usize) -> [Clamp; 3] {
    [Clamp::Free, Clamp::Visible, Clamp::Known((0..n * count).map(|place| place % 3 == 0).collect())]
}

/// One Gibbs sweep, unit by unit, from Philox's words; and no clamped unit changes.
#[wasm_bindgen_test(unsupported = pollster::test)]
async fn draws_are_those_of_their_counters() {
    let Some(gpu) = gpu().await else { return };
    for model in models() {
        for clamp in clamps(model.n_visible(), CHAINS) {
            let (chains, _, on_gpu, mut on_chains) = begun(&gpu, &model, &clamp, CHAINS, 3);
            let draws = Draws { key: [17, 42], stage: 3 };
            on_chains.gibbs(&gpu, &on_gpu, &[Parity::Even; CHAINS], 1, draws).unwrap();
            let drawn = states_on(&gpu, &on_gpu, &on_chains).await;
            let mut close = 0;
            for c in 0..CHAINS {
                // Even layers given the odd ones of the start, and odd ones given these.
                let mut state = chains.state(c);
                for (number, parity) in [Parity::Even, Parity::Odd].into_iter().enumerate() {
                    for l in parity.layers(model.depth()) {
                        let fields = model.exact_field(l, &state);
                        for (unit, field) in fields.into_iter().enumerate() {
                            let value = drawn[l].row(c)[unit];
                            if l == 0 && clamp.holds(c * model.n_visible() + unit) {
                                assert_eq!(value, state[0][unit]);
                                continue;
                            }
                            let word = philox(draws.counter(unit as u32, c as u32, number as u32, l as u32), draws.key)[unit % 4];
                            let probability = 1.0 / (1.0 + (-f64::from(model.units().gap()) * field).exp());
                            let u = f64::from(uniform(word));
                            if (u - probability).abs() < 1e-5 {
                                close += 1;
                            } else {
                                assert_eq!(value, model.units().value(u <= probability), "unit {unit} of layer {l}, chain {c}");
                            }
                        }
                        // A draw too close to call may go either way: continue from the device's result.
                        state[l] = drawn[l].row(c).to_vec();
                    }
                }
            }
            assert!(close < 20, "{close} draws were too close to tell");
        }
    }
}

#[wasm_bindgen_test(unsupported = pollster::test)]
async fn a_device_that_is_gone_says_so() {
    let Some(gpu) = gpu().await else { return };
    let model = models().next().unwrap();
    let (_, first, on_gpu, mut on_chains) = begun(&gpu, &model, &Clamp::Free, CHAINS, 4);
    gpu.destroy();
    on_chains.gibbs(&gpu, &on_gpu, &first, 1, Draws { key: [0, 0], stage: 0 }).unwrap();
    let said = on_chains.states(&gpu, &on_gpu, 1).await;
    assert!(matches!(&said, Err(GpuError::Failed(_))), "{said:?}");
}

/// Five steps of each optimizer along parts of both kinds, from states clamped in every way, against those of the core.
#[wasm_bindgen_test(unsupported = pollster::test)]
async fn steps_are_those_of_the_core() {
    let Some(gpu) = gpu().await else { return };
    let methods = [
        OptimizerSettings { method: OptimizerMethod::Adam, learning_rate: 0.01, ..OptimizerSettings::default() },
        OptimizerSettings {
            method: OptimizerMethod::AmsGrad,
            learning_rate: 0.01,
            weight_decay: 0.1,
            beta2: 0.5,
            ..OptimizerSettings::default()
        },
        OptimizerSettings { method: OptimizerMethod::Sgd, learning_rate: 0.1, ..OptimizerSettings::default() },
        OptimizerSettings { method: OptimizerMethod::Sgd, learning_rate: 0.1, momentum: 0.5, ..OptimizerSettings::default() },
    ];
    for (model, settings) in models().zip(methods) {
        let mut on_gpu = GpuModel::new(&gpu, &model).unwrap();
        let mut optimizer = GpuOptimizer::new(&gpu, &on_gpu, settings.clone(), CHAINS).unwrap();
        let sets: Vec<(Chains, Clamp, f32, bool)> = clamps(model.n_visible(), CHAINS)
            .into_iter()
            .enumerate()
            .map(|(i, clamp)| {
                let (chains, _) = start(&model, &clamp, CHAINS, i as u64);
                (chains, clamp, [-0.02, 0.01, 0.01][i], i != 2)
            })
            .collect();
        let mut on_chains: Vec<GpuChains> = sets
            .iter()
            .map(|(chains, clamp, ..)| GpuChains::new(&gpu, &on_gpu, &states(&model, chains), clamp).unwrap())
            .collect();
        let mut plain = model.clone();
        let zeros: Vec<Vec<f32>> = tensors(&plain).map(|tensor| vec![0.0; tensor.len()]).collect();
        let mut moments = vec![zeros; settings.n_moments()];
        for step in 0..5 {
            on_chains.iter_mut().for_each(|chains| chains.settle(&gpu, &on_gpu));
            let parts: Vec<GradientTerm> = on_chains
                .iter()
                .zip(&sets)
                .map(|(chains, &(_, _, weight, marginalize))| GradientTerm { chains, times: None, weight, marginalize })
                .collect();
            optimizer.ascend(&gpu, &mut on_gpu, &parts, (step, 1.0));
            plain = ascended(&plain, &sets, &settings, step, &mut moments);
        }
        let Parameters { weights, biases } = on_gpu.parameters(&gpu).await.unwrap();
        for (tensor, exact) in weights.iter().chain(&biases).zip(tensors(&plain)) {
            // Adam divides by numbers that can be small: where they are, an error in the gradient's last bits counts for more.
            let largest = tensor.iter().zip(exact).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(largest < 1e-4, "{settings:?}, {:?}: off by {largest}", model.sizes());
        }
    }
}

/// One step by the core: `sum of weight f(s)`, with half of each state replaced by its means if requested, and its optimizer.
fn ascended(
    model: &Dbm,
    sets: &[(Chains, Clamp, f32, bool)],
    settings: &OptimizerSettings,
    step: u64,
    moments: &mut [Vec<Vec<f32>>],
) -> Dbm {
    let mut sum = Moments::new(model);
    let (low, gap) = (f64::from(model.units().low()), f64::from(model.units().gap()));
    for (chains, clamp, weight, marginalize) in sets {
        for c in 0..chains.count() {
            let state = chains.state(c);
            let mut means = state.clone();
            for (l, layer) in means.iter_mut().enumerate().filter(|_| *marginalize) {
                for ((unit, mean), field) in layer.iter_mut().enumerate().zip(model.exact_field(l, &state)) {
                    if l > 0 || !clamp.holds(c * model.n_visible() + unit) {
                        *mean = (low + gap / (1.0 + (-gap * field).exp())) as f32;
                    }
                }
            }
            sum.push_marginal(Phase::Positive, *weight, &state, &means, false);
        }
    }
    let Parameters { weights, biases } = sum.gradient(Backend::Plain, 1.0);
    let mut values: Vec<Vec<f32>> = tensors(model).map(<[f32]>::to_vec).collect();
    for (number, (values, mut gradient)) in values.iter_mut().zip(weights.into_iter().chain(biases)).enumerate() {
        let mut moments: Vec<&mut [f32]> = moments.iter_mut().map(|moment| &mut moment[number][..]).collect();
        settings.at(step, 1.0).apply(values, &mut gradient, &mut moments, number < model.depth());
    }
    let biases = values.split_off(model.depth());
    Dbm::new(model.units(), values, biases).unwrap().with_backend(Backend::Plain)
}
