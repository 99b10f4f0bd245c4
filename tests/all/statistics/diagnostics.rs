//! The jobs of `dbm_core::diagnostics` against enumeration: meeting times against the law of the pair, the replay against the samplers,
//! sums of samples against the exact means.

use crate::common::{State, misfit, random_model};
use dbm_core::chains::Chains;
use dbm_core::coupling::{GibbsCoupling, Meeting, MetropolisCoupling, PairKernel, SharedUniform, StateWithEnergy, meet};
use dbm_core::diagnostics::{
    CorrectionProbabilityPlan, CouplingKernel, CouplingStart, CouplingTrace, Couplings, EstimateSums, GradientSamples, PairDraw,
    Reached, ReplayPlan, acceptance_probability, exact_gradient, expectations,
};
use dbm_core::expectation::{GibbsPair, MetropolisPair, StateSpace};
use dbm_core::linalg::Matrix;
use dbm_core::rng::{Purpose, Streams};
use dbm_core::sweep::{LocalMode, gibbs, search};
use dbm_core::{Backend, Clamp, Dbm, Examples, Parity, Settings, Units, exact};
use std::rc::Rc;

const KERNELS: [CouplingKernel; 2] = [CouplingKernel::Metropolis, CouplingKernel::Gibbs];
const STARTS: [CouplingStart; 2] = [CouplingStart::LocalMode, CouplingStart::Uniform];

/// `P(tau = t)` for `t = 1, ..., most`, and the rest, from the distribution of x_0 and the law of the pair.
fn meeting_law(model: &Dbm, kernel: CouplingKernel, start: CouplingStart, most: usize) -> Vec<f64> {
    let space = StateSpace::new(model, &vec![None; model.n_visible()]).unwrap();
    let n = space.count();
    let (metropolis, gibbs) = (MetropolisPair::new(&space, &SharedUniform), GibbsPair::new(&space));
    let step = |x: usize, y: usize| match kernel {
        CouplingKernel::Metropolis => {
            let mut law = vec![0.0; n * n];
            metropolis.step(x, y, |x, y, p| law[x * n + y] += p);
            law
        }
        CouplingKernel::Gibbs => gibbs.step(x, y),
    };
    let begin = if start == CouplingStart::Uniform {
        space.uniform()
    } else {
        space.local_mode(LocalMode { max_sweeps: 1000, gibbs_sweeps: 1 })
    };
    // The distribution of (x_1, y_0): x alone has moved, as either chain of a pair in one state does.
    let mut pairs = vec![0.0; n * n];
    for (x0, mass) in begin.iter().enumerate() {
        for (place, p) in step(x0, x0).iter().enumerate() {
            pairs[place / n * n + x0] += mass * p;
        }
    }
    let mut law = Vec::new();
    for _ in 0..most {
        law.push((0..n).map(|s| std::mem::take(&mut pairs[s * n + s])).sum());
        let mut next = vec![0.0; n * n];
        for (place, &mass) in pairs.iter().enumerate().filter(|(_, mass)| **mass > 0.0) {
            next.iter_mut().zip(step(place / n, place % n)).for_each(|(to, p)| *to += mass * p);
        }
        pairs = next;
    }
    law.push(pairs.iter().sum());
    law
}

/// 20 000 runs of each kind, seed 11; Pearson's statistic within five deviations of its mean (alpha about 1e-5).
#[test]
fn meeting_times_follow_the_law_of_the_pair() {
    const MOST: usize = 6;
    for units in [Units::Signs, Units::Bits] {
        for (kernel, start) in KERNELS.into_iter().flat_map(|kernel| STARTS.map(|start| (kernel, start))) {
            let couplings = Couplings { dimension: 2, units, kernel, start, max_meeting: 1000, max_tries: 10_000, seed: 11 };
            let model = couplings.model().unwrap();
            let mut counts = vec![0; MOST + 1];
            for run in couplings.run(&model, 0..20_000, &mut |_, _| ()) {
                assert!(!run.meeting.capped && run.tries_capped == 0);
                counts[(run.meeting.time as usize - 1).min(MOST)] += 1;
            }
            let misfit = misfit(&counts, &meeting_law(&model, kernel, start, MOST));
            assert!(misfit < 5.0, "{units:?} {kernel:?} {start:?}: {misfit:.1} deviations, {counts:?}");
        }
    }
}

