//! What the Complete view is set to: its choices, the question they make, and its keys of the address.

use crate::actions;
use crate::state::{Opening, Start, State};
use crate::ui::address;
use dbm_core::diagnostics::CouplingKernel;
use dbm_protocol::{Command, CompletionMethod, ModelChoice};
use leptos::prelude::*;

const PREFIX: &str = "c.";

/// One of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// How many answers.
    Answers,
    /// How.
    By,
    /// Gibbs sweeps.
    Sweeps,
    /// The order of the answers.
    Sort,
    /// What is watched.
    Watch,
    /// How a picture is cleaned up.
    Clean,
}

/// A choice's key, label, help, and what can be chosen: the address's word and the visitor's. The default comes first.
type About = (&'static str, &'static str, &'static str, &'static [(&'static str, &'static str)]);

impl Choice {
    const ALL: [Self; 6] = [Self::Answers, Self::By, Self::Sweeps, Self::Sort, Self::Watch, Self::Clean];

    /// All about it.
    pub const fn about(self) -> About {
        match self {
            Self::Answers => (
                "answers",
                "Answers",
                "How many answers the model gives, each from another random start.",
                &[("8", "8"), ("4", "4"), ("16", "16"), ("32", "32"), ("64", "64")],
            ),
            Self::By => (
                "by",
                "By",
                "Local mode: one search downhill from noise. Gibbs sweeps walk between modes first; cooling ones begin hot, where walking is easy, which is best here. A Gibbs sample is not searched at all.",
                &[
                    ("annealed", "Cooling sweeps, then the search"),
                    ("gibbs", "Gibbs sweeps, then the search"),
                    ("search", "Local mode (the paper)"),
                    ("sample", "Gibbs sample, no search"),
                ],
            ),
            Self::Sweeps => (
                "sweeps",
                "Sweeps",
                "Gibbs sweeps of each answer; the local mode needs none.",
                &[("100", "100"), ("1", "1"), ("3", "3"), ("10", "10"), ("30", "30"), ("300", "300"), ("1000", "1000")],
            ),
            Self::Sort => (
                "sort",
                "Sort",
                "By the energy of the whole state, lowest first; the lowest is the deepest mode that was found. Or in the order they were computed.",
                &[("energy", "by energy"), ("came", "as they came")],
            ),
            Self::Watch => (
                "watch",
                "Watch",
                "One search from noise to its mode; or two coupled chains x and y from one mode, that use the same random numbers until they meet.",
                &[("search", "one search"), ("metropolis", "a Metropolis pair"), ("gibbs", "a Gibbs pair")],
            ),
            Self::Clean => (
                "clean",
                "with",
                "A search downhill from the picture changes little. Some Gibbs sweeps before it change more: with many, it may become another digit.",
                &[
                    ("3", "3 sweeps, then search"),
                    ("0", "the search alone"),
                    ("10", "10 sweeps, then search"),
                    ("30", "30 sweeps, then search"),
                ],
            ),
        }
    }
}

/// What is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Asking {
    /// Which picture.
    pub picture: u32,
    /// Which set of answers.
    pub set: u32,
    chosen: [u8; 6],
}

impl Default for Asking {
    /// The first picture is a three whose upper half could be a two, a seven or an eight.
    fn default() -> Self {
        Self { picture: 43, set: 1, chosen: [0; 6] }
    }
}

impl Asking {
    /// The chosen word.
    pub fn word(&self, choice: Choice) -> &'static str {
        choice.about().3[usize::from(self.chosen[choice as usize])].0
    }

    /// The chosen word as a number; 0 where it is none.
    fn number(&self, choice: Choice) -> u32 {
        self.word(choice).parse().unwrap_or_default()
    }

    /// How many answers.
    pub fn answers(&self) -> u32 {
        self.number(Choice::Answers)
    }

    /// Chooses by the word; one that means nothing is the default.
    pub fn choose(&mut self, choice: Choice, word: &str) {
        self.chosen[choice as usize] = choice.about().3.iter().position(|(known, _)| *known == word).unwrap_or_default() as u8;
    }

    /// How the pair that is watched moves; nothing where a search is.
    pub fn pair(&self) -> Option<CouplingKernel> {
        match self.word(Choice::Watch) {
            "metropolis" => Some(CouplingKernel::Metropolis),
            "gibbs" => Some(CouplingKernel::Gibbs),
            _ => None,
        }
    }

    fn method(&self, clean_up: bool) -> CompletionMethod {
        let sweeps = self.number(if clean_up { Choice::Clean } else { Choice::Sweeps });
        match self.word(Choice::By) {
            _ if clean_up && sweeps == 0 => CompletionMethod::Search,
            _ if clean_up => CompletionMethod::Gibbs { sweeps },
            "search" => CompletionMethod::Search,
            "sample" => CompletionMethod::Sample { sweeps },
            "gibbs" => CompletionMethod::Gibbs { sweeps },
            _ => CompletionMethod::Annealed { sweeps },
        }
    }
}

/// What answers are the answers to.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// Who is asked.
    pub model: ModelChoice,
    /// One byte a unit.
    pub values: Vec<u8>,
    /// What is unknown.
    pub unknown: Vec<u8>,
    /// How many answers.
    answers: u32,
    /// How.
    method: CompletionMethod,
    /// Whether the picture is only where the chains begin.
    pub clean_up: bool,
    /// Which.
    seed: u32,
}

impl Question {
    /// As things are chosen now.
    pub fn now(state: State, clean_up: bool) -> Self {
        let asking = state.asking.get();
        let (values, unknown) = state.picture.with(|picture| (picture.bits().to_vec(), picture.unknown().to_vec()));
        let (answers, method, seed) = (asking.answers(), asking.method(clean_up), asking.set);
        Self { model: state.model.get(), values, unknown, answers, method, clean_up, seed }
    }

