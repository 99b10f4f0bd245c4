//! `dbm couple`.

use crate::args::choice;
use crate::context::Context;
use crate::output::Files;
use clap::Args;
use dbm_core::Units;
use dbm_core::diagnostics::{CouplingKernel, CouplingStart, Couplings};
use dbm_core::words::Choose;
use dbm_experiments::coupling::{Dimensions, Kinds, pieces, rows};
use dbm_experiments::say;
use dbm_experiments::{Error, Report};
use std::path::PathBuf;

/// Runs pairs of coupled chains on random RBMs until they meet: tau steps, after a local search of T sweeps if they begin at a mode.
///
/// A dimension d has d visible and d hidden units, one random orthogonal matrix of weights, and zero biases. The numbers depend only on the
/// seed, not on the threads. A coupling that has not met at the cap counts with the cap, which makes means and quartiles too low; the table
/// shows how many did.
#[derive(Args)]
pub struct Couple {
    /// Visible units, and as many hidden ones: numbers, and ranges such as 1..200 or, with a step, 10..200:10; 1 to 400
    #[arg(long, value_name = "LIST", default_value = "1,2,5,10..50:5,60..100:10,125..200:25")]
    dimensions: Dimensions,
    /// Couplings of each kind at each dimension
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    runs: u32,
    /// Steps after which a coupling is cut off
    #[arg(long, default_value_t = 10_000, value_name = "STEPS", value_parser = clap::value_parser!(u32).range(1..))]
    cap: u32,
    /// Tries after which one draw of the Gibbs coupling is cut off
    #[arg(long, default_value_t = 10_000, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_tries: u32,
    #[arg(long, help = CouplingKernel::WORDS.help, value_parser = choice::<CouplingKernel>(), value_delimiter = ',', default_value = "metropolis,gibbs")]
    kernel: Vec<CouplingKernel>,
    #[arg(long, help = CouplingStart::WORDS.help, value_parser = choice::<CouplingStart>(), value_delimiter = ',', default_value = "local-mode,uniform")]
    start: Vec<CouplingStart>,
    #[arg(long, help = Units::WORDS.help, value_parser = choice::<Units>(), value_delimiter = ',', default_value = "signs")]
    units: Vec<Units>,
    /// Seed of the models and of all runs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where to write the table; without it, it is printed
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Where to draw it, as SVG, or as PNG if the name ends in .png
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

impl Couple {
    pub fn run(&self, context: &Context) -> Result<(), Error> {
        let files = Files::new(self.csv.as_deref(), self.plot.as_deref())?;
        let kinds = self.kinds();
        let couplings: Vec<Couplings> =
            self.dimensions.0.iter().map(|&dimension| kinds.at(dimension)).collect::<Result<Vec<_>, _>>()?.concat();
        let Context { session, json } = context;
        session.progress.begin("pieces", pieces(&couplings, self.runs));
        let rows = rows(&couplings, self.runs, session)?;
        session.progress.end();
        if *json {
            rows.iter().for_each(|row| say!("{}", row.line()));
        } else if self.csv.is_none() {
            say!("{}", rows.text().trim_end());
        }
        files.write(&rows)
    }

    fn kinds(&self) -> Kinds {
        Kinds {
            units: self.units.clone(),
            kernels: self.kernel.clone(),
            starts: self.start.clone(),
            cap: self.cap,
            max_tries: self.max_tries,
            seed: self.seed,
        }
    }
}
