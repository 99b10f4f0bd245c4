//! The settings form as keys of the address, only what differs from what suits the data.

use super::Draft;
use crate::ui::binding::Keys;
use dbm_core::words::Setting;

impl Draft {
    /// Writes the keys of what differs from `base`; what the chosen run does not have is left out.
    pub fn write(&self, keys: &mut Keys, base: &Self) {
        keys.put_choice(self.units, base.units);
        keys.put_choice(self.estimator, base.estimator);
        keys.put_choice(self.start, base.start);
        keys.put_choice(self.method, base.method);
        if self.is_masked() {
            keys.put_choice(self.masks, base.masks);
        }
        if self.has_particles() {
            keys.put_choice(self.path, base.path);
        }
        let yes_or_no = |on: bool| if on { "yes" } else { "no" };
        keys.put_unless("centered", &yes_or_no(self.centered), &yes_or_no(base.centered));
        keys.put_unless("marginalized", &yes_or_no(self.marginalize), &yes_or_no(base.marginalize));
        for setting in Setting::ALL {
            if self.applies(setting) && self.text(setting) != base.text(setting) {
                keys.put(setting.words().key, self.text(setting).replace(", ", ","));
            }
        }
    }

    /// This form with what the keys say; words that mean nothing are passed over, and what is typed in fields is checked there.
    pub fn with(mut self, keys: &Keys) -> Self {
        let switch = |key, usual| match keys.get(key) {
            Some("yes") => true,
            Some("no") => false,
            _ => usual,
        };
        (self.centered, self.marginalize) = (switch("centered", self.centered), switch("marginalized", self.marginalize));
        self.units = keys.choice().unwrap_or(self.units);
        self.start = keys.choice().unwrap_or(self.start);
        self.method = keys.choice().unwrap_or(self.method);
        self.masks = keys.choice().unwrap_or(self.masks);
        self.path = keys.choice().unwrap_or(self.path);
        self.estimator = keys.choice().unwrap_or(self.estimator);
        for setting in Setting::ALL {
            if let Some(text) = keys.get(setting.words().key) {
                self.set(setting, if setting == Setting::Hidden { text.replace(',', ", ") } else { text.into() });
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbm_core::gradient::EstimatorKind;
    use dbm_core::mask::Masks;
    use dbm_core::words::StartKind;
    use dbm_core::{OptimizerMethod, Units};

    #[test]
    fn what_differs_travels_and_comes_back() {
        let base = Draft::bars();
        let written = |draft: &Draft| {
            let mut keys = Keys::default();
            draft.write(&mut keys, &base);
            keys
        };
        assert!(written(&base).is_empty());
        let mut draft = base.clone();
        draft.units = Units::Bits;
        draft.start = StartKind::Gaussian;
        draft.method = OptimizerMethod::Sgd;
        draft.centered = true;
        draft.marginalize = false;
        draft.choose_estimator(EstimatorKind::PcdGibbs, 16);
        draft.set(Setting::Hidden, "6, 3".into());
        draft.set(Setting::Seed, "77".into());
        draft.set(Setting::Momentum, "0.9".into());
        draft.set(Setting::RateDecay, "400".into());
        let keys = written(&draft);
        assert_eq!((keys.get("hidden"), keys.get("estimator")), (Some("6,3"), Some("pcd-gibbs")));
        assert_eq!(base.clone().with(&keys), draft);
        // What the run does not have does not travel: masks without a share to mask, sweeps from a mode without a search.
        draft.masks = Masks::Boxes;
        draft.set(Setting::ModeSweeps, "50".into());
        assert_eq!(written(&draft), keys);
        draft.choose_estimator(EstimatorKind::Lmi, 16);
        draft.set(Setting::Conditional, "0.25".into());
        let keys = written(&draft);
        assert_eq!((keys.get("masks"), keys.get("mode-sweeps")), (Some("boxes"), Some("50")));
        assert_eq!(base.clone().with(&keys), draft);
    }

    #[test]
    fn nonsense_is_passed_over_or_left_to_the_form() {
        let chosen = ["units", "estimator", "start", "optimizer", "centered", "marginalized", "masks"];
        let all = chosen.into_iter().chain(Setting::ALL.map(|setting| setting.words().key));
        let draft = Draft::digits().with(&all.map(|key| (key, "💥")).collect());
        assert_eq!((draft.units, draft.estimator()), (Units::Signs, EstimatorKind::UcdLmi));
        assert!(draft.plan().is_none() && draft.problem(Setting::Seed).is_some());
    }
}
