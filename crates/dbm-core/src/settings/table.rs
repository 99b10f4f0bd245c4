//! The table of a run's settings. A row says all there is to know about a setting: where it is in a [`RunPlan`], what it accepts, which
//! estimators have it, and its names in the command, the forms of the page, addresses, errors and summaries, all of which are made from it.
//! A new setting is a row, a field with its default, and the line that uses it.
//!
//! ```
//! use dbm_core::settings::{Reading, RunPlan, Setting};
//! let mut plan = RunPlan::default();
//! let reading = Reading { decimal: |text| text.parse().ok(), in_page: false };
//! assert_eq!(Setting::Batch.write(&mut plan, "50", reading), Ok(()));
//! assert_eq!((plan.settings.batch, Setting::Batch.text(&plan)), (50, "50".to_string()));
//! assert_eq!(Setting::Batch.write(&mut plan, "0.5", reading), Err("a whole number from 1 to 100000".to_string()));
//! assert!(!Setting::Momentum.applies(&plan)); // Adam has none
//! ```

use super::OptimizerMethod;
use super::estimator::{CENTERING_RATE, EstimatorKind, MOST_SWEEPS, SmcPath};
use super::plan::{Initialization, RunPlan, StartKind};
use crate::DbmError;
use crate::Units;
use crate::error::within;
use crate::mask::Masks;
use crate::words::{Choose, Label, words};

/// Numbers that a setting accepts.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Range {
    least: f64,
    most: f64,
    /// Whether the ends themselves are accepted.
    closed: (bool, bool),
    whole: bool,
    /// The range in words, to follow "expected".
    words: &'static str,
}

impl Range {
    const fn whole(least: u64, most: u64, words: &'static str) -> Self {
        Self { least: least as f64, most: most as f64, closed: (true, true), whole: true, words }
    }

    const fn number(least: f64, most: f64, closed: (bool, bool), words: &'static str) -> Self {
        Self { least, most, closed, whole: false, words }
    }

    /// Whether a number is in the range.
    fn accepts(self, x: f64) -> bool {
        let low = if self.closed.0 { x >= self.least } else { x > self.least };
        let high = if self.closed.1 { x <= self.most } else { x < self.most };
        low && high && (!self.whole || x.fract() == 0.0)
    }
}

const RATE: Range = Range::number(0.0, 10.0, (false, true), "a number above 0 and at most 10");
const DECAY: Range = Range::number(0.0, 1.0, (true, false), "a number from 0 to below 1");
const SHARE: Range = Range::number(0.0, 1.0, (true, true), "a number from 0 to 1");
const CENTERING: Range = Range::number(0.0, 1.0, (false, true), "a number above 0 and at most 1");
const FIELD: Range = Range::number(0.0, 1.0, (false, true), "a number above 0 and at most 1");
const EXAMPLES: Range = Range::whole(1, 100_000, "a whole number from 1 to 100000");
const SWEEPS: Range = Range::whole(1, MOST_SWEEPS as u64, "a whole number from 1 to 100000");
/// In a page, where a shard of a step makes all sweeps of its chains in one piece.
const SWEEPS_IN_PAGE: Range = Range::whole(1, 1000, "a whole number from 1 to 1000");
const PARTICLES: Range = Range::whole(2, 10_000, "a whole number from 2 to 10000");
const TIMES: Range = Range::whole(0, 1000, "a whole number from 0 to 1000");
const CAP: Range = Range::whole(1, u32::MAX as u64, "a whole number from 1 to 4294967295");
const STEPS: Range = Range::whole(1, 1_000_000_000, "a whole number from 1 to 1000000000");
const STEPS_IN_PAGE: Range = Range::whole(1, 1_000_000, "a whole number from 1 to 1000000");
const DECAY_STEPS: Range = Range::whole(0, 1_000_000_000, "a whole number from 0 to 1000000000");
/// Seeds that a JavaScript number holds exactly.
const SEED: Range = Range::whole(0, (1 << 53) - 1, "a whole number from 0 to 9007199254740991");
const WIDTH: Range = Range::whole(1, 4000, "a whole number from 1 to 4000");

