//! log Z of a model: by annealing from both sides, and exactly if the model is small enough.

use crate::{Error, Workbench};
use dbm_core::ais::{Ais, AisEstimate, AisSettings, BaseDistribution, Bracket, ReverseAis, ReverseStart, raise};
use dbm_core::math::mean_and_error;
use dbm_core::words::{Choice, Choose, Label, choice, words};
use dbm_core::{Dbm, DbmError, Host, exact};
use dbm_data::Dataset;

/// Betas between two updates of the progress bar.
const SLICE: usize = 20;

/// The start of reverse annealing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReverseFrom {
    /// Examples of the data.
    Data,
    /// The ends of separate annealing runs.
    Samples,
    /// None: log Z from the low side alone.
    Nowhere,
}

impl Choose for ReverseFrom {
    const WORDS: Label = words(
        "reverse-from",
        "Reverse from",
        "Where annealing in reverse starts, which gives the high side of log Z [default: data, or none without --data]. The high side is an upper bound only if its starts are exact samples of the model",
    );
    const CHOICES: &'static [Choice<Self>] = &[
        choice(
            Self::Data,
            "data",
            "data",
            "At examples: these are exact samples only if the model has learned the data perfectly. Also gives a conservative log p(v) (RAISE)",
        ),
        choice(
            Self::Samples,
            "samples",
            "samples",
            "At the ends of separate annealing runs: these are exact samples only if such runs reach equilibrium",
        ),
        choice(Self::Nowhere, "none", "none", "No annealing in reverse"),
    ];
}

/// log p(v) by RAISE of some examples, each with its number.
pub type Raised = Vec<(usize, f64)>;

/// The result of reverse annealing, in addition to that towards the model.
pub struct Reverse {
    /// Both ends, and Bennett's estimate.
    pub bracket: Bracket,
    /// Conservative estimates of log p(v), with the example of each; empty if the chains did not start at examples themselves.
    pub raise: Raised,
}

/// Mean log p(v) of the examples by RAISE, and its standard error over the chains; `None` if these did not start at examples. They started
/// from only some: `bounds`, log p(v) of all or a lower bound on it, up to a constant, say how those differ from the others.
pub(crate) fn mean_raise(raised: &Raised, bounds: &[f64]) -> Option<(f64, f64)> {
    let offsets: Vec<f64> = raised.iter().map(|&(row, log_p)| log_p - bounds[row]).collect();
    let (offset, error) = (!offsets.is_empty()).then(|| mean_and_error(&offsets))?;
    Some((mean_and_error(bounds).0 + offset, error))
}

/// Estimates of log Z, and the exact value if the model is small enough.
pub struct LogZ {
    /// By annealed importance sampling.
    pub estimate: AisEstimate,
    /// From the other side, if requested.
    pub reverse: Option<Reverse>,
    /// By enumeration, if the model is small enough.
    pub exact: Option<f64>,
}

impl LogZ {
    /// By annealed importance sampling, also in reverse from `from` after this many sweeps, and by enumeration if that is feasible. Reverse
    /// chains start from the first examples of the data, this many.
    ///
    /// # Errors
    /// Those of the estimates of log Z; [`Error::Usage`] if the requested starting data are missing.
    pub fn of(
        model: &Dbm,
        data: Option<(&Dataset, usize)>,
        settings: &AisSettings,
        (from, sweeps): (ReverseFrom, u32),
        session: &Workbench,
    ) -> Result<Self, Error> {
        if from == ReverseFrom::Data && data.is_none() {
            return Err(Error::Usage(
                "--reverse-from data starts at data: give --data as well, or --reverse-from samples".into(),
            ));
        }
        let base = base(model, data.map(|(data, _)| data))?;
        let estimate = anneal(model, &base, settings, session)?;
        let reverse = match from {
            ReverseFrom::Nowhere => None,
            from => Some(anneal_back(
                model,
                &base,
                settings,
                (&estimate, data.filter(|_| from == ReverseFrom::Data), sweeps),
                session,
            )?),
        };
        Ok(Self { estimate, reverse, exact: feasible(exact::log_z(model))? })
    }
}

