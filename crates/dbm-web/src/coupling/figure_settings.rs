//! The settings of the figure.

use super::pairs::{PAIRS, Pair};
use crate::ui::field::whole;
use crate::ui::form::{Input, Row, Table, choice, switch, typed};
use crate::ui::number::listed;
use dbm_core::Units;
use dbm_core::diagnostics::Couplings;
use dbm_core::words::{Choose, choices, words};

const WIDEST: u32 = 400;
/// Most runs per point.
const MOST_RUNS: u32 = 10_000;
/// Most couplings in all, over four pairs: more would take hours, and the page's memory.
const MOST: usize = 200_000;
/// Highest cap on steps, and on tries.
const LONGEST: u32 = 1_000_000;

choices! {
    /// Which steps the figure counts.
    #[derive(Default)]
    pub enum CountedSteps = words("show", "Show", "Which steps the figure counts: (a) and (b) are the paper’s two panels.");
    /// Search and coupling together: panel (a) of the paper's figure.
    #[default]
    Total = "total", "(a) τ + T, steps in all", "Search and coupling together";
    Apart = "apart", "(b) τ and T apart, Metropolis from the local mode", "Search and coupling of the paper’s pair";
    Coupling = "tau", "τ, steps until the chains meet", "The coupling alone";
    Search = "t", "T, sweeps of the search", "The search alone";
}

choices! {
    /// Of which runs the figure shows the share.
    #[derive(Default)]
    pub enum CountedRuns = words(
        "share",
        "Share",
        "Only runs with τ > 1 change the estimate; runs at the cap were cut before the chains met.",
    );
    /// Those that changed the estimate: tau > 1.
    #[default]
    Corrected = "parted", "runs with τ > 1", "Runs that change the estimate";
    Capped = "cap", "runs cut at the cap", "Runs that had not met at the cap";
}

/// The settings of the figure; the rows say what each is.
#[derive(Clone, Debug, PartialEq)]
pub struct FigureSettings {
    /// The dimensions as typed,
    list: String,
    /// and in ascending order, each once.
    pub dimensions: Vec<u32>,
    pub units: Units,
    /// The pairs to run.
    pub pairs: Vec<&'static Pair>,
    pub runs: u32,
    pub cap: u32,
    pub tries: u32,
    pub seed: u64,
    pub show: CountedSteps,
    pub share: CountedRuns,
    /// Whether an address with these settings starts the computation at once.
    pub go: bool,
}

impl Default for FigureSettings {
    fn default() -> Self {
        let list = "1,2,5-30:5,40-60:10,75-200:25";
        Self {
            list: list.into(),
            dimensions: dimensions(list).unwrap_or_default(),
            units: Units::Signs,
            pairs: PAIRS.iter().collect(),
            runs: 100,
            cap: 1000,
            tries: 10_000,
            seed: 1,
            show: CountedSteps::Total,
            share: CountedRuns::Corrected,
            go: false,
        }
    }
}

impl Table for FigureSettings {
    const ROWS: &'static [Row<Self>] = &[
        Row::new(Input::Text, |settings: &Self| settings.list.clone(), Self::set_dimensions)
            .called(words("d", "Dimensions", "Visible units of a random model, and as many hidden ones: numbers and ranges, as in 1, 2, 5-30:5, where 5-30:5 is 5 to 30 in steps of 5."))
            .wide(),
        Row::new(Input::Number, |settings: &Self| settings.runs.to_string(), Self::set_runs)
            .called(words("runs", "Runs per point", "Couplings of each pair at each dimension. With more, only the missing ones are run.")),
        typed!(whole, 1..=LONGEST, cap)
            .called(words("cap", "Step cap", "A coupling that has not met after so many steps is cut and counted. A mean over such runs is a lower bound.")),
        typed!(whole, 1..=LONGEST, tries)
            .called(words("tries", "Tries per draw", "Gibbs: tries of a draw from what the two distributions do not share; the last try is used whatever it gave, and counted.")),
        typed!(whole, 0..=u64::MAX, seed)
            .called(words("seed", "Seed", "For the models and every run: the same seed gives the same numbers, with any number of workers."))
            .wide(),
        choice!(Units, units),
        Row::new(Input::Text, |settings: &Self| named(&settings.pairs), Self::set_pairs).key("pairs"),
        choice!(CountedSteps, show),
        choice!(CountedRuns, share),
        switch!("yes", "", go).key("go"),
    ];
}

impl FigureSettings {
    fn set_dimensions(&mut self, text: &str) -> Result<(), String> {
        self.dimensions = dimensions(text)?;
        self.list = text.into();
        Ok(())
    }

