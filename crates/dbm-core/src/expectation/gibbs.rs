//! The transition law of the coupled Gibbs pair: how long, on average, each chain spends in each state before they meet.

use super::space::StateSpace;
use super::unit_interval::pieces;
use super::{NO_CAP, Occupation};
use crate::Parity;
use crate::coupling::{BlockCoupling, is_high, log_ratio};

/// Mass below this is rounding.
const NOTHING: f64 = 1e-18;

/// Steps after which the remaining mass is reported as unmet.
const MAX_STEPS: u32 = 1_000_000;

/// The pair on every pair of states, without a cap on rejections. A step depends only on the odd layers of both, which a sweep draws last.
pub struct GibbsPair<'s> {
    space: &'s StateSpace<'s>,
    /// From `(x_odd, y_odd)` to `(x_even, y_even)`, and from there to the next odd layers.
    even: Vec<Vec<f64>>,
    odd: Vec<Vec<f64>>,
}

impl<'s> GibbsPair<'s> {
    /// The pair on these states.
    pub fn new(space: &'s StateSpace) -> Self {
        let pairs = |parity: Parity, law: fn(&[f64], &[f64]) -> Vec<f64>| -> Vec<Vec<f64>> {
            let n = space.count_of(parity.other());
            (0..n * n).map(|pair| law(space.high(parity, pair / n), space.high(parity, pair % n))).collect()
        };
        Self { space, even: pairs(Parity::Even, maximal), odd: pairs(Parity::Odd, common) }
    }

    /// The joint distribution of `(x_{t+1}, y_t)`, `[x * n + y]`, from the states x and y.
    pub fn step(&self, x: usize, y: usize) -> Vec<f64> {
        let n = self.space.count();
        let odd = self.space.count_of(Parity::Odd);
        let mut sources = vec![0.0; odd * odd];
        sources[self.space.part(Parity::Odd, x) * odd + self.space.part(Parity::Odd, y)] = 1.0;
        let mut law = vec![0.0; n * n];
        self.go(&sources, |x, y, mass| law[x * n + y] += mass);
        law
    }

    /// Where the mass on pairs of odd layers goes in one step.
    fn go(&self, sources: &[f64], mut each: impl FnMut(usize, usize, f64)) {
        let (evens, odds) = (self.space.count_of(Parity::Even), self.space.count_of(Parity::Odd));
        let mut middle = vec![0.0; evens * evens];
        for (&mass, law) in sources.iter().zip(&self.even).filter(|(mass, _)| **mass > 0.0) {
            middle.iter_mut().zip(law).for_each(|(to, p)| *to += mass * p);
        }
        for (pair, &mass) in middle.iter().enumerate().filter(|(_, mass)| **mass > 0.0) {
            for (to, p) in self.odd[pair].iter().enumerate().filter(|(_, p)| **p > 0.0) {
                let x = self.space.join(Parity::Even, pair / evens, to / odds);
                let y = self.space.join(Parity::Even, pair % evens, to % odds);
                each(x, y, mass * p);
            }
        }
    }

    /// The mean of `sum_{t=1}^{tau-1} [x_t = s] - [y_{t-1} = s]` for a distribution of x_0 = y_0 and one sweep of x alone; with a cap on
    /// tau, or without one (`u32::MAX`).
    pub fn occupation(&self, start: &[f64], max_meeting: u32) -> Occupation {
        let space = self.space;
        let odds = space.count_of(Parity::Odd);
        let part = |state: usize| space.part(Parity::Odd, state);
        let mut occupation = Occupation::zeros(space.count());
        let corrections = if max_meeting == NO_CAP { MAX_STEPS } else { max_meeting - 1 };

        let mut unmet = vec![0.0; odds * odds];
        let count = corrections > 0;
        for (x0, &mass) in start.iter().enumerate().filter(|(_, mass)| **mass > 0.0) {
            let evens = space.block(Parity::Even, part(x0));
            for (even, p) in evens.iter().enumerate() {
                for (odd, q) in space.block(Parity::Odd, even).iter().enumerate() {
                    let x1 = space.join(Parity::Even, even, odd);
                    if x1 != x0 {
                        occupation.add(x1, x0, if count { mass * p * q } else { 0.0 });
                        unmet[odd * odds + part(x0)] += mass * p * q;
                    }
                }
            }
        }
        for _ in 1..corrections {
            if unmet.iter().sum::<f64>() < NOTHING {
                break;
            }
            let mut next = vec![0.0; odds * odds];
            self.go(&unmet, |x, y, mass| {
                if x != y {
                    occupation.add(x, y, mass);
                    next[part(x) * odds + part(y)] += mass;
                }
            });
            unmet = next;
        }
        occupation.unmet = unmet.iter().sum();
        occupation
    }
}

