//! Filled gaps against enumeration, and their evaluation against tables with known answers.

use crate::common::{distribution, examples, hash, of_both_kinds, random_model};
use dbm_core::impute::{Evaluation, EvaluationSettings, ImputationMethod, ImputeSettings, Imputer, hide};
use dbm_core::rng::{Purpose, Streams};
use dbm_core::{Backend, Dbm, DbmError, Examples, Group, OptimizerSettings, Settings, SingleThread, Trainer, Units, exact, init};
use std::ops::Range;
use std::sync::Arc;

const SHAPES: [&[usize]; 3] = [&[6, 4], &[6, 4, 3], &[6, 3, 3, 2]];

/// Exact P(high) of the visible units, given what is known and that every group stands for a level.
fn exact_highs(model: &Dbm, visible: &[Option<bool>], groups: &[Group]) -> Vec<f64> {
    let high = model.units().high();
    let are_levels = |state: &[f32]| groups.iter().all(|group| group.level(|i| state[i] == high).is_some());
    let states: Vec<_> = distribution(model, visible).into_iter().filter(|(state, _)| are_levels(&state[0])).collect();
    let all: f64 = states.iter().map(|(_, p)| p).sum();
    let of = |i: usize| states.iter().filter(|(state, _)| state[0][i] == high).map(|(_, p)| p).sum::<f64>() / all;
    (0..visible.len()).map(of).collect()
}

/// The examples with these groups.
fn grouped(examples: Examples, groups: &[Group]) -> Examples {
    examples.with_groups(groups.to_vec()).unwrap()
}

/// Largest distance from the exact probabilities, in standard errors of as many independent counts as there are chains; the error of means
/// of conditional probabilities is smaller.
fn worst(model: &Dbm, visible: &[Option<bool>], groups: &[Group], chains: u32) -> f64 {
    let settings = ImputeSettings { completions: chains, sweeps: 40, draws: 1, seed: 3 };
    let found = Imputer::new(vec![model.clone()], settings)
        .unwrap()
        .fill(&grouped(examples(&[visible.to_vec()]), groups), 0)
        .unwrap()
        .highs;
    let exact = exact_highs(model, visible, groups);
    let apart = found.iter().zip(&exact).zip(visible).map(|((&found, &exact), bit)| match bit {
        Some(bit) => f64::from(u8::from(f64::from(found) != f64::from(u8::from(*bit)))) * f64::INFINITY,
        None => (f64::from(found) - exact).abs() / ((exact * (1.0 - exact) / f64::from(chains)).sqrt() + 1e-6),
    });
    apart.filter(|apart| !apart.is_nan()).fold(0.0, f64::max)
}

/// Seed 3, 6000 chains; 4.5 standard errors for 6 models with about 15 probabilities each (alpha = 90 * 6.8e-6).
#[test]
fn probabilities_are_the_exact_ones_given_what_is_known() {
    let some = [Some(true), None, Some(false), None, None, Some(false)];
    for (i, (units, sizes)) in of_both_kinds(SHAPES).enumerate() {
        let model = random_model(units, sizes, 50 + i as u64);
        for visible in [&some, &[None; 6]] {
            let error = worst(&model, visible, &[], 6000);
            assert!(error < 4.5, "{units:?} {sizes:?} {visible:?}: {error:.2} standard errors");
            // The same as the marginals by enumeration elsewhere.
            let marginals = &exact::marginals(&model, visible).unwrap()[0];
            assert!(marginals.iter().zip(exact_highs(&model, visible, &[])).all(|(a, b)| (a - b).abs() < 1e-9));
        }
    }
}

