//! Every state of a tiny model's free units, and how its kernels act on distributions over them.

use super::{Expected, Occupation};
use crate::chains::Chains;
use crate::groups::cells;
use crate::linalg::Matrix;
use crate::math::{logistic, normalized};
use crate::sweep::{LocalMode, search};
use crate::{Clamp, Dbm, DbmError, Group, Parity, exact};

/// The most free units: the law of a coupled pair sums over the cube of the number of states.
pub const MAX_UNITS: usize = 10;

/// The states of the free units. In state `e + n_even o` the even free units are the bits of the `e`-th of `n_even` codes and the odd ones the
/// bits of `o`, the first unit being the lowest bit. All codes are there, in order, except those in which a group of visible units is at no
/// level.
pub struct StateSpace<'m> {
    model: &'m Dbm,
    clamp: Vec<Option<bool>>,
    /// `(layer, unit)` of the free units of each parity.
    free: [Vec<(usize, usize)>; 2],
    /// The states of the even free units.
    even_codes: Vec<usize>,
    states: Vec<Vec<Vec<f32>>>,
    energies: Vec<f64>,
    /// For each parity and each state of the other: `P(high)` of each of its free units.
    high: [Vec<Vec<f64>>; 2],
}

impl<'m> StateSpace<'m> {
    /// The states with `visible[i] = Some(bit)` clamped.
    ///
    /// # Errors
    /// [`DbmError::Shape`] for a clamp of another size, [`DbmError::TooManyUnits`] for more than [`MAX_UNITS`] free units.
    pub fn new(model: &'m Dbm, visible: &[Option<bool>]) -> Result<Self, DbmError> {
        DbmError::check_shape("the clamped visible layer", model.n_visible(), visible.len())?;
        let free = [Parity::Even, Parity::Odd].map(|parity| -> Vec<(usize, usize)> {
            let units = parity.layers(model.depth()).flat_map(|l| (0..model.sizes()[l]).map(move |i| (l, i)));
            units.filter(|&(l, i)| l > 0 || visible[i].is_none()).collect()
        });
        let count = free[0].len() + free[1].len();
        if count > MAX_UNITS {
            return Err(DbmError::TooManyUnits { units: count, limit: MAX_UNITS });
        }
        let units = model.units();
        let mut base: Vec<Vec<f32>> = model.sizes().iter().map(|&n| vec![units.low(); n]).collect();
        for (value, bit) in base[0].iter_mut().zip(visible) {
            *value = units.value(*bit == Some(true));
        }
        let state_of = |code: usize| {
            let mut state = base.clone();
            for (place, &(l, i)) in free.iter().flatten().enumerate() {
                state[l][i] = units.value(code >> place & 1 == 1);
            }
            state
        };
        let is_free = |group: &Group| group.units.clone().any(|unit| visible[unit].is_none());
        let groups: Vec<&Group> = model.groups().iter().filter(|group| is_free(group)).collect();
        let is_there = |&code: &usize| {
            let visible = &state_of(code)[0];
            groups.iter().all(|group| group.level(|unit| visible[unit] > 0.5).is_some())
        };
        let even_codes: Vec<usize> = (0..1 << free[0].len()).filter(is_there).collect();
        let odd_codes = 0..1_usize << free[1].len();
        let codes = odd_codes.flat_map(|odd| even_codes.iter().map(move |even| (even, odd)));
        let states: Vec<Vec<Vec<f32>>> = codes.map(|(even, odd)| state_of(even | odd << free[0].len())).collect();
        let energies = states.iter().map(|state| model.energy(state)).collect();
        let mut space = Self { model, clamp: visible.to_vec(), free, even_codes, states, energies, high: [vec![], vec![]] };
        space.high = [Parity::Even, Parity::Odd].map(|parity| {
            let others = 0..space.count_of(parity.other());
            others.map(|other| space.probabilities(parity, other)).collect()
        });
        Ok(space)
    }

