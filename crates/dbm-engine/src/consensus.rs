//! One answer of many.

use dbm_core::complete::{balanced, consensus, majority};
use dbm_core::words::{Choice, Choose, Words, choice, words};
use serde::{Deserialize, Serialize};

/// One answer of many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Consensus {
    /// The answer that the others agree with most.
    Medoid,
    /// What most answers say, unit by unit.
    Majority,
    /// The units that are high in most answers, as many as are high in an answer.
    Balanced,
}

impl Choose for Consensus {
    const WORDS: Words = words(
        "consensus",
        "Consensus",
        "Make one answer of these: the one that the others agree with most, or what most of them say, unit by unit",
    );
    const CHOICES: &'static [Choice<Self>] = &[
        choice(Self::Medoid, "medoid", "medoid", "The answer that the others agree with most"),
        choice(Self::Majority, "majority", "majority", "What most answers say, unit by unit"),
        choice(
            Self::Balanced,
            "balanced",
            "balanced majority",
            "The units that are high in most answers, as many as are high in an answer",
        ),
    ];
}

impl Consensus {
    /// Of `answers` answers to each question, `[count, answers, n]`, the one that is made of them, `[count, n]`.
    pub fn of(self, n: usize, answers: usize, bits: &[u8]) -> Vec<u8> {
        let of_one = |bits: &[u8]| match self {
            Self::Medoid => bits.chunks(n).nth(consensus(n, bits)).unwrap_or_default().to_vec(),
            Self::Majority => majority(n, bits),
            Self::Balanced => balanced(n, bits),
        };
        bits.chunks(n * answers).flat_map(of_one).collect()
    }
}
