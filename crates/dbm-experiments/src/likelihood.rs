//! The likelihood of data under a model: mean-field bounds, a conservative estimate by annealing, and exact values if the model is small
//! enough.

use crate::log_z::{LogZ, feasible, mean_raise};
use crate::{Error, Workbench};
use dbm_core::chains::FieldCost;
use dbm_core::linalg::Matrix;
use dbm_core::math::mean_and_error;
use dbm_core::mean_field::{self, MeanFieldSettings};
use dbm_core::rng::{Purpose, Streams};
use dbm_core::tempering::{Base, Path, Spread, Temperatures, runs};
use dbm_core::{Clamp, Dbm, DbmError, Host, Units, classes, exact, signals};
use dbm_data::Dataset;
use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::Range;

/// Examples per task: a fixed number, so that the sums do not depend on the threads.
const EXAMPLES: usize = 50;

/// A mean-field posterior that takes longer is stopped and counted.
pub const MAX_SWEEPS: u32 = 1000;

/// A posterior has converged if no mean moves by more than this share of the gap between the unit's values.
const MEAN_FIELD: MeanFieldSettings = MeanFieldSettings { max_sweeps: MAX_SWEEPS, tolerance: 1e-5 };

/// Number of temperatures from the mean field of an example to its posterior.
const POSTERIOR_STEPS: u32 = 20;

/// Exact likelihoods are omitted if they would take more hidden states than this in all.
const MAX_STATES: u128 = 1 << 32;

/// For each of the first `count` examples, the lower bound on log p(v) + log Z from its mean-field posterior.
pub(crate) fn bounds(model: &Dbm, data: &Dataset, count: usize, session: &Workbench) -> Vec<f64> {
    let of = |rows: Range<usize>| {
        let posterior = mean_field::posterior_of(model, &data.examples, &rows.collect::<Vec<_>>(), MEAN_FIELD);
        (0..posterior.count()).map(|row| posterior.bound(model, row)).collect::<Vec<f64>>()
    };
    session.in_parts("examples", 0..count, EXAMPLES, of).concat()
}

/// Particles per example, unless others are requested.
pub const PARTICLES: usize = 32;

/// log p(v) + log Z of each example: exact with one hidden layer, otherwise from particles, on the low side.
pub(crate) fn unnormalized(model: &Dbm, data: &Dataset, seed: u64, session: &Workbench) -> Vec<f64> {
    let count = data.examples.len();
    match model.depth() {
        1 => bounds(model, data, count, session),
        _ => session.in_parts("examples", 0..count, EXAMPLES, |rows| sums(model, data, rows, PARTICLES, seed)).concat(),
    }
}

/// Means over examples, in nats per example.
#[derive(Clone, Debug, Serialize)]
pub struct Likelihood {
    /// Number of examples.
    pub count: usize,
    /// Lower bound on the mean of log p(v), provided that log Z is right.
    pub log_p_bound: f64,
    /// Its standard error from that of log Z.
    pub log_p_bound_error_from_log_z: f64,
    /// Its standard error over the examples.
    pub log_p_bound_error_over_examples: f64,
    /// The same with the high side of log Z: lower, and a lower bound even if log Z is slightly too low, provided that this side is a
    /// bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_p_bound_reverse: Option<f64>,
    /// The same with Bennett's estimate of log Z.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_p_bound_bennett: Option<f64>,
    /// Conservative estimate of the mean of log p(v) by reverse annealing (RAISE), if it started from these examples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_p_raise: Option<f64>,
    /// Its standard error over the chains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_p_raise_error: Option<f64>,
    /// Mean of log p(v) from particles that are taken to the posterior of each example; on the low side provided that log Z is right, since
    /// each Z(v) is estimated without bias. Absent with one hidden layer, where the bound above is exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_p_particles: Option<f64>,
    /// The same with the high side of log Z.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_p_particles_reverse: Option<f64>,
    /// Share of the examples whose class the model misreads, if both have labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classification_error: Option<f64>,
    /// The same for mean-field predictions, as in multi-prediction training.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prediction_error: Option<f64>,
    /// The exact mean, if it is feasible.
    pub exact_log_p: Option<f64>,
    /// Mean of the pseudo-log-likelihood.
    pub pseudo_log_likelihood: f64,
    /// Its standard error over the examples.
    pub pseudo_log_likelihood_error: f64,
    /// Mean squared error of a reconstructed bit.
    pub reconstruction_error: f64,
    /// Missing bits in these examples: everything above concerns the others.
    pub missing_bits: usize,
    /// Mean number of sweeps of a mean-field posterior.
    pub mean_field_sweeps: f64,
    /// Mean-field posteriors cut off at [`MAX_SWEEPS`].
    pub mean_field_capped: u32,
}