    /// Of these units.
    #[cfg(test)]
    pub fn of(values: Vec<u8>, unknown: Vec<u8>) -> Self {
        let (model, method) = (ModelChoice::Pretrained, CompletionMethod::Search);
        Self { model, values, unknown, answers: 4, method, clean_up: false, seed: 1 }
    }

    /// What the answers fill in: one byte a unit.
    pub fn filled(&self) -> Vec<u8> {
        if self.clean_up { vec![1; self.values.len()] } else { self.unknown.clone() }
    }

    /// As the worker is asked.
    pub fn command(&self) -> Command {
        let Self { model, values, unknown, answers, method, clean_up, seed } = self.clone();
        Command::Complete { model, values, unknown, answers, method, clean_up, seed }
    }
}

/// What the address wants done with the next picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wanted {
    /// Its mask,
    pub mask: Option<String>,
    /// what is drawn,
    pub ink: Option<String>,
    /// and whether to complete it or to clean it up at once.
    pub clean_up: Option<bool>,
}

/// Takes up what the address says, now and whenever it changes, and keeps it up to date.
pub fn follow(state: State) {
    let last = StoredValue::new(keys());
    if !last.with_value(Vec::is_empty) {
        apply(state);
    }
    address::follow(move || {
        let now = keys();
        if now.is_empty() {
            // Another view's ready-made address: this one stays as it is.
            address::put(PREFIX, last.get_value());
        } else if last.with_value(|last| *last != now) {
            last.set_value(now);
            apply(state);
        }
    });
    Effect::new(move |_| {
        // Until the wanted picture is there, the address is ahead of the page.
        if state.wanted.with(Option::is_some) || state.picture.with(|picture| picture.shape.units == 0) {
            return;
        }
        let now = pairs(state);
        if last.with_value(|last| *last != now) {
            last.set_value(now.clone());
            address::put(PREFIX, now);
        }
    });
}

fn keys() -> Vec<(String, String)> {
    address::pairs().into_iter().filter(|(key, _)| key.starts_with(PREFIX)).collect()
}

fn pairs(state: State) -> Vec<(String, String)> {
    let (asking, base) = (state.asking.get(), Asking::default());
    let start = state.start.get();
    let mut pairs = Vec::new();
    let mut put = |key: &str, differs: bool, value: &str| {
        if differs {
            pairs.push((format!("{PREFIX}{key}"), value.to_string()));
        }
    };
    put("model", state.model.get() == ModelChoice::Training, "training");
    put("start", start != Start::default(), start.word());
    put("seed", asking.picture != base.picture, &asking.picture.to_string());
    state.picture.with(|picture| {
        let mask = picture.mask_text(asking.picture).unwrap_or_default();
        put("mask", !mask.is_empty() && mask != start.mask(), &mask);
        let ink = picture.ink_text().unwrap_or_default();
        put("ink", !ink.is_empty(), &ink);
    });
    put("set", asking.set != base.set, &asking.set.to_string());
    for choice in Choice::ALL {
        put(choice.about().0, asking.word(choice) != base.word(choice), asking.word(choice));
    }
    if let Some(clean_up) = state.answers.with(|answered| answered.as_ref().map(|answered| answered.question.clean_up)) {
        let same = state.answers.with(|a| a.as_ref().is_some_and(|a| a.question == Question::now(state, clean_up)));
        put("go", same, if clean_up { "clean" } else { "yes" });
    }
    pairs
}

fn apply(state: State) {
    let get = |key: &str| address::get(&format!("{PREFIX}{key}"));
    let mut asking = Asking::default();
    let number = |key: &str, default| get(key).and_then(|text| text.parse().ok()).unwrap_or(default);
    (asking.picture, asking.set) = (number("seed", asking.picture), number("set", asking.set));
    for choice in Choice::ALL {
        asking.choose(choice, &get(choice.about().0).unwrap_or_default());
    }
    state.asking.set(asking);
    state.start.set(Start::of(&get("start").unwrap_or_default()));
    let go = get("go");
    let clean_up = go.as_deref().filter(|go| ["yes", "clean"].contains(go)).map(|go| go == "clean");
    state.wanted.set(Some(Wanted { mask: get("mask"), ink: get("ink"), clean_up }));
    let training = get("model").as_deref() == Some("training") || state.opening.get_untracked() == Opening::Missing;
    actions::choose_model(state, if training { ModelChoice::Training } else { ModelChoice::Pretrained });
    actions::new_picture(state);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_taken_by_their_words_and_nonsense_is_the_default() {
        let mut asking = Asking::default();
        for choice in Choice::ALL {
            for (word, _) in choice.about().3 {
                asking.choose(choice, word);
                assert_eq!(asking.word(choice), *word);
            }
        }
        assert_eq!((asking.answers(), asking.method(false)), (64, CompletionMethod::Sample { sweeps: 1000 }));
        assert_eq!(asking.pair(), Some(CouplingKernel::Gibbs));
        assert_eq!(asking.method(true), CompletionMethod::Gibbs { sweeps: 30 });
        asking.choose(Choice::Clean, "0");
        assert_eq!(asking.method(true), CompletionMethod::Search);
        Choice::ALL.into_iter().for_each(|choice| asking.choose(choice, "💥"));
        assert_eq!(asking, Asking::default());
        assert_eq!((asking.method(false), asking.pair()), (CompletionMethod::Annealed { sweeps: 100 }, None));
    }
}
