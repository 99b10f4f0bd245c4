//! The pairs of chains that the figure compares, each with a kernel and a start.

use crate::ui::table::rows;
use dbm_core::diagnostics::{CouplingKernel, CouplingStart};
use std::sync::LazyLock;

/// A pair: its names, and what it is.
#[derive(Debug, PartialEq)]
pub struct Pair {
    /// Its name in the address.
    pub name: &'static str,
    /// Its name in the legend and the table.
    pub title: &'static str,
    /// What it does, as hover help.
    pub help: &'static str,
    /// How it moves.
    pub kernel: CouplingKernel,
    /// Where it begins.
    pub start: CouplingStart,
    /// The hue of its line.
    pub hue: usize,
    /// Lengths of ink and gap of its line, in pixels.
    pub dash: &'static [f64],
}

const DASHES: [&[f64]; 4] = [&[], &[7.0, 3.0], &[2.0, 3.0], &[9.0, 3.0, 2.0, 3.0]];

/// In the order of the legend and the table; the first is the paper's.
pub static PAIRS: LazyLock<Vec<Pair>> = LazyLock::new(|| {
    let starts = |kernel| [CouplingStart::LocalMode, CouplingStart::Uniform].map(|start| (kernel, start));
    let chains = [CouplingKernel::Metropolis, CouplingKernel::Gibbs].into_iter().flat_map(starts);
    let pair = |(hue, ([name, title, help], (kernel, start))): (usize, ([&'static str; 3], _))| Pair {
        name,
        title,
        help,
        kernel,
        start,
        hue,
        dash: DASHES[hue],
    };
    rows(include_str!("pairs.txt")).zip(chains).enumerate().map(pair).collect()
});
