//! What the page requests from the computing worker, and what it receives.

use super::*;
use crate::test_page::{TestPage, completion, encoded, events, on_bars};
use dbm_core::classes::{self, shared};
use dbm_core::complete::{Completer, Method, SamplingSchedule};
use dbm_core::diagnostics::{CouplingKernel, PairDraw};
use dbm_core::gradient::{EstimatorKind, EstimatorSettings};
use dbm_core::impute::{ImputationMethod, ImputeSettings};
use dbm_core::linalg::Matrix;
use dbm_core::pretrain::{PretrainSettings, Pretrainer};
use dbm_core::settings::Setting;
use dbm_core::settings::{Initialization, RunPlan};
use dbm_core::{Clamp, Dbm, Examples, Parameters, Settings, Units};
use dbm_data::raw::{PictureReading, Visible};
use dbm_data::{Checkpoint, Precision};
use dbm_protocol::{
    AnswerTrace, CompletionRequest, Completions, DataSource, EncodedData, FIRST_ANSWERS, FIRST_PICTURE, GapModel, GapsFilled,
    Grid, Histogram, Metrics, PictureSource, PictureToComplete, RunInfo, Snapshot, Swept,
};

/// A worker without helpers.
fn fresh() -> TestPage {
    TestPage::new(1, 0)
}

impl TestPage {
    fn metrics(&self) -> Metrics {
        self.worker.run.as_ref().unwrap().metrics(false)
    }

    fn checkpoint(&self) -> Vec<u8> {
        self.worker.run.as_ref().unwrap().checkpoint().unwrap().expect("a run in training")
    }
}

fn plan(hidden: &[u32]) -> RunPlan {
    let settings = Settings { batch: 40, ..Settings::default() };
    RunPlan { hidden: hidden.to_vec(), units: Units::Signs, start: Initialization::Orthogonal, settings }
}

/// With this estimator, by name, on 16-12-6 units.
fn plan_by(estimator: &str) -> RunPlan {
    let mut plan = plan(&[12, 6]);
    plan.settings.estimator = estimator.parse().unwrap();
    plan
}

fn bars() -> Command {
    on_bars(plan(&[12, 6]))
}

fn examples(encoded: EncodedData) -> Command {
    Command::UseData { source: DataSource::Examples(encoded), plan: plan(&[12, 6]), checkpoint: vec![] }
}

fn trained(steps: u32) -> TestPage {
    trained_by(plan(&[12, 6]), steps)
}

fn trained_by(plan: RunPlan, steps: u32) -> TestPage {
    let mut page = fresh();
    page.ask(on_bars(plan));
    for _ in 0..steps {
        page.ask(Command::Step);
    }
    page
}

#[test]
fn trains_until_paused_and_reports() {
    let mut page = fresh();
    assert!(matches!(page.answer(bars()), Event::DataReady(_, RunInfo { can_undo: false, .. })));
    let messages = page.ask_until(Command::Train, |m| matches!(&m.body, Reply::Answer(Event::Metrics(m)) if m.step >= 5));
    let grid = events(&messages).find_map(|event| if let Event::Samples(grid) = event { Some(grid) } else { None }).unwrap();
    assert_eq!((grid.step, grid.count, grid.image), (1, 40, (4, 4)), "the chains of the first step, at once");
    let last = page.ask(Command::Pause);
    let Reply::Answer(Event::Metrics(metrics)) = &last[0].body else { panic!("metrics first: {last:?}") };
    assert!(!metrics.running && metrics.step >= 5 && metrics.recent_steps == metrics.step.min(100));
    let signals = metrics.signals.expect("samples and signals are shown from the first step");
    assert!((0.0..1.0).contains(&signals.reconstruction_error) && signals.pseudo_log_likelihood < 0.0, "{signals:?}");
    assert!(matches!(last[1].body, Reply::Answer(Event::Snapshot(_))));
    assert!(matches!(last[2].body, Reply::Answer(Event::Done)));
    let Reply::Answer(Event::Metrics(stands)) = &last.last().unwrap().body else { panic!("all of one step: {last:?}") };
    assert_eq!((stands.step, stands.signals.map(|seen| seen.step), stands.running), (metrics.step, Some(metrics.step), false));
    assert!(events(&last).any(|event| matches!(event, Event::Samples(Grid { step, .. }) if *step == metrics.step)));
    assert_eq!(metrics.negative.meeting_time.counts.iter().map(|(_, count)| count).sum::<u32>(), 40 * metrics.recent_steps);
    assert!(!page.worker.has_work());
    let step = page.metrics().step;
    assert!(page.worker.work().is_empty(), "a slice after Pause does nothing");
    assert_eq!(page.metrics().step, step);
}

#[test]
fn trains_until_a_step_and_says_by_its_checksum_where_it_is() {
    let mut page = trained(0);
    let begun = page.metrics().checksum;
    page.ask_until(Command::TrainUntil(7), |m| matches!(&m.body, Reply::Answer(Event::Metrics(m)) if !m.running));
    let metrics = page.heard_metrics();
    let stepped = trained(7).metrics();
    assert_eq!((metrics.step, &metrics.checksum), (7, &stepped.checksum), "as by seven single steps");
    assert!(metrics.checksum.len() == 16 && metrics.checksum != begun);
    assert!(page.failure(Command::TrainUntil(7)).contains("has taken 7"));
}

#[test]
fn the_signals_of_a_small_model_have_its_exact_likelihood_and_its_samples() {
    let mut page = trained(2);
    let messages = page.ask(Command::Step);
    let seen = page.metrics().signals.expect("looked at after a step");
    let run = page.worker.run.as_ref().unwrap();
    let (model, examples) = (run.model(), &run.material.data.examples);
    assert_eq!((seen.step, seen.log_likelihood), (3, Some(dbm_core::exact::log_likelihood(&model, examples).unwrap())));
    let grid = events(&messages).find_map(|event| if let Event::Samples(grid) = event { Some(grid) } else { None }).unwrap();
    let of_samples = dbm_core::signals::mean_free_energy(&model, &grid.bits);
    assert_eq!(seen.free_energy_of_samples, Some(of_samples));
    let reported = messages.iter().any(|m| matches!(&m.body, Reply::Answer(Event::Metrics(m)) if m.signals == Some(seen)));
    assert!(reported && seen.free_energy.is_finite(), "{seen:?}");
    let units: Vec<u32> = page.metrics().activities.iter().map(|layer| layer.bins.iter().sum()).collect();
    assert_eq!(units, [12, 6]);

    // A model too large to enumerate has none.
    let mut page = trained_by(plan(&[30, 30]), 1);
    page.ask(Command::Step);
    assert_eq!(page.metrics().signals.unwrap().log_likelihood, None);
}

