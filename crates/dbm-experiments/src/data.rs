//! Data sets by name: a folder, a file, or one of the generated ones.

use crate::Error;
use crate::files;
use crate::model::visible;
use dbm_core::words::{Choice, Choose, Label, choice, words};
use dbm_data::coding::Coding;
use dbm_data::raw::{Binarization, Content, Draw, Encoding, File, PictureReading, Raw, Reading, Visible, read};
use dbm_data::{Checkpoint, Dataset, bars, digits, limits, target};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The seed of the random target of `--data target`.
const TARGET_SEED: u64 = 1;

/// The half of a data set with two halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// The training half.
    Train,
    /// The test half, which models have not seen.
    Test,
}

impl Choose for Split {
    const WORDS: Label = words("split", "Half", "Which half of a folder of MNIST, or of the generated digits");
    const CHOICES: &'static [Choice<Self>] = &[
        choice(Self::Test, "test", "test", "What models have not seen"),
        choice(Self::Train, "train", "training", "What models are trained on"),
    ];
}

/// The source of data, and how they are read.
#[derive(Clone, Debug)]
pub struct DataSource {
    /// A folder, a file, or a name of generated data: `digits`, `bars`, `target`.
    pub name: String,
    /// How they are read, or how many are generated.
    pub options: DataOptions,
}

/// How a value becomes a bit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Binarize {
    /// High above this, in the scale of the values.
    Above(f64),
    /// Drawn with the grey as probability, by this seed.
    Drawn(Binarization, u64),
}

impl FromStr for Binarize {
    type Err = String;

    /// A number, `stochastic` or `redraw`, the latter two with `:SEED` or without.
    fn from_str(text: &str) -> Result<Self, String> {
        let (word, seed) = text.split_once(':').map_or((text, Ok(0)), |(word, seed)| (word, seed.parse()));
        let seed = seed.map_err(|_| format!("the seed should be a whole number, as in {word}:7"));
        match Binarization::named(word) {
            Some(how) if how != Binarization::Threshold => Ok(Self::Drawn(how, seed?)),
            _ => text
                .parse()
                .map(Self::Above)
                .map_err(|_| "it should be a threshold, such as 127, or `stochastic[:SEED]` or `redraw[:SEED]`".into()),
        }
    }
}

/// How data are read, or how many are generated.
#[derive(Clone, Debug)]
pub struct DataOptions {
    /// If not given, the data's own suggestion.
    pub binarize: Option<Binarize>,
    /// Visible units per value, 1 to 8.
    pub bits_per_value: Option<u8>,
    /// Their code, if there are several.
    pub coding: Coding,
    /// What the user says about how the files are read.
    pub files: Reading,
    /// Digits to generate.
    pub digits: usize,
    /// Columns of a table that exclude one another are one value.
    pub exclusive: bool,
    /// This many of the last training examples replace the test examples, and are not used for training.
    pub hold_out: Option<usize>,
}

impl DataOptions {
    /// As the data suggest, with this many generated digits.
    pub fn of_digits(digits: usize) -> Self {
        let (coding, files) = (Coding::Binary, Reading::default());
        Self { binarize: None, bits_per_value: None, coding, files, digits, exclusive: false, hold_out: None }
    }
}

impl DataSource {
    /// Reads or generates them.
    ///
    /// # Errors
    /// Errors with files, and [`Error::Input`] for missing data.
    pub fn load(&self, split: Split) -> Result<Dataset, Error> {
        self.load_as(None, split)
    }

    /// The same for a model: a table is read with the columns of the one that the model was trained on, and pictures with the threshold or
    /// range of its training pictures, unless another is requested.
    ///
    /// # Errors
    /// Those of [`DataSource::load`].
    pub fn load_for(&self, checkpoint: &Checkpoint, split: Split) -> Result<Dataset, Error> {
        self.load_as(visible(checkpoint)?.as_ref(), split)
    }