    /// `P(high)` of the free units of a parity, in the order of the space, given the other parity.
    fn probabilities(&self, parity: Parity, other: usize) -> Vec<f64> {
        if parity == Parity::Even && !self.model.groups().is_empty() {
            let mut high = vec![0.0; self.free[0].len()];
            for (code, p) in self.even_codes.iter().zip(self.even_block(other)) {
                high.iter_mut().enumerate().for_each(|(place, high)| *high += if code >> place & 1 == 1 { p } else { 0.0 });
            }
            return high;
        }
        let state = &self.states[self.join(parity, 0, other)];
        let gap = f64::from(self.model.units().gap());
        let fields: Vec<Vec<f64>> = (0..state.len()).map(|l| self.model.exact_field(l, state)).collect();
        self.free[parity as usize].iter().map(|&(l, i)| logistic(gap * fields[l][i])).collect()
    }

    /// The distribution of the even parity given the odd one, from the energies.
    fn even_block(&self, odd: usize) -> Vec<f64> {
        let logs = (0..self.even_codes.len()).map(|even| -self.energies[self.join(Parity::Even, even, odd)]);
        normalized(&logs.collect::<Vec<f64>>())
    }

    /// The states with the `known` units clamped to the values in `visible`, where it has any.
    ///
    /// # Errors
    /// Those of [`StateSpace::new`].
    pub fn of_known(model: &'m Dbm, visible: &[Option<bool>], known: &[bool]) -> Result<Self, DbmError> {
        Self::new(model, &exact::only(visible, known))
    }

    /// Whether the free units are independent: those of an RBM whose visible layer is clamped.
    pub(crate) fn has_exact_posterior(&self) -> bool {
        self.model.depth() == 1 && self.clamp.iter().all(Option::is_some)
    }

    /// How many states there are.
    pub fn count(&self) -> usize {
        self.states.len()
    }

    /// How many states one parity has.
    pub fn count_of(&self, parity: Parity) -> usize {
        match parity {
            Parity::Even => self.even_codes.len(),
            Parity::Odd => 1 << self.free[1].len(),
        }
    }

    /// The state with `parity` at `own` and the other parity at `other`.
    pub fn join(&self, parity: Parity, own: usize, other: usize) -> usize {
        let (even, odd) = if parity == Parity::Even { (own, other) } else { (other, own) };
        even + odd * self.even_codes.len()
    }

    /// The state of one parity within a full state.
    pub fn part(&self, parity: Parity, state: usize) -> usize {
        match parity {
            Parity::Even => state % self.even_codes.len(),
            Parity::Odd => state / self.even_codes.len(),
        }
    }

    /// The states themselves.
    pub fn states(&self) -> &[Vec<Vec<f32>>] {
        &self.states
    }

    /// The energies of all states, in their order.
    pub fn energies(&self) -> &[f64] {
        &self.energies
    }

    /// `P(high)` of the free units of a parity, with the other parity at `other`.
    pub fn high(&self, parity: Parity, other: usize) -> &[f64] {
        &self.high[parity as usize][other]
    }

    /// The distribution of a parity given the other at `other`.
    pub fn block(&self, parity: Parity, other: usize) -> Vec<f64> {
        if parity == Parity::Even && !self.model.groups().is_empty() {
            return self.even_block(other);
        }
        product(self.high(parity, other))
    }

    /// The uniform distribution over states.
    pub fn uniform(&self) -> Vec<f64> {
        vec![1.0 / self.count() as f64; self.count()]
    }

    /// The model's distribution: `exp(-E)`, normalized.
    pub fn stationary(&self) -> Vec<f64> {
        let least = self.energies.iter().copied().fold(f64::INFINITY, f64::min);
        let weights: Vec<f64> = self.energies.iter().map(|energy| libm::exp(least - energy)).collect();
        let sum: f64 = weights.iter().sum();
        weights.iter().map(|weight| weight / sum).collect()
    }

    /// A distribution after one parity was drawn given the other.
    pub fn half_sweep(&self, law: &[f64], parity: Parity) -> Vec<f64> {
        let mut after = vec![0.0; law.len()];
        for other in 0..self.count_of(parity.other()) {
            let own = 0..self.count_of(parity);
            let mass: f64 = own.clone().map(|own| law[self.join(parity, own, other)]).sum();
            for (own, p) in own.zip(self.block(parity, other)) {
                after[self.join(parity, own, other)] = mass * p;
            }
        }
        after
    }

    /// A distribution after `k` Gibbs sweeps, each with this parity first.
    pub fn sweeps(&self, law: Vec<f64>, first: Parity, k: u32) -> Vec<f64> {
        (0..k).fold(law, |law, _| self.half_sweep(&self.half_sweep(&law, first), first.other()))
    }

