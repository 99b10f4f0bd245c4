//! PL: the gradient of the pseudo-likelihood.

mod restricted;

use super::prediction::SWEEPS;
use super::{Batch, Estimate, Estimator, ExpectedGradient, Info, Moments, Phase, PhaseInfo};
use crate::chains::Chains;
use crate::expectation::{Expected, StateSpace};
use crate::groups::{Group, cells};
use crate::linalg::Matrix;
use crate::math::normalized;
use crate::mean_field::{self, MeanFieldSettings};
use crate::rng::{Stream, Streams};
use crate::sweep::half_gibbs;
use crate::{Clamp, Dbm, DbmError, Parity, signals};
use restricted::Restricted;

/// A step asks for one in so many of an example's cells, but for no fewer and no more than these.
const CELLS: (usize, usize, usize) = (8, 8, 32);
/// For machines with several hidden layers.
const MEAN_FIELD: MeanFieldSettings = MeanFieldSettings { max_sweeps: 100, tolerance: 1e-4 };

/// The gradient of the log pseudo-likelihood, `sum_c log p(v_c | v_-c)` over the cells of an example (Besag 1975; for restricted machines,
/// Marlin, Swersky, Chen and de Freitas 2010).
///
/// A cell is a visible unit, or a group of them. Let `v^k` be the example with cell `c` at its `k`-th level, `F` the free energy and
/// `m^k` the means of the hidden units given `v^k`. Then, with one hidden layer, all of this is exact:
///
/// `p_k = exp(-F(v^k)) / sum_k' exp(-F(v^k'))`, and the gradient is `sum_k (1[v^k = v] - p_k) f(v^k, m^k)`.
///
/// With more, `m^k` is the mean-field posterior and `F` the bound that it gives. Cells that a mask marks as known are not asked for. Of more
/// than 8 cells an eighth is drawn at each step, at least 8 and at most 32, and their gradient is scaled up.
///
/// Missing cells are drawn first, from a uniform state: with one hidden layer one after another, each by its `p_k` given all other cells, the
/// hidden units summed out, which is exact for a single one; with more layers by five Gibbs sweeps.
#[derive(Clone, Debug)]
pub struct Pl;

impl Estimator for Pl {
    fn estimate(&self, model: &Dbm, batch: &Batch, clock: &dyn Fn() -> f64) -> Estimate {
        let (mut moments, started) = (Moments::new(model), clock());
        let (visible, mut restricted) = match model.depth() {
            1 => {
                let mut visible = batch.visible.clone();
                let restricted = Restricted::completing(model, batch, &mut visible);
                (visible, Some(restricted))
            }
            _ => (completed(model, batch), None),
        };
        for row in 0..visible.rows() {
            let values = visible.row(row);
            let (cells, scale) = asked(model, batch, row, values);
            match &mut restricted {
                Some(restricted) => restricted.add(row, values, &cells, scale, &mut moments),
                None => add_by_posteriors(model, values, &cells, scale, &mut moments),
            }
        }
        moments.note_positive(0, &visible);
        let positive = PhaseInfo { search_seconds: clock() - started, ..PhaseInfo::default() };
        Estimate { moments, info: Info { positive, negative: PhaseInfo::default() }, persistent: None }
    }
}

/// The visible layers with missing units drawn given the observed ones.
fn completed(model: &Dbm, batch: &Batch) -> Matrix {
    let (n, mut visible) = (model.n_visible(), batch.visible.clone());
    let gaps: Vec<usize> = (0..visible.rows()).filter(|&row| !batch.is_whole(row)).collect();
    if gaps.is_empty() {
        return visible;
    }
    let observed = batch.observed.of_rows(&gaps, n);
    let given = visible.select(&gaps);
    let mut chains = Chains::new(model, given, observed);
    let mut streams: Vec<Stream> = gaps.iter().map(|&row| batch.stream(Phase::Positive, row)).collect();
    chains.randomize_all(model, &mut streams);
    for _ in 0..SWEEPS {
        for parity in [Parity::Odd, Parity::Even] {
            half_gibbs(model, &mut chains, parity, &mut streams);
        }
    }
    for (chain, &row) in gaps.iter().enumerate() {
        visible.row_mut(row).copy_from_slice(chains.layer(0).row(chain));
    }
    visible
}

