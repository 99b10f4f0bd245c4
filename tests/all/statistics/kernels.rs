//! Each kernel against enumeration: fields, modes, invariance, marginals of the coupled pair.

use crate::common::{SHAPES, State, distribution, draw, misfit, of_both_kinds, random_model, scaled};
use dbm_core::chains::Chains;
use dbm_core::coupling::{
    BlockCoupling, BlockDraw, GibbsCoupling, MetropolisCoupling, PairKernel, SharedUniform, StateWithEnergy, meet,
};
use dbm_core::expectation::{GibbsPair, MetropolisPair, StateSpace};
use dbm_core::linalg::Matrix;
use dbm_core::rng::{Purpose, Stream, Streams};
use dbm_core::sweep::{gibbs, gibbs_at};
use dbm_core::{Clamp, Dbm, Parity};
use std::rc::Rc;

/// A kernel under test; it leaves invariant the distribution of the model with all parameters multiplied by the number.
type Kernel = fn(&Dbm, &mut Chains, &mut [Stream]);
const KERNELS: [(&str, f64, Kernel); 3] = [
    ("a Gibbs sweep", 1.0, |model, chains, streams| gibbs(model, chains, &coins(streams), streams)),
    ("a Metropolis step", 1.0, |model, chains, streams| {
        for (c, stream) in streams.iter_mut().enumerate() {
            let end = metropolis_step(model, chains, c, stream, &chains.state(c), &chains.state(c)).0;
            chains.place(c, &end);
        }
    }),
    ("a Gibbs sweep at another temperature", 0.4, |model, chains, streams| {
        gibbs_at(model, chains, &coins(streams), streams, 0.4);
    }),
];

fn coins(streams: &mut [Stream]) -> Vec<Parity> {
    streams.iter_mut().map(|stream| Parity::first(stream.coin())).collect()
}

/// Moves exact draws by a kernel and compares the result with the exact distribution. Seeds fixed, 40 000 draws.
fn misfit_after(kernel: Kernel, model: &Dbm, states: &[(State, f64)], clamp: &[Option<bool>]) -> f64 {
    const BATCH: usize = 200;
    let mut counts = vec![0; states.len()];
    let known: Vec<bool> = clamp.iter().map(Option::is_some).collect();
    for batch in 0..200 {
        let mut streams = Streams::new(5).of_chains(Purpose::Positive, batch, 0..BATCH as u64);
        let starts: Vec<usize> = streams.iter_mut().map(|stream| draw(states, stream.uniform())).collect();
        let visible: Vec<f32> = starts.iter().flat_map(|&start| &states[start].0[0]).copied().collect();
        let visible = Matrix::from_vec(BATCH, model.n_visible(), visible);
        let mut chains = Chains::new(model, visible, Clamp::of_units(&known, BATCH));
        starts.iter().enumerate().for_each(|(c, &start)| chains.place(c, &states[start].0));
        kernel(model, &mut chains, &mut streams);
        for c in 0..BATCH {
            let end = chains.state(c);
            counts[states.iter().position(|(state, _)| *state == end).expect("a state that keeps the clamp")] += 1;
        }
    }
    misfit(&counts, &states.iter().map(|(_, p)| *p).collect::<Vec<f64>>())
}

#[test]
fn every_kernel_leaves_its_distribution_invariant() {
    let clamps =
        [vec![None; 4], vec![Some(true), None, Some(false), None], vec![Some(true), Some(false), Some(false), Some(true)]];
    for (seed, (name, beta, kernel)) in (40..).zip(KERNELS) {
        for (units, sizes) in of_both_kinds(SHAPES) {
            let model = random_model(units, sizes, seed);
            for clamp in &clamps {
                let misfit = misfit_after(kernel, &model, &distribution(&scaled(&model, beta), clamp), clamp);
                assert!(misfit < 5.0, "{name}, {units:?} {sizes:?} {clamp:?}: {misfit:.1} standard deviations");
            }
        }
    }
}

fn metropolis_step(model: &Dbm, chains: &Chains, chain: usize, stream: &mut Stream, x: &State, y: &State) -> (State, State) {
    let point = |state: &State| Rc::new(StateWithEnergy { energy: model.energy(state), state: state.clone() });
    let mut pair = MetropolisCoupling::new(model, chains, chain, stream, &SharedUniform);
    let (x, y) = pair.step(&point(x), &point(y));
    (x.state.clone(), y.state.clone())
}

