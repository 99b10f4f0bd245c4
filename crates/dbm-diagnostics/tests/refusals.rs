//! No message makes the worker panic: invalid ones are refused with a reason.

use dbm_core::diagnostics::{CorrectionProbabilityPlan, CouplingKernel, CouplingStart, Couplings, ReplayPlan, RunPair, RunPairs};
use dbm_core::gradient::SmcPath;
use dbm_core::{Settings, Units};
use dbm_diagnostics::answer;
use dbm_protocol::{CouplingRuns, DiagnosticsCommand, DiagnosticsEvent, EstimateJob, ModelSource, RunPairsJob, SmallModel};
use proptest::prelude::*;

fn refusal(command: DiagnosticsCommand) -> String {
    let asked = format!("{command:?}");
    answer(command, &mut |_, _| ()).map(|_| asked).expect_err("refused")
}

/// The answer to a valid request after this change to it.
fn refused<T>(mut asked: T, change: fn(&mut T), command: fn(T) -> DiagnosticsCommand) -> String {
    change(&mut asked);
    refusal(command(asked))
}

fn model() -> SmallModel {
    SmallModel { sizes: vec![2, 1], units: Units::Signs, weights: vec![vec![0.5, -0.5]], biases: vec![vec![0.0, 0.1], vec![0.2]] }
}

fn couplings() -> CouplingRuns {
    let couplings = Couplings {
        dimension: 3,
        units: Units::Bits,
        kernel: CouplingKernel::Gibbs,
        start: CouplingStart::Uniform,
        max_meeting: 10,
        max_tries: 10,
        seed: 1,
    };
    CouplingRuns { couplings, first_run: 0, runs: 2 }
}

fn estimate() -> EstimateJob {
    EstimateJob { model: model(), data: vec![1, 0], settings: Settings::default(), first_sample: 0, samples: 10, chains: vec![] }
}

fn replay() -> ReplayPlan {
    let (kernel, start) = (CouplingKernel::Metropolis, CouplingStart::LocalMode);
    ReplayPlan { clamped: None, kernel, start, max_meeting: 10, max_tries: 10, seed: 1, run: 0 }
}

fn run_pairs() -> RunPairsJob {
    let pairs = RunPairs { particles: 3, steps: 4, path: SmcPath::Temperatures, cap: 50, seed: 1 };
    RunPairsJob { model: ModelSource::Given(model()), pairs, first_pair: 0, count: 12 }
}

