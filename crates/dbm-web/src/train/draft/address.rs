//! The settings form as keys of the address, only what differs from what suits the data.

use super::{Draft, Field, StartKind};
use dbm_core::gradient::EstimatorKind;
use dbm_core::{OptimizerMethod, Units};

const UNITS: [(&str, Units); 2] = [("signs", Units::Signs), ("bits", Units::Bits)];
const METHODS: [(&str, OptimizerMethod); 3] =
    [("adam", OptimizerMethod::Adam), ("sgd", OptimizerMethod::Sgd), ("amsgrad", OptimizerMethod::AmsGrad)];
const STARTS: [(&str, StartKind); 3] =
    [("orthogonal", StartKind::Orthogonal), ("gaussian", StartKind::Gaussian), ("pretrained", StartKind::Pretrained)];
const SWITCH: [(&str, bool); 2] = [("no", false), ("yes", true)];

impl Field {
    /// As the address has it.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Hidden => "hidden",
            Self::Rate => "rate",
            Self::Batch => "batch",
            Self::Seed => "seed",
            Self::WeightDecay => "decay",
            Self::Average => "average",
            Self::Conditional => "conditional",
            Self::MaxSweeps => "sweeps",
            Self::MaxMeeting => "meeting",
            Self::K => "k",
            Self::MaxTries => "tries",
            Self::MeanFieldSweeps => "field-sweeps",
            Self::CenteringRate => "centering-rate",
            Self::PretrainingSteps => "pretraining",
            Self::PretrainingRate => "pretraining-rate",
        }
    }
}

impl Draft {
    /// Keys, without a prefix, and values of what differs from `base`; what the chosen run does not have is left out.
    pub fn pairs(&self, base: &Self) -> Vec<(&'static str, String)> {
        let mut pairs = Vec::new();
        let mut put = |key, differs: bool, value: &str| {
            if differs {
                pairs.push((key, value.to_string()));
            }
        };
        put("units", self.units != base.units, word(&UNITS, self.units));
        put("estimator", self.estimator != base.estimator, self.estimator.name());
        put("start", self.start != base.start, word(&STARTS, self.start));
        put("optimizer", self.method != base.method, word(&METHODS, self.method));
        put("centered", self.centered != base.centered, word(&SWITCH, self.centered));
        put("marginalized", self.marginalize != base.marginalize, word(&SWITCH, self.marginalize));
        for field in Field::ALL {
            let differs = self.applies(field) && self.text(field) != base.text(field);
            put(field.key(), differs, &self.text(field).replace(", ", ","));
        }
        pairs
    }

    /// This form with what `get` has for any key; words that mean nothing are passed over, and what is typed in fields is checked there.
    pub fn with(mut self, get: impl Fn(&str) -> Option<String>) -> Self {
        let named = |key| get(key).unwrap_or_default();
        choose(&mut self.units, &UNITS, &named("units"));
        choose(&mut self.start, &STARTS, &named("start"));
        choose(&mut self.method, &METHODS, &named("optimizer"));
        choose(&mut self.centered, &SWITCH, &named("centered"));
        choose(&mut self.marginalize, &SWITCH, &named("marginalized"));
        let estimator = named("estimator");
        if let Some(kind) = EstimatorKind::ALL.into_iter().find(|kind| kind.name() == estimator) {
            self.estimator = kind;
        }
        for field in Field::ALL {
            if let Some(text) = get(field.key()) {
                self.set(field, if field == Field::Hidden { text.replace(',', ", ") } else { text });
            }
        }
        self
    }
}

fn word<T: Copy + PartialEq>(words: &[(&'static str, T)], value: T) -> &'static str {
    words.iter().find(|(_, of)| *of == value).map_or("", |(word, _)| word)
}

fn choose<T: Copy>(value: &mut T, words: &[(&str, T)], text: &str) {
    if let Some((_, chosen)) = words.iter().find(|(word, _)| *word == text) {
        *value = *chosen;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        draft.set(Field::Hidden, "6, 3".into());
        draft.set(Field::Seed, "77".into());
        let pairs = draft.pairs(&base);
        assert!(pairs.contains(&("hidden", "6,3".into())) && pairs.contains(&("estimator", "pcd-gibbs".into())), "{pairs:?}");
        let again = base.with(|key| pairs.iter().find(|(name, _)| *name == key).map(|(_, value)| value.clone()));
        assert_eq!(again, draft);
    }

    #[test]
    fn nonsense_is_passed_over_or_left_to_the_form() {
        let draft = Draft::digits().with(|_| Some("💥".into()));
        assert_eq!((draft.units, draft.estimator()), (Units::Signs, EstimatorKind::UcdLmi));
        assert!(draft.plan().is_none() && draft.problem(Field::Seed).is_some());
    }
}
