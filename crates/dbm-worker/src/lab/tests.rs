//! The lab as the page meets it: requests in, messages out, natively.

use super::*;
use dbm_core::{Settings, Units};
use dbm_data::Precision;
use dbm_protocol::{Completions, Grid, Metrics};

struct Page {
    lab: Lab,
    next: u32,
}

impl Page {
    fn new() -> Self {
        Self { lab: Lab::default(), next: 0 }
    }

    /// A request and all that comes until the worker rests or `enough`.
    fn ask_until(&mut self, command: Command, enough: impl Fn(&Message) -> bool) -> Vec<Message> {
        self.next += 1;
        let mut out = self.lab.handle(Request { version: VERSION, id: self.next, command });
        while self.lab.has_work() && !out.iter().any(&enough) {
            out.extend(self.lab.work());
        }
        out
    }

    fn ask(&mut self, command: Command) -> Vec<Message> {
        self.ask_until(command, |_| false)
    }

    /// The one answer with the request's id.
    fn answer(&mut self, command: Command) -> Event {
        let messages = self.ask(command);
        let id = Some(self.next);
        let mut answers = messages.into_iter().filter(|m| m.id == id && !matches!(m.event, Event::Progress { .. }));
        let answer = answers.next().expect("an answer").event;
        assert!(answers.next().is_none(), "one answer only");
        answer
    }

    fn failure(&mut self, command: Command) -> String {
        match self.answer(command) {
            Event::Failed { message } => message,
            other => panic!("should have failed: {other:?}"),
        }
    }

    fn metrics(&self) -> Metrics {
        self.lab.run.as_ref().unwrap().metrics(false)
    }
}

fn plan(hidden: &[u32]) -> RunPlan {
    RunPlan { hidden: hidden.to_vec(), units: Units::Signs, settings: Settings { batch: 40, ..Settings::default() } }
}

fn bars() -> Command {
    Command::UseData { source: DataSource::Bars, plan: plan(&[12, 6]) }
}

fn upload(name: &str, bytes: &[u8]) -> Command {
    let source = DataSource::Upload { name: name.into(), bytes: bytes.to_vec(), threshold: 127 };
    Command::UseData { source, plan: plan(&[12, 6]) }
}

fn trained(steps: u32) -> Page {
    let mut page = Page::new();
    page.ask(bars());
    for _ in 0..steps {
        page.ask(Command::Step);
    }
    page
}

#[test]
fn trains_until_paused_and_reports() {
    let mut page = Page::new();
    assert!(matches!(page.answer(bars()), Event::DataReady { can_undo: false, .. }));
    let messages = page.ask_until(Command::Train, |m| matches!(&m.event, Event::Metrics(m) if m.step >= 5));
    assert!(messages.iter().any(|m| matches!(&m.event, Event::Samples(Grid { count: 64, image: (4, 4), .. }))));
    let last = page.ask(Command::Pause);
    let Event::Metrics(metrics) = &last[0].event else { panic!("metrics first: {last:?}") };
    assert!(!metrics.running && metrics.step >= 5 && metrics.recent_steps == metrics.step.min(100));
    assert!(matches!(last[1].event, Event::Snapshot { .. }));
    assert!(matches!(last.last().unwrap().event, Event::Done));
    assert_eq!(metrics.negative.meeting_time.counts.iter().map(|(_, count)| count).sum::<u32>(), 40 * metrics.recent_steps);
    assert!(!page.lab.has_work());
    let step = page.metrics().step;
    assert!(page.lab.work().is_empty(), "a slice after Pause does nothing");
    assert_eq!(page.metrics().step, step);
}

#[test]
fn pausing_in_mid_step_changes_no_bit() {
    let plain = trained(6).lab.run.unwrap().checkpoint().unwrap();
    let mut page = trained(0);
    page.lab.set_goal(Goal::Forever, &mut Vec::new()).unwrap();
    while page.metrics().step < 5 {
        let mut out = Vec::new();
        page.lab.train(0.0, &mut out); // one shard a slice
        page.lab.rest(&mut out);
        page.lab.set_goal(Goal::Forever, &mut out).unwrap();
    }
    page.lab.rest(&mut Vec::new());
    page.ask(Command::Step);
    assert_eq!(page.lab.run.unwrap().checkpoint().unwrap(), plain);
}

