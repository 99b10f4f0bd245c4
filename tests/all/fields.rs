//! Fields, energies and local searches: what the fast paths carry along against what the definitions say.

use crate::common::{check_fields, check_search, of_both_kinds, random_model};
use dbm_core::chains::{Chains, UpdateRule};
use dbm_core::linalg::Matrix;
use dbm_core::rng::{Purpose, Stream, Streams};
use dbm_core::sweep::{GibbsDraw, Minimum, search};
use dbm_core::{Clamp, Dbm, Parity, Units};
use wasm_bindgen_test::wasm_bindgen_test;

fn streams(seed: u64, count: u64) -> Vec<Stream> {
    Streams::new(seed).of_chains(Purpose::Negative, 0, 0..count)
}

/// Chains with every kind of clamp: free, visible, and partly known.
fn all_clamps(model: &Dbm, count: usize) -> Vec<Chains> {
    let n = model.n_visible();
    let visible: Vec<f32> = (0..count * n).map(|i| model.units().value(i % 3 == 0)).collect();
    let some = Clamp::Known((0..count * n).map(|i| i % 2 == 0).collect());
    let visible = Matrix::from_vec(count, n, visible);
    [Clamp::Free, Clamp::Visible, some].map(|clamp| Chains::new(model, visible.clone(), clamp)).into()
}

/// Sizes large enough that some half-sweeps update fields by rows and others recompute them.
const LARGER: [&[usize]; 3] = [&[40, 30], &[40, 30, 20], &[30, 20, 25, 10]];

#[wasm_bindgen_test(unsupported = test)]
fn carried_fields_and_energies_equal_recomputed_ones() {
    for (units, sizes) in of_both_kinds(LARGER) {
        let model = random_model(units, sizes, 1);
        for mut chains in all_clamps(&model, 6) {
            let mut streams = streams(2, 6);
            let all: Vec<u32> = (0..6).collect();
            chains.randomize_all(&model, &mut streams);
            for round in 0..12 {
                let parity = Parity::first(round % 2 == 0);
                // Every third round minimizes, which soon flips only a few units; the others draw.
                let mut draw = GibbsDraw::new(&mut streams);
                let rule: &mut dyn UpdateRule = if round % 3 == 0 { &mut Minimum } else { &mut draw };
                chains.half_sweep(&model, parity, &all, rule);
                (0..6).for_each(|c| check_fields(&model, &mut chains, c, parity, 1e-4));
            }
        }
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn energy_never_rises_in_a_search_and_every_end_is_a_mode() {
    for (seed, (units, sizes)) in of_both_kinds(LARGER).enumerate() {
        let model = random_model(units, sizes, seed as u64);
        for mut chains in all_clamps(&model, 1) {
            for start in 0..20 {
                let mut stream = Streams::new(start).at(Purpose::Completion, 0, 0);
                let (clamp, known) = (chains.clamp_of(0), chains.state(0));
                chains.randomize(&model, 0, &mut stream);
                let begun = chains.state(0);
                assert!(known[0].iter().zip(&begun[0]).enumerate().all(|(i, (a, b))| a == b || !clamp.holds(i)));
                let first = Parity::first(stream.coin());
                let found = check_search(&model, &mut chains, first);
                let mode = chains.state(0);
                // By definition, the search ends in the same mode after as many sweeps, the last of which it need not compute.
                chains.place(0, &begun);
                let mut flips = |parity| chains.half_sweep(&model, parity, &[0], &mut Minimum)[0];
                let sweeps = (1..=1000).find(|_| flips(first) + flips(first.other()) == 0);
                assert_eq!(Some(found.sweeps), sweeps);
                assert_eq!(chains.state(0), mode);
                chains.place(0, &begun);
                assert_eq!(search(&model, &mut chains, &[first], 1000), [found]);
                assert_eq!(chains.state(0), mode);
            }
        }
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn a_search_cut_at_its_cap_says_so() {
    let model = random_model(Units::Signs, &[40, 30, 20], 1);
    let mut chains = Chains::free(&model, 8);
    chains.randomize_all(&model, &mut streams(1, 8));
    let info = search(&model, &mut chains, &[Parity::Even; 8], 1);
    assert!(info.iter().all(|i| i.sweeps <= 2) && info.iter().any(|i| i.capped && i.sweeps == 1));
}
