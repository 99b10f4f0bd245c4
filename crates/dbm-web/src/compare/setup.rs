//! What is compared: run A as the Train form describes it, run B with its differences, as keys of the address.
//!
//! `t.data` and the other keys of Train give the base. `x.preset` names a comparison, whose settings for both runs replace the
//! form's unless `x.base=form`. `x.units`, `x.rate` and so on are run B's own. `x.to` is the step to train to; `x.go` is the
//! same, but training starts at once.

use super::presets::{Preset, named};
use crate::settings::{Draft, ForData};
use crate::ui::binding::Keys;
use dbm_core::settings::Setting;
use dbm_protocol::DataSource;

/// The farthest step that can be requested.
pub const FARTHEST: u32 = 1_000_000;
/// The step to train to by default.
const TARGET: u32 = 500;

/// What the address says about the comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// A comparison of the list.
    pub preset: Option<&'static Preset>,
    /// Whether both runs use the form's settings even if the comparison has its own.
    pub form: bool,
    /// Additional settings of run B, key by key.
    pub own: Keys,
    /// The step to train to.
    pub target: u32,
    /// Whether to start training at once.
    pub go: bool,
}

impl Setup {
    /// A comparison of the list, unchanged.
    pub fn of(preset: &'static Preset) -> Self {
        Self { preset: Some(preset), form: false, own: Keys::default(), target: preset.steps, go: true }
    }

    fn suggested(preset: Option<&'static Preset>) -> u32 {
        preset.map_or(TARGET, |preset| preset.steps)
    }

    /// Reads these keys of the address; invalid ones are ignored.
    pub fn read(keys: &Keys) -> Self {
        let preset = keys.get("preset").and_then(named);
        let step = |key| keys.parse(key).filter(|step| (1..=FARTHEST).contains(step));
        let go = step("go");
        Self {
            preset,
            form: keys.get("base") == Some("form"),
            own: keys.iter().filter(|(key, _)| !["preset", "base", "to", "go"].contains(key)).collect(),
            target: go.or(step("to")).unwrap_or_else(|| Self::suggested(preset)),
            go: go.is_some(),
        }
    }

    /// The keys that describe it.
    pub fn keys(&self) -> Keys {
        let mut keys = Keys::default();
        if let Some(preset) = self.preset {
            keys.put("preset", preset.key);
        }
        if self.form {
            keys.put("base", "form");
        }
        for (key, value) in self.own.iter() {
            keys.put(key, value);
        }
        if self.go {
            keys.put("go", self.target);
        } else {
            keys.put_unless("to", &self.target, &Self::suggested(self.preset));
        }
        keys
    }

    /// The settings of run A on these data, given the settings that suit them.
    pub fn base(&self, suited: Draft, form: &Keys, data: ForData) -> Draft {
        let base = with(suited, form, data);
        match self.preset.filter(|_| !self.form) {
            Some(preset) => with(base, &preset.both, data),
            None => base,
        }
    }

    /// The settings of run B as the list's comparison defines them.
    pub fn listed(&self, base: &Draft, data: ForData) -> Draft {
        self.preset.map_or_else(|| base.clone(), |preset| with(base.clone(), &preset.other, data))
    }

    /// The settings of run B, with all differences.
    pub fn other(&self, base: &Draft, data: ForData) -> Draft {
        with(self.listed(base, data), &self.own, data)
    }

    /// Makes run B's settings these.
    pub fn differ(&mut self, base: &Draft, other: &Draft, data: ForData) {
        let mut own = Keys::default();
        other.write(&mut own, &self.listed(base, data));
        self.own = own;
    }
}

/// A draft with these keys applied; a change of estimator brings the cap on couplings that suits it.
fn with(mut draft: Draft, keys: &Keys, data: ForData) -> Draft {
    // The sizes come first: suggestions depend on them.
    for setting in [Setting::Hidden, Setting::Estimator] {
        let own = keys.get(setting.words().key).map(|text| (setting.words().key, text));
        let changed = draft.clone().with(&own.into_iter().collect());
        let text = changed.text(setting).to_string();
        draft.change(setting, text, data);
    }
    draft.with(keys)
}

/// What is known about these data.
pub fn for_data(data: &DataSource) -> ForData {
    match data {
        DataSource::Digits { .. } => ForData { visible: 784, is_picture: true },
        DataSource::Bars => ForData { visible: 16, is_picture: true },
        DataSource::Examples(data) => ForData { visible: data.width, is_picture: data.image.is_some() },
    }
}

/// All settings, the most telling one first.
fn by_weight() -> impl Iterator<Item = Setting> {
    let others = Setting::ALL.into_iter().filter(|setting| *setting != Setting::Estimator);
    std::iter::once(Setting::Estimator).chain(others)
}

/// A run's settings in about a sentence; caps and the most common values are left out.
pub fn in_words(draft: &Draft, visible: u32) -> String {
    let words = |setting: Setting| {
        let said = setting.said(draft.read(), false)?;
        Some(if setting == Setting::Hidden { format!("{visible}–{said}") } else { said })
    };
    by_weight().filter_map(words).collect::<Vec<_>>().join(", ")
}