#[test]
fn a_run_at_rest_shows_its_persistent_chains_and_samples_where_it_has_none() {
    let shown = |estimator: &str| {
        let mut page = trained_by(plan_by(estimator), 2);
        let messages = page.ask(Command::Step);
        let grids: Vec<&Grid> =
            events(&messages).filter_map(|event| if let Event::Samples(grid) = event { Some(grid) } else { None }).collect();
        assert_eq!((grids.len(), grids[0].step), (1, 3), "{estimator}");
        grids[0].count
    };
    assert_eq!(shown("pcd-1"), 40);
    assert_eq!(shown("ucd-lmi"), 64);
}

#[test]
fn a_run_whose_chains_all_keep_known_units_draws_its_samples() {
    let mut plan = plan_by("ucd-lmi");
    plan.settings.conditional = 1.0;
    let mut page = fresh();
    page.ask(on_bars(plan));
    let messages = page.ask_until(Command::Train, |m| matches!(&m.body, Reply::Answer(Event::Samples(_))));
    let drawn = events(&messages).any(|event| matches!(event, Event::Samples(Grid { count: 64, .. })));
    assert!(drawn, "more than there are chains");
}

#[test]
fn samples_of_another_step_are_not_taken_for_those_of_the_last_look() {
    let mut page = trained(2);
    page.ask(Command::Step);
    let run = page.worker.run.as_mut().unwrap();
    assert!(!run.look_at_samples(2, 5.0) && run.look_at_samples(3, 5.0));
    assert_eq!(page.metrics().signals.unwrap().free_energy_of_samples, Some(5.0));
}

#[test]
fn filters_are_the_weights_scaled_to_bytes() {
    let mut page = trained(2);
    let model = page.worker.run.as_ref().unwrap().model();
    for layer in [1, 2] {
        let ask = Command::Filters { model: ModelChoice::Training, layer, count: 5 };
        let Event::Filters(filters) = page.answer(ask) else { panic!("filters") };
        let exact = dbm_core::filters(&model, layer as usize, 5).unwrap();
        assert_eq!((filters.count, filters.image, filters.step, filters.layer), (5, (4, 4), 2, layer));
        assert_eq!(filters.levels.len(), 5 * 16);
        for (level, exact) in filters.levels.iter().zip(exact.data()) {
            let back = (f32::from(*level) - 128.0) / 127.0 * filters.scale;
            assert!((back - exact).abs() <= filters.scale / 253.0, "{back} and {exact}");
        }
        assert!(filters.levels.iter().any(|level| [1, 255].contains(level)), "the largest is at an end");
    }
    let filters = |layer, count| Command::Filters { model: ModelChoice::Training, layer, count };
    for (layer, expected) in [(0, "hidden layer"), (3, "hidden layer")] {
        assert!(page.failure(filters(layer, 5)).contains(expected));
    }
    assert!(page.failure(filters(1, 0)).contains("number of filters"));
    assert!(page.failure(Command::Filters { model: ModelChoice::Pretrained, layer: 1, count: 1 }).contains("pretrained"));
}

#[test]
fn a_pace_spaces_the_steps_out_and_changes_no_bit() {
    let mut page = trained(0);
    assert!(page.failure(Command::Pace(1001)).contains("steps a second"));
    page.ask(Command::Pace(1));
    let began = now();
    page.ask(Command::TrainUntil(6));
    while page.metrics().step < 1 {
        page.worker.work();
    }
    // No limit is set on how long anything takes: after the machine slept through the second, there is nothing left to wait for.
    match page.worker.due() {
        Some(seconds) if seconds > 0.1 => {
            assert!(seconds <= 1.0 && !page.worker.has_work(), "nothing to do until then");
            assert!(page.worker.work().is_empty(), "a slice that comes too soon does nothing");
            assert_eq!(page.metrics().step, 1);
        }
        _ => assert!(now() - began >= 0.9),
    }
    page.ask(Command::Pace(1000));
    while page.worker.goal != Goal::Rest {
        page.worker.work();
    }
    while page.worker.has_work() {
        page.worker.work();
    }
    assert_eq!(page.metrics().checksum, trained(6).metrics().checksum);
    // When paused it waits for nothing, and a single step does not wait.
    assert_eq!(page.worker.due(), None);
    page.ask(Command::Pace(1));
    page.ask(Command::Step);
    page.ask(Command::Step);
    assert_eq!(page.metrics().step, 8);
}

#[test]
fn pausing_in_mid_step_changes_no_bit() {
    let plain = trained(6).checkpoint();
    let mut page = trained(0);
    page.worker.set_goal(Goal::Forever).unwrap();
    while page.metrics().step < 5 {
        page.worker.train(0.0); // one shard per slice
        page.worker.rest();
        page.worker.set_goal(Goal::Forever).unwrap();
    }
    page.worker.rest();
    page.ask(Command::Step);
    assert_eq!(page.checkpoint(), plain);
}

#[test]
fn undo_puts_back_run_and_data_and_undoes_itself() {
    let mut page = trained(3);
    page.ask(Command::NewRun(plan(&[5])));
    assert_eq!(page.metrics().step, 0);
    assert!(matches!(page.answer(Command::Undo), Event::DataReady(_, run) if run.model.sizes == [16, 12, 6]));
    assert_eq!(page.metrics().step, 3);
    assert!(matches!(page.answer(Command::Undo), Event::DataReady(_, run) if run.model.sizes == [16, 5]));
    page.ask(examples(encoded("mine.csv", 2, &[2, 1])));
    assert!(matches!(page.answer(Command::Undo), Event::DataReady(data, _) if data.width == 16));
    assert!(fresh().failure(Command::Undo).contains("nothing to restore"));

    // A run that was never trained does not push a trained one out.
    let mut page = trained(3);
    page.ask(Command::NewRun(plan(&[5])));
    page.ask(Command::NewRun(plan(&[7])));
    assert!(matches!(page.answer(Command::Undo), Event::DataReady(_, run) if run.metrics.step == 3));
}

