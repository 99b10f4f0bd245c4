//! How a chain goes from noise to the state that is shown.

use crate::{DbmError, Settings};
use std::fmt;
use std::str::FromStr;

/// How samples and answers are drawn. All schedules end in a local search, whose mode has no pixel noise.
///
/// Training shapes a model by the states it visits, so its samples are best if chains move as they did in training, by
/// [`SamplingSchedule::of_training`].
///
/// ```
/// use dbm_core::complete::SamplingSchedule;
/// assert_eq!("mode+gibbs:10".parse::<SamplingSchedule>()?, SamplingSchedule::ModeGibbs(10));
/// assert_eq!(SamplingSchedule::Gibbs(100).to_string(), "gibbs:100");
/// # Ok::<(), dbm_core::DbmError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SamplingSchedule {
    /// Local search from noise, as in the paper (section 5.2).
    Mode,
    /// This many Gibbs sweeps from noise, then a search.
    Gibbs(u32),
    /// A search from noise, this many Gibbs sweeps from its mode, and another search.
    ModeGibbs(u32),
    /// This many Gibbs sweeps from noise, each a little colder than the one before ([`annealing`]), then a search: for answers of a model
    /// whose modes are far apart, in fewer sweeps than at one temperature.
    Annealed(u32),
    /// This many Gibbs sweeps from states drawn from the mean field of what is known ([`MEAN_FIELD_SWEEPS`] sweeps of it; each unit is high
    /// independently, with the probability its mean gives), then a search: for answers of models trained to predict by mean field. If
    /// nothing is known, this gains nothing.
    MeanField(u32),
    /// A class drawn uniformly for each chain and clamped, this many Gibbs sweeps from noise, then a search: for models with labels, whose
    /// chains seldom change class unaided.
    ClassGibbs(u32),
}

/// Mean-field sweeps at the start of [`SamplingSchedule::MeanField`].
pub const MEAN_FIELD_SWEEPS: u32 = 30;

/// Where annealing begins: the inverse temperature, among 0, 0.1, ... 0.8, at which the answers of trained models were most often read
/// correctly.
const COLDNESS_AT_FIRST: f64 = 0.3;

/// The inverse temperature of sweep `sweep` of `sweeps`, counted from 0: in equal steps from 0.3 to 1, the model's own temperature.
///
/// ```
/// use dbm_core::complete::annealing;
/// assert_eq!([0, 1, 2].map(|sweep| annealing(sweep, 3)), [0.3, 0.65, 1.0]);
/// assert_eq!(annealing(0, 1), 1.0);
/// ```
pub fn annealing(sweep: u32, sweeps: u32) -> f32 {
    let left = f64::from(sweeps.saturating_sub(sweep + 1)) / f64::from(sweeps.saturating_sub(1).max(1));
    (1.0 - (1.0 - COLDNESS_AT_FIRST) * left) as f32
}

/// Sweeps of [`SamplingSchedule::of_training`] for persistent chains, which in training made as many as the whole run had.
const PERSISTENT_SWEEPS: u32 = 300;

impl SamplingSchedule {
    /// As in the negative phase of a run with these settings: to a mode, and if more than the paper's one Gibbs sweep followed, the same
    /// number of them. Persistent chains ran throughout training, which 300 Gibbs sweeps replace; if there are labels, a class is drawn
    /// first.
    pub fn of_training(settings: &Settings) -> Self {
        match settings.estimator.mode_sweeps {
            _ if settings.estimator.kind.descriptor().persistent && settings.classes > 0 => Self::ClassGibbs(PERSISTENT_SWEEPS),
            _ if settings.estimator.kind.descriptor().persistent => Self::Gibbs(PERSISTENT_SWEEPS),
            0 | 1 => Self::Mode,
            sweeps => Self::ModeGibbs(sweeps),
        }
    }

    /// Gibbs sweeps of the schedule.
    pub fn sweeps(self) -> u32 {
        match self {
            Self::Mode => 0,
            Self::Gibbs(sweeps)
            | Self::ModeGibbs(sweeps)
            | Self::Annealed(sweeps)
            | Self::MeanField(sweeps)
            | Self::ClassGibbs(sweeps) => sweeps,
        }
    }
}

impl fmt::Display for SamplingSchedule {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Mode => write!(f, "mode"),
            Self::Gibbs(sweeps) => write!(f, "gibbs:{sweeps}"),
            Self::ModeGibbs(sweeps) => write!(f, "mode+gibbs:{sweeps}"),
            Self::Annealed(sweeps) => write!(f, "annealed:{sweeps}"),
            Self::MeanField(sweeps) => write!(f, "mean-field:{sweeps}"),
            Self::ClassGibbs(sweeps) => write!(f, "class+gibbs:{sweeps}"),
        }
    }
}

/// Most Gibbs sweeps a schedule can have.
const MAX_SWEEPS: u32 = 100_000;

impl FromStr for SamplingSchedule {
    type Err = DbmError;

    fn from_str(text: &str) -> Result<Self, DbmError> {
        let refuse = || DbmError::Setting {
            name: "sampler",
            expected: "mode, gibbs:K, mode+gibbs:K, annealed:K, mean-field:K or class+gibbs:K, with K from 1 to 100000",
            got: format!("{text:?}"),
        };
        let sweeps = |text: &str| text.parse().ok().filter(|sweeps| (1..=MAX_SWEEPS).contains(sweeps)).ok_or_else(refuse);
        match text.split_once(':') {
            None if text == "mode" => Ok(Self::Mode),
            Some(("gibbs", k)) => Ok(Self::Gibbs(sweeps(k)?)),
            Some(("mode+gibbs", k)) => Ok(Self::ModeGibbs(sweeps(k)?)),
            Some(("annealed", k)) => Ok(Self::Annealed(sweeps(k)?)),
            Some(("mean-field", k)) => Ok(Self::MeanField(sweeps(k)?)),
            Some(("class+gibbs", k)) => Ok(Self::ClassGibbs(sweeps(k)?)),
            _ => Err(refuse()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_are_told_in_words_and_nonsense_is_refused() {
        for schedule in [
            SamplingSchedule::Mode,
            SamplingSchedule::Gibbs(1),
            SamplingSchedule::ModeGibbs(100),
            SamplingSchedule::Annealed(7),
            SamplingSchedule::MeanField(100),
            SamplingSchedule::ClassGibbs(300),
        ] {
            assert_eq!(schedule.to_string().parse(), Ok(schedule));
        }
        for nonsense in ["", "modes", "gibbs", "gibbs:", "gibbs:0", "gibbs:-1", "mode:3", "gibbs:100001", "mode+gibbs:1.5"] {
            assert!(nonsense.parse::<SamplingSchedule>().is_err(), "{nonsense}");
        }
    }
}
