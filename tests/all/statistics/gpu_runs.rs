//! Runs on a GPU against enumeration.

use crate::common::{State, distribution, misfit};
use crate::gpu::{begun, gpu, states_on, tensors};
use dbm_core::gradient::{EstimatorKind, EstimatorSettings, SmcPath};
use dbm_core::linalg::Backend;
use dbm_core::{
    Clamp, Dbm, Examples, OptimizerMethod, OptimizerSettings, Parameters, Settings, SingleThread, Trainer, Units, exact, init,
};
use dbm_gpu::{Draws, GpuTrainer};

/// Number of chains whose states are counted.
const COUNT: usize = 20_000;

async fn steps(run: &mut GpuTrainer, data: &Examples, count: usize) {
    for _ in 0..count {
        run.step(data, 0).await.unwrap();
    }
}

/// Chains of a model with two modes, one three times as likely as the other, start equally often in either, and no sweep crosses between
/// them. Exchanges along the ladder bring them into the model's proportions.
#[pollster::test]
#[ignore = "takes long: ./run test slow"]
async fn chains_on_a_ladder_cross_between_modes() {
    const ON_LADDER: usize = 1000;
    let Some(gpu) = gpu().await else { return };
    let model = Dbm::new(Units::Signs, vec![vec![1.2; 6]], vec![vec![0.2; 3], vec![0.0; 2]]).unwrap();
    let all = distribution(&model, &[None; 3]);
    let exact: f64 = all.iter().filter(|(state, _)| state[0].iter().sum::<f32>() > 0.0).map(|(_, p)| p).sum();
    let data = Examples::from_bits(3, &(0..24).map(|i| u8::from(((i / 3) >> (i % 3)) & 1 == 1)).collect::<Vec<_>>()).unwrap();
    let share = async |estimator: &str| -> (f64, usize) {
        // So slow that the weights stay practically the same.
        let optimizer = OptimizerSettings { method: OptimizerMethod::Sgd, learning_rate: 1e-9, ..OptimizerSettings::default() };
        // The full ladder at every step.
        let estimator = EstimatorSettings { ladder_every: 1, ..estimator.parse().unwrap() };
        let settings = Settings { optimizer, estimator, batch: ON_LADDER, ..Settings::default() };
        let mut run = GpuTrainer::new(gpu.clone(), &Trainer::new(model.clone(), settings).unwrap()).unwrap();
        steps(&mut run, &data, 12).await;
        let snapshot = run.snapshot().await.unwrap();
        let layers = snapshot.persistent.unwrap();
        let high = layers[layers.len() - 2].chunks(3).filter(|visible| visible.iter().sum::<f32>() > 0.0).count();
        (high as f64 / ON_LADDER as f64, snapshot.ladder.map_or(0, |ladder| ladder.rungs.len()))
    };
    let error = (exact * (1.0 - exact) / ON_LADDER as f64).sqrt();
    let ((persistent, _), (tempered, rungs)) = (share("pcd-gibbs").await, share("ptt").await);
    assert!((persistent - exact).abs() > 6.0 * error, "{persistent} by sweeps alone, {exact} exactly");
    assert!((tempered - exact).abs() < 4.0 * error, "{tempered} on the ladder, {exact} exactly");
    assert!(rungs > 1, "the ladder grows to the model");
}

/// Many chains of a tiny model, after many sweeps, are in each state as often as `exp(-E)` predicts.
#[pollster::test]
#[ignore = "takes long: ./run test slow"]
async fn gibbs_sweeps_sample_the_model() {
    let Some(gpu) = gpu().await else { return };
    for units in [Units::Signs, Units::Bits] {
        let model = init::gaussian(&[2, 2, 1], units, 0.7, 5).unwrap().with_backend(Backend::Plain);
        let all = distribution(&model, &[None; 2]);
        let (_, first, on_gpu, mut on_chains) = begun(&gpu, &model, &Clamp::Free, COUNT, 6);
        on_chains.gibbs(&gpu, &on_gpu, &first, 30, Draws { key: [1, 2], stage: 0 }).unwrap();
        let drawn = states_on(&gpu, &on_gpu, &on_chains).await;
        let mut counts = vec![0; all.len()];
        for c in 0..COUNT {
            let is = |(state, _): &(State, f64)| state.iter().zip(&drawn).all(|(layer, drawn)| layer == drawn.row(c));
            counts[all.iter().position(is).unwrap()] += 1;
        }
        let misfit = misfit(&counts, &all.iter().map(|(_, p)| *p).collect::<Vec<f64>>());
        assert!(misfit < 5.0, "{units:?}: {misfit:.1} standard deviations, {counts:?}");
    }
}

