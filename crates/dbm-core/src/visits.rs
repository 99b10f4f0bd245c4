//! The order in which a run visits its data, and the bits that a visit sees: those of the example or, if its pixels are grey, bits drawn for
//! this visit alone.

use crate::rng::{Purpose, Streams};
use crate::{Examples, Units};
use std::ops::Range;

/// One visit of a run to an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visit {
    /// Its row.
    pub example: usize,
    /// How often the run has seen it before.
    pub epoch: u64,
    /// Distinguishes runs with one seed.
    run: u64,
}

/// The order in which a run visits its data: epoch by epoch, each in a new random order.
#[derive(Clone, Debug)]
pub struct Visits {
    streams: Streams,
    /// Distinguishes the orders of several runs with one seed.
    run: u64,
    /// The order of one epoch, the last that was needed.
    order: Option<(u64, Vec<u32>)>,
}

impl Visits {
    /// The visits of a run with these streams; `run`, 0 or 1, distinguishes two runs that share them.
    pub fn new(streams: Streams, run: u64) -> Self {
        Self { streams, run, order: None }
    }

    /// The visits of these chains at a step with `batch` of `count` examples.
    pub fn of(&mut self, count: usize, (step, batch): (u64, usize), chains: Range<usize>) -> Vec<Visit> {
        let visit = |chain: usize| {
            let place = u128::from(step) * batch as u128 + chain as u128;
            let (epoch, place) = ((place / count as u128) as u64, (place % count as u128) as usize);
            let known = self.order.take().filter(|(e, order)| *e == epoch && order.len() == count);
            let order = known.unwrap_or_else(|| (epoch, self.streams.at(Purpose::Order, epoch, self.run).permutation(count)));
            Visit { example: self.order.insert(order).1[place] as usize, epoch, run: self.run }
        };
        chains.map(visit).collect()
    }

    /// Writes what a visit sees as unit values; a missing bit is low. If the data have grey levels, unit `i` is high with probability
    /// `level_i / top`, independently of the others. Nothing but seed, run, example and epoch decides the draw, so a run stays a value.
    ///
    /// # Panics
    /// If the example is out of range or `into` is not one row wide.
    pub fn write(&self, data: &Examples, visit: Visit, units: Units, into: &mut [f32]) {
        let Some(greys) = data.greys() else { return data.write_row(visit.example, units, into) };
        let width = data.width();
        assert_eq!(into.len(), width);
        let mut stream = self.streams.at(Purpose::Redraw, 2 * visit.epoch + visit.run, visit.example as u64);
        let top = f64::from(greys.top());
        for (column, (value, &level)) in into.iter_mut().zip(&greys.levels()[visit.example * width..]).enumerate() {
            // Every unit uses up one number, so that its bit depends on its own level alone.
            let high = stream.uniform() * top < f64::from(level);
            *value = units.value(high && data.is_known(visit.example, column));
        }
    }
}
