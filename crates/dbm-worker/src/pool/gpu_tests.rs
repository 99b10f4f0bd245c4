//! Runs whose steps a GPU takes, on whatever device there is, including a driver that computes on the processor. Without a device they are
//! skipped, and say so.

use crate::coordinator::Message;
use crate::test_page::{TestPage, completion, events, on_bars};
use dbm_core::settings::{Initialization, RunPlan};
use dbm_core::{Settings, Units};
use dbm_data::{Backends, Checkpoint};
use dbm_gpu::Gpu;
use dbm_protocol::{Command, CompletionRequest, DataSource, Event, GpuTrial, ModelChoice, Reply, Snapshot};
use pollster::block_on;

fn plan(estimator: &str) -> RunPlan {
    let mut settings = Settings { batch: 40, ..Settings::default() };
    settings.estimator = estimator.parse().unwrap();
    RunPlan { hidden: vec![12, 6], units: Units::Signs, start: Initialization::Orthogonal, settings }
}

/// A page with a run that has taken this many steps on the processor and continues on the GPU; `None` without a GPU.
fn on_gpu_after(steps: u32, estimator: &str, seed: u64) -> Option<TestPage> {
    if let Err(error) = block_on(Gpu::open()) {
        println!("skipped: {error}");
        return None;
    }
    let mut page = TestPage::new(1, seed);
    page.ask(on_bars(plan(estimator)));
    if steps > 0 {
        page.ask(Command::TrainUntil(steps));
    }
    page.ask(Command::UseGpu(true));
    Some(page)
}

fn notices(messages: &[Message]) -> Vec<&str> {
    events(messages).filter_map(|event| if let Event::Notice(message) = event { Some(&**message) } else { None }).collect()
}

fn saved(page: &mut TestPage) -> Checkpoint {
    let Event::Snapshot(Snapshot { checkpoint, .. }) = page.answer(Command::Save) else { panic!("a snapshot") };
    Checkpoint::read("the run", &checkpoint).unwrap()
}

#[test]
fn a_run_goes_on_by_the_gpu_and_its_file_says_so() {
    let Some(mut page) = on_gpu_after(3, "ucd-lmi", 0) else { return };
    page.ask(Command::TrainUntil(8));
    page.ask(Command::Step);
    let metrics = page.heard_metrics();
    assert!(metrics.step == 9 && metrics.gpu && metrics.checksum.len() == 16, "{metrics:?}");
    assert!(metrics.negative.sweeps.counts.iter().map(|(_, count)| count).sum::<u32>() == 9 * 40, "both took steps");
    assert!(metrics.computed_by.starts_with("the processor until step 3, then the GPU ("), "{}", metrics.computed_by);
    let file = saved(&mut page);
    assert_eq!((file.step, file.optimizer_state.is_some()), (9, true));
    let by = Backends::from_notes("the run", &file.notes).unwrap();
    assert!(by.to_string().starts_with("fast until step 3, then gpu: "), "{by}");
    page.ask(Command::UseGpu(false));
    page.ask(Command::Step);
    let metrics = page.heard_metrics();
    assert!(
        metrics.step == 10 && !metrics.gpu && metrics.computed_by.ends_with("until step 9, then the processor"),
        "{metrics:?}"
    );
}

/// The result does not depend on how the run was paused, and two runs on one device agree to the bit.
#[test]
fn the_same_run_on_the_same_device_has_the_same_bits() {
    let Some(mut whole) = on_gpu_after(2, "pcd-gibbs", 1) else { return };
    whole.ask(Command::TrainUntil(9));
    let Some(mut paused) = on_gpu_after(2, "pcd-gibbs", 2) else { return };
    for _ in 0..4 {
        paused.ask(Command::Step);
    }
    paused.ask(Command::Save);
    paused.ask(Command::TrainUntil(9));
    assert_eq!(whole.heard_metrics().checksum, paused.heard_metrics().checksum);
    let (step, checkpoint) = paused.snapshot();
    let mut elsewhere = TestPage::new(1, 3);
    let heard = elsewhere.ask(Command::UseData { source: DataSource::Bars, plan: plan("pcd-gibbs"), checkpoint });
    assert_eq!(step, 9);
    assert!(matches!(events(&heard).last(), Some(Event::DataReady(_, run)) if run.metrics.step == 9));
    let [notice] = notices(&heard)[..] else { panic!("resumed elsewhere, it says so: {heard:?}") };
    assert!(notice.contains("computed by the processor until step 2, then the GPU ("), "{notice}");
}

