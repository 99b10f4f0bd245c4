//! The settings form as keys of the address, only what differs from what suits the data.

use super::Draft;
use dbm_core::words::{Choose, Setting};

impl Draft {
    /// Keys, without a prefix, and values of what differs from `base`; what the chosen run does not have is left out.
    pub fn pairs(&self, base: &Self) -> Vec<(&'static str, String)> {
        let mut pairs = Vec::new();
        let mut put = |key, differs: bool, value: &str| {
            if differs {
                pairs.push((key, value.to_string()));
            }
        };
        put("units", self.units != base.units, self.units.choice().name);
        put("estimator", self.estimator != base.estimator, self.estimator.name());
        put("start", self.start != base.start, self.start.choice().name);
        put("optimizer", self.method != base.method, self.method.choice().name);
        put("centered", self.centered != base.centered, yes_or_no(self.centered));
        put("marginalized", self.marginalize != base.marginalize, yes_or_no(self.marginalize));
        for setting in Setting::ALL {
            let differs = self.applies(setting) && self.text(setting) != base.text(setting);
            put(setting.words().key, differs, &self.text(setting).replace(", ", ","));
        }
        pairs
    }

    /// This form with what `get` has for any key; words that mean nothing are passed over, and what is typed in fields is checked there.
    pub fn with(mut self, get: impl Fn(&str) -> Option<String>) -> Self {
        let switch = |key, usual| match get(key).as_deref() {
            Some("yes") => true,
            Some("no") => false,
            _ => usual,
        };
        (self.centered, self.marginalize) = (switch("centered", self.centered), switch("marginalized", self.marginalize));
        choose(&mut self.units, &get);
        choose(&mut self.start, &get);
        choose(&mut self.method, &get);
        choose(&mut self.estimator, &get);
        for setting in Setting::ALL {
            if let Some(text) = get(setting.words().key) {
                self.set(setting, if setting == Setting::Hidden { text.replace(',', ", ") } else { text });
            }
        }
        self
    }
}

fn yes_or_no(on: bool) -> &'static str {
    if on { "yes" } else { "no" }
}

fn choose<T: Choose>(value: &mut T, get: impl Fn(&str) -> Option<String>) {
    if let Some(chosen) = get(T::WORDS.key).and_then(|name| T::named(&name)) {
        *value = chosen;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbm_core::gradient::EstimatorKind;
    use dbm_core::words::StartKind;
    use dbm_core::{OptimizerMethod, Units};

    #[test]
    fn what_differs_travels_and_comes_back() {
        let base = Draft::bars();
        assert_eq!(base.pairs(&base), []);
        let mut draft = base.clone();
        draft.units = Units::Bits;
        draft.start = StartKind::Gaussian;
        draft.method = OptimizerMethod::Sgd;
        draft.centered = true;
        draft.marginalize = false;
        draft.choose_estimator(EstimatorKind::PcdGibbs, 16);
        draft.set(Setting::Hidden, "6, 3".into());
        draft.set(Setting::Seed, "77".into());
        let pairs = draft.pairs(&base);
        assert!(pairs.contains(&("hidden", "6,3".into())) && pairs.contains(&("estimator", "pcd-gibbs".into())), "{pairs:?}");
        let again = base.with(|key| pairs.iter().find(|(name, _)| *name == key).map(|(_, value)| value.clone()));
        assert_eq!(again, draft);
    }

    #[test]
    fn nonsense_is_passed_over_or_left_to_the_form() {
        let draft = Draft::digits().with(|_| Some("💥".into()));
        assert_eq!((draft.units, draft.estimator()), (Units::Signs, EstimatorKind::UcdLmi));
        assert!(draft.plan().is_none() && draft.problem(Setting::Seed).is_some());
    }
}
