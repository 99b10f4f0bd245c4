//! The transition law of the coupled Metropolis pair: how long, on average, each chain spends in each state before they meet.

use super::space::StateSpace;
use super::unit_interval::pieces;
use super::{NO_CAP, Occupation};
use crate::coupling::{Acceptance, pair_step};

/// The pair on every pair of states.
pub struct MetropolisPair<'a, A> {
    energies: &'a [f64],
    acceptance: &'a A,
}

/// Mass below this is rounding.
const NOTHING: f64 = 1e-18;

/// A leaving rate below this counts as zero.
const SINGULAR: f64 = 1e-14;

/// Rounds of solving lines after which the remaining mass is reported as unmet.
const MAX_ROUNDS: usize = 1000;

impl<'a, A: Acceptance> MetropolisPair<'a, A> {
    /// The pair on these states.
    pub fn new(space: &'a StateSpace, acceptance: &'a A) -> Self {
        Self { energies: space.energies(), acceptance }
    }

    /// Where the pair `(x, y)` goes in one step, and with what probability, by summing `pair_step` over all proposals and all u.
    pub fn step(&self, x: usize, y: usize, mut each: impl FnMut(usize, usize, f64)) {
        let n = self.energies.len();
        let (x_energy, y_energy) = (self.energies[x], self.energies[y]);
        for (proposal, &energy) in self.energies.iter().enumerate() {
            let thresholds = [libm::exp((x_energy - energy).min(0.0)), libm::exp((y_energy - energy).min(0.0))];
            pieces(thresholds, |length, u| {
                let (to_x, to_y) = pair_step(self.acceptance, u, (&proposal, energy), (&x, x_energy), (&y, y_energy));
                each(to_x, to_y, length / n as f64);
            });
        }
    }

    /// The pairs `(x_1, y_0 = x_0)` that differ, `[x * n + y]`, for a distribution of x_0.
    fn first_pairs(&self, start: &[f64]) -> Vec<f64> {
        let n = self.energies.len();
        let mut pairs = vec![0.0; n * n];
        for (x0, &mass) in start.iter().enumerate().filter(|(_, mass)| **mass > 0.0) {
            self.step(x0, x0, |x1, _, p| {
                if x1 != x0 {
                    pairs[x1 * n + x0] += mass * p;
                }
            });
        }
        pairs
    }

    /// The mean of `sum_{t=1}^{tau-1} [x_t = s] - [y_{t-1} = s]` for a distribution of x_0; with a cap on tau, or without one (`u32::MAX`).
    pub fn occupation(&self, start: &[f64], max_meeting: u32) -> Occupation {
        let pairs = self.first_pairs(start);
        match max_meeting {
            NO_CAP => self.solved(pairs),
            cap => self.stepped(pairs, cap),
        }
    }

    /// Step by step: the simple way, needed if there is a cap.
    fn stepped(&self, mut pairs: Vec<f64>, cap: u32) -> Occupation {
        let n = self.energies.len();
        let mut occupation = Occupation::zeros(n);
        for _ in 1..cap {
            if pairs.iter().sum::<f64>() < NOTHING {
                break;
            }
            let mut next = vec![0.0; n * n];
            for (pair, &mass) in pairs.iter().enumerate().filter(|(_, mass)| **mass > 0.0) {
                let (x, y) = (pair / n, pair % n);
                occupation.add(x, y, mass);
                self.step(x, y, |x, y, p| {
                    if x != y {
                        next[x * n + y] += mass * p;
                    }
                });
            }
            pairs = next;
        }
        occupation.unmet = pairs.iter().sum();
        occupation
    }

    /// Over all time. While one chain stays, the other wanders: those pairs form one line, whose occupation is solved for directly. In a
    /// correct coupling the chain of lower energy stays until they meet, since the other accepts whatever it accepts. Where a broken
    /// coupling moves it, the mass that leaves the line becomes a source of another line in the next round.
    fn solved(&self, mut pairs: Vec<f64>) -> Occupation {
        let n = self.energies.len();
        let mut occupation = Occupation::zeros(n);
        for _ in 0..MAX_ROUNDS {
            let mut next = vec![0.0; n * n];
            for x_stays in [false, true] {
                for stays in 0..n {
                    self.solve_line(x_stays, stays, &mut pairs, &mut next, &mut occupation);
                }
            }
            pairs = next;
            if pairs.iter().sum::<f64>() < NOTHING {
                break;
            }
        }
        occupation.unmet += pairs.iter().sum::<f64>();
        occupation
    }

