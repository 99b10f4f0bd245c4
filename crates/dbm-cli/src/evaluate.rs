//! `dbm evaluate`.

use crate::args::{AisArgs, ModelArgs, ReadingArgs, choice};
use crate::context::Context;
use crate::output::Files;
use clap::Args;
use dbm_core::Dbm;
use dbm_core::words::Choose;
use dbm_data::{Checkpoint, Dataset};
use dbm_experiments::data::{DataSource, Split};
use dbm_experiments::evaluation::LikelihoodReport;
use dbm_experiments::likelihood::{Likelihood, PARTICLES};
use dbm_experiments::log_z::{LogZ, ReverseFrom};
use dbm_experiments::{Error, answers};

#[derive(Args)]
pub struct Evaluate {
    #[command(flatten)]
    model: ModelArgs,
    /// A folder with MNIST's IDX files; a file (IDX, gzip of IDX, CSV of 0/1 rows); or `digits`, `bars` or `target`, which are
    /// generated. Without data, only log Z is estimated
    #[arg(long, value_name = "DIR|FILE|digits|bars|target")]
    data: Option<String>,
    #[command(flatten)]
    reading: ReadingArgs,
    #[arg(long, help = Split::WORDS.help, value_parser = choice::<Split>(), default_value = "test")]
    split: Split,
    /// How many examples, from the first [default: all]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    count: Option<u32>,
    #[command(flatten)]
    ais: AisArgs,
    #[arg(long, help = ReverseFrom::WORDS.help, value_parser = choice::<ReverseFrom>())]
    reverse_from: Option<ReverseFrom>,
    /// Gibbs sweeps of the model from there on, which bring the starts of reverse annealing closer to samples of the model; there is then
    /// no conservative log p(v)
    #[arg(long, default_value_t = 0, value_name = "K")]
    reverse_sweeps: u32,
    /// Particles that are taken to the posterior of each example, with two or more hidden layers: more of them bring the estimate of log
    /// p(v) closer, from below; 0 omits it
    #[arg(long, default_value_t = PARTICLES, value_name = "N")]
    posterior_particles: usize,
    /// Seed of the chains, and of the units that the pseudo-likelihood looks at
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

impl Evaluate {
    pub fn run(&self, context: &Context) -> Result<(), Error> {
        let settings = self.ais.settings(self.seed)?;
        let (checkpoint, model) = self.model.file().load()?;
        let classes = checkpoint.settings.as_ref().map_or(0, |settings| settings.classes);
        let data = self.load_data(&checkpoint, &model)?;
        let data = data.as_ref().map(|(data, count)| (data, *count));
        let from = self.reverse_from.unwrap_or(if data.is_some() { ReverseFrom::Data } else { ReverseFrom::Nowhere });
        let reverse = (from, self.reverse_sweeps);
        Files::new(None, None)?.report(context, || {
            let log_z = LogZ::of(&model, data, &settings, reverse, &context.session)?;
            let particles = (self.posterior_particles, classes, self.seed);
            let likelihood = data.map(|data| Likelihood::of(&model, data, &log_z, particles, &context.session)).transpose()?;
            Ok(LikelihoodReport { settings: settings.clone(), reverse, log_z, likelihood })
        })
    }

    /// The data and how many of them to take, if there are any.
    fn load_data(&self, checkpoint: &Checkpoint, model: &Dbm) -> Result<Option<(Dataset, usize)>, Error> {
        let Some(name) = &self.data else {
            return match self.count {
                Some(_) => Err(Error::Usage("--count is a number of examples: give --data as well, or leave --count out".into())),
                None => Ok(None),
            };
        };
        let data = DataSource { name: name.clone(), options: self.reading.options()? }.load_for(checkpoint, self.split)?;
        let count = self.count.map_or(data.examples.len(), |count| count as usize);
        answers::check_fit(model, &data, count)?;
        Ok(Some((data, count)))
    }
}
