//! What an experiment showed: an entry of its own, and the page that is made of all of them.

use super::workspace::Workspace;
use crate::Error;
use crate::{Session, files};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
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
    /// Where so many of the paper's claims hold, of all.
    pub fn of(held: usize, claims: usize) -> Self {
        match held {
            0 => Self::Differs,
            held if held == claims => Self::Agrees,
            _ => Self::InPart,
        }
    }

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
        files::write(&docs.join(PAGE), page(&entries(&folder)?)?.as_bytes())
    }

    /// Where a link on the page leads to this entry.
    fn anchor(&self) -> String {
        let letters = self.title.to_lowercase().replace(' ', "-");
        letters.chars().filter(|&letter| letter == '-' || letter.is_alphanumeric()).collect()
    }
}

/// The prose of an entry.
pub struct Prose {
    /// What the paper says, in a sentence.
    pub paper: String,
    /// What we got, in a sentence.
    pub ours: String,
    /// Why it agrees or not.
    pub why: String,
    /// Tables and what else is to be said, in Markdown.
    pub body: String,
}

impl Prose {
    /// Fills in a template, whose parts begin with lines `== paper`, `== ours`, `== why` and `== body`. A value that is not there is an error.
    ///
    /// # Errors
    /// [`Error::Template`], or [`Error::Serialize`] for values that cannot be.
    pub fn render(name: &str, template: &str, values: &impl Serialize) -> Result<Self, Error> {
        let text = render(name, template, values)?;
        let part = |part: &str| {
            let begun = text.split("== ").find_map(|text| text.strip_prefix(part)?.strip_prefix('\n'));
            begun.unwrap_or_default().trim().to_string()
        };
        let line = |name: &str| part(name).replace('\n', " ");
        Ok(Self { paper: line("paper"), ours: line("ours"), why: line("why"), body: part("body") })
    }
}

/// A template with its values.
fn render(name: &str, template: &str, values: &impl Serialize) -> Result<String, Error> {
    let mut environment = minijinja::Environment::new();
    environment.set_undefined_behavior(minijinja::UndefinedBehavior::SemiStrict);
    environment.render_str(template, values).map_err(|source| Error::Template { name: name.into(), source })
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

/// The page: at a glance, then each experiment.
///
/// # Errors
/// [`Error::Template`].
fn page(entries: &[Entry]) -> Result<String, Error> {
    let entries: Vec<Value> = entries
        .iter()
        .map(|entry| {
            let mut values = json!(entry);
            values["anchor"] = entry.anchor().into();
            values["verdict"] = entry.verdict.words().into();
            values["duration"] = duration(entry.seconds).into();
            values["body"] = entry.body.trim().into();
            values
        })
        .collect();
    let text = render("the page", include_str!("templates/page.md"), &json!({ "entries": entries }))?;
    Ok(text.trim_end().to_string() + "\n")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_page_is_made_of_the_committed_entries() {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
        let made = page(&entries(&docs.join(FOLDER)).unwrap()).unwrap();
        let committed = fs::read_to_string(docs.join(PAGE)).unwrap();
        for (made, committed) in made.lines().zip(committed.lines()) {
            assert_eq!(made, committed);
        }
        assert_eq!(made, committed);
    }

    #[test]
    fn a_template_without_its_value_is_an_error() {
        let text = "== paper\nIt says {{ what }}.\n== body\nA\nB\n";
        let prose = Prose::render("x", text, &json!({ "what": "so" })).unwrap();
        assert_eq!((&*prose.paper, &*prose.ours, &*prose.body), ("It says so.", "", "A\nB"));
        assert!(Prose::render("x", text, &json!({})).is_err());
    }
}
