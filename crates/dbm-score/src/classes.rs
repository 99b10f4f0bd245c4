//! How pictures are spread over the ten digits, and how many are copies.

use crate::ScoreError;
use crate::classifier::{CLASSES, PIXELS};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// The classifier's readings of many pictures.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Classes {
    /// Share of pictures read as each digit.
    pub shares: [f64; CLASSES],
    /// `-sum_c s_c ln s_c` over these shares, in nats.
    pub entropy: f64,
    /// The same as a share of its maximum, ln 10.
    pub entropy_share: f64,
}

impl Classes {
    /// From the digits read, each below 10.
    ///
    /// ```
    /// let classes = dbm_score::classes::Classes::of(&[3, 3, 7, 7])?;
    /// assert_eq!(classes.shares[7], 0.5);
    /// assert!((classes.entropy - 2_f64.ln()).abs() < 1e-12);
    /// # Ok::<(), dbm_score::ScoreError>(())
    /// ```
    ///
    /// # Errors
    /// [`ScoreError::TooFew`] for none, [`ScoreError::Label`] for one that is not a digit.
    pub fn of(digits: &[u8]) -> Result<Self, ScoreError> {
        if digits.is_empty() {
            return Err(ScoreError::TooFew { what: "pictures", least: 1, got: 0 });
        }
        let mut counts = [0_u64; CLASSES];
        for &digit in digits {
            *counts.get_mut(usize::from(digit)).ok_or(ScoreError::Label(digit))? += 1;
        }
        let shares = counts.map(|count| count as f64 / digits.len() as f64);
        // Subtracted from 0, so that a single class has 0 and not -0.
        let entropy = 0.0 - shares.iter().filter(|&&share| share > 0.0).map(|&share| share * libm::log(share)).sum::<f64>();
        Ok(Self { shares, entropy, entropy_share: entropy / std::f64::consts::LN_10 })
    }
}

/// How many of the pictures `[N, 784]` differ from all before them.
pub fn distinct(pictures: &[u8]) -> usize {
    pictures.chunks(PIXELS).collect::<HashSet<_>>().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_class_has_no_entropy_and_ten_have_all() {
        let one = Classes::of(&[4; 7]).unwrap();
        assert_eq!((one.shares[4], one.entropy.to_bits()), (1.0, 0.0_f64.to_bits()));
        let ten = Classes::of(&(0..10).collect::<Vec<u8>>()).unwrap();
        assert_eq!(ten.shares, [0.1; 10]);
        assert!((ten.entropy_share - 1.0).abs() < 1e-12);
        assert!(Classes::of(&[]).is_err() && Classes::of(&[10]).is_err());
    }

    #[test]
    fn copies_count_once() {
        let mut pictures = vec![0; 4 * PIXELS];
        pictures[PIXELS + 3] = 1;
        pictures[3 * PIXELS + 3] = 1;
        assert_eq!((distinct(&pictures), distinct(&[])), (2, 0));
    }
}
