//! Ready-made comparisons: the paper's ablations, and the rivals of its estimator. They are in `presets.txt`.

use crate::ui::binding::Keys;
use std::sync::LazyLock;

/// A comparison that the page offers.
#[derive(Debug, PartialEq)]
pub struct Preset {
    /// Its name in the address.
    pub key: &'static str,
    /// The two runs.
    pub title: &'static str,
    /// What the paper says.
    pub paper: &'static str,
    /// What to look at.
    pub look: &'static str,
    /// Settings of both runs that replace those of the Train form.
    pub both: Keys,
    /// Additional settings of run B.
    pub other: Keys,
    /// How far to train at first: on digits, both runs get there within a minute or so.
    pub steps: u32,
}

/// The paper's own settings except for the rate, without anything that this lab adds.
const PAPER: &str = "units=signs estimator=ucd-lmi start=orthogonal marginalized=yes centered=no conditional=0 average= decay=0 rate-decay=0 mode-sweeps=1";

/// How many of [`PRESETS`] are the paper's ablations; they come first.
pub const ABLATIONS: usize = 5;

/// All comparisons.
pub static PRESETS: LazyLock<Vec<Preset>> =
    LazyLock::new(|| include_str!("presets.txt").split("\n\n").skip(1).map(read).collect());

/// Parses a comparison from its lines, each of which begins with the name of its field.
fn read(lines: &'static str) -> Preset {
    let line = |word: &str| lines.lines().find_map(|line| line.strip_prefix(word)?.strip_prefix(' ')).unwrap_or_default();
    let keys = |text: &'static str| text.split(' ').filter_map(|pair| pair.split_once('='));
    Preset {
        key: line("key"),
        title: line("title"),
        paper: line("paper"),
        look: line("look"),
        both: keys(PAPER).chain(keys(line("both"))).collect(),
        other: keys(line("other")).collect(),
        steps: line("steps").parse().unwrap_or(1),
    }
}

/// The comparison with this name.
pub fn named(key: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.key == key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_has_its_name_and_all_that_is_said_of_it() {
        let keys: BTreeSet<_> = PRESETS.iter().map(|preset| preset.key).collect();
        assert_eq!((keys.len(), PRESETS.len()), (11, 11));
        assert!(keys.iter().all(|key| named(key).is_some_and(|preset| preset.key == *key)));
        assert!(named("💥").is_none());
        for Preset { key, title, paper, look, other, steps, .. } in &*PRESETS {
            assert!(title.contains(" | ") && !paper.is_empty() && !look.is_empty(), "{key}");
            assert!(!other.is_empty() && *steps > 1, "{key}");
        }
    }
}
