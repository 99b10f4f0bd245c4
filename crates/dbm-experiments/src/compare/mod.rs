//! Several estimators on the same model from the same start, compared by exact log-likelihood.

mod curve;
mod figure;
mod spec;
mod table;

use crate::plot::MAX_CURVES;
use crate::session::OneThread;
use crate::{Error, Report, Workbench};
pub use curve::{Curve, Plan, points};
use dbm_core::{Examples, Footprint, Host, exact};
use serde_json::Value;
pub use spec::Spec;
use std::collections::BTreeMap;
pub use table::Entry;

/// What to compare, and how many runs of each.
pub struct Comparison<'a> {
    /// What all runs have in common.
    pub plan: Plan<'a>,
    /// Estimators and starts.
    pub specs: Vec<Spec>,
    /// The first seed, and the number of seeds.
    pub seeds: (u64, u64),
}

/// The result.
pub struct Compared<'a> {
    /// Name of the data.
    pub data: &'a str,
    /// What all runs had in common.
    pub plan: &'a Plan<'a>,
    /// The runs, estimator by estimator.
    pub entries: Vec<Entry>,
    /// The maximum mean log-likelihood of any model.
    pub attainable: f64,
}

impl Report for Compared<'_> {
    /// One object per run.
    fn json(&self) -> Value {
        self.entries.iter().flat_map(|entry| entry.curves.iter().map(|curve| table::line(&entry.spec, curve))).collect()
    }

    fn text(&self) -> String {
        table::words(&self.entries)
    }

    fn csv(&self) -> Result<String, Error> {
        Ok(table::csv(&self.entries))
    }

    fn figure(&self) -> Result<String, Error> {
        figure::figure(self.data, self.plan, &self.entries, self.attainable)
    }
}

impl Comparison<'_> {
    /// Makes all checks that are possible before the work. `plotted`: whether the curves are to be drawn.
    ///
    /// # Errors
    /// Invalid settings, repeated estimators, models too large for memory or for exact likelihoods.
    pub fn check(&self, plotted: bool, session: &Workbench) -> Result<(), Error> {
        let Self { plan, specs, seeds: (seed, seeds) } = self;
        let (data, steps) = (plan.data, plan.steps());
        if seed.checked_add(*seeds).is_none() {
            return Err(Error::Usage(format!("there are no {seeds} seeds from {seed} on; give a smaller --seed")));
        }
        if plotted && specs.len() > MAX_CURVES {
            let count = specs.len();
            return Err(Error::Usage(format!("--plot shows at most {MAX_CURVES} --estimators, but got {count}; name fewer")));
        }
        for (place, spec) in specs.iter().enumerate() {
            if specs[..place].contains(spec) {
                return Err(Error::Usage(format!("--estimators names {spec} twice; name each once")));
            }
            let settings = plan.settings(spec, *seed);
            settings.check(data.width())?;
            session.memory.check(&Footprint::of_data(&plan.sizes, &settings, data, 1))?;
        }
        if specs.iter().any(|spec| spec.pretrained) {
            plan.pretraining.check()?;
            let (each, matrices) = (plan.pretraining.steps, plan.sizes.len() - 1);
            if each.saturating_mul(matrices as u64) >= steps {
                return Err(Error::Usage(format!(
                    "--pretrain {each} for each of {matrices} weight matrices leaves no step of --steps {steps} to the estimator; give fewer, \
                     or more --steps"
                )));
            }
        }
        exact::log_likelihood(&plan.start(*seed)?, data)?;
        Ok(())
    }

    /// All runs on data with this name, each on its own thread.
    ///
    /// # Errors
    /// Those of the core for settings and sizes; a run that diverges is not an error.
    pub fn run<'a>(&'a self, data: &'a str, session: &Workbench) -> Result<Compared<'a>, Error> {
        let Self { plan, specs, seeds: (first, seeds) } = self;
        // The runs of one seed include all estimators, so that the slow ones do not all come last.
        let seeds = (0..*seeds).map(|i| first.wrapping_add(i));
        let tasks: Vec<(&Spec, u64)> = seeds.flat_map(|seed| specs.iter().map(move |spec| (spec, seed))).collect();
        session.progress.begin("steps", tasks.len() as u64 * plan.steps());
        let curves = session.map(tasks, |(spec, seed)| {
            let curve = plan.follow(spec, seed, &OneThread(session), || session.progress.advance(1))?;
            // The steps that a diverged run will not take.
            session.progress.advance(plan.steps() - curve.diverged.unwrap_or(plan.steps()));
            Ok(curve)
        });
        session.progress.end();
        let curves = curves.into_iter().collect::<Result<Vec<Curve>, Error>>()?;
        let of = |place: usize| curves.iter().skip(place).step_by(specs.len()).cloned().collect();
        let entries = specs.iter().enumerate().map(|(place, spec)| Entry { spec: spec.clone(), curves: of(place) }).collect();
        Ok(Compared { data, plan, entries, attainable: attainable(plan.data) })
    }
}

/// The maximum mean log-likelihood of any model: minus the entropy, in nats, of the distribution that gives each example the same
/// probability.
fn attainable(data: &Examples) -> f64 {
    let mut counts: BTreeMap<Vec<u8>, u32> = BTreeMap::new();
    (0..data.len()).for_each(|row| *counts.entry(data.row(row)).or_default() += 1);
    let share = |count: &u32| f64::from(*count) / data.len() as f64;
    counts.values().map(|count| share(count) * libm::log(share(count))).sum()
}
