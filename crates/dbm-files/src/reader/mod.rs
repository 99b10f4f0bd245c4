//! Reads the visitor's files and writes their downloads. Nothing here needs a browser.

pub mod addresses;
mod describe;
mod gaps;
mod products;
pub mod verify;

use dbm_core::{Examples, GreyLevels, impute};
use dbm_data::raw::{self, Content, Encoding, File, Raw, Reading, Summary, Visible};
use dbm_protocol::{EncodedData, FilesCommand, FilesEvent, NamedBytes};
use gaps::OpenTable;

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
    /// Its files, to be read in another way.
    files: Vec<File>,
    table: Option<OpenTable>,
}

type Answer = Result<FilesEvent, String>;

impl Reader {
    /// Answers commands that need no server. If a reading is refused, the previous content stays.
    ///
    /// # Errors
    /// What was expected, what came, and what to do, in words.
    pub fn answer(&mut self, command: FilesCommand, report: Report) -> Answer {
        match command {
            FilesCommand::Read { files, reading } => self.read(files, &reading, report),
            FilesCommand::Reread(reading) => {
                let files = std::mem::take(&mut self.files);
                let read = self.read_files(&files, &reading, report);
                self.files = files;
                read
            }
            FilesCommand::Preview(encoding) => {
                let (raw, summary) = self.read_last()?;
                describe::preview(raw, &encoding, summary).map(FilesEvent::Preview).map_err(words)
            }
            FilesCommand::Encode { encoding, hold_back } => self.encode(&encoding, hold_back).map(FilesEvent::Encoded),
            FilesCommand::OpenTable { file, reading, visible } => {
                let table = OpenTable::new(file, &reading, visible)?;
                let opened = table.about();
                self.table = Some(table);
                Ok(opened)
            }
            FilesCommand::FillTable { highs, draws } => self.table()?.fill(highs, draws).map(|()| FilesEvent::Done),
            FilesCommand::Rows(asked) => self.table()?.rows(asked).map(FilesEvent::Rows),
            FilesCommand::Cell { row, column } => self.table()?.cell(row, column).map(FilesEvent::Cell),
            FilesCommand::WriteTable { form, leave_below } => self.table()?.write(form, leave_below).map(FilesEvent::Written),
            FilesCommand::Write(product) => products::write(product).map(FilesEvent::Written),
            _ => Err("the reader got a request that only the storage worker handles; reload the page".into()),
        }
    }

    /// Reads files that make one data set.
    ///
    /// # Errors
    /// Those of `dbm_data::raw::read`, in words.
    pub fn read(&mut self, files: Vec<NamedBytes>, reading: &Reading, report: Report) -> Answer {
        let files: Vec<File> = files.into_iter().map(|NamedBytes { name, bytes }| File { name, bytes }).collect();
        let read = self.read_files(&files, reading, report)?;
        self.files = files;
        Ok(read)
    }

    fn read_files(&mut self, files: &[File], reading: &Reading, report: Report) -> Answer {
        let raw = raw::read(files, reading, &mut |stage, done, total| report(stage, done as f64, total as f64)).map_err(words)?;
        let summary = raw.summary().map_err(words)?;
        let about = describe::understood(&raw, &summary).map_err(words)?;
        self.raw = Some((raw, summary));
        Ok(FilesEvent::Understood(Box::new(about)))
    }

    fn table(&mut self) -> Result<&mut OpenTable, String> {
        self.table.as_mut().ok_or_else(|| "no table is open: choose the data set again".into())
    }

    fn read_last(&self) -> Result<&(Raw, Summary), String> {
        self.raw.as_ref().ok_or_else(|| "nothing has been read yet: choose files first".into())
    }

    fn encode(&self, encoding: &Encoding, hold_back: f64) -> Result<EncodedData, String> {
        if !(0.0..=MOST_HELD_BACK).contains(&hold_back) {
            return Err(format!("the share to hold back should be from 0 to {MOST_HELD_BACK}, but is {hold_back}"));
        }
        let raw = &self.read_last()?.0;
        let data = raw.encode(encoding).map_err(words)?;
        let examples = &data.examples;
        let held_back = match &data.visible {
            Some(Visible::Table(_)) if hold_back > 0.0 => {
                let hidden = impute::hide(examples, hold_back, HOLD_BACK_SEED).map_err(words)?;
                held(examples, hidden.examples())
            }
            _ => Vec::new(),
        };
        let depth = data.visible.as_ref().map_or(1, Visible::depth);
        Ok(EncodedData {
            sha256: data.sha256(),
            name: data.name.clone(),
            width: examples.width() as u32,
            packed: examples.packed().to_vec(),
            known: examples.known_packed().map(<[u8]>::to_vec).unwrap_or_default(),
            greys: examples.greys().map(|greys| greys.levels().to_vec()).unwrap_or_default(),
            grey_top: examples.greys().map_or(0, GreyLevels::top),
            image: data.image.map(|(rows, columns)| (rows as u32, (columns / depth) as u32)),
            depth: depth as u8,
            held_back,
            visible: data.visible,
            // The file that the table came in, whatever it was packed in or dropped with.
            table: if let Content::Table(table) = &raw.content { table.to_csv() } else { Vec::new() },
            reading: Box::new(raw.reading.clone()),
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

fn words(error: impl std::fmt::Display) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests;
