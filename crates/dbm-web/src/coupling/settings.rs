//! What the figure is set to: as typed, as checked, and as the address has it.

use super::pairs::Pair;
use dbm_core::Units;

/// Largest dimension.
pub const WIDEST: u32 = 400;
/// Most runs a point.
pub const MOST_RUNS: u32 = 10_000;
/// Most couplings in all, of four pairs: more would take hours, and the page's memory.
pub const MOST: usize = 200_000;
/// Highest cap on steps.
pub const LONGEST: u32 = 1_000_000;

/// A text field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Dimensions, singly and in ranges.
    Dimensions,
    /// Runs a point.
    Runs,
    /// Steps after which a coupling is cut.
    Cap,
    /// Tries of one draw of the Gibbs coupling.
    Tries,
    /// Of models and runs.
    Seed,
}

impl Field {
    const ALL: [Self; 5] = [Self::Dimensions, Self::Runs, Self::Cap, Self::Tries, Self::Seed];

    /// What it is called.
    pub const fn label(self) -> &'static str {
        ["Dimensions", "Runs a point", "Step cap", "Tries a draw", "Seed"][self as usize]
    }

    /// In the address, after `m.`.
    const fn key(self) -> &'static str {
        ["d", "runs", "cap", "tries", "seed"][self as usize]
    }

    const fn default(self) -> &'static str {
        ["1, 2, 5-30:5, 40-60:10, 75-200:25", "100", "1000", "10000", "1"][self as usize]
    }

    /// Hover help.
    pub const fn help(self) -> &'static str {
        [
            "Visible units of a random model, and as many hidden ones: numbers and ranges, as in 1, 2, 5-30:5, where the range is from 5 to 30 in steps of 5.",
            "Couplings of each pair at each dimension. With more, only the missing ones are run.",
            "A coupling that has not met after so many steps is cut and counted. A mean over such runs is a lower bound.",
            "Gibbs: tries of the draw from what the two laws do not share; after the last, what it gave is taken, and counted.",
            "Of the models and of every run: the same seed gives the same numbers, on any number of workers.",
        ][self as usize]
    }
}

/// Which steps the figure counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Show {
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

impl Show {
    /// All, with their words in the address and in the select.
    pub const ALL: [(Self, &'static str, &'static str); 4] = [
        (Self::Total, "total", "(a) τ + T, steps in all"),
        (Self::Apart, "apart", "(b) τ and T apart, Metropolis from the local mode"),
        (Self::Coupling, "tau", "τ, steps until the chains meet"),
        (Self::Search, "t", "T, sweeps of the search"),
    ];
}

/// What the figure is set to, as typed.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    texts: [String; 5],
    /// Kind of units.
    pub units: Units,
    /// Which of [`Pair::ALL`] are run and drawn.
    pub pairs: [bool; 4],
    /// Which steps.
    pub show: Show,
    /// Whether the figure of shares shows runs at the cap, and not those with tau > 1.
    pub at_cap: bool,
    /// Whether an address that has this computes at once.
    pub go: bool,
}

impl Default for Draft {
    fn default() -> Self {
        Self {
            texts: Field::ALL.map(|field| field.default().to_string()),
            units: Units::Signs,
            pairs: [true; 4],
            show: Show::Total,
            at_cap: false,
            go: false,
        }
    }
}

/// The same, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
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
    /// Of models and runs.
    pub seed: u64,
}

impl Draft {
    /// A field as typed.
    pub fn text(&self, field: Field) -> &str {
        &self.texts[field as usize]
    }

    /// Types in a field.
    pub fn set(&mut self, field: Field, text: String) {
        self.texts[field as usize] = text;
    }

    /// What is wrong with a field, for the visitor.
    pub fn problem(&self, field: Field) -> Option<String> {
        let text = self.text(field);
        match field {
            Field::Dimensions => dimensions(text).err(),
            Field::Runs => match (whole(text, MOST_RUNS), dimensions(self.text(Field::Dimensions))) {
                (Err(problem), _) => Some(problem),
                (Ok(runs), Ok(dimensions)) if dimensions.len() * Pair::ALL.len() * runs as usize > MOST => {
                    let most = MOST / (dimensions.len() * Pair::ALL.len());
                    Some(format!("At most {MOST} couplings in all: {most} runs a point with so many dimensions."))
                }
                _ => None,
            },
            Field::Cap | Field::Tries => whole(text, LONGEST).err(),
            Field::Seed => seed(text).err(),
        }
    }

    /// All of it, if nothing is wrong.
    pub fn plan(&self) -> Option<Plan> {
        if self.problem(Field::Runs).is_some() {
            return None;
        }
        let pairs: Vec<Pair> = Pair::ALL.into_iter().filter(|pair| self.pairs[*pair as usize]).collect();
        Some(Plan {
            dimensions: dimensions(self.text(Field::Dimensions)).ok()?,
            units: self.units,
            pairs,
            runs: whole(self.text(Field::Runs), MOST_RUNS).ok()?,
            cap: whole(self.text(Field::Cap), LONGEST).ok()?,
            tries: whole(self.text(Field::Tries), LONGEST).ok()?,
            seed: seed(self.text(Field::Seed)).ok()?,
        })
    }