impl Likelihood {
    /// For the first `count` examples, with this many particles each, under a model whose top layer stands for this many classes; `seed`
    /// chooses the units of the pseudo-likelihood.
    ///
    /// # Errors
    /// Those of exact enumeration, except for models too large for it.
    pub fn of(
        model: &Dbm,
        (data, count): (&Dataset, usize),
        log_z: &LogZ,
        (particles, classes, seed): (usize, usize, u64),
        session: &Workbench,
    ) -> Result<Self, Error> {
        let parts = session.in_parts("examples", 0..count, EXAMPLES, |rows| part(model, data, rows, (particles, seed)));
        let over_all =
            |of: fn(&ExampleScores) -> &[f64]| mean_and_error(&parts.iter().flat_map(of).copied().collect::<Vec<f64>>());
        let exact = match log_z.exact {
            Some(log_z) => exact_mean(model, data, count, session)?.map(|mean| mean - log_z),
            None => None,
        };
        let (mean, error) = over_all(|part| &part.bounds);
        let particles = parts.iter().all(|part| !part.sums.is_empty()).then(|| over_all(|part| &part.sums).0);
        let reverse = log_z.reverse.as_ref();
        let bounds: Vec<f64> = parts.iter().flat_map(|part| &part.bounds).copied().collect();
        let raise = reverse.and_then(|reverse| mean_raise(&reverse.raise, &bounds));
        let (pseudo, pseudo_error) = over_all(|part| &part.pseudo);
        Ok(Self {
            count,
            log_p_bound: mean - log_z.estimate.log_z,
            log_p_bound_error_from_log_z: log_z.estimate.standard_error,
            log_p_bound_error_over_examples: error,
            log_p_bound_reverse: reverse.map(|reverse| mean - reverse.bracket.high.log_z),
            log_p_bound_bennett: reverse.map(|reverse| mean - reverse.bracket.bennett.log_ratio),
            log_p_raise: raise.map(|(mean, _)| mean),
            log_p_raise_error: raise.map(|(_, error)| error),
            log_p_particles: particles.map(|sum| sum - log_z.estimate.log_z),
            log_p_particles_reverse: particles.zip(reverse).map(|(sum, reverse)| sum - reverse.bracket.high.log_z),
            classification_error: classification_error((data, count), classes, (model.units(), session), |visible| {
                classes::probabilities(model, visible)
            }),
            prediction_error: classification_error((data, count), classes, (model.units(), session), |visible| {
                classes::predictions(model, visible, &Clamp::Visible)
            }),
            exact_log_p: exact,
            pseudo_log_likelihood: pseudo,
            pseudo_log_likelihood_error: pseudo_error,
            reconstruction_error: over_all(|part| &part.reconstruction).0,
            missing_bits: (0..count).map(|row| data.examples.width() - data.examples.known_in_row(row)).sum(),
            mean_field_sweeps: parts.iter().map(|part| part.sweeps).sum::<u64>() as f64 / count as f64,
            mean_field_capped: parts.iter().map(|part| part.capped).sum(),
        })
    }
}

/// For some examples, one after another.
struct ExampleScores {
    bounds: Vec<f64>,
    /// log Z(v) from particles, if requested.
    sums: Vec<f64>,
    pseudo: Vec<f64>,
    reconstruction: Vec<f64>,
    sweeps: u64,
    capped: u32,
}

