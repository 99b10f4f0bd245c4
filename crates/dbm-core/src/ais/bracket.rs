//! Both ends of log Z, and one estimate between them.

use super::{AisEstimate, LogRatio, bennett};
use crate::DbmError;

/// A bracket wider than this, in nats, is open: its ends contradict each other or say too little.
pub const OPEN: f64 = 1.0;

/// log Z from both sides.
#[derive(Clone, Debug, PartialEq)]
pub struct Bracket {
    /// From annealing towards the model: usually too low.
    pub low: AisEstimate,
    /// From annealing away from the model: too high, provided its chains start at samples of the model.
    pub high: AisEstimate,
    /// By [`bennett`], from all chains: `log_ratio` is log Z itself.
    pub bennett: LogRatio,
}

impl Bracket {
    /// From the log weights of both sides and the base model's log Z.
    ///
    /// ```
    /// use dbm_core::ais::Bracket;
    /// let bracket = Bracket::of(100.0, &[1.0, 2.0], &[3.0, 5.0])?;
    /// assert!(bracket.low.log_z < bracket.bennett.log_ratio && bracket.bennett.log_ratio < bracket.high.log_z);
    /// assert!(bracket.is_open() && !Bracket::of(100.0, &[1.0, 2.0], &[1.5, 2.5])?.is_open());
    /// # Ok::<(), dbm_core::DbmError>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`bennett`].
    pub fn of(log_z_base: f64, forward: &[f64], reverse: &[f64]) -> Result<Self, DbmError> {
        let bennett = bennett(forward, reverse)?;
        Ok(Self {
            low: AisEstimate::from_log_weights(log_z_base, forward),
            high: AisEstimate::from_reverse_log_weights(log_z_base, reverse),
            bennett: LogRatio { log_ratio: log_z_base + bennett.log_ratio, ..bennett },
        })
    }

    /// `high - low`, in nats; negative if the ends have swapped, which with exact samples happens only by chance.
    pub fn width(&self) -> f64 {
        self.high.log_z - self.low.log_z
    }

    /// Whether the ends are more than [`OPEN`] apart, either way.
    pub fn is_open(&self) -> bool {
        self.width().abs() > OPEN
    }
}