    /// Keys and values of what is not as by default.
    pub fn address(&self) -> Vec<(String, String)> {
        let base = Self::default();
        let mut pairs = Vec::new();
        let mut put = |key: &str, differs: bool, value: String| {
            if differs {
                pairs.push((format!("m.{key}"), value));
            }
        };
        let bare = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).collect::<String>();
        for field in Field::ALL {
            let text = bare(self.text(field));
            put(field.key(), text != bare(base.text(field)), text);
        }
        put("units", self.units != base.units, "bits".into());
        let chosen: Vec<&str> = Pair::ALL.into_iter().filter(|pair| self.pairs[*pair as usize]).map(Pair::name).collect();
        put("pairs", self.pairs != base.pairs, if chosen.is_empty() { "none".into() } else { chosen.join(",") });
        let show = Show::ALL.into_iter().find(|(show, ..)| *show == self.show).map_or("", |(_, name, _)| name);
        put("show", self.show != base.show, show.into());
        put("share", self.at_cap, "cap".into());
        put("go", self.go, "yes".into());
        pairs
    }

    /// What an address asks for. Words that mean nothing are passed over; numbers that cannot be are left to the form, which says so.
    pub fn of(get: impl Fn(&str) -> Option<String>) -> Self {
        let get = |key: &str| get(&format!("m.{key}"));
        let mut draft = Self::default();
        for field in Field::ALL {
            if let Some(text) = get(field.key()) {
                draft.set(field, text.replace(',', ", "));
            }
        }
        if get("units").as_deref() == Some("bits") {
            draft.units = Units::Bits;
        }
        if let Some(chosen) = get("pairs") {
            let named = Pair::ALL.map(|pair| chosen.split(',').any(|name| name.trim() == pair.name()));
            if named.contains(&true) || chosen == "none" {
                draft.pairs = named;
            }
        }
        let show = get("show").unwrap_or_default();
        draft.show = Show::ALL.into_iter().find(|(_, name, _)| *name == show).map_or(Show::Total, |(show, ..)| show);
        draft.at_cap = get("share").as_deref() == Some("cap");
        draft.go = get("go").as_deref() == Some("yes");
        draft
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

/// A whole number from 1 on.
pub fn whole(text: &str, most: u32) -> Result<u32, String> {
    let number = text.trim().parse().ok().filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| format!("A whole number from 1 to {most} is expected."))
}

/// A seed.
pub fn seed(text: &str) -> Result<u64, String> {
    text.trim().parse().map_err(|_| format!("A whole number from 0 to {} is expected.", u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(String, String)]) -> Draft {
        Draft::of(|key| pairs.iter().find(|(name, _)| name == key).map(|(_, value)| value.clone()))
    }

    #[test]
    fn dimensions_are_numbers_and_ranges() {
        assert_eq!(dimensions("5, 1,2-4, 10–30:10, 3"), Ok(vec![1, 2, 3, 4, 5, 10, 20, 30]));
        assert_eq!(
            dimensions(Field::Dimensions.default()).unwrap(),
            [1, 2, 5, 10, 15, 20, 25, 30, 40, 50, 60, 75, 100, 125, 150, 175, 200]
        );
        for text in ["", ",", "0", "401", "5-2", "1:2", "1-9:0", "1-", "a", "-3", "99999999999", "1-9:x"] {
            assert!(dimensions(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_not_by_default_travels_and_comes_back() {
        assert_eq!(Draft::default().address(), []);
        let mut draft = Draft::default();
        draft.set(Field::Dimensions, "5, 25, 50".into());
        draft.set(Field::Runs, "20".into());
        draft.set(Field::Seed, "18446744073709551615".into());
        draft.units = Units::Bits;
        draft.pairs = [true, false, false, true];
        (draft.show, draft.at_cap, draft.go) = (Show::Apart, true, true);
        let pairs = draft.address();
        assert!(pairs.contains(&("m.d".into(), "5,25,50".into())), "{pairs:?}");
        assert!(pairs.contains(&("m.pairs".into(), "mh-mode,gibbs-uniform".into())), "{pairs:?}");
        assert_eq!(of(&pairs).plan(), draft.plan());
        assert_eq!(of(&pairs).address(), pairs);
        draft.pairs = [false; 4];
        assert_eq!(of(&draft.address()).pairs, [false; 4]);
    }

    #[test]
    fn more_couplings_than_the_page_can_hold_are_refused() {
        let mut draft = Draft::default();
        draft.set(Field::Dimensions, "1-200".into());
        assert!(draft.plan().is_some());
        draft.set(Field::Runs, "251".into());
        assert_eq!(draft.plan(), None);
        assert!(draft.problem(Field::Runs).unwrap().contains("250 runs a point"));
        draft.set(Field::Runs, "250".into());
        assert!(draft.plan().is_some());
    }

    #[test]
    fn nonsense_is_passed_over_or_refused_with_words() {
        let draft = Draft::of(|_| Some("💥".into()));
        assert_eq!((draft.units, draft.pairs, draft.show, draft.go), (Units::Signs, [true; 4], Show::Total, false));
        assert_eq!(draft.plan(), None);
        for field in Field::ALL {
            assert!(draft.problem(field).is_some_and(|words| words.ends_with('.')), "{field:?}");
        }
    }
}