/// The most hidden layers.
const MOST_LAYERS: usize = 4;

/// A value that can be chosen, as a form presents it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its name in commands, addresses and files.
    pub name: &'static str,
    /// Its name in a form.
    pub label: &'static str,
    /// What it does.
    pub help: &'static str,
}

/// The kind of a setting's values, and where they are in a plan.
enum Kind {
    Number {
        range: Range,
        get: fn(&RunPlan) -> f64,
        set: fn(&mut RunPlan, f64),
    },
    /// A number, or nothing.
    Optional {
        range: Range,
        get: fn(&RunPlan) -> Option<f64>,
        set: fn(&mut RunPlan, Option<f64>),
    },
    /// The sizes of the hidden layers.
    Sizes {
        range: Range,
    },
    Choice {
        lines: fn() -> Vec<Line>,
        get: fn(&RunPlan) -> &'static str,
        set: fn(&mut RunPlan, &str) -> bool,
    },
    Switch {
        get: fn(&RunPlan) -> bool,
        set: fn(&mut RunPlan, bool),
    },
}

/// The section of a form in which a setting appears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Settings that are nearly always needed.
    Main,
    /// Other settings of the run.
    More,
    /// Below the estimator.
    Estimator,
    /// Below the start of the parameters.
    Start,
    /// Settings of the estimator that are rarely changed.
    Limits,
}

/// When the summary of one run mentions a setting. A comparison of two runs mentions all that differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    Always,
    /// If it is not the default.
    IfUnusual,
    Never,
}

/// A row of the table.
struct Row {
    /// Its name in errors.
    name: &'static str,
    /// Its key in an address, and its words in a form.
    words: Label,
    /// The command's option without its dashes, and the placeholder for its value in the command's help; empty if another option of the
    /// command covers it.
    option: (&'static str, &'static str),
    /// The words of a summary, with `#` for the value, and those for a value of 0, nothing or off.
    says: (&'static str, &'static str),
    said: Said,
    group: Group,
    /// The estimators that have it; empty for all.
    of: &'static [EstimatorKind],
    /// A further condition on the runs that have it.
    applies: fn(&RunPlan) -> bool,
    /// The range a page accepts, if smaller: only what its workers can do while a user waits.
    in_page: Option<Range>,
    kind: Kind,
}

/// The values that most rows share.
const ROW: Row = Row {
    name: "",
    words: words("", "", ""),
    option: ("", ""),
    says: ("#", ""),
    said: Said::Always,
    group: Group::Main,
    of: &[],
    applies: |_| true,
    in_page: None,
    kind: Kind::Sizes { range: WIDTH },
};

/// A number at a place in the plan.
macro_rules! number {
    ($range:expr, $($place:ident).+ as $type:ty) => {
        Kind::Number { range: $range, get: |plan| plan.$($place).+ as f64, set: |plan, x| plan.$($place).+ = x as $type }
    };
}

/// A choice among the values of a type, at a place in the plan.
macro_rules! chosen {
    ($type:ty, $($place:ident).+) => {
        Kind::Choice {
            lines: lines::<$type>,
            get: |plan| plan.$($place).+.choice().name,
            set: |plan, name| <$type>::named(name).map(|value| plan.$($place).+ = value).is_some(),
        }
    };
}

fn lines<T: Choose>() -> Vec<Line> {
    T::CHOICES.iter().map(|choice| Line { name: choice.name, label: choice.label, help: choice.help }).collect()
}

/// Makes [`Setting`] from the table.
macro_rules! settings {
    ($($setting:ident = Row { $($column:ident: $value:expr),+ $(,)? };)+) => {
        /// A setting of a run.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "the rows say what each is")]
        pub enum Setting { $($setting),+ }

        impl Setting {
            /// All settings, in the order of the forms; [`Setting::ALL`]`[setting as usize]` is that setting.
            pub const ALL: [Self; [$(Self::$setting),+].len()] = [$(Self::$setting),+];
        }

        static ROWS: [Row; Setting::ALL.len()] = [$(Row { $($column: $value,)+ ..ROW }),+];
    };
}

