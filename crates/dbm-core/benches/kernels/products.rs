//! Batch products and rank-k updates: fast, plain, and `gemm` alone.

use crate::{bare, some};
use dbm_core::Backend;
use divan::Bencher;
use divan::counter::ItemsCount;

/// Chains, units of the layer that is read, units of the one whose fields come out: the minibatch, the largest shard, a shard of a batch of
/// 100, half of it (the chains whose coin fell the same way), and sizes at which the machine does what it can.
const PRODUCTS: [(usize, usize, usize); 8] = [
    (100, 784, 500),
    (32, 784, 500),
    (25, 784, 500),
    (12, 784, 500),
    (25, 500, 784),
    (25, 500, 500),
    (100, 784, 1000),
    (1024, 1024, 1024),
];

/// Rows of states, rows of the block of the gradient, its columns: one shard's in the positive and the negative phase, and all shards'.
const UPDATES: [(usize, usize, usize); 4] = [(75, 64, 500), (100, 64, 500), (300, 64, 500), (300, 64, 1000)];

fn flops(m: usize, k: usize, n: usize) -> ItemsCount {
    ItemsCount::new(2 * m * k * n)
}

fn add_product(bencher: Bencher, (m, k, n): (usize, usize, usize), backend: Backend) {
    let (a, b, mut out) = (some(m, k), some(k, n), some(m, n));
    bencher.counter(flops(m, k, n)).bench_local(|| backend.add_product(out.data_mut(), a.data(), &b));
}

#[divan::bench(args = PRODUCTS)]
fn add_product_fast(bencher: Bencher, shape: (usize, usize, usize)) {
    add_product(bencher, shape, Backend::Fast);
}

#[divan::bench(args = PRODUCTS, sample_count = 20, sample_size = 1)]
fn add_product_plain(bencher: Bencher, shape: (usize, usize, usize)) {
    add_product(bencher, shape, Backend::Plain);
}

#[divan::bench(args = PRODUCTS)]
fn product_gemm_alone(bencher: Bencher, (m, k, n): (usize, usize, usize)) {
    let (a, b, mut out) = (some(m, k), some(k, n), some(m, n));
    bencher.counter(flops(m, k, n)).bench_local(|| bare::product(&mut out, &a, &b));
}

fn add_outer_products(bencher: Bencher, (r, p, q): (usize, usize, usize), backend: Backend) {
    // The left rows are a whole layer's, of which the block is a part.
    let (left, right, mut out) = (some(r, 784), some(r, q), some(p, q));
    bencher.counter(flops(r, p, q)).bench_local(|| backend.add_outer_products(out.data_mut(), 0.01, &left, 128, &right));
}

#[divan::bench(args = UPDATES)]
fn add_outer_products_fast(bencher: Bencher, shape: (usize, usize, usize)) {
    add_outer_products(bencher, shape, Backend::Fast);
}

#[divan::bench(args = UPDATES, sample_count = 20, sample_size = 1)]
fn add_outer_products_plain(bencher: Bencher, shape: (usize, usize, usize)) {
    add_outer_products(bencher, shape, Backend::Plain);
}

#[divan::bench(args = UPDATES)]
fn outer_products_gemm_alone(bencher: Bencher, (r, p, q): (usize, usize, usize)) {
    // Transposed beforehand, which the updates of a training step are not.
    let (left, right, mut out) = (some(p, r), some(r, q), some(p, q));
    bencher.counter(flops(r, p, q)).bench_local(|| bare::product(&mut out, &left, &right));
}
