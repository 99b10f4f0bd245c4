//! Tempering against enumeration: exchanges leave the product of all rungs' distributions invariant; runs of particles estimate Z without
//! bias, and their coupled chains every mean.

use crate::common::{State, close, distribution, draw, for_each_state, misfit, of_both_kinds, random_model, worst_error};
use dbm_core::chains::FieldCost;
use dbm_core::linalg::Matrix;
use dbm_core::math::log_sum_exp;
use dbm_core::rng::{Purpose, Streams};
use dbm_core::tempering::{
    Base, Ladder, LadderDepth, Pair, ParticleSet, Path, Replicas, RunCoupling, Spread, Temperatures, held_parity, runs,
};
use dbm_core::{Clamp, Dbm, LadderSnapshot, Parameters, Parity};
use std::collections::BTreeMap;

/// One and two hidden layers; in the last shape the even layers have fewer units, so they are held.
const SHAPES: [&[usize]; 3] = [&[3, 2], &[2, 2, 1], &[2, 4, 1]];

/// A ladder of independent units and a model half as strong as this one.
fn ladder(model: &Dbm) -> Ladder {
    let scaled = |scale: f32| {
        let of = |values: &[f32]| values.iter().map(|x| scale * x).collect::<Vec<f32>>();
        Parameters {
            weights: model.weights().iter().map(|weight| of(weight.data())).collect(),
            biases: model.biases().iter().map(|bias| of(bias)).collect(),
        }
    };
    let mut independent = scaled(0.7);
    independent.weights.iter_mut().flatten().for_each(|w| *w = 0.0);
    Ladder::restore(
        model,
        LadderSnapshot { rungs: vec![independent, scaled(0.5)], rate: 1.0, accepted: vec![0.3; 2], temperatures: None },
    )
    .unwrap()
}

/// Chains that begin as exact, independent draws at every rung are still so after a round: at each rung, and at each pair of neighbours
/// jointly.
#[test]
fn a_round_of_exchanges_leaves_the_product_of_the_rungs_distributions() {
    const CHAINS: usize = 40_000;
    for (i, (units, sizes)) in of_both_kinds(SHAPES).enumerate() {
        let model = random_model(units, sizes, 300 + i as u64);
        let ladder = ladder(&model);
        let laws: Vec<_> = ladder
            .rungs()
            .iter()
            .map(|rung| &**rung)
            .chain([&model])
            .map(|rung| distribution(rung, &vec![None; sizes[0]]))
            .collect();
        for reach in [LadderDepth::Whole(0), LadderDepth::Top] {
            let reached = &laws[reach.lowest(2)..];
            let mut streams = Streams::new(5).of_chains(Purpose::Completion, i as u64, 0..CHAINS as u64);
            let mut states = Vec::new();
            for law in reached {
                let mut layers: Vec<Matrix> = sizes.iter().map(|&n| Matrix::zeros(0, n)).collect();
                for stream in &mut streams {
                    let state = &law[draw(law, stream.uniform())].0;
                    layers.iter_mut().zip(state).for_each(|(layer, values)| layer.push_row(values));
                }
                states.extend(layers);
            }
            let mut replicas = Replicas::new(&ladder, &model, reach, Some(&states), &mut streams);
            replicas.round(1, &mut streams);
            assert_eq!(replicas.exchanges.tried, CHAINS as u64);
            assert!(replicas.exchanges.rates().all(|rate| (0.2..0.99).contains(&rate)), "{:?}", replicas.exchanges);
            let (after, layers) = (replicas.states(), sizes.len());
            let place = |rung: usize, chain: usize| {
                let same = |state: &Vec<Vec<f32>>| (0..layers).all(|l| after[rung * layers + l].row(chain) == state[l]);
                reached[rung].iter().position(|(state, _)| same(state)).unwrap()
            };
            for rung in 0..reached.len() {
                let mut counts = vec![0; reached[rung].len()];
                (0..CHAINS).for_each(|chain| counts[place(rung, chain)] += 1);
                let odd = misfit(&counts, &reached[rung].iter().map(|(_, p)| *p).collect::<Vec<_>>());
                assert!(odd < 5.0, "{units:?} {sizes:?} {reach:?} rung {rung}: {odd}");
            }
            for rung in 1..reached.len() {
                let (below, above) = (&reached[rung - 1], &reached[rung]);
                let mut counts = vec![0; below.len() * above.len()];
                (0..CHAINS).for_each(|chain| counts[place(rung - 1, chain) * above.len() + place(rung, chain)] += 1);
                let product: Vec<f64> = below.iter().flat_map(|(_, p)| above.iter().map(move |(_, q)| p * q)).collect();
                let odd = misfit(&counts, &product);
                assert!(odd < 5.0, "{units:?} {sizes:?} {reach:?} rungs {rung} and below: {odd}");
            }
        }
    }
}

