//! `dbm experiment`: the paper's experiments, and ours beyond them, each by its name.

mod best_model;
mod bit_planes;
mod drawn;
mod figure_1;
mod figure_2;
mod figure_3;
mod recipe;
mod report;
mod scored;
mod table_2;
mod workshop;

use crate::data::{DataArgs, Reading, Split};
use crate::error::CliError;
use crate::memory::Limit;
use crate::score::Reference;
use crate::threads::Threads;
use clap::{Args, ValueEnum};
use dbm_data::pictures::{Pictures, Values};
use dbm_data::raw::Encoding;
use dbm_data::{Dataset, digits};
use report::Entry;
use std::path::PathBuf;
use workshop::Workshop;

/// Generated digits of a toy.
const TOY_DIGITS: usize = 300;

/// Runs experiments; a run that was stopped goes on when it is started again, to the same result.
///
/// Each has a folder of its own in --out: cells and runs that are finished or under way, data (CSV, NPY) and figures (SVG, PNG). With --docs, its figures
/// and its entry go there too, and the page reproduction.md is written anew from all entries.
#[derive(Args)]
pub struct Experiment {
    /// Which
    #[arg(value_enum, required = true, num_args = 1..)]
    names: Vec<Name>,
    /// The folder with MNIST's four files; with --toy, generated digits where it is not given
    #[arg(long, value_name = "DIR")]
    data: Option<String>,
    /// The folder to work in
    #[arg(long, value_name = "DIR", default_value = "experiments")]
    out: PathBuf,
    /// The model that figure-3 completes by [default: www/models/mnist.safetensors; with --toy, one that it trains]
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// The documentation's folder, to write reproduction.md and its figures to
    #[arg(long, value_name = "DIR")]
    docs: Option<PathBuf>,
    /// As small as it can be: shows that it works, and nothing else
    #[arg(long)]
    toy: bool,
    /// Of all that is random
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Name {
    /// How long couplings take to meet, by dimension
    #[value(name = "figure-1")]
    Figure1,
    /// Samples of UCD-LMI and of PCD, without pretraining
    #[value(name = "figure-2")]
    Figure2,
    /// The ablation: coupling, signs, marginalization, orthogonal start
    #[value(name = "table-2")]
    Table2,
    /// Completions of halves and of random pixels, and how good they are
    #[value(name = "figure-3")]
    Figure3,
    /// A search of recipes, and the best model they lead to
    #[value(name = "best-model")]
    BestModel,
    /// Grey digits, 8 bits a pixel, and the paper's own size
    #[value(name = "bit-planes")]
    BitPlanes,
}

impl Experiment {
    pub fn run(&self, threads: &Threads, memory: &Limit, json: bool) -> Result<(), CliError> {
        for &name in &self.names {
            let title = name.to_possible_value().map(|value| value.get_name().to_string()).unwrap_or_default();
            let folder = self.out.join(if self.toy { format!("{title}-toy") } else { title.clone() });
            let workshop = Workshop::new(folder, (self.toy, self.seed), threads, memory, json)?;
            let entry = self.one(name, &workshop)?;
            entry.publish(&workshop, self.docs.as_deref())?;
            if json {
                println!("{}", serde_json::json!({ "event": "done", "experiment": entry }));
            } else {
                println!("{title}: {} ({}, {})", entry.ours, entry.verdict.words(), report::duration(entry.seconds));
            }
        }
        Ok(())
    }

    fn one(&self, name: Name, workshop: &Workshop) -> Result<Entry, CliError> {
        match name {
            Name::Figure1 => figure_1::run(workshop),
            Name::Figure2 => {
                let set = if self.data.is_some() { "MNIST" } else { "Generated" };
                figure_2::run(workshop, &[(set.to_string(), self.reference(workshop)?)])
            }
            Name::Table2 => table_2::run(workshop, &self.reference(workshop)?),
            Name::Figure3 => {
                figure_3::run(workshop, self.model.as_deref(), &self.digits(Split::Train)?, &self.digits(Split::Test)?)
            }
            Name::BestModel => best_model::run(workshop, &self.reference(workshop)?),
            Name::BitPlanes => bit_planes::run(workshop, &self.grey_digits(Split::Train)?, &self.grey_digits(Split::Test)?),
        }
    }

    /// MNIST, or what takes its place in a toy.
    fn digits(&self, split: Split) -> Result<Dataset, CliError> {
        self.digits_as(None, split)
    }

    /// The same in 8 bit planes. Generated digits are binary as data sets go, but drawn in grey.
    fn grey_digits(&self, split: Split) -> Result<Dataset, CliError> {
        if !(self.toy && self.data.as_deref().is_none_or(|data| data == "digits")) {
            return self.digits_as(Some(8), split);
        }
        let seed = if split == Split::Train { 1 } else { 2 };
        let drawn = (0..TOY_DIGITS as u64).map(|index| digits::image(seed, index));
        let (levels, labels): (Vec<_>, Vec<_>) = drawn.unzip();
        let pictures = Pictures {
            count: TOY_DIGITS,
            shape: (digits::SIDE, digits::SIDE),
            values: Values::Bytes(levels.concat()),
            labels: Some(labels),
        };
        Ok(pictures.encode("generated digits in grey", &Encoding { bits: 8, ..pictures.suggest() })?)
    }

    /// What samples of these digits are held against.
    fn reference(&self, workshop: &Workshop) -> Result<Reference, CliError> {
        Reference::load(workshop.threads, &self.source(None)?, None)
    }

    /// The same with this many bits a value.
    fn digits_as(&self, bits_per_value: Option<u8>, split: Split) -> Result<Dataset, CliError> {
        self.source(bits_per_value)?.load(split)
    }

    fn source(&self, bits_per_value: Option<u8>) -> Result<DataArgs, CliError> {
        let data = match &self.data {
            Some(data) => data.clone(),
            None if self.toy => "digits".into(),
            None => {
                return Err(CliError::Usage(
                    "this experiment needs MNIST: give --data the folder with its four files, or --toy to see it at work on generated digits".into(),
                ));
            }
        };
        let reading = Reading { binarize: None, bits_per_value, tile: None, digits: if self.toy { TOY_DIGITS } else { 10_000 } };
        Ok(DataArgs { data, reading })
    }
}
