//! Command-line options from the table of settings.

use clap::builder::{PossibleValue, PossibleValuesParser, ValueParser};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use dbm_core::settings::{Reading, RunPlan, Setting};
use std::marker::PhantomData;

const READING: Reading = Reading { decimal: |text| text.parse().ok(), in_page: false };

/// Which settings a command has options for, and their defaults.
pub trait Options: Send + Sync + 'static {
    /// Whether it has an option for a setting that the table offers one for.
    fn has(_setting: Setting) -> bool {
        true
    }

    /// The defaults of all settings, for the help.
    fn usual() -> RunPlan {
        RunPlan::default()
    }

    /// The description of a default that is not a single value.
    fn usual_in_words(_setting: Setting) -> Option<&'static str> {
        None
    }
}

/// The settings given on a command line.
#[derive(Clone)]
pub struct Given<O> {
    texts: Vec<(Setting, String)>,
    of: PhantomData<fn() -> O>,
}

impl<O> Given<O> {
    /// Whether a setting was given.
    pub fn has(&self, setting: Setting) -> bool {
        self.texts.iter().any(|(given, _)| *given == setting)
    }

    /// Whether no setting was given.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Applies the given settings to a plan.
    pub fn put(&self, plan: &mut RunPlan) {
        for (setting, text) in &self.texts {
            // Each was parsed with the command line.
            let _ = setting.write(plan, text, READING);
        }
    }
}

impl<O: Options> FromArgMatches for Given<O> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = |(setting, (name, _))| Some((setting, matches.get_one::<String>(name)?.clone()));
        Ok(Self { texts: options::<O>().filter_map(given).collect(), of: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl<O: Options> Args for Given<O> {
    fn augment_args(command: Command) -> Command {
        command.args(options::<O>().map(|(setting, names)| option::<O>(setting, names)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// The settings that a command has options for: the option's name, and the placeholder for its value.
fn options<O: Options>() -> impl Iterator<Item = (Setting, (&'static str, &'static str))> {
    let wanted = Setting::ALL.into_iter().filter(|&setting| O::has(setting));
    wanted.filter_map(|setting| Some((setting, setting.option()?)))
}

fn option<O: Options>(setting: Setting, (name, value): (&'static str, &'static str)) -> Arg {
    let usual = setting.text(&O::usual());
    let usual = O::usual_in_words(setting).unwrap_or(if usual.is_empty() { "none" } else { &usual });
    let help = format!("{} [default: {usual}]", setting.words().help.trim_end_matches('.'));
    let parser: ValueParser = match setting.lines() {
        Some(lines) => {
            let values = lines.into_iter().map(|line| PossibleValue::new(line.name).help(line.help));
            PossibleValuesParser::new(values).into()
        }
        None => ValueParser::new(move |text: &str| {
            let read = setting.write(&mut RunPlan::default(), text, READING);
            read.map(|()| text.to_string()).map_err(|expected| format!("expected {expected}"))
        }),
    };
    Arg::new(name).long(name).value_name(value).help(help).value_parser(parser)
}