fn gibbs_step(model: &Dbm, chains: &Chains, chain: usize, stream: &mut Stream, x: &State, y: &State) -> (State, State) {
    let mut pair = GibbsCoupling::new(model, chains, chain, stream, 100_000);
    let (x, y) = (pair.point(x.clone()), pair.point(y.clone()));
    let (x, y) = pair.step(&x, &y);
    assert_eq!(pair.tries_capped, 0);
    (x.state.clone(), y.state.clone())
}

type Step = fn(&Dbm, &Chains, usize, &mut Stream, &State, &State) -> (State, State);

/// One chain with this clamp, in the first state of its space.
fn chain_in(model: &Dbm, space: &StateSpace, clamp: &[Option<bool>]) -> Chains {
    let known: Vec<bool> = clamp.iter().map(Option::is_some).collect();
    let visible = Matrix::from_vec(1, clamp.len(), space.states()[0][0].clone());
    Chains::new(model, visible, Clamp::of_units(&known, 1))
}

/// What each kernel draws for a pair follows the pair's law. This requires one proposal and one u for both Metropolis chains, and for the
/// Gibbs chains the maximal coupling, the residuals and the common uniforms. 20 000 pairs from each of three starts, seeds fixed; misfit in
/// standard deviations of Pearson's statistic.
#[test]
fn the_pair_moves_by_its_joint_law() {
    const DRAWS: u32 = 20_000;
    for (units, sizes) in of_both_kinds([&[3, 2], &[2, 2, 1], &[2, 1, 1, 1]]) {
        let model = random_model(units, sizes, 42);
        let mut some = vec![None; sizes[0]];
        some[0] = Some(true);
        for clamp in [vec![None; sizes[0]], some, vec![Some(false); sizes[0]]] {
            let space = StateSpace::new(&model, &clamp).unwrap();
            let (n, states) = (space.count(), space.states());
            let place = |state: &State| states.iter().position(|s| s == state).expect("a state that keeps the clamp");
            let chains = chain_in(&model, &space, &clamp);
            let (metropolis, gibbs) = (MetropolisPair::new(&space, &SharedUniform), GibbsPair::new(&space));
            for (x, y) in [(0, n - 1), (n / 2, 1), (n - 2, n / 3)] {
                let mut law = vec![0.0; n * n];
                metropolis.step(x, y, |x, y, p| law[x * n + y] += p);
                let cases = [(metropolis_step as Step, law), (gibbs_step, gibbs.step(x, y))];
                for (kernel, (step, law)) in cases.into_iter().enumerate() {
                    let mut stream = Streams::new(6).at(Purpose::Negative, x as u64, y as u64);
                    let mut counts = vec![0; n * n];
                    for _ in 0..DRAWS {
                        let (x, y) = step(&model, &chains, 0, &mut stream, &states[x], &states[y]);
                        counts[place(&x) * n + place(&y)] += 1;
                    }
                    let misfit = misfit(&counts, &law);
                    assert!(misfit < 5.0, "kernel {kernel} {units:?} {sizes:?} {clamp:?} from {x}, {y}: {misfit:.1}");
                }
            }
        }
    }
}

