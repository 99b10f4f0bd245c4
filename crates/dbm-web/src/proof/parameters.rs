//! The parameters of a small model in the order of its gradient, and their names.

use crate::ui::number::subscript;
use dbm_protocol::SmallModel;

/// A parameter, by its position in the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// The weight between unit `from` of a layer and unit `to` of the layer above it.
    Weight { layer: usize, from: usize, to: usize },
    /// The bias of a unit.
    Bias { layer: usize, unit: usize },
}

/// All parameters: the weights of each pair of layers row by row, lowest pair first, then the biases of each layer.
pub fn all(sizes: &[u32]) -> Vec<Parameter> {
    let weights = sizes.windows(2).enumerate().flat_map(|(layer, pair)| {
        let (rows, columns) = (pair[0] as usize, pair[1] as usize);
        (0..rows).flat_map(move |from| (0..columns).map(move |to| Parameter::Weight { layer, from, to }))
    });
    let biases =
        sizes.iter().enumerate().flat_map(|(layer, &n)| (0..n as usize).map(move |unit| Parameter::Bias { layer, unit }));
    weights.chain(biases).collect()
}

/// The number of parameters.
pub fn count(sizes: &[u32]) -> usize {
    let (weights, units) = (sizes.windows(2).map(|pair| pair[0] * pair[1]).sum::<u32>(), sizes.iter().sum::<u32>());
    (weights + units) as usize
}

/// All values, in the order of the gradient.
pub fn values(model: &SmallModel) -> Vec<f32> {
    model.weights.iter().chain(&model.biases).flatten().copied().collect()
}

/// The value of a parameter, by its index.
pub fn value_mut(model: &mut SmallModel, place: usize) -> Option<&mut f32> {
    model.weights.iter_mut().chain(&mut model.biases).flatten().nth(place)
}

/// A unit's name: `v₁`, and `h₂` with one hidden layer, `h1₂` with several.
pub fn unit_name(sizes: &[u32], layer: usize, unit: usize) -> String {
    let number = subscript(unit + 1);
    match layer {
        0 => format!("v{number}"),
        _ if sizes.len() == 2 => format!("h{number}"),
        _ => format!("h{layer}{number}"),
    }
}

impl Parameter {
    /// A short name, for a plot: `v₁ h₂` for a weight, `v₁` for a bias.
    pub fn short(self, sizes: &[u32]) -> String {
        match self {
            Self::Weight { layer, from, to } => format!("{} {}", unit_name(sizes, layer, from), unit_name(sizes, layer + 1, to)),
            Self::Bias { layer, unit } => unit_name(sizes, layer, unit),
        }
    }

    /// Its name in words, for a list.
    pub fn name(self, sizes: &[u32]) -> String {
        match self {
            Self::Weight { layer, from, to } => {
                format!("weight of {} and {}", unit_name(sizes, layer, from), unit_name(sizes, layer + 1, to))
            }
            Self::Bias { layer, unit } => format!("bias of {}", unit_name(sizes, layer, unit)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbm_core::Units;

    #[test]
    fn they_stand_in_the_order_of_the_gradient() {
        let sizes = [2, 3, 1];
        let all = all(&sizes);
        let short: Vec<String> = all.iter().map(|parameter| parameter.short(&sizes)).collect();
        let expected = "v₁ h1₁, v₁ h1₂, v₁ h1₃, v₂ h1₁, v₂ h1₂, v₂ h1₃, h1₁ h2₁, h1₂ h2₁, h1₃ h2₁, v₁, v₂, h1₁, h1₂, h1₃, h2₁";
        assert_eq!(short.join(", "), expected);
        assert_eq!(count(&sizes), all.len());
        assert_eq!(all[4].name(&sizes), "weight of v₂ and h1₂");
        assert_eq!(Parameter::Bias { layer: 1, unit: 11 }.name(&[3, 12]), "bias of h₁₂");
    }

    #[test]
    fn a_place_is_the_same_in_the_model_as_in_the_gradient() {
        // The core flattens a gradient pair by pair and row by row, then layer by layer; a model has the same order.
        let mut model = SmallModel {
            sizes: vec![2, 3, 1],
            units: Units::Signs,
            weights: vec![vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0], vec![6.0, 7.0, 8.0]],
            biases: vec![vec![9.0, 10.0], vec![11.0, 12.0, 13.0], vec![14.0]],
        };
        assert_eq!(values(&model), (0..15_u8).map(f32::from).collect::<Vec<_>>());
        *value_mut(&mut model, 7).unwrap() = -1.0;
        *value_mut(&mut model, 14).unwrap() = -2.0;
        assert_eq!((model.weights[1][1], model.biases[2][0]), (-1.0, -2.0));
        assert_eq!(value_mut(&mut model, 15), None);
    }
}