#[test]
fn whoever_looks_at_a_run_on_the_gpu_sees_it_as_it_stands() {
    let Some(mut page) = on_gpu_after(0, "ucd-lmi", 4) else { return };
    page.ask_until(Command::Train, |m| matches!(&m.body, Reply::Answer(Event::Metrics(metrics)) if metrics.step >= 4));
    let Event::Samples(grid) = page.answer_first(Command::Samples { model: ModelChoice::Training, layer: 0, count: 4, seed: 1 })
    else {
        panic!("samples")
    };
    assert!(grid.step >= 4, "{}", grid.step);
    let request = CompletionRequest { unknown: vec![1; 16], ..completion(&[0; 16]) };
    assert!(matches!(page.answer_first(Command::Complete(request)), Event::Completions(_)));
    page.ask(Command::Pause);
    let metrics = page.heard_metrics();
    assert!(!metrics.running && metrics.checksum.len() == 16, "{metrics:?}");
    assert_eq!(metrics.signals.expect("looked at, at rest").step, metrics.step);
}

/// The device is destroyed in the middle of training: the run continues on the processor from its last checkpoint, and the page is
/// notified.
#[test]
fn a_lost_device_costs_no_step_before_the_last_checkpoint() {
    for commands in 0..5 {
        let Some(mut page) = on_gpu_after(2, "ucd-lmi", 5) else { return };
        page.ask(Command::TrainUntil(5));
        assert_eq!(page.snapshot().0, 5);
        page.gpu_dies_after = Some(commands);
        let heard = page.ask(Command::TrainUntil(9));
        let [notice] = notices(&heard)[..] else { panic!("one notice: {heard:?}") };
        let from = if commands > 0 { " from step 5, where its last checkpoint was taken" } else { "" };
        assert!(notice.starts_with("The GPU has stopped: the GPU failed: "), "{notice}");
        assert!(notice.ends_with(&format!(". The run continues{from}, on the processor.")), "{commands}: {notice}");
        let metrics = page.heard_metrics();
        // The last of the five brings the run back at step 9, where it comes to rest.
        assert_eq!((metrics.step, metrics.gpu), (if commands == 4 { 5 } else { 9 }, false), "{commands}");
        assert!(metrics.computed_by.ends_with(" until step 5, then the processor"), "{}", metrics.computed_by);
    }
}

#[test]
fn what_the_gpu_cannot_train_is_trained_by_the_processor() {
    let Some(mut page) = on_gpu_after(0, "ucd-gibbs", 6) else { return };
    let heard = page.ask(Command::Step);
    let [notice] = notices(&heard)[..] else { panic!("one notice: {heard:?}") };
    assert!(notice.contains("a run with this estimator cannot be trained on a GPU yet"), "{notice}");
    let metrics = page.heard_metrics();
    assert!(metrics.step == 1 && !metrics.gpu && metrics.computed_by.is_empty(), "{metrics:?}");
}

#[test]
fn both_are_timed_from_where_the_run_stands_and_it_stays_there() {
    let Some(mut page) = on_gpu_after(4, "ucd-lmi", 7) else { return };
    page.ask(Command::UseGpu(false));
    let before = page.heard_metrics();
    let Event::GpuTried(GpuTrial { workers, processor_seconds, gpu, gpu_seconds }) = page.answer(Command::TryGpu) else {
        panic!("a trial")
    };
    assert!(workers == 1 && processor_seconds > 0.0 && !gpu.is_empty() && gpu_seconds > 0.0);
    assert_eq!(saved(&mut page).step, 4);
    page.ask(Command::Step);
    assert_eq!((before.step, page.heard_metrics().step), (4, 5));
}