use EstimatorKind::{Cd, Lmi, Mp, Pcd, PcdGibbs, Ptt, UcdGibbs, UcdLmi, UcdMh, UcdPtt, UcdSmc};

settings! {
    Hidden = Row {
        name: "hidden layers",
        words: Label {
            key: "hidden",
            label: "Hidden layers",
            hint: "Sizes, from the visible layer upward.",
            help: "Units of each hidden layer. A first layer at least as wide as the picture learns it best.",
        },
    };
    Local = Row {
        name: "local fields",
        words: Label {
            key: "local",
            label: "Local fields",
            hint: "Blank for none.",
            help: "Share of the picture’s height and width that a unit of the first hidden layer sees: 0.3 suits strokes.",
        },
        option: ("local", "SHARE"),
        says: ("fields of # of each side", "no local fields"),
        said: Said::IfUnusual,
        group: Group::More,
        kind: Kind::Optional { range: FIELD, get: |plan| plan.settings.local, set: |plan, x| plan.settings.local = x },
    };
    Units = Row {
        words: Units::WORDS,
        option: ("units", "UNITS"),
        kind: chosen!(Units, units),
    };
    LearningRate = Row {
        name: "learning rate",
        words: words("rate", "Learning rate", "How far a step goes. Adam: about 0.001."),
        option: ("lr", "RATE"),
        says: ("rate #", ""),
        kind: number!(RATE, settings.optimizer.learning_rate as f64),
    };
    Batch = Row {
        name: "batch",
        words: words("batch", "Batch size", "Examples per step, each with its own chain."),
        option: ("batch", "N"),
        says: ("# examples per step", ""),
        kind: number!(EXAMPLES, settings.batch as usize),
    };
    Seed = Row {
        name: "seed",
        words: words("seed", "Seed", "Same seed, same settings: the same run, bit for bit."),
        says: ("seed #", ""),
        kind: number!(SEED, settings.seed as u64),
    };
    Optimizer = Row {
        words: OptimizerMethod::WORDS,
        option: ("optimizer", "METHOD"),
        group: Group::More,
        kind: chosen!(OptimizerMethod, settings.optimizer.method),
    };
    RateDecay = Row {
        name: "learning-rate decay",
        words: Label {
            key: "rate-decay",
            label: "Learning-rate decay",
            hint: "0 keeps it constant.",
            help: "The learning rate falls linearly to zero over this many steps. Later ones change nothing.",
        },
        option: ("lr-decay", "STEPS"),
        says: ("rate falls to zero over # steps", "constant rate"),
        said: Said::IfUnusual,
        group: Group::More,
        kind: number!(DECAY_STEPS, settings.optimizer.decay_steps as u64),
    };
    Momentum = Row {
        name: "momentum",
        words: words("momentum", "Momentum", "Share of the previous step that SGD adds to the next."),
        option: ("momentum", "SHARE"),
        says: ("momentum #", "no momentum"),
        said: Said::IfUnusual,
        group: Group::More,
        applies: |plan| plan.settings.optimizer.method == OptimizerMethod::Sgd,
        kind: number!(DECAY, settings.optimizer.momentum as f64),
    };
    WeightDecay = Row {
        name: "weight decay",
        words: words("decay", "Weight decay", "Pulls weights towards zero at each step."),
        option: ("weight-decay", "STRENGTH"),
        says: ("weight decay #", "no weight decay"),
        group: Group::More,
        kind: number!(DECAY, settings.optimizer.weight_decay as f64),
    };
    Average = Row {
        name: "averaging decay",
        words: Label {
            key: "average",
            label: "Averaging",
            hint: "Blank for none.",
            help: "Samples come from a running average of the weights. This is the share of it that each step keeps.",
        },
        option: ("average", "DECAY"),
        says: ("averaged with decay #", "no averaging"),
        group: Group::More,
        kind: Kind::Optional { range: DECAY, get: |plan| plan.settings.average, set: |plan, x| plan.settings.average = x },
    };
    Conditional = Row {
        name: "conditional share",
        words: Label {
            key: "conditional",
            label: "Conditional share",
            hint: "0 is the paper’s.",
            help: "Share of the batch that learns to fill in what a mask hides, by the same unbiased machinery.",
        },
        option: ("conditional", "SHARE"),
        says: ("conditional share #", "no conditional share"),
        group: Group::More,
        kind: number!(SHARE, settings.conditional as f64),
    };
    Masks = Row {
        words: Masks::WORDS,
        option: ("masks", "MASKS"),
        says: ("masks #", ""),
        said: Said::IfUnusual,
        group: Group::More,
        applies: RunPlan::is_masked,
        kind: chosen!(Masks, settings.masks),
    };
    Estimator = Row {
        words: EstimatorKind::WORDS,
        group: Group::Estimator,
        kind: chosen!(EstimatorKind, settings.estimator.kind),
    };
    K = Row {
        name: "k",
        words: words("k", "k, Gibbs sweeps", "Gibbs sweeps of each chain per step."),
        // Part of the estimator's title.
        says: ("", ""),
        group: Group::Estimator,
        of: &[Cd, Pcd, PcdGibbs, Ptt, Mp, UcdPtt],
        in_page: Some(SWEEPS_IN_PAGE),
        kind: number!(SWEEPS, settings.estimator.k as u32),
    };
    Path = Row {
        words: SmcPath::WORDS,
        option: ("path", "PATH"),
        says: ("along #", ""),
        group: Group::Estimator,
        of: &[UcdSmc],
        kind: chosen!(SmcPath, settings.estimator.path),
    };
    Start = Row {
        words: StartKind::WORDS,
        says: ("start: #", ""),
        group: Group::Start,
        kind: Kind::Choice {
            lines: lines::<StartKind>,
            get: |plan| plan.start.kind().choice().name,
            set: |plan, name| {
                let kind = StartKind::named(name);
                // Otherwise the start keeps its values.
                if let Some(kind) = kind.filter(|&kind| kind != plan.start.kind()) {
                    plan.start = Initialization::of_kind(kind);
                }
                kind.is_some()
            },
        },
    };
    PretrainingSteps = Row {
        name: "pretraining steps",
        words: words("pretraining", "Steps per layer", "Pretraining steps per layer."),
        says: ("# steps per layer", ""),
        group: Group::Start,
        applies: |plan| plan.start.kind() == StartKind::Pretrained,
        in_page: Some(STEPS_IN_PAGE),
        kind: Kind::Number {
            range: STEPS,
            get: |plan| f64::from(plan.start.pretraining().0),
            set: |plan, x| {
                if let Initialization::Pretrained { steps, .. } = &mut plan.start {
                    *steps = x as u32;
                }
            },
        },
    };
    PretrainingRate = Row {
        name: "pretraining rate",
        words: words("pretraining-rate", "Their learning rate", "How far a step of pretraining goes."),
        says: ("their rate #", ""),
        said: Said::Never,
        group: Group::Start,
        applies: |plan| plan.start.kind() == StartKind::Pretrained,
        kind: Kind::Number {
            range: RATE,
            get: |plan| plan.start.pretraining().1,
            set: |plan, x| {
                if let Initialization::Pretrained { learning_rate, .. } = &mut plan.start {
                    *learning_rate = x;
                }
            },
        },
    };
    ModeSweeps = Row {
        name: "mode sweeps",
        words: Label {
            key: "mode-sweeps",
            label: "Sweeps from the mode",
            hint: "1 is the paper’s.",
            help: "Gibbs sweeps from the mode to where the estimate begins.",
        },
        option: ("mode-sweeps", "SWEEPS"),
        says: ("sweeps from the mode #", ""),
        said: Said::IfUnusual,
        group: Group::Limits,
        of: &[UcdLmi, Lmi],
        in_page: Some(SWEEPS_IN_PAGE),
        kind: number!(SWEEPS, settings.estimator.mode_sweeps as u32),
    };
    MaxSweeps = Row {
        name: "max sweeps",
        words: words("sweeps", "Cap on search", "Sweeps after which a search for a mode is cut."),
        option: ("max-sweeps", "SWEEPS"),
        says: ("searches cut at #", ""),
        said: Said::Never,
        group: Group::Limits,
        of: &[UcdLmi, Lmi],
        kind: number!(CAP, settings.max_sweeps as u32),
    };
    MaxMeeting = Row {
        name: "max meeting time",
        words: Label {
            key: "meeting",
            label: "Cap on meeting",
            hint: "A cut coupling is biased.",
            help: "Steps after which a coupling that has not met is cut, and counted.",
        },
        option: ("max-meeting", "STEPS"),
        says: ("couplings cut at #", ""),
        said: Said::Never,
        group: Group::Limits,
        of: &[UcdLmi, UcdMh, UcdGibbs, UcdSmc, UcdPtt],
        kind: number!(CAP, settings.max_meeting as u32),
    };
    MaxTries = Row {
        name: "max tries",
        words: Label {
            key: "tries",
            label: "Cap on tries",
            hint: "A cut draw is biased.",
            help: "Tries after which a draw from the joint coupling is cut, and counted.",
        },
        option: ("max-tries", "TRIES"),
        says: ("draws cut at #", ""),
        said: Said::Never,
        group: Group::Limits,
        of: &[UcdGibbs],
        kind: number!(CAP, settings.estimator.max_tries as u32),
    };
    MeanFieldSweeps = Row {
        name: "mean-field sweeps",
        words: words("field-sweeps", "Cap on mean field", "Sweeps after which mean field is cut."),
        option: ("mean-field-sweeps", "SWEEPS"),
        says: ("mean field cut at #", ""),
        said: Said::Never,
        group: Group::Limits,
        of: &[Pcd],
        kind: number!(CAP, settings.estimator.mean_field_sweeps as u32),
    };
    Particles = Row {
        name: "particles",
        words: words(
            "particles",
            "Particles",
            "Weighted states per run: more make its estimate of Z sharper and couplings shorter.",
        ),
        option: ("particles", "N"),
        says: ("# particles", ""),
        group: Group::Limits,
        of: &[UcdSmc, UcdPtt],
        kind: number!(PARTICLES, settings.estimator.particles as u32),
    };
    SmcSteps = Row {
        name: "steps of the path",
        words: words(
            "smc-steps",
            "Steps of the path",
            "Temperatures from independent units to the model, each a sweep of all particles.",
        ),
        option: ("smc-steps", "K"),
        says: ("# temperatures", ""),
        group: Group::Limits,
        of: &[UcdSmc, UcdPtt],
        kind: number!(SWEEPS, settings.estimator.smc_steps as u32),
    };
    AverageFrom = Row {
        name: "first time of the average",
        words: words("average-from", "Average from", "First time k of the coupled chains that the estimate averages over."),
        option: ("average-from", "k"),
        says: ("averaged from time #", ""),
        said: Said::Never,
        group: Group::Limits,
        of: &[UcdSmc, UcdPtt],
        kind: number!(TIMES, settings.estimator.average_from as u32),
    };
    AverageTo = Row {
        name: "last time of the average",
        words: words(
            "average-to",
            "Average to",
            "Last time m of the coupled chains that the estimate averages over: each further one costs a run and averages noise away.",
        ),
        option: ("average-to", "m"),
        says: ("averaged to time #", ""),
        said: Said::Never,
        group: Group::Limits,
        of: &[UcdSmc, UcdPtt],
        kind: number!(TIMES, settings.estimator.average_to as u32),
    };
    LadderEvery = Row {
        name: "steps between rounds over the ladder",
        words: Label {
            key: "ladder-every",
            label: "Steps per round",
            hint: "Steps from one round over all rungs to the next.",
            help: "A round costs as much as a sweep of every rung. Between rounds, the model exchanges only with the last rung.",
        },
        option: ("ladder-every", "STEPS"),
        says: ("a round every # steps", ""),
        group: Group::Limits,
        of: &[Ptt],
        kind: number!(SWEEPS, settings.estimator.ladder_every as u32),
    };
    Marginalized = Row {
        words: words(
            "marginalized",
            "Marginalized",
            "Half of each state is replaced by its conditional means, first the odd layers and then the even ones: less noise, the same mean.",
        ),
        says: ("marginalized", "not marginalized"),
        group: Group::Limits,
        kind: Kind::Switch { get: |plan| plan.settings.marginalize, set: |plan, on| plan.settings.marginalize = on },
    };
    Centered = Row {
        words: words(
            "centered",
            "Centered",
            "Every unit is measured from its mean: the same models, with a better conditioned gradient (Montavon and Müller 2012).",
        ),
        says: ("centered", "not centered"),
        said: Said::IfUnusual,
        group: Group::Limits,
        kind: Kind::Switch {
            get: |plan| plan.settings.estimator.centering.is_some(),
            set: |plan, on| {
                let rate = plan.settings.estimator.centering.unwrap_or(CENTERING_RATE);
                plan.settings.estimator.centering = on.then_some(rate);
            },
        },
    };
    CenteringRate = Row {
        name: "centering rate",
        words: Label {
            key: "centering-rate",
            label: "Centering rate",
            hint: "How fast the means follow.",
            help: "Share of the newest batch in the running means of the units.",
        },
        says: ("centering rate #", ""),
        said: Said::Never,
        group: Group::Limits,
        applies: |plan| plan.settings.estimator.centering.is_some(),
        kind: Kind::Number {
            range: CENTERING,
            get: |plan| plan.settings.estimator.centering.unwrap_or(CENTERING_RATE),
            set: |plan, x| {
                if let Some(rate) = &mut plan.settings.estimator.centering {
                    *rate = x;
                }
            },
        },
    };
}

