//! The estimators: the table of their names and words, and a run's estimator settings, which also have a text form: `ucd-lmi`, `cd-5`,
//! `centered-pcd-1`.
//!
//! Separate from the computation ([`crate::gradient`]), so that the page, which reads only words, need not carry the mathematics.

use crate::DbmError;
use crate::mean_field::MeanFieldSettings;
use crate::words::{Choice, Choose, Label, choices, words};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

/// The most Gibbs sweeps of each chain per step.
pub const MOST_SWEEPS: u32 = 100_000;

/// The cap on meeting for estimators that never reach it.
const NO_COUPLING_CAP: u32 = 100_000;

/// One estimator, as the program presents it.
#[derive(Debug)]
pub struct EstimatorDescriptor {
    /// Its name in commands, files and addresses: `pcd-gibbs`.
    pub name: &'static str,
    /// Its name in a form: `PCD-k, Gibbs`.
    pub label: &'static str,
    /// Its name in a legend, with `{k}` in place of the number of sweeps: `PCD-{k} with Gibbs`.
    title: &'static str,
    /// What it does, and whether its mean is the exact gradient, in a line or two.
    pub summary: &'static str,
    /// Whether its mean is the exact gradient, as long as no cap is reached.
    pub unbiased: bool,
    /// Whether chains live on from step to step.
    pub persistent: bool,
    /// Whether it climbs a ladder of the run's own past, and so must begin near independent units.
    pub has_ladder: bool,
    /// The rows that `dbm bias` lists for it.
    pub bias_rows: &'static [&'static str],
    /// A cap on meeting for a model with this many weights.
    pub suggested_max_meeting: fn(u64) -> u32,
}

/// The values that most descriptors share.
const BIASED: EstimatorDescriptor = EstimatorDescriptor {
    name: "",
    label: "",
    title: "",
    summary: "",
    unbiased: false,
    persistent: false,
    has_ladder: false,
    bias_rows: &[],
    suggested_max_meeting: |_| NO_COUPLING_CAP,
};

impl EstimatorDescriptor {
    /// Its entry in a form's list of estimators.
    const fn choice(&self, value: EstimatorKind) -> Choice<EstimatorKind> {
        Choice { value, name: self.name, label: self.label, help: self.summary }
    }

    /// Whether its name takes a number of sweeps: `cd-5`.
    fn counts_sweeps(&self) -> bool {
        self.title.contains("{k}")
    }

    /// Its name in a legend, for this number of sweeps.
    pub fn title(&self, k: &str) -> String {
        self.title.replace("{k}", k)
    }
}

