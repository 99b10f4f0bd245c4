//! The paper's algorithms for one chain, in its order and words, in f64, with no optimizations: to be read alongside Taniguchi et al.
//! (2023), and as the reference that every fast path is tested against.
//!
//! It shares nothing with the fast paths except the model's parameters and the random source it is given. Two slips of the paper are
//! corrected: the coupling also tests for a meeting before its loop, so that `tau = 1` is possible, and the posterior's coupling keeps `v`
//! clamped throughout.
//! In the posterior versions (Algorithms 4 and 5) the visible layer is clamped: with [`Reference::clamped`] set, each function is its
//! posterior version.

use crate::Dbm;

/// The values of all units, layer by layer; layer 0 is v.
pub type State = Vec<Vec<f64>>;

/// A source of random numbers.
pub trait RandomSource {
    /// A fair coin, which decides the parity that goes first.
    fn coin(&mut self) -> bool;
    /// Fair coins, one for each unit of a layer.
    fn coins(&mut self, n: usize) -> Vec<bool>;
    /// Uniform in `[0, 1)`.
    fn uniform(&mut self) -> f64;
    /// Uniforms in `[0, 1]`, one for each unit of a layer.
    fn uniforms(&mut self, n: usize) -> Vec<f64>;
}

/// `-dE/dtheta`, or a sum of such terms: `s_l s_{l+1}^T` for `W_0, W_1, ...`, row by row, then `s_l` for `b_0, b_1, ...`.
pub type Gradient = Vec<f64>;

/// A coupling that has met or reached its cap: `x_1, x_2, ...` with `y_0, y_1, ...`.
#[derive(Clone, Debug, PartialEq)]
pub struct Coupling {
    /// `(x_t, y_{t-1})` for `t = 1, ..., tau`.
    pub pairs: Vec<(State, State)>,
    /// The meeting time, or the cap.
    pub tau: u32,
}

/// A model, and whether its visible layer is clamped.
#[derive(Clone, Copy, Debug)]
pub struct Reference<'a> {
    /// The model on which the algorithms run.
    pub model: &'a Dbm,
    /// Whether to run the posterior's version: `v` keeps its values.
    pub clamped: bool,
}

