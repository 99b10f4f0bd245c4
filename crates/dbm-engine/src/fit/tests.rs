//! A fit as a whole.

use super::*;
use dbm_core::{Group, Units, init};

/// Two threads, which work on items in the opposite order.
struct Backwards;

impl Host for Backwards {
    fn map<T: Send, R: Send>(&self, items: Vec<T>, f: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
        let mut results: Vec<R> = items.into_iter().rev().map(f).collect();
        results.reverse();
        results
    }

    fn now(&self) -> f64 {
        0.0
    }

    fn threads(&self) -> usize {
        2
    }
}

/// Six columns, the last three a category; each row copies one of two patterns but for some cells. With gaps or without.
fn table(rows: usize, gaps: bool) -> Examples {
    let mut stream = Streams::new(4).at(Purpose::Mask, 0, 0);
    let (mut bits, mut known) = (Vec::new(), Vec::new());
    for _ in 0..rows {
        let pattern = stream.coin();
        let mut noisy = |p: f64| pattern ^ (stream.uniform() < p);
        let (row, level) = ([noisy(0.1), noisy(0.1), noisy(0.2)], if noisy(0.1) { 3 } else { 4 });
        bits.extend(row.into_iter().map(u8::from));
        bits.extend((3..6).map(|i| u8::from(i == level)));
        let (first, category) = (stream.below(10) > 0, stream.below(10) > 0);
        known.extend([first, true, true, category, category, category].map(|known| u8::from(known || !gaps)));
    }
    Examples::from_bits(6, &bits).unwrap().with_gaps(&known).unwrap().with_groups(vec![Group::one_hot(GROUP)]).unwrap()
}

const GROUP: Range<usize> = 3..6;

fn fit(data: &Examples, seed: u64) -> Fit {
    let settings = FitSettings { steps: FitSettings::fewest_steps() * 2, seed, valid: None };
    Fit::new(data.clone(), settings, |_| Ok::<(), EngineError>(())).unwrap()
}

#[test]
fn threads_and_slices_change_no_bit_and_the_best_look_wins() {
    for data in [table(60, true), table(60, false)] {
        let mut sliced = fit(&data, 7);
        let (mut before, total) = sliced.progress();
        let fitted = loop {
            match sliced.advance().unwrap() {
                Progress::Ends(fitted) => break fitted,
                Progress::Goes { done, total: of } => {
                    assert!(u64::from(done) >= before && u64::from(done) <= total && u64::from(of) == total, "{done} of {of}");
                    before = u64::from(done);
                }
            }
        };
        let mut whole = fit(&data, 7);
        let reported = std::sync::atomic::AtomicU64::new(0);
        let report = |steps| _ = reported.fetch_add(steps, std::sync::atomic::Ordering::Relaxed);
        let other = loop {
            if let Some(fitted) = whole.advance_on(&Backwards, &report).unwrap() {
                break fitted;
            }
        };
        assert_eq!((fitted.run.snapshot(), &fitted.chosen), (other.run.snapshot(), &other.chosen));
        assert!(reported.into_inner() <= total);
        assert_eq!(fitted.run.steps(), fitted.chosen.steps);

        let Chosen { tried, score, steps, .. } = &fitted.chosen;
        assert_eq!(tried.len(), RECIPES.len());
        let looks = || tried.iter().flat_map(|tried| &tried.looks);
        let best = looks().map(|look| look.score.log_loss).fold(f64::INFINITY, f64::min);
        assert_eq!(best, score.log_loss);
        assert!(tried[0].looks.iter().any(|look| look.step == *steps && look.score == *score));
        // It learns: two patterns are worth more than half a bit a cell.
        assert!(score.log_loss < 0.65 && score.accuracy > 0.7, "{score:?}");
        // Rounds of 4, 8, 16 and 32 steps, each reached by half as many.
        let reached = |step: u64| tried.iter().filter(|tried| tried.looks.iter().any(|look| look.step > step)).count();
        assert!(reached(0) == 12 && reached(4) <= 6 && reached(8) <= 3 && reached(16) <= 2 && reached(32) <= 1);
        assert_ne!(fit(&data, 8).finish().unwrap().run.snapshot(), fitted.run.snapshot());
    }
}

#[test]
fn what_a_caller_hides_with_the_same_seed_is_never_seen() {
    let data = table(100, true);
    let verdict = hide(&data, 0.1, 7).unwrap();
    let material = hold_out(verdict.examples(), None, 7).unwrap();
    let cells = material.held_out.cells();
    assert!(cells.len() > 20);
    assert!(verdict.cells().iter().all(|cell| !cells.contains(cell)));
    let all = verdict.cells().iter().chain(cells);
    assert!(all.clone().all(|cell| cell.group.units.clone().all(|unit| !material.training.is_known(cell.row, unit))));
    let hidden: usize = all.map(|cell| cell.group.units.len()).sum();
    assert_eq!(material.training.missing(), data.missing() + hidden);
}

