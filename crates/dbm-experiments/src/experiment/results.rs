//! The results of an experiment: as a table, and as values for its claims and texts.

use super::measure::Measured;
use crate::columns::{csv, flat};
use dbm_core::Dbm;
use dbm_core::math::mean_and_error;
use dbm_data::Checkpoint;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Models, and measurements that need none.
#[derive(Default)]
pub struct Results {
    /// In the order in which they were trained.
    pub models: Vec<MeasuredModel>,
    pub shared: BTreeMap<String, Measured>,
}

/// A model, trained once per seed.
#[derive(Default)]
pub struct MeasuredModel {
    pub name: String,
    /// The group of models it belongs to.
    pub group: String,
    pub words: String,
    /// The paper's score for it.
    pub paper: Option<f64>,
    /// Sizes of all layers, such as `784-500-10`.
    pub sizes: String,
    /// Number of weights and biases.
    pub parameters: usize,
    pub steps: u64,
    /// The command that trains the first of its runs.
    pub command: String,
    /// One for each seed whose run did not diverge.
    pub runs: Vec<MeasuredRun>,
    /// Number of runs that diverged.
    pub diverged: usize,
}

/// A run of a model, measured.
pub struct MeasuredRun {
    pub seed: u64,
    /// Seconds of training.
    pub seconds: f64,
    /// Equal for models that agree to the bit.
    pub checksum: u64,
    pub measured: BTreeMap<String, Measured>,
}

impl Results {
    /// A model by name; `None` if a toy omits it.
    pub fn model(&self, name: &str) -> Option<&MeasuredModel> {
        self.models.iter().find(|model| model.name == name)
    }

    /// `models` and `shared` by name, and the models of each of the `groups` in order.
    pub fn facts(&self) -> Value {
        let mut models = Map::new();
        let mut groups: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
        for model in &self.models {
            let facts = model.facts();
            groups.entry(&model.group).or_default().push(facts.clone());
            models.insert(model.name.clone(), facts);
        }
        let shared: BTreeMap<&String, &Value> = self.shared.iter().map(|(name, its)| (name, &its.scores)).collect();
        json!({ "models": models, "groups": groups, "shared": shared })
    }

    /// One row per measurement, and one column per number that occurs in any of them.
    pub fn table(&self) -> String {
        let mut rows = Vec::new();
        for (name, measured) in &self.shared {
            rows.extend(measured.rows().into_iter().map(|row| ([json!(null), json!(null), json!(name)], row)));
        }
        for model in &self.models {
            for run in &model.runs {
                for (name, measured) in &run.measured {
                    let of = || [json!(model.name), json!(run.seed), json!(name)];
                    rows.extend(measured.rows().into_iter().map(|row| (of(), row)));
                }
            }
            let diverged = [json!(model.name), json!(null), json!("diverged")];
            rows.extend((0..model.diverged).map(|_| (diverged.clone(), BTreeMap::new())));
        }
        let names: BTreeSet<String> = rows.iter().flat_map(|(_, row)| row.keys().cloned()).collect();
        let columns: Vec<&str> = ["model", "seed", "measure"].into_iter().chain(names.iter().map(String::as_str)).collect();
        csv(
            &columns.join(","),
            rows.iter().map(|(of, row)| json!([of, names.iter().map(|name| row.get(name)).collect::<Vec<_>>()])),
        )
    }
}

impl Measured {
    /// Numbers and words, by column name.
    fn rows(&self) -> Vec<BTreeMap<String, Value>> {
        if self.meeting_times.is_empty() {
            vec![flat("", &self.scores)]
        } else {
            self.meeting_times.iter().map(|row| flat("", &row.line())).collect()
        }
    }
}

impl MeasuredModel {
    /// What a trained model says of itself, and of how it was trained.
    pub fn describe(&mut self, model: &Dbm, checkpoint: &Checkpoint) {
        self.sizes = model.sizes().iter().map(usize::to_string).collect::<Vec<_>>().join("-");
        self.parameters = model.n_parameters();
        self.steps = checkpoint.step;
        self.command = checkpoint.notes.get("command").cloned().unwrap_or_default();
    }

    /// Means over the runs, by name of measure; their standard errors, in the same places below `errors`; and everything else that is
    /// known.
    fn facts(&self) -> Value {
        let mut facts = json!({
            "name": self.name, "words": self.words, "paper": self.paper, "sizes": self.sizes, "parameters": self.parameters,
            "steps": self.steps, "command": self.command, "diverged": self.diverged,
            "checksums": self.runs.iter().map(|run| run.checksum).collect::<Vec<_>>(),
            "seconds": self.runs.iter().map(|run| run.seconds).sum::<f64>() / self.runs.len().max(1) as f64,
            "errors": {},
        });
        for name in self.runs.first().into_iter().flat_map(|run| run.measured.keys()) {
            let of_runs: Vec<&Value> = self.runs.iter().map(|run| &run.measured[name].scores).collect();
            facts[name] =
                if let [only] = of_runs[..] { only.clone() } else { combined(&of_runs, |values| mean_and_error(values).0) };
            facts["errors"][name] = combined(&of_runs, |values| mean_and_error(values).1);
        }
        facts
    }
}

/// Combines the numbers in each place into one number; of anything else, takes the first.
fn combined(all: &[&Value], of: fn(&[f64]) -> f64) -> Value {
    let inner = |value: &dyn Fn(&Value) -> Option<Value>| {
        let values: Vec<Value> = all.iter().filter_map(|all| value(all)).collect();
        combined(&values.iter().collect::<Vec<_>>(), of)
    };
    match all.first() {
        Some(Value::Number(_)) => json!(of(&all.iter().filter_map(|value| value.as_f64()).collect::<Vec<_>>())),
        Some(Value::Array(first)) => (0..first.len()).map(|at| inner(&|value| value.get(at).cloned())).collect(),
        Some(Value::Object(first)) => {
            first.keys().map(|key| (key.clone(), inner(&|value| value.get(key).cloned()))).collect::<Map<_, _>>().into()
        }
        other => other.map_or(Value::Null, |&other| other.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(runs: &[f64]) -> MeasuredModel {
        let measured = |score: f64| Measured {
            scores: json!({ "score": score, "shares": [0.5, score], "by": "mode" }),
            ..Measured::default()
        };
        let run = |(seed, &score): (u64, &f64)| MeasuredRun {
            seed,
            seconds: 2.0,
            checksum: 7,
            measured: BTreeMap::from([("own".to_string(), measured(score))]),
        };
        MeasuredModel {
            name: "a".into(),
            group: "all".into(),
            runs: (1..).zip(runs).map(run).collect(),
            diverged: 1,
            ..MeasuredModel::default()
        }
    }

    #[test]
    fn runs_are_averaged_and_every_number_has_its_cell() {
        let results = Results { models: vec![model(&[1.0, 3.0])], shared: BTreeMap::new() };
        let facts = results.facts();
        assert_eq!(facts["models"]["a"]["own"], json!({ "score": 2.0, "shares": [0.5, 2.0], "by": "mode" }));
        assert_eq!(facts["groups"]["all"][0]["errors"]["own"]["score"], 1.0);
        assert_eq!(
            results.table(),
            "model,seed,measure,by,score,shares_0,shares_1\na,1,own,mode,1,0.5,1\na,2,own,mode,3,0.5,3\na,,diverged,,,,\n"
        );
        // A single run has no known error.
        assert_eq!(model(&[1.0]).facts()["errors"]["own"]["score"], Value::Null);
    }
}
