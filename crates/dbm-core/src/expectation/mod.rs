//! The exact expectation of an estimator, without sampling: from the transition laws of its kernels, and of the coupled pair if it couples.
//!
//! An estimator for a model of at most ten units draws from finitely many states, so its mean is a finite sum. The distribution of x_0 is
//! propagated through the search itself and through Gibbs sweeps. For a coupling, the distribution of the pair `(x_t, y_{t-1})` over all
//! pairs of states gives how long, on average, each chain spends in each state before they meet. The law of one chain would not suffice: a
//! coupling can be broken while both chains are correct. The decisions themselves (`pair_step`, `BlockCoupling`, the search) are the code
//! the samplers run, summed over every proposal and every uniform.
//!
//! Three tests complete the argument: the mean equals the exact gradient, the sampled kernels follow the laws, and the sampled estimates
//! agree with the mean. `./run mutations` breaks the mathematics in one place at a time and lists the breaks that no test notices.

mod gibbs;
mod metropolis;
mod space;
mod unit_interval;

pub use gibbs::GibbsPair;
pub use metropolis::MetropolisPair;
pub use space::{MAX_UNITS, StateSpace};

/// The expected time that two coupled chains spend in each state before they meet, `sum_{t=1}^{tau-1} P(x_t = s) - P(y_{t-1} = s)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Occupation {
    /// One number per state; they sum to 0.
    pub excess: Vec<f64>,
    /// Probability of not having met when the sum stopped: at the cap, or ever if there is none.
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

/// A cap on couplings with this value means none: the expectation then sums over all time.
const NO_CAP: u32 = u32::MAX;

/// The mean of what an estimator returns.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// The values in the order of [`crate::exact::gradient`].
    pub values: Vec<f64>,
    /// Probability that a coupling had not met by its cap.
    pub unmet: f64,
}

impl Expected {
    /// The difference of the two phases of a gradient.
    pub(crate) fn minus(&self, negative: &Self) -> Self {
        let values = self.values.iter().zip(&negative.values).map(|(p, n)| p - n).collect();
        Self { values, unmet: self.unmet.max(negative.unmet) }
    }
}