/// A category and a scale that are missing entirely, in part, with the high unit known, and not at all. Limits as above.
#[test]
fn a_missing_group_stands_for_a_level() {
    let groups = [Group::one_hot(0..3), Group::thermometer(4..6)];
    let (high, low) = (Some(true), Some(false));
    let rows = [
        [None, None, None, high, low, high],
        [None, None, None, None, None, None],
        [low, None, None, None, high, low],
        [low, high, None, None, None, None],
        [low, low, None, None, low, high],
    ];
    for (i, (units, sizes)) in of_both_kinds(SHAPES).enumerate() {
        let model = random_model(units, sizes, 56 + i as u64);
        for visible in &rows {
            let error = worst(&model, visible, &groups, 4000);
            assert!(error < 4.5, "{units:?} {sizes:?} {visible:?}: {error:.2} standard errors");
        }
        // Taken one by one, the units of a group have other probabilities.
        let [alone, together] = [&groups[..0], &groups].map(|groups| exact_highs(&model, &rows[1], groups));
        assert!(alone.iter().zip(&together).any(|(a, b)| (a - b).abs() > 0.05));
        let imputer = Imputer::new(vec![model], ImputeSettings::default()).unwrap();
        let filled = imputer.fill(&grouped(examples(&[rows[1].to_vec()]), &groups), 0).unwrap();
        assert!((filled.highs[..3].iter().sum::<f32>() - 1.0).abs() < 1e-5);
        assert_eq!(filled.completions.len(), 32 * 6);
        let is_level = |bits: &[u8]| groups.iter().all(|group| group.level(|i| bits[i] == 1).is_some());
        assert!(filled.completions.chunks_exact(6).all(is_level));
    }
}

fn table(rows: usize, width: usize, seed: u64) -> Examples {
    let mut stream = Streams::new(seed).at(Purpose::Mask, 0, 0);
    let mut draw = |bound: u64| (0..rows * width).map(|_| u8::from(stream.below(bound) > 0)).collect::<Vec<u8>>();
    Examples::from_bits(width, &draw(2)).unwrap().with_gaps(&draw(4)).unwrap()
}

#[test]
fn the_numbers_of_a_row_depend_on_nothing_else_and_known_cells_never_change() {
    let data = grouped(table(9, 6, 2), &[Group::one_hot(1..3)]);
    let model = random_model(Units::Signs, &[6, 5, 3], 60);
    let settings = ImputeSettings { completions: 5, sweeps: 6, draws: 2, seed: 4 };
    let imputer = |model: Dbm, settings: &ImputeSettings| Imputer::new(vec![model], settings.clone()).unwrap();
    let highs = |imputer: &Imputer, rows: Range<usize>| -> Vec<f32> {
        rows.flat_map(|row| imputer.fill(&data, row).unwrap().highs).collect()
    };
    let all = highs(&imputer(model.clone().with_backend(Backend::Plain), &settings), 0..9);
    let fast = imputer(model.clone().with_backend(Backend::Fast), &settings);
    let rows = [3..7, 7..9, 0..3].map(|rows| highs(&fast, rows)).concat();
    assert_eq!(rows[..4 * 6], all[3 * 6..7 * 6]);
    assert_eq!((&rows[4 * 6..6 * 6], &rows[6 * 6..]), (&all[7 * 6..], &all[..3 * 6]));
    for row in 0..9 {
        let filled = fast.fill(&data, row).unwrap();
        for i in (0..6).filter(|&i| data.is_known(row, i)) {
            let bit = u8::from(data.bit(row, i));
            assert_eq!(all[row * 6 + i], f32::from(bit));
            assert!(filled.completions.chunks_exact(6).all(|bits| bits[i] == bit));
        }
    }
    let other = highs(&imputer(model, &ImputeSettings { seed: 5, ..settings }), 0..9);
    assert_ne!(other, all);
    // Bits pinned by seed: the same natively and in every browser.
    assert_eq!(hash(all.iter().map(|x| u64::from(x.to_bits()))), "e4a9373cbc4ff262");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let model = || random_model(Units::Bits, &[6, 3], 61);
    let refused = |change: fn(&mut ImputeSettings)| {
        let mut settings = ImputeSettings::default();
        change(&mut settings);
        match Imputer::new(vec![model()], settings).map(|_| ()) {
            Err(DbmError::Setting { name, .. }) => name,
            other => panic!("accepted or misnamed: {other:?}"),
        }
    };
    assert_eq!(refused(|s| s.completions = 0), "completions");
    assert_eq!(refused(|s| s.sweeps = u32::MAX), "clamped sweeps");
    assert_eq!(refused(|s| s.draws = 0), "draws");
    let wrong: [&[(usize, usize)]; 5] = [&[(4, 7)], &[(0, 2), (1, 3)], &[(2, 2)], &[(3, 4), (0, 1)], &[(3, 5), (0, 2)]];
    let group = |&(start, end): &(usize, usize)| Group::one_hot(start..end);
    let with = |groups: &[(usize, usize)]| table(5, 6, 1).with_groups(groups.iter().map(group).collect());
    assert!(with(&[(0, 2), (2, 3), (5, 6)]).is_ok());
    for groups in wrong {
        let error = with(groups).unwrap_err().to_string();
        assert!(error.contains("group of visible units"), "{error}");
    }
    let imputer = Imputer::new(vec![model()], ImputeSettings::default()).unwrap();
    assert!(matches!(imputer.fill(&table(5, 7, 1), 0), Err(DbmError::Shape { expected: 6, got: 7, .. })));
    assert!(matches!(imputer.fill(&table(5, 6, 1), 5), Err(DbmError::Shape { expected: 6, got: 5, .. })));
    for share in [0.0, 1.0, -0.1, f64::NAN, 1e-9] {
        let error = hide(&table(5, 6, 1), share, 1).unwrap_err().to_string();
        assert!(error.contains("share of cells"), "{error}");
    }
    let hidden = Arc::new(hide(&table(5, 6, 1), 0.5, 1).unwrap());
    let with = |change: fn(&mut EvaluationSettings)| {
        let mut settings = EvaluationSettings::default();
        change(&mut settings);
        Evaluation::new(vec![model()], Arc::clone(&hidden), settings).map(|_| ()).unwrap_err().to_string()
    };
    assert!(with(|s| s.neighbours = 0).contains("nearest neighbours"));
    assert!(with(|s| s.most_rows = 0).contains("rows to score"));
    assert!(with(|s| s.most_compared = 1).contains("rows to compare with"));
    assert!(with(|s| s.impute.draws = 0).contains("draws"));
    let narrow = Evaluation::new(vec![random_model(Units::Bits, &[5, 3], 1)], Arc::clone(&hidden), EvaluationSettings::default())
        .map(|_| ());
    assert!(matches!(narrow, Err(DbmError::Shape { expected: 5, got: 6, .. })));
    let evaluation = Evaluation::new(vec![model()], Arc::clone(&hidden), EvaluationSettings::default()).unwrap();
    assert!(evaluation.score(0..evaluation.rows() + 1).is_err());
}

