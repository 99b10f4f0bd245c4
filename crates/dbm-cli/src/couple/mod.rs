//! `dbm couple`: how long couplings take to meet, by dimension (the paper's Figure 1).

mod dimensions;
mod figure;
mod summary;

use crate::error::CliError;
use crate::files;
use crate::options::UnitKind;
use crate::progress::steps_bar;
use crate::threads::Threads;
use clap::{Args, ValueEnum};
use dbm_core::study::{Couplings, Kernel, Start};
use dbm_core::{Dbm, DbmError, Host, Units};
use dimensions::Dimensions;
use std::path::PathBuf;
use summary::Row;

/// Runs that one thread does in one piece.
const PIECE: u32 = 5;

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
    /// Where to draw it, as SVG
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

impl From<KernelKind> for Kernel {
    fn from(kind: KernelKind) -> Self {
        match kind {
            KernelKind::Metropolis => Self::Metropolis,
            KernelKind::Gibbs => Self::Gibbs,
        }
    }
}

impl From<StartKind> for Start {
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
        let couplings = self.couplings()?;
        let rows = self.rows(&couplings, threads, json)?;
        let table = summary::csv(&rows);
        match &self.csv {
            Some(path) => files::write(path, table.as_bytes())?,
            None if json => {}
            None => print!("{table}"),
        }
        if json {
            rows.iter().for_each(|row| println!("{}", row.line()));
        }
        if let Some(path) = &self.plot {
            files::write(path, figure::figure(&rows)?.as_bytes())?;
        }
        Ok(())
    }

    /// Each kind at each dimension, checked.
    fn couplings(&self) -> Result<Vec<Couplings>, CliError> {
        let mut all: Vec<Couplings> = Vec::new();
        for &dimension in &self.dimensions.0 {
            for &units in &self.units {
                for &kernel in &self.kernel {
                    for &start in &self.start {
                        let couplings = Couplings {
                            dimension,
                            units: units.into(),
                            kernel: kernel.into(),
                            start: start.into(),
                            max_meeting: self.cap,
                            max_tries: self.max_tries,
                            seed: self.seed,
                        };
                        couplings.check()?;
                        if !all.contains(&couplings) {
                            all.push(couplings);
                        }
                    }
                }
            }
        }
        Ok(all)
    }

    fn rows(&self, couplings: &[Couplings], threads: &Threads, json: bool) -> Result<Vec<Row>, CliError> {
        let mut kinds: Vec<(usize, Units)> = couplings.iter().map(|c| (c.dimension, c.units)).collect();
        kinds.dedup();
        let of = |kind: (usize, Units)| couplings.iter().find(|c| (c.dimension, c.units) == kind);
        let models = threads.map(kinds, |kind| of(kind).map(|c| c.model().map(|model| (kind, model))));
        let models: Vec<((usize, Units), Dbm)> = models.into_iter().flatten().collect::<Result<_, DbmError>>()?;
        let model = |c: &Couplings| models.iter().find(|(kind, _)| *kind == (c.dimension, c.units)).map(|(_, model)| model);

        let firsts = || (0..self.runs).step_by(PIECE as usize);
        let pieces: Vec<(&Couplings, &Dbm, u32)> = couplings
            .iter()
            .filter_map(|c| Some((c, model(c)?)))
            .flat_map(|(c, model)| firsts().map(move |f| (c, model, f)))
            .collect();
        let bar = steps_bar(pieces.len() as u64, json);
        let runs = threads.map(pieces, |(couplings, model, first)| {
            let runs = couplings.run(model, first..self.runs.min(first.saturating_add(PIECE)), &mut |_, _| ());
            bar.inc(1);
            runs
        });
        bar.finish_and_clear();
        let a_kind = firsts().count();
        Ok(couplings.iter().zip(runs.chunks(a_kind)).map(|(couplings, runs)| Row::new(*couplings, &runs.concat())).collect())
    }
}
