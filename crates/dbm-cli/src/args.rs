//! Arguments that several commands share.

use crate::given_reading::GivenReading;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use dbm_core::ais::AisSettings;
use dbm_core::complete::{Method, SamplingSchedule};
use dbm_core::words::Choose;
use dbm_core::{Dbm, Settings};
use dbm_data::Checkpoint;
use dbm_data::coding::Coding;
use dbm_engine::{ClassReading, Consensus};
use dbm_experiments::answers::AnswerOptions;
use dbm_experiments::data::{Binarize, DataOptions, DataSource};
use dbm_experiments::model::ModelFile;
use dbm_experiments::samples::{self, DrawnSamples, Sampler};
use dbm_experiments::{Error, Workbench};
use std::path::PathBuf;

/// Parses a value from a table of choices, with their names and help.
pub fn choice<T: Choose>() -> impl TypedValueParser<Value = T> {
    let names = T::CHOICES.iter().map(|choice| PossibleValue::new(choice.name).help(choice.help));
    PossibleValuesParser::new(names).map(|name| T::named(&name).unwrap_or(T::CHOICES[0].value))
}

#[derive(Args, Clone)]
pub struct DataArgs {
    /// A folder with MNIST's IDX files, or with pictures, whose folders are classes; a file (IDX, NPY, NPZ, CSV, TSV, a PNG sheet of tiles, any
    /// of them in gzip or ZIP); or one of these words, for generated data: `digits`, `bars`, `target` (1000 draws from a random
    /// distribution over 12 bits); a file with such a name is `./digits`
    #[arg(long, value_name = "DIR|FILE|digits|bars|target")]
    pub data: String,
    #[command(flatten)]
    pub reading: ReadingArgs,
}

impl DataArgs {
    /// # Errors
    /// Those of [`ReadingArgs::options`].
    pub fn source(&self) -> Result<DataSource, Error> {
        Ok(DataSource { name: self.data.clone(), options: self.reading.options()? })
    }
}

/// How data are read, or how many are generated.
#[derive(Args, Clone)]
pub struct ReadingArgs {
    /// Values above this are high, in their own units [default: 127 for bytes, 0 for 0 and 1, else the middle of their range]. Or
    /// `stochastic`: each is drawn once, at reading, high with probability value / 255, or the value itself if all are from 0 to 1;
    /// training then visits the same bits in every epoch. `redraw` draws other bits at every visit of training, by the run's seed; whatever
    /// else reads the data sees one draw, as with `stochastic`. `stochastic:SEED` and `redraw:SEED` draw others [default: 0]. A model's file
    /// does not store this: repeat the option whenever data are read for that model
    #[arg(long, allow_negative_numbers = true, value_name = "VALUE|stochastic[:SEED]|redraw[:SEED]")]
    binarize: Option<Binarize>,
    /// Visible units per value: 1 compares it with --binarize, 8 keep all bits of a byte [default: 1]
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=8), value_name = "N")]
    bits_per_value: Option<u8>,
    /// What these units stand for: `binary`, the most significant bits; `gray`, the same in Gray code; `thermometer`, each says whether the
    /// value is above its own threshold [default: binary]
    #[arg(long, requires = "bits_per_value", value_parser = choice::<Coding>())]
    coding: Option<Coding>,
    #[command(flatten)]
    files: GivenReading,
    /// How many digits to generate, with `--data digits`
    #[arg(long, default_value_t = 10_000, value_name = "N")]
    digits: usize,
    /// Find columns of two values that exclude one another: no row has two of them high, and chance would hardly explain it. They are taken
    /// for one value, such as the letter at a place in a sequence, so a model gives no probability to rows with two high. Its file stores
    /// which columns they are
    #[arg(long)]
    exclusive: bool,
    /// Hold out the last N training examples: they are not trained on, and replace the test examples. Use this for model selection, so that
    /// test examples are touched only once, at the end
    #[arg(long, value_name = "N")]
    hold_out: Option<usize>,
}

impl ReadingArgs {
    /// # Errors
    /// Those of [`GivenReading::reading`].
    pub fn options(&self) -> Result<DataOptions, Error> {
        let Self { binarize, bits_per_value, coding, files, digits, exclusive, hold_out } = self;
        let (coding, files) = (coding.unwrap_or_default(), files.reading()?);
        Ok(DataOptions {
            binarize: *binarize,
            bits_per_value: *bits_per_value,
            coding,
            files,
            digits: *digits,
            exclusive: *exclusive,
            hold_out: *hold_out,
        })
    }
}

#[derive(Args)]
pub struct ModelArgs {
    /// The model's file, a checkpoint
    #[arg(long, value_name = "FILE")]
    model: PathBuf,
    /// Use the last step's weights, even if the run kept averaged ones
    #[arg(long)]
    last: bool,
}

impl ModelArgs {
    pub fn file(&self) -> ModelFile {
        ModelFile { path: self.model.clone(), last: self.last }
    }
}