#[test]
fn undo_puts_back_run_and_data_and_undoes_itself() {
    let mut page = trained(3);
    page.ask(Command::NewRun { plan: plan(&[5]) });
    assert_eq!(page.metrics().step, 0);
    assert!(matches!(page.answer(Command::Undo), Event::DataReady { model, .. } if model.sizes == [16, 12, 6]));
    assert_eq!(page.metrics().step, 3);
    assert!(matches!(page.answer(Command::Undo), Event::DataReady { model, .. } if model.sizes == [16, 5]));
    page.ask(upload("mine.csv", b"0,1\n1,0\n"));
    assert!(matches!(page.answer(Command::Undo), Event::DataReady { data, .. } if data.width == 16));
    assert!(Page::new().failure(Command::Undo).contains("nothing to put back"));

    // A run that was never trained does not push a trained one out.
    let mut page = trained(3);
    page.ask(Command::NewRun { plan: plan(&[5]) });
    page.ask(Command::NewRun { plan: plan(&[7]) });
    assert!(matches!(page.answer(Command::Undo), Event::DataReady { metrics, .. } if metrics.step == 3));
}

#[test]
fn a_refused_file_or_setting_leaves_everything_as_it_was() {
    let mut page = trained(2);
    let before = page.lab.run.as_ref().unwrap().checkpoint().unwrap();
    for (name, bytes, said) in [
        ("broken.gz", &[0x1f, 0x8b, 8, 0, 0][..], "broken.gz"),
        ("lies.idx", &[0, 0, 8, 3, 0, 0, 1, 0, 0, 0, 0, 28, 0, 0, 0, 28, 1][..], "lies.idx"),
        ("picture.png", b"\x89PNG\r\n\x1a\n", "PNG"),
        ("ragged.csv", b"0,1\n1\n", "ragged.csv"),
        ("words.csv", b"0,1\n1,maybe\n", "maybe"),
        ("empty.csv", b"", "empty.csv"),
    ] {
        let message = page.failure(upload(name, bytes));
        assert!(message.contains(said), "{name}: {message}");
    }
    assert!(page.failure(Command::NewRun { plan: plan(&[0]) }).contains("layer 1 has size 0"));
    assert!(page.failure(Command::NewRun { plan: plan(&[u32::MAX, u32::MAX]) }).contains("choose smaller layers"));
    assert!(page.failure(Command::NewRun { plan: plan(&[10_000, 10_000]) }).contains("40000000"));
    let mut nan = plan(&[4]);
    nan.settings.optimizer.learning_rate = f64::NAN;
    assert!(page.failure(Command::NewRun { plan: nan }).contains("learning rate"));
    assert!(page.failure(Command::OpenModel { name: "m".into(), bytes: vec![1; 100] }).contains('m'));
    assert_eq!(page.lab.run.as_ref().unwrap().checkpoint().unwrap(), before);
    assert!(!page.lab.has_work());
}

#[test]
fn completes_and_keeps_what_is_known() {
    let mut page = trained(20);
    let values: Vec<u8> = (0..16).map(|i| u8::from(i % 4 == 1)).collect();
    let unknown: Vec<u8> = (0..16).map(|i| u8::from(i >= 8)).collect();
    let complete = |unknown: Vec<u8>, answers, method| Command::Complete {
        model: ModelChoice::Training,
        values: values.clone(),
        unknown,
        answers,
        method,
        seed: 3,
    };
    for method in [CompletionMethod::Search, CompletionMethod::Gibbs { sweeps: 30 }] {
        let Event::Completions(Completions { answers, bits, distinct, sweeps, .. }) =
            page.answer(complete(unknown.clone(), 7, method))
        else {
            panic!("completions")
        };
        assert_eq!((answers, bits.len(), sweeps.len()), (7, 7 * 16, 7));
        assert!((1..=7).contains(&distinct));
        assert!(bits.chunks(16).all(|answer| answer[..8] == values[..8]));
    }
    assert!(page.failure(complete(vec![1; 5], 7, CompletionMethod::Search)).contains("16 units"));
    assert!(page.failure(complete(unknown.clone(), 0, CompletionMethod::Search)).contains("1 to 64"));
    let Event::Search(trace) =
        page.answer(Command::Watch { model: ModelChoice::Training, values: values.clone(), unknown, seed: 1 })
    else {
        panic!("a search")
    };
    assert!(trace.frames.len() >= 2 && !trace.capped);
    assert!(trace.frames.windows(2).all(|pair| pair[1].energy <= pair[0].energy + 1e-4));
    assert_eq!(trace.frames.last().unwrap().half_sweep, 2 * trace.sweeps);
}