#[test]
fn a_refused_file_or_setting_leaves_everything_as_it_was() {
    let mut page = trained(2);
    let before = page.checkpoint();
    let whole = encoded("mine", 12, &[7; 8]);
    for (data, expected) in [
        (EncodedData { packed: vec![], ..whole.clone() }, "mine: "),
        (EncodedData { packed: vec![7; 7], ..whole.clone() }, "the packed data set"),
        (EncodedData { width: 0, ..whole.clone() }, "layer 0"),
        (EncodedData { known: vec![255; 7], ..whole.clone() }, "the packed marks of known bits"),
        (EncodedData { held_back: vec![1; 9], ..whole.clone() }, "the packed marks of known bits"),
        (
            EncodedData { visible: Some(Visible::Bits { threshold: f64::NAN, read: PictureReading::PLAIN }), ..whole },
            "the threshold",
        ),
    ] {
        let message = page.failure(examples(data));
        assert!(message.contains(expected), "{message}");
    }
    assert!(page.failure(Command::NewRun(plan(&[0]))).contains("layer 1 has size 0"));
    assert!(page.failure(Command::NewRun(plan(&[u32::MAX, u32::MAX]))).contains("choose smaller layers"));
    assert!(page.failure(Command::NewRun(plan(&[10_000, 10_000]))).contains("GB of memory"));
    let mut nan = plan(&[4]);
    nan.settings.optimizer.learning_rate = f64::NAN;
    assert!(page.failure(Command::NewRun(nan)).contains("learning rate"));
    for (start, expected) in [
        (Initialization::Gaussian { deviation: f64::NAN }, "deviation"),
        (Initialization::Gaussian { deviation: 0.0 }, "deviation"),
        (Initialization::Pretrained { steps: 0, learning_rate: 0.05 }, "pretraining steps"),
        (Initialization::Pretrained { steps: 1, learning_rate: f64::INFINITY }, "pretraining rate"),
    ] {
        assert!(page.failure(Command::NewRun(RunPlan { start, ..plan(&[4]) })).contains(expected), "{start:?}");
    }
    let mut labelled = plan_by("ucd-gibbs");
    labelled.settings.classes = 6;
    assert!(page.failure(Command::NewRun(labelled)).contains("clamp no labels"));
    assert!(page.failure(Command::OpenModel(NamedBytes { name: "m".into(), bytes: vec![1; 100] })).contains('m'));
    assert_eq!(page.checkpoint(), before);
    assert!(!page.worker.has_work());
}

#[test]
fn completes_and_keeps_what_is_known() {
    let mut page = trained(20);
    let values: Vec<u8> = (0..16).map(|i| u8::from(i % 4 == 1)).collect();
    let unknown: Vec<u8> = (0..16).map(|i| u8::from(i >= 8)).collect();
    let request = |unknown, answers, method: (Method, u32)| CompletionRequest {
        unknown,
        answers,
        method: method.0,
        sweeps: method.1,
        ..completion(&values)
    };
    let complete = |unknown, answers, method| Command::Complete(request(unknown, answers, method));
    for method in
        [(Method::Search, 0), (Method::Gibbs, 30), (Method::Annealed, 30), (Method::MeanField, 30), (Method::Sample, 30)]
    {
        let Event::Completions(Completions { answers, bits, distinct, sweeps, energies, .. }) =
            page.answer(complete(unknown.clone(), 7, method))
        else {
            panic!("completions")
        };
        assert_eq!((answers, bits.len(), sweeps.len(), energies.len()), (7, 7 * 16, 7, 7));
        let searched = method.0.is_searched();
        assert!(sweeps.iter().all(|&sweeps| (sweeps > 0) == searched) && energies.iter().all(|energy| energy.is_finite()));
        assert!((1..=7).contains(&distinct));
        assert!(bits.chunks(16).all(|answer| answer[..8] == values[..8]));
    }
    assert!(page.failure(complete(vec![1; 5], 7, (Method::Search, 0))).contains("16 units"));
    assert!(page.failure(complete(unknown.clone(), 0, (Method::Search, 0))).contains("1 to 64"));
    for (method, sweeps) in
        [((Method::Search, 0), 0), ((Method::Annealed, 30), 30), ((Method::MeanField, 250), 250), ((Method::Sample, 30), 30)]
    {
        let Event::Watched(AnswerTrace { frames, sweeps: made, search }) =
            page.answer(Command::Watch(request(unknown.clone(), 1, method)))
        else {
            panic!("an answer")
        };
        let Event::Completions(answer) = page.answer(complete(unknown.clone(), 1, method)) else { panic!("completions") };
        let (last, searched) = (frames.last().unwrap(), method.0.is_searched());
        assert_eq!(last.visible, answer.bits, "it ends in the answer");
        assert_eq!((made, last.sweep, last.half_sweep), (sweeps, sweeps, 2 * search.sweeps));
        assert!((search.sweeps > 0) == searched && !search.capped);
        assert!(frames.len() <= 102 + 2 * search.sweeps as usize, "{} frames", frames.len());
        let of_search = frames.iter().filter(|frame| frame.sweep == sweeps).collect::<Vec<_>>();
        assert!(of_search.windows(2).all(|pair| pair[1].energy <= pair[0].energy + 1e-4));
    }
}

#[test]
fn chains_of_more_sweeps_are_the_same_further_on() {
    let mut page = trained(20);
    let sweeps = |count, sweeps| Command::Sweeps { model: ModelChoice::Training, count, sweeps, seed: 5 };
    let Event::Swept(Swept { sweeps: 30, samples, energies, high }) = page.answer(sweeps(9, 30)) else { panic!("swept") };
    assert_eq!((samples.count, samples.bits.len(), energies.len(), high.len()), (9, 9 * 16, 9, 9));
    let model = page.worker.run.as_ref().unwrap().view().model;
    let mut straight = Completer::sample(&model, 9, 5, 0);
    (0..30).for_each(|_| straight.sweep(&model));
    assert_eq!((straight.energies(&model), straight.look(&model, 1000).0), (energies, samples.bits));
    assert!(page.failure(sweeps(65, 1)).contains("1 to 64") && page.failure(sweeps(1, 0)).contains("1 to 100000"));
}