#[test]
fn nonsense_is_refused_with_words() {
    let meets = |change| refused(couplings(), change, DiagnosticsCommand::MeetingTimes);
    assert!(meets(|m| m.couplings.dimension = 0).contains("1 to 400"));
    assert!(meets(|m| m.couplings.dimension = usize::MAX).contains("1 to 400"));
    assert!(meets(|m| m.runs = 0).contains("0 were requested"));
    assert!(meets(|m| m.first_run = u32::MAX).contains("begin lower"));
    assert!(meets(|m| m.couplings.max_meeting = 0).contains("max meeting"));
    assert!(meets(|m| m.couplings.max_tries = 0).contains("max tries"));

    let given = |change| refused(model(), change, |model| DiagnosticsCommand::Exact { model, data: vec![1, 0] });
    assert!(given(|m| m.weights[0][0] = f32::NAN).contains("not finite"));
    assert!(given(|m| m.biases[1][0] = 1e9).contains("at most 1000"));
    assert!(given(|m| m.sizes = vec![3, 1]).contains("biases"));
    assert!(given(|m| m.weights[0].push(1.0)).contains("weight.0"));
    assert!(given(|m| m.weights.clear()).contains("weight matrices"));

    let estimates = |change| refused(estimate(), change, DiagnosticsCommand::Estimate);
    assert!(estimates(|e| e.data = vec![]).contains("no examples"));
    assert!(estimates(|e| e.data = vec![1, 0, 1]).contains("data set"));
    assert!(estimates(|e| e.data = vec![1, 7]).contains("0 or 1"));
    assert!(estimates(|e| e.samples = 0).contains("requested"));
    assert!(estimates(|e| e.chains = vec![1]).contains("persistent"));
    assert!(estimates(|e| e.settings.estimator.k = 5000).contains("1000"));
    assert!(estimates(|e| e.settings.max_meeting = 0).contains("max meeting"));
    assert!(estimates(|e| e.settings.estimator = "centered-cd-1".parse().unwrap()).contains("centering"));

    let replays = |change| refused(replay(), change, |plan| DiagnosticsCommand::Replay { model: model(), plan });
    assert!(replays(|r| r.clamped = Some(vec![true])).contains("clamped"));
    assert!(replays(|r| r.max_meeting = u32::MAX).contains("20000"));

    let pairs = |change| refused(run_pairs(), change, DiagnosticsCommand::RunPairs);
    assert!(pairs(|p| p.count = 0).contains("pairs of chains"));
    assert!(pairs(|p| p.first_pair = u32::MAX).contains("begin lower"));
    assert!(pairs(|p| p.pairs.particles = 1).contains("from 2"));
    assert!(pairs(|p| p.pairs.particles = u32::MAX).contains("particles"));
    assert!(pairs(|p| p.pairs.steps = 0).contains("steps of the path"));
    assert!(pairs(|p| p.pairs.cap = 0).contains("1 to 1000"));
    assert!(pairs(|p| p.pairs.path = SmcPath::Past).contains("no ladder"));
    assert!(pairs(|p| p.model = ModelSource::Checkpoint { bytes: vec![9; 40] }).contains("checkpoint"));
    assert!(
        pairs(|p| p.model = ModelSource::Orthogonal { sizes: vec![300, 200], units: Units::Bits, seed: 1 }).contains("400 units")
    );

    let sources = |source: ModelSource| refusal(DiagnosticsCommand::Model(source));
    assert!(sources(ModelSource::Checkpoint { bytes: vec![1, 2, 3] }).contains("checkpoint"));
    let gaussian =
        |sizes: &[u32], deviation| ModelSource::Gaussian { sizes: sizes.to_vec(), units: Units::Bits, deviation, seed: 1 };
    assert!(sources(gaussian(&[2, 2], f64::NAN)).contains("deviation"));
    assert!(sources(gaussian(&[u32::MAX, u32::MAX], 1.0)).contains("400 units"));
    assert!(sources(gaussian(&[2], 1.0)).contains("hidden layer"));
    let seen = |sizes: &[usize], runs| {
        let plan = CorrectionProbabilityPlan { sizes: sizes.to_vec(), units: Units::Bits, seed: 1 };
        DiagnosticsCommand::CorrectionProbability { plan, runs }
    };
    assert!(refusal(seen(&[2, 2], 0)).contains("couplings"));
    assert!(refusal(seen(&[0, 2], 1)).contains("size 0"));
    assert!(refusal(seen(&[u32::MAX as usize, u32::MAX as usize], 1)).contains("parameters"));
    let law = DiagnosticsCommand::Expectation {
        model: SmallModel {
            sizes: vec![8, 3],
            units: Units::Bits,
            weights: vec![vec![0.0; 24]],
            biases: vec![vec![0.0; 8], vec![0.0; 3]],
        },
        data: vec![0; 8],
        settings: Settings::default(),
    };
    assert!(refusal(law).contains("11 units"));
}

#[test]
fn long_jobs_say_how_far_they_are() {
    let mut text = Vec::new();
    let mut asked = couplings();
    asked.runs = 30;
    asked.couplings = Couplings { dimension: 90, units: Units::Signs, max_meeting: 2000, max_tries: 1000, ..asked.couplings };
    answer(DiagnosticsCommand::MeetingTimes(asked), &mut |done, total| text.push((done, total))).unwrap();
    assert!(text.len() > 2 && text.is_sorted() && text.iter().all(|&(done, total)| done <= total && total == 30), "{text:?}");
}

fn pairs_of(job: RunPairsJob) -> Vec<RunPair> {
    match answer(DiagnosticsCommand::RunPairs(job), &mut |_, _| ()) {
        Ok(DiagnosticsEvent::RunPairs(pairs)) => pairs,
        other => panic!("{other:?}"),
    }
}