/// Makes [`EstimatorKind`] from a list of kinds and their descriptors.
macro_rules! estimators {
    ($($(#[$doc:meta])* $kind:ident = $descriptor:expr;)+) => {
        /// Every estimator of the gradient, the unbiased ones first.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum EstimatorKind { $($(#[$doc])* $kind),+ }

        impl EstimatorKind {
            /// All estimators.
            pub const ALL: [Self; [$(Self::$kind),+].len()] = [$(Self::$kind),+];

            const ROWS: &[Choice<Self>] = &[$(DESCRIPTORS[Self::$kind as usize].choice(Self::$kind)),+];
        }

        static DESCRIPTORS: [EstimatorDescriptor; EstimatorKind::ALL.len()] = [$($descriptor),+];
    };
}

// The table of estimators, from which the following are made: names and their parsing, settings, `dbm bias`, the page's form and help. New
// ones are appended, so that messages keep their numbers.
estimators! {
    /// Local mode, one Gibbs sweep, coupled Metropolis chains: unbiased.
    #[default]
    UcdLmi = EstimatorDescriptor {
        name: "ucd-lmi",
        label: "UCD-LMI",
        title: "UCD-LMI",
        summary: "Unbiased: starts in a local mode; two coupled chains correct the error of that.",
        unbiased: true,
        bias_rows: &["ucd-lmi"],
        ..BIASED
    };
    /// Coupled Metropolis chains from a uniform start: unbiased.
    UcdMh = EstimatorDescriptor {
        name: "ucd-mh",
        label: "UCD-MH, no search",
        title: "UCD-MH",
        summary: "Unbiased, but very noisy: coupled chains from random states, without the search.",
        unbiased: true,
        bias_rows: &["ucd-mh"],
        suggested_max_meeting: |_| 1000, // the chains occasionally meet late
        ..BIASED
    };
    /// Coupled Gibbs chains from a uniform start: unbiased.
    UcdGibbs = EstimatorDescriptor {
        name: "ucd-gibbs",
        label: "UCD-Gibbs, Gibbs coupling",
        title: "UCD-Gibbs",
        summary: "Unbiased unless cut: coupled Gibbs chains from random states, which rarely meet on wide models.",
        unbiased: true,
        bias_rows: &["ucd-gibbs"],
        // In a wide model the chains hardly ever meet, and each of their steps takes time in proportion to the number of parameters. The
        // cap limits a shard of a gradient step, which a worker computes in one piece, to a few seconds.
        suggested_max_meeting: |weights| match weights {
            ..=10_000 => 1000,
            10_001..=100_000 => 100,
            _ => 10,
        },
        ..BIASED
    };
    /// Local mode and one Gibbs sweep, no coupling: biased.
    Lmi = EstimatorDescriptor {
        name: "lmi",
        label: "LMI, no coupling",
        title: "LMI, no coupling",
        summary: "Biased: UCD-LMI without its correction. On wide models the two give the same numbers.",
        bias_rows: &["lmi"],
        ..BIASED
    };
    /// Contrastive divergence: biased.
    Cd = EstimatorDescriptor {
        name: "cd",
        label: "CD-k",
        title: "CD-{k}",
        summary: "Biased: a few Gibbs sweeps away from the data, as RBMs are usually trained.",
        bias_rows: &["cd-1", "cd-10"],
        ..BIASED
    };
    /// Persistent chains, mean-field positive phase: biased.
    Pcd = EstimatorDescriptor {
        name: "pcd",
        label: "PCD-k, mean field",
        title: "PCD-{k}",
        summary: "Biased: how DBMs were trained before. Mean field for the data; free chains persist from step to step.",
        persistent: true,
        bias_rows: &["pcd-1"],
        ..BIASED
    };
    /// Persistent chains, Gibbs positive phase: biased.
    PcdGibbs = EstimatorDescriptor {
        name: "pcd-gibbs",
        label: "PCD-k, Gibbs",
        title: "PCD-{k} with Gibbs",
        summary: "Biased: free chains persist from step to step; Gibbs sweeps for the data as well.",
        persistent: true,
        bias_rows: &["pcd-gibbs-1"],
        ..BIASED
    };
    /// Persistent chains at every rung of the run's own past, exchanged: biased.
    Ptt = EstimatorDescriptor {
        name: "ptt",
        label: "PTT-k, parallel trajectory tempering",
        title: "PTT-{k}",
        summary: "Biased, but hardly if rungs are close: persistent chains swap states with chains of the run’s earlier models, down to independent units.",
        persistent: true,
        has_ladder: true,
        bias_rows: &["ptt-1"],
        ..BIASED
    };
    /// Coupled chains of particle runs: unbiased.
    UcdSmc = EstimatorDescriptor {
        name: "ucd-smc",
        label: "UCD-SMC, coupled particles",
        title: "UCD-SMC",
        summary: "Unbiased at any size: two coupled chains whose states are runs of weighted particles; later runs correct the error of the first.",
        unbiased: true,
        has_ladder: true,
        bias_rows: &["ucd-smc"],
        // Each step of a coupling is a full run.
        suggested_max_meeting: |_| 100,
        ..BIASED
    };
    /// Mean-field predictions for masked examples: not a gradient of the likelihood.
    Mp = EstimatorDescriptor {
        name: "mp",
        label: "MP-k, multi-prediction",
        title: "MP-{k}",
        summary: "Biased, with another aim: a few mean-field sweeps should predict the hidden part of each example. Good at completing and classifying, not at sampling.",
        bias_rows: &["mp-5"],
        ..BIASED
    };
    /// The pseudo-likelihood of each cell given the others: not a gradient of the likelihood.
    Pl = EstimatorDescriptor {
        name: "pl",
        label: "PL, pseudo-likelihood",
        title: "PL",
        summary: "Biased, with another aim: each cell should be predicted from all the others. Exact with one hidden layer, without any chain; good at filling gaps.",
        bias_rows: &["pl"],
        ..BIASED
    };
    /// Coupled persistent chains at every rung of the run's own past: unbiased.
    UcdPtt = EstimatorDescriptor {
        name: "ucd-ptt",
        label: "UCD-PTT-k, coupled ladders",
        title: "UCD-PTT-{k}",
        summary: "Unbiased: PTT, corrected by a second ladder that makes the same draws until both are equal. Fast where ladders are short.",
        unbiased: true,
        persistent: true,
        has_ladder: true,
        bias_rows: &["ucd-ptt-1"],
        // Each step of a coupling is a round over both ladders.
        suggested_max_meeting: |_| 1000,
    };
}

choices! {
    /// The path of the particles of [`EstimatorKind::UcdSmc`], from independent units to the model.
    #[derive(Default, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum SmcPath = words("path", "Path", "What the particles follow from independent units to the model.");
    /// The model at rising inverse temperatures, which the run moves after each step to where every step of the path is equally far.
    #[default]
    Temperatures = "temperatures", "temperatures",
        "The model itself at rising inverse temperatures: first in equal steps, then spaced as earlier steps of the run found best.";
    Past = "past", "the run's own past",
        "The run’s earlier models: no step is far, even where temperatures freeze everything at once.";
}

impl EstimatorKind {
    /// Its descriptor.
    pub fn descriptor(self) -> &'static EstimatorDescriptor {
        &DESCRIPTORS[self as usize]
    }

    /// Its name in commands and files.
    pub fn name(self) -> &'static str {
        self.descriptor().name
    }

    /// Whether its mean is the exact gradient, as long as no cap is reached.
    pub fn is_unbiased(self) -> bool {
        self.descriptor().unbiased
    }
}

