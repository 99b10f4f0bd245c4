//! One set of chains per start, which continues through all numbers of sweeps.

use super::{ChainRun, Digits, Exact, Look, Model, StartVerdict};
use crate::samples::CHAINS;
use crate::score::Reference;
use crate::{Error, Workbench};
use dbm_core::complete::{ChainStart, Completer, unchanged_since};
use dbm_core::linalg::Matrix;
use dbm_core::math::mean_and_error;
use dbm_core::words::{Choice, Choose, Label, choice, words};
use dbm_core::{Dbm, Examples};
use dbm_engine::MAX_SWEEPS;
use std::ops::Range;

/// What the classifier sees of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// The mode of a search that starts from a copy of it, as for all samples.
    Mode,
    /// Its present visible units.
    Bits,
}

impl Choose for Seen {
    const WORDS: Label = words("look", "Look", "What the classifier is shown of each chain");
    const CHOICES: &'static [Choice<Self>] = &[
        choice(Self::Mode, "mode", "mode", "The mode where a local search from a copy of it ends, as for all samples"),
        choice(Self::Bits, "bits", "bits", "Its visible units as they are"),
    ];
}

/// What to measure.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The starts of the chains.
    pub starts: Vec<ChainStart>,
    /// Numbers of sweeps, increasing.
    pub sweeps: Vec<u32>,
    /// Chains from each start.
    pub chains: usize,
    /// The kind of chains.
    pub seed: u64,
    /// What the classifier sees.
    pub seen: Seen,
}

/// The model of the chains, and what to compare it with.
pub struct Subject<'a> {
    /// The model.
    pub model: &'a Dbm,
    /// Its label in figures.
    pub name: String,
    /// Training examples without gaps, from which the data chains start: chain c at example c, starting over after the last.
    pub examples: &'a Examples,
    /// Real digits, if it is a model of digits.
    pub reference: Option<&'a Reference>,
}

/// The state of some chains at one look.
struct LookPart {
    seen: Vec<u8>,
    energies: Vec<f64>,
    highs: Vec<f64>,
    /// For each visible unit, the number of chains in which it is high.
    counts: Vec<u64>,
    capped: usize,
}

impl Plan {
    /// Checks the order of the sweeps, through which the chains go only once.
    ///
    /// # Errors
    /// [`Error::Usage`].
    pub fn check(&self) -> Result<(), Error> {
        if self.starts.is_empty() || self.sweeps.is_empty() || !self.sweeps.is_sorted_by(|a, b| a < b) {
            let got = self.sweeps.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
            return Err(Error::Usage(format!("--sweeps should be numbers that rise, such as 1,10,50, but is {got:?}")));
        }
        Ok(())
    }

    /// Measures one model. The numbers depend on the plan, the model and the data, not on the number of threads.
    ///
    /// # Errors
    /// Examples or pictures that do not fit the model.
    pub fn measure(&self, subject: &Subject, session: &Workbench) -> Result<Model, Error> {
        let Subject { model, name, examples, reference } = subject;
        examples.check_width(model.n_visible())?;
        let exact = Exact::of(model)?;
        let floor = reference.map(|reference| reference.quality_of_train(session, self.chains)).transpose()?;
        let starts = self.starts.iter().map(|&start| self.run(start, subject, exact.as_ref(), session));
        Ok(Model {
            name: name.clone(),
            chains: self.chains,
            floor,
            exact_energy: exact.as_ref().map(|exact| exact.energy),
            starts: starts.collect::<Result<_, Error>>()?,
        })
    }

