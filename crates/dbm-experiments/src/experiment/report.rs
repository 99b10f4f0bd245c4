//! The report of an experiment: its entry, and the page that is generated from all entries.

use super::workspace::Workspace;
use crate::Error;
use crate::template::render;
use crate::{Workbench, files};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// The page of all experiments, and the folder next to it with their entries and figures.
const PAGE: &str = "reproduction.md";
const FOLDER: &str = "reproduction";

/// Whether our results agree with the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// All claims of the paper that we can check hold.
    Agrees,
    /// Some of the paper's claims hold.
    InPart,
    /// None of the paper's claims holds.
    Differs,
    /// The paper makes no claim about it.
    Beyond,
}

impl Verdict {
    /// From how many of the paper's claims hold.
    pub fn of(claims: &[Judged]) -> Self {
        let held: Vec<bool> = claims.iter().filter(|claim| !claim.ours).map(|claim| claim.holds).collect();
        match held.iter().filter(|&&held| held).count() {
            _ if held.is_empty() => Self::Beyond,
            0 => Self::Differs,
            count if count == held.len() => Self::Agrees,
            _ => Self::InPart,
        }
    }

    /// As written on the page.
    pub fn words(self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::InPart => "agrees in part",
            Self::Differs => "differs",
            Self::Beyond => "not in the paper",
        }
    }
}

/// An expected result, judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// What is expected.
    pub words: String,
    /// The numbers that it concerns.
    pub reached: String,
    /// Whether it holds.
    pub holds: bool,
    /// Whether it is a goal of ours; only the paper's claims decide the verdict.
    pub ours: bool,
}

/// An experiment's entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its name, as in `dbm experiment NAME`.
    pub name: String,
    /// Its place among the others, from 1.
    pub place: u32,
    /// Heading of its section.
    pub title: String,
    /// What it asks.
    pub question: String,
    /// What the paper says, in a sentence.
    pub paper: String,
    /// Our result, in a sentence.
    pub ours: String,
    /// What is expected, the paper's claims first.
    pub claims: Vec<Judged>,
    /// Whether the paper's claims hold.
    pub verdict: Verdict,
    /// Why it agrees or not, in a few sentences.
    pub why: String,
    /// The command that reproduces it.
    pub command: String,
    /// The seed of all randomness.
    pub seed: u64,
    /// The processor and the number of threads.
    pub machine: String,
    /// Seconds of all its parts, whenever they were computed.
    pub seconds: f64,
    /// How it was measured, in Markdown.
    pub body: String,
    /// Pictures in the experiment's folder: the file's name without extension (there is an SVG and a PNG), and its caption.
    pub figures: Vec<(String, String)>,
    /// Other files in the folder, small enough to publish next to the page.
    pub data: Vec<String>,
}

impl Entry {
    /// Writes the entry into the experiment's folder and, if the documentation's folder is given, next to the page, which is generated from
    /// all entries.
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

    /// The target of a link to this entry on the page.
    fn anchor(&self) -> String {
        let letters = self.title.to_lowercase().replace(' ', "-");
        letters.chars().filter(|&letter| letter == '-' || letter.is_alphanumeric()).collect()
    }
}

/// All entries in this folder, in order.
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

/// The page: an overview, then each experiment.
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

/// The processor's name, if the system reports it, and the number of threads.
pub fn machine(session: &Workbench) -> String {
    let name = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_string())
    });
    format!("{} threads of {}", session.threads(), name.unwrap_or_else(|| format!("an {} processor", std::env::consts::ARCH)))
}

#[cfg(test)]
mod tests {
    use super::super::recipe::Recipe;
    use super::super::runner::command;
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
    fn the_committed_entries_and_models_are_those_of_the_recipes() {
        let entries = entries(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(FOLDER)).unwrap();
        let trained = [
            ("figure-2", "by", Some("ucd-lmi")),
            ("best-model", "best-model", None),
            ("best-model", "short", Some("middle")),
            ("depth", "one", None),
            ("depth", "two", None),
            ("depth", "search-two", Some("middle")),
            ("bit-planes", "width", Some("500")),
        ];
        let mut found = 0;
        for recipe in Recipe::all(false).unwrap() {
            let entry = entries.iter().find(|entry| entry.name == recipe.name).unwrap_or_else(|| panic!("{}", recipe.name));
            let of_recipe = (recipe.place, &recipe.title, &recipe.question, &recipe.paper);
            assert_eq!((entry.place, &entry.title, &entry.question, &entry.paper), of_recipe);
            assert_eq!(entry.command, command(&recipe, false));
            let claims = |entry: &Entry| entry.claims.iter().map(|claim| (claim.words.clone(), claim.ours)).collect::<Vec<_>>();
            assert_eq!(claims(entry), recipe.claims.iter().map(|claim| (claim.words.clone(), claim.ours)).collect::<Vec<_>>());
            assert_eq!(entry.verdict, Verdict::of(&entry.claims), "{}", recipe.name);
            assert!(agrees(&recipe.ours, " ", &entry.ours), "{}: {}", recipe.name, entry.ours);
            assert!(agrees(&recipe.why, " ", &entry.why), "{}: {}", recipe.name, entry.why);
            assert!(agrees(&recipe.body, "\n", &entry.body), "{}: {}", recipe.name, entry.body);
            for group in &recipe.groups {
                for (its, training) in group.trainings(&recipe.variants, 1).unwrap() {
                    if trained.contains(&(&recipe.name, &group.name, its.map(|its| its.name.as_str()))) {
                        let command = training.command(&recipe.data.as_ref().unwrap().options());
                        assert!(entry.body.contains(&command), "{command}");
                        found += 1;
                    }
                }
            }
        }
        assert_eq!(found, trained.len());
    }

    /// Whether a text can come from these lines of a template: it has their words outside of conditions and loops, in this order.
    fn agrees(lines: &[String], between: &str, text: &str) -> bool {
        let template = lines.join(between).replace("{{", "{%").replace("}}", "%}");
        let (mut rest, mut depth) = (text, 0);
        template.split("{%").all(|part| {
            let (tag, literal) = part.split_once("%}").unwrap_or(("", part));
            let tag = tag.trim_matches(['-', ' ']);
            depth += i32::from(tag.starts_with("if ") || tag.starts_with("for ")) - i32::from(tag == "endif" || tag == "endfor");
            let found = (depth == 0).then(|| rest.split_once(literal.trim()).map(|(_, after)| rest = after));
            found != Some(None)
        })
    }

    #[test]
    fn the_verdict_follows_the_claims() {
        let claim = |holds, ours| Judged { words: "it holds".into(), reached: "1".into(), holds, ours };
        let verdicts = [vec![], vec![true, true], vec![true, false], vec![false]].map(|held| {
            Verdict::of(&held.into_iter().map(|held| claim(held, false)).chain([claim(true, true)]).collect::<Vec<_>>())
        });
        assert_eq!(verdicts, [Verdict::Beyond, Verdict::Agrees, Verdict::InPart, Verdict::Differs]);
    }
}
