//! The exact bias of every estimator on random models: the table of `dbm bias`.

use crate::expectation::Expected;
use crate::gradient::{EstimatorKind, expectation};
use crate::rng::{Purpose, Stream, Streams};
use crate::{Dbm, DbmError, Settings, Units, exact, init};

/// The most visible vectors examined per model.
const MOST_EXAMPLES: usize = 8;

/// One estimator's biases.
#[derive(Clone, Debug, PartialEq)]
pub struct BiasRow {
    /// The estimator, with any special settings.
    pub name: String,
    /// Whether theory says it is unbiased.
    pub unbiased: bool,
    /// For each seed: `max |E[estimate] - exact gradient|` over examples and parameters.
    pub by_seed: Vec<f64>,
    /// The largest such bias of the positive phase alone, over all seeds.
    pub positive: f64,
    /// The same for the negative phase.
    pub negative: f64,
    /// Largest probability that a coupling had not met by its cap, or ever.
    pub unmet: f64,
}

impl BiasRow {
    /// The largest bias over all seeds.
    pub fn max(&self) -> f64 {
        self.by_seed.iter().copied().fold(0.0, f64::max)
    }
}

/// What [`bias_table`] computes.
#[derive(Clone, Debug, PartialEq)]
pub struct BiasTable {
    /// Kind of units.
    pub units: Units,
    /// Layer sizes, the visible one first.
    pub sizes: Vec<usize>,
    /// Number of models, with seeds 1, 2, ...
    pub seeds: u64,
    /// Standard deviation of their Gaussian weights.
    pub deviation: f64,
    /// Cap on couplings; `u32::MAX` for none.
    pub max_meeting: u32,
    /// Settings of further estimators, each of which gets a row.
    pub more: Vec<Settings>,
}

impl BiasTable {
    /// For models of these sizes, with weights strong enough to expose every shortcut: deviation 0.5 for signs and 1 for bits, whose fields
    /// move half as far for the same weight.
    pub fn new(units: Units, sizes: &[usize], seeds: u64) -> Self {
        let deviation = if units == Units::Signs { 0.5 } else { 1.0 };
        Self { units, sizes: sizes.to_vec(), seeds, deviation, max_meeting: u32::MAX, more: vec![] }
    }

    /// The model for a seed: Gaussian weights, and biases that are Logistic(0, 1/2) for signs and zero for bits.
    ///
    /// # Errors
    /// Those of [`crate::check_sizes`].
    pub fn model(&self, seed: u64) -> Result<Dbm, DbmError> {
        init::gaussian(&self.sizes, self.units, self.deviation, seed)
    }
}

/// A row to be filled in.
struct Kind {
    name: String,
    settings: Settings,
    masked: bool,
    steps_before: u32,
}

/// Steps with unchanged parameters after which persistent chains are examined again.
const LATER: u32 = 100;

impl BiasTable {
    fn kinds(&self) -> Vec<Kind> {
        let kind = |name: &str| Kind {
            name: name.into(),
            settings: Settings {
                estimator: name.parse().expect("a name that its descriptor gives"),
                max_meeting: self.max_meeting,
                ..Settings::default()
            },
            masked: false,
            steps_before: 0,
        };
        let (mut kinds, mut later) = (Vec::new(), Vec::new());
        for its in EstimatorKind::ALL.map(EstimatorKind::descriptor) {
            for &name in its.bias_rows {
                kinds.push(kind(name));
                if its.unbiased {
                    let settings = Settings { marginalize: false, ..kind(name).settings };
                    kinds.push(Kind { name: format!("{name}, not marginalized"), settings, ..kind(name) });
                    kinds.push(Kind { name: format!("{name}, conditional"), masked: true, ..kind(name) });
                }
                if its.persistent {
                    later.push(Kind { name: format!("{name}, after {LATER} steps at rest"), steps_before: LATER, ..kind(name) });
                }
            }
        }
        kinds.append(&mut later);
        let more = self.more.iter().map(|settings| Kind {
            name: settings.estimator.to_string(),
            settings: settings.clone(),
            masked: false,
            steps_before: 0,
        });
        kinds.extend(more);
        kinds
    }
}

