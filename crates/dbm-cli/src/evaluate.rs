//! `dbm evaluate`.

use crate::data::{DataArgs, Reading, Split};
use crate::error::CliError;
use crate::model::ModelArgs;
use crate::progress;
use crate::threads::Threads;
use clap::Args;
use dbm_core::ais::{Ais, AisEstimate, AisSettings, BaseDistribution};
use dbm_core::math::mean_and_error;
use dbm_core::rng::Streams;
use dbm_core::{Dbm, DbmError, Host, exact, mean_field, signals};
use dbm_data::Dataset;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ops::Range;

/// Betas between two looks at the progress bar.
const SLICE: usize = 20;

/// Examples a task: a fixed number, so that the sums do not depend on the threads.
const EXAMPLES: usize = 50;

/// A mean-field posterior that goes on longer is stopped and counted.
const MAX_SWEEPS: u32 = 1000;

/// A mean-field posterior has converged where no mean moves by more than this share of the gap between the unit's values.
const TOLERANCE: f64 = 1e-5;

/// Exact likelihoods are left out where they would take more hidden states than this in all.
const MAX_STATES: u128 = 1 << 32;

#[derive(Args)]
pub struct Evaluate {
    #[command(flatten)]
    model: ModelArgs,
    /// A folder with MNIST's IDX files; a file (IDX, gzip of IDX, CSV of 0/1 rows); or `digits`, `bars` or `target`, which are
    /// generated. Without data, only log Z is estimated
    #[arg(long, value_name = "DIR|FILE|digits|bars|target")]
    data: Option<String>,
    #[command(flatten)]
    reading: Reading,
    /// Which half of a folder of MNIST, or of the generated digits
    #[arg(long, value_enum, default_value = "test")]
    split: Split,
    /// How many examples, from the first [default: all]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    count: Option<u32>,
    /// Chains of annealed importance sampling: more make the standard error smaller
    #[arg(long, default_value_t = 100, value_name = "N")]
    ais_chains: usize,
    /// Steps of annealed importance sampling, from independent units to the model: more also make log Z less of an underestimate
    #[arg(long, default_value_t = 10_000, value_name = "N")]
    ais_betas: usize,
    /// Of the chains, and of the units that the pseudo-likelihood looks at
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

impl Evaluate {
    pub fn run(&self, threads: &Threads, json: bool) -> Result<(), CliError> {
        let settings = AisSettings { chains: self.ais_chains, betas: self.ais_betas, seed: self.seed };
        settings.check()?;
        let (_, model) = self.model.load()?;
        let data = self.load_data(&model)?;
        let started = threads.now();
        let estimate = estimate_log_z(&model, data.as_ref().map(|(data, _)| data), &settings, threads, json)?;
        let exact = feasible(exact::log_z(&model))?;
        let log_z = LogZ { estimate, exact };
        let likelihood = match &data {
            Some((data, count)) => Some(self.likelihood(&model, data, *count, &log_z, threads, json)?),
            None => None,
        };
        let LogZ { estimate, exact } = log_z;
        let seconds = threads.now() - started;
        if json {
            let mut done = json!({
                "event": "done",
                "log_z": estimate.log_z,
                "log_z_standard_error": estimate.standard_error,
                "effective_sample_size": estimate.effective_sample_size,
                "exact_log_z": exact,
                "ais_chains": settings.chains,
                "ais_betas": settings.betas,
                "seconds": seconds,
            });
            if let (Some(likelihood), Some(done)) = (&likelihood, done.as_object_mut()) {
                done.append(&mut likelihood.fields());
            }
            println!("{done}");
        } else {
            let AisEstimate { log_z, standard_error, effective_sample_size, .. } = &estimate;
            println!("log Z                 {log_z:.3} +- {standard_error:.3}");
            println!("                      {effective_sample_size:.1} of {} chains carry the weight", settings.chains);
            println!("exact log Z           {}", or_not_feasible(exact));
            if let Some(likelihood) = &likelihood {
                likelihood.print();
            }
            println!("{seconds:.1} s on {} threads", threads.count());
        }
        Ok(())
    }

    /// The data and how many of them to take, if there are any.
    fn load_data(&self, model: &Dbm) -> Result<Option<(Dataset, usize)>, CliError> {
        let Some(name) = &self.data else {
            return match self.count {
                Some(_) => Err(CliError::Usage("--count is of examples: give --data as well, or leave it away".into())),
                None => Ok(None),
            };
        };
        let data = DataArgs { data: name.clone(), reading: self.reading }.load(self.split)?;
        let (n, there) = (model.n_visible(), data.examples.len());
        if data.examples.width() != n {
            return Err(CliError::Input(format!(
                "the model has {n} visible units, but the examples of {} have {} bits; give data of the model's shape",
                data.name,
                data.examples.width()
            )));
        }
        let count = self.count.map_or(there, |count| count as usize);
        if count > there {
            return Err(CliError::Usage(format!("--count should be at most the {there} examples there are, but is {count}")));
        }
        Ok(Some((data, count)))
    }

