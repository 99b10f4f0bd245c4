//! Work larger than a device takes at once: it is processed in parts, with the same result.

use dbm_core::linalg::{Backend, Matrix};
use dbm_core::{Clamp, Dbm, Examples, OptimizerMethod, OptimizerSettings, Parity, Settings, Trainer, Units};
use dbm_gpu::{Draws, Gpu, GpuChains, GpuError, GpuFootprint, GpuLimits, GpuModel, GpuOptimizer, GpuTrainer};
use pollster::block_on;

/// 64 KiB, which the matrices below exceed, and a megaflop.
const NARROW: GpuLimits = GpuLimits { bound: 1 << 16, operations: 1 << 20 };
const CHAINS: usize = 67;
/// More than the 65 535 workgroups that a dimension can have.
const MANY: usize = 70_001;

fn gpu(limits: GpuLimits) -> Option<Gpu> {
    block_on(Gpu::open_within(limits)).inspect_err(|error| println!("skipped: {error}")).ok()
}

/// Quarters of small integers: all sums of products of them are exact, in any order.
fn quarters(count: usize, salt: usize) -> Vec<f32> {
    (0..count).map(|i| ((i * 31 + i * i % 101 + salt) % 17) as f32 * 0.25 - 2.0).collect()
}

fn model(sizes: &[usize], units: Units) -> Dbm {
    let weights = sizes.windows(2).enumerate().map(|(l, pair)| quarters(pair[0] * pair[1], l)).collect();
    let biases = sizes.iter().map(|&n| quarters(n, n)).collect();
    Dbm::new(units, weights, biases).unwrap().with_backend(Backend::Plain)
}

fn states(model: &Dbm, chains: usize) -> Vec<Matrix> {
    let value = |place: usize| model.units().value(place * 7 % 5 < 2);
    model.sizes().iter().map(|&n| Matrix::from_vec(chains, n, (0..chains * n).map(value).collect())).collect()
}

/// Weights of 104, 78 and 48 thousand bytes.
const SIZES: [usize; 4] = [200, 130, 150, 80];

#[test]
fn fields_energies_and_searches_in_blocks_are_the_same() {
    let (Some(wide), Some(narrow)) = (gpu(GpuLimits::default()), gpu(NARROW)) else { return };
    for units in [Units::Signs, Units::Bits] {
        let model = model(&SIZES, units);
        let of = |gpu: &Gpu| {
            let on_gpu = GpuModel::new(gpu, &model).unwrap();
            let mut chains = GpuChains::new(gpu, &on_gpu, &states(&model, CHAINS), &Clamp::Free).unwrap();
            let fields: Vec<Matrix> = (0..SIZES.len()).map(|l| block_on(chains.fields(gpu, &on_gpu, l)).unwrap()).collect();
            let energies = block_on(chains.energies(gpu, &on_gpu)).unwrap();
            let flips = block_on(chains.search(gpu, &on_gpu, &[Parity::Even; CHAINS], 8)).unwrap();
            let modes: Vec<Matrix> = (0..SIZES.len()).map(|l| block_on(chains.states(gpu, &on_gpu, l)).unwrap()).collect();
            (fields, energies, flips, modes)
        };
        let (in_blocks, whole) = (of(&narrow), of(&wide));
        assert!(in_blocks == whole);
        let state: Vec<Vec<f32>> = states(&model, CHAINS).iter().map(|layer| layer.row(5).to_vec()).collect();
        assert_eq!(f64::from(whole.1[5]), model.energy(&state));
        let exact = model.exact_field(1, &state);
        assert!(whole.0[1].row(5).iter().zip(exact).all(|(&field, exact)| f64::from(field) == exact));
    }
}

/// The model's sums are exact in its first step, so all draws are the same; the gradient is a sum over chains, which are never divided.
#[test]
fn a_step_in_blocks_is_the_same() {
    let (Some(wide), Some(narrow)) = (gpu(GpuLimits::default()), gpu(NARROW)) else { return };
    let data = Examples::from_bits(200, &(0..400).map(|i| u8::from(i * i % 7 < 3)).collect::<Vec<_>>()).unwrap();
    let methods = [(OptimizerMethod::Adam, "ucd-lmi"), (OptimizerMethod::AmsGrad, "pcd-gibbs-2"), (OptimizerMethod::Sgd, "cd")];
    for (method, estimator) in methods {
        let optimizer = OptimizerSettings { method, ..OptimizerSettings::default() };
        let estimator = estimator.parse().unwrap();
        let settings = Settings { optimizer, estimator, batch: 40, max_sweeps: 20, ..Settings::default() };
        let run = Trainer::new(model(&SIZES, Units::Signs), settings).unwrap();
        let of = |gpu: &Gpu| {
            let mut run = GpuTrainer::new(gpu.clone(), &run).unwrap();
            block_on(run.step(&data, 0)).unwrap();
            block_on(run.snapshot()).unwrap()
        };
        let (in_blocks, whole) = (of(&narrow), of(&wide));
        assert!(whole.parameters != run.snapshot().parameters);
        assert!(in_blocks == whole, "{method:?}");
    }
}

