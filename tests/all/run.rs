//! A run is a value: the same bits for any number of threads, any slicing and any pauses.

use dbm_core::chains::FieldCost;
use dbm_core::gradient::{self, Batch, Estimate, EstimatorKind, EstimatorSettings};
use dbm_core::linalg::Matrix;
use dbm_core::local::LocalFields;
use dbm_core::rng::{Purpose, Streams};
use dbm_core::tempering::{Base, Path, Spread, runs};
use dbm_core::{
    Backend, Clamp, Dbm, DbmError, Examples, Exchange, Host, OptimizerMethod, OptimizerSettings, ReplicaPart, Settings,
    SingleThread, Snapshot, Trainer, Units, exact, init,
};
use wasm_bindgen_test::wasm_bindgen_test;

pub fn data() -> Examples {
    let bits: Vec<u8> = (0..40 * 16_u32).map(|i| u8::from((i / 16 + i % 16 * 3) % 5 < 2)).collect();
    Examples::from_bits(16, &bits).unwrap()
}

pub fn settings(method: OptimizerMethod) -> Settings {
    Settings {
        optimizer: OptimizerSettings { method, momentum: 0.5, weight_decay: 1e-3, ..OptimizerSettings::default() },
        batch: 70,
        seed: 9,
        conditional: 0.4,
        image: Some((4, 4)),
        average: Some(0.9),
        ..Settings::default()
    }
}

pub fn trainer(method: OptimizerMethod) -> Trainer {
    Trainer::new(init::orthogonal(&[16, 20, 7], Units::Signs, 2).unwrap(), settings(method)).unwrap()
}

/// A run with another estimator, on a model in which couplings end soon.
pub fn estimator(name: &str) -> Trainer {
    let estimator: EstimatorSettings = name.parse().unwrap();
    let conditional = if estimator.kind.descriptor().persistent { 0.0 } else { 0.4 };
    let settings = Settings { estimator, conditional, max_meeting: 500, batch: 40, ..settings(OptimizerMethod::Adam) };
    Trainer::new(init::gaussian(&[16, 6, 3], Units::Signs, 0.1, 2).unwrap(), settings).unwrap()
}

pub const NAMES: [&str; 11] =
    ["mp-3", "pl", "ucd-lmi", "ucd-mh", "ucd-gibbs", "lmi", "cd-2", "pcd-1", "pcd-gibbs-2", "centered-pcd-1", "centered-ucd-lmi"];

/// Computes shards last to first, as a thread pool might.
pub struct Backwards;

impl Host for Backwards {
    fn map<T: Send, R: Send>(&self, items: Vec<T>, f: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
        let mut results: Vec<R> = items.into_iter().rev().map(f).collect();
        results.reverse();
        results
    }

    fn now(&self) -> f64 {
        0.0
    }

