//! Quality of the positive phases of training: how far their moments `E[s_l s_{l+1}^T]`, averaged over examples, are from those of a long
//! run.

use crate::Workbench;
use dbm_core::chains::Chains;
use dbm_core::gradient::{Moments, Phase};
use dbm_core::linalg::Matrix;
use dbm_core::mean_field::{self, MeanFieldSettings};
use dbm_core::rng::{Purpose, Stream, Streams};
use dbm_core::sweep::{LocalMode, gibbs, half_gibbs, uniform_start};
use dbm_core::{Clamp, Dbm, Parity, Settings};
use dbm_data::Dataset;
use serde::Serialize;

/// Maximum number of examples, from the first.
const EXAMPLES: usize = 100;

/// Examples per task.
const EXAMPLES_PER_TASK: usize = 16;

/// Chains per example, in each of the two independent averages of a sampling method.
const CHAINS: usize = 16;

/// Sweeps of a long run before it counts, and sweeps that count.
const BURN_IN: u32 = 200;
const COUNTED: u32 = 800;

/// The positive phases of training.
#[derive(Clone, Debug, Serialize)]
pub struct PositivePhases {
    /// Number of examples, each clamped in turn.
    pub examples: usize,
    /// The methods, with the second long run last.
    pub phases: Vec<PositivePhase>,
}

/// One method of estimating `E[s_l s_{l+1}^T | v]`.
#[derive(Clone, Debug, Serialize)]
pub struct PositivePhase {
    /// Its description.
    pub name: String,
    /// For each weight matrix `W_l`, how far its moments, averaged over the examples, are from those of a long run (the root of the sum
    /// over the weights of the squared difference), relative to the distance of uniform hidden states. 0 is exact, 1 as wrong as hidden
    /// states that know nothing of the example. `None` if uniform hidden states are no further away than noise.
    pub errors: Vec<Option<f64>>,
}

/// Moments averaged over the examples: for each weight matrix, `[n_l, n_{l+1}]` row by row.
type Averages = Vec<Vec<f32>>;

/// How the hidden states for an example are found.
#[derive(Clone, Copy, Debug)]
enum StateMethod {
    /// Fair coins, by their means.
    Uniform,
    /// As `pcd` does.
    MeanField,
    /// As `lmi` does.
    Mode,
    /// As `cd-K` and `pcd-gibbs-K` do.
    Sweeps(u32),
    LongRun,
}

/// Methods whose errors are reported; the order determines the streams they draw from.
const REPORTED: [StateMethod; 5] =
    [StateMethod::MeanField, StateMethod::Mode, StateMethod::Sweeps(1), StateMethod::Sweeps(5), StateMethod::Sweeps(20)];

impl PositivePhases {
    /// For a model whose hidden layers are all free, over the first `count` examples.
    ///
    /// Each method has two independent averages `A` and `B`, and so does the long run, `L` and `M`. The squared distance is
    /// `sum (A - L)(B - M)` over the weights of a matrix: its mean is the squared bias, because the noise of one factor is independent of
    /// that of the other. The second long run, which is not compared with a third and a fourth one, has the plain `sum (L - M)^2`, which is
    /// noise.
    pub fn of(model: &Dbm, data: &Dataset, (count, seed): (usize, u64), session: &Workbench) -> Self {
        let examples = count.min(EXAMPLES);
        let average = |way: StateMethod, step: usize| way.moments(model, data, (examples, seed, step as u64), session);
        let long = [average(StateMethod::LongRun, 0), average(StateMethod::LongRun, 1)];
        let uniform = average(StateMethod::Uniform, 0);
        let squares = |a: &Averages, b: &Averages| (0..model.depth()).map(|l| bias(l, [a, b], &long)).collect::<Vec<f64>>();
        let (scales, noise) = (squares(&uniform, &uniform), apart(&long));
        let relative = |squares: &[f64]| {
            let share = |((square, &scale), &noise): ((&f64, &f64), &f64)| {
                (scale > noise).then(|| (square.max(0.0) / scale).sqrt()) // a negative square is noise about zero
            };
            squares.iter().zip(&scales).zip(&noise).map(share).collect()
        };
        let mut phases = Vec::new();
        for (place, way) in REPORTED.into_iter().enumerate() {
            let a = average(way, 2 + 2 * place);
            let again = way.draws().then(|| average(way, 3 + 2 * place));
            let b = again.as_ref().unwrap_or(&a);
            phases.push(PositivePhase { name: way.name(), errors: relative(&squares(&a, b)) });
        }
        phases.push(PositivePhase { name: "second long run".into(), errors: relative(&noise) });
        Self { examples, phases }
    }
}

