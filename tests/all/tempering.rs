//! Tempering against enumeration: exchanges leave the product of all rungs' distributions as it is, and ladders grow and shrink by their rules.

use crate::common::{distribution, misfit, of_both_kinds, random_model};
use dbm_core::linalg::Matrix;
use dbm_core::rng::{Purpose, Streams};
use dbm_core::tempering::{Ladder, Reach, Replicas};
use dbm_core::{Dbm, LadderSnapshot, Parameters};
use wasm_bindgen_test::wasm_bindgen_test;

/// One and two hidden layers; in the last the even layers have fewer units, so that they are held.
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
    Ladder::restore(model, LadderSnapshot { rungs: vec![independent, scaled(0.5)], rate: 1.0, accepted: vec![0.3; 2] }).unwrap()
}

/// Chains that begin as exact and independent draws at every rung are that after a round: at each rung, and at every two neighbours together.
#[wasm_bindgen_test(unsupported = test)]
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
        for reach in [Reach::Whole(0), Reach::Top] {
            let reached = &laws[reach.lowest(2)..];
            let mut streams = Streams::new(5).of_chains(Purpose::Completion, i as u64, 0..CHAINS as u64);
            let mut states = Vec::new();
            for law in reached {
                let mut layers: Vec<Matrix> = sizes.iter().map(|&n| Matrix::zeros(0, n)).collect();
                for stream in &mut streams {
                    let mut left = stream.uniform();
                    let drawn = law.iter().find(|(_, p)| {
                        left -= p;
                        left < 0.0
                    });
                    let state = &drawn.unwrap_or(&law[law.len() - 1]).0;
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

/// What neighbours say of each other's states makes the difference of their log Z, from below and from above.
#[wasm_bindgen_test(unsupported = test)]
fn the_ratios_of_an_exchange_are_those_of_the_rungs() {
    for (i, (units, sizes)) in of_both_kinds(SHAPES).enumerate() {
        let model = random_model(units, sizes, 320 + i as u64);
        let ladder = ladder(&model);
        let log_z: Vec<f64> =
            ladder.rungs().iter().map(|rung| &**rung).chain([&model]).map(|rung| dbm_core::exact::log_z(rung).unwrap()).collect();
        let mut streams = Streams::new(6).of_chains(Purpose::Completion, i as u64, 0..2000);
        let mut replicas = Replicas::new(&ladder, &model, Reach::Whole(0), None, &mut streams);
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
