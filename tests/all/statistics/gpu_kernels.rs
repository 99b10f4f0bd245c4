//! Each kernel of a GPU against the plain code. Browsers compile the same kernels: there, draws and whole steps are checked.

use crate::common::for_each_state;
use crate::gpu::{CHAINS, begun, clamps, gpu, models};
use dbm_core::linalg::Backend;
use dbm_core::sweep::search;
use dbm_core::{Clamp, Dbm, Parity, Units, init};
use dbm_gpu::Draws;

/// Weights and biases that are quarters of small integers, so that all sums of them are exact in any order.
fn exact_model(sizes: &[usize], units: Units) -> Dbm {
    let mut x = 1_u32;
    let mut next = |n: usize| -> Vec<f32> {
        let value = |_| {
            x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((x >> 16) % 17) as f32 * 0.25 - 2.0
        };
        (0..n).map(value).collect()
    };
    let weights = sizes.windows(2).map(|pair| next(pair[0] * pair[1])).collect();
    let biases = sizes.iter().map(|&n| next(n)).collect();
    Dbm::new(units, weights, biases).unwrap().with_backend(Backend::Plain)
}

#[pollster::test]
async fn fields_and_energies_are_the_models() {
    let Some(gpu) = gpu().await else { return };
    for model in models() {
        let (chains, _, on_gpu, mut on_chains) = begun(&gpu, &model, &Clamp::Free, CHAINS, 1);
        for l in 0..=model.depth() {
            let fields = on_chains.fields(&gpu, &on_gpu, l).await.unwrap();
            for c in 0..CHAINS {
                let exact = model.exact_field(l, &chains.state(c));
                // Sums of at most 200 terms of size 0.2, rounded to 24 bits.
                let largest = fields.row(c).iter().zip(&exact).map(|(a, b)| (f64::from(*a) - b).abs()).fold(0.0, f64::max);
                assert!(largest < 1e-5, "layer {l} of {:?}: off by {largest}", model.sizes());
            }
        }
        for (c, energy) in on_chains.energies(&gpu, &on_gpu).await.unwrap().into_iter().enumerate() {
            let exact = model.energy(&chains.state(c));
            assert!((f64::from(energy) - exact).abs() < 1e-4, "{energy} and {exact}, {:?}", model.sizes());
        }
    }
}

/// Where all sums are exact, the device's search ends where the plain one does, and takes as long.
#[pollster::test]
async fn searches_are_the_plain_ones() {
    let Some(gpu) = gpu().await else { return };
    for (sizes, units) in [(&[37, 70, 19][..], Units::Signs), (&[20, 33, 40, 9], Units::Bits)] {
        let model = exact_model(sizes, units);
        for clamp in clamps(sizes[0], CHAINS) {
            for sweeps in [1, 3, 20] {
                let (mut chains, first, on_gpu, mut on_chains) = begun(&gpu, &model, &clamp, CHAINS, 2);
                let flips = on_chains.search(&gpu, &on_gpu, &first, sweeps).await.unwrap();
                let infos = search(&model, &mut chains, &first, sweeps);
                for l in 0..=model.depth() {
                    let layer = on_chains.states(&gpu, &on_gpu, l).await.unwrap();
                    assert_eq!(&layer, chains.layer(l), "layer {l} of {sizes:?} after {sweeps} sweeps, {clamp:?}");
                }
                for (c, info) in infos.iter().enumerate().filter(|(_, info)| !info.capped) {
                    let delay = usize::from(first[c] == Parity::Odd);
                    let of_sweep = |t: u32| (0..2).map(|half| flips[(delay + 2 * t as usize + half) * CHAINS + c]).sum::<u32>();
                    // The last sweep, which changes nothing, may be one more than was allowed.
                    assert!(info.sweeps > sweeps || of_sweep(info.sweeps - 1) == 0);
                    assert!(info.sweeps == 1 || of_sweep(info.sweeps - 2) > 0);
                }
            }
        }
    }
}

/// Against the sum over all states of the other parity, one by one.
#[pollster::test]
async fn log_marginals_sum_the_other_parity_out() {
    let Some(gpu) = gpu().await else { return };
    for (sizes, units) in [(&[3, 5][..], Units::Signs), (&[4, 3, 2], Units::Bits), (&[2, 4, 3, 2], Units::Signs)] {
        let model = init::gaussian(sizes, units, 0.7, 3).unwrap();
        let (chains, _, on_gpu, mut on_chains) = begun(&gpu, &model, &Clamp::Free, CHAINS, 5);
        for held in [Parity::Even, Parity::Odd] {
            let logs = on_chains.log_marginals(&gpu, &on_gpu, held).await.unwrap();
            for (c, log) in logs.into_iter().enumerate() {
                let (state, mut sum) = (chains.state(c), 0.0);
                for_each_state(&model, &vec![None; sizes[0]], |other, energy| {
                    let same = held.layers(model.depth()).all(|l| other[l] == state[l]);
                    sum += if same { (-energy).exp() } else { 0.0 };
                });
                assert!((f64::from(log) - sum.ln()).abs() < 1e-4, "{log} and {}, {sizes:?} held {held:?}", sum.ln());
            }
        }
    }
}

#[pollster::test]
async fn the_same_key_gives_the_same_bits_and_another_key_others() {
    let Some(gpu) = gpu().await else { return };
    let model = models().nth(1).unwrap();
    let run = async |key| {
        let (_, first, on_gpu, mut on_chains) = begun(&gpu, &model, &Clamp::Free, CHAINS, 4);
        on_chains.gibbs(&gpu, &on_gpu, &first, 5, Draws { key, stage: 0 }).unwrap();
        on_chains.states(&gpu, &on_gpu, 1).await.unwrap()
    };
    assert_eq!(run([1, 1]).await, run([1, 1]).await);
    assert_ne!(run([1, 1]).await, run([1, 2]).await);
}
