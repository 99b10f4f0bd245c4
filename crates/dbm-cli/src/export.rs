//! `dbm export`.

use crate::args::{ReadingArgs, SamplerArgs, choice};
use crate::context::Context;
use clap::Args;
use dbm_core::words::Choose;
use dbm_data::Precision;
use dbm_data::picture::grey;
use dbm_data::raw::Visible;
use dbm_experiments::data::{DataSource, Split, without_gaps};
use dbm_experiments::model::{ModelFile, visible};
use dbm_experiments::score::levels;
use dbm_experiments::{Error, files};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

/// Default number of pictures.
const PICTURES: usize = 10_000;

#[derive(Args)]
pub struct Export {
    /// The model's file, a checkpoint
    #[arg(long, value_name = "FILE", required_unless_present = "data")]
    model: Option<PathBuf>,
    /// Use the last step's weights, even if the run kept averaged ones
    #[arg(long, conflicts_with = "data")]
    last: bool,
    /// Where to write the weights (.safetensors)
    #[arg(long, value_name = "FILE", conflicts_with = "data", required_unless_present = "png_dir")]
    out: Option<PathBuf>,
    /// Weights in half precision
    #[arg(long, requires = "out")]
    half: bool,
    /// A new or empty folder, for samples of the model as PNG files, 00000.png and so on, in grey levels, one pixel per value
    #[arg(long, value_name = "DIR")]
    png_dir: Option<PathBuf>,
    /// Write examples of these data to --png-dir instead of samples, as a model of them sees them: what `dbm train --data` takes
    #[arg(long, value_name = "DIR|FILE|digits|bars|target", conflicts_with = "model", requires = "png_dir")]
    data: Option<String>,
    #[command(flatten)]
    reading: ReadingArgs,
    #[arg(long, help = Split::WORDS.help, value_parser = choice::<Split>(), default_value = "test")]
    split: Split,
    /// How many pictures; examples are the first [default: 10000, or as many examples as there are]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    count: Option<u32>,
    #[command(flatten)]
    sampler: SamplerArgs,
    /// Seed of the samples
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

/// Pictures to write, `[count, rows * columns]`.
struct Pictures {
    shape: (usize, usize),
    levels: Vec<u8>,
}

impl Export {
    pub fn run(&self, context: &Context) -> Result<(), Error> {
        if let Some(out) = &self.out {
            files::check_writable(out)?;
        }
        if let Some(folder) = &self.png_dir {
            check_empty(folder)?;
        }
        let model = self.model.as_ref().map(|path| ModelFile { path: path.clone(), last: self.last });
        if let (Some(model), Some(out)) = (&model, &self.out) {
            self.weights(model, out, context)?;
        }
        if let Some(folder) = &self.png_dir {
            let pictures = match (&model, &self.data) {
                (Some(model), _) => self.samples(model, context)?,
                (None, Some(data)) => self.examples(data)?,
                (None, None) => return Err(Error::Usage("give --model or --data".into())),
            };
            write_all(folder, &pictures, context)?;
        }
        Ok(())
    }

    fn weights(&self, model: &ModelFile, out: &Path, context: &Context) -> Result<(), Error> {
        let weights = model.load_weights()?;
        let bytes = weights.to_bytes(if self.half { Precision::Half } else { Precision::Full })?;
        files::write(out, &bytes)?;
        context.done(json!({ "bytes": bytes.len(), "step": weights.step, "out": out }), || {
            format!("{} bytes, weights of step {}: {}", bytes.len(), weights.step, out.display())
        });
        Ok(())
    }

    fn samples(&self, model: &ModelFile, context: &Context) -> Result<Pictures, Error> {
        let (checkpoint, model) = model.load()?;
        let visible = visible(&checkpoint)?;
        let shape = shape(checkpoint.image, visible.as_ref(), model.n_visible(), "the model")?;
        let count = self.count.map_or(PICTURES, |count| count as usize);
        let samples = self.sampler.draw(&context.session, &checkpoint, &model, count, self.seed)?;
        Ok(Pictures { shape, levels: levels(visible.as_ref(), &samples.bits) })
    }

    fn examples(&self, name: &str) -> Result<Pictures, Error> {
        let data = DataSource { name: name.into(), options: self.reading.options()? }.load(self.split)?;
        without_gaps(&data, "these pictures are whole")?;
        let there = data.examples.len();
        let count = self.count.map_or(PICTURES.min(there), |count| count as usize);
        if count > there {
            return Err(Error::Usage(format!("--count should be at most the {there} examples there are, but is {count}")));
        }
        let shape = shape(data.image, data.visible.as_ref(), data.examples.width(), &data.name)?;
        let bits: Vec<u8> = (0..count).flat_map(|row| data.examples.row(row)).collect();
        Ok(Pictures { shape, levels: levels(data.visible.as_ref(), &bits) })
    }
}

/// Rows and columns in values; each value may be several units, side by side.
fn shape(image: Option<(usize, usize)>, visible: Option<&Visible>, units: usize, name: &str) -> Result<(usize, usize), Error> {
    let depth = visible.map_or(1, Visible::depth);
    match image {
        Some((rows, columns)) if rows * columns == units && columns.is_multiple_of(depth) => Ok((rows, columns / depth)),
        _ => Err(Error::Input(format!(
            "{name} has rows of {units} units and no pictures; use one of images, or `dbm sample` to an .npy file"
        ))),
    }
}

/// Older pictures in the folder would be counted.
fn check_empty(folder: &Path) -> Result<(), Error> {
    match fs::read_dir(folder) {
        Ok(mut entries) => match entries.next() {
            None => Ok(()),
            Some(_) => {
                Err(Error::Usage(format!("--png-dir {}: this folder is not empty; give a new or an empty one", folder.display())))
            }
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(Error::Write { path: folder.into(), source }),
    }
}

fn write_all(folder: &Path, Pictures { shape, levels }: &Pictures, context: &Context) -> Result<(), Error> {
    fs::create_dir_all(folder).map_err(|source| Error::Write { path: folder.into(), source })?;
    let size = shape.0 * shape.1;
    let count = levels.len() / size;
    let progress = &context.session.progress;
    progress.begin("pictures", count as u64);
    for (number, levels) in levels.chunks_exact(size).enumerate() {
        files::write(&folder.join(format!("{number:05}.png")), &grey(*shape, levels)?)?;
        progress.advance(1);
    }
    progress.end();
    context.done(json!({ "pictures": count, "rows": shape.0, "columns": shape.1, "png_dir": folder }), || {
        format!("{count} pictures of {} x {}: {}", shape.0, shape.1, folder.display())
    });
    Ok(())
}