    fn likelihood(
        &self,
        model: &Dbm,
        data: &Dataset,
        count: usize,
        log_z: &LogZ,
        threads: &Threads,
        json: bool,
    ) -> Result<Likelihood, CliError> {
        let bar = progress::bar(count, "examples", json);
        let starts: Vec<usize> = (0..count).step_by(EXAMPLES).collect();
        let parts = threads.map(starts, |start| {
            let rows = start..(start + EXAMPLES).min(count);
            let part = Part::of(model, data, rows.clone(), self.seed);
            bar.inc(rows.len() as u64);
            part
        });
        bar.finish_and_clear();
        let mut all = Part::default();
        parts.into_iter().for_each(|part| all.append(part));
        let exact = match log_z.exact {
            Some(log_z) => exact_mean(model, data, count, threads)?.map(|mean| mean - log_z),
            None => None,
        };
        let (mean, error) = mean_and_error(&all.bounds);
        Ok(Likelihood {
            count,
            bound: mean - log_z.estimate.log_z,
            log_z_error: log_z.estimate.standard_error,
            examples_error: error,
            exact,
            pseudo: mean_and_error(&all.pseudo),
            reconstruction: mean_and_error(&all.reconstruction).0,
            missing: (0..count).map(|row| data.examples.width() - data.examples.known_in_row(row)).sum(),
            mean_sweeps: all.sweeps as f64 / count as f64,
            capped: all.capped,
        })
    }
}

struct LogZ {
    estimate: AisEstimate,
    /// Where it is feasible.
    exact: Option<f64>,
}

/// Annealed importance sampling on all threads; independent units as often high as in the data, where there are any, to begin.
pub fn estimate_log_z(
    model: &Dbm,
    data: Option<&Dataset>,
    settings: &AisSettings,
    threads: &Threads,
    json: bool,
) -> Result<AisEstimate, CliError> {
    let base = match data {
        Some(data) => BaseDistribution::of_data(model, &data.examples)?,
        None => BaseDistribution::uniform(model),
    };
    let bar = progress::bar(settings.betas * settings.shards().len(), "betas", json);
    let weights = threads.map(settings.shards(), |chains| {
        let mut ais = Ais::new(model, &base, settings, chains);
        while ais.done() < ais.total() {
            let before = ais.done();
            ais.advance(model, SLICE);
            bar.inc((ais.done() - before) as u64);
        }
        ais.log_weights().to_vec()
    });
    bar.finish_and_clear();
    Ok(AisEstimate::from_log_weights(base.log_z(), &weights.concat()).finite()?)
}

/// Of each of the first `count` examples, the lower bound on log p(v) + log Z by its mean-field posterior.
pub fn bounds(model: &Dbm, data: &Dataset, count: usize, threads: &Threads, json: bool) -> Vec<f64> {
    let bar = progress::bar(count, "examples", json);
    let starts: Vec<usize> = (0..count).step_by(EXAMPLES).collect();
    let parts = threads.map(starts, |start| {
        let rows: Vec<usize> = (start..(start + EXAMPLES).min(count)).collect();
        let posterior = mean_field::posterior_of(model, &data.examples, &rows, MAX_SWEEPS, TOLERANCE);
        bar.inc(rows.len() as u64);
        (0..posterior.count()).map(|row| posterior.bound(model, row)).collect::<Vec<f64>>()
    });
    bar.finish_and_clear();
    parts.concat()
}

/// Of some examples, one after another.
#[derive(Default)]
struct Part {
    bounds: Vec<f64>,
    pseudo: Vec<f64>,
    reconstruction: Vec<f64>,
    sweeps: u64,
    capped: u32,
}

impl Part {
    fn of(model: &Dbm, data: &Dataset, rows: Range<usize>, seed: u64) -> Self {
        let these: Vec<usize> = rows.clone().collect();
        let posterior = mean_field::posterior_of(model, &data.examples, &these, MAX_SWEEPS, TOLERANCE);
        let reconstruction = signals::reconstruction_errors(model, &posterior).into_iter().zip(these);
        Self {
            bounds: (0..posterior.count()).map(|row| posterior.bound(model, row)).collect(),
            pseudo: signals::pseudo_log_likelihoods(model, &posterior, Streams::new(seed), 0, rows.start as u64),
            // Of an example of which nothing is known there is nothing to reconstruct.
            reconstruction: reconstruction
                .filter(|&(_, row)| data.examples.known_in_row(row) > 0)
                .map(|(error, _)| error)
                .collect(),
            sweeps: posterior.sweeps.iter().map(|&sweeps| u64::from(sweeps)).sum(),
            capped: posterior.capped,
        }
    }