/// The log ratios at each other's states give the difference between neighbours' log Z, from below and from above.
#[test]
fn the_ratios_of_an_exchange_are_those_of_the_rungs() {
    for (i, (units, sizes)) in of_both_kinds(SHAPES).enumerate() {
        let model = random_model(units, sizes, 320 + i as u64);
        let ladder = ladder(&model);
        let log_z: Vec<f64> =
            ladder.rungs().iter().map(|rung| &**rung).chain([&model]).map(|rung| dbm_core::exact::log_z(rung).unwrap()).collect();
        let mut streams = Streams::new(6).of_chains(Purpose::Completion, i as u64, 0..2000);
        let mut replicas = Replicas::new(&ladder, &model, LadderDepth::Whole(0), None, &mut streams);
        let mut sums = [(0.0, 0.0, 0.0); 2];
        for round in 0..60 {
            replicas.round_observed(1, &mut streams, |pair, at_lower, at_upper| {
                if round >= 20 {
                    let sum = &mut sums[pair];
                    *sum = (sum.0 + at_lower.exp(), sum.1 + (-at_upper).exp(), sum.2 + 1.0);
                }
            });
        }
        for (pair, (forward, reverse, count)) in sums.into_iter().enumerate() {
            let exact = log_z[pair + 1] - log_z[pair];
            // Means over 80 000 draws of ratios that vary by less than their size.
            assert!(((forward / count).ln() - exact).abs() < 0.03, "{units:?} {sizes:?} pair {pair}: from below");
            assert!((-(reverse / count).ln() - exact).abs() < 0.03, "{units:?} {sizes:?} pair {pair}: from above");
        }
    }
}

/// Particles of a run: with two, none would ever be resampled.
const N: usize = 3;

/// The positions of the particles, with the logs of their weights and of the part of Z already averaged out.
type Particles = ([usize; N], [u64; N], u64);

/// Every position of `N` particles among this many states.
fn places(states: usize) -> impl Iterator<Item = [usize; N]> {
    (0..states.pow(N as u32)).map(move |code| [code % states, code / states % states, code / states / states])
}

/// Every outcome of systematic resampling, with its probability: copies of a particle fill the places `u, 1 + u, 2 + u` on a line of `N`
/// times the weights.
fn resampled(at: [usize; N], weights: [f64; N]) -> Vec<([usize; N], f64)> {
    let ends: Vec<f64> = (1..=N).map(|n| N as f64 * weights[..n].iter().sum::<f64>()).collect();
    let mut cuts: Vec<f64> = ends.iter().map(|end| end.fract()).chain([0.0, 1.0]).collect();
    cuts.sort_by(f64::total_cmp);
    let ancestor = |place: f64| ends.iter().position(|&end| place < end).unwrap_or(N - 1);
    let outcome = |cut: &[f64]| ([0.0, 1.0, 2.0].map(|n| at[ancestor(n + 0.5 * (cut[0] + cut[1]))]), cut[1] - cut[0]);
    cuts.windows(2).filter(|cut| cut[1] - cut[0] > 1e-12).map(outcome).collect()
}