impl Choose for EstimatorKind {
    const WORDS: Label = Label {
        key: "estimator",
        label: "Estimator",
        hint: "",
        help: "How a step estimates the gradient of the log-likelihood. Unbiased: its mean is the exact gradient.",
    };
    const CHOICES: &'static [Choice<Self>] = Self::ROWS;
}

/// An estimator's kind, with settings that only some kinds have.
///
/// Its text form is `[centered-]NAME[-K]`: `K` Gibbs sweeps for `cd`, `pcd` and `pcd-gibbs`, 1 if left out.
///
/// ```
/// use dbm_core::gradient::{EstimatorKind, EstimatorSettings};
/// let settings: EstimatorSettings = "centered-pcd-5".parse()?;
/// assert_eq!((settings.kind, settings.k, settings.centering.is_some()), (EstimatorKind::Pcd, 5, true));
/// assert_eq!(settings.to_string(), "centered-pcd-5");
/// assert!("ucd-lmi-5".parse::<EstimatorSettings>().is_err());
/// # Ok::<(), dbm_core::DbmError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EstimatorSettings {
    /// The estimator of the gradient.
    pub kind: EstimatorKind,
    /// Gibbs sweeps of `cd`, `pcd`, `pcd-gibbs`, `ptt` and `ucd-ptt`; ignored by the others.
    pub k: u32,
    /// `ucd-lmi` and `lmi`: Gibbs sweeps from the mode to x_0; the paper's is 1 (section 3.3). The coupled estimate is unbiased for any
    /// number.
    pub mode_sweeps: u32,
    /// `ucd-gibbs`: tries of one draw from a residual distribution, after which the last try is used, which causes bias and is counted.
    pub max_tries: u32,
    /// `pcd`: sweeps of the mean-field iteration, after which its last iterate is used and counted.
    pub mean_field_sweeps: u32,
    /// `pcd`: the iteration stops when no probability moves by more than this in a sweep.
    pub mean_field_tolerance: f64,
    /// `ptt`: steps from one round over the full ladder to the next.
    pub ladder_every: u32,
    /// `ucd-smc`: particles of a free run.
    pub particles: u32,
    /// `ucd-smc`: temperatures from independent units to the model, if the path is one of temperatures.
    pub smc_steps: u32,
    /// `ucd-smc`: the path of free particles.
    pub path: SmcPath,
    /// `ucd-smc` and `ucd-ptt`: k, the first time of the coupled chains in the average.
    pub average_from: u32,
    /// `ucd-smc` and `ucd-ptt`: m, the last time in the average.
    pub average_to: u32,
    /// Trains in the centered parametrization, whose offsets follow the data-dependent means at this rate, in `(0, 1]`.
    pub centering: Option<f64>,
}

