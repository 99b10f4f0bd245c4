//! What an estimator says of itself: its names, the settings it has, and the words of the page.

use super::EstimatorKind;
use crate::words::{Choice, Setting};

/// The cap on meeting of runs that never reach it.
pub(super) const NO_COUPLING_CAP: u32 = 100_000;

/// Words that depend on whether the model is so small that couplings last.
#[derive(Clone, Copy, Debug)]
pub struct IfSmall {
    /// For models of a few tens of units.
    pub small: &'static str,
    /// For all others.
    pub wide: &'static str,
}

impl IfSmall {
    /// The same words for all models.
    pub(super) const fn same(words: &'static str) -> Self {
        Self { small: words, wide: words }
    }
}

/// What plots of a run show of an estimator, or why they show nothing.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Beside the plot of meeting times.
    pub meeting: IfSmall,
    /// Beside the plot of search lengths.
    pub search: &'static str,
    /// Why there are no meeting times, where there are none.
    pub no_meeting: Option<&'static str>,
    /// Why the positive and the negative phase have no search lengths, where they have none.
    pub no_search: [Option<&'static str>; 2],
}

/// One estimator, as the program shows it and asks for it.
#[derive(Debug)]
pub struct EstimatorDescriptor {
    /// Its name in commands, files and addresses: `pcd-gibbs`.
    pub name: &'static str,
    /// Its name in a form: `PCD-k, Gibbs`.
    pub label: &'static str,
    /// Its name in a legend, with `{k}` where its number of sweeps belongs: `PCD-{k} with Gibbs`.
    pub title: &'static str,
    /// What it does, and whether its mean is the exact gradient, in a line or two.
    pub summary: &'static str,
    /// Whether its mean is the exact gradient, as long as no cap is reached.
    pub unbiased: bool,
    /// Whether chains live on from step to step.
    pub persistent: bool,
    /// Which settings it has.
    pub settings: &'static [Setting],
    /// What `dbm bias` lists of it.
    pub bias_rows: &'static [&'static str],
    /// A cap on meeting for a model of so many weights.
    pub suggested_max_meeting: fn(u64) -> u32,
    /// Words beside a run's plots.
    pub about: About,
}

impl EstimatorDescriptor {
    /// Its row in a form's choice among estimators.
    pub(super) const fn choice(&self, value: EstimatorKind) -> Choice<EstimatorKind> {
        Choice { value, name: self.name, label: self.label, help: self.summary }
    }

    /// Its name in a legend, for so many sweeps.
    pub fn title(&self, k: &str) -> String {
        self.title.replace("{k}", k)
    }
}

impl EstimatorKind {
    /// Its name in commands and files.
    pub fn name(self) -> &'static str {
        self.descriptor().name
    }

    /// Whether its mean is the exact gradient, as long as no cap is reached.
    pub fn is_unbiased(self) -> bool {
        self.descriptor().unbiased
    }

    /// Whether chains live on from step to step.
    pub fn is_persistent(self) -> bool {
        self.descriptor().persistent
    }

    /// Whether it has such a setting.
    pub fn has(self, setting: Setting) -> bool {
        self.descriptor().settings.contains(&setting)
    }

    /// Whether it runs `k` Gibbs sweeps.
    pub fn has_k(self) -> bool {
        self.has(Setting::K)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_is_named_and_called_biased_or_not_as_it_is() {
        let all = || EstimatorKind::ALL.map(EstimatorKind::descriptor).into_iter();
        assert_eq!(all().map(|its| its.name).collect::<BTreeSet<_>>().len(), EstimatorKind::ALL.len());
        assert_eq!(all().map(|its| its.label).collect::<BTreeSet<_>>().len(), EstimatorKind::ALL.len());
        for (kind, its) in EstimatorKind::ALL.into_iter().zip(all()) {
            assert_eq!(serde_json::to_string(&kind).unwrap(), format!("\"{}\"", its.name), "its name in files");
            assert_eq!(its.summary.starts_with("Unbiased"), its.unbiased, "{kind:?}");
            assert_eq!(its.summary.starts_with("Biased"), !its.unbiased, "{kind:?}");
            assert_eq!(its.about.no_meeting.is_none(), kind.has(Setting::MaxMeeting), "{kind:?}");
            assert_eq!(its.title.contains("{k}"), kind.has_k(), "{kind:?}");
            assert!(!its.bias_rows.is_empty() && its.bias_rows.iter().all(|row| row.starts_with(its.name)), "{kind:?}");
        }
    }

    #[test]
    fn that_a_cut_coupling_biases_is_said_where_couplings_are_cut() {
        for kind in EstimatorKind::ALL.into_iter().filter(|kind| (kind.descriptor().suggested_max_meeting)(1) < NO_COUPLING_CAP) {
            let IfSmall { small, wide } = kind.descriptor().about.meeting;
            assert!([small, wide].iter().all(|words| words.contains("cut, which biases")), "{kind:?}");
        }
    }
}