/// Names the two runs by their differences: the words of each that the other lacks.
pub fn names(a: &Draft, b: &Draft) -> [String; 2] {
    let mut names = [Vec::new(), Vec::new()];
    for setting in by_weight() {
        let said = [a, b].map(|draft| setting.said(draft.read(), true));
        // A cap that comes with another estimator needs no mention.
        let by_itself = setting == Setting::MaxMeeting && a.estimator() != b.estimator();
        if said[0] != said[1] && !by_itself && said.iter().all(Option::is_some) {
            for (names, said) in names.iter_mut().zip(said) {
                names.extend(said);
            }
        }
    }
    names.map(|names| if names.is_empty() { "the same settings".to_string() } else { names.join(", ") })
}

#[cfg(test)]
mod tests {
    use super::super::presets::PRESETS;
    use super::*;
    use dbm_core::Units;
    use dbm_core::gradient::EstimatorKind;

    const BARS: ForData = ForData { visible: 16, is_picture: true };
    const DIGITS: ForData = ForData { visible: 784, is_picture: true };

    fn pairs(text: &str) -> Keys {
        text.split('&').filter_map(|pair| pair.split_once('=')).collect()
    }

    #[test]
    fn what_the_address_says_travels_and_comes_back() {
        for text in ["", "preset=signs-bits", "preset=pcd&base=form&units=bits&rate=0.01&go=70", "hidden=5,4&to=3"] {
            let setup = Setup::read(&pairs(text));
            let written: Vec<String> = setup.keys().iter().map(|(key, value)| format!("{key}={value}")).collect();
            assert_eq!(written.join("&"), text);
        }
        let nonsense = Setup::read(&pairs("preset=💥&go=-3&to=1e9&units=💥&rate=💥"));
        assert_eq!((nonsense.preset, nonsense.target, nonsense.go), (None, TARGET, false));
        let other = nonsense.other(&Draft::bars(), BARS);
        assert!(other.read().units == Units::Signs && other.problem(Setting::LearningRate).is_some(), "{other:?}");
    }

    #[test]
    fn every_comparison_has_two_runs_that_can_be_trained_and_differ() {
        for (suited, data) in
            [(Draft::digits(), DIGITS), (Draft::bars(), BARS), (Draft::table(30), ForData { visible: 30, is_picture: false })]
        {
            for preset in &*PRESETS {
                let setup = Setup::of(preset);
                let base = setup.base(suited.clone(), &pairs("estimator=cd&conditional=0.5&seed=7"), data);
                let other = setup.other(&base, data);
                assert_eq!((base.estimator(), base.text(Setting::Seed)), (EstimatorKind::UcdLmi, "7"), "{}", preset.key);
                let plans = [&base, &other].map(|draft| draft.plan().unwrap_or_else(|| panic!("{}: {draft:?}", preset.key)));
                assert_ne!(plans[0], plans[1], "{}", preset.key);
                let names = names(&base, &other);
                assert_ne!(names[0], names[1], "{}", preset.key);
                assert_eq!(Setup::read(&pairs(&format!("preset={}&go={}", preset.key, preset.steps))), setup);
            }
        }
    }

    #[test]
    fn what_is_typed_for_run_b_is_kept_beside_the_comparison() {
        let mut setup = Setup::of(named("ucd-gibbs").unwrap());
        let base = setup.base(Draft::digits(), &Keys::default(), DIGITS);
        let mut other = setup.other(&base, DIGITS);
        assert_eq!((other.estimator(), other.text(Setting::MaxMeeting)), (EstimatorKind::UcdGibbs, "10"));
        other.set(Setting::LearningRate, "0.01".into());
        setup.differ(&base, &other, DIGITS);
        assert_eq!(setup.own, pairs("rate=0.01"));
        assert_eq!(setup.other(&base, DIGITS), other);
        assert_eq!(names(&base, &other), ["UCD-LMI, rate 0.001", "UCD-Gibbs, rate 0.01"]);
        setup.form = true;
        let own = setup.base(Draft::digits(), &pairs("units=bits"), DIGITS);
        assert_eq!((own.read().units, own.text(Setting::Conditional)), (Units::Bits, "0.5"));
        assert!(in_words(&own, 784).starts_with("UCD-LMI, 784–800–200, bits 0, 1, rate 0.001, 100 examples per step"));
        let other = setup.base(Draft::digits(), &pairs("masks=halves&mode-sweeps=5&rate-decay=900"), DIGITS);
        assert!(in_words(&other, 784).contains("Adam, rate falls to zero over 900 steps, weight decay 0.0005"));
        let differing = ["rate falls to zero over 900 steps", "masks half planes", "sweeps from the mode 5"];
        assert_eq!(names(&Draft::digits(), &other)[1], differing.join(", "));
    }
}
