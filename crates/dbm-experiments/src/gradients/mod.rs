//! Estimators of the gradient at fixed parameters: how long their couplings take, how noisy they are for their cost, and whether their mean
//! points in the same direction as that of a very long run.

mod blocks;

use crate::columns::table;
use crate::samples::CHAINS;
use crate::{Error, Report, Workbench, template};
pub use blocks::Comparison;
use blocks::{Blocks, flat};
use clap::Args;
use clap::builder::RangedU64ValueParser;
use dbm_core::complete::{ChainStart, Completer};
use dbm_core::gradient::{EstimatorSettings, Moments, Phase, PhaseInfo, SmcPath};
use dbm_core::linalg::Matrix;
use dbm_core::mean_field::{MeanFieldSettings, posterior};
use dbm_core::words::Choose;
use dbm_core::{Clamp, Dbm, Examples, Host, Settings, Trainer};
use dbm_data::Checkpoint;
use dbm_engine::MAX_SWEEPS;
use minijinja::context;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Examples per shard of a minibatch, and so chains per estimate.
const SHARD: usize = 32;
/// Exact after its first half-sweep, with one hidden layer.
const EXACT: MeanFieldSettings = MeanFieldSettings { max_sweeps: 1, tolerance: 0.0 };

/// What to measure.
#[derive(Args, Clone, Debug)]
pub struct Plan {
    /// Settings for the runs of each estimator; batch and optimizer do not matter.
    #[arg(skip)]
    pub settings: Settings,
    /// Which estimators, as in `dbm train --estimator`
    #[arg(long, value_delimiter = ',', value_name = "NAME,NAME", default_value = "ucd-lmi,cd-1,pcd-gibbs-5,ucd-smc")]
    pub estimators: Vec<EstimatorSettings>,
    /// Estimates of each
    #[arg(long, default_value_t = 50, value_name = "N", value_parser = Count::new().range(3..=10_000))]
    pub repeats: usize,
    /// Steps of persistent chains, from where the run left them or from noise, before they count
    #[arg(long, default_value_t = 200, value_name = "STEPS", value_parser = clap::value_parser!(u64).range(0..=1_000_000))]
    pub burn_in: u64,
    /// Chains of the long run, half from data and half from noise
    #[arg(long, default_value_t = 640, value_name = "N", value_parser = Count::new().range(160..=1_000_000))]
    pub reference_chains: usize,
    /// Sweeps of the long run before it counts, and as many that count
    #[arg(long, default_value_t = 1000, value_name = "SWEEPS", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub reference_sweeps: u32,
}

/// Reads a whole number.
type Count = RangedU64ValueParser<usize>;

/// All measurements of a model.
#[derive(Clone, Debug, Serialize)]
pub struct Gradients {
    /// Number of examples over which the positive phase, the same for all, is the exact mean.
    pub examples: usize,
    /// The long run's chains from data compared with those from noise: whether it was long enough.
    pub reference: Comparison,
    /// `|E g|` from the long run, the size of the gradient; `None` if it cannot be distinguished from zero.
    pub gradient_norm: Option<f64>,
    /// The estimators.
    pub rows: Vec<Row>,
}

/// One estimator's negative phase.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Its name in `--estimators`.
    pub name: String,
    /// Number of estimates, with 32 chains each.
    pub repeats: usize,
    /// How many couplings met after each number of steps.
    pub meeting_times: BTreeMap<u32, u32>,
    /// The longest of them, if there is one.
    pub longest: Option<u32>,
    /// Number of couplings cut off at the cap.
    pub capped: u32,
    /// Share of couplings that met after more than one step.
    pub above_one: Option<f64>,
    /// Share of proposals that were accepted.
    pub accepted: Option<f64>,
    /// Mean seconds per estimate of the negative phase, on one thread.
    pub seconds: f64,
    /// Variance of one estimate, summed over all parameters.
    pub variance: f64,
    /// `variance * seconds`: the variance of the mean of one second of estimates.
    pub variance_times_seconds: f64,
    /// The mean of the gradient compared with that of the long run.
    pub comparison: Comparison,
}

impl Report for Gradients {
    fn json(&self) -> Value {
        json!({ "gradients": self })
    }

    /// One line per estimator, and the meeting times of those that couple.
    fn text(&self) -> String {
        template::text("gradients.txt", include_str!("gradients.txt"), &context! { gradients => self })
    }

