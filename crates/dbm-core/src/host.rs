//! What the core does not have and its host provides: threads and a clock.

use std::ops::Range;

/// The environment that runs the core. It affects only the time that results take, never the results.
pub trait Host: Sync {
    /// `f` of every item, with the results in the order of the items.
    fn map<T: Send, R: Send>(&self, items: Vec<T>, f: impl Fn(T) -> R + Sync + Send) -> Vec<R>;

    /// Seconds since some fixed moment.
    fn now(&self) -> f64;

    /// How many items [`Host::map`] works on at a time.
    fn threads(&self) -> usize {
        1
    }
}

/// One thread and no clock: every duration it measures is zero.
#[derive(Clone, Copy, Debug, Default)]
pub struct SingleThread;

impl Host for SingleThread {
    fn map<T: Send, R: Send>(&self, items: Vec<T>, f: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
        items.into_iter().map(f).collect()
    }

    fn now(&self) -> f64 {
        0.0
    }
}

/// `0..count` in even pieces of at most `most`, which depend on these two numbers alone: sums over them do not depend on who computes them.
pub(crate) fn even_pieces(count: usize, most: usize) -> Vec<Range<usize>> {
    let n = count.div_ceil(most);
    (0..n).map(|piece| count * piece / n..count * (piece + 1) / n).collect()
}
