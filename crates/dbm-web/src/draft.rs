//! The settings form as the visitor typed it, and the run it asks for once every field makes sense.

use dbm_core::{Method, OptimizerSettings, Settings, Units};
use dbm_protocol::RunPlan;
use std::str::FromStr;

/// The largest hidden layer the form accepts.
const WIDEST: u32 = 4000;
/// The most hidden layers the form accepts.
const DEEPEST: usize = 4;
/// The largest seed that travels exactly as a JavaScript number.
const LARGEST_SEED: u64 = (1 << 53) - 1;

/// A field of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Sizes of the hidden layers.
    Hidden,
    /// Step size.
    Rate,
    /// Examples a step.
    Batch,
    /// Seed of the run.
    Seed,
    /// L2 penalty.
    WeightDecay,
    /// Decay of the averaged weights; blank for none.
    Average,
    /// Share of the batch with a mask.
    Conditional,
    /// Cap on a search.
    MaxSweeps,
    /// Cap on a coupling.
    MaxMeeting,
}

/// The form as typed.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// Kind of units.
    pub units: Units,
    /// Which optimizer.
    pub method: Method,
    texts: [String; 9],
}

impl Default for Draft {
    fn default() -> Self {
        Self::digits()
    }
}

impl Draft {
    /// What suits pictures of digits, in a browser: a first layer as wide as the picture, and shapes within seconds.
    pub fn digits() -> Self {
        let texts = ["800, 200", "0.001", "50", "1", "0.0005", "0.99", "0.5", "1000", "100000"];
        Self { units: Units::Signs, method: Method::Adam, texts: texts.map(Into::into) }
    }

    /// What suits bars and stripes: 28 units in all, where couplings do happen.
    pub fn bars() -> Self {
        let texts = ["8, 4", "0.005", "100", "1", "0", "", "0", "1000", "100000"];
        Self { units: Units::Signs, method: Method::Adam, texts: texts.map(Into::into) }
    }

    /// The form that asks for a run which exists.
    pub fn of(plan: &RunPlan) -> Self {
        let s = &plan.settings;
        let hidden: Vec<String> = plan.hidden.iter().map(ToString::to_string).collect();
        let texts = [
            hidden.join(", "),
            s.optimizer.learning_rate.to_string(),
            s.batch.to_string(),
            s.seed.to_string(),
            s.optimizer.weight_decay.to_string(),
            s.average.map(|decay| decay.to_string()).unwrap_or_default(),
            s.conditional.to_string(),
            s.max_sweeps.to_string(),
            s.max_meeting.to_string(),
        ];
        Self { units: plan.units, method: s.optimizer.method, texts }
    }

    /// What is typed in a field.
    pub fn text(&self, field: Field) -> &str {
        &self.texts[field as usize]
    }

    /// Types something else into it.
    pub fn set(&mut self, field: Field, text: String) {
        self.texts[field as usize] = text;
    }

    /// Why a field does not make sense, if it does not: what was expected and what came.
    pub fn problem(&self, field: Field) -> Option<String> {
        let got = |expected: &str| format!("Expected {expected}; got “{}”.", self.text(field).trim());
        let refuse = |ok: bool, expected: &str| (!ok).then(|| got(expected));
        match field {
            Field::Hidden => refuse(
                self.hidden().is_some(),
                &format!("one to {DEEPEST} whole numbers from 1 to {WIDEST}, with commas between, such as 500, 500"),
            ),
            Field::Rate => refuse(self.number(field).is_some_and(|x| x > 0.0 && x <= 10.0), "a number above 0 and at most 10"),
            Field::Batch => {
                refuse(self.whole(field).is_some_and(|n| (1..=100_000).contains(&n)), "a whole number from 1 to 100000")
            }
            Field::Seed => {
                refuse(self.whole(field).is_some_and(|n| n <= LARGEST_SEED), "a whole number from 0 to 9007199254740991")
            }
            Field::WeightDecay => {
                refuse(self.number(field).is_some_and(|x| (0.0..1.0).contains(&x)), "a number from 0 to below 1")
            }
            Field::Average => refuse(
                self.text(field).trim().is_empty() || self.number(field).is_some_and(|x| (0.0..1.0).contains(&x)),
                "a number from 0 to below 1, or nothing for no average",
            ),
            Field::Conditional => refuse(self.number(field).is_some_and(|x| (0.0..=1.0).contains(&x)), "a number from 0 to 1"),
            Field::MaxSweeps | Field::MaxMeeting => refuse(
                self.whole(field).is_some_and(|n| n >= 1 && u32::try_from(n).is_ok()),
                "a whole number from 1 to 4294967295",
            ),
        }
    }

