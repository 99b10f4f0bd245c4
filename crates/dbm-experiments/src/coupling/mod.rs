//! How long couplings take to meet, by dimension (the paper's Figure 1).

mod dimensions;
mod figure;
mod summary;

use crate::plot::distinct;
use crate::{Error, Report, Workbench};
use dbm_core::diagnostics::{CouplingKernel, CouplingStart, Couplings};
use dbm_core::{Dbm, DbmError, Host, Units};
pub use dimensions::Dimensions;
pub use figure::figure;
use serde_json::Value;
pub use summary::{Row, Spread};

/// Runs that one thread does in one piece.
const PIECE: u32 = 5;

/// All combinations of these, at any dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kinds {
    /// Units of the models.
    pub units: Vec<Units>,
    /// How the chains move.
    pub kernels: Vec<CouplingKernel>,
    /// The starts.
    pub starts: Vec<CouplingStart>,
    /// Steps after which a coupling is cut off.
    pub cap: u32,
    /// Maximum number of tries for one draw of the Gibbs coupling.
    pub max_tries: u32,
    /// Seed of the models and of all runs.
    pub seed: u64,
}

impl Kinds {
    /// Every combination once, checked.
    ///
    /// # Errors
    /// Those of [`Couplings::check`].
    pub fn at(&self, dimension: usize) -> Result<Vec<Couplings>, Error> {
        let Self { cap, max_tries, seed, .. } = *self;
        let starts = |kernel, units| self.starts.iter().map(move |&start| (units, kernel, start));
        let kinds = self.units.iter().flat_map(|&units| self.kernels.iter().flat_map(move |&kernel| starts(kernel, units)));
        let of = |(units, kernel, start)| Couplings { dimension, units, kernel, start, max_meeting: cap, max_tries, seed };
        let all = distinct(kinds.map(of));
        all.iter().try_for_each(Couplings::check)?;
        Ok(all)
    }
}

/// The number of pieces that [`rows`] reports to the session's progress.
pub fn pieces(couplings: &[Couplings], runs: u32) -> u64 {
    couplings.len() as u64 * u64::from(runs.div_ceil(PIECE))
}

/// A row for each of these couplings, in order. A row depends only on its coupling and the number of runs, not on the threads or on the
/// other rows computed with it, so a table can be computed dimension by dimension.
///
/// # Errors
/// Those of [`Couplings::model`].
pub fn rows(couplings: &[Couplings], runs: u32, session: &Workbench) -> Result<Vec<Row>, Error> {
    // Kernels and starts with the same units and dimension share a model.
    let of = |c: &Couplings| (c.dimension, c.units, c.seed);
    let kinds = distinct(couplings.iter().map(of));
    let made = session.map(kinds.clone(), |kind| couplings.iter().find(|c| of(c) == kind).map(Couplings::model).transpose());
    let models = made.into_iter().collect::<Result<Vec<Option<Dbm>>, DbmError>>()?;
    let model = |c: &Couplings| models[kinds.iter().position(|kind| *kind == of(c))?].as_ref();

    let firsts = || (0..runs).step_by(PIECE as usize);
    let pieces: Vec<(&Couplings, &Dbm, u32)> = couplings
        .iter()
        .filter_map(|c| Some((c, model(c)?)))
        .flat_map(|(c, model)| firsts().map(move |first| (c, model, first)))
        .collect();
    let done = session.map(pieces, |(couplings, model, first)| {
        let done = couplings.run(model, first..runs.min(first.saturating_add(PIECE)), &mut |_, _| ());
        session.progress.advance(1);
        done
    });
    let a_kind = firsts().count().max(1);
    Ok(couplings.iter().zip(done.chunks(a_kind)).map(|(couplings, runs)| Row::new(*couplings, &runs.concat())).collect())
}

/// The table of `dbm couple`.
impl Report for Vec<Row> {
    fn json(&self) -> Value {
        self.iter().map(Row::line).collect()
    }

    fn text(&self) -> String {
        summary::csv(self)
    }

    fn csv(&self) -> Result<String, Error> {
        Ok(summary::csv(self))
    }

    fn figure(&self) -> Result<String, Error> {
        figure(self)
    }
}