/// An outcome of a run: the positions of its particles, their weights, log Zhat, and its probability.
type Outcome = ([usize; N], [f64; N], f64, f64);

/// The law of a run, by plain enumeration: every possible outcome with its probability. And how often its particles are resampled, on
/// average.
fn law_of_runs(model: &Dbm, base: &[Vec<f64>], points: &[(Dbm, f64)]) -> (Vec<Outcome>, f64) {
    let mut states = Vec::new();
    for_each_state(model, &vec![None; model.n_visible()], |state, _| states.push(state.clone()));
    let held = held_parity(model);
    let is_held = |l: usize| l.is_multiple_of(2) == (held == Parity::Even);
    let layers = 0..model.sizes().len();
    let of_base = |state: &Vec<Vec<f32>>| -> f64 {
        state.iter().flatten().zip(base.iter().flatten()).map(|(&s, a)| f64::from(s) * a).sum()
    };
    let log_p = |state: &Vec<Vec<f32>>, (rung, beta): &(Dbm, f64)| (1.0 - beta) * of_base(state) - beta * rung.energy(state);
    let same = |a: &Vec<Vec<f32>>, b: &Vec<Vec<f32>>, parity: bool| layers.clone().all(|l| is_held(l) != parity || a[l] == b[l]);
    let worth = |at: usize, point: &(Dbm, f64)| {
        let terms = states.iter().filter(|other| same(other, &states[at], true)).map(|other| log_p(other, point));
        log_sum_exp(&terms.collect::<Vec<f64>>())
    };
    // Transitions between states in one sweep: what is not held given what is, and then what is held.
    let half = |point: &(Dbm, f64), kept_is_held: bool| -> Vec<Vec<f64>> {
        let to = |from: usize| -> Vec<f64> {
            let weights =
                states.iter().map(|to| if same(to, &states[from], kept_is_held) { log_p(to, point).exp() } else { 0.0 });
            let weights: Vec<f64> = weights.collect();
            let sum: f64 = weights.iter().sum();
            weights.iter().map(|w| w / sum).collect()
        };
        (0..states.len()).map(to).collect()
    };
    let sweep = |point: &(Dbm, f64)| -> Vec<Vec<f64>> {
        let (first, second) = (half(point, true), half(point, false));
        let row = |from: usize| {
            (0..states.len()).map(|to| (0..states.len()).map(|by| first[from][by] * second[by][to]).sum()).collect()
        };
        (0..states.len()).map(row).collect()
    };
    let start = (points[0].0.clone(), 0.0);
    let log_base = log_sum_exp(&states.iter().map(of_base).collect::<Vec<f64>>());
    let begun: Vec<f64> = states.iter().map(|state| (of_base(state) - log_base).exp()).collect();
    let mut law: BTreeMap<Particles, f64> = BTreeMap::new();
    for at in places(states.len()) {
        *law.entry((at, [0.0_f64.to_bits(); N], log_base.to_bits())).or_default() +=
            at.map(|at| begun[at]).iter().product::<f64>();
    }
    let (mut before, mut times_resampled) = (&start, 0.0);
    for point in points {
        let change: Vec<f64> = (0..states.len()).map(|at| worth(at, point) - worth(at, before)).collect();
        let moves = sweep(point);
        let mut after: BTreeMap<Particles, f64> = BTreeMap::new();
        for ((at, weights, log_z), p) in law {
            let weights: [f64; N] = std::array::from_fn(|i| f64::from_bits(weights[i]) + change[at[i]]);
            let sum = log_sum_exp(&weights);
            let w = weights.map(|weight| (weight - sum).exp());
            // They are resampled if the effective sample size is below half of them.
            let outcomes = if 1.0 / w.iter().map(|w| w * w).sum::<f64>() < 0.5 * N as f64 {
                let log_z = f64::from_bits(log_z) + sum - (N as f64).ln();
                times_resampled += p;
                resampled(at, w).into_iter().map(|(at, q)| (at, q, [0.0; N], log_z)).collect()
            } else {
                vec![(at, 1.0, weights, f64::from_bits(log_z))]
            };
            for (at, q, weights, log_z) in outcomes {
                for to in places(states.len()) {
                    let moved: f64 = at.iter().zip(to).map(|(&from, to)| moves[from][to]).product();
                    *after.entry((to, weights.map(f64::to_bits), log_z.to_bits())).or_default() += p * q * moved;
                }
            }
        }
        law = after;
        before = point;
    }
    let end = |((at, weights, log_z), p): (Particles, f64)| {
        let weights = weights.map(f64::from_bits);
        let sum = log_sum_exp(&weights);
        (at, weights.map(|weight| (weight - sum).exp()), f64::from_bits(log_z) + sum - (N as f64).ln(), p)
    };
    (law.into_iter().map(end).collect(), times_resampled)
}