#[test]
fn a_completion_can_be_cancelled() {
    let mut page = trained(0);
    let command = Command::Complete {
        model: ModelChoice::Training,
        values: vec![0; 16],
        unknown: vec![1; 16],
        answers: 64,
        method: CompletionMethod::Gibbs { sweeps: MAX_GIBBS_SWEEPS },
        seed: 0,
    };
    page.ask_until(command, |m| matches!(m.event, Event::Progress { .. }));
    let request = page.next;
    let messages = page.ask(Command::Cancel { request });
    assert!(messages.iter().any(|m| m.id == Some(request) && m.event == Event::Cancelled));
    assert!(!page.lab.has_work());
}

#[test]
fn a_snapshot_restores_the_run_in_a_new_worker() {
    let mut page = trained(4);
    let messages = page.ask(Command::Step);
    let checkpoint = messages.into_iter().find_map(|m| match m.event {
        Event::Snapshot { checkpoint, .. } => Some(checkpoint),
        _ => None,
    });
    let mut fresh = Page::new();
    let restore = Command::Restore { source: DataSource::Bars, plan: plan(&[12, 6]), checkpoint: checkpoint.unwrap() };
    assert!(matches!(fresh.answer(restore), Event::DataReady { metrics, .. } if metrics.step == 5));
    for page in [&mut page, &mut fresh] {
        page.ask(Command::Step);
    }
    assert_eq!(page.lab.run.unwrap().checkpoint().unwrap(), fresh.lab.run.unwrap().checkpoint().unwrap());
}

#[test]
fn opens_a_model_and_samples_and_gives_pictures_of_its_size() {
    let mut page = trained(3);
    let weights = Checkpoint::read("run", &page.lab.run.as_ref().unwrap().checkpoint().unwrap()).unwrap().weights_only(true);
    let bytes = weights.to_bytes(Precision::Half).unwrap();
    assert!(
        matches!(page.answer(Command::OpenModel { name: "small".into(), bytes }), Event::ModelOpened(about) if about.steps == 3)
    );
    let Event::Samples(grid) = page.answer(Command::Samples { model: ModelChoice::Pretrained, count: 50, seed: 2 }) else {
        panic!("samples")
    };
    assert_eq!((grid.count, grid.bits.len(), grid.image), (50, 50 * 16, (4, 4)));
    for source in [DigitSource::Sample, DigitSource::Data] {
        let digit = page.answer(Command::Digit { source, model: ModelChoice::Pretrained, seed: 1 });
        assert!(matches!(digit, Event::Digit(Digit { image: (4, 4), .. })));
    }
    let said = page.failure(Command::Digit { source: DigitSource::Generated, model: ModelChoice::Pretrained, seed: 1 });
    assert!(said.contains("784") && said.contains("16"), "{said}");
}

#[test]
fn a_request_of_another_version_is_refused() {
    let mut lab = Lab::default();
    let out = lab.handle(Request { version: VERSION + 1, id: 9, command: Command::Train });
    assert!(matches!(&out[..], [Message { id: Some(9), event: Event::Failed { .. }, .. }]));
    let out = lab.handle(Request { version: VERSION, id: 10, command: Command::Train });
    assert!(matches!(&out[..], [Message { id: Some(10), event: Event::Failed { .. }, .. }]));
}
