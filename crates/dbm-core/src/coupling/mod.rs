//! Two chains with a lag of one, run until they meet: what turns a finite chain into an unbiased estimate (Jacob et al. 2020).

mod gibbs;
mod metropolis;

pub use gibbs::{BlockCoupling, BlockDraw, GibbsCoupling, StateWithFields};
pub(crate) use gibbs::{is_high, log_ratio};
pub use metropolis::{Acceptance, MetropolisCoupling, SharedUniform, StateWithEnergy, pair_step};
use std::rc::Rc;

/// A pair of chains that can move together.
pub trait PairKernel {
    /// Where a chain can be: a state of one vector a layer, and whatever the kernel needs to know of it.
    type State: AsRef<[Vec<f32>]>;

    /// One step of both: from `(x_t, y_{t-1})` to `(x_{t+1}, y_t)`. Each must follow the law of the single chain.
    fn step(&mut self, x: &Rc<Self::State>, y: &Rc<Self::State>) -> (Rc<Self::State>, Rc<Self::State>);
}

/// How a coupling ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Meeting {
    /// tau: the first t with `x_t = y_{t-1}`, or the cap.
    pub time: u32,
    /// Whether the cap cut it: the corrections after it are missing, which biases this estimate.
    pub capped: bool,
}

/// Runs a coupling on from `x_0 = y_0` and `x_1` (paper, Algorithm 1, with the test before the loop, so that tau = 1 can be).
///
/// `correct` is told the terms of `sum_{t=1}^{tau-1} f(x_t) - f(y_{t-1})` as states and integer weights, a chain that stays
/// where it is being told once; nothing is stored, however long the coupling.
pub fn meet<K: PairKernel>(
    x0: Rc<K::State>,
    x1: Rc<K::State>,
    kernel: &mut K,
    cap: u32,
    mut correct: impl FnMut(i32, &[Vec<f32>]),
) -> Meeting {
    let same = |x: &Rc<K::State>, y: &Rc<K::State>| Rc::ptr_eq(x, y) || (**x).as_ref() == (**y).as_ref();
    let (mut x, mut y) = (x1, x0);
    let (mut x_stays, mut y_stays) = (0, 0);
    let mut time = 1;
    while !same(&x, &y) && time < cap {
        x_stays += 1;
        y_stays += 1;
        let (next_x, next_y) = kernel.step(&x, &y);
        time += 1;
        if !Rc::ptr_eq(&next_x, &x) {
            correct(std::mem::take(&mut x_stays), (*x).as_ref());
        }
        if !Rc::ptr_eq(&next_y, &y) {
            correct(-std::mem::take(&mut y_stays), (*y).as_ref());
        }
        (x, y) = (next_x, next_y);
    }
    for (weight, point) in [(x_stays, &x), (-y_stays, &y)] {
        if weight != 0 {
            correct(weight, (**point).as_ref());
        }
    }
    Meeting { time, capped: !same(&x, &y) }
}
