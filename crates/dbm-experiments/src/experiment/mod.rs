//! The experiments of the paper and our own: each is a recipe, a data file that one runner executes.

mod density;
mod figure;
mod measure;
mod recipe;
mod report;
mod results;
mod runner;
mod shared;
mod training_plan;
mod workspace;

pub use crate::template::duration;
use crate::{Error, Workbench};
use clap::Args;
use recipe::Recipe;
pub use report::{Entry, Verdict};
use runner::Runner;
use std::path::PathBuf;
use workspace::Workspace;

/// How experiments are to be run.
#[derive(Args, Clone, Debug)]
pub struct Request {
    /// The folder with MNIST's four files; with --toy, generated digits if it is not given
    #[arg(long, value_name = "DIR")]
    pub data: Option<String>,
    /// The folder with the data sets of density, such as debd/nltcs.train.data.gz; without it, `all` leaves density out
    #[arg(long, value_name = "DIR")]
    pub sets: Option<String>,
    /// The folder to work in
    #[arg(long, value_name = "DIR", default_value = "experiments")]
    pub out: PathBuf,
    /// The model to measure instead of the shipped one, for figure-3, depth and grey [default: from www/models; with --toy, a newly trained one]
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// The documentation's folder, to write reproduction.md and its figures to
    #[arg(long, value_name = "DIR")]
    pub docs: Option<PathBuf>,
    /// As small as possible: only shows that it works
    #[arg(long)]
    pub toy: bool,
    /// Seed of all randomness
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// The name and subject of each experiment.
///
/// # Errors
/// [`Error::Input`] for a recipe with a mistake.
pub fn names() -> Result<Vec<(String, String)>, Error> {
    Ok(Recipe::all(false)?.into_iter().map(|recipe| (recipe.name, recipe.summary)).collect())
}

/// All experiments that can be run, in order.
pub const ALL: &str = "all";

/// Checks that this is an existing name, the file of a recipe, or [`ALL`].
///
/// # Errors
/// [`Error::Usage`] for an unknown name, and those of the file.
pub fn check(name: &str) -> Result<String, Error> {
    if name != ALL {
        Recipe::named(name, false)?;
    }
    Ok(name.into())
}

impl Request {
    /// The experiments that `all` stands for: without the folder of its sets, density is none of them.
    ///
    /// # Errors
    /// [`Error::Input`] for a recipe with a mistake.
    pub fn all(&self) -> Result<Vec<String>, Error> {
        let runs = |recipe: &Recipe| self.toy || self.sets.is_some() || recipe.density.is_none();
        Ok(Recipe::all(self.toy)?.into_iter().filter(runs).map(|recipe| recipe.name).collect())
    }

    /// Runs an experiment, by its name or the file of its recipe, or what remains of it, and publishes the results.
    ///
    /// # Errors
    /// An unknown name, missing data, a run that does not fit into memory, and errors with files.
    pub fn run(&self, name: &str, session: &Workbench) -> Result<Entry, Error> {
        let recipe = Recipe::named(name, self.toy)?;
        let name = &recipe.name;
        let data = match &self.data {
            Some(data) => data.clone(),
            None if self.toy || recipe.data.is_none() => "digits".into(),
            None => {
                return Err(Error::Usage(
                    "this experiment needs MNIST: give --data the folder with its four files, or --toy to see it at work on generated digits".into(),
                ));
            }
        };
        let sets = match &self.sets {
            Some(sets) => sets,
            None if self.toy || recipe.density.is_none() => "",
            None => {
                return Err(Error::Usage(
                    "this experiment needs data sets: give --sets their folder, or --toy to see it at work on generated examples"
                        .into(),
                ));
            }
        };
        let folder = self.out.join(if self.toy { format!("{name}-toy") } else { name.clone() });
        let workspace = Workspace::new(folder, (self.toy, self.seed), session)?;
        let runner = Runner { recipe: &recipe, workspace: &workspace, data, sets, model: self.model.as_deref() };
        let entry = runner.run()?;
        entry.publish(&workspace, self.docs.as_deref())?;
        Ok(entry)
    }
}