    /// The same for bits that stand for this.
    ///
    /// # Errors
    /// Those of [`DataSource::load`].
    pub fn load_as(&self, visible: Option<&Visible>, split: Split) -> Result<Dataset, Error> {
        let Some(held_out) = self.options.hold_out else { return self.load_whole(visible, split) };
        let training = self.load_whole(visible, Split::Train)?;
        let count = training.examples.len();
        if held_out == 0 || held_out >= count {
            return Err(Error::Usage(format!(
                "--hold-out should be from 1 to {}, as there are {count} training examples, but is {held_out}",
                count - 1
            )));
        }
        let rows = if split == Split::Train { 0..count - held_out } else { count - held_out..count };
        Ok(training.rows(rows))
    }

    /// One file or folder of files, and how it was read.
    ///
    /// # Errors
    /// Those of [`DataSource::load`]; [`Error::Usage`] for generated data.
    pub fn load_raw(&self, split: Split) -> Result<(Dataset, Raw), Error> {
        let path = Path::new(&self.name);
        let files = if path.is_dir() { self.folder_files(path, split)? } else { vec![file(path, self.name.clone())?] };
        let raw = read(&files, &self.options.files, &mut |_, _, _| {})?;
        let data = self.encoded(&raw, None, split)?;
        Ok((data, raw))
    }

    fn load_whole(&self, visible: Option<&Visible>, split: Split) -> Result<Dataset, Error> {
        let path = Path::new(&self.name);
        let training = split == Split::Train;
        // Names come before paths: a checkout of a Rust project has a folder `target`.
        match self.name.as_str() {
            // The test digits are other digits of the same generator.
            "digits" => {
                let series = if training { 1 } else { 2 };
                let (name, pictures) = (digits::name(series), || digits::pictures(self.options.digits, series));
                match (self.drawn(split)?, self.options.bits_per_value) {
                    (Some(drawn), _) => {
                        let pictures = pictures()?;
                        Ok(pictures.encode(&name, &drawn(pictures.suggest()))?)
                    }
                    (None, Some(bits @ 2..)) => {
                        let pictures = pictures()?;
                        let encoding = Encoding { bits, coding: self.options.coding, ..pictures.suggest() };
                        Ok(pictures.encode(&name, &encoding)?)
                    }
                    (None, _) => Ok(digits::dataset(self.options.digits, series)?),
                }
            }
            "bars" => Ok(bars::dataset(4)?),
            // The test examples are other draws from the same target.
            "target" => Ok(if training { target::dataset(TARGET_SEED) } else { target::held_out(TARGET_SEED) }?),
            _ if path.is_dir() => {
                let files = self.folder_files(path, split)?;
                let one = files.first().filter(|file| Path::new(&file.name).starts_with(path)).map(|file| file.name.clone());
                self.read(&one.unwrap_or_else(|| self.name.clone()), &files, visible, split)
            }
            _ if path.exists() => self.read(&self.name, &[file(path, self.name.clone())?], visible, split),
            _ => Err(Error::Input(format!(
                "--data {}: there is no such file or folder; give one, or `digits`, `bars` or `target`",
                self.name
            ))),
        }
    }

    /// What an encoding becomes if bits are to be drawn: the two halves have different draws, and only training has more than one.
    fn drawn(&self, split: Split) -> Result<Option<impl Fn(Encoding) -> Encoding>, Error> {
        let Some(Binarize::Drawn(how, seed)) = self.options.binarize else { return Ok(None) };
        if self.options.bits_per_value.is_some_and(|bits| bits > 1) {
            return Err(Error::Usage(
                "--binarize stochastic and redraw make one unit per value: leave --bits-per-value out, or give a threshold"
                    .into(),
            ));
        }
        let binarization = if split == Split::Train { how } else { Binarization::Stochastic };
        Ok(Some(move |encoding| Encoding { binarization, draw: Draw { seed, series: split as u64 }, ..encoding }))
    }