    /// One row per estimator; meeting times as `tau:count`.
    fn csv(&self) -> Result<String, Error> {
        let rows = self.rows.iter().map(|row| {
            let times: Vec<String> = row.meeting_times.iter().map(|(tau, count)| format!("{tau}:{count}")).collect();
            let mut cells = json!(row);
            cells["meeting_times"] = times.join(" ").into();
            cells
        });
        let columns = "estimator=name,estimates=repeats,above_one,longest,accepted,cut=capped,seconds,variance,variance_times_seconds,\
             angle=comparison/angle,angle_at_most=comparison/angle_at_most,difference=comparison/difference,\
             difference_at_most=comparison/difference_at_most,meeting_times";
        Ok(table(columns, rows))
    }
}

impl Plan {
    /// Measures a checkpoint's model at its last weights, to which its chains and its ladder belong; the positive phase is taken over the
    /// first `count` examples. All results except the seconds depend only on the plan, the model and the data.
    ///
    /// # Errors
    /// A model with more than one hidden layer, or without the ladder that an estimator needs; invalid settings.
    pub fn measure(
        &self,
        checkpoint: &Checkpoint,
        examples: &Examples,
        count: usize,
        session: &Workbench,
    ) -> Result<Gradients, Error> {
        let model = checkpoint.last_model()?;
        if model.depth() != 1 {
            let advice = "train one by `dbm train --hidden 500`";
            return Err(Error::Input(format!(
                "gradients are compared on a model with one hidden layer, whose positive phase is exact, but this one has {}; {advice}",
                model.depth()
            )));
        }
        examples.check_width(model.n_visible())?;
        for estimator in &self.estimators {
            self.check(estimator, checkpoint)?;
        }
        let positive = positive(&model, examples, count, session);
        let (from_data, from_noise) = self.reference(&model, examples, session);
        let reference = Comparison::of(&positive, &from_noise, &from_data);
        let both = from_data.and(&from_noise);
        let rows = self.estimators.iter().map(|estimator| self.row(estimator, checkpoint, examples, (&positive, &both), session));
        let rows = rows.collect::<Result<_, Error>>()?;
        Ok(Gradients { examples: count, reference, gradient_norm: both.norm_from(&positive), rows })
    }

    /// Refuses estimators that need a ladder if there is none, before hours of work.
    fn check(&self, estimator: &EstimatorSettings, checkpoint: &Checkpoint) -> Result<(), Error> {
        let descriptor = estimator.kind.descriptor();
        let climbs = descriptor.has_ladder && (descriptor.persistent || self.settings.estimator.path == SmcPath::Past);
        if climbs && checkpoint.ladder.is_none() {
            let advice = "leave it out, take the path of temperatures, or give a model that `dbm train --estimator ptt-5` made";
            return Err(Error::Input(format!("{estimator} needs a ladder, but there is none in the model's file; {advice}")));
        }
        Ok(())
    }

    /// Chains from data and from noise, each as a vector: its mean moments over the counted sweeps.
    fn reference(&self, model: &Dbm, examples: &Examples, session: &Workbench) -> (Blocks, Blocks) {
        let from = |start: ChainStart| {
            let unit = format!("chains of the long run from {}", start.choice().label);
            let parts = session.in_parts(&unit, 0..self.reference_chains.div_ceil(2), CHAINS, |part| {
                let mut rows = Matrix::zeros(part.len(), model.n_visible());
                for (row, chain) in part.clone().enumerate() {
                    examples.write_row(chain % examples.len(), model.units(), rows.row_mut(row));
                }
                let mut chains = Completer::begin(model, start, rows, (self.settings.seed, part.start as u64), MAX_SWEEPS);
                (0..self.reference_sweeps).for_each(|_| chains.sweep(model));
                let mut moments = Moments::new(model);
                for _ in 0..self.reference_sweeps {
                    chains.sweep(model);
                    push_visible(&mut moments, Phase::Positive, model, &values(model, &chains.visible_bits()));
                }
                flat(&moments.gradient(model.backend(), 1.0 / (self.reference_sweeps as f32 * part.len() as f32)))
            });
            let mut blocks = Blocks::new(model.n_parameters());
            parts.iter().enumerate().for_each(|(r, part)| blocks.push(r, part));
            blocks
        };
        (from(ChainStart::Data), from(ChainStart::Noise))
    }