/// How texts are parsed as settings.
#[derive(Clone, Copy)]
pub struct Reading {
    /// Parses a decimal number; a browser has its own parser.
    pub decimal: fn(&str) -> Option<f64>,
    /// Whether the settings are for a page, which accepts less.
    pub in_page: bool,
}

impl Setting {
    fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// Its key in an address, and its words in a form.
    pub fn words(self) -> Label {
        self.row().words
    }

    /// Its section of a form.
    pub fn group(self) -> Group {
        self.row().group
    }

    /// The command's option without its dashes, and the placeholder for its value; none if another option of the command covers it.
    pub fn option(self) -> Option<(&'static str, &'static str)> {
        Some(self.row().option).filter(|(name, _)| !name.is_empty())
    }

    /// The values among which it is chosen; none if it is typed, or a switch.
    pub fn lines(self) -> Option<Vec<Line>> {
        if let Kind::Choice { lines, .. } = self.row().kind { Some(lines()) } else { None }
    }

    /// Whether it is a switch.
    pub fn is_switch(self) -> bool {
        matches!(self.row().kind, Kind::Switch { .. })
    }

    /// Whether its text can have more than one number.
    pub fn is_list(self) -> bool {
        matches!(self.row().kind, Kind::Sizes { .. })
    }

    /// Whether this run has it; in other runs its value has no effect.
    pub fn applies(self, plan: &RunPlan) -> bool {
        plan.settings.estimator.kind.has(self) && (self.row().applies)(plan)
    }

