//! `dbm`: train, sample, complete and evaluate with deep Boltzmann machines.
//!
//! Exit codes: 0 success, 2 an invalid command line or setting, 3 a file that cannot be read or has invalid content, 4 a file that cannot
//! be written, 5 training that diverged, 6 a GPU that is missing or cannot do the work.
#![allow(rustdoc::broken_intra_doc_links, reason = "clap prints these docs as help, where brackets are no links")]

mod args;
mod bench;
mod bias;
mod classifier;
mod compare;
mod complete;
mod context;
mod couple;
mod evaluate;
mod experiment;
mod export;
mod fit;
mod given;
mod given_reading;
mod gradients;
mod impute;
mod layers;
mod learning;
mod output;
mod pretraining;
mod progress;
mod reading;
mod sample;
mod score;
mod train;

use clap::{Parser, Subcommand};
use context::Context;
use dbm_core::DbmError;
use dbm_data::DataError;
use dbm_experiments::say;
use dbm_experiments::{Error, memory};
use dbm_score::ScoreError;
use std::process::ExitCode;

/// Keeps the memory of one step for the next.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Deep Boltzmann machines, trained with an unbiased gradient (UCD-LMI).
#[derive(Parser)]
#[command(version, about, arg_required_else_help = true)]
struct Arguments {
    /// Threads to use; the result does not depend on it [default: all cores]
    #[arg(long, global = true, value_name = "N")]
    threads: Option<usize>,
    /// Print JSON, one object per line, and no progress bars
    #[arg(long, global = true)]
    json: bool,
    /// Refuse to train or time a model that needs more memory than this, such as 8G [default: what is available]
    #[arg(long, global = true, value_name = "SIZE", value_parser = memory::parse_bytes)]
    memory_limit: Option<u128>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Say how files are read, with what is in doubt, and the SHA-256 of the data as bits: nothing is trained
    Read(Box<reading::Read>),
    /// Train a model, or continue a run, and write a checkpoint
    Train(Box<train::Train>),
    /// Find a model that suits data: train a dozen recipes, keep the one that guesses held-out cells best, and train it again on everything
    Fit(fit::FitArgs),
    /// Train a small model with each of several estimators, and follow its exact log-likelihood
    Compare(Box<compare::Compare>),
    /// Draw samples: local search from noise
    Sample(sample::Sample),
    /// Fill in masked parts of examples
    Complete(complete::Complete),
    /// Fill in what is missing in a table: a copy of it, each filled cell with its probability
    #[command(long_about = include_str!("../help/impute.txt"))]
    Impute(Box<impute::Impute>),
    /// Print the exact bias of every estimator of the gradient, by enumeration
    Bias(bias::Bias),
    /// Time couplings by dimension: how many steps until two coupled chains meet (the paper's Figure 1)
    Couple(couple::Couple),
    /// Compare estimators of the gradient on a trained model with fixed parameters: meeting times, variance times cost, and the angle to a very
    /// long run's mean
    Gradients(Box<gradients::GradientsOf>),
    /// Report what each hidden layer of a model does: activities, bits on the class, and the cost of cutting it
    Layers(layers::LayersOf),
    /// Estimate log Z and how likely the model finds data
    #[command(long_about = include_str!("../help/evaluate.txt"))]
    Evaluate(evaluate::Evaluate),
    /// Score a model's samples next to real test digits: digit Frechet distance, precision and recall, density and coverage, classes,
    /// copies
    #[command(long_about = include_str!("../help/score.txt"))]
    Score(Box<score::Score>),
    /// Retrain the classifier that scores are based on (needs a build with `--features classifier`)
    Classifier(classifier::Classifier),
    /// Time training at the reference size, part by part
    Bench(Box<bench::Bench>),
    /// Run the paper's experiments and ours, with their figures and data
    Experiment(experiment::Experiment),
    /// Write only the weights of a checkpoint, for sharing; or its samples, or real digits, as numbered PNG files
    Export(export::Export),
}

fn main() -> ExitCode {
    let Arguments { threads, json, memory_limit, command } = Arguments::parse();
    let run = || -> Result<(), Error> {
        let context = &Context::new(threads, memory_limit, json)?;
        match &command {
            Command::Read(command) => command.run(context),
            Command::Train(command) => command.run(context),
            Command::Fit(command) => command.run(context),
            Command::Compare(command) => command.run(context),
            Command::Sample(command) => command.run(context),
            Command::Complete(command) => command.run(context),
            Command::Impute(command) => command.run(context),
            Command::Bias(command) => command.run(context),
            Command::Couple(command) => command.run(context),
            Command::Gradients(command) => command.run(context),
            Command::Layers(command) => command.run(context),
            Command::Evaluate(command) => command.run(context),
            Command::Score(command) => command.run(context),
            Command::Classifier(command) => command.run(context),
            Command::Bench(command) => command.run(context),
            Command::Experiment(command) => command.run(context),
            Command::Export(command) => command.run(context),
        }
    };
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let code = exit_code(&error);
            if json {
                say!("{}", serde_json::json!({ "event": "error", "message": error.to_string(), "code": code }));
            }
            eprintln!("dbm: {error}");
            ExitCode::from(code)
        }
    }
}

/// The exit code of an error: the one place where errors are handled.
fn exit_code(error: &Error) -> u8 {
    match error {
        Error::Model(DbmError::Diverged { .. }) => 5,
        Error::Usage(_)
        | Error::Memory { .. }
        | Error::Model(_)
        | Error::Data(DataError::OutOfRange { .. })
        | Error::Score(ScoreError::Setting { .. }) => 2,
        Error::Data(_)
        | Error::Score(_)
        | Error::Job(_)
        | Error::Read { .. }
        | Error::Input(_)
        | Error::Serialize { .. }
        | Error::Template { .. } => 3,
        Error::Write { .. } => 4,
        Error::Gpu(_) => 6,
    }
}