/// The joint distribution of two sets of units drawn with common uniforms, `[x * n + y]`.
fn common(p: &[f64], q: &[f64]) -> Vec<f64> {
    let n = 1_usize << p.len();
    let mut law = vec![(0, 0, 1.0)];
    for (place, (&p, &q)) in p.iter().zip(q).enumerate() {
        let mut unit = [[0.0; 2]; 2];
        pieces([p, q], |length, u| unit[usize::from(is_high(u, p))][usize::from(is_high(u, q))] += length);
        let outcomes = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(x, y)| (x << place, y << place, unit[x][y]));
        let grown = law.iter().flat_map(|&(x, y, mass)| outcomes.map(|(dx, dy, p)| (x | dx, y | dy, mass * p)));
        law = grown.filter(|(_, _, mass)| *mass > 0.0).collect();
    }
    let mut joint = vec![0.0; n * n];
    law.into_iter().for_each(|(x, y, mass)| joint[x * n + y] += mass);
    joint
}

/// The joint distribution of a [`BlockCoupling`] without a cap, `[x * n + y]`.
fn maximal(p: &[f64], q: &[f64]) -> Vec<f64> {
    let n = 1_usize << p.len();
    let bits = |state: usize| -> Vec<bool> { (0..p.len()).map(|place| state >> place & 1 == 1).collect() };
    // log p(s) - log q(s); where p(s) is 0, s is never drawn.
    let ratio = |p: &[f64], q: &[f64]| -> Vec<f64> { (0..n).map(|s| log_ratio(p, q, &bits(s))).collect() };
    let (x_ratio, y_ratio) = (ratio(p, q), ratio(q, p));
    let threshold = |log_ratio: f64| libm::exp(-log_ratio.max(0.0));

    let mut joint = vec![0.0; n * n];
    let mut rejected = 0.0;
    let drawn = common(p, p);
    for x in 0..n {
        let mass = drawn[x * n + x];
        pieces([threshold(x_ratio[x])], |length, u| {
            if BlockCoupling::keeps(u, x_ratio[x]) {
                joint[x * n + x] += mass * length;
            } else {
                rejected += mass * length;
            }
        });
    }
    if rejected == 0.0 {
        return joint;
    }
    // One try: both residuals accept it, or x's alone, or y's alone.
    let (mut both, mut x_alone, mut y_alone) = (vec![0.0; n * n], vec![0.0; n], vec![0.0; n]);
    for (pair, &mass) in common(p, q).iter().enumerate().filter(|(_, mass)| **mass > 0.0) {
        let (x, y) = (pair / n, pair % n);
        pieces([threshold(x_ratio[x]), threshold(y_ratio[y])], |length, u| {
            let taken = (BlockCoupling::in_residual(u, x_ratio[x]), BlockCoupling::in_residual(u, y_ratio[y]));
            match taken {
                (true, true) => both[pair] += mass * length,
                (true, false) => x_alone[x] += mass * length,
                (false, true) => y_alone[y] += mass * length,
                (false, false) => {}
            }
        });
    }
    let residual = |alone: &[f64], of_both: &dyn Fn(usize) -> f64| -> Vec<f64> {
        let mass: Vec<f64> = alone.iter().enumerate().map(|(s, a)| a + of_both(s)).collect();
        let sum: f64 = mass.iter().sum();
        mass.into_iter().map(|m| m / sum).collect()
    };
    let x_residual = residual(&x_alone, &|x| both[x * n..][..n].iter().sum());
    let y_residual = residual(&y_alone, &|y| (0..n).map(|x| both[x * n + y]).sum());
    let ends: f64 = both.iter().chain(&x_alone).chain(&y_alone).sum();
    for x in 0..n {
        for y in 0..n {
            // The one that remains continues alone until its residual accepts a try.
            let mass = both[x * n + y] + x_alone[x] * y_residual[y] + y_alone[y] * x_residual[x];
            joint[x * n + y] += rejected * mass / ends;
        }
    }
    joint
}

#[cfg(test)]
mod tests {
    use super::*;

    const P: [f64; 3] = [0.2, 0.7, 0.55];
    const Q: [f64; 3] = [0.6, 0.65, 0.05];

    fn marginals(joint: &[f64], n: usize) -> (Vec<f64>, Vec<f64>) {
        let x = (0..n).map(|x| joint[x * n..][..n].iter().sum()).collect();
        (x, (0..n).map(|y| (0..n).map(|x| joint[x * n + y]).sum()).collect())
    }

    fn product(p: &[f64]) -> Vec<f64> {
        marginals(&common(p, p), 1 << p.len()).0
    }

    #[test]
    fn both_couplings_have_the_right_marginals_and_the_maximal_one_meets_as_often_as_can_be() {
        for (p, q) in [(P, Q), (Q, P), (P, P), ([1e-9, 0.5, 1.0], [0.5, 0.5, 1.0])] {
            for joint in [common(&p, &q), maximal(&p, &q)] {
                let (x, y) = marginals(&joint, 8);
                for (law, expected) in [(x, product(&p)), (y, product(&q))] {
                    assert!(law.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12), "{law:?} {expected:?}");
                }
            }
            let joint = maximal(&p, &q);
            let meet: f64 = (0..8).map(|s| joint[s * 9]).sum();
            let overlap: f64 = product(&p).iter().zip(product(&q)).map(|(a, b)| a.min(b)).sum();
            assert!((meet - overlap).abs() < 1e-12, "{meet} {overlap}");
        }
    }
}