/// By enumeration of every outcome of a run with three particles: the mean of its estimate of Z is Z, particles weighted by it follow the
/// model, and so two coupled chains of runs estimate without bias. The runs that are drawn follow that law.
#[test]
fn runs_of_particles_follow_their_law_and_estimate_z_without_bias() {
    const RUNS: usize = 30_000;
    let shapes: [&[usize]; 2] = [&[2, 1], &[1, 1, 1]];
    for (i, (units, sizes)) in of_both_kinds(shapes).enumerate() {
        let mut resampled_in_all = 0.0;
        // All units pull in one direction, so that one particle in three can outweigh the others and resampling happens now and then.
        let model = random_model(units, sizes, 340 + i as u64);
        let pulled = |values: &[f32], by: f32| values.iter().map(|x| x + by).collect::<Vec<f32>>();
        let weights = model.weights().iter().map(|weight| pulled(weight.data(), 2.0)).collect();
        let biases = model.biases().iter().enumerate().map(|(l, bias)| pulled(bias, if l == 1 { 0.0 } else { 1.0 })).collect();
        let model = Dbm::new(units, weights, biases).unwrap();
        let ladder = ladder(&model);
        let exact = distribution(&model, &vec![None; sizes[0]]);
        let z = dbm_core::exact::log_z(&model).unwrap();
        let base = Base::of(&ladder.rungs()[0]);
        let temperatures = Temperatures::restore(vec![0.4, 1.0]).unwrap();
        for path in [Path::of_temperatures(base, &model, &temperatures), Path::of_ladder(&ladder, &model)] {
            let biases: Vec<Vec<f64>> =
                (0..sizes.len()).map(|l| path.base.biases(l, 0).iter().map(|&a| f64::from(a)).collect()).collect();
            let points: Vec<(Dbm, f64)> = path.points.iter().map(|point| (point.model.clone(), point.beta)).collect();
            let (law, times_resampled) = law_of_runs(&model, &biases, &points);
            let mean_z: f64 = law.iter().map(|(_, _, log_z, p)| p * (log_z - z).exp()).sum();
            assert!((mean_z - 1.0).abs() < 1e-6, "{units:?} {sizes:?}: {mean_z}");
            let mut weighted = vec![0.0; exact.len()];
            for (at, w, log_z, p) in &law {
                (0..N).for_each(|particle| weighted[at[particle]] += p * (log_z - z).exp() * w[particle]);
            }
            close(&weighted, &exact.iter().map(|(_, p)| *p).collect::<Vec<_>>(), 1e-6);
            check_coupled_chains(&law, &exact);
            resampled_in_all += times_resampled;

            // The draws: the cells are the states of the particles and their estimate of Z.
            let mut streams = Streams::new(8).of_chains(Purpose::Completion, i as u64, 0..RUNS as u64);
            let visible = Matrix::from_vec(RUNS, sizes[0], vec![units.low(); RUNS * sizes[0]]);
            let (mut spread, mut work) = (Spread::default(), FieldCost::default());
            let drawn = runs(&path, &visible, &Clamp::Free, N, &mut streams, (&mut spread, &mut work));
            let cell = |at: [usize; N], log_z: f64| (at, (log_z * 1e4).round() as i64);
            let mut cells: BTreeMap<_, (u32, f64)> = BTreeMap::new();
            for &(at, _, log_z, p) in &law {
                cells.entry(cell(at, log_z)).or_default().1 += p;
            }
            let place = |run: &ParticleSet, particle: usize| {
                exact.iter().position(|(state, _)| (0..sizes.len()).all(|l| run.states[l].row(particle) == state[l])).unwrap()
            };
            for run in &drawn {
                let at: [usize; N] = std::array::from_fn(|particle| place(run, particle));
                let near = (-1..=1).map(|off| (at, cell(at, run.log_z).1 + off)).find(|key| cells.contains_key(key));
                cells.get_mut(&near.expect("a run that the law knows")).unwrap().0 += 1;
            }
            let (counts, probabilities): (Vec<u32>, Vec<f64>) = cells.into_values().unzip();
            let odd = misfit(&counts, &probabilities);
            assert!(odd < 5.0, "{units:?} {sizes:?} along {} points: {odd}", points.len());
        }
        assert!(resampled_in_all > 0.1, "{units:?} {sizes:?}: particles are resampled {resampled_in_all} times");
    }
}