    fn run(&self, start: ChainStart, subject: &Subject, exact: Option<&Exact>, session: &Workbench) -> Result<ChainRun, Error> {
        let unit = format!("chains from {}", start.choice().label);
        let parts = session.in_parts(&unit, 0..self.chains, CHAINS, |part| self.walk(start, subject, part));
        let together = parts.into_iter().reduce(|mut looks, part| {
            looks.iter_mut().zip(part).for_each(|(look, part)| look.append(part));
            looks
        });
        let all = together.unwrap_or_default();
        let read = |look: &LookPart| {
            subject.reference.map(|reference| reference.scorer.quality(session, &reference.levels(&look.seen))).transpose()
        };
        let classes_at_start = all.first().map(read).transpose()?.flatten().map_or(vec![], |(_, classes)| classes);
        let mut classes_before = classes_at_start.clone();
        let mut looks = Vec::with_capacity(self.sweeps.len());
        for (&sweeps, look) in self.sweeps.iter().zip(all.iter().skip(1)) {
            let digits = read(look)?.map(|(quality, classes)| {
                let crossed = differing(&classes_before, &classes);
                let crossed_since_start = differing(&classes_at_start, &classes);
                classes_before = classes;
                Digits { quality, crossed, crossed_since_start }
            });
            let ((energy, energy_error), (high, high_error)) = (mean_and_error(&look.energies), mean_and_error(&look.highs));
            let exact = exact.map(|exact| exact.deviation(&look.counts, self.chains));
            let searches_capped = look.capped;
            looks.push(Look { sweeps, energy, energy_error, high, high_error, searches_capped, digits, exact });
        }
        let since = |of: fn(&LookPart) -> &Vec<f64>| unchanged_since(&all.iter().skip(1).map(of).cloned().collect::<Vec<_>>());
        let since = since(|look| &look.energies).zip(since(|look| &look.highs));
        let unchanged_since = since.map(|(energies, highs)| self.sweeps[energies.max(highs)]);
        Ok(ChainRun { start, verdict: StartVerdict::of(&looks), looks, unchanged_since })
    }

    /// The looks at some chains: at the start, and after each number of sweeps.
    fn walk(&self, start: ChainStart, subject: &Subject, part: Range<usize>) -> Vec<LookPart> {
        let Subject { model, examples, .. } = subject;
        let mut rows = Matrix::zeros(part.len(), model.n_visible());
        for (row, chain) in part.clone().enumerate() {
            examples.write_row(chain % examples.len(), model.units(), rows.row_mut(row));
        }
        let mut chains = Completer::begin(model, start, rows, (self.seed, part.start as u64), MAX_SWEEPS);
        // A digit is its own start; noise cannot be read.
        let mut parts = vec![look(model, &mut chains, if start == ChainStart::Data { Seen::Bits } else { Seen::Mode })];
        let mut done = 0;
        for &sweeps in &self.sweeps {
            (done..sweeps).for_each(|_| chains.sweep(model));
            done = sweeps;
            parts.push(look(model, &mut chains, self.seen));
        }
        parts
    }
}

impl LookPart {
    fn append(&mut self, more: Self) {
        self.seen.extend(more.seen);
        self.energies.extend(more.energies);
        self.highs.extend(more.highs);
        self.counts.iter_mut().zip(more.counts).for_each(|(count, more)| *count += more);
        self.capped += more.capped;
    }
}

/// The state of some chains at one look: as they are, and as shown to the classifier.
fn look(model: &Dbm, chains: &mut Completer, seen: Seen) -> LookPart {
    let bits = chains.visible_bits();
    let (highs, mut counts) = (bits.chunks(model.n_visible()), vec![0; model.n_visible()]);
    highs.clone().for_each(|chain| counts.iter_mut().zip(chain).for_each(|(count, &bit)| *count += u64::from(bit)));
    let highs = highs.map(|chain| chain.iter().map(|&bit| f64::from(bit)).sum()).collect();
    let energies = chains.energies(model);
    let (seen, searches) = match seen {
        Seen::Mode => chains.look(model, MAX_SWEEPS),
        Seen::Bits => (bits, vec![]),
    };
    LookPart { seen, energies, highs, counts, capped: searches.iter().filter(|search| search.capped).count() }
}

/// The share of chains whose class has changed.
fn differing(before: &[u8], now: &[u8]) -> f64 {
    before.iter().zip(now).filter(|(before, now)| before != now).count() as f64 / now.len() as f64
}
