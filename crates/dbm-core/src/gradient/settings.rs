//! Which estimator, and its own settings, in a run's settings and in words: `ucd-lmi`, `cd-5`, `centered-pcd-1`.

use super::EstimatorKind;
use crate::DbmError;
use crate::settings::within;
use crate::words::{Choose, Setting};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

/// An estimator's kind and what only some kinds have.
///
/// In words it is `[centered-]NAME[-K]`: `K` Gibbs sweeps for `cd`, `pcd` and `pcd-gibbs`, 1 where it is left out.
///
/// ```
/// use dbm_core::gradient::{EstimatorKind, EstimatorSettings};
/// let settings: EstimatorSettings = "centered-pcd-5".parse()?;
/// assert_eq!((settings.kind, settings.k, settings.centering.is_some()), (EstimatorKind::Pcd, 5, true));
/// assert_eq!(settings.to_string(), "centered-pcd-5");
/// assert!("ucd-lmi-5".parse::<EstimatorSettings>().is_err());
/// # Ok::<(), dbm_core::DbmError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EstimatorSettings {
    /// The estimator.
    pub kind: EstimatorKind,
    /// Gibbs sweeps of `cd`, `pcd` and `pcd-gibbs`; ignored by the others.
    pub k: u32,
    /// `ucd-lmi` and `lmi`: Gibbs sweeps from the mode to x_0; 1 is the paper's (section 3.3). The coupled estimate is unbiased for any number.
    pub mode_sweeps: u32,
    /// `ucd-gibbs`: tries of one draw from a residual distribution, after which the last try is taken, which biases, and counted.
    pub max_tries: u32,
    /// `pcd`: sweeps of the mean-field iteration, after which its last iterate is taken and counted.
    pub mean_field_sweeps: u32,
    /// `pcd`: the iteration ends when no probability moves by more than this in a sweep.
    pub mean_field_tolerance: f64,
    /// Trains in the centered parametrization, whose offsets follow the data-dependent means at this rate, in `(0, 1]`.
    pub centering: Option<f64>,
}

/// The rate of the offsets where only "centered" is asked for.
pub const CENTERING_RATE: f64 = 0.01;

impl Default for EstimatorSettings {
    fn default() -> Self {
        Self {
            kind: EstimatorKind::default(),
            k: 1,
            mode_sweeps: 1,
            max_tries: 10_000,
            mean_field_sweeps: 100,
            mean_field_tolerance: 1e-4,
            centering: None,
        }
    }
}

impl EstimatorSettings {
    /// Of this kind, everything else as by default.
    pub fn new(kind: EstimatorKind) -> Self {
        Self { kind, ..Self::default() }
    }

    /// Accepts what makes sense.
    ///
    /// # Errors
    /// [`DbmError::Setting`] naming the first setting out of its range.
    pub fn check(&self) -> Result<(), DbmError> {
        Setting::K.check("k", f64::from(self.k))?;
        Setting::ModeSweeps.check("mode sweeps", f64::from(self.mode_sweeps))?;
        Setting::MaxTries.check("max tries", f64::from(self.max_tries))?;
        Setting::MeanFieldSweeps.check("mean-field sweeps", f64::from(self.mean_field_sweeps))?;
        let tolerance = self.mean_field_tolerance;
        within("mean-field tolerance", "a number from 0 to below 1", tolerance, (0.0..1.0).contains(&tolerance))?;
        self.centering.map_or(Ok(()), |rate| Setting::CenteringRate.check("centering rate", rate))
    }
}

impl fmt::Display for EstimatorSettings {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let centered = if self.centering.is_some() { "centered-" } else { "" };
        write!(f, "{centered}{}", self.kind.name())?;
        if self.kind.has_k() { write!(f, "-{}", self.k) } else { Ok(()) }
    }
}

/// All names, as they are given: `ucd-lmi, ..., cd-K or pcd-K, or one of these with centered- before it`.
static NAMES: LazyLock<String> = LazyLock::new(|| {
    let names = EstimatorKind::ALL.map(|kind| format!("{}{}", kind.name(), if kind.has_k() { "-K" } else { "" }));
    let (last, others) = names.split_last().expect("there are estimators");
    format!("{} or {last}, or one of these with centered- before it", others.join(", "))
});

impl FromStr for EstimatorSettings {
    type Err = DbmError;

    fn from_str(text: &str) -> Result<Self, DbmError> {
        let refuse = || DbmError::Setting { name: "estimator", expected: &NAMES, got: format!("{text:?}") };
        let (name, centering) = match text.strip_prefix("centered-") {
            Some(rest) => (rest, Some(CENTERING_RATE)),
            None => (text, None),
        };
        let (kind, k) = if let Some(kind) = EstimatorKind::named(name) {
            (kind, 1)
        } else {
            let (name, k) = name.rsplit_once('-').ok_or_else(refuse)?;
            let kind = EstimatorKind::named(name).filter(|kind| kind.has_k()).ok_or_else(refuse)?;
            (kind, k.parse().map_err(|_| refuse())?)
        };
        let settings = Self { kind, k, centering, ..Self::default() };
        settings.check()?;
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back_and_nonsense_is_refused() {
        for kind in EstimatorKind::ALL {
            for centering in [None, Some(CENTERING_RATE)] {
                let k = if kind.has_k() { 7 } else { 1 };
                let settings = EstimatorSettings { k, centering, ..EstimatorSettings::new(kind) };
                assert_eq!(settings.to_string().parse(), Ok(settings));
            }
        }
        for nonsense in ["", "cd-", "cd-0", "cd--1", "ucd", "lmi-3", "centered", "cd-1.5", "cd-99999999999", "-1"] {
            assert!(nonsense.parse::<EstimatorSettings>().is_err(), "{nonsense}");
        }
    }
}