/// The rate of the offsets if only "centered" is given.
pub const CENTERING_RATE: f64 = 0.01;

impl Default for EstimatorSettings {
    fn default() -> Self {
        Self {
            kind: EstimatorKind::default(),
            k: 1,
            mode_sweeps: 1,
            max_tries: 10_000,
            mean_field_sweeps: 100,
            mean_field_tolerance: 1e-4,
            ladder_every: 10,
            particles: 100,
            smc_steps: 50,
            path: SmcPath::default(),
            average_from: 0,
            average_to: 0,
            centering: None,
        }
    }
}

impl EstimatorSettings {
    /// The settings of this kind, with defaults for the rest.
    pub fn new(kind: EstimatorKind) -> Self {
        Self { kind, ..Self::default() }
    }

    /// When mean-field iterations of `pcd` stop.
    pub(crate) fn mean_field(&self) -> MeanFieldSettings {
        MeanFieldSettings { max_sweeps: self.mean_field_sweeps, tolerance: self.mean_field_tolerance }
    }
}

impl fmt::Display for EstimatorSettings {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let centered = if self.centering.is_some() { "centered-" } else { "" };
        write!(f, "{centered}{}", self.kind.name())?;
        if self.kind.descriptor().counts_sweeps() { write!(f, "-{}", self.k) } else { Ok(()) }
    }
}

/// All names, as they are parsed: `ucd-lmi, ..., cd-K or pcd-K, or one of these with centered- before it`.
static NAMES: LazyLock<String> = LazyLock::new(|| {
    let names =
        EstimatorKind::ALL.map(|kind| format!("{}{}", kind.name(), if kind.descriptor().counts_sweeps() { "-K" } else { "" }));
    let (last, others) = names.split_last().expect("there are estimators");
    format!("{} or {last}, or one of these with centered- before it", others.join(", "))
});

impl FromStr for EstimatorSettings {
    type Err = DbmError;

    fn from_str(text: &str) -> Result<Self, DbmError> {
        let refuse = || DbmError::Setting { name: "estimator", expected: &NAMES, got: format!("{text:?}") };
        let (name, centering) = match text.strip_prefix("centered-") {
            Some(rest) => (rest, Some(CENTERING_RATE)),
            None => (text, None),
        };
        let (kind, k) = if let Some(kind) = EstimatorKind::named(name) {
            (kind, 1)
        } else {
            let (name, k) = name.rsplit_once('-').ok_or_else(refuse)?;
            let kind = EstimatorKind::named(name).filter(|kind| kind.descriptor().counts_sweeps()).ok_or_else(refuse)?;
            (kind, k.parse().map_err(|_| refuse())?)
        };
        if !(1..=MOST_SWEEPS).contains(&k) {
            return Err(DbmError::Setting { name: "k", expected: "a whole number from 1 to 100000", got: k.to_string() });
        }
        Ok(Self { kind, k, centering, ..Self::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back_and_nonsense_is_refused() {
        for kind in EstimatorKind::ALL {
            for centering in [None, Some(CENTERING_RATE)] {
                let k = if kind.descriptor().counts_sweeps() { 7 } else { 1 };
                let settings = EstimatorSettings { k, centering, ..EstimatorSettings::new(kind) };
                assert_eq!(settings.to_string().parse(), Ok(settings));
            }
        }
        for nonsense in ["", "cd-", "cd-0", "cd--1", "ucd", "lmi-3", "centered", "cd-1.5", "cd-99999999999", "-1"] {
            assert!(nonsense.parse::<EstimatorSettings>().is_err(), "{nonsense}");
        }
    }

    #[test]
    fn each_is_named_and_called_biased_or_not_as_it_is() {
        for (kind, its) in EstimatorKind::ALL.map(|kind| (kind, kind.descriptor())) {
            assert_eq!(serde_json::to_string(&kind).unwrap(), format!("\"{}\"", its.name), "its name in files");
            assert_eq!(its.summary.starts_with("Unbiased"), its.unbiased, "{kind:?}");
            assert_eq!(its.summary.starts_with("Biased"), !its.unbiased, "{kind:?}");
            assert_eq!(its.title.contains("{k}"), kind.descriptor().counts_sweeps(), "{kind:?}");
            assert!(!its.bias_rows.is_empty() && its.bias_rows.iter().all(|row| row.starts_with(its.name)), "{kind:?}");
        }
    }
}