/// The mean of `H` over the law of both chains. Runs with the same estimate of Z count as one, since chains distinguish them by that alone.
fn check_coupled_chains(law: &[Outcome], exact: &[(State, f64)]) {
    let mut classes: BTreeMap<i64, (f64, f64, Vec<f64>)> = BTreeMap::new();
    for (at, w, log_z, p) in law {
        let class = classes.entry((log_z * 1e8).round() as i64).or_insert((*log_z, 0.0, vec![0.0; exact.len()]));
        class.1 += p;
        (0..N).for_each(|particle| class.2[at[particle]] += p * w[particle]);
    }
    let classes: Vec<(f64, f64, Vec<f64>)> =
        classes.into_values().map(|(log_z, p, f)| (log_z, p, f.iter().map(|x| x / p).collect())).collect();
    let accepts = |offered: usize, of: usize| (classes[offered].0 - classes[of].0).exp().min(1.0);
    let mut mean = vec![0.0; exact.len()];
    let mut add = |weight: f64, class: usize| mean.iter_mut().zip(&classes[class].2).for_each(|(sum, f)| *sum += weight * f);
    let n = classes.len();
    let mut apart = vec![0.0; n * n];
    for start in 0..n {
        add(classes[start].1, start);
        for offered in 0..n {
            let (p, a) = (classes[start].1 * classes[offered].1, accepts(offered, start));
            add(p * a, offered);
            add(-p * a, start);
            if offered != start {
                apart[offered * n + start] += p * a;
            }
        }
    }
    for _ in 0..400 {
        let mut next = vec![0.0; n * n];
        for (x, y) in (0..n).flat_map(|x| (0..n).map(move |y| (x, y))).filter(|&(x, y)| apart[x * n + y] > 1e-16) {
            for offered in 0..n {
                let p = apart[x * n + y] * classes[offered].1;
                let (a_x, a_y) = (accepts(offered, x), accepts(offered, y));
                // One uniform for both: they accept together, or only the one that accepts more easily does.
                for (weight, to) in [(a_x, offered), (1.0 - a_x, x), (-a_y, offered), (a_y - 1.0, y)] {
                    add(p * weight, to);
                }
                let one = p * (a_x - a_y).abs();
                next[if a_x > a_y { offered * n + y } else { x * n + offered }] += one;
                next[x * n + y] += p * (1.0 - a_x.max(a_y));
            }
        }
        (0..n).for_each(|same| next[same * n + same] = 0.0);
        apart = next;
    }
    assert!(apart.iter().sum::<f64>() < 1e-9, "the chains have met");
    close(&mean, &exact.iter().map(|(_, p)| *p).collect::<Vec<_>>(), 1e-6);
}

