//! Models small enough to enumerate, and the statistics that tests share.
#![cfg_attr(target_arch = "wasm32", allow(dead_code))] // statistics run natively

use dbm_core::chains::Chains;
use dbm_core::coupling::{Acceptance, SharedUniform};
use dbm_core::gradient::Batch;
use dbm_core::linalg::Matrix;
use dbm_core::math::log_sum_exp;
use dbm_core::rng::{Purpose, Streams};
use dbm_core::sweep::{SearchInfo, search_observed};
use dbm_core::{Clamp, Dbm, Examples, Group, Parity, Units, exact};

/// Shapes with one, two and three hidden layers.
pub const SHAPES: [&[usize]; 3] = [&[4, 3], &[4, 3, 2], &[4, 2, 2, 2]];

/// Both kinds of units with each of these shapes.
pub fn of_both_kinds<const N: usize>(shapes: [&'static [usize]; N]) -> impl Iterator<Item = (Units, &'static [usize])> {
    [Units::Signs, Units::Bits].into_iter().flat_map(move |units| shapes.map(|sizes| (units, sizes)))
}

/// One model for each kind of units and each of these shapes.
pub fn models<const N: usize>(shapes: [&'static [usize]; N]) -> impl Iterator<Item = Dbm> {
    of_both_kinds(shapes).zip((40..45).cycle()).map(|((units, sizes), seed)| random_model(units, sizes, seed))
}

/// Models whose visible units form categories and scales; in the last of each kind the even layers have fewer units.
pub fn models_of_levels(seed: u64) -> impl Iterator<Item = Dbm> {
    (seed..).zip(of_both_kinds([&[6, 2], &[5, 2, 1], &[4, 5]])).map(|(seed, (units, sizes))| {
        let groups = match sizes[0] {
            6 => [Group::one_hot(0..2), Group::thermometer(2..5)],
            5 => [Group::at_most_one(0..2), Group::one_hot(3..5)],
            _ => [Group::at_most_one(0..2), Group::thermometer(2..4)],
        };
        random_model(units, sizes, seed).with_groups(&groups).expect("groups of the visible layer")
    })
}

/// Rows of bits, `None` for a missing bit.
pub fn examples(rows: &[Vec<Option<bool>>]) -> Examples {
    let bytes = |of: fn(&Option<bool>) -> bool| -> Vec<u8> { rows.iter().flatten().map(|bit| u8::from(of(bit))).collect() };
    Examples::from_bits(rows[0].len(), &bytes(|bit| *bit == Some(true))).unwrap().with_gaps(&bytes(Option::is_some)).unwrap()
}

/// This many chains, which take these visible layers in turn; a mask marks some units as known. The value stored for a missing bit must not
/// matter: a high unit must not be taken for a known one.
pub fn batch(model: &Dbm, rows: &[Vec<Option<bool>>], known: &[bool], count: usize, streams: Streams) -> Batch {
    let bits = || (0..count).flat_map(|row| &rows[row % rows.len()]);
    let values = bits().map(|bit| model.units().value(bit.unwrap_or(true))).collect();
    let observed: Vec<bool> = bits().map(Option::is_some).collect();
    let masked = observed.iter().zip(known.iter().cycle()).map(|(observed, known)| observed & known).collect();
    Batch {
        observed: Clamp::of_units(&observed, 1),
        known: if known.contains(&true) { Clamp::Known(masked) } else { Clamp::Free },
        ..Batch::new(Matrix::from_vec(count, model.n_visible(), values), streams)
    }
}

/// FNV-1a over words, in the form in which values are pinned.
pub fn hash(words: impl IntoIterator<Item = u64>) -> String {
    let hash = words.into_iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, x| (hash ^ x).wrapping_mul(0x100_0000_01b3));
    format!("{hash:016x}")
}

/// A model with Gaussian weights and biases: strong enough to expose every shortcut, weak enough that couplings meet.
pub fn random_model(units: Units, sizes: &[usize], seed: u64) -> Dbm {
    let mut stream = Streams::new(seed).at(Purpose::Initialization, 7, 7);
    let mut draw = |n: usize, scale: f64| (0..n).map(|_| (scale * stream.gaussian()) as f32).collect::<Vec<f32>>();
    // A bit's field moves half as far as a sign's for the same weight.
    let scale = if units == Units::Signs { 0.4 } else { 1.0 };
    let weights = sizes.windows(2).map(|pair| draw(pair[0] * pair[1], scale)).collect();
    let biases = sizes.iter().map(|&n| draw(n, 0.3)).collect();
    Dbm::new(units, weights, biases).expect("a model of sound shape")
}

/// The values of all units, layer by layer.
pub type State = Vec<Vec<f32>>;

/// Every state with `visible[i] = Some(bit)` clamped and every group at a level, in binary counting order of the free units (the first free unit counts fastest), with
/// its energy: a reference that does not use parities.
pub fn for_each_state(model: &Dbm, visible: &[Option<bool>], mut each: impl FnMut(&State, f64)) {
    let units = model.units();
    let mut state: State = model.sizes().iter().map(|&n| vec![units.low(); n]).collect();
    for (value, bit) in state[0].iter_mut().zip(visible) {
        *value = units.value(*bit == Some(true));
    }
    let all = model.sizes().iter().enumerate().flat_map(|(l, &size)| (0..size).map(move |i| (l, i)));
    let free: Vec<(usize, usize)> = all.filter(|&(l, i)| l > 0 || visible[i].is_none()).collect();
    assert!(free.len() <= 20, "{} free units are too many to try all states", free.len());
    for code in 0..1_u32 << free.len() {
        for (place, &(l, i)) in free.iter().enumerate() {
            state[l][i] = units.value(code >> place & 1 == 1);
        }
        if model.groups().iter().all(|group| group.level(|unit| state[0][unit] > 0.5).is_some()) {
            each(&state, model.energy(&state));
        }
    }
}

/// The log of the sum of `exp(-E)` over all states given the clamped visible units.
pub fn log_sum(model: &Dbm, visible: &[Option<bool>]) -> f64 {
    let mut terms = Vec::new();
    for_each_state(model, visible, |_, energy| terms.push(-energy));
    log_sum_exp(&terms)
}

/// All states given the clamped visible units, with their exact probabilities.
pub fn distribution(model: &Dbm, visible: &[Option<bool>]) -> Vec<(State, f64)> {
    let log_sum = log_sum(model, visible);
    let mut states = Vec::new();
    for_each_state(model, visible, |state, energy| states.push((state.clone(), (-energy - log_sum).exp())));
    states
}

/// `E[s_l s_{l+1}^T]`, row-major, and then `E[s_l]` of a distribution.
pub fn moments(model: &Dbm, states: &[(State, f64)]) -> Vec<f64> {
    let mut sums = vec![0.0; model.n_parameters()];
    for (state, p) in states {
        let outer = |pair: &[Vec<f32>]| -> Vec<f32> { pair[0].iter().flat_map(|a| pair[1].iter().map(move |b| a * b)).collect() };
        let values = state.windows(2).flat_map(outer).chain(state.iter().flatten().copied());
        sums.iter_mut().zip(values).for_each(|(sum, x)| *sum += p * f64::from(x));
    }
    sums
}

#[track_caller]
pub fn close(a: &[f64], b: &[f64], bound: f64) {
    assert_eq!(a.len(), b.len());
    for (x, y) in a.iter().zip(b) {
        assert!((x - y).abs() <= bound, "{x} and {y} differ by {:e}", (x - y).abs());
    }
}

/// The results of enumerating one parity, given the clamped visible units, against the sum over all states; the clamped units have their
/// values.
pub fn check_exact(model: &Dbm, visible: &[Option<bool>], bound: f64, bound_of_log_sum: f64) {
    let expectation = exact::expectation(model, visible).unwrap();
    let moments = moments(model, &distribution(model, visible));
    close(&[expectation.log_sum], &[log_sum(model, visible)], bound_of_log_sum);
    close(&expectation.clone().flat(), &moments, bound);
    let (low, gap) = (f64::from(model.units().low()), f64::from(model.units().gap()));
    let units = model.sizes().iter().sum::<usize>();
    let high: Vec<f64> = moments[moments.len() - units..].iter().map(|mean| (mean - low) / gap).collect();
    let marginals = exact::marginals(model, visible).unwrap();
    close(&marginals.concat(), &high, bound);
    for (i, bit) in visible.iter().enumerate().filter_map(|(i, bit)| Some((i, (*bit)?))) {
        let values = (f64::from(model.units().value(bit)), f64::from(u8::from(bit)));
        assert_eq!((expectation.biases[0][i], marginals[0][i]), values);
    }
}

/// Whether counts fit probabilities: Pearson's statistic must be below its mean plus five standard deviations, alpha about 1e-5. Returns
/// the statistic's distance from its mean in standard deviations.
pub fn misfit(counts: &[u32], probabilities: &[f64]) -> f64 {
    let n: f64 = counts.iter().map(|&c| f64::from(c)).sum();
    // States too rare for the approximation are pooled.
    let (mut statistic, mut cells, mut pool) = (0.0, 0.0, (0.0, 0.0));
    let mut add = |observed: f64, expected: f64| {
        statistic += (observed - expected).powi(2) / expected;
        cells += 1.0;
    };
    for (&count, &p) in counts.iter().zip(probabilities) {
        if n * p >= 5.0 {
            add(f64::from(count), n * p);
        } else {
            pool = (pool.0 + f64::from(count), pool.1 + n * p);
        }
    }
    if pool.1 > 0.5 {
        add(pool.0, pool.1);
    } else {
        assert!(pool.0 < 10.0, "states that should hardly ever come came {} times", pool.0);
    }
    (statistic - (cells - 1.0)) / (2.0 * (cells - 1.0)).sqrt()
}

/// Largest |mean - expected| in standard errors over all parameters. The chains of a batch share proposals, so each estimate must be that
/// of a batch; batches share nothing.
pub fn worst_error(estimates: impl Iterator<Item = Vec<f64>>, expected: &[f64]) -> f64 {
    let (mut n, mut sums) = (0.0, vec![(0.0, 0.0); expected.len()]);
    for estimate in estimates {
        n += 1.0;
        for ((sum, squares), value) in sums.iter_mut().zip(estimate) {
            *sum += value;
            *squares += value * value;
        }
    }
    let errors = sums.iter().zip(expected).map(|(&(sum, squares), &expected)| {
        let mean = sum / n;
        let variance = (squares / n - mean * mean).max(0.0) * n / (n - 1.0);
        // An estimate that never varies must be right up to f32 rounding.
        (mean - expected).abs() / ((variance / n).sqrt() + 1e-6)
    });
    errors.fold(0.0, f64::max)
}

/// A chain's stored fields, its energy and its conditional means of one parity match the definitions for its state.
pub fn check_fields(model: &Dbm, chains: &mut Chains, c: usize, parity: Parity, bound: f64) {
    let state = chains.state(c);
    let close = |a: f32, b: f64, what: &str| assert!((f64::from(a) - b).abs() < bound, "{what}: {a} and {b}");
    for l in 0..state.len() {
        for (&carried, plain) in chains.field(l, c).unwrap_or(&[]).iter().zip(model.exact_field(l, &state)) {
            close(carried, plain, "field");
        }
    }
    let energy = model.energy(&state);
    assert!((chains.energy(model, c) - energy).abs() < 1e-4 * (1.0 + energy.abs()));
    chains.refresh(model, parity, &[c as u32]);
    let (clamp, gap) = (chains.clamp_of(c), f64::from(model.units().gap()));
    for l in parity.layers(model.depth()) {
        let mut means = vec![0.0; state[l].len()];
        chains.means(model, l, c, &mut means);
        for (i, (&mean, a)) in means.iter().zip(model.exact_field(l, &state)).enumerate() {
            let free = f64::from(model.units().low()) + gap / (1.0 + (-gap * a).exp());
            close(mean, if l == 0 && clamp.holds(i) { f64::from(state[0][i]) } else { free }, "mean");
        }
    }
}

/// A search by one chain: the energy never rises on the way, clamped units keep their values, and at the end neither parity alone can lower
/// the energy, since every free unit is at its conditional minimum.
pub fn check_search(model: &Dbm, chains: &mut Chains, first: Parity) -> SearchInfo {
    let (begun, clamp) = (chains.state(0), chains.clamp_of(0));
    let mut energy = model.energy(&begun);
    let slack = 1e-4 * (1.0 + energy.abs());
    let info = search_observed(model, chains, &[first], 1000, |chains| {
        let now = model.energy(&chains.state(0));
        assert!(now <= energy + slack, "rose from {energy} to {now}");
        energy = now;
    })[0];
    assert!(!info.capped);
    let mode = chains.state(0);
    for (l, layer) in mode.iter().enumerate() {
        for (i, (&value, a)) in layer.iter().zip(model.field(l, &mode)).enumerate() {
            let stays = if l == 0 && clamp.holds(i) { begun[0][i] } else { model.units().value(a >= 0.0) };
            let clamped = l == 0 && clamp.holds(i);
            assert!(value == stays || !clamped && f64::from(a.abs()) < slack, "{clamp:?} layer {l} unit {i}");
        }
    }
    info
}

/// Draws an index from a distribution.
pub fn draw(states: &[(State, f64)], mut u: f64) -> usize {
    for (place, (_, p)) in states.iter().enumerate() {
        u -= p;
        if u < 0.0 {
            return place;
        }
    }
    states.len() - 1
}

/// Acceptance by any rule that takes a uniform, the proposal's energy, and the energies of x and y.
#[derive(Clone, Copy, Debug)]
pub struct By(pub fn(f64, f64, f64, f64) -> (bool, bool));

impl Acceptance for By {
    fn decide(&self, u: f64, proposal: f64, x: f64, y: f64) -> (bool, bool) {
        (self.0)(u, proposal, x, y)
    }
}

/// Both chains move when x accepts: the pair still meets, but y does not follow its chain's distribution.
pub const Y_FOLLOWS_X: By = By(|u, proposal, x, y| [SharedUniform.decide(u, proposal, x, y).0; 2].into());

/// The same model with every parameter scaled.
pub fn scaled(model: &Dbm, by: f64) -> Dbm {
    let scale = |values: &[f32]| -> Vec<f32> { values.iter().map(|&x| (f64::from(x) * by) as f32).collect() };
    let weights = model.weights().iter().map(|w| scale(w.data())).collect();
    let scaled = Dbm::new(model.units(), weights, model.biases().iter().map(|b| scale(b)).collect());
    scaled.and_then(|scaled| scaled.with_groups(model.groups())).unwrap()
}