    /// Takes the sources of one line out of `pairs`, adds the time spent there to `occupation`, and what leaves the line to `next`.
    fn solve_line(&self, x_stays: bool, stays: usize, pairs: &mut [f64], next: &mut [f64], occupation: &mut Occupation) {
        let n = self.energies.len();
        let pair = |moves: usize| if x_stays { (stays, moves) } else { (moves, stays) };
        // A pair of equal energies belongs to the line in which y stays.
        let on_line = |moves: &usize| {
            let (x, y) = pair(*moves);
            x != y && (self.energies[x] < self.energies[y]) == x_stays
        };
        let line: Vec<usize> = (0..n).filter(on_line).collect();
        let mut place = vec![None; n];
        line.iter().enumerate().for_each(|(at, &moves)| place[moves] = Some(at));
        let sources: Vec<f64> = line
            .iter()
            .map(|&moves| {
                let (x, y) = pair(moves);
                std::mem::take(&mut pairs[x * n + y])
            })
            .collect();
        if sources.iter().sum::<f64>() == 0.0 {
            return;
        }
        // Time spent in a state times its leaving rate equals the inflow: from the sources, and from the line's other states.
        let k = line.len();
        let mut balance = vec![0.0; k * k];
        let mut leaving: Vec<(usize, usize, f64)> = Vec::new();
        for (from, &moves) in line.iter().enumerate() {
            let (x, y) = pair(moves);
            self.step(x, y, |to_x, to_y, p| {
                if (to_x, to_y) == (x, y) {
                    return;
                }
                balance[from * k + from] += p;
                let (to_stay, to_move) = if x_stays { (to_x, to_y) } else { (to_y, to_x) };
                match place[to_move] {
                    _ if to_x == to_y => {}
                    Some(to) if to_stay == stays => balance[to * k + from] -= p,
                    _ => leaving.push((from, to_x * n + to_y, p)),
                }
            });
        }
        let Some(times) = solve(&mut balance, sources.clone()) else {
            // A pair that can neither meet nor leave its line.
            occupation.unmet += sources.iter().sum::<f64>();
            return;
        };
        for (&moves, &time) in line.iter().zip(&times) {
            let (x, y) = pair(moves);
            occupation.add(x, y, time);
        }
        for (from, to, p) in leaving {
            next[to] += times[from] * p;
        }
    }
}

/// Solves `A t = b`, row-major, by elimination without pivoting. The columns of A are rates, with each diagonal entry at least the sum of
/// the rest, for which this is stable. `None` if A is singular.
fn solve(a: &mut [f64], mut b: Vec<f64>) -> Option<Vec<f64>> {
    let n = b.len();
    for pivot in 0..n {
        let (above, below) = a.split_at_mut((pivot + 1) * n);
        let row = &above[pivot * n + pivot..];
        if row[0] < SINGULAR {
            return None;
        }
        let at_pivot = b[pivot];
        for (other, value) in below.chunks_exact_mut(n).zip(&mut b[pivot + 1..]) {
            let factor = other[pivot] / row[0];
            if factor != 0.0 {
                other[pivot..].iter_mut().zip(row).for_each(|(x, y)| *x -= factor * y);
                *value -= factor * at_pivot;
            }
        }
    }
    for pivot in (0..n).rev() {
        let row = &a[pivot * n..][..n];
        let known: f64 = row[pivot + 1..].iter().zip(&b[pivot + 1..]).map(|(a, t)| a * t).sum();
        b[pivot] = (b[pivot] - known) / row[pivot];
    }
    Some(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coupling::SharedUniform;
    use crate::sweep::LocalMode;
    use crate::{Units, init};

    #[test]
    fn lines_solved_at_once_agree_with_single_steps() {
        for units in [Units::Signs, Units::Bits] {
            let model = init::gaussian(&[2, 2], units, 0.4, 3).unwrap();
            let space = StateSpace::new(&model, &[None; 2]).unwrap();
            let pair = MetropolisPair::new(&space, &SharedUniform);
            let start = space.local_mode(LocalMode { max_sweeps: 100, gibbs_sweeps: 1 });
            let (solved, stepped) = (pair.occupation(&start, NO_CAP), pair.occupation(&start, 3000));
            assert!(solved.unmet < 1e-15 && stepped.unmet < 1e-12);
            let apart = solved.excess.iter().zip(&stepped.excess).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-9, "{apart}");
        }
    }
}
