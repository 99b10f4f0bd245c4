//! Sums over samples of an estimator at fixed parameters, with the quantities that give their error.

use crate::error::within;
use crate::gradient::{self, Batch, Estimator, Info};
use crate::linalg::Matrix;
use crate::rng::Streams;
use crate::{Backend, Dbm, DbmError, Examples, Settings};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Receives a job's progress: parts done so far, and roughly the multiply-adds since the last call.
pub type ProgressFn<'a> = dyn FnMut(u32, u64) + 'a;

/// The fewest samples in a group.
const GROUP: usize = 100;

/// The fewest persistent chains, and the steps each makes in a group.
const PERSISTENT: (usize, usize) = (5, 100);

/// The most units, in total, of a model whose dense gradients are summed.
const MAX_SAMPLED_UNITS: usize = 400;

/// The most examples: every group has each of them equally often.
const MAX_EXAMPLES: usize = 10_000;

/// The most sweeps of CD-k and PCD-k.
const MAX_K: u32 = 1000;

/// Samples of an estimator, in groups.
///
/// Sample `s` uses example `s mod examples`. Single samples are not independent: the chains of a batch share their first proposals, and
/// persistent chains live on. So samples are drawn in **groups** of consecutive ones, [`GradientSamples::group`] each, with every example equally
/// often. A group's mean is an unbiased sample of the estimator's mean, and the spread of the group means gives the error: with `G` groups
/// of means `m_g` and mean `m`, the variance of `m` is estimated by `(sum m_g^2 / G - m^2) / (G - 1)`. A group is
/// - for estimators without persistent chains, one batch of the smallest multiple of the number of examples from 100 on; groups are
///   independent;
/// - for persistent chains, 100 steps of one batch of the smallest multiple of the number of examples from 5 on. The chains carry over from
///   group to group, so the means of neighbouring groups depend on each other through what a chain remembers over 100 steps.
///
/// A group belongs to the job whose range contains its first sample, and is drawn in full. So the sums of several jobs add up to those of
/// one job, however the samples are divided.
pub struct GradientSamples<'a> {
    model: Dbm,
    settings: &'a Settings,
    estimator: Arc<dyn Estimator>,
    visible: Matrix,
    /// Batches in a group.
    steps: usize,
}

/// Sums over samples.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EstimateSums {
    /// Samples drawn.
    pub samples: u32,
    /// Sum of the estimates, in the order of [`crate::exact::gradient`].
    pub sums: Vec<f64>,
    /// Sum of the squares of the means of the groups.
    pub group_squares: Vec<f64>,
    /// Number of groups.
    pub groups: u32,
    /// How often each meeting time occurred in the positive phase.
    pub meeting_times_positive: BTreeMap<u32, u32>,
    /// The same for the negative phase.
    pub meeting_times: BTreeMap<u32, u32>,
    /// Couplings cut at their cap.
    pub capped: u32,
    /// Draws of Gibbs couplings cut at the cap on tries.
    pub tries_capped: u32,
}

/// Accepts settings whose estimator can be sampled here.
pub(super) fn check_settings(model: &Dbm, data: &Examples, settings: &Settings) -> Result<(), DbmError> {
    settings.check(model.n_visible())?;
    within("k", "1 to 1000 in diagnostics", f64::from(settings.estimator.k), settings.estimator.k <= MAX_K)?;
    within("conditional share", "0 in diagnostics", settings.conditional, settings.conditional == 0.0)?;
    let centering = settings.estimator.centering;
    within("centering rate", "absent in diagnostics", centering.unwrap_or_default(), centering.is_none())?;
    within("the number of examples", "1 to 10000", data.len() as f64, data.len() <= MAX_EXAMPLES)?;
    data.check_width(model.n_visible())
}

impl<'a> GradientSamples<'a> {
    /// Samples of these settings' estimator on these examples, which have no gaps.
    ///
    /// # Errors
    /// Those of [`Settings::check`]; [`DbmError::Setting`] for settings that diagnostics do not support (masks, centering, `k` above 1000,
    /// more than 10 000 examples); [`DbmError::TooManyUnits`] above 400 units; [`DbmError::Shape`] if the examples are not as wide as the
    /// visible layer.
    pub fn new(model: &Dbm, data: &Examples, settings: &'a Settings) -> Result<Self, DbmError> {
        check_settings(model, data, settings)?;
        let units = model.sizes().iter().sum();
        if units > MAX_SAMPLED_UNITS {
            return Err(DbmError::TooManyUnits { units, limit: MAX_SAMPLED_UNITS });
        }
        let (least, steps) = if settings.estimator.kind.descriptor().persistent { PERSISTENT } else { (GROUP, 1) };
        let rows = least.next_multiple_of(data.len());
        let mut visible = Matrix::zeros(rows, model.n_visible());
        for row in 0..rows {
            data.write_row(row % data.len(), model.units(), visible.row_mut(row));
        }
        let model = model.clone().with_backend(Backend::Plain);
        Ok(Self { model, settings, estimator: gradient::estimator(settings), visible, steps })
    }

    /// Samples in a group.
    pub fn group(&self) -> u32 {
        (self.visible.rows() * self.steps) as u32
    }