    /// The negative phases of an estimator, and their mean compared with that of the long run.
    fn row(
        &self,
        estimator: &EstimatorSettings,
        checkpoint: &Checkpoint,
        examples: &Examples,
        (positive, reference): (&[f64], &Blocks),
        session: &Workbench,
    ) -> Result<Row, Error> {
        let EstimatorSettings { kind, k, centering, .. } = *estimator;
        let estimator = EstimatorSettings { kind, k, centering, ..self.settings.estimator.clone() };
        let (name, descriptor) = (estimator.to_string(), kind.descriptor());
        let settings = Settings { estimator, batch: self.repeats * SHARD, ..self.settings.clone() };
        let mut run = Trainer::begin_at(checkpoint.clone().into_start(settings))?;
        let burn_in = if descriptor.persistent { self.burn_in } else { 0 };
        session.progress.begin(&format!("steps of {name}"), burn_in + 1);
        let mut seconds = 0.0;
        for _ in 0..burn_in {
            seconds += seconds_of(&step(&mut run, examples, false, session)?.0);
        }
        let (info, negatives) = step(&mut run, examples, true, session)?;
        session.progress.end();
        seconds = (seconds + seconds_of(&info)) / (self.repeats as f64 * (burn_in + 1) as f64);
        let mut blocks = Blocks::new(run.model().n_parameters());
        negatives.iter().enumerate().for_each(|(r, negative)| blocks.push(r, negative));
        let mut meeting_times = BTreeMap::new();
        info.meeting_times.iter().for_each(|&tau| *meeting_times.entry(tau).or_insert(0) += 1);
        let met = info.meeting_times.len() as f64;
        let above = info.meeting_times.iter().filter(|&&tau| tau > 1).count() as f64;
        let variance = blocks.variance();
        let row = Row {
            name,
            repeats: self.repeats,
            longest: meeting_times.keys().next_back().copied(),
            meeting_times,
            capped: info.couplings_capped,
            above_one: (met > 0.0).then_some(above / met),
            accepted: (info.proposals > 0).then(|| info.acceptance()),
            seconds,
            variance,
            variance_times_seconds: variance * seconds,
            comparison: Comparison::of(positive, &blocks, reference),
        };
        Ok(row)
    }
}

/// The seconds of all shards on one thread.
fn seconds_of(info: &PhaseInfo) -> f64 {
    info.search_seconds + info.coupling_seconds
}

/// A step that changes nothing but persistent chains. Returns what its negative phases did and, if `looked_at`, their mean moments.
fn step(
    run: &mut Trainer,
    examples: &Examples,
    looked_at: bool,
    session: &Workbench,
) -> Result<(PhaseInfo, Vec<Vec<f32>>), Error> {
    let shards = run.begin(examples)?;
    let this = &*run;
    let estimates = session.map((0..shards.count()).collect(), |shard| {
        let mut estimate = this.estimate(&shards, shard, &|| session.now());
        let negative = shards.visible(shard).filter(|_| looked_at).map(|visible| {
            // The gradient without its positive phase is the negative phase, with its sign.
            push_visible(&mut estimate.moments, Phase::Negative, this.model(), visible);
            flat(&estimate.moments.gradient(this.model().backend(), -1.0 / visible.rows() as f32))
        });
        (estimate, negative)
    });
    let (estimates, negatives): (Vec<_>, Vec<_>) = estimates.into_iter().unzip();
    session.progress.advance(1);
    Ok((run.stand_still(estimates).negative, negatives.into_iter().flatten().collect()))
}

/// The exact mean over the first `count` examples of `E[f | v]`.
fn positive(model: &Dbm, examples: &Examples, count: usize, session: &Workbench) -> Vec<f64> {
    let parts = session.in_parts("examples", 0..count, 1000, |part| {
        let mut rows = Matrix::zeros(part.len(), model.n_visible());
        for (row, example) in part.enumerate() {
            examples.write_row(example, model.units(), rows.row_mut(row));
        }
        let mut moments = Moments::new(model);
        push_visible(&mut moments, Phase::Positive, model, &rows);
        flat(&moments.gradient(model.backend(), 1.0))
    });
    let mut sum = vec![0.0; model.n_parameters()];
    parts.iter().for_each(|part| sum.iter_mut().zip(part).for_each(|(sum, &x)| *sum += f64::from(x)));
    sum.iter_mut().for_each(|x| *x /= count as f64);
    sum
}

/// Adds the exact `E[f | v]` of each row, for a model with one hidden layer.
fn push_visible(moments: &mut Moments, phase: Phase, model: &Dbm, visible: &Matrix) {
    let means = posterior(model, visible, &Clamp::Visible, EXACT).means;
    for row in 0..visible.rows() {
        moments.push(phase, 1.0, &[visible.row(row), means[1].row(row)]);
    }
}

/// Visible units from bytes 0 and 1.
fn values(model: &Dbm, bits: &[u8]) -> Matrix {
    let n = model.n_visible();
    Matrix::from_vec(bits.len() / n, n, bits.iter().map(|&bit| model.units().value(bit == 1)).collect())
}
