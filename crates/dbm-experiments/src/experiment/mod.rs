//! The paper's experiments, and ours beyond them, each by its name.

mod best_model;
mod bit_planes;
mod depth;
mod figure_1;
mod figure_2;
mod figure_3;
mod grey;
mod recipe;
mod report;
mod scored;
mod table_2;
mod workspace;

use crate::data::{DataSource, Reading, Split};
use crate::score::Reference;
pub use crate::template::duration;
use crate::{Error, Session};
use dbm_core::words::{Choice, Choose, Words, choice, words};
use dbm_data::raw::Encoding;
use dbm_data::{Dataset, digits};
pub use report::{Entry, Verdict};
use std::path::PathBuf;
use workspace::Workspace;

/// Generated digits of a toy.
const TOY_DIGITS: usize = 300;

/// An experiment of the paper, or one of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    /// How long couplings take to meet.
    Figure1,
    /// Samples without pretraining.
    Figure2,
    /// The ablation: the method without each of its parts.
    Table2,
    /// Completions of halves and of random pixels.
    Figure3,
    /// A search of recipes.
    BestModel,
    /// Grey digits, 8 bits a pixel.
    BitPlanes,
    /// Two hidden layers against one.
    Depth,
    /// The model of grey digits, and what eight bit planes leave to learn.
    Grey,
}

impl Choose for Name {
    const WORDS: Words = words("experiment", "Experiment", "Names of experiments");
    const CHOICES: &'static [Choice<Self>] = &[
        choice(Self::Figure1, "figure-1", "Figure 1", "How long couplings take to meet, by dimension"),
        choice(Self::Figure2, "figure-2", "Figure 2", "Samples of UCD-LMI and of PCD, without pretraining"),
        choice(Self::Table2, "table-2", "Table 2", "The ablation: coupling, signs, marginalization, orthogonal start"),
        choice(Self::Figure3, "figure-3", "Figure 3", "Completions of halves and of random pixels, and how good they are"),
        choice(Self::BestModel, "best-model", "The best model", "A search of recipes, and the best model they lead to"),
        choice(Self::BitPlanes, "bit-planes", "Bit planes", "Grey digits, 8 bits a pixel, and the paper's own size"),
        choice(
            Self::Depth,
            "depth",
            "Depth",
            "Two hidden layers against one of as many parameters, and the deep model that is shipped",
        ),
        choice(Self::Grey, "grey", "Grey", "What eight bit planes leave to learn, and the model of grey digits that is shipped"),
    ];
}

/// How experiments are to be run.
#[derive(Clone, Debug)]
pub struct Request {
    /// The folder with MNIST's four files, or another word for data.
    pub data: Option<String>,
    /// The folder to work in.
    pub out: PathBuf,
    /// The model that figure-3 completes by, or that depth or grey measures.
    pub model: Option<PathBuf>,
    /// The documentation's folder, to write reproduction.md and its figures to.
    pub docs: Option<PathBuf>,
    /// As small as it can be.
    pub toy: bool,
    /// Of all that is random.
    pub seed: u64,
}

impl Request {
    /// Runs an experiment, or goes on with it, and publishes what it showed.
    ///
    /// # Errors
    /// Data that are not there, a run that diverges or does not fit into memory, and what goes wrong with files.
    pub fn run(&self, name: Name, session: &Session) -> Result<Entry, Error> {
        let title = name.choice().name;
        let folder = self.out.join(if self.toy { format!("{title}-toy") } else { title.to_string() });
        let workspace = Workspace::new(folder, (self.toy, self.seed), session)?;
        let entry = self.one(name, &workspace)?;
        entry.publish(&workspace, self.docs.as_deref())?;
        Ok(entry)
    }

    fn one(&self, name: Name, workspace: &Workspace) -> Result<Entry, Error> {
        match name {
            Name::Figure1 => figure_1::run(workspace),
            Name::Figure2 => {
                let set = if self.data.is_some() { "MNIST" } else { "Generated" };
                figure_2::run(workspace, set, &self.reference(workspace)?)
            }
            Name::Table2 => table_2::run(workspace, &self.reference(workspace)?),
            Name::Figure3 => figure_3::run(
                workspace,
                self.model.as_deref(),
                &self.digits(None, Split::Train)?,
                &self.digits(None, Split::Test)?,
            ),
            Name::BestModel => best_model::run(workspace, &self.reference(workspace)?),
            Name::BitPlanes => bit_planes::run(workspace, &self.grey_digits(Split::Train)?, &self.grey_digits(Split::Test)?),
            Name::Grey => grey::run(workspace, &self.source(None)?, self.model.as_deref()),
            Name::Depth => depth::run(workspace, &self.source(None)?, self.model.as_deref()),
        }
    }

    /// MNIST, or what takes its place in a toy, with this many bits a value.
    fn digits(&self, bits_per_value: Option<u8>, split: Split) -> Result<Dataset, Error> {
        self.source(bits_per_value)?.load(split)
    }

    /// The same in 8 bit planes. Generated digits are binary as data sets go, but drawn in grey.
    fn grey_digits(&self, split: Split) -> Result<Dataset, Error> {
        if !(self.toy && self.data.as_deref().is_none_or(|data| data == "digits")) {
            return self.digits(Some(8), split);
        }
        let seed = if split == Split::Train { 1 } else { 2 };
        let pictures = digits::pictures(TOY_DIGITS, seed)?;
        Ok(pictures.encode("generated digits in grey", &Encoding { bits: 8, ..pictures.suggest() })?)
    }

    /// What samples of these digits are held against.
    fn reference(&self, workspace: &Workspace) -> Result<Reference, Error> {
        Reference::load(workspace.session, &self.source(None)?, None)
    }

    fn source(&self, bits_per_value: Option<u8>) -> Result<DataSource, Error> {
        let data = match &self.data {
            Some(data) => data.clone(),
            None if self.toy => "digits".into(),
            None => {
                return Err(Error::Usage(
                    "this experiment needs MNIST: give --data the folder with its four files, or --toy to see it at work on generated digits".into(),
                ));
            }
        };
        let reading = Reading { bits_per_value, ..Reading::of_digits(if self.toy { TOY_DIGITS } else { 10_000 }) };
        Ok(DataSource { name: data, reading })
    }
}
