//! What an experiment showed: an entry of its own, and the page that is made of all of them.

use super::workspace::Workspace;
use crate::Error;
use crate::template::render;
use crate::{Session, files};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The page of all experiments, and the folder beside it that their entries and figures are in.
const PAGE: &str = "reproduction.md";
const FOLDER: &str = "reproduction";

/// Whether what we got is what the paper says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// All that the paper says and we can see.
    Agrees,
    /// Some of what the paper says.
    InPart,
    /// Nothing of what the paper says.
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

    /// As the page says it.
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

/// Where an experiment's words come from, and its place among the others.
pub struct Report {
    /// As in `dbm experiment NAME`; also the name of its figure.
    pub name: &'static str,
    /// Its place on the page, from 1.
    pub place: u32,
    /// Its parts begin with lines `== title`, `== paper`, `== ours`, `== why`, `== command`, `== figure` and `== body`.
    pub template: &'static str,
    /// Files that go beside the page.
    pub data: &'static [&'static str],
}

impl Report {
    /// Fills in the template, after all parts. A value that is not there is an error.
    ///
    /// # Errors
    /// [`Error::Template`].
    pub fn entry(&self, workspace: &Workspace, facts: &impl Serialize, verdict: Verdict) -> Result<Entry, Error> {
        let parts = self.parts(facts)?;
        let line = |part: &str| parts.get(part).map_or(String::new(), |text| text.replace('\n', " "));
        Ok(Entry {
            name: self.name.into(),
            place: self.place,
            title: line("title"),
            paper: line("paper"),
            ours: line("ours"),
            verdict,
            why: line("why"),
            command: workspace.command(&line("command")),
            seed: workspace.seed,
            machine: machine(workspace.session),
            seconds: workspace.seconds(),
            body: parts.get("body").cloned().unwrap_or_default(),
            figures: vec![(self.name.into(), line("figure"))],
            data: self.data.iter().map(ToString::to_string).collect(),
        })
    }

    /// The parts of the template by their names.
    fn parts(&self, facts: &impl Serialize) -> Result<BTreeMap<String, String>, Error> {
        let text = format!("\n{}", render(self.name, self.template, facts)?);
        let parts = text.split("\n== ").skip(1).filter_map(|part| part.split_once('\n'));
        Ok(parts.map(|(name, text)| (name.to_string(), text.trim().to_string())).collect())
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
            values
        })
        .collect();
    let text = render("the page", include_str!("templates/page.md"), &json!({ "entries": entries }))?;
    Ok(text.trim_end().to_string() + "\n")
}

/// The processor's name where the system tells it, and the number of threads.
fn machine(session: &Session) -> String {
    let name = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_string())
    });
    format!("{} threads of {}", session.threads(), name.unwrap_or_else(|| format!("an {} processor", std::env::consts::ARCH)))
}

/// What the documentation has of the experiments, for tests that it is what the code makes.
#[cfg(test)]
pub mod committed {
    use super::*;
    use dbm_score::{Completions, Scores};
    use serde::de::DeserializeOwned;

    /// The folder of the entries and their data.
    const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reproduction/");

    /// A line of a table, by the names of its columns.
    pub struct Line(BTreeMap<String, String>);

    impl Line {
        /// What stands in a column.
        pub fn text(&self, column: &str) -> &str {
            &self.0[column]
        }

        /// The number in a column, or 0 where there is none.
        pub fn number(&self, column: &str) -> f64 {
            let text = self.text(column);
            if text.is_empty() { 0.0 } else { text.parse().unwrap() }
        }

        /// What has the columns' names, other values being these.
        pub fn read<T: DeserializeOwned>(&self, mut values: Value) -> T {
            for (name, cell) in &self.0 {
                if let Ok(number @ Value::Number(_)) = serde_json::from_str(cell) {
                    values[name] = number;
                }
            }
            serde_json::from_value(values).unwrap()
        }

        /// The completions' scores in the columns named like them; of the others 0.
        pub fn completions(&self) -> Completions {
            let count = self.0.get("digits").map_or(0.0, |_| self.number("digits")) as usize;
            self.read(
                json!({ "count": count, "answers": 0, "agreement": 0, "read_right": 0, "read_right_once": 0, "distinct": 0 }),
            )
        }

        /// The same of samples.
        pub fn scores(&self) -> Scores {
            let number = |column: &str| self.0.get(column).map_or(0.0, |_| self.number(column));
            let (least, most, entropy) = (number("least_class"), number("largest_class"), number("class_entropy"));
            self.read(json!({
                "count": 0, "digit_frechet_distance": 0, "precision": 0, "recall": 0, "density": 0, "coverage": 0, "neighbours": 5, "distinct": 0,
                "shares": [least, most, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1],
                "entropy": entropy, "entropy_share": entropy / std::f64::consts::LN_10, "confidence": 0,
            }))
        }
    }

    /// A table of the folder.
    pub fn table(file: &str) -> Vec<Line> {
        let text = fs::read_to_string(format!("{DOCS}{file}")).unwrap();
        let mut lines = text.lines();
        let head: Vec<&str> = lines.next().unwrap().split(',').collect();
        let cells =
            |line: &str| head.iter().zip(line.split(',')).map(|(name, cell)| (name.to_string(), cell.to_string())).collect();
        lines.map(|line| Line(cells(line))).collect()
    }

    /// What a report says of these facts: all its parts, one below the other.
    pub fn said(report: &Report, facts: &impl Serialize) -> String {
        report.parts(facts).unwrap().into_values().collect::<Vec<_>>().join("\n")
    }

    /// That the entry in the folder says what a report says of these facts.
    pub fn assert_says(report: &Report, facts: &impl Serialize, verdict: Verdict) {
        let text = fs::read_to_string(format!("{DOCS}{}.json", report.name)).unwrap();
        let entry: Entry = serde_json::from_str(&text).unwrap();
        let parts = report.parts(facts).unwrap();
        let one_line = |part: &str| parts[part].replace('\n', " ");
        let lines = ["title", "paper", "ours", "why", "command", "figure"].map(one_line);
        assert_eq!(lines, [entry.title, entry.paper, entry.ours, entry.why, entry.command, entry.figures[0].1.clone()]);
        for (made, committed) in parts["body"].lines().zip(entry.body.lines()) {
            assert_eq!(made, committed);
        }
        assert_eq!((&parts["body"], verdict), (&entry.body.trim().to_string(), entry.verdict));
        assert_eq!((report.place, report.data), (entry.place, &*entry.data.iter().map(String::as_str).collect::<Vec<_>>()));
    }
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
        let template = "== paper\nIt says {{ what | percent }}.\n== body\nA\nB\n";
        let report = Report { name: "x", place: 1, template, data: &[] };
        let parts = report.parts(&json!({ "what": 0.5 })).unwrap();
        assert_eq!((&*parts["paper"], &*parts["body"], parts.len()), ("It says 50.0 %.", "A\nB", 2));
        assert!(report.parts(&json!({})).is_err());
    }
}
