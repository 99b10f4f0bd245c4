//! One set of chains from each start, that goes on through all numbers of sweeps.

use super::{Digits, Exact, Look, Model, Run, Verdict};
use crate::samples::CHAINS;
use crate::score::Reference;
use crate::{Error, Session};
use dbm_core::complete::{ChainStart, Completer, unchanged_since};
use dbm_core::linalg::Matrix;
use dbm_core::math::mean_and_error;
use dbm_core::words::{Choice, Choose, Words, choice, words};
use dbm_core::{Dbm, Examples};
use dbm_engine::MAX_SWEEPS;
use std::ops::Range;

/// After how many sweeps chains are looked at, where nothing else is asked for.
pub const SWEEPS: [u32; 6] = [1, 10, 50, 300, 2000, 10_000];

/// What the classifier is shown of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// The mode that a search with a copy of it ends in, as of all samples.
    Mode,
    /// Its visible units as they stand.
    Bits,
}

impl Choose for Seen {
    const WORDS: Words = words("look", "Look", "What the classifier is shown of each chain");
    const CHOICES: &'static [Choice<Self>] = &[
        choice(Self::Mode, "mode", "mode", "The mode that a local search with a copy of it ends in, as of all samples"),
        choice(Self::Bits, "bits", "bits", "Its visible units as they stand"),
    ];
}

/// What is measured.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Where chains begin.
    pub starts: Vec<ChainStart>,
    /// Numbers of sweeps, rising.
    pub sweeps: Vec<u32>,
    /// Chains from each start.
    pub chains: usize,
    /// Which chains.
    pub seed: u64,
    /// What the classifier is shown.
    pub seen: Seen,
}

/// Whose chains, and what they are held against.
pub struct Subject<'a> {
    /// The model.
    pub model: &'a Dbm,
    /// What a figure calls it.
    pub name: String,
    /// Training examples without gaps, which the chains from data begin at: chain c at example c, and from the first again after the last.
    pub examples: &'a Examples,
    /// Real digits, where the model is one of digits.
    pub reference: Option<&'a Reference>,
}

/// What a part of the chains is at one look.
struct Part {
    seen: Vec<u8>,
    energies: Vec<f64>,
    highs: Vec<f64>,
    /// In how many chains each visible unit is high.
    counts: Vec<u64>,
    capped: usize,
}

/// All parts, and what the classifier reads in them.
struct All {
    look: Look,
    energies: Vec<f64>,
    highs: Vec<f64>,
}

