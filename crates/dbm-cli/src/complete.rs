//! `dbm complete`.

use crate::args::{ANSWER_SWEEPS, AnswerArgs, DataArgs, ModelArgs, choice};
use crate::context::Context;
use crate::output::Format;
use clap::Args;
use dbm_core::Host;
use dbm_core::words::Choose;
use dbm_data::picture::{Tile, grid};
use dbm_data::{Dataset, npy};
use dbm_experiments::answers::{check_fit, unknown};
use dbm_experiments::data::Split;
use dbm_experiments::score::levels;
use dbm_experiments::{Error, files};
use serde_json::json;
use std::path::PathBuf;

#[derive(Args)]
pub struct Complete {
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    data: DataArgs,
    #[arg(long, help = Split::WORDS.help, value_parser = choice::<Split>(), default_value = "test")]
    split: Split,
    /// How many examples, from the first
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    count: u32,
    /// What to hide in addition to the data's own gaps: lower-half, upper-half, left-half, right-half, box (the middle), random:SHARE, or
    /// an .npy file of shape [visible] or [N, visible], or with rows and columns, nonzero where unknown
    #[arg(long, default_value = "lower-half")]
    mask: String,
    #[command(flatten)]
    answering: AnswerArgs,
    /// Gibbs sweeps before the last search
    #[arg(long, default_value_t = ANSWER_SWEEPS)]
    sweeps: u32,
    /// Seed of the answers
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// u8 0/1 of shape [N, answers, visible] (.npy); a picture with one row per example: truth, mask, answers, agreement (.png); or, for a
    /// table's model, rows with its columns' names and values, after the numbers of the example and the answer (.csv)
    #[arg(long, value_name = "FILE.npy|FILE.png|FILE.csv")]
    out: PathBuf,
}

impl Complete {
    pub fn run(&self, context: &Context) -> Result<(), Error> {
        let format = Format::of(&self.out)?;
        files::check_writable(&self.out)?;
        let file = self.model.file();
        let (checkpoint, model) = file.load()?;
        let data = self.data.source()?.load_for(&checkpoint, self.split)?;
        let columns = if format == Format::Csv { Some(file.columns(&checkpoint)?) } else { None };
        let n = model.n_visible();
        let answering = self.answering.answering(self.sweeps, &checkpoint)?;
        let (count, answers) = (self.count as usize, answering.kept());
        check_fit(&model, &data, count)?;
        let unknown = unknown(&self.mask, self.seed, count, &data, checkpoint.image)?;

        let started = context.session.now();
        let bits = answering.draw(&context.session, &model, (&data, 0..count), &unknown, self.seed)?;
        let seconds = context.session.now() - started;

        let bytes = match (format, columns) {
            (_, Some(columns)) => columns.decode(&bits, &["example", "answer"], |row| {
                vec![(row / answers + 1).to_string(), (row % answers + 1).to_string()]
            }),
            (Format::Npy | Format::Csv, None) => npy::write_u8(&[count, answers, n], &bits),
            (Format::Png, None) => picture(&data, &unknown, &bits, answers)?,
        };
        files::write(&self.out, &bytes)?;
        let (agreement, distinct) = summary(&data, &unknown, &bits, answers);
        context.done(
            json!({ "count": count, "answers": answers, "agreement_with_truth": agreement, "mean_distinct_answers": distinct,
                    "seconds": seconds, "out": self.out }),
            || {
                format!(
                    "{count} examples, {answers} answers each ({distinct:.1} distinct), {:.1} % of the hidden bits match the original, \
                     {seconds:.1} s: {}",
                    100.0 * agreement,
                    self.out.display()
                )
            },
        );
        Ok(())
    }
}

/// Share of the hidden bits that match the truth, if it is known, and the mean number of distinct answers.
fn summary(data: &Dataset, unknown: &[u8], bits: &[u8], answers: usize) -> (f64, f64) {
    let n = data.examples.width();
    let (mut right, mut asked, mut distinct) = (0_u64, 0_u64, 0);
    for (example, block) in bits.chunks(answers * n).enumerate() {
        let (truth, known) = (data.examples.row(example), data.examples.known_row(example));
        let unknown = &unknown[example * n..(example + 1) * n];
        for answer in block.chunks(n) {
            for i in (0..n).filter(|&i| unknown[i] != 0 && known[i]) {
                asked += 1;
                right += u64::from(answer[i] == truth[i]);
            }
        }
        distinct += block.chunks(n).collect::<std::collections::HashSet<_>>().len();
    }
    let examples = bits.len() / (answers * n);
    (if asked == 0 { 1.0 } else { right as f64 / asked as f64 }, distinct as f64 / examples as f64)
}

/// One row per example: truth, known part, each answer, and the mean of the answers.
fn picture(data: &Dataset, unknown: &[u8], bits: &[u8], answers: usize) -> Result<Vec<u8>, Error> {
    let n = data.examples.width();
    let tile = |units: &[u8]| Tile::of_units(data.image, data.visible.as_ref(), units);
    let mut tiles = Vec::new();
    for (example, block) in bits.chunks(answers * n).enumerate() {
        let truth = data.examples.row(example);
        let missing: Vec<u8> = data.examples.known_row(example).into_iter().map(|known| u8::from(!known)).collect();
        let unknown: Vec<u8> = unknown[example * n..(example + 1) * n].iter().zip(&missing).map(|(a, b)| a | b).collect();
        tiles.push(tile(&truth).hiding(&missing));
        tiles.push(tile(&truth).hiding(&unknown));
        tiles.extend(block.chunks(n).map(tile));
        let levels = levels(data.visible.as_ref(), block);
        let values = levels.len() / answers;
        let mean =
            |value: usize| levels.iter().skip(value).step_by(values).map(|&level| usize::from(level)).sum::<usize>() / answers;
        let image = data.image.map(|(rows, _)| (rows, values / rows.max(1)));
        tiles.push(Tile::levels(image, &(0..values).map(|value| mean(value) as u8).collect::<Vec<u8>>()));
    }
    Ok(grid(&tiles, answers + 3, 2)?)
}
