//! The view's settings as keys of the address: only what differs from the defaults, and back, whatever is written there.

use super::estimator_table::ESTIMATORS;
use super::parameters;
use super::settings::{LARGEST, MAX_PATTERNS, MAX_UNITS, ModelAndData, Origin, ProofSettings, caps, usual_data};
use crate::ui::binding::Keys;
use crate::ui::number::{decimal, listed, sizes};
use std::array::from_fn;
use std::collections::BTreeMap;

/// Of all keys.
pub const PREFIX: &str = "p.";

/// The most samples of an estimator.
pub const MOST_SAMPLES: u32 = 1_000_000;

/// Layers that can be drawn.
const MOST_LAYERS: usize = 5;

/// Standard deviation of random weights: the most.
pub const MOST_DEVIATION: f64 = 3.0;

impl ProofSettings {
    /// Keys and values of what is not as by default.
    pub fn write(&self) -> Keys {
        let (usual, model) = (Self::default(), &self.model);
        let mut keys = Keys::default();
        keys.put_choice(model.origin, Origin::Preset);
        if model.origin != Origin::Preset {
            keys.put("sizes", listed(&model.sizes, ","));
            keys.put_choice(model.units, usual.model.units);
        }
        if model.origin == Origin::Random {
            keys.put_unless("model-seed", &model.seed, &usual.model.seed);
            keys.put_unless("deviation", &model.deviation, &usual.model.deviation);
        }
        keys.put_unless("w", &edits(model), &String::new());
        keys.put_unless("data", &data(&model.data), &data(&usual_data(model)));
        keys.put_unless("estimators", &self.chosen_names(), &usual.chosen_names());
        if self.marginalize != usual.marginalize {
            keys.put("marginalized", if self.marginalize { "yes" } else { "no" });
        }
        for (cap, (now, usual)) in caps().zip(self.caps.iter().zip(&usual.caps)) {
            keys.put_unless(cap.words.key, now, usual);
        }
        keys.put_unless("seed", &self.seed, &usual.seed);
        keys.put_unless("intervals", &if self.alone { "alone" } else { "" }, &"");
        keys.put_unless("bars", &if self.differences { "differences" } else { "" }, &"");
        if let Some(place) = self.show {
            keys.put("show", place);
        }
        keys.put_unless("pattern", &(self.pattern + 1), &1);
        keys.put_on("grow", self.corrections);
        if self.go {
            keys.put("go", self.target);
        } else {
            keys.put_unless("samples", &self.target, &usual.target);
        }
        keys
    }

    /// The settings that an address asks for. What cannot be read is as by default.
    pub fn read(keys: &Keys) -> Self {
        let usual = Self { model: read_model(keys), ..Self::default() };
        let mut caps_now = usual.caps;
        for (cap, now) in caps().zip(&mut caps_now) {
            *now = keys.parse(cap.words.key).filter(|asked| cap.range.contains(asked)).unwrap_or(*now);
        }
        let below = |key: &str, end: usize| keys.parse::<usize>(key).filter(|&place| place < end);
        let samples = |key: &str| keys.parse::<u32>(key).map(|samples| samples.clamp(100, MOST_SAMPLES));
        Self {
            chosen: keys
                .get("estimators")
                .map_or(usual.chosen, |names| from_fn(|at| names.split(',').any(|asked| asked == ESTIMATORS[at].name))),
            marginalize: keys.get("marginalized").map_or(usual.marginalize, |word| word != "no"),
            caps: caps_now,
            seed: keys.parse("seed").unwrap_or(usual.seed),
            alone: keys.get("intervals") == Some("alone"),
            differences: keys.get("bars") == Some("differences"),
            show: below("show", parameters::count(&usual.model.sizes)),
            pattern: below("pattern", usual.model.data.len() + 1).map_or(0, |number| number.saturating_sub(1)),
            corrections: keys.is_on("grow"),
            go: samples("go").is_some(),
            target: samples("go").or(samples("samples")).unwrap_or(usual.target),
            ..usual
        }
    }

    fn chosen_names(&self) -> String {
        let chosen = ESTIMATORS.iter().zip(self.chosen).filter(|(_, chosen)| *chosen);
        let names = listed(chosen.map(|(estimator, _)| &estimator.name), ",");
        if names.is_empty() { "none".into() } else { names }
    }
}

fn read_model(keys: &Keys) -> ModelAndData {
    let mut model = ModelAndData { origin: keys.choice().unwrap_or_default(), ..ModelAndData::default() };
    if model.origin != Origin::Preset {
        model.sizes = keys
            .get("sizes")
            .and_then(|text| sizes(text, MAX_UNITS))
            .filter(|sizes| sizes.len() <= MOST_LAYERS)
            .unwrap_or(model.sizes);
        model.units = keys.choice().unwrap_or_default();
        model.seed = keys.parse("model-seed").unwrap_or(model.seed);
        let deviation = keys.get("deviation").and_then(decimal).filter(|value| (0.0..=MOST_DEVIATION).contains(value));
        model.deviation = deviation.unwrap_or(model.deviation);
        model.data = usual_data(&model);
    }
    let end = parameters::count(&model.sizes);
    model.edits = keys.get("w").map(|text| read_edits(text, end)).unwrap_or_default();
    if let Some(data) = keys.get("data").and_then(|text| read_data(text, model.sizes[0] as usize)) {
        model.data = data;
    }
    model
}