    /// Its value in a plan: a decimal number, sizes separated by commas, the name of a choice, or `yes` or `no`. A setting that the run
    /// does not have shows its default.
    pub fn text(self, plan: &RunPlan) -> String {
        match self.row().kind {
            Kind::Number { get, .. } => get(plan).to_string(),
            Kind::Optional { get, .. } => get(plan).map(|x| x.to_string()).unwrap_or_default(),
            Kind::Sizes { .. } => joined(&plan.hidden, ", "),
            Kind::Choice { get, .. } => get(plan).into(),
            Kind::Switch { get, .. } => if get(plan) { "yes" } else { "no" }.into(),
        }
    }

    /// Parses its value into a plan.
    ///
    /// # Errors
    /// What was expected, to follow that word, if the text is nothing like it; the plan does not change.
    pub fn write(self, plan: &mut RunPlan, text: &str, reading: Reading) -> Result<(), String> {
        let (row, text) = (self.row(), text.trim());
        let number = |range: Range, text: &str| {
            let range = row.in_page.filter(|_| reading.in_page).unwrap_or(range);
            (reading.decimal)(text).filter(|x| range.accepts(*x)).ok_or_else(|| range.words.to_string())
        };
        match row.kind {
            Kind::Number { range, set, .. } => set(plan, number(range, text)?),
            Kind::Optional { set, .. } if text.is_empty() => set(plan, None),
            Kind::Optional { range, set, .. } => {
                set(plan, Some(number(range, text).map_err(|words| format!("{words}, or blank for none"))?));
            }
            Kind::Sizes { range } => {
                let sizes = text.split(',').map(|size| number(range, size.trim()).map(|x| x as u32));
                let sizes = sizes.collect::<Result<Vec<u32>, _>>().ok().filter(|sizes| sizes.len() <= MOST_LAYERS);
                plan.hidden = sizes.ok_or_else(|| {
                    let (least, most) = (range.least, range.most);
                    format!("one to {MOST_LAYERS} whole numbers from {least} to {most}, separated by commas, such as 500, 500")
                })?;
            }
            Kind::Choice { lines, set, .. } => {
                if !set(plan, text) {
                    return Err(joined(lines().iter().map(|line| line.name), ", "));
                }
            }
            Kind::Switch { set, .. } => match text {
                "yes" => set(plan, true),
                "no" => set(plan, false),
                _ => return Err("yes or no".into()),
            },
        }
        Ok(())
    }

