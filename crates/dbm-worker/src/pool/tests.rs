//! A coordinator and its helpers: the bits of a run do not depend on how many helpers there are or on which are lost.

use super::*;
use crate::coordinator::Message;
use crate::test_page::{TestPage, encoded, on_bars};
use dbm_core::Settings;
use dbm_core::settings::Initialization;
use dbm_protocol::{Command, DataSource, EncodedData, Event, ModelChoice, Reply, RunInfo};

/// Four shards on 16-70-6 units, so that there is more than one block of weights.
fn plan(estimator: &str, seed: u64) -> RunPlan {
    let settings =
        Settings { batch: 100, average: Some(0.9), seed, estimator: estimator.parse().unwrap(), ..Settings::default() };
    RunPlan { hidden: vec![70, 6], units: dbm_core::Units::Signs, start: Initialization::Orthogonal, settings }
}

fn begin(plan: RunPlan) -> dbm_core::Trainer {
    let sizes = [16, plan.hidden[0] as usize, plan.hidden[1] as usize];
    dbm_core::Trainer::new(dbm_core::init::orthogonal(&sizes, plan.units, 1).unwrap(), plan.settings).unwrap()
}

fn bars(estimator: &str) -> Command {
    on_bars(plan(estimator, 1))
}

/// A snapshot after this many steps on one worker.
fn alone(estimator: &str, steps: u32) -> (u32, Vec<u8>) {
    let mut place = TestPage::new(1, 0);
    place.ask(bars(estimator));
    for _ in 0..steps {
        place.ask(Command::Step);
    }
    assert_eq!((place.heard_metrics().workers, place.starts), (1, 0));
    place.snapshot()
}

fn at_step(step: u32) -> impl Fn(&Message) -> bool {
    move |message| matches!(&message.body, Reply::Answer(Event::Metrics(metrics)) if metrics.step >= step)
}

/// This many workers, with a run.
fn shared(workers: usize, seed: u64) -> TestPage {
    let mut place = TestPage::new(workers, seed);
    place.ask(bars("ucd-lmi"));
    place
}

impl TestPage {
    /// Trains up to this step, and pauses.
    fn train_to(&mut self, step: u32) {
        self.ask_until(Command::Train, at_step(step));
        self.ask(Command::Pause);
    }

    /// This many workers share the run, and its bits are those of one worker alone.
    fn stands_as_alone(&self, workers: u32) {
        assert_eq!(self.heard_metrics().workers, workers);
        let (step, checkpoint) = self.snapshot();
        assert!((step, checkpoint) == alone("ucd-lmi", step));
    }
}

#[test]
fn the_number_of_workers_changes_no_bit() {
    for estimator in ["ucd-lmi", "centered-pcd-2"] {
        let expected = alone(estimator, 12);
        for workers in [2, 3, 4] {
            for seed in 0..3 {
                let mut place = TestPage::new(workers, seed);
                place.ask(bars(estimator));
                for _ in 0..12 {
                    place.ask(Command::Step);
                }
                assert_eq!(place.heard_metrics().workers as usize, workers);
                assert!(place.snapshot() == expected, "{estimator} on {workers} workers");
            }
        }
    }
}

/// Bars and stripes with about every fifth bit missing, as the second worker would send them.
fn gappy(estimator: &str) -> Command {
    let bars = dbm_data::bars::dataset(4).unwrap().examples;
    let known: Vec<u8> = (0..bars.len() as u32 * 16).map(|i| u8::from((i + i / 16) % 5 != 0 || i / 16 == 3)).collect();
    let data = bars.with_gaps(&known).unwrap();
    let known = data.known_packed().unwrap().to_vec();
    let encoded = EncodedData { known, image: Some((4, 4)), ..encoded("gaps", 16, data.packed()) };
    Command::UseData { source: DataSource::Examples(encoded), plan: plan(estimator, 1), checkpoint: vec![] }
}

#[test]
fn the_number_of_workers_changes_no_bit_where_the_data_have_gaps() {
    for estimator in ["ucd-lmi", "centered-pcd-2"] {
        let run = |workers: usize, command: Command| {
            let mut place = TestPage::new(workers, 1);
            place.ask(command);
            (0..8).for_each(|_| drop(place.ask(Command::Step)));
            assert_eq!(place.heard_metrics().workers as usize, workers);
            place.snapshot()
        };
        let expected = run(1, gappy(estimator));
        assert!(run(3, gappy(estimator)) == expected, "{estimator}");
        assert!(run(3, bars(estimator)) != expected, "{estimator}: gaps make no difference");
    }
}

#[test]
fn pausing_a_shared_run_changes_no_bit() {
    for seed in 0..8 {
        let mut place = shared(4, seed);
        for step in [5, 6, 9, 13] {
            place.train_to(step);
            assert!(!place.heard_metrics().running);
        }
        assert!(place.snapshot().0 >= 13);
        place.stands_as_alone(4);
    }
}

#[test]
fn a_shared_run_is_whole_when_it_is_put_aside_and_taken_up_again() {
    let mut place = shared(3, 5);
    place.ask_until(Command::Train, at_step(6));
    let heard = place.ask(Command::NewRun(plan("lmi", 2)));
    assert!(heard.iter().any(|m| matches!(m.body, Reply::Answer(Event::RunReady(RunInfo { can_undo: true, .. })))));
    // The new run is shared in turn.
    place.ask_until(Command::Train, at_step(6));
    assert_eq!(place.heard_metrics().workers, 3);
    place.ask(Command::Undo);
    place.train_to(12);
    assert_eq!(place.starts, 1);
    place.stands_as_alone(3);
}

