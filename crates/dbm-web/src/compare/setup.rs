//! What is compared: run A as the Train form has it, run B with what differs, as keys of the address.
//!
//! `t.data` and the other keys of Train give the base; `x.preset` names a comparison, whose settings of both runs come before the form's unless
//! `x.base=form`; `x.units`, `x.rate` and so on are run B's own; `x.to` is the step to train to, and `x.go` the same, which is trained to at once.

use super::presets::{Preset, named};
use crate::ui::binding::Keys;
use crate::worker::session::Draft;
use dbm_core::Units;
use dbm_core::gradient::EstimatorKind;
use dbm_core::words::{Choose, Setting, StartKind};
use dbm_protocol::DataSource;

/// The farthest step that can be asked for.
pub const FARTHEST: u32 = 1_000_000;
/// The step to train to, where nothing else is asked for.
const TARGET: u32 = 500;

/// What the address says of the comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// A comparison of the list.
    pub preset: Option<&'static Preset>,
    /// Whether both runs have the form's settings where the comparison has its own.
    pub form: bool,
    /// What run B has besides, key by key.
    pub own: Keys,
    /// The step to train to.
    pub target: u32,
    /// Whether to go there at once.
    pub go: bool,
}

impl Setup {
    /// A comparison of the list as it is.
    pub fn of(preset: &'static Preset) -> Self {
        Self { preset: Some(preset), form: false, own: Keys::default(), target: preset.steps, go: true }
    }

    fn suggested(preset: Option<&'static Preset>) -> u32 {
        preset.map_or(TARGET, |preset| preset.steps)
    }

    /// What these keys of the address say; what makes no sense is passed over.
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

    /// The keys that say it.
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

    /// The settings of run A on data of so many visible units, where this is what suits them.
    pub fn base(&self, suited: Draft, form: &Keys, visible: u32) -> Draft {
        let base = with(suited, form, visible);
        match self.preset.filter(|_| !self.form) {
            Some(preset) => with(base, &preset.both, visible),
            None => base,
        }
    }

    /// Run B's as the comparison of the list has them.
    pub fn listed(&self, base: &Draft, visible: u32) -> Draft {
        self.preset.map_or_else(|| base.clone(), |preset| with(base.clone(), &preset.other, visible))
    }

    /// Run B's, with what differs besides.
    pub fn other(&self, base: &Draft, visible: u32) -> Draft {
        with(self.listed(base, visible), &self.own, visible)
    }

    /// Makes run B's settings these.
    pub fn differ(&mut self, base: &Draft, other: &Draft, visible: u32) {
        let mut own = Keys::default();
        other.write(&mut own, &self.listed(base, visible));
        self.own = own;
    }
}

/// The form with these keys; another estimator brings the cap on couplings that suits it.
fn with(mut draft: Draft, keys: &Keys, visible: u32) -> Draft {
    if let Some(hidden) = keys.get(Setting::Hidden.words().key) {
        draft.set(Setting::Hidden, hidden.replace(',', ", "));
    }
    if let Some(kind) = keys.choice::<EstimatorKind>() {
        draft.choose_estimator(kind, visible);
    }
    draft.with(keys)
}

/// Visible units of these data.
pub fn visible_units(data: &DataSource) -> u32 {
    match data {
        DataSource::Digits { .. } => 784,
        DataSource::Bars => 16,
        DataSource::Examples(data) => data.width,
    }
}

/// What is said of each setting that is typed, with `#` for what it is; and where it is none.
const TYPED: [(Setting, &str, &str); 19] = [
    (Setting::LearningRate, "rate #", ""),
    (Setting::RateDecay, "rate falls to zero over # steps", "constant rate"),
    (Setting::Momentum, "momentum #", "no momentum"),
    (Setting::Batch, "# examples a step", ""),
    (Setting::Conditional, "conditional share #", "no conditional share"),
    (Setting::Average, "averaged with decay #", "no averaging"),
    (Setting::WeightDecay, "weight decay #", "no weight decay"),
    (Setting::MaxMeeting, "couplings cut at #", ""),
    (Setting::ModeSweeps, "sweeps from the mode #", ""),
    (Setting::MaxSweeps, "searches cut at #", ""),
    (Setting::MaxTries, "draws cut at #", ""),
    (Setting::MeanFieldSweeps, "mean field cut at #", ""),
    (Setting::Particles, "# particles", ""),
    (Setting::SmcSteps, "# temperatures", ""),
    (Setting::AverageFrom, "averaged from time #", ""),
    (Setting::AverageTo, "averaged to time #", ""),
    (Setting::LadderEvery, "a round every # steps", ""),
    (Setting::CenteringRate, "centering rate #", ""),
    (Setting::Seed, "seed #", ""),
];

