//! How a gradient moves the parameters: SGD with momentum, Adam or AMSGrad, with weight decay.

use crate::settings::{OptimizerMethod, OptimizerSettings};
use crate::vector::vectorized;

impl OptimizerSettings {
    /// Number of moment tensors per parameter tensor.
    pub fn n_moments(&self) -> usize {
        match self.method {
            OptimizerMethod::Sgd => usize::from(self.momentum > 0.0),
            OptimizerMethod::Adam => 2,
            OptimizerMethod::AmsGrad => 3,
        }
    }

    /// The rule for step `steps_before + 1`, at this share of the learning rate.
    pub fn at(&self, steps_before: u64, share: f64) -> OptimizerRule {
        let t = (steps_before + 1) as f64;
        let left = match self.decay_steps {
            0 => 1.0,
            total => (1.0 - steps_before as f64 / total as f64).max(0.0),
        };
        OptimizerRule {
            method: self.method,
            rate: (self.learning_rate * left * share) as f32,
            momentum: self.momentum as f32,
            beta1: self.beta1 as f32,
            beta2: self.beta2 as f32,
            epsilon: self.epsilon as f32,
            weight_decay: self.weight_decay as f32,
            first_correction: (1.0 / (1.0 - libm::pow(self.beta1, t))) as f32,
            second_correction: (1.0 / (1.0 - libm::pow(self.beta2, t))) as f32,
        }
    }
}

/// One step's update rule, for any slice of parameters.
#[derive(Clone, Copy, Debug)]
pub struct OptimizerRule {
    /// SGD, Adam or AMSGrad.
    pub method: OptimizerMethod,
    /// The learning rate of this step.
    pub rate: f32,
    /// Momentum of SGD.
    pub momentum: f32,
    /// Decay of the mean of gradients, per step.
    pub beta1: f32,
    /// Decay of the mean of their squares, per step.
    pub beta2: f32,
    /// Keeps the step finite where gradients vanish.
    pub epsilon: f32,
    /// How much of a weight is subtracted from its gradient.
    pub weight_decay: f32,
    /// `1 / (1 - beta1^t)` at step `t`.
    pub first_correction: f32,
    /// `1 / (1 - beta2^t)`.
    pub second_correction: f32,
}

impl OptimizerRule {
    /// Ascends `gradient` from `values`, with as many `moments` as [`OptimizerSettings::n_moments`] gives. `decays` is true for weights.
    pub fn apply(&self, values: &mut [f32], gradient: &mut [f32], moments: &mut [&mut [f32]], decays: bool) {
        vectorized(
            #[inline(always)]
            || self.ascend(values, gradient, moments, decays),
        );
    }

    #[inline(always)]
    fn ascend(&self, values: &mut [f32], gradient: &mut [f32], moments: &mut [&mut [f32]], decays: bool) {
        if decays && self.weight_decay > 0.0 {
            gradient.iter_mut().zip(&*values).for_each(|(g, &x)| *g -= self.weight_decay * x);
        }
        match (self.method, moments) {
            (OptimizerMethod::Sgd, [velocity]) => {
                for ((x, &g), u) in values.iter_mut().zip(&*gradient).zip(velocity.iter_mut()) {
                    *u = self.momentum * *u + g;
                    *x += self.rate * *u;
                }
            }
            (OptimizerMethod::Adam, [first, second]) => {
                for (((x, &g), m), v) in values.iter_mut().zip(&*gradient).zip(first.iter_mut()).zip(second.iter_mut()) {
                    *m = self.beta1 * *m + (1.0 - self.beta1) * g;
                    *v = self.beta2 * *v + (1.0 - self.beta2) * g * g;
                    *x += self.adam(*m, *v);
                }
            }
            (OptimizerMethod::AmsGrad, [first, second, largest]) => {
                let moments = first.iter_mut().zip(second.iter_mut()).zip(largest.iter_mut());
                for ((x, &g), ((m, v), peak)) in values.iter_mut().zip(&*gradient).zip(moments) {
                    *m = self.beta1 * *m + (1.0 - self.beta1) * g;
                    *v = self.beta2 * *v + (1.0 - self.beta2) * g * g;
                    *peak = peak.max(*v);
                    *x += self.adam(*m, *peak);
                }
            }
            // Plain SGD, which needs no moments; the trainer allocates as many as each method needs.
            _ => values.iter_mut().zip(&*gradient).for_each(|(x, &g)| *x += self.rate * g),
        }
    }

