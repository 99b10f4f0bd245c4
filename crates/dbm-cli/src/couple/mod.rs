//! `dbm couple`: how long couplings take to meet, by dimension (the paper's Figure 1).

mod dimensions;
mod figure;
mod measure;
mod summary;

use crate::error::CliError;
use crate::files;
use crate::options::UnitKind;
use crate::plot::raster;
use crate::progress::steps_bar;
use crate::threads::Threads;
use clap::{Args, ValueEnum};
use dbm_core::diagnostics::{CouplingKernel, CouplingStart, Couplings};
use dimensions::Dimensions;
use std::path::PathBuf;

pub use figure::figure;
pub use measure::{Kinds, pieces, rows};
pub use summary::{Row, csv};

/// Runs pairs of coupled chains on random RBMs until they meet: tau steps, after a local search of T sweeps where they begin at a mode.
///
/// A dimension d has d visible and d hidden units, one random orthogonal matrix of weights, and zero biases. The numbers depend on the seed alone, not on the
/// threads. A coupling that has not met at the cap counts with the cap, which makes means and quartiles too low; how many did is told.
#[derive(Args)]
pub struct Couple {
    /// Visible units, and as many hidden ones: numbers, and ranges as 1..200 or, with a step, 10..200:10; 1 to 400
    #[arg(long, value_name = "LIST", default_value = "1,2,5,10..50:5,60..100:10,125..200:25")]
    dimensions: Dimensions,
    /// Couplings of each kind at each dimension
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    runs: u32,
    /// Steps at which a coupling is cut
    #[arg(long, default_value_t = 10_000, value_name = "STEPS", value_parser = clap::value_parser!(u32).range(1..))]
    cap: u32,
    /// Tries of one draw of the Gibbs coupling, at which it is cut
    #[arg(long, default_value_t = 10_000, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_tries: u32,
    /// How the chains move
    #[arg(long, value_enum, value_delimiter = ',', default_value = "metropolis,gibbs")]
    kernel: Vec<KernelKind>,
    /// Where they begin
    #[arg(long, value_enum, value_delimiter = ',', default_value = "local-mode,uniform")]
    start: Vec<StartKind>,
    /// {-1,+1} or {0,1}
    #[arg(long, value_enum, value_delimiter = ',', default_value = "signs")]
    units: Vec<UnitKind>,
    /// Of the models and of all runs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where to write the table; without it, it is printed
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Where to draw it, as SVG, or as PNG where the name ends in .png
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum KernelKind {
    Metropolis,
    Gibbs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StartKind {
    LocalMode,
    Uniform,
}

impl From<KernelKind> for CouplingKernel {
    fn from(kind: KernelKind) -> Self {
        match kind {
            KernelKind::Metropolis => Self::Metropolis,
            KernelKind::Gibbs => Self::Gibbs,
        }
    }
}

impl From<StartKind> for CouplingStart {
    fn from(kind: StartKind) -> Self {
        match kind {
            StartKind::LocalMode => Self::LocalMode,
            StartKind::Uniform => Self::Uniform,
        }
    }
}

impl Couple {
    pub fn run(&self, threads: &Threads, json: bool) -> Result<(), CliError> {
        for path in self.csv.iter().chain(&self.plot) {
            files::check_writable(path)?;
        }
        let kinds = self.kinds();
        let couplings: Vec<Couplings> =
            self.dimensions.0.iter().map(|&dimension| kinds.at(dimension)).collect::<Result<Vec<_>, _>>()?.concat();
        let rows = table(&couplings, self.runs, threads, json)?;
        let table = csv(&rows);
        match &self.csv {
            Some(path) => files::write(path, table.as_bytes())?,
            None if json => {}
            None => print!("{table}"),
        }
        if json {
            rows.iter().for_each(|row| println!("{}", row.line()));
        }
        if let Some(path) = &self.plot {
            files::write(path, &raster::by_name(path, figure(&rows)?)?)?;
        }
        Ok(())
    }

    fn kinds(&self) -> Kinds {
        Kinds {
            units: self.units.iter().map(|&units| units.into()).collect(),
            kernels: self.kernel.iter().map(|&kernel| kernel.into()).collect(),
            starts: self.start.iter().map(|&start| start.into()).collect(),
            cap: self.cap,
            max_tries: self.max_tries,
            seed: self.seed,
        }
    }
}

/// [`rows`] with a progress bar of its own.
///
/// # Errors
/// Those of [`rows`].
pub fn table(couplings: &[Couplings], runs: u32, threads: &Threads, json: bool) -> Result<Vec<Row>, CliError> {
    let bar = steps_bar(pieces(couplings, runs), json);
    let rows = rows(couplings, runs, threads, &bar);
    bar.finish_and_clear();
    rows
}