impl Plan {
    /// Checks the order of the sweeps, which the chains go through once.
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
    pub fn measure(&self, subject: &Subject, session: &Session) -> Result<Model, Error> {
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

    fn run(&self, start: ChainStart, subject: &Subject, exact: Option<&Exact>, session: &Session) -> Result<Run, Error> {
        let unit = format!("chains from {}", start.choice().label);
        let parts = session.in_parts(&unit, 0..self.chains, CHAINS, |part| self.walk(start, subject, part));
        // Look by look, the parts of each in their order.
        let mut looks: Vec<Vec<Part>> = (0..=self.sweeps.len()).map(|_| Vec::new()).collect();
        parts.into_iter().for_each(|part| looks.iter_mut().zip(part).for_each(|(look, part)| look.push(part)));
        let mut looks = looks.into_iter();
        let mut classes = Classes::default();
        if let (Some(reference), Some(begun)) = (subject.reference, looks.next()) {
            let begun: Vec<u8> = begun.into_iter().flat_map(|part| part.seen).collect();
            classes.begin(reference.quality(session, &begun)?.1);
        }
        let mut all = Vec::with_capacity(self.sweeps.len());
        for (&sweeps, parts) in self.sweeps.iter().zip(looks) {
            all.push(self.join(sweeps, parts, subject, exact, &mut classes, session)?);
        }
        let since = |of: fn(&All) -> &Vec<f64>| unchanged_since(&all.iter().map(|all| of(all).clone()).collect::<Vec<_>>());
        let since = since(|all| &all.energies).zip(since(|all| &all.highs));
        let unchanged_since = since.map(|(energies, highs)| self.sweeps[energies.max(highs)]);
        let looks: Vec<Look> = all.into_iter().map(|all| all.look).collect();
        Ok(Run { start, verdict: Verdict::of(&looks), looks, unchanged_since })
    }

    /// The looks at some chains: at the start, and after each number of sweeps.
    fn walk(&self, start: ChainStart, subject: &Subject, part: Range<usize>) -> Vec<Part> {
        let Subject { model, examples, .. } = subject;
        let mut rows = Matrix::zeros(part.len(), model.n_visible());
        for (row, chain) in part.clone().enumerate() {
            examples.write_row(chain % examples.len(), model.units(), rows.row_mut(row));
        }
        let mut chains = Completer::begin(model, start, rows, (self.seed, part.start as u64), MAX_SWEEPS);
        // A digit is its own beginning; noise is none that can be read.
        let mut parts = vec![look(model, &mut chains, if start == ChainStart::Data { Seen::Bits } else { Seen::Mode })];
        let mut done = 0;
        for &sweeps in &self.sweeps {
            (done..sweeps).for_each(|_| chains.sweep(model));
            done = sweeps;
            parts.push(look(model, &mut chains, self.seen));
        }
        parts
    }

    fn join(
        &self,
        sweeps: u32,
        parts: Vec<Part>,
        subject: &Subject,
        exact: Option<&Exact>,
        classes: &mut Classes,
        session: &Session,
    ) -> Result<All, Error> {
        let (mut seen, mut energies, mut highs) = (Vec::new(), Vec::new(), Vec::new());
        let (mut counts, mut capped) = (vec![0; subject.model.n_visible()], 0);
        for part in parts {
            seen.extend(part.seen);
            energies.extend(part.energies);
            highs.extend(part.highs);
            counts.iter_mut().zip(part.counts).for_each(|(count, more)| *count += more);
            capped += part.capped;
        }
        let digits = match subject.reference {
            None => None,
            Some(reference) => {
                let (quality, read) = reference.quality(session, &seen)?;
                let (crossed, crossed_since_start) = classes.crossed(read);
                Some(Digits { quality, crossed, crossed_since_start })
            }
        };
        let ((energy, energy_error), (high, high_error)) = (mean_and_error(&energies), mean_and_error(&highs));
        let exact = exact.map(|exact| exact.deviation(&counts, self.chains));
        let look = Look { sweeps, energy, energy_error, high, high_error, searches_capped: capped, digits, exact };
        Ok(All { look, energies, highs })
    }
}

/// What chains are at one look: as they stand, and as they are shown to the classifier.
fn look(model: &Dbm, chains: &mut Completer, seen: Seen) -> Part {
    let bits = chains.visible_bits();
    let (highs, mut counts) = (bits.chunks(model.n_visible()), vec![0; model.n_visible()]);
    highs.clone().for_each(|chain| counts.iter_mut().zip(chain).for_each(|(count, &bit)| *count += u64::from(bit)));
    let highs = highs.map(|chain| chain.iter().map(|&bit| f64::from(bit)).sum()).collect();
    let energies = chains.energies(model);
    let (seen, searches) = match seen {
        Seen::Mode => chains.look(model, MAX_SWEEPS),
        Seen::Bits => (bits, vec![]),
    };
    Part { seen, energies, highs, counts, capped: searches.iter().filter(|search| search.capped).count() }
}

/// The class of each chain at its start and at the last look.
#[derive(Default)]
struct Classes {
    start: Vec<u8>,
    last: Vec<u8>,
}

impl Classes {
    fn begin(&mut self, read: Vec<u8>) {
        self.start.clone_from(&read);
        self.last = read;
    }

    /// The shares that changed since the look before, and since the start.
    fn crossed(&mut self, read: Vec<u8>) -> (f64, f64) {
        let share = |before: &[u8]| before.iter().zip(&read).filter(|(a, b)| a != b).count() as f64 / read.len() as f64;
        let shares = (share(&self.last), share(&self.start));
        self.last = read;
        shares
    }
}
