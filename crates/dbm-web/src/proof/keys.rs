//! The view's settings as keys of the address: only what differs from the defaults, and back, whatever is written there.

use super::parameters;
use super::plan::{Base, ESTIMATORS, LARGEST, MAX_PATTERNS, MAX_UNITS, Plan, Question, patterns};
use dbm_core::Units;
use std::collections::BTreeMap;

/// Of all keys.
pub const PREFIX: &str = "p.";

/// The most samples of an estimator.
pub const MOST_SAMPLES: u32 = 1_000_000;

impl Plan {
    /// Keys and values of what is not as by default.
    pub fn pairs(&self) -> Vec<(String, String)> {
        let (base, own) = (Self::default(), &self.question);
        let mut pairs = Vec::new();
        let mut put = |differs: bool, key: &str, value: String| {
            if differs {
                pairs.push((format!("{PREFIX}{key}"), value));
            }
        };
        if own.base != Base::Preset {
            put(true, "model", if own.base == Base::Random { "random" } else { "run" }.into());
            put(true, "sizes", listed(&own.sizes));
            put(own.units == Units::Bits, "units", "bits".into());
            put(own.base == Base::Random && own.seed != base.question.seed, "model-seed", own.seed.to_string());
            put(own.base == Base::Random && own.deviation != base.question.deviation, "deviation", own.deviation.to_string());
        }
        put(!own.edits.is_empty(), "w", edits(own));
        put(own.data != standard_data(own), "data", data(own));
        put(self.chosen != base.chosen, "estimators", self.chosen_names());
        put(self.marginalize != base.marginalize, "marginalized", word(self.marginalize));
        put(self.max_sweeps != base.max_sweeps, "sweeps", self.max_sweeps.to_string());
        put(self.max_meeting != base.max_meeting, "meeting", self.max_meeting.to_string());
        put(self.max_tries != base.max_tries, "tries", self.max_tries.to_string());
        put(self.seed != base.seed, "seed", self.seed.to_string());
        put(self.alone != base.alone, "intervals", "alone".into());
        put(self.differences != base.differences, "bars", "differences".into());
        put(self.show.is_some(), "show", self.show.map_or(String::new(), |place| place.to_string()));
        put(self.pattern > 0, "pattern", (self.pattern + 1).to_string());
        put(self.grow, "grow", "yes".into());
        put(!self.go && self.target != base.target, "samples", self.target.to_string());
        put(self.go, "go", self.target.to_string());
        pairs
    }

    /// The plan that an address asks for. What cannot be read is as by default.
    pub fn of(get: impl Fn(&str) -> Option<String>) -> Self {
        let get = |key: &str| get(&format!("{PREFIX}{key}"));
        let mut plan = Self { question: question(&get), ..Self::default() };
        if let Some(names) = get("estimators") {
            plan.chosen = ESTIMATORS.map(|name| names.split(',').any(|asked| asked == name));
        }
        plan.marginalize = get("marginalized").map_or(plan.marginalize, |word| word != "no");
        for (key, value, least) in
            [("sweeps", &mut plan.max_sweeps, 1), ("meeting", &mut plan.max_meeting, 2), ("tries", &mut plan.max_tries, 1)]
        {
            *value =
                get(key).and_then(|text| text.parse().ok()).filter(|asked| (least..=1_000_000).contains(asked)).unwrap_or(*value);
        }
        plan.seed = get("seed").and_then(|text| text.parse().ok()).unwrap_or(plan.seed);
        plan.alone = get("intervals").as_deref() == Some("alone");
        plan.differences = get("bars").as_deref() == Some("differences");
        let below = |key: &str, end: usize| get(key).and_then(|text| text.parse::<usize>().ok()).filter(|&place| place < end);
        plan.show = below("show", parameters::count(&plan.question.sizes));
        plan.pattern = below("pattern", plan.question.data.len() + 1).map_or(0, |number| number.saturating_sub(1));
        plan.grow = get("grow").as_deref() == Some("yes");
        let number = |key: &str| get(key).and_then(|text| text.parse::<u32>().ok()).map(|n| n.clamp(100, MOST_SAMPLES));
        plan.go = number("go").is_some();
        plan.target = number("go").or(number("samples")).unwrap_or(plan.target);
        plan
    }