    fn append(&mut self, other: Self) {
        self.bounds.extend(other.bounds);
        self.pseudo.extend(other.pseudo);
        self.reconstruction.extend(other.reconstruction);
        self.sweeps += other.sweeps;
        self.capped += other.capped;
    }
}

/// The exact mean of log p(v) + log Z, where it is feasible, missing units summed out; each distinct example is enumerated once.
fn exact_mean(model: &Dbm, data: &Dataset, count: usize, threads: &Threads) -> Result<Option<f64>, CliError> {
    let mut times: BTreeMap<Vec<Option<bool>>, u32> = BTreeMap::new();
    let example =
        |row| (0..model.n_visible()).map(|i| data.examples.is_known(row, i).then(|| data.examples.bit(row, i))).collect();
    (0..count).for_each(|row| *times.entry(example(row)).or_default() += 1);
    // With the visible layer clamped, one parity of the hidden layers is summed out given the other; a missing unit is as a hidden one.
    let hidden = |first: usize| model.sizes().iter().skip(first).step_by(2).sum::<usize>();
    let missing = |clamped: &Vec<Option<bool>>| clamped.iter().filter(|bit| bit.is_none()).count();
    let states = |clamped| 1_u128.checked_shl(hidden(1).min(hidden(2) + missing(clamped)) as u32).unwrap_or(u128::MAX);
    if times.keys().map(states).fold(0, u128::saturating_add) > MAX_STATES {
        return Ok(None);
    }
    let sums = threads
        .map(times.into_iter().collect(), |(clamped, times)| Ok(f64::from(times) * exact::expectation(model, &clamped)?.log_sum));
    let sum = sums.into_iter().sum::<Result<f64, DbmError>>();
    Ok(feasible(sum)?.map(|sum| sum / count as f64))
}

/// `None` where a model is too large to enumerate.
fn feasible(exact: Result<f64, DbmError>) -> Result<Option<f64>, CliError> {
    match exact {
        Ok(value) => Ok(Some(value)),
        Err(DbmError::TooManyUnits { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn or_not_feasible(exact: Option<f64>) -> String {
    exact.map_or("not feasible for so large a model".into(), |value| format!("{value:.3}"))
}

/// Means over the examples, in nats an example.
struct Likelihood {
    count: usize,
    bound: f64,
    log_z_error: f64,
    examples_error: f64,
    exact: Option<f64>,
    pseudo: (f64, f64),
    reconstruction: f64,
    /// Bits of these examples that are missing: all of the above is of the others.
    missing: usize,
    mean_sweeps: f64,
    capped: u32,
}

impl Likelihood {
    fn fields(&self) -> serde_json::Map<String, Value> {
        let fields = json!({
            "count": self.count,
            "log_p_bound": self.bound,
            "log_p_bound_error_from_log_z": self.log_z_error,
            "log_p_bound_error_over_examples": self.examples_error,
            "exact_log_p": self.exact,
            "pseudo_log_likelihood": self.pseudo.0,
            "pseudo_log_likelihood_error": self.pseudo.1,
            "reconstruction_error": self.reconstruction,
            "missing_bits": self.missing,
            "mean_field_sweeps": self.mean_sweeps,
            "mean_field_capped": self.capped,
        });
        match fields {
            Value::Object(fields) => fields,
            _ => serde_json::Map::new(),
        }
    }

    fn print(&self) {
        let note = if self.capped > 0 {
            format!("{} cut at {MAX_SWEEPS}: their bounds are valid, but not as high as they could be", self.capped)
        } else {
            "all converged".into()
        };
        println!("\nMeans over {} examples, in nats an example:", self.count);
        if self.missing > 0 {
            println!("{} of their bits are missing, and summed out: v is what is known", self.missing);
        }
        println!(
            "log p(v), lower bound {:.3} +- {:.3} from log Z, +- {:.3} over the examples",
            self.bound, self.log_z_error, self.examples_error
        );
        println!("exact log p(v)        {}", or_not_feasible(self.exact));
        println!("pseudo-likelihood     {:.3} +- {:.3}", self.pseudo.0, self.pseudo.1);
        println!("reconstruction error  {:.5} a bit, squared", self.reconstruction);
        println!("mean-field posteriors {:.1} sweeps each, {note}\n", self.mean_sweeps);
    }
}