/// From different starts, x and y each end as a single chain would: at s' with probability 2^-n min(1, exp(E(s) - E(s'))), or after one
/// Gibbs sweep. Exact, from the laws that the kernels were shown to follow in the test above.
#[test]
fn both_chains_of_a_pair_follow_the_law_of_one() {
    for (units, sizes) in of_both_kinds([&[3, 2], &[2, 2, 1], &[2, 1, 1, 1]]) {
        let model = random_model(units, sizes, 43);
        let space = StateSpace::new(&model, &vec![None; sizes[0]]).unwrap();
        let (n, energies) = (space.count(), space.energies());
        let (metropolis, gibbs) = (MetropolisPair::new(&space, &SharedUniform), GibbsPair::new(&space));
        let alone = |from: usize| -> [Vec<f64>; 2] {
            let mut law: Vec<f64> = energies.iter().map(|e| (energies[from] - e).exp().min(1.0) / n as f64).collect();
            law[from] += 1.0 - law.iter().sum::<f64>();
            let mut here = vec![0.0; n];
            here[from] = 1.0;
            [law, space.sweeps(here, Parity::Even, 1)]
        };
        for (x, y) in [(0, n - 1), (n / 2, 1), (3, 3)] {
            let mut pair = vec![0.0; n * n];
            metropolis.step(x, y, |x, y, p| pair[x * n + y] += p);
            for (kernel, pair) in [pair, gibbs.step(x, y)].into_iter().enumerate() {
                let of_x: Vec<f64> = (0..n).map(|x| pair[x * n..][..n].iter().sum()).collect();
                let of_y: Vec<f64> = (0..n).map(|y| (0..n).map(|x| pair[x * n + y]).sum()).collect();
                for (law, from) in [(of_x, x), (of_y, y)] {
                    let apart = law.iter().zip(&alone(from)[kernel]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                    assert!(apart < 1e-12, "kernel {kernel} {units:?} {sizes:?}: {apart:e}");
                }
                // Chains that have met stay together.
                assert!(x != y || (0..n * n).all(|p| p / n == p % n || pair[p] == 0.0));
            }
        }
    }
}

/// A rejection cut at its cap is counted, leaves x exact and biases y; without the cap both are exact. 40 000 draws, seed fixed.
#[test]
fn a_rejection_cut_at_its_cap_is_counted_and_biases_y_alone() {
    let (p, q) = ([0.3, 0.6], [0.5, 0.4]);
    let law = |p: [f64; 2]| -> Vec<f64> {
        (0..4).map(|s| (0..2).map(|i| if s >> i & 1 == 1 { p[i] } else { 1.0 - p[i] }).product()).collect()
    };
    let draw = |max_tries: u32| {
        let mut stream = Streams::new(8).at(Purpose::Negative, 0, 0);
        let (mut counts, mut capped) = ([vec![0; 4], vec![0; 4]], 0);
        for _ in 0..40_000 {
            let BlockDraw { x, y, capped: cut, .. } = BlockCoupling { max_tries }.draw(&p, &q, &mut stream);
            capped += u32::from(cut);
            for (counts, bits) in counts.iter_mut().zip([x, y]) {
                counts[usize::from(bits[0]) + 2 * usize::from(bits[1])] += 1;
            }
        }
        (misfit(&counts[0], &law(p)), misfit(&counts[1], &law(q)), capped)
    };
    let (x, y, capped) = draw(10_000);
    assert!(x < 5.0 && y < 5.0 && capped == 0, "{x} {y} {capped}");
    let (x, y, capped) = draw(1);
    assert!(x < 5.0 && y > 20.0 && capped > 1000, "{x} {y} {capped}");
}

/// A pair that follows a script.
struct Scripted(Vec<(f32, f32)>);

impl PairKernel for Scripted {
    type State = State;

    fn step(&mut self, x: &Rc<State>, y: &Rc<State>) -> (Rc<State>, Rc<State>) {
        let stay_or_go = |from: &Rc<State>, to: f32| if from[0][0] == to { Rc::clone(from) } else { Rc::new(vec![vec![to]]) };
        let (to_x, to_y) = self.0.remove(0);
        (stay_or_go(x, to_x), stay_or_go(y, to_y))
    }
}

/// tau, whether it was cut, and `sum_{t=1}^{tau-1} f(x_t) - f(y_{t-1})` for a few f, against the sum written out.
#[test]
fn a_meeting_is_the_first_time_the_chains_are_equal_and_its_corrections_are_the_sum_up_to_it() {
    // (x_1, y_0), (x_2, y_1), ...; the script ends when they are equal.
    let scripts: [&[(f32, f32)]; 4] = [
        &[(1.0, 1.0)],
        &[(2.0, 1.0), (3.0, 1.0), (3.0, 1.0), (3.0, 3.0)],
        &[(2.0, 1.0), (2.0, 5.0), (4.0, 5.0), (4.0, 2.0), (4.0, 4.0)],
        &[(7.0, 1.0), (7.0, 2.0), (7.0, 2.0), (7.0, 3.0), (7.0, 4.0), (6.0, 6.0)],
    ];
    for script in scripts {
        for cap in [1, 2, 3, 100] {
            let point = |value: f32| Rc::new(vec![vec![value]]);
            let (x1, y0) = script[0];
            let mut sum = [0.0; 8];
            let mut kernel = Scripted(script[1..].to_vec());
            let meeting =
                meet(point(y0), point(x1), &mut kernel, cap, |weight, state| sum[state[0][0] as usize] += f64::from(weight));
            let time = script.len().min(cap as usize);
            assert_eq!((meeting.time as usize, meeting.capped), (time, script.len() > cap as usize), "{script:?} cap {cap}");
            let mut expected = [0.0; 8];
            for &(x, y) in &script[..time - 1] {
                expected[x as usize] += 1.0;
                expected[y as usize] -= 1.0;
            }
            assert_eq!(sum, expected, "{script:?} cap {cap}");
            assert_eq!(kernel.0.len(), script.len() - time, "no step after the meeting");
        }
    }
}
