//! What is seen of the layers of a model.

use super::PositivePhases;
use serde::Serialize;

/// One hidden layer.
#[derive(Clone, Debug, Serialize)]
pub struct Layer {
    /// Its number, 1 for the one above the pixels.
    pub layer: usize,
    /// Share of examples and sweeps in which each unit is high.
    pub high: Vec<f64>,
    /// Share of its units that are high, or low, in less than 2 % of them.
    pub constant: f64,
    /// Mutual information of each unit with the class, in bits, where the examples have classes.
    pub information: Option<Vec<f64>>,
    /// Mean of log p(v) without this layer and those above it, each of its units replaced by its mean over the examples; nats.
    pub log_p_without: f64,
}

/// All of them.
#[derive(Clone, Debug, Serialize)]
pub struct Layers {
    /// Number of examples.
    pub count: usize,
    /// Mean of log p(v) of the whole model, in nats.
    pub log_p: f64,
    /// Entropy of the class, in bits: the most that a unit could tell, were it not for the one bit that it has.
    pub class_entropy: Option<f64>,
    /// The first above the pixels first.
    pub layers: Vec<Layer>,
    /// How good the positive phases of training are.
    pub positive: PositivePhases,
}
