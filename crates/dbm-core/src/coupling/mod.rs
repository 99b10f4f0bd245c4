//! Two chains with a lag of one, run until they meet: what turns a finite chain into an unbiased estimate (Jacob et al. 2020).

mod metropolis;

pub use metropolis::{Acceptance, Metropolis, SharedUniform};
use std::rc::Rc;

/// A state with its energy.
#[derive(Debug, PartialEq)]
pub struct Point {
    /// One vector a layer.
    pub state: Vec<Vec<f32>>,
    /// Its energy, up to what is clamped.
    pub energy: f64,
}

/// A pair of chains that can move together.
pub trait PairKernel {
    /// One step of both: from `(x_t, y_{t-1})` to `(x_{t+1}, y_t)`. Each must follow the law of the single chain.
    fn step(&mut self, x: &Rc<Point>, y: &Rc<Point>) -> (Rc<Point>, Rc<Point>);
}

/// How a coupling ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Meeting {
    /// tau: the first t with `x_t = y_{t-1}`, or the cap.
    pub time: u32,
    /// Whether the cap cut it: the corrections after it are missing, which biases this estimate.
    pub capped: bool,
    /// States and integer weights of `sum_{t=1}^{tau-1} f(x_t) - f(y_{t-1})`, equal states merged.
    pub corrections: Vec<(i32, Vec<Vec<f32>>)>,
}

/// Runs a coupling on from `x_0 = y_0` and `x_1` (paper, Algorithm 1, with the test before the loop, so that tau = 1 can be).
pub fn meet(x0: Rc<Point>, x1: Rc<Point>, kernel: &mut impl PairKernel, cap: u32) -> Meeting {
    let same = |x: &Rc<Point>, y: &Rc<Point>| Rc::ptr_eq(x, y) || x.state == y.state;
    let (mut x, mut y) = (x1, x0);
    let mut time = 1;
    let mut visited: Vec<(i32, Rc<Point>)> = Vec::new();
    let mut note = |weight: i32, point: &Rc<Point>| {
        // Chains mostly stay where they are, so the states of the last step are the last ones noted.
        match visited.iter_mut().rev().find(|(_, seen)| Rc::ptr_eq(seen, point)) {
            Some((sum, _)) => *sum += weight,
            None => visited.push((weight, Rc::clone(point))),
        }
    };
    while !same(&x, &y) && time < cap {
        note(1, &x);
        note(-1, &y);
        (x, y) = kernel.step(&x, &y);
        time += 1;
    }
    let capped = !same(&x, &y);
    let corrections = visited.into_iter().filter(|(weight, _)| *weight != 0).map(|(w, point)| (w, point.state.clone())).collect();
    Meeting { time, capped, corrections }
}
