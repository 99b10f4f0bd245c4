//! Every kernel against the plain code, on any GPU available; a driver that computes on the CPU also serves.

use crate::common::for_each_state;
use dbm_core::chains::Chains;
use dbm_core::gradient::{Moments, Phase};
use dbm_core::linalg::{Backend, Matrix};
use dbm_core::rng::{Purpose, Streams};
use dbm_core::sweep::search;
use dbm_core::{Clamp, Dbm, OptimizerMethod, OptimizerSettings, Parameters, Parity, Units, init};
use dbm_gpu::{Draws, Gpu, GpuChains, GpuError, GpuModel, GpuOptimizer, GradientTerm, philox, uniform};
use wasm_bindgen_test::wasm_bindgen_test;

/// Shapes whose layers end inside a tile, a group and a word, and one that fills them.
const SHAPES: [&[usize]; 4] = [&[5, 3], &[37, 70, 19], &[128, 64, 64], &[130, 65, 33, 17]];
const CHAINS: usize = 67;

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

fn models() -> impl Iterator<Item = Dbm> {
    SHAPES.iter().enumerate().map(|(i, sizes)| {
        init::gaussian(sizes, [Units::Signs, Units::Bits][i % 2], 0.2, i as u64).unwrap().with_backend(Backend::Plain)
    })
}

/// Weights and biases that are quarters of small integers, so that all sums of them are exact in any order.
fn exact_model(sizes: &[usize], units: Units) -> Dbm {
    let mut x = 1_u32;
    let mut next = |n: usize| -> Vec<f32> {
        let value = |_| {
            x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((x >> 16) % 17) as f32 * 0.25 - 2.0
        };
        (0..n).map(value).collect()
    };
    let weights = sizes.windows(2).map(|pair| next(pair[0] * pair[1])).collect();
    let biases = sizes.iter().map(|&n| next(n)).collect();
    Dbm::new(units, weights, biases).unwrap().with_backend(Backend::Plain)
}

fn clamps(n: usize, count: usize) -> [Clamp; 3] {
    [Clamp::Free, Clamp::Visible, Clamp::Known((0..n * count).map(|place| place % 3 == 0).collect())]
}

#[wasm_bindgen_test(unsupported = pollster::test)]
async fn fields_and_energies_are_the_models() {
    let Some(gpu) = gpu().await else { return };
    for model in models() {
        let (chains, _, on_gpu, mut on_chains) = begun(&gpu, &model, &Clamp::Free, CHAINS, 1);
        for l in 0..=model.depth() {
            let fields = on_chains.fields(&gpu, &on_gpu, l).await.unwrap();
            for c in 0..CHAINS {
                let exact = model.exact_field(l, &chains.state(c));
                // Sums of at most 200 terms of size 0.2, rounded to 24 bits.
                let largest = fields.row(c).iter().zip(&exact).map(|(a, b)| (f64::from(*a) - b).abs()).fold(0.0, f64::max);
                assert!(largest < 1e-5, "layer {l} of {:?}: off by {largest}", model.sizes());
            }
        }
        for (c, energy) in on_chains.energies(&gpu, &on_gpu).await.unwrap().into_iter().enumerate() {
            let exact = model.energy(&chains.state(c));
            assert!((f64::from(energy) - exact).abs() < 1e-4, "{energy} and {exact}, {:?}", model.sizes());
        }
    }
}

/// Where all sums are exact, the device's search ends where the plain one does, and takes as long.
#[wasm_bindgen_test(unsupported = pollster::test)]
async fn searches_are_the_plain_ones() {
    let Some(gpu) = gpu().await else { return };
    for (sizes, units) in [(&[37, 70, 19][..], Units::Signs), (&[20, 33, 40, 9], Units::Bits)] {
        let model = exact_model(sizes, units);
        for clamp in clamps(sizes[0], CHAINS) {
            for sweeps in [1, 3, 20] {
                let (mut chains, first, on_gpu, mut on_chains) = begun(&gpu, &model, &clamp, CHAINS, 2);
                let flips = on_chains.search(&gpu, &on_gpu, &first, sweeps).await.unwrap();
                let infos = search(&model, &mut chains, &first, sweeps);
                for l in 0..=model.depth() {
                    let layer = on_chains.states(&gpu, &on_gpu, l).await.unwrap();
                    assert_eq!(&layer, chains.layer(l), "layer {l} of {sizes:?} after {sweeps} sweeps, {clamp:?}");
                }
                for (c, info) in infos.iter().enumerate().filter(|(_, info)| !info.capped) {
                    let delay = usize::from(first[c] == Parity::Odd);
                    let of_sweep = |t: u32| (0..2).map(|half| flips[(delay + 2 * t as usize + half) * CHAINS + c]).sum::<u32>();
                    // The last sweep, which changes nothing, may be one more than was allowed.
                    assert!(info.sweeps > sweeps || of_sweep(info.sweeps - 1) == 0);
                    assert!(info.sweeps == 1 || of_sweep(info.sweeps - 2) > 0);
                }
            }
        }
    }
}

/// Against the sum over all states of the other parity, one by one.
#[wasm_bindgen_test(unsupported = pollster::test)]
async fn log_marginals_sum_the_other_parity_out() {
    let Some(gpu) = gpu().await else { return };
    for (sizes, units) in [(&[3, 5][..], Units::Signs), (&[4, 3, 2], Units::Bits), (&[2, 4, 3, 2], Units::Signs)] {
        let model = init::gaussian(sizes, units, 0.7, 3).unwrap();
        let (chains, _, on_gpu, mut on_chains) = begun(&gpu, &model, &Clamp::Free, CHAINS, 5);
        for held in [Parity::Even, Parity::Odd] {
            let logs = on_chains.log_marginals(&gpu, &on_gpu, held).await.unwrap();
            for (c, log) in logs.into_iter().enumerate() {
                let (state, mut sum) = (chains.state(c), 0.0);
                for_each_state(&model, &vec![None; sizes[0]], |other, energy| {
                    let same = held.layers(model.depth()).all(|l| other[l] == state[l]);
                    sum += if same { (-energy).exp() } else { 0.0 };
                });
                assert!((f64::from(log) - sum.ln()).abs() < 1e-4, "{log} and {}, {sizes:?} held {held:?}", sum.ln());
            }
        }
    }
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
async fn the_same_key_gives_the_same_bits_and_another_key_others() {
    let Some(gpu) = gpu().await else { return };
    let model = models().nth(1).unwrap();
    let run = async |key| {
        let (_, first, on_gpu, mut on_chains) = begun(&gpu, &model, &Clamp::Free, CHAINS, 4);
        on_chains.gibbs(&gpu, &on_gpu, &first, 5, Draws { key, stage: 0 }).unwrap();
        on_chains.states(&gpu, &on_gpu, 1).await.unwrap()
    };
    assert_eq!(run([1, 1]).await, run([1, 1]).await);
    assert_ne!(run([1, 1]).await, run([1, 2]).await);
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
