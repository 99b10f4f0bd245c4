//! `dbm complete`.

use crate::data::{DataArgs, Split};
use crate::error::CliError;
use crate::files::{self, Format};
use crate::model::ModelArgs;
use crate::sampler::{CHAINS, MAX_SWEEPS};
use crate::threads::Threads;
use clap::{Args, ValueEnum};
use dbm_core::complete::{Completer, SamplingSchedule, balanced, consensus, majority};
use dbm_core::linalg::Matrix;
use dbm_core::rng::{Purpose, Streams};
use dbm_core::{Dbm, Host};
use dbm_data::picture::{Tile, grid};
use dbm_data::raw::Visible;
use dbm_data::{Dataset, npy};
use indicatif::ProgressBar;
use serde_json::json;
use std::path::{Path, PathBuf};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Method {
    /// Clamped Gibbs sweeps, then local search
    Gibbs,
    /// Local search alone, as in the paper
    Search,
    /// Local search, clamped Gibbs sweeps from its mode, local search
    ModeGibbs,
    /// Clamped Gibbs sweeps, each a little colder than the one before (inverse temperature 0.3 to 1), then local search
    Annealed,
}

impl Method {
    /// With so many Gibbs sweeps, where there are any.
    pub fn walk(self, sweeps: u32) -> SamplingSchedule {
        match self {
            Self::Gibbs => SamplingSchedule::Gibbs(sweeps),
            Self::Search => SamplingSchedule::Mode,
            Self::ModeGibbs => SamplingSchedule::ModeGibbs(sweeps),
            Self::Annealed => SamplingSchedule::Annealed(sweeps),
        }
    }
}

/// How answers are drawn.
#[derive(Args, Clone, Copy)]
pub struct Answering {
    /// Answers an example
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub answers: u32,
    #[arg(long, value_enum, default_value = "annealed")]
    pub method: Method,
    /// Gibbs sweeps before the last search
    #[arg(long, default_value_t = 100)]
    pub sweeps: u32,
    /// Make one answer of these: the one that the others agree with most, or what most of them say, unit by unit
    #[arg(long, value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "medoid")]
    pub consensus: Option<Consensus>,
}

/// One answer of many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Consensus {
    /// The answer that the others agree with most
    Medoid,
    /// What most answers say, unit by unit
    Majority,
    /// The units that are high in most answers, as many as are high in an answer: of strokes that the answers put here and there more is left
    Balanced,
}

impl Consensus {
    /// Of `answers` answers to each question, `[count, answers, n]`, the one that is made of them, `[count, n]`.
    pub fn of(self, n: usize, answers: usize, bits: &[u8]) -> Vec<u8> {
        let of_one = |bits: &[u8]| match self {
            Self::Medoid => bits.chunks(n).nth(consensus(n, bits)).unwrap_or_default().to_vec(),
            Self::Majority => majority(n, bits),
            Self::Balanced => balanced(n, bits),
        };
        bits.chunks(n * answers).flat_map(of_one).collect()
    }
}

#[derive(Args)]
pub struct Complete {
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    data: DataArgs,
    /// Which half of a folder of MNIST, or of the generated digits
    #[arg(long, value_enum, default_value = "test")]
    split: Split,
    /// How many examples, from the first
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    count: u32,
    /// What is unknown besides what the data lack: lower-half, upper-half, left-half, right-half, box (the middle), random:SHARE, or an .npy file of
    /// shape [visible] or [N, visible], or with rows and columns, not 0 where unknown
    #[arg(long, default_value = "lower-half")]
    mask: String,
    #[command(flatten)]
    answering: Answering,
    /// Which answers
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// u8 0/1 of shape [N, answers, visible] (.npy); a picture: a row an example, with truth, mask, answers, agreement (.png); or, of
    /// a table's model, rows with its columns' names and values, after the numbers of the example and the answer (.csv)
    #[arg(long, value_name = "FILE.npy|FILE.png|FILE.csv")]
    out: PathBuf,
}