/// The exact bias of every estimator, for one example, on random models: `max |E[estimate] - exact gradient|` over the parameters and up to
/// eight visible vectors (all of them, or eight drawn by the seed; each with a random mask if the estimate is conditional).
///
/// `each` is called after every model with the number of models done.
///
/// # Errors
/// Those of [`crate::check_sizes`]; [`DbmError::TooManyUnits`] above [`crate::expectation::MAX_UNITS`] units in all.
pub fn bias_table(table: &BiasTable, mut each: impl FnMut(u64)) -> Result<Vec<BiasRow>, DbmError> {
    let kinds = table.kinds();
    let mut rows: Vec<BiasRow> = kinds
        .iter()
        .map(|kind| BiasRow {
            name: kind.name.clone(),
            unbiased: kind.settings.estimator.kind.is_unbiased() && kind.settings.max_meeting == u32::MAX,
            by_seed: vec![],
            positive: 0.0,
            negative: 0.0,
            unmet: 0.0,
        })
        .collect();
    for seed in 1..=table.seeds {
        let model = table.model(seed)?;
        let examples = examples(model.n_visible(), seed);
        for (kind, row) in kinds.iter().zip(&mut rows) {
            row.by_seed.push(0.0);
            add_model(&model, &examples, kind, row)?;
        }
        each(seed);
    }
    Ok(rows)
}

/// A visible vector and a mask for it.
struct Example {
    visible: Vec<Option<bool>>,
    known: Vec<bool>,
}

fn examples(width: usize, seed: u64) -> Vec<Example> {
    let mut stream = Streams::new(seed).at(Purpose::Mask, 0, 0);
    let bits = |code: u64| (0..width).map(move |i| code >> i & 1 == 1);
    let all = if width < 4 { 1 << width } else { MOST_EXAMPLES };
    let code = |place: usize, stream: &mut Stream| if width < 4 { place as u64 } else { stream.below(1 << width) };
    let mut example = |place| Example {
        visible: bits(code(place, &mut stream)).map(Some).collect(),
        known: bits(stream.below(1 << width)).collect(),
    };
    (0..all).map(&mut example).collect()
}

fn add_model(model: &Dbm, examples: &[Example], kind: &Kind, row: &mut BiasRow) -> Result<(), DbmError> {
    let estimator = expectation(&kind.settings);
    let shared = !kind.masked && !estimator.negative_sees_all();
    let mut negative_before = None;
    for Example { visible, known } in examples {
        let free = vec![false; known.len()];
        let known = if kind.masked { known } else { &free };
        let positive = phase(&estimator.expected_positive(model, visible)?, model, visible, &vec![true; known.len()], row)?;
        let negative = match negative_before.take() {
            Some(negative) if shared => negative,
            _ => phase(&estimator.expected_negative(model, visible, known, kind.steps_before)?, model, visible, known, row)?,
        };
        let largest = |values: &[f64]| values.iter().map(|x| x.abs()).fold(0.0, f64::max);
        let whole: Vec<f64> = positive.iter().zip(&negative).map(|(p, n)| p - n).collect();
        row.positive = row.positive.max(largest(&positive));
        row.negative = row.negative.max(largest(&negative));
        if let Some(of_seed) = row.by_seed.last_mut() {
            *of_seed = of_seed.max(largest(&whole));
        }
        negative_before = Some(negative);
    }
    Ok(())
}

/// How far the mean of one phase is from the exact value, parameter by parameter.
fn phase(
    mean: &Expected,
    model: &Dbm,
    visible: &[Option<bool>],
    known: &[bool],
    row: &mut BiasRow,
) -> Result<Vec<f64>, DbmError> {
    let truth = exact::expectation(model, &exact::only(visible, known))?.flat();
    row.unmet = row.unmet.max(mean.unmet);
    Ok(mean.values.iter().zip(&truth).map(|(m, t)| m - t).collect())
}
