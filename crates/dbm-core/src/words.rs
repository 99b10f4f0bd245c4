//! What a reader calls each setting and each of its values: one table, from which the command's options and help and the page's forms, address keys,
//! hover help and checks are made.
//!
//! **A choice among values** ([`crate::Units`], [`crate::OptimizerMethod`], [`StartKind`] and others) implements [`Choose`], beside its type. A form makes a
//! `<select>` from it: [`Choose::WORDS`] is the label, the hover help and the key of the address; each [`Choice`] of [`Choose::CHOICES`] is an
//! `<option value=name>label</option>`, and its `help` is the line below the select. [`Choose::named`] reads an address or an event's value back.
//!
//! **A setting that is typed** is a [`Setting`]: [`Setting::words`] has its key, label, hint and hover help, [`Setting::expected`] and
//! [`Setting::accepts`] are what a form says and checks. The settings of a run are checked by the same [`Range`]s ([`Setting::range`]).
//!
//! ```
//! use dbm_core::words::{Choose, Setting};
//! use dbm_core::Units;
//! assert_eq!((Units::WORDS.key, Units::Bits.choice().label), ("units", "bits 0, 1"));
//! assert_eq!(Units::named("signs"), Some(Units::Signs));
//! assert!(Setting::Batch.accepts(100.0) && !Setting::Batch.accepts(0.5));
//! assert_eq!(Setting::Batch.expected(), "a whole number from 1 to 100000");
//! ```

use crate::DbmError;
use crate::error::within;

/// What one setting is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words {
    /// In an address; a command's option of the same meaning may be longer.
    pub key: &'static str,
    /// In a form.
    pub label: &'static str,
    /// What a form adds to the help; or empty.
    pub hint: &'static str,
    /// What the setting does, in a sentence or two: hover help, and the command's.
    pub help: &'static str,
}

/// One of the values that a setting can be chosen to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice<T> {
    /// What is chosen.
    pub value: T,
    /// In commands, addresses and files.
    pub name: &'static str,
    /// In a form.
    pub label: &'static str,
    /// What it does, in a sentence or two.
    pub help: &'static str,
}

/// A type whose values a reader chooses among.
pub trait Choose: Copy + PartialEq + Send + Sync + 'static {
    /// What the setting itself is called.
    const WORDS: Words;
    /// Its values, the usual one first.
    const CHOICES: &'static [Choice<Self>];

    /// The row of this value.
    fn choice(self) -> &'static Choice<Self> {
        Self::CHOICES.iter().find(|choice| choice.value == self).unwrap_or(&Self::CHOICES[0])
    }

    /// The value of this name, where there is one.
    fn named(name: &str) -> Option<Self> {
        Self::CHOICES.iter().find(|choice| choice.name == name).map(|choice| choice.value)
    }
}

/// What a setting without a hint is called.
pub const fn words(key: &'static str, label: &'static str, help: &'static str) -> Words {
    Words { key, label, hint: "", help }
}

/// A row of a table of values.
pub const fn choice<T>(value: T, name: &'static str, label: &'static str, help: &'static str) -> Choice<T> {
    Choice { value, name, label, help }
}

/// How the parameters of a model begin; what some ways need besides has settings of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StartKind {
    /// Semi-orthogonal weights (the paper's section 4.3).
    #[default]
    Orthogonal,
    /// Gaussian weights of a small deviation.
    Gaussian,
    /// Greedy layer-wise pretraining.
    Pretrained,
    /// Nearly independent units, as often high as in the data.
    Independent,
}

impl Choose for StartKind {
    const WORDS: Words = words("start", "Initial weights", "How the weights begin, drawn with the seed.");
    const CHOICES: &'static [Choice<Self>] = &[
        choice(Self::Orthogonal, "orthogonal", "orthogonal", "Random orthogonal weights, as in the paper of UCD-LMI."),
        choice(Self::Gaussian, "gaussian", "small Gaussian (0.01)", "Random weights near zero, the customary start of an RBM."),
        choice(
            Self::Pretrained,
            "pretrained",
            "pretrained, layer by layer",
            "Before the first gradient step each layer is trained alone, as an RBM, on what the layers below make of the data.",
        ),
        choice(
            Self::Independent,
            "independent",
            "nearly independent units",
            "Random weights of 0.001, and visible units as often high as in the data: where parallel tempering begins.",
        ),
    ];
}