    /// The files of MNIST in a folder, or its pictures.
    fn folder_files(&self, folder: &Path, split: Split) -> Result<Vec<File>, Error> {
        let prefix = if split == Split::Train { "train" } else { "t10k" };
        let find = |what: &str| {
            let names = [format!("{prefix}-{what}-ubyte.gz"), format!("{prefix}-{what}-ubyte"), format!("{prefix}-{what}.ubyte")];
            names.into_iter().map(|name| folder.join(name)).find(|path| path.exists())
        };
        if let Some(images) = find("images-idx3") {
            let paths = [Some(images.clone()), find("labels-idx1")];
            return paths.into_iter().flatten().map(|path| file(&path, path.display().to_string())).collect();
        }
        let mut pictures = Vec::new();
        collect_pictures(folder, "", &mut pictures)?;
        if pictures.is_empty() {
            return Err(Error::Input(format!(
                "--data {}: this folder has no {prefix}-images-idx3-ubyte (or .gz), nor pictures; give the folder with MNIST's files, or \
                 with PNG or JPEG pictures, or a file",
                self.name
            )));
        }
        pictures.into_iter().map(|(path, name)| file(&path, name)).collect()
    }

    /// The content of the files, encoded as requested or as for the model; notes on it are reported.
    fn read(&self, name: &str, files: &[File], visible: Option<&Visible>, split: Split) -> Result<Dataset, Error> {
        // A model's pictures are read as those that it was trained on, unless the user says otherwise.
        let reading = visible.map_or(PictureReading::PLAIN, Visible::pictures);
        let mut asked = reading.under(self.options.files.clone());
        if matches!(visible, Some(Visible::Table(_))) {
            asked.table = Some(true);
        }
        let raw = read(files, &asked, &mut |_, _, _| {})?;
        for note in raw.notes.iter().chain(raw.doubts.iter().map(|doubt| &doubt.text)) {
            eprintln!("{note}");
        }
        self.encoded(&Raw { name: name.into(), ..raw }, visible, split)
    }

    /// The content as bits.
    fn encoded(&self, raw: &Raw, visible: Option<&Visible>, split: Split) -> Result<Dataset, Error> {
        if let Some(drawn) = self.drawn(split)? {
            if matches!(raw.content, Content::Table(_)) {
                return Err(Error::Usage(format!(
                    "--binarize stochastic and redraw draw bits from grey values, and {} is a table: give thresholds, one a column",
                    raw.name
                )));
            }
            return Ok(raw.encode(&drawn(raw.suggest()))?);
        }
        let mut encoding = raw.suggest();
        encoding.bits = self.options.bits_per_value.unwrap_or(encoding.bits);
        encoding.coding = self.options.coding;
        if let Some(Binarize::Above(threshold)) = self.options.binarize {
            encoding.threshold = threshold;
        }
        let asked = self.options.binarize.is_some() || self.options.bits_per_value.is_some();
        match (&raw.content, visible) {
            (Content::Table(_), Some(visible @ Visible::Table(_))) => {
                let image = raw.encode(&encoding)?.image;
                let data = raw.encode_as(visible)?;
                Ok(Dataset { image: image.filter(|(rows, columns)| rows * columns == data.examples.width()), ..data })
            }
            (Content::Pictures(_), Some(visible @ (Visible::Bits { .. } | Visible::Planes { .. }))) if !asked => {
                Ok(raw.encode_as(visible)?)
            }
            _ if self.options.exclusive => Ok(raw.encode(&encoding)?.exclusive()?),
            _ => Ok(raw.encode(&encoding)?),
        }
    }
}

fn file(path: &Path, name: String) -> Result<File, Error> {
    Ok(File { name, bytes: files::read(path)? })
}

