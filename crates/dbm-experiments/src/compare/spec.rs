//! What is compared: an estimator, from one of two starts.

use dbm_core::DbmError;
use dbm_core::gradient::EstimatorSettings;
use std::fmt;
use std::str::FromStr;

/// In words `[pretrained-][centered-]NAME[-K]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    /// Whether the run begins with greedy layer-wise pretraining, which is counted among its steps.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back_and_nonsense_is_refused() {
        for name in ["ucd-lmi", "centered-pcd-1", "pretrained-pcd-1", "pretrained-centered-cd-10"] {
            assert_eq!(name.parse::<Spec>().unwrap().to_string(), name);
        }
        for nonsense in ["", "pretrained", "pretrained-", "centered-pretrained-pcd-1", "pretrained-pretrained-pcd-1"] {
            assert!(nonsense.parse::<Spec>().is_err(), "{nonsense}");
        }
    }
}
