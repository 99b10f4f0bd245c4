//! The arguments of `dbm score`.

use crate::args::{AisArgs, AnswerArgs, DataArgs, SamplerArgs, choice};
use clap::Args;
use dbm_core::complete::ChainStart;
use dbm_core::words::Choose;
use dbm_experiments::equilibrium::Seen;
use std::path::PathBuf;

#[derive(Args)]
pub struct Score {
    /// The checkpoint whose samples are scored; with --sweeps it may be given several times, and all are drawn on the same axes
    #[arg(long, value_name = "FILE", required_unless_present = "images", conflicts_with = "images")]
    pub model: Vec<PathBuf>,
    /// Use the last step's weights, even if the run kept averaged ones
    #[arg(long, conflicts_with = "images")]
    pub last: bool,
    /// Score these pictures instead of a model's: u8 of shape [N, 784] or [N, 28, 28], 0 and 1, or grey levels to 255; or [N, 6272], 8 bits
    /// per pixel
    #[arg(long, value_name = "FILE.npy")]
    pub images: Option<PathBuf>,
    #[command(flatten)]
    pub data: DataArgs,
    /// How many samples
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(6..=1_000_000))]
    pub samples: u32,
    #[command(flatten)]
    pub sampler: SamplerArgs,
    /// Seed of the samples, answers, masks and chains
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Also score completions: what is hidden of each test digit, as in `dbm complete --mask`
    #[arg(long, value_name = "MASK", conflicts_with = "images")]
    pub completions: Option<String>,
    /// Complete this many test digits, from the first
    #[arg(long, default_value_t = 1000, requires = "completions", value_parser = clap::value_parser!(u32).range(1..))]
    pub count: u32,
    #[command(flatten)]
    pub answering: AnswerArgs,
    /// Quality against sweeps: look at the chains after each of these numbers of Gibbs sweeps, such as 1,10,50,300,2000,10000; one set of
    /// chains per start continues through all of them. With --completions, one number: the Gibbs sweeps of an answer before its last search
    /// [default: 100]
    #[arg(long, value_delimiter = ',', value_name = "N,N", conflicts_with = "images", value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    pub sweeps: Vec<u32>,
    #[command(flatten)]
    pub sweeping: SweepArgs,
    /// Also bound the mean log-likelihood of the test digits, by annealed importance sampling
    #[arg(long, conflicts_with = "images")]
    pub ais: bool,
    #[command(flatten)]
    pub ais_settings: AisArgs,
    /// Also write every number to a CSV file, one line each: of, score, value; with --sweeps one line per look
    #[arg(long, value_name = "FILE.csv")]
    pub csv: Option<PathBuf>,
}

/// How the chains of `--sweeps` are looked at.
#[derive(Args)]
pub struct SweepArgs {
    /// Where the chains of --sweeps begin
    #[arg(long, value_delimiter = ',', value_name = "START,START", value_parser = choice::<ChainStart>(), default_value = "noise,mode,data")]
    pub starts: Vec<ChainStart>,
    #[arg(long, help = Seen::WORDS.help, value_parser = choice::<Seen>(), default_value = "mode")]
    pub look: Seen,
    /// Where to draw quality against sweeps (.svg or .png)
    #[arg(long, value_name = "FILE", requires = "sweeps", conflicts_with = "completions")]
    pub plot: Option<PathBuf>,
}