/// The cells of an example that are asked for in this step, and the factor of their gradient.
fn asked(model: &Dbm, batch: &Batch, row: usize, values: &[f32]) -> (Vec<Group>, f32) {
    let (n, low) = (values.len(), model.units().low());
    let (observed, known) = (batch.observed.of_rows(&[row], n), batch.known.of_rows(&[row], n));
    // A single level needs no guess.
    let is_asked = |cell: &Group| {
        cell.levels() > 1
            && cell.units.clone().all(|unit| observed.holds(unit))
            && !cell.units.clone().all(|unit| known.holds(unit))
            && cell.level(|unit| values[unit] > low).is_some()
    };
    let mut cells = cells(model.groups(), n);
    cells.retain(is_asked);
    let all = cells.len();
    let (one_in, least, most) = CELLS;
    let count = (all / one_in).clamp(least, most);
    if all > count {
        let mut stream = batch.stream(Phase::Negative, row);
        for place in 0..count {
            let other = place + stream.below((all - place) as u64) as usize;
            cells.swap(place, other);
        }
        cells.truncate(count);
    }
    let scale = all as f32 / cells.len().max(1) as f32;
    (cells, scale)
}

/// The gradient for machines of any depth, from the posterior of each alternative.
fn add_by_posteriors(model: &Dbm, values: &[f32], cells: &[Group], scale: f32, moments: &mut Moments) {
    let (low, gap) = (model.units().low(), model.units().gap());
    for cell in cells {
        let mut rows = Matrix::from_vec(1, values.len(), values.to_vec());
        for changes in cell.alternatives(values, (low, gap), |_| true) {
            rows.push_row(values);
            changes.into_iter().for_each(|(unit, change)| rows.last_row_mut()[unit] += change);
        }
        let posterior = mean_field::posterior(model, &rows, &Clamp::Visible, MEAN_FIELD);
        let logs: Vec<f64> = signals::free_energies(model, &posterior).into_iter().map(|energy| -energy).collect();
        for (k, p) in normalized(&logs).into_iter().enumerate() {
            let state: Vec<&[f32]> = posterior.means.iter().map(|layer| layer.row(k)).collect();
            let weight = f64::from(u8::from(k == 0)) - p;
            moments.push(Phase::Positive, scale * weight as f32, &state);
        }
    }
}

impl ExpectedGradient for Pl {
    /// Zero: all of it happens instead of the negative phase, since it needs to know which units a mask marks.
    fn expected_positive(&self, model: &Dbm, visible: &[Option<bool>]) -> Result<Expected, DbmError> {
        StateSpace::new(model, visible)?; // refuses what the other estimators refuse
        Ok(Expected { values: vec![0.0; model.n_parameters()], unmet: 0.0 })
    }

    /// The gradient with its sign reversed.
    fn expected_negative(&self, model: &Dbm, visible: &[Option<bool>], known: &[bool], _: u32) -> Result<Expected, DbmError> {
        StateSpace::of_known(model, visible, known)?;
        let space = StateSpace::new(model, visible)?;
        let observed: Vec<bool> = visible.iter().map(Option::is_some).collect();
        let both = observed.iter().zip(known).map(|(observed, known)| observed & known).collect();
        let mut batch = Batch { known: Clamp::Known(both), ..Batch::new(Matrix::zeros(1, visible.len()), Streams::new(0)) };
        batch.observed = if observed.contains(&false) { Clamp::Known(observed) } else { Clamp::Visible };
        let mut values = vec![0.0; model.n_parameters()];
        let law = if model.depth() == 1 {
            space.collapsed_sweep(&space.uniform())
        } else {
            space.sweeps(space.uniform(), Parity::Odd, SWEEPS)
        };
        for (state, p) in space.states().iter().zip(law) {
            let mut moments = Moments::new(model);
            let (cells, scale) = asked(model, &batch, 0, &state[0]);
            add_by_posteriors(model, &state[0], &cells, scale, &mut moments);
            let gradient = moments.gradient(model.backend(), -1.0).flat();
            values.iter_mut().zip(gradient).for_each(|(sum, x)| *sum += p * x);
        }
        Ok(Expected { values, unmet: 0.0 })
    }