fn run_of(model: &Dbm, estimator: &str, settings: Settings) -> Trainer {
    // Few particles and points, if there are any: each point is a dozen kernels.
    let estimator = EstimatorSettings { particles: 40, smc_steps: 8, ..estimator.parse().unwrap() };
    Trainer::new(model.clone(), Settings { estimator, ..settings }).unwrap()
}

/// The mean of many estimates is the exact gradient: one step of plain SGD at rate 1 moves the parameters by the mean of a batch. On this
/// model proposals are accepted and pairs take a while to meet, so the corrections of the coupling matter.
#[pollster::test]
#[ignore = "takes long: ./run test slow"]
async fn coupled_estimators_on_the_device_are_unbiased_and_lmi_is_not() {
    const LONG: u32 = 10_000;
    let Some(gpu) = gpu().await else { return };
    let data = Examples::from_bits(3, &[1, 0, 1, 0, 0, 1]).unwrap();
    let worst = async |estimator: EstimatorSettings, deviation: f32, batch: usize, max_meeting: u32| -> f64 {
        let model = init::gaussian(&[3, 2, 2], Units::Signs, deviation.into(), 8).unwrap().with_backend(Backend::Plain);
        let exact = |row: usize| exact::gradient(&model, &[[true, false, true], [false, false, true]][row], &[false; 3]).unwrap();
        let exact: Vec<f64> = exact(0).iter().zip(exact(1)).map(|(a, b)| 0.5 * (a + b)).collect();
        let before: Vec<f64> = tensors(&model).flatten().map(|&x| f64::from(x)).collect();
        let mut gradients: Vec<Vec<f64>> = Vec::new();
        for seed in 0..12 {
            let optimizer = OptimizerSettings {
                method: OptimizerMethod::Sgd,
                learning_rate: 1.0,
                momentum: 0.0,
                ..OptimizerSettings::default()
            };
            let settings = Settings { optimizer, estimator: estimator.clone(), max_meeting, batch, seed, ..Settings::default() };
            let mut run = GpuTrainer::new(gpu.clone(), &Trainer::new(model.clone(), settings).unwrap()).unwrap();
            let info = run.step(&data, 0).await.unwrap();
            assert!(estimator.kind != EstimatorKind::UcdLmi || info.negative.accepted > 10);
            let Parameters { weights, biases } = run.snapshot().await.unwrap().parameters;
            let after = weights.iter().chain(&biases).flatten();
            gradients.push(after.zip(&before).map(|(&after, before)| f64::from(after) - before).collect());
        }
        let of = |i: usize| dbm_core::math::mean_and_error(&gradients.iter().map(|gradient| gradient[i]).collect::<Vec<_>>());
        (0..exact.len()).map(|i| (of(i).0 - exact[i]).abs() / of(i).1).fold(0.0, f64::max)
    };
    // 17 parameters, Student's t with 11 degrees of freedom: above 6 about once in 700 times, and the seeds are fixed.
    let of = |name: &str| name.parse::<EstimatorSettings>().unwrap();
    let unbiased = worst(of("ucd-lmi"), 0.5, 500, LONG).await;
    let biased = worst(of("lmi"), 0.5, 500, LONG).await;
    assert!(unbiased < 6.0, "{unbiased} standard errors");
    assert!(biased > 10.0, "{biased} standard errors");
    // So few particles that one accepted run does not make up for the error of the first.
    let runs = |path| EstimatorSettings { particles: 4, smc_steps: 1, path, average_from: 0, average_to: 0, ..of("ucd-smc") };
    let unbiased = worst(runs(SmcPath::Temperatures), 1.0, 200, LONG).await;
    assert!(unbiased < 6.0, "{unbiased} standard errors along temperatures");
    let (unbiased, cut) =
        (worst(runs(SmcPath::Past), 1.0, 200, LONG).await, worst(runs(SmcPath::Temperatures), 1.0, 200, 1).await);
    assert!(unbiased < 6.0, "{unbiased} standard errors along the past");
    assert!(cut > 7.0, "{cut} standard errors where couplings are cut");
}