/// PNG and JPEG files in a folder and its subfolders, with their relative names; recognized by their first bytes.
fn collect_pictures(folder: &Path, below: &str, pictures: &mut Vec<(PathBuf, String)>) -> Result<(), Error> {
    let failed = |source| Error::Read { path: folder.into(), source };
    let mut entries = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>).map_err(failed)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, file_name) = (entry.path(), entry.file_name());
        let name = format!("{below}{}", file_name.to_string_lossy());
        if file_name.to_string_lossy().starts_with('.') {
            continue;
        }
        // A link to a folder may lead in circles: only real folders are entered.
        if entry.file_type().map_err(failed)?.is_dir() {
            collect_pictures(&path, &format!("{name}/"), pictures)?;
        } else if is_picture(&path) {
            pictures.push((path, name));
        }
        if pictures.len() > limits::MAX_FILES {
            return Err(Error::Input(format!(
                "{}: this folder has more than {} pictures; give fewer",
                folder.display(),
                limits::MAX_FILES
            )));
        }
    }
    Ok(())
}

fn is_picture(path: &Path) -> bool {
    let mut head = [0; 4];
    fs::File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok()
        && (head == *b"\x89PNG" || head.starts_with(b"\xff\xd8\xff"))
}

/// Refuses examples with gaps, for a command that needs complete ones: `why` says what for.
///
/// # Errors
/// [`Error::Input`].
pub fn without_gaps(data: &Dataset, why: &str) -> Result<(), Error> {
    match data.examples.missing() {
        0 => Ok(()),
        missing => Err(Error::Input(format!(
            "{missing} of the {} bits of {} are missing, but {why}; give data without gaps",
            data.examples.len() * data.examples.width(),
            data.name
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pictures of 2 x 2 in a file of IDX: one of ink in the upper row, on white.
    #[test]
    fn pictures_for_a_model_are_read_as_those_that_it_was_trained_on() {
        let path = std::env::temp_dir().join(format!("dbm-pictures-{}.idx", std::process::id()));
        let header = [0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 2];
        fs::write(&path, [&header[..], &[0, 0, 255, 255]].concat()).expect("a file in the temporary folder");
        let source = |files: Reading| {
            let options = DataOptions { files, ..DataOptions::of_digits(1) };
            DataSource { name: path.display().to_string(), options }
        };
        let plain = source(Reading::default());
        let row = |data: &Dataset| data.examples.row(0);
        let turned =
            source(Reading { invert: Some(true), turn: Some(1), ..Reading::default() }).load(Split::Train).expect("turned");
        assert_eq!((row(&plain.load(Split::Train).expect("as it is")), row(&turned)), (vec![0, 0, 1, 1], vec![0, 1, 0, 1]));
        // The note in the model's file is all that another command has.
        let note = turned.visible.as_ref().expect("pictures").to_json();
        let visible = Visible::from_json("m.safetensors", &note).expect("its own note");
        let load = |source: &DataSource| row(&source.load_as(Some(&visible), Split::Train).expect("for the model"));
        assert_eq!(load(&plain), row(&turned));
        // What the user says comes first.
        assert_eq!(load(&source(Reading { turn: Some(0), ..Reading::default() })), [1, 1, 0, 0]);
        fs::remove_file(&path).expect("the file is there");
    }

    #[test]
    fn gaps_are_refused_with_their_number_and_tell_data_apart() {
        let whole = bars::dataset(4).expect("bars and stripes");
        let marks: Vec<u8> = (0..whole.examples.len() * 16).map(|i| u8::from(i % 100 != 0)).collect();
        let examples = whole.examples.clone().with_gaps(&marks).expect("one mark a bit");
        let gaps = Dataset { examples, ..bars::dataset(4).expect("bars and stripes") };
        assert!(without_gaps(&whole, "").is_ok());
        let said = without_gaps(&gaps, "this is a test").map_err(|error| error.to_string());
        assert!(said.is_err_and(|said| said.contains("5 of the 480 bits") && said.contains("this is a test")));
        // A high bit that is missing differs from a low one.
        let lows: Vec<u8> = (0..gaps.examples.len()).flat_map(|row| gaps.examples.row(row)).collect();
        let low = Dataset { examples: dbm_core::Examples::from_bits(16, &lows).expect("rows of 16"), ..whole };
        assert_ne!(gaps.sha256(), low.sha256());
    }
}
