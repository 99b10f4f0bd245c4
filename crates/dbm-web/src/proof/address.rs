//! The view's settings as a table: the fields of its forms, and its keys in the address.

use super::estimator_table::ESTIMATORS;
use super::parameters;
use super::settings::{LARGEST, MAX_PATTERNS, MAX_UNITS, ModelAndData, Origin, ProofSettings, usual_data};
use crate::ui::binding::Keys;
use crate::ui::form::{self, Input, Row, Table, choice, switch, typed};
use crate::ui::number::{decimal, listed, sizes};
use dbm_core::Units;
use dbm_core::words::{Choose, words};
use dbm_protocol::proof_preset;
use std::array::from_fn;
use std::collections::BTreeMap;

/// Prefix of all keys.
pub const PREFIX: &str = "p.";

/// The most samples per estimator.
const MOST_SAMPLES: u32 = 1_000_000;

/// The highest cap.
const HIGHEST: u32 = 1_000_000;

/// The most layers that can be drawn.
const MOST_LAYERS: usize = 5;

/// Largest standard deviation of random weights.
const MOST_DEVIATION: f64 = 3.0;

/// Whether a text could be read; there is no message if it could not.
type Taken = Result<(), String>;

impl Table for ProofSettings {
    const ROWS: &'static [Row<Self>] = &[
        Row::new(Input::Text, |settings: &Self| settings.model.origin.choice().name.into(), Self::set_origin).key("model"),
        Row::new(Input::Text, Self::sizes, Self::set_sizes).key("sizes"),
        choice!(Units, model.units),
        typed!(whole, 0..=u64::MAX, model.seed)
            .called(words("model-seed", "Seed of the model", "The same seed draws the same parameters."))
            .when(|settings| settings.model.origin == Origin::Random),
        typed!(number, 0.0..=MOST_DEVIATION, model.deviation)
            .called(words("deviation", "Weight deviation", "Standard deviation of the random weights, 0 to 3. The larger, the harder the chains move."))
            .when(|settings| settings.model.origin == Origin::Random),
        Row::new(Input::Text, |settings: &Self| edits(&settings.model), Self::set_edits).key("w"),
        Row::new(Input::Text, Self::data, Self::set_data).key("data"),
        Row::new(Input::Text, Self::chosen_names, Self::set_chosen).key("estimators"),
        switch!("yes", "no", marginalize)
            .called(words("marginalized", "Marginalize", "Half of each state is replaced by its conditional means given the other half: the same mean, less noise. The paper’s marginalization.")),
        typed!(whole, 1..=HIGHEST, caps[0])
            .called(words("sweeps", "Search cap, sweeps", "A local search that has not ended by then stops where it is. That leaves the estimates unbiased.")),
        typed!(whole, 2..=HIGHEST, caps[1])
            .called(words("meeting", "Coupling cap, steps", "A coupling that has not met by then is cut, which biases its estimate; the table counts these.")),
        typed!(whole, 1..=HIGHEST, caps[2])
            .called(words("tries", "Tries per draw", "UCD-Gibbs: a draw from a residual distribution is cut after this many tries, which biases its estimate.")),
        typed!(whole, 0..=u64::MAX, seed)
            .called(words("seed", "Seed of the samples", "For all samples. The same seed gives the same numbers, on any machine and with any number of workers.")),
        switch!("alone", "", alone)
            .called(words("intervals", "Individual intervals", "On: each single interval contains the exact value with probability 99 %, so with many parameters some miss it by chance. Off: all intervals of an estimator contain it at once with probability 99 % (Bonferroni).")),
        switch!("differences", "", differences)
            .called(words("bars", "Differences only", "Subtracts the exact value from each mean, so that small biases show.")),
        Row::new(Input::Text, |settings: &Self| settings.show.map_or_else(String::new, |place| place.to_string()), Self::set_show)
            .key("show"),
        Row::new(Input::Text, |settings: &Self| (settings.pattern + 1).to_string(), Self::set_pattern).key("pattern"),
        switch!("yes", "", corrections).key("grow"),
        // An address has one of these: the number of samples that are drawn, or that would be.
        Row::new(Input::Text, |settings: &Self| settings.samples(false), |settings: &mut Self, text| settings.set_samples(text, false)).key("samples"),
        Row::new(Input::Text, |settings: &Self| settings.samples(true), |settings: &mut Self, text| settings.set_samples(text, true)).key("go"),
    ];
}

impl ProofSettings {
    /// The settings that an address asks for; defaults for whatever cannot be read.
    pub fn read(keys: &Keys) -> Self {
        let mut settings = form::read::<Self>(keys);
        if settings.model.origin == Origin::Preset {
            // With the preset, only edits and data can differ.
            let ModelAndData { edits, data, .. } = settings.model;
            settings.model = ModelAndData { edits, data, ..ModelAndData::default() };
        }
        settings
    }

