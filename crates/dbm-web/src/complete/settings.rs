//! The visitor's choices in Complete: one table per choice, which gives selects, address keys and hover help.

use crate::ui::form::{Input, Row, Table, choice, typed};
use dbm_core::complete::Method;
use dbm_core::diagnostics::CouplingKernel;
use dbm_core::words::{Choice, Choose, Label, choice, choices, words};
use dbm_protocol::{FIRST_ANSWERS, FIRST_PICTURE, PictureSource};

/// Where the next picture comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PictureStart {
    /// A digit that the worker generates.
    #[default]
    Generated,
    /// A sample of the model on view.
    Sample,
    /// An example of the data in use.
    Data,
    /// No ink, to draw on.
    Blank,
}

impl PictureStart {
    /// Name of the mask that such a picture begins with.
    pub const fn mask(self) -> &'static str {
        if matches!(self, Self::Blank) { "none" } else { "lower" }
    }

    /// What to request from the worker; `None` for a blank picture, which the page makes itself.
    pub fn source(self) -> Option<PictureSource> {
        match self {
            Self::Sample => Some(PictureSource::Sample),
            Self::Generated => Some(PictureSource::Generated),
            Self::Data => Some(PictureSource::Data),
            Self::Blank => None,
        }
    }
}

impl Choose for PictureStart {
    const WORDS: Label = words("start", "Start from", "Where the next picture comes from. On a blank one, choose Draw.");
    const CHOICES: &'static [Choice<Self>] = &[
        choice(Self::Generated, "generated", "a generated digit", "A digit drawn by rules and a seed."),
        choice(Self::Sample, "sample", "a sample of the model", "A local mode of the model, searched from noise."),
        choice(Self::Data, "data", "the loaded data", "An example of the data in use."),
        choice(Self::Blank, "blank", "blank, to draw in", "No ink, and nothing hidden."),
    ];
}

choices! {
    /// In which order answers are shown.
    #[derive(Default)]
    pub enum Order = words("sort", "Sort", "The order of the answers.");
    /// By the energy of the whole state, lowest first.
    #[default]
    Energy = "energy", "by energy",
        "By the energy of the whole state, lowest first; the lowest is the deepest mode that was found.";
    Computed = "came", "as they came", "In the order in which they were computed.";
}

/// What is watched state by state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Watched {
    /// One answer.
    #[default]
    Answer,
    /// Two coupled chains.
    Pair(CouplingKernel),
}

impl Choose for Watched {
    const WORDS: Label = words("watch", "Watch", "What is shown state by state.");
    const CHOICES: &'static [Choice<Self>] = &[
        choice(Self::Answer, "answer", "one answer", "The chain of the first answer, from noise, drawn as chosen above."),
        choice(
            Self::Pair(CouplingKernel::Metropolis),
            "metropolis",
            "a Metropolis pair",
            "Two coupled Metropolis chains x and y from one mode, which use the same random numbers until they meet.",
        ),
        choice(
            Self::Pair(CouplingKernel::Gibbs),
            "gibbs",
            "a Gibbs pair",
            "Two coupled Gibbs chains x and y from one mode, which use the same random numbers until they meet.",
        ),
    ];
}

/// A number with a few values to choose from.
macro_rules! chosen_number {
    ($(#[$doc:meta])* $name:ident, $words:expr, [$(($value:literal, $key:literal, $label:literal)),+]) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name(pub u32);

        impl Default for $name {
            fn default() -> Self {
                Self::CHOICES[0].value
            }
        }

        impl Choose for $name {
            const WORDS: Label = $words;
            const CHOICES: &'static [Choice<Self>] = &[$(choice(Self($value), $key, $label, "")),+];
        }
    };
}

chosen_number!(
    /// How many answers the model gives.
    AnswerCount,
    words("answers", "Answers", "How many answers the model gives, each from a different random start."),
    [(8, "8", "8"), (4, "4", "4"), (16, "16", "16"), (32, "32", "32"), (64, "64", "64")]
);

chosen_number!(
    /// Gibbs sweeps of each answer.
    Sweeps,
    words("sweeps", "Sweeps", "Gibbs sweeps of each answer; the local mode needs none."),
    [(100, "100", "100"), (1, "1", "1"), (3, "3", "3"), (10, "10", "10"), (30, "30", "30"), (300, "300", "300"), (1000, "1000", "1000")]
);

chosen_number!(
    /// Gibbs sweeps from the picture to be cleaned up, before the search.
    CleanUpSweeps,
    words(
        "clean",
        "with",
        "A search downhill from the picture changes little. Some Gibbs sweeps before it change more: with many, it may become another digit."
    ),
    [
        (3, "3", "3 sweeps, then search"),
        (0, "0", "search only"),
        (10, "10", "10 sweeps, then search"),
        (30, "30", "30 sweeps, then search")
    ]
);

/// The class of all answers, for models with classes, which are mostly digits.
pub const CLASS: Label = words(
    "class",
    "Digit",
    "The class of all answers. If you choose none, the model first reads from the known part how probable each class is, and divides its answers accordingly.",
);

/// All the choices; the rows say what each is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompletionSettings {
    pub start: PictureStart,
    /// Seed of the picture, and of a mask of random pixels.
    pub picture_seed: u32,
    /// Seed of the answers.
    pub answer_seed: u32,
    pub answers: AnswerCount,
    /// Class of the answers; `None` for those that the model reads.
    pub class: Option<u8>,
    pub method: Method,
    pub sweeps: Sweeps,
    pub order: Order,
    pub watched: Watched,
    pub clean_up: CleanUpSweeps,
}