fn part(model: &Dbm, data: &Dataset, rows: Range<usize>, (particles, seed): (usize, u64)) -> ExampleScores {
    let these: Vec<usize> = rows.clone().collect();
    let posterior = mean_field::posterior_of(model, &data.examples, &these, MEAN_FIELD);
    let reconstruction = signals::reconstruction_errors(model, &posterior).into_iter().zip(these);
    let sums = if particles > 0 && model.depth() > 1 { sums(model, data, rows.clone(), particles, seed) } else { vec![] };
    ExampleScores {
        sums,
        bounds: (0..posterior.count()).map(|row| posterior.bound(model, row)).collect(),
        pseudo: signals::pseudo_log_likelihoods(model, &posterior, Streams::new(seed), 0, rows.start as u64),
        // An example of which nothing is known has nothing to reconstruct.
        reconstruction: reconstruction.filter(|&(_, row)| data.examples.known_in_row(row) > 0).map(|(error, _)| error).collect(),
        sweeps: posterior.sweeps.iter().map(|&sweeps| u64::from(sweeps)).sum(),
        capped: posterior.capped,
    }
}

/// Share of the first `count` examples whose class is not the likeliest; `None` if there are no classes.
fn classification_error(
    (data, count): (&Dataset, usize),
    classes: usize,
    (units, session): (Units, &Workbench),
    read: impl Fn(&Matrix) -> Vec<Vec<f64>> + Sync,
) -> Option<f64> {
    let labels = data.labels.as_ref().filter(|_| classes > 0)?;
    let wrong = session.in_parts("examples", 0..count, EXAMPLES, |rows| {
        let mut visible = Matrix::zeros(rows.len(), data.examples.width());
        rows.clone().enumerate().for_each(|(place, row)| data.examples.write_row(row, units, visible.row_mut(place)));
        read(&visible).iter().zip(rows).filter(|(p, row)| classes::likeliest(p) != usize::from(labels[*row])).count()
    });
    Some(wrong.into_iter().sum::<usize>() as f64 / count as f64)
}

/// log Z(v) of these examples, each from this many particles.
fn sums(model: &Dbm, data: &Dataset, rows: Range<usize>, particles: usize, seed: u64) -> Vec<f64> {
    let mut visible = Matrix::zeros(rows.len(), model.n_visible());
    rows.clone().enumerate().for_each(|(place, row)| data.examples.write_row(row, model.units(), visible.row_mut(place)));
    let clamp = data.examples.clamp(&rows.clone().collect::<Vec<_>>());
    let path = Path::of_temperatures(Base::of_mean_field(model, &visible, &clamp), model, &Temperatures::equal(POSTERIOR_STEPS));
    let mut streams = Streams::new(seed).of_chains(Purpose::Annealing, 1, rows.start as u64..rows.end as u64);
    let (mut spread, mut work) = (Spread::default(), FieldCost::default());
    let runs = runs(&path, &visible, &clamp, particles, &mut streams, (&mut spread, &mut work));
    runs.iter().map(|run| run.log_z).collect()
}

/// The exact mean of log p(v) + log Z, if it is feasible, with missing units summed out; each distinct example is enumerated once.
fn exact_mean(model: &Dbm, data: &Dataset, count: usize, session: &Workbench) -> Result<Option<f64>, Error> {
    let mut times: BTreeMap<Vec<Option<bool>>, u32> = BTreeMap::new();
    let example =
        |row| (0..model.n_visible()).map(|i| data.examples.is_known(row, i).then(|| data.examples.bit(row, i))).collect();
    (0..count).for_each(|row| *times.entry(example(row)).or_default() += 1);
    // With the visible layer clamped, one parity of the hidden layers is summed out given the other; a missing unit is treated like a
    // hidden one.
    let hidden = |first: usize| model.sizes().iter().skip(first).step_by(2).sum::<usize>();
    let missing = |clamped: &Vec<Option<bool>>| clamped.iter().filter(|bit| bit.is_none()).count();
    let states = |clamped| 1_u128.checked_shl(hidden(1).min(hidden(2) + missing(clamped)) as u32).unwrap_or(u128::MAX);
    if times.keys().map(states).fold(0, u128::saturating_add) > MAX_STATES {
        return Ok(None);
    }
    let sums = session
        .map(times.into_iter().collect(), |(clamped, times)| Ok(f64::from(times) * exact::expectation(model, &clamped)?.log_sum));
    let sum = sums.into_iter().sum::<Result<f64, DbmError>>();
    Ok(feasible(sum)?.map(|sum| sum / count as f64))
}