/// Numbers that a setting accepts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    least: f64,
    most: f64,
    /// Whether the ends themselves are accepted.
    closed: (bool, bool),
    whole: bool,
    /// The range in words, to stand after "expected".
    pub words: &'static str,
}

impl Range {
    const fn whole(least: u64, most: u64, words: &'static str) -> Self {
        Self { least: least as f64, most: most as f64, closed: (true, true), whole: true, words }
    }

    const fn number(least: f64, most: f64, closed: (bool, bool), words: &'static str) -> Self {
        Self { least, most, closed, whole: false, words }
    }

    /// Whether a number is in it.
    pub fn accepts(self, x: f64) -> bool {
        let low = if self.closed.0 { x >= self.least } else { x > self.least };
        let high = if self.closed.1 { x <= self.most } else { x < self.most };
        low && high && (!self.whole || x.fract() == 0.0)
    }
}

const RATE: Range = Range::number(0.0, 10.0, (false, true), "a number above 0 and at most 10");
const DECAY: Range = Range::number(0.0, 1.0, (true, false), "a number from 0 to below 1");
const SHARE: Range = Range::number(0.0, 1.0, (true, true), "a number from 0 to 1");
const CENTERING: Range = Range::number(0.0, 1.0, (false, true), "a number above 0 and at most 1");
const EXAMPLES: Range = Range::whole(1, 100_000, "a whole number from 1 to 100000");
const SWEEPS: Range = Range::whole(1, 100_000, "a whole number from 1 to 100000");
/// In a page, where a shard of a step makes all sweeps of its chains in one piece.
const SWEEPS_IN_PAGE: Range = Range::whole(1, 1000, "a whole number from 1 to 1000");
const PARTICLES: Range = Range::whole(2, 10_000, "a whole number from 2 to 10000");
const TIMES: Range = Range::whole(0, 1000, "a whole number from 0 to 1000");
const CAP: Range = Range::whole(1, u32::MAX as u64, "a whole number from 1 to 4294967295");
const STEPS: Range = Range::whole(1, 1_000_000_000, "a whole number from 1 to 1000000000");
const STEPS_IN_PAGE: Range = Range::whole(1, 1_000_000, "a whole number from 1 to 1000000");
const DECAY_STEPS: Range = Range::whole(0, 1_000_000_000, "a whole number from 0 to 1000000000");
/// What travels exactly as a JavaScript number.
const SEED: Range = Range::whole(0, (1 << 53) - 1, "a whole number from 0 to 9007199254740991");
const WIDTH: Range = Range::whole(1, 4000, "a whole number from 1 to 4000");

/// Makes [`Setting`] of the table of settings whose value is typed: what a run accepts, and what each is called.
macro_rules! settings {
    ($($setting:ident = $range:ident, $key:literal, $label:literal, $hint:literal, $help:literal;)+) => {
        /// A setting whose value is typed. [`Setting::Hidden`] is several numbers, with commas between; [`Setting::Average`] may be blank.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Setting { $(#[doc = $help] $setting),+ }

        impl Setting {
            /// All of them; [`Setting::ALL`]`[setting as usize]` is that setting.
            pub const ALL: [Self; ROWS.len()] = [$(Self::$setting),+];
        }

        const ROWS: &[(Words, Range)] = &[$((Words { key: $key, label: $label, hint: $hint, help: $help }, $range)),+];
    };
}