/// The pair's states `(x_t, y_{t-1})` as the samplers draw them from the same stream, and how they met.
fn sampled(model: &Dbm, plan: &ReplayPlan) -> (Vec<(State, State)>, Meeting) {
    let purpose = if plan.clamped.is_some() { Purpose::Positive } else { Purpose::Negative };
    let mut stream = [Streams::new(plan.seed).at(purpose, 0, u64::from(plan.run))];
    let mut chains = match &plan.clamped {
        Some(bits) => {
            let values = bits.iter().map(|&bit| model.units().value(bit)).collect();
            Chains::new(model, Matrix::from_vec(1, model.n_visible(), values), Clamp::Visible)
        }
        None => Chains::free(model, 1),
    };
    chains.randomize(model, 0, &mut stream[0]);
    let first = Parity::first(stream[0].coin());
    if plan.start == CouplingStart::LocalMode {
        search(model, &mut chains, &[first], 1000);
        let first = Parity::first(stream[0].coin());
        gibbs(model, &mut chains, &[first], &mut stream);
    }
    let (state, stream) = (chains.state(0), &mut stream[0]);
    let mut pairs = Vec::new();
    let meeting = match plan.kernel {
        CouplingKernel::Metropolis => {
            let x0 = Rc::new(StateWithEnergy { energy: model.energy(&state), state });
            let pair = MetropolisCoupling::new(model, &chains, 0, stream, &SharedUniform);
            let mut pair = Noted { pair, pairs: &mut pairs };
            let x1 = pair.pair.step(&x0, &x0).0;
            pair.pairs.push((x1.state.clone(), x0.state.clone()));
            meet(x0, x1, &mut pair, plan.max_meeting, |_, _| ())
        }
        CouplingKernel::Gibbs => {
            let mut pair = Noted { pair: GibbsCoupling::new(model, &chains, 0, stream, plan.max_tries), pairs: &mut pairs };
            let x0 = pair.pair.point(state);
            let x1 = pair.pair.single(&x0);
            pair.pairs.push((x1.state.clone(), x0.state.clone()));
            meet(x0, x1, &mut pair, plan.max_meeting, |_, _| ())
        }
    };
    (pairs, meeting)
}

/// A pair whose states are recorded.
struct Noted<'a, K> {
    pair: K,
    pairs: &'a mut Vec<(State, State)>,
}

impl<K: PairKernel> PairKernel for Noted<'_, K> {
    type State = K::State;

    fn step(&mut self, x: &Rc<K::State>, y: &Rc<K::State>) -> (Rc<K::State>, Rc<K::State>) {
        let ends = self.pair.step(x, y);
        self.pairs.push(((*ends.0).as_ref().to_vec(), (*ends.1).as_ref().to_vec()));
        ends
    }
}

/// A state as bytes, and back.
fn bits(model: &Dbm, state: &State) -> Vec<u8> {
    state.iter().flatten().map(|&value| u8::from(value == model.units().high())).collect()
}

fn state(model: &Dbm, bits: &[u8]) -> State {
    let mut bits = bits.iter().map(|&bit| model.units().value(bit == 1));
    model.sizes().iter().map(|&n| bits.by_ref().take(n).collect()).collect()
}

/// A trace is consistent.
fn check_trace(model: &Dbm, trace: &CouplingTrace) {
    let x0 = &trace.approach.last().expect("a start").state;
    let mut before = (x0, x0);
    for (place, step) in trace.steps.iter().enumerate() {
        assert_eq!(step.step as usize, place + 1);
        for (bits, energy) in [&step.x, &step.y].into_iter().zip(step.energies) {
            assert!((model.energy(&state(model, bits)) - energy).abs() < 1e-9);
        }
        match &step.draw {
            PairDraw::Metropolis { proposal, u, log_accept_x, log_accept_y, .. } => {
                assert_eq!(log_accept_y.is_none(), place == 0);
                let accepts = |log: f64| *u < acceptance_probability(log);
                assert_eq!(&step.x, if accepts(*log_accept_x) { proposal } else { before.0 });
                assert_eq!(&step.y, if log_accept_y.is_some_and(accepts) { proposal } else { before.1 });
            }
            PairDraw::Single => assert_eq!((place, &step.y), (0, x0)),
            PairDraw::Gibbs { overlap, shared, tries, tries_capped } => {
                assert!(!tries_capped && place > 0 && *shared == (*tries == 0));
                assert!(overlap.is_some_and(|overlap| (0.0..=1.0 + 1e-12).contains(&overlap)));
                assert!(!shared || step.x[..model.n_visible()] == step.y[..model.n_visible()]);
            }
        }
        before = (&step.x, &step.y);
        assert_eq!(step.x == step.y, place + 1 == trace.steps.len() && !trace.meeting.capped, "the chains meet at the end");
    }
}