/// How samples are drawn.
#[derive(Args, Clone, Copy)]
pub struct SamplerArgs {
    /// How samples are drawn: `mode`, local search from noise; `gibbs:K`, K Gibbs sweeps from noise and a search; `mode+gibbs:K`, a search, K
    /// Gibbs sweeps from its mode, and a search; `annealed:K`, K Gibbs sweeps from noise, each a little colder, and a search;
    /// `class+gibbs:K`, for a model with labels, a class drawn and clamped, K Gibbs sweeps from noise, and a search; `ptt:K`, K rounds of
    /// parallel tempering over the ladder in the file of a model trained by ptt, and a search [default: as in the negative phase of the
    /// model's training: `mode`, `mode+gibbs:K` if it was trained with --mode-sweeps K, `gibbs:300` with persistent chains,
    /// `class+gibbs:300` if it also has labels]
    #[arg(long, value_name = "SCHEDULE")]
    pub sampler: Option<Sampler>,
    /// Draw only this class, for a model with labels (`dbm train --labels`): classes count from 0
    #[arg(long, value_name = "N")]
    class: Option<usize>,
}

impl SamplerArgs {
    /// The sampler requested, or that of the model's training.
    ///
    /// # Errors
    /// [`Error::Usage`] if it draws classes and the model has none.
    pub fn sampler(self, checkpoint: &Checkpoint) -> Result<Sampler, Error> {
        let sampler = self.sampler.unwrap_or_else(|| Sampler::Alone(samples::of_training(checkpoint)));
        if matches!(sampler, Sampler::Alone(SamplingSchedule::ClassGibbs(_))) && samples::classes(checkpoint) == 0 {
            return Err(Error::Usage(
                "--sampler class+gibbs:K draws a class first, but the model has no labels; give gibbs:K, or train it by `dbm train --labels`".into(),
            ));
        }
        Ok(sampler)
    }

    /// Samples by [`sampler`](Self::sampler).
    ///
    /// # Errors
    /// Those of [`sampler`](Self::sampler), and of drawing.
    pub fn draw(
        self,
        session: &Workbench,
        checkpoint: &Checkpoint,
        model: &Dbm,
        count: usize,
        seed: u64,
    ) -> Result<DrawnSamples, Error> {
        match (self.class, self.sampler(checkpoint)?) {
            (None, sampler) => samples::draw_by(session, checkpoint, model, sampler, (count, seed)),
            (Some(class), Sampler::Alone(schedule)) => {
                samples::draw_class(session, (checkpoint, model), schedule, class, (count, seed))
            }
            (Some(_), Sampler::Ptt(_)) => Err(Error::Usage(
                "--class needs chains that run independently: give a --sampler other than ptt:K, or leave --class out".into(),
            )),
        }
    }
}

/// Default number of Gibbs sweeps of an answer before its last search.
pub const ANSWER_SWEEPS: u32 = 100;

/// How answers are drawn.
#[derive(Args, Clone, Copy)]
pub struct AnswerArgs {
    /// Answers per example
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    answers: u32,
    #[arg(long, help = Method::WORDS.help, value_parser = choice::<Method>(), default_value = "suited")]
    method: Method,
    #[arg(long, help = Consensus::WORDS.help, value_parser = choice::<Consensus>(), num_args = 0..=1, require_equals = true, default_missing_value = "medoid")]
    consensus: Option<Consensus>,
    #[arg(long, help = ClassReading::WORDS.help, value_parser = choice::<ClassReading>(), num_args = 0..=1, require_equals = true, default_missing_value = "chains")]
    class_first: Option<ClassReading>,
}

impl AnswerArgs {
    /// With this many Gibbs sweeps before the last search.
    ///
    /// # Errors
    /// [`Error::Usage`] if classes are requested of a model that has none.
    pub fn answering(self, sweeps: u32, checkpoint: &Checkpoint) -> Result<AnswerOptions, Error> {
        let Self { answers, method, consensus, class_first } = self;
        if class_first.is_some() && checkpoint.settings.as_ref().is_none_or(|settings| settings.classes == 0) {
            return Err(Error::Usage(
                "--class-first needs a model with labels, as `dbm train --labels` makes one; leave --class-first out".into(),
            ));
        }
        let method = method.of_model(checkpoint.settings.as_ref().is_some_and(Settings::trains_predictions));
        Ok(AnswerOptions { answers, method, sweeps, consensus, class_first })
    }
}

/// Annealed importance sampling.
#[derive(Args, Clone, Copy)]
pub struct AisArgs {
    /// Chains of annealed importance sampling: more make the standard error smaller
    #[arg(long, default_value_t = 100, value_name = "N")]
    ais_chains: usize,
    /// Steps of annealed importance sampling, from independent units to the model: more also make log Z less of an underestimate
    #[arg(long, default_value_t = 10_000, value_name = "N")]
    ais_betas: usize,
}

impl AisArgs {
    /// The settings, checked.
    pub fn settings(self, seed: u64) -> Result<AisSettings, Error> {
        let settings = AisSettings { chains: self.ais_chains, betas: self.ais_betas, seed };
        settings.check()?;
        Ok(settings)
    }
}