    /// What a comparison of runs says about it or, if `all` is false, a summary, which leaves out the obvious; none if the run does not
    /// have it.
    pub fn said(self, plan: &RunPlan, all: bool) -> Option<String> {
        let (row, text) = (self.row(), self.text(plan));
        let unsaid = match row.said {
            Said::Always => false,
            Said::IfUnusual => text == self.text(&RunPlan::default()),
            Said::Never => true,
        };
        if row.says.0.is_empty() || !self.applies(plan) || unsaid && !all {
            return None;
        }
        let (with, without) = row.says;
        Some(match &row.kind {
            _ if !without.is_empty() && ["", "0", "no"].contains(&&*text) => without.into(),
            Kind::Choice { .. } if self == Self::Estimator => {
                plan.settings.estimator.kind.descriptor().title(&Self::K.text(plan))
            }
            Kind::Choice { lines, .. } => {
                let label = lines().into_iter().find(|line| line.name == text).map_or("", |line| line.label);
                with.replace('#', label)
            }
            Kind::Sizes { .. } => joined(&plan.hidden, "–"),
            _ => with.replace('#', &text),
        })
    }

    /// Accepts a number that a run, or anything else with such a setting, can have.
    ///
    /// # Errors
    /// [`DbmError::Setting`].
    pub(crate) fn check(self, value: f64) -> Result<(), DbmError> {
        let row = self.row();
        match row.kind {
            Kind::Number { range, .. } | Kind::Optional { range, .. } => {
                within(row.name, range.words, value, range.accepts(value))
            }
            Kind::Sizes { .. } | Kind::Choice { .. } | Kind::Switch { .. } => Ok(()),
        }
    }

