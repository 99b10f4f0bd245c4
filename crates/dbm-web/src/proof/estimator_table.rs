//! The estimators that can be chosen: one row each, from which forms, plots, tables and the address are made.

use crate::ui::number::decimal;
use crate::ui::texts::rows;
use dbm_core::gradient::EstimatorSettings;
use std::sync::LazyLock;

/// What an estimator is called, what it is, and how it is drawn.
#[derive(Debug)]
pub struct EstimatorRow {
    /// As the literature writes it.
    pub title: &'static str,
    /// As the address and `dbm` name it.
    pub name: String,
    /// What it is, in a sentence or two.
    pub help: &'static str,
    /// What it runs with.
    pub settings: EstimatorSettings,
    /// Its hue in plots, 0 to 5.
    pub hue: usize,
    /// Lengths of ink and gap of its line, in pixels.
    pub dash: Vec<f64>,
    /// Its mark in a plot, as a path around the origin.
    pub mark: &'static str,
}

/// How many there are.
pub const COUNT: usize = 8;

/// All of them, in the order of the plots.
pub static ESTIMATORS: LazyLock<Vec<EstimatorRow>> = LazyLock::new(|| {
    let row = |[title, hue, dash, mark, help]: [&'static str; 5]| {
        let name = title.to_ascii_lowercase();
        // Few particles on a short way: more to correct, and sooner drawn.
        let settings = EstimatorSettings { particles: 4, smc_steps: 4, ..name.parse().unwrap_or_default() };
        let dash = dash.split(' ').filter_map(decimal).collect();
        EstimatorRow { title, name, help, settings, hue: hue.parse().unwrap_or_default(), dash, mark }
    };
    rows(include_str!("estimators.txt")).map(row).collect()
});