/// `place:value` for some, the values alone for all.
fn edits(model: &ModelAndData) -> String {
    let all = model.edits.len() == parameters::count(&model.sizes);
    let one = |(place, value): (&usize, &f32)| if all { value.to_string() } else { format!("{place}:{value}") };
    listed(model.edits.iter().map(one), ",")
}

fn read_edits(text: &str, end: usize) -> BTreeMap<usize, f32> {
    let one = |(place, part): (usize, &str)| {
        let (place, value) = match part.split_once(':') {
            Some((place, value)) => (place.parse().ok()?, value),
            None => (place, part),
        };
        let value = decimal(value).map(|value| value as f32).filter(|value| value.abs() <= LARGEST)?;
        (place < end).then_some((place, value))
    };
    text.split(',').enumerate().filter_map(one).collect()
}

fn data(patterns: &[Vec<u8>]) -> String {
    let pattern = |bits: &Vec<u8>| bits.iter().map(|&bit| char::from(b'0' + bit)).collect::<String>();
    listed(patterns.iter().map(pattern), ",")
}

fn read_data(text: &str, width: usize) -> Option<Vec<Vec<u8>>> {
    let bit = |c: char| c.to_digit(2).map(|bit| bit as u8);
    let data: Vec<Vec<u8>> = text.split(',').map(|part| part.chars().map(bit).collect()).collect::<Option<_>>()?;
    let fits = (1..=MAX_PATTERNS).contains(&data.len()) && data.iter().all(|pattern| pattern.len() == width);
    fits.then_some(data)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbm_core::Units;
    use dbm_protocol::SmallModel;

    fn back(settings: &ProofSettings) -> ProofSettings {
        ProofSettings::read(&settings.write())
    }

    #[test]
    fn the_default_leaves_the_address_empty() {
        assert!(ProofSettings::default().write().is_empty());
        assert_eq!(ProofSettings::read(&Keys::default()), ProofSettings::default());
    }

    #[test]
    fn all_of_it_travels_and_comes_back() {
        let mut settings = ProofSettings::default();
        settings.model.edits.insert(3, -0.25);
        settings.model.data[1][2] = 0;
        settings.go = true;
        assert_eq!(back(&settings), settings);
        let keys = settings.write();
        assert_eq!((keys.get("go"), keys.get("w")), (Some("100000"), Some("3:-0.25")));

        let mut settings = ProofSettings {
            model: ModelAndData::random(vec![3, 3, 2], Units::Bits),
            chosen: [false, true, false, false, true, false, true, false],
            marginalize: false,
            caps: [9, 50, 7],
            seed: u64::MAX,
            alone: true,
            differences: true,
            target: 2000,
            go: false,
            show: Some(14),
            pattern: 1,
            corrections: true,
        };
        settings.model.seed = 12;
        settings.model.deviation = 0.75;
        settings.model.edits.insert(22, 1.5);
        assert_eq!(back(&settings), settings);
        settings.chosen = [false; super::super::estimator_table::COUNT];
        assert_eq!(back(&settings), settings);
    }

    #[test]
    fn a_model_of_the_run_travels_whole() {
        let value = |n: u32| (0..n).map(|at| (at as f32).sin() * 2.0).collect::<Vec<f32>>();
        let model =
            SmallModel { sizes: vec![5, 4], units: Units::Bits, weights: vec![value(20)], biases: vec![value(5), value(4)] };
        let settings = ProofSettings { model: ModelAndData::of_run(&model), ..ProofSettings::default() };
        assert_eq!(back(&settings), settings);
        let edited = settings.model.edited(settings.model.zeros());
        let near = |a: &f32, b: &f32| (a - b).abs() <= 0.000_501;
        assert!(parameters::values(&edited).iter().zip(&parameters::values(&model)).all(|(a, b)| near(a, b)));
        assert!(settings.write().get("w").is_some_and(|edits| !edits.contains(':')));
    }

    #[test]
    fn nonsense_is_as_by_default_and_nothing_reaches_beyond_the_model() {
        let all = ["model", "sizes", "units", "model-seed", "deviation", "w", "data", "estimators", "meeting", "seed", "show"];
        for text in ["💥", "", "-1", "99999999999999999999", "nan", "1e9,2", "0", ",,", "3:inf", "999:1"] {
            let settings =
                ProofSettings::read(&all.into_iter().chain(["sweeps", "tries", "pattern"]).map(|key| (key, text)).collect());
            let end = parameters::count(&settings.model.sizes);
            assert!(settings.model.n_units() <= MAX_UNITS && settings.model.edits.keys().all(|&place| place < end), "{text}");
            assert!(settings.model.edits.values().all(|value| value.abs() <= LARGEST), "{text}");
            assert!(settings.show.is_none_or(|place| place < end) && settings.pattern < settings.model.data.len(), "{text}");
        }
        let of = |pairs: &[(&str, &str)]| ProofSettings::read(&pairs.iter().copied().collect());
        assert_eq!(of(&[("go", "5")]).target, 100);
        assert_eq!(of(&[("go", "2000000000")]).target, MOST_SAMPLES);
        assert_eq!(of(&[("model", "random"), ("sizes", "20,20")]).model.sizes, ModelAndData::default().sizes);
        assert_eq!(of(&[("model", "random"), ("sizes", "4-4")]).model.sizes, [4, 4]);
        assert_eq!(of(&[("data", "11")]).model.data, ModelAndData::default().data);
    }
}