    fn set_origin(&mut self, name: &str) -> Taken {
        self.model.origin = Origin::named(name).ok_or_else(String::new)?;
        self.model.data = usual_data(&self.model);
        Ok(())
    }

    fn sizes(&self) -> String {
        if self.model.origin == Origin::Preset { String::new() } else { listed(&self.model.sizes, ",") }
    }

    fn set_sizes(&mut self, text: &str) -> Taken {
        let can_be = |sizes: &Vec<u32>| self.model.origin != Origin::Preset && sizes.len() <= MOST_LAYERS;
        self.model.sizes = sizes(text, MAX_UNITS).filter(can_be).ok_or_else(String::new)?;
        self.model.data = usual_data(&self.model);
        Ok(())
    }

    fn data(&self) -> String {
        if self.model.data == usual_data(&self.model) { String::new() } else { data(&self.model.data) }
    }

    #[expect(clippy::unnecessary_wraps, reason = "as the table has it")]
    fn set_edits(&mut self, text: &str) -> Taken {
        self.model.edits = read_edits(text, parameters::count(&self.model.sizes));
        Ok(())
    }

    fn set_data(&mut self, text: &str) -> Taken {
        self.model.data = read_data(text, self.model.sizes[0] as usize).ok_or_else(String::new)?;
        Ok(())
    }

    fn chosen_names(&self) -> String {
        let chosen = ESTIMATORS.iter().zip(self.chosen).filter(|(_, chosen)| *chosen);
        let names = listed(chosen.map(|(estimator, _)| &estimator.name), ",");
        if names.is_empty() { "none".into() } else { names }
    }

    #[expect(clippy::unnecessary_wraps, reason = "as the table has it")]
    fn set_chosen(&mut self, names: &str) -> Taken {
        self.chosen = from_fn(|at| names.split(',').any(|asked| asked == ESTIMATORS[at].name));
        Ok(())
    }

    fn set_show(&mut self, text: &str) -> Taken {
        self.show = Some(below(text, parameters::count(&self.model.sizes))?);
        Ok(())
    }

    fn set_pattern(&mut self, text: &str) -> Taken {
        self.pattern = below(text, self.model.data.len() + 1)?.saturating_sub(1);
        Ok(())
    }

    /// The number of samples under the key `go` or `samples`, whichever applies; under the other, the value that an address
    /// leaves out.
    fn samples(&self, go: bool) -> String {
        match go {
            _ if self.go == go => self.target.to_string(),
            true => String::new(),
            false => proof_preset().samples.to_string(),
        }
    }

    fn set_samples(&mut self, text: &str, go: bool) -> Taken {
        self.target = text.parse::<u32>().map_err(|_| String::new())?.clamp(100, MOST_SAMPLES);
        self.go = go;
        Ok(())
    }
}

/// A number below `end`.
fn below(text: &str, end: usize) -> Result<usize, String> {
    text.parse().ok().filter(|&place| place < end).ok_or_else(String::new)
}

/// `place:value` for some parameters, only the values for all.
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
    use dbm_protocol::SmallModel;

    fn written(settings: &ProofSettings) -> Keys {
        let mut keys = Keys::default();
        form::write(settings, &mut keys);
        keys
    }

    fn back(settings: &ProofSettings) -> ProofSettings {
        ProofSettings::read(&written(settings))
    }

    #[test]
    fn the_default_leaves_the_address_empty() {
        assert!(written(&ProofSettings::default()).is_empty());
        assert_eq!(ProofSettings::read(&Keys::default()), ProofSettings::default());
    }

    #[test]
    fn all_of_it_travels_and_comes_back() {
        let mut settings = ProofSettings::default();
        settings.model.edits.insert(3, -0.25);
        settings.model.data[1][2] = 0;
        settings.go = true;
        assert_eq!(back(&settings), settings);
        let keys = written(&settings);
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
        assert!(written(&settings).get("w").is_some_and(|edits| !edits.contains(':')));
    }

    #[test]
    fn nonsense_is_as_by_default_and_nothing_reaches_beyond_the_model() {
        let all = ["model", "sizes", "units", "model-seed", "deviation", "w", "data", "estimators", "meeting", "seed", "show"];
        for text in ["💥", "", "-1", "99999999999999999999", "nan", "1e9,2", "0", ",,", "3:inf", "999:1"] {
            let settings = ProofSettings::read(
                &all.into_iter().chain(["sweeps", "tries", "pattern", "marginalized"]).map(|key| (key, text)).collect(),
            );
            let end = parameters::count(&settings.model.sizes);
            assert!(settings.marginalize && settings.caps == ProofSettings::default().caps, "{text}");
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
