//! The available estimators: one row each, from which forms, plots, tables and the address are made.

use crate::ui::table::rows;
use dbm_core::gradient::EstimatorSettings;
use std::sync::LazyLock;

/// The names of an estimator, its settings, and how it is drawn.
#[derive(Debug)]
pub struct EstimatorRow {
    /// Its name in the literature.
    pub title: &'static str,
    /// Its name in the address and in `dbm`.
    pub name: String,
    /// What it is, in a sentence or two.
    pub help: &'static str,
    /// The settings it runs with.
    pub settings: EstimatorSettings,
    /// Its hue in plots, 0 to 5.
    pub hue: usize,
    /// Lengths of ink and gap of its line, in pixels.
    pub dash: &'static [f64],
    /// Its mark in a plot, as a path around the origin.
    pub mark: &'static str,
}

/// Number of estimators.
pub const COUNT: usize = 8;

/// Hue and dash of each.
const DRAWN: [(usize, &[f64]); COUNT] = [
    (0, &[]),
    (3, &[7.0, 3.0]),
    (4, &[2.0, 2.0]),
    (1, &[2.0, 2.0]),
    (1, &[10.0, 3.0, 2.0, 3.0]),
    (2, &[]),
    (2, &[7.0, 3.0]),
    (5, &[2.0, 2.0]),
];

/// All estimators, in the order of the plots.
pub static ESTIMATORS: LazyLock<Vec<EstimatorRow>> = LazyLock::new(|| {
    let row = |([title, mark, help], (hue, dash)): ([&'static str; 3], (usize, &'static [f64]))| {
        let name = title.to_ascii_lowercase();
        // Few particles on a short path: there is more to correct, and samples are drawn sooner.
        let settings = EstimatorSettings { particles: 4, smc_steps: 4, ..name.parse().unwrap_or_default() };
        EstimatorRow { title, name, help, settings, hue, dash, mark }
    };
    rows(include_str!("estimators.txt")).zip(DRAWN).map(row).collect()
});
