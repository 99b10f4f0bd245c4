//! What each hidden layer of a model does: how active its units are over examples, what they say about the class, and what removing the
//! layer costs; and how good the positive phases of training are, layer by layer.

mod activity;
mod posterior;

use crate::columns::table;
use crate::data::without_gaps;
use crate::likelihood::Likelihood;
use crate::log_z::{LogZ, ReverseFrom};
use crate::plot::{Curve, Mark, Panel, svg};
use crate::{Error, Report, Workbench, template};
use activity::Activity;
use clap::Args;
use clap::builder::RangedU64ValueParser;
use dbm_core::Dbm;
use dbm_core::ais::AisSettings;
use dbm_data::Dataset;
use minijinja::context;
pub use posterior::{PositivePhase, PositivePhases};
use serde::Serialize;
use serde_json::{Value, json};

/// A unit that is high, or low, in a smaller share of the examples hardly ever changes.
const CONSTANT: f64 = 0.02;

/// How to examine a model's layers.
#[derive(Args, Clone, Debug)]
pub struct Plan {
    /// Test examples, from the first
    #[arg(long, default_value_t = 2000, value_parser = RangedU64ValueParser::<usize>::new().range(2..))]
    pub count: usize,
    /// Gibbs sweeps of the hidden layers with an example clamped; only the second half counts
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub sweeps: u32,
    /// The annealing for each log p(v).
    #[arg(skip)]
    pub ais: AisSettings,
    /// Particles that are taken to the posterior of each example
    #[arg(long = "posterior-particles", default_value_t = 32, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=100_000))]
    pub particles: usize,
    /// Seed of all chains
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
}

/// One hidden layer.
#[derive(Clone, Debug, Serialize)]
pub struct Layer {
    /// Its number, 1 for the one above the pixels.
    pub layer: usize,
    /// Share of examples and sweeps in which each unit is high.
    pub high: Vec<f64>,
    /// Share of its units that are high, or low, in less than 2 % of the examples.
    pub constant: f64,
    /// Mutual information of each unit with the class, in bits, if the examples have classes.
    pub information: Option<Vec<f64>>,
    /// Mean of log p(v) without this layer and those above it, with each of its units replaced by its mean over the examples; nats.
    pub log_p_without: f64,
}

/// All of them.
#[derive(Clone, Debug, Serialize)]
pub struct Layers {
    /// Number of examples.
    pub count: usize,
    /// Mean of log p(v) of the complete model, in nats.
    pub log_p: f64,
    /// Entropy of the class, in bits: an upper bound on what a unit can say, apart from its limit of one bit.
    pub class_entropy: Option<f64>,
    /// The layers, starting with the one above the pixels.
    pub layers: Vec<Layer>,
    /// How good the positive phases of training are.
    pub positive: PositivePhases,
}

impl Plan {
    /// Examines all hidden layers of a model.
    ///
    /// # Errors
    /// Data with gaps; those of log Z.
    pub fn measure(&self, model: &Dbm, data: &Dataset, session: &Workbench) -> Result<Layers, Error> {
        without_gaps(data, "layers are measured on whole examples")?;
        let activity = Activity::of(model, data, (self.count, self.sweeps, self.seed), session);
        let log_p = self.log_p(model, data, session)?;
        let mut layers = Vec::new();
        for layer in 1..=model.depth() {
            let high = activity.high(layer);
            let constant = high.iter().filter(|&&p| p.min(1.0 - p) < CONSTANT).count() as f64 / high.len() as f64;
            let log_p_without = self.log_p(&without(model, layer, &high)?, data, session)?;
            layers.push(Layer { layer, constant, information: activity.information(layer), log_p_without, high });
        }
        let positive = PositivePhases::of(model, data, (self.count, self.seed), session);
        Ok(Layers { count: self.count, log_p, class_entropy: activity.class_entropy(), layers, positive })
    }

    /// The mean of log p(v), with the low side of log Z.
    fn log_p(&self, model: &Dbm, data: &Dataset, session: &Workbench) -> Result<f64, Error> {
        let data = (data, self.count);
        let log_z = LogZ::of(model, Some(data), &self.ais, (ReverseFrom::Nowhere, 0), session)?;
        let likelihood = Likelihood::of(model, data, &log_z, (self.particles, 0, self.seed), session)?;
        Ok(likelihood.log_p_particles.unwrap_or(likelihood.log_p_bound))
    }
}

/// The model in which the layer below no longer receives this layer but its units' means: with `p` the share in which each is high, the
/// biases are `b_{l-1} + W_{l-1} (low + gap p)` and `W_{l-1} = 0`.
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

impl Report for Layers {
    fn json(&self) -> Value {
        json!({ "layers": self })
    }

    fn text(&self) -> String {
        template::text("layers.txt", include_str!("layers.txt"), &context! { layers => self })
    }

    /// One row per unit.
    fn csv(&self) -> Result<String, Error> {
        let rows = self.layers.iter().flat_map(|layer| {
            (0..layer.high.len()).map(move |unit| {
                let information = layer.information.as_ref().map(|information| information[unit]);
                json!({ "layer": layer.layer, "unit": unit, "high": layer.high[unit], "information_bits": information,
                        "log_p_without_layer": layer.log_p_without })
            })
        });
        Ok(table("layer,unit,high,information_bits,log_p_without_layer", rows))
    }

    /// Two panels: the share of examples in which units are high, and their mutual information with the class, if there are classes; the
    /// units of each layer are sorted and placed from first to last in per cent.
    fn figure(&self) -> Result<String, Error> {
        let panel = |title: &str, y_label: &str, of: &dyn Fn(&Layer) -> Option<Vec<f64>>| {
            let curves = self.layers.iter().filter_map(|layer| {
                let mut values = of(layer)?;
                values.sort_by(|a, b| b.total_cmp(a));
                let n = values.len().max(2) as f64 - 1.0;
                let marks = values.into_iter().enumerate().map(|(place, value)| Mark::at(100.0 * place as f64 / n, value));
                Some(Curve { name: format!("layer {}", layer.layer), marks: marks.collect() })
            });
            Panel {
                title: title.into(),
                x_label: "units of a layer, sorted, per cent".into(),
                y_label: y_label.into(),
                curves: curves.collect(),
                ..Panel::default()
            }
        };
        let mut panels = vec![panel("How often units are high", "share of examples", &|layer| Some(layer.high.clone()))];
        if self.class_entropy.is_some() {
            panels.push(panel("What units tell about the class", "mutual information, bits", &|layer| layer.information.clone()));
        }
        svg(&panels, 2)
    }
}
