//! The exact expectation of an estimator, without sampling: from the transition laws of its kernels, of the coupled pair where it couples.
//!
//! An estimator of a model of at most ten units draws from finitely many states, so its mean is a sum. The law of x_0 is pushed through the search itself and
//! through Gibbs sweeps; for a coupling, the law of the pair `(x_t, y_{t-1})` on all pairs of states gives how long, in the mean, each chain is where before
//! they meet. The law of one chain would not do: a coupling can be broken with both chains right. The decisions themselves (`pair_step`, `BlockCoupling`, the
//! search) are those the samplers run, summed over every proposal and every uniform.
//!
//! Three tests close the circle: the mean equals the exact gradient, the sampled kernels follow the laws, and the sampled estimates agree with the mean.
//! `./run mutations` breaks the mathematics in one place at a time and lists the breaks that no test notices.

mod gibbs;
mod metropolis;
mod space;
mod unit_interval;

pub use gibbs::GibbsPair;
pub use metropolis::MetropolisPair;
pub use space::{MAX_UNITS, StateSpace};

/// The time two coupled chains spend in each state before they meet, `sum_{t=1}^{tau-1} P(x_t = s) - P(y_{t-1} = s)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Occupation {
    /// One number a state, which sum to 0.
    pub excess: Vec<f64>,
    /// Probability of not having met when the sum was broken off: at the cap, or, without one, never.
    pub unmet: f64,
}

impl Occupation {
    fn zeros(states: usize) -> Self {
        Self { excess: vec![0.0; states], unmet: 0.0 }
    }

    fn add(&mut self, x: usize, y: usize, time: f64) {
        self.excess[x] += time;
        self.excess[y] -= time;
    }
}

/// A cap of couplings of this is none: the expectation then sums over all time.
const NO_CAP: u32 = u32::MAX;

/// The mean of what an estimator returns.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// In the order of [`crate::exact::gradient`].
    pub values: Vec<f64>,
    /// Probability that a coupling had not met at its cap.
    pub unmet: f64,
}

impl Expected {
    /// The difference of the two phases of a gradient.
    pub(crate) fn minus(&self, negative: &Self) -> Self {
        let values = self.values.iter().zip(&negative.values).map(|(p, n)| p - n).collect();
        Self { values, unmet: self.unmet.max(negative.unmet) }
    }
}