    /// Accepts its value in a plan; sizes are checked by the model.
    ///
    /// # Errors
    /// [`DbmError::Setting`].
    pub(super) fn check_in(self, plan: &RunPlan) -> Result<(), DbmError> {
        match self.row().kind {
            Kind::Number { get, .. } => self.check(get(plan)),
            Kind::Optional { get, .. } => get(plan).map_or(Ok(()), |x| self.check(x)),
            Kind::Sizes { .. } | Kind::Choice { .. } | Kind::Switch { .. } => Ok(()),
        }
    }
}

fn joined<T: ToString>(all: impl IntoIterator<Item = T>, between: &str) -> String {
    all.into_iter().map(|one| one.to_string()).collect::<Vec<_>>().join(between)
}

impl EstimatorKind {
    /// Whether this estimator has such a setting.
    pub fn has(self, setting: Setting) -> bool {
        let of = setting.row().of;
        of.is_empty() || of.contains(&self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const HERE: Reading = Reading { decimal: |text| text.parse().ok(), in_page: false };
    const IN_PAGE: Reading = Reading { in_page: true, ..HERE };

    #[test]
    fn settings_are_told_apart() {
        for pick in [|words: Label| words.key, |words: Label| words.label, |words: Label| words.help] {
            let all: BTreeSet<&str> = Setting::ALL.into_iter().map(|setting| pick(setting.words())).collect();
            assert!(all.len() == Setting::ALL.len() && !all.contains(""), "{all:?}");
        }
        let options: Vec<_> = Setting::ALL.into_iter().filter_map(Setting::option).map(|(name, _)| name).collect();
        assert_eq!(options.iter().collect::<BTreeSet<_>>().len(), options.len());
        for (place, setting) in Setting::ALL.into_iter().enumerate() {
            assert_eq!(setting as usize, place);
            let is_typed = setting.lines().is_none() && !setting.is_switch();
            assert_eq!(setting.row().name.is_empty(), !is_typed, "{setting:?} has a name for errors where there are such");
        }
    }

    #[test]
    fn ranges_are_what_their_words_say() {
        for row in &ROWS {
            let (Kind::Number { range, .. } | Kind::Optional { range, .. } | Kind::Sizes { range }) = row.kind else { continue };
            for range in [range, row.in_page.unwrap_or(range)] {
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
        let mut plan = RunPlan {
            settings: crate::Settings { estimator: "cd".parse().unwrap(), ..Default::default() },
            ..Default::default()
        };
        assert!(Setting::K.write(&mut plan, "2000", HERE).is_ok() && Setting::K.write(&mut plan, "2000", IN_PAGE).is_err());
    }

    #[test]
    fn each_setting_is_written_where_it_is_read_and_nowhere_else() {
        let mut plan = RunPlan::default();
        // So that the run has nearly all settings.
        for (setting, text) in [(Setting::Start, "pretrained"), (Setting::Centered, "yes"), (Setting::Optimizer, "sgd")] {
            setting.write(&mut plan, text, HERE).unwrap();
        }
        let settled = [Setting::Start, Setting::Centered, Setting::Optimizer];
        for setting in Setting::ALL.into_iter().filter(|setting| !settled.contains(setting)) {
            let other = match setting.lines() {
                Some(lines) => lines[1].name.to_string(),
                None if setting.is_switch() => "no".into(),
                None if setting.is_list() => "3, 2".into(),
                None => {
                    ["0.5", "7"].into_iter().find(|text| setting.write(&mut plan.clone(), text, HERE).is_ok()).unwrap().into()
                }
            };
            let mut written = plan.clone();
            setting.write(&mut written, &other, IN_PAGE).unwrap();
            for any in Setting::ALL {
                let expected = if any == setting { other.clone() } else { any.text(&plan) };
                assert_eq!(any.text(&written), expected, "{any:?} after {setting:?}");
            }
            setting.write(&mut written, &setting.text(&plan), IN_PAGE).unwrap();
            assert_eq!(written, plan, "{setting:?}");
            assert!(setting.write(&mut written, "💥", HERE).is_err());
            assert_eq!(written, plan, "{setting:?}");
        }
    }

    #[test]
    fn estimators_have_the_sweeps_that_their_names_count() {
        for kind in EstimatorKind::ALL {
            assert_eq!(kind.descriptor().title("#7").contains("#7"), kind.has(Setting::K), "{kind:?}");
        }
    }

    #[test]
    fn what_a_run_does_not_have_is_not_said_of_it() {
        let plan = RunPlan::of_digits();
        let said = |all| -> Vec<String> { Setting::ALL.into_iter().filter_map(|setting| setting.said(&plan, all)).collect() };
        let text = said(false).join(", ");
        assert_eq!(
            text,
            "800–200, signs ±1, rate 0.001, 100 examples per step, seed 1, Adam, weight decay 0.0005, averaged with decay 0.99, conditional share 0.5, UCD-LMI, \
             start: orthogonal, marginalized"
        );
        assert!(said(true).contains(&"couplings cut at 100000".to_string()) && !said(true).contains(&"momentum 0".to_string()));
    }
}