/// Twenty steps, which lead well beyond the noise of so small a model: trained on the device, it explains its data, and the core continues
/// the run from there.
#[pollster::test]
#[ignore = "takes long: ./run test slow"]
async fn every_estimator_raises_the_exact_likelihood() {
    let Some(gpu) = gpu().await else { return };
    let data = Examples::from_bits(4, &[1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]).unwrap();
    let runs = [
        (&[5, 3][..], "ucd-lmi"),
        (&[5, 3], "ptt"),
        (&[5, 3], "ucd-smc"),
        (&[5, 3], "pcd-gibbs-2"),
        (&[5, 3], "lmi"),
        (&[5, 3], "cd-2"),
        (&[6], "ucd-lmi"),
        (&[6], "ucd-smc"),
        (&[6], "cd"),
    ];
    for (hidden, estimator) in runs {
        let sizes: Vec<usize> = std::iter::once(4).chain(hidden.iter().copied()).collect();
        let model = init::orthogonal(&sizes, Units::Signs, 1).unwrap().with_backend(Backend::Plain);
        let optimizer = OptimizerSettings { learning_rate: 0.02, ..OptimizerSettings::default() };
        let settings = Settings { optimizer, batch: 60, ..Settings::default() };
        let mut run = GpuTrainer::new(gpu.clone(), &run_of(&model, estimator, settings)).unwrap();
        let likelihood = |model: &Dbm| exact::log_likelihood(model, &data).unwrap();
        for _ in 0..20 {
            run.step(&data, 0).await.unwrap();
        }
        let mut on_core = Trainer::restore(run.snapshot().await.unwrap()).unwrap();
        let (before, after) = (likelihood(&model), likelihood(on_core.model()));
        assert!(after > before + 0.5, "{estimator}: {before} to {after}");
        on_core.step(&data, &SingleThread).unwrap();
        assert_eq!(on_core.steps(), 21);
    }
}

/// A run that is saved and resumed is the same run. This kind has the most to save: chains and temperatures.
#[pollster::test]
async fn a_run_resumes_with_the_same_bits() {
    resumes(&["ptt"]).await;
}

#[pollster::test]
#[ignore = "takes long: ./run test slow"]
async fn runs_of_the_other_kinds_resume_with_the_same_bits() {
    resumes(&["ucd-lmi", "pcd-gibbs", "ucd-smc"]).await;
}

async fn resumes(estimators: &[&str]) {
    let Some(gpu) = gpu().await else { return };
    let data = Examples::from_bits(4, &[1, 1, 0, 0, 0, 0, 1, 1]).unwrap();
    for &estimator in estimators {
        let model = init::orthogonal(&[4, 5, 3], Units::Bits, 1).unwrap();
        let begun = run_of(&model, estimator, Settings { batch: 33, ..Settings::default() });
        let mut whole = GpuTrainer::new(gpu.clone(), &begun).unwrap();
        steps(&mut whole, &data, 6).await;
        let mut first = GpuTrainer::new(gpu.clone(), &begun).unwrap();
        steps(&mut first, &data, 3).await;
        let half = Trainer::restore(first.snapshot().await.unwrap()).unwrap();
        let mut second = GpuTrainer::new(gpu.clone(), &half).unwrap();
        steps(&mut second, &data, 3).await;
        assert_eq!(whole.snapshot().await.unwrap(), second.snapshot().await.unwrap());
    }
}