impl Default for CompletionSettings {
    /// The first question has more than one answer.
    fn default() -> Self {
        Self {
            start: PictureStart::default(),
            picture_seed: FIRST_PICTURE,
            answer_seed: FIRST_ANSWERS,
            answers: AnswerCount::default(),
            class: None,
            method: Method::default(),
            sweeps: Sweeps::default(),
            order: Order::default(),
            watched: Watched::default(),
            clean_up: CleanUpSweeps::default(),
        }
    }
}

impl Table for CompletionSettings {
    const ROWS: &'static [Row<Self>] = &[
        choice!(PictureStart, start),
        typed!(whole, 0..=u32::MAX, picture_seed).key("seed"),
        typed!(whole, 0..=u32::MAX, answer_seed).key("set"),
        choice!(AnswerCount, answers),
        Row::new(
            Input::Text,
            |settings: &Self| settings.class.map_or_else(String::new, |class| class.to_string()),
            |settings: &mut Self, text| text.parse().map(|class| settings.class = Some(class)).map_err(|_| String::new()),
        )
        .key(CLASS.key),
        choice!(Method, method),
        choice!(Sweeps, sweeps).when(|settings| settings.method != Method::Search),
        choice!(Order, order),
        choice!(Watched, watched),
        choice!(CleanUpSweeps, clean_up),
    ];
}

impl CompletionSettings {
    /// How the worker should complete or clean up the picture.
    pub const fn completion_method(&self, clean_up: bool) -> (Method, u32) {
        match (clean_up, self.clean_up) {
            (false, _) => (self.method, self.sweeps.0),
            (true, CleanUpSweeps(0)) => (Method::Search, 0),
            (true, CleanUpSweeps(sweeps)) => (Method::Gibbs, sweeps),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_by_default_travels_and_comes_back() {
        let asked = [("start", "blank"), ("seed", "7"), ("set", "8"), ("class", "3"), ("answers", "16"), ("by", "sample")];
        let more = [("sweeps", "10"), ("sort", "came"), ("watch", "gibbs"), ("clean", "0")];
        crate::ui::form::travels::<CompletionSettings>(&[&asked[..], &more].concat());
    }

    #[test]
    fn the_worker_is_asked_for_what_was_chosen() {
        let mut settings = CompletionSettings::default();
        assert_eq!(settings.completion_method(false), (Method::Suited, 100));
        assert_eq!(settings.completion_method(true), (Method::Gibbs, 3));
        (settings.method, settings.sweeps) = (Method::Sample, Sweeps(1000));
        settings.clean_up = CleanUpSweeps(0);
        assert_eq!(settings.completion_method(false), (Method::Sample, 1000));
        assert_eq!(settings.completion_method(true), (Method::Search, 0));
    }

    #[test]
    fn the_usual_value_is_the_first_of_each_table() {
        let CompletionSettings { start, answers, method, sweeps, order, watched, clean_up, .. } = CompletionSettings::default();
        assert!(start == PictureStart::CHOICES[0].value && method == Method::CHOICES[0].value);
        assert!(order == Order::CHOICES[0].value && watched == Watched::CHOICES[0].value);
        assert_eq!((answers.0, sweeps.0, clean_up.0), (8, 100, 3));
        for row in Sweeps::CHOICES
            .iter()
            .map(|row| (row.value.0, row.name))
            .chain(AnswerCount::CHOICES.iter().map(|row| (row.value.0, row.name)))
        {
            assert_eq!(row.0.to_string(), row.1);
        }
    }
}