    /// So that some shards are estimated together and some alone.
    fn threads(&self) -> usize {
        2
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn a_model_made_by_several_is_the_same() {
    for sizes in [[37, 50], [50, 37], [16, 16]] {
        let alone = init::orthogonal(&sizes, Units::Signs, 3).unwrap();
        assert_eq!(alone, init::orthogonal_on(&Backwards, &sizes, Units::Signs, 3).unwrap());
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn a_step_in_slices_changes_no_bit() {
    let (mut whole, mut sliced) = (trainer(OptimizerMethod::Adam), trainer(OptimizerMethod::Adam));
    let data = data();
    for _ in 0..5 {
        whole.step(&data, &SingleThread).unwrap();
        let shards = sliced.begin(&data).unwrap();
        assert!(shards.count() > 1);
        let estimates = (0..shards.count()).map(|shard| sliced.estimate(&shards, shard, &|| 0.0)).collect();
        sliced.finish(&shards, estimates, &SingleThread).unwrap();
    }
    assert_eq!(whole.snapshot(), sliced.snapshot());
}

/// Makes `2 steps` steps of the run, and again with the threads in another order and a pause in the middle, after which a snapshot
/// continues it: the bits are the same.
fn in_two_ways(mut whole: Trainer, data: &Examples, steps: usize) -> Trainer {
    let mut half = whole.clone();
    for _ in 0..steps {
        whole.step(data, &SingleThread).unwrap();
        half.step(data, &Backwards).unwrap();
    }
    let mut resumed = Trainer::restore(half.snapshot()).unwrap();
    for _ in 0..steps {
        whole.step(data, &Backwards).unwrap();
        resumed.step(data, &SingleThread).unwrap();
    }
    assert_eq!(whole.snapshot(), resumed.snapshot(), "{}", whole.settings().estimator);
    assert_eq!(whole.averaged_model(), resumed.averaged_model());
    whole
}

/// A run that climbs a ladder so fast that the ladder changes at nearly every step.
pub fn climber(rate: f64) -> Trainer {
    climber_by("centered-ptt-2", rate)
}

pub fn climber_by(name: &str, rate: f64) -> Trainer {
    let mut estimator: EstimatorSettings = name.parse().unwrap();
    estimator.ladder_every = 2;
    let optimizer = OptimizerSettings { learning_rate: rate, ..settings(OptimizerMethod::Sgd).optimizer };
    let settings = Settings { estimator, optimizer, conditional: 0.2, batch: 70, ..settings(OptimizerMethod::Sgd) };
    Trainer::new(init::of_data(&[16, 12, 5], Units::Signs, 0.001, 2, &data()).unwrap(), settings).unwrap()
}

#[wasm_bindgen_test(unsupported = test)]
fn a_climbing_run_is_a_value_too() {
    let rungs = |run: &Trainer| run.ladder().map_or(0, |ladder| ladder.rungs().len());
    let mut run = climber(0.1);
    for name in ["centered-ucd-ptt-2", "centered-ptt-2"] {
        run = in_two_ways(climber_by(name, 0.1), &data(), 6);
        assert!(rungs(&run) > 1, "{} rungs by {name}", rungs(&run));
        assert_eq!(run.snapshot().persistent.unwrap().len(), 3 * (rungs(&run) + 1));
    }
    let mut alone = run.clone();
    let steps = (0..20).map(|_| alone.step(&data(), &SingleThread).unwrap().climb.unwrap().rungs);
    let mut seen: Vec<usize> = steps.collect();
    seen.dedup();
    assert!(seen.len() > 1, "the ladder changed while replicas shared it");
    assert_eq!(on_replicas(&run, 2, &data(), 20).snapshot(), alone.snapshot());
}

/// With local fields, weights outside of them stay 0, those inside move as they would in a run without fields that is in the same state,
/// and the run is a value.
#[wasm_bindgen_test(unsupported = test)]
fn local_fields_keep_their_shape_and_change_nothing_else() {
    let fields = LocalFields::new((4, 4), 20, 0.5);
    let sees = |at: usize| fields.seeing(at / 20).any(|units| units.contains(&(at % 20)));
    for method in [OptimizerMethod::Adam, OptimizerMethod::AmsGrad, OptimizerMethod::Sgd] {
        for name in ["ucd-lmi", "pcd-gibbs-2", "centered-cd-1", "mp-3", "pl"] {
            let (estimator, conditional): (EstimatorSettings, _) = (name.parse().unwrap(), 0.0);
            let settings = Settings { estimator, conditional, local: Some(0.5), ..settings(method) };
            let sizes: &[usize] = if name == "pl" { &[16, 20] } else { &[16, 20, 7] };
            let start = Trainer::new(init::gaussian(sizes, Units::Signs, 0.1, 2).unwrap(), settings.clone()).unwrap();
            let mut everywhere = Trainer::new(start.model().clone(), Settings { local: None, ..settings }).unwrap();
            let mut local = start.clone();
            everywhere.step(&data(), &SingleThread).unwrap();
            local.step(&data(), &SingleThread).unwrap();
            let first = |run: &Trainer| run.model().weights()[0].data().to_vec();
            let (before, inside, all) = (first(&start), first(&local), first(&everywhere));
            for at in 0..before.len() {
                assert_eq!((before[at] != 0.0, inside[at] != 0.0), (sees(at), sees(at)), "{name}, {method:?}");
                assert!(inside[at] != before[at] && inside[at] == all[at] || !sees(at) && all[at] != 0.0, "{name}, {method:?}");
            }
            let run = in_two_ways(start, &data(), 3);
            assert!((0..before.len()).all(|at| (first(&run)[at] != 0.0) == sees(at)), "{name}, {method:?}");
        }
    }
    let grown = |sizes: &[usize]| {
        let run = Trainer::new(
            init::orthogonal(&[16, 20], Units::Signs, 1).unwrap(),
            Settings { local: Some(0.5), ..settings(OptimizerMethod::Sgd) },
        );
        Trainer::begin_at(Snapshot { optimizer_state: vec![], average: None, ..run.unwrap().snapshot() }.grown(sizes, 0.5, 1)?)
    };
    assert!((0..320).all(|at| (grown(&[16, 20, 5]).unwrap().model().weights()[0].data()[at] != 0.0) == sees(at)));
    // Another number of units would move every field.
    assert!(matches!(grown(&[16, 21]), Err(DbmError::Setting { name: "hidden layers", .. })));
}

/// With the same settings, a run that starts from another run's state differs from it only in its step, its average and its optimizer; with
/// others, it takes over what its estimator uses.
#[wasm_bindgen_test(unsupported = test)]
fn a_run_can_begin_where_another_one_stands() {
    let mut run = climber(0.1);
    (0..6).for_each(|_| drop(run.step(&data(), &SingleThread).unwrap()));
    let before = run.snapshot();
    let at = |settings: Settings| {
        Trainer::begin_at(Snapshot { settings, step: 0, optimizer_state: vec![], average: None, ..before.clone() }).unwrap()
    };
    let again = at(run.settings().clone()).snapshot();
    let expected = Snapshot {
        step: 0,
        optimizer_state: again.optimizer_state.clone(),
        average: Some(before.parameters.clone()),
        ..before.clone()
    };
    assert_eq!(again, expected);
    assert!(again.optimizer_state[0].weights[0].iter().all(|&velocity| velocity == 0.0));

    let with =
        |name: &str, batch: usize| at(Settings { estimator: name.parse().unwrap(), batch, ..run.settings().clone() }).snapshot();
    let chains = |snapshot: &Snapshot| snapshot.persistent.clone().unwrap_or_default();
    // Chains at the model, repeated from the first.
    let pcd = with("pcd-gibbs-1", 80);
    let (of_model, visible) = (&chains(&before)[chains(&before).len() - 3..], 16);
    assert_eq!((pcd.ladder.is_some(), pcd.offsets.is_some(), chains(&pcd).len()), (false, false, 3));
    assert_eq!(chains(&pcd)[0], [&of_model[0][..], &of_model[0][..10 * visible]].concat());
    let smc = with("ucd-smc", 40);
    assert_eq!((smc.ladder, smc.persistent), (before.ladder.clone(), None));
    assert_eq!(with("cd-1", 40).ladder, None);
    let mut going_on = at(Settings { estimator: "ptt-1".parse().unwrap(), batch: 30, ..run.settings().clone() });
    assert!(going_on.step(&data(), &SingleThread).unwrap().climb.unwrap().taken);
}

/// New units without weights change nothing in the model's distribution, and orthogonal ones little; the model keeps learning, ladder and
/// chains included.
#[wasm_bindgen_test(unsupported = test)]
fn a_run_can_go_on_with_more_hidden_units_than_it_had() {
    let mut run = climber(0.1);
    (0..6).for_each(|_| drop(run.step(&data(), &SingleThread).unwrap()));
    let (before, sizes, grown) = (run.snapshot(), run.model().sizes().to_vec(), vec![16, 14, 5, 6]);
    let at = |sizes: &[usize], gain: f32| {
        Trainer::begin_at(Snapshot { optimizer_state: vec![], ..before.clone() }.grown(sizes, gain, 3)?)
    };
    let log_p = |model: &Dbm| -> Vec<f64> {
        let row = |row: usize| (0..16).map(|unit| data().bit(row, unit)).collect::<Vec<bool>>();
        (0..5).map(|n| exact::log_probability(model, &row(n)).unwrap()).collect()
    };
    let silent = at(&grown, 0.0).unwrap();
    for (now, then) in log_p(silent.model()).iter().zip(log_p(run.model())) {
        assert!((now - then).abs() < 1e-4, "{now} and {then}");
    }
    let mut going_on = at(&grown, 0.5).unwrap();
    let rungs = going_on.ladder().unwrap().rungs().to_vec();
    assert_eq!((going_on.model().sizes(), rungs.len()), (&grown[..], run.ladder().unwrap().rungs().len()));
    assert!(rungs[0].weights().iter().all(|w| w.data().iter().all(|&x| x == 0.0)));
    // The old weights are still there, in the corner of the new ones.
    for (l, (now, then)) in going_on.model().weights().iter().zip(run.model().weights()).enumerate() {
        (0..sizes[l]).for_each(|row| assert_eq!(now.row(row)[..sizes[l + 1]], *then.row(row)));
    }
    assert!(going_on.step(&data(), &SingleThread).unwrap().climb.unwrap().taken);
    let same = at(&sizes, 0.5).unwrap().snapshot();
    assert_eq!(same, Trainer::begin_at(Snapshot { optimizer_state: vec![], ..before.clone() }).unwrap().snapshot());
    for wrong in [&[16, 12][..], &[16, 11, 4], &[15, 12, 4], &[16]] {
        let message = at(wrong, 0.5).unwrap_err().to_string();
        assert!(message.contains("wider ones"), "{message}");
    }
}

/// A run with particles along temperatures, at a model that freezes: all its weights are weak, but many of them agree.
pub fn along_temperatures() -> Trainer {
    let estimator = EstimatorSettings { particles: 24, smc_steps: 8, ..EstimatorSettings::new(EstimatorKind::UcdSmc) };
    let optimizer = OptimizerSettings { learning_rate: 1e-6, ..settings(OptimizerMethod::Sgd).optimizer };
    let settings = Settings { estimator, optimizer, max_meeting: 20, batch: 40, ..settings(OptimizerMethod::Sgd) };
    let weights = vec![vec![0.35; 16 * 12], vec![0.0; 12 * 2]];
    let model = Dbm::new(Units::Signs, weights, vec![vec![0.02; 16], vec![0.0; 12], vec![0.0; 2]]).unwrap();
    Trainer::new(model, settings).unwrap()
}

#[wasm_bindgen_test(unsupported = test)]
fn temperatures_are_part_of_the_run_and_move_after_each_step() {
    let run = in_two_ways(along_temperatures(), &data(), 3);
    let mut alone = run.clone();
    (0..4).for_each(|_| drop(alone.step(&data(), &SingleThread).unwrap()));
    assert_eq!(on_replicas(&run, 2, &data(), 4).snapshot(), alone.snapshot());
    assert_ne!(run.snapshot().ladder, alone.snapshot().ladder);
    let begun = Trainer::begin_at(Snapshot { optimizer_state: vec![], ..alone.snapshot() }).unwrap();
    assert_eq!(begun.snapshot().ladder, alone.snapshot().ladder);
}

/// The runs of a step use the temperatures left by earlier steps, to the bit: none of the step's own particles has moved one.
#[wasm_bindgen_test(unsupported = test)]
fn a_steps_own_particles_move_none_of_its_temperatures() {
    // Cut after one step: for each shard, the start and one offered run.
    let settings = Settings { max_meeting: 1, conditional: 0.0, ..along_temperatures().settings().clone() };
    let mut run = Trainer::new(along_temperatures().model().clone(), settings).unwrap();
    (0..3).for_each(|_| drop(run.step(&data(), &SingleThread).unwrap()));
    let (step, model, seed) = (run.steps(), run.model().clone(), run.settings().seed);
    let ladder = run.ladder().unwrap().clone();
    let temperatures = ladder.temperatures(8);
    let shards = run.begin(&data()).unwrap();
    let estimates: Vec<_> = (0..shards.count()).map(|shard| run.estimate(&shards, shard, &|| 0.0)).collect();
    let mut first = 0;
    for (shard, estimate) in estimates.iter().enumerate() {
        let mut stream = Streams::new(seed).at(Purpose::Negative, step, first);
        let path = Path::of_temperatures(Base::of(&ladder.rungs()[0]), &model, &temperatures);
        let (mut spread, mut work) = (Spread::default(), FieldCost::default());
        let (visible, mut both) = (Matrix::from_vec(2, 16, vec![-1.0; 32]), [stream.fork(), stream.fork()]);
        runs(&path, &visible, &Clamp::Free, 24, &mut both, (&mut spread, &mut work));
        assert_eq!(estimate.info.negative.spread, spread, "shard {shard}");
        first += shards.chains(shard).unwrap() as u64;
    }
    assert_eq!(run.ladder().unwrap().temperatures(8), temperatures);
    run.finish(&shards, estimates, &SingleThread).unwrap();
    assert_ne!(run.ladder().unwrap().temperatures(8), temperatures);
}

#[wasm_bindgen_test(unsupported = test)]
fn temperatures_go_where_equal_steps_are_too_long() {
    let mut run = along_temperatures();
    let mut shares = |steps: usize| {
        let mut sums = [0.0; 8];
        for _ in 0..steps {
            let spread = run.step(&data(), &SingleThread).unwrap().info.negative.spread;
            sums.iter_mut().zip(spread.means()).for_each(|(sum, share)| *sum += share / steps as f64);
        }
        [f64::min, f64::max].map(|end| sums.into_iter().reduce(end).unwrap())
    };
    let [least, most] = shares(1);
    shares(60);
    let [raised, lowered] = shares(20);
    assert!(
        raised > least + 0.05 && lowered < most && lowered - raised < 0.5 * (most - least),
        "{least} to {most}: {raised} to {lowered}"
    );
}

/// A step that goes too far is undone, at half the rate; if only the lowest rung is left to go back to, the error says what start is
/// needed.
#[wasm_bindgen_test(unsupported = test)]
fn a_step_too_far_is_undone() {
    let mut run = climber(3.0);
    let undone = (0..60).find_map(|_| {
        let step = run.step(&data(), &SingleThread).unwrap().climb.unwrap();
        (!step.taken).then_some(step)
    });
    assert_eq!(undone.map(|step| step.rate), Some(0.5));
    let start = init::of_data(&[16, 12, 5], Units::Signs, 0.001, 2, &data()).unwrap();
    let weights = start.weights().iter().map(|weight| weight.data().to_vec()).collect();
    // Hidden units that are all high.
    let far = Dbm::new(Units::Signs, weights, vec![start.biases()[0].clone(), vec![5.0; 12], vec![0.0; 5]]).unwrap();
    let far = Trainer::new(far, run.settings().clone());
    let refused = far.unwrap().step(&data(), &SingleThread).unwrap_err().to_string();
    assert!(refused.contains("near zero"), "{refused}");
}

#[wasm_bindgen_test(unsupported = test)]
fn runs_are_values_whoever_computes_and_wherever_they_pause() {
    for method in [OptimizerMethod::Sgd, OptimizerMethod::Adam, OptimizerMethod::AmsGrad] {
        in_two_ways(trainer(method), &data(), 4);
    }
    let gaps = data_with_gaps();
    assert!(gaps.missing() > 100 && gaps.known_in_row(21) == 0);
    for name in NAMES {
        let whole = in_two_ways(estimator(name), &data(), 3);
        assert_eq!(whole.snapshot().persistent.is_some(), name.contains("pcd"), "{name}");
        assert_eq!(whole.snapshot().offsets.is_some(), name.contains("centered"), "{name}");
        let with = in_two_ways(estimator(name), &gaps, 3);
        assert_ne!(whole.model().checksum(), with.model().checksum(), "{name}: gaps make no difference");
    }
}

/// Sends every replica's part to all the others.
fn exchange(replicas: &mut [Trainer], what: Exchange) {
    let of = replicas.len();
    for index in 0..of {
        let (part, mut rows) = (ReplicaPart { index, of }, Vec::new());
        replicas[index].write_part(what, part, &mut rows);
        for other in (0..of).filter(|&other| other != index) {
            assert!(replicas[other].read_part(what, part, &rows[1..]).is_err());
            replicas[other].read_part(what, part, &rows).unwrap();
        }
    }
}

/// The run on several replicas that exchange estimates and weights, as a pool of workers would.
fn on_replicas(run: &Trainer, count: usize, data: &Examples, steps: usize) -> Trainer {
    let mut replicas = vec![run.clone(); count];
    let part = |index| ReplicaPart { index, of: count };
    for _ in 0..steps {
        let shards: Vec<_> = replicas.iter_mut().map(|replica| replica.begin(data).unwrap()).collect();
        let estimates: Vec<_> = (0..shards[0].count())
            .map(|shard| replicas[shard % count].estimate(&shards[shard % count], shard, &|| 0.0))
            .collect();
        let updated: Vec<_> = replicas
            .iter_mut()
            .enumerate()
            .map(|(index, replica)| replica.update_part(&shards[index], estimates.clone(), part(index), &SingleThread).unwrap())
            .collect();
        exchange(&mut replicas, Exchange::Weights);
        for (replica, updated) in replicas.iter_mut().zip(updated) {
            replica.complete(updated, &SingleThread).unwrap();
        }
    }
    exchange(&mut replicas, Exchange::Optimizer);
    for replica in &replicas[1..] {
        assert_eq!(replica.snapshot(), replicas[0].snapshot());
    }
    replicas.remove(0)
}

#[wasm_bindgen_test(unsupported = test)]
fn the_number_of_replicas_changes_no_bit() {
    // Wide enough for more blocks than replicas.
    let whole = Examples::from_bits(200, &(0..30 * 200_u32).map(|i| u8::from(i * i % 7 < 3)).collect::<Vec<u8>>()).unwrap();
    let gaps = whole.clone().with_gaps(&(0..30 * 200_u32).map(|i| u8::from(i % 11 > 2)).collect::<Vec<u8>>()).unwrap();
    for (name, method, data, local) in [
        ("ucd-lmi", OptimizerMethod::Adam, &whole, None),
        ("centered-pcd-1", OptimizerMethod::AmsGrad, &whole, Some(0.3)),
        ("lmi", OptimizerMethod::Sgd, &whole, Some(0.1)),
        ("ucd-lmi", OptimizerMethod::Adam, &gaps, None),
        ("centered-pcd-1", OptimizerMethod::AmsGrad, &gaps, None),
    ] {
        let settings = Settings { estimator: name.parse().unwrap(), conditional: 0.0, image: None, local, ..settings(method) };
        let mut alone = Trainer::new(init::orthogonal(&[200, 300, 150], Units::Signs, 2).unwrap(), settings).unwrap();
        let start = alone.clone();
        for _ in 0..3 {
            alone.step(data, &SingleThread).unwrap();
        }
        for count in [1, 2, 4] {
            assert_eq!(on_replicas(&start, count, data, 3).snapshot(), alone.snapshot(), "{name} on {count} replicas");
        }
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn a_snapshot_whose_chains_or_offsets_do_not_fit_is_refused() {
    let mut run = estimator("centered-pcd-1");
    run.step(&data(), &SingleThread).unwrap();
    let refused = |change: fn(&mut Snapshot)| {
        let mut snapshot = run.snapshot();
        change(&mut snapshot);
        Trainer::restore(snapshot).unwrap_err().to_string()
    };
    for (said, change) in [
        ("persistent chains", (|s| s.persistent.as_mut().unwrap()[1].truncate(7)) as fn(&mut Snapshot)),
        ("persistent chains", |s| s.persistent.as_mut().unwrap().truncate(1)),
        ("persistent chain", |s| s.persistent.as_mut().unwrap()[2][0] = 0.5),
        ("persistent chains", |s| s.settings.estimator.kind = EstimatorKind::Cd),
        ("offsets", |s| s.offsets = None),
        ("offsets", |s| s.offsets.as_mut().unwrap()[0].truncate(3)),
        ("offsets", |s| s.offsets.as_mut().unwrap()[0][0] = f32::NAN),
        ("offsets", |s| s.settings.estimator.centering = None),
        ("conditional", |s| s.settings.conditional = 1.5),
    ] {
        let error = refused(change);
        assert!(error.contains(said), "{error}");
    }
}

/// The same data with some bits missing in every other row: in 16 rows many, in one of them all.
fn data_with_gaps() -> Examples {
    let known: Vec<u8> = (0..40 * 16_u32).map(|i| u8::from(i / 16 % 2 == 0 || (i * i + i / 7) % 5 > 1 && i / 16 != 21)).collect();
    data().with_gaps(&known).unwrap()
}

/// A batch whose marks show no gaps is identical, to the bit, to one without marks; and the values stored for missing bits have no effect.
#[wasm_bindgen_test(unsupported = test)]
fn marks_that_mark_nothing_and_values_that_are_missing_change_no_bit() {
    let visible = |missing: f32| Matrix::from_vec(2, 16, (0..32).map(|i| [1.0, -1.0, -1.0, missing][i % 4]).collect());
    for name in NAMES {
        let run = estimator(name);
        let estimate = |visible: Matrix, observed: Clamp| {
            let batch = Batch { observed, ..Batch::new(visible, Streams::new(5)) };
            gradient::estimator(run.settings()).estimate(run.model(), &batch, &|| 0.0)
        };
        assert_eq!(estimate(visible(1.0), Clamp::Visible), estimate(visible(1.0), Clamp::Known(vec![true; 32])), "{name}");
        let gaps = || Clamp::Known((0..32).map(|i| i % 4 != 3).collect());
        assert_eq!(estimate(visible(1.0), gaps()), estimate(visible(-1.0), gaps()), "{name}");
        assert_ne!(estimate(visible(1.0), gaps()).moments, estimate(visible(1.0), Clamp::Visible).moments, "{name}");
    }
}

/// Shards estimated together each have the bits that they have alone: with gaps or without, free or with masks, with labels, and with
/// persistent chains.
#[wasm_bindgen_test(unsupported = test)]
fn shards_together_have_the_bits_of_each_alone() {
    let gaps =
        |data: &Examples| data.clone().with_gaps(&(0..40 * 16).map(|i| u8::from(i % 11 > 0 || i < 80)).collect::<Vec<u8>>());
    let labels = |data: &Examples| data.clone().with_labels((0..40).map(|row| row % 3).collect());
    let whole = data();
    for (name, conditional, classes, data) in [
        ("ucd-lmi", 0.4, 0, gaps(&whole).unwrap()),
        ("ucd-lmi", 0.0, 3, labels(&whole).unwrap()),
        ("ucd-gibbs", 0.4, 0, whole.clone()),
        ("cd-2", 0.4, 0, gaps(&whole).unwrap()),
        ("pcd-gibbs-2", 0.4, 3, labels(&whole).unwrap()),
    ] {
        for backend in [Backend::Fast, Backend::Plain] {
            let run = Settings { estimator: name.parse().unwrap(), conditional, classes, ..settings(OptimizerMethod::Adam) };
            let run = Settings { max_meeting: 500, ..run };
            let model = init::gaussian(&[16, 6, 3], Units::Signs, 0.1, 2).unwrap();
            let mut run = Trainer::new(model, run).unwrap().with_backend(backend);
            for _ in 0..2 {
                let shards = run.begin(&data).unwrap();
                let alone: Vec<Estimate> = (0..shards.count()).map(|shard| run.estimate(&shards, shard, &|| 0.0)).collect();
                let together = run.estimate_together(&shards, [2, 0, 1], &|| 0.0);
                assert_eq!(together.len(), 3);
                for (mut estimate, shard) in together.into_iter().zip([2, 0, 1]) {
                    // The cost of the fields is counted for all of them together.
                    let mut expected = alone[shard].clone();
                    for info in [&mut estimate.info, &mut expected.info] {
                        (info.positive.work, info.negative.work) = (FieldCost::default(), FieldCost::default());
                    }
                    assert_eq!(estimate, expected, "{name}, shard {shard}, {backend:?}");
                }
                run.finish(&shards, alone, &SingleThread).unwrap();
            }
        }
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn refuses_data_of_another_width_and_goes_on() {
    let mut run = trainer(OptimizerMethod::Adam);
    let wrong = Examples::from_bits(5, &[1, 0, 1, 0, 1]).unwrap();
    let error = run.step(&wrong, &SingleThread).unwrap_err().to_string();
    assert!(error.contains("16") && error.contains('5'), "{error}");
    assert_eq!(run.step(&data(), &SingleThread).unwrap().step, 1);
}