    /// The run it asks for; `None` while a field does not make sense.
    pub fn plan(&self) -> Option<RunPlan> {
        let fields = [
            Field::Hidden,
            Field::Rate,
            Field::Batch,
            Field::Seed,
            Field::WeightDecay,
            Field::Average,
            Field::Conditional,
            Field::MaxSweeps,
            Field::MaxMeeting,
        ];
        if fields.into_iter().any(|field| self.problem(field).is_some()) {
            return None;
        }
        let optimizer = OptimizerSettings {
            method: self.method,
            learning_rate: self.number(Field::Rate)?,
            weight_decay: self.number(Field::WeightDecay)?,
            ..OptimizerSettings::default()
        };
        let settings = Settings {
            optimizer,
            batch: usize::try_from(self.whole(Field::Batch)?).ok()?,
            seed: self.whole(Field::Seed)?,
            conditional: self.number(Field::Conditional)?,
            average: self.number(Field::Average),
            max_sweeps: u32::try_from(self.whole(Field::MaxSweeps)?).ok()?,
            max_meeting: u32::try_from(self.whole(Field::MaxMeeting)?).ok()?,
            ..Settings::default()
        };
        Some(RunPlan { hidden: self.hidden()?, units: self.units, settings })
    }

    fn hidden(&self) -> Option<Vec<u32>> {
        let text = self.text(Field::Hidden).trim();
        let sizes: Vec<u32> = text.split(',').map(|part| part.trim().parse().ok()).collect::<Option<_>>()?;
        (sizes.len() <= DEEPEST && sizes.iter().all(|size| (1..=WIDEST).contains(size))).then_some(sizes)
    }

    fn number(&self, field: Field) -> Option<f64> {
        f64::from_str(self.text(field).trim()).ok().filter(|x| x.is_finite())
    }

    fn whole(&self, field: Field) -> Option<u64> {
        u64::from_str(self.text(field).trim()).ok()
    }
}

/// Whether two plans ask for the same run; the image shape is the worker's to set.
pub fn same_run(a: &RunPlan, b: &RunPlan) -> bool {
    let without = |plan: &RunPlan| RunPlan { settings: Settings { image: None, ..plan.settings.clone() }, ..plan.clone() };
    without(a) == without(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(field: Field, text: &str) -> Draft {
        let mut draft = Draft::digits();
        draft.set(field, text.into());
        draft
    }

    #[test]
    fn what_is_suggested_is_a_run_and_comes_back_as_the_same_form() {
        for draft in [Draft::digits(), Draft::bars()] {
            let plan = draft.plan().unwrap();
            assert!(plan.settings.check(784).is_ok());
            assert_eq!(Draft::of(&plan).plan(), Some(plan));
        }
    }

    #[test]
    fn nonsense_is_named() {
        for text in ["", "0", "500,", "4001", "1.5", "a", "1,2,3,4,5", "-3"] {
            assert!(with(Field::Hidden, text).problem(Field::Hidden).is_some(), "{text}");
        }
        for text in ["NaN", "inf", "0", "-1", "11", ""] {
            assert!(with(Field::Rate, text).plan().is_none(), "{text}");
        }
        assert!(with(Field::Average, " ").plan().is_some_and(|plan| plan.settings.average.is_none()));
        assert!(with(Field::Average, "1").problem(Field::Average).is_some_and(|p| p.contains("“1”")));
        assert!(with(Field::Seed, "9007199254740992").plan().is_none());
    }
}