#[test]
fn whole_rows_are_held_out_where_none_has_gaps_and_given_ones_instead() {
    let data = table(60, false);
    let material = hold_out(&data, None, 7).unwrap();
    assert_eq!((material.training.len(), material.training.has_gaps()), (54, false));
    assert!(material.held_out.rows() <= 6);
    let material = hold_out(&data, Some(table(40, true)), 7).unwrap();
    assert_eq!((&material.training, material.held_out.rows() > 6), (&data, true));
    let few = hold_out(&table(8, false), None, 7).unwrap();
    assert_eq!((few.training.len(), few.training.has_gaps()), (8, true));
    let narrow = Examples::from_bits(2, &[0, 1]).unwrap();
    assert!(matches!(hold_out(&data, Some(narrow), 7), Err(DbmError::Shape { expected: 6, got: 2, .. })));
}

#[test]
fn a_fit_can_be_ended_with_what_it_has_and_refuses_too_few_steps() {
    let data = table(60, true);
    let mut job = fit(&data, 7);
    assert!(job.so_far().is_none());
    while job.so_far().is_none() {
        job.advance().unwrap();
    }
    let (model, look) = job.so_far().unwrap();
    assert_eq!((model.n_visible(), look.score.cells > 0), (6, true));
    let settings = FitSettings { steps: FitSettings::fewest_steps() - 1, ..FitSettings::default() };
    let refused = Fit::new(data, settings, |_| Ok::<(), EngineError>(())).err().unwrap().to_string();
    assert!(refused.contains("steps of all runs should be"), "{refused}");
    let hopeless = Examples::from_bits(2, &[0, 1]).unwrap().with_gaps(&[0, 0]).unwrap();
    let settings = FitSettings { steps: 1000, ..FitSettings::default() };
    assert!(Fit::new(hopeless, settings, |_| Ok::<(), EngineError>(())).is_err());
}

/// A run whose first step is refused: its model is wider than the data.
fn refused(runner: &Runner) -> Runner {
    let wider = init::orthogonal(&[7, 8], Units::Signs, 1).unwrap();
    Runner::new(runner.recipe, runner.plan.clone(), Trainer::new(wider, runner.plan.settings.clone()).unwrap())
}

#[test]
fn a_run_that_cannot_train_leaves_the_others_alone() {
    let mut job = fit(&table(60, true), 7);
    job.runners[3] = refused(&job.runners[3]);
    let chosen = job.finish().unwrap().chosen;
    assert_eq!(chosen.tried.iter().filter(|tried| tried.looks.is_empty()).count(), 1);
    assert_eq!(chosen.tried.len(), RECIPES.len());

    let mut job = fit(&table(60, true), 7);
    job.runners = job.runners.iter().map(refused).collect();
    assert!(job.finish().err().unwrap().to_string().contains("a row of the data set"));
}

#[test]
fn recipes_compete_that_fit_into_memory_together() {
    let data = Examples::from_bits(4, &[1, 1, 0, 0, 0, 0, 1, 1].repeat(15)).unwrap();
    let settings = FitSettings { steps: FitSettings::fewest_steps(), seed: 1, ..FitSettings::default() };
    let most = |limit: u128| move |needs: &Footprint| needs.check(limit);
    let tried = |limit: u128| Fit::new(data.clone(), settings.clone(), most(limit)).unwrap().finish().unwrap().chosen.tried.len();
    assert_eq!(tried(1 << 30), RECIPES.len());
    let (few, fewer) = (tried(1_100_000), tried(130_000));
    assert!(fewer < few && few < RECIPES.len(), "{fewer} {few}");
    let refused = Fit::new(data.clone(), settings.clone(), most(1000)).err();
    assert!(matches!(refused, Some(DbmError::Memory { .. })), "{refused:?}");
}

#[test]
fn wide_tables_take_fewer_steps() {
    let steps =
        |rows: usize, width: usize| FitSettings::usual_steps(&Examples::from_bits(width, &vec![0; rows * width]).unwrap());
    assert_eq!((steps(10, 5), steps(1000, 100), steps(100, 645)), (3200, 8000, 3200));
    assert!(steps(100, 20_000) < 1000 && steps(100, 20_000) >= FitSettings::fewest_steps());
}
