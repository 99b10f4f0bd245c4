//! What the figure is set to: as texts, which its form and its address have, and as checked.

use super::pairs::{PAIRS, Pair};
use crate::ui::field::{Entry, Texts, whole};
use dbm_core::Units;
use dbm_core::diagnostics::Couplings;
use dbm_core::words::{Choice, Choose, Words, choice, words};
use std::sync::LazyLock;

const WIDEST: u32 = 400;
/// Most runs a point.
const MOST_RUNS: u32 = 10_000;
/// Most couplings in all, of four pairs: more would take hours, and the page's memory.
const MOST: usize = 200_000;
/// Highest cap on steps, and on tries.
const LONGEST: u32 = 1_000_000;

/// The settings, those of the form first.
pub static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let mut all = Entry::typed(
        include_str!("figure.txt"),
        &[
            |text| dimensions(text).map(drop),
            |text| whole(text, &(1..=MOST_RUNS)).map(drop),
            |text| whole(text, &(1..=LONGEST)).map(drop),
            |text| whole(text, &(1..=LONGEST)).map(drop),
            |text| whole(text, &(0..=u64::MAX)).map(drop),
        ],
    );
    all.extend([
        Entry::choice("units", Units::Signs),
        Entry::plain("pairs", "mh-mode, mh-uniform, gibbs-mode, gibbs-uniform", |text| {
            if text == "none" || !pairs(text).is_empty() { Ok(()) } else { Err(String::new()) }
        }),
        Entry::choice("show", CountedSteps::Total),
        Entry::choice("share", CountedRuns::Corrected),
        // Whether an address that has this computes at once.
        Entry::plain("go", "", |text| if text == "yes" { Ok(()) } else { Err(String::new()) }),
    ]);
    all
});

/// Which steps the figure counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CountedSteps {
    /// Search and coupling together: panel (a) of the paper's figure.
    #[default]
    Total,
    /// Both apart, of the paper's pair: panel (b).
    Apart,
    /// The coupling's alone.
    Coupling,
    /// The search's alone.
    Search,
}

impl Choose for CountedSteps {
    const WORDS: Words = words("show", "Show", "Which steps the figure counts: (a) and (b) are the paper’s two panels.");
    const CHOICES: &'static [Choice<Self>] = &[
        choice(Self::Total, "total", "(a) τ + T, steps in all", "Search and coupling together"),
        choice(
            Self::Apart,
            "apart",
            "(b) τ and T apart, Metropolis from the local mode",
            "Search and coupling of the paper’s pair",
        ),
        choice(Self::Coupling, "tau", "τ, steps until the chains meet", "The coupling alone"),
        choice(Self::Search, "t", "T, sweeps of the search", "The search alone"),
    ];
}

/// Of which runs the figure shows the share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CountedRuns {
    /// Those that changed the estimate: tau > 1.
    #[default]
    Corrected,
    /// Those cut at the cap.
    Capped,
}

impl Choose for CountedRuns {
    const WORDS: Words =
        words("share", "Share", "Only runs with τ > 1 change the estimate; runs at the cap were cut before the chains met.");
    const CHOICES: &'static [Choice<Self>] = &[
        choice(Self::Corrected, "parted", "runs with τ > 1", "Runs that change the estimate"),
        choice(Self::Capped, "cap", "runs cut at the cap", "Runs that had not met at the cap"),
    ];
}

/// What the figure is set to, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct FigureSettings {
    /// Rising, each once.
    pub dimensions: Vec<u32>,
    /// Kind of units.
    pub units: Units,
    /// The pairs to run.
    pub pairs: Vec<&'static Pair>,
    /// Runs of each at each dimension.
    pub runs: u32,
    /// Steps after which a coupling is cut.
    pub cap: u32,
    /// Tries of one draw.
    pub tries: u32,
    /// Seed of models and runs.
    pub seed: u64,
}

impl FigureSettings {
    /// All of them, if nothing is wrong.
    pub fn of(texts: &Texts) -> Option<Self> {
        if problem(texts, "runs").is_some() {
            return None;
        }
        Some(Self {
            dimensions: dimensions(texts.get("d")).ok()?,
            units: texts.chosen("units"),
            pairs: pairs(texts.get("pairs")),
            runs: texts.number("runs")?,
            cap: texts.number("cap")?,
            tries: texts.number("tries")?,
            seed: texts.number("seed")?,
        })
    }

    /// Everything that decides what the runs of a pair at a dimension give, but their numbers.
    pub fn couplings(&self, pair: &Pair, dimension: u32) -> Couplings {
        Couplings {
            dimension: dimension as usize,
            units: self.units,
            kernel: pair.kernel,
            start: pair.start,
            max_meeting: self.cap,
            max_tries: self.tries,
            seed: self.seed,
        }
    }

    /// Every pair at every dimension: the points of the figure.
    pub fn points(&self) -> impl Iterator<Item = (u32, &'static Pair)> {
        self.dimensions.iter().flat_map(|&dimension| self.pairs.iter().map(move |&pair| (dimension, pair)))
    }
}

/// What is wrong with a setting, for the visitor.
pub fn problem(texts: &Texts, key: &str) -> Option<String> {
    let points = || Some(dimensions(texts.get("d")).ok()?.len() * PAIRS.len());
    let too_many = |points: usize| {
        let too_many = points * texts.number::<u32>("runs")? as usize > MOST;
        too_many.then(|| format!("At most {MOST} couplings in all: {} runs a point with so many dimensions.", MOST / points))
    };
    texts.problem(key).or_else(|| if key == "runs" { points().and_then(too_many) } else { None })
}