/// The sum over the weights of `W_l` of the squared bias, from two independent averages and two independent long runs.
fn bias(l: usize, [a, b]: [&Averages; 2], [long, other]: &[Averages; 2]) -> f64 {
    let first = a[l].iter().zip(&long[l]).map(|(a, long)| f64::from(a - long));
    first.zip(b[l].iter().zip(&other[l])).map(|(first, (b, other))| first * f64::from(b - other)).sum()
}

/// The sum over the weights of each matrix of the squared difference of two runs.
fn apart([long, other]: &[Averages; 2]) -> Vec<f64> {
    let square = |(a, b): (&f32, &f32)| f64::from(a - b) * f64::from(a - b);
    long.iter().zip(other).map(|(long, other)| long.iter().zip(other).map(square).sum()).collect()
}

impl StateMethod {
    fn name(self) -> String {
        match self {
            Self::Uniform => "uniform hidden states".into(),
            Self::MeanField => "mean field".into(),
            Self::Mode => "mode, 1 Gibbs sweep".into(),
            Self::Sweeps(1) => "1 Gibbs sweep".into(),
            Self::Sweeps(k) => format!("{k} Gibbs sweeps"),
            Self::LongRun => "long run".into(),
        }
    }

    /// Whether two averages differ.
    fn draws(self) -> bool {
        !matches!(self, Self::Uniform | Self::MeanField)
    }

    fn chains_an_example(self) -> usize {
        if matches!(self, Self::Mode | Self::Sweeps(_)) { CHAINS } else { 1 }
    }

    /// The average of the moments over the first `count` examples; each step has its own streams.
    fn moments(self, model: &Dbm, data: &Dataset, (count, seed, step): (usize, u64, u64), session: &Workbench) -> Averages {
        let parts = session.in_parts(&format!("examples, {}", self.name()), 0..count, EXAMPLES_PER_TASK, |rows| {
            let chains = self.chains_an_example();
            let numbers = rows.start as u64 * chains as u64..rows.end as u64 * chains as u64;
            let mut visible = Matrix::zeros(rows.len() * chains, model.n_visible());
            let of_chains = (0..visible.rows()).map(|c| (c, rows.start + c / chains));
            of_chains.for_each(|(c, row)| data.examples.write_row(row, model.units(), visible.row_mut(c)));
            let mut moments = Moments::new(model);
            let states = self.add(model, visible, Streams::new(seed).of_chains(Purpose::Positive, step, numbers), &mut moments);
            moments.gradient(model.backend(), rows.len() as f32 / (count * states) as f32).weights
        });
        let mut sum: Averages = model.weights().iter().map(|weight| vec![0.0; weight.data().len()]).collect();
        for part in parts {
            sum.iter_mut().flatten().zip(part.iter().flatten()).for_each(|(sum, part)| *sum += part);
        }
        sum
    }

    /// Adds the moments of these chains, with half of each state replaced by its conditional means, as training does by default; returns
    /// the number of states they represent.
    fn add(self, model: &Dbm, visible: Matrix, mut streams: Vec<Stream>, moments: &mut Moments) -> usize {
        let (settings, count) = (Settings::default(), visible.rows());
        let mean_field_sweeps = match self {
            Self::Uniform => Some(0), // the initial point of the iteration: every hidden unit at its midpoint
            Self::MeanField => Some(settings.estimator.mean_field_sweeps),
            _ => None,
        };
        if let Some(max_sweeps) = mean_field_sweeps {
            let until = MeanFieldSettings { max_sweeps, tolerance: settings.estimator.mean_field_tolerance };
            let posterior = mean_field::posterior(model, &visible, &Clamp::Visible, until);
            for row in 0..count {
                moments.push(Phase::Positive, 1.0, &posterior.means.iter().map(|layer| layer.row(row)).collect::<Vec<_>>());
            }
            return count;
        }
        let mut chains = Chains::new(model, visible, Clamp::Visible);
        let first = uniform_start(model, &mut chains, &mut streams);
        let counted = if let Self::LongRun = self { COUNTED } else { 1 };
        match self {
            Self::Mode => {
                let start = LocalMode { max_sweeps: settings.max_sweeps, gibbs_sweeps: 1 };
                start.apply(model, &mut chains, &first, &mut streams, |_, _| ());
            }
            Self::Sweeps(k) => {
                for parity in [Parity::Odd, Parity::Even].into_iter().cycle().take(2 * k as usize) {
                    half_gibbs(model, &mut chains, parity, &mut streams);
                }
            }
            _ => (0..=BURN_IN).for_each(|_| gibbs(model, &mut chains, &first, &mut streams)),
        }
        for state in 0..counted {
            if state > 0 {
                gibbs(model, &mut chains, &first, &mut streams);
            }
            add_states(model, &mut chains, moments);
        }
        count * counted as usize
    }
}