    fn chosen_names(&self) -> String {
        let names: Vec<&str> = ESTIMATORS.iter().zip(self.chosen).filter(|(_, chosen)| *chosen).map(|(name, _)| *name).collect();
        if names.is_empty() { "none".into() } else { names.join(",") }
    }
}

/// The data that a model has until others are chosen.
fn standard_data(question: &Question) -> Vec<Vec<u8>> {
    if question.base == Base::Preset { super::preset::patterns() } else { patterns(question.sizes[0] as usize) }
}

fn question(get: &impl Fn(&str) -> Option<String>) -> Question {
    let base = match get("model").as_deref() {
        Some("random") => Base::Random,
        Some("run") => Base::Run,
        _ => Base::Preset,
    };
    let mut question = Question { base, ..Question::default() };
    if base != Base::Preset {
        if let Some(sizes) = get("sizes").and_then(|text| sizes(&text)) {
            question.sizes = sizes;
        }
        question.units = if get("units").as_deref() == Some("bits") { Units::Bits } else { Units::Signs };
        question.seed = get("model-seed").and_then(|text| text.parse().ok()).unwrap_or(question.seed);
        let deviation = get("deviation").and_then(|text| text.parse().ok());
        question.deviation = deviation.filter(|value| (0.0..=3.0).contains(value)).unwrap_or(question.deviation);
        question.data = patterns(question.sizes[0] as usize);
    }
    let end = parameters::count(&question.sizes);
    question.edits = get("w").map(|text| read_edits(&text, end)).unwrap_or_default();
    if let Some(data) = get("data").and_then(|text| read_data(&text, question.sizes[0] as usize)) {
        question.data = data;
    }
    question
}

/// Layer sizes that can be enumerated and drawn.
fn sizes(text: &str) -> Option<Vec<u32>> {
    let sizes: Vec<u32> = text.split([',', '-']).map(str::parse).collect::<Result<_, _>>().ok()?;
    let fits = (2..=5).contains(&sizes.len()) && sizes.iter().all(|n| (1..=MAX_UNITS).contains(n));
    (fits && sizes.iter().sum::<u32>() <= MAX_UNITS).then_some(sizes)
}