#[test]
fn what_no_block_holds_is_refused() {
    let Some(gpu) = gpu(NARROW) else { return };
    // Two rows are the fewest that end at a multiple of 256 bytes, and they take 80 128.
    let refused = GpuModel::new(&gpu, &model(&[3, 10_016], Units::Bits)).err();
    assert!(
        matches!(&refused, Some(GpuError::TooLarge { what, limit: 65_536, .. }) if what == "a block of rows of weight.0"),
        "{refused:?}"
    );
    let model = model(&[200, 4], Units::Bits);
    let on_gpu = GpuModel::new(&gpu, &model).unwrap();
    let refused = GpuChains::new(&gpu, &on_gpu, &states(&model, 100), &Clamp::Free).err();
    assert!(matches!(&refused, Some(GpuError::TooLarge { bytes: 80_000, .. })), "{refused:?}");
}

#[test]
fn there_may_be_many_chains() {
    let Some(gpu) = gpu(GpuLimits::default()) else { return };
    let model = model(&[3, 2], Units::Signs);
    let on_gpu = GpuModel::new(&gpu, &model).unwrap();
    let start = states(&model, MANY);
    let mut chains = GpuChains::new(&gpu, &on_gpu, &start, &Clamp::Free).unwrap();
    let state = |layers: &[Matrix], c: usize| -> Vec<Vec<f32>> { layers.iter().map(|layer| layer.row(c).to_vec()).collect() };
    let energies = block_on(chains.energies(&gpu, &on_gpu)).unwrap();
    assert!((0..MANY).all(|c| f64::from(energies[c]) == model.energy(&state(&start, c))));
    let flips = block_on(chains.search(&gpu, &on_gpu, &vec![Parity::Odd; MANY], 4)).unwrap();
    assert!(flips[flips.len() - 2 * MANY..].iter().all(|&flips| flips == 0), "all searches end");
    let modes: Vec<Matrix> = (0..2).map(|l| block_on(chains.states(&gpu, &on_gpu, l)).unwrap()).collect();
    // At a mode, each unit has the sign of its field.
    for c in (0..MANY).step_by(997).chain([MANY - 1]) {
        for (layer, values) in state(&modes, c).iter().enumerate() {
            let fields = model.exact_field(layer, &state(&modes, c));
            assert!(values.iter().zip(fields).all(|(&value, field)| (value > 0.0) == (field >= 0.0)), "chain {c}");
        }
    }
    chains.gibbs(&gpu, &on_gpu, &vec![Parity::Even; MANY], 1, Draws { key: [1, 2], stage: 0 }).unwrap();
    let drawn = block_on(chains.states(&gpu, &on_gpu, 0)).unwrap();
    assert!((MANY - 1000..MANY).any(|c| drawn.row(c) != modes[0].row(c)), "the last chains move too");
}

/// The predicted size is what is allocated, byte for byte.
#[test]
fn a_run_takes_the_memory_that_it_says() {
    for limits in [GpuLimits::default(), NARROW] {
        let Some(gpu) = gpu(limits) else { return };
        for (sizes, estimator, method) in [
            (&SIZES[..], "ucd-lmi", OptimizerMethod::Adam),
            (&[40, 30], "cd", OptimizerMethod::Sgd),
            (&[5, 300, 2], "pcd-gibbs", OptimizerMethod::AmsGrad),
        ] {
            let optimizer = OptimizerSettings { method, ..OptimizerSettings::default() };
            let settings = Settings { optimizer, estimator: estimator.parse().unwrap(), batch: 33, ..Settings::default() };
            let said = GpuFootprint::of(&gpu, sizes, &settings);
            let model = model(sizes, Units::Bits);
            let before = gpu.bytes_made();
            let on_gpu = GpuModel::new(&gpu, &model).unwrap();
            let after_model = gpu.bytes_made();
            assert_eq!(said.parameters, after_model - before);
            GpuOptimizer::new(&gpu, &on_gpu, settings.optimizer.clone(), settings.batch).unwrap();
            let after_optimizer = gpu.bytes_made();
            assert_eq!(said.moments + said.gradient + said.others, after_optimizer - after_model);
            GpuTrainer::new(gpu.clone(), &Trainer::new(model, settings).unwrap()).unwrap();
            assert_eq!(said.total(), gpu.bytes_made() - after_optimizer, "{said:?}");
        }
    }
}
