//! The model of independent units from which annealing starts.

use crate::marginal::log_sum_of_layer;
use crate::{Dbm, DbmError, Examples};

/// The model of independent units at the start of the annealing path, `p_A(s)` proportional to `exp(sum_l a_l . s_l)`.
#[derive(Clone, Debug, PartialEq)]
pub struct BaseDistribution {
    pub(super) biases: Vec<Vec<f32>>,
    /// `log Z_A = sum_i low a_i + log(1 + exp(gap a_i))`, with the sum over levels where units form a group.
    pub log_z: f64,
}

impl BaseDistribution {
    /// All biases zero: every state is equally likely.
    pub fn uniform(model: &Dbm) -> Self {
        Self::new(model, model.sizes().iter().map(|&size| vec![0.0; size]).collect())
    }

    /// Visible units independent, each high as often as in the data: `gap a = log((ones + 1) / (zeros + 1))`, counting known bits only;
    /// hidden biases zero. The levels of a group are as frequent as in the data, `log((rows + 1) / (all rows + levels))` instead of the odds.
    /// Closer to a model trained on these data than the uniform one, so fewer betas suffice.
    ///
    /// # Errors
    /// [`DbmError::Shape`] if the data are not as wide as the visible layer.
    pub fn of_data(model: &Dbm, data: &Examples) -> Result<Self, DbmError> {
        let n = model.n_visible();
        data.check_width(n)?;
        let (mut ones, mut missing) = (vec![0_u32; n], vec![0_u32; n]);
        for row in 0..data.len() {
            ones.iter_mut().zip(data.row(row)).for_each(|(ones, bit)| *ones += u32::from(bit));
            if data.has_gaps() {
                missing.iter_mut().zip(data.known_row(row)).for_each(|(missing, known)| *missing += u32::from(!known));
            }
        }
        let mut biases: Vec<Vec<f32>> = model.sizes().iter().map(|&size| vec![0.0; size]).collect();
        for ((bias, &ones), &missing) in biases[0].iter_mut().zip(&ones).zip(&missing) {
            let (ones, zeros) = (f64::from(ones), data.len() as f64 - f64::from(ones) - f64::from(missing));
            *bias = (libm::log((ones + 1.0) / (zeros + 1.0)) / f64::from(model.units().gap())) as f32;
        }
        for group in model.groups().iter() {
            let known = (data.len() - missing[group.units.start] as usize) as f64;
            let highs: Vec<f64> = ones[group.units.clone()].iter().map(|&ones| f64::from(ones)).collect();
            let counts = group.counts(&highs, known);
            for (place, unit) in group.units.clone().enumerate() {
                biases[0][unit] = (group.log_odds(&counts, place) / f64::from(model.units().gap())) as f32;
            }
        }
        Ok(Self::new(model, biases))
    }

    /// This distribution as a model of the same shape as `like`: its biases and no weights.
    pub fn model(&self, like: &Dbm) -> Dbm {
        like.without_weights(self.biases.clone())
    }

    fn new(model: &Dbm, biases: Vec<Vec<f32>>) -> Self {
        let gap = f64::from(model.units().gap());
        let of_layer = |(l, biases): (usize, &Vec<f32>)| {
            let mut x: Vec<f64> = biases.iter().map(|&a| gap * f64::from(a)).collect();
            log_sum_of_layer(model, l, &mut x, |_| None)
        };
        let log_z = biases.iter().enumerate().map(of_layer).sum();
        Self { biases, log_z }
    }
}
