//! What a step is made of, for a shard of 25 chains of the reference models at their orthogonal start: a local search, a Gibbs sweep, a whole estimate.

use crate::stream;
use dbm_core::chains::Chains;
use dbm_core::gradient::{self, Batch};
use dbm_core::linalg::Matrix;
use dbm_core::rng::{Purpose, Stream, Streams};
use dbm_core::sweep::{gibbs, search};
use dbm_core::{Dbm, Parity, Settings, Units, init};
use divan::Bencher;

const CHAINS: usize = 25;
const HIDDEN: [[usize; 2]; 2] = [[500, 500], [1000, 500]];

fn model(hidden: [usize; 2]) -> Dbm {
    init::orthogonal(&[784, hidden[0], hidden[1]], Units::Signs, 1).expect("a model of this size can be made")
}

fn streams() -> Vec<Stream> {
    (0..CHAINS as u64).map(|chain| Streams::new(2).at(Purpose::Negative, 0, chain)).collect()
}

/// Half of the chains even first, half odd first, as coins would have it.
fn orders() -> Vec<Parity> {
    (0..CHAINS).map(|chain| Parity::first(chain % 2 == 0)).collect()
}

/// Free chains at uniform random states.
fn at_random(model: &Dbm) -> Chains {
    let mut chains = Chains::free(model, CHAINS);
    chains.randomize_all(model, &mut streams());
    chains
}

#[divan::bench(args = HIDDEN)]
fn search_from_noise(bencher: Bencher, hidden: [usize; 2]) {
    let (model, first) = (model(hidden), orders());
    bencher.with_inputs(|| at_random(&model)).bench_local_values(|mut chains| search(&model, &mut chains, &first, 1000));
}

#[divan::bench(args = HIDDEN)]
fn gibbs_sweep_from_a_mode(bencher: Bencher, hidden: [usize; 2]) {
    let (model, first) = (model(hidden), orders());
    bencher
        .with_inputs(|| {
            let mut chains = at_random(&model);
            search(&model, &mut chains, &first, 1000);
            (chains, streams())
        })
        .bench_local_values(|(mut chains, mut streams)| {
            gibbs(&model, &mut chains, &first, &mut streams);
            chains
        });
}

/// Both phases of UCD-LMI, their moments included.
#[divan::bench(args = HIDDEN)]
fn estimate(bencher: Bencher, hidden: [usize; 2]) {
    let (model, estimator) = (model(hidden), gradient::estimator(&Settings::default()));
    let mut visible = Matrix::zeros(CHAINS, 784);
    stream().fill_coins(-1.0, 1.0, visible.data_mut());
    let batch = Batch::new(visible, Streams::new(3));
    bencher.bench_local(|| estimator.estimate(&model, &batch, &|| 0.0));
}