    fn negative_sees_all(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Backend, Units, exact, init};

    /// `-F(v)` of a machine with one hidden layer, a sum over all hidden states.
    fn log_weight(model: &Dbm, values: &[f32]) -> f64 {
        let log = |code: usize| {
            let hidden = (0..model.sizes()[1]).map(|j| model.units().value(code >> j & 1 == 1)).collect();
            -model.energy(&[values.to_vec(), hidden])
        };
        crate::math::log_sum_exp(&(0..1 << model.sizes()[1]).map(log).collect::<Vec<f64>>())
    }

    /// The gradient of the pseudo-likelihood of a row by differences of its definition.
    fn by_definition(sizes: &[usize], units: Units, values: &[f32], asked: &[Group]) -> Vec<f64> {
        let value = |model: &Dbm| -> f64 {
            let of_cell = |cell: &Group| {
                let at = |level: usize| {
                    let mut row = values.to_vec();
                    cell.units.clone().for_each(|unit| row[unit] = units.value(cell.is_high(level, unit)));
                    log_weight(model, &row)
                };
                let logs: Vec<f64> = (0..cell.levels()).map(at).collect();
                log_weight(model, values) - crate::math::log_sum_exp(&logs)
            };
            asked.iter().map(of_cell).sum()
        };
        let model = init::gaussian(sizes, units, 0.8, 5).unwrap();
        let moved = |place: usize, by: f32| {
            let mut model = model.clone();
            let (weights, biases) = model.parameters_mut();
            let n = weights[0].data().len();
            match place.checked_sub(n) {
                None => weights[0].data_mut()[place] += by,
                Some(place) if place < sizes[0] => biases[0][place] += by,
                Some(place) => biases[1][place - sizes[0]] += by,
            }
            value(&model)
        };
        (0..model.n_parameters()).map(|place| (moved(place, 1e-2) - moved(place, -1e-2)) / 2e-2).collect()
    }

    /// A category of which nothing is known, a scale of which one unit is: each alone is drawn from its law given the rest.
    #[test]
    fn a_missing_cell_is_drawn_from_its_law() {
        const ROWS: usize = 4000;
        for units in [Units::Signs, Units::Bits] {
            let groups = [Group::one_hot(1..4), Group::thermometer(4..7)];
            let model = init::gaussian(&[7, 3], units, 0.8, 5).unwrap().with_groups(&groups).unwrap();
            for (cell, bits, missing) in [(0, [1, 1, 0, 0, 1, 1, 0], 1..4), (1, [1, 0, 1, 0, 1, 0, 0], 5..7)] {
                let values: Vec<f32> = bits.map(|bit| units.value(bit == 1)).to_vec();
                let mut batch = Batch::new(Matrix::from_vec(ROWS, 7, values.repeat(ROWS)), Streams::new(1));
                batch.observed = Clamp::Known((0..7).map(|unit| !missing.contains(&unit)).collect::<Vec<_>>().repeat(ROWS));
                let mut visible = batch.visible.clone();
                Restricted::completing(&model, &batch, &mut visible);
                let levels: Vec<usize> = if cell == 0 { (0..3).collect() } else { (1..4).collect() };
                let with = |level: usize| {
                    let mut row = values.clone();
                    let units_of = groups[cell].units.clone();
                    units_of.for_each(|unit| row[unit] = units.value(groups[cell].is_high(level, unit)));
                    row
                };
                let rows: Vec<Vec<f32>> = levels.iter().map(|&level| with(level)).collect();
                let law = normalized(&rows.iter().map(|row| log_weight(&model, row)).collect::<Vec<f64>>());
                let counts = rows.iter().map(|row| (0..ROWS).filter(|&k| visible.row(k) == row.as_slice()).count());
                let counts: Vec<usize> = counts.collect();
                assert_eq!(counts.iter().sum::<usize>(), ROWS);
                for (&count, p) in counts.iter().zip(&law) {
                    let error = (p * (1.0 - p) / ROWS as f64).sqrt();
                    assert!((count as f64 / ROWS as f64 - p).abs() < 4.0 * error, "cell {cell}: {counts:?} {law:?}");
                }
            }
        }
    }

