//! Reads the visitor's files and writes their downloads. Nothing here needs a browser.

pub mod addresses;
mod describe;
mod products;
pub mod verify;

use dbm_core::{Examples, impute};
use dbm_data::raw::{self, Content, Encoding, File, Raw, Reading, Summary, Visible};
use dbm_protocol::{EncodedData, FilesCommand, FilesEvent, NamedBytes};

/// Chooses the held-back cells: the same ones whenever the same table is read.
const HOLD_BACK_SEED: u64 = 1;
/// A larger share would leave too little to learn from.
const MOST_HELD_BACK: f64 = 0.5;

/// Progress of long work: what is being done, parts done, total.
pub type Report<'a> = &'a mut dyn FnMut(&str, f64, f64);

/// The content read last.
#[derive(Default)]
pub struct Reader {
    raw: Option<(Raw, Summary)>,
    /// The file, if it is a table.
    table: Vec<u8>,
}

type Answer = Result<FilesEvent, String>;

impl Reader {
    /// Answers commands that need no server. If a reading is refused, the previous content stays.
    ///
    /// # Errors
    /// What was expected, what came, and what to do, in words.
    pub fn answer(&mut self, command: FilesCommand, report: Report) -> Answer {
        match command {
            FilesCommand::Read { files, tile } => {
                let tile = tile.map(|(rows, columns)| (rows as usize, columns as usize));
                self.read(files, tile, report)
            }
            FilesCommand::Preview(encoding) => {
                let (raw, summary) = self.read_last()?;
                describe::preview(raw, &encoding, summary).map(FilesEvent::Preview).map_err(words)
            }
            FilesCommand::Encode { encoding, hold_back } => self.encode(&encoding, hold_back).map(FilesEvent::Encoded),
            FilesCommand::Fill { file, visible, probabilities } => fill(&file, &visible, &probabilities),
            FilesCommand::Write(product) => products::write(product).map(FilesEvent::Written),
            _ => Err("the reader got a request that only the storage worker handles; reload the page".into()),
        }
    }

    /// Reads files that make one data set.
    ///
    /// # Errors
    /// Those of `dbm_data::raw::read`, in words.
    pub fn read(&mut self, files: Vec<NamedBytes>, tile: Option<(usize, usize)>, report: Report) -> Answer {
        let files: Vec<File> = files.into_iter().map(|NamedBytes { name, bytes }| File { name, bytes }).collect();
        let raw = raw::read(&files, &Reading { tile, ..Reading::default() }, &mut |stage, done, total| {
            report(stage, done as f64, total as f64);
        })
        .map_err(words)?;
        let summary = raw.summary().map_err(words)?;
        let about = describe::understood(&raw, &summary).map_err(words)?;
        let is_table = matches!(raw.content, Content::Table(_));
        self.table = files.into_iter().next().filter(|_| is_table).map(|file| file.bytes).unwrap_or_default();
        self.raw = Some((raw, summary));
        Ok(FilesEvent::Understood(Box::new(about)))
    }

    fn read_last(&self) -> Result<&(Raw, Summary), String> {
        self.raw.as_ref().ok_or_else(|| "nothing has been read yet: choose files first".into())
    }

    fn encode(&self, encoding: &Encoding, hold_back: f64) -> Result<EncodedData, String> {
        if !(0.0..=MOST_HELD_BACK).contains(&hold_back) {
            return Err(format!("the share to hold back should be from 0 to {MOST_HELD_BACK}, but is {hold_back}"));
        }
        let data = self.read_last()?.0.encode(encoding).map_err(words)?;
        let examples = &data.examples;
        let held_back = match &data.visible {
            Some(Visible::Table(columns)) if hold_back > 0.0 => {
                let hidden = impute::hide(examples, &columns.groups(), hold_back, HOLD_BACK_SEED).map_err(words)?;
                held(examples, hidden.examples())
            }
            _ => Vec::new(),
        };
        let depth = data.visible.as_ref().map_or(1, Visible::depth);
        Ok(EncodedData {
            name: data.name.clone(),
            width: examples.width() as u32,
            packed: examples.packed().to_vec(),
            known: examples.known_packed().map(<[u8]>::to_vec).unwrap_or_default(),
            image: data.image.map(|(rows, columns)| (rows as u32, (columns / depth) as u32)),
            depth: depth as u8,
            held_back,
            visible: data.visible,
            table: self.table.clone(),
        })
    }
}

/// Which known bits are held back, packed.
fn held(examples: &Examples, seen: &Examples) -> Vec<u8> {
    let missing = vec![0xff; examples.packed().len()];
    let known = examples.known_packed().unwrap_or(&missing);
    let seen = seen.known_packed().unwrap_or(&missing);
    known.iter().zip(seen).map(|(known, seen)| known & !seen).collect()
}

/// The table with its gaps filled.
fn fill(file: &NamedBytes, visible: &Visible, probabilities: &[f32]) -> Answer {
    let NamedBytes { name, bytes } = file;
    let Visible::Table(columns) = visible else {
        return Err(format!("{name}: a table was expected, but the model knows pictures; train it on this table"));
    };
    let file = File { name: name.clone(), bytes: bytes.clone() };
    let raw = raw::read(&[file], &Reading::default(), &mut |_, _, _| {}).map_err(words)?;
    let Content::Table(table) = &raw.content else {
        return Err(format!("{name}: a table was expected, but it was understood as pictures; fill them in as completions"));
    };
    let (rows, units) = (table.n_rows(), columns.n_units());
    if rows.checked_mul(units) != Some(probabilities.len()) {
        let got = probabilities.len();
        return Err(format!("{name}: {rows} rows of {units} probabilities were expected, but got {got}; fill the gaps again"));
    }
    let filled = table.fill(name, columns, |row, unit| f64::from(probabilities[row * units + unit])).map_err(words)?;
    let cells = filled.cells();
    let sum: f64 = cells.iter().map(|cell| cell.probability).sum();
    let stem = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
    Ok(FilesEvent::Filled {
        table: NamedBytes { name: format!("{stem}-filled.csv"), bytes: filled.to_csv() },
        probabilities: NamedBytes { name: format!("{stem}-probabilities.csv"), bytes: filled.probabilities_csv() },
        cells: cells.len() as u32,
        mean_probability: sum / cells.len().max(1) as f64,
    })
}

fn words(error: impl std::fmt::Display) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests;