#[test]
fn pairs_of_runs_are_the_same_in_any_jobs_of_a_checkpoint_of_any_size() {
    let whole = pairs_of(run_pairs());
    let part = |first_pair, count| pairs_of(RunPairsJob { first_pair, count, ..run_pairs() });
    assert_eq!(whole, [part(0, 5), part(5, 1), part(6, 6)].concat());
    // Too large to be sent in full; the answer says so if it is requested.
    let checkpoint = ModelSource::Checkpoint { bytes: include_bytes!("../../../www/models/mnist.safetensors").to_vec() };
    let pairs = RunPairs { particles: 2, steps: 1, cap: 2, ..run_pairs().pairs };
    let digits = pairs_of(RunPairsJob { model: checkpoint.clone(), pairs, first_pair: 3, count: 1 });
    assert_eq!((digits.len(), digits[0].runs[0].picture.len(), digits[0].uniform.time), (1, 784, 1));
    assert!(refusal(DiagnosticsCommand::Model(checkpoint)).contains("400 units"));
}

fn small_models() -> impl Strategy<Value = SmallModel> {
    let value = prop_oneof![8 => -2.0_f32..2.0, 1 => Just(f32::NAN), 1 => Just(900.0), 1 => Just(f32::INFINITY)];
    (prop::collection::vec(0_usize..4, 0..4), any::<bool>(), prop::collection::vec(value, 40), 0_usize..20).prop_map(
        |(sizes, bits, values, odd)| {
            let mut values = values.into_iter().cycle();
            let mut take = |n: usize| values.by_ref().take(n).collect::<Vec<f32>>();
            let mut weights: Vec<Vec<f32>> = sizes.windows(2).map(|pair| take(pair[0] * pair[1])).collect();
            let biases: Vec<Vec<f32>> = sizes.iter().map(|&n| take(n)).collect();
            if let (0, Some(first)) = (odd, weights.first_mut()) {
                first.pop();
            }
            let units = if bits { Units::Bits } else { Units::Signs };
            SmallModel { sizes: sizes.iter().map(|&n| n as u32).collect(), units, weights, biases }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_message_makes_it_panic(
        model in small_models(),
        data in prop::collection::vec(0_u8..2, 0..10),
        chains in prop::collection::vec(0_u8..3, 0..40),
        (cap, tries, first, seed) in (0_u32..40, 0_u32..20, 0_u32..600, any::<u64>()),
        estimator in prop::sample::select(vec!["ucd-lmi", "ucd-mh", "ucd-gibbs", "lmi", "cd-1", "pcd-1", "pcd-gibbs-2"]),
        (gibbs, uniform) in any::<(bool, bool)>(),
    ) {
        let mut settings = Settings { estimator: estimator.parse().unwrap(), max_meeting: cap, seed, ..Settings::default() };
        settings.estimator.max_tries = tries;
        let kernel = if gibbs { CouplingKernel::Gibbs } else { CouplingKernel::Metropolis };
        let start = if uniform { CouplingStart::Uniform } else { CouplingStart::LocalMode };
        let few = model.sizes.iter().sum::<u32>() <= 6;
        let mut commands = vec![
            DiagnosticsCommand::Model(ModelSource::Given(model.clone())),
            DiagnosticsCommand::Exact { model: model.clone(), data: data.clone() },
            DiagnosticsCommand::Replay { model: model.clone(), plan: ReplayPlan { clamped: (!data.is_empty()).then(|| data.iter().map(|&bit| bit == 1).collect()), kernel, start, max_meeting: cap, max_tries: tries, seed, run: first } },
            DiagnosticsCommand::CorrectionProbability { plan: CorrectionProbabilityPlan { sizes: model.sizes.iter().map(|&n| n as usize).collect(), units: model.units, seed }, runs: cap },
            DiagnosticsCommand::Estimate(EstimateJob { model: model.clone(), data: data.clone(), settings: settings.clone(), first_sample: first, samples: 200, chains }),
            DiagnosticsCommand::RunPairs(RunPairsJob { model: ModelSource::Given(model.clone()), pairs: RunPairs { particles: tries, steps: 3, path: if gibbs { SmcPath::Past } else { SmcPath::Temperatures }, cap, seed }, first_pair: first, count: 5 }),
        ];
        if few {
            commands.push(DiagnosticsCommand::Expectation { model, data, settings });
        }
        for command in commands {
            if let Err(words) = answer(command, &mut |_, _| ()) {
                prop_assert!(words.len() > 20, "{words}");
            }
        }
    }
}