/// The probabilities that two coupled chains meet after 1, 2, ... `LAST - 1` steps, and later, by enumeration; the runs are
/// `(p, log Zhat)`, no two of them alike.
fn law_of_meetings<const LAST: usize>(of: &[(f64, f64)]) -> [f64; LAST] {
    let accepts = |offered: usize, at: usize| (of[offered].1 - of[at].1).exp().min(1.0);
    let mut law = [0.0; LAST];
    let mut apart = BTreeMap::new();
    for (start, offered) in (0..of.len()).flat_map(|start| (0..of.len()).map(move |offered| (start, offered))) {
        let (p, a) = (of[start].0 * of[offered].0, accepts(offered, start));
        law[0] += p * (1.0 - a);
        *apart.entry((offered, start)).or_insert(0.0) += p * a;
    }
    for chance in &mut law[1..LAST - 1] {
        let before = std::mem::take(&mut apart);
        for (((x, y), p), offered) in before.iter().flat_map(|pair| (0..of.len()).map(move |offered| (pair, offered))) {
            let (p, a_x, a_y) = (p * of[offered].0, accepts(offered, *x), accepts(offered, *y));
            // One uniform for both: they accept together, or only the one that accepts more easily does.
            *chance += p * a_x.min(a_y);
            *apart.entry(if a_x > a_y { (offered, *y) } else { (*x, offered) }).or_default() += p * (a_x - a_y).abs();
            *apart.entry((*x, *y)).or_default() += p * (1.0 - a_x.max(a_y));
        }
    }
    law[LAST - 1] = apart.values().sum();
    law
}

/// Coupled chains of made-up runs whose estimates of Z differ a lot: any average over their times is unbiased, within 4.5 standard errors;
/// the counts of all runs add up to one; and meeting times follow their law.
#[test]
fn every_average_over_the_times_of_coupled_runs_is_unbiased() {
    let made_up = [(0.5, -1.0, 0.0), (0.3, 0.5, 1.0), (0.2, 1.5, -3.0)];
    let run = |log_z: f64, value: f64| ParticleSet { states: vec![], means: vec![], weights: vec![1.0], log_z, energy: value };
    let z: f64 = made_up.iter().map(|(p, log_z, _)| p * f64::exp(*log_z)).sum();
    let exact: f64 = made_up.iter().map(|(p, log_z, value)| p * f64::exp(*log_z) * value).sum::<f64>() / z;
    let mut met = [0; 8];
    for (first, last) in [(0, 0), (0, 3), (1, 1), (2, 5)] {
        let coupling = RunCoupling { first, last, cap: 10_000 };
        let estimates = (0..20_000).map(|replicate| {
            let mut stream = Streams::new(u64::from(first + 10 * last)).at(Purpose::Completion, replicate, 0);
            let draw = |stream: &mut dbm_core::rng::Stream| {
                let mut left = stream.uniform();
                let drawn = made_up.iter().find(|(p, ..)| {
                    left -= p;
                    left < 0.0
                });
                drawn.map_or_else(|| run(1.5, -3.0), |&(_, log_z, value)| run(log_z, value))
            };
            let (mut sum, mut times) = (0.0, 0.0);
            let mut push = |count: f64, _: u32, of: &ParticleSet| {
                sum += count * of.energy;
                times += count;
            };
            let start = draw(&mut stream);
            let mut pair = Pair::new(&coupling, start);
            while !pair.is_done() {
                let offered = draw(&mut stream);
                let u = stream.uniform();
                pair.step(offered, u, &mut push);
            }
            let (tau, cut) = pair.meeting();
            assert!(!cut);
            met[(tau as usize).min(met.len()) - 1] += 1;
            pair.finish(&mut push);
            assert!((times - 1.0).abs() < 1e-9, "{times}");
            vec![sum]
        });
        let error = worst_error(estimates, &[exact]);
        assert!(error < 4.5, "from {first} to {last}: {error} standard errors");
    }
    let law = law_of_meetings::<8>(&made_up.map(|(p, log_z, _)| (p, log_z)));
    let odd = misfit(&met, &law);
    assert!(odd < 5.0 && law[1] > 0.05, "{met:?} for {law:?}: {odd}");
}
