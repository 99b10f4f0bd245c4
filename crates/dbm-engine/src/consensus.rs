//! One answer made of several.

use dbm_core::complete::{balanced, consensus, majority};
use dbm_core::words::{choices, words};
use serde::{Deserialize, Serialize};

choices! {
    /// How several answers become one.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Consensus = words(
        "consensus",
        "Consensus",
        "Make one answer of these: the one that the others agree with most, or what most of them say, unit by unit",
    );
    Medoid = "medoid", "medoid", "The answer that the others agree with most";
    Majority = "majority", "majority", "What most answers say, unit by unit";
    Balanced = "balanced", "balanced majority", "The units that are high in most answers, as many as are high in an answer";
}

impl Consensus {
    /// Combines `answers` answers to each question, `[count, answers, n]`, into one each, `[count, n]`.
    pub fn of(self, n: usize, answers: usize, bits: &[u8]) -> Vec<u8> {
        let of_one = |bits: &[u8]| match self {
            Self::Medoid => bits.chunks(n).nth(consensus(n, bits)).unwrap_or_default().to_vec(),
            Self::Majority => majority(n, bits),
            Self::Balanced => balanced(n, bits),
        };
        bits.chunks(n * answers).flat_map(of_one).collect()
    }
}