#[test]
fn requests_that_come_in_the_middle_of_a_step_see_it_before_or_after() {
    let mut place = shared(4, 6);
    for step in 5..40 {
        // Wherever the step under way is, samples come from the model between two steps.
        let samples = Command::Samples { model: ModelChoice::Training, layer: 0, count: 5, seed: 3 };
        place.ask_until(Command::Train, at_step(step));
        let heard = place.ask_until(samples, |m| matches!(&m.body, Reply::Answer(Event::Samples(grid)) if grid.count == 5));
        let Some(Reply::Answer(Event::Samples(grid))) = heard.last().map(|m| &m.body) else { panic!("samples: {heard:?}") };
        assert_eq!(grid.bits.len(), 5 * 16);
    }
    place.ask(Command::Pause);
    place.stands_as_alone(4);
}

#[test]
fn a_lost_helper_is_replaced_and_its_steps_are_repeated() {
    for (seed, after) in [(0, 0), (1, 3), (2, 7), (3, 20), (4, 41), (5, 90), (6, 135)] {
        let mut place = shared(4, seed);
        place.train_to(5);
        place.dies_after = Some(after);
        place.ask_until(
            Command::Train,
            |m| matches!(&m.body, Reply::Answer(Event::Notice(message)) if message.contains("killed by the test")),
        );
        let kept = place.heard_metrics();
        assert!(kept.running && kept.step >= 5, "what was written as a checkpoint at Pause is not lost");
        place.train_to(kept.step + 8);
        assert_eq!(place.starts, 2, "others have taken over");
        place.stands_as_alone(4);
    }
}

#[test]
fn after_three_losses_one_worker_goes_on_alone() {
    let mut place = shared(2, 9);
    for _ in 0..3 {
        place.ask_until(Command::Train, |m| matches!(&m.body, Reply::Answer(Event::Metrics(m)) if m.workers == 2));
        place.dies_after = Some(0);
        place.ask_until(Command::Train, |m| matches!(m.body, Reply::Answer(Event::Notice(_))));
    }
    place.train_to(place.heard_metrics().step + 5);
    assert_eq!(place.starts, 3);
    place.stands_as_alone(1);
}

#[test]
fn a_trial_of_the_gpu_is_shared_as_the_run_is() {
    let mut place = shared(3, 2);
    place.ask_until(Command::Train, at_step(6));
    let heard = place.ask_until(Command::TryGpu, |m| matches!(m.body, Reply::Progress { done: 12, .. } | Reply::Failed(_)));
    let progress: Vec<(u32, u32)> = heard
        .iter()
        .filter_map(|m| if let Reply::Progress { done, total, .. } = m.body { Some((done, total)) } else { None })
        .collect();
    assert_eq!(progress, (1..=12).map(|done| (done, 24)).collect::<Vec<_>>());
    place.ask_until(Command::Cancel(place.next), |m| m.body == Event::Cancelled.into());
    // Training, which had paused meanwhile, continues as if nothing had happened.
    place.train_to(place.heard_metrics().step + 5);
    place.stands_as_alone(3);
}

#[test]
fn messages_that_cannot_be_are_refused() {
    let mut place = shared(2, 1);
    place.ask_until(Command::Train, |m| matches!(&m.body, Reply::Answer(Event::Metrics(m)) if m.workers == 2));
    while place.ways[1][0].is_empty() && place.go_on() {}
    let Some(PoolMessage::Computed(good)) = place.ways[1][0].pop_front() else { panic!("a message") };
    for change in [
        (|message: &mut PeerMessage| message.bytes.truncate(7)) as fn(&mut PeerMessage),
        |message| message.index = 0,
        |message| message.index = 99,
        |message| message.step += 7,
        |message| message.kind = Kind::Optimizer,
        |message| (message.kind, message.bytes) = (Kind::Rows, vec![1; 5]),
    ] {
        let data = dbm_data::bars::dataset(4).unwrap().examples;
        let mut replica = Replica::alone(begin(plan("ucd-lmi", 1)));
        replica.share(good.session, dbm_core::ReplicaPart { index: 0, of: 2 });
        let mut message = PeerMessage { step: 0, ..good.clone() };
        let mut post = Vec::new();
        assert!(matches!(replica.advance(&data, &mut post), Ok(ReplicaProgress::Goes)));
        change(&mut message);
        let rows = message.kind == Kind::Rows;
        let mut refused = replica.receive(message).is_err();
        if rows {
            // Rows wait until this replica has updated its own.
            refused |= [1, 3].into_iter().any(|index| replica.receive(PeerMessage { step: 0, index, ..good.clone() }).is_err());
            refused |= (0..5).any(|_| replica.advance(&data, &mut post).is_err());
        }
        assert!(refused);
    }
    // From another session: dropped, since it may well arrive late.
    let mut late = good.clone();
    (late.session, late.bytes) = (good.session + 1, vec![]);
    assert!(place.worker.receive(late).is_empty());
}
