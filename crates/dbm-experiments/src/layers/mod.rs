//! What each hidden layer of a model does: how its units are active over examples, what they tell about the class, and what it costs to do without the layer;
//! and how good the positive phases of training are, layer by layer.

mod figure;
mod measure;
mod posterior;

pub use figure::figure;
pub use posterior::{PositivePhase, PositivePhases};

use crate::data::without_gaps;
use crate::likelihood::Likelihood;
use crate::log_z::{LogZ, ReverseFrom};
use crate::{Error, Session, columns, template};
use dbm_core::Dbm;
use dbm_core::ais::AisSettings;
use dbm_data::Dataset;
use measure::Activity;
use minijinja::context;
use serde::Serialize;
use serde_json::json;

/// A unit that is high in a smaller share of the examples, or low, hardly ever changes.
const CONSTANT: f64 = 0.02;

/// How a model's layers are looked at.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Examples, from the first.
    pub count: usize,
    /// Gibbs sweeps of the hidden layers, each example clamped; the second half of them counts.
    pub sweeps: u32,
    /// Of each log p(v).
    pub ais: AisSettings,
    /// Particles that are taken to the posterior of each example.
    pub particles: usize,
    /// Of all chains.
    pub seed: u64,
}

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

impl Plan {
    /// Looks at all hidden layers of a model.
    ///
    /// # Errors
    /// Data with gaps; those of log Z.
    pub fn measure(&self, model: &Dbm, data: &Dataset, session: &Session) -> Result<Layers, Error> {
        without_gaps(data, "what layers do is told of whole examples")?;
        let activity = Activity::of(model, data, self, session);
        let log_p = self.log_p(model, data, session)?;
        let mut layers = Vec::new();
        for layer in 1..=model.depth() {
            let high = activity.high(layer);
            let constant = high.iter().filter(|&&p| p.min(1.0 - p) < CONSTANT).count() as f64 / high.len() as f64;
            let without = without(model, layer, &high)?;
            let log_p_without = self.log_p(&without, data, session)?;
            layers.push(Layer { layer, constant, information: activity.information(layer), log_p_without, high });
        }
        let positive = PositivePhases::of(model, data, self, session);
        Ok(Layers { count: self.count, log_p, class_entropy: activity.class_entropy(), layers, positive })
    }

    /// The mean of log p(v), by the low side of log Z.
    fn log_p(&self, model: &Dbm, data: &Dataset, session: &Session) -> Result<f64, Error> {
        let data = (data, self.count);
        let log_z = LogZ::of(model, Some(data), &self.ais, (ReverseFrom::Nowhere, 0), session)?;
        let likelihood = Likelihood::of(model, data, &log_z, (self.particles, 0, self.seed), session)?;
        Ok(likelihood.log_p_particles.unwrap_or(likelihood.log_p_bound))
    }
}

/// The model in which a layer is not heard any more by the one below it, which hears its units' means in its place: with `p` the share in which each is high, `b_{l-1} + W_{l-1} (low + gap p)` and
/// `W_{l-1} = 0`.
fn without(model: &Dbm, layer: usize, high: &[f64]) -> Result<Dbm, Error> {
    let units = model.units();
    let mut weights: Vec<Vec<f32>> = model.weights().iter().map(|weight| weight.data().to_vec()).collect();
    let mut biases = model.biases().to_vec();
    let means: Vec<f32> = high.iter().map(|&p| units.low() + units.gap() * p as f32).collect();
    for (bias, row) in biases[layer - 1].iter_mut().zip(weights[layer - 1].chunks_exact(means.len())) {
        *bias += row.iter().zip(&means).map(|(w, mean)| w * mean).sum::<f32>();
    }
    weights[layer - 1].fill(0.0);
    Ok(Dbm::new(units, weights, biases)?.with_backend(model.backend()))
}

/// The layers in words.
pub fn text(layers: &Layers) -> String {
    template::text("layers.txt", include_str!("layers.txt"), &context! { layers })
}

/// A row a unit.
pub fn csv(layers: &Layers) -> String {
    let rows = layers.layers.iter().flat_map(|layer| {
        let information = |unit: usize| layer.information.as_ref().map(|information| information[unit]);
        let unit = move |unit: usize| json!([layer.layer, unit, layer.high[unit], information(unit), layer.log_p_without]);
        (0..layer.high.len()).map(unit).collect::<Vec<_>>()
    });
    columns::csv("layer,unit,high,information_bits,log_p_without_layer", rows)
}