    #[inline(always)]
    fn adam(&self, first: f32, second: f32) -> f32 {
        self.rate * (first * self.first_correction) / ((second * self.second_correction).sqrt() + self.epsilon)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The position after this many steps from 0, given the gradient at each step and position.
    fn ascend(settings: &OptimizerSettings, steps: u64, gradient: impl Fn(u64, f32) -> f32) -> f32 {
        let mut values = [0.0_f32];
        let mut moments = vec![[0.0_f32]; settings.n_moments()];
        for t in 0..steps {
            let mut g = [gradient(t, values[0])];
            let mut slices: Vec<&mut [f32]> = moments.iter_mut().map(|m| &mut m[..]).collect();
            settings.at(t, 1.0).apply(&mut values, &mut g, &mut slices, true);
        }
        values[0]
    }

    fn with(method: OptimizerMethod, learning_rate: f64) -> OptimizerSettings {
        OptimizerSettings { method, learning_rate, ..OptimizerSettings::default() }
    }

    #[test]
    fn first_steps_are_the_textbook_ones() {
        assert!((ascend(&with(OptimizerMethod::Sgd, 0.1), 1, |_, _| 3.0) - 0.3).abs() < 1e-7);
        // The first step of Adam and AMSGrad has the size of the learning rate, whatever the size of the gradient.
        for method in [OptimizerMethod::Adam, OptimizerMethod::AmsGrad] {
            assert!((ascend(&with(method, 0.01), 1, |_, _| -7.0) + 0.01).abs() < 1e-6);
        }
        let momentum = OptimizerSettings { momentum: 0.5, ..with(OptimizerMethod::Sgd, 0.1) };
        assert!((ascend(&momentum, 3, |_, _| 1.0) - (0.1 + 0.15 + 0.175)).abs() < 1e-7);
        let falling = OptimizerSettings { decay_steps: 2, ..with(OptimizerMethod::Sgd, 1.0) };
        assert_eq!(ascend(&falling, 5, |_, _| 1.0), 1.5);
    }

    #[test]
    fn all_methods_climb_to_the_top() {
        // log p = -(x - 2)^2 / 2
        for settings in [
            with(OptimizerMethod::Sgd, 0.1),
            OptimizerSettings { momentum: 0.9, ..with(OptimizerMethod::Sgd, 0.02) },
            with(OptimizerMethod::Adam, 0.05),
            with(OptimizerMethod::AmsGrad, 0.05),
        ] {
            assert!((ascend(&settings, 2000, |_, x| 2.0 - x) - 2.0).abs() < 1e-2, "{settings:?}");
        }
        let decayed = OptimizerSettings { weight_decay: 0.5, ..with(OptimizerMethod::Sgd, 0.1) };
        assert!((ascend(&decayed, 2000, |_, x| 2.0 - x) - 2.0 / 1.5).abs() < 1e-3);
    }

    #[test]
    fn amsgrad_remembers_its_largest_gradient() {
        let large_once = |method| {
            let settings = OptimizerSettings { beta2: 0.5, ..with(method, 0.01) };
            ascend(&settings, 30, |t, _| if t == 0 { 100.0 } else { 1.0 })
        };
        assert!(large_once(OptimizerMethod::AmsGrad) < 0.5 * large_once(OptimizerMethod::Adam));
    }
}
