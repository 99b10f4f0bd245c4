//! Sequential Monte Carlo: particles that are weighted, resampled and moved along a path, with an unbiased estimate of Z.

use super::path::{Path, PathPoint, log_sum_of_base, log_weight};
use super::{Spread, held_parity};
use crate::chains::{Chains, FieldCost};
use crate::linalg::Matrix;
use crate::math::{log_sum_exp, normalized};
use crate::rng::Stream;
use crate::sweep::AnnealedDraw;
use crate::{Clamp, Parity};
use std::cell::Cell;
use std::rc::Rc;

/// One run: its particles at the end of the path.
#[derive(Clone, Debug, PartialEq)]
pub struct ParticleSet {
    /// States, `[particles, n_l]` per layer.
    pub states: Vec<Matrix>,
    /// Conditional means given the neighbouring layers, `[particles, n_l]` per layer; a clamped unit keeps its value.
    pub means: Vec<Matrix>,
    /// Weights, which sum to 1.
    pub weights: Vec<f64>,
    /// The estimate of the log of the sum of `exp(-E)` over the free units. The estimate of the sum itself is unbiased, for any number of
    /// particles and any path.
    pub log_z: f64,
    /// Weighted mean of the particles' energies.
    pub energy: f64,
}

/// The log weights of the particles of some runs, and the estimate of `log Z` so far for each run.
#[derive(Clone, Debug)]
pub struct Weighing {
    particles: usize,
    /// All log weights, run by run.
    log_weights: Vec<f64>,
    log_z: Vec<f64>,
}

impl Weighing {
    /// For runs with this many particles each, all with equal weights; the estimates begin at `log_z`.
    pub fn new(log_z: Vec<f64>, particles: usize) -> Self {
        Self { particles, log_weights: vec![0.0; log_z.len() * particles], log_z }
    }

    fn of(&self, run: usize) -> &[f64] {
        &self.log_weights[run * self.particles..][..self.particles]
    }

    /// The weights of a run's particles, which sum to 1.
    pub fn weights(&self, run: usize) -> Vec<f64> {
        normalized(self.of(run))
    }

    /// A run's estimate so far.
    pub fn log_z(&self, run: usize) -> f64 {
        self.log_z[run] + log_mean(self.of(run))
    }

    /// Adds the next distribution's increments to the log weights of a run's particles. If their effective number, `(sum w)^2 / sum w^2`,
    /// falls below half of them, they are resampled by a uniform.
    pub fn add(&mut self, run: usize, increments: &[f64], uniform: impl FnOnce() -> f64) -> Option<Vec<usize>> {
        let own = &mut self.log_weights[run * self.particles..][..self.particles];
        own.iter_mut().zip(increments).for_each(|(weight, increment)| *weight += increment);
        let squares: f64 = self.weights(run).iter().map(|w| w * w).sum();
        (squares * self.particles as f64 > 2.0).then(|| self.resample(run, uniform()))
    }

    /// Resamples a run's particles, after which all weights are equal; returns the ancestor of each new particle. Systematic resampling:
    /// one uniform per run.
    pub fn resample(&mut self, run: usize, u: f64) -> Vec<usize> {
        let ancestors = systematic(&self.weights(run), u);
        self.log_z[run] = self.log_z(run);
        self.log_weights[run * self.particles..][..self.particles].fill(0.0);
        ancestors
    }
}

