//! Reading what the visitor brings, and writing what they take home; without a word of the browser.

pub mod addresses;
mod about;
mod products;
pub mod verify;

use dbm_core::impute;
use dbm_data::DataError;
use dbm_data::columns::Table;
use dbm_data::raw::{self, Content, Encoding, File, Raw, ReadOptions, Visible};
use dbm_protocol::{EncodedData, EncodingChoice, FilesCommand, FilesEvent, NamedBytes};

/// Which known cells are held back: the same ones whenever the same table is read.
const HOLD_BACK_SEED: u64 = 1;
/// A larger share would leave too little to learn from.
const MOST_HELD_BACK: f64 = 0.5;

/// How far something long has come: what is being done, parts done, of how many.
pub type Report<'a> = &'a mut dyn FnMut(&str, f64, f64);

/// What was read last.
#[derive(Default)]
pub struct Reader {
    raw: Option<Raw>,
}

type Answer = Result<FilesEvent, String>;

impl Reader {
    /// Answers what needs no server. What was read before stays where reading is refused.
    ///
    /// # Errors
    /// What was expected, what came, and what to do, in words.
    pub fn answer(&mut self, command: FilesCommand, report: Report) -> Answer {
        match command {
            FilesCommand::Read { files, tile } => {
                let tile = tile.map(|(rows, columns)| (rows as usize, columns as usize));
                self.read(files, tile, report)
            }
            FilesCommand::Look { encoding } => Ok(FilesEvent::Looked(about::look(self.raw()?, &encoding_of(encoding)).map_err(words)?)),
            FilesCommand::Encode { encoding, hold_back } => self.encode(&encoding_of(encoding), hold_back).map(FilesEvent::Encoded),
            FilesCommand::Fill { file, visible, probabilities } => fill(&file, &visible, &probabilities),
            FilesCommand::Write(product) => products::write(product).map(FilesEvent::Written),
            _ => Err("this is the reader: it was asked for what only the keeper does; reload the page".into()),
        }
    }

    /// Reads files that make one data set.
    ///
    /// # Errors
    /// Those of `dbm_data::raw::read`, in words.
    pub fn read(&mut self, files: Vec<NamedBytes>, tile: Option<(usize, usize)>, report: Report) -> Answer {
        let files = files.into_iter().map(|NamedBytes { name, bytes }| File { name, bytes }).collect();
        let raw = raw::read(files, &ReadOptions { tile }, &mut |stage, done, total| report(stage, done as f64, total as f64)).map_err(words)?;
        let about = about::understood(&raw).map_err(words)?;
        self.raw = Some(raw);
        Ok(FilesEvent::Understood { about: Box::new(about), file: None })
    }

    fn raw(&self) -> Result<&Raw, String> {
        self.raw.as_ref().ok_or_else(|| "nothing has been read yet: choose files first".into())
    }

    fn encode(&self, encoding: &Encoding, hold_back: f64) -> Result<EncodedData, String> {
        if !(0.0..=MOST_HELD_BACK).contains(&hold_back) {
            return Err(format!("the share to hold back should be from 0 to {MOST_HELD_BACK}, but is {hold_back}"));
        }
        let data = self.raw()?.encode(encoding).map_err(words)?;
        let examples = &data.examples;
        let held_back = match &data.visible {
            Some(Visible::Table(columns)) if hold_back > 0.0 => {
                let seen = impute::hide(examples, &columns.groups(), hold_back, HOLD_BACK_SEED).map_err(words)?;
                held(examples, &seen)
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
            visible: data.visible.as_ref().map(Visible::to_json).unwrap_or_default(),
        })
    }
}