    /// Against the definition, and the fast kernel against the plain one: signs and bits, with a category, a scale, known units and single ones.
    #[test]
    fn the_gradient_is_that_of_the_pseudo_likelihood() {
        let sizes = [9, 4];
        for units in [Units::Signs, Units::Bits] {
            let groups = [Group::one_hot(1..4), Group::thermometer(4..7)];
            let model = init::gaussian(&sizes, units, 0.8, 5).unwrap().with_groups(&groups).unwrap().with_backend(Backend::Plain);
            let values: Vec<f32> = [1, 0, 0, 1, 1, 1, 0, 0, 1].map(|bit| units.value(bit == 1)).to_vec();
            let mut batch = Batch::new(Matrix::from_vec(1, 9, values.clone()), Streams::new(1));
            batch.known = Clamp::Known((0..9).map(|unit| unit == 0).collect());
            let cells = cells(&groups, 9)[1..].to_vec();
            assert_eq!((asked(&model, &batch, 0, &values), cells.len()), ((cells.clone(), 1.0), 4));
            let expected = by_definition(&sizes, units, &values, &cells);
            let fast = Pl.estimate(&model, &batch, &|| 0.0).moments.gradient(Backend::Plain, 1.0).flat();
            let mut plain = Moments::new(&model);
            add_by_posteriors(&model, &values, &cells, 1.0, &mut plain);
            let plain = plain.gradient(Backend::Plain, 1.0).flat();
            for (place, ((fast, plain), expected)) in fast.iter().zip(&plain).zip(&expected).enumerate() {
                assert!((fast - plain).abs() < 1e-5 && (fast - expected).abs() < 1e-3, "{place}: {fast} {plain} {expected}");
            }
        }
    }

    /// With all cells but one known, it is the exact gradient of log p(that cell | the others).
    #[test]
    fn of_one_unit_it_is_the_conditional_gradient() {
        let model = init::gaussian(&[4, 3], Units::Signs, 0.8, 5).unwrap();
        let (visible, known) = ([true, false, false, true].map(Some), [true, true, false, true]);
        let exact = exact::gradient_with_gaps(&model, &visible, &known).unwrap();
        let mean = Pl.expected(&model, &visible, &known, 0).unwrap().values;
        assert!(mean.iter().zip(&exact).all(|(a, b)| (a - b).abs() < 1e-5), "{mean:?} {exact:?}");
    }

    #[test]
    fn of_many_cells_some_are_asked_for_in_their_place() {
        let n = 3 * CELLS.1;
        let model = init::gaussian(&[n, 4], Units::Bits, 0.1, 5).unwrap();
        let values: Vec<f32> = (0..n).map(|i| f32::from(u8::from(i % 3 == 0))).collect();
        let mut batch = Batch::new(Matrix::from_vec(1, n, values.clone()), Streams::new(1));
        let drawn = |batch: &Batch| {
            let (mut cells, scale) = asked(&model, batch, 0, &values);
            assert_eq!((cells.len(), scale), (CELLS.1, 3.0));
            cells.sort_by_key(|cell| cell.units.start);
            cells.dedup();
            assert_eq!(cells.len(), CELLS.1);
            cells
        };
        let first = drawn(&batch);
        batch.step = 1;
        assert_ne!(first, drawn(&batch));
    }
}