    fn set_runs(&mut self, text: &str) -> Result<(), String> {
        let runs = whole(text, &(1..=MOST_RUNS))?;
        let points = self.dimensions.len() * PAIRS.len();
        if points * runs as usize > MOST {
            let most = MOST / points;
            return Err(format!("At most {MOST} couplings in all: {most} runs per point with this many dimensions."));
        }
        self.runs = runs;
        Ok(())
    }

    /// Anything that is not the name of a pair is ignored.
    fn set_pairs(&mut self, list: &str) -> Result<(), String> {
        let pairs: Vec<_> = PAIRS.iter().filter(|pair| list.split(',').any(|name| name.trim() == pair.name)).collect();
        if pairs.is_empty() && list != "none" {
            return Err(String::new());
        }
        self.pairs = pairs;
        Ok(())
    }

    /// The names of the chosen pairs, with this one added or removed.
    pub fn with_pair(&self, pair: &Pair, wanted: bool) -> String {
        let is_kept = |other: &&'static Pair| if *other == pair { wanted } else { self.pairs.contains(other) };
        named(&PAIRS.iter().filter(is_kept).collect::<Vec<_>>())
    }

    /// Everything that determines the results of a pair's runs at a dimension, except their numbers.
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

/// A list of pairs as written in the address.
fn named(pairs: &[&Pair]) -> String {
    if pairs.is_empty() { "none".into() } else { listed(pairs.iter().map(|pair| pair.name), ",") }
}

/// `"1, 2, 10-30:5"` as numbers in ascending order, each once.
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

/// The settings of the figure for an address with these keys.
#[cfg(test)]
pub fn given(keys: &[(&str, &str)]) -> FigureSettings {
    crate::ui::form::Texts::read(&keys.iter().copied().collect()).checked().cloned().unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::form::{Texts, travels};

    fn read(pairs: &[(&str, &str)]) -> Texts<FigureSettings> {
        Texts::read(&pairs.iter().copied().collect())
    }

    #[test]
    fn dimensions_are_numbers_and_ranges() {
        assert_eq!(dimensions("5, 1,2-4, 10–30:10, 3"), Ok(vec![1, 2, 3, 4, 5, 10, 20, 30]));
        assert_eq!(given(&[]).dimensions, [1, 2, 5, 10, 15, 20, 25, 30, 40, 50, 60, 75, 100, 125, 150, 175, 200]);
        for text in ["", ",", "0", "401", "5-2", "1:2", "1-9:0", "1-", "a", "-3", "99999999999", "1-9:x"] {
            assert!(dimensions(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_not_by_default_travels_and_comes_back() {
        let runs =
            [("d", "5,25,50"), ("runs", "20"), ("cap", "9"), ("tries", "8"), ("seed", "18446744073709551615"), ("go", "yes")];
        let shown = [("units", "bits"), ("pairs", "mh-mode,gibbs-uniform"), ("show", "apart"), ("share", "cap")];
        travels::<FigureSettings>(&[&runs[..], &shown].concat());
    }

    #[test]
    fn pairs_are_ticked_one_by_one() {
        let with =
            |list: String, wanted| PAIRS.iter().fold(list, |list, pair| given(&[("pairs", &list)]).with_pair(pair, wanted));
        let none = with("mh-mode,gibbs-uniform".into(), false);
        assert_eq!(given(&[("pairs", &none)]).pairs, Vec::<&Pair>::new());
        assert_eq!(with(none, true), named(&given(&[]).pairs));
    }

    #[test]
    fn more_couplings_than_the_page_can_hold_are_refused() {
        let of = |runs| read(&[("d", "1-200"), ("runs", runs)]);
        assert!(["100", "250"].iter().all(|runs| of(runs).checked().is_some()));
        assert!(of("251").checked().is_none());
        assert!(given(&[("d", "1-200")]).set_runs("251").unwrap_err().contains("250 runs per point"));
        // With fewer dimensions this many are allowed.
        let mut texts = of("251");
        texts.set("d", "1-3");
        assert_eq!(texts.checked().map(|settings| settings.runs), Some(251));
    }

    #[test]
    fn nonsense_is_passed_over_or_refused() {
        let nonsense = |keys: &[&'static str]| read(&keys.iter().map(|key| (*key, "💥")).collect::<Vec<_>>());
        assert_eq!(nonsense(&["units", "pairs", "show", "share", "go"]).checked(), Some(&FigureSettings::default()));
        assert!(["d", "runs", "cap", "tries", "seed"].iter().all(|key| nonsense(&[*key]).checked().is_none()));
    }
}