/// Each setting of a run in a word or two, those first that say most; `None` where the run has no such setting.
fn words(draft: &Draft, visible: u32) -> Vec<(&'static str, Option<String>)> {
    let text = |setting: Setting| draft.text(setting).trim().to_string();
    let start = match draft.start {
        StartKind::Orthogonal => "orthogonal start".to_string(),
        StartKind::Independent => "nearly independent start".to_string(),
        StartKind::Gaussian => "small Gaussian start".to_string(),
        StartKind::Pretrained => format!("pretrained, {} steps a layer", text(Setting::PretrainingSteps)),
    };
    let or_not = |on: bool, word: &str| if on { word.to_string() } else { format!("not {word}") };
    let chosen = [
        ("estimator", draft.estimator().descriptor().title(&text(Setting::K))),
        ("units", if draft.units == Units::Bits { "bits 0 and 1" } else { "signs −1 and 1" }.to_string()),
        ("hidden", format!("{visible}–{}", text(Setting::Hidden).replace(", ", "–").replace(',', "–"))),
        ("start", start),
        ("marginalized", or_not(draft.marginalize, "marginalized")),
        ("centered", or_not(draft.centered, "centered")),
        ("optimizer", draft.method.choice().label.to_string()),
    ];
    let typed = TYPED.into_iter().map(|(setting, words, none)| {
        let value = text(setting);
        let is_none = !none.is_empty() && (value.is_empty() || value == "0");
        let words = if is_none { none.to_string() } else { words.replace('#', &value) };
        (setting.words().key, draft.applies(setting).then_some(words))
    });
    let masks = ("masks", draft.is_masked().then(|| format!("masks {}", draft.masks.choice().label)));
    let path = ("path", draft.has_particles().then(|| format!("along {}", draft.path.choice().label)));
    chosen.into_iter().map(|(key, words)| (key, Some(words))).chain([masks, path]).chain(typed).collect()
}

/// A run's settings in a sentence's worth of words; caps, and what is as it nearly always is, are left out.
pub fn in_words(draft: &Draft, visible: u32) -> String {
    let left_out = ["meeting", "sweeps", "tries", "field-sweeps", "centering-rate", "average-from", "average-to"];
    let usual = ["not centered", "constant rate", "no momentum", "sweeps from the mode 1", "masks mixed"];
    let words = words(draft, visible).into_iter().filter(|(key, _)| !left_out.contains(key));
    words.filter_map(|(_, word)| word).filter(|word| !usual.contains(&&**word)).collect::<Vec<_>>().join(", ")
}

/// By what the two runs differ: of each the words that the other has not, by which they are called.
pub fn names(a: &Draft, b: &Draft, visible: u32) -> [String; 2] {
    let mut names = [Vec::new(), Vec::new()];
    for ((key, of_a), (_, of_b)) in words(a, visible).into_iter().zip(words(b, visible)) {
        // A cap that comes with another estimator goes without saying.
        if of_a != of_b && !(key == "meeting" && a.estimator() != b.estimator()) && (of_a.is_some() && of_b.is_some()) {
            names[0].extend(of_a);
            names[1].extend(of_b);
        }
    }
    names.map(|names| if names.is_empty() { "the same settings".to_string() } else { names.join(", ") })
}

#[cfg(test)]
mod tests {
    use super::super::presets::PRESETS;
    use super::*;

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
        let other = nonsense.other(&Draft::bars(), 16);
        assert!(other.units == Units::Signs && other.problem(Setting::LearningRate).is_some(), "{other:?}");
    }

    #[test]
    fn every_comparison_has_two_runs_that_can_be_trained_and_differ() {
        for (suited, visible) in [(Draft::digits(), 784), (Draft::bars(), 16), (Draft::table(30), 30)] {
            for preset in &*PRESETS {
                let setup = Setup::of(preset);
                let base = setup.base(suited.clone(), &pairs("estimator=cd&conditional=0.5&seed=7"), visible);
                let other = setup.other(&base, visible);
                assert_eq!((base.estimator(), base.text(Setting::Seed)), (EstimatorKind::UcdLmi, "7"), "{}", preset.key);
                let plans = [&base, &other].map(|draft| draft.plan().unwrap_or_else(|| panic!("{}: {draft:?}", preset.key)));
                assert_ne!(plans[0], plans[1], "{}", preset.key);
                let names = names(&base, &other, visible);
                assert_ne!(names[0], names[1], "{}", preset.key);
                assert_eq!(Setup::read(&pairs(&format!("preset={}&go={}", preset.key, preset.steps))), setup);
            }
        }
    }

    #[test]
    fn what_is_typed_for_run_b_is_kept_beside_the_comparison() {
        let mut setup = Setup::of(named("ucd-gibbs").unwrap());
        let base = setup.base(Draft::digits(), &Keys::default(), 784);
        let mut other = setup.other(&base, 784);
        assert_eq!((other.estimator(), other.text(Setting::MaxMeeting)), (EstimatorKind::UcdGibbs, "10"));
        other.set(Setting::LearningRate, "0.01".into());
        setup.differ(&base, &other, 784);
        assert_eq!(setup.own, pairs("rate=0.01"));
        assert_eq!(setup.other(&base, 784), other);
        assert_eq!(names(&base, &other, 784), ["UCD-LMI, rate 0.001", "UCD-Gibbs, rate 0.01"]);
        setup.form = true;
        let own = setup.base(Draft::digits(), &pairs("units=bits"), 784);
        assert_eq!((own.units, own.text(Setting::Conditional)), (Units::Bits, "0.5"));
        assert!(
            in_words(&own, 784).starts_with(
                "UCD-LMI, bits 0 and 1, 784–800–200, orthogonal start, marginalized, Adam, rate 0.001, 100 examples"
            )
        );
        let other = setup.base(Draft::digits(), &pairs("masks=halves&mode-sweeps=5&rate-decay=900"), 784);
        assert!(in_words(&other, 784).contains("Adam, masks half planes, rate 0.001, rate falls to zero over 900 steps"));
        let differing = ["masks half planes", "rate falls to zero over 900 steps", "sweeps from the mode 5"];
        assert_eq!(names(&Draft::digits(), &other, 784)[1], differing.join(", "));
    }
}
