//! What the figure is set to: as typed, as checked, and as the address has it.

use super::pairs::Pair;
use crate::ui::binding::Keys;
use crate::ui::field::{Texts, Typed, whole};
use dbm_core::Units;
use dbm_core::words::{Choice, Choose, Words};

/// Largest dimension.
pub const WIDEST: u32 = 400;
/// Most runs a point.
pub const MOST_RUNS: u32 = 10_000;
/// Most couplings in all, of four pairs: more would take hours, and the page's memory.
pub const MOST: usize = 200_000;
/// Highest cap on steps.
pub const LONGEST: u32 = 1_000_000;

/// A setting that is typed; its place in [`SETTINGS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FigureField {
    /// Dimensions, singly and in ranges.
    Dimensions,
    /// Runs of each pair at each dimension.
    Runs,
    /// Steps after which a coupling is cut.
    Cap,
    /// Tries of one draw of the Gibbs coupling.
    Tries,
    /// Seed of models and runs.
    Seed,
}

const SETTINGS: [Typed; 5] = [
    Typed::new(
        "d",
        "Dimensions",
        "1, 2, 5-30:5, 40-60:10, 75-200:25",
        "Visible units of a random model, and as many hidden ones: numbers and ranges, as in 1, 2, 5-30:5, where the range is from 5 to 30 in steps of 5.",
    ),
    Typed::new(
        "runs",
        "Runs a point",
        "100",
        "Couplings of each pair at each dimension. With more, only the missing ones are run.",
    ),
    Typed::new(
        "cap",
        "Step cap",
        "1000",
        "A coupling that has not met after so many steps is cut and counted. A mean over such runs is a lower bound.",
    ),
    Typed::new(
        "tries",
        "Tries a draw",
        "10000",
        "Gibbs: tries of the draw from what the two laws do not share; after the last, what it gave is taken, and counted.",
    ),
    Typed::new(
        "seed",
        "Seed",
        "1",
        "Of the models and of every run: the same seed gives the same numbers, on any number of workers.",
    ),
];

impl FigureField {
    /// What it is called.
    pub const fn words(self) -> Words {
        SETTINGS[self as usize].words
    }
}

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
    const WORDS: Words = Words {
        key: "show",
        label: "Show",
        hint: "",
        help: "Which steps the figure counts: (a) and (b) are the paper’s two panels.",
    };
    const CHOICES: &'static [Choice<Self>] = &[
        Choice { value: Self::Total, name: "total", label: "(a) τ + T, steps in all", help: "Search and coupling together" },
        Choice {
            value: Self::Apart,
            name: "apart",
            label: "(b) τ and T apart, Metropolis from the local mode",
            help: "Search and coupling of the paper’s pair",
        },
        Choice { value: Self::Coupling, name: "tau", label: "τ, steps until the chains meet", help: "The coupling alone" },
        Choice { value: Self::Search, name: "t", label: "T, sweeps of the search", help: "The search alone" },
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
    const WORDS: Words = Words {
        key: "share",
        label: "Share",
        hint: "",
        help: "Only runs with τ > 1 change the estimate; runs at the cap were cut before the chains met.",
    };
    const CHOICES: &'static [Choice<Self>] = &[
        Choice { value: Self::Corrected, name: "parted", label: "runs with τ > 1", help: "Runs that change the estimate" },
        Choice { value: Self::Capped, name: "cap", label: "runs cut at the cap", help: "Runs that had not met at the cap" },
    ];
}

/// What the figure is set to, as typed.
#[derive(Clone, Debug, PartialEq)]
pub struct FigureDraft {
    texts: Texts<5>,
    /// Kind of units.
    pub units: Units,
    /// Which of [`Pair::ALL`] are run and drawn.
    pub pairs: [bool; 4],
    /// Which steps are drawn.
    pub steps: CountedSteps,
    /// Which runs' share is drawn.
    pub share: CountedRuns,
    /// Whether an address that has this computes at once.
    pub go: bool,
}

impl Default for FigureDraft {
    fn default() -> Self {
        Self::read(&Keys::default())
    }
}

/// What the figure is set to, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct FigureSettings {
    /// Rising, each once.
    pub dimensions: Vec<u32>,
    /// Kind of units.
    pub units: Units,
    /// The pairs to run.
    pub pairs: Vec<Pair>,
    /// Runs of each at each dimension.
    pub runs: u32,
    /// Steps after which a coupling is cut.
    pub cap: u32,
    /// Tries of one draw.
    pub tries: u32,
    /// Seed of models and runs.
    pub seed: u64,
}

impl FigureDraft {
    /// A field as typed.
    pub fn text(&self, field: FigureField) -> &str {
        self.texts.get(field as usize)
    }

    /// Types in a field.
    pub fn set(&mut self, field: FigureField, text: impl Into<String>) {
        self.texts.set(field as usize, text);
    }

    /// What is wrong with a field, for the visitor.
    pub fn problem(&self, field: FigureField) -> Option<String> {
        let text = self.text(field);
        match field {
            FigureField::Dimensions => dimensions(text).err(),
            FigureField::Runs => match (whole(text, &(1..=MOST_RUNS)), dimensions(self.text(FigureField::Dimensions))) {
                (Err(problem), _) => Some(problem),
                (Ok(runs), Ok(dimensions)) if dimensions.len() * Pair::ALL.len() * runs as usize > MOST => {
                    let most = MOST / (dimensions.len() * Pair::ALL.len());
                    Some(format!("At most {MOST} couplings in all: {most} runs a point with so many dimensions."))
                }
                _ => None,
            },
            FigureField::Cap | FigureField::Tries => whole(text, &(1..=LONGEST)).err(),
            FigureField::Seed => whole(text, &(0..=u64::MAX)).err(),
        }
    }

