//! The look at all layers.

use super::measure::Activity;
use super::{Layer, Layers, Plan, PositivePhases};
use crate::data::without_gaps;
use crate::likelihood::Likelihood;
use crate::log_z::{LogZ, ReverseFrom};
use crate::{Error, Session};
use dbm_core::Dbm;
use dbm_data::Dataset;

/// A unit that is high in a smaller share of the examples, or low, hardly ever changes.
const CONSTANT: f64 = 0.02;

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
