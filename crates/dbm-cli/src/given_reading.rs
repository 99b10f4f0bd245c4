//! Command-line options from the table of what can be said about how files are read.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use dbm_data::raw::{READING, Reading, ReadingSetting};
use dbm_experiments::{Error, files};
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
