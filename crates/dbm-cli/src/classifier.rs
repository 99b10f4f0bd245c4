//! `dbm classifier`: trains the classifier that `dbm score` is based on.

use crate::context::Context;
use clap::Args;
use dbm_experiments::Error;
use std::path::PathBuf;

#[derive(Args)]
pub struct Classifier {
    /// A folder with MNIST's IDX files, or `digits`, which are generated. Its training digits are trained on, grey and binarized; its test
    /// digits show how well they are read
    #[arg(long, value_name = "DIR|digits")]
    data: String,
    /// How many digits to generate, with `--data digits`
    #[arg(long, default_value_t = 10_000, value_name = "N")]
    digits: usize,
    /// Number of times that every digit is seen
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..))]
    epochs: u32,
    /// Seed of all randomness in training
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Where to write the weights (.safetensors)
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

impl Classifier {
    #[cfg(not(feature = "classifier"))]
    #[expect(clippy::unused_self, reason = "as in a build with the library")]
    pub fn run(&self, _: &Context) -> Result<(), Error> {
        Err(Error::Usage(
            "this dbm was built without the library that trains the classifier, which takes minutes to compile and is not needed for scores; build \
             it by `cargo build --release -p dbm-cli --features classifier`"
                .into(),
        ))
    }

    #[cfg(feature = "classifier")]
    pub fn run(&self, context: &Context) -> Result<(), Error> {
        use dbm_core::Host;
        use dbm_experiments::data::{DataOptions, DataSource, Split, without_gaps};
        use dbm_experiments::{
            files,
            score::{self, GREY},
        };
        use dbm_score::training::{Recipe, train};
        use sha2::{Digest, Sha256};

        files::check_writable(&self.out)?;
        let data = DataSource { name: self.data.clone(), options: DataOptions::of_digits(self.digits) };
        let session = &context.session;
        let load = |split| -> Result<_, Error> {
            let set = data.load_as(Some(&GREY), split)?;
            without_gaps(&set, "a classifier is trained on whole pictures")?;
            let Some(labels) = set.labels.clone() else {
                return Err(Error::Input(format!(
                    "{}: a classifier learns labels, but there are none here; give both files",
                    set.name
                )));
            };
            Ok((score::digits(&set)?, labels, set.sha256()))
        };
        let (pictures, labels, data_hash) = load(Split::Train)?;
        let (test, test_labels, _) = load(Split::Test)?;
        let recipe = Recipe { epochs: self.epochs, seed: self.seed, ..Recipe::default() };
        let started = session.now();
        session.progress.begin("steps", u64::from(self.epochs) * labels.len().div_ceil(recipe.batch) as u64);
        let classifier = train(&pictures, &labels, &recipe, &mut |at| {
            session.progress.advance(1);
            if at.step % 50 == 0 {
                session.progress.message(format!("loss {:.4}", at.loss));
            }
        })?;
        session.progress.end();
        let bytes = classifier.to_bytes();
        files::write(&self.out, &bytes)?;
        let accuracy = |pictures: &[u8]| -> Result<f64, Error> {
            let read = classifier.read(session, pictures)?.digits;
            Ok(read.iter().zip(&test_labels).filter(|(read, label)| read == label).count() as f64 / test_labels.len() as f64)
        };
        let binarized: Vec<u8> = test.iter().map(|&level| u8::from(level > dbm_score::BINARIZED_ABOVE) * u8::MAX).collect();
        let (on_grey, on_binarized) = (accuracy(&test)?, accuracy(&binarized)?);
        let hash = Sha256::digest(&bytes).iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
        let seconds = session.now() - started;
        let fields = serde_json::json!({
            "accuracy_binarized": on_binarized, "accuracy_grey": on_grey, "data_sha256": data_hash, "sha256": hash,
            "bytes": bytes.len(), "seconds": seconds, "out": self.out,
        });
        context.done(fields, || {
            format!(
                "test digits read right: {:.2} % binarized, {:.2} % grey\ntraining digits, SHA-256: {data_hash}\n{} bytes, SHA-256 {hash}, \
                 {seconds:.0} s: {}",
                100.0 * on_binarized,
                100.0 * on_grey,
                bytes.len(),
                self.out.display()
            )
        });
        Ok(())
    }
}