    /// A distribution after every even unit, or group of visible units, in turn was drawn given the other even ones, the odd ones summed out.
    /// These do not matter afterwards, and are left uniform.
    pub(crate) fn collapsed_sweep(&self, law: &[f64]) -> Vec<f64> {
        let weight = self.summed_out(Parity::Even, |state| libm::exp(-self.energies[state]));
        let mut after = self.summed_out(Parity::Even, |state| law[state]);
        for own in self.even_cells() {
            for first in 0..after.len() {
                // The states that differ from this one in the cell alone, if it is the first of them.
                let rest = |state: usize| self.even_codes[state] & !own;
                let alike: Vec<usize> = (0..after.len()).filter(|&state| rest(state) == rest(first)).collect();
                if alike[0] == first {
                    let sum = |of: &[f64]| alike.iter().map(|&state| of[state]).sum::<f64>();
                    let share = sum(&after) / sum(&weight);
                    alike.iter().for_each(|&state| after[state] = share * weight[state]);
                }
            }
        }
        self.with_uniform_others(Parity::Even, &after)
    }

    /// The bits of the free even units that are drawn together: of each group of visible units, and of each other unit.
    fn even_cells(&self) -> Vec<usize> {
        let bit = |layer: usize, unit: usize| {
            let place = self.free[0].iter().position(|&free| free == (layer, unit));
            place.map_or(0, |place| 1_usize << place)
        };
        let visible = cells(self.model.groups(), self.model.n_visible()).into_iter();
        let visible = visible.map(|cell| cell.units.map(|unit| bit(0, unit)).sum());
        let others = self.free[0].iter().filter(|&&(l, _)| l > 0).map(|&(l, i)| bit(l, i));
        visible.chain(others).filter(|&bits| bits > 0).collect()
    }

    /// The sum over the states of the other parity, for each of this one.
    fn summed_out(&self, own: Parity, of: impl Fn(usize) -> f64) -> Vec<f64> {
        let others = 0..self.count_of(own.other());
        (0..self.count_of(own)).map(|state| others.clone().map(|other| of(self.join(own, state, other))).sum()).collect()
    }

    /// A distribution with this one over the states of a parity, and the other parity uniform.
    fn with_uniform_others(&self, own: Parity, law: &[f64]) -> Vec<f64> {
        let others = self.count_of(own.other());
        let mut whole = vec![0.0; self.count()];
        for (state, other) in (0..law.len()).flat_map(|state| (0..others).map(move |other| (state, other))) {
            whole[self.join(own, state, other)] = law[state] / others as f64;
        }
        whole
    }

    /// A distribution after one parity was offered an exchange with an independent uniform one, decided by their probabilities with the
    /// other parity summed out. The other parity does not matter afterwards, and is left uniform.
    pub(crate) fn exchanged_with_uniform(&self, law: &[f64], held: Parity) -> Vec<f64> {
        let n = self.count_of(held);
        let weight = self.summed_out(held, |state| libm::exp(-self.energies[state]));
        let before = self.summed_out(held, |state| law[state]);
        let mut after = before.clone();
        for (from, to) in (0..n).flat_map(|from| (0..n).map(move |to| (from, to))) {
            let moved = before[from] / n as f64 * (weight[to] / weight[from]).min(1.0);
            after[from] -= moved;
            after[to] += moved;
        }
        self.with_uniform_others(held, &after)
    }

    /// The distribution of x_0 in UCD-LMI: the search from every state, run by the search itself, then its Gibbs sweeps; both orders are
    /// equally likely in each.
    pub fn local_mode(&self, start: LocalMode) -> Vec<f64> {
        let mut modes = vec![0.0; self.count()];
        for first in [Parity::Even, Parity::Odd] {
            let mut chains = self.chains();
            search(self.model, &mut chains, &vec![first; self.count()], start.max_sweeps);
            for c in 0..self.count() {
                modes[self.index_of(&chains.state(c))] += 0.5 / self.count() as f64;
            }
        }
        let orders = [Parity::Even, Parity::Odd].map(|first| self.sweeps(modes.clone(), first, start.gibbs_sweeps));
        orders[0].iter().zip(&orders[1]).map(|(a, b)| 0.5 * (a + b)).collect()
    }