/// Runs with this many particles each, one per row of `visible`, `[runs, n_0]`, whose clamped units keep their values; one stream per run.
///
/// At the base all free units are drawn. Then three things happen for each point of the path. The log weight of every particle grows by the
/// log of its state's unnormalized probability at this point, minus that at the previous one. If the effective sample size
/// `(sum w)^2 / sum w^2` is below half the particles, they are resampled (systematically: one uniform per run), and the log of their mean
/// weight is added to `log_z`. One Gibbs sweep moves each particle, leaving the point's distribution invariant (Del Moral, Doucet and Jasra
/// 2006).
///
/// # Panics
/// If the path has no point, or there is not one stream per run, or no particle.
pub fn runs(
    path: &Path,
    visible: &Matrix,
    clamp: &Clamp,
    particles: usize,
    streams: &mut [Stream],
    (spread, work): (&mut Spread, &mut FieldCost),
) -> Vec<ParticleSet> {
    assert_eq!(streams.len(), visible.rows(), "one stream a run");
    assert!(particles > 0, "at least one particle");
    let first = PathPoint { beta: 0.0, ..*path.points.first().expect("a path has a point") };
    let count = visible.rows();
    let rows: Vec<usize> = (0..count * particles).map(|c| c / particles).collect();
    let mut chains = Chains::new(first.model, visible.select(&rows), clamp.of_rows(&rows, visible.columns()));
    let all = chains.all();
    let held = if *clamp == Clamp::Visible { Parity::Even } else { held_parity(first.model) };
    let mut own: Vec<Stream> = rows.iter().map(|&run| streams[run].fork()).collect();
    let mut draw = |chains: &mut Chains, parity: Parity, PathPoint { model, beta }: PathPoint| {
        let base = |chain: usize, layer: usize| path.base.biases(layer, chain / particles);
        chains.half_sweep(model, parity, &all, &mut AnnealedDraw::of_chains(&mut own, base, beta as f32));
    };
    for parity in [held.other(), held] {
        draw(&mut chains, parity, first);
    }
    let begun =
        |run: usize| log_sum_of_base(first.model, &path.base, run, visible.row(run), &clamp.of_rows(&[run], visible.columns()));
    let mut weighing = Weighing::new((0..count).map(begun).collect(), particles);
    spread.begin(path.points.len(), count);
    let mut before = first;
    for (place, &point) in path.points.iter().enumerate() {
        let worth = |chains: &mut Chains, point: PathPoint| -> Vec<f64> {
            chains.refresh(point.model, held.other(), &chains.all());
            rows.iter().enumerate().map(|(c, &run)| log_weight(point, &path.base, run, chains, c, held)).collect()
        };
        let old = worth(&mut chains, before);
        if !std::ptr::eq(point.model, before.model) {
            chains.change_model(point.model);
        }
        let increments: Vec<f64> = worth(&mut chains, point).iter().zip(&old).map(|(new, old)| new - old).collect();
        for (run, increments) in increments.chunks(particles).enumerate() {
            spread.note(place, increments);
            if let Some(ancestors) = weighing.add(run, increments, || streams[run].uniform()) {
                chains.resample(run * particles, &ancestors);
            }
        }
        for parity in [held.other(), held] {
            draw(&mut chains, parity, point);
        }
        before = point;
    }
    let model = before.model;
    for parity in [Parity::Even, Parity::Odd] {
        chains.refresh(model, parity, &all);
    }
    *work += chains.work();
    let run = |run: usize| {
        let own: Vec<usize> = (run * particles..(run + 1) * particles).collect();
        let weights = weighing.weights(run);
        let means = |l: usize| {
            let mut means = Matrix::zeros(particles, model.sizes()[l]);
            own.iter().enumerate().for_each(|(row, &c)| chains.means(model, l, c, means.row_mut(row)));
            means
        };
        ParticleSet {
            states: chains.layers().iter().map(|layer| layer.select(&own)).collect(),
            means: (0..model.sizes().len()).map(means).collect(),
            log_z: weighing.log_z(run),
            energy: own.iter().zip(&weights).map(|(&c, w)| w * chains.energy(model, c)).sum(),
            weights,
        }
    };
    (0..count).map(run).collect()
}

/// The log of the mean weight, from the logs of the weights.
fn log_mean(log_weights: &[f64]) -> f64 {
    log_sum_exp(log_weights) - libm::log(log_weights.len() as f64)
}

/// The ancestor of each new particle: particle `i` occurs `floor` or `ceil` of `N w_i` times, and `N w_i` times on average over `u` in
/// `[0, 1)` (Kitagawa 1996).
pub(crate) fn systematic(weights: &[f64], u: f64) -> Vec<usize> {
    let n = weights.len();
    let (mut ancestors, mut sum) = (Vec::with_capacity(n), 0.0);
    for (i, w) in weights.iter().enumerate() {
        sum += w * n as f64;
        while ancestors.len() < n && (ancestors.len() as f64 + u) < sum {
            ancestors.push(i);
        }
    }
    // Places left over by rounding go to the last particle with any weight.
    let last = weights.iter().rposition(|&w| w > 0.0).unwrap_or(n - 1);
    ancestors.resize(n, last);
    ancestors
}

/// The coupling of chains whose states are runs: particle independent Metropolis-Hastings (Andrieu, Doucet and Holenstein 2010; coupled by
/// Middleton, Deligiannidis, Doucet and Jacob 2019).
///
/// A chain at run `S` accepts the run `P` with probability `min(1, Zhat(P) / Zhat(S))`; two chains with a lag of one are offered the same
/// run and compare the same uniform. With `f(S) = sum_i W^i f(x^i)`,
///
/// `H = 1/(m-k+1) sum_{t=k}^m f(X_t) + sum_{t>k} min(1, (t-k)/(m-k+1)) (f(X_t) - f(Y_{t-1}))`
///
/// is unbiased for `E[f]` (Jacob, O'Leary and Atchade 2020). Every `f(X_t)` is replaced by its mean over whether the offered run was
/// accepted, `a f(P) + (1 - a) f(X_{t-1})`, which keeps it unbiased and wastes no run; the sum then includes t = tau.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunCoupling {
    /// k: the first time of the average.
    pub first: u32,
    /// m: the last time of the average, at least k.
    pub last: u32,
    /// Steps after which a coupling that has not met is cut.
    pub cap: u32,
}