#[test]
fn a_replay_is_what_the_samplers_do() {
    let mut longest = 0;
    for (units, sizes) in [(Units::Signs, &[4, 3][..]), (Units::Bits, &[3, 4, 2]), (Units::Signs, &[3, 2, 2, 1])] {
        let model = random_model(units, sizes, 21).with_backend(Backend::Plain);
        for (kernel, start) in KERNELS.into_iter().flat_map(|kernel| STARTS.map(|start| (kernel, start))) {
            for (run, clamped) in (0..30).map(|run| (run, (run % 3 == 0).then(|| (0..sizes[0]).map(|i| i % 2 == 0).collect()))) {
                let plan = ReplayPlan { clamped, kernel, start, max_meeting: 200, max_tries: 1000, seed: 4, run };
                let replay = plan.run(&model).unwrap();
                let (pairs, meeting) = sampled(&model, &plan);
                assert_eq!(replay.meeting, meeting);
                let pairs = pairs.iter().map(|(x, y)| (bits(&model, x), bits(&model, y)));
                assert!(replay.steps.iter().map(|step| (step.x.clone(), step.y.clone())).eq(pairs));
                assert_eq!(replay.steps.len(), meeting.time as usize);
                check_trace(&model, &replay);
                assert_eq!(replay.approach[0].reached_by, Reached::Uniform);
                let halves = |by: Reached| replay.approach.iter().filter(|state| state.reached_by == by).count();
                let searched = usize::from(start == CouplingStart::LocalMode);
                assert!(halves(Reached::Search).is_multiple_of(2) && halves(Reached::Gibbs) == 2 * searched);
                longest = longest.max(meeting.time);
            }
        }
    }
    assert!(longest > 5, "no coupling took long enough to show anything");
}

#[test]
fn a_replay_that_cannot_be_is_refused() {
    let model = random_model(Units::Signs, &[4, 3], 1);
    let plan = ReplayPlan {
        clamped: None,
        kernel: CouplingKernel::Gibbs,
        start: CouplingStart::Uniform,
        max_meeting: 10,
        max_tries: 10,
        seed: 0,
        run: 0,
    };
    assert!(ReplayPlan { clamped: Some(vec![true; 3]), ..plan.clone() }.run(&model).is_err());
    assert!(ReplayPlan { max_meeting: 0, ..plan.clone() }.run(&model).is_err());
    assert!(ReplayPlan { max_meeting: 20_001, ..plan.clone() }.run(&model).is_err());
    assert!(ReplayPlan { max_tries: 0, ..plan.clone() }.run(&model).is_err());
    assert!(plan.run(&random_model(Units::Signs, &[60, 5], 1)).is_err());
}

fn settings(estimator: &str, seed: u64) -> Settings {
    Settings { estimator: estimator.parse().unwrap(), seed, ..Settings::default() }
}

const ESTIMATORS: [&str; 7] = ["ucd-lmi", "ucd-mh", "ucd-gibbs", "lmi", "cd-1", "pcd-1", "pcd-gibbs-2"];

#[test]
fn sums_of_several_jobs_are_those_of_one() {
    let model = random_model(Units::Signs, &[3, 2, 2], 31);
    let data = Examples::from_bits(3, &[1, 0, 1, 0, 1, 1, 1, 1, 0]).unwrap();
    for estimator in ESTIMATORS {
        let settings = settings(estimator, 5);
        let samples = GradientSamples::new(&model, &data, &settings).unwrap();
        let (whole, end) = samples.draw(0..2500, &[], &mut |_, _| ()).unwrap();
        let (mut parts, mut chains) = (EstimateSums::default(), vec![]);
        for range in [0..1, 1..700, 700..701, 701..1900, 1900..2500] {
            let (part, left) = samples.draw(range, &chains, &mut |_, _| ()).unwrap();
            parts.add(&part);
            chains = left;
        }
        assert_eq!((parts.samples, parts.groups, &chains), (whole.samples, whole.groups, &end), "{estimator}");
        assert!(whole.samples >= 2500 && whole.samples == whole.groups * samples.group());
        assert_eq!(end.is_empty(), !settings.estimator.kind.descriptor().persistent);
        assert_eq!((&parts.meeting_times, parts.capped), (&whole.meeting_times, whole.capped));
        for (a, b) in parts.sums.iter().chain(&parts.group_squares).zip(whole.sums.iter().chain(&whole.group_squares)) {
            // Sums in f64, in another order.
            assert!((a - b).abs() <= 1e-12 * b.abs().max(1.0), "{estimator}: {a} and {b}");
        }
        if settings.estimator.kind.descriptor().persistent {
            assert!(samples.draw(2500..4000, &[], &mut |_, _| ()).is_err(), "chains must be handed over");
        }
    }
}