impl Reference<'_> {
    fn layers(&self) -> std::ops::Range<usize> {
        usize::from(self.clamped)..self.model.sizes().len()
    }

    fn value(&self, high: bool) -> f64 {
        f64::from(self.model.units().value(high))
    }

    /// The weight `W_l[i][j]`.
    fn weight(&self, l: usize, i: usize, j: usize) -> f64 {
        f64::from(self.model.weights()[l].row(i)[j])
    }

    /// `E(s) = - sum_l b_l . s_l - sum_l s_l^T W_l s_{l+1}` (section 2).
    pub fn energy(&self, s: &State) -> f64 {
        let mut energy = 0.0;
        for l in 0..s.len() {
            for i in 0..s[l].len() {
                energy -= f64::from(self.model.biases()[l][i]) * s[l][i];
                for j in 0..s.get(l + 1).map_or(0, Vec::len) {
                    energy -= s[l][i] * self.weight(l, i, j) * s[l + 1][j];
                }
            }
        }
        energy
    }

    /// The field of unit `i` of layer `l`, `a = b_l + W_{l-1}^T s_{l-1} + W_l s_{l+1}`.
    fn field(&self, s: &State, l: usize, i: usize) -> f64 {
        let below: f64 = if l == 0 { 0.0 } else { (0..s[l - 1].len()).map(|k| s[l - 1][k] * self.weight(l - 1, k, i)).sum() };
        let above: f64 = (0..s.get(l + 1).map_or(0, Vec::len)).map(|j| self.weight(l, i, j) * s[l + 1][j]).sum();
        f64::from(self.model.biases()[l][i]) + below + above
    }

    /// `P(unit high | the rest)`: `sigma(2 a)` for signs (section 4.1), `sigma(a)` for bits.
    fn probability(&self, s: &State, l: usize, i: usize) -> f64 {
        1.0 / (1.0 + (-f64::from(self.model.units().gap()) * self.field(s, l, i)).exp())
    }

    /// A uniform random state, except for clamped units, which keep their values in `s`.
    pub fn uniform_state(&self, s: &State, random: &mut dyn RandomSource) -> State {
        let mut state = s.clone();
        for l in self.layers() {
            state[l] = random.coins(s[l].len()).into_iter().map(|high| self.value(high)).collect();
        }
        state
    }

    /// Algorithm 1, local search (5 for the posterior): a coin decides which parity goes first; each parity in turn goes to its conditional
    /// minimum, until a full sweep changes nothing. Returns the mode and the number of sweeps.
    pub fn local_search(&self, mut s: State, random: &mut dyn RandomSource) -> (State, u32) {
        let even_first = random.coin();
        for sweep in 1.. {
            let before = s.clone();
            for parity in if even_first { [0, 1] } else { [1, 0] } {
                for l in self.layers().filter(|l| l % 2 == parity) {
                    s[l] = (0..s[l].len()).map(|i| self.value(self.field(&s, l, i) >= 0.0)).collect();
                }
            }
            if s == before {
                return (s, sweep);
            }
        }
        unreachable!("the energy falls in every sweep that changes something, and there are finitely many states")
    }

    /// One Gibbs sweep (section 3.3); a coin decides which parity goes first.
    pub fn gibbs_sweep(&self, mut s: State, random: &mut dyn RandomSource) -> State {
        let even_first = random.coin();
        for parity in if even_first { [0, 1] } else { [1, 0] } {
            for l in self.layers().filter(|l| l % 2 == parity) {
                let u = random.uniforms(s[l].len());
                s[l] = (0..s[l].len()).map(|i| self.value(u[i] <= self.probability(&s, l, i))).collect();
            }
        }
        s
    }

    /// Algorithm 3, the Metropolis coupling (4 for the posterior), from `x_0 = y_0`: one uniform proposal and one uniform number for both
    /// chains.
    pub fn coupling(&self, x0: &State, cap: u32, random: &mut dyn RandomSource) -> Coupling {
        let accepts = |u: f64, from: &State, to: &State| u.ln() < self.energy(from) - self.energy(to);
        let (proposal, u) = (self.uniform_state(x0, random), random.uniform());
        let mut x = if accepts(u, x0, &proposal) { proposal } else { x0.clone() };
        let mut y = x0.clone();
        let mut pairs = vec![(x.clone(), y.clone())];
        while x != y && (pairs.len() as u32) < cap {
            let (proposal, u) = (self.uniform_state(x0, random), random.uniform());
            let (x_accepts, y_accepts) = (accepts(u, &x, &proposal), accepts(u, &y, &proposal));
            x = if x_accepts { proposal.clone() } else { x };
            y = if y_accepts { proposal } else { y };
            pairs.push((x.clone(), y.clone()));
        }
        Coupling { tau: pairs.len() as u32, pairs }
    }

    /// Algorithm 2, UCD-LMI, one of its two phases: `f(x_0) + sum_{t=1}^{tau-1} f(x_t) - f(y_{t-1})`, from x_0 and its coupling.
    pub fn estimate(&self, x0: &State, coupling: &Coupling, marginalize: bool) -> Gradient {
        let f = |s: &State| if marginalize { self.marginalized(s) } else { self.gradient(s) };
        let mut sum = f(x0);
        for (x, y) in &coupling.pairs[..coupling.pairs.len() - 1] {
            sum = combine(&sum, 1.0, &combine(&f(x), 1.0, &f(y), -1.0), 1.0);
        }
        sum
    }

    /// `f(s) = -dE/dtheta`.
    pub fn gradient(&self, s: &State) -> Gradient {
        let outer = |pair: &[Vec<f64>]| -> Vec<f64> { pair[0].iter().flat_map(|a| pair[1].iter().map(move |b| a * b)).collect() };
        s.windows(2).flat_map(outer).chain(s.iter().flatten().copied()).collect()
    }

    /// f marginalized (section 4.2): half of `f` with the odd layers replaced by their conditional means given the even ones, plus half of
    /// `f` with the even layers replaced by theirs. A clamped `v` is never replaced.
    pub fn marginalized(&self, s: &State) -> Gradient {
        let replaced = |parity: usize| {
            let mut means = s.clone();
            for l in self.layers().filter(|l| l % 2 == parity) {
                let mean = |p: f64| self.value(false) + (self.value(true) - self.value(false)) * p;
                means[l] = (0..s[l].len()).map(|i| mean(self.probability(s, l, i))).collect();
            }
            self.gradient(&means)
        };
        combine(&replaced(1), 0.5, &replaced(0), 0.5)
    }
}

/// `weight_a a + weight_b b`.
fn combine(a: &Gradient, weight_a: f64, b: &Gradient, weight_b: f64) -> Gradient {
    a.iter().zip(b).map(|(a, b)| weight_a * a + weight_b * b).collect()
}