#[test]
fn cleans_a_picture_up_and_keeps_nothing_of_it_clamped() {
    let mut page = trained(150);
    // Bars with one wrong pixel.
    let values: Vec<u8> = (0..16).map(|i| u8::from(i % 4 == 1 && i != 9)).collect();
    let mut clean = |unknown: u8, method: (Method, u32), seed| {
        let unknown = vec![unknown; 16];
        let request = CompletionRequest {
            unknown,
            answers: 64,
            method: method.0,
            sweeps: method.1,
            clean_up: true,
            seed,
            ..completion(&values)
        };
        let Event::Completions(completions) = page.answer(Command::Complete(request)) else { panic!("completions") };
        completions
    };
    let once = clean(0, (Method::Search, 0), 3);
    assert_eq!(once.answers, 64);
    assert!(once.bits.chunks(16).any(|answer| answer != values), "nothing is clamped");
    let mut again = clean(0, (Method::Search, 0), 3);
    again.seconds = once.seconds;
    assert_eq!(again, once, "the same seed, the same answers");
    let near = |bits: &[u8]| bits.chunks(16).flat_map(|a| a.iter().zip(&values)).filter(|(a, v)| a == v).count();
    let noise = clean(1, (Method::Search, 0), 3);
    assert!(near(&once.bits) > near(&noise.bits) + 100, "answers stay near the picture, which noise does not know");
}

/// A model of 4 x 4 pixels with two classes: ink above and ink below.
fn labelled() -> Dbm {
    let pixels = (0..16).flat_map(|pixel| if pixel < 8 { [1.5, -1.5] } else { [-1.5, 1.5] }).collect();
    let biases = vec![vec![0.0; 16], vec![0.0; 2], vec![0.0; 2]];
    Dbm::new(Units::Bits, vec![pixels, vec![12.0, -12.0, -12.0, 12.0]], biases).unwrap()
}

/// Opens it with settings that claim this many classes.
fn open_labelled(page: &mut TestPage, classes: usize) -> Event {
    open_trained(page, Settings { classes, ..Settings::default() })
}

/// The same, as if from a run with these settings.
fn open_trained(page: &mut TestPage, settings: Settings) -> Event {
    let (model, flat) = (labelled(), |matrix: &Matrix| matrix.data().to_vec());
    let (weights, biases) = (model.weights().iter().map(flat).collect(), model.biases().to_vec());
    let mut file = Checkpoint::new(Units::Bits, Parameters { weights, biases });
    // Everything that a run of plain SGD needs to continue.
    (file.settings, file.optimizer_state) = (Some(settings), Some(vec![]));
    let bytes = file.to_bytes(Precision::Full).unwrap();
    page.answer(Command::OpenModel(NamedBytes { name: "labelled".into(), bytes }))
}

/// Upper half known and full of ink.
fn ink_above(class: Option<u8>) -> CompletionRequest {
    let (values, method) = ([[1; 8], [0; 8]].concat(), (Method::Annealed, 20));
    let unknown = values.iter().map(|value| 1 - value).collect();
    CompletionRequest {
        model: ModelChoice::Pretrained,
        unknown,
        answers: 6,
        method: method.0,
        sweeps: method.1,
        class,
        ..completion(&values)
    }
}

fn completions(page: &mut TestPage, request: CompletionRequest) -> Completions {
    let Event::Completions(completions) = page.answer(Command::Complete(request)) else { panic!("completions") };
    completions
}

#[test]
fn what_suits_the_model_is_mean_field_where_that_was_trained_to_predict() {
    for (conditional, suits) in [(0.5, (Method::MeanField, 20)), (0.0, (Method::Annealed, 20))] {
        let mut page = fresh();
        open_trained(
            &mut page,
            Settings { conditional, estimator: EstimatorSettings::new(EstimatorKind::Pcd), classes: 2, ..Settings::default() },
        );
        let of = |method: (Method, u32)| CompletionRequest { method: method.0, sweeps: method.1, ..ink_above(None) };
        let suited = completions(&mut page, of((Method::Suited, 20))).bits;
        assert_eq!(suited, completions(&mut page, of(suits)).bits);
    }
}

