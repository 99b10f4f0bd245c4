//! `dbm bias`.

use crate::args::choice;
use crate::context::Context;
use clap::Args;
use dbm_core::diagnostics::{BiasRow, BiasTable, bias_table};
use dbm_core::gradient::EstimatorSettings;
use dbm_core::words::Choose;
use dbm_core::{Settings, Units};
use dbm_experiments::Error;
use dbm_experiments::say;
use serde_json::json;

/// A smaller bias is rounding.
const ROUNDING: f64 = 1e-9;

/// Computes, without sampling, the mean of every estimator on random models small enough to enumerate, from the transition law of its
/// kernels (of the coupled pair, if it couples), and prints how far it is from the exact gradient: max |E[estimate] - exact| over
/// parameters and visible vectors.
#[derive(Args)]
pub struct Bias {
    #[arg(long, help = Units::WORDS.help, value_parser = choice::<Units>(), default_value = "signs")]
    units: Units,
    /// Layer sizes, the visible one first; at most 10 units in all. The time grows with the cube of the number of states: a second
    /// at 7 units, minutes at 10
    #[arg(long, value_delimiter = ',', value_name = "N,N", default_value = "3,2,2")]
    sizes: Vec<usize>,
    /// Random models, of seeds 1 to this
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=1000), value_name = "N")]
    seeds: u64,
    /// Standard deviation of their Gaussian weights [default: 0.5 for signs, 1 for bits]
    #[arg(long)]
    deviation: Option<f64>,
    /// Cut couplings off after this many steps, which biases them [default: never]
    #[arg(long, value_name = "STEPS", value_parser = clap::value_parser!(u32).range(1..i64::from(u32::MAX)))]
    max_meeting: Option<u32>,
    /// More estimators, such as `cd-3`
    #[arg(long, value_delimiter = ',', value_name = "NAME,NAME")]
    also: Vec<EstimatorSettings>,
}

impl Bias {
    pub fn run(&self, context: &Context) -> Result<(), Error> {
        let mut table = BiasTable::new(self.units, &self.sizes, self.seeds);
        if let Some(deviation) = self.deviation {
            if !(deviation > 0.0 && deviation <= 10.0) {
                return Err(Error::Usage(format!("--deviation should be above 0 and at most 10, but is {deviation}")));
            }
            table.deviation = deviation;
        }
        table.max_meeting = self.max_meeting.unwrap_or(u32::MAX);
        table.more = self
            .also
            .iter()
            .map(|estimator| Settings { estimator: estimator.clone(), max_meeting: table.max_meeting, ..Settings::default() })
            .collect();
        let progress = &context.session.progress;
        progress.begin("models", self.seeds);
        let rows = bias_table(&table, |_| progress.advance(1))?;
        progress.end();
        if context.json {
            print_json(&table, &rows);
        } else {
            print_table(&table, &rows);
        }
        Ok(())
    }
}

fn print_json(table: &BiasTable, rows: &[BiasRow]) {
    for row in rows {
        say!(
            "{}",
            json!({ "event": "bias", "estimator": row.name, "units": table.units, "sizes": table.sizes, "seeds": table.seeds,
                    "bias": row.max(), "bias_by_seed": row.by_seed, "positive_phase": row.positive, "negative_phase": row.negative,
                    "unmet": row.unmet, "unbiased_in_theory": row.unbiased })
        );
    }
}

fn print_table(table: &BiasTable, rows: &[BiasRow]) {
    let kind = table.units.choice().name;
    let sizes: Vec<String> = table.sizes.iter().map(ToString::to_string).collect();
    say!(
        "max |E[estimate] - exact gradient|, by enumeration: {} {kind}, {} random models, weights of deviation {}",
        sizes.join("-"),
        table.seeds,
        table.deviation
    );
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or_default();
    say!("\n{:width$}  {:>9}  {:>14}  {:>14}  ", "estimator", "bias", "positive phase", "negative phase");
    for row in rows {
        let verdict = match (row.max() < ROUNDING, row.unmet > ROUNDING) {
            (_, true) => format!("biased: {:.1e} of the couplings were cut", row.unmet),
            (true, _) => "unbiased, to rounding".into(),
            (false, _) => "biased".into(),
        };
        say!("{:width$}  {:>9.1e}  {:>14.1e}  {:>14.1e}  {verdict}", row.name, row.max(), row.positive, row.negative);
    }
}
