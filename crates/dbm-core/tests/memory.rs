//! A run takes the memory that its footprint says, and no more: peaks of live bytes, counted by the allocator.
//!
//! One test, since the count is for the whole process.

use dbm_core::{Examples, Footprint, Host, OptimizerMethod, OptimizerSettings, Settings, SingleThread, Trainer, Units, init};
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

const EXAMPLES: usize = 300;
/// From the second on, everything that a run keeps is there.
const STEPS: u64 = 3;

/// One thread per item, so that as many shards and blocks as possible are in progress at once.
struct Threads;

impl Host for Threads {
    fn map<T: Send, R: Send>(&self, items: Vec<T>, f: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
        let mut results = Vec::new();
        let mut items = items.into_iter().peekable();
        while items.peek().is_some() {
            let group: Vec<T> = items.by_ref().take(THREADS).collect();
            std::thread::scope(|scope| {
                let working: Vec<_> = group.into_iter().map(|item| scope.spawn(|| f(item))).collect();
                results.extend(working.into_iter().map(|thread| thread.join().expect("a thread that does not panic")));
            });
        }
        results
    }

    fn now(&self) -> f64 {
        0.0
    }
}

const THREADS: usize = 4;

/// The peak number of live bytes in `work` beyond those live before, and what it returns.
fn peak_of<R>(work: impl FnOnce() -> R) -> (usize, R) {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let result = work();
    (ALLOCATOR.peak_usage() - before, result)
}

fn data(width: usize) -> Examples {
    let bits: Vec<u8> = (0..EXAMPLES * width).map(|i| u8::from(i % 3 == 0 || i % 7 == 2)).collect();
    Examples::from_bits(width, &bits).unwrap()
}

/// A third of the bits of every other example are missing.
fn data_with_gaps(width: usize) -> Examples {
    let known: Vec<u8> = (0..EXAMPLES * width).map(|i| u8::from((i / width).is_multiple_of(2) || i % 3 > 0)).collect();
    data(width).with_gaps(&known).unwrap()
}

fn check(data: fn(usize) -> Examples, sizes: &[usize], settings: &Settings, host: &impl Host, threads: usize) {
    let expected = Footprint::of_data(sizes, settings, &data(sizes[0]), threads);
    let (peak, mut run) = peak_of(|| {
        let data = data(sizes[0]);
        let model = init::orthogonal(sizes, Units::Signs, 1).unwrap();
        let mut run = Trainer::new(model, settings.clone()).unwrap();
        for _ in 0..STEPS {
            run.step(&data, host).unwrap();
        }
        run
    });
    let case = format!("{sizes:?}, {settings:?}, {threads} threads");
    println!("{sizes:?} batch {} {:?}: {} of {}", settings.batch, settings.optimizer.method, peak, expected.total());
    // The bits from which the data are made, one byte each, are gone before the model is created.
    let limit = expected.total().max((2 * EXAMPLES * sizes[0]) as u128);
    assert!(peak as u128 <= limit, "{peak} bytes live at most, {expected:?}: {case}");
    // The bound is not vacuous: what it counts is really there.
    assert!(peak as u128 >= expected.copies, "{peak} bytes live at most, {expected:?}: {case}");
    // Between two steps a run holds its copies and very little else.
    let (look, ()) = peak_of(|| run.with_averaged_model(host, |model| assert_eq!(model.sizes(), sizes)));
    assert!(look < 100_000, "{look} bytes to look at the averaged model: {case}");
    let (view, ()) = peak_of(|| assert_eq!(run.view().step, STEPS));
    assert!(view < 10_000, "{view} bytes for a view: {case}");
    let snapshot = run.snapshot();
    drop(run);
    let copy = (4 * expected.parameters) as usize;
    let (restoring, restored) = peak_of(|| Trainer::restore(snapshot).unwrap());
    assert!(restoring < copy + copy / 2 + 100_000, "{restoring} bytes to restore: {case}");
    assert_eq!(restored.steps(), STEPS);
}

#[test]
fn a_run_stays_within_its_footprint() {
    let of = |method, average, batch| Settings {
        optimizer: OptimizerSettings { method, ..OptimizerSettings::default() },
        average,
        batch,
        ..Settings::default()
    };
    let adam = |batch| of(OptimizerMethod::Adam, None, batch);
    for sizes in [&[784, 300][..], &[784, 200, 300], &[300, 400, 200, 100]] {
        check(data, sizes, &adam(100), &SingleThread, 1);
        check(data, sizes, &adam(100), &Threads, THREADS);
    }
    check(data, &[300, 200, 100], &adam(1000), &SingleThread, 1);
    check(data, &[300, 200, 100], &adam(1000), &Threads, THREADS);
    let sizes = [200, 600, 100];
    for settings in
        [of(OptimizerMethod::Sgd, None, 10), of(OptimizerMethod::AmsGrad, None, 100), of(OptimizerMethod::Adam, Some(0.99), 100)]
    {
        check(data, &sizes, &settings, &Threads, THREADS);
    }
    check(data, &[784, 200, 100], &Settings { conditional: 0.5, image: Some((28, 28)), ..adam(100) }, &Threads, THREADS);
    check(data, &sizes, &Settings { marginalize: false, ..adam(100) }, &Threads, THREADS);
    for estimator in ["ucd-mh", "ucd-gibbs", "lmi", "cd-2", "pcd-2", "pcd-gibbs-2", "centered-cd-1"] {
        let mut settings = Settings { estimator: estimator.parse().unwrap(), ..adam(100) };
        settings.max_meeting = 2; // a longer coupling takes no more memory
        check(data, &sizes, &settings, &Threads, THREADS);
        check(data_with_gaps, &sizes, &settings, &Threads, THREADS);
    }
    for (sizes, batch) in [(&[784, 300][..], 100), (&[784, 200, 300], 100), (&[784, 20, 10], 1000)] {
        check(data_with_gaps, sizes, &adam(batch), &Threads, THREADS);
        check(data_with_gaps, sizes, &Settings { conditional: 0.5, ..adam(batch) }, &Threads, THREADS);
    }
}