    /// One chain at every state.
    fn chains(&self) -> Chains {
        let known: Vec<bool> = self.clamp.iter().map(Option::is_some).collect();
        let visible: Vec<f32> = self.states.iter().flat_map(|state| &state[0]).copied().collect();
        let visible = Matrix::from_vec(self.count(), self.model.n_visible(), visible);
        let mut chains = Chains::new(self.model, visible, Clamp::of_units(&known, self.count()));
        self.states.iter().enumerate().for_each(|(c, state)| chains.place(c, state));
        chains
    }

    /// The index of a state; clamped units do not matter.
    pub(crate) fn index_of(&self, state: &[Vec<f32>]) -> usize {
        let bit = |(place, &(l, i)): (usize, &(usize, usize))| usize::from(state[l][i] == self.model.units().high()) << place;
        let [even, odd] = [0, 1].map(|parity| self.free[parity].iter().enumerate().map(bit).sum::<usize>());
        self.join(Parity::Even, self.even_codes.binary_search(&even).expect("a state of the space"), odd)
    }

    /// The mean of f under a distribution.
    pub(crate) fn expected(&self, law: &[f64], marginalize: bool) -> Expected {
        Expected { values: self.features(law, marginalize), unmet: 0.0 }
    }

    /// The mean of f given the clamped units, if [`StateSpace::has_exact_posterior`]: the mean after half a sweep from any state.
    pub(crate) fn exact_posterior(&self) -> Expected {
        self.expected(&self.half_sweep(&self.uniform(), Parity::Odd), false)
    }

    /// The mean of f(x_0) and the corrections to it.
    pub(crate) fn expected_coupled(&self, start: &[f64], occupation: Occupation, marginalize: bool) -> Expected {
        let weights: Vec<f64> = start.iter().zip(occupation.excess).map(|(p, excess)| p + excess).collect();
        Expected { unmet: occupation.unmet, ..self.expected(&weights, marginalize) }
    }

    /// f at one state, whose units may have any values.
    pub(crate) fn expected_at(&self, state: &[Vec<f64>]) -> Expected {
        let mut values = vec![0.0; self.model.n_parameters()];
        add_features(&mut values, 1.0, state);
        Expected { values, unmet: 0.0 }
    }

    /// `sum_s w(s) f(s)`, `f` marginalized or not, in the order of [`crate::exact::gradient`]. The weights may be of any sign.
    pub fn features(&self, weights: &[f64], marginalize: bool) -> Vec<f64> {
        let mut sum = vec![0.0; self.model.n_parameters()];
        let (low, gap) = (f64::from(self.model.units().low()), f64::from(self.model.units().gap()));
        for (index, &weight) in weights.iter().enumerate().filter(|(_, weight)| **weight != 0.0) {
            let state: Vec<Vec<f64>> =
                self.states[index].iter().map(|layer| layer.iter().map(|&s| f64::from(s)).collect()).collect();
            if !marginalize {
                add_features(&mut sum, weight, &state);
                continue;
            }
            for parity in [Parity::Even, Parity::Odd] {
                let mut mixed = state.clone();
                let high = self.high(parity, self.part(parity.other(), index));
                for (&(l, i), p) in self.free[parity as usize].iter().zip(high) {
                    mixed[l][i] = low + gap * p;
                }
                add_features(&mut sum, 0.5 * weight, &mixed);
            }
        }
        sum
    }
}

/// Adds `weight f(s)`, in the order of [`crate::exact::gradient`].
fn add_features(sum: &mut [f64], weight: f64, state: &[Vec<f64>]) {
    let rows = state.windows(2).flat_map(|pair| pair[0].iter().map(move |lower| (weight * lower, &pair[1])));
    let outer = rows.flat_map(|(lower, upper)| upper.iter().map(move |upper| lower * upper));
    let biases = state.iter().flatten().map(|s| weight * s);
    sum.iter_mut().zip(outer.chain(biases)).for_each(|(sum, x)| *sum += x);
}

/// The distribution of independent units, the first unit being the lowest bit.
fn product(high: &[f64]) -> Vec<f64> {
    high.iter().rev().fold(vec![1.0], |law, &p| law.into_iter().flat_map(|q| [q * (1.0 - p), q * p]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_has_its_first_unit_at_the_lowest_bit() {
        let law = product(&[0.25, 0.5, 1.0]);
        assert_eq!(law, [0.0, 0.0, 0.0, 0.0, 0.375, 0.125, 0.375, 0.125]);
    }
}