/// Annealed importance sampling on all threads; the initial independent units are high as often as in the data, if there are any.
pub(crate) fn estimate_log_z(
    model: &Dbm,
    data: Option<&Dataset>,
    settings: &AisSettings,
    session: &Workbench,
) -> Result<AisEstimate, Error> {
    anneal(model, &base(model, data)?, settings, session)
}

fn base(model: &Dbm, data: Option<&Dataset>) -> Result<BaseDistribution, Error> {
    Ok(match data {
        Some(data) => BaseDistribution::of_data(model, &data.examples)?,
        None => BaseDistribution::uniform(model),
    })
}

fn anneal(model: &Dbm, base: &BaseDistribution, settings: &AisSettings, session: &Workbench) -> Result<AisEstimate, Error> {
    session.progress.begin("betas", (settings.betas * settings.shards().len()) as u64);
    let weights = session.map(settings.shards(), |chains| {
        let mut ais = Ais::new(model, base, settings, chains);
        while ais.done < ais.betas {
            let before = ais.done;
            ais.advance(model, SLICE);
            session.progress.advance((ais.done - before) as u64);
        }
        ais.log_weights
    });
    session.progress.end();
    Ok(AisEstimate::from_log_weights(base.log_z, &weights.concat()).finite()?)
}

/// From data, if there are any, or else from samples.
fn anneal_back(
    model: &Dbm,
    base: &BaseDistribution,
    settings: &AisSettings,
    (forward, data, sweeps): (&AisEstimate, Option<(&Dataset, usize)>, u32),
    session: &Workbench,
) -> Result<Reverse, Error> {
    let (weights, raise) = reverse(model, base, settings, (data, sweeps), session)?;
    Ok(Reverse { bracket: Bracket::of(base.log_z, &forward.log_weights, &weights)?, raise })
}

/// RAISE alone: log p(v) of some of the examples, and which they are; of all of them, exactly, if the model is small enough.
pub(crate) fn raised(
    model: &Dbm,
    data: &Dataset,
    bounds: &[f64],
    settings: &AisSettings,
    session: &Workbench,
) -> Result<Raised, Error> {
    if let Some(log_z) = feasible(exact::log_z(model))? {
        return Ok(bounds.iter().map(|bound| bound - log_z).enumerate().collect());
    }
    let base = base(model, Some(data))?;
    Ok(reverse(model, &base, settings, (Some((data, data.examples.len())), 0), session)?.1)
}

/// The log weights of chains in reverse, and RAISE of the examples at which they started, if they did.
fn reverse(
    model: &Dbm,
    base: &BaseDistribution,
    settings: &AisSettings,
    (data, sweeps): (Option<(&Dataset, usize)>, u32),
    session: &Workbench,
) -> Result<(Vec<f64>, Raised), Error> {
    session.progress.begin("betas in reverse", (settings.betas * settings.shards().len()) as u64);
    let parts = session.map(settings.shards(), |chains| {
        let start = match data {
            Some((data, count)) => ReverseStart::of_data(model, (&data.examples, count), settings, chains.clone())?,
            None => ReverseStart::of_samples(model, base, settings, chains.clone()),
        };
        let start = start.sweep_on(model, base, (settings, chains.clone()), sweeps);
        let mut ais = ReverseAis::new(model, base, settings, chains, &start);
        while ais.done < ais.betas {
            let before = ais.done;
            ais.advance(model, SLICE);
            session.progress.advance((ais.done - before) as u64);
        }
        let rows = start.examples.iter().map(|&(row, _)| row);
        let raise = rows.zip(raise(base.log_z, &start, &ais.log_weights)).collect::<Raised>();
        Ok((ais.log_weights, raise))
    });
    session.progress.end();
    let (weights, raise): (Vec<_>, Vec<_>) = parts.into_iter().collect::<Result<Vec<_>, DbmError>>()?.into_iter().unzip();
    Ok((weights.concat(), raise.concat()))
}

/// `None` if the model is too large to enumerate.
pub(crate) fn feasible(exact: Result<f64, DbmError>) -> Result<Option<f64>, Error> {
    match exact {
        Ok(value) => Ok(Some(value)),
        Err(DbmError::TooManyUnits { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