fn listed(sizes: &[u32]) -> String {
    sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

fn word(yes: bool) -> String {
    if yes { "yes" } else { "no" }.into()
}

/// `place:value` for some, the values alone for all.
fn edits(question: &Question) -> String {
    let all = question.edits.len() == parameters::count(&question.sizes);
    let one = |(place, value): (&usize, &f32)| if all { value.to_string() } else { format!("{place}:{value}") };
    question.edits.iter().map(one).collect::<Vec<_>>().join(",")
}

fn read_edits(text: &str, end: usize) -> BTreeMap<usize, f32> {
    let one = |(place, part): (usize, &str)| {
        let (place, value) = match part.split_once(':') {
            Some((place, value)) => (place.parse().ok()?, value),
            None => (place, part),
        };
        let value = value.parse::<f32>().ok().filter(|value| value.abs() <= LARGEST)?;
        (place < end).then_some((place, value))
    };
    text.split(',').enumerate().filter_map(one).collect()
}

fn data(question: &Question) -> String {
    let pattern = |bits: &Vec<u8>| bits.iter().map(|&bit| char::from(b'0' + bit)).collect::<String>();
    question.data.iter().map(pattern).collect::<Vec<_>>().join(",")
}

fn read_data(text: &str, width: usize) -> Option<Vec<Vec<u8>>> {
    let bit = |c: char| c.to_digit(2).map(|bit| bit as u8);
    let data: Vec<Vec<u8>> = text.split(',').map(|part| part.chars().map(bit).collect()).collect::<Option<_>>()?;
    let fits = (1..=MAX_PATTERNS).contains(&data.len()) && data.iter().all(|pattern| pattern.len() == width);
    fits.then_some(data)
}

#[cfg(test)]
mod tests {
    use super::super::plan::rounded;
    use super::*;
    use dbm_protocol::SmallModel;

    fn back(plan: &Plan) -> Plan {
        let pairs = plan.pairs();
        Plan::of(|key| pairs.iter().find(|(name, _)| name == key).map(|(_, value)| value.clone()))
    }

    #[test]
    fn the_default_leaves_the_address_empty() {
        assert_eq!(Plan::default().pairs(), []);
        assert_eq!(Plan::of(|_| None), Plan::default());
    }

    #[test]
    fn all_of_it_travels_and_comes_back() {
        let mut plan = Plan::default();
        plan.question.edits.insert(3, -0.25);
        plan.question.data[1][2] = 0;
        plan.go = true;
        assert_eq!(back(&plan), plan);
        assert!(
            plan.pairs().contains(&("p.go".into(), "100000".into())) && plan.pairs().contains(&("p.w".into(), "3:-0.25".into()))
        );

        let mut plan = Plan {
            question: Question::random(vec![3, 3, 2], Units::Bits),
            chosen: [false, true, false, true, false, true, false],
            marginalize: false,
            max_sweeps: 9,
            max_meeting: 50,
            max_tries: 7,
            seed: u64::MAX,
            alone: true,
            differences: true,
            target: 2000,
            go: false,
            show: Some(14),
            pattern: 1,
            grow: true,
        };
        plan.question.seed = 12;
        plan.question.deviation = 0.75;
        plan.question.edits.insert(22, 1.5);
        assert_eq!(back(&plan), plan);
        plan.chosen = [false; 7];
        assert_eq!(back(&plan), plan);
    }

    #[test]
    fn a_model_of_the_run_travels_whole() {
        let value = |n: u32| (0..n).map(|at| (at as f32).sin() * 2.0).collect::<Vec<f32>>();
        let model =
            SmallModel { sizes: vec![5, 4], units: Units::Bits, weights: vec![value(20)], biases: vec![value(5), value(4)] };
        let plan = Plan { question: Question::of_run(&model), ..Plan::default() };
        assert_eq!(back(&plan), plan);
        let told = plan.question.edited(plan.question.known().unwrap());
        let near = |a: &f32, b: &f32| (a - b).abs() <= 0.000_501;
        assert!(parameters::values(&told).iter().zip(&parameters::values(&model)).all(|(a, b)| near(a, b)));
        assert!(!plan.pairs().iter().any(|(key, value)| key == "p.w" && value.contains(':')));
    }

    #[test]
    fn nonsense_is_as_by_default_and_nothing_reaches_beyond_the_model() {
        for text in ["💥", "", "-1", "99999999999999999999", "nan", "1e9,2", "0", ",,", "3:inf", "999:1"] {
            let plan = Plan::of(|key| (key != "p.go" && key != "p.samples").then(|| text.to_string()));
            let end = parameters::count(&plan.question.sizes);
            assert!(plan.question.n_units() <= MAX_UNITS && plan.question.edits.keys().all(|&place| place < end), "{text}");
            assert!(plan.question.edits.values().all(|value| value.abs() <= LARGEST), "{text}");
            assert!(plan.show.is_none_or(|place| place < end) && plan.pattern < plan.question.data.len(), "{text}");
        }
        let get = |pairs: &'static [(&str, &str)]| {
            Plan::of(move |key| pairs.iter().find(|(name, _)| *name == key).map(|(_, value)| (*value).to_string()))
        };
        assert_eq!(get(&[("p.go", "5")]).target, 100);
        assert_eq!(get(&[("p.go", "2000000000")]).target, MOST_SAMPLES);
        assert_eq!(get(&[("p.model", "random"), ("p.sizes", "20,20")]).question.sizes, Question::default().sizes);
        assert_eq!(get(&[("p.model", "random"), ("p.sizes", "4-4")]).question.sizes, [4, 4]);
        assert_eq!(get(&[("p.data", "11")]).question.data, Question::default().data);
    }

    #[test]
    fn edited_values_are_short() {
        assert_eq!([0.123_456, -7.0, f32::NAN, -0.000_1].map(rounded), [0.123, -5.0, 0.0, 0.0]);
        assert_eq!(rounded(-0.000_1).to_string(), "0");
    }
}
