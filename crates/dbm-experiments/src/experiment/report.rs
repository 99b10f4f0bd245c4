//! What an experiment showed: an entry of its own, and the page that is made of all of them.

use super::workspace::Workspace;
use crate::Error;
use crate::{Session, files};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// The page of all experiments, and the folder beside it that their entries and figures are in.
const PAGE: &str = "reproduction.md";
const FOLDER: &str = "reproduction";

/// Whether what we got is what the paper says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It is.
    Agrees,
    /// Some of it is.
    InPart,
    /// It is not.
    Differs,
    /// The paper says nothing of it.
    Beyond,
}

impl Verdict {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::InPart => "agrees in part",
            Self::Differs => "differs",
            Self::Beyond => "not in the paper",
        }
    }
}

/// An experiment's entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// As in `dbm experiment NAME`.
    pub name: String,
    /// Its place among the others, from 1.
    pub place: u32,
    /// Heading of its section.
    pub title: String,
    /// What the paper says, in a sentence.
    pub paper: String,
    /// What we got, in a sentence.
    pub ours: String,
    /// Whether it agrees with the paper.
    pub verdict: Verdict,
    /// Why it agrees or not, in a sentence or two.
    pub why: String,
    /// What makes all of it.
    pub command: String,
    /// Seed of all that was random.
    pub seed: u64,
    /// Processor and threads.
    pub machine: String,
    /// Of all its parts, whenever they were made.
    pub seconds: f64,
    /// Tables and what else is to be said, in Markdown.
    pub body: String,
    /// Pictures in the experiment's folder: the file's name without its ending (there is an SVG and a PNG), and what it shows.
    pub figures: Vec<(String, String)>,
    /// Other files in the folder that are small enough to go beside the page.
    pub data: Vec<String>,
}

impl Entry {
    /// Writes the entry into the experiment's folder and, where the documentation's folder is given, beside the page, which is made anew.
    ///
    /// # Errors
    /// [`Error::Read`] and [`Error::Write`].
    pub fn publish(&self, workspace: &Workspace, docs: Option<&Path>) -> Result<(), Error> {
        let text = serde_json::to_vec_pretty(self).map_err(|source| Error::Serialize { what: self.name.clone(), source })?;
        workspace.write("entry.json", &text)?;
        let Some(docs) = docs else { return Ok(()) };
        let folder = docs.join(FOLDER);
        fs::create_dir_all(&folder).map_err(|source| Error::Write { path: folder.clone(), source })?;
        files::write(&folder.join(format!("{}.json", self.name)), &text)?;
        let pictures = self.figures.iter().flat_map(|(name, _)| [format!("{name}.svg"), format!("{name}.png")]);
        for name in pictures.chain(self.data.iter().cloned()) {
            files::write(&folder.join(&name), &files::read(&workspace.file(&name))?)?;
        }
        files::write(&docs.join(PAGE), page(&entries(&folder)?).as_bytes())
    }

    fn section(&self) -> String {
        let mut text = format!("## {}\n\n", self.title);
        let _ = writeln!(text, "**The paper.** {}\n\n**Here.** {} {}\n", self.paper, self.ours, self.why);
        for (name, caption) in &self.figures {
            let _ = writeln!(text, "[![{caption}]({FOLDER}/{name}.png)]({FOLDER}/{name}.svg)\n\n*{caption}*\n");
        }
        if !self.body.is_empty() {
            let _ = writeln!(text, "{}\n", self.body.trim());
        }
        let _ = writeln!(
            text,
            "Made by `{}`, seed {}, in {} on {}.{}\n",
            self.command,
            self.seed,
            duration(self.seconds),
            self.machine,
            match &self.data[..] {
                [] => String::new(),
                files => {
                    let links: Vec<String> = files.iter().map(|file| format!("[{file}]({FOLDER}/{file})")).collect();
                    format!(" Data: {}.", links.join(", "))
                }
            }
        );
        text
    }
}

/// All entries beside the page, in their order.
fn entries(folder: &Path) -> Result<Vec<Entry>, Error> {
    let failed = |source| Error::Read { path: folder.into(), source };
    let mut entries = Vec::new();
    for file in fs::read_dir(folder).map_err(failed)? {
        let path = file.map_err(failed)?.path();
        if path.extension().is_some_and(|ending| ending == "json") {
            let entry: Entry = serde_json::from_slice(&files::read(&path)?).map_err(|error| {
                Error::Input(format!(
                    "{}: an experiment's entry was expected, but {error}; delete the file and run its experiment again",
                    path.display()
                ))
            })?;
            entries.push(entry);
        }
    }
    entries.sort_by_key(|entry| entry.place);
    Ok(entries)
}

const HEAD: &str = "# The paper's experiments, reproduced and extended

The paper is Taniguchi, Suzuki, Iwasawa, Matsuo: *End-to-end Training of Deep Boltzmann Machines by Unbiased Contrastive Divergence with Local Mode
Initialization*, ICML 2023. Each experiment is one command; this page is written by them, from their results: change it there.

    ./run experiments                     all of them, MNIST=folder naming the four files; stopped and run again, it goes on
    ./run experiments figure-1            one of them
    ./run experiments --toy               all at toy size, without MNIST, in a minute or two

Scores are in the features of a small classifier of our own ([its recipe](../crates/dbm-score/CLASSIFIER.md)): the *digit Frechet distance* is not an
Inception FID and cannot be compared with one. `dbm export --png-dir` writes pictures that an Inception FID can be taken of.
Durations are those of the machine as it was, which for most had other work to do besides.
";

/// The page: at a glance, then each experiment.
fn page(entries: &[Entry]) -> String {
    let mut text = format!("{HEAD}\n| Experiment | The paper says | Here | |\n| --- | --- | --- | --- |\n");
    for entry in entries {
        let anchor: String = entry
            .title
            .to_lowercase()
            .chars()
            .filter_map(|letter| match letter {
                ' ' | '-' => Some('-'),
                _ if letter.is_alphanumeric() => Some(letter),
                _ => None,
            })
            .collect();
        let _ =
            writeln!(text, "| [{}](#{anchor}) | {} | {} | **{}** |", entry.name, entry.paper, entry.ours, entry.verdict.words());
    }
    for entry in entries {
        text.push('\n');
        text.push_str(entry.section().trim_end());
        text.push('\n');
    }
    text
}

/// `1 h 20 min`, `3 min 5 s`, `12 s`.
pub fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        3600.. => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
        60.. => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{whole} s"),
    }
}

/// The processor's name where the system tells it, and the number of threads.
pub fn machine(session: &Session) -> String {
    let name = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_string())
    });
    format!("{} threads of {}", session.threads(), name.unwrap_or_else(|| format!("an {} processor", std::env::consts::ARCH)))
}