    /// Draws the groups whose first sample is in this range. `chains` are the persistent chains as the previous job left them, one byte per
    /// unit, chain by chain and layer by layer; empty for a job that begins at sample 0, and for estimators that have none. Returns their
    /// new states.
    ///
    /// # Errors
    /// [`DbmError::Shape`] if `chains` are not those of the previous job.
    pub fn draw(&self, range: Range<u32>, chains: &[u8], progress: &mut ProgressFn) -> Result<(EstimateSums, Vec<u8>), DbmError> {
        let group = self.group();
        let groups = range.start.div_ceil(group)..range.end.div_ceil(group);
        let mut persistent = self.unpack(chains, groups.start)?;
        let parameters = self.model.n_parameters();
        let mut sums =
            EstimateSums { sums: vec![0.0; parameters], group_squares: vec![0.0; parameters], ..EstimateSums::default() };
        for index in groups {
            let mut of_group = vec![0.0; parameters];
            for step in 0..self.steps {
                let batch = Batch {
                    persistent: persistent.take(),
                    step: u64::from(index) * self.steps as u64 + step as u64,
                    ..Batch::new(self.visible.clone(), Streams::new(self.settings.seed))
                };
                let estimate = self.estimator.estimate(&self.model, &batch, &|| 0.0);
                let gradient = estimate.moments.gradient(Backend::Plain, 1.0);
                of_group.iter_mut().zip(gradient.flat()).for_each(|(sum, x)| *sum += x);
                let work = estimate.info.positive.work.products + estimate.info.negative.work.products;
                sums.note(&estimate.info);
                persistent = estimate.persistent;
                progress(sums.samples, self.work(work, &estimate.info));
            }
            for ((sum, squares), value) in sums.sums.iter_mut().zip(&mut sums.group_squares).zip(of_group) {
                let mean = value / f64::from(group);
                *sum += value;
                *squares += mean * mean;
            }
            sums.samples += group;
            sums.groups += 1;
        }
        let left = match persistent {
            Some(layers) => {
                let rows = (0..self.visible.rows()).flat_map(|row| layers.iter().flat_map(move |layer| layer.row(row)));
                self.model.units().bytes(rows)
            }
            None => chains.to_vec(),
        };
        Ok((sums, left))
    }

    /// Multiply-adds of one estimate, roughly: for its fields, its moments and its couplings.
    fn work(&self, fields: u64, info: &Info) -> u64 {
        let times = info.positive.meeting_times.iter().chain(&info.negative.meeting_times).map(|&time| u64::from(time) + 1);
        let sweeps = u64::from(self.settings.estimator.k) * self.visible.rows() as u64;
        fields + (times.sum::<u64>() + sweeps) * 4 * self.model.n_parameters() as u64
    }

    /// The persistent chains that a job begins with.
    fn unpack(&self, chains: &[u8], first_group: u32) -> Result<Option<Vec<Matrix>>, DbmError> {
        let sizes = self.model.sizes();
        let (rows, units) = (self.visible.rows(), sizes.iter().sum::<usize>());
        let persists = self.settings.estimator.kind.descriptor().persistent && first_group > 0;
        // Without a ladder, independent units are the only rung below the model.
        let rungs = 1 + usize::from(self.settings.estimator.kind.descriptor().has_ladder);
        let units = rungs * units;
        let expected = if persists { rows * units } else { 0 };
        DbmError::check_shape("the states of persistent chains, as the job before left them,", expected, chains.len())?;
        if !persists {
            return Ok(None);
        }
        if let Some(&got) = chains.iter().find(|&&bit| bit > 1) {
            return Err(DbmError::Setting { name: "a unit of a persistent chain", expected: "0 or 1", got: got.to_string() });
        }
        let mut layers: Vec<Matrix> = sizes.iter().cycle().take(rungs * sizes.len()).map(|&n| Matrix::zeros(rows, n)).collect();
        for (row, chain) in chains.chunks_exact(units).enumerate() {
            let mut bits = chain.iter();
            for layer in &mut layers {
                for (value, &bit) in layer.row_mut(row).iter_mut().zip(&mut bits) {
                    *value = self.model.units().value(bit == 1);
                }
            }
        }
        Ok(Some(layers))
    }
}

impl EstimateSums {
    /// Adds the sums of other groups.
    pub fn add(&mut self, other: &Self) {
        for (into, from) in [(&mut self.sums, &other.sums), (&mut self.group_squares, &other.group_squares)] {
            into.resize(from.len().max(into.len()), 0.0);
            into.iter_mut().zip(from).for_each(|(a, b)| *a += b);
        }
        for (into, from) in
            [(&mut self.meeting_times, &other.meeting_times), (&mut self.meeting_times_positive, &other.meeting_times_positive)]
        {
            from.iter().for_each(|(&time, &count)| *into.entry(time).or_default() += count);
        }
        self.samples += other.samples;
        self.groups += other.groups;
        self.capped += other.capped;
        self.tries_capped += other.tries_capped;
    }

    /// The mean, and its standard error, parameter by parameter; the errors are infinite for fewer than two groups.
    pub fn mean_and_error(&self) -> Vec<(f64, f64)> {
        let (n, groups) = (f64::from(self.samples), f64::from(self.groups));
        let of = |(sum, squares): (&f64, &f64)| {
            let mean = sum / n;
            let variance = (squares / groups - mean * mean).max(0.0) / (groups - 1.0);
            (mean, if self.groups < 2 { f64::INFINITY } else { variance.sqrt() })
        };
        self.sums.iter().zip(&self.group_squares).map(of).collect()
    }

    fn note(&mut self, info: &Info) {
        for (counts, phase) in [(&mut self.meeting_times_positive, &info.positive), (&mut self.meeting_times, &info.negative)] {
            phase.meeting_times.iter().for_each(|&time| *counts.entry(time).or_default() += 1);
            self.capped += phase.couplings_capped;
            self.tries_capped += phase.tries_capped;
        }
    }
}
