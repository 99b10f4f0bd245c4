//! The estimators that can be chosen: one row each, from which forms, plots, tables and the address are made.

/// What an estimator is called, what it is, and how it is drawn.
#[derive(Clone, Copy, Debug)]
pub struct EstimatorRow {
    /// As the literature writes it.
    pub title: &'static str,
    /// In the address, and as `dbm` names it.
    pub name: &'static str,
    /// What it is, in a sentence or two.
    pub help: &'static str,
    /// Whether its mean is the exact gradient as long as no cap is reached.
    pub is_unbiased: bool,
    /// Whether it is chosen at first.
    pub is_usual: bool,
    /// Its hue in plots, 0 to 5.
    pub hue: usize,
    /// Lengths of ink and gap of its line, in pixels.
    pub dash: &'static [f64],
    /// Its mark in a plot, as a path around the origin.
    pub mark: &'static str,
}

/// How many there are.
pub const COUNT: usize = 7;

/// All of them, in the order of the plots.
pub const ESTIMATORS: [EstimatorRow; COUNT] = [
    EstimatorRow {
        title: "UCD-LMI",
        name: "ucd-lmi",
        help: "The paper’s: local mode, one Gibbs sweep, then coupled Metropolis chains. Unbiased.",
        is_unbiased: true,
        is_usual: true,
        hue: 0,
        dash: &[],
        mark: "M-3-3H3V3H-3Z",
    },
    EstimatorRow {
        title: "UCD-MH",
        name: "ucd-mh",
        help: "Coupled Metropolis chains from a uniform start. Unbiased, with more variance.",
        is_unbiased: true,
        is_usual: true,
        hue: 3,
        dash: &[7.0, 3.0],
        mark: "M0-4L4 0 0 4-4 0Z",
    },
    EstimatorRow {
        title: "UCD-Gibbs",
        name: "ucd-gibbs",
        help: "Coupled Gibbs chains from a uniform start (Qiu et al. 2020). Unbiased.",
        is_unbiased: true,
        is_usual: true,
        hue: 4,
        dash: &[2.0, 2.0],
        mark: "M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0Z",
    },
    EstimatorRow {
        title: "LMI",
        name: "lmi",
        help: "Local mode and one Gibbs sweep, without the coupling. Biased.",
        is_unbiased: false,
        is_usual: false,
        hue: 1,
        dash: &[10.0, 3.0, 2.0, 3.0],
        mark: "M-3.5-3L3.5-3 0 3.5Z",
    },
    EstimatorRow {
        title: "CD-1",
        name: "cd-1",
        help: "Contrastive divergence: one Gibbs sweep from the data. Biased.",
        is_unbiased: false,
        is_usual: true,
        hue: 2,
        dash: &[],
        mark: "M-3.5 3L3.5 3 0-3.5Z",
    },
    EstimatorRow {
        title: "CD-5",
        name: "cd-5",
        help: "Contrastive divergence with five sweeps. Biased, less so.",
        is_unbiased: false,
        is_usual: false,
        hue: 2,
        dash: &[7.0, 3.0],
        mark: "M-3.5-3L-3.5 3 3.5 0Z",
    },
    EstimatorRow {
        title: "PCD-1",
        name: "pcd-1",
        help: "Persistent chains, one sweep a step, with a mean-field positive phase. At parameters that stand still the chains forget where they began; what is left is the bias of mean field.",
        is_unbiased: false,
        is_usual: true,
        hue: 5,
        dash: &[2.0, 2.0],
        mark: "M-1-4H1V-1H4V1H1V4H-1V1H-4V-1H-1Z",
    },
];