    /// All of it, if nothing is wrong.
    pub fn check(&self) -> Option<FigureSettings> {
        if self.problem(FigureField::Runs).is_some() {
            return None;
        }
        let number = |field, most| whole(self.text(field), &(1..=most)).ok();
        Some(FigureSettings {
            dimensions: dimensions(self.text(FigureField::Dimensions)).ok()?,
            units: self.units,
            pairs: self.chosen().collect(),
            runs: number(FigureField::Runs, MOST_RUNS)?,
            cap: number(FigureField::Cap, LONGEST)?,
            tries: number(FigureField::Tries, LONGEST)?,
            seed: whole(self.text(FigureField::Seed), &(0..=u64::MAX)).ok()?,
        })
    }

    fn chosen(&self) -> impl Iterator<Item = Pair> {
        Pair::ALL.into_iter().filter(|pair| self.pairs[*pair as usize])
    }

    /// Writes what is not as by default.
    pub fn write(&self, keys: &mut Keys) {
        self.texts.write(keys);
        keys.put_choice(self.units, Units::Signs);
        if self.pairs != [true; 4] {
            let chosen: Vec<&str> = self.chosen().map(|pair| pair.row().name).collect();
            keys.put("pairs", if chosen.is_empty() { "none".into() } else { chosen.join(",") });
        }
        keys.put_choice(self.steps, CountedSteps::default());
        keys.put_choice(self.share, CountedRuns::default());
        keys.put_on("go", self.go);
    }

    /// What an address asks for. Words that mean nothing are passed over; numbers that cannot be are left to the form, which says so.
    pub fn read(keys: &Keys) -> Self {
        let chosen = keys.get("pairs").unwrap_or_default();
        let pairs = Pair::ALL.map(|pair| chosen.split(',').any(|name| name.trim() == pair.row().name));
        Self {
            texts: Texts::read(&SETTINGS, keys),
            units: keys.choice().unwrap_or(Units::Signs),
            pairs: if pairs.contains(&true) || chosen == "none" { pairs } else { [true; 4] },
            steps: keys.choice().unwrap_or_default(),
            share: keys.choice().unwrap_or_default(),
            go: keys.is_on("go"),
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn written(draft: &FigureDraft) -> Keys {
        let mut keys = Keys::default();
        draft.write(&mut keys);
        keys
    }

    #[test]
    fn dimensions_are_numbers_and_ranges() {
        assert_eq!(dimensions("5, 1,2-4, 10–30:10, 3"), Ok(vec![1, 2, 3, 4, 5, 10, 20, 30]));
        assert_eq!(
            dimensions(SETTINGS[0].usual).unwrap(),
            [1, 2, 5, 10, 15, 20, 25, 30, 40, 50, 60, 75, 100, 125, 150, 175, 200]
        );
        for text in ["", ",", "0", "401", "5-2", "1:2", "1-9:0", "1-", "a", "-3", "99999999999", "1-9:x"] {
            assert!(dimensions(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_not_by_default_travels_and_comes_back() {
        assert!(written(&FigureDraft::default()).is_empty());
        let mut draft = FigureDraft::default();
        draft.set(FigureField::Dimensions, "5, 25, 50");
        draft.set(FigureField::Runs, "20");
        draft.set(FigureField::Seed, "18446744073709551615");
        draft.units = Units::Bits;
        draft.pairs = [true, false, false, true];
        (draft.steps, draft.share, draft.go) = (CountedSteps::Apart, CountedRuns::Capped, true);
        let keys = written(&draft);
        assert_eq!((keys.get("d"), keys.get("pairs")), (Some("5,25,50"), Some("mh-mode,gibbs-uniform")));
        assert_eq!((keys.get("show"), keys.get("share"), keys.get("units")), (Some("apart"), Some("cap"), Some("bits")));
        assert_eq!(FigureDraft::read(&keys), draft);
        draft.pairs = [false; 4];
        assert_eq!(FigureDraft::read(&written(&draft)).pairs, [false; 4]);
    }

    #[test]
    fn more_couplings_than_the_page_can_hold_are_refused() {
        let mut draft = FigureDraft::default();
        draft.set(FigureField::Dimensions, "1-200");
        assert!(draft.check().is_some());
        draft.set(FigureField::Runs, "251");
        assert_eq!(draft.check(), None);
        assert!(draft.problem(FigureField::Runs).unwrap().contains("250 runs a point"));
        draft.set(FigureField::Runs, "250");
        assert!(draft.check().is_some());
    }

    #[test]
    fn nonsense_is_passed_over_or_refused_with_words() {
        use FigureField::{Cap, Dimensions, Runs, Seed, Tries};
        let keys = ["d", "runs", "cap", "tries", "seed", "units", "pairs", "show", "share", "go"];
        let draft = FigureDraft::read(&keys.into_iter().map(|key| (key, "💥")).collect());
        assert_eq!((draft.units, draft.pairs, draft.steps, draft.go), (Units::Signs, [true; 4], CountedSteps::Total, false));
        assert_eq!(draft.check(), None);
        for field in [Dimensions, Runs, Cap, Tries, Seed] {
            assert!(draft.problem(field).is_some_and(|words| words.ends_with('.')), "{field:?}");
        }
    }
}