impl Complete {
    pub fn run(&self, threads: &Threads, json: bool) -> Result<(), CliError> {
        let format = Format::of(&self.out)?;
        files::check_writable(&self.out)?;
        let (checkpoint, model) = self.model.load()?;
        let data = self.data.load_for(&checkpoint, self.split)?;
        let columns = if format == Format::Csv { Some(self.model.columns(&checkpoint)?) } else { None };
        let n = model.n_visible();
        let (count, answers) = (self.count as usize, self.answering.kept());
        check_fit(&model, &data, count)?;
        let unknown = unknown(&self.mask, self.seed, count, &data, checkpoint.image)?;

        let started = threads.now();
        let bits = self.answering.draw(threads, &model, (&data, count), &unknown, self.seed, json);
        let seconds = threads.now() - started;

        let bytes = match (format, columns) {
            (_, Some(columns)) => columns.decode(&bits, &["example", "answer"], |row| {
                vec![(row / answers + 1).to_string(), (row % answers + 1).to_string()]
            }),
            (Format::Npy | Format::Csv, None) => npy::write_u8(&[count, answers, n], &bits),
            (Format::Png, None) => picture(&data, &unknown, &bits, answers)?,
        };
        files::write(&self.out, &bytes)?;
        let (agreement, distinct) = summary(&data, &unknown, &bits, answers);
        if json {
            println!(
                "{}",
                json!({ "event": "done", "count": count, "answers": answers, "agreement_with_truth": agreement,
                        "mean_distinct_answers": distinct, "seconds": seconds, "out": self.out })
            );
        } else {
            println!(
                "{count} examples, {answers} answers each ({distinct:.1} distinct), {:.1} % of the unknown bits as in the \
                 truth, {seconds:.1} s: {}",
                100.0 * agreement,
                self.out.display()
            );
        }
        Ok(())
    }
}

/// That the data are of the model's shape, and that there are as many examples as asked for.
pub fn check_fit(model: &Dbm, data: &Dataset, count: usize) -> Result<(), CliError> {
    let (n, width, there) = (model.n_visible(), data.examples.width(), data.examples.len());
    if width != n {
        return Err(CliError::Input(format!(
            "the model has {n} visible units, but the examples of {} have {width} bits; give data of the model's shape",
            data.name
        )));
    }
    if count > there {
        return Err(CliError::Usage(format!("--count should be at most the {there} examples there are, but is {count}")));
    }
    Ok(())
}

impl Answering {
    /// Answers an example that are kept.
    pub fn kept(&self) -> usize {
        if self.consensus.is_some() { 1 } else { self.answers as usize }
    }

    /// The way of a chain from noise to an answer.
    pub fn walk(&self) -> SamplingSchedule {
        self.method.walk(self.sweeps)
    }

    /// Answers to the first `count` examples, `[count, kept, visible]`, where `unknown` (`[count, visible]`) is not 0 or the data lack a bit. Each
    /// depends on the model, the example, the seed and its number alone.
    pub fn draw(
        &self,
        threads: &Threads,
        model: &Dbm,
        (data, count): (&Dataset, usize),
        unknown: &[u8],
        seed: u64,
        json: bool,
    ) -> Vec<u8> {
        let bar = if json { ProgressBar::hidden() } else { ProgressBar::new(count as u64) };
        let per_task = self.per_task();
        let starts: Vec<usize> = (0..count).step_by(per_task).collect();
        let parts = threads.map(starts, |start| {
            let rows = start..(start + per_task).min(count);
            let done = rows.len() as u64;
            let bits = self.answer(model, data, rows, unknown, seed);
            bar.inc(done);
            bits
        });
        bar.finish_and_clear();
        parts.concat()
    }

    /// Examples a task: the chains of all their answers go together.
    pub fn per_task(&self) -> usize {
        (CHAINS / self.answers as usize).max(1)
    }

    /// `answers` completions of each of these examples, one after another.
    pub fn answer(&self, model: &Dbm, data: &Dataset, rows: std::ops::Range<usize>, unknown: &[u8], seed: u64) -> Vec<u8> {
        let (n, answers) = (model.n_visible(), self.answers as usize);
        let mut visible = Matrix::zeros(rows.len() * answers, n);
        let mut known = Vec::with_capacity(visible.data().len());
        for chain in 0..visible.rows() {
            let example = rows.start + chain / answers;
            data.examples.write_row(example, model.units(), visible.row_mut(chain));
            let asked = unknown[example * n..(example + 1) * n].iter();
            known.extend(asked.zip(data.examples.known_row(example)).map(|(&u, known)| u == 0 && known));
        }
        let mut completer = Completer::complete(model, visible, known, seed, (rows.start * answers) as u64);
        let bits = completer.run(model, self.walk(), MAX_SWEEPS).0;
        match self.consensus {
            Some(consensus) => consensus.of(n, answers, &bits),
            None => bits,
        }
    }
}