settings! {
    Hidden = WIDTH, "hidden", "Hidden layers", "Sizes, from the visible layer upward.",
        "Units of each hidden layer. A first layer at least as wide as the picture learns it best.";
    LearningRate = RATE, "rate", "Learning rate", "", "How far a step goes. Adam: about 0.001.";
    RateDecay = DECAY_STEPS, "rate-decay", "Learning-rate decay", "0 keeps it as it is.",
        "The learning rate falls linearly to zero over this many steps. Later ones change nothing.";
    Batch = EXAMPLES, "batch", "Batch size", "", "Examples a step, each with a chain of its own.";
    Seed = SEED, "seed", "Seed", "", "Same seed, same settings: the same run, bit for bit.";
    WeightDecay = DECAY, "decay", "Weight decay", "", "Pulls weights towards zero at each step.";
    Average = DECAY, "average", "Averaging", "Blank for none.",
        "Samples come from an average of the weights over the last steps: how much of it each step keeps.";
    Conditional = SHARE, "conditional", "Conditional share", "0 is the paper’s.",
        "Share of the batch that learns to fill in what a mask hides, by the same unbiased machinery.";
    MaxSweeps = CAP, "sweeps", "Cap on search", "", "Sweeps after which a search for a mode is cut.";
    MaxMeeting = CAP, "meeting", "Cap on meeting", "A coupling cut there biases.",
        "Steps after which a coupling that has not met is cut, and counted.";
    K = SWEEPS, "k", "k, Gibbs sweeps", "", "Gibbs sweeps of each chain, a step.";
    ModeSweeps = SWEEPS, "mode-sweeps", "Sweeps from the mode", "1 is the paper’s.",
        "Gibbs sweeps from the mode to where the estimate begins.";
    MaxTries = CAP, "tries", "Cap on tries", "That biases too.",
        "Tries after which a draw from the joint coupling is cut, and counted.";
    MeanFieldSweeps = CAP, "field-sweeps", "Cap on mean field", "", "Sweeps after which mean field is cut.";
    CenteringRate = CENTERING, "centering-rate", "Centering rate", "How fast the means follow.",
        "Share of the newest batch in the means that units are measured from.";
    PretrainingSteps = STEPS, "pretraining", "Steps per layer", "", "Minibatches that each layer is trained alone for.";
    PretrainingRate = RATE, "pretraining-rate", "Their learning rate", "", "How far a step of pretraining goes.";
    LadderEvery = SWEEPS, "ladder-every", "Steps a round", "Steps from one round over the whole ladder to the next.",
        "A round over all rungs costs as much as a sweep of each. Between two, the model exchanges with the last rung alone.";
    Particles = PARTICLES, "particles", "Particles", "", "Weighted states of a run: more make what it estimates of Z sharper, and couplings shorter.";
    SmcSteps = SWEEPS, "smc-steps", "Steps of the path", "", "Temperatures from independent units to the model, each a sweep of all particles.";
    AverageFrom = TIMES, "average-from", "Average from", "", "First time k of the coupled chains that the estimate averages over.";
    AverageTo = TIMES, "average-to", "Average to", "", "Last time m of the coupled chains that the estimate averages over: each further one is a run, and averages noise away.";
    Momentum = DECAY, "momentum", "Momentum", "", "Share of the step before that SGD goes on with.";
}

impl Setting {
    /// Most hidden layers that a form accepts.
    pub const MOST_LAYERS: usize = 4;

    /// What it is called.
    pub const fn words(self) -> Words {
        ROWS[self as usize].0
    }

    /// What a run accepts.
    pub const fn range(self) -> Range {
        ROWS[self as usize].1
    }

    /// What a page accepts: no more than its workers can do while somebody waits.
    const fn range_in_page(self) -> Range {
        match self {
            Self::K | Self::ModeSweeps => SWEEPS_IN_PAGE,
            Self::PretrainingSteps => STEPS_IN_PAGE,
            other => other.range(),
        }
    }

    /// Whether a form accepts this number; of [`Setting::Hidden`], as one of the sizes. [`Setting::Average`] may be blank as well.
    pub fn accepts(self, x: f64) -> bool {
        self.range_in_page().accepts(x)
    }

