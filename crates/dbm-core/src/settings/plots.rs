//! Words next to the plots of a run.

use super::estimator::EstimatorKind;
use super::table::Setting;

const PLOTS: &str = include_str!("plots.txt");

impl EstimatorKind {
    /// The words for a place next to the plots of this estimator's runs, either its own or the general ones. The places are `meeting`,
    /// `meeting on a small model`, `search`, and, for reasons why there is nothing to plot, `no meeting`, `no positive search` and
    /// `no negative search`. `None` if there are no words.
    pub fn words_of_plots(self, place: &str) -> Option<&'static str> {
        let words = |name: &str| {
            let (_, own) = PLOTS.split_once(&format!("[{name}]\n"))?;
            let mut lines = own.lines().take_while(|line| !line.starts_with('['));
            lines.find_map(|line| line.strip_prefix(place)?.strip_prefix(": "))
        };
        let is_plotted = match place {
            "no meeting" => self.has(Setting::MaxMeeting),
            "no positive search" => self.has(Setting::MaxSweeps) || self.has(Setting::MeanFieldSweeps),
            "no negative search" => self.has(Setting::MaxSweeps),
            _ => false,
        };
        words(self.name()).or_else(|| words("any")).filter(|_| !is_plotted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_estimator_has_words_or_says_why_it_plots_nothing() {
        for kind in EstimatorKind::ALL {
            assert!(["meeting", "search"].iter().all(|place| kind.words_of_plots(place).is_some()), "{kind:?}");
            assert_eq!(kind.words_of_plots("no meeting").is_none(), kind.has(Setting::MaxMeeting), "{kind:?}");
        }
    }

    #[test]
    fn that_a_cut_coupling_biases_is_said_where_couplings_are_cut() {
        let uncut = (EstimatorKind::Cd.descriptor().suggested_max_meeting)(1);
        for kind in EstimatorKind::ALL.into_iter().filter(|kind| (kind.descriptor().suggested_max_meeting)(1) < uncut) {
            let places = ["meeting", "meeting on a small model"];
            assert!(
                places.iter().filter_map(|place| kind.words_of_plots(place)).all(|words| words.contains("cut, which biases"))
            );
        }
    }
}
