//! `dbm evaluate`.

use crate::args::{AisArgs, ModelArgs, ReadingArgs, choice};
use crate::context::Context;
use clap::Args;
use dbm_core::ais::{AisEstimate, Bracket};
use dbm_core::words::Choose;
use dbm_core::{Dbm, Host};
use dbm_data::Dataset;
use dbm_experiments::data::{DataSource, Split};
use dbm_experiments::likelihood::{Likelihood, MAX_SWEEPS};
use dbm_experiments::log_z::{LogZ, Reverse, ReverseFrom};
use dbm_experiments::{Error, answers};
use serde_json::{Value, json};

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
    /// Gibbs sweeps of the model from there on, which bring the starts of annealing in reverse nearer to samples of the model; there is no conservative log p(v) then
    #[arg(long, default_value_t = 0, value_name = "K")]
    reverse_sweeps: u32,
    /// Particles that are taken to the posterior of each example, with two and more hidden layers: more bring the estimate of log p(v) nearer, from below; 0 leaves it away
    #[arg(long, default_value_t = 32, value_name = "N")]
    posterior_particles: usize,
    /// Of the chains, and of the units that the pseudo-likelihood looks at
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

impl Evaluate {
    pub fn run(&self, context: &Context) -> Result<(), Error> {
        let settings = self.ais.settings(self.seed)?;
        let (checkpoint, model) = self.model.file().load()?;
        let classes = checkpoint.settings.as_ref().map_or(0, |settings| settings.classes);
        let data = self.load_data(&model)?;
        let started = context.session.now();
        let from = self.reverse_from.unwrap_or(if data.is_some() { ReverseFrom::Data } else { ReverseFrom::Nowhere });
        let reverse = (from, self.reverse_sweeps);
        let log_z = LogZ::of(&model, data.as_ref().map(|(data, count)| (data, *count)), &settings, reverse, &context.session)?;
        let likelihood = match &data {
            Some((data, count)) => Some(Likelihood::of(
                &model,
                (data, *count),
                &log_z,
                (self.posterior_particles, classes, self.seed),
                &context.session,
            )?),
            None => None,
        };
        let seconds = context.session.now() - started;
        let AisEstimate { log_z: estimate, standard_error, effective_sample_size, .. } = log_z.estimate;
        let mut fields = json!({
            "log_z": estimate, "log_z_standard_error": standard_error, "effective_sample_size": effective_sample_size,
            "exact_log_z": log_z.exact, "ais_chains": settings.chains, "ais_betas": settings.betas, "seconds": seconds,
        });
        if let Some(Reverse { bracket, .. }) = &log_z.reverse {
            append(
                &mut fields,
                json!({
                    "reverse_from": from.choice().name, "reverse_sweeps": self.reverse_sweeps, "reverse_log_z": bracket.high.log_z,
                    "reverse_log_z_standard_error": bracket.high.standard_error, "reverse_effective_sample_size": bracket.high.effective_sample_size,
                    "bennett_log_z": bracket.bennett.log_ratio, "bennett_log_z_standard_error": bracket.bennett.standard_error,
                    "bennett_overlap": bracket.bennett.overlap, "bracket": bracket.width(), "bracket_verdict": verdict(bracket),
                }),
            );
        }
        append(&mut fields, serde_json::to_value(&likelihood).unwrap_or_default());
        context.done(fields, || {
            format!(
                "log Z, low side       {estimate:.3} +- {standard_error:.3}\n                      {effective_sample_size:.1} of {} chains \
                 carry the weight\n{}exact log Z           {}\n{}{seconds:.1} s on {} threads",
                settings.chains,
                log_z.reverse.as_ref().map(both_sides).unwrap_or_default(),
                or_not_feasible(log_z.exact),
                likelihood.as_ref().map(text).unwrap_or_default(),
                context.session.threads()
            )
        });
        Ok(())
    }

