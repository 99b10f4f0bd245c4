//! Command-line options from the table of what can be said about how files are read, and `dbm read`.

use crate::args::DataArgs;
use crate::context::Context;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use dbm_data::raw::{READING, Reading, ReadingSetting};
use dbm_experiments::data::{Split, fingerprint};
use dbm_experiments::{Error, files};
use serde_json::json;
use std::path::PathBuf;

/// What the command line says about how files are read.
#[derive(Clone, Default)]
pub struct GivenReading {
    file: Option<PathBuf>,
    texts: Vec<(&'static str, String)>,
}

impl GivenReading {
    /// The reading of the file, if one is given, corrected by the options.
    ///
    /// # Errors
    /// Those of reading the file, and [`Error::Usage`] for an option with an unexpected value.
    pub fn reading(&self) -> Result<Reading, Error> {
        let mut reading = match &self.file {
            Some(path) => {
                let name = path.display().to_string();
                Reading::from_json(&name, &String::from_utf8_lossy(&files::read(path)?))?
            }
            None => Reading::default(),
        };
        for (name, text) in &self.texts {
            reading
                .say(name, text)
                .map_err(|expected| Error::Usage(format!("--{name} should be {expected}, but is {text:?}")))?;
        }
        Ok(reading)
    }
}

impl FromArgMatches for GivenReading {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = |row: &'static ReadingSetting| {
            let texts = matches.get_many::<String>(row.name).into_iter().flatten();
            texts.map(|text| (row.name, text.clone())).collect::<Vec<_>>()
        };
        Ok(Self { file: matches.get_one::<PathBuf>("reading").cloned(), texts: READING.iter().flat_map(given).collect() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for GivenReading {
    fn augment_args(command: Command) -> Command {
        let file = Arg::new("reading")
            .long("reading")
            .value_name("FILE.json")
            .value_parser(clap::value_parser!(PathBuf))
            .help("How the files are read, as `dbm read` prints it; the options below correct it")
            .help_heading(HEADING);
        command.arg(file).args(READING.iter().map(option))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

const HEADING: &str = "Reading";

fn option(row: &'static ReadingSetting) -> Arg {
    let arg = Arg::new(row.name).long(row.name).help(row.help).help_heading(HEADING).allow_hyphen_values(true);
    let arg = if row.value.is_empty() {
        arg.value_name("yes|no").num_args(0..=1).require_equals(true).default_missing_value("yes")
    } else {
        arg.value_name(row.value)
    };
    arg.action(if row.repeats { ArgAction::Append } else { ArgAction::Set })
}

/// `dbm read`.
#[derive(clap::Args)]
pub struct Read {
    #[command(flatten)]
    data: DataArgs,
    /// Write the reading here, for --reading
    #[arg(long, value_name = "FILE.json")]
    out: Option<PathBuf>,
}

impl Read {
    pub fn run(&self, context: &Context) -> Result<(), Error> {
        let (data, raw) = self.data.source()?.load_raw(Split::Train)?;
        let reading = raw.reading.to_json();
        if let Some(out) = &self.out {
            files::write(out, reading.as_bytes())?;
        }
        let hash = fingerprint(&data);
        let fields = json!({ "reading": raw.reading, "notes": raw.notes, "doubts": raw.doubts, "examples": data.examples.len(),
                             "units": data.examples.width(), "missing": data.examples.missing(), "sha256": hash, "out": self.out });
        context.done(fields, || {
            let doubts = raw.doubts.iter().map(|doubt| format!("{} ({}?)", doubt.text, doubt.label));
            let lines: Vec<String> = raw.notes.iter().cloned().chain(doubts).collect();
            format!(
                "{}: {} examples of {} visible units, {} bits missing; SHA-256 {hash}\n{}{}{reading}",
                raw.name,
                data.examples.len(),
                data.examples.width(),
                data.examples.missing(),
                lines.join("\n"),
                if lines.is_empty() { "" } else { "\n" }
            )
        });
        Ok(())
    }
}
