//! How active hidden units are over examples, and what they say about the class.

use crate::Workbench;
use dbm_core::chains::Chains;
use dbm_core::linalg::Matrix;
use dbm_core::rng::{Purpose, Streams};
use dbm_core::sweep::{gibbs, uniform_start};
use dbm_core::{Clamp, Dbm};
use dbm_data::Dataset;

/// Examples per task.
const EXAMPLES: usize = 32;

/// How often each hidden unit was high, by class.
pub(super) struct Activity {
    /// `[layer][class][unit]`, in examples: each example contributes the share of its sweeps.
    high: Vec<Vec<Vec<f64>>>,
    /// Number of examples in each class; a single class if there are none.
    counts: Vec<f64>,
    labelled: bool,
}

impl Activity {
    /// Over the first `count` examples, with this many sweeps each.
    pub fn of(model: &Dbm, data: &Dataset, (count, sweeps, seed): (usize, u32, u64), session: &Workbench) -> Self {
        let class = |row: usize| data.labels.as_ref().map_or(0, |labels| usize::from(labels[row]));
        let classes = 1 + (0..count).map(class).max().unwrap_or_default();
        let counted = sweeps.div_ceil(2);
        let parts = session.in_parts("examples", 0..count, EXAMPLES, |rows| {
            let mut visible = Matrix::zeros(rows.len(), model.n_visible());
            rows.clone().enumerate().for_each(|(c, row)| data.examples.write_row(row, model.units(), visible.row_mut(c)));
            let mut streams = Streams::new(seed).of_chains(Purpose::Completion, 1, rows.start as u64..rows.end as u64);
            let mut chains = Chains::new(model, visible, Clamp::Visible);
            let first = uniform_start(model, &mut chains, &mut streams);
            let mut high: Vec<Vec<f64>> = model.sizes()[1..].iter().map(|&n| vec![0.0; rows.len() * n]).collect();
            for sweep in 0..sweeps {
                gibbs(model, &mut chains, &first, &mut streams);
                if sweep + counted >= sweeps {
                    for (l, high) in high.iter_mut().enumerate() {
                        high.iter_mut()
                            .zip(chains.layer(l + 1).data())
                            .for_each(|(sum, &s)| *sum += f64::from(u8::from(s > 0.5)));
                    }
                }
            }
            high
        });
        let zeros = |&n: &usize| vec![vec![0.0; n]; classes];
        let mut high: Vec<Vec<Vec<f64>>> = model.sizes()[1..].iter().map(zeros).collect();
        for (start, part) in (0..count).step_by(EXAMPLES).zip(parts) {
            for (l, rows) in part.iter().enumerate() {
                for (row, shares) in (start..).zip(rows.chunks_exact(model.sizes()[l + 1])) {
                    high[l][class(row)].iter_mut().zip(shares).for_each(|(sum, share)| *sum += share / f64::from(counted));
                }
            }
        }
        let counts = (0..classes).map(|of| (0..count).filter(|&row| class(row) == of).count() as f64).collect();
        Self { high, counts, labelled: data.labels.is_some() }
    }

    fn total(&self) -> f64 {
        self.counts.iter().sum()
    }

    /// Share in which each unit of a layer is high.
    pub fn high(&self, layer: usize) -> Vec<f64> {
        let by_class = &self.high[layer - 1];
        (0..by_class[0].len()).map(|unit| by_class.iter().map(|units| units[unit]).sum::<f64>() / self.total()).collect()
    }

    /// `I(s; class) = H(s) - sum_c p(c) H(s | c)` of each unit of a layer, in bits.
    pub fn information(&self, layer: usize) -> Option<Vec<f64>> {
        let by_class = &self.high[layer - 1];
        let of = |(unit, p): (usize, f64)| {
            let given = by_class.iter().zip(&self.counts).filter(|(_, count)| **count > 0.0);
            entropy(&[p, 1.0 - p])
                - given.map(|(units, &n)| n / self.total() * entropy(&[units[unit] / n, 1.0 - units[unit] / n])).sum::<f64>()
        };
        self.labelled.then(|| self.high(layer).into_iter().enumerate().map(of).collect())
    }

    /// Entropy of the class, in bits.
    pub fn class_entropy(&self) -> Option<f64> {
        self.labelled.then(|| entropy(&self.counts.iter().map(|count| count / self.total()).collect::<Vec<_>>()))
    }
}

/// In bits.
fn entropy(probabilities: &[f64]) -> f64 {
    -probabilities.iter().filter(|&&p| p > 0.0).map(|p| p * p.log2()).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_that_is_the_class_tells_one_bit_and_one_that_knows_nothing_none() {
        // For 4 and 4 examples: the class itself, a coin, always low, and a partly informative unit.
        let high = vec![vec![vec![4.0, 2.0, 0.0, 3.0], vec![0.0, 2.0, 0.0, 1.0]]];
        let activity = Activity { high, counts: vec![4.0, 4.0], labelled: true };
        assert_eq!(activity.high(1), [0.5, 0.5, 0.0, 0.5]);
        let bits = activity.information(1).unwrap();
        let half = 1.0 - entropy(&[0.75, 0.25]);
        bits.iter().zip([1.0, 0.0, 0.0, half]).for_each(|(a, b)| assert!((a - b).abs() < 1e-12, "{a} {b}"));
        assert!((activity.class_entropy().unwrap() - 1.0).abs() < 1e-12);
        assert!(Activity { labelled: false, ..activity }.information(1).is_none());
    }
}