/// Receives how often a run counts, the step at which it was offered, and the run.
pub type OnWeightedSet<'p> = dyn FnMut(f64, u32, &ParticleSet) + 'p;

/// One pair of chains in progress.
pub struct Pair<'a> {
    coupling: &'a RunCoupling,
    x: Rc<Counted>,
    y: Rc<Counted>,
    /// t of X.
    time: u32,
    met: Option<u32>,
    /// Runs offered to X, and those it accepted.
    pub offered: (u64, u64),
}

/// A run, when it was offered, and how often it counts so far.
struct Counted {
    run: ParticleSet,
    offered_at: u32,
    times: Cell<f64>,
}

impl Counted {
    fn new(run: ParticleSet, offered_at: u32) -> Rc<Self> {
        Rc::new(Self { run, offered_at, times: Cell::new(0.0) })
    }

    fn add(&self, times: f64) {
        self.times.set(self.times.get() + times);
    }
}

impl<'a> Pair<'a> {
    /// Both chains at one run.
    pub fn new(coupling: &'a RunCoupling, start: ParticleSet) -> Self {
        let start = Counted::new(start, 0);
        let pair = Self { coupling, x: start.clone(), y: start, time: 0, met: None, offered: (0, 0) };
        if coupling.first == 0 {
            pair.x.add(pair.share());
        }
        pair
    }

    /// `1/(m-k+1)`.
    fn share(&self) -> f64 {
        1.0 / f64::from(self.coupling.last - self.coupling.first + 1)
    }

    /// Whether it has met or was cut, and all times of the average are over.
    pub fn is_done(&self) -> bool {
        let over = self.met.is_some() && self.time >= self.coupling.last;
        over || self.time >= self.coupling.cap.max(self.coupling.last)
    }

    /// tau, and whether it was cut at the cap.
    pub fn meeting(&self) -> (u32, bool) {
        (self.met.unwrap_or(self.time), self.met.is_none())
    }

    /// The steps at which the present runs of X and of Y were offered; 0 for the start.
    pub fn at(&self) -> [u32; 2] {
        [self.x.offered_at, self.y.offered_at]
    }

    /// One step of both: from `(X_{t-1}, Y_{t-2})` to `(X_t, Y_{t-1})`, given an offered run and the uniform that both compare. Runs that
    /// can no longer count are passed to `push`, with how often they count and the step at which they were offered.
    pub fn step(&mut self, offered: ParticleSet, u: f64, push: &mut OnWeightedSet) {
        self.time += 1;
        let RunCoupling { first: k, last: m, .. } = *self.coupling;
        let t = self.time;
        let accepts = |of: &Counted| libm::exp((offered.log_z - of.run.log_z).min(0.0));
        let (a_x, a_y) = (accepts(&self.x), accepts(&self.y));
        let in_average = if (k..=m).contains(&t) { self.share() } else { 0.0 };
        let correction = if t > k && self.met.is_none() { (f64::from(t - k) * self.share()).min(1.0) } else { 0.0 };
        let offered = Counted::new(offered, t);
        let (x, y) = (self.x.clone(), self.y.clone());
        offered.add((in_average + correction) * a_x);
        x.add((in_average + correction) * (1.0 - a_x));
        let next = |from: &Rc<Counted>, a: f64| if u < a { offered.clone() } else { from.clone() };
        self.x = next(&x, a_x);
        self.offered = (self.offered.0 + 1, self.offered.1 + u64::from(u < a_x));
        if t == 1 {
            // Y_0 is the start itself: nothing was offered to it.
            y.add(-correction);
        } else {
            offered.add(-correction * a_y);
            y.add(-correction * (1.0 - a_y));
            self.y = next(&y, a_y);
        }
        if self.met.is_none() && Rc::ptr_eq(&self.x, &self.y) {
            self.met = Some(t);
        }
        let mut gone = vec![x, y, offered];
        gone.retain(|run| !Rc::ptr_eq(run, &self.x) && !Rc::ptr_eq(run, &self.y));
        gone.dedup_by(|a, b| Rc::ptr_eq(a, b));
        for run in gone {
            push(run.times.replace(0.0), run.offered_at, &run.run);
        }
    }

    /// Passes the remaining runs to `push`, once the pair is done.
    pub fn finish(self, push: &mut OnWeightedSet) {
        for run in [self.x, self.y] {
            push(run.times.replace(0.0), run.offered_at, &run.run);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_particle_is_resampled_as_often_as_it_weighs() {
        let weights = [0.1, 0.45, 0.0, 0.45];
        let mut times = [0.0; 4];
        (0..1000).for_each(|u| systematic(&weights, (f64::from(u) + 0.5) / 1000.0).iter().for_each(|&i| times[i] += 1e-3));
        times.iter().zip(weights).for_each(|(times, w)| assert!((times - 4.0 * w).abs() < 2e-3, "{times} for {w}"));
    }
}