#[test]
fn what_is_hidden_is_known_cells_as_often_as_asked() {
    let data = grouped(table(2000, 8, 3), &[Group::one_hot(1..2), Group::one_hot(3..6)]);
    let hidden = hide(&data, 0.3, 9).unwrap();
    assert_eq!(hidden, hide(&data, 0.3, 9).unwrap());
    assert_ne!(hidden, hide(&data, 0.3, 10).unwrap());
    let (mut singles, mut grouped) = (0, 0);
    for cell in hidden.cells() {
        assert!(cell.group.units.clone().all(|i| data.is_known(cell.row, i) && !hidden.examples().is_known(cell.row, i)));
        let bits: Vec<usize> = cell.group.units.clone().map(|i| usize::from(data.bit(cell.row, i))).collect();
        if cell.group.units == (3..6) {
            assert_eq!((bits.iter().sum::<usize>(), bits[cell.truth], cell.group.levels()), (1, 1, 3));
            grouped += 1;
        } else {
            assert!(cell.group.units.len() == 1 && cell.group.units.start != 1);
            assert_eq!((bits[0], cell.group.levels()), (cell.truth, 2));
            singles += 1;
        }
    }
    assert_eq!(hidden.examples().missing() - data.missing(), singles + 3 * grouped);
    // Seed 9; 4.5 standard errors (alpha = 1.4e-5): three quarters of four columns, and for the group 27/64 known times 3/8 one-hot.
    let near = |count: usize, cells: f64| (count as f64 - 0.3 * cells).abs() < 4.5 * (0.3 * cells).sqrt();
    assert!(near(singles, 4.0 * 0.75 * 2000.0) && near(grouped, 27.0 / 64.0 * 3.0 / 8.0 * 2000.0), "{singles} {grouped}");
}