/// 30 000 samples, seed 6: every parameter within 4.5 standard errors of the exact mean, alpha = 6.8e-6 each, for 15 parameters of 7
/// estimators on two models.
#[test]
fn the_mean_of_samples_is_the_law_s_and_of_coupled_ones_the_exact_gradient() {
    for units in [Units::Signs, Units::Bits] {
        let model = random_model(units, &[3, 2, 1], 32);
        let data = Examples::from_bits(3, &[1, 0, 1, 0, 1, 1]).unwrap();
        let exact = exact_gradient(&model, &data).unwrap().gradient;
        for estimator in ESTIMATORS {
            let settings = settings(estimator, 6);
            let (sums, _) = GradientSamples::new(&model, &data, &settings).unwrap().draw(0..30_000, &[], &mut |_, _| ()).unwrap();
            let law = expectations(&model, &data, &settings, &mut |_, _| ()).unwrap();
            let coupled = estimator.starts_with("ucd");
            let mut bias: f64 = 0.0;
            for (((mean, error), law), exact) in sums.mean_and_error().into_iter().zip(law.mean).zip(&exact) {
                assert!((mean - law).abs() < 4.5 * error + 1e-5, "{units:?} {estimator}: {mean} +- {error}, law {law}");
                bias = bias.max((law - exact).abs());
            }
            assert!(if coupled { bias < 1e-9 } else { bias > 1e-3 }, "{units:?} {estimator} is biased by {bias:e}");
            assert_eq!(sums.meeting_times.is_empty(), !coupled);
        }
    }
}

#[test]
fn the_truth_is_the_mean_over_the_examples() {
    let model = random_model(Units::Bits, &[4, 3, 2], 33);
    let bits = [1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1, 1];
    let truth = exact_gradient(&model, &Examples::from_bits(4, &bits).unwrap()).unwrap();
    let rows: Vec<Vec<bool>> = bits.chunks(4).map(|row| row.iter().map(|&bit| bit == 1).collect()).collect();
    let mean = |of: &dyn Fn(&[bool]) -> f64| rows.iter().map(|row| of(row)).sum::<f64>() / 3.0;
    assert!((truth.log_likelihood - mean(&|row| exact::log_probability(&model, row).unwrap())).abs() < 1e-12);
    for (place, value) in truth.gradient.iter().enumerate() {
        let expected = mean(&|row| exact::gradient(&model, row, &[false; 4]).unwrap()[place]);
        assert!((value - expected).abs() < 1e-12 && (truth.positive[place] - truth.negative[place] - value).abs() < 1e-12);
    }
    assert_eq!(truth.unit_probabilities.len(), 9);
}

/// 20 000 couplings, seed 2: the share with tau > 1 is within 4.5 standard errors of its probability (alpha = 6.8e-6), which also varies
/// with the start.
#[test]
fn couplings_move_as_often_as_their_starts_say() {
    for (units, sizes) in [(Units::Signs, vec![3, 2]), (Units::Bits, vec![4, 3, 3])] {
        let seen = CorrectionProbabilityPlan { sizes, units, seed: 2 }.run(20_000, &mut |_, _| ()).unwrap();
        let (n, p) = (f64::from(seen.runs), 10_f64.powf(seen.log10_probability));
        let share = f64::from(seen.moved) / n;
        assert!(seen.exact && (share - p).abs() < 4.5 * (p * (1.0 - p) / n).sqrt(), "{units:?}: {share} and {p}");
    }
    // Beyond enumeration, an upper bound, with log Z exact or by annealed importance sampling.
    for sizes in [vec![13, 12], vec![20, 20]] {
        let seen =
            CorrectionProbabilityPlan { sizes: sizes.clone(), units: Units::Bits, seed: 2 }.run(2000, &mut |_, _| ()).unwrap();
        let (n, p) = (f64::from(seen.runs), 10_f64.powf(seen.log10_probability));
        assert!(!seen.exact && f64::from(seen.moved) / n <= p + 4.5 * (p / n).sqrt(), "{sizes:?}: {seen:?}");
    }
    let wide = CorrectionProbabilityPlan { sizes: vec![300, 200], units: Units::Signs, seed: 2 }.run(10, &mut |_, _| ()).unwrap();
    assert!(wide.moved == 0 && wide.log10_probability < -50.0 && wide.log10_probability.is_finite(), "{wide:?}");
}
