//! What to compare: an estimator, from one of two starts.

use dbm_core::DbmError;
use dbm_core::gradient::EstimatorSettings;
use std::fmt;
use std::str::FromStr;

/// Written as `[pretrained-][centered-]NAME[-K]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    /// Whether the run begins with greedy layer-wise pretraining, whose steps count.
    pub pretrained: bool,
    /// The estimator and its settings.
    pub estimator: EstimatorSettings,
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}{}", if self.pretrained { "pretrained-" } else { "" }, self.estimator)
    }
}

impl FromStr for Spec {
    type Err = DbmError;

    fn from_str(text: &str) -> Result<Self, DbmError> {
        let (pretrained, rest) = text.strip_prefix("pretrained-").map_or((false, text), |rest| (true, rest));
        Ok(Self { pretrained, estimator: rest.parse()? })
    }
}