/// Ten columns that follow one hidden cause, a category with three levels that also follows it, and two columns of noise; a tenth is
/// missing.
fn caused(rows: usize) -> Examples {
    let mut stream = Streams::new(12).at(Purpose::Mask, 0, 0);
    let (mut bits, mut known) = (Vec::new(), Vec::new());
    for _ in 0..rows {
        let cause = stream.below(3);
        let mut flip = |bit: bool| u8::from(bit ^ (stream.uniform() < 0.05));
        bits.extend((0..10).map(|i| flip((cause + i).is_multiple_of(3))));
        let level = if stream.uniform() < 0.9 { cause } else { stream.below(3) };
        bits.extend((0..3).map(|i| u8::from(i == level)));
        bits.extend((0..2).map(|_| u8::from(stream.coin())));
        known.extend((0..10).map(|_| u8::from(stream.uniform() < 0.9)));
        known.extend([u8::from(stream.uniform() < 0.9); 3]);
        known.extend((0..2).map(|_| u8::from(stream.uniform() < 0.9)));
    }
    Examples::from_bits(15, &bits).unwrap().with_gaps(&known).unwrap()
}

#[test]
fn a_model_trained_on_the_rest_beats_the_column_mode() {
    let data = grouped(caused(300), &[Group::one_hot(10..13)]);
    let hidden = Arc::new(hide(&data, 0.15, 1).unwrap());
    let optimizer = OptimizerSettings { learning_rate: 0.01, ..OptimizerSettings::default() };
    let settings = Settings { optimizer, batch: 100, average: Some(0.99), ..Settings::default() };
    let mut run = Trainer::new(init::orthogonal(&[15, 8], Units::Signs, 1).unwrap(), settings).unwrap();
    for _ in 0..500 {
        run.step(hidden.examples(), &SingleThread).unwrap();
    }
    let settings = EvaluationSettings {
        most_rows: 200,
        most_compared: 150,
        impute: ImputeSettings { completions: 8, sweeps: 15, draws: 4, seed: 1 },
        ..EvaluationSettings::default()
    };
    let evaluation = Evaluation::new(vec![run.averaged_model()], Arc::clone(&hidden), settings).unwrap();
    let mut outcomes = evaluation.score(0..50).unwrap();
    outcomes.extend(evaluation.score(50..evaluation.rows()).unwrap());
    assert_eq!(outcomes, evaluation.score(0..evaluation.rows()).unwrap());
    let report = evaluation.report(&outcomes);
    assert_eq!((report.rows, report.rows_compared, report.rows_in_all), (200, 150, 300));
    assert!(report.rows_with_hidden > 200 && report.cells == outcomes.len() && report.cells < hidden.cells().len());
    let [model, mode, neighbours] = ImputationMethod::ALL.map(|method| report.of(method));
    assert!(model.accuracy > mode.accuracy + 0.1 && model.log_loss < mode.log_loss - 0.15, "{report:?}");
    assert!(neighbours.accuracy > mode.accuracy + 0.1 && neighbours.log_loss < mode.log_loss - 0.15, "{report:?}");

    // By hand, for the column mode: shares of what is still known after hiding.
    let mut loss = 0.0;
    for outcome in &outcomes {
        let (units, truth) = (outcome.cell.group.units.clone(), outcome.cell.truth);
        let seen: Vec<usize> = (0..300).filter(|&row| hidden.examples().is_known(row, units.start)).collect();
        let place = if units.len() == 1 { units.start } else { units.start + truth };
        let high = seen.iter().filter(|&&row| hidden.examples().bit(row, place)).count();
        let count = if units.len() == 1 && truth == 0 { seen.len() - high } else { high };
        let p = (count as f64 + 1.0) / (seen.len() as f64 + outcome.cell.group.levels() as f64);
        assert!((outcome.predictions[ImputationMethod::ColumnMode as usize].of_truth - p).abs() < 1e-12);
        loss -= p.ln();
    }
    assert!((loss / outcomes.len() as f64 - mode.log_loss).abs() < 1e-9);
}
