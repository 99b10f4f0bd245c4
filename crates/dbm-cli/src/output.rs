//! Output formats of pictures and values, and the destinations of a command's results.

use crate::context::Context;
use dbm_core::Host;
use dbm_experiments::plot::raster;
use dbm_experiments::{Error, Report, files};
use std::path::Path;

/// Chosen by the file name's extension.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Npy,
    Png,
    Csv,
}

impl Format {
    pub fn of(path: &Path) -> Result<Self, Error> {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("npy") => Ok(Self::Npy),
            Some("png") => Ok(Self::Png),
            Some("csv") => Ok(Self::Csv),
            _ => Err(Error::Usage(format!(
                "--out should end in .npy or .png, or .csv for a table's model, but is {}",
                path.display()
            ))),
        }
    }
}

/// The files that a report is written to, in addition to the printed output.
pub struct Files<'a> {
    csv: Option<&'a Path>,
    plot: Option<&'a Path>,
}

impl<'a> Files<'a> {
    /// Checks them before the work starts.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn new(csv: Option<&'a Path>, plot: Option<&'a Path>) -> Result<Self, Error> {
        csv.into_iter().chain(plot).try_for_each(files::check_writable)?;
        Ok(Self { csv, plot })
    }

    /// Writes a report's table and picture.
    pub fn write(&self, report: &impl Report) -> Result<(), Error> {
        if let Some(path) = self.csv {
            files::write(path, report.csv()?.as_bytes())?;
        }
        match self.plot {
            Some(path) => files::write(path, &raster::by_name(path, report.figure()?)?),
            None => Ok(()),
        }
    }

    /// Measures with a clock; writes the report and prints it.
    pub fn report<R: Report>(&self, context: &Context, measure: impl FnOnce() -> Result<R, Error>) -> Result<(), Error> {
        let started = context.session.now();
        let report = measure()?;
        let seconds = context.session.now() - started;
        self.write(&report)?;
        let mut fields = report.json();
        fields["seconds"] = seconds.into();
        context.done(fields, || format!("{}{seconds:.1} s on {} threads", report.text(), context.session.threads()));
        Ok(())
    }
}