/// Adds the present state of every chain.
fn add_states(model: &Dbm, chains: &mut Chains, moments: &mut Moments) {
    let all = chains.all();
    [Parity::Even, Parity::Odd].into_iter().for_each(|parity| chains.refresh(model, parity, &all));
    let mut means: Vec<Vec<f32>> = model.sizes().iter().map(|&size| vec![0.0; size]).collect();
    for c in 0..chains.count() {
        means.iter_mut().enumerate().for_each(|(l, means)| chains.means(model, l, c, means));
        moments.push_marginal(Phase::Positive, 1.0, &chains.state(c), &means, true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbm_core::gradient::expectation;
    use dbm_core::{Examples, Units, exact, init};

    /// The average over the visible vectors of the values for each weight matrix, in the order of [`exact::gradient`].
    fn average(model: &Dbm, visible: &[Vec<Option<bool>>], of: impl Fn(&[Option<bool>]) -> Vec<f64>) -> Averages {
        let mut sum = vec![0.0; model.n_parameters()];
        for visible in visible {
            sum.iter_mut().zip(of(visible)).for_each(|(sum, value)| *sum += value);
        }
        let mut rest = sum.iter().map(|value| (value / visible.len() as f64) as f32);
        model.weights().iter().map(|weight| rest.by_ref().take(weight.data().len()).collect()).collect()
    }

    #[test]
    fn long_runs_are_right_and_the_errors_those_of_the_exact_expectations() {
        for units in [Units::Signs, Units::Bits] {
            let model = init::gaussian(&[4, 3, 3, 2], units, 1.2, 3).unwrap();
            let bits: Vec<u8> = (0..100_u8).flat_map(|row| (0..4).map(move |i| (row >> i) & 1)).collect();
            let visible: Vec<Vec<Option<bool>>> =
                bits.chunks(4).map(|row| row.iter().map(|&bit| Some(bit == 1)).collect()).collect();
            let examples = Examples::from_bits(4, &bits).unwrap();
            let data = Dataset { name: "all".into(), examples, image: None, labels: None, visible: None };
            let session = Workbench::silent(2).unwrap();

            let truth = average(&model, &visible, |visible| exact::expectation(&model, visible).unwrap().flat());
            let long = StateMethod::LongRun.moments(&model, &data, (100, 7, 0), &session);
            let worst = |a: &[Vec<f32>], b: &[Vec<f32>]| {
                a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
            };
            assert!(worst(&long, &truth) < 0.02, "{}", worst(&long, &truth));

            let uniform = StateMethod::Uniform.moments(&model, &data, (100, 7, 0), &session);
            assert!(worst(&uniform, &truth) > 0.2);
            let found = PositivePhases::of(&model, &data, (100, 7), &session);
            for (phase, name) in found.phases.iter().zip(["pcd-1", "lmi", "pcd-gibbs-1", "pcd-gibbs-5", "pcd-gibbs-20"]) {
                let estimator = expectation(&Settings { estimator: name.parse().unwrap(), ..Settings::default() });
                let expected = average(&model, &visible, |visible| estimator.expected_positive(&model, visible).unwrap().values);
                for (l, error) in phase.errors.iter().enumerate() {
                    let square = |moments: &Averages| bias(l, [moments, moments], &[truth.clone(), truth.clone()]);
                    let exact = (square(&expected) / square(&uniform)).sqrt();
                    assert!((exact - error.unwrap()).abs() < 0.03, "{units:?} {name} W_{l}: {error:?}, exactly {exact}");
                }
            }
            let last = found.phases.last().unwrap();
            assert!(last.errors.iter().all(|error| error.unwrap() < 0.03), "{last:?}");
        }
    }
}