/// The pairs that a list names; other words are passed over.
pub fn pairs(list: &str) -> Vec<&'static Pair> {
    PAIRS.iter().filter(|pair| list.split(',').any(|name| name.trim() == pair.name)).collect()
}

/// A list of pairs with one more, or without it.
pub fn with_pair(list: &str, pair: &Pair, wanted: bool) -> String {
    let chosen = pairs(list);
    let names = PAIRS.iter().filter(|&other| if other == pair { wanted } else { chosen.contains(&other) }).map(|pair| pair.name);
    let names: Vec<&str> = names.collect();
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

/// `"1, 2, 10-30:5"` as numbers, rising, each once.
fn dimensions(text: &str) -> Result<Vec<u32>, String> {
    let wanted = || format!("Numbers from 1 to {WIDEST} and ranges are expected, as in 1, 2, 10-30:5.");
    let number = |text: &str| text.trim().parse::<u32>().ok().filter(|number| (1..=WIDEST).contains(number)).ok_or_else(wanted);
    let mut all = Vec::new();
    for part in text.split([',', ';']).filter(|part| !part.trim().is_empty()) {
        let (ends, step) = part.split_once(':').map_or((part, Ok(1)), |(ends, step)| (ends, number(step)));
        match ends.split_once(['-', '–']) {
            Some((from, to)) => {
                let (from, to) = (number(from)?, number(to)?);
                if from > to {
                    return Err(format!("The range {from}-{to} ends before it begins."));
                }
                all.extend((from..=to).step_by(step? as usize));
            }
            None if part.contains(':') => return Err(wanted()),
            None => all.push(number(ends)?),
        }
    }
    all.sort_unstable();
    all.dedup();
    if all.is_empty() { Err(wanted()) } else { Ok(all) }
}

/// What the figure is set to where an address has these keys.
#[cfg(test)]
pub fn given(keys: &[(&str, &str)]) -> FigureSettings {
    FigureSettings::of(&Texts::read(&ENTRIES, &keys.iter().copied().collect())).unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::binding::Keys;

    fn read(pairs: &[(&str, &str)]) -> Texts {
        Texts::read(&ENTRIES, &pairs.iter().copied().collect())
    }

    #[test]
    fn dimensions_are_numbers_and_ranges() {
        assert_eq!(dimensions("5, 1,2-4, 10–30:10, 3"), Ok(vec![1, 2, 3, 4, 5, 10, 20, 30]));
        assert_eq!(
            dimensions(read(&[]).get("d")).unwrap(),
            [1, 2, 5, 10, 15, 20, 25, 30, 40, 50, 60, 75, 100, 125, 150, 175, 200]
        );
        for text in ["", ",", "0", "401", "5-2", "1:2", "1-9:0", "1-", "a", "-3", "99999999999", "1-9:x"] {
            assert!(dimensions(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_not_by_default_travels_and_comes_back() {
        let list = PAIRS[1..3].iter().fold(read(&[]).get("pairs").to_string(), |list, pair| with_pair(&list, pair, false));
        let keys = [("d", "5,25,50"), ("runs", "20"), ("seed", "18446744073709551615"), ("units", "bits"), ("go", "yes")];
        let keys: Keys =
            keys.into_iter().chain([("pairs", "mh-mode,gibbs-uniform"), ("show", "apart"), ("share", "cap")]).collect();
        let texts = Texts::read(&ENTRIES, &keys);
        let (mut written, mut none) = (Keys::default(), Keys::default());
        texts.write(&mut written);
        read(&[]).write(&mut none);
        assert!(none.is_empty() && written == keys && texts.get("d") == "5, 25, 50" && texts.get("pairs") == list);
        let settings = FigureSettings::of(&texts).unwrap();
        assert_eq!((settings.units, settings.pairs, settings.seed), (Units::Bits, vec![&PAIRS[0], &PAIRS[3]], u64::MAX));
        assert!(texts.chosen::<CountedSteps>("show") == CountedSteps::Apart);
        assert!(texts.chosen::<CountedRuns>("share") == CountedRuns::Capped);
        let none = PAIRS.iter().fold(list, |list, pair| with_pair(&list, pair, false));
        assert_eq!(given(&[("pairs", &none)]).pairs, Vec::<&Pair>::new());
        let all = PAIRS.iter().fold(none, |list, pair| with_pair(&list, pair, true));
        assert_eq!(all, read(&[]).get("pairs"));
    }

    #[test]
    fn more_couplings_than_the_page_can_hold_are_refused() {
        let of = |runs| read(&[("d", "1-200"), ("runs", runs)]);
        assert!(["100", "250"].iter().all(|runs| FigureSettings::of(&of(runs)).is_some()));
        assert_eq!(FigureSettings::of(&of("251")), None);
        assert!(problem(&of("251"), "runs").unwrap().contains("250 runs a point"));
    }

    #[test]
    fn nonsense_is_passed_over_or_refused_with_words() {
        let keys = ["d", "runs", "cap", "tries", "seed", "units", "pairs", "show", "share", "go"];
        let texts = read(&keys.map(|key| (key, "💥")));
        assert_eq!((texts.chosen::<Units>("units"), pairs(texts.get("pairs")).len(), texts.get("go")), (Units::Signs, 4, ""));
        assert!(texts.chosen::<CountedSteps>("show") == CountedSteps::Total && FigureSettings::of(&texts).is_none());
        for key in &keys[..5] {
            assert!(problem(&texts, key).is_some_and(|words| words.ends_with('.')), "{key}");
        }
    }
}
