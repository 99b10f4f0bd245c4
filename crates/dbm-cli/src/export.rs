//! `dbm export`.

use crate::data::{DataArgs, Reading, Split};
use crate::error::CliError;
use crate::files;
use crate::model::{ModelArgs, visible};
use crate::progress;
use crate::sampler::{self, SamplerArgs};
use crate::score::levels;
use crate::threads::Threads;
use clap::Args;
use dbm_data::Precision;
use dbm_data::picture::grey;
use dbm_data::raw::Visible;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

/// So many pictures where no number is asked for.
const PICTURES: usize = 10_000;

#[derive(Args)]
pub struct Export {
    /// The checkpoint
    #[arg(long, value_name = "FILE", required_unless_present = "data")]
    model: Option<PathBuf>,
    /// Use the last step's weights, even where the run kept averaged ones
    #[arg(long, conflicts_with = "data")]
    last: bool,
    /// Where to write the weights (.safetensors)
    #[arg(long, value_name = "FILE", conflicts_with = "data", required_unless_present = "png_dir")]
    out: Option<PathBuf>,
    /// Weights in half precision
    #[arg(long, requires = "out")]
    half: bool,
    /// A new or empty folder, for samples of the model as PNG files, 00000.png and so on, in grey levels, a pixel a value
    #[arg(long, value_name = "DIR")]
    png_dir: Option<PathBuf>,
    /// Write examples of these data to --png-dir, and no samples, as a model of them sees them: what `dbm train --data` takes
    #[arg(long, value_name = "DIR|FILE|digits|bars|target", conflicts_with = "model", requires = "png_dir")]
    data: Option<String>,
    #[command(flatten)]
    reading: Reading,
    /// Which half of a folder of MNIST, or of the generated digits
    #[arg(long, value_enum, default_value = "test")]
    split: Split,
    /// How many pictures; examples are the first [default: 10000, or as many examples as there are]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    count: Option<u32>,
    #[command(flatten)]
    sampler: SamplerArgs,
    /// Which samples
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

/// Pictures to be written, `[count, rows * columns]`.
struct Pictures {
    shape: (usize, usize),
    levels: Vec<u8>,
}

impl Export {
    pub fn run(&self, threads: &Threads, json: bool) -> Result<(), CliError> {
        if let Some(out) = &self.out {
            files::check_writable(out)?;
        }
        if let Some(folder) = &self.png_dir {
            check_empty(folder)?;
        }
        let model = self.model.as_ref().map(|path| ModelArgs::new(path.clone(), self.last));
        if let (Some(model), Some(out)) = (&model, &self.out) {
            self.weights(model, out, json)?;
        }
        if let Some(folder) = &self.png_dir {
            let pictures = match (&model, &self.data) {
                (Some(model), _) => self.samples(model, threads, json)?,
                (None, Some(data)) => self.examples(data)?,
                (None, None) => return Err(CliError::Usage("give --model or --data".into())),
            };
            write_all(folder, &pictures, json)?;
        }
        Ok(())
    }

    fn weights(&self, model: &ModelArgs, out: &Path, json: bool) -> Result<(), CliError> {
        let weights = model.load_weights()?;
        let bytes = weights.to_bytes(if self.half { Precision::Half } else { Precision::Full })?;
        files::write(out, &bytes)?;
        if json {
            println!("{}", json!({ "event": "done", "bytes": bytes.len(), "step": weights.step, "out": out }));
        } else {
            println!("{} bytes, weights of step {}: {}", bytes.len(), weights.step, out.display());
        }
        Ok(())
    }

    fn samples(&self, model: &ModelArgs, threads: &Threads, json: bool) -> Result<Pictures, CliError> {
        let (checkpoint, model) = model.load()?;
        let visible = visible(&checkpoint)?;
        let shape = shape(checkpoint.image, visible.as_ref(), model.n_visible(), "the model")?;
        let count = self.count.map_or(PICTURES, |count| count as usize);
        let bar = progress::bar(count, "samples", json);
        let samples = sampler::draw(threads, &model, self.sampler.walk(&checkpoint), count, self.seed, &bar);
        bar.finish_and_clear();
        Ok(Pictures { shape, levels: levels(visible.as_ref(), &samples.bits) })
    }

    fn examples(&self, name: &str) -> Result<Pictures, CliError> {
        let data = DataArgs { data: name.into(), reading: self.reading }.load(self.split)?;
        crate::data::without_gaps(&data, "these pictures are whole")?;
        let there = data.examples.len();
        let count = self.count.map_or(PICTURES.min(there), |count| count as usize);
        if count > there {
            return Err(CliError::Usage(format!("--count should be at most the {there} examples there are, but is {count}")));
        }
        let shape = shape(data.image, data.visible.as_ref(), data.examples.width(), &data.name)?;
        let bits: Vec<u8> = (0..count).flat_map(|row| data.examples.row(row)).collect();
        Ok(Pictures { shape, levels: levels(data.visible.as_ref(), &bits) })
    }
}

/// Rows and columns in values, of which each may be several units, side by side.
fn shape(image: Option<(usize, usize)>, visible: Option<&Visible>, units: usize, name: &str) -> Result<(usize, usize), CliError> {
    let depth = visible.map_or(1, Visible::depth);
    match image {
        Some((rows, columns)) if rows * columns == units && columns.is_multiple_of(depth) => Ok((rows, columns / depth)),
        _ => Err(CliError::Input(format!(
            "{name} has rows of {units} units and no pictures; use one of images, or `dbm sample` to an .npy file"
        ))),
    }
}

/// Pictures of before in the folder would be counted in.
fn check_empty(folder: &Path) -> Result<(), CliError> {
    match fs::read_dir(folder) {
        Ok(mut entries) => match entries.next() {
            None => Ok(()),
            Some(_) => Err(CliError::Usage(format!(
                "--png-dir {}: this folder is not empty; give a new or an empty one",
                folder.display()
            ))),
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(CliError::Write { path: folder.into(), source }),
    }
}

fn write_all(folder: &Path, Pictures { shape, levels }: &Pictures, json: bool) -> Result<(), CliError> {
    fs::create_dir_all(folder).map_err(|source| CliError::Write { path: folder.into(), source })?;
    let size = shape.0 * shape.1;
    let count = levels.len() / size;
    let bar = progress::bar(count, "pictures", json);
    for (number, levels) in levels.chunks_exact(size).enumerate() {
        files::write(&folder.join(format!("{number:05}.png")), &grey(*shape, levels)?)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    if json {
        println!("{}", json!({ "event": "done", "pictures": count, "rows": shape.0, "columns": shape.1, "png_dir": folder }));
    } else {
        println!("{count} pictures of {} x {}: {}", shape.0, shape.1, folder.display());
    }
    Ok(())
}
