//! The model that the view opens with.

use dbm_core::Units;
use dbm_protocol::SmallModel;

/// The model and its visible patterns.
pub fn preset() -> (SmallModel, Vec<Vec<u8>>) {
    let model = SmallModel {
        sizes: vec![4, 3, 2],
        units: Units::Signs,
        weights: vec![
            vec![0.9, -0.3, 0.2, 0.7, 0.4, -0.5, -0.6, 0.8, 0.1, -0.2, -0.7, 0.6],
            vec![0.8, -0.4, -0.5, 0.9, 0.6, 0.3],
        ],
        biases: vec![vec![0.2, -0.1, 0.1, -0.3], vec![0.1, -0.2, 0.3], vec![-0.1, 0.2]],
    };
    (model, vec![vec![1, 1, 0, 0], vec![0, 0, 1, 1], vec![1, 0, 1, 0]])
}