/// What a mask of this name hides of the first `count` examples, `[count, visible]`: 1 where unknown. A random mask hides whole values, which may
/// be several units each. `image` is the rows and columns where the data have none.
pub fn unknown(mask: &str, seed: u64, count: usize, data: &Dataset, image: Option<(usize, usize)>) -> Result<Vec<u8>, CliError> {
    let n = data.examples.width();
    let planar = |unknown: &dyn Fn(usize, usize, usize, usize) -> bool| match data.image.or(image) {
        Some((rows, columns)) => {
            Ok((0..n).map(|i| u8::from(unknown(i / columns, i % columns, rows, columns))).collect::<Vec<u8>>().repeat(count))
        }
        None => Err(CliError::Usage(format!(
            "--mask {mask} needs images, but these are rows of {n} bits; use random:SHARE or an .npy file"
        ))),
    };
    match mask {
        "lower-half" => planar(&|row, _, rows, _| 2 * row >= rows),
        "upper-half" => planar(&|row, _, rows, _| 2 * row < rows),
        "left-half" => planar(&|_, column, _, columns| 2 * column < columns),
        "right-half" => planar(&|_, column, _, columns| 2 * column >= columns),
        "box" => planar(&|row, column, rows, columns| {
            (rows / 4..rows - rows / 4).contains(&row) && (columns / 4..columns - columns / 4).contains(&column)
        }),
        other => match other.strip_prefix("random:").map(str::parse::<f64>) {
            Some(Ok(share)) if (0.0..=1.0).contains(&share) => {
                let depth = data.visible.as_ref().map_or(1, Visible::depth);
                let streams = Streams::new(seed);
                let draw = |example| {
                    let mut stream = streams.at(Purpose::Mask, 0, example);
                    (0..n / depth)
                        .flat_map(move |_| std::iter::repeat_n(u8::from(stream.uniform() < share), depth))
                        .collect::<Vec<u8>>()
                };
                Ok((0..count as u64).flat_map(draw).collect())
            }
            Some(_) => Err(CliError::Usage(format!("--mask random:SHARE takes a share from 0 to 1, but {other} came"))),
            None if Path::new(other).extension().is_some_and(|ending| ending == "npy") => mask_file(Path::new(other), count, n),
            None => Err(CliError::Usage(format!(
                "--mask should be lower-half, upper-half, left-half, right-half, box, random:SHARE or an .npy file, but is {other}"
            ))),
        },
    }
}

fn mask_file(path: &Path, count: usize, n: usize) -> Result<Vec<u8>, CliError> {
    let (shape, values) = npy::read_u8(&path.display().to_string(), &files::read(path)?)?;
    if values.len() == n {
        Ok(values.repeat(count))
    } else if shape.first().is_some_and(|&rows| rows >= count) && values.len() == shape[0] * n {
        Ok(values[..count * n].to_vec())
    } else {
        Err(CliError::Input(format!(
            "{}: a mask of shape [{n}] or [{count}, {n}] was expected, but it has shape {shape:?}",
            path.display()
        )))
    }
}

/// Share of the bits asked for that are as in the truth, where that is known, and the mean number of distinct answers.
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

/// A row an example: truth, what is known, each answer, and the share of answers that set each bit as a grey level.
fn picture(data: &Dataset, unknown: &[u8], bits: &[u8], answers: usize) -> Result<Vec<u8>, CliError> {
    let (n, image) = (data.examples.width(), data.image);
    let mut tiles = Vec::new();
    for (example, block) in bits.chunks(answers * n).enumerate() {
        let truth = data.examples.row(example);
        let missing: Vec<u8> = data.examples.known_row(example).into_iter().map(|known| u8::from(!known)).collect();
        let unknown: Vec<u8> = unknown[example * n..(example + 1) * n].iter().zip(&missing).map(|(a, b)| a | b).collect();
        tiles.push(Tile::masked(image, &truth, &missing));
        tiles.push(Tile::masked(image, &truth, &unknown));
        tiles.extend(block.chunks(n).map(|answer| Tile::bits(image, answer)));
        let share = |i: usize| block.chunks(n).filter(|answer| answer[i] != 0).count() * 255 / answers;
        tiles.push(Tile::levels(image, &(0..n).map(|i| share(i) as u8).collect::<Vec<u8>>()));
    }
    Ok(grid(&tiles, answers + 3, 2)?)
}