    /// Whether its field may be blank.
    pub const fn may_be_blank(self) -> bool {
        matches!(self, Self::Average)
    }

    /// What a form says it expects.
    pub const fn expected(self) -> &'static str {
        match self {
            Self::Hidden => "one to 4 whole numbers from 1 to 4000, with commas between, such as 500, 500",
            Self::Average => "a number from 0 to below 1, or nothing for no average",
            other => other.range_in_page().words,
        }
    }

    /// Accepts a value of a run that is in its range; `name` is what the error calls it.
    pub(crate) fn check(self, name: &'static str, value: f64) -> Result<(), DbmError> {
        let range = self.range();
        within(name, range.words, value, range.accepts(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::{CouplingKernel, CouplingStart};
    use crate::gradient::EstimatorKind;
    use crate::mask::Masks;
    use crate::{Backend, OptimizerMethod, Units};
    use std::collections::BTreeSet;

    fn told_apart<T: Choose>() {
        for pick in [|row: &Choice<T>| row.name, |row: &Choice<T>| row.label, |row: &Choice<T>| row.help] {
            let all: BTreeSet<&str> = T::CHOICES.iter().map(pick).collect();
            assert!(all.len() == T::CHOICES.len() && !all.contains(""), "{all:?}");
        }
        for choice in T::CHOICES {
            assert!(T::named(choice.name) == Some(choice.value) && choice.value.choice().name == choice.name);
        }
        assert!(T::named("💥").is_none());
    }

    #[test]
    fn values_are_told_apart_and_come_back_by_their_names() {
        told_apart::<Units>();
        told_apart::<OptimizerMethod>();
        told_apart::<Masks>();
        told_apart::<Backend>();
        told_apart::<StartKind>();
        told_apart::<CouplingKernel>();
        told_apart::<CouplingStart>();
        told_apart::<EstimatorKind>();
        // The usual value is the one by default.
        assert_eq!(Units::CHOICES[0].value, Units::default());
        assert_eq!(OptimizerMethod::CHOICES[0].value, OptimizerMethod::default());
        assert_eq!(Masks::CHOICES[0].value, Masks::default());
        assert_eq!(StartKind::CHOICES[0].value, StartKind::default());
    }

    #[test]
    fn settings_are_told_apart_by_key_and_label() {
        for pick in [|words: Words| words.key, |words: Words| words.label, |words: Words| words.help] {
            let all: BTreeSet<&str> = Setting::ALL.into_iter().map(|setting| pick(setting.words())).collect();
            assert!(all.len() == Setting::ALL.len() && !all.contains(""), "{all:?}");
        }
        for (place, setting) in Setting::ALL.into_iter().enumerate() {
            assert_eq!(setting as usize, place);
        }
    }

    #[test]
    fn ranges_are_what_their_words_say() {
        for setting in Setting::ALL {
            for range in [setting.range(), setting.range_in_page()] {
                let Range { least, most, closed, whole, words } = range;
                let expected = match (whole, closed) {
                    (true, _) => format!("a whole number from {least} to {most}"),
                    (false, (true, true)) => format!("a number from {least} to {most}"),
                    (false, (true, false)) => format!("a number from {least} to below {most}"),
                    (false, _) => format!("a number above {least} and at most {most}"),
                };
                assert_eq!(words, expected);
                assert_eq!((range.accepts(least), range.accepts(most)), closed);
                assert!(!range.accepts(least - 1.0) && !range.accepts(most + 1.0) && !range.accepts(f64::NAN));
                assert_eq!(range.accepts(least + 0.5), !whole);
            }
        }
        assert!(Setting::K.range().accepts(2000.0) && !Setting::K.accepts(2000.0));
        let sizes = format!("one to {} whole numbers from 1 to {}", Setting::MOST_LAYERS, WIDTH.most);
        assert!(Setting::Hidden.expected().starts_with(&sizes));
        assert!(Setting::Average.expected().starts_with(DECAY.words) && Setting::Average.may_be_blank());
    }
}