#[test]
fn a_class_is_read_from_what_is_known_and_clamped() {
    let mut page = fresh();
    assert!(matches!(open_labelled(&mut page, 2), Event::ModelOpened(about) if about.classes == 2 && !about.resumable));
    let above = completions(&mut page, ink_above(None));
    assert!(above.classes.len() == 2 && above.classes[0] > 0.8, "{:?}", above.classes);
    assert!((above.classes.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    // As in `dbm complete --class-first`: 32 chains read the class, and the chains of the answers are clamped in proportion to what was
    // read.
    let schedule = SamplingSchedule::Annealed(20);
    let question = |count| {
        (
            Matrix::from_vec(count, 16, ink_above(None).values.repeat(count).iter().map(|&bit| f32::from(bit)).collect()),
            Clamp::Known([[true; 8], [false; 8]].concat().repeat(count)),
        )
    };
    let (visible, clamp) = question(32);
    let each = Completer::complete(&labelled(), visible, clamp, 3, 1 << 40).read_classes(&labelled(), schedule, 1000);
    assert!((each.iter().map(|chain| chain[0]).sum::<f64>() / 32.0 - above.classes[0]).abs() < 1e-12);
    let of_classes = |classes: &[usize]| {
        let (visible, clamp) = question(6);
        Completer::complete_class(&labelled(), visible, clamp, classes, (3, 0)).run(&labelled(), schedule, 1000).0
    };
    assert_eq!(of_classes(&shared(&above.classes, 6)), above.bits);
    assert_eq!(of_classes(&[0; 6]), completions(&mut page, ink_above(Some(0))).bits, "the class that is asked for");
}

#[test]
fn nothing_known_is_of_any_class_and_of_the_one_that_is_asked_for() {
    // The first with free chains, the second with the class clamped.
    for kind in [EstimatorKind::UcdLmi, EstimatorKind::Pcd] {
        let mut page = fresh();
        open_trained(&mut page, Settings { classes: 2, estimator: EstimatorSettings::new(kind), ..Settings::default() });
        draws_what_is_asked_for(&mut page);
    }
}

fn draws_what_is_asked_for(page: &mut TestPage) {
    let nothing = |class| CompletionRequest { unknown: vec![1; 16], answers: 32, ..ink_above(class) };
    let is_above = |bits: &[u8]| bits.iter().position(|&bit| bit == 1) == Some(0);
    for class in [0, 1] {
        let drawn = completions(page, nothing(Some(class)));
        assert!(drawn.classes.is_empty());
        assert!(drawn.bits.chunks(16).all(|bits| is_above(bits) == (class == 0)), "class {class}: {:?}", drawn.bits);
    }
    let any = completions(page, nothing(None));
    let above = any.bits.chunks(16).filter(|bits| is_above(bits)).count();
    assert!(any.classes.is_empty() && (4..=28).contains(&above), "{above} of 32");
    let Event::Watched(trace) = page.answer(Command::Watch(nothing(Some(1)))) else { panic!("an answer") };
    assert!(!is_above(&trace.frames.last().unwrap().visible));
}

#[test]
fn what_is_cleaned_up_is_read_and_kept_to_no_class() {
    let mut page = fresh();
    open_labelled(&mut page, 2);
    let drawn =
        CompletionRequest { unknown: vec![0; 16], clean_up: true, method: Method::Search, sweeps: 0, ..ink_above(Some(1)) };
    let cleaned = completions(&mut page, drawn);
    assert!(cleaned.classes[0] > 0.9, "{:?}", cleaned.classes);
    assert!(cleaned.bits.chunks(16).all(|bits| *bits == ink_above(None).values));
}

#[test]
fn a_class_that_is_not_there_is_refused() {
    let mut page = fresh();
    open_labelled(&mut page, 2);
    assert!(page.failure(Command::Complete(ink_above(Some(2)))).contains("from 0 to 1"));
    assert!(page.failure(Command::Watch(ink_above(Some(2)))).contains("from 0 to 1"));
    // The settings in a file may belong to another top layer.
    assert!(matches!(open_labelled(&mut page, 3), Event::ModelOpened(about) if about.classes == 0));
    assert!(page.failure(Command::Complete(ink_above(Some(0)))).contains("has no classes"));
    assert!(completions(&mut page, ink_above(None)).classes.is_empty());
}

#[test]
fn a_pair_is_watched_from_one_state_to_its_meeting_or_the_cut() {
    let mut page = trained_by(plan(&[3]), 0);
    let values: Vec<u8> = (0..16).map(|i| u8::from(i % 4 == 1)).collect();
    let unknown: Vec<u8> = (0..16).map(|i| u8::from(i >= 12)).collect();
    let pair = |kernel, steps, seed| {
        let request = CompletionRequest { unknown: unknown.clone(), seed, ..completion(&values) };
        Command::WatchPair { request, kernel, steps }
    };
    let mut moved = 0;
    for kernel in [CouplingKernel::Metropolis, CouplingKernel::Gibbs] {
        for seed in 0..30 {
            let Event::Pair(trace) = page.answer(pair(kernel, 50, seed)) else { panic!("a pair") };
            let (steps, capped) = (&trace.steps, trace.meeting.capped);
            let [x0] = &trace.approach[..] else { panic!("one state before the pair: {:?}", trace.approach) };
            assert!(!steps.is_empty() && steps.len() <= 50 && (!capped || steps.len() == 50));
            assert_eq!(steps[0].y, x0.state, "y moves from the second step on");
            assert_eq!(steps.last().unwrap().differing() == 0, !capped);
            assert!(steps[..steps.len() - 1].iter().all(|step| step.differing() > 0));
            let mut before = x0.energy;
            for step in steps {
                assert!(step.x[..12] == values[..12] && step.y[..12] == values[..12], "the known stays");
                match step.draw {
                    PairDraw::Metropolis { energy, u, log_accept_x, .. } => {
                        assert!((log_accept_x - (before - energy)).abs() < 1e-9);
                        let accepted = u.ln() < log_accept_x;
                        assert_eq!(accepted, (step.energies[0] - energy).abs() < 1e-9, "x is at the proposal where it accepts");
                        moved += u32::from(accepted);
                    }
                    PairDraw::Gibbs { shared, tries, .. } => assert_eq!(shared, tries == 0),
                    PairDraw::Single => {}
                }
                before = step.energies[0];
            }
        }
    }
    assert!(moved > 0, "seven free units are few enough");
    assert!(page.failure(pair(CouplingKernel::Gibbs, 0, 1)).contains("1 to 1000"));
}

#[test]
fn a_snapshot_restores_the_run_in_a_new_worker_bit_for_bit() {
    for estimator in ["ucd-lmi", "pcd-2", "centered-pcd-gibbs-1", "centered-cd-1"] {
        let plan = plan_by(estimator);
        let mut page = trained_by(plan.clone(), 4);
        page.ask(Command::Step);
        let (_, checkpoint) = page.snapshot();
        let mut other = fresh();
        let restore = Command::UseData { source: DataSource::Bars, plan, checkpoint };
        assert!(matches!(other.answer(restore), Event::DataReady(_, run) if run.metrics.step == 5));
        for page in [&mut page, &mut other] {
            page.ask(Command::Step);
            page.ask(Command::Step);
        }
        assert_eq!(page.checkpoint(), other.checkpoint(), "{estimator}");
    }
}

#[test]
fn a_trial_of_the_gpu_begins_with_the_processor_and_leaves_training_as_it_is() {
    let mut page = trained(3);
    let before = page.checkpoint();
    // Twelve steps on the processor; the steps after them wait for the GPU.
    let messages = page.ask_until(Command::TryGpu, |m| matches!(m.body, Reply::Progress { done: 12, .. }));
    let steps: Vec<u32> = messages
        .iter()
        .filter_map(|message| match message.body {
            Reply::Progress { done, total: 24, .. } => Some(done),
            _ => None,
        })
        .collect();
    assert_eq!(steps, (1..=12).collect::<Vec<_>>());
    let request = Some(page.next);
    let messages = page.worker.gpu_lost("there is none");
    let [Message { id, body: Reply::Failed(why), .. }] = &messages[..] else { panic!("{messages:?}") };
    assert_eq!((*id, &**why), (request, "The GPU could not be timed: there is none."));
    assert!(!page.worker.has_work());
    assert_eq!(page.checkpoint(), before);
}

#[test]
fn long_requests_can_be_cancelled_and_the_gpu_is_tried_once_at_a_time() {
    let mut page = trained(0);
    let method = (Method::Gibbs, 10_000);
    let completion =
        CompletionRequest { unknown: vec![1; 16], answers: 64, method: method.0, sweeps: method.1, ..completion(&[0; 16]) };
    let sweeps = Command::Sweeps { model: ModelChoice::Training, count: 64, sweeps: 100_000, seed: 1 };
    for command in [Command::Complete(completion), sweeps, Command::TryGpu] {
        let trial = command == Command::TryGpu;
        page.ask_until(command, |m| matches!(m.body, Reply::Progress { .. }));
        let request = page.next;
        if trial {
            page.next += 1;
            let second = page.worker.handle(Request::new(Some(page.next), Command::TryGpu));
            let [Message { body: Reply::Failed(message), .. }] = &second[..] else { panic!("refused: {second:?}") };
            assert!(message.contains("is already being timed"));
        }
        let messages = page.ask(Command::Cancel(request));
        assert!(messages.iter().any(|m| m.id == Some(request) && m.body == Event::Cancelled.into()));
        assert!(!page.worker.has_work());
    }
    let again = page.ask_until(Command::TryGpu, |m| matches!(m.body, Reply::Progress { .. }));
    assert!(again.iter().all(|m| !matches!(m.body, Reply::Failed(_))), "{again:?}");
}

#[test]
fn a_trial_of_the_gpu_that_cannot_be_is_refused() {
    let mut page = fresh();
    assert_eq!(page.failure(Command::TryGpu), NO_RUN);
    page.ask(on_bars(pretrained()));
    assert!(page.failure(Command::TryGpu).contains("being pretrained"));
}

/// How many values a histogram holds, and whether their cap is named.
fn filled(histogram: &Histogram) -> (u32, bool) {
    (histogram.counts.iter().map(|(_, count)| count).sum(), histogram.cap > 0)
}

#[test]
fn trains_by_every_estimator_and_reports_what_it_does_and_no_more() {
    for kind in EstimatorKind::ALL {
        for centering in [None, Some(0.1)] {
            let mut plan = plan(&[12, 6]);
            plan.settings.estimator = EstimatorSettings { centering, ..EstimatorSettings::new(kind) };
            if kind.descriptor().has_ladder {
                plan.start = Initialization::Independent;
            }
            let page = trained_by(plan, 3);
            let Metrics { step, positive, negative, .. } = page.metrics();
            assert_eq!(step, 3, "{kind:?}");
            let none = (0, true);
            let is_of_runs = kind == EstimatorKind::UcdSmc;
            // Free chains of a shard share one coupling of runs; there are two shards of 40 examples.
            let couplings = |free: bool| if free && is_of_runs { 3 * 2 } else { 3 * 40 };
            for (phase, free) in [(&positive, false), (&negative, true)] {
                let couples = if kind.is_unbiased() { (couplings(free), true) } else { none };
                let searches = if kind.has(Setting::MaxSweeps) { (3 * 40, true) } else { none };
                assert_eq!((filled(&phase.meeting_time), filled(&phase.sweeps)), (couples, searches), "{kind:?}");
                // Clamped units are sampled by runs with `ucd-ptt` too.
                let by_runs = is_of_runs || kind == EstimatorKind::UcdPtt && !free;
                let proposes = by_runs || matches!(kind, EstimatorKind::UcdLmi | EstimatorKind::UcdMh);
                assert_eq!(phase.acceptance.is_some(), proposes, "{kind:?}");
            }
            // Predictions have no phases: the iterations of multi-prediction are listed with the data.
            let predicts = matches!(kind, EstimatorKind::Mp | EstimatorKind::Pl);
            let iterates = if kind == EstimatorKind::Mp || kind.has(Setting::MeanFieldSweeps) { (3 * 40, true) } else { none };
            assert_eq!((filled(&positive.mean_field), filled(&negative.mean_field)), (iterates, none), "{kind:?}");
            assert_eq!(
                (positive.energy.is_some(), negative.energy.is_some()),
                (!predicts && !kind.has(Setting::MeanFieldSweeps), !predicts),
                "{kind:?}"
            );
            assert!(page.worker.run.as_ref().unwrap().model().weights()[0].data().iter().all(|w| w.is_finite()));
        }
    }
}

#[test]
fn every_cap_that_is_reached_is_reported() {
    let capped = |estimator: &str, change: fn(&mut Settings)| {
        let mut plan = plan_by(estimator);
        change(&mut plan.settings);
        trained_by(plan, 3).metrics()
    };
    let couplings = capped("ucd-gibbs", |settings| settings.max_meeting = 2).negative.meeting_time;
    assert!(couplings.capped > 0 && couplings.cap == 2);
    assert!(capped("ucd-gibbs", |settings| settings.estimator.max_tries = 1).negative.tries_capped > 0);
    let searches = capped("lmi", |settings| settings.max_sweeps = 1).positive.sweeps;
    assert!(searches.capped > 0 && searches.cap == 1);
    let iterations = capped("pcd-1", |settings| settings.estimator.mean_field_sweeps = 1).positive.mean_field;
    assert!(iterations.capped > 0 && iterations.cap == 1);
}

#[test]
fn a_pause_is_heard_between_the_shards_of_a_step() {
    let mut plan = plan_by("ucd-gibbs");
    plan.settings.batch = 96;
    let mut page = trained_by(plan, 0);
    page.next += 1;
    let step = page.next;
    page.worker.handle(Request::new(Some(step), Command::Step));
    page.worker.shown.metrics = f64::NEG_INFINITY; // as if the last report were long ago
    page.worker.train(0.0); // one shard
    let out = page.worker.out.take();
    assert!(matches!(
        &out[..],
        [Message { body: Reply::Answer(Event::Metrics(Metrics { running: true, parts: Some((1, 3)), .. })), .. }]
    ));
    let messages = page.ask(Command::Pause);
    assert!(messages.iter().any(|m| m.id == Some(step) && m.body == Event::Cancelled.into()), "{messages:?}");
    assert!(!page.worker.has_work());
    assert_eq!((page.metrics().step, page.metrics().parts), (0, Some((1, 3))));
    page.ask(Command::Step);
    assert_eq!((page.metrics().step, page.metrics().parts), (1, None));
}

fn pretrained() -> RunPlan {
    RunPlan { start: Initialization::Pretrained { steps: 5, learning_rate: 0.2 }, ..plan_by("centered-pcd-1") }
}

#[test]
fn pretrains_in_steps_that_can_be_paused_and_then_trains() {
    let mut page = trained_by(pretrained(), 0);
    let stands = |page: &TestPage| page.metrics().pretraining.map(|p| (p.layer, p.step, p.is_done())).unwrap();
    assert_eq!(stands(&page), (1, 0, false));
    assert!(!page.metrics().begun());
    let messages = page.ask(Command::Step);
    assert!(
        messages.iter().any(|m| matches!(&m.body, Reply::Answer(Event::Samples(Grid { step: 0, .. })))),
        "samples while pretraining"
    );
    assert!(!messages.iter().any(|m| matches!(m.body, Reply::Answer(Event::Snapshot(_)))), "nothing to restore yet");
    assert!(page.metrics().begun());
    page.next += 1;
    page.worker.handle(Request::new(Some(page.next), Command::Train));
    page.worker.work(); // a slice: one minibatch
    page.ask(Command::Pause);
    assert_eq!(stands(&page), (1, 2, false));
    while page.metrics().pretraining.is_some_and(|p| p.layer == 1) {
        page.ask(Command::Step);
    }
    assert_eq!((page.metrics().step, page.metrics().recent_steps), (0, 0));
    while !stands(&page).2 {
        page.ask(Command::Step);
    }
    assert_eq!((page.metrics().step, stands(&page)), (0, (2, 5, true)));

    let mut by_hand = Pretrainer::new(
        &[16, 12, 6],
        Units::Signs,
        PretrainSettings { steps: 5, learning_rate: 0.2, batch: 40, ..PretrainSettings::default() },
    )
    .unwrap();
    while !by_hand.is_done() {
        by_hand.step(&dbm_data::bars::dataset(4).unwrap().examples).unwrap();
    }
    assert_eq!(page.worker.run.as_ref().unwrap().model(), by_hand.model());
    let messages = page.ask(Command::Step);
    assert!(messages.iter().any(|m| matches!(m.body, Reply::Answer(Event::Snapshot(Snapshot { step: 1, .. })))));

    // A new worker with a snapshot does not pretrain again; one without starts from the beginning.
    for (checkpoint, expected) in [(page.checkpoint(), (1, true)), (vec![], (0, false))] {
        let mut other = fresh();
        other.ask(Command::UseData { source: DataSource::Bars, plan: pretrained(), checkpoint });
        assert_eq!((other.metrics().step, stands(&other).2), expected);
    }
}

#[test]
fn pretraining_that_was_begun_can_be_undone_to() {
    let mut page = trained_by(pretrained(), 3);
    page.ask(Command::NewRun(plan(&[5])));
    assert_eq!(page.metrics().pretraining, None);
    assert!(matches!(page.answer(Command::Undo), Event::DataReady(_, run) if run.metrics.begun() && run.metrics.step == 0));
}

#[test]
fn opens_a_model_and_samples_and_gives_pictures_of_its_size() {
    let mut page = trained(3);
    let weights = Checkpoint::read("run", &page.checkpoint()).unwrap().weights_only(true);
    let bytes = weights.to_bytes(Precision::Half).unwrap();
    assert!(
        matches!(page.answer(Command::OpenModel(NamedBytes { name: "small".into(), bytes })), Event::ModelOpened(about) if about.steps == 3)
    );
    let Event::Samples(grid) = page.answer(Command::Samples { model: ModelChoice::Pretrained, layer: 0, count: 50, seed: 2 })
    else {
        panic!("samples")
    };
    assert_eq!((grid.count, grid.bits.len(), grid.image), (50, 50 * 16, (4, 4)));
    for source in [PictureSource::Sample, PictureSource::Data] {
        let digit = page.answer(Command::Picture { source, model: ModelChoice::Pretrained, seed: 1 });
        assert!(matches!(digit, Event::Picture(PictureToComplete { image: (4, 4), .. })));
    }
    let expected = page.failure(Command::Picture { source: PictureSource::Generated, model: ModelChoice::Pretrained, seed: 1 });
    assert!(expected.contains("784") && expected.contains("16"), "{expected}");
}

#[test]
fn an_example_says_where_its_gaps_are_and_what_is_held_back_is_no_gap() {
    let mut page = fresh();
    page.ask(examples(EncodedData { known: vec![0xf6; 2], held_back: vec![0x10; 2], ..encoded("gaps", 8, &[0b1000_0000; 2]) }));
    let Event::Picture(digit) =
        page.answer(Command::Picture { source: PictureSource::Data, model: ModelChoice::Training, seed: 1 })
    else {
        panic!("an example")
    };
    assert_eq!((digit.bits, digit.missing), (vec![0, 0, 0, 0, 0, 0, 0, 1], vec![1, 0, 0, 1, 0, 0, 0, 0]));
}

#[test]
fn a_request_of_another_version_is_refused() {
    let mut worker = Coordinator::default();
    let out = worker.handle(Request { version: VERSION + 1, ..Request::new(Some(9), Command::Train) });
    assert!(matches!(&out[..], [Message { id: Some(9), body: Reply::Failed(_), .. }]));
    let out = worker.handle(Request::new(Some(10), Command::Train));
    assert!(matches!(&out[..], [Message { id: Some(10), body: Reply::Failed(_), .. }]));
}

/// Bars and stripes with some bits missing and others held back.
fn gappy() -> EncodedData {
    let bars = dbm_data::bars::dataset(4).unwrap().examples;
    let marks = |every: usize| -> Vec<u8> { (0..bars.len() * 16).map(|i| u8::from((i + i / 16) % every != 0)).collect() };
    let data = bars.clone().with_gaps(&marks(5)).unwrap();
    let held = bars.clone().with_gaps(&marks(7)).unwrap();
    let held_back = held.known_packed().unwrap().iter().zip(data.known_packed().unwrap()).map(|(seen, known)| known & !seen);
    let known = data.known_packed().unwrap().to_vec();
    EncodedData { known, held_back: held_back.collect(), image: Some((4, 4)), ..encoded("gappy", 16, data.packed()) }
}

fn settings(completions: u32, sweeps: u32) -> ImputeSettings {
    ImputeSettings { completions, sweeps, seed: 1, ..ImputeSettings::default() }
}

fn fill(by: GapModel, completions: u32, sweeps: u32) -> Command {
    Command::FillGaps { by, settings: settings(completions, sweeps), imputations: 2 }
}

fn gaps_filled(page: &mut TestPage, by: GapModel) -> GapsFilled {
    let Event::GapsFilled(filled) = page.answer(fill(by, 4, 3)) else { panic!("filled") };
    *filled
}

#[test]
fn gaps_are_filled_and_answers_tested_on_what_was_held_back() {
    let mut page = fresh();
    let Event::DataReady(data, _) = page.answer(examples(gappy())) else { panic!("ready") };
    assert_eq!(data.missing, 96, "what is held back is not missing");
    for _ in 0..20 {
        page.ask(Command::Step);
    }
    let by_run = gaps_filled(&mut page, GapModel::Training);
    let whole = Examples::from_packed(16, gappy().packed).unwrap().with_packed_gaps(gappy().known).unwrap();
    let draws = Examples::from_packed(16, by_run.draws.clone()).unwrap();
    for (row, given) in by_run.highs.chunks_exact(16).enumerate() {
        for (unit, &p) in given.iter().enumerate() {
            let expected = if whole.bit(row, unit) { 1.0 } else { 0.0 };
            if whole.is_known(row, unit) {
                assert!(p == expected && (0..2).all(|draw| draws.bit(2 * row + draw, unit) == whole.bit(row, unit)));
            } else {
                assert!(p > 0.0 && p < 1.0, "{row} {unit}: {p}");
            }
        }
    }
    assert_eq!(gaps_filled(&mut page, GapModel::Training), by_run);
    let of_held = by_run.checked.unwrap();
    let held: u32 = gappy().held_back.iter().map(|byte| byte.count_ones()).sum();
    assert_eq!((of_held.unseen, of_held.report.cells), (true, held as usize));
    let score = |method| of_held.report.of(method);
    assert!(score(ImputationMethod::Model).log_loss > 0.0 && score(ImputationMethod::ColumnMode).accuracy > 0.0);
    assert!(by_run.chosen.is_none() && of_held.calibration.iter().map(|bin| bin.2).sum::<u32>() == held);
    page.ask(examples(EncodedData { held_back: vec![], ..gappy() }));
    let of_seen = gaps_filled(&mut page, GapModel::Training).checked.unwrap();
    assert!(!of_seen.unseen && of_seen.report.cells > 10);
    assert!(page.failure(fill(GapModel::Training, 0, 3)).contains("imputations"));
    assert!(page.failure(fill(GapModel::Chosen, 2, u32::MAX)).contains("clamped sweeps"));
    assert!(fresh().failure(fill(GapModel::Chosen, 2, 3)).contains("choose a data set first"));
    // A row with gaps is returned as far as it is known.
    let rows =
        (0..20).map(|seed| page.answer(Command::Picture { source: PictureSource::Data, model: ModelChoice::Training, seed }));
    assert!(rows.into_iter().any(|event| matches!(event, Event::Picture(digit) if digit.missing.contains(&1))));
}

#[test]
fn a_model_for_the_gaps_is_found_checked_and_leaves_the_run_alone() {
    let mut page = fresh();
    page.ask(examples(EncodedData { held_back: vec![], ..gappy() }));
    page.ask(Command::Step);
    let before = page.checkpoint();
    let messages = page.ask(fill(GapModel::Chosen, 4, 3));
    let mut stages: Vec<&str> = Vec::new();
    let mut losses = Vec::new();
    let mut answer = None;
    for message in &messages {
        match &message.body {
            Reply::Progress { stage, .. } if stages.last() != Some(&stage.as_str()) => stages.push(stage),
            Reply::Answer(Event::Looked(look)) => losses.push(look.log_loss),
            Reply::Answer(Event::GapsFilled(filled)) => answer = Some(filled),
            _ => {}
        }
    }
    let filled = answer.expect("an answer");
    let (chosen, checked) = (filled.chosen.as_ref().unwrap(), filled.checked.as_ref().unwrap());
    assert!(stages.len() > 1 && !losses.is_empty() && losses.is_sorted_by(|a, b| a >= b), "{stages:?} {losses:?}");
    assert!(chosen.recipes > 10 && chosen.steps > 0 && checked.unseen && checked.verdict.contains("model"));
    assert_eq!(page.checkpoint(), before);
}

#[test]
fn a_saved_run_is_the_snapshot_and_opens_elsewhere() {
    let mut page = trained(3);
    let before = page.checkpoint();
    let Event::Snapshot(Snapshot { step: 3, checkpoint }) = page.answer(Command::Save) else { panic!("saved") };
    assert_eq!(checkpoint, before);
    let mut other = fresh();
    other.ask(bars());
    let open = Command::OpenModel(NamedBytes { name: "mine".into(), bytes: checkpoint.clone() });
    assert!(matches!(other.answer(open), Event::ModelOpened(about) if about.resumable && about.steps == 3));
    // The page's plan may be another one; the run's own plan counts.
    let restore = Command::UseData { source: DataSource::Bars, plan: plan(&[5]), checkpoint: checkpoint.clone() };
    assert!(matches!(other.answer(restore), Event::DataReady(_, run) if run.plan.hidden == [12, 6] && run.metrics.step == 3));
    page.ask(Command::Step);
    other.ask(Command::Step);
    assert_eq!(other.checkpoint(), page.checkpoint());
    let narrow = DataSource::Examples(encoded("narrow", 2, &[2, 1]));
    assert!(other.failure(Command::UseData { source: narrow, plan: plan(&[5]), checkpoint }).contains("16"));
    assert!(fresh().failure(Command::Save).contains("choose a data set first"));
}

#[test]
fn the_first_question_has_answers_of_two_digits() {
    let mut page = fresh();
    let bytes = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../www/models/deep.safetensors")).unwrap();
    page.answer(Command::OpenModel(NamedBytes { name: "deep".into(), bytes }));
    let (source, model) = (PictureSource::Generated, ModelChoice::Pretrained);
    let Event::Picture(PictureToComplete { bits: values, .. }) =
        page.answer(Command::Picture { source, model, seed: FIRST_PICTURE })
    else {
        panic!("a picture")
    };
    let (unknown, method) = ((0..784).map(|i| u8::from(i >= 392)).collect(), (Method::Suited, 100));
    let request = CompletionRequest {
        model,
        unknown,
        answers: 8,
        method: method.0,
        sweeps: method.1,
        seed: FIRST_ANSWERS,
        ..completion(&values)
    };
    let answers = completions(&mut page, request);
    let model = &page.worker.pretrained.as_ref().unwrap().model;
    let pictures = answers.bits.iter().map(|&bit| model.units().value(bit != 0)).collect();
    let read = classes::read(model, &Matrix::from_vec(8, 784, pictures), true);
    let mut counts = [0; 10];
    read.iter().for_each(|&class| counts[class] += 1);
    assert!(counts.iter().filter(|&&count| count >= 2).count() >= 2, "read as {read:?}");
}