    /// The data and how many of them to take, if there are any.
    fn load_data(&self, model: &Dbm) -> Result<Option<(Dataset, usize)>, Error> {
        let Some(name) = &self.data else {
            return match self.count {
                Some(_) => Err(Error::Usage("--count is of examples: give --data as well, or leave it away".into())),
                None => Ok(None),
            };
        };
        let data = DataSource { name: name.clone(), reading: self.reading.reading() }.load(self.split)?;
        let count = self.count.map_or(data.examples.len(), |count| count as usize);
        answers::check_fit(model, &data, count)?;
        Ok(Some((data, count)))
    }
}

/// Adds the entries of one object to another.
fn append(fields: &mut Value, more: Value) {
    if let (Value::Object(all), Value::Object(mut more)) = (fields, more) {
        all.append(&mut more);
    }
}

/// Whether the two ends of log Z agree, in words.
fn verdict(bracket: &Bracket) -> String {
    let width = bracket.width();
    match (bracket.is_open(), width < 0.0) {
        (false, _) => format!("closed: the ends are {:.3} nats apart", width.abs()),
        (true, false) => format!(
            "open: log Z may be anywhere in {width:.3} nats; more betas, or starts that are nearer to samples of the model, narrow it"
        ),
        (true, true) => format!(
            "open: the high side is {:.3} nats below the low one, so that its starts are hardly samples of the model; start from others, or sweep on",
            -width
        ),
    }
}

/// The high side and what lies between, in words.
fn both_sides(Reverse { bracket, .. }: &Reverse) -> String {
    let Bracket { high, bennett, .. } = bracket;
    format!(
        "log Z, high side      {:.3} +- {:.3}, a bound only as far as its starts are samples of the model\n                      {:.1} of {} chains \
         carry the weight\nlog Z, Bennett        {:.3} +- {:.3}, overlap {:.3}\n                      {}\n",
        high.log_z,
        high.standard_error,
        high.effective_sample_size,
        high.log_weights.len(),
        bennett.log_ratio,
        bennett.standard_error,
        bennett.overlap,
        verdict(bracket)
    )
}

fn or_not_feasible(exact: Option<f64>) -> String {
    exact.map_or("not feasible for so large a model".into(), |value| format!("{value:.3}"))
}

/// A likelihood in words.
fn text(of: &Likelihood) -> String {
    let note = match of.mean_field_capped {
        0 => "all converged".into(),
        capped => format!("{capped} cut at {MAX_SWEEPS}: their bounds are valid, but not as high as they could be"),
    };
    let missing = match of.missing_bits {
        0 => String::new(),
        missing => format!("{missing} of their bits are missing, and summed out: v is what is known\n"),
    };
    let also = |name: &str, value: Option<f64>| value.map_or_else(String::new, |value| format!("{name}{value:.3}\n"));
    let particles =
        also("log p(v), particles   ", of.log_p_particles) + &also("  by the high side    ", of.log_p_particles_reverse);
    let ends = also("  by the high side    ", of.log_p_bound_reverse) + &also("  by Bennett          ", of.log_p_bound_bennett);
    let wrong = of.classification_error.zip(of.prediction_error).map_or_else(String::new, |(error, predicted)| {
        format!("classes read wrong    {:.2} %, by the prediction of mean field {:.2} %\n", 100.0 * error, 100.0 * predicted)
    });
    let raise = of.log_p_raise.zip(of.log_p_raise_error);
    let raise = raise.map_or_else(String::new, |(log_p, error)| {
        format!("log p(v), RAISE       {log_p:.3} +- {error:.3} from the chains: conservative, of what annealing itself draws\n")
    });
    format!(
        "\nMeans over {} examples, in nats an example:\n{missing}\
         log p(v), lower bound {:.3} +- {:.3} from log Z, +- {:.3} over the examples\n{ends}{particles}{raise}\
         exact log p(v)        {}\n\
         {wrong}pseudo-likelihood     {:.3} +- {:.3}\n\
         reconstruction error  {:.5} a bit, squared\n\
         mean-field posteriors {:.1} sweeps each, {note}\n\n",
        of.count,
        of.log_p_bound,
        of.log_p_bound_error_from_log_z,
        of.log_p_bound_error_over_examples,
        or_not_feasible(of.exact_log_p),
        of.pseudo_log_likelihood,
        of.pseudo_log_likelihood_error,
        of.reconstruction_error,
        of.mean_field_sweeps
    )
}
